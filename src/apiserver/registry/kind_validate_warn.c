/*
 * Warnings about objects that are valid but will not work. Upstream: Warnings functions in
 * strategy.go. Those of ResourceQuotas and of what is written in CEL are our own: Kubernetes
 * enforces more.
 */
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/quota_resource.h"
#include "apiserver/registry/quota_scope.h"
#include "apiserver/types/go_types.h"
#include "base/base64.h"
#include "json/path.h"

/* Whether the value of a key contains a PEM block. The content of the block is not checked. */
static bool has_pem(const struct json_value *secret, struct str key)
{
    SCOPED(buf) bytes = {.secret = true};
    error_free(base64_decode(&bytes, json_to_str(json_get(json_path(secret, "data"), key))));
    const struct str text = buf_str(&bytes);
    const size_t begin = str_find(text, STR("-----BEGIN "));
    return begin != STR_NONE && str_contains(str_skip(text, begin), STR("-----END "));
}

static void warn_of_quota(const struct json_value *quota, struct json_warnings *warnings)
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

/* What a headless Service has no use for. Upstream writes SessionAffinity with a capital letter. */
static void warn_of_headless_service(const struct json_value *spec, struct json_warnings *warnings)
{
    if (json_path_str(spec, "loadBalancerIP").len)
        json_warn(warnings, STR("spec.loadBalancerIP is ignored for headless services"));
    if (json_count(json_path(spec, "externalIPs")))
        json_warn(warnings, STR("spec.externalIPs is ignored for headless services"));
    if (!str_eq(json_path_str(spec, "sessionAffinity"), STR("None")))
        json_warn(warnings, STR("spec.SessionAffinity is ignored for headless services"));
}

/*
 * Upstream: GetWarningsForService() in k8s.io/kubernetes/pkg/api/service/warnings.go. Other forms
 * of an address than the usual are not warned about here.
 */
static void warn_of_service(const struct json_value *service, struct json_warnings *warnings)
{
    const struct json_value *spec = json_path(service, "spec");
    const struct str type = json_path_str(spec, "type");
    const bool is_name = str_eq(type, STR("ExternalName"));
    const bool is_headless =
        str_eq(type, STR("ClusterIP")) && str_eq(json_path_str(spec, "clusterIP"), STR("None"));
    const bool has_addresses = json_count(json_path(spec, "externalIPs")) > 0;
    if (json_get(json_path(service, "metadata.annotations"),
                 STR("service.kubernetes.io/topology-aware-hints")))
        json_warn(warnings,
                  STR("annotation service.kubernetes.io/topology-aware-hints is deprecated, please "
                      "use service.kubernetes.io/topology-mode instead"));
    if (is_headless)
        warn_of_headless_service(spec, warnings);
    if (has_addresses && !is_headless && !is_name)
        json_warn(warnings,
                  STR("spec.externalIPs is deprecated and may no longer be implemented in "
                      "some clusters"));
    if (has_addresses && is_name)
        json_warn(warnings, STR("spec.externalIPs is ignored when spec.type is \"ExternalName\""));
    if (!is_name && json_path_str(spec, "externalName").len)
        json_warn(warnings,
                  STR("spec.externalName is ignored when spec.type is not \"ExternalName\""));
    if (str_eq(json_path_str(spec, "trafficDistribution"), STR("PreferClose")))
        json_warn(warnings, STR("spec.trafficDistribution: \"PreferClose\" is deprecated; use "
                                "\"PreferSameZone\""));
}

void kind_builtin_warn(const struct kind *kind, const struct json_value *object,
                       struct json_warnings *warnings)
{
    if (is_policy(kind->type))
        json_warn(warnings, arena_print(warnings->arena,
                                        "%.*s: these objects are stored, but policies are not "
                                        "enforced by this server",
                                        STR_ARG(kind->gvk.kind)));
    if (kind->type == &type_service)
        warn_of_service(object, warnings);
    if (kind->type == &type_resource_quota)
        warn_of_quota(object, warnings);
    if (kind->type == &type_validating_webhook_configuration ||
        kind->type == &type_mutating_webhook_configuration)
        warn_of_conditions(object, warnings);
    if (kind->type != &type_secret ||
        !str_eq(json_path_str(object, "type"), STR("kubernetes.io/tls")))
        return;
    if (!has_pem(object, STR("tls.crt")))
        json_warn(warnings, STR("tls: failed to find any PEM data in certificate input"));
    else if (!has_pem(object, STR("tls.key")))
        json_warn(warnings, STR("tls: failed to find any PEM data in key input"));
}
