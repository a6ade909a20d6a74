#include "clusterresourceset/set_policy.h"

#include "apimachinery/validation.h"
#include "clusterresourceset/types/crs_spec.h"

/* Why the policy cannot be followed, for people. */
static struct str explain_failure(struct arena *arena, struct key policy, const struct error *err)
{
    if (error_is(err, ERROR_NOT_FOUND))
        return arena_print(arena, "DeliveryPolicy %.*s/%.*s does not exist",
                           STR_ARG(policy.namespace), STR_ARG(policy.name));
    return arena_print(
        arena, "DeliveryPolicy %.*s/%.*s %s: %s", STR_ARG(policy.namespace), STR_ARG(policy.name),
        error_is(err, ERROR_INVALID) ? "is not valid" : "cannot be read", err->message);
}

struct error *set_policy_find(const struct object *set, struct plan *plan,
                              const struct set_policy_reader *reader, struct arena *arena,
                              struct str *ret_problem)
{
    const struct key key = {object_namespace(set), crs_policy_name(set)};
    OWNED(delivery_policy) policy = NULL;
    *ret_problem = STR("");
    if (!crs_has_policy(set))
        return NULL;
    if (!validation_is_ok(validation_dns1123_subdomain(key.name))) {
        *ret_problem = arena_print(arena,
                                   "the annotation " CRS_POLICY_ANNOTATION
                                   " is not the name of a DeliveryPolicy: \"%.*s\"",
                                   STR_ARG(key.name));
        return NULL;
    }
    if (plan_spec(plan)->strategy != RESOURCE_RECONCILE) {
        *ret_problem = arena_print(
            arena, "DeliveryPolicy %.*s/%.*s is for the strategy Reconcile, and the set has %.*s",
            STR_ARG(key.namespace), STR_ARG(key.name), STR_ARG(plan_spec(plan)->strategy_text));
        return NULL;
    }
    OWNED(error) err = reader->read(reader->data, key, &policy);
    if (err) {
        const bool may_pass = !error_is(err, ERROR_NOT_FOUND) && !error_is(err, ERROR_INVALID);
        *ret_problem = explain_failure(arena, key, err);
        return may_pass ? error_new(ERROR_UNKNOWN, "%.*s", STR_ARG(*ret_problem)) : NULL;
    }
    plan_set_policy(plan, TAKE(policy));
    return NULL;
}
