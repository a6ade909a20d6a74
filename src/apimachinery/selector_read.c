/*
 * The text form of label selectors:
 *
 *     selector    = [requirement {"," requirement}]
 *     requirement = ["!"] key | key ("=" | "==" | "!=" | ">" | "<") [value]
 *                 | key ("in" | "notin") "(" [value] {"," [value]} ")"
 *
 * "in" and "notin" are operators only where an operator is expected. Unlike upstream, a NUL byte
 * does not end the text: it counts as part of a word, which is then refused.
 */
#include "apimachinery/selector_internal.h"
#include "base/array.h"

enum token {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_IN,
    TOKEN_NOT_IN,
    TOKEN_EQUALS,
    TOKEN_DOUBLE_EQUALS,
    TOKEN_NOT_EQUALS,
    TOKEN_GREATER,
    TOKEN_LESS,
    TOKEN_NOT,
    TOKEN_COMMA,
    TOKEN_OPEN,
    TOKEN_CLOSE,
};

/* Symbols, the longer ones first. */
static const struct {
    struct str text;
    enum token token;
} symbols[] = {
    {STR_INIT("=="), TOKEN_DOUBLE_EQUALS},
    {STR_INIT("!="), TOKEN_NOT_EQUALS   },
    {STR_INIT("="),  TOKEN_EQUALS       },
    {STR_INIT("!"),  TOKEN_NOT          },
    {STR_INIT(">"),  TOKEN_GREATER      },
    {STR_INIT("<"),  TOKEN_LESS         },
    {STR_INIT(","),  TOKEN_COMMA        },
    {STR_INIT("("),  TOKEN_OPEN         },
    {STR_INIT(")"),  TOKEN_CLOSE        },
};

/* Where an operator is expected, "in" and "notin" are such; elsewhere they are words. */
enum context {
    EXPECT_WORD,
    EXPECT_OPERATOR,
};

struct reader {
    struct arena *arena;
    struct str rest;
    struct requirement *items;
    size_t count, capacity;
    struct str *values; /* of the requirement at work */
    size_t value_count, value_capacity;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_symbol(char c)
{
    return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

static enum token word_token(struct str word, enum context context)
{
    if (context == EXPECT_OPERATOR && str_eq(word, STR("in")))
        return TOKEN_IN;
    if (context == EXPECT_OPERATOR && str_eq(word, STR("notin")))
        return TOKEN_NOT_IN;
    return TOKEN_WORD;
}

/* The next token and its text, which the reader is moved behind. */
static enum token consume_token(struct reader *reader, enum context context, struct str *ret_text)
{
    struct str rest = reader->rest;
    while (rest.len && is_blank(rest.ptr[0]))
        rest = str_skip(rest, 1);
    *ret_text = STR("");
    reader->rest = rest;
    if (rest.len == 0)
        return TOKEN_END;
    for (size_t i = 0; i < COUNT(symbols); i++)
        if (str_starts_with(rest, symbols[i].text)) {
            *ret_text = symbols[i].text;
            reader->rest = str_skip(rest, symbols[i].text.len);
            return symbols[i].token;
        }
    size_t len = 0;
    while (len < rest.len && !is_blank(rest.ptr[len]) && !is_symbol(rest.ptr[len]))
        len++;
    *ret_text = str_slice(rest, 0, len);
    reader->rest = str_skip(rest, len);
    return word_token(*ret_text, context);
}

static enum token look_ahead(struct reader *reader, struct str *ret_text)
{
    const struct str rest = reader->rest;
    const enum token token = consume_token(reader, EXPECT_WORD, ret_text);
    reader->rest = rest;
    return token;
}

static struct error *unexpected_token(struct str text, const char *expected)
{
    return error_new(ERROR_BAD_REQUEST, "found '%.*s', expected: %s", STR_ARG(text), expected);
}

static void add_value(struct reader *reader, struct str value)
{
    ARENA_ARRAY_PUSH(reader->arena, reader->values, reader->value_count, reader->value_capacity,
                     value);
}

/* Values of a query are a set: written in order, each once. */
static void dedupe_values(struct reader *reader)
{
    size_t kept = 0;
    if (reader->value_count)
        qsort(reader->values, reader->value_count, sizeof(struct str), selector_cmp_str);
    for (size_t i = 0; i < reader->value_count; i++)
        if (kept == 0 || !str_eq(reader->values[kept - 1], reader->values[i]))
            reader->values[kept++] = reader->values[i];
    reader->value_count = kept;
}

/* A value between commas may be missing; it is then the empty string. */
static struct error *read_value_list(struct reader *reader)
{
    struct str text;
    bool wants_value = true;
    for (;;) {
        const enum token token = consume_token(reader, EXPECT_WORD, &text);
        if (token == TOKEN_WORD && !wants_value)
            return unexpected_token(text, "',' or ')'");
        if (token != TOKEN_WORD && token != TOKEN_COMMA && token != TOKEN_CLOSE)
            return unexpected_token(text, wants_value ? "',', or identifier" : "',' or ')'");
        if (token == TOKEN_WORD)
            add_value(reader, text);
        else if (wants_value)
            add_value(reader, STR(""));
        wants_value = token == TOKEN_COMMA;
        if (token == TOKEN_CLOSE)
            return NULL;
    }
}

static struct error *read_values(struct reader *reader)
{
    struct str text;
    if (consume_token(reader, EXPECT_WORD, &text) != TOKEN_OPEN)
        return error_new(ERROR_BAD_REQUEST, "found '%.*s' expected: '('", STR_ARG(text));
    const enum token token = look_ahead(reader, &text);
    if (token != TOKEN_WORD && token != TOKEN_COMMA && token != TOKEN_CLOSE)
        return unexpected_token(text, "',', ')' or identifier");
    return read_value_list(reader);
}

static struct error *read_exact_value(struct reader *reader)
{
    struct str text;
    const enum token next = look_ahead(reader, &text);
    if (next == TOKEN_END || next == TOKEN_COMMA) {
        add_value(reader, STR(""));
        return NULL;
    }
    if (consume_token(reader, EXPECT_WORD, &text) != TOKEN_WORD)
        return unexpected_token(text, "identifier");
    add_value(reader, text);
    return NULL;
}

static struct error *read_operator(struct reader *reader, enum selector_operator *ret_operator)
{
    static const struct {
        enum token token;
        enum selector_operator op;
    } table[] = {
        {TOKEN_IN,            SELECTOR_IN           },
        {TOKEN_NOT_IN,        SELECTOR_NOT_IN       },
        {TOKEN_EQUALS,        SELECTOR_EQUALS       },
        {TOKEN_DOUBLE_EQUALS, SELECTOR_DOUBLE_EQUALS},
        {TOKEN_NOT_EQUALS,    SELECTOR_NOT_EQUALS   },
        {TOKEN_GREATER,       SELECTOR_GREATER_THAN },
        {TOKEN_LESS,          SELECTOR_LESS_THAN    },
    };
    struct str text;
    const enum token token = consume_token(reader, EXPECT_OPERATOR, &text);
    for (size_t i = 0; i < COUNT(table); i++)
        if (table[i].token == token) {
            *ret_operator = table[i].op;
            return NULL;
        }
    return unexpected_token(text, "in, notin, =, ==, !=, gt, lt");
}

/* The key, and whether nothing but its presence or absence is asked for. */
static struct error *read_key(struct reader *reader, struct requirement *wanted,
                              bool *ret_has_operator)
{
    struct str text;
    enum token token = consume_token(reader, EXPECT_WORD, &text);
    const bool negated = token == TOKEN_NOT;
    if (negated)
        token = consume_token(reader, EXPECT_WORD, &text);
    if (token != TOKEN_WORD)
        return unexpected_token(text, "identifier");
    TRY(requirement_check_key(text));
    wanted->key = text;
    wanted->op = negated ? SELECTOR_DOES_NOT_EXIST : SELECTOR_EXISTS;
    const enum token next = look_ahead(reader, &text);
    *ret_has_operator = !negated && next != TOKEN_END && next != TOKEN_COMMA;
    return NULL;
}

static struct error *read_requirement(struct reader *reader)
{
    struct requirement wanted = {.count = 0};
    bool has_operator = false;
    reader->value_count = 0;
    TRY(read_key(reader, &wanted, &has_operator));
    if (has_operator) {
        TRY(read_operator(reader, &wanted.op));
        const bool is_set = wanted.op == SELECTOR_IN || wanted.op == SELECTOR_NOT_IN;
        TRY(is_set ? read_values(reader) : read_exact_value(reader));
    }
    dedupe_values(reader);
    wanted.values = reader->values;
    wanted.count = reader->value_count;
    ARENA_ARRAY_GROW(reader->arena, reader->items, reader->count, reader->capacity);
    TRY(requirement_make(reader->arena, ERROR_BAD_REQUEST, &wanted, &reader->items[reader->count]));
    reader->count++;
    return NULL;
}

static struct error *read_all(struct reader *reader)
{
    struct str text;
    enum token token = look_ahead(reader, &text);
    if (token == TOKEN_END)
        return NULL;
    if (token != TOKEN_WORD && token != TOKEN_NOT)
        return unexpected_token(text, "!, identifier, or 'end of string'");
    for (;;) {
        TRY(read_requirement(reader), "unable to parse requirement");
        token = consume_token(reader, EXPECT_WORD, &text);
        if (token == TOKEN_END)
            return NULL;
        if (token != TOKEN_COMMA)
            return unexpected_token(text, "',' or 'end of string'");
        token = look_ahead(reader, &text);
        if (token != TOKEN_WORD && token != TOKEN_NOT)
            return unexpected_token(text, "identifier after ','");
    }
}

struct error *selector_read(struct arena *arena, struct str text, struct selector *ret_selector)
{
    struct reader reader = {.arena = arena, .rest = text};
    TRY(read_all(&reader));
    struct selector selector = {.items = reader.items, .count = reader.count};
    selector_sort(arena, &selector);
    *ret_selector = selector;
    return arena_check(arena);
}
