#include "clusterresourceset/placement_values.h"

#include "apimachinery/wellknown.h"
#include "base/memory.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_reconcile_internal.h"
#include "clusterresourceset/plan_values.h"
#include "clusterresourceset/set.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_version.h"

/* Bytes that are not filled in for each event of a watch. */
#define LARGE_FROM (512 * KILOBYTE)

struct placement_values {
    struct values values;
    char *version; /* of the Cluster that they were read from */
};

void placement_values_free(struct placement_values *values)
{
    if (!values)
        return;
    values_done(&values->values);
    mem_free(values->version);
    mem_free(values);
}

static void keep_values(struct placement *placement, const struct values *names,
                        const struct object *cluster)
{
    struct placement_values *kept = NEW(struct placement_values);
    const struct str version = object_resource_version(cluster);
    kept->version = mem_dup(version.ptr, version.len);
    values_read(names, cluster, &kept->values);
    placement_set_values(placement, kept);
}

/* Whether the cache shows no newer Cluster than the one that was fetched. */
static bool is_current(const struct placement_values *kept, const struct values *names,
                       const struct object *cluster)
{
    const struct str shown = object_resource_version(cluster);
    int order;
    if (!kept || !values_cover(&kept->values, names))
        return false;
    return str_eq(shown, str_from_c(kept->version)) ||
           (cache_version_cmp(shown, str_from_c(kept->version), &order) && order <= 0);
}

/* Suspends. */
static struct error *fetch_values(struct placement_reconcile *reconcile, const struct values *names)
{
    OWNED(object) fresh = NULL;
    TRY(client_get(reconcile->controllers->options.client, GVR_CLUSTERS, reconcile->cluster, NULL,
                   &fresh));
    if (!str_eq(object_uid(fresh), object_uid(reconcile->cluster_object)))
        return error_new(ERROR_CONFLICT, "another Cluster has its name now");
    keep_values(reconcile->placement, names, fresh);
    return NULL;
}

static struct error *read_values(struct placement_reconcile *reconcile, const struct values *names)
{
    const struct object *cluster = reconcile->cluster_object;
    if (!cluster)
        return error_new(ERROR_NOT_FOUND, "it is gone");
    if (!values_need_cluster(names))
        keep_values(reconcile->placement, names, cluster);
    else if (!is_current(placement_values(reconcile->placement), names, cluster))
        return fetch_values(reconcile, names);
    return NULL;
}

/* Without room the queue brings the placement again soon; nothing is held meanwhile. Suspends. */
static struct error *fill_plan(struct placement_reconcile *reconcile, const struct values *values)
{
    SCOPED(values_claim) claim = {0};
    struct plan *filled = NULL;
    if (!values_room_take(&reconcile->controllers->values_room, reconcile->cluster.namespace,
                          plan_values_bound(reconcile->plan, values), &claim)) {
        reconcile->result->requeue_after = VALUES_ROOM_PAUSE;
        reconcile->is_unfinished = true;
        return NULL;
    }
    TRY(plan_values_fill_large(reconcile->plan, reconcile->cluster, values, &reconcile->failures,
                               &filled));
    reconcile->is_unfilled = !filled;
    if (filled) {
        plan_take_claim(filled, &claim);
        plan_free(reconcile->plan);
        reconcile->plan = filled;
    }
    return NULL;
}

struct error *placement_values_use(struct placement_reconcile *reconcile)
{
    const struct values *names = plan_value_names(reconcile->plan);
    if (!names->count) {
        placement_set_values(reconcile->placement, NULL);
        return NULL;
    }
    TRY(read_values(reconcile, names), "read Cluster %.*s/%.*s for the values in manifests",
        STR_ARG(reconcile->cluster.namespace), STR_ARG(reconcile->cluster.name));
    return fill_plan(reconcile, &placement_values(reconcile->placement)->values);
}

static struct key cluster_of(struct placement *placement)
{
    return (struct key){set_key(placement_set(placement)).namespace, placement_cluster(placement)};
}

struct plan *placement_values_plan_now(struct placement *placement)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena};
    struct plan *plan = placement_plan(placement);
    const struct placement_values *kept = placement_values(placement);
    if (!plan_value_names(plan)->count)
        return plan_ref(plan);
    return kept ? plan_values_fill(plan, cluster_of(placement), &kept->values, &failures) : NULL;
}

static size_t find_bound(const struct placement *placement)
{
    const struct placement_values *kept = placement_values(placement);
    return kept ? plan_values_bound(placement_plan(placement), &kept->values) : 0;
}

bool placement_values_is_large(const struct placement *placement)
{
    return find_bound(placement) >= LARGE_FROM;
}

struct plan *placement_values_plan(struct placement *placement, bool *ret_waits)
{
    SCOPED(values_claim) claim = {0};
    struct crs_controllers *controllers = set_controllers(placement_set(placement));
    *ret_waits = !values_room_take(&controllers->values_room, cluster_of(placement).namespace,
                                   find_bound(placement), &claim);
    struct plan *plan = *ret_waits ? NULL : placement_values_plan_now(placement);
    if (plan && plan_values(plan).len)
        plan_take_claim(plan, &claim);
    return plan;
}

/*
 * A change of labels enqueues every placement of the Cluster anyway. Of other changes a cache of
 * trimmed Clusters shows that there was one, and not what it was.
 */
void placement_values_map(void *data, const struct cache_event *event, struct queue *queue,
                          int priority)
{
    const struct crs_controllers *controllers = data;
    (void)queue;
    if (event->type != CACHE_UPDATED)
        return;
    const struct key cluster = object_text_key(event->now);
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        if (set_is_open(set) && set_plan(set) &&
            values_need_cluster(plan_value_names(set_plan(set))) &&
            str_eq(cluster.namespace, set_key(set).namespace) && placement_find(set, cluster.name))
            placement_enqueue(set, cluster.name, priority);
    }
}
