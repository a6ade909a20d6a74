/*
 * A state machine over bytes. Between values, step_outline() takes one byte; inside of a value,
 * take_value() takes bytes until brackets and quotes are balanced.
 */
#include "fleet/list_scanner.h"

void list_scanner_done(struct list_scanner *scanner)
{
    buf_done(&scanner->value);
}

static struct error *malformed(void)
{
    return error_new(ERROR_PARSE, "the answer is not a list in JSON");
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_element_state(enum list_scanner_state state)
{
    return state == LIST_SCANNER_FIRST_ELEMENT || state == LIST_SCANNER_ELEMENT;
}

static struct str key_of(const struct list_scanner *scanner)
{
    return str_from(scanner->key, scanner->key_len);
}

static bool has_elements(struct str key)
{
    return str_eq(key, STR("items")) || str_eq(key, STR("rows"));
}

/* The value is whole. The state tells whether it was a member or an element. */
static struct error *end_value(struct list_scanner *scanner)
{
    const struct str value = buf_str(&scanner->value);
    struct error *err;
    scanner->is_inside = false;
    if (is_element_state(scanner->state)) {
        scanner->state = LIST_SCANNER_AFTER_ELEMENT;
        err = scanner->ops->element(scanner->data, value);
    } else {
        scanner->state = LIST_SCANNER_AFTER_VALUE;
        err = scanner->ops->member(scanner->data, key_of(scanner), value);
    }
    buf_clear(&scanner->value);
    return err;
}

static struct error *open_bracket(struct list_scanner *scanner)
{
    if (++scanner->depth > LIST_SCANNER_DEPTH_MAX)
        return error_new(ERROR_TOO_LARGE, "the answer is nested deeper than %d levels",
                         LIST_SCANNER_DEPTH_MAX);
    return NULL;
}

/* Inside of a value that is no scalar; *ret_ends after its last byte. */
static struct error *track_byte(struct list_scanner *scanner, char c, bool *ret_ends)
{
    *ret_ends = false;
    if (scanner->is_string) {
        const bool was_escaped = scanner->is_escaped;
        scanner->is_escaped = c == '\\' && !was_escaped;
        scanner->is_string = was_escaped || c != '"';
        *ret_ends = !scanner->is_string && scanner->depth == 0;
        return NULL;
    }
    if (c == '"')
        scanner->is_string = true;
    else if (c == '{' || c == '[')
        return open_bracket(scanner);
    else if (c == '}' || c == ']')
        *ret_ends = --scanner->depth == 0;
    return NULL;
}

static bool ends_scalar(char c)
{
    return c == ',' || c == '}' || c == ']' || is_space(c);
}

/* Takes bytes of the value, as many as belong to it, and returns how many these were. */
static struct error *take_value(struct list_scanner *scanner, struct str bytes, size_t *ret_taken)
{
    size_t i = 0;
    bool ends = false;
    if (scanner->is_scalar) {
        while (i < bytes.len && !ends_scalar(bytes.ptr[i]))
            i++;
        ends = i < bytes.len;
    } else {
        while (i < bytes.len && !ends)
            TRY(track_byte(scanner, bytes.ptr[i++], &ends));
    }
    *ret_taken = i;
    if (scanner->value.len + i > LIST_SCANNER_VALUE_MAX)
        return error_new(ERROR_TOO_LARGE, "an item of the answer is larger than %zu bytes",
                         LIST_SCANNER_VALUE_MAX);
    buf_add(&scanner->value, str_slice(bytes, 0, i));
    return ends ? end_value(scanner) : NULL;
}

static void begin_value(struct list_scanner *scanner, char c)
{
    scanner->is_inside = true;
    scanner->is_scalar = c != '{' && c != '[' && c != '"';
    scanner->is_string = scanner->is_escaped = false;
    scanner->depth = 0;
    scanner->value.limit = LIST_SCANNER_VALUE_MAX + 1;
}

/* Names with escapes are none that matter here. */
static void take_key_byte(struct list_scanner *scanner, char c)
{
    if (!scanner->is_escaped && c == '"') {
        scanner->state = LIST_SCANNER_COLON;
        return;
    }
    scanner->is_escaped = c == '\\' && !scanner->is_escaped;
    if (scanner->key_len < sizeof(scanner->key))
        scanner->key[scanner->key_len++] = c;
}

/* A byte that begins a value is not used up, so that the value contains it. */
static struct error *step_value(struct list_scanner *scanner, char c, bool *ret_used)
{
    if (scanner->state == LIST_SCANNER_VALUE && c == '[' && has_elements(key_of(scanner))) {
        scanner->state = LIST_SCANNER_FIRST_ELEMENT;
    } else if (scanner->state == LIST_SCANNER_FIRST_ELEMENT && c == ']') {
        scanner->state = LIST_SCANNER_AFTER_VALUE;
    } else if (ends_scalar(c)) {
        return malformed();
    } else {
        begin_value(scanner, c);
        *ret_used = false;
    }
    return NULL;
}

static struct error *step_separator(struct list_scanner *scanner, char c)
{
    static const struct {
        enum list_scanner_state from;
        char byte;
        enum list_scanner_state to;
    } rows[] = {
        {LIST_SCANNER_START,         '{', LIST_SCANNER_FIRST_KEY  },
        {LIST_SCANNER_FIRST_KEY,     '}', LIST_SCANNER_DONE       },
        {LIST_SCANNER_FIRST_KEY,     '"', LIST_SCANNER_IN_KEY     },
        {LIST_SCANNER_KEY,           '"', LIST_SCANNER_IN_KEY     },
        {LIST_SCANNER_COLON,         ':', LIST_SCANNER_VALUE      },
        {LIST_SCANNER_AFTER_VALUE,   ',', LIST_SCANNER_KEY        },
        {LIST_SCANNER_AFTER_VALUE,   '}', LIST_SCANNER_DONE       },
        {LIST_SCANNER_AFTER_ELEMENT, ',', LIST_SCANNER_ELEMENT    },
        {LIST_SCANNER_AFTER_ELEMENT, ']', LIST_SCANNER_AFTER_VALUE},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].from == scanner->state && rows[i].byte == c) {
            scanner->state = rows[i].to;
            scanner->is_escaped = false;
            if (scanner->state == LIST_SCANNER_IN_KEY)
                scanner->key_len = 0;
            return NULL;
        }
    return malformed();
}

static struct error *step_outline(struct list_scanner *scanner, char c, bool *ret_used)
{
    *ret_used = true;
    if (scanner->state == LIST_SCANNER_IN_KEY) {
        take_key_byte(scanner, c);
        return NULL;
    }
    if (is_space(c))
        return NULL;
    if (scanner->state == LIST_SCANNER_VALUE || is_element_state(scanner->state))
        return step_value(scanner, c, ret_used);
    return step_separator(scanner, c);
}

struct error *list_scanner_feed(struct list_scanner *scanner, struct str bytes)
{
    while (bytes.len) {
        size_t taken = 1;
        if (scanner->is_inside) {
            TRY(take_value(scanner, bytes, &taken));
        } else {
            bool is_used;
            TRY(step_outline(scanner, bytes.ptr[0], &is_used));
            taken = is_used;
        }
        bytes = str_skip(bytes, taken);
    }
    return NULL;
}

struct error *list_scanner_end(const struct list_scanner *scanner)
{
    return scanner->state == LIST_SCANNER_DONE ? NULL : malformed();
}
