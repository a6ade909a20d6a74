/*
 * Validation of PersistentVolumeClaims, and of claims that are made from templates.
 *
 * Upstream: ValidatePersistentVolumeClaimSpec(), ValidatePersistentVolumeClaimUpdate() and
 * ValidatePersistentVolumeClaimStatusUpdate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"

/* A reference; without a group it is one to another claim. */
static void validate_data_source(struct kind_validator *v, const struct json_value *source,
                                 struct str path)
{
    const struct str group = json_path_str(source, "apiGroup");
    const struct str kind = json_path_str(source, "kind");
    if (!source)
        return;
    if (json_path_str(source, "name").len == 0)
        field_required(v, path, "name", "");
    if (kind.len == 0)
        field_required(v, path, "kind", "");
    if (group.len)
        field_syntax(v, path, "apiGroup", group, validation_dns1123_subdomain(group));
    else if (!str_eq(kind, STR("PersistentVolumeClaim")))
        field_errors_add_str(
            v->errors, FIELD_INVALID, path, kind,
            STR("must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
}

static bool is_same_source(const struct json_value *source, const struct json_value *reference)
{
    static const char *const members[] = {"apiGroup", "kind", "name"};
    for (size_t i = 0; i < COUNT(members); i++)
        if (!json_equal(json_path(source, members[i]), json_path(reference, members[i])))
            return false;
    return true;
}

/* Both forms of a source are the same, or there is but one. Upstream quotes a path here, as {}. */
void validate_claim_sources(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct json_value *source = json_path(object, "dataSource");
    const struct json_value *reference = json_path(object, "dataSourceRef");
    const struct str namespace = json_path_str(reference, "namespace");
    validate_data_source(v, source, field_path(v, path, "dataSource"));
    validate_data_source(v, reference, field_path(v, path, "dataSourceRef"));
    if (namespace.len)
        field_syntax(v, path, "dataSourceRef.namespace", namespace,
                     validation_dns1123_label(namespace));
    if (!source || !reference)
        return;
    if (namespace.len)
        field_errors_add(v->errors, FIELD_INVALID, path,
                         STR("{}: may not be specified when dataSourceRef.namespace is specified"));
    else if (!is_same_source(source, reference))
        field_errors_add(v->errors, FIELD_INVALID, path, STR("{}: must match dataSourceRef"));
}

/* A class that is named; an empty name is none. */
static void validate_class_name(struct kind_validator *v, const struct json_value *spec,
                                struct str path, const char *member)
{
    const struct str name = json_path_str(spec, member);
    if (name.len)
        field_syntax(v, path, member, name, validation_dns1123_subdomain(name));
}

/* The request for storage is required and positive. Upstream's path is resources[storage]. */
void validate_claim_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *storage = json_path(object, "resources.requests.storage");
    const struct json_value *modes = json_path(object, "accessModes");
    struct quantity quantity;
    if (json_count(modes) == 0)
        field_required(v, path, "accessModes", "at least 1 access mode is required");
    validate_access_modes(v, modes, field_path(v, path, "accessModes"));
    if (!storage)
        field_required(v, path, "resources[storage]", "");
    else if (field_quantity(storage, &quantity) && quantity_sign(&quantity) <= 0)
        field_invalid(v, path, "resources[storage]", storage, "must be greater than zero");
    validate_class_name(v, object, path, "storageClassName");
    if (json_path(object, "volumeMode"))
        field_one_of(v, path, "volumeMode", json_path_str(object, "volumeMode"),
                     "Block|Filesystem");
    validate_class_name(v, object, path, "volumeAttributesClassName");
}

/* 0 when there is none. */
static struct quantity quantity_or_nothing(const struct json_value *value)
{
    struct quantity quantity;
    if (!field_quantity(value, &quantity))
        error_free(quantity_read(STR("0"), &quantity));
    return quantity;
}

/*
 * Whether a claim asks for less than before, and for no more than its volume has. It may ask for
 * less while a volume cannot be made larger.
 */
static bool is_shrinking(const struct json_value *new, const struct json_value *old,
                         const struct json_value *capacity)
{
    const struct quantity before = quantity_or_nothing(old), after = quantity_or_nothing(new);
    const struct quantity has = quantity_or_nothing(capacity);
    return quantity_cmp(&after, &before) < 0 && quantity_cmp(&after, &has) <= 0;
}

/* A claim without a class may get one, such as a default that came later. */
static bool gets_class(const struct kind_validator *v, const struct json_value *object)
{
    const struct str annotation = STR("volume.beta.kubernetes.io/storage-class");
    const struct json_value *name = json_path(object, "spec.storageClassName");
    const struct json_value *old_name =
        json_get(json_path(v->old, "metadata.annotations"), annotation);
    return name && !json_path(v->old, "spec.storageClassName") &&
           (!old_name || json_equal(name, old_name));
}

/* The storage of a bound claim may be another one, which is_shrinking() judges; nothing else may.
 */
static bool changes_resources(const struct json_value *old, const struct json_value *new,
                              bool is_bound)
{
    static const char *const requests[] = {"requests"}, *const storage[] = {"storage"};
    if (!is_bound)
        return !json_equal(old, new);
    return field_differs_besides(old, new, requests, COUNT(requests)) ||
           field_differs_besides(json_path(old, "requests"), json_path(new, "requests"), storage,
                                 COUNT(storage));
}

/* volumeMode is fixed, and a class of attributes that a volume has cannot be taken away. */
static void validate_claim_modes_update(struct kind_validator *v, const struct json_value *old,
                                        const struct json_value *spec)
{
    const struct json_value *class = json_path(spec, "volumeAttributesClassName");
    if (!json_equal(json_path(old, "volumeMode"), json_path(spec, "volumeMode")))
        field_invalid(v, STR(""), "volumeMode", json_path(spec, "volumeMode"),
                      "field is immutable");
    if (!json_path(v->old, "status.currentVolumeAttributesClassName") ||
        json_equal(class, json_path(old, "volumeAttributesClassName")))
        return;
    if (!class)
        field_forbidden(v, STR("spec"), "volumeAttributesClassName",
                        "update to nil is forbidden when status.currentVolumeAttributesClassName "
                        "is not nil");
    else if (json_to_str(class).len == 0)
        field_forbidden(v, STR("spec"), "volumeAttributesClassName",
                        "update to empty string is forbidden when "
                        "status.currentVolumeAttributesClassName is not nil");
}

/*
 * The spec of a claim is immutable, with four exceptions: binding sets volumeName, a class may be
 * given to a claim without one, and once the claim is bound the storage may grow and
 * volumeAttributesClassName may change.
 */
void validate_claim_update(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *old = json_path(v->old, "spec");
    const struct json_value *spec = json_path(object, "spec");
    const bool binds = !json_path(old, "volumeName") && json_path(spec, "volumeName");
    const bool is_bound = str_eq(json_path_str(v->old, "status.phase"), STR("Bound"));
    const char *const may_change[] = {"resources", binds ? "volumeName" : "resources",
                                      is_bound ? "volumeAttributesClassName" : "resources",
                                      gets_class(v, object) ? "storageClassName" : "resources"};
    (void)path;
    if (field_differs_besides(old, spec, may_change, COUNT(may_change)) ||
        changes_resources(json_path(old, "resources"), json_path(spec, "resources"), is_bound))
        field_forbidden(v, STR(""), "spec",
                        "spec is immutable after creation except resources.requests and "
                        "volumeAttributesClassName for bound claims");
    if (is_shrinking(json_path(spec, "resources.requests.storage"),
                     json_path(old, "resources.requests.storage"),
                     json_path(v->old, "status.capacity.storage")))
        field_forbidden(v, STR(""), "spec.resources.requests.storage",
                        "field can not be less than status.capacity");
    validate_claim_modes_update(v, old, spec);
}

/* A resource of the claim's volume: storage, or one with a domain. */
static bool validate_claim_resource(struct kind_validator *v, struct str path, struct str name)
{
    const size_t before = v->errors->count;
    field_syntax(v, path, NULL, name, validation_label_key(name));
    if (v->errors->count == before && resource_is_native(name))
        field_one_of(v, path, NULL, name, "storage");
    return v->errors->count == before;
}

/* Upstream shows the name of the resource where it does not know the state. */
static void validate_resize_states(struct kind_validator *v, const struct json_value *states,
                                   struct str path)
{
    static const char names[] = "ControllerResizeInProgress|ControllerResizeInfeasible|"
                                "NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending";
    const struct json_value *state;
    JSON_FOREACH (key, state, states) {
        (void)validate_claim_resource(v, path, key);
        if (!field_is_one_of(json_to_str(state), names))
            field_one_of(v, path, NULL, key, names);
    }
}

void validate_claim_status(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct str place = field_path(v, path, "allocatedResources");
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(object, "capacity"))
        (void)validate_basic_quantity(v, field_path_key(v, field_path(v, path, "capacity"), key),
                                      value);
    validate_resize_states(v, json_path(object, "allocatedResourceStatuses"),
                           field_path(v, path, "allocatedResourceStatuses"));
    JSON_FOREACH (key, value, json_path(object, "allocatedResources"))
        if (validate_claim_resource(v, place, key))
            (void)validate_basic_quantity(v, field_path_key(v, place, key), value);
}
