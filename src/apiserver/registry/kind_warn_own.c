/*
 * Warnings of our own, about what is stored and not enforced by this server: parts of
 * ResourceQuotas, and what is written in CEL. kube-apiserver enforces it.
 */
#include "apiserver/registry/kind_warn_internal.h"
#include "apiserver/registry/quota_resource.h"
#include "apiserver/registry/quota_scope.h"

static void warn_of_unenforced_quota(const struct json_value *quota, struct json_warnings *warnings)
{
    const struct json_value *value;
    if (!quota_scope_is_enforced(quota))
        json_warn(warnings, STR("spec.scopes: a quota with the scope VolumeAttributesClass is not "
                                "enforced by this server"));
    JSON_FOREACH (key, value, json_path(quota, "spec.hard"))
        if (!quota_resource_find(key).stored_as.len)
            json_warn(warnings, arena_print(warnings->arena,
                                            "spec.hard[%.*s]: this resource is not enforced by "
                                            "this server",
                                            STR_ARG(key)));
}

static void warn_of_conditions(const struct json_value *configuration,
                               struct json_warnings *warnings)
{
    const struct json_value *webhook;
    size_t index = 0;
    JSON_FOREACH (key, webhook, json_path(configuration, "webhooks")) {
        if (json_count(json_path(webhook, "matchConditions")))
            json_warn(warnings, arena_print(warnings->arena,
                                            "webhooks[%zu].matchConditions: conditions are not "
                                            "evaluated by this server; what the rules match is "
                                            "refused or let through, as failurePolicy says",
                                            index));
        index++;
    }
}

/* Policies and what binds them, which is nothing without them. */
static bool is_policy(const struct go_type *type)
{
    return type == &type_validating_admission_policy ||
           type == &type_validating_admission_policy_binding ||
           type == &type_mutating_admission_policy ||
           type == &type_mutating_admission_policy_binding;
}

void warn_of_unenforced(struct kind_warner *w)
{
    const struct go_type *type = w->kind->type;
    if (is_policy(type))
        json_warn(w->warnings, arena_print(w->arena,
                                           "%.*s: these objects are stored, but policies are not "
                                           "enforced by this server",
                                           STR_ARG(w->kind->gvk.kind)));
    if (type == &type_resource_quota)
        warn_of_unenforced_quota(w->object, w->warnings);
    if (type == &type_validating_webhook_configuration ||
        type == &type_mutating_webhook_configuration)
        warn_of_conditions(w->object, w->warnings);
}
