/*
 * Numbers against minimum, maximum and multipleOf.
 *
 * Upstream compares a whole number with limits that are cut to whole ones. Therefore 0 is no
 * multiple of 0.5: the factor 0.5 is cut to 0, and a factor of 0 is refused. This file gives the
 * same answers. Upstream: k8s.io/kube-openapi/pkg/validation/validate/values.go and validator.go.
 */
#include <math.h>

#include "apiserver/crd/schema/schema_validate_internal.h"

/*
 * Whether a number is whole and fits the format of the node: int32, or int64 by default. Most
 * doubles from 2^53 on are whole, and many of them do not fit.
 */
static bool is_in_range(const struct schema_node *node, double number)
{
    const double top = str_eq(node->format, STR("int32")) ? 0x1p31 : 0x1p63;
    return floor(number) >= number && number >= -top && number < top;
}

/*
 * Whether a number fits an integer node; reports it when it does not. `prefix` names the number in
 * the message: the value or one of the limits.
 */
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

/* A number as Go prints a float64 with %v: the fewest digits that read back as the same number. */
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

/* Limits of whole numbers are cut towards zero. */
static double cut_limit(double limit, bool is_whole)
{
    return is_whole ? trunc(limit) : limit;
}

/* A remainder of up to 1e-9 is tolerated for fractions, as upstream. */
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

/* A limit that does not fit the format is reported by check_fits() and then compared uncut. */
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

/*
 * The largest 64-bit integers become 2^63 as doubles, which would not fit: whole numbers are
 * checked for int32 only.
 */
void validate_number(struct validate *v, const struct schema_node *node,
                     const struct schema_limits *limits, const struct json_value *value)
{
    double number = 0;
    int64_t whole;
    json_to_double(value, &number);
    if (!json_to_int64(value, &whole) || str_eq(node->format, STR("int32")))
        check_fits(v, node, number, "Checked");
    if (limits->has_multiple_of)
        check_multiple(v, node, limits, value);
    if (limits->has_minimum)
        check_minimum(v, node, limits, value);
    if (limits->has_maximum)
        check_maximum(v, node, limits, value);
}
