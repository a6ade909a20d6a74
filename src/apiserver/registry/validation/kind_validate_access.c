/*
 * Validation of Roles and bindings, APIServices and PriorityClasses.
 *
 * Roles and ClusterRoles, and their bindings, share functions that differ in is_namespaced.
 * Upstream: validation.go in k8s.io/kubernetes/pkg/apis/rbac and scheduling, and
 * k8s.io/kube-aggregator/pkg/apis/apiregistration/validation.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

static bool is_empty(const struct json_value *object, const char *member)
{
    return json_count(json_path(object, member)) == 0;
}

/*
 * A rule is about resources or about non-resource URLs, not both; the latter exist in ClusterRoles
 * only.
 */
static void validate_policy_rule(struct kind_validator *v, const struct json_value *rule,
                                 struct str path, bool is_namespaced)
{
    const struct json_value *urls = json_path(rule, "nonResourceURLs");
    if (is_empty(rule, "verbs"))
        field_required(v, path, "verbs", "verbs must contain at least one value");
    if (json_count(urls) > 0) {
        if (is_namespaced)
            field_invalid(v, path, "nonResourceURLs", urls,
                          "namespaced rules cannot apply to non-resource URLs");
        if (!is_empty(rule, "apiGroups") || !is_empty(rule, "resources") ||
            !is_empty(rule, "resourceNames"))
            field_invalid(v, path, "nonResourceURLs", urls,
                          "rules cannot apply to both regular resources and non-resource URLs");
        return;
    }
    if (is_empty(rule, "apiGroups"))
        field_required(v, path, "apiGroups", "resource rules must supply at least one api group");
    if (is_empty(rule, "resources"))
        field_required(v, path, "resources", "resource rules must supply at least one resource");
}

static void validate_rules(struct kind_validator *v, const struct json_value *object,
                           bool is_namespaced)
{
    const struct json_value *rule;
    size_t index = 0;
    JSON_FOREACH (key, rule, json_path(object, "rules"))
        validate_policy_rule(v, rule, field_path_index(v, STR("rules"), index++), is_namespaced);
}

void validate_role(struct kind_validator *v, const struct json_value *object, struct str path)
{
    (void)path;
    validate_rules(v, object, true);
}

void validate_cluster_role(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    (void)path;
    validate_rules(v, object, false);
    if (json_path(object, "aggregationRule") &&
        is_empty(object, "aggregationRule.clusterRoleSelectors"))
        field_required(v, STR(""), "aggregationRule.clusterRoleSelectors",
                       "at least one clusterRoleSelector required if aggregationRule is non-nil");
}

/*
 * A ServiceAccount has no API group, and in a ClusterRoleBinding needs a namespace. Users and
 * Groups belong to the group of RBAC.
 */
static void validate_subject(struct kind_validator *v, const struct json_value *subject,
                             struct str path, bool is_namespaced)
{
    const struct str kind = json_path_str(subject, "kind");
    const struct str name = json_path_str(subject, "name");
    const struct str group = json_path_str(subject, "apiGroup");
    if (name.len == 0)
        field_required(v, path, "name", "");
    if (str_eq(kind, STR("User")) || str_eq(kind, STR("Group"))) {
        field_one_of(v, path, "apiGroup", group, RBAC_GROUP);
        return;
    }
    if (!str_eq(kind, STR("ServiceAccount"))) {
        field_one_of(v, path, "kind", kind, "ServiceAccount|User|Group");
        return;
    }
    if (name.len > 0)
        field_syntax(v, path, "name", name, validation_dns1123_subdomain(name));
    field_one_of(v, path, "apiGroup", group, "");
    if (!is_namespaced && json_path_str(subject, "namespace").len == 0)
        field_required(v, path, "namespace", "");
}

/* roleRef is immutable. The message shows the reference as Go's internal type. */
static void add_changed_reference(struct kind_validator *v, const struct json_value *reference)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "APIGroup", json_path_str(reference, "apiGroup"));
    json_builder_add_str(&builder, "Kind", json_path_str(reference, "kind"));
    json_builder_add_str(&builder, "Name", json_path_str(reference, "name"));
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &doc);
    field_invalid(v, STR(""), "roleRef", err ? NULL : json_doc_root(doc), "cannot change roleRef");
    error_free(err);
}

static void validate_binding(struct kind_validator *v, const struct json_value *object,
                             bool is_namespaced)
{
    const struct json_value *reference = json_path(object, "roleRef"), *subject;
    const struct str name = json_path_str(reference, "name");
    size_t index = 0;
    field_one_of(v, STR("roleRef"), "apiGroup", json_path_str(reference, "apiGroup"), RBAC_GROUP);
    field_one_of(v, STR("roleRef"), "kind", json_path_str(reference, "kind"),
                 is_namespaced ? "Role|ClusterRole" : "ClusterRole");
    if (name.len == 0)
        field_required(v, STR("roleRef"), "name", "");
    else
        field_syntax(v, STR("roleRef"), "name", name, validation_path_segment(name));
    JSON_FOREACH (key, subject, json_path(object, "subjects"))
        validate_subject(v, subject, field_path_index(v, STR("subjects"), index++), is_namespaced);
    if (v->old && !json_equal(reference, json_path(v->old, "roleRef")))
        add_changed_reference(v, reference);
}

void validate_role_binding(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    (void)path;
    validate_binding(v, object, true);
}

void validate_cluster_role_binding(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    (void)path;
    validate_binding(v, object, false);
}

/* A positive number up to a maximum; absent counts as 0. */
static void validate_priority(struct kind_validator *v, const struct json_value *spec,
                              const char *member, int64_t most, const char *words)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(spec, member), &number);
    if (number <= 0 || number > most)
        field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, STR("spec"), member), number,
                             str_from_c(words));
}

/* The name of an APIService is made of its version and group. */
void validate_api_service(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct json_value *spec = json_path(object, "spec");
    const struct str group = json_path_str(spec, "group"), version = json_path_str(spec, "version");
    const struct str name = arena_print(v->arena, "%.*s.%.*s", STR_ARG(version), STR_ARG(group));
    (void)path;
    if (!str_eq(json_path_str(object, "metadata.name"), name))
        field_invalid(v, STR(""), "metadata.name", json_path(object, "metadata.name"),
                      arena_print(v->arena, "must be `spec.version+\".\"+spec.group`: \"%.*s\"",
                                  STR_ARG(name))
                          .ptr);
    if (group.len > 0)
        field_syntax(v, STR("spec"), "group", group, validation_dns1123_subdomain(group));
    field_syntax(v, STR("spec"), "version", version, validation_dns1035_label(version));
    validate_priority(v, spec, "groupPriorityMinimum", 20000,
                      "must be positive and less than 20000");
    validate_priority(v, spec, "versionPriority", 1000, "must be positive and less than 1000");
}

/* It does not change, so that an update compares it and looks no further. */
static void validate_preemption_policy(struct kind_validator *v, const struct json_value *policy)
{
    if (!policy || v->old)
        return;
    if (json_to_str(policy).len == 0)
        field_required(v, STR(""), "preemptionPolicy", "");
    else
        field_one_of(v, STR(""), "preemptionPolicy", json_to_str(policy),
                     "PreemptLowerPriority|Never");
}

/* The prefix "system-" is reserved for two names; only these may have values above 1000000000. */
void validate_priority_class(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct str name = json_path_str(object, "metadata.name");
    int64_t value = 0;
    (void)path;
    (void)json_to_int64(json_path(object, "value"), &value);
    validate_preemption_policy(v, json_path(object, "preemptionPolicy"));
    if (str_starts_with(name, STR("system-"))) {
        if (!str_eq(name, STR("system-node-critical")) &&
            !str_eq(name, STR("system-cluster-critical")))
            field_forbidden(v, STR(""), "metadata.name",
                            "priority class names with 'system-' prefix are reserved for system "
                            "use only. error: is not a known system priority class");
    } else if (value > 1000000000) {
        field_forbidden(v, STR(""), "value",
                        "maximum allowed value of a user defined priority is 1000000000");
    }
}
