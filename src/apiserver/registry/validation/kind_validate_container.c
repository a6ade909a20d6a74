/*
 * Validation of containers: what all of them share, and what regular, init and ephemeral containers
 * have besides.
 *
 * Upstream: validateContainers(), validateInitContainers(), validateEphemeralContainers() and the
 * functions they call in k8s.io/kubernetes/pkg/apis/core/validation/validation.go. Some paths in
 * errors are not those of the member, as there.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

#define PROTOCOLS "SCTP|TCP|UDP"
#define PULL      "Always|IfNotPresent|Never"

/* Of rules for restarts, and of the exit codes that one of them names. */
#define RESTART_RULES_MAX 20
#define EXIT_CODES_MAX    255

static void validate_port_numbers(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, "containerPort"), &number);
    if (number == 0)
        field_required(v, path, "containerPort", "");
    else
        field_range(v, object, path, "containerPort", 1, 65535);
    number = 0;
    (void)json_to_int64(json_path(object, "hostPort"), &number);
    if (number)
        field_range(v, object, path, "hostPort", 1, 65535);
    field_needs_one_of(v, object, path, "protocol", PROTOCOLS);
}

/* Names are compared where they are names of ports. */
static void validate_container_ports(struct kind_validator *v, const struct json_value *container,
                                     struct str path)
{
    SCOPED(map) names = {.release = NULL};
    const struct str list = field_path(v, path, "ports");
    const struct json_value *port;
    size_t index = 0;
    JSON_FOREACH (key, port, json_path(container, "ports")) {
        const struct str place = field_path_index(v, list, index++);
        const struct str name = json_path_str(port, "name");
        const struct validation found = syntax_port_name(name);
        if (name.len && found.count)
            field_syntax(v, place, "name", name, found);
        else if (name.len)
            (void)field_unique(v, &names, place, "name", name);
        validate_port_numbers(v, port, place);
    }
}

/* Each port of the host is taken once. The containers stand in a list from this index on. */
static void validate_host_port(struct kind_validator *v, struct map *taken,
                               const struct json_value *container, struct str path)
{
    const struct str list = field_path(v, path, "ports");
    const struct json_value *port;
    size_t index = 0;
    JSON_FOREACH (key, port, json_path(container, "ports")) {
        const struct str place = field_path_index(v, list, index++);
        const struct str protocol = json_path_str(port, "protocol");
        const struct str address = json_path_str(port, "hostIP");
        int64_t number = 0;
        (void)json_to_int64(json_path(port, "hostPort"), &number);
        if (number)
            (void)field_unique(v, taken, place, "hostPort",
                               arena_print(v->arena, "%.*s/%.*s/%lld", STR_ARG(protocol),
                                           STR_ARG(address), (long long)number));
    }
}

static void validate_resize_policy(struct kind_validator *v, const struct json_value *policy,
                                   struct map *seen, struct str path, size_t index)
{
    const struct str name = json_path_str(policy, "resourceName");
    const struct str restart = json_path_str(policy, "restartPolicy");
    (void)field_unique(v, seen, field_path_index(v, path, index), NULL, name);
    if (name.len == 0)
        field_required(v, path, NULL, "");
    else
        field_one_of(v, path, NULL, name, "cpu|memory");
    if (restart.len == 0)
        field_required(v, path, NULL, "");
    else
        field_one_of(v, path, NULL, restart, "NotRequired|RestartContainer");
    if (str_eq(json_path_str(v->pod->spec, "restartPolicy"), STR("Never")) &&
        !str_eq(restart, STR("NotRequired")))
        field_invalid_text(v, path, NULL, restart,
                           "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
}

static void validate_resize_policies(struct kind_validator *v, const struct json_value *container,
                                     struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str list = field_path(v, path, "resizePolicy");
    const struct json_value *policy;
    size_t index = 0;
    JSON_FOREACH (key, policy, json_path(container, "resizePolicy"))
        validate_resize_policy(v, policy, &seen, list, index++);
}

static void validate_container_common(struct kind_validator *v, const struct json_value *container,
                                      struct str path)
{
    field_needs_syntax(v, container, path, "name", validation_dns1123_label);
    (void)field_needs(v, container, path, "image");
    field_needs_one_of(v, container, path, "terminationMessagePolicy",
                       "File|FallbackToLogsOnError");
    validate_container_ports(v, container, path);
    field_apply_each(v, container, path, "env", validate_env);
    validate_env_from(v, container, path);
    validate_mounts(v, container, path);
    validate_devices(v, container, path);
    field_needs_one_of(v, container, path, "imagePullPolicy", PULL);
    field_apply(v, container, path, "resources", validate_container_resources);
    validate_resize_policies(v, container, path);
    field_apply(v, container, path, "securityContext", validate_container_security);
}

void validate_pod_image(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str image = json_path_str(object, "image");
    if (str_trim(image).len != image.len)
        field_invalid_text(v, path, "image", image, "must not have leading or trailing whitespace");
}

static void validate_restart_rule(struct kind_validator *v, const struct json_value *rule,
                                  struct str path)
{
    const struct json_value *codes = json_path(rule, "exitCodes");
    const size_t count = json_count(json_path(codes, "values"));
    field_one_of(v, path, "action", json_path_str(rule, "action"), "Restart|RestartAllContainers");
    if (!codes)
        field_required(v, path, "exitCodes", "must be specified");
    else
        field_one_of(v, path, "exitCodes.operator", json_path_str(codes, "operator"), "In|NotIn");
    if (count > EXIT_CODES_MAX)
        field_errors_add_too_many(v->errors, field_path(v, path, "exitCodes.values"), count,
                                  EXIT_CODES_MAX);
}

#define NEEDS_POLICY "must specify restartPolicy when restart rules are used"

/* Rules need a policy. Those of an init container without one are not looked at. */
static void validate_restarts(struct kind_validator *v, const struct json_value *container,
                              struct str path, bool is_init)
{
    const size_t count = json_count(json_path(container, "restartPolicyRules"));
    if (json_path(container, "restartPolicy"))
        field_one_of(v, path, "restartPolicy", json_path_str(container, "restartPolicy"),
                     "Always|Never|OnFailure");
    else if (count)
        field_required(v, path, "restartPolicy", NEEDS_POLICY);
    if (is_init && !json_path(container, "restartPolicy"))
        return;
    if (count > RESTART_RULES_MAX)
        field_errors_add_too_many(v->errors, field_path(v, path, "restartPolicyRules"), count,
                                  RESTART_RULES_MAX);
    field_apply_each(v, container, path, "restartPolicyRules", validate_restart_rule);
}

/* A second container without a name has that of the first. */
static void validate_regular_containers(struct kind_validator *v, struct map *names)
{
    SCOPED(map) taken = {.release = NULL};
    const struct str list = field_path(v, v->pod->path, "containers");
    const struct json_value *containers = json_path(v->pod->spec, "containers"), *container;
    size_t index = 0;
    if (json_count(containers) == 0)
        field_required(v, list, NULL, "");
    JSON_FOREACH (key, container, containers) {
        const struct str path = field_path_index(v, list, index++);
        validate_container_common(v, container, path);
        (void)field_unique(v, names, path, "name", json_path_str(container, "name"));
        field_apply(v, container, path, "lifecycle", validate_lifecycle);
        validate_probes(v, container, path);
        validate_restarts(v, container, path, false);
    }
    index = 0;
    JSON_FOREACH (key, container, containers)
        validate_host_port(v, &taken, container, field_path_index(v, list, index++));
}

/* A signal alone does not count: the feature is off, and the member is not kept. */
static bool has_lifecycle(const struct json_value *container)
{
    const struct json_value *lifecycle = json_path(container, "lifecycle");
    return lifecycle && (!json_path(lifecycle, "stopSignal") || json_path(lifecycle, "postStart") ||
                         json_path(lifecycle, "preStop"));
}

/* An init container that ends is neither probed nor stopped. */
static void validate_no_probes(struct kind_validator *v, const struct json_value *container,
                               struct str path)
{
    static const char *const members[] = {"lifecycle", "livenessProbe", "readinessProbe",
                                          "startupProbe"};
    for (size_t i = 0; i < COUNT(members); i++)
        if (i == 0 ? has_lifecycle(container) : json_path(container, members[i]) != NULL)
            field_forbidden(v, path, members[i],
                            "may not be set for init containers without restartPolicy=Always");
}

static void validate_no_restart(struct kind_validator *v, const struct json_value *policy,
                                struct str path)
{
    const struct str restart = json_path_str(policy, "restartPolicy");
    if (str_eq(restart, STR("RestartContainer")))
        field_invalid_text(v, path, "restartPolicy", restart,
                           "must not be set to 'RestartContainer' for non-sidecar initContainers");
}

/* Init containers run one by one, so that they can have the same ports. */
static void validate_init_container(struct kind_validator *v, struct map *names,
                                    const struct json_value *container, struct str path)
{
    SCOPED(map) taken = {.release = NULL};
    const struct str name = json_path_str(container, "name");
    const struct str list = field_path(v, v->pod->path, "initContainers");
    const bool is_sidecar = str_eq(json_path_str(container, "restartPolicy"), STR("Always"));
    validate_container_common(v, container, path);
    validate_restarts(v, container, path, true);
    if (name.len || map_has(names, name))
        (void)field_unique(v, names, path, "name", name);
    validate_host_port(v, &taken, container, field_path_index(v, list, 0));
    if (!is_sidecar) {
        validate_no_probes(v, container, path);
        field_apply_each(v, container, path, "resizePolicy", validate_no_restart);
        return;
    }
    field_apply(v, container, path, "lifecycle", validate_lifecycle);
    validate_probes(v, container, path);
}

/* Members that an ephemeral container does not have, as Go has them in order. */
static const char *const not_ephemeral[] = {
    "ports",         "resources",      "resizePolicy", "restartPolicy", "restartPolicyRules",
    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
};

#define NOT_EPHEMERAL "cannot be set for an Ephemeral Container"

static void validate_ephemeral_mount(struct kind_validator *v, const struct json_value *mount,
                                     struct str path)
{
    static const char *const members[] = {"subPath", "subPathExpr"};
    for (size_t i = 0; i < COUNT(members); i++)
        if (json_path_str(mount, members[i]).len)
            field_forbidden(v, path, members[i], NOT_EPHEMERAL);
}

/* Resources that are an empty object are none. */
static bool has_member(const struct json_value *container, const char *member)
{
    const struct json_value *value = json_path(container, member);
    if (strcmp(member, "lifecycle") == 0)
        return has_lifecycle(container);
    return value && (strcmp(member, "resources") != 0 || json_count(value) > 0);
}

static void validate_ephemeral_container(struct kind_validator *v, const struct map *others,
                                         struct map *names, const struct json_value *container,
                                         struct str path)
{
    const struct str target = json_path_str(container, "targetContainerName");
    validate_container_common(v, container, path);
    validate_pod_image(v, container, path);
    (void)field_unique(v, names, path, "name", json_path_str(container, "name"));
    if (target.len && !map_has(others, target))
        field_errors_add_str(v->errors, FIELD_NOT_FOUND, field_path(v, path, "targetContainerName"),
                             target, STR(""));
    for (size_t i = 0; i < COUNT(not_ephemeral); i++)
        if (has_member(container, not_ephemeral[i]))
            field_forbidden(v, path, not_ephemeral[i], NOT_EPHEMERAL);
    field_apply_each(v, container, path, "volumeMounts", validate_ephemeral_mount);
}

static void add_names(struct map *names, const struct json_value *containers)
{
    const struct json_value *container;
    JSON_FOREACH (key, container, containers)
        map_put(names, json_path_str(container, "name"), NULL);
}

/* Names are unique in the Pod, not only in their list. */
void validate_containers(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) names = {.release = NULL};
    SCOPED(map) others = {.release = NULL};
    const struct str inits = field_path(v, path, "initContainers");
    const struct str ephemerals = field_path(v, path, "ephemeralContainers");
    const struct json_value *container;
    size_t index = 0;
    validate_regular_containers(v, &names);
    JSON_FOREACH (key, container, json_path(object, "initContainers"))
        validate_init_container(v, &names, container, field_path_index(v, inits, index++));
    add_names(&names, json_path(object, "initContainers"));
    add_names(&others, json_path(object, "containers"));
    add_names(&others, json_path(object, "initContainers"));
    index = 0;
    JSON_FOREACH (key, container, json_path(object, "ephemeralContainers"))
        validate_ephemeral_container(v, &others, &names, container,
                                     field_path_index(v, ephemerals, index++));
}
