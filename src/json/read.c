/*
 * Reads JSON text into a document, in up to three passes.
 *
 * yyjson parses the text in place (parse_text). If yyjson refuses it, syntax.c looks for the error
 * that Go would report; when Go accepts the text, its strings contain invalid UTF-8 or lone
 * surrogates, which are replaced before a second parse (parse_repaired). Then normalize.c inspects
 * the values: nesting, numbers beyond a double, and repeated member names, of which the last one is
 * kept.
 */
#include "json/read.h"

#include "json/normalize.h"
#include "json/syntax.h"
#include "json/weight.h"

static int compare_places(const void *a, const void *b)
{
    const yyjson_val *x = *(yyjson_val *const *)a, *y = *(yyjson_val *const *)b;
    return (x > y) - (x < y);
}

/*
 * Returns the child of container that is target or contains it, and appends the child's name or
 * index to path. The end of each child shows whether target is inside.
 */
static const yyjson_val *descend_to(const yyjson_val *container, const yyjson_val *target,
                                    struct buf *path)
{
    const bool object = val_is_object(container);
    const yyjson_val *child = container + 1;
    for (size_t i = 0;; i++) {
        const yyjson_val *value = child + object;
        const yyjson_val *next = val_next(value);
        if (target < next) {
            if (!object)
                buf_print(path, "[%zu]", i);
            else
                buf_print(path, "%s%.*s", path->len ? "." : "", STR_ARG(val_str(child)));
            return value;
        }
        child = next;
    }
}

/* Limits the searches for paths: one name that repeats often makes a single warning. */
#define REPEATS_MAX ((size_t)4 * JSON_WARNINGS_MAX)

/* Kubernetes reports repeated members in the order of the text, which is the order of values. */
static void warn_of_repeats(const yyjson_val *root, struct repeats *repeats,
                            struct json_warnings *warnings)
{
    qsort(repeats->keys, repeats->count, sizeof(*repeats->keys), compare_places);
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) path = {.limit = 0};
    for (size_t i = 0; i < repeats->count && i < REPEATS_MAX; i++) {
        buf_clear(&path);
        buf_clear(&text);
        /* Ends at the value behind the key, before it would be entered. */
        const yyjson_val *place = root;
        while (place <= repeats->keys[i])
            place = descend_to(place, repeats->keys[i], &path);
        buf_print(&text, "duplicate field \"%.*s\"", STR_ARG(buf_str(&path)));
        json_warn(warnings, buf_str(&text));
    }
}

/* Line and column count from 1, columns in characters. */
struct error *read_error_at(struct str text, const struct read_problem *problem)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < problem->offset && i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n') {
            line++;
            column = 1;
        } else if ((c & 0xc0) != 0x80) {
            column++;
        }
    }
    return error_new(ERROR_PARSE, "line %zu, column %zu: %s", line, column, problem->message);
}

static unsigned hex4(const char *digits)
{
    unsigned unit = 0;
    for (size_t i = 0; i < 4; i++) {
        const unsigned c = (unsigned char)digits[i];
        unit = unit << 4 | (c <= '9' ? c - '0' : (c | 0x20U) - 'a' + 10);
    }
    return unit;
}

/*
 * The length of the escape at the start of s, which is well-formed. *ret_lone is set for a
 * surrogate without its other half, which Go decodes as U+FFFD and yyjson refuses.
 */
static size_t escape_length(struct str s, bool *ret_lone)
{
    *ret_lone = false;
    if (s.ptr[1] != 'u')
        return 2;
    const unsigned unit = hex4(s.ptr + 2);
    if (unit < 0xd800 || unit > 0xdfff)
        return 6;
    if (unit < 0xdc00 && s.len >= 12 && s.ptr[6] == '\\' && s.ptr[7] == 'u') {
        const unsigned second = hex4(s.ptr + 8);
        if (second >= 0xdc00 && second <= 0xdfff)
            return 12;
    }
    *ret_lone = true;
    return 6;
}

/* Copies well-formed JSON text without lone surrogates and invalid UTF-8. */
static void repair_text(struct str text, struct buf *ret_text)
{
    struct string_pool *valid = NULL;
    struct str rest = text;
    if (!str_is_utf8(text))
        rest = string_pool_repair(&valid, text);
    for (;;) {
        const size_t escape = str_find_char(rest, '\\');
        if (escape == STR_NONE)
            break;
        buf_add(ret_text, str_slice(rest, 0, escape));
        rest = str_skip(rest, escape);
        bool lone;
        const size_t len = escape_length(rest, &lone);
        buf_add(ret_text, lone ? STR("\\ufffd") : str_slice(rest, 0, len));
        rest = str_skip(rest, len);
    }
    buf_add(ret_text, rest);
    string_pool_free(valid);
}

/* Copies the text into the document and parses it in place: one block of memory instead of two. */
static struct json_doc *parse_text(struct str text, yyjson_read_err *ret_err)
{
    struct json_doc *doc = json_doc_new(text.len + YYJSON_PADDING_SIZE);
    if (text.len)
        memcpy(doc->text, text.ptr, text.len);
    memset(doc->text + text.len, 0, YYJSON_PADDING_SIZE);
    doc->parsed = yyjson_read_opts(
        doc->text, text.len, YYJSON_READ_INSITU | YYJSON_READ_NUMBER_AS_RAW, &json_alc, ret_err);
    doc->root = yyjson_doc_get_root(doc->parsed);
    if (doc->root)
        return doc;
    json_doc_free(doc);
    return NULL;
}

/*
 * Go's scanner accepts more inside of strings than yyjson; such text is repaired and parsed again.
 */
static struct json_doc *parse_repaired(struct str text, struct read_problem *ret_problem)
{
    struct syntax_error syntax;
    if (syntax_find_error(text, &syntax)) {
        ret_problem->offset = syntax.offset;
        snprintf(ret_problem->message, sizeof(ret_problem->message), "%s", syntax.message);
        return NULL;
    }
    SCOPED(buf) repaired = {.limit = 4 * JSON_TEXT_MAX};
    repair_text(text, &repaired);
    yyjson_read_err err;
    struct json_doc *doc = parse_text(buf_str(&repaired), &err);
    if (!doc) {
        ret_problem->offset = err.pos;
        snprintf(ret_problem->message, sizeof(ret_problem->message), "%s", err.msg);
    }
    return doc;
}

/*
 * Refuses what yyjson accepts and Go does not: nesting beyond JSON_DEPTH_MAX, and numbers beyond a
 * double, with Go's messages.
 */
static bool accept_doc(struct str text, struct json_doc *doc,
                       const struct normalize_findings *findings, struct read_problem *ret_problem)
{
    struct syntax_error syntax;
    if (findings->containers > JSON_DEPTH_MAX && json_is_deeper(doc->root, JSON_DEPTH_MAX) &&
        syntax_find_error(text, &syntax)) {
        ret_problem->offset = syntax.offset;
        snprintf(ret_problem->message, sizeof(ret_problem->message), "%s", syntax.message);
        return false;
    }
    if (!findings->infinite)
        return true;
    const struct str token = val_str(findings->infinite);
    ret_problem->offset = (size_t)(token.ptr - doc->text);
    snprintf(ret_problem->message, sizeof(ret_problem->message),
             "json: cannot unmarshal number %.*s%s into Go value of type float64",
             (int)(token.len < 64 ? token.len : 64), token.ptr, token.len < 64 ? "" : "...");
    return false;
}

/*
 * Text below this size is parsed at once, as the check of its nesting afterwards costs less than a
 * scan before. A larger text of open brackets would first take sixteen times its size.
 */
#define SCANNED_FROM MEGABYTE

struct json_doc *read_text(struct str text, struct json_warnings *warnings,
                           struct read_problem *ret_problem)
{
    yyjson_read_err err;
    OWNED(json_doc) doc = NULL;
    if (text.len < SCANNED_FROM || json_is_within(text, JSON_DEPTH_MAX, SIZE_MAX))
        doc = parse_text(text, &err);
    if (!doc)
        doc = parse_repaired(text, ret_problem);
    if (!doc)
        return NULL;
    struct normalize_findings findings = {.containers = 0};
    normalize_inspect(yyjson_doc_get_root(doc->parsed), &findings);
    const bool accepted = accept_doc(text, doc, &findings, ret_problem);
    if (accepted && findings.repeats.count) {
        if (warnings)
            warn_of_repeats(doc->root, &findings.repeats, warnings);
        normalize_drop_superseded(doc);
    }
    repeats_done(&findings.repeats);
    return accepted ? TAKE(doc) : NULL;
}

/* The type names of Go's json.UnmarshalTypeError. */
const char *read_go_type(const struct json_value *value)
{
    switch (json_type(value)) {
    case JSON_BOOL:
        return "bool";
    case JSON_NUMBER:
        return "number";
    case JSON_STRING:
        return "string";
    case JSON_ARRAY:
        return "array";
    default:
        return "object";
    }
}

struct error *read_check_size(struct str text)
{
    if (text.len <= JSON_TEXT_MAX)
        return NULL;
    return error_new(ERROR_TOO_LARGE, "JSON text of %zu bytes is larger than the limit of %zu",
                     text.len, JSON_TEXT_MAX);
}

struct error *json_read_strict(struct str text, struct json_warnings *warnings,
                               struct json_doc **ret_doc)
{
    TRY(read_check_size(text));
    struct read_problem problem;
    struct json_doc *doc = read_text(text, warnings, &problem);
    if (!doc)
        return read_error_at(text, &problem);
    *ret_doc = doc;
    return NULL;
}

struct error *json_read(struct str text, struct json_doc **ret_doc)
{
    return json_read_strict(text, NULL, ret_doc);
}
