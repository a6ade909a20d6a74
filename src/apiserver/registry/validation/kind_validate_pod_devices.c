/*
 * Validation of what the status of a Pod says of devices and users: requests that a claim serves,
 * the health of resources, users of containers.
 *
 * Upstream: validatePodExtendedResourceClaimStatus(), validateContainerStatusUsers() and
 * validateContainerStatusAllocatedResourcesStatus() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

#define MESSAGE_MAX 1024
#define HEALTHS     "Healthy|Unhealthy|Unknown"
#define CLAIM_NAMES                                                                                \
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' " \
    "or 'claim:<claimName>' if request is empty"

static const struct json_value *find_container(const struct json_value *containers, struct str name)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, containers)
        if (str_eq(json_path_str(one, "name"), name))
            return one;
    return NULL;
}

static bool has_request(const struct json_value *container, struct str resource)
{
    return json_get(json_path(container, "resources.requests"), resource) != NULL;
}

/* Containers hide init containers of the same name. */
static void validate_mapped_container(struct kind_validator *v, const struct json_value *mapping,
                                      struct str path)
{
    const struct json_value *spec = json_path(v->object, "spec");
    const struct str name = json_path_str(mapping, "containerName");
    const struct str resource = json_path_str(mapping, "resourceName");
    const struct json_value *container = find_container(json_path(spec, "containers"), name);
    if (!container)
        container = find_container(json_path(spec, "initContainers"), name);
    if (!container)
        field_invalid_text(v, path, "containerName", name,
                           "must match the name of an entry in spec.initContainers.name or "
                           "spec.containers.name");
    else if (!has_request(container, resource))
        field_invalid_text(v, path, "resourceName", resource,
                           "must match the extended resource name of an entry in "
                           "spec.initContainers.resources.requests or "
                           "spec.containers.resources.requests");
}

static void validate_mapping_is_new(struct kind_validator *v, struct map *seen,
                                    const struct json_value *mapping, struct str path)
{
    static const char *const members[] = {"containerName", "resourceName", "requestName"};
    SCOPED(buf) id = {0};
    for (size_t i = 0; i < COUNT(members); i++) {
        buf_add(&id, json_path_str(mapping, members[i]));
        buf_add_char(&id, '\n');
    }
    if (map_has(seen, buf_str(&id))) {
        for (size_t i = 0; i < COUNT(members); i++)
            field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path(v, path, members[i]),
                                 json_path_str(mapping, members[i]), STR(""));
    }
    map_put(seen, buf_str(&id), NULL);
}

/* The name of a request is told without its index. */
static void validate_mappings(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str list = field_path(v, path, "requestMappings");
    const struct json_value *mapping;
    size_t index = 0;
    JSON_FOREACH (key, mapping, json_path(object, "requestMappings")) {
        const struct str place = field_path_index(v, list, index++);
        const struct str request = json_path_str(mapping, "requestName");
        validate_mapped_container(v, mapping, place);
        field_syntax(v, path, "requestName", request, validation_dns1123_label(request));
        validate_mapping_is_new(v, &seen, mapping, place);
    }
    if (index == 0)
        field_required(v, path, "requestMappings", "at least one request mapping is required");
}

void validate_extended_claim_status(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    validate_mappings(v, object, path);
    field_needs_syntax(v, object, path, "resourceClaimName", validation_dns1123_subdomain);
}

static void validate_linux_user(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    field_apply(v, object, path, "uid", validate_group);
    field_apply(v, object, path, "gid", validate_group);
    field_apply_each(v, object, path, "supplementalGroups", validate_group);
}

static void validate_container_user(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    const struct str os = json_path_str(v->object, "spec.os.name");
    const struct str user = field_path(v, path, "user");
    const struct json_value *linux_user = json_path(object, "user.linux");
    if (linux_user && str_eq(os, STR("windows")))
        field_forbidden(v, user, "linux", "cannot be set for a windows pod");
    else if (linux_user && (os.len == 0 || str_eq(os, STR("linux"))))
        validate_linux_user(v, linux_user, field_path(v, user, "linux"));
}

/* "claim:NAME", or "claim:NAME/REQUEST". */
static bool has_claim(const struct json_value *container, struct str wanted)
{
    const struct json_value *claim;
    JSON_FOREACH (key, claim, json_path(container, "resources.claims")) {
        SCOPED(buf) name = {0};
        const struct str request = json_path_str(claim, "request");
        BUF_ADD_ALL(&name, STR("claim:"), json_path_str(claim, "name"));
        if (request.len)
            BUF_ADD_ALL(&name, STR("/"), request);
        if (str_eq(buf_str(&name), wanted))
            return true;
    }
    return false;
}

static void validate_health(struct kind_validator *v, struct map *seen,
                            const struct json_value *object, struct str path)
{
    const struct json_value *message = json_path(object, "message");
    field_one_of(v, path, "health", json_path_str(object, "health"), HEALTHS);
    if (message && json_to_str(message).len == 0)
        field_required(v, path, "message", "must be non-empty if specified");
    else if (json_to_str(message).len > MESSAGE_MAX)
        field_errors_add_too_long(v->errors, field_path(v, path, "message"), MESSAGE_MAX);
    (void)field_unique(v, seen, path, "resourceID", json_path_str(object, "resourceID"));
}

/* A container that the spec does not have is passed over. */
static void validate_allocated(struct kind_validator *v, const struct json_value *container,
                               const struct json_value *object, struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct str name = json_path_str(object, "name");
    const struct str list = field_path(v, path, "resources");
    const bool is_claim = str_starts_with(name, STR("claim:"));
    const struct json_value *resource;
    size_t index = 0;
    if (container && !(is_claim ? has_claim(container, name) : has_request(container, name)))
        field_invalid_text(v, path, "name", name,
                           is_claim ? CLAIM_NAMES
                                    : "must match one of the container's resource requests");
    JSON_FOREACH (key, resource, json_path(object, "resources"))
        validate_health(v, &seen, resource, field_path_index(v, list, index++));
}

static void validate_all_allocated(struct kind_validator *v, const struct json_value *container,
                                   const struct json_value *object, struct str path)
{
    const struct str list = field_path(v, path, "allocatedResourcesStatus");
    const struct json_value *one;
    size_t index = 0;
    JSON_FOREACH (key, one, json_path(object, "allocatedResourcesStatus"))
        validate_allocated(v, container, one, field_path_index(v, list, index++));
}

/* containers is the member of the spec; ephemeral containers have no resources. */
static void validate_devices_of(struct kind_validator *v, const struct json_value *object,
                                struct str path, const char *member, const char *containers)
{
    const struct json_value *own =
        containers ? json_path(json_path(v->object, "spec"), containers) : NULL;
    const struct str list = field_path(v, path, member);
    const struct json_value *status;
    size_t index = 0;
    JSON_FOREACH (key, status, json_path(object, member)) {
        const struct str place = field_path_index(v, list, index++);
        if (containers)
            validate_all_allocated(v, find_container(own, json_path_str(status, "name")), status,
                                   place);
        else if (json_count(json_path(status, "allocatedResourcesStatus")))
            field_forbidden(v, place, "allocatedResourcesStatus",
                            "must not be specified in container status");
    }
}

void validate_container_statuses(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    field_apply_each(v, object, path, "containerStatuses", validate_container_user);
    field_apply_each(v, object, path, "initContainerStatuses", validate_container_user);
    field_apply_each(v, object, path, "ephemeralContainerStatuses", validate_container_user);
    validate_devices_of(v, object, path, "containerStatuses", "containers");
    validate_devices_of(v, object, path, "initContainerStatuses", "initContainers");
    validate_devices_of(v, object, path, "ephemeralContainerStatuses", NULL);
}
