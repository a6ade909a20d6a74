/*
 * Validation of pod specs, in Pods and in pod templates, and of updates of Pods.
 *
 * Rules of single members are rows. The functions here compare several members: names that must be
 * unique among three lists of containers, volume mounts that need a volume, exactly one source or
 * handler. Upstream: ValidatePodSpec(), ValidatePodUpdate() and the functions below them in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apimachinery/metadata_validation.h"
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"
#include "json/edit.h"

static const char *const container_lists[] = {"initContainers", "containers",
                                              "ephemeralContainers"};

/* Names of containers are unique in the pod, not only in their list. */
static void validate_container_names(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    SCOPED(map) names = {.release = NULL};
    for (size_t i = 0; i < COUNT(container_lists); i++) {
        const struct str list = field_path(v, path, container_lists[i]);
        const struct json_value *container;
        size_t index = 0;
        JSON_FOREACH (key, container, json_path(spec, container_lists[i])) {
            const struct str name = json_path_str(container, "name");
            const struct str place = field_path_index(v, list, index++);
            if (name.len > 0)
                (void)field_unique(v, &names, place, "name", name);
        }
    }
}

/* Every mount and device names a volume of the pod. */
static void validate_container_mounts(struct kind_validator *v, const struct map *volumes,
                                      struct str place, const struct json_value *container)
{
    static const char *const lists[] = {"volumeMounts", "volumeDevices"};
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct str list = field_path(v, place, lists[i]);
        const struct json_value *mount;
        size_t index = 0;
        JSON_FOREACH (key, mount, json_path(container, lists[i])) {
            const struct str name = json_path_str(mount, "name");
            const struct str item = field_path_index(v, list, index++);
            if (name.len > 0 && !map_has(volumes, name))
                field_errors_add_str(v->errors, FIELD_NOT_FOUND, field_path(v, item, "name"), name,
                                     STR(""));
        }
    }
}

/*
 * The volumes of the pod are those of the spec, and the claims that a StatefulSet creates per pod.
 */
static void validate_mounts(struct kind_validator *v, const struct json_value *spec,
                            struct str path)
{
    SCOPED(map) volumes = {.release = NULL};
    const struct json_value *volume, *container = NULL;
    JSON_FOREACH (key, volume, json_path(spec, "volumes"))
        map_put(&volumes, json_path_str(volume, "name"), NULL);
    if (v->kind->type == &type_stateful_set)
        JSON_FOREACH (key, volume, json_path(v->object, "spec.volumeClaimTemplates"))
            map_put(&volumes, json_path_str(volume, "metadata.name"), NULL);
    for (size_t i = 0; i < COUNT(container_lists); i++) {
        const struct str list = field_path(v, path, container_lists[i]);
        size_t index = 0;
        JSON_FOREACH (key, container, json_path(spec, container_lists[i]))
            validate_container_mounts(v, &volumes, field_path_index(v, list, index++), container);
    }
}

/* Without a policy the Pod itself says who answers its questions. */
static void validate_dns(struct kind_validator *v, const struct json_value *spec, struct str path)
{
    const struct json_value *config = json_path(spec, "dnsConfig");
    const struct str options = field_path(v, path, "dnsConfig.options");
    const struct json_value *option;
    size_t index = 0;
    JSON_FOREACH (key, option, json_path(config, "options")) {
        if (json_path_str(option, "name").len == 0)
            field_required(v, field_path_index(v, options, index), NULL, "must not be empty");
        index++;
    }
    if (!str_eq(json_path_str(spec, "dnsPolicy"), STR("None")))
        return;
    if (!config)
        field_required(v, path, "dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
    else if (json_count(json_path(config, "nameservers")) == 0)
        field_required(v, path, "dnsConfig.nameservers",
                       "must provide at least one DNS nameserver when `dnsPolicy` is None");
}

void validate_pod_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_container_names(v, object, path);
    validate_mounts(v, object, path);
    validate_dns(v, object, path);
    if (json_path_str(object, "os.name").len)
        field_one_of(v, path, "os", json_path_str(object, "os.name"), "linux|windows");
}

/* Paths of labels and annotations of a template lack "metadata", as upstream. */
void validate_pod_template(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    metadata_check_labels(v->errors, field_path(v, path, "labels"),
                          json_path(object, "metadata.labels"));
    metadata_check_annotations(v->errors, field_path(v, path, "annotations"),
                               json_path(object, "metadata.annotations"));
    if (json_count(json_path(object, "spec.ephemeralContainers")))
        field_forbidden(v, path, "spec.ephemeralContainers",
                        "ephemeral containers not allowed in pod template");
}

static bool has_white_edge(struct str text)
{
    return str_trim(text).len != text.len;
}

/* Liveness and startup probes must have a successThreshold of 1. */
static void validate_probes(struct kind_validator *v, const struct json_value *container,
                            struct str path)
{
    static const char *const probes[] = {"livenessProbe", "startupProbe"};
    for (size_t i = 0; i < COUNT(probes); i++) {
        const struct json_value *count =
            json_path(json_path(container, probes[i]), "successThreshold");
        int64_t number;
        if (json_to_int64(count, &number) && number != 1)
            field_invalid(v, field_path(v, path, probes[i]), "successThreshold", count,
                          "must be 1");
    }
}

/* White space around the image, and mount paths that are used twice. */
void validate_container(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) places = {.release = NULL};
    const struct json_value *image = json_path(object, "image"), *mount;
    const struct str list = field_path(v, path, "volumeMounts");
    size_t index = 0;
    if (has_white_edge(json_to_str(image)))
        field_invalid(v, path, "image", image, "must not have leading or trailing whitespace");
    JSON_FOREACH (key, mount, json_path(object, "volumeMounts")) {
        const struct str place = json_path_str(mount, "mountPath");
        const struct str item = field_path_index(v, list, index++);
        if (place.len > 0 && map_has(&places, place))
            field_invalid(v, item, "mountPath", json_path(mount, "mountPath"), "must be unique");
        map_put(&places, place, NULL);
    }
    validate_probes(v, object, path);
}

/* value and valueFrom exclude each other, and valueFrom has exactly one source. */
void validate_env_var(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *source = json_path(object, "valueFrom");
    const struct str place = field_path(v, path, "valueFrom");
    if (!source)
        return;
    if (json_path_str(object, "value").len > 0)
        field_errors_add_str(v->errors, FIELD_INVALID, place, STR(""),
                             STR("may not be specified when `value` is not empty"));
    else if (json_count(source) == 0)
        field_errors_add_str(v->errors, FIELD_INVALID, place, STR(""),
                             STR("must specify one of: `fieldRef`, `resourceFieldRef`, "
                                 "`configMapKeyRef` or `secretKeyRef`"));
    else if (json_count(source) > 1)
        field_errors_add_str(v->errors, FIELD_INVALID, place, STR(""),
                             STR("may not have more than one field specified at a time"));
}

void validate_env_source(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const bool has_map = json_path(object, "configMapRef") != NULL;
    const bool has_secret = json_path(object, "secretRef") != NULL;
    if (!has_map && !has_secret)
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("must specify one of: `configMapRef` or `secretRef`"));
    if (has_map && has_secret)
        field_errors_add_str(v->errors, FIELD_INVALID, path, STR(""),
                             STR("may not have more than one field specified at a time"));
}

/* The port of an HTTP, TCP or gRPC action. */
void validate_probe_port(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_port(v, path, "port", json_path(object, "port"));
}

/* A probe or lifecycle hook has exactly one handler. */
void validate_handler(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc", "sleep"};
    size_t count = 0;
    for (size_t i = 0; i < COUNT(handlers); i++)
        if (json_path(object, handlers[i]) && count++ > 0)
            field_forbidden(v, path, handlers[i], "may not specify more than 1 handler type");
    if (count == 0)
        field_required(v, path, NULL, "must specify a handler type");
}

/* A volume has exactly one source. Sources are inlined beside the name. */
void validate_volume(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, object) {
        if (str_eq(key, STR("name")) || count++ == 0)
            continue;
        field_forbidden(v, path, arena_c(v->arena, key), "may not specify more than 1 volume type");
    }
    if (count == 0)
        field_required(v, path, NULL, "must specify a volume type");
}

void validate_file_mode(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *mode = json_path(object, "defaultMode");
    int64_t number;
    if (json_to_int64(mode, &number) && (number < 0 || number > 0777))
        field_invalid(v, path, "defaultMode", mode,
                      "must be a number between 0 and 0777 (octal), both inclusive");
}

/* An empty key matches all keys and needs the operator Exists. */
/* podIP is the first of podIPs, which it makes if there are none. */
void validate_pod_status(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *quality = json_path(object, "qosClass"), *item;
    const struct str first = json_path_str(object, "podIP"),
                     was = json_path_str(v->old, "status.qosClass");
    const struct str place = field_path(v, path, "podIPs");
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(object, "podIPs")) {
        const struct str address = json_path_str(item, "ip");
        field_syntax(v, field_path_index(v, place, index++), NULL, address, syntax_ip(address));
    }
    if (index == 0 && first.len)
        field_syntax(v, field_path_index(v, place, 0), NULL, first, syntax_ip(first));
    if (was.len && !str_eq(was, json_to_str(quality)))
        field_invalid(v, path, "qosClass", quality, "field is immutable");
}

void validate_toleration(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str op = json_path_str(object, "operator"), key = json_path_str(object, "key");
    if (key.len > 0)
        field_syntax(v, path, "key", key, validation_label_key(key));
    else if (!str_eq(op, STR("Exists")))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "operator"), op,
                             STR("operator must be Exists when `key` is empty, which means \"match "
                                 "all values and all keys\""));
    if (json_path(object, "tolerationSeconds") &&
        !str_eq(json_path_str(object, "effect"), STR("NoExecute")))
        field_invalid(v, path, "effect", json_path(object, "effect"),
                      "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (str_eq(op, STR("Exists")) && json_path_str(object, "value").len > 0)
        field_invalid(v, path, "operator", json_path(object, "value"),
                      "value must be empty when `operator` is 'Exists'");
    else if (op.len > 0)
        field_one_of(v, path, "operator", op, "Equal|Exists");
}

/* A toleration is told by its key, operator, value and effect. */
void validate_scheduling(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const char *const members[] = {"key", "operator", "value", "effect"};
    const struct str place = field_path(v, path, "tolerations");
    const struct json_value *one;
    SCOPED(map) seen = {.release = NULL};
    size_t index = 0;
    JSON_FOREACH (key, one, json_path(object, "tolerations")) {
        const struct str at = field_path_index(v, place, index++);
        SCOPED(buf) told = {.limit = 0};
        for (size_t i = 0; i < COUNT(members); i++)
            buf_add_json_string(&told, json_path_str(one, members[i]));
        if (map_has(&seen, buf_str(&told)))
            field_errors_add_value(v->errors, FIELD_DUPLICATE, at, one, STR(""));
        map_put(&seen, buf_str(&told), NULL);
    }
}

static void forget_images(struct json_edit *edit, const struct json_value *pod, const char *list,
                          struct arena *arena)
{
    const size_t count = json_count(json_path(json_path(pod, "spec"), list));
    for (size_t i = 0; i < count; i++) {
        const struct str path = arena_print(arena, "spec.%s.%zu", list, i);
        json_edit_remove(
            edit, (struct json_place){.path = path.ptr, .key = STR("image"), .has_key = true});
    }
}

/* A pod without the fields that an update may change. */
static struct json_doc *fixed_part(struct kind_validator *v, const struct json_value *pod)
{
    SCOPED(json_edit) edit;
    struct json_doc *doc = NULL;
    json_edit_init(&edit, pod);
    forget_images(&edit, pod, "containers", v->arena);
    forget_images(&edit, pod, "initContainers", v->arena);
    json_edit_remove(&edit, JSON_PLACE("spec.activeDeadlineSeconds"));
    json_edit_remove(&edit, JSON_PLACE("spec.tolerations"));
    json_edit_remove(&edit, JSON_PLACE("spec.terminationGracePeriodSeconds"));
    json_edit_remove(&edit, JSON_PLACE("spec.schedulingGates"));
    struct error *err = json_edit_finish(&edit, &doc);
    error_free(err);
    return doc;
}

/* terminationGracePeriodSeconds may change only from a negative value, which is invalid, to 1. */
static bool is_period_fine(const struct json_value *old, const struct json_value *new)
{
    int64_t before = 0, after = 0;
    const char *path = "spec.terminationGracePeriodSeconds";
    if (json_equal(json_path(old, path), json_path(new, path)))
        return true;
    (void)json_to_int64(json_path(old, path), &before);
    (void)json_to_int64(json_path(new, path), &after);
    return before < 0 && after == 1;
}

static bool has_element(const struct json_value *list, const struct json_value *wanted)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, list)
        if (json_equal(one, wanted))
            return true;
    return false;
}

/* Tolerations may be added but not removed. */
static bool are_tolerations_fine(const struct json_value *old, const struct json_value *new)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, json_path(old, "spec.tolerations"))
        if (!has_element(json_path(new, "spec.tolerations"), one))
            return false;
    return true;
}

/*
 * All fields of the spec but a few are immutable. The fields that may change are removed from both
 * pods before they are compared.
 */
void validate_pod_update(struct kind_validator *v, const struct json_value *object, struct str path)
{
    OWNED(json_doc) before = fixed_part(v, v->old);
    OWNED(json_doc) after = fixed_part(v, object);
    (void)path;
    if (before && after && is_period_fine(v->old, object) && are_tolerations_fine(v->old, object) &&
        json_equal(json_path(json_doc_root(before), "spec"),
                   json_path(json_doc_root(after), "spec")))
        return;
    field_forbidden(v, STR(""), "spec",
                    "pod updates may not change fields other than `spec.containers[*].image`,"
                    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                    "`spec.tolerations` (only additions to existing tolerations),"
                    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                    "previously negative)\n");
}
