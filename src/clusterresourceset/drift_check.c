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
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/drift_metrics.h"
#include "clusterresourceset/drift_objects.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_drift.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/delivery.h"

/* Checks of one cluster are this much of the interval earlier or later than the others, in all. */
#define SPREAD 0.2

/* Objects that are compared before others have their turn. */
#define TURN 64

/* What a list or a read said of an object. */
struct checked_object {
    const struct drift_object *object;
    struct str uid, ownership; /* empty: there is none */
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
};

struct drift_check {
    struct crs_controllers *controllers;
    struct key cluster;
    struct cluster_connection *connection;
    struct arena arena;
    struct checked_placement *placements;
    size_t count, capacity;
    size_t followed;  /* placements whose drift matters, checked now or not */
    struct map kinds; /* "group/kind" -> struct checked_kind, in the arena */
    struct str kind;  /* the one that is being listed */
    size_t listed;    /* objects that were compared */
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

/* Whether anything is to be told or done about drift of the set. */
static bool set_minds_drift(const struct crs_set *set)
{
    const struct plan *plan = set_plan(set);
    return set_is_open(set) && plan && plan_policy(plan) &&
           plan_policy(plan)->drift != DELIVERY_POLICY_DRIFT_IGNORE;
}

/* The cluster has all of the plan, and nothing is about to change there. */
static bool is_settled(struct crs_set *set, struct placement *placement,
                       const struct object *binding)
{
    char revision[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    const struct plan *plan = set_plan(set);
    return !placement_is_pending(placement) && !placement_fault(placement)->type &&
           placement_is_reconciled(placement, plan) &&
           plan_is_met(plan, binding, set_owner_reference(set)) &&
           delivery_find_mark(binding, set_key(set).name, &mark) &&
           str_eq(str_from_c(mark.revision), plan_revision(plan, revision));
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
        if (!placement || !set_minds_drift(set))
            continue;
        check->followed++;
        placement_drift(placement)->is_followed = true;
        if (!is_settled(set, placement, binding))
            continue;
        const struct checked_placement checked = {
            .set = {arena_str(&check->arena, set_key(set).namespace),
                    arena_str(&check->arena, set_key(set).name)},
            .plan = plan_ref(set_plan(set)),
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
    return set_minds_drift(set) && plan_round(set_plan(set)) == plan_round(checked->plan) &&
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
    if (!object->mapping)
        return;
    if (!kind) {
        kind = ARENA_NEW(&check->arena, struct checked_kind);
        *kind = (struct checked_kind){object->mapping, STR("0")};
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

/* Who may not list may be allowed to read. Suspends. */
static struct error *list_kind(struct drift_check *check, const struct checked_kind *kind)
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
    struct error *err = client_list_each(cluster_connection_client(check->connection),
                                         kind->mapping->gvr, STR(""), &options, &sink, &version);
    if (!err)
        keep_version(check, buf_str(&version));
    return error_ignore(error_ignore(err, ERROR_FORBIDDEN), ERROR_NOT_FOUND);
}

static struct error *read_unseen(struct drift_check *check, const struct checked_placement *checked)
{
    const struct client_get_options options = {.form = CLIENT_METADATA};
    for (size_t i = 0; i < checked->count; i++) {
        struct checked_object *object = &checked->objects[i];
        OWNED(object) live = NULL;
        if (object->is_seen || !object->object->mapping)
            continue;
        struct error *err =
            client_get(cluster_connection_client(check->connection), object->object->mapping->gvr,
                       object->object->key, &options, &live);
        TRY(error_ignore(err, ERROR_NOT_FOUND));
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
    finding->hash = 1;
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_object *object = &checked->objects[i];
        const struct str id = object->object->id;
        const bool has_drifted =
            drift_memory_judge(memory, id, object->uid, object->ownership) != DRIFT_NONE;
        if (drift_memory_note(memory, id, has_drifted))
            drift_metrics_note_detected(controllers, object->object->kind);
        if (!has_drifted)
            continue;
        map_put(&finding->ids, id, NULL);
        finding->hash = str_hash(id, finding->hash);
        finding->hash = str_hash(object->uid, finding->hash);
        finding->hash = str_hash(object->ownership, finding->hash);
    }
    finding->type = map_count(&finding->ids) ? DRIFT_FINDING_DRIFTED : DRIFT_FINDING_CLEAN;
}

/* Whether the record says so, and nothing is to be repaired. */
static bool is_known(const struct drift_finding *finding, const struct placement_drift *drift,
                     const struct delivery_mark *mark, const struct delivery_policy *policy,
                     bool is_recorded)
{
    if (finding->type == DRIFT_FINDING_CLEAN)
        return is_recorded && !mark->drift;
    return finding->type == DRIFT_FINDING_DRIFTED && finding->hash == drift->reported &&
           mark->drift == DELIVERY_DRIFTED && policy->drift == DELIVERY_POLICY_DRIFT_REPORT;
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
    drift_finding_done(&drift->finding);
    drift->finding = finding;
    finding = (struct drift_finding){0};
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

/* Without a connection, and while the Cluster is paused, nothing is asked. An error is tried again
 * with back-off. */
struct error *reconcile_drift(void *data, struct key key, struct reconcile_result *ret_result)
{
    SCOPED(drift_check) check = {.controllers = data, .cluster = key};
    collect_placements(&check);
    if (!check.followed) {
        end_following(&check);
        return NULL;
    }
    ret_result->requeue_after = drift_check_draw_interval(check.controllers);
    OWNED(error)
    offline =
        clustercache_get_client(check.controllers->options.clustercache, key, &check.connection);
    if (!check.count || offline || cluster_index_is_paused(check.controllers->cluster_index, key))
        return NULL;
    TRY(look_at_cluster(&check));
    for (size_t i = 0; i < check.count; i++)
        leave_finding(&check, &check.placements[i]);
    return NULL;
}

/* What was told of drift is taken back: nobody minds it any more. */
static void end_telling(struct crs_set *set, struct placement *placement)
{
    struct placement_drift *drift = placement_drift(placement);
    if (!drift->drift || drift->finding.type == DRIFT_FINDING_CLEAN)
        return;
    drift_finding_done(&drift->finding);
    drift->finding.type = DRIFT_FINDING_CLEAN;
    placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
}

/* Clusters are spread evenly over the interval, also those that a new process finds. */
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
        queue_add(queue, cluster, QUEUE_NORMAL);
    }
    if (drift->is_followed)
        return;
    drift->is_followed = true;
    drift->checked_at = loop_now(controllers->loop);
    const uint64_t interval = (uint64_t)controllers->options.drift_check;
    queue_add_after(queue, cluster,
                    (duration)random_below(loop_random(controllers->loop), interval) + 1,
                    QUEUE_LOW);
}
