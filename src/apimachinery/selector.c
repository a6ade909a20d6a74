/*
 * Label selectors: the object form, the text that is written, and matching.
 *
 * selector_read.c reads the text form; both readers make requirements with requirement_make().
 * Types of members are checked here because a selector may come from a custom resource whose schema
 * does not.
 *
 * Users choose how many requirements and labels there are. Where their product is large, each label
 * looks for its requirements, which are sorted.
 */
#include "apimachinery/selector.h"

#include "apimachinery/selector_internal.h"
#include "base/quote.h"
#include "json/path.h"
#include "json/struct_fields.h"

/* Null counts as absent. */
static struct error *check_type(const struct json_value *value, enum json_type expected,
                                const char *what)
{
    const enum json_type type = json_type(value);
    if (type == expected || type == JSON_ABSENT || type == JSON_NULL)
        return NULL;
    return error_wrap(json_wrong_type(value, expected), "%s", what);
}

/* The caller has allocated room for all requirements. */
static struct error *add_requirement(struct arena *arena, struct selector *selector,
                                     const struct requirement *wanted)
{
    TRY(requirement_make(arena, ERROR_INVALID, wanted, &selector->items[selector->count]));
    selector->count++;
    return NULL;
}

struct label {
    struct str key;
    const struct json_value *value;
};

static int cmp_label(const void *a, const void *b)
{
    return str_cmp(((const struct label *)a)->key, ((const struct label *)b)->key);
}

/* In the order of keys, so that of several mistakes the same one is reported each time. */
static struct error *read_match_labels(struct arena *arena, const struct json_value *labels,
                                       struct selector *selector)
{
    const struct json_value *value;
    size_t count = 0;
    struct label *sorted = arena_alloc_array(arena, json_count(labels), sizeof(struct label));
    JSON_FOREACH (key, value, labels)
        sorted[count++] = (struct label){key, value};
    if (count)
        qsort(sorted, count, sizeof(struct label), cmp_label);
    for (size_t i = 0; i < count; i++) {
        TRY(check_type(sorted[i].value, JSON_STRING, "matchLabels"));
        struct str text = json_to_str(sorted[i].value);
        TRY(add_requirement(arena, selector,
                            &(struct requirement){sorted[i].key, SELECTOR_EQUALS, &text, 1}));
    }
    return NULL;
}

/* The operators of the object form. */
static const struct {
    const char *name;
    enum selector_operator op;
} operators[] = {
    {"In",           SELECTOR_IN            },
    {"NotIn",        SELECTOR_NOT_IN        },
    {"Exists",       SELECTOR_EXISTS        },
    {"DoesNotExist", SELECTOR_DOES_NOT_EXIST},
};

static struct error *read_operator(struct str name, enum selector_operator *ret_operator)
{
    for (size_t i = 0; i < COUNT(operators); i++)
        if (str_eq(name, str_from_c(operators[i].name))) {
            *ret_operator = operators[i].op;
            return NULL;
        }
    SCOPED(buf) quoted = {.limit = 0};
    str_quote_go(&quoted, name);
    return error_new(ERROR_INVALID, "%.*s is not a valid label selector operator",
                     STR_ARG(buf_str(&quoted)));
}

static struct error *read_expression(struct arena *arena, const struct json_value *expression,
                                     struct selector *selector)
{
    const struct json_value *value, *values = json_get(expression, STR("values"));
    struct requirement wanted = {.key = json_path_str(expression, "key")};
    TRY(check_type(expression, JSON_OBJECT, "matchExpressions"));
    TRY(check_type(values, JSON_ARRAY, "values"));
    TRY(read_operator(json_path_str(expression, "operator"), &wanted.op));
    wanted.values = arena_alloc_array(arena, json_count(values), sizeof(struct str));
    if (json_type(values) == JSON_ARRAY)
        JSON_FOREACH (key, value, values) {
            TRY(check_type(value, JSON_STRING, "values"));
            wanted.values[wanted.count++] = json_to_str(value);
        }
    return add_requirement(arena, selector, &wanted);
}

/*
 * A value that is no object, that is NULL or null, selects nothing; an empty object selects
 * everything.
 */
struct error *selector_from_value(struct arena *arena, const struct json_value *value,
                                  struct selector *ret_selector)
{
    const struct json_value *expression, *labels = json_get(value, STR("matchLabels"));
    const struct json_value *expressions = json_get(value, STR("matchExpressions"));
    struct selector selector = {.nothing = json_type(value) != JSON_OBJECT};
    TRY(check_type(value, JSON_OBJECT, "label selector"));
    TRY(check_type(labels, JSON_OBJECT, "matchLabels"));
    TRY(check_type(expressions, JSON_ARRAY, "matchExpressions"));
    selector.items = arena_alloc_array(arena, json_count(labels) + json_count(expressions),
                                       sizeof(struct requirement));
    if (json_type(labels) == JSON_OBJECT)
        TRY(read_match_labels(arena, labels, &selector));
    if (json_type(expressions) == JSON_ARRAY)
        JSON_FOREACH (key, expression, expressions)
            TRY(read_expression(arena, expression, &selector));
    selector_sort(arena, &selector);
    *ret_selector = selector;
    return arena_check(arena);
}

bool selector_is_empty(const struct selector *selector)
{
    return !selector->nothing && selector->count == 0;
}

/* Between key and values, and behind them; by operator. */
static const struct {
    struct str front, between, behind;
} marks[] = {
    [SELECTOR_IN] = {STR_INIT(""),  STR_INIT(" in ("),    STR_INIT(")")},
    [SELECTOR_NOT_IN] = {STR_INIT(""),  STR_INIT(" notin ("), STR_INIT(")")},
    [SELECTOR_EQUALS] = {STR_INIT(""),  STR_INIT("="),        STR_INIT("") },
    [SELECTOR_DOUBLE_EQUALS] = {STR_INIT(""),  STR_INIT("=="),       STR_INIT("") },
    [SELECTOR_NOT_EQUALS] = {STR_INIT(""),  STR_INIT("!="),       STR_INIT("") },
    [SELECTOR_EXISTS] = {STR_INIT(""),  STR_INIT(""),         STR_INIT("") },
    [SELECTOR_DOES_NOT_EXIST] = {STR_INIT("!"), STR_INIT(""),         STR_INIT("") },
    [SELECTOR_GREATER_THAN] = {STR_INIT(""),  STR_INIT(">"),        STR_INIT("") },
    [SELECTOR_LESS_THAN] = {STR_INIT(""),  STR_INIT("<"),        STR_INIT("") },
};

static void write_requirement(struct buf *out, const struct requirement *requirement)
{
    buf_add(out, marks[requirement->op].front);
    buf_add(out, requirement->key);
    buf_add(out, marks[requirement->op].between);
    for (size_t i = 0; i < requirement->count; i++) {
        buf_add(out, i ? STR(",") : STR(""));
        buf_add(out, requirement->values[i]);
    }
    buf_add(out, marks[requirement->op].behind);
}

void selector_write(struct buf *out, const struct selector *selector)
{
    for (size_t i = 0; i < selector->count; i++) {
        buf_add(out, i ? STR(",") : STR(""));
        write_requirement(out, &selector->items[i]);
    }
}

/* metav1.FormatLabelSelector(). */
void selector_format(struct buf *out, const struct selector *selector)
{
    if (selector->count)
        selector_write(out, selector);
    else
        buf_add(out, STR("<none>"));
}

/* The place of the first requirement whose key is not in front of this one. */
static size_t find_place(const struct selector *selector, struct str key, size_t *steps)
{
    size_t low = 0, high = selector->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        ++*steps;
        if (str_cmp(selector->items[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of several labels with one key the first one counts, as for json_get(). */
size_t selector_find_labels(const struct selector *selector, const struct json_value *labels,
                            const struct json_value **ret_labels)
{
    const struct json_value *label;
    size_t steps = 0;
    JSON_FOREACH (key, label, labels) {
        size_t i = find_place(selector, key, &steps);
        for (; i < selector->count && !ret_labels[i]; i++) {
            steps++;
            if (!str_eq(selector->items[i].key, key))
                break;
            ret_labels[i] = label;
        }
    }
    return steps;
}

/* Values are sorted, see requirement_make(). */
static bool has_value(const struct requirement *requirement, struct str value)
{
    return requirement->count && bsearch(&value, requirement->values, requirement->count,
                                         sizeof(struct str), selector_cmp_str);
}

/*
 * <0, 0, >0 as the label is less than, equal to or greater than the value. 0 when one is no number,
 * so that neither Gt nor Lt holds.
 */
static int compare_numbers(const struct requirement *requirement, struct str label)
{
    int64_t number, limit;
    if (!selector_to_int64(label, &number) || !requirement->count ||
        !selector_to_int64(requirement->values[0], &limit))
        return 0;
    return (number > limit) - (number < limit);
}

/* labels.Requirement.Matches(). An absent label satisfies the negative operators. */
static bool requirement_holds(const struct requirement *requirement, bool present, struct str label)
{
    switch (requirement->op) {
    case SELECTOR_IN:
    case SELECTOR_EQUALS:
    case SELECTOR_DOUBLE_EQUALS:
        return present && has_value(requirement, label);
    case SELECTOR_NOT_IN:
    case SELECTOR_NOT_EQUALS:
        return !present || !has_value(requirement, label);
    case SELECTOR_EXISTS:
        return present;
    case SELECTOR_DOES_NOT_EXIST:
        return !present;
    case SELECTOR_GREATER_THAN:
        return present && compare_numbers(requirement, label) > 0;
    case SELECTOR_LESS_THAN:
        return present && compare_numbers(requirement, label) < 0;
    default:
        return false;
    }
}

/* Requirements times labels up to which each requirement looks through the labels. */
#define SCANNED_MAX 4096

static bool is_large(const struct selector *selector, const struct json_value *labels)
{
    return json_type(labels) == JSON_OBJECT && selector->count * json_count(labels) > SCANNED_MAX;
}

bool selector_matches(const struct selector *selector, const struct json_value *labels)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct json_value **found = NULL;
    if (is_large(selector, labels)) {
        found = arena_alloc_array(&arena, selector->count, sizeof(const struct json_value *));
        selector_find_labels(selector, labels, found);
    }
    for (size_t i = 0; i < selector->count; i++) {
        const struct requirement *requirement = &selector->items[i];
        const struct json_value *label = found ? found[i] : json_get(labels, requirement->key);
        if (!requirement_holds(requirement, json_type(label) == JSON_STRING, json_to_str(label)))
            return false;
    }
    return !selector->nothing;
}
