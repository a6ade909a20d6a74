#include "clusterresourceset/identity.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/types/binding.h"
#include "clusterresourceset/watches.h"
#include "controller/cache/cache.h"
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

/*
 * When the answer to the write was lost, the next look finds the binding changed or changes it.
 * What follows from the change is done then. Returns the UID that was replaced; empty: none.
 */
static struct str note_outcome(struct crs_controllers *controllers, struct key cluster,
                               bool has_failed, struct identity *identity)
{
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    const char *earlier = map_find(&controllers->replaced, buf_str(&key));
    if (has_failed && identity->was.len && !earlier)
        map_put(&controllers->replaced, buf_str(&key),
                mem_dup(identity->was.ptr, identity->was.len));
    if (has_failed)
        return STR("");
    if (!identity->was.len && earlier)
        identity->was = arena_str(&identity->arena, str_from_c(earlier));
    map_remove(&controllers->replaced, buf_str(&key));
    return identity->was;
}

static bool has_unknown_outcome(const struct crs_controllers *controllers, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    return map_find(&controllers->replaced, buf_str(&key)) != NULL;
}

/* The copy that is known decides that nothing is to be done; the write is made on the newest. */
struct error *identity_check(struct crs_controllers *controllers, const struct object *cluster,
                             struct str cluster_uid)
{
    const struct key key = object_key(cluster);
    SCOPED(identity) identity = {.now = cluster_uid};
    OWNED(object) binding = binding_store_find(controllers->binding_store, key);
    if (!binding_is_of_other_cluster(binding, cluster_uid) &&
        !has_unknown_outcome(controllers, key))
        return NULL;
    struct error *err =
        error_ignore(binding_store_change(controllers->binding_store, key, void_entries, &identity),
                     ERROR_NOT_FOUND);
    const struct str was = note_outcome(controllers, key, err != NULL, &identity);
    TRY(err,
        "failed to drop the entries of another cluster from ClusterResourceSetBinding %.*s/%.*s",
        STR_ARG(key.namespace), STR_ARG(key.name));
    if (was.len) {
        tell_other_cluster(controllers, cluster, &identity);
        watches_enqueue_cluster(controllers, cluster); /* they may have found all well before */
    }
    return NULL;
}

static bool names_uid(struct crs_controllers *controllers, struct key cluster)
{
    struct str uid;
    OWNED(object) binding = binding_store_find(controllers->binding_store, cluster);
    return binding && object_find_annotation(binding, STR(BINDING_CLUSTER_UID), &uid);
}

/* The Cluster may have been replaced while the UID was read: then the next one is checked anew. */
struct error *identity_reconcile(struct crs_controllers *controllers, struct key key,
                                 struct reconcile_result *ret_result)
{
    OWNED(cluster_connection) connection = NULL;
    struct str uid = {0};
    if (!names_uid(controllers, key))
        return NULL;
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, key, &connection);
    if (offline)
        return NULL;
    OWNED(error) unknown = cluster_connection_cluster_uid(connection, &uid);
    if (unknown) {
        ret_result->requeue_after = IDENTITY_RETRY;
        return NULL;
    }
    OWNED(cluster_connection) again = NULL;
    OWNED(error) gone = clustercache_get_client(controllers->options.clustercache, key, &again);
    OWNED(object) cluster = cache_get(controllers->options.clusters, key);
    return cluster && again == connection ? identity_check(controllers, cluster, uid) : NULL;
}
