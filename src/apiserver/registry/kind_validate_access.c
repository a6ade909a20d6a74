/*
 * Roles and bindings, webhooks, API services, priority classes.
 */
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

static bool is_empty(const struct json_value *object, const char *member)
{
    return json_count(json_path(object, member)) == 0;
}

static void judge_policy_rule(struct judge *judge, const struct json_value *rule, struct str path,
                              bool is_namespaced)
{
    const struct json_value *urls = json_path(rule, "nonResourceURLs");
    if (is_empty(rule, "verbs"))
        judge_required(judge, path, "verbs", "verbs must contain at least one value");
    if (json_count(urls) > 0) {
        if (is_namespaced)
            judge_invalid(judge, path, "nonResourceURLs", urls,
                          "namespaced rules cannot apply to non-resource URLs");
        if (!is_empty(rule, "apiGroups") || !is_empty(rule, "resources") ||
            !is_empty(rule, "resourceNames"))
            judge_invalid(judge, path, "nonResourceURLs", urls,
                          "rules cannot apply to both regular resources and non-resource URLs");
        return;
    }
    if (is_empty(rule, "apiGroups"))
        judge_required(judge, path, "apiGroups",
                       "resource rules must supply at least one api group");
    if (is_empty(rule, "resources"))
        judge_required(judge, path, "resources",
                       "resource rules must supply at least one resource");
}

static void judge_rules(struct judge *judge, const struct json_value *object, bool is_namespaced)
{
    const struct json_value *rule;
    size_t index = 0;
    JSON_FOREACH (key, rule, json_path(object, "rules"))
        judge_policy_rule(judge, rule, judge_item(judge, STR("rules"), index++), is_namespaced);
}

void judge_role(struct judge *judge, const struct json_value *object, struct str path)
{
    (void)path;
    judge_rules(judge, object, true);
}

void judge_cluster_role(struct judge *judge, const struct json_value *object, struct str path)
{
    (void)path;
    judge_rules(judge, object, false);
    if (json_path(object, "aggregationRule") &&
        is_empty(object, "aggregationRule.clusterRoleSelectors"))
        judge_required(judge, STR(""), "aggregationRule.clusterRoleSelectors",
                       "at least one clusterRoleSelector required if aggregationRule is non-nil");
}

static void judge_subject(struct judge *judge, const struct json_value *subject, struct str path,
                          bool is_namespaced)
{
    const struct str kind = json_path_str(subject, "kind");
    const struct str name = json_path_str(subject, "name");
    const struct str group = json_path_str(subject, "apiGroup");
    if (name.len == 0)
        judge_required(judge, path, "name", "");
    if (str_eq(kind, STR("User")) || str_eq(kind, STR("Group"))) {
        judge_one_of(judge, path, "apiGroup", group, RBAC_GROUP);
        return;
    }
    if (!str_eq(kind, STR("ServiceAccount"))) {
        judge_one_of(judge, path, "kind", kind, "ServiceAccount|User|Group");
        return;
    }
    if (name.len > 0)
        judge_syntax(judge, path, "name", name, validation_dns1123_subdomain(name));
    judge_one_of(judge, path, "apiGroup", group, "");
    if (!is_namespaced && json_path_str(subject, "namespace").len == 0)
        judge_required(judge, path, "namespace", "");
}

/* Upstream shows the internal type. */
static void add_changed_reference(struct judge *judge, const struct json_value *reference)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "APIGroup", json_path_str(reference, "apiGroup"));
    json_builder_add_str(&builder, "Kind", json_path_str(reference, "kind"));
    json_builder_add_str(&builder, "Name", json_path_str(reference, "name"));
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &doc);
    judge_invalid(judge, STR(""), "roleRef", err ? NULL : json_doc_root(doc),
                  "cannot change roleRef");
    error_free(err);
}

static void judge_binding(struct judge *judge, const struct json_value *object, bool is_namespaced)
{
    const struct json_value *reference = json_path(object, "roleRef"), *subject;
    const struct str name = json_path_str(reference, "name");
    size_t index = 0;
    judge_one_of(judge, STR("roleRef"), "apiGroup", json_path_str(reference, "apiGroup"),
                 RBAC_GROUP);
    judge_one_of(judge, STR("roleRef"), "kind", json_path_str(reference, "kind"),
                 is_namespaced ? "Role|ClusterRole" : "ClusterRole");
    if (name.len == 0)
        judge_required(judge, STR("roleRef"), "name", "");
    else
        judge_syntax(judge, STR("roleRef"), "name", name, validation_path_segment(name));
    JSON_FOREACH (key, subject, json_path(object, "subjects"))
        judge_subject(judge, subject, judge_item(judge, STR("subjects"), index++), is_namespaced);
    if (judge->old && !json_equal(reference, json_path(judge->old, "roleRef")))
        add_changed_reference(judge, reference);
}

void judge_role_binding(struct judge *judge, const struct json_value *object, struct str path)
{
    (void)path;
    judge_binding(judge, object, true);
}

void judge_cluster_role_binding(struct judge *judge, const struct json_value *object,
                                struct str path)
{
    (void)path;
    judge_binding(judge, object, false);
}

static size_t count_dots(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '.';
    return count;
}

static void judge_webhook_name(struct judge *judge, const struct json_value *object,
                               struct str path)
{
    const struct str name = json_path_str(object, "name");
    if (name.len == 0) {
        judge_required(judge, path, "name", "");
        return;
    }
    const struct validation found = validation_dns1123_subdomain(name);
    judge_syntax(judge, path, "name", name, found);
    if (found.count == 0 && count_dots(name) < 2)
        judge_invalid(judge, path, "name", json_path(object, "name"),
                      "should be a domain with at least three segments separated by dots");
}

static void judge_client_config(struct judge *judge, const struct json_value *object,
                                struct str path)
{
    const struct json_value *config = json_path(object, "clientConfig");
    const struct json_value *service = json_path(config, "service");
    const struct str place = judge_path(judge, path, "clientConfig");
    if ((json_path(config, "url") != NULL) == (service != NULL))
        judge_required(judge, place, NULL, "exactly one of url or service is required");
    if (service && json_path_str(service, "name").len == 0)
        judge_required(judge, place, "service.name", "service name is required");
    if (service && json_path_str(service, "namespace").len == 0)
        judge_required(judge, place, "service.namespace", "service namespace is required");
}

void judge_webhook(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *seconds = json_path(object, "timeoutSeconds");
    const struct str effects = json_path_str(object, "sideEffects");
    int64_t number;
    judge_webhook_name(judge, object, path);
    judge_client_config(judge, object, path);
    if (is_empty(object, "admissionReviewVersions"))
        judge_required(judge, path, "admissionReviewVersions", "must specify one of v1, v1beta1");
    if (effects.len == 0)
        judge_required(judge, path, "sideEffects", "must specify one of None, NoneOnDryRun");
    else
        judge_one_of(judge, path, "sideEffects", effects, "None|NoneOnDryRun");
    if (json_to_int64(seconds, &number) && (number < 1 || number > 30))
        judge_invalid(judge, path, "timeoutSeconds", seconds,
                      "the timeout value must be between 1 and 30 seconds");
}

static void judge_priority(struct judge *judge, const struct json_value *spec, const char *member,
                           int64_t most, const char *words)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(spec, member), &number);
    if (number <= 0 || number > most)
        field_errors_add_int(judge->errors, FIELD_INVALID, judge_path(judge, STR("spec"), member),
                             number, str_from_c(words));
}

void judge_api_service(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *spec = json_path(object, "spec");
    const struct str group = json_path_str(spec, "group"), version = json_path_str(spec, "version");
    const struct str name =
        arena_print(judge->arena, "%.*s.%.*s", STR_ARG(version), STR_ARG(group));
    (void)path;
    if (!str_eq(json_path_str(object, "metadata.name"), name))
        judge_invalid(judge, STR(""), "metadata.name", json_path(object, "metadata.name"),
                      arena_print(judge->arena, "must be `spec.version+\".\"+spec.group`: \"%.*s\"",
                                  STR_ARG(name))
                          .ptr);
    if (group.len > 0)
        judge_syntax(judge, STR("spec"), "group", group, validation_dns1123_subdomain(group));
    judge_syntax(judge, STR("spec"), "version", version, validation_dns1035_label(version));
    judge_priority(judge, spec, "groupPriorityMinimum", 20000,
                   "must be positive and less than 20000");
    judge_priority(judge, spec, "versionPriority", 1000, "must be positive and less than 1000");
}

void judge_priority_class(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str name = json_path_str(object, "metadata.name");
    int64_t value = 0;
    (void)path;
    (void)json_to_int64(json_path(object, "value"), &value);
    if (str_starts_with(name, STR("system-"))) {
        if (!str_eq(name, STR("system-node-critical")) &&
            !str_eq(name, STR("system-cluster-critical")))
            judge_forbidden(judge, STR(""), "metadata.name",
                            "priority class names with 'system-' prefix are reserved for system "
                            "use only. error: is not a known system priority class");
    } else if (value > 1000000000) {
        judge_forbidden(judge, STR(""), "value",
                        "maximum allowed value of a user defined priority is 1000000000");
    }
}
