/*
 * One pass over sets and their placements for each time the metrics are shown. That is cheaper than
 * counters which every change of a placement would have to keep true.
 */
#include "clusterresourceset/set_metrics.h"

#include "apimachinery/condition.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "clustercache/cluster_connection.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/conditions.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/placement_state.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_rollout.h"
#include "controller/cache/cache.h"

enum { SET_CLUSTERS, SET_FAILURE_AGE, CLUSTER_STATE, ROLLOUT_WAVE };

static const struct metrics_family families[] = {
    [SET_CLUSTERS] = METRICS_GAUGE(
        "corset_set_clusters", "Number of clusters that a ClusterResourceSet selects, by state.",
        "namespace", "set", "state"),
    [SET_FAILURE_AGE] =
        METRICS_GAUGE("corset_set_failure_age_seconds",
                      "Time since a ClusterResourceSet is not applied everywhere; 0 if it is.",
                      "namespace", "set"),
    [CLUSTER_STATE] = METRICS_GAUGE(
        "corset_cluster_state", "Number of Clusters, by the gravest state of their sets.", "state"),
    [ROLLOUT_WAVE] = METRICS_GAUGE(
        "corset_rollout_wave",
        "Number of the wave that the rollout of a ClusterResourceSet is in, from 1; 0 if it is "
        "rolled out.",
        "namespace", "set"),
};

/*
 * A fault holds until a reconcile has found something else, so that an attempt does not interrupt
 * what an alert sees.
 */
static bool is_failure(enum fault_type fault)
{
    return fault != FAULT_NONE && !fault_is_wait(fault);
}

static bool is_disconnection(enum fault_type fault)
{
    return fault == FAULT_NO_CLIENT || fault == FAULT_CONNECTING;
}

/* A cluster during one pass. */
struct cluster_count {
    struct crs_controllers *controllers;
    struct map states; /* "namespace/name" -> the state of the cluster, as a pointer */
    size_t counts[PLACEMENT_STATES];
};

static bool is_connected(struct crs_controllers *controllers, struct key cluster)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(error)
    err = clustercache_get_client(controllers->options.clustercache, cluster, &connection);
    return !err;
}

static bool is_cluster_paused(const struct crs_controllers *controllers, struct key cluster)
{
    return cluster_index_is_paused(controllers->cluster_index, cluster);
}

static void note_state(struct cluster_count *count, struct key cluster, enum placement_state state)
{
    SCOPED(buf) key = {0};
    key_write(&key, cluster);
    if ((uintptr_t)state > (uintptr_t)map_find(&count->states, buf_str(&key)))
        map_put(&count->states, buf_str(&key), (void *)(uintptr_t)state);
}

static bool plan_lacks_resource(const struct plan *plan)
{
    for (size_t i = 0; plan && i < plan_resource_count(plan); i++)
        if (resource_snapshot_fault(plan_snapshot(plan, i)) != FAULT_NONE)
            return true;
    return false;
}

static void count_placements(struct crs_set *set, struct cluster_count *clusters,
                             size_t counts[PLACEMENT_STATES])
{
    const struct object *object = set_object(set);
    const struct plan *plan = set_plan(set);
    const bool is_paused = object && crs_is_paused(object);
    struct placement_facts facts = {
        .is_deleting = object && object_is_deleting(object),
        .lacks_resource = plan_lacks_resource(plan),
    };
    MAP_FOREACH (entry, set_placements(set)) {
        struct placement *placement = entry->value;
        const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
        const enum fault_type fault = placement_fault(placement)->type;
        facts.has_failed = is_failure(fault);
        facts.is_paused = is_paused || is_cluster_paused(clusters->controllers, cluster);
        facts.is_waiting =
            !plan || !placement_is_reconciled(placement, plan) || fault_is_wait(fault);
        facts.drift =
            placement_has_drift(placement) ? placement_drift(placement)->drift : DELIVERY_UNDRIFTED;
        facts.is_unreachable =
            is_disconnection(fault) || !is_connected(clusters->controllers, cluster);
        facts.health =
            placement_has_health(placement) ? placement_health(placement)->state : HEALTH_READY;
        const struct prune_note *note = prune_note_find(set, placement_cluster(placement));
        facts.prune = note ? note->state : DELIVERY_PRUNE_NONE;
        const enum placement_state state = placement_state_decide(&facts);
        counts[state]++;
        note_state(clusters, cluster, state);
    }
}

/* Clusters wait for their wave, nothing failed, and the rollout goes on. */
static bool is_rolling_out(const struct crs_set *set, const struct condition *applied)
{
    const struct set_rollout *rollout = set_rollout(set);
    return rollout && rollout->decision.state.phase != ROLLOUT_HALTED &&
           str_starts_with(applied->message, STR(CONDITIONS_ROLLING_OUT));
}

/*
 * The time comes from the condition, so that it survives a restart. 0: nothing is wrong. That
 * changes wait for paused Clusters is not wrong, nor that they wait for their wave.
 */
static double failure_age(const struct crs_set *set, timestamp now)
{
    const struct object *object = set_object(set);
    SCOPED(arena) arena = {0};
    struct condition_list list;
    struct condition applied;
    timestamp since;
    OWNED(error)
    err = condition_list_read(&arena, CONDITION_METAV1, object_path(object, "status.conditions"),
                              &list);
    if (err || !condition_list_find(&list, STR("ResourcesApplied"), &applied) ||
        applied.status != CONDITION_FALSE ||
        str_eq(applied.reason, STR(CONDITIONS_CLUSTER_PAUSED)) || is_rolling_out(set, &applied) ||
        !timestamp_read(applied.last_transition_time, &since) || since > now)
        return 0;
    return (double)(now - since) / (double)SECOND;
}

/* Only of sets with waves. */
static void show_wave(struct crs_set *set, struct metrics *metrics)
{
    const struct set_rollout *rollout = set_rollout(set);
    const struct key key = set_key(set);
    if (!rollout || !set_rollout_has_waves(set_plan(set)))
        return;
    const struct rollout_state *state = &rollout->decision.state;
    const size_t wave = rollout_wave_find(plan_policy(set_plan(set)), str_from_c(state->wave)) + 1;
    metrics_set(METRICS_SERIES(metrics, &families[ROLLOUT_WAVE], key.namespace, key.name),
                state->phase == ROLLOUT_ROLLED_OUT ? 0 : (double)wave);
}

static void count_set(struct crs_set *set, struct cluster_count *clusters)
{
    struct metrics *metrics = clusters->controllers->options.metrics;
    size_t counts[PLACEMENT_STATES] = {0};
    const struct key key = set_key(set);
    count_placements(set, clusters, counts);
    for (size_t i = PLACEMENT_STATE_APPLIED; i < PLACEMENT_STATES; i++)
        metrics_set(METRICS_SERIES(metrics, &families[SET_CLUSTERS], key.namespace, key.name,
                                   placement_state_name((enum placement_state)i)),
                    (double)counts[i]);
    if (set_object(set))
        metrics_set(METRICS_SERIES(metrics, &families[SET_FAILURE_AGE], key.namespace, key.name),
                    failure_age(set, loop_wall(clusters->controllers->loop)));
    show_wave(set, metrics);
}

/* A cluster that no set selects may be paused or unreachable as well. */
static bool count_cluster(void *data, struct object_text *text)
{
    struct cluster_count *count = data;
    SCOPED(buf) key = {0};
    key_write(&key, object_text_key(text));
    enum placement_state state =
        (enum placement_state)(uintptr_t)map_find(&count->states, buf_str(&key));
    if (is_cluster_paused(count->controllers, object_text_key(text)))
        state = PLACEMENT_STATE_PAUSED;
    else if (state < PLACEMENT_STATE_UNREACHABLE &&
             !is_connected(count->controllers, object_text_key(text)))
        state = PLACEMENT_STATE_UNREACHABLE;
    count->counts[state]++;
    return true;
}

static void collect_sets(void *data)
{
    struct crs_controllers *controllers = data;
    struct metrics *metrics = controllers->options.metrics;
    struct cluster_count clusters = {.controllers = controllers};
    for (size_t i = 0; i < COUNT(families); i++)
        metrics_clear(metrics, &families[i]);
    if (!map_count(&controllers->sets_by_key))
        return;
    MAP_FOREACH (entry, &controllers->sets_by_key)
        count_set(entry->value, &clusters);
    cache_each(controllers->options.clusters, STR(""), count_cluster, &clusters);
    for (size_t i = 0; i < PLACEMENT_STATES; i++)
        metrics_set(METRICS_SERIES(metrics, &families[CLUSTER_STATE],
                                   placement_state_name((enum placement_state)i)),
                    (double)clusters.counts[i]);
    map_done(&clusters.states);
}

void set_metrics_add(struct crs_controllers *controllers)
{
    struct metrics *metrics = controllers->options.metrics;
    if (!metrics)
        return;
    metrics_register(metrics, families, COUNT(families));
    controllers->collector =
        (struct metrics_collector){.collect = collect_sets, .data = controllers};
    metrics_add_collector(metrics, &controllers->collector);
}

void set_metrics_remove(struct crs_controllers *controllers)
{
    metrics_remove_collector(&controllers->collector);
}
