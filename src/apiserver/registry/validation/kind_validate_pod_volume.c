/*
 * Validation of the volumes of Pods.
 *
 * Upstream: ValidateVolumes() and validateVolumeSource() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. The table sources[] has the sources in
 * the order in which upstream looks at them: the first one is looked into, any other is one too
 * many. A volume with a fault is no volume for the mounts of containers, nor does it take a name.
 */
#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/quote.h"

void validate_file_mode(struct kind_validator *v, const struct json_value *object, struct str path,
                        const char *member)
{
    const struct json_value *mode = json_path(object, member);
    int64_t number;
    if (json_to_int64(mode, &number) && (number < 0 || number > 0777))
        field_invalid(v, path, member, mode,
                      "must be a number between 0 and 0777 (octal), both inclusive");
}

/* The first step upwards is told of as such. */
void validate_inner_path(struct kind_validator *v, const struct json_value *object, struct str path,
                         const char *member)
{
    const struct str text = json_path_str(object, member);
    validate_relative_path(v, text, field_path(v, path, member));
    if (str_starts_with(text, STR("..")) && !str_starts_with(text, STR("../")))
        field_invalid_text(v, path, member, text, "must not start with '..'");
}

static void validate_item(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    (void)field_needs(v, object, path, "key");
    (void)field_needs(v, object, path, "path");
    validate_inner_path(v, object, path, "path");
    validate_file_mode(v, object, path, "mode");
}

void validate_items(struct kind_validator *v, const struct json_value *object, struct str path)
{
    field_apply_each(v, object, path, "items", validate_item);
}

static void validate_files(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    validate_file_mode(v, object, path, "defaultMode");
    validate_items(v, object, path);
}

static void validate_downward(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    validate_file_mode(v, object, path, "defaultMode");
    validate_downward_items(v, object, path);
}

static void validate_empty_dir(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    struct quantity size;
    if (field_quantity(json_path(object, "sizeLimit"), &size) && quantity_sign(&size) < 0)
        field_forbidden(v, path, "sizeLimit", "SizeLimit field must be a valid resource quantity");
}

static void validate_git_repo(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    validate_relative_path(v, json_path_str(object, "directory"), field_path(v, path, "directory"));
}

static void validate_secret_name(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const struct json_value *secret = json_path(object, "secretRef");
    if (secret)
        (void)field_needs(v, secret, field_path(v, path, "secretRef"), "name");
}

static void validate_pod_storage_os(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    field_may_have_syntax(v, object, path, "volumeName", validation_dns1123_label);
    field_may_have_syntax(v, object, path, "volumeNamespace", validation_dns1123_label);
    validate_secret_name(v, object, path);
}

/* A faulty name of a Secret is told of at another path than a missing one, as upstream. */
static void validate_pod_csi(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *secret = json_path(object, "nodePublishSecretRef");
    const struct str name = json_path_str(secret, "name");
    validate_driver_name(v, json_path_str(object, "driver"), field_path(v, path, "driver"));
    if (secret && name.len == 0)
        field_required(v, path, "nodePublishSecretRef.name", "");
    if (name.len)
        field_syntax(v, path, "name", name, validation_dns1123_subdomain(name));
}

/* Members of metadata that a template of a claim does not have, as Go calls them. */
static const struct {
    const char *member, *path;
} not_in_claims[] = {
    {"name",                       "name"                      },
    {"generateName",               "generateName"              },
    {"namespace",                  "namespace"                 },
    {"selfLink",                   "selfLink"                  },
    {"uid",                        "uID"                       },
    {"resourceVersion",            "resourceVersion"           },
    {"generation",                 "generation"                },
    {"creationTimestamp",          "creationTimestamp"         },
    {"deletionTimestamp",          "deletionTimestamp"         },
    {"deletionGracePeriodSeconds", "deletionGracePeriodSeconds"},
    {"ownerReferences",            "ownerReferences"           },
    {"finalizers",                 "finalizers"                },
    {"managedFields",              "managedFields"             },
};

static void validate_claim_metadata(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    metadata_check_annotations(v->errors, field_path(v, path, "annotations"),
                               json_path(object, "annotations"));
    metadata_check_labels(v->errors, field_path(v, path, "labels"), json_path(object, "labels"));
    for (size_t i = 0; i < COUNT(not_in_claims); i++)
        if (json_path(object, not_in_claims[i].member))
            field_forbidden(v, path, not_in_claims[i].path, "cannot be set");
}

static void validate_claim_template_spec(struct kind_validator *v, const struct json_value *object,
                                         struct str path)
{
    validate_claim_spec(v, object, path);
    validate_pod_selector(v, object, path, "selector");
    validate_claim_sources(v, object, path);
}

static void validate_ephemeral(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct json_value *claim = json_path(object, "volumeClaimTemplate");
    const struct str place = field_path(v, path, "volumeClaimTemplate");
    if (!claim) {
        field_required(v, place, NULL, "");
        return;
    }
    field_apply(v, claim, place, "metadata", validate_claim_metadata);
    validate_claim_template_spec(v, json_path(claim, "spec"), field_path(v, place, "spec"));
}

/* A template may leave the image to what makes a Pod of it. */
static void validate_image(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    if (v->pod->meta)
        (void)field_needs(v, object, path, "reference");
    field_needs_one_of(v, object, path, "pullPolicy", "Always|IfNotPresent|Never");
}

/* What a volume of a Pod can be. An emptyDir does not count as one too many. */
static const struct volume_source sources[] = {
  /* clang-format off: one row, one line */
    {"emptyDir",              NULL,             NULL,         {NULL},                              validate_empty_dir     },
    {"hostPath",              NULL,             NULL,         {"path"},                            validate_host_path     },
    {"gitRepo",               NULL,             NULL,         {"repository"},                      validate_git_repo      },
    {"gcePersistentDisk",     "persistentDisk", NULL,         {"pdName"},                          validate_partition     },
    {"awsElasticBlockStore",  NULL,             NULL,         {"volumeID"},                        validate_partition     },
    {"secret",                NULL,             NULL,         {"secretName"},                      validate_files         },
    {"nfs",                   NULL,             NULL,         {"server", "path"},                  validate_nfs           },
    {"iscsi",                 NULL,             NULL,         {"targetPortal", "iqn"},             validate_iscsi         },
    {"glusterfs",             NULL,             NULL,         {"endpoints", "path"},               NULL                   },
    {"flocker",               NULL,             NULL,         {NULL},                              validate_flocker       },
    {"persistentVolumeClaim", NULL,             NULL,         {"claimName"},                       NULL                   },
    {"rbd",                   NULL,             NULL,         {"monitors", "image"},               NULL                   },
    {"cinder",                NULL,             NULL,         {"volumeID"},                        validate_secret_name   },
    {"cephfs",                NULL,             "cephFS",     {"monitors"},                        NULL                   },
    {"quobyte",               NULL,             NULL,         {NULL},                              validate_quobyte       },
    {"downwardAPI",           NULL,             "downwarAPI", {NULL},                              validate_downward      },
    {"fc",                    NULL,             NULL,         {NULL},                              validate_fc            },
    {"flexVolume",            NULL,             NULL,         {"driver"},                          validate_flex          },
    {"configMap",             NULL,             NULL,         {"name"},                            validate_files         },
    {"azureFile",             NULL,             NULL,         {"secretName", "shareName"},         NULL                   },
    {"vsphereVolume",         NULL,             NULL,         {"volumePath"},                      NULL                   },
    {"photonPersistentDisk",  NULL,             NULL,         {"pdID"},                            NULL                   },
    {"portworxVolume",        NULL,             NULL,         {"volumeID"},                        NULL                   },
    {"azureDisk",             NULL,             NULL,         {"diskName", "diskURI"},             validate_azure_disk    },
    {"storageos",             NULL,             NULL,         {"volumeName"},                      validate_pod_storage_os},
    {"projected",             NULL,             NULL,         {NULL},                              validate_projected     },
    {"scaleIO",               NULL,             NULL,         {"gateway", "system", "volumeName"}, NULL                   },
    {"csi",                   NULL,             NULL,         {"driver"},                          validate_pod_csi       },
    {"ephemeral",             NULL,             NULL,         {NULL},                              validate_ephemeral     },
    {"image",                 NULL,             NULL,         {NULL},                              validate_image         },
 /* clang-format on */
};

/* The target of an initiator is told to the kernel together with the name of the volume. */
static void validate_initiator(struct kind_validator *v, const struct json_value *volume,
                               struct str path)
{
    const struct str name = json_path_str(volume, "name");
    const struct str portal = json_path_str(volume, "iscsi.targetPortal");
    if (json_path(volume, "iscsi.initiatorName") && name.len + 1 + portal.len > ISCSI_PORTAL_MAX)
        field_invalid_text(v, path, "name", name, ISCSI_PORTAL_WORDS);
}

/* The name that the claim of an ephemeral volume gets; empty while it is not known. */
static struct str claim_name(struct kind_validator *v, struct str volume)
{
    const struct str pod = json_path_str(v->pod->meta, "name");
    return pod.len && volume.len ? ARENA_JOIN(v->arena, pod, STR("-"), volume) : STR("");
}

static void validate_claim_name(struct kind_validator *v, struct str volume, struct str path)
{
    const struct str name = claim_name(v, volume);
    const struct validation found = validation_dns1123_subdomain(name);
    SCOPED(buf) quoted = {.limit = 0};
    str_quote_go(&quoted, name);
    for (size_t i = 0; name.len && i < found.count; i++)
        field_invalid_text(v, path, "name", volume,
                           arena_print(v->arena, "PVC name %.*s: %.*s", STR_ARG(buf_str(&quoted)),
                                       STR_ARG(found.messages[i]))
                               .ptr);
}

static void validate_sources(struct kind_validator *v, const struct json_value *volume,
                             struct str path)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct json_value *value = json_path(volume, sources[i].member);
        const char *member =
            sources[i].path_of_second ? sources[i].path_of_second : sources[i].member;
        if (!value)
            continue;
        if (count++ > 0)
            field_forbidden(v, path, member, VOLUME_ONE_TYPE);
        else
            validate_volume_source(v, value, &sources[i], path);
        if (sources[i].check == validate_iscsi)
            validate_initiator(v, volume, path);
        if (sources[i].check == validate_ephemeral && count == 1)
            validate_claim_name(v, json_path_str(volume, "name"), path);
    }
    if (count == 0)
        field_required(v, path, NULL, "must specify a volume type");
}

/* True when the name is one, which no volume has before. */
static void validate_volume_name(struct kind_validator *v, const struct pod_check *pod,
                                 struct str name, struct str path)
{
    if (name.len == 0)
        field_required(v, path, "name", "");
    else
        field_syntax(v, path, "name", name, validation_dns1123_label(name));
    if (map_has(&pod->volumes, name))
        field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path(v, path, "name"), name,
                             STR(""));
}

static void keep_volume(struct pod_check *pod, struct str name, bool is_claim, bool is_scratch,
                        bool is_valid)
{
    map_put(&pod->named, name, NULL);
    if (is_scratch)
        map_put(&pod->scratch, name, NULL);
    else
        (void)map_remove(&pod->scratch, name);
    if (is_valid)
        map_put(&pod->volumes, name, NULL);
    if (is_valid && is_claim)
        map_put(&pod->claims, name, NULL);
}

/* created has the names of claims that are made for the Pod: no other volume is one of these. */
static void validate_volume(struct kind_validator *v, struct pod_check *pod,
                            const struct map *created, const struct json_value *volume,
                            struct str path)
{
    const struct str name = json_path_str(volume, "name");
    const struct str claim = json_path_str(volume, "persistentVolumeClaim.claimName");
    const bool is_claim = json_path(volume, "persistentVolumeClaim") != NULL;
    const size_t before = v->errors->count;
    validate_sources(v, volume, path);
    validate_volume_name(v, pod, name, path);
    keep_volume(pod, name, is_claim || json_path(volume, "ephemeral"),
                json_path(volume, "emptyDir") != NULL, v->errors->count == before);
    if (is_claim && map_has(created, claim))
        field_invalid_text(v, path, "persistentVolumeClaim.claimName", claim,
                           "must not reference a PVC that gets created for an ephemeral volume");
}

/*
 * A StatefulSet makes a claim for each of its Pods from each of its templates. These stand in front
 * of the volumes of the Pod, and in the place of those with their names.
 */
static size_t add_claim_templates(struct kind_validator *v, struct pod_check *pod,
                                  struct map *templates)
{
    const struct str list = field_path(v, pod->path, "volumes");
    const struct json_value *claim;
    if (v->kind->type != &type_stateful_set)
        return 0;
    JSON_FOREACH (key, claim, json_path(v->object, "spec.volumeClaimTemplates")) {
        const struct str name = json_path_str(claim, "metadata.name");
        const struct str path = field_path_index(v, list, map_count(templates));
        const size_t before = v->errors->count;
        if (map_has(templates, name))
            continue;
        map_put(templates, name, NULL);
        if (name.len == 0)
            field_required(v, path, "persistentVolumeClaim.claimName", "");
        validate_volume_name(v, pod, name, path);
        keep_volume(pod, name, true, false, v->errors->count == before);
    }
    return map_count(templates);
}

/* The claims of ephemeral volumes have the name of the Pod in theirs. */
static void find_created_claims(struct kind_validator *v, struct map *created)
{
    const struct json_value *volume;
    JSON_FOREACH (key, volume, json_path(v->pod->spec, "volumes")) {
        const struct str pod = json_path_str(v->pod->meta, "name");
        const struct str name = json_path_str(volume, "name");
        if (pod.len && json_path(volume, "ephemeral"))
            map_put(created, ARENA_JOIN(v->arena, pod, STR("-"), name), NULL);
    }
}

void validate_pod_volumes(struct kind_validator *v, struct pod_check *pod)
{
    SCOPED(map) templates = {.release = NULL};
    SCOPED(map) created = {.release = NULL};
    const struct str list = field_path(v, pod->path, "volumes");
    const struct json_value *volume;
    size_t index = add_claim_templates(v, pod, &templates);
    find_created_claims(v, &created);
    JSON_FOREACH (key, volume, json_path(pod->spec, "volumes"))
        if (!map_has(&templates, json_path_str(volume, "name")) && !field_errors_is_full(v->errors))
            validate_volume(v, pod, &created, volume, field_path_index(v, list, index++));
}

/* On an update the templates stay as they are, whatever is wrong with them. */
void validate_claim_templates(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct str list = field_path(v, path, "volumeClaimTemplates");
    const struct json_value *claim;
    size_t index = 0;
    if (v->old)
        return;
    JSON_FOREACH (key, claim, json_path(object, "volumeClaimTemplates"))
        validate_claim_template_spec(v, json_path(claim, "spec"),
                                     field_path(v, field_path_index(v, list, index++), "spec"));
}
