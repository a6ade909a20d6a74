/*
 * Validation of the sources of volumes that Pods and PersistentVolumes have in common.
 *
 * Upstream: validateHostPathVolumeSource() and the functions below it in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. What a source needs stands in the
 * tables of kind_validate_pod_volume.c and kind_validate_volume.c.
 */
#include "apiserver/registry/validation/kind_validate_source.h"

#include "base/ascii.h"

/* Of the names of CSI drivers. */
#define DRIVER_NAME_MAX 63

/* Of the tenant of a Quobyte volume. */
#define TENANT_MAX 64

bool path_has_backstep(struct str path)
{
    struct str part;
    bool more = true;
    while (more) {
        more = str_cut(&path, '/', &part);
        if (str_eq(part, STR("..")))
            return true;
    }
    return false;
}

void validate_no_backstep(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    if (path_has_backstep(json_path_str(object, "path")))
        field_invalid(v, path, "path", json_path(object, "path"), "must not contain '..'");
}

void validate_relative_path(struct kind_validator *v, struct str text, struct str path)
{
    if (str_starts_with(text, STR("/")))
        field_invalid_text(v, path, NULL, text, "must be a relative path");
    if (path_has_backstep(text))
        field_invalid_text(v, path, NULL, text, "must not contain '..'");
}

/* A path that is missing is the only thing that is said. */
void validate_host_path(struct kind_validator *v, const struct json_value *object, struct str path)
{
    if (json_path_str(object, "path").len == 0)
        return;
    validate_no_backstep(v, object, path);
    if (json_path(object, "type"))
        field_one_of(v, path, "type", json_path_str(object, "type"),
                     "|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|"
                     "Socket");
}

void validate_partition(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *partition = json_path(object, "partition");
    int64_t number;
    if (json_to_int64(partition, &number) && (number < 0 || number > 255))
        field_invalid(v, path, "partition", partition, "must be between 1 and 255, inclusive");
}

void validate_flocker(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str name = json_path_str(object, "datasetName");
    const struct str uuid = json_path_str(object, "datasetUUID");
    if (name.len == 0 && uuid.len == 0)
        field_required(v, path, NULL, "one of datasetName and datasetUUID is required");
    if (name.len && uuid.len)
        field_errors_add_str(
            v->errors, FIELD_INVALID, path, STR("resource"),
            STR("datasetName and datasetUUID can not be specified simultaneously"));
    if (str_find_char(name, '/') != STR_NONE)
        field_invalid(v, path, "datasetName", json_path(object, "datasetName"),
                      "must not contain '/'");
}

void validate_nfs(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str place = json_path_str(object, "path");
    if (!str_starts_with(place, STR("/")))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "path"), place,
                             STR("must be an absolute path"));
}

/* "host:port", where a host with colons stands in brackets. */
static bool is_host_and_port(struct str text)
{
    const size_t colon = str_find_last_char(text, ':');
    if (colon == STR_NONE)
        return false;
    const struct str host = str_slice(text, 0, colon), port = str_skip(text, colon + 1);
    const bool has_brackets = str_starts_with(host, STR("[")) && str_ends_with(host, STR("]"));
    const struct str inner = has_brackets ? str_slice(host, 1, host.len - 1) : host;
    return (has_brackets || str_find_char(inner, ':') == STR_NONE) &&
           str_find_char(inner, '[') == STR_NONE && str_find_char(inner, ']') == STR_NONE &&
           str_find_char(port, '[') == STR_NONE && str_find_char(port, ']') == STR_NONE;
}

void validate_quobyte(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const char words[] = "must be a host:port pair or multiple pairs separated by commas";
    const struct json_value *registry = json_path(object, "registry");
    struct str rest = json_to_str(registry), pair;
    bool more = rest.len > 0;
    if (!more)
        field_required(v, path, "registry", words);
    else if (json_path_str(object, "tenant").len > TENANT_MAX)
        field_required(v, path, "tenant",
                       "must be a UUID and may not exceed a length of 64 characters");
    else
        while (more) {
            more = str_cut(&rest, ',', &pair);
            if (!is_host_and_port(pair))
                field_invalid(v, path, "registry", registry, words);
        }
    if (json_path_str(object, "volume").len == 0)
        field_required(v, path, "volume", "");
}

static bool is_alphanumeric(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_alphanumeric(text.ptr[i]))
            return false;
    return true;
}

static bool is_digits(struct str text, size_t count)
{
    if (text.len < count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!ascii_is_digit(text.ptr[i]))
            return false;
    return true;
}

/* "iqn.2001-04.com.example:storage": a date, a name and what the name's owner chose. */
static bool is_iqn(struct str text)
{
    const struct str date = str_skip(text, 4);
    const size_t colon = str_find_char(text, ':');
    if (!str_starts_with(text, STR("iqn.")) || !is_digits(date, 4) || date.len < 8 ||
        date.ptr[4] != '-' || !is_digits(str_skip(date, 5), 2) || date.ptr[7] != '.' ||
        colon == STR_NONE || colon < 13 || colon + 1 == text.len)
        return false;
    for (size_t i = 12; i < text.len; i++) {
        const char c = text.ptr[i];
        if (i < colon ? !ascii_is_alphanumeric(c) && c != '-' && c != '.'
                      : memchr(",;*&$| \t\n\f\r", c, 11) != NULL)
            return false;
    }
    return true;
}

/* The name of an iSCSI target or initiator, in one of its three forms. */
static bool is_iscsi_name(struct str name)
{
    if (str_starts_with(name, STR("iqn")))
        return is_iqn(name);
    if (str_starts_with(name, STR("eui")))
        return name.len == 4 + 16 && is_alphanumeric(str_skip(name, 4));
    return str_starts_with(name, STR("naa")) && name.len == 4 + 32 &&
           is_alphanumeric(str_skip(name, 4));
}

/* The name of an iSCSI target or initiator. Of a Pod's volume upstream says how one begins. */
static void validate_iscsi_name(struct kind_validator *v, struct str name, struct str path)
{
    const bool begins_well = str_starts_with(name, STR("iqn")) ||
                             str_starts_with(name, STR("eui")) || str_starts_with(name, STR("naa"));
    if (!is_iscsi_name(name))
        field_invalid_text(v, path, NULL, name,
                           v->pod && !begins_well
                               ? "must be valid format starting with iqn, eui, or naa"
                               : "must be valid format");
}

void validate_iscsi(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const bool has_password = field_is_true(json_path(object, "chapAuthDiscovery")) ||
                              field_is_true(json_path(object, "chapAuthSession"));
    if (json_path_str(object, "iqn").len)
        validate_iscsi_name(v, json_path_str(object, "iqn"), field_path(v, path, "iqn"));
    field_range(v, object, path, "lun", 0, 255);
    if (has_password && !json_path(object, "secretRef"))
        field_required(v, path, "secretRef", "");
    if (json_path(object, "initiatorName"))
        validate_iscsi_name(v, json_path_str(object, "initiatorName"),
                            field_path(v, path, "initiatorname"));
}

void validate_fc(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *names = json_path(object, "targetWWNs"),
                            *lun = json_path(object, "lun");
    const size_t ids = json_count(json_path(object, "wwids"));
    int64_t number;
    if (json_count(names) == 0 && ids == 0)
        field_required(v, path, "targetWWNs",
                       "must specify either targetWWNs or wwids, but not both");
    if (json_count(names) == 0)
        return;
    if (ids)
        field_invalid(v, path, "targetWWNs", names,
                      "targetWWNs and wwids can not be specified simultaneously");
    if (!lun)
        field_required(v, path, "lun", "lun is required if targetWWNs is specified");
    else if (json_to_int64(lun, &number) && (number < 0 || number > 255))
        field_invalid(v, path, "lun", lun, "must be between 0 and 255, inclusive");
}

/* Options of a driver do not have the domains of Kubernetes. */
void validate_flex(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str options = field_path(v, path, "options");
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(object, "options")) {
        struct str rest = key, domain;
        (void)str_cut(&rest, '/', &domain);
        const char *dotted = arena_print(v->arena, ".%.*s", STR_ARG(domain)).ptr;
        char *lower = arena_alloc(v->arena, domain.len + 2);
        for (size_t i = 0; i <= domain.len; i++)
            lower[i] = ascii_to_lower(dotted[i]);
        const struct str name = str_from(lower, domain.len + 1);
        if (str_ends_with(name, STR(".kubernetes.io")) || str_ends_with(name, STR(".k8s.io")))
            field_errors_add_str(v->errors, FIELD_INVALID, field_path_key(v, options, key), key,
                                 STR("kubernetes.io and k8s.io namespaces are reserved"));
    }
}

void validate_azure_disk(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *kind = json_path(object, "kind");
    const struct str uri = json_path_str(object, "diskURI");
    const bool is_managed = str_eq(json_to_str(kind), STR("Managed"));
    if (json_path(object, "cachingMode"))
        field_one_of(v, path, "cachingMode", json_path_str(object, "cachingMode"),
                     "None|ReadOnly|ReadWrite");
    if (!kind)
        return;
    field_one_of(v, path, "kind", json_to_str(kind), "Dedicated|Managed|Shared");
    if (is_managed && !str_starts_with(uri, STR("/subscriptions/")))
        field_one_of(v, path, "diskURI", uri,
                     "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                     "microsoft.compute/disks/{disk-id}");
    if (!is_managed && !str_starts_with(uri, STR("https://")))
        field_one_of(v, path, "diskURI", uri,
                     "https://{account-name}.blob.core.windows.net/{container-name}/"
                     "{disk-name}.vhd");
}

/* The name of a driver: a domain, in letters of any case. */
void validate_driver_name(struct kind_validator *v, struct str name, struct str path)
{
    char *lower = arena_alloc(v->arena, name.len + 1);
    for (size_t i = 0; i < name.len; i++)
        lower[i] = ascii_to_lower(name.ptr[i]);
    if (name.len > DRIVER_NAME_MAX)
        field_errors_add_too_long(v->errors, path, DRIVER_NAME_MAX);
    if (name.len)
        field_syntax(v, path, NULL, name, validation_dns1123_subdomain(str_from(lower, name.len)));
}

static bool is_empty(const struct json_value *value)
{
    return json_type(value) == JSON_ARRAY ? json_count(value) == 0 : json_to_str(value).len == 0;
}

void validate_volume_source(struct kind_validator *v, const struct json_value *value,
                            const struct volume_source *source, struct str path)
{
    const struct str place = field_path(v, path, source->path ? source->path : source->member);
    for (size_t i = 0; i < COUNT(source->required) && source->required[i]; i++)
        if (is_empty(json_path(value, source->required[i])))
            field_required(v, place, source->required[i], "");
    if (source->check)
        source->check(v, value, place);
}
