/* The parts of an answer: status, headers, body or events, relations. */
#include <regex.h>

#include "base/buf.h"
#include "json/compare.h"
#include "json/path.h"
#include "peers/conformance/compare.h"
#include "peers/conformance/compare_internal.h"

static void compare_status(struct comparison *comparison, const struct json_value *answer)
{
    const struct exchange *exchange = comparison->exchange;
    const struct json_value *recorded = json_get(exchange->response, STR("status")), *other;
    const struct json_value *actual = json_get(answer, STR("status"));
    if (!recorded || json_equal(recorded, actual))
        return;
    JSON_FOREACH (key, other, exchange->status_one_of)
        if (json_equal(other, actual))
            return;
    DIFFERENCES_PRINT(comparison->differences, STR("status"), "expected %.*s, got %.*s",
                      STR_ARG(difference_show(comparison->arena, recorded)),
                      STR_ARG(difference_show(comparison->arena, actual)));
}

/* Content types without blanks, case and the character set that goes without saying. */
static struct str plain_content_type(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {0};
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c != ' ' && c != '\t')
            buf_add_char(&out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    struct str plain = buf_str(&out), charset = STR(";charset=utf-8");
    const size_t at = str_find(plain, charset);
    if (at == STR_NONE)
        return arena_str(arena, plain);
    return arena_print(arena, "%.*s%.*s", STR_ARG(str_slice(plain, 0, at)),
                       STR_ARG(str_skip(plain, at + charset.len)));
}

static bool same_content_type(struct arena *arena, const struct json_value *recorded,
                              const struct json_value *actual)
{
    return str_eq(plain_content_type(arena, json_to_str(recorded)),
                  plain_content_type(arena, json_to_str(actual)));
}

static size_t occurrences(const struct json_value *array, const struct json_value *wanted)
{
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, array)
        count += json_equal(value, wanted);
    return count;
}

/* In any order, each as often as recorded. */
static bool same_warnings(struct arena *arena, const struct json_value *recorded,
                          const struct json_value *actual)
{
    (void)arena;
    const struct json_value *warning;
    JSON_FOREACH (key, warning, recorded)
        if (occurrences(recorded, warning) != occurrences(actual, warning))
            return false;
    return json_count(recorded) == json_count(actual);
}

static bool same_presence(struct arena *arena, const struct json_value *recorded,
                          const struct json_value *actual)
{
    (void)arena;
    return !json_to_str(recorded).len == !json_to_str(actual).len;
}

static bool same_text(struct arena *arena, const struct json_value *recorded,
                      const struct json_value *actual)
{
    (void)arena;
    return json_equal(recorded, actual);
}

static bool same_header(struct arena *arena, struct str name, const struct json_value *recorded,
                        const struct json_value *actual)
{
    static const struct {
        struct str name;
        bool (*same)(struct arena *arena, const struct json_value *recorded,
                     const struct json_value *actual);
    } rules[] = {
        {STR_INIT("Content-Type"), same_content_type},
        {STR_INIT("Warning"),      same_warnings    },
        {STR_INIT("ETag"),         same_presence    },
    };
    for (size_t i = 0; i < COUNT(rules); i++)
        if (str_eq_nocase(name, rules[i].name))
            return rules[i].same(arena, recorded, actual);
    return same_text(arena, recorded, actual);
}

static void compare_header(struct comparison *comparison, struct str name,
                           const struct json_value *recorded, const struct json_value *actual)
{
    struct arena *arena = comparison->arena;
    if (!same_header(arena, name, recorded, actual))
        DIFFERENCES_PRINT(comparison->differences, arena_print(arena, "header %.*s", STR_ARG(name)),
                          "expected %.*s, got %.*s", STR_ARG(difference_show(arena, recorded)),
                          STR_ARG(difference_show(arena, actual)));
}

/* Warnings that the server sends now and then. */
static bool may_come(const struct comparison *comparison, struct str name,
                     const struct json_value *value)
{
    const struct json_value *warnings = comparison->exchange->may_warn;
    return warnings && str_eq_nocase(name, STR("Warning")) &&
           same_warnings(comparison->arena, warnings, value);
}

static void compare_headers(struct comparison *comparison, const struct json_value *answer)
{
    const struct json_value *recorded = json_get(comparison->exchange->response, STR("headers"));
    const struct json_value *actual = json_get(answer, STR("headers")), *value;
    JSON_FOREACH (was, value, recorded)
        compare_header(comparison, was, value, json_get(actual, was));
    JSON_FOREACH (is, value, actual)
        if (!json_get(recorded, is) && !may_come(comparison, is, value))
            compare_header(comparison, is, NULL, value);
}

/* Each pointer is compared as the member it ends in, wherever that is. */
static void compare_selected(struct comparison *comparison, const struct json_value *recorded,
                             const struct json_value *actual)
{
    const struct json_value *text;
    JSON_FOREACH (key, text, comparison->exchange->select) {
        const struct str name = json_to_str(text);
        const struct pointer pointer = pointer_read(comparison->arena, name);
        if (!pointer.count)
            continue;
        bool entered = true;
        for (size_t i = 0; entered && i + 1 < pointer.count; i++)
            entered = compare_enter(comparison, pointer.tokens[i]);
        if (entered)
            compare_member(comparison, &(struct compare_member){
                                           .name = pointer.tokens[pointer.count - 1],
                                           .recorded = json_get(recorded, name),
                                           .actual = json_get(actual, name),
                                       });
        comparison->depth = 0;
    }
}

static void compare_body(struct comparison *comparison, const struct json_value *recorded,
                         const struct json_value *actual)
{
    if (comparison->exchange->select)
        compare_selected(comparison, recorded, actual);
    else
        compare_values(comparison, recorded, actual);
}

static void compare_part(struct comparison *comparison, const struct json_value *answer,
                         struct str name)
{
    const bool is_body = str_eq(name, STR("body"));
    const struct json_value *recorded = json_get(comparison->exchange->response, name);
    const struct json_value *actual = json_get(answer, name);
    if (recorded && !actual) {
        const struct json_value *body = json_get(answer, STR("body"));
        DIFFERENCES_PRINT(comparison->differences, name, "missing%s%.*s", body ? ", instead " : "",
                          STR_ARG(body ? difference_show(comparison->arena, body) : STR("")));
    } else if (!recorded && actual && is_body) {
        DIFFERENCES_PRINT(comparison->differences, name, "unexpected: %.*s",
                          STR_ARG(difference_show(comparison->arena, actual)));
    } else if (recorded && is_body) {
        compare_body(comparison, recorded, actual);
    } else if (recorded && compare_enter(comparison, name)) {
        compare_values(comparison, recorded, actual);
        compare_leave(comparison);
    }
}

void compare_answer(const struct exchange *exchange, const struct json_value *answer,
                    const struct compare_options *options, struct binding *binding,
                    struct differences *differences)
{
    static const struct str parts[] = {
        STR_INIT("body"),
        STR_INIT("events"),
        STR_INIT("ended"),
        STR_INIT("bookmarks"),
    };
    struct comparison comparison = {
        .exchange = exchange,
        .binding = binding,
        .differences = differences,
        .arena = differences->arena,
        .managed_fields = exchange->strict_managed_fields || options->strict_managed_fields,
    };
    compare_status(&comparison, answer);
    if (exchange->status_only)
        return;
    compare_headers(&comparison, answer);
    for (size_t i = 0; i < COUNT(parts); i++)
        compare_part(&comparison, answer, parts[i]);
}

static bool matches(struct arena *arena, struct str value, struct str expression)
{
    regex_t regex;
    const struct str whole = arena_print(arena, "^(%.*s)$", STR_ARG(expression));
    if (regcomp(&regex, whole.ptr, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool found = regexec(&regex, arena_c(arena, value), 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool holds(struct arena *arena, struct str relation, struct str value, struct str other)
{
    int64_t a, b;
    if (str_eq(relation, STR("equals")))
        return str_eq(value, other);
    if (str_eq(relation, STR("differs")))
        return !str_eq(value, other);
    if (str_eq(relation, STR("matches")))
        return matches(arena, value, other);
    if (!str_to_int64(value, &a) || !str_to_int64(other, &b))
        return false;
    return (str_eq(relation, STR("greater")) && a > b) ||
           (str_eq(relation, STR("atLeast")) && a >= b);
}

static struct str text_of(struct arena *arena, const struct json_value *value)
{
    if (!value || json_type(value) == JSON_NULL)
        return STR("");
    return json_type(value) == JSON_STRING ? json_to_str(value) : json_write_arena(arena, value);
}

void compare_relations(const struct exchange *exchange, const struct json_value *document,
                       const struct binding *binding, struct differences *differences)
{
    struct arena *arena = differences->arena;
    const struct json_value *relation;
    JSON_FOREACH (key, relation, exchange->relate) {
        const struct str pointer = json_path_str(relation, "pointer");
        const struct str op = json_path_str(relation, "op");
        const struct str value = text_of(arena, pointer_find(document, pointer));
        const struct str other = binding_fill(
            binding, arena, text_of(arena, json_get(relation, STR("value"))), BINDING_PLAIN);
        if (!holds(arena, op, value, other))
            DIFFERENCES_PRINT(differences, pointer, "%.*s must be: %.*s %.*s",
                              STR_ARG(difference_show_str(arena, value)), STR_ARG(op),
                              STR_ARG(difference_show_str(arena, other)));
    }
}
