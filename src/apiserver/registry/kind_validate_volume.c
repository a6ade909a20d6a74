/*
 * Validation of PersistentVolumes, and of the volumes that stand in VolumeAttachments.
 *
 * Upstream: ValidatePersistentVolumeSpec() and ValidatePersistentVolumeUpdate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. The table sources[] has the sources of
 * a volume in the order in which upstream looks at them: the first one is looked into, any other is
 * one too many. The walk of kind_validate.c does not enter sources.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "base/ascii.h"
#include "json/compare.h"

/* Of the names of CSI drivers. */
#define DRIVER_NAME_MAX 63

/* Of the tenant of a Quobyte volume, and of "<volume>:<targetPortal>" of an iSCSI volume. */
#define TENANT_MAX 64
#define PORTAL_MAX 64

#define ONE_TYPE "may not specify more than 1 volume type"

void validate_access_modes(struct kind_validator *v, const struct json_value *modes,
                           struct str path)
{
    static const char names[] = "ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod";
    const struct json_value *value;
    bool has_pod = false, has_other = false;
    JSON_FOREACH (key, value, modes) {
        const struct str mode = json_to_str(value);
        const bool is_pod = str_eq(mode, STR("ReadWriteOncePod"));
        field_one_of(v, path, NULL, mode, names);
        has_pod = has_pod || is_pod;
        has_other = has_other || (!is_pod && field_is_one_of(mode, names));
    }
    if (has_pod && has_other)
        field_forbidden(v, path, NULL, "may not use ReadWriteOncePod with other access modes");
}

bool validate_basic_quantity(struct kind_validator *v, struct str path,
                             const struct json_value *value)
{
    struct quantity quantity;
    int64_t number;
    if (!field_quantity(value, &quantity) || !quantity_value(&quantity, &number) || number >= 0)
        return true;
    field_errors_add_int(v->errors, FIELD_INVALID, path, number,
                         STR("must be a valid resource quantity"));
    return false;
}

/* Whether a path leads upwards. */
static bool has_backstep(struct str path)
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

static void validate_no_backstep(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    if (has_backstep(json_path_str(object, "path")))
        field_invalid(v, path, "path", json_path(object, "path"), "must not contain '..'");
}

/* A path that is missing is the only thing that is said. */
static void validate_host_path(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    if (json_path_str(object, "path").len == 0)
        return;
    validate_no_backstep(v, object, path);
    if (json_path(object, "type"))
        field_one_of(v, path, "type", json_path_str(object, "type"),
                     "|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|"
                     "Socket");
}

static void validate_partition(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct json_value *partition = json_path(object, "partition");
    int64_t number;
    if (json_to_int64(partition, &number) && (number < 0 || number > 255))
        field_invalid(v, path, "partition", partition, "must be between 1 and 255, inclusive");
}

static void validate_endpoints_namespace(struct kind_validator *v, const struct json_value *object,
                                         struct str path)
{
    const struct json_value *value = json_path(object, "endpointsNamespace");
    const struct str name = json_to_str(value);
    if (value && name.len == 0)
        field_invalid(v, path, "endpointsNamespace", value,
                      "if the endpointnamespace is set, it must be a valid namespace name");
    else if (value)
        field_syntax(v, path, "endpointsNamespace", name, validation_dns1123_label(name));
}

static void validate_flocker(struct kind_validator *v, const struct json_value *object,
                             struct str path)
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

static void validate_nfs(struct kind_validator *v, const struct json_value *object, struct str path)
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

static void validate_quobyte(struct kind_validator *v, const struct json_value *object,
                             struct str path)
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

static void validate_iscsi(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *iqn = json_path(object, "iqn"), *lun = json_path(object, "lun");
    const struct json_value *initiator = json_path(object, "initiatorName");
    const struct json_value *secret = json_path(object, "secretRef");
    const struct str portal = json_path_str(object, "targetPortal");
    const struct str name = json_path_str(v->object, "metadata.name");
    int64_t number;
    if (initiator && name.len + 1 + portal.len > PORTAL_MAX)
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "targetportal"), portal,
                             STR("Total length of <volume name>:<iscsi.targetPortal> must be under "
                                 "64 characters if iscsi.initiatorName is specified."));
    if (json_to_str(iqn).len && !is_iscsi_name(json_to_str(iqn)))
        field_invalid(v, path, "iqn", iqn, "must be valid format");
    if (json_to_int64(lun, &number) && (number < 0 || number > 255))
        field_invalid(v, path, "lun", lun, "must be between 0 and 255, inclusive");
    if (!secret && (field_is_true(json_path(object, "chapAuthDiscovery")) ||
                    field_is_true(json_path(object, "chapAuthSession"))))
        field_required(v, path, "secretRef", "");
    if (secret && json_path_str(secret, "name").len == 0)
        field_required(v, path, "secretRef.name", "");
    if (initiator && !is_iscsi_name(json_to_str(initiator)))
        field_invalid(v, path, "initiatorname", initiator, "must be valid format");
}

/* A Secret in a namespace; both are named. */
static void validate_secret_reference(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    const struct json_value *secret = json_path(object, "secretRef");
    if (secret && json_path_str(secret, "name").len == 0)
        field_required(v, path, "secretRef.name", "");
    if (secret && json_path_str(secret, "namespace").len == 0)
        field_required(v, path, "secretRef.namespace", "");
}

static void validate_fc(struct kind_validator *v, const struct json_value *object, struct str path)
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
static void validate_flex(struct kind_validator *v, const struct json_value *object,
                          struct str path)
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

static void validate_secret_namespace(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    const struct json_value *namespace = json_path(object, "secretNamespace");
    if (namespace && json_to_str(namespace).len == 0)
        field_required(v, path, "secretNamespace", "");
}

static void validate_azure_disk(struct kind_validator *v, const struct json_value *object,
                                struct str path)
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

static void validate_label_of(struct kind_validator *v, const struct json_value *object,
                              struct str path, const char *member)
{
    const struct str name = json_path_str(object, member);
    if (name.len)
        field_syntax(v, path, member, name, validation_dns1123_label(name));
}

static void validate_storage_os(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    validate_label_of(v, object, path, "volumeName");
    validate_label_of(v, object, path, "volumeNamespace");
    validate_secret_reference(v, object, path);
}

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

static void validate_csi(struct kind_validator *v, const struct json_value *object, struct str path)
{
    static const char *const members[] = {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                          "nodePublishSecretRef", "nodeExpandSecretRef"};
    validate_driver_name(v, json_path_str(object, "driver"), field_path(v, path, "driver"));
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json_value *secret = json_path(object, members[i]);
        const struct str place = field_path(v, path, members[i]);
        const struct str name = json_path_str(secret, "name");
        if (!secret)
            continue;
        if (name.len == 0)
            field_required(v, place, "name", "");
        else
            field_syntax(v, place, "name", name, validation_dns1123_subdomain(name));
        if (json_path_str(secret, "namespace").len == 0)
            field_required(v, place, "namespace", "");
        validate_label_of(v, secret, place, "namespace");
    }
}

/* What a source needs, and what else is looked at. Some paths in errors are not the member's. */
static const struct volume_source {
    const char *member, *path, *path_of_second;
    const char *required[3];
    validate_fn *check;
} sources[] = {
  /* clang-format off: one row, one line */
    {"hostPath",             NULL,             NULL,     {"path"},                            validate_host_path          },
    {"gcePersistentDisk",    "persistentDisk", NULL,     {"pdName"},                          validate_partition          },
    {"awsElasticBlockStore", NULL,             NULL,     {"volumeID"},                        validate_partition          },
    {"glusterfs",            NULL,             NULL,     {"endpoints", "path"},               validate_endpoints_namespace},
    {"flocker",              NULL,             NULL,     {NULL},                              validate_flocker            },
    {"nfs",                  NULL,             NULL,     {"server", "path"},                  validate_nfs                },
    {"rbd",                  NULL,             NULL,     {"monitors", "image"},               NULL                        },
    {"quobyte",              NULL,             NULL,     {NULL},                              validate_quobyte            },
    {"cephfs",               NULL,             "cephFS", {"monitors"},                        NULL                        },
    {"iscsi",                NULL,             NULL,     {"targetPortal", "iqn"},             validate_iscsi              },
    {"cinder",               NULL,             NULL,     {"volumeID"},                        validate_secret_reference   },
    {"fc",                   NULL,             NULL,     {NULL},                              validate_fc                 },
    {"flexVolume",           NULL,             NULL,     {"driver"},                          validate_flex               },
    {"azureFile",            NULL,             NULL,     {"secretName", "shareName"},         validate_secret_namespace   },
    {"vsphereVolume",        NULL,             NULL,     {"volumePath"},                      NULL                        },
    {"photonPersistentDisk", NULL,             NULL,     {"pdID"},                            NULL                        },
    {"portworxVolume",       NULL,             NULL,     {"volumeID"},                        NULL                        },
    {"azureDisk",            NULL,             NULL,     {"diskName", "diskURI"},             validate_azure_disk         },
    {"scaleIO",              NULL,             NULL,     {"gateway", "system", "volumeName"}, NULL                        },
    {"local",                NULL,             NULL,     {"path"},                            validate_no_backstep        },
    {"storageos",            NULL,             NULL,     {"volumeName"},                      validate_storage_os         },
    {"csi",                  NULL,             NULL,     {"driver", "volumeHandle"},          validate_csi                },
 /* clang-format on */
};

static bool is_empty(const struct json_value *value)
{
    return json_type(value) == JSON_ARRAY ? json_count(value) == 0 : json_to_str(value).len == 0;
}

static void validate_source(struct kind_validator *v, const struct json_value *value,
                            const struct volume_source *source, struct str path)
{
    const struct str place = field_path(v, path, source->path ? source->path : source->member);
    for (size_t i = 0; i < COUNT(source->required) && source->required[i]; i++)
        if (is_empty(json_path(value, source->required[i])))
            field_required(v, place, source->required[i], "");
    if (source->check)
        source->check(v, value, place);
}

/* A local volume is on a node, which the volume says. */
static void validate_local(struct kind_validator *v, const struct json_value *spec, struct str path)
{
    if (!json_path(spec, "nodeAffinity") || v->kind->type == &type_volume_attachment)
        field_required(v, path, "nodeAffinity", "Local volume requires node affinity");
}

/* Upstream counts a flexVolume but lets it stand beside the source before it. */
static void validate_sources(struct kind_validator *v, const struct json_value *spec,
                             struct str path)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct json_value *value = json_path(spec, sources[i].member);
        if (!value)
            continue;
        if (count++ == 0 || sources[i].check == validate_flex)
            validate_source(v, value, &sources[i], path);
        else
            field_forbidden(
                v, path, sources[i].path_of_second ? sources[i].path_of_second : sources[i].member,
                ONE_TYPE);
    }
    if (count == 0)
        field_required(v, path, NULL, "must specify a volume type");
    if (count == 1 && json_path(spec, "local"))
        validate_local(v, spec, path);
}

/* What a volume has of all resources, in the order of their names. */
static void refuse_capacity(struct kind_validator *v, const struct json_value *capacity,
                            struct str path)
{
    OWNED(json_doc) sorted = NULL;
    SCOPED(buf) text = {.limit = 0};
    json_write_canonical(&text, capacity);
    OWNED(error) err = capacity ? json_read(buf_str(&text), &sorted) : NULL;
    field_errors_add_value(v->errors, FIELD_NOT_SUPPORTED, path,
                           sorted ? json_doc_root(sorted) : NULL,
                           STR("supported values: \"storage\""));
}

/* Storage and nothing else, more than none of it. */
static void validate_capacity(struct kind_validator *v, const struct json_value *capacity,
                              struct str path)
{
    const struct json_value *value;
    if (json_count(capacity) == 0)
        field_required(v, path, NULL, "");
    if (!json_path(capacity, "storage") || json_count(capacity) > 1)
        refuse_capacity(v, capacity, path);
    JSON_FOREACH (key, value, capacity) {
        const struct str place = field_path_key(v, path, key);
        struct quantity quantity;
        (void)validate_basic_quantity(v, place, value);
        if (field_quantity(value, &quantity) && quantity_sign(&quantity) <= 0)
            field_invalid(v, place, NULL, value, "must be greater than zero");
    }
}

#define INLINE_WORDS "may not be specified in the context of inline volumes"

/*
 * The inline volume of a VolumeAttachment belongs to a CSI driver. No PersistentVolumeClaim is
 * bound to it, so members about claims and scheduling are refused.
 */
static void validate_inline_volume(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    static const char *const members[] = {"claimRef", "capacity", "nodeAffinity",
                                          "storageClassName"};
    const struct str policy = json_path_str(spec, "persistentVolumeReclaimPolicy");
    const struct str mode = json_path_str(spec, "volumeMode");
    for (size_t i = 0; i < COUNT(members); i++)
        if (json_path(spec, members[i]) && (json_type(json_path(spec, members[i])) != JSON_STRING ||
                                            json_path_str(spec, members[i]).len))
            field_forbidden(v, path, members[i], INLINE_WORDS);
    if (!json_path(spec, "csi"))
        field_required(v, path, "csi", "has to be specified in the context of inline volumes");
    if (policy.len && !str_eq(policy, STR("Retain")))
        field_forbidden(v, path, "persistentVolumeReclaimPolicy",
                        "may only be Retain in the context of inline volumes");
    if (json_path(spec, "volumeMode") && !str_eq(mode, STR("Filesystem")))
        field_forbidden(v, path, "volumeMode",
                        "may not specify volumeMode other than Filesystem in the context of inline "
                        "volumes");
}

static void validate_stored_volume(struct kind_validator *v, const struct json_value *spec,
                                   struct str path)
{
    const struct str policy = json_path_str(spec, "persistentVolumeReclaimPolicy");
    const struct str class = json_path_str(spec, "storageClassName");
    validate_capacity(v, json_path(spec, "capacity"), field_path(v, path, "capacity"));
    if (policy.len)
        field_one_of(v, path, "persistentVolumeReclaimPolicy", policy, "Delete|Recycle|Retain");
    if (json_path(spec, "nodeAffinity") && !json_path(spec, "nodeAffinity.required"))
        field_required(v, path, "nodeAffinity.required", "must specify required node constraints");
    if (class.len)
        field_syntax(v, path, "storageClassName", class, validation_dns1123_subdomain(class));
    if (json_path(spec, "volumeMode"))
        field_one_of(v, path, "volumeMode", json_path_str(spec, "volumeMode"), "Block|Filesystem");
}

/* "/" in any of its spellings, such as "//./". */
static bool is_root(struct str path)
{
    struct str part;
    bool more = str_starts_with(path, STR("/")), is_root = more;
    while (more) {
        more = str_cut(&path, '/', &part);
        is_root = is_root && (part.len == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")));
    }
    return is_root;
}

static void validate_attributes_class(struct kind_validator *v, const struct json_value *spec,
                                      struct str path)
{
    const struct json_value *class = json_path(spec, "volumeAttributesClassName");
    if (!class)
        return;
    if (json_to_str(class).len == 0)
        field_required(v, path, "volumeAttributesClassName", "an empty string is disallowed");
    else
        field_syntax(v, path, "volumeAttributesClassName", json_to_str(class),
                     validation_dns1123_subdomain(json_to_str(class)));
    if (!json_path(spec, "csi"))
        field_required(v, path, "csi", "has to be specified when using volumeAttributesClassName");
}

void validate_volume_spec(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const bool is_inline = v->kind->type == &type_volume_attachment;
    const struct json_value *modes = json_path(object, "accessModes");
    if (is_inline && json_path(v->object, "spec.source.persistentVolumeName"))
        return; /* two sources are one fault */
    if (json_count(modes) == 0)
        field_required(v, path, "accessModes", "");
    validate_access_modes(v, modes, field_path(v, path, "accessModes"));
    if (is_inline)
        validate_inline_volume(v, object, path);
    else
        validate_stored_volume(v, object, path);
    validate_sources(v, object, path);
    if (is_root(json_path_str(object, "hostPath.path")) &&
        str_eq(json_path_str(object, "persistentVolumeReclaimPolicy"), STR("Recycle")))
        field_forbidden(v, path, "persistentVolumeReclaimPolicy",
                        "may not be 'recycle' for a hostPath mount of '/'");
    validate_attributes_class(v, object, path);
}

/* A CSI volume may get the Secret with which it is made larger, once. */
static bool is_same_source(const struct json_value *old, const struct json_value *new)
{
    static const char *const may_come[] = {"controllerExpandSecretRef"};
    return json_equal(old, new) || (old && new && !json_path(old, may_come[0]) &&
                                    !field_differs_besides(old, new, may_come, COUNT(may_come)));
}

/* A label that has another name since it is no beta any more. */
static bool is_same_label(struct str old, struct str new)
{
    static const struct {
        const char *old, *new;
    } renamed[] = {
        {"failure-domain.beta.kubernetes.io/zone",   "topology.kubernetes.io/zone"     },
        {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"   },
        {"beta.kubernetes.io/os",                    "kubernetes.io/os"                },
        {"beta.kubernetes.io/arch",                  "kubernetes.io/arch"              },
        {"beta.kubernetes.io/instance-type",         "node.kubernetes.io/instance-type"},
    };
    for (size_t i = 0; i < COUNT(renamed); i++)
        if (str_eq(old, str_from_c(renamed[i].old)) && str_eq(new, str_from_c(renamed[i].new)))
            return true;
    return str_eq(old, new);
}

static bool is_same_term(const struct json_value *old, const struct json_value *new)
{
    static const char *const expressions[] = {"matchExpressions"}, *const label[] = {"key"};
    const struct json_value *list = json_path(old, expressions[0]), *one;
    const struct json_value *others = json_path(new, expressions[0]);
    size_t index = 0;
    if (json_count(list) != json_count(others) ||
        field_differs_besides(old, new, expressions, COUNT(expressions)))
        return false;
    JSON_FOREACH (key, one, list) {
        const struct json_value *other = json_at(others, index++);
        if (field_differs_besides(one, other, label, COUNT(label)) ||
            !is_same_label(json_path_str(one, label[0]), json_path_str(other, label[0])))
            return false;
    }
    return true;
}

static bool are_same_nodes(const struct json_value *old, const struct json_value *new)
{
    const struct json_value *terms = json_path(old, "required.nodeSelectorTerms"), *term;
    const struct json_value *others = json_path(new, "required.nodeSelectorTerms");
    size_t index = 0;
    if (json_count(terms) != json_count(others))
        return false;
    JSON_FOREACH (key, term, terms)
        if (!is_same_term(term, json_at(others, index++)))
            return false;
    return true;
}

/* The source of a PersistentVolume and how it is used are immutable. */
void validate_volume_update(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    const struct json_value *old = json_path(v->old, "spec"), *spec = json_path(object, "spec");
    const struct json_value *nodes = json_path(old, "nodeAffinity");
    bool is_same = true;
    (void)path;
    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct json_value *before = json_path(old, sources[i].member);
        const struct json_value *after = json_path(spec, sources[i].member);
        is_same = is_same && (sources[i].check == validate_csi ? is_same_source(before, after)
                                                               : json_equal(before, after));
    }
    if (!is_same)
        field_forbidden(v, STR(""), "spec.persistentvolumesource",
                        "spec.persistentvolumesource is immutable after creation");
    if (!json_equal(json_path(old, "volumeMode"), json_path(spec, "volumeMode")))
        field_invalid(v, STR(""), "volumeMode", json_path(spec, "volumeMode"),
                      "field is immutable");
    if (nodes && !are_same_nodes(nodes, json_path(spec, "nodeAffinity")))
        field_invalid(v, STR(""), "nodeAffinity", json_path(spec, "nodeAffinity"),
                      "field is immutable, except for updating from beta label to GA");
    if (json_path(old, "volumeAttributesClassName") &&
        !json_path(spec, "volumeAttributesClassName"))
        field_forbidden(v, STR("spec"), "volumeAttributesClassName",
                        "update from non-nil value to nil is forbidden");
}
