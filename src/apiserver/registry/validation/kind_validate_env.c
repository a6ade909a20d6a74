/*
 * Validation of the environment of containers, and of the references to fields and resources that
 * volumes have, too.
 *
 * Upstream: ValidateEnv(), ValidateEnvFrom(), validateObjectFieldSelector() and
 * validateContainerResourceFieldSelector() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

/* Fields that a container, or a volume, can be given, and those that can be converted at all. */
static const char *const offered_fields[] = {
    [FIELD_REF_ENV] = "metadata.name|metadata.namespace|metadata.uid|spec.nodeName|"
                      "spec.serviceAccountName|status.hostIP|status.hostIPs|status.podIP|"
                      "status.podIPs",
    [FIELD_REF_VOLUME] = "metadata.annotations|metadata.labels|metadata.name|metadata.namespace|"
                         "metadata.uid",
};
static const char known_fields[] =
    "metadata.annotations|metadata.labels|metadata.name|metadata.namespace|metadata.uid|"
    "spec.nodeName|spec.restartPolicy|spec.serviceAccountName|spec.schedulerName|status.phase|"
    "status.hostIP|status.hostIPs|status.podIP|status.podIPs";

/* Splits "metadata.labels['key']"; false for a path without a key. */
static bool cut_key(struct str path, struct str *ret_path, struct str *ret_key)
{
    const size_t open = str_find(path, STR("['"));
    if (!str_ends_with(path, STR("']")) || open == STR_NONE || open == 0 || open + 4 > path.len)
        return false;
    *ret_path = str_slice(path, 0, open);
    *ret_key = str_slice(path, open + 2, path.len - 2);
    return true;
}

static struct str to_lower(struct kind_validator *v, struct str text)
{
    char *lower = arena_alloc(v->arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        lower[i] = ascii_to_lower(text.ptr[i]);
    return str_from(lower, text.len);
}

/* A label or annotation by its key. Upstream's path is that of the reference. */
static void validate_field_key(struct kind_validator *v, struct str field, struct str whole,
                               struct str key, struct str path)
{
    const bool is_annotation = str_eq(field, STR("metadata.annotations"));
    const struct str label = is_annotation ? to_lower(v, key) : key;
    if (is_annotation || str_eq(field, STR("metadata.labels")))
        field_syntax(v, path, NULL, label, validation_label_key(label));
    else
        field_invalid_text(v, path, "fieldPath", whole,
                           arena_print(v->arena,
                                       "error converting fieldPath: field label does not support "
                                       "subscript: %.*s",
                                       STR_ARG(whole))
                               .ptr);
}

/* spec.host is an old name. */
static void validate_plain_field(struct kind_validator *v, struct str field, struct str path,
                                 enum field_ref_use use)
{
    const struct str name = str_eq(field, STR("spec.host")) ? STR("spec.nodeName") : field;
    if (field_is_one_of(name, known_fields))
        field_one_of(v, path, "fieldPath", name, offered_fields[use]);
    else
        field_invalid_text(v, path, "fieldPath", field,
                           arena_print(v->arena,
                                       "error converting fieldPath: field label not supported: "
                                       "%.*s",
                                       STR_ARG(field))
                               .ptr);
}

void validate_field_ref(struct kind_validator *v, const struct json_value *object, struct str path,
                        enum field_ref_use use)
{
    const struct str version = json_path_str(object, "apiVersion");
    const struct str field = json_path_str(object, "fieldPath");
    struct str name, key;
    if (!field_needs(v, object, path, "apiVersion") || !field_needs(v, object, path, "fieldPath"))
        return;
    if (!str_eq(version, STR("v1")))
        field_invalid_text(v, path, "fieldPath", field,
                           arena_print(v->arena,
                                       "error converting fieldPath: unsupported pod version: %.*s",
                                       STR_ARG(version))
                               .ptr);
    else if (cut_key(field, &name, &key))
        validate_field_key(v, name, field, key, path);
    else
        validate_plain_field(v, field, path, use);
}

#define BYTES "1|1k|1M|1G|1T|1P|1E|1Ki|1Mi|1Gi|1Ti|1Pi|1Ei"
#define BYTES_ARE \
    "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported "

/* Units in which a resource may be given, by what its name is or begins with. */
static const struct {
    const char *name;
    bool is_prefix;
    const char *units, *detail;
} divisors[] = {
    {"limits.cpu",                 false, "1m|1",
     "only divisor's values 1m and 1 are supported with the cpu resource"                },
    {"requests.cpu",               false, "1m|1",
     "only divisor's values 1m and 1 are supported with the cpu resource"                },
    {"limits.memory",              false, BYTES,  BYTES_ARE "with the memory resource"   },
    {"requests.memory",            false, BYTES,  BYTES_ARE "with the memory resource"   },
    {"limits.ephemeral-storage",   false, BYTES,
     BYTES_ARE "with the local ephemeral storage resource"                               },
    {"requests.ephemeral-storage", false, BYTES,
     BYTES_ARE "with the local ephemeral storage resource"                               },
    {"limits.hugepages-",          true,  BYTES,  BYTES_ARE "with the hugepages resource"},
    {"requests.hugepages-",        true,  BYTES,  BYTES_ARE "with the hugepages resource"},
};

/* Upstream quotes the resource, not the divisor. */
static void validate_divisor(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *divisor = json_path(object, "divisor");
    const struct str resource = json_path_str(object, "resource");
    struct quantity quantity;
    if (!field_quantity(divisor, &quantity) || quantity_sign(&quantity) == 0)
        return;
    for (size_t i = 0; i < COUNT(divisors); i++) {
        const struct str name = str_from_c(divisors[i].name);
        const bool is_meant =
            divisors[i].is_prefix ? str_starts_with(resource, name) : str_eq(resource, name);
        if (is_meant && !field_is_one_of(json_to_str(divisor), divisors[i].units))
            field_invalid_text(v, path, "divisor", resource, divisors[i].detail);
    }
}

/* A volume says of which container. */
void validate_resource_ref(struct kind_validator *v, const struct json_value *object,
                           struct str path, enum field_ref_use use)
{
    static const char names[] = "limits.cpu|limits.ephemeral-storage|limits.memory|requests.cpu|"
                                "requests.ephemeral-storage|requests.memory";
    const struct str resource = json_path_str(object, "resource");
    const bool is_huge_page = str_starts_with(resource, STR("limits.hugepages-")) ||
                              str_starts_with(resource, STR("requests.hugepages-"));
    const bool has_container =
        use != FIELD_REF_VOLUME || field_needs(v, object, path, "containerName");
    if (has_container && field_needs(v, object, path, "resource") && !is_huge_page)
        field_one_of(v, path, "resource", resource, names);
    validate_divisor(v, object, path);
}

/* A key of a ConfigMap or Secret. A missing name is not a required one, but no name. */
static void validate_key_ref(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct str name = json_path_str(object, "name");
    field_syntax(v, path, "name", name, validation_dns1123_subdomain(name));
    field_needs_syntax(v, object, path, "key", validation_config_map_key);
}

static void validate_file_ref(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    field_needs_syntax(v, object, path, "key", syntax_env_name);
    field_needs_syntax(v, object, path, "volumeName", validation_dns1123_label);
    if (field_needs(v, object, path, "path"))
        validate_no_backstep(v, object, path);
}

static void validate_env_field(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    validate_field_ref(v, object, path, FIELD_REF_ENV);
}

static void validate_env_resource(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    validate_resource_ref(v, object, path, FIELD_REF_ENV);
}

static const struct {
    const char *member;
    validate_fn *check;
} env_sources[] = {
    {"fieldRef",         validate_env_field   },
    {"resourceFieldRef", validate_env_resource},
    {"configMapKeyRef",  validate_key_ref     },
    {"secretKeyRef",     validate_key_ref     },
    {"fileKeyRef",       validate_file_ref    },
};

/* value and valueFrom exclude each other, and valueFrom has exactly one source. */
void validate_env(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *source = json_path(object, "valueFrom");
    const struct str place = field_path(v, path, "valueFrom");
    size_t count = 0;
    field_needs_syntax(v, object, path, "name", syntax_env_name);
    if (!source)
        return;
    for (size_t i = 0; i < COUNT(env_sources); i++) {
        count += json_path(source, env_sources[i].member) != NULL;
        field_apply(v, source, place, env_sources[i].member, env_sources[i].check);
    }
    if (count == 0)
        field_invalid_text(v, place, NULL, STR(""),
                           "must specify one of: `fieldRef`, `resourceFieldRef`, "
                           "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
    else if (json_path_str(object, "value").len)
        field_invalid_text(v, place, NULL, STR(""),
                           "may not be specified when `value` is not empty");
    else if (count > 1)
        field_invalid_text(v, place, NULL, STR(""),
                           "may not have more than one field specified at a time");
}

/* Upstream takes the name of an object here for a prefix of one, which may end with a dash. */
static struct validation syntax_env_object(struct str name)
{
    SCOPED(buf) full = {.limit = 0};
    if (name.len <= 1 || !str_ends_with(name, STR("-")))
        return validation_dns1123_subdomain(name);
    buf_add(&full, str_slice(name, 0, name.len - 2));
    buf_add(&full, STR("a"));
    return validation_dns1123_subdomain(buf_str(&full));
}

static void validate_env_object(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    field_needs_syntax(v, object, path, "name", syntax_env_object);
}

static void validate_env_source(struct kind_validator *v, const struct json_value *object,
                                struct str list, struct str path)
{
    const size_t count =
        (json_path(object, "configMapRef") != NULL) + (json_path(object, "secretRef") != NULL);
    field_may_have_syntax(v, object, path, "prefix", syntax_env_name);
    field_apply(v, object, path, "configMapRef", validate_env_object);
    field_apply(v, object, path, "secretRef", validate_env_object);
    if (count == 0)
        field_invalid_text(v, list, NULL, STR(""),
                           "must specify one of: `configMapRef` or `secretRef`");
    else if (count > 1)
        field_invalid_text(v, list, NULL, STR(""),
                           "may not have more than one field specified at a time");
}

/* How many sources there are is told of the list. */
void validate_env_from(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str list = field_path(v, path, "envFrom");
    const struct json_value *source;
    size_t index = 0;
    JSON_FOREACH (key, source, json_path(object, "envFrom"))
        validate_env_source(v, source, list, field_path_index(v, list, index++));
}

static void validate_env_volume(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct json_value *ref = json_path(object, "valueFrom.fileKeyRef");
    const struct str name = json_path_str(ref, "volumeName");
    const struct str place = field_path(v, path, "valueFrom.fileKeyRef.volumeName");
    if (!ref)
        return;
    if (!map_has(&v->pod->named, name))
        field_errors_add_str(v->errors, FIELD_NOT_FOUND, place, name, STR(""));
    else if (!map_has(&v->pod->scratch, name))
        field_invalid_text(v, place, NULL, name, "referenced volume must be of type emptyDir");
}

/* Files of variables are in an emptyDir. */
void validate_env_volumes(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    field_apply_each(v, object, path, "env", validate_env_volume);
}
