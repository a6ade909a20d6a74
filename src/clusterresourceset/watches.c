/*
 * Filters drop events that change nothing for a set. Maps turn the others into keys.
 *
 * A map asks every set whether it is concerned; there is no index of sets by cluster or resource.
 */
#include "clusterresourceset/watches.h"

#include "apimachinery/object_edit.h"
#include "async/loop.h"
#include "base/random.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/rollout.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_order.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/cache/cache.h"
#include "json/compare.h"
#include "json/path.h"

#define RECONNECT_SPREAD (5 * SECOND)

bool watches_has_label(const struct crs_controllers *controllers, const struct object *object)
{
    struct str value;
    if (!controllers->watch_filter)
        return true;
    return object_find_label(object, STR(CRS_WATCH_FILTER_LABEL), &value) &&
           str_eq(value, str_from_c(controllers->watch_filter));
}

/* NULL if there is no text or it cannot be read. */
static struct object *read_text(const struct object_text *text)
{
    struct object *object = NULL;
    if (text)
        error_free(object_text_read(text, &object));
    return object;
}

static struct object *read_event(const struct cache_event *event)
{
    return read_text(event->now ? event->now : event->old);
}

static bool is_labelled(void *data, const struct cache_event *event)
{
    const struct crs_controllers *controllers = data;
    if (!controllers->watch_filter)
        return true;
    OWNED(object) object = read_event(event);
    return object && watches_has_label(controllers, object);
}

static bool has_changed(const struct cache_event *event)
{
    return event->type != CACHE_UPDATED || !event->is_unchanged;
}

static bool is_changed_and_labelled(void *data, const struct cache_event *event)
{
    return has_changed(event) && is_labelled(data, event);
}

/* For Secrets, which the watch filter does not apply to, as in Cluster API. */
static bool is_changed(void *data, const struct cache_event *event)
{
    (void)data;
    return has_changed(event);
}

static bool is_initialized(const struct object *cluster)
{
    bool initialized = false;
    json_to_bool(object_path(cluster, "status.initialization.controlPlaneInitialized"),
                 &initialized);
    return initialized;
}

/* Of a Cluster these matter to sets. Changes of its connection come from the ClusterCache. */
static bool is_same_to_sets(const struct object *a, const struct object *b)
{
    return json_equal(object_labels(a), object_labels(b)) &&
           object_is_deleting(a) == object_is_deleting(b) &&
           is_initialized(a) == is_initialized(b) &&
           crs_cluster_is_paused(a) == crs_cluster_is_paused(b) &&
           str_eq(object_uid(a), object_uid(b));
}

/* Clusters change often, mostly in their status. Both copies are parsed to spare a reconcile. */
static bool cluster_matters(void *data, const struct cache_event *event)
{
    if (!is_changed_and_labelled(data, event))
        return false;
    if (event->type != CACHE_UPDATED)
        return true;
    OWNED(object) old = read_text(event->old);
    OWNED(object) now = read_text(event->now);
    return !old || !now || !is_same_to_sets(old, now);
}

/* A plan without snapshots applies nothing: the set has to be reconciled first. */
static void enqueue_cluster(struct crs_set *set, struct str cluster, int priority)
{
    if (plan_is_complete(set_plan(set)))
        placement_enqueue(set, cluster, priority);
    else
        set_enqueue(set, priority);
}

/* True if the set selects the cluster, or did: its placement may have to go. */
static bool concerns_set(struct crs_set *set, struct key cluster, const struct object *object)
{
    if (!set_is_open(set) || !set_plan(set) || !str_eq(cluster.namespace, set_key(set).namespace))
        return false;
    return placement_find(set, cluster.name) ||
           (object && selector_matches(&plan_spec(set_plan(set))->selector, object_labels(object)));
}

/* A paused set applies nothing, but says for how many of its clusters a change waits. */
static void enqueue_paused(struct crs_set *set, struct str namespace, int priority)
{
    if (!set_is_open(set) && set_plan(set) && crs_is_paused(set_object(set)) &&
        str_eq(namespace, set_key(set).namespace))
        set_enqueue(set, priority);
}

static void map_cluster_object(struct crs_controllers *controllers, struct key key,
                               const struct object *object, int priority)
{
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        if (concerns_set(set, key, object))
            enqueue_cluster(set, key.name, priority);
        enqueue_paused(set, key.namespace, priority);
    }
}

void watches_enqueue_cluster(struct crs_controllers *controllers, const struct object *cluster)
{
    map_cluster_object(controllers, object_key(cluster), cluster, QUEUE_NORMAL);
}

/* A Cluster of the same name is another one: a list may show both as one change. */
static bool is_lost(const struct cache_event *event)
{
    return event->old &&
           (!event->now || !str_eq(object_text_uid(event->old), object_text_uid(event->now)));
}

/* What placements know of a Cluster that went must not be taken for the state of the next one. */
static void drop_placements(struct crs_controllers *controllers, struct key cluster)
{
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = str_eq(cluster.namespace, set_key(set).namespace)
                                          ? placement_find(set, cluster.name)
                                          : NULL;
        if (placement) {
            placement_drop(placement);
            set_note_news(set);
        }
    }
}

/* A pause holds for what is under way, too. The placement is reconciled again and says so. */
static void cancel_placements(struct crs_controllers *controllers, struct key cluster)
{
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = str_eq(cluster.namespace, set_key(set).namespace)
                                          ? placement_find(set, cluster.name)
                                          : NULL;
        if (placement)
            placement_cancel(placement);
    }
}

/* A deleted Cluster is mapped by its last copy. */
static void map_cluster(void *data, const struct cache_event *event, struct queue *queue,
                        int priority)
{
    OWNED(object) object = read_event(event);
    const struct key key = object_text_key(event->now ? event->now : event->old);
    (void)queue;
    if (is_lost(event))
        drop_placements(data, key);
    else if (object && crs_cluster_is_paused(object))
        cancel_placements(data, key);
    map_cluster_object(data, key, object, priority);
}

static void map_connection(void *data, const struct object *cluster, struct queue *queue,
                           int priority)
{
    const struct key key = object_key(cluster);
    placement_enqueue_identity(queue, key, priority);
    map_cluster_object(data, key, cluster, priority);
}

/* Watches for drift belong to a connection. Many clusters may come back at the same time. */
static void map_connection_to_drift(void *data, const struct object *cluster, struct queue *queue,
                                    int priority)
{
    const struct crs_controllers *controllers = data;
    if (controllers->options.drift_watch)
        queue_add_after(queue, object_key(cluster),
                        (duration)random_below(loop_random(controllers->loop), RECONNECT_SPREAD),
                        priority);
}

/* Without what the controllers write there. */
static struct object *read_without_rollout(const struct object_text *text)
{
    SCOPED(object_edit) edit = {0};
    struct object *bare = NULL;
    OWNED(object) object = read_text(text);
    if (!object)
        return NULL;
    object_edit_init(&edit, object);
    json_edit_remove(&edit.json, JSON_PLACE_KEY("metadata.annotations", STR(ROLLOUT_ANNOTATION)));
    error_free(object_edit_finish(&edit, &bare));
    return bare;
}

/* What people change. The status, finalizers and references are what controllers write. */
static bool is_touched(const struct cache_event *event)
{
    if (event->type != CACHE_UPDATED || event->is_unchanged)
        return false;
    OWNED(object) old = read_without_rollout(event->old);
    OWNED(object) now = read_without_rollout(event->now);
    return old && now &&
           (object_generation(old) != object_generation(now) ||
            !json_equal(object_labels(old), object_labels(now)) ||
            !json_equal(object_annotations(old), object_annotations(now)));
}

static void map_set(void *data, const struct cache_event *event, struct queue *queue, int priority)
{
    const struct key key = object_text_key(event->now ? event->now : event->old);
    struct crs_set *set = set_find(data, key);
    if (set && is_touched(event))
        set_touch(set);
    queue_add(queue, key, priority);
}

static bool names_resource(const struct crs_set *set, enum resource_kind kind, struct key key)
{
    return set_plan(set) && str_eq(key.namespace, set_key(set).namespace) &&
           plan_names(set_plan(set), kind, key.name);
}

static void map_resource(struct crs_controllers *controllers, enum resource_kind kind,
                         const struct cache_event *event, struct queue *queue, int priority)
{
    const struct key key = object_text_key(event->now ? event->now : event->old);
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        if (!names_resource(set, kind, key))
            continue;
        set_touch(set);
        queue_add(queue, set_key(set), priority);
    }
}

static void map_config_map(void *data, const struct cache_event *event, struct queue *queue,
                           int priority)
{
    map_resource(data, RESOURCE_CONFIG_MAP, event, queue, priority);
}

static void map_secret(void *data, const struct cache_event *event, struct queue *queue,
                       int priority)
{
    map_resource(data, RESOURCE_SECRET, event, queue, priority);
}

/* For bindings and Clusters alike. A paused one is left alone. */
static bool binding_matters(void *data, const struct cache_event *event)
{
    if (!is_changed_and_labelled(data, event))
        return false;
    OWNED(object) object = read_event(event);
    return object && !crs_is_paused(object);
}

static void map_cluster_to_binding(void *data, const struct cache_event *event, struct queue *queue,
                                   int priority)
{
    const struct key key = object_text_key(event->now ? event->now : event->old);
    if (is_lost(event))
        binding_note_lost_cluster(data, key);
    queue_add(queue, key, priority);
}

/*
 * A set that was reconciled a moment ago may have gone by a copy of the binding that was older than
 * this change of somebody else's. Otherwise a change by hand is noticed with the next reconcile.
 */
static void map_changed_binding(struct crs_controllers *controllers, const struct object_text *now)
{
    const struct key key = object_text_key(now);
    set_order_wake_cluster(controllers, key);
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        enqueue_paused(set, key.namespace, QUEUE_NORMAL);
        if (!set_was_touched_lately(set) || !concerns_set(set, key, NULL))
            continue;
        const struct str good = placement_good_version(placement_find(set, key.name));
        if (good.len && !str_eq(good, object_text_resource_version(now)))
            set_enqueue(set, QUEUE_NORMAL);
    }
}

/*
 * The records of a deleted binding are lost, and a placement that read the binding shortly before
 * went by them. This happens when a Cluster is replaced by another one of the same name.
 */
static void map_binding(void *data, const struct cache_event *event, struct queue *queue,
                        int priority)
{
    (void)queue;
    if (event->now)
        map_changed_binding(data, event->now);
    else
        map_cluster_object(data, object_text_key(event->old), NULL, priority);
}

/*
 * A policy that changes sends nothing by itself, but what failed by the old one is tried by the new
 * one at once.
 */
void watches_enqueue_policy(void *data, struct key policy, bool is_initial)
{
    const struct crs_controllers *controllers = data;
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        if (!str_eq(policy.namespace, set_key(set).namespace) || !set_object(set) ||
            !str_eq(crs_policy_name(set_object(set)), policy.name))
            continue;
        if (!is_initial)
            set_touch(set);
        set_enqueue(set, is_initial ? QUEUE_LOW : QUEUE_NORMAL);
    }
}

void watches_add(struct crs_controllers *controllers)
{
    struct controller *const *all = controllers->all;
    struct cache *clusters = controllers->options.clusters;
    controller_watch(all[CRS_CONTROLLER_SETS], controllers->sets,
                     &(struct controller_source){is_labelled, map_set, controllers});
    controller_watch(all[CRS_CONTROLLER_SETS], controllers->sets,
                     &(struct controller_source){is_changed, set_order_map, controllers});
    controller_watch(
        all[CRS_CONTROLLER_SETS], controllers->config_maps,
        &(struct controller_source){is_changed_and_labelled, map_config_map, controllers});
    controller_watch(all[CRS_CONTROLLER_SETS], controllers->secrets,
                     &(struct controller_source){is_changed, map_secret, controllers});
    controller_watch(all[CRS_CONTROLLER_PLACEMENTS], clusters,
                     &(struct controller_source){cluster_matters, map_cluster, controllers});
    controller_watch(
        all[CRS_CONTROLLER_PLACEMENTS], clusters,
        &(struct controller_source){is_changed_and_labelled, placement_values_map, controllers});
    controller_watch(all[CRS_CONTROLLER_PLACEMENTS], controllers->bindings,
                     &(struct controller_source){is_changed, map_binding, controllers});
    controller_watch(all[CRS_CONTROLLER_BINDINGS], controllers->bindings,
                     &(struct controller_source){binding_matters, NULL, controllers});
    controller_watch(
        all[CRS_CONTROLLER_BINDINGS], clusters,
        &(struct controller_source){binding_matters, map_cluster_to_binding, controllers});
    clustercache_add_source(controllers->options.clustercache,
                            &(struct clustercache_source){
                                .controller = controller_name(all[CRS_CONTROLLER_PLACEMENTS]),
                                .queue = controllers->queues[CRS_CONTROLLER_PLACEMENTS],
                                .map = map_connection,
                                .data = controllers,
                            });
    clustercache_add_source(controllers->options.clustercache,
                            &(struct clustercache_source){
                                .controller = controller_name(all[CRS_CONTROLLER_DRIFT]),
                                .queue = controllers->queues[CRS_CONTROLLER_DRIFT],
                                .map = map_connection_to_drift,
                                .data = controllers,
                            });
}
