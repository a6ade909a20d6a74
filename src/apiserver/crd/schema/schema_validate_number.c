/*
 * Numbers against their limits.
 *
 * Kubernetes compares a whole number with limits cut to whole ones, so that 0 is no multiple of 0.5
 * because 0.5 is cut to 0 and refused as a factor. We answer the same.
 */
#include <math.h>

#include "apiserver/crd/schema/schema_validate_internal.h"

/* A whole number of the node's size; most doubles from 2^53 on are whole and many do not fit. */
static bool is_in_range(const struct schema_node *node, double number)
{
    const double top = str_eq(node->format, STR("int32")) ? 0x1p31 : 0x1p63;
    return floor(number) >= number && number >= -top && number < top;
}

/* Whether a limit fits the type and format of the node; says so when it does not. */
static bool check_fits(struct validate *v, const struct schema_node *node, double number,
                       const char *prefix)
{
    if (node->types != TYPE_INTEGER || is_in_range(node, number))
        return true;
    struct arena *arena = v->errors->arena;
    const struct str path = buf_str(&v->path);
    if (node->format.len)
        validate_fail_plain(v, arena_print(arena,
                                           "%s value must be of type integer with format %.*s in "
                                           "%.*s",
                                           prefix, STR_ARG(node->format), STR_ARG(path)));
    else
        validate_fail_plain(
            v, arena_print(arena, "%s value must be of type integer (default format) in %.*s",
                           prefix, STR_ARG(path)));
    return false;
}

/* As Go prints a float64 with %v, which for numbers of this size is as JSON has it. */
static struct str print_number(struct validate *v, double number)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        const double back = strtod(text, NULL);
        if (back >= number && back <= number)
            break;
    }
    return floor(number) >= number && fabs(number) < 1e15
               ? arena_print(v->errors->arena, "%.0f", number)
               : arena_print(v->errors->arena, "%s", text);
}

static void fail_limit(struct validate *v, const struct json_value *value, const char *relation,
                       double limit)
{
    struct arena *arena = v->errors->arena;
    validate_fail(v, FIELD_INVALID, value,
                  validate_in_body(v, arena_print(arena, "should be %s %.*s", relation,
                                                  STR_ARG(print_number(v, limit)))));
}

static double cut_limit(double limit, bool is_whole)
{
    return is_whole ? trunc(limit) : limit;
}

static void check_multiple(struct validate *v, const struct schema_node *node,
                           const struct schema_limits *limits, const struct json_value *value)
{
    double number = 0;
    int64_t whole;
    const bool is_whole = json_to_int64(value, &whole);
    json_to_double(value, &number);
    const bool native = check_fits(v, node, limits->multiple_of, "MultipleOf");
    const double factor = cut_limit(limits->multiple_of, is_whole && native);
    if (factor <= 0) {
        const struct str text = print_number(v, factor);
        validate_fail_int(v, FIELD_INVALID, (int64_t)factor,
                          arena_print(v->errors->arena,
                                      "factor MultipleOf declared for %.*s must be positive: %.*s",
                                      STR_ARG(buf_str(&v->path)), STR_ARG(text)));
        return;
    }
    const double times = factor < 1 ? 1 / factor * number : number / factor;
    const double rest = is_whole && native && factor < 0x1p62 ? (double)(whole % (int64_t)factor)
                                                              : times - nearbyint(times);
    if (fabs(rest) > 1e-9)
        fail_limit(v, value, "a multiple of", factor);
}

static void check_minimum(struct validate *v, const struct schema_node *node,
                          const struct schema_limits *limits, const struct json_value *value)
{
    double number = 0;
    int64_t whole;
    json_to_double(value, &number);
    const bool native = check_fits(v, node, limits->minimum, "Minimum boundary");
    const double limit = cut_limit(limits->minimum, native && json_to_int64(value, &whole));
    if (limits->exclusive_minimum ? number <= limit : number < limit)
        fail_limit(v, value,
                   limits->exclusive_minimum ? "greater than" : "greater than or equal to", limit);
}

static void check_maximum(struct validate *v, const struct schema_node *node,
                          const struct schema_limits *limits, const struct json_value *value)
{
    double number = 0;
    int64_t whole;
    json_to_double(value, &number);
    const bool native = check_fits(v, node, limits->maximum, "Maximum boundary");
    const double limit = cut_limit(limits->maximum, native && json_to_int64(value, &whole));
    if (limits->exclusive_maximum ? number >= limit : number > limit)
        fail_limit(v, value, limits->exclusive_maximum ? "less than" : "less than or equal to",
                   limit);
}

void validate_number(struct validate *v, const struct schema_node *node,
                     const struct schema_limits *limits, const struct json_value *value)
{
    double number = 0;
    int64_t whole;
    json_to_double(value, &number);
    /* The greatest integers of 64 bits are rounded up by the conversion, and fit. */
    if (!json_to_int64(value, &whole) || str_eq(node->format, STR("int32")))
        check_fits(v, node, number, "Checked");
    if (limits->has_multiple_of)
        check_multiple(v, node, limits, value);
    if (limits->has_minimum)
        check_minimum(v, node, limits, value);
    if (limits->has_maximum)
        check_maximum(v, node, limits, value);
}
