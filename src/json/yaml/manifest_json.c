/*
 * JSON inside of manifests: a chunk that consists of JSON objects, and a text that is a JSON array.
 *
 * Numbers get the same form as from YAML: copy_object() copies the text of one object into
 * scope->json with its numbers in their final form, and json_read() parses the copy. When a chunk
 * turns out not to be JSON, manifest_read_objects() returns false and the chunk is read as YAML.
 */
#include <math.h>

#include "base/ascii.h"
#include "json/json.h"
#include "json/yaml/manifest_internal.h"

/* Integers up to this magnitude are exact as doubles. */
#define EXACT_MAX ((int64_t)1 << 53)

struct scalar_number manifest_form_number(const struct manifest_scope *scope,
                                          struct scalar_number number)
{
    const bool is_exact =
        number.type == SCALAR_INT && number.int64 >= -EXACT_MAX && number.int64 <= EXACT_MAX;
    if (scope->doubles && !is_exact)
        return (struct scalar_number){SCALAR_FLOAT, .real = scalar_number_to_double(number)};
    return number;
}

/* Go writes -0 for a negative zero, which would be read back as an integer and lose its sign. */
static void add_number(struct buf *json, struct scalar_number number)
{
    if (number.type == SCALAR_FLOAT && number.real == 0 && signbit(number.real))
        buf_add(json, STR("-0.0"));
    else
        scalar_number_write(json, number);
}

static size_t skip_space(struct str text, size_t from)
{
    while (from < text.len && (text.ptr[from] == ' ' || text.ptr[from] == '\t' ||
                               text.ptr[from] == '\n' || text.ptr[from] == '\r'))
        from++;
    return from;
}

static bool is_digit_at(struct str text, size_t at)
{
    return at < text.len && ascii_is_digit(text.ptr[at]);
}

/* JSON allows less than YAML: no leading zeros, no plus sign, digits on both sides of the dot. */
static bool is_json_number(struct str token)
{
    size_t at = str_starts_with(token, STR("-"));
    if (!is_digit_at(token, at) || (token.ptr[at] == '0' && is_digit_at(token, at + 1)))
        return false;
    for (; at < token.len; at++) {
        const char c = token.ptr[at];
        if (c == '.' && !(is_digit_at(token, at - 1) && is_digit_at(token, at + 1)))
            return false;
    }
    return true; /* the exponent has the same form in both */
}

static size_t token_end(struct str text, size_t at)
{
    while (at < text.len && (is_digit_at(text, at) || strchr("+-.eE", text.ptr[at])) &&
           text.ptr[at])
        at++;
    return at;
}

static size_t copy_number(struct manifest_scope *scope, struct str text, size_t from)
{
    const size_t end = token_end(text, from);
    const struct str token = str_slice(text, from, end);
    if (!is_json_number(token))
        return STR_NONE;
    struct scalar_number number = scalar_number_read(token);
    if (number.type == SCALAR_NONE)
        return STR_NONE; /* too large for a double; YAML makes text of it */
    if (scope->doubles && str_eq(token, STR("-0")))
        number = (struct scalar_number){SCALAR_FLOAT, .real = -0.0};
    add_number(&scope->json, manifest_form_number(scope, number));
    return end;
}

static size_t copy_string(struct manifest_scope *scope, struct str text, size_t from)
{
    size_t at = from + 1;
    while (at < text.len && text.ptr[at] != '"')
        at += text.ptr[at] == '\\' ? 2 : 1;
    if (at >= text.len)
        return STR_NONE;
    buf_add(&scope->json, str_slice(text, from, at + 1));
    return at + 1;
}

/*
 * Copies the object that starts at from to scope->json, with numbers in their final form. Returns
 * the position behind it, or STR_NONE when there is no object. Only brackets and numbers are
 * checked; json_read() checks the rest.
 */
static size_t copy_object(struct manifest_scope *scope, struct str text, size_t from)
{
    size_t depth = 0;
    for (size_t at = from; at < text.len && at != STR_NONE;) {
        const char c = text.ptr[at];
        if (c == '"') {
            at = copy_string(scope, text, at);
        } else if (c == '-' || is_digit_at(text, at)) {
            at = copy_number(scope, text, at);
        } else {
            buf_add_char(&scope->json, c);
            at++;
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
            if (depth == 0)
                return at;
            if (depth > JSON_DEPTH_MAX)
                return STR_NONE;
        }
    }
    return STR_NONE;
}

/* A document takes about this many times the memory of its text. */
#define MEMORY_OF_TEXT 4

/* The document whose text is in scope->json, or NULL when it is not JSON. */
static struct json_doc *read_json(struct manifest_scope *scope)
{
    struct json_doc *doc = NULL;
    const size_t size = scope->json.len * MEMORY_OF_TEXT;
    if (size > scope->memory_left)
        return NULL; /* the YAML parser then reports that it is too large */
    OWNED(error) err = json_read(buf_str(&scope->json), &doc);
    if (err)
        return NULL;
    scope->memory_left -= size;
    return doc;
}

/* Adds the JSON object at *at to the list and moves behind it. */
static bool add_object(struct manifest_scope *scope, struct str text, size_t *at,
                       struct manifest_list *list)
{
    manifest_scope_clear(scope);
    const size_t end = copy_object(scope, text, *at);
    struct json_doc *doc = end == STR_NONE ? NULL : read_json(scope);
    if (!doc)
        return false;
    manifest_list_add(list, doc);
    *at = end;
    return true;
}

/* The position behind a line that holds only a separator and perhaps a comment. */
static size_t skip_separator(struct str text, size_t from)
{
    const size_t end = str_find_char(str_skip(text, from), '\n');
    const struct str line = str_slice(text, from, end == STR_NONE ? text.len : from + end);
    if (!str_starts_with(line, STR("---")))
        return from;
    const struct str behind = str_skip(line, 3);
    const struct str trimmed = str_trim(behind);
    const bool is_comment = trimmed.len && trimmed.ptr[0] == '#' && trimmed.ptr != behind.ptr;
    return trimmed.len == 0 || is_comment ? from + line.len : from;
}

/* Where a JSON object would start: behind a byte order mark, a separator and white space. */
static size_t find_object(struct str chunk)
{
    const size_t mark = str_starts_with(chunk, STR("\xef\xbb\xbf")) ? 3 : 0;
    return skip_space(chunk, skip_separator(chunk, mark));
}

/* All of the chunk must be objects; otherwise the documents added so far are removed again. */
bool manifest_read_objects(struct manifest_scope *scope, struct str chunk,
                           struct manifest_list *list)
{
    const size_t before = list->count;
    size_t at = find_object(chunk);
    if (at == chunk.len || chunk.ptr[at] != '{' || !str_is_utf8(chunk))
        return false;
    while (at < chunk.len) {
        if (chunk.ptr[at] != '{' || !add_object(scope, chunk, &at, list)) {
            manifest_list_truncate(list, before);
            return false;
        }
        at = skip_space(chunk, at);
    }
    return true;
}

/* Computes line and column of the problem, by counting bytes. */
static struct error *fail_in_list(struct manifest_scope *scope, struct str text, size_t at,
                                  const char *problem)
{
    struct manifest_mark mark = {0};
    for (size_t i = 0; i < at && i < text.len; i++)
        mark = text.ptr[i] == '\n' ? (struct manifest_mark){mark.line + 1, 0}
                                   : (struct manifest_mark){mark.line, mark.column + 1};
    return error_wrap(manifest_fail(scope, MANIFEST_JSON_LIST, mark, "%s", problem),
                      "failed to read json list");
}

static char char_at(struct str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

/* A small parser for the brackets and commas around the objects. */
struct error *manifest_read_list(struct manifest_scope *scope, struct str text,
                                 struct manifest_list *list)
{
    size_t at = skip_space(text, 0);
    if (char_at(text, at) != '[' || !str_is_utf8(text))
        return fail_in_list(scope, text, at, "not a JSON array");
    at = skip_space(text, at + 1);
    char last = char_at(text, at) == ']' ? ']' : ',';
    if (last == ']')
        at = skip_space(text, at + 1);
    while (last == ',') {
        if (char_at(text, at) != '{' || !add_object(scope, text, &at, list))
            return fail_in_list(scope, text, at, "expected a JSON object");
        TRY(manifest_check_count(scope, list));
        at = skip_space(text, at);
        last = char_at(text, at);
        if (last != ',' && last != ']')
            return fail_in_list(scope, text, at, "expected a comma or the end of the array");
        at = skip_space(text, at + 1);
    }
    return at < text.len ? fail_in_list(scope, text, at, "text after the end of the array") : NULL;
}
