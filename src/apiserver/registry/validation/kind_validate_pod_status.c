/*
 * Validation of the status of Pods.
 *
 * Upstream: ValidatePodStatusUpdate() in k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

/* Conditions of others than Kubernetes have qualified types. */
static void validate_pod_condition(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    const struct json_value *generation = json_path(object, "observedGeneration");
    const struct str type = json_path_str(object, "type");
    int64_t number;
    if (json_to_int64(generation, &number) && number < 0)
        field_invalid(v, path, "observedGeneration", generation, "must be a non-negative integer");
    if (!field_is_one_of(type, "PodScheduled|Ready|Initialized"))
        field_syntax(v, path, "Type", type, validation_label_key(type));
}

/* A Node that the Pod may get, while it has none. */
static void validate_nominated_node(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    const struct str name = json_path_str(object, "nominatedNodeName");
    if (name.len == 0 || str_eq(name, json_path_str(v->old, "status.nominatedNodeName")))
        return;
    field_syntax(v, path, "nominatedNodeName", name, validation_dns1123_subdomain(name));
    if (json_path_str(v->old, "spec.nodeName").len)
        field_forbidden(v, path, "nominatedNodeName",
                        "may not be set on pods that are already bound to a node");
}

static void validate_claim_statuses(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    SCOPED(map) claims = {.release = NULL};
    SCOPED(map) seen = {.release = NULL};
    const struct str list = field_path(v, path, "resourceClaimStatuses");
    const struct json_value *one;
    size_t index = 0;
    JSON_FOREACH (key, one, json_path(v->object, "spec.resourceClaims"))
        map_put(&claims, json_path_str(one, "name"), NULL);
    JSON_FOREACH (key, one, json_path(object, "resourceClaimStatuses")) {
        const struct str name = json_path_str(one, "name");
        const struct str place = field_path_index(v, list, index++);
        if (!map_has(&claims, name))
            field_invalid_text(v, place, "name", name,
                               "must match the name of an entry in `spec.resourceClaims`");
        (void)field_unique(v, &seen, place, "name", name);
        field_may_have_syntax(v, one, place, "resourceClaimName", validation_dns1123_subdomain);
    }
}

static bool has_address(const struct json_value *list, struct str wanted)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        if (str_eq(json_path_str(item, "ip"), wanted))
            return true;
    return false;
}

/*
 * Addresses that are new are valid ones, and there is one of each family. Whether there is one of
 * each is told only where all are valid.
 */
static void validate_addresses(struct kind_validator *v, const struct json_value *object,
                               struct str path, const char *member)
{
    const struct str list = field_path(v, path, member);
    const struct json_value *addresses = json_path(object, member), *item;
    const struct json_value *before = json_path(json_path(v->old, "status"), member);
    const size_t errors = v->errors->count;
    size_t index = 0, sixes = 0;
    JSON_FOREACH (key, item, addresses) {
        const struct str address = json_path_str(item, "ip");
        const struct str place = field_path_index(v, list, index++);
        sixes += str_find_char(address, ':') != STR_NONE;
        if (!has_address(before, address))
            field_syntax(v, place, NULL, address, syntax_ip(address));
    }
    if (index > 1 && v->errors->count == errors && (index != 2 || sixes != 1))
        field_invalid_struct(v, list, field_type_at(&type_pod, "status.hostIPs"), addresses,
                             "may specify no more than one IP for each IP family");
}

/* podIP is the first of podIPs, which it makes if there are none. */
static void validate_first_address(struct kind_validator *v, const struct json_value *object,
                                   struct str path)
{
    const struct str first = json_path_str(object, "podIP");
    if (first.len && json_count(json_path(object, "podIPs")) == 0)
        field_syntax(v, field_path_index(v, field_path(v, path, "podIPs"), 0), NULL, first,
                     syntax_ip(first));
}

static bool has_code(const struct json_value *codes, int64_t wanted)
{
    const struct json_value *value;
    int64_t code;
    JSON_FOREACH (key, value, codes)
        if (json_to_int64(value, &code) && code == wanted)
            return true;
    return false;
}

/* Whether one of the container's rules, which all restart it, is for a code. */
static bool has_rule_for(const struct json_value *container, int64_t code)
{
    const struct json_value *rule;
    JSON_FOREACH (key, rule, json_path(container, "restartPolicyRules")) {
        const bool is_in = str_eq(json_path_str(rule, "exitCodes.operator"), STR("In"));
        if (json_path(rule, "exitCodes") &&
            is_in == has_code(json_path(rule, "exitCodes.values"), code))
            return true;
    }
    return false;
}

/* A container without a policy has that of its Pod. */
static bool may_restart(const struct json_value *spec, const struct json_value *container,
                        int64_t code)
{
    const struct json_value *own = json_path(container, "restartPolicy");
    const struct str policy = own ? json_to_str(own) : json_path_str(spec, "restartPolicy");
    return (own && has_rule_for(container, code)) || str_eq(policy, STR("Always")) ||
           (str_eq(policy, STR("OnFailure")) && code != 0);
}

/* Whether a rule of any container restarts all of them. */
static bool may_all_restart(const struct json_value *containers)
{
    const struct json_value *container;
    JSON_FOREACH (key, container, containers) {
        const struct json_value *rules = json_path(container, "restartPolicyRules");
        for (size_t i = 0; i < json_count(rules); i++)
            if (str_eq(json_path_str(json_at(rules, i), "action"), STR("RestartAllContainers")))
                return true;
    }
    return false;
}

static const struct json_value *find_named(const struct json_value *list, struct str name)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, list)
        if (str_eq(json_path_str(one, "name"), name))
            return one;
    return NULL;
}

/* A container that has ended goes on only where it restarts. An ephemeral one does not. */
static void validate_transitions(struct kind_validator *v, const struct json_value *object,
                                 struct str path, const char *member, const char *containers)
{
    const struct str list = field_path(v, path, member);
    const struct json_value *spec = json_path(v->old, "spec"), *before;
    const struct json_value *own = containers ? json_path(spec, containers) : NULL;
    size_t index = 0;
    JSON_FOREACH (key, before, json_path(json_path(v->old, "status"), member)) {
        const struct str place = field_path_index(v, list, index++);
        const struct str name = json_path_str(before, "name");
        const struct json_value *after = find_named(json_path(object, member), name);
        const struct json_value *container = find_named(own, name);
        int64_t code = 0;
        (void)json_to_int64(json_path(before, "state.terminated.exitCode"), &code);
        if (json_path(before, "state.terminated") && after &&
            !json_path(after, "state.terminated") &&
            !(container && may_restart(spec, container, code)))
            field_forbidden(v, place, "state", "may not be transitioned to non-terminated state");
    }
}

static void validate_all_transitions(struct kind_validator *v, const struct json_value *object,
                                     struct str path)
{
    if (!may_all_restart(json_path(v->old, "spec.initContainers")) &&
        !may_all_restart(json_path(v->old, "spec.containers"))) {
        validate_transitions(v, object, path, "containerStatuses", "containers");
        validate_transitions(v, object, path, "initContainerStatuses", "initContainers");
    }
    validate_transitions(v, object, path, "ephemeralContainerStatuses", NULL);
}

void validate_pod_status(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *quality = json_path(object, "qosClass");
    const struct json_value *generation = json_path(object, "observedGeneration");
    const struct str was = json_path_str(v->old, "status.qosClass");
    const struct str first = json_path_str(object, "hostIPs.0.ip");
    int64_t number;
    field_apply_each(v, object, path, "conditions", validate_pod_condition);
    validate_nominated_node(v, object, path);
    if (json_to_int64(generation, &number) && number < 0)
        field_invalid(v, path, "observedGeneration", generation, "must be a non-negative integer");
    if (was.len && !str_eq(was, json_to_str(quality)))
        field_invalid(v, path, "qosClass", quality, "field is immutable");
    validate_all_transitions(v, object, path);
    validate_claim_statuses(v, object, path);
    field_apply(v, object, path, "extendedResourceClaimStatus", validate_extended_claim_status);
    validate_first_address(v, object, path);
    validate_addresses(v, object, path, "podIPs");
    if (json_count(json_path(object, "hostIPs")) && !str_eq(first, json_path_str(object, "hostIP")))
        field_invalid_text(v, path, "hostIPs[0].ip", first, "must be equal to `hostIP`");
    validate_addresses(v, object, path, "hostIPs");
    validate_container_statuses(v, object, path);
}
