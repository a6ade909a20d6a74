#include "apimachinery/field_selector.h"

#include "json/path.h"

static bool is_special(char c)
{
    return c == '\\' || c == ',' || c == '=';
}

/* The next term off the front; a comma behind a backslash does not end it. False at the end. */
static bool next_term(struct str *rest, struct str *ret_term)
{
    size_t len = 0;
    if (!rest->ptr)
        return false;
    while (len < rest->len && rest->ptr[len] != ',')
        len += rest->ptr[len] == '\\' && len + 1 < rest->len ? 2 : 1;
    *ret_term = str_slice(*rest, 0, len);
    *rest = len < rest->len ? str_skip(*rest, len + 1) : (struct str){NULL, 0};
    return true;
}

/* Field, operator and value, at the first operator. */
static bool split_term(struct str term, struct field_term *ret_term)
{
    for (size_t i = 0; i < term.len; i++) {
        const struct str rest = str_skip(term, i);
        const bool negated = str_starts_with(rest, STR("!="));
        if (!negated && rest.ptr[0] != '=')
            continue;
        const size_t len = negated || str_starts_with(rest, STR("==")) ? 2 : 1;
        *ret_term = (struct field_term){str_slice(term, 0, i), str_skip(rest, len), negated};
        return true;
    }
    return false;
}

static struct error *unescape(struct arena *arena, struct str text, struct str *ret_text)
{
    char *out = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '\\') {
            i++;
            const struct str sequence = str_slice(text, i - 1, i + 1);
            if (i == text.len || !is_special(text.ptr[i]))
                return error_new(ERROR_BAD_REQUEST,
                                 "invalid field selector: invalid escape sequence: %.*s",
                                 STR_ARG(sequence));
        } else if (is_special(c)) {
            /* Upstream shows the character's number, and so do we. */
            return error_new(ERROR_BAD_REQUEST,
                             "invalid field selector: unescaped character in value: %d", c);
        }
        out[len++] = text.ptr[i];
    }
    *ret_text = str_from(out, len);
    return NULL;
}

static void write_term(struct buf *out, const struct field_term *term)
{
    buf_add(out, term->field);
    buf_add(out, term->negated ? STR("!=") : STR("="));
    for (size_t i = 0; i < term->value.len; i++) {
        if (is_special(term->value.ptr[i]))
            buf_add_char(out, '\\');
        buf_add_char(out, term->value.ptr[i]);
    }
}

/* By the text that write_term() gives, less its backslashes: "!" sorts in front of "=". */
static int cmp_term(const void *a, const void *b)
{
    const struct field_term *left = a, *right = b;
    const int by_field = str_cmp(left->field, right->field);
    if (by_field)
        return by_field;
    if (left->negated != right->negated)
        return left->negated ? -1 : 1;
    return str_cmp(left->value, right->value);
}

static size_t count_commas(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ',';
    return count;
}

struct error *field_selector_read(struct arena *arena, struct str text,
                                  struct field_selector *ret_selector)
{
    struct str rest = text, part;
    struct field_selector selector = {.count = 0};
    selector.items = arena_alloc_array(arena, count_commas(text) + 1, sizeof(struct field_term));
    TRY(arena_check(arena), "read field selector");
    while (next_term(&rest, &part)) {
        struct field_term term;
        if (part.len == 0)
            continue;
        if (!split_term(part, &term))
            return error_new(ERROR_BAD_REQUEST, "invalid selector: '%.*s'; can't understand '%.*s'",
                             STR_ARG(text), STR_ARG(part));
        TRY(unescape(arena, term.value, &term.value));
        term.field = arena_str(arena, term.field);
        selector.items[selector.count++] = term;
    }
    if (selector.count)
        qsort(selector.items, selector.count, sizeof(struct field_term), cmp_term);
    *ret_selector = selector;
    return arena_check(arena);
}

void field_selector_write(struct buf *out, const struct field_selector *selector)
{
    for (size_t i = 0; i < selector->count; i++) {
        buf_add(out, i ? STR(",") : STR(""));
        write_term(out, &selector->items[i]);
    }
}

static const struct field_label *find_label(struct str field, const struct field_label *labels,
                                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(labels[i].label, field))
            return &labels[i];
    return NULL;
}

struct error *field_selector_check(const struct field_selector *selector,
                                   const struct field_label *labels, size_t count)
{
    for (size_t i = 0; i < selector->count; i++)
        if (!find_label(selector->items[i].field, labels, count))
            return error_new(ERROR_BAD_REQUEST, "field label not supported: %.*s",
                             STR_ARG(selector->items[i].field));
    return NULL;
}

/* Numbers and booleans, which custom resources may select by, are compared by their JSON text. */
static bool has_value(const struct json_value *value, struct str expected)
{
    const enum json_type type = json_type(value);
    if (type != JSON_NUMBER && type != JSON_BOOL)
        return str_eq(json_to_str(value), expected);
    SCOPED(buf) text = {.limit = 0};
    json_write(&text, value);
    return str_eq(buf_str(&text), expected);
}

bool field_selector_matches(const struct field_selector *selector, const struct field_label *labels,
                            size_t count, const struct json_value *object)
{
    for (size_t i = 0; i < selector->count; i++) {
        const struct field_term *term = &selector->items[i];
        const struct field_label *label = find_label(term->field, labels, count);
        const struct json_value *value = label ? json_path(object, label->path) : NULL;
        if (has_value(value, term->value) == term->negated)
            return false;
    }
    return true;
}

bool field_selector_find_exact(const struct field_selector *selector, struct str field,
                               struct str *ret_value)
{
    for (size_t i = 0; i < selector->count; i++)
        if (!selector->items[i].negated && str_eq(selector->items[i].field, field)) {
            *ret_value = selector->items[i].value;
            return true;
        }
    return false;
}
