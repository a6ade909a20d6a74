/*
 * Evaluates a compiled JSONPath on a document.
 *
 * A query starts with one value. Each step turns the list of values so far into a new list; the
 * last list is the result. Upstream: the evaluator in k8s.io/client-go/util/jsonpath/jsonpath.go,
 * with its order of results and its errors. An error ends the whole query: query->failed is set,
 * and every step returns an empty list from then on.
 *
 * Three bounds hold against hostile paths: JSONPATH_RESULTS_MAX values per query over all steps,
 * the caller's budget of what is looked at, and the nesting of filters and unions that
 * jsonpath_read.c allows. The stack does not grow with the document.
 *
 * The budget counts elements that are passed, values that are found and steps that are taken. Of
 * what is cheaper, several count as one: members beside a looked-up one, and bytes of names, texts
 * and numbers.
 */
#include "apiserver/crd/jsonpath.h"

#include <stdint.h>

#include "apiserver/crd/jsonpath_internal.h"
#include "base/array.h"
#include "base/memory.h"

/* What counts as one step of the budget. */
#define MEMBERS_PER_STEP 4

/* The state of a query. `used` counts the values that all steps produced. */
struct query {
    struct arena *arena;
    size_t used;
    size_t *budget; /* the caller's; 0 once it is exhausted */
    bool failed;
};

static struct path_values eval_steps(struct query *query, const struct path_steps *steps,
                                     struct path_values input);

static struct path_values fail_query(struct query *query)
{
    query->failed = true;
    return (struct path_values){.items = NULL};
}

void jsonpath_spend(size_t *budget, size_t steps)
{
    *budget -= steps < *budget ? steps : *budget;
}

size_t jsonpath_scalar_steps(const struct json_value *value)
{
    const enum json_type type = json_type(value);
    return type == JSON_STRING || type == JSON_NUMBER ? json_size(value) / JSONPATH_BYTES_PER_STEP
                                                      : 0;
}

/* False when the budget ends, and with it the query. */
static bool spend_steps(struct query *query, size_t steps)
{
    jsonpath_spend(query->budget, steps);
    query->failed = query->failed || *query->budget == 0;
    return !query->failed;
}

/* Whether the query has reached one of its bounds, which no filter may forget. */
static bool is_exhausted(const struct query *query)
{
    return query->used > JSONPATH_RESULTS_MAX || *query->budget == 0;
}

/* What it may cost to look a member up: all others are compared with it. */
static size_t lookup_steps(const struct json_value *value, struct str name)
{
    const size_t members = json_type(value) == JSON_OBJECT ? json_count(value) : 0;
    return 1 + members / MEMBERS_PER_STEP + name.len / JSONPATH_BYTES_PER_STEP;
}

static void add_value(struct query *query, struct path_values *values,
                      const struct json_value *value)
{
    query->used++;
    if (!spend_steps(query, 1) || is_exhausted(query)) {
        query->failed = true;
        return;
    }
    ARENA_ARRAY_PUSH(query->arena, values->items, values->count, values->capacity, value);
}

static struct path_values eval_field(struct query *query, const struct path_step *step,
                                     struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++) {
        if (!spend_steps(query, lookup_steps(input.items[i], step->name)))
            return output;
        const struct json_value *value = json_get(input.items[i], step->name);
        if (value)
            add_value(query, &output, value);
    }
    return output;
}

static struct path_values eval_wildcard(struct query *query, struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++) {
        const struct json_value *value;
        JSON_FOREACH (key, value, input.items[i]) {
            add_value(query, &output, value);
            if (query->failed)
                return output;
        }
    }
    return output;
}

/*
 * Computes the elements [from, to) of a slice of an array of length len. False when they are out of
 * bounds, which is an error upstream.
 */
static bool bounds_of(const struct path_slice *slice, int64_t len, int64_t *ret_from,
                      int64_t *ret_to)
{
    int64_t from = slice->has_from ? slice->from : 0;
    int64_t to = slice->has_to ? slice->to : len;
    if (from < -len || to < -len || slice->by <= 0)
        return false;
    from = from < 0 ? from + len : from;
    to = to < 0 ? to + len : to;
    if (slice->is_index && from >= len)
        return false;
    if (slice->is_index)
        to = from + 1;
    *ret_from = from;
    *ret_to = to;
    return from == to || (from < to && from < len && to <= len);
}

/* A null counts as an array without elements; any other value that is no array is an error. */
static struct path_values eval_slice(struct query *query, const struct path_step *step,
                                     struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++) {
        const struct json_value *array = input.items[i], *value;
        int64_t from, to, index = 0;
        if (json_type(array) == JSON_NULL)
            continue;
        if (json_type(array) != JSON_ARRAY ||
            !bounds_of(&step->slice, (int64_t)json_count(array), &from, &to))
            return fail_query(query);
        if (from == to)
            continue;
        if (!spend_steps(query, (size_t)to))
            return output;
        JSON_FOREACH (key, value, array) {
            if (index >= to)
                break;
            if (index >= from && (index - from) % step->slice.by == 0)
                add_value(query, &output, value);
            index++;
        }
    }
    return output;
}

/*
 * Types that can be compared, each only with itself. Whole and other numbers are different types.
 */
enum basic {
    BASIC_NONE,
    BASIC_BOOL,
    BASIC_INT,
    BASIC_FLOAT,
    BASIC_STRING,
};

static enum basic basic_of(const struct json_value *value)
{
    int64_t whole;
    switch (json_type(value)) {
    case JSON_BOOL:
        return BASIC_BOOL;
    case JSON_NUMBER:
        return json_to_int64(value, &whole) ? BASIC_INT : BASIC_FLOAT;
    case JSON_STRING:
        return BASIC_STRING;
    default:
        return BASIC_NONE;
    }
}

/*
 * Negative, 0 or positive, as the order of the values. Booleans have no order: only 0 has a
 * meaning.
 */
static int compare_basic(enum basic basic, const struct json_value *a, const struct json_value *b)
{
    int64_t x = 0, y = 0;
    double v = 0, w = 0;
    bool s = false, t = false;
    switch (basic) {
    case BASIC_INT:
        json_to_int64(a, &x);
        json_to_int64(b, &y);
        return (x > y) - (x < y);
    case BASIC_FLOAT:
        json_to_double(a, &v);
        json_to_double(b, &w);
        return (v > w) - (v < w);
    case BASIC_STRING:
        return str_cmp(json_to_str(a), json_to_str(b));
    default:
        json_to_bool(a, &s);
        json_to_bool(b, &t);
        return s != t;
    }
}

/*
 * Applies an operator. False when values of these types cannot be compared with it, and when the
 * budget ends.
 */
static bool compare_values(struct query *query, enum step_compare compare,
                           const struct json_value *a, const struct json_value *b, bool *ret_holds)
{
    if (!spend_steps(query, jsonpath_scalar_steps(a) + jsonpath_scalar_steps(b)))
        return false;
    const enum basic basic = basic_of(a);
    const bool is_order = compare != COMPARE_EQUAL && compare != COMPARE_NOT_EQUAL;
    if (basic == BASIC_NONE || basic != basic_of(b) || (is_order && basic == BASIC_BOOL))
        return false;
    const int order = compare_basic(basic, a, b);
    switch (compare) {
    case COMPARE_LESS:
        *ret_holds = order < 0;
        return true;
    case COMPARE_GREATER:
        *ret_holds = order > 0;
        return true;
    case COMPARE_EQUAL:
        *ret_holds = order == 0;
        return true;
    case COMPARE_NOT_EQUAL:
        *ret_holds = order != 0;
        return true;
    case COMPARE_LESS_EQUAL:
        *ret_holds = order <= 0;
        return true;
    case COMPARE_GREATER_EQUAL:
        *ret_holds = order >= 0;
        return true;
    default:
        return false;
    }
}

/*
 * Evaluates a filter on one element. A comparison needs exactly one value on each side. In a test
 * for existence an error inside the filter means that nothing exists; only the bounds fail the
 * query.
 */
static bool element_passes(struct query *query, const struct path_step *step,
                           const struct json_value *element)
{
    struct path_values one = {.items = &element, .count = 1, .capacity = 1};
    bool holds = false;
    const struct path_values left = eval_steps(query, &step->left, one);
    if (step->compare == COMPARE_EXISTS) {
        query->failed = is_exhausted(query); /* forget other failures */
        return left.count > 0;
    }
    const struct path_values right = eval_steps(query, &step->right, one);
    if (query->failed || left.count != 1 || right.count != 1 ||
        !compare_values(query, step->compare, left.items[0], right.items[0], &holds))
        query->failed = true;
    return holds;
}

static struct path_values eval_filter(struct query *query, const struct path_step *step,
                                      struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++) {
        const struct json_value *element;
        if (json_type(input.items[i]) != JSON_ARRAY)
            return fail_query(query);
        JSON_FOREACH (key, element, input.items[i]) {
            if (!spend_steps(query, 1))
                return output;
            if (element_passes(query, step, element))
                add_value(query, &output, element);
            if (query->failed)
                return output;
        }
    }
    return output;
}

static struct path_values eval_union(struct query *query, const struct path_step *step,
                                     struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < step->option_count && spend_steps(query, 1); i++) {
        const struct path_values part = eval_steps(query, &step->options[i], input);
        for (size_t k = 0; k < part.count; k++)
            add_value(query, &output, part.items[k]);
    }
    return output;
}

/*
 * Whether the recursive descent visits a value: strings and containers with content, no other
 * scalars.
 */
static bool is_filled(const struct json_value *value)
{
    return json_type(value) == JSON_STRING ? json_to_str(value).len > 0 : json_count(value) > 0;
}

/* Adds a value and everything inside it that has content, outer values first. */
static void add_descendants(struct query *query, const struct json_value *root,
                            struct path_values *output)
{
    struct json_iter *stack = NULL;
    size_t depth = 0, capacity = 0;
    const struct json_value *value = root;
    for (bool more = is_filled(root); more && spend_steps(query, 1);) {
        if (is_filled(value)) {
            add_value(query, output, value);
            ARRAY_PUSH(stack, depth, capacity, (struct json_iter){.container = value});
        }
        struct str key;
        while (depth > 0 && !json_next(&stack[depth - 1], &key, &value))
            depth--;
        more = depth > 0;
    }
    mem_free(stack);
}

static struct path_values eval_recursive(struct query *query, struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++)
        add_descendants(query, input.items[i], &output);
    return output;
}

/* A literal stands for itself once per value of the input. */
static struct path_values eval_literal(struct query *query, const struct path_step *step,
                                       struct path_values input)
{
    struct path_values output = {.items = NULL};
    for (size_t i = 0; i < input.count; i++)
        add_value(query, &output, step->literal);
    return output;
}

static struct path_values eval_step(struct query *query, const struct path_step *step,
                                    struct path_values input)
{
    switch (step->type) {
    case STEP_FIELD:
        return eval_field(query, step, input);
    case STEP_WILDCARD:
        return eval_wildcard(query, input);
    case STEP_SLICE:
        return eval_slice(query, step, input);
    case STEP_FILTER:
        return eval_filter(query, step, input);
    case STEP_UNION:
        return eval_union(query, step, input);
    case STEP_RECURSIVE:
        return eval_recursive(query, input);
    case STEP_LITERAL:
        return eval_literal(query, step, input);
    case STEP_FAIL:
        break;
    }
    return fail_query(query);
}

/* Filters and unions recurse into this function; their nesting in the text is bounded. */
static struct path_values eval_steps(struct query *query, const struct path_steps *steps,
                                     struct path_values input)
{
    for (size_t i = 0; i < steps->count && spend_steps(query, 1); i++)
        input = eval_step(query, &steps->items[i], input);
    return query->failed ? (struct path_values){.items = NULL} : input;
}

/* NOLINTBEGIN(readability-non-const-parameter): the budget is written through the query */
bool path_steps_find(const struct path_steps *steps, const struct json_value *value,
                     struct arena *arena, size_t used, size_t *budget,
                     struct path_values *ret_values)
/* NOLINTEND(readability-non-const-parameter) */
{
    struct query query = {.arena = arena, .used = used, .budget = budget};
    struct path_values root = {.items = NULL};
    add_value(&query, &root, value);
    const struct path_values found = eval_steps(&query, steps, root);
    if (query.failed)
        return false;
    *ret_values = found;
    return true;
}

/*
 * Most columns are plain paths such as .status.phase: the leading fields are followed without
 * lists, and a path of fields only needs no arena.
 */
const struct json_value *jsonpath_first_within(const struct jsonpath *path,
                                               const struct json_value *value, size_t *budget)
{
    size_t plain = 0; /* number of leading field steps */
    for (; plain < path->steps.count && path->steps.items[plain].type == STEP_FIELD; plain++) {
        const struct str name = path->steps.items[plain].name;
        jsonpath_spend(budget, lookup_steps(value, name));
        value = *budget ? json_get(value, name) : NULL;
    }
    if (plain == path->steps.count || !value)
        return value;
    SCOPED(arena) arena = {.limit = 0};
    const struct path_steps rest = {path->steps.items + plain, path->steps.count - plain, 0};
    struct path_values found;
    if (!path_steps_find(&rest, value, &arena, plain, budget, &found) || found.count == 0)
        return NULL;
    return found.items[0];
}

const struct json_value *jsonpath_first(const struct jsonpath *path, const struct json_value *value)
{
    size_t unbounded = SIZE_MAX;
    return jsonpath_first_within(path, value, &unbounded);
}
