/*
 * Values as Go prints them with %v, for error messages that clients compare.
 *
 * The value is written as canonical JSON and translated token by token: no recursion, and the
 * members come out sorted as Go sorts the keys of a map.
 */
#include "apiserver/strategicpatch/strategic_print.h"

#include <stdio.h>
#include <stdlib.h>

#include "json/compare.h"

static const char *const kind_names[] = {
    [GO_KIND_NIL] = "%!s(<nil>)",
    [GO_KIND_BOOL] = "bool",
    [GO_KIND_INT] = "int64",
    [GO_KIND_FLOAT] = "float64",
    [GO_KIND_STRING] = "string",
    [GO_KIND_SLICE] = "[]interface {}",
    [GO_KIND_MAP] = "map[string]interface {}",
};

const char *go_kind_name(enum go_kind kind)
{
    return kind_names[kind];
}

/* A number is an integer when its text is one and fits: 80.0 is not. */
static enum go_kind number_type(const struct json_value *value)
{
    int64_t number;
    SCOPED(buf) text = {.limit = 0};
    if (!json_to_int64(value, &number))
        return GO_KIND_FLOAT;
    json_write_with(&text, value, JSON_WRITE_NUMBERS_AS_READ);
    return str_to_int64(buf_str(&text), &number) ? GO_KIND_INT : GO_KIND_FLOAT;
}

/* What encoding/json makes of a value: whole numbers are int64, all others float64. */
enum go_kind go_kind(const struct json_value *value)
{
    switch (json_type(value)) {
    case JSON_ABSENT:
    case JSON_NULL:
        return GO_KIND_NIL;
    case JSON_BOOL:
        return GO_KIND_BOOL;
    case JSON_NUMBER:
        return number_type(value);
    case JSON_STRING:
        return GO_KIND_STRING;
    case JSON_ARRAY:
        return GO_KIND_SLICE;
    case JSON_OBJECT:
        return GO_KIND_MAP;
    }
    return GO_KIND_NIL;
}

enum go_kind go_kind_of_node(const struct merge_node *node)
{
    if (!node->opened)
        return go_kind(node->value);
    return node->type == JSON_OBJECT ? GO_KIND_MAP : GO_KIND_SLICE;
}

/*
 * Go's == on interface values: the dynamic types must be the same, so that 1 and 1.0 differ.
 * Strings are compared first because nearly all merge keys are strings.
 */
bool go_equal(const struct json_value *a, const struct json_value *b)
{
    if (json_type(a) == JSON_STRING && json_type(b) == JSON_STRING)
        return str_eq(json_to_str(a), json_to_str(b));
    const enum go_kind type = go_kind(a);
    if (type == GO_KIND_SLICE || type == GO_KIND_MAP || type != go_kind(b))
        return false;
    return type == GO_KIND_NIL || json_equal(a, b);
}

/*
 * The shortest digits that read as the same number; an exponent from 1e+06 on. The C library's %g
 * chooses between the forms by precision, so beyond six digits the form is chosen here.
 */
static void print_float(struct buf *out, double number)
{
    char text[64];
    int digits = 1;
    for (; digits < 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*e", digits - 1, number);
        if (strtod(text, NULL) == number)
            break;
    }
    (void)snprintf(text, sizeof(text), "%.*e", digits - 1, number);
    const char *e = strchr(text, 'e');
    const long exponent = e ? strtol(e + 1, NULL, 10) : 0;
    if (digits <= 6 || exponent < 6)
        (void)snprintf(text, sizeof(text), "%.*g", digits > 6 ? digits : 6, number);
    buf_add(out, str_from_c(text));
}

/* One token. Strings lose their quotes, null is <nil>, floats get the form of %v. */
static void print_scalar(struct buf *out, struct str token)
{
    int64_t whole;
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(token, &doc);
    const struct json_value *value = json_doc_root(doc);
    double number;
    if (err)
        return;
    if (json_type(value) == JSON_STRING)
        buf_add(out, json_to_str(value));
    else if (json_type(value) == JSON_NULL)
        buf_add(out, STR("<nil>"));
    else if (!str_to_int64(token, &whole) && json_to_double(value, &number))
        print_float(out, number);
    else
        buf_add(out, token);
}

/* The length of the scalar or string at the front of JSON text. */
static size_t scalar_len(struct str text)
{
    size_t i = 1;
    if (text.ptr[0] != '"') {
        while (i < text.len && !strchr(",]}", text.ptr[i]))
            i++;
        return i;
    }
    for (; i < text.len && text.ptr[i] != '"'; i++)
        if (text.ptr[i] == '\\')
            i++;
    return i < text.len ? i + 1 : text.len;
}

/* Token by token from sorted JSON text: no value is too deep for that. */
static void print_text(struct buf *out, struct str text)
{
    while (text.len > 0 && !out->overflowed) {
        const char *const signs = "{}[],:", *sign = strchr(signs, text.ptr[0]);
        static const char *const words[] = {"map[", "]", "[", "]", " ", ":"};
        if (sign && *sign) {
            buf_add(out, str_from_c(words[sign - signs]));
            text = str_skip(text, 1);
            continue;
        }
        const size_t len = scalar_len(text);
        print_scalar(out, str_slice(text, 0, len));
        text = str_skip(text, len);
    }
}

void strategic_print(struct buf *out, const struct json_value *value)
{
    SCOPED(buf) text = {.limit = STRATEGIC_PRINT_MAX};
    json_write_canonical_exact(&text, value);
    if (!text.overflowed)
        print_text(out, buf_str(&text));
    else
        buf_add(out, STR("..."));
}

void strategic_print_node(struct buf *out, const struct merge_node *node)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    merge_tree_write(node, &builder);
    OWNED(error) err = json_builder_finish(&builder, &doc);
    if (!err)
        strategic_print(out, json_doc_root(doc));
}
