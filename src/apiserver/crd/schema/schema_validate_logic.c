/*
 * allOf, anyOf, oneOf and not.
 *
 * Each alternative is validated with a list of errors of its own (try_alternative()). If the whole
 * fails, anyOf and oneOf report one summary and then the errors of the best alternative: the one
 * with the most checks that applied (validate.matches). allOf reports the errors of all
 * alternatives. Upstream: schemaPropsValidator in
 * k8s.io/kube-openapi/pkg/validation/validate/schema_props.go.
 */
#include "apiserver/crd/schema/schema_validate_internal.h"

#define ALTERNATIVE_COST 16

/* The result of one alternative. */
struct outcome {
    struct field_errors errors;
    size_t matches;
};

/* Validates the value against one alternative. Errors live in the scratch arena. */
static struct outcome try_alternative(struct validate *v, const struct schema_node *node,
                                      const struct json_value *value)
{
    struct outcome outcome = {.errors = {.arena = &v->scratch}};
    struct field_errors *const errors = v->errors;
    const size_t matches = v->matches;
    v->errors = &outcome.errors;
    v->matches = 0;
    validate_tree(v, node, value);
    outcome.matches = v->matches;
    v->errors = errors;
    v->matches = matches;
    return outcome;
}

/* Takes over the errors of an alternative. Their texts are copied out of the scratch arena. */
static void merge_outcome(struct validate *v, const struct outcome *outcome)
{
    v->matches += outcome->matches;
    for (size_t i = 0; i < outcome->errors.count; i++) {
        const struct field_error *one = &outcome->errors.items[i];
        const size_t count = v->errors->count;
        field_errors_add(v->errors, one->type, one->field, STR(""));
        if (v->errors->count > count)
            v->errors->items[count].body = arena_str(v->errors->arena, one->body);
    }
}

static void fail_logic(struct validate *v, const char *rest)
{
    validate_fail_plain(
        v, arena_print(v->errors->arena, "\"%.*s\" must %s", STR_ARG(buf_str(&v->path)), rest));
}

static void check_any_of(struct validate *v, const struct schema_nodes *nodes,
                         const struct json_value *value)
{
    struct outcome best = {.matches = 0};
    for (size_t i = 0; i < nodes->count && validate_spend(v, ALTERNATIVE_COST); i++) {
        const struct outcome one = try_alternative(v, nodes->items[i], value);
        if (one.errors.count == 0)
            return;
        if (i == 0 || one.matches > best.matches)
            best = one;
    }
    fail_logic(v, "validate at least one schema (anyOf)");
    merge_outcome(v, &best);
}

static void check_one_of(struct validate *v, const struct schema_nodes *nodes,
                         const struct json_value *value)
{
    struct outcome best = {.matches = 0};
    size_t valid = 0;
    for (size_t i = 0; i < nodes->count && validate_spend(v, ALTERNATIVE_COST); i++) {
        const struct outcome one = try_alternative(v, nodes->items[i], value);
        valid += one.errors.count == 0;
        if (i == 0 || one.matches > best.matches)
            best = one;
    }
    if (valid == 1)
        return;
    char text[96] = "validate one and only one schema (oneOf). Found none valid";
    if (valid)
        snprintf(text, sizeof(text),
                 "validate one and only one schema (oneOf). Found %zu valid alternatives", valid);
    fail_logic(v, text);
    if (valid == 0)
        merge_outcome(v, &best);
}

static void check_all_of(struct validate *v, const struct schema_nodes *nodes,
                         const struct json_value *value)
{
    size_t valid = 0;
    for (size_t i = 0; i < nodes->count && validate_spend(v, ALTERNATIVE_COST); i++) {
        const struct outcome one = try_alternative(v, nodes->items[i], value);
        valid += one.errors.count == 0;
        merge_outcome(v, &one);
    }
    if (valid < nodes->count)
        fail_logic(v, valid ? "validate all the schemas (allOf)"
                            : "validate all the schemas (allOf). None validated");
}

/*
 * The order of the four keywords is upstream's. The scratch arena is cleared when the outermost one
 * is done, because a list may hold very many values with alternatives.
 */
void validate_logic(struct validate *v, const struct schema_limits *limits,
                    const struct json_value *value)
{
    v->alternatives++;
    if (limits->any_of.count)
        check_any_of(v, &limits->any_of, value);
    if (limits->one_of.count)
        check_one_of(v, &limits->one_of, value);
    if (limits->all_of.count)
        check_all_of(v, &limits->all_of, value);
    if (limits->not_of && try_alternative(v, limits->not_of, value).errors.count == 0)
        fail_logic(v, "not validate the schema (not)");
    if (--v->alternatives == 0)
        arena_clear(&v->scratch);
}
