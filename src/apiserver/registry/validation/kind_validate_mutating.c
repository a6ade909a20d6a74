/*
 * Validation of MutatingAdmissionPolicies and their bindings. Expressions are not compiled.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"

/* Only what is created or changed can be mutated. Upstream's path has no indices. */
static void validate_mutating_rule(struct kind_validator *v, const struct json_value *rule,
                                   struct str path)
{
    const struct json_value *operation;
    JSON_FOREACH (key, operation, json_path(rule, "operations"))
        field_one_of(v, path, "resourceRules.operations", json_to_str(operation),
                     "*|CONNECT|CREATE|UPDATE");
}

static void validate_mutating_operations(struct kind_validator *v, const struct json_value *about,
                                         struct str path)
{
    const struct json_value *rule;
    JSON_FOREACH (key, rule, json_path(about, "resourceRules"))
        validate_mutating_rule(v, rule, path);
}

void validate_mutating_policy_spec(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    const struct json_value *about = json_path(object, "matchConstraints");
    const struct str reinvocation = json_path_str(object, "reinvocationPolicy");
    if (!about)
        field_required(v, path, "matchConstraints", "");
    else if (json_count(json_path(about, "resourceRules")) == 0)
        field_required(v, path, "matchConstraints.resourceRules", "");
    validate_mutating_operations(v, about, field_path(v, path, "matchConstraints"));
    validate_match_conditions(v, json_path(object, "matchConditions"),
                              field_path(v, path, "matchConditions"));
    if (json_count(json_path(object, "mutations")) == 0)
        field_required(v, path, "mutations", "mutations must contain at least one item");
    if (reinvocation.len == 0)
        field_required(v, path, "reinvocationPolicy", "");
    else
        field_one_of(v, path, "reinvocationPolicy", reinvocation, "IfNeeded|Never");
}

/* A mutation has the member of its type, with an expression, and not the other one. */
static void validate_mutation_member(struct kind_validator *v, const struct json_value *object,
                                     struct str path, const char *member, const char *other)
{
    const struct str type = json_path_str(object, "patchType");
    const struct json_value *own = json_get(object, str_from_c(member));
    if (!own)
        field_required(
            v, path, member,
            arena_print(v->arena, "must be specified when patchType is %.*s", STR_ARG(type)).ptr);
    else if (str_trim(json_path_str(own, "expression")).len == 0)
        field_required(v, field_path(v, path, member), "expression", "");
    if (json_get(object, str_from_c(other)))
        field_errors_add_str(
            v->errors, FIELD_INVALID, field_path(v, path, other),
            arena_print(v->arena, "{%s}", other),
            arena_print(v->arena, "must not be specified when patchType is %.*s", STR_ARG(type)));
}

void validate_policy_mutation(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct str type = json_path_str(object, "patchType");
    if (type.len == 0)
        field_required(v, path, "patchType", "");
    else if (str_eq(type, STR("JSONPatch")))
        validate_mutation_member(v, object, path, "jsonPatch", "applyConfiguration");
    else if (str_eq(type, STR("ApplyConfiguration")))
        validate_mutation_member(v, object, path, "applyConfiguration", "jsonPatch");
    else
        field_one_of(v, path, "patchType", type, "ApplyConfiguration|JSONPatch");
}

void validate_mutating_policy_binding_spec(struct kind_validator *v,
                                           const struct json_value *object, struct str path)
{
    const struct str policy = json_path_str(object, "policyName");
    if (policy.len == 0)
        field_required(v, path, "policyName", "");
    else
        field_syntax(v, path, "policyName", policy, validation_dns1123_subdomain(policy));
    validate_mutating_operations(v, json_path(object, "matchResources"),
                                 field_path(v, path, "matchResources"));
}
