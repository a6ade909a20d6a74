/*
 * Validation of where a Pod may run: affinity to Nodes and Pods, tolerations, and the spread over
 * topologies.
 *
 * Upstream: validateAffinity(), ValidateTolerations() and validateTopologySpreadConstraints() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

void validate_pod_selector(struct kind_validator *v, const struct json_value *object,
                           struct str path, const char *member)
{
    const struct json_value *selector = json_path(object, member);
    const struct str place = field_path(v, path, member);
    if (!selector)
        return;
    validate_label_selector(v, selector, place);
    field_apply_each(v, selector, place, "matchExpressions", validate_label_requirement);
}

static void validate_weight(struct kind_validator *v, const struct json_value *term,
                            struct str path)
{
    int64_t weight = 0;
    (void)json_to_int64(json_path(term, "weight"), &weight);
    if (weight < 1 || weight > 100)
        field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, path, "weight"), weight,
                             STR("must be in the range 1-100"));
}

static void validate_node_preference(struct kind_validator *v, const struct json_value *term,
                                     struct str path)
{
    validate_weight(v, term, path);
    field_apply(v, term, path, "preference", validate_node_selector_term);
}

static void validate_node_affinity(struct kind_validator *v, const struct json_value *affinity,
                                   struct str path)
{
    const struct json_value *nodes =
        json_path(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
    const struct str place = field_path(v, path, "requiredDuringSchedulingIgnoredDuringExecution");
    if (nodes && json_count(json_path(nodes, "nodeSelectorTerms")) == 0)
        field_required(v, place, "nodeSelectorTerms", "must have at least one node selector term");
    field_apply_each(v, nodes, place, "nodeSelectorTerms", validate_node_selector_term);
    field_apply_each(v, affinity, path, "preferredDuringSchedulingIgnoredDuringExecution",
                     validate_node_preference);
}

/* Without a selector to which they could be added, one error is told for all keys. */
static void validate_keys(struct kind_validator *v, const struct json_value *object,
                          struct str path, const char *member)
{
    const struct str list = field_path(v, path, member);
    const struct json_value *label;
    size_t index = 0;
    if (json_count(json_path(object, member)) == 0)
        return;
    if (!json_path(object, "labelSelector")) {
        field_forbidden(v, list, NULL, "must not be specified when labelSelector is not set");
        return;
    }
    JSON_FOREACH (key, label, json_path(object, member))
        field_syntax(v, field_path_index(v, list, index++), NULL, json_to_str(label),
                     validation_label_key(json_to_str(label)));
}

/* The index of the last of the keys that is this one; false when none is. */
static bool find_key(const struct json_value *keys, struct str wanted, size_t *ret_index)
{
    const struct json_value *label;
    size_t index = 0;
    bool is_found = false;
    JSON_FOREACH (key, label, keys) {
        if (str_eq(json_to_str(label), wanted)) {
            *ret_index = index;
            is_found = true;
        }
        index++;
    }
    return is_found;
}

/* Upstream's path is the index alone. */
static void validate_key_once(struct kind_validator *v, struct map *seen,
                              const struct json_value *keys, struct str label, struct str path)
{
    size_t index;
    if (map_has(seen, label) && find_key(keys, label, &index))
        field_invalid_text(v, field_path_index(v, path, index), NULL, label,
                           "exists in both matchLabelKeys and labelSelector");
    map_put(seen, label, NULL);
}

/*
 * A key is in the selector once. That of a new Pod has got the keys of labels that the Pod has, by
 * upstream's strategy.
 */
static void validate_keys_of_selector(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    static const char *const lists[] = {"matchLabelKeys", "mismatchLabelKeys"};
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *keys = json_path(object, lists[0]), *value;
    const struct json_value *labels = v->old ? NULL : json_path(v->pod->meta, "labels");
    if (json_count(keys) == 0 || !json_path(object, "labelSelector"))
        return;
    JSON_FOREACH (label, value, json_path(object, "labelSelector.matchLabels"))
        map_put(&seen, label, NULL);
    JSON_FOREACH (key, value, json_path(object, "labelSelector.matchExpressions"))
        validate_key_once(v, &seen, keys, json_path_str(value, "key"), path);
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, value, json_path(object, lists[i]))
            if (json_get(labels, json_to_str(value)))
                validate_key_once(v, &seen, keys, json_to_str(value), path);
}

void validate_label_keys(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) others = {.release = NULL};
    const struct str list = field_path(v, path, "matchLabelKeys");
    const struct json_value *label;
    size_t index = 0;
    validate_keys(v, object, path, "matchLabelKeys");
    validate_keys(v, object, path, "mismatchLabelKeys");
    validate_keys_of_selector(v, object, path);
    JSON_FOREACH (key, label, json_path(object, "mismatchLabelKeys"))
        map_put(&others, json_to_str(label), NULL);
    JSON_FOREACH (key, label, json_path(object, "matchLabelKeys")) {
        const struct str place = field_path_index(v, list, index++);
        if (map_has(&others, json_to_str(label)))
            field_invalid_text(v, place, NULL, json_to_str(label),
                               "exists in both matchLabelKeys and mismatchLabelKeys");
    }
}

/* An empty topologyKey is told of as missing and as no key. */
static void validate_pod_term(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct str topology = json_path_str(object, "topologyKey");
    const struct json_value *namespace;
    validate_pod_selector(v, object, path, "labelSelector");
    validate_pod_selector(v, object, path, "namespaceSelector");
    JSON_FOREACH (key, namespace, json_path(object, "namespaces"))
        field_syntax(v, path, "namespace", json_to_str(namespace),
                     validation_dns1123_label(json_to_str(namespace)));
    validate_label_keys(v, object, path);
    if (topology.len == 0)
        field_required(v, path, "topologyKey", "can not be empty");
    field_syntax(v, path, "topologyKey", topology, validation_label_key(topology));
}

static void validate_weighted_term(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    validate_weight(v, object, path);
    field_apply(v, object, path, "podAffinityTerm", validate_pod_term);
}

static void validate_pod_affinity(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    field_apply_each(v, object, path, "requiredDuringSchedulingIgnoredDuringExecution",
                     validate_pod_term);
    field_apply_each(v, object, path, "preferredDuringSchedulingIgnoredDuringExecution",
                     validate_weighted_term);
}

void validate_affinity(struct kind_validator *v, const struct json_value *object, struct str path)
{
    field_apply(v, object, path, "nodeAffinity", validate_node_affinity);
    field_apply(v, object, path, "podAffinity", validate_pod_affinity);
    field_apply(v, object, path, "podAntiAffinity", validate_pod_affinity);
}

static void validate_toleration_key(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    const struct str op = json_path_str(object, "operator"), label = json_path_str(object, "key");
    if (label.len)
        field_syntax(v, path, "key", label, validation_label_key(label));
    else if (!str_eq(op, STR("Exists")))
        field_invalid_text(v, path, "operator", op,
                           "operator must be Exists when `key` is empty, which means \"match all "
                           "values and all keys\"");
}

/* Upstream quotes the value at the operator. */
static void validate_toleration_value(struct kind_validator *v, struct str value, struct str path)
{
    const struct validation found = validation_label_value(value);
    SCOPED(buf) words = {.limit = 0};
    for (size_t i = 0; i < found.count; i++)
        buf_print(&words, "%s%.*s", i ? ";" : "", STR_ARG(found.messages[i]));
    if (found.count)
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "operator"), value,
                             buf_str(&words));
}

/* Lt and Gt are known, but the feature is off. */
static void validate_toleration_operator(struct kind_validator *v, const struct json_value *object,
                                         struct str path)
{
    const struct str op = json_path_str(object, "operator");
    const struct str value = json_path_str(object, "value");
    if (op.len == 0 || str_eq(op, STR("Equal")))
        validate_toleration_value(v, value, path);
    else if (field_is_one_of(op, "Lt|Gt"))
        field_not_supported(v, path, "operator", op, "Equal|Exists|Lt|Gt");
    else if (!str_eq(op, STR("Exists")))
        field_one_of(v, path, "operator", op, "Equal|Exists");
    else if (value.len)
        field_invalid_text(v, path, "operator", value,
                           "value must be empty when `operator` is 'Exists'");
}

void validate_toleration(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str effect = json_path_str(object, "effect");
    validate_toleration_key(v, object, path);
    if (json_path(object, "tolerationSeconds") && !str_eq(effect, STR("NoExecute")))
        field_invalid_text(v, path, "effect", effect,
                           "effect must be 'NoExecute' when `tolerationSeconds` is set");
    validate_toleration_operator(v, object, path);
    if (effect.len)
        field_one_of(v, path, "effect", effect, "NoSchedule|PreferNoSchedule|NoExecute");
}

#define BOTH "{topologyKey, whenUnsatisfiable}"

static struct str pair_of(struct kind_validator *v, const struct json_value *constraint)
{
    return arena_print(v->arena, "{%.*s, %.*s}", STR_ARG(json_path_str(constraint, "topologyKey")),
                       STR_ARG(json_path_str(constraint, "whenUnsatisfiable")));
}

static void validate_min_domains(struct kind_validator *v, const struct json_value *constraint,
                                 struct str path)
{
    const struct json_value *count = json_path(constraint, "minDomains");
    const struct str action = json_path_str(constraint, "whenUnsatisfiable");
    int64_t number;
    if (json_to_int64(count, &number) && number <= 0)
        field_invalid(v, path, "minDomains", count, "must be greater than zero");
    if (count && !str_eq(action, STR("DoNotSchedule")))
        field_invalid(v, path, "minDomains", count,
                      arena_print(v->arena,
                                  "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
                                  "%.*s",
                                  STR_ARG(action))
                          .ptr);
}

/* rest counts the constraints of each pair that were not looked at yet. */
static void validate_constraint(struct kind_validator *v, struct map *rest,
                                const struct json_value *constraint, struct str path)
{
    const struct str action = json_path_str(constraint, "whenUnsatisfiable");
    const struct str pair = pair_of(v, constraint);
    size_t *left = map_find(rest, pair);
    int64_t skew = 0;
    if (!json_to_int64(json_path(constraint, "maxSkew"), &skew) || skew <= 0)
        field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, path, "maxSkew"), skew,
                             STR("must be greater than zero"));
    if (json_path_str(constraint, "topologyKey").len == 0)
        field_required(v, path, "topologyKey", "can not be empty");
    field_one_of(v, path, "whenUnsatisfiable", action, "DoNotSchedule|ScheduleAnyway");
    if (--*left > 0)
        field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path(v, path, BOTH), pair, STR(""));
    validate_min_domains(v, constraint, path);
    field_may_be_one_of(v, constraint, path, "nodeAffinityPolicy", "Honor|Ignore");
    field_may_be_one_of(v, constraint, path, "nodeTaintsPolicy", "Honor|Ignore");
    validate_label_keys(v, constraint, path);
    validate_pod_selector(v, constraint, path, "labelSelector");
}

/* Of several constraints with the same topology and action all but the last are told of. */
void validate_spread(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) rest = {.release = NULL};
    const struct str list = field_path(v, path, "topologySpreadConstraints");
    const struct json_value *constraints = json_path(object, "topologySpreadConstraints");
    const struct json_value *constraint;
    size_t index = 0;
    JSON_FOREACH (key, constraint, constraints) {
        const struct str pair = pair_of(v, constraint);
        size_t *count = map_find(&rest, pair);
        if (!count) {
            count = ARENA_NEW(v->arena, size_t);
            *count = 0;
            map_put(&rest, pair, count);
        }
        *count += 1;
    }
    JSON_FOREACH (key, constraint, constraints)
        validate_constraint(v, &rest, constraint, field_path_index(v, list, index++));
}
