/*
 * Validation of the volumes and block devices that containers use.
 *
 * Upstream: ValidateVolumeMounts() and ValidateVolumeDevices() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. Each checks against the other's list;
 * of entries with the same name, the last counts there. Some paths in errors lack the index.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

/* The names in a list, and the paths of the last entry with each name. */
struct mount_index {
    struct map names, paths;
};

static void mount_index_done(struct mount_index *index)
{
    map_done(&index->names);
    map_done(&index->paths);
}

static void mount_index_read(struct kind_validator *v, struct mount_index *index,
                             const struct json_value *list, const char *path_member)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, list) {
        struct str *place = ARENA_NEW(v->arena, struct str);
        *place = json_path_str(entry, path_member);
        map_put(&index->names, json_path_str(entry, "name"), place);
    }
    MAP_FOREACH (entry_of_name, &index->names) {
        const struct str *place = entry_of_name->value;
        map_put(&index->paths, *place, NULL);
    }
}

static void validate_known_volume(struct kind_validator *v, struct str name, struct str path)
{
    if (!map_has(&v->pod->volumes, name))
        field_errors_add_str(v->errors, FIELD_NOT_FOUND, field_path(v, path, "name"), name,
                             STR(""));
}

/* Mounts that reach the host need a container that may do so. */
static void validate_propagation(struct kind_validator *v, const struct json_value *container,
                                 const struct json_value *mount, struct str path)
{
    const struct str mode = json_path_str(mount, "mountPropagation");
    field_may_be_one_of(v, mount, path, "mountPropagation", "Bidirectional|HostToContainer|None");
    if (str_eq(mode, STR("Bidirectional")) &&
        !field_is_true(json_path(container, "securityContext.privileged")))
        field_forbidden(
            v, path, "mountPropagation",
            "Bidirectional mount propagation is available only to privileged containers");
}

static void validate_recursive(struct kind_validator *v, const struct json_value *mount,
                               struct str path)
{
    const struct str mode = json_path_str(mount, "recursiveReadOnly");
    const struct str propagation = json_path_str(mount, "mountPropagation");
    field_may_be_one_of(v, mount, path, "recursiveReadOnly", "Disabled|Enabled|IfPossible");
    if (!field_is_one_of(mode, "Enabled|IfPossible"))
        return;
    if (!field_is_true(json_path(mount, "readOnly")))
        field_forbidden(v, path, "recursiveReadOnly",
                        "may only be specified when readOnly is true");
    if (json_path(mount, "mountPropagation") && !str_eq(propagation, STR("None")))
        field_forbidden(v, path, "recursiveReadOnly",
                        "may only be specified when mountPropagation is None or not specified");
}

static void validate_sub_paths(struct kind_validator *v, const struct json_value *mount,
                               struct str list, struct str path)
{
    const struct str expression = json_path_str(mount, "subPathExpr");
    validate_relative_path(v, json_path_str(mount, "subPath"), field_path(v, list, "subPath"));
    if (expression.len && json_path_str(mount, "subPath").len)
        field_invalid_text(v, path, "subPathExpr", expression,
                           "subPathExpr and subPath are mutually exclusive");
    validate_relative_path(v, expression, field_path(v, list, "subPathExpr"));
}

static void validate_mount_place(struct kind_validator *v, const struct mount_index *devices,
                                 struct map *places, const struct json_value *mount,
                                 struct str path)
{
    const struct str name = json_path_str(mount, "name"), place = json_path_str(mount, "mountPath");
    (void)field_needs(v, mount, path, "name");
    validate_known_volume(v, name, path);
    (void)field_needs(v, mount, path, "mountPath");
    if (map_has(places, place))
        field_invalid_text(v, path, "mountPath", place, "must be unique");
    map_put(places, place, NULL);
    if (map_has(&devices->names, name))
        field_invalid_text(v, path, "name", name, "must not already exist in volumeDevices");
    if (map_has(&devices->paths, place))
        field_invalid_text(v, path, "mountPath", place,
                           "must not already exist as a path in volumeDevices");
}

void validate_mounts(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(mount_index) devices = {.names.release = NULL};
    SCOPED(map) places = {.release = NULL};
    const struct str list = field_path(v, path, "volumeMounts");
    const struct json_value *mount;
    size_t index = 0;
    mount_index_read(v, &devices, json_path(object, "volumeDevices"), "devicePath");
    JSON_FOREACH (key, mount, json_path(object, "volumeMounts")) {
        const struct str place = field_path_index(v, list, index++);
        validate_mount_place(v, &devices, &places, mount, place);
        validate_sub_paths(v, mount, list, place);
        validate_propagation(v, object, mount, list);
        validate_recursive(v, mount, list);
    }
}

static void validate_device_name(struct kind_validator *v, struct map *names, struct str name,
                                 struct str path)
{
    if (name.len == 0)
        field_required(v, path, "name", "");
    if (map_has(names, name))
        field_invalid_text(v, path, "name", name, "must be unique");
    if (map_has(&v->pod->volumes, name) && !map_has(&v->pod->claims, name))
        field_invalid_text(v, path, "name", name,
                           "can only use volume source type of PersistentVolumeClaim or Ephemeral "
                           "for block mode");
    validate_known_volume(v, name, path);
    if (name.len)
        map_put(names, name, NULL);
}

/* A path with a fault is not compared with others. */
static void validate_device_path(struct kind_validator *v, struct map *paths, struct str device,
                                 struct str path)
{
    if (device.len == 0)
        field_required(v, path, "devicePath", "");
    if (map_has(paths, device))
        field_invalid_text(v, path, "devicePath", device, "must be unique");
    if (path_has_backstep(device))
        field_invalid_text(v, path, "devicePath", device, "can not contain backsteps ('..')");
    else
        map_put(paths, device, NULL);
}

void validate_devices(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(mount_index) mounts = {.names.release = NULL};
    SCOPED(map) names = {.release = NULL};
    SCOPED(map) paths = {.release = NULL};
    const struct str list = field_path(v, path, "volumeDevices");
    const struct json_value *device;
    size_t index = 0;
    mount_index_read(v, &mounts, json_path(object, "volumeMounts"), "mountPath");
    JSON_FOREACH (key, device, json_path(object, "volumeDevices")) {
        const struct str place = field_path_index(v, list, index++);
        const struct str name = json_path_str(device, "name");
        const struct str device_path = json_path_str(device, "devicePath");
        validate_device_name(v, &names, name, place);
        validate_device_path(v, &paths, device_path, place);
        if (map_has(&mounts.names, name))
            field_invalid_text(v, place, "name", name, "must not already exist in volumeMounts");
        if (map_has(&mounts.paths, device_path))
            field_invalid_text(v, place, "devicePath", device_path,
                               "must not already exist as a path in volumeMounts");
    }
}
