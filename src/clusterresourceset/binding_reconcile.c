/*
 * Deletes the ClusterResourceSetBinding of a Cluster that is gone or is being deleted.
 *
 * Bindings have no owner reference to their Cluster, so that the garbage collector does not do it.
 * A binding does not say of which Cluster it is, but by name. A Cluster that is deleted and made
 * again may be there before the key gets its turn, so the event of the deletion notes which binding
 * has to go. The note is not kept over a restart.
 */
#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "controller/cache/cache.h"
#include "json/path.h"

#define OK_TO_DELETE STR("runtime.cluster.x-k8s.io/ok-to-delete")

void binding_note_lost_cluster(struct crs_controllers *controllers, struct key cluster)
{
    OWNED(object) binding = binding_store_find(controllers->binding_store, cluster);
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    map_remove(&controllers->replaced, buf_str(&key));
    if (!binding)
        return;
    const struct str uid = object_uid(binding);
    mem_free(map_put(&controllers->lost, buf_str(&key), mem_dup(uid.ptr, uid.len)));
}

/* A note about a binding that is no longer known has done its duty. */
bool binding_is_lost(struct crs_controllers *controllers, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    const char *uid = map_find(&controllers->lost, buf_str(&key));
    if (!uid)
        return false;
    OWNED(object) binding = binding_store_find(controllers->binding_store, cluster);
    if (binding && str_eq(object_uid(binding), str_from_c(uid)))
        return true;
    map_remove(&controllers->lost, buf_str(&key));
    return false;
}

/* Whether the server still has this very binding. */
static struct error *check_gone(struct crs_controllers *controllers, const struct object *binding,
                                bool *ret_is_gone)
{
    OWNED(object) now = NULL;
    struct error *err = binding_store_read(controllers->binding_store, object_key(binding), &now);
    TRY(error_ignore(err, ERROR_NOT_FOUND));
    *ret_is_gone = !now || !str_eq(object_uid(now), object_uid(binding));
    return NULL;
}

/*
 * The UID protects a new binding of the same name: the server says that it conflicts. It may say so
 * for reasons of its own, too.
 */
static struct error *delete_binding(struct crs_controllers *controllers,
                                    const struct object *binding)
{
    const struct client_delete_options options = {.uid = object_uid(binding)};
    struct error *err =
        client_delete(controllers->options.client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                      object_key(binding), &options, NULL);
    if (!error_is(err, ERROR_CONFLICT))
        return error_ignore(err, ERROR_NOT_FOUND);
    OWNED(error) conflict = err;
    bool is_gone;
    TRY(check_gone(controllers, binding, &is_gone));
    return is_gone ? NULL : TAKE(conflict);
}

/*
 * True while hooks of Cluster API's runtime SDK hold the deletion of a Cluster with a topology:
 * what the sets have applied is still in use until the hooks have agreed.
 */
static bool is_held_by_hooks(const struct crs_controllers *controllers,
                             const struct object *cluster)
{
    struct str value;
    return controllers->options.topology_may_hold &&
           json_type(object_path(cluster, "spec.topology")) == JSON_OBJECT &&
           !object_find_annotation(cluster, OK_TO_DELETE, &value);
}

static bool needs_binding(const struct crs_controllers *controllers, const struct object *cluster)
{
    return !object_is_deleting(cluster) || is_held_by_hooks(controllers, cluster);
}

/*
 * The cache of Clusters decides that nothing is to be done, but never that a binding goes: caches
 * of two kinds are not in step, and a Cluster may be newer than its cache. The server is asked
 * first.
 */
struct error *reconcile_binding(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct crs_controllers *controllers = data;
    OWNED(object) binding = cache_get(controllers->bindings, key);
    OWNED(object) cluster = NULL;
    OWNED(object) fresh = NULL;
    (void)ret_result;
    const bool is_lost = binding_is_lost(controllers, key);
    if (!binding || object_is_deleting(binding))
        return NULL;
    const struct key owner = {key.namespace, json_path_str(object_spec(binding), "clusterName")};
    cluster = cache_get(controllers->options.clusters, owner);
    if (!is_lost && cluster && needs_binding(controllers, cluster))
        return NULL;
    struct error *err =
        owner.name.len ? client_get(controllers->options.client, GVR_CLUSTERS, owner, NULL, &fresh)
                       : NULL;
    TRY(error_ignore(err, ERROR_NOT_FOUND));
    if (!is_lost && fresh && needs_binding(controllers, fresh))
        return NULL;
    return delete_binding(controllers, binding);
}
