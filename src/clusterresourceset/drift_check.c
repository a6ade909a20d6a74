/*
 * reconcile_drift() checks one cluster: it collects the placements there and their objects, reads
 * one list of each kind, then single objects that no list has, and compares.
 *
 * Others run while the cluster is asked. So the placements are looked up again at the end, and one
 * that was reconciled meanwhile, or has another plan, gets no finding: the next check sees it.
 */
#include "clusterresourceset/drift_check.h"

#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/array.h"
#include "base/random.h"
#include "client/client.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ownership.h"
#include "clusterresourceset/contest.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_metrics.h"
#include "clusterresourceset/drift_objects.h"
#include "clusterresourceset/drift_watch.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/placement_values.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/delivery.h"

/* Checks of one cluster are this much of the interval earlier or later than the others, in all. */
#define SPREAD 0.2

/* With watches the first check of a cluster is somewhere in this time. */
#define WATCH_SPREAD MINUTE

/* Objects that are compared before others have their turn. */
#define TURN 64

/* When some placements were checked, and the values of others had no room. */
#define WAIT_RETRY (30 * SECOND)

/* What a list or a read said of an object. */
struct checked_object {
    const struct drift_object *object;
    struct str uid, ownership; /* empty: there is none */
    struct str version;        /* the same */
    bool is_seen;
};

/* One set on the cluster. */
struct checked_placement {
    struct key set;
    struct plan *plan;
    uint64_t stamp; /* of the memory when the check began */
    struct str manager;
    struct checked_object *objects;
    size_t count;
    struct map by_id; /* -> struct checked_object */
};

/* A kind that some of the placements have. */
struct checked_kind {
    const struct discovery_mapping *mapping;
    struct str version; /* the newest that is known of it */
    struct str listed;  /* the version of the list; empty: it was refused */
};

struct drift_check {
    struct crs_controllers *controllers;
    struct key cluster;
    struct cluster_connection *connection;
    struct arena arena;
    struct checked_placement *placements;
    size_t count, capacity;
    size_t followed;   /* placements whose drift matters, checked now or not */
    struct map kinds;  /* "group/kind" -> struct checked_kind, in the arena */
    struct str kind;   /* the one that is being listed */
    size_t listed;     /* objects that were compared */
    bool has_unserved; /* the cluster does not have one of the kinds */
    bool waits;        /* there is no room for the values of one of the placements */
};

static void drift_check_done(struct drift_check *check)
{
    for (size_t i = 0; i < check->count; i++) {
        plan_free(check->placements[i].plan);
        map_done(&check->placements[i].by_id);
    }
    map_done(&check->kinds);
    cluster_connection_free(check->connection);
    arena_done(&check->arena);
}

bool drift_check_minds(const struct crs_set *set)
{
    const struct plan *plan = set_plan(set);
    return set_is_open(set) && plan && plan_policy(plan) &&
           plan_policy(plan)->drift != DELIVERY_POLICY_DRIFT_IGNORE;
}

bool drift_check_is_applied(struct crs_set *set, struct placement *placement,
                            const struct object *binding)
{
    char revision[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    const struct plan *plan = placement_plan(placement);
    const enum fault_type fault = placement_fault(placement)->type;
    return (!fault || (fault == FAULT_WAVE && plan != set_plan(set))) &&
           placement_is_reconciled(placement, plan) &&
           plan_is_met(plan, binding, set_owner_reference(set)) &&
           delivery_find_mark(binding, set_key(set).name, &mark) &&
           str_eq(str_from_c(mark.revision), plan_revision(plan, revision));
}

/* Nothing is about to change there. */
static bool is_settled(struct crs_set *set, struct placement *placement,
                       const struct object *binding)
{
    return !placement_is_pending(placement) && drift_check_is_applied(set, placement, binding);
}

static void collect_placements(struct drift_check *check)
{
    OWNED(object)
    binding = binding_store_find(check->controllers->binding_store, check->cluster);
    MAP_FOREACH (entry, &check->controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = str_eq(set_key(set).namespace, check->cluster.namespace)
                                          ? placement_find(set, check->cluster.name)
                                          : NULL;
        if (!placement || !drift_check_minds(set))
            continue;
        check->followed++;
        placement_drift(placement)->is_followed = true;
        bool waits = false;
        struct plan *plan =
            is_settled(set, placement, binding) ? placement_values_plan(placement, &waits) : NULL;
        check->waits |= waits;
        if (!plan) {
            placement_drift(placement)->watched_basis = 0; /* it has to be checked later */
            continue;
        }
        const struct checked_placement checked = {
            .set = {arena_str(&check->arena, set_key(set).namespace),
                    arena_str(&check->arena, set_key(set).name)},
            .plan = plan,
            .stamp = placement_drift(placement)->stamp,
            .manager = field_manager_of_set(&check->arena, set_key(set)),
        };
        ARENA_ARRAY_PUSH(&check->arena, check->placements, check->count, check->capacity, checked);
    }
}

/* The placement, if its memory is still what it was when the check began. */
static struct placement *find_placement(const struct drift_check *check,
                                        const struct checked_placement *checked)
{
    struct crs_set *set = set_find(check->controllers, checked->set);
    struct placement *placement = set ? placement_find(set, check->cluster.name) : NULL;
    return placement && placement_drift(placement)->stamp == checked->stamp ? placement : NULL;
}

/* Whether what was found is still about the plan of the set, and nothing is about to change. */
static bool is_unchanged(const struct checked_placement *checked, struct placement *placement,
                         const struct object *binding)
{
    struct crs_set *set = placement_set(placement);
    return drift_check_minds(set) &&
           plan_round(placement_plan(placement)) == plan_round(checked->plan) &&
           is_settled(set, placement, binding);
}

/* The newest version of the kind that an answer to this placement had. */
static struct str find_version(const struct drift_check *check,
                               const struct checked_placement *checked, struct str kind)
{
    struct placement *placement = find_placement(check, checked);
    return placement ? str_from_c(map_find(&placement_drift(placement)->versions, kind)) : STR("");
}

static void add_kind(struct drift_check *check, const struct checked_placement *checked,
                     const struct drift_object *object)
{
    struct checked_kind *kind = map_find(&check->kinds, object->kind);
    if (!object->mapping) {
        check->has_unserved = true;
        return;
    }
    if (!kind) {
        kind = ARENA_NEW(&check->arena, struct checked_kind);
        *kind = (struct checked_kind){.mapping = object->mapping, .version = STR("0")};
        map_put(&check->kinds, object->kind, kind);
    }
    const struct str version = find_version(check, checked, object->kind);
    if (apply_ledger_is_newer(version, kind->version))
        kind->version = arena_str(&check->arena, version);
}

/* Suspends for kinds that are not known yet. */
static struct error *collect_objects(struct drift_check *check, struct checked_placement *checked)
{
    struct drift_objects objects;
    struct str last = {0};
    TRY(drift_objects_read(checked->plan, apply_policy_ignores_drift,
                           cluster_connection_discovery(check->connection), &check->arena,
                           &objects));
    checked->objects =
        arena_alloc_array(&check->arena, objects.count + 1, sizeof(*checked->objects));
    for (size_t i = 0; i < objects.count; i++) {
        struct checked_object *object = &checked->objects[checked->count];
        if (map_has(&checked->by_id, objects.items[i].id))
            continue; /* it is in the content twice */
        *object = (struct checked_object){.object = &objects.items[i]};
        map_put(&checked->by_id, objects.items[i].id, object);
        checked->count++;
        if (!str_eq(last, objects.items[i].kind))
            add_kind(check, checked, &objects.items[i]);
        last = objects.items[i].kind;
    }
    return NULL;
}

static void note_live(struct drift_check *check, const struct checked_placement *checked,
                      struct checked_object *object, const struct object *live)
{
    char digest[OWNERSHIP_DIGEST_LEN + 1];
    object->is_seen = true;
    object->uid = arena_str(&check->arena, object_uid(live));
    object->version = arena_str(&check->arena, object_resource_version(live));
    object->ownership = arena_str(
        &check->arena, ownership_digest(live, checked->manager, &object->object->ignored, digest));
}

static struct error *note_listed(void *data, struct object *live)
{
    struct drift_check *check = data;
    SCOPED(buf) id = {.limit = 0};
    const struct key key = object_key(live);
    buf_print(&id, "%.*s %.*s/%.*s", STR_ARG(check->kind), STR_ARG(key.namespace),
              STR_ARG(key.name));
    for (size_t i = 0; i < check->count; i++) {
        struct checked_object *object = map_find(&check->placements[i].by_id, buf_str(&id));
        if (object)
            note_live(check, &check->placements[i], object, live);
    }
    return ++check->listed % TURN ? NULL : fiber_yield(); /* a list may be long */
}

static void forget_listed(void *data)
{
    struct drift_check *check = data;
    for (size_t i = 0; i < check->count; i++)
        for (size_t j = 0; j < check->placements[i].count; j++) {
            struct checked_object *object = &check->placements[i].objects[j];
            object->is_seen = object->is_seen && !str_eq(object->object->kind, check->kind);
        }
}

/* The version of the list is the least that the next one has to have. */
static void keep_version(const struct drift_check *check, struct str version)
{
    for (size_t i = 0; i < check->count; i++) {
        struct placement *placement = find_placement(check, &check->placements[i]);
        if (placement)
            placement_drift_note_version(placement_drift(placement), check->kind, version);
    }
}

/* Suspends. */
static struct error *list_kind(struct drift_check *check, struct checked_kind *kind)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {
        .label_selector = STR(APPLY_MANAGED_LABEL),
        .resource_version = kind->version,
        .resource_version_match = STR("NotOlderThan"),
        .limit = -1,
        .form = CLIENT_METADATA,
    };
    const struct client_list_sink sink = {note_listed, forget_listed, check};
    TRY(drift_objects_list(check->connection, kind->mapping, &options, &sink, &version));
    if (version.len) {
        keep_version(check, buf_str(&version));
        kind->listed = arena_str(&check->arena, buf_str(&version));
    }
    return NULL;
}

static struct error *read_unseen(struct drift_check *check, const struct checked_placement *checked)
{
    const struct client_get_options options = {.form = CLIENT_METADATA};
    for (size_t i = 0; i < checked->count; i++) {
        struct checked_object *object = &checked->objects[i];
        OWNED(object) live = NULL;
        if (object->is_seen || !object->object->mapping)
            continue;
        TRY(drift_object_read(check->connection, object->object, &options, &live));
        if (live)
            note_live(check, checked, object, live);
    }
    return NULL;
}

/* Asks the cluster for everything. Suspends. */
static struct error *look_at_cluster(struct drift_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        TRY(collect_objects(check, &check->placements[i]));
    MAP_FOREACH (entry, &check->kinds) {
        check->kind = map_key(entry);
        TRY(list_kind(check, entry->value), "list objects of kind %.*s", STR_ARG(check->kind));
    }
    for (size_t i = 0; i < check->count; i++)
        TRY(read_unseen(check, &check->placements[i]), "read objects of ClusterResourceSet %.*s",
            STR_ARG(check->placements[i].set.name));
    return NULL;
}

/* What the cluster has, as the ledger of a pass that applied it would say. */
static void fill_ledger(const struct checked_placement *checked, struct apply_ledger *ledger)
{
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_object *object = &checked->objects[i];
        struct str kind = object->object->kind;
        struct gvk gvk = {0};
        str_cut(&kind, '/', &gvk.group);
        gvk.kind = kind;
        apply_ledger_add(ledger, gvk,
                         &(struct apply_receipt){.key = object->object->key,
                                                 .uid = object->uid,
                                                 .ownership = object->ownership});
    }
}

/* By what is remembered. */
static void judge_objects(struct crs_controllers *controllers,
                          const struct checked_placement *checked, struct drift_memory *memory,
                          struct drift_finding *finding)
{
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_object *object = &checked->objects[i];
        const struct str id = object->object->id;
        const bool has_drifted =
            drift_memory_judge(memory, id, object->uid, object->ownership) != DRIFT_NONE;
        if (drift_memory_note(memory, id, has_drifted))
            drift_metrics_note_detected(controllers, object->object->kind);
        if (!has_drifted)
            continue;
        drift_finding_add(finding, id, object->uid, object->ownership);
        finding->versions = str_hash(object->version, str_hash(id, finding->versions));
    }
    finding->type = map_count(&finding->ids) ? DRIFT_FINDING_DRIFTED : DRIFT_FINDING_CLEAN;
}

/*
 * Whether everything that has drifted is contested, left alone for now, and as it was when the
 * record was written. Notes that it still drifts: what is quiet is forgotten.
 */
static bool is_left_alone(const struct drift_finding *finding, struct placement_drift *drift,
                          int64_t now)
{
    bool is_left = finding->versions == drift->reported_versions;
    MAP_FOREACH (entry, &finding->ids) {
        struct contest *contest = map_find(&drift->contests, map_key(entry));
        is_left &= contest && !contest_may_repair(contest, now);
    }
    return is_left;
}

/* Whether the record says so, and nothing is to be repaired. */
static bool is_known(const struct drift_finding *finding, struct placement_drift *drift,
                     const struct delivery_mark *mark, const struct delivery_policy *policy,
                     bool is_recorded)
{
    if (mark->is_drift_unchecked)
        return false;
    if (finding->type == DRIFT_FINDING_CLEAN)
        return is_recorded && !mark->drift;
    if (finding->type != DRIFT_FINDING_DRIFTED || finding->hash != drift->reported)
        return false;
    return policy->drift == DELIVERY_POLICY_DRIFT_REPORT
               ? mark->drift == DELIVERY_DRIFTED
               : mark->drift == DELIVERY_CONTESTED &&
                     is_left_alone(finding, drift, drift->checked_at);
}

/*
 * Compares, and leaves a finding to the placement if there is something to do. After a restart
 * nothing is remembered: an unchanged digest says that what is there is what was applied.
 */
static void leave_finding(struct drift_check *check, const struct checked_placement *checked)
{
    struct placement *placement = find_placement(check, checked);
    struct delivery_mark mark = {0};
    OWNED(object)
    binding = binding_store_find(check->controllers->binding_store, check->cluster);
    if (!placement || !is_unchanged(checked, placement, binding))
        return;
    delivery_find_mark(binding, checked->set.name, &mark);
    struct placement_drift *drift = placement_drift(placement);
    drift->checked_at = loop_now(check->controllers->loop);
    SCOPED(apply_ledger) ledger = {.arena = &check->arena};
    SCOPED(drift_finding) finding = {0};
    const uint64_t basis = placement_drift_basis(checked->plan);
    drift->watched_basis = basis;
    fill_ledger(checked, &ledger);
    apply_ledger_digest(&ledger, finding.digest);
    const bool is_recorded = str_eq(str_from_c(finding.digest), str_from_c(mark.digest));
    if (is_recorded && drift->basis != basis)
        placement_drift_note_applied(drift, &ledger, basis);
    if (drift->basis == basis)
        judge_objects(check->controllers, checked, &drift->memory, &finding);
    else
        finding.type = DRIFT_FINDING_UNVERIFIED;
    const struct delivery_policy *policy = plan_policy(set_plan(placement_set(placement)));
    if (is_known(&finding, drift, &mark, policy, is_recorded))
        return;
    if (finding.type == DRIFT_FINDING_DRIFTED && policy->drift == DELIVERY_POLICY_DRIFT_REPAIR)
        drift_finding_note_seen(&finding, &ledger);
    drift_finding_done(&drift->finding);
    drift->finding = finding;
    finding = (struct drift_finding){0};
    placement_enqueue(placement_set(placement), check->cluster.name, QUEUE_NORMAL);
}

/* Called when a check failed. The record stays; after some time, once, it also says since when. */
static void note_unchecked(const struct drift_check *check, const struct checked_placement *checked)
{
    struct crs_controllers *controllers = check->controllers;
    struct placement *placement = find_placement(check, checked);
    OWNED(object) binding = binding_store_find(controllers->binding_store, check->cluster);
    if (!placement || !is_unchanged(checked, placement, binding))
        return;
    struct placement_drift *drift = placement_drift(placement);
    const duration unchecked = loop_now(controllers->loop) - drift->checked_at;
    if (drift->is_unchecked || drift->finding.type ||
        !drift_is_unchecked(unchecked, controllers->options.drift_check))
        return;
    drift->finding.type = DRIFT_FINDING_UNCHECKED;
    drift->finding.since = loop_wall(controllers->loop) - unchecked;
    placement_enqueue(placement_set(placement), check->cluster.name, QUEUE_NORMAL);
}

duration drift_check_draw_interval(const struct crs_controllers *controllers)
{
    const duration interval = controllers->options.drift_check;
    return (duration)((double)interval *
                      (1 - SPREAD / 2 + SPREAD * random_double(loop_random(controllers->loop))));
}

/* No placement here minds drift: whichever does next enqueues the cluster. */
static void end_following(const struct drift_check *check)
{
    MAP_FOREACH (entry, &check->controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        struct placement *placement = str_eq(set_key(set).namespace, check->cluster.namespace)
                                          ? placement_find(set, check->cluster.name)
                                          : NULL;
        if (placement && placement_has_drift(placement))
            placement_drift(placement)->is_followed = false;
    }
}

/* Compares everything with the cluster. Suspends. */
static struct error *run_check(struct drift_check *check)
{
    TRY(look_at_cluster(check));
    for (size_t i = 0; i < check->count; i++)
        leave_finding(check, &check->placements[i]);
    return NULL;
}

/* With watches: whether they do not tell all there is to know of a placement. */
static bool placement_needs_check(const struct drift_check *check,
                                  const struct checked_placement *checked, bool is_late)
{
    struct placement *placement = find_placement(check, checked);
    if (!placement)
        return false;
    const struct placement_drift *drift = placement_drift(placement);
    const int64_t now = loop_now(check->controllers->loop);
    return drift->watched_basis != placement_drift_basis(checked->plan) ||
           (drift->check_due && drift->check_due <= now) || (is_late && drift->drift);
}

/*
 * What is not watched, and what has drifted and stays so, is checked at the interval; everything
 * else only if the watches were not there all the time.
 */
static bool needs_check(const struct drift_check *check, const struct drift_watch *watch)
{
    const struct crs_controllers *controllers = check->controllers;
    const duration least = (duration)((double)controllers->options.drift_check * (1 - SPREAD));
    const bool is_late = loop_now(controllers->loop) - drift_watch_checked_at(watch) >= least;
    bool needs = !drift_watch_is_current(watch) || (is_late && !drift_watch_is_whole(watch));
    for (size_t i = 0; i < check->count; i++)
        needs |= placement_needs_check(check, &check->placements[i], is_late);
    return needs;
}

/* The kinds that were listed are watched from the versions of the lists. */
static void tell_kinds(const struct drift_check *check, struct drift_watch *watch)
{
    drift_watch_begin_kinds(watch);
    if (check->has_unserved)
        drift_watch_note_unwatched(watch);
    MAP_FOREACH (entry, &check->kinds) {
        const struct checked_kind *kind = entry->value;
        if (kind->listed.len)
            drift_watch_note_kind(watch, map_key(entry), kind->mapping->gvr, kind->listed);
        else
            drift_watch_note_unwatched(watch);
    }
    drift_watch_note_checked(watch);
}

/* Events from here on that cannot be judged ask for another check. */
static void forget_due(const struct drift_check *check)
{
    for (size_t i = 0; i < check->count; i++) {
        struct placement *placement = find_placement(check, &check->placements[i]);
        if (placement)
            placement_drift(placement)->check_due = 0;
    }
}

/* Nothing has drifted that the watches do not tell. The next check may be due before the interval.
 */
static void note_watched(const struct drift_check *check, duration *next)
{
    const int64_t now = loop_now(check->controllers->loop);
    for (size_t i = 0; i < check->count; i++) {
        const struct checked_placement *checked = &check->placements[i];
        struct crs_set *set = set_find(check->controllers, checked->set);
        struct placement *placement = set ? placement_find(set, check->cluster.name) : NULL;
        if (!placement)
            continue;
        struct placement_drift *drift = placement_drift(placement);
        if (drift->stamp == checked->stamp)
            drift->checked_at = now;
        if (drift->check_due && drift->check_due - now < *next)
            *next = drift->check_due > now ? drift->check_due - now : 1;
    }
}

/*
 * Checks the cluster if its watches do not suffice, and opens those that are not open. *next is the
 * time until the next look, which may come earlier. Suspends.
 */
static struct error *check_and_watch(struct drift_check *check, duration *next)
{
    struct drift_watch *watch =
        drift_watch_begin(check->controllers, check->cluster, check->connection);
    if (needs_check(check, watch)) {
        forget_due(check);
        TRY(run_check(check));
        tell_kinds(check, watch);
    }
    TRY(drift_watch_open_streams(watch));
    note_watched(check, next);
    return NULL;
}

/* Without a connection, and while the Cluster is paused, nothing is asked. An error is tried again
 * with back-off. */
struct error *reconcile_drift(void *data, struct key key, struct reconcile_result *ret_result)
{
    SCOPED(drift_check) check = {.controllers = data, .cluster = key};
    struct crs_controllers *controllers = data;
    collect_placements(&check);
    if (!check.followed) {
        end_following(&check);
        drift_watch_end(controllers, key);
        return NULL;
    }
    ret_result->requeue_after = drift_check_draw_interval(controllers);
    if (check.waits)
        ret_result->requeue_after = check.count ? WAIT_RETRY : VALUES_ROOM_PAUSE;
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, key, &check.connection);
    if (offline)
        drift_watch_end(controllers, key);
    if (!check.count || cluster_index_is_paused(controllers->cluster_index, key))
        return NULL;
    struct error *err = offline ? NULL
                        : controllers->options.drift_watch
                            ? check_and_watch(&check, &ret_result->requeue_after)
                            : run_check(&check);
    for (size_t i = 0; (offline || err) && i < check.count; i++)
        note_unchecked(&check, &check.placements[i]);
    return err;
}

/* What was told of drift is taken back: nobody minds it any more. */
static void end_telling(struct crs_set *set, struct placement *placement)
{
    struct placement_drift *drift = placement_drift(placement);
    if ((!drift->drift && !drift->is_unchecked) || drift->finding.type == DRIFT_FINDING_CLEAN)
        return;
    drift_finding_done(&drift->finding);
    drift->finding.type = DRIFT_FINDING_CLEAN;
    placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
}

/* Clusters are spread evenly over the interval, also those that a new process finds. */
static void enqueue_spread(struct crs_controllers *controllers, struct key cluster)
{
    const duration interval = controllers->options.drift_check;
    const duration spread =
        controllers->options.drift_watch && interval > WATCH_SPREAD ? WATCH_SPREAD : interval;
    queue_add_after(controllers->queues[CRS_CONTROLLER_DRIFT], cluster,
                    (duration)random_below(loop_random(controllers->loop), (uint64_t)spread) + 1,
                    QUEUE_LOW);
}

/* Of a placement that is followed: what follows from what was applied there, or was not judged. */
static void follow_watched(struct crs_set *set, struct placement *placement)
{
    struct crs_controllers *controllers = set_controllers(set);
    const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
    const struct placement_drift *drift = placement_drift(placement);
    const int64_t now = loop_now(controllers->loop);
    if (!drift_watch_find(controllers, cluster)) {
        enqueue_spread(controllers, cluster); /* its first check may have come too early */
        return;
    }
    const bool is_known = drift->watched_basis == placement_drift_basis(placement_plan(placement));
    if (is_known && !drift->check_due)
        return;
    queue_add_after(controllers->queues[CRS_CONTROLLER_DRIFT], cluster,
                    is_known && drift->check_due > now ? drift->check_due - now : 0, QUEUE_NORMAL);
}

void drift_check_follow(struct crs_set *set, struct placement *placement)
{
    struct crs_controllers *controllers = set_controllers(set);
    struct queue *queue = controllers->queues[CRS_CONTROLLER_DRIFT];
    const struct key cluster = {set_key(set).namespace, placement_cluster(placement)};
    const struct delivery_policy *policy = plan_policy(set_plan(set));
    if (!policy)
        return;
    struct placement_drift *drift = placement_drift(placement);
    if (policy->drift == DELIVERY_POLICY_DRIFT_IGNORE) {
        end_telling(set, placement);
        return;
    }
    if (policy->drift == DELIVERY_POLICY_DRIFT_REPAIR && drift->awaits_repair) {
        drift->awaits_repair = false; /* what cannot be repaired waits for the next check */
        placement_drift_note_due(drift, loop_now(controllers->loop));
        queue_add(queue, cluster, QUEUE_NORMAL);
    }
    if (drift->is_followed) {
        if (controllers->options.drift_watch)
            follow_watched(set, placement);
        return;
    }
    drift->is_followed = true;
    drift->checked_at = loop_now(controllers->loop);
    enqueue_spread(controllers, cluster);
}
