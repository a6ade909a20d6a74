#include "clusterresourceset/identity.h"

#include "base/arena.h"
#include "base/log.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/types/binding.h"
#include "controller/recorder.h"

struct identity {
    struct arena arena;
    struct str now, was; /* was is empty if the binding is of this cluster */
};

static void identity_done(struct identity *identity)
{
    arena_done(&identity->arena);
}

/* Called again after a conflict: another set may have done it meanwhile. */
static struct error *void_entries(void *data, struct object *binding, struct object **ret_binding)
{
    struct identity *identity = data;
    identity->was = (struct str){0};
    if (!binding_is_of_other_cluster(binding, identity->now)) {
        *ret_binding = object_ref(binding);
        return NULL;
    }
    struct str was;
    if (object_find_annotation(binding, STR(BINDING_CLUSTER_UID), &was))
        identity->was = arena_str(&identity->arena, was);
    return binding_void(binding, identity->now, ret_binding);
}

static void tell_other_cluster(struct crs_controllers *controllers, const struct object *cluster,
                               const struct identity *identity)
{
    const struct key key = object_key(cluster);
    log_info("Cluster is another cluster now, everything is applied to it anew",
             LOG_KEY("Cluster", key.namespace, key.name), LOG_STR("uid", identity->now),
             LOG_STR("was", identity->was));
    if (!controllers->options.recorder)
        return;
    const struct recorder_reference about = recorder_reference(cluster);
    recorder_event(
        controllers->options.recorder, &about, RECORDER_WARNING, "AnotherCluster", "Apply",
        "Cluster %.*s/%.*s is another cluster now (kube-system UID %.*s, was %.*s)",
        STR_ARG(key.namespace), STR_ARG(key.name), STR_ARG(identity->now), STR_ARG(identity->was));
}

/* The copy that is known decides that nothing is to be done; the write is made on the newest. */
struct error *identity_check(struct crs_controllers *controllers, const struct object *cluster,
                             struct str cluster_uid)
{
    const struct key key = object_key(cluster);
    SCOPED(identity) identity = {.now = cluster_uid};
    OWNED(object) binding = binding_store_find(controllers->binding_store, key);
    if (!binding_is_of_other_cluster(binding, cluster_uid))
        return NULL;
    TRY(error_ignore(binding_store_change(controllers->binding_store, key, void_entries, &identity),
                     ERROR_NOT_FOUND),
        "failed to drop the entries of another cluster from ClusterResourceSetBinding %.*s/%.*s",
        STR_ARG(key.namespace), STR_ARG(key.name));
    if (identity.was.len)
        tell_other_cluster(controllers, cluster, &identity);
    return NULL;
}
