/*
 * Warnings about PersistentVolumes and claims, and about what they are made by.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/persistentvolume, persistentvolumeclaim and storage, and the
 * strategy of CSIDrivers.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_warn_internal.h"
#include "json/compare.h"

#define STORAGE_CLASS "volume.beta.kubernetes.io/storage-class"
#define CLASS_TEXT    "deprecated since v1.8; use \"storageClassName\" attribute instead"

static const struct warn_annotation volume_annotations[] = {
    {STORAGE_CLASS,                             CLASS_TEXT           },
    {"volume.beta.kubernetes.io/mount-options",
     "deprecated since v1.31; use \"mountOptions\" attribute instead"},
};

static const struct warn_annotation claim_annotations[] = {
    {STORAGE_CLASS, CLASS_TEXT},
};

static const struct warn_member plugins[] = {
    {"cephfs",               NULL,        "deprecated in v1.28, non-functional in v1.31+"},
    {"photonPersistentDisk", NULL,        "deprecated in v1.11, non-functional in v1.16+"},
    {"scaleIO",              NULL,        "deprecated in v1.16, non-functional in v1.22+"},
    {"storageos",            "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs",            NULL,        "deprecated in v1.25, non-functional in v1.26+"},
    {"rbd",                  NULL,        "deprecated in v1.28, non-functional in v1.31+"},
};

void warn_of_volume(struct kind_warner *w)
{
    const struct json_value *spec = json_path(w->object, "spec");
    warn_of_annotations(w, STR(""), json_path(w->object, "metadata.annotations"),
                        volume_annotations, COUNT(volume_annotations));
    if (str_eq(json_path_str(spec, "persistentVolumeReclaimPolicy"), STR("Recycle")))
        warn_at(w, STR("spec.persistentVolumeReclaimPolicy"),
                "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to "
                "use dynamic provisioning.");
    warn_of_node_terms(w, STR("spec.nodeAffinity.required.nodeSelectorTerms"),
                       json_path(spec, "nodeAffinity.required.nodeSelectorTerms"));
    warn_of_members(w, STR("spec"), spec, plugins, COUNT(plugins));
}

void warn_of_fraction(struct kind_warner *w, struct str path, const struct json_value *resources,
                      struct str resource)
{
    const struct str text = json_to_str(json_get(resources, resource));
    struct quantity quantity;
    int64_t milli;
    if (text.len == 0)
        return;
    OWNED(error) malformed = quantity_read(text, &quantity);
    if (malformed || !quantity_milli(&quantity, &milli) || milli % 1000 == 0)
        return;
    json_warn(w->warnings,
              arena_print(w->arena,
                          "%.*s[%.*s]: fractional byte value %.*s is invalid, must be an integer",
                          STR_ARG(path), STR_ARG(resource), STR_ARG(warn_quote(w, text))));
}

void warn_of_claim_spec(struct kind_warner *w, struct str path, const struct json_value *spec)
{
    const struct json_value *resources = json_path(spec, "resources");
    if (!resources)
        return;
    warn_of_fraction(w, ARENA_JOIN(w->arena, path, STR(".resources.requests")),
                     json_path(resources, "requests"), STR("storage"));
    warn_of_fraction(w, ARENA_JOIN(w->arena, path, STR(".resources.limits")),
                     json_path(resources, "limits"), STR("storage"));
}

void warn_of_claim(struct kind_warner *w)
{
    warn_of_annotations(w, STR(""), json_path(w->object, "metadata.annotations"), claim_annotations,
                        COUNT(claim_annotations));
    warn_of_claim_spec(w, STR("spec"), json_path(w->object, "spec"));
}

static void warn_of_topology(struct kind_warner *w, struct str path,
                             const struct json_value *expressions)
{
    const struct json_value *expression;
    size_t index = 0;
    JSON_FOREACH (key, expression, expressions) {
        const char *text = warn_find_node_label(json_path_str(expression, "key"));
        if (text)
            warn_at(w, warn_path(w, path, index, ".key"), text);
        index++;
    }
}

void warn_of_storage_class(struct kind_warner *w)
{
    const struct json_value *topology;
    size_t index = 0;
    JSON_FOREACH (key, topology, json_path(w->object, "allowedTopologies"))
        warn_of_topology(w,
                         warn_path(w, STR("allowedTopologies"), index++, ".matchLabelExpressions"),
                         json_path(topology, "matchLabelExpressions"));
}

void warn_of_storage_capacity(struct kind_warner *w)
{
    const struct json_value *value;
    warn_of_node_expressions(w, STR("nodeTopology.matchExpressions"),
                             json_path(w->object, "nodeTopology.matchExpressions"));
    JSON_FOREACH (key, value, json_path(w->object, "nodeTopology.matchLabels"))
        if (warn_find_node_label(key))
            warn_at(w, ARENA_JOIN(w->arena, STR("nodeTopology.matchLabels."), key),
                    warn_find_node_label(key));
}

/* An update is warned of when it changes the requests. */
void warn_of_csi_driver(struct kind_warner *w)
{
    const struct json_value *requests = json_path(w->object, "spec.tokenRequests");
    const struct json_value *old = json_path(w->old, "spec.tokenRequests");
    if (json_count(requests) && !json_path(w->object, "spec.serviceAccountTokenInSecrets") &&
        !(old && json_equal(requests, old)))
        json_warn(w->warnings,
                  STR("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI "
                      "driver, set to true to prevent possible logging of tokens in volume "
                      "attributes"));
}
