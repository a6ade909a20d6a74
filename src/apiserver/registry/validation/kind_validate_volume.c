/*
 * Validation of PersistentVolumes, and of the volumes that stand in VolumeAttachments.
 *
 * Upstream: ValidatePersistentVolumeSpec() and ValidatePersistentVolumeUpdate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. The table sources[] has the sources of
 * a volume in the order in which upstream looks at them: the first one is looked into, any other is
 * one too many. The walk of kind_validate.c does not enter sources.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/validation/kind_validate_source.h"
#include "json/compare.h"

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

static void validate_stored_iscsi(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const struct json_value *secret = json_path(object, "secretRef");
    const struct str portal = json_path_str(object, "targetPortal");
    const struct str name = json_path_str(v->object, "metadata.name");
    if (json_path(object, "initiatorName") && name.len + 1 + portal.len > ISCSI_PORTAL_MAX)
        field_invalid_text(v, path, "targetportal", portal, ISCSI_PORTAL_WORDS);
    validate_iscsi(v, object, path);
    if (secret && json_path_str(secret, "name").len == 0)
        field_required(v, path, "secretRef.name", "");
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

static void validate_secret_namespace(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    const struct json_value *namespace = json_path(object, "secretNamespace");
    if (namespace && json_to_str(namespace).len == 0)
        field_required(v, path, "secretNamespace", "");
}

static void validate_storage_os(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    field_may_have_syntax(v, object, path, "volumeName", validation_dns1123_label);
    field_may_have_syntax(v, object, path, "volumeNamespace", validation_dns1123_label);
    validate_secret_reference(v, object, path);
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
        field_may_have_syntax(v, secret, place, "namespace", validation_dns1123_label);
    }
}

/* What a PersistentVolume can be. */
static const struct volume_source sources[] = {
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
    {"iscsi",                NULL,             NULL,     {"targetPortal", "iqn"},             validate_stored_iscsi       },
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
            validate_volume_source(v, value, &sources[i], path);
        else
            field_forbidden(
                v, path, sources[i].path_of_second ? sources[i].path_of_second : sources[i].member,
                VOLUME_ONE_TYPE);
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
