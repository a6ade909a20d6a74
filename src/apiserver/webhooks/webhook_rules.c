#include "apiserver/webhooks/webhook_rules.h"

#include "json/path.h"

static bool has_or_wildcard(const struct json_value *list, struct str wanted)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list) {
        const struct str text = json_to_str(item);
        if (str_eq(text, STR("*")) || str_eq(text, wanted))
            return true;
    }
    return false;
}

static bool scope_matches(const struct json_value *rule, bool namespaced)
{
    const struct str scope = json_path_str(rule, "scope");
    if (scope.len == 0 || str_eq(scope, STR("*")))
        return true;
    return str_eq(scope, namespaced ? STR("Namespaced") : STR("Cluster"));
}

/* A resource without a slash means the object alone, and none of its subresources. */
static bool resource_matches(const struct json_value *rule,
                             const struct webhook_attributes *attributes)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(rule, "resources")) {
        struct str subresource = json_to_str(item), resource;
        (void)str_cut(&subresource, '/', &resource);
        if ((str_eq(resource, STR("*")) || str_eq(resource, attributes->resource.resource)) &&
            (str_eq(subresource, STR("*")) || str_eq(subresource, attributes->subresource)))
            return true;
    }
    return false;
}

bool webhook_rules_match(const struct json_value *rules,
                         const struct webhook_attributes *attributes)
{
    const struct json_value *rule;
    JSON_FOREACH (key, rule, rules)
        if (scope_matches(rule, attributes->namespaced) &&
            has_or_wildcard(json_path(rule, "operations"), attributes->operation) &&
            has_or_wildcard(json_path(rule, "apiGroups"), attributes->resource.group) &&
            has_or_wildcard(json_path(rule, "apiVersions"), attributes->resource.version) &&
            resource_matches(rule, attributes))
            return true;
    return false;
}

bool webhook_rules_exempt(struct gvr resource)
{
    static const struct str exempt[] = {
        STR_INIT("validatingwebhookconfigurations"), STR_INIT("mutatingwebhookconfigurations"),
        STR_INIT("validatingadmissionpolicies"),     STR_INIT("validatingadmissionpolicybindings"),
        STR_INIT("mutatingadmissionpolicies"),       STR_INIT("mutatingadmissionpolicybindings"),
    };
    if (!str_eq(resource.group, STR("admissionregistration.k8s.io")))
        return false;
    for (size_t i = 0; i < COUNT(exempt); i++)
        if (str_eq(resource.resource, exempt[i]))
            return true;
    return false;
}
