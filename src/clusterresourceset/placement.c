/*
 * The state of placements and its transitions.
 *
 * Two flags decide where a placement is freed. `is_dropped` says that the set no longer has it;
 * `runs` says that a reconcile uses it. The later of placement_drop() and placement_end() frees it.
 *
 * The counters of pending and running placements belong to the set. Every change of the flags goes
 * through this file, so that the counters stay true.
 */
#include "clusterresourceset/placement.h"

#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/placement_turn.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/set_rollout.h"

struct placement {
    struct crs_set *set;
    char *cluster;
    uint64_t round;     /* of the plan of the last reconcile; 0: none */
    char *good_version; /* NULL: none */
    struct fault fault;
    struct scope *scope; /* of the fiber that talks to the cluster; NULL: there is none */
    bool is_pending, runs, is_dropped;
    uint32_t failures;               /* their digest */
    uint32_t notices;                /* the digest of the last ones */
    struct placement_drift *drift;   /* NULL: nothing is known */
    struct placement_health *health; /* the same */
    struct placement_values *values; /* the same */
    struct placement_turn *turn;     /* the same */
};

struct placement *placement_find(struct crs_set *set, struct str cluster)
{
    return map_find(set_placements(set), cluster);
}

struct placement *placement_open(struct crs_set *set, struct str cluster)
{
    struct placement *placement = placement_find(set, cluster);
    if (placement)
        return placement;
    placement = NEW(struct placement);
    placement->set = set;
    placement->cluster = mem_dup(cluster.ptr, cluster.len);
    map_put(set_placements(set), cluster, placement);
    return placement;
}

void placement_free(struct placement *placement)
{
    mem_free(placement->cluster);
    mem_free(placement->good_version);
    fault_done(&placement->fault);
    placement_drift_free(placement->drift);
    placement_health_free(placement->health);
    placement_values_free(placement->values);
    placement_turn_free(placement->turn);
    mem_free(placement);
}

void placement_drop(struct placement *placement)
{
    if (!placement->is_dropped) {
        placement_set_pending(placement, false);
        map_take(set_placements(placement->set), placement_cluster(placement));
        placement->is_dropped = true;
    }
    placement_cancel(placement);
    if (!placement->runs)
        placement_free(placement);
}

bool placement_is_dropped(const struct placement *placement)
{
    return placement->is_dropped;
}

struct crs_set *placement_set(const struct placement *placement)
{
    return placement->set;
}

struct str placement_cluster(const struct placement *placement)
{
    return str_from_c(placement->cluster);
}

void placement_enqueue(struct crs_set *set, struct str cluster, int priority)
{
    placement_enqueue_after(set, cluster, 0, priority);
}

void placement_enqueue_after(struct crs_set *set, struct str cluster, duration after, int priority)
{
    SCOPED(buf) name = {.limit = 0};
    struct queue *queue = set_controllers(set)->queues[CRS_CONTROLLER_PLACEMENTS];
    buf_print(&name, "%.*s/%.*s", STR_ARG(set_key(set).name), STR_ARG(cluster));
    const struct key key = {set_key(set).namespace, buf_str(&name)};
    if (after)
        queue_add_after(queue, key, after, priority);
    else
        queue_add(queue, key, priority);
}

void placement_enqueue_identity(struct queue *queue, struct key cluster, int priority)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "/%.*s", STR_ARG(cluster.name));
    queue_add(queue, (struct key){cluster.namespace, buf_str(&name)}, priority);
}

/* Names of sets are DNS names and have no slash. */
bool placement_split_key(struct str name, struct str *ret_set, struct str *ret_cluster)
{
    *ret_cluster = name;
    return str_cut(ret_cluster, '/', ret_set);
}

struct queue_parties placement_parties(struct key key)
{
    struct queue_parties parties = {.tenant = key.namespace};
    placement_split_key(key.name, &parties.group, &parties.target);
    return parties;
}

bool placement_is_pending(const struct placement *placement)
{
    return placement->is_pending;
}

void placement_set_pending(struct placement *placement, bool is_pending)
{
    if (placement->is_pending == is_pending)
        return;
    placement->is_pending = is_pending;
    set_count_pending(placement->set, is_pending ? 1 : -1);
}

/* A reconcile may come from an event, without the set having asked: it is pending from here on. */
void placement_begin(struct placement *placement)
{
    placement_set_pending(placement, true);
    placement->runs = true;
    set_count_running(placement->set, 1);
}

bool placement_end(struct placement *placement)
{
    placement->runs = false;
    set_count_running(placement->set, -1);
    if (!placement->is_dropped)
        return true;
    placement_drop(placement);
    return false;
}

void placement_set_scope(struct placement *placement, struct scope *scope)
{
    placement->scope = scope;
}

void placement_cancel(struct placement *placement)
{
    if (placement->scope)
        scope_cancel(placement->scope);
}

/*
 * Without a round the placement is reconciled again when the set is opened: events that come
 * meanwhile, say of a new connection, are not looked at. A running placement stays pending until
 * its end.
 */
void placement_stop(struct placement *placement)
{
    placement->round = 0;
    if (!placement->runs)
        placement_set_pending(placement, false);
    placement_cancel(placement);
}

const struct fault *placement_fault(const struct placement *placement)
{
    return &placement->fault;
}

bool placement_set_fault(struct placement *placement, const struct fault *fault)
{
    return fault_replace(&placement->fault, fault);
}

bool placement_set_failures(struct placement *placement, uint32_t digest)
{
    const bool is_news = placement->failures != digest;
    placement->failures = digest;
    return is_news;
}

bool placement_set_notices(struct placement *placement, uint32_t digest)
{
    const bool is_news = digest && placement->notices != digest;
    if (digest)
        placement->notices = digest;
    return is_news;
}

struct placement_drift *placement_drift(struct placement *placement)
{
    if (!placement->drift)
        placement->drift = placement_drift_new();
    return placement->drift;
}

bool placement_has_drift(const struct placement *placement)
{
    return placement->drift != NULL;
}

struct placement_health *placement_health(struct placement *placement)
{
    if (!placement->health)
        placement->health = placement_health_new();
    return placement->health;
}

bool placement_has_health(const struct placement *placement)
{
    return placement->health != NULL;
}

void placement_drop_health(struct placement *placement)
{
    placement_health_free(TAKE(placement->health));
}

const struct placement_values *placement_values(const struct placement *placement)
{
    return placement->values;
}

void placement_set_values(struct placement *placement, struct placement_values *values)
{
    placement_values_free(placement->values);
    placement->values = values;
}

struct placement_turn *placement_turn(struct placement *placement)
{
    if (!placement->turn)
        placement->turn = placement_turn_new();
    return placement->turn;
}

bool placement_has_turn(const struct placement *placement)
{
    return placement->turn != NULL;
}

/* What is held by another kind of policy is not looked after: that policy is over. */
struct plan *placement_plan(const struct placement *placement)
{
    struct plan *plan = set_plan(placement->set);
    const struct placement_turn *turn = placement->turn;
    const bool waits = turn && turn->hold && turn->held && set_rollout_has_waves(plan) &&
                       plan_round(turn->held) != plan_round(plan);
    return waits && plan_policy(turn->held)->drift == plan_policy(plan)->drift ? turn->held : plan;
}

bool placement_is_reconciled(const struct placement *placement, const struct plan *plan)
{
    return placement->round == plan_round(plan);
}

void placement_set_reconciled(struct placement *placement, const struct plan *plan)
{
    placement->round = plan_round(plan);
}

struct str placement_good_version(const struct placement *placement)
{
    return str_from_c(placement->good_version);
}

void placement_set_good_version(struct placement *placement, struct str version)
{
    mem_free(placement->good_version);
    placement->good_version = version.len ? mem_dup(version.ptr, version.len) : NULL;
}
