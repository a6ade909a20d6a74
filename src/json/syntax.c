/*
 * A scanner with the states and messages of Go's encoding/json (scanner.go). It builds nothing: it
 * only finds the first byte that Go would refuse, and the reason.
 *
 * The scanner goes from token to token. expect says which tokens may follow, and open is a stack of
 * the brackets that are still open. A scan_*() function returns false once it has reported an
 * error.
 */
#include "json/syntax.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "json/json.h"

enum expect {
    VALUE,
    VALUE_OR_END, /* behind [ */
    KEY,
    KEY_OR_END, /* behind { */
    COLON,
    COMMA_OR_END, /* behind a value */
};

struct scanner {
    struct str text;
    size_t pos;
    char *open; /* one bracket per level */
    size_t depth;
    enum expect expect;
    struct syntax_error *error;
};

PRINTF_LIKE(2, 3) static bool fail_scan(struct scanner *scanner, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(scanner->error->message, sizeof(scanner->error->message), format, args);
    va_end(args);
    scanner->error->offset = scanner->pos;
    return false;
}

static bool at_end(const struct scanner *scanner)
{
    return scanner->pos == scanner->text.len;
}

/* NUL at the end of the text; at_end() distinguishes it from a NUL in the text. */
static unsigned char peek(const struct scanner *scanner)
{
    return at_end(scanner) ? 0 : (unsigned char)scanner->text.ptr[scanner->pos];
}

/* Go's quoteChar(): the byte is taken as a Latin-1 character and quoted like a rune. */
static void quote_char(unsigned char c, char out[static 16])
{
    static const char named[][2] = {
        {'\a', 'a' },
        {'\b', 'b' },
        {'\f', 'f' },
        {'\n', 'n' },
        {'\r', 'r' },
        {'\t', 't' },
        {'\v', 'v' },
        {'\'', '\''},
        {'\\', '\\'},
    };
    for (size_t i = 0; i < COUNT(named); i++)
        if (c == (unsigned char)named[i][0]) {
            snprintf(out, 16, "'\\%c'", named[i][1]);
            return;
        }
    if (c < 0x20 || c == 0x7f)
        snprintf(out, 16, "'\\x%02x'", c);
    else if (c < 0x7f)
        snprintf(out, 16, "'%c'", c);
    else if (c <= 0xa0 || c == 0xad)
        snprintf(out, 16, "'\\u%04x'", c);
    else
        snprintf(out, 16, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

/* Go's message for a byte that does not fit, or for the end of the text. */
static bool fail_unexpected(struct scanner *scanner, const char *where)
{
    if (at_end(scanner))
        return fail_scan(scanner, "unexpected end of JSON input");
    char shown[16];
    quote_char(peek(scanner), shown);
    return fail_scan(scanner, "invalid character %s %s", shown, where);
}

/* \u needs four hexadecimal digits; surrogates are not checked, as in Go. */
static bool scan_escape(struct scanner *scanner)
{
    scanner->pos++;
    const unsigned char c = peek(scanner);
    if (at_end(scanner) || !memchr("\"\\/bfnrtu", c, 9))
        return fail_unexpected(scanner, "in string escape code");
    scanner->pos++;
    for (int i = 0; c == 'u' && i < 4; i++, scanner->pos++)
        if (!ascii_is_hex((char)peek(scanner)))
            return fail_unexpected(scanner, "in \\u hexadecimal character escape");
    return true;
}

static bool scan_string(struct scanner *scanner)
{
    scanner->pos++;
    while (peek(scanner) != '"') {
        if (at_end(scanner) || peek(scanner) < 0x20)
            return fail_unexpected(scanner, "in string literal");
        if (peek(scanner) != '\\')
            scanner->pos++;
        else if (!scan_escape(scanner))
            return false;
    }
    scanner->pos++;
    return true;
}

static bool scan_digits(struct scanner *scanner, const char *where)
{
    if (!ascii_is_digit((char)peek(scanner)))
        return fail_unexpected(scanner, where);
    while (ascii_is_digit((char)peek(scanner)))
        scanner->pos++;
    return true;
}

/* The states of a number in Go's scanner, with a message for each. */
static bool scan_number(struct scanner *scanner)
{
    if (peek(scanner) == '-')
        scanner->pos++;
    if (peek(scanner) == '0')
        scanner->pos++; /* nothing follows a leading zero */
    else if (!scan_digits(scanner, "in numeric literal"))
        return false;
    if (peek(scanner) == '.') {
        scanner->pos++;
        if (!scan_digits(scanner, "after decimal point in numeric literal"))
            return false;
    }
    if ((peek(scanner) | 0x20) != 'e')
        return true;
    scanner->pos++;
    if (peek(scanner) == '+' || peek(scanner) == '-')
        scanner->pos++;
    return scan_digits(scanner, "in exponent of numeric literal");
}

/* Go reports the byte that it expected instead of the wrong one. */
static bool scan_literal(struct scanner *scanner, const char *literal)
{
    for (const char *c = literal; *c; c++, scanner->pos++)
        if (peek(scanner) != (unsigned char)*c) {
            char where[64];
            snprintf(where, sizeof(where), "in literal %s (expecting '%c')", literal, *c);
            return fail_unexpected(scanner, where);
        }
    return true;
}

static bool scan_open(struct scanner *scanner, char bracket)
{
    if (scanner->depth == JSON_DEPTH_MAX)
        return fail_scan(scanner, "exceeded max depth");
    scanner->open[scanner->depth++] = bracket;
    scanner->pos++;
    scanner->expect = bracket == '{' ? KEY_OR_END : VALUE_OR_END;
    return true;
}

static bool scan_close(struct scanner *scanner)
{
    scanner->depth--;
    scanner->pos++;
    scanner->expect = COMMA_OR_END;
    return true;
}

static bool scan_value(struct scanner *scanner)
{
    const unsigned char c = peek(scanner);
    if (c == '{' || c == '[')
        return scan_open(scanner, (char)c);
    scanner->expect = COMMA_OR_END;
    if (c == '"')
        return scan_string(scanner);
    if (c == '-' || ascii_is_digit((char)c))
        return scan_number(scanner);
    if (c == 't' || c == 'f' || c == 'n')
        return scan_literal(scanner, c == 't' ? "true" : c == 'f' ? "false" : "null");
    return fail_unexpected(scanner, "looking for beginning of value");
}

/* Behind a value: a comma, the end of its container, or the end of the text. */
static bool scan_behind_value(struct scanner *scanner)
{
    if (scanner->depth == 0)
        return fail_unexpected(scanner, "after top-level value");
    const bool object = scanner->open[scanner->depth - 1] == '{';
    const unsigned char c = peek(scanner);
    if (c == (object ? '}' : ']'))
        return scan_close(scanner);
    if (c != ',')
        return fail_unexpected(scanner,
                               object ? "after object key:value pair" : "after array element");
    scanner->pos++;
    scanner->expect = object ? KEY : VALUE;
    return true;
}

/* Scans the token that expect calls for, and sets what may follow it. */
static bool scan_token(struct scanner *scanner)
{
    const unsigned char c = peek(scanner);
    switch (scanner->expect) {
    case VALUE_OR_END:
        return c == ']' ? scan_close(scanner) : scan_value(scanner);
    case VALUE:
        return scan_value(scanner);
    case KEY_OR_END:
    case KEY:
        if (c == '}' && scanner->expect == KEY_OR_END)
            return scan_close(scanner);
        if (c != '"')
            return fail_unexpected(scanner, "looking for beginning of object key string");
        scanner->expect = COLON;
        return scan_string(scanner);
    case COLON:
        if (c != ':')
            return fail_unexpected(scanner, "after object key");
        scanner->pos++;
        scanner->expect = VALUE;
        return true;
    case COMMA_OR_END:
        return scan_behind_value(scanner);
    }
    return true;
}

static void skip_space(struct scanner *scanner)
{
    while (!at_end(scanner) && memchr(" \t\r\n", peek(scanner), 4))
        scanner->pos++;
}

/* The stack of brackets has its final size from the start, since nesting is limited. */
bool syntax_find_error(struct str text, struct syntax_error *ret_error)
{
    OWNED_PTR char *open = mem_alloc(JSON_DEPTH_MAX);
    struct scanner scanner = {.text = text, .open = open, .error = ret_error};
    for (;;) {
        skip_space(&scanner);
        if (at_end(&scanner) && scanner.expect == COMMA_OR_END && scanner.depth == 0)
            return false;
        if (!scan_token(&scanner))
            return true;
    }
}
