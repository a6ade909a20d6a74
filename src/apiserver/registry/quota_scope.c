#include "apiserver/registry/quota_scope.h"

#include "json/path.h"

static bool is_terminating(const struct json_value *pod)
{
    int64_t seconds;
    return json_to_int64(json_path(pod, "spec.activeDeadlineSeconds"), &seconds) && seconds >= 0;
}

static bool is_not_terminating(const struct json_value *pod)
{
    return !is_terminating(pod);
}

static bool is_best_effort(const struct json_value *pod)
{
    return str_eq(json_path_str(pod, "status.qosClass"), STR("BestEffort"));
}

static bool is_not_best_effort(const struct json_value *pod)
{
    return !is_best_effort(pod);
}

static bool has_priority_class(const struct json_value *pod)
{
    return json_path_str(pod, "spec.priorityClassName").len;
}

static bool looks_at_other_namespaces(const struct json_value *term)
{
    return json_count(json_path(term, "namespaces")) || json_path(term, "namespaceSelector");
}

static bool is_attracted_across_namespaces(const struct json_value *pod)
{
    static const char *const lists[] = {"podAffinity", "podAntiAffinity"};
    const struct json_value *affinity = json_path(pod, "spec.affinity"), *term;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json_value *list = json_get(affinity, str_from_c(lists[i]));
        JSON_FOREACH (key, term, json_path(list, "requiredDuringSchedulingIgnoredDuringExecution"))
            if (looks_at_other_namespaces(term))
                return true;
        JSON_FOREACH (key, term, json_path(list, "preferredDuringSchedulingIgnoredDuringExecution"))
            if (looks_at_other_namespaces(json_path(term, "podAffinityTerm")))
                return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*matches)(const struct json_value *pod);
} scopes[] = {
    {"Terminating",               is_terminating                },
    {"NotTerminating",            is_not_terminating            },
    {"BestEffort",                is_best_effort                },
    {"NotBestEffort",             is_not_best_effort            },
    {"PriorityClass",             has_priority_class            },
    {"CrossNamespacePodAffinity", is_attracted_across_namespaces},
};

static bool is_known(struct str name)
{
    for (size_t i = 0; i < COUNT(scopes); i++)
        if (str_eq(name, str_from_c(scopes[i].name)))
            return true;
    return false;
}

static bool matches_scope(struct str name, const struct json_value *pod)
{
    for (size_t i = 0; i < COUNT(scopes); i++)
        if (str_eq(name, str_from_c(scopes[i].name)))
            return scopes[i].matches(pod);
    return false;
}

static bool is_among(struct str text, const struct json_value *values)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, values)
        if (str_eq(json_to_str(value), text))
            return true;
    return false;
}

/* Only the PriorityClass has other operators than Exists. A Pod without one is in no list. */
static bool matches_requirement(const struct json_value *requirement, const struct json_value *pod)
{
    const struct str op = json_path_str(requirement, "operator");
    const struct json_value *values = json_path(requirement, "values");
    const struct str class = json_path_str(pod, "spec.priorityClassName");
    if (str_eq(op, STR("Exists")))
        return matches_scope(json_path_str(requirement, "scopeName"), pod);
    if (!str_eq(json_path_str(requirement, "scopeName"), STR("PriorityClass")))
        return false;
    if (str_eq(op, STR("In")))
        return class.len && is_among(class, values);
    if (str_eq(op, STR("NotIn")))
        return !class.len || !is_among(class, values);
    return !class.len;
}

bool quota_scope_has_any(const struct json_value *quota)
{
    return json_count(json_path(quota, "spec.scopes")) ||
           json_count(json_path(quota, "spec.scopeSelector.matchExpressions"));
}

bool quota_scope_is_enforced(const struct json_value *quota)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(quota, "spec.scopes"))
        if (!is_known(json_to_str(item)))
            return false;
    JSON_FOREACH (key, item, json_path(quota, "spec.scopeSelector.matchExpressions"))
        if (!is_known(json_path_str(item, "scopeName")))
            return false;
    return true;
}

bool quota_scope_matches(const struct json_value *quota, struct str stored_as,
                         const struct json_value *object)
{
    const struct json_value *item;
    if (quota_scope_has_any(quota) && !str_eq(stored_as, STR("pods")))
        return false;
    JSON_FOREACH (key, item, json_path(quota, "spec.scopes"))
        if (!matches_scope(json_to_str(item), object))
            return false;
    JSON_FOREACH (key, item, json_path(quota, "spec.scopeSelector.matchExpressions"))
        if (!matches_requirement(item, object))
            return false;
    return true;
}
