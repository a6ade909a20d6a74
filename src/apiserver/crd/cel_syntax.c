/*
 * The syntax check for CEL rules, in one pass over the text without a tree.
 *
 * scan_token() splits the text into tokens. Between tokens the scan is in one of two states: an
 * operand is expected (take_operand()), or one has been read and an operator, a member access or a
 * bracket must follow (take_operator()). Open brackets, and the "?" of a conditional, wait on a
 * stack of characters. Binary operators need no precedence: precedence changes the tree, not
 * whether a text parses.
 *
 * Accepted although CEL refuses it: names that are reserved words, escapes that do not exist, and
 * calls of functions that do not exist. The grammar is
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md.
 */
#include "apiserver/crd/cel_syntax.h"

#include "base/ascii.h"

enum token {
    TOKEN_END,
    TOKEN_OPERAND, /* a literal */
    TOKEN_NAME,
    TOKEN_BINARY,
    TOKEN_MINUS, /* a sign or a subtraction */
    TOKEN_NOT,
    TOKEN_DOT,
    TOKEN_COMMA,
    TOKEN_QUESTION,
    TOKEN_COLON,
    TOKEN_OPEN,  /* ( [ { */
    TOKEN_CLOSE, /* ) ] } */
    TOKEN_BAD,
};

/* The state of the check. The token is text[start, at). */
struct scan {
    struct str text;
    size_t at;    /* end of the token */
    size_t start; /* start of the token */
    enum token token, before;
    char open[CEL_SYNTAX_DEPTH_MAX]; /* open brackets, and the "?" of conditionals */
    size_t depth;
    bool wants_operand;
    const char *problem;
};

static char peek(const struct scan *scan, size_t ahead)
{
    return scan->at + ahead < scan->text.len ? scan->text.ptr[scan->at + ahead] : '\0';
}

static bool is_letter(char c)
{
    return c == '_' || ascii_is_letter(c);
}

/* Skips white space and comments, which run from "//" to the end of the line. */
static void skip_space(struct scan *scan)
{
    for (;;) {
        const char c = peek(scan, 0);
        if (c == '/' && peek(scan, 1) == '/')
            while (scan->at < scan->text.len && peek(scan, 0) != '\n')
                scan->at++;
        else if (scan->at < scan->text.len && ascii_is_space(c))
            scan->at++;
        else
            return;
    }
}

/*
 * Scans a string literal from its quote on. Three quotes open a literal that may span lines. Raw
 * strings have no escapes.
 */
static enum token scan_string(struct scan *scan, bool is_raw)
{
    const char quote = peek(scan, 0);
    const bool is_long = peek(scan, 1) == quote && peek(scan, 2) == quote;
    scan->at += is_long ? 3 : 1;
    while (scan->at < scan->text.len) {
        const char c = peek(scan, 0);
        if (c == quote && (!is_long || (peek(scan, 1) == quote && peek(scan, 2) == quote))) {
            scan->at += is_long ? 3 : 1;
            return TOKEN_OPERAND;
        }
        if (!is_long && (c == '\n' || c == '\r'))
            break;
        scan->at += c == '\\' && !is_raw && scan->at + 1 < scan->text.len ? 2 : 1;
    }
    scan->problem = "unterminated string";
    return TOKEN_BAD;
}

/*
 * Whether a string literal begins here, with its prefix: b for bytes, r for raw, or both. Without a
 * quote behind them the letters begin a name.
 */
static bool is_string_ahead(const struct scan *scan, size_t *ret_prefix, bool *ret_raw)
{
    size_t len = 0;
    *ret_raw = false;
    while (len < 2 &&
           (ascii_to_lower(peek(scan, len)) == 'r' || ascii_to_lower(peek(scan, len)) == 'b')) {
        *ret_raw = *ret_raw || ascii_to_lower(peek(scan, len)) == 'r';
        len++;
    }
    *ret_prefix = len;
    return peek(scan, len) == '"' || peek(scan, len) == '\'';
}

/*
 * Scans an integer, with 0x and a suffix u allowed, or a floating point number. A letter or digit
 * right behind a number is an error.
 */
static enum token scan_number(struct scan *scan)
{
    const bool is_hex = peek(scan, 0) == '0' && ascii_to_lower(peek(scan, 1)) == 'x';
    scan->at += is_hex ? 2 : 0;
    while (ascii_is_digit(peek(scan, 0)) || (is_hex && ascii_is_hex(peek(scan, 0))))
        scan->at++;
    if (!is_hex && peek(scan, 0) == '.' && ascii_is_digit(peek(scan, 1)))
        do
            scan->at++;
        while (ascii_is_digit(peek(scan, 0)));
    if (!is_hex && ascii_to_lower(peek(scan, 0)) == 'e') {
        const size_t sign = peek(scan, 1) == '+' || peek(scan, 1) == '-';
        if (ascii_is_digit(peek(scan, 1 + sign)))
            for (scan->at += 1 + sign; ascii_is_digit(peek(scan, 0));)
                scan->at++;
    }
    if (ascii_to_lower(peek(scan, 0)) == 'u')
        scan->at++;
    if (!is_letter(peek(scan, 0)) && !ascii_is_digit(peek(scan, 0)))
        return TOKEN_OPERAND;
    scan->problem = "malformed number";
    return TOKEN_BAD;
}

/* Scans an identifier; "in" is an operator. */
static enum token scan_name(struct scan *scan)
{
    while (is_letter(peek(scan, 0)) || ascii_is_digit(peek(scan, 0)))
        scan->at++;
    const struct str name = str_slice(scan->text, scan->start, scan->at);
    return str_eq(name, STR("in")) ? TOKEN_BINARY : TOKEN_NAME;
}

/* Scans a field name in backticks, which need not be an identifier. */
static enum token scan_quoted_name(struct scan *scan)
{
    scan->at++;
    while (scan->at < scan->text.len && peek(scan, 0) != '`' && peek(scan, 0) != '\n')
        scan->at++;
    if (peek(scan, 0) != '`') {
        scan->problem = "unterminated name";
        return TOKEN_BAD;
    }
    scan->at++;
    return TOKEN_NAME;
}

/* Longer symbols stand before their prefixes in the table. */
static enum token scan_symbol(struct scan *scan)
{
    static const struct {
        struct str text;
        enum token token;
    } symbols[] = {
        {STR_INIT("&&"), TOKEN_BINARY  },
        {STR_INIT("||"), TOKEN_BINARY  },
        {STR_INIT("=="), TOKEN_BINARY  },
        {STR_INIT("!="), TOKEN_BINARY  },
        {STR_INIT("<="), TOKEN_BINARY  },
        {STR_INIT(">="), TOKEN_BINARY  },
        {STR_INIT("<"),  TOKEN_BINARY  },
        {STR_INIT(">"),  TOKEN_BINARY  },
        {STR_INIT("+"),  TOKEN_BINARY  },
        {STR_INIT("*"),  TOKEN_BINARY  },
        {STR_INIT("/"),  TOKEN_BINARY  },
        {STR_INIT("%"),  TOKEN_BINARY  },
        {STR_INIT("-"),  TOKEN_MINUS   },
        {STR_INIT("!"),  TOKEN_NOT     },
        {STR_INIT("."),  TOKEN_DOT     },
        {STR_INIT(","),  TOKEN_COMMA   },
        {STR_INIT("?"),  TOKEN_QUESTION},
        {STR_INIT(":"),  TOKEN_COLON   },
        {STR_INIT("("),  TOKEN_OPEN    },
        {STR_INIT("["),  TOKEN_OPEN    },
        {STR_INIT("{"),  TOKEN_OPEN    },
        {STR_INIT(")"),  TOKEN_CLOSE   },
        {STR_INIT("]"),  TOKEN_CLOSE   },
        {STR_INIT("}"),  TOKEN_CLOSE   },
    };
    for (size_t i = 0; i < COUNT(symbols); i++)
        if (str_starts_with(str_skip(scan->text, scan->at), symbols[i].text)) {
            scan->at += symbols[i].text.len;
            return symbols[i].token;
        }
    scan->problem = "unexpected character";
    return TOKEN_BAD;
}

/*
 * Scans one token. A dot before a digit begins a number only where an operand is expected;
 * elsewhere it is a member access.
 */
static enum token scan_token(struct scan *scan)
{
    size_t prefix;
    bool is_raw;
    skip_space(scan);
    scan->start = scan->at;
    if (scan->at == scan->text.len)
        return TOKEN_END;
    if (is_string_ahead(scan, &prefix, &is_raw)) {
        scan->at += prefix;
        return scan_string(scan, is_raw);
    }
    if (is_letter(peek(scan, 0)))
        return scan_name(scan);
    if (peek(scan, 0) == '`')
        return scan_quoted_name(scan);
    if (ascii_is_digit(peek(scan, 0)) || (peek(scan, 0) == '.' && ascii_is_digit(peek(scan, 1))))
        return scan->wants_operand || peek(scan, 0) != '.' ? scan_number(scan) : scan_symbol(scan);
    return scan_symbol(scan);
}

static void next_token(struct scan *scan)
{
    scan->before = scan->token;
    scan->token = scan_token(scan);
}

/* Records the problem; returns false so that callers can return the result. */
static bool fail_scan(struct scan *scan, const char *problem)
{
    scan->problem = problem;
    return false;
}

static bool push_bracket(struct scan *scan, char bracket)
{
    if (scan->depth == CEL_SYNTAX_DEPTH_MAX)
        return fail_scan(scan, "expression is nested too deeply");
    scan->open[scan->depth++] = bracket;
    scan->wants_operand = true;
    return true;
}

static char top_bracket(const struct scan *scan)
{
    return scan->depth > 0 ? scan->open[scan->depth - 1] : '\0';
}

/* A bracket cannot close across an open "?": the conditional would lack its ":". */
static bool close_bracket(struct scan *scan)
{
    const char closing = scan->text.ptr[scan->start];
    const char opening = closing == ')' ? '(' : closing == ']' ? '[' : '{';
    if (top_bracket(scan) != opening)
        return fail_scan(scan, "mismatched bracket");
    scan->depth--;
    scan->wants_operand = false;
    return true;
}

/* Takes the field name behind a dot; ".?name" is the access to an optional field. */
static bool take_member(struct scan *scan)
{
    next_token(scan);
    if (scan->token == TOKEN_QUESTION)
        next_token(scan);
    if (scan->token != TOKEN_NAME)
        return scan->token != TOKEN_BAD && fail_scan(scan, "a name is expected behind '.'");
    scan->wants_operand = false;
    return true;
}

/*
 * Takes a token where an operand is expected. Right behind an opening bracket or a comma a closing
 * bracket (an empty list, a trailing comma) and the "?" of an optional element are fine too.
 */
static bool take_operand(struct scan *scan)
{
    const bool is_front = scan->before == TOKEN_OPEN || scan->before == TOKEN_COMMA;
    switch (scan->token) {
    case TOKEN_OPERAND:
    case TOKEN_NAME:
        scan->wants_operand = false;
        return true;
    case TOKEN_MINUS:
    case TOKEN_NOT:
        return true;
    case TOKEN_OPEN:
        return push_bracket(scan, scan->text.ptr[scan->start]);
    case TOKEN_DOT:
        return take_member(scan);
    case TOKEN_QUESTION:
        return is_front && top_bracket(scan) != '(' ? true
                                                    : fail_scan(scan, "an operand is expected");
    case TOKEN_CLOSE:
        return is_front ? close_bracket(scan) : fail_scan(scan, "an operand is expected");
    default:
        return fail_scan(scan, "an operand is expected");
    }
}

/* A colon ends the middle part of a conditional, or separates a key from its value in a map. */
static bool take_colon(struct scan *scan)
{
    if (top_bracket(scan) == '?')
        scan->depth--;
    else if (top_bracket(scan) != '{')
        return fail_scan(scan, "unexpected ':'");
    scan->wants_operand = true;
    return true;
}

/*
 * Takes a token behind an operand. "[" is an index; "(" and "{" need a name before them, for a call
 * or a message.
 */
static bool take_operator(struct scan *scan)
{
    const char c = scan->text.ptr[scan->start];
    switch (scan->token) {
    case TOKEN_BINARY:
    case TOKEN_MINUS:
        scan->wants_operand = true;
        return true;
    case TOKEN_QUESTION:
        return push_bracket(scan, '?');
    case TOKEN_COLON:
        return take_colon(scan);
    case TOKEN_DOT:
        return take_member(scan);
    case TOKEN_COMMA:
        scan->wants_operand = true;
        return top_bracket(scan) != '\0' && top_bracket(scan) != '?'
                   ? true
                   : fail_scan(scan, "unexpected ','");
    case TOKEN_OPEN:
        return c == '[' || scan->before == TOKEN_NAME ? push_bracket(scan, c)
                                                      : fail_scan(scan, "an operator is expected");
    case TOKEN_CLOSE:
        return close_bracket(scan);
    default:
        return fail_scan(scan, "an operator is expected");
    }
}

static bool check_tokens(struct scan *scan)
{
    for (;;) {
        next_token(scan);
        if (scan->token == TOKEN_BAD)
            return false;
        if (scan->token == TOKEN_END)
            break;
        if (!(scan->wants_operand ? take_operand(scan) : take_operator(scan)))
            return false;
    }
    if (scan->wants_operand)
        return fail_scan(scan, "unexpected end, an operand is expected");
    return scan->depth == 0 || fail_scan(scan, "unexpected end, a bracket is open");
}

/* Line and column of an error are those of the first character of the token. */
bool cel_syntax_check(struct str text, struct cel_syntax_error *ret_error)
{
    struct scan scan = {.text = text, .wants_operand = true, .before = TOKEN_END};
    if (check_tokens(&scan))
        return true;
    *ret_error = (struct cel_syntax_error){.line = 1, .column = 1, .message = scan.problem};
    for (size_t i = 0; i < scan.start && i < text.len; i++) {
        ret_error->column = text.ptr[i] == '\n' ? 1 : ret_error->column + 1;
        ret_error->line += text.ptr[i] == '\n';
    }
    return false;
}
