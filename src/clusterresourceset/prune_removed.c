/*
 * prune_removed_run() asks the guards twice (prune_guard.h): whether it is worth to read lists, and
 * with what they showed, whether it may delete. What came of it goes into the record.
 */
#include "clusterresourceset/prune_removed.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/placement_health.h"
#include "clusterresourceset/placement_reconcile_internal.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_guard.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/prune_run.h"
#include "clusterresourceset/prune_tell.h"
#include "clusterresourceset/prune_token.h"
#include "clusterresourceset/prune_wanted.h"
#include "clusterresourceset/set.h"
#include "clusterresourceset/types/approval.h"
#include "controller/cache/cache.h"

#define JUDGE_PAUSE   SECOND       /* until objects were counted on other clusters */
#define OVERDUE_PAUSE (5 * MINUTE) /* between looks at objects whose finalizers do not go */

struct removed {
    struct placement_reconcile *reconcile;
    struct prune_run run;
    struct map wanted; /* see struct prune_run */
    struct str token;
    enum prune_decision decision;
    struct str why;
    struct error *err;
    bool is_listed, is_done; /* not done: it was cancelled */
};

static void removed_done(struct removed *removed)
{
    prune_run_done(&removed->run);
    map_done(&removed->wanted);
    error_free(removed->err);
}

static bool asks_for_removed(const struct plan *plan)
{
    const struct delivery_policy *policy = plan ? plan_policy(plan) : NULL;
    return policy && policy->prune_when & DELIVERY_POLICY_PRUNE_REMOVED;
}

static struct prune_facts gather_facts(const struct removed *removed)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    const struct crs_controllers *controllers = reconcile->controllers;
    const struct plan *plan = reconcile->plan;
    const struct object *cluster = reconcile->cluster_object;
    struct delivery_mark mark = {0};
    OWNED(object) binding = binding_store_find(controllers->binding_store, reconcile->cluster);
    delivery_find_mark(binding, set_key(reconcile->set).name, &mark);
    return (struct prune_facts){
        .reason = PRUNE_REMOVED,
        .is_asked_for = asks_for_removed(plan),
        .is_cache_known = cache_is_synced(controllers->sets) &&
                          cache_is_synced(controllers->bindings) &&
                          cache_is_synced(controllers->options.clusters),
        .is_whole = plan_is_whole(plan),
        .has_objects = prune_wanted_is_sound(plan),
        .is_there = cluster != NULL,
        .is_deleting = cluster && object_is_deleting(cluster),
        .is_paused = placement_reconcile_is_paused(reconcile),
        .is_selected = cluster_index_selects(controllers->cluster_index, reconcile->cluster,
                                             &plan_spec(plan)->selector),
        .is_same = reconcile->cluster_uid.len > 0 && !reconcile->unknown,
        .is_connected = reconcile->connection != NULL,
        .is_applied = plan_has_revision(plan, binding, set_key(reconcile->set).name) &&
                      plan_is_met(plan, binding, set_owner_reference(reconcile->set)),
        .is_ready = !mark.is_unready,
        .is_listed = removed->is_listed,
        .objects = removed->run.doomed.count,
        .max_objects = (size_t)plan_policy(plan)->prune_max_objects,
        .is_approved = approval_is_given(set_object(reconcile->set), removed->token),
    };
}

/* The name of another cluster on which the same occasion is held; empty: none. */
static struct str find_held_elsewhere(const struct removed *removed)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    MAP_FOREACH (entry, &set_prune(reconcile->set)->notes) {
        const struct prune_note *note = entry->value;
        if (note->state == DELIVERY_PRUNE_HELD && str_eq(str_from_c(note->token), removed->token) &&
            note->objects > (size_t)plan_policy(reconcile->plan)->prune_max_objects &&
            !str_eq(map_key(entry), reconcile->cluster.name))
            return map_key(entry);
    }
    return STR("");
}

/*
 * Whether objects of the same occasion are still to be counted on another cluster: it is about to
 * get the revision, or has it and was not looked at. One that failed, waits for its wave, cannot be
 * asked, or is not ready is not waited for.
 */
static bool is_unjudged(const struct removed *removed, const struct placement *other)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    struct crs_controllers *controllers = reconcile->controllers;
    const struct key cluster = {reconcile->cluster.namespace, placement_cluster(other)};
    const struct prune_note *note = prune_note_find(reconcile->set, cluster.name);
    OWNED(cluster_connection) connection = NULL;
    const enum fault_type fault = placement_fault(other)->type;
    if (fault == FAULT_CONNECTING) /* after a start, or it was made just now */
        return true;
    if (other == reconcile->placement || fault)
        return false;
    if (!placement_is_reconciled(other, reconcile->plan))
        return placement_is_pending(other);
    if (!note || note->state != DELIVERY_PRUNE_DUE || note->judged == plan_round(reconcile->plan) ||
        cluster_index_is_paused(controllers->cluster_index, cluster) ||
        (placement_has_health(other) &&
         placement_health((struct placement *)other)->state != HEALTH_READY))
        return false;
    OWNED(error)
    offline = clustercache_get_client(controllers->options.clustercache, cluster, &connection);
    return !offline;
}

static bool has_unjudged(const struct removed *removed)
{
    MAP_FOREACH (entry, set_placements(removed->reconcile->set))
        if (is_unjudged(removed, entry->value))
            return true;
    return false;
}

static void note_judged(const struct removed *removed)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    prune_note_open(reconcile->set, reconcile->cluster.name)->judged = plan_round(reconcile->plan);
}

/* What is held somewhere is deleted nowhere: so objects are counted everywhere first. */
static void decide(struct removed *removed)
{
    const struct prune_facts facts = gather_facts(removed);
    removed->decision = prune_guard_decide(&facts, &removed->why);
    if (removed->decision != PRUNE_DELETE || facts.is_approved || !facts.objects)
        return;
    if (find_held_elsewhere(removed).len)
        removed->decision = PRUNE_HOLD;
    else if (has_unjudged(removed))
        removed->decision = PRUNE_WAIT;
}

static struct error *look_and_delete(struct removed *removed)
{
    TRY(prune_wanted_read(removed->reconcile->plan, removed->run.discovery, removed->run.arena,
                          &removed->wanted));
    TRY(prune_run_look(&removed->run));
    removed->is_listed = true;
    note_judged(removed);
    decide(removed);
    return removed->decision == PRUNE_DELETE ? prune_run_delete(&removed->run) : NULL;
}

static struct error *prune_in_fiber(void *data)
{
    struct removed *removed = data;
    FIBER_TIMEOUT(placement_reconcile_time(removed->reconcile));
    removed->err = look_and_delete(removed);
    removed->is_done = !fiber_is_canceled(fiber_current());
    return NULL;
}

/* The plan that is being worked by is still the set's, and nothing speaks against it. */
static bool may_go_on(void *data)
{
    const struct removed *removed = data;
    const struct placement_reconcile *reconcile = removed->reconcile;
    const struct plan *now = set_plan(reconcile->set);
    return set_is_open(reconcile->set) && !placement_is_dropped(reconcile->placement) &&
           !set_is_touched(reconcile->set) && plan_round(now) == plan_round(reconcile->plan) &&
           asks_for_removed(now) && !placement_reconcile_is_paused(reconcile);
}

static void note_deleted(void *data, struct str kind)
{
    const struct removed *removed = data;
    prune_tell_deleted(removed->reconcile->controllers, kind);
}

/* "needs approval prune/…: 21 objects would be deleted, more than maxObjects (20): …" */
static struct str explain_hold(const struct removed *removed)
{
    SCOPED(buf) text = {.limit = 0};
    const size_t max = (size_t)plan_policy(removed->reconcile->plan)->prune_max_objects;
    const size_t count = removed->run.doomed.count;
    buf_print(&text, "needs approval %.*s: %zu object%s would be deleted", STR_ARG(removed->token),
              count, count == 1 ? "" : "s");
    if (count > max) {
        buf_print(&text, ", more than maxObjects (%zu)", max);
    } else {
        const struct str other = find_held_elsewhere(removed);
        buf_print(&text, ", and more than maxObjects (%zu) on %.*s", max, STR_ARG(other));
    }
    buf_add(&text, STR(": "));
    prune_run_write_doomed(&removed->run, &text);
    return arena_str(removed->run.arena, buf_str(&text));
}

/* What the record is to say. */
static struct delivery_prune conclude(const struct removed *removed)
{
    const struct prune_run *run = &removed->run;
    struct delivery_prune prune = {
        .reason = prune_reason_name(PRUNE_REMOVED),
        .objects = run->doomed.count - run->deleted,
        .kept = run->kept,
    };
    if (removed->err) {
        prune.state = DELIVERY_PRUNE_FAILED;
        prune.message = str_from_c(removed->err->message);
    } else if (removed->decision == PRUNE_HOLD) {
        prune.state = DELIVERY_PRUNE_HELD;
        prune.token = removed->token;
        prune.message = explain_hold(removed);
    } else if (run->left) {
        prune.state = run->is_overdue ? DELIVERY_PRUNE_FAILED : DELIVERY_PRUNE_PRUNING;
        prune.message =
            arena_print(run->arena, "%zu object%s deleted, still there: %.*s", run->left,
                        run->left == 1 ? "" : "s", STR_ARG(buf_str(&run->left_names)));
    } else if (run->must_look_again) {
        prune.state = DELIVERY_PRUNE_PRUNING;
        prune.message = STR("objects have changed meanwhile and are looked at again");
    } else if (run->kept) {
        prune.state = DELIVERY_PRUNE_DONE;
        prune.message = arena_print(run->arena, "kept: %.*s", STR_ARG(buf_str(&run->kept_names)));
    }
    return prune;
}

/* When to look again at what is not over. */
static void plan_next_look(const struct removed *removed)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    const int64_t now = loop_now(reconcile->controllers->loop);
    struct prune_note *note = prune_note_find(reconcile->set, reconcile->cluster.name);
    if (!note)
        return;
    if (removed->run.left)
        reconcile->result->requeue_after =
            removed->run.is_overdue ? OVERDUE_PAUSE : prune_note_next_pause(note, now);
    else
        note->left_since = 0;
    if (removed->run.must_look_again)
        reconcile->result->requeue_after = SECOND;
}

static void tell_outcome(const struct removed *removed, const struct delivery_prune *prune,
                         bool was_held)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    const struct str unserved = removed->err ? STR("") : prune_run_unserved_kinds(&removed->run);
    prune_tell_run(reconcile->set, reconcile->cluster_object, &removed->run);
    if (prune->state == DELIVERY_PRUNE_HELD && !was_held)
        prune_tell_held(reconcile->set, reconcile->cluster_object, prune->message);
    if (unserved.len)
        prune_tell_warning(reconcile->set, reconcile->cluster_object, "PruneKindGone",
                           arena_print(removed->run.arena,
                                       "the cluster does not serve %.*s any more, nothing is "
                                       "looked for there",
                                       STR_ARG(unserved)));
}

/* Writes the record, tells and plans. Suspends. */
static struct error *record_outcome(struct removed *removed)
{
    struct placement_reconcile *reconcile = removed->reconcile;
    const struct delivery_prune prune = conclude(removed);
    const struct prune_note *before = prune_note_find(reconcile->set, reconcile->cluster.name);
    const bool was_held = before && before->state == DELIVERY_PRUNE_HELD &&
                          str_eq(str_from_c(before->token), removed->token);
    const bool is_known = removed->is_listed && !removed->err;
    const struct delivery_kinds gone =
        is_known ? prune_run_gone_kinds(&removed->run) : (struct delivery_kinds){0};
    tell_outcome(removed, &prune, was_held);
    TRY(prune_note_write(reconcile->controllers, set_key(reconcile->set), reconcile->cluster,
                         &prune, &gone));
    plan_next_look(removed);
    return TAKE(removed->err);
}

/* Suspends. */
static struct error *run_prune(struct removed *removed, const struct object *binding)
{
    struct placement_reconcile *reconcile = removed->reconcile;
    const struct prune_note *note = prune_note_find(reconcile->set, reconcile->cluster.name);
    removed->run = (struct prune_run){
        .client = cluster_connection_client(reconcile->connection),
        .discovery = cluster_connection_discovery(reconcile->connection),
        .arena = &reconcile->arena,
        .manager = field_manager_of_set(&reconcile->arena, set_key(reconcile->set)),
        .policy = plan_policy(reconcile->plan),
        .kinds = delivery_read_kinds(binding, set_key(reconcile->set).name, &reconcile->arena),
        .wanted = &removed->wanted,
        .is_overdue = prune_note_is_overdue(note, loop_now(reconcile->controllers->loop)),
        .may_go_on = may_go_on,
        .note_deleted = note_deleted,
        .data = removed,
    };
    TRY(placement_reconcile_run(reconcile, "prune", prune_in_fiber, removed));
    if (!removed->is_done || error_is(removed->err, ERROR_CANCELED)) {
        reconcile->result->requeue_after = SECOND; /* what ended it may enqueue it before that */
        return NULL;
    }
    if (removed->decision == PRUNE_WAIT && !removed->err) {
        reconcile->result->requeue_after = JUDGE_PAUSE; /* it stays due */
        return NULL;
    }
    return record_outcome(removed);
}

/* Whether nothing was agreed on since it was held: no list is read for that. */
static bool is_still_held(const struct removed *removed, const struct delivery_prune *prune)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    return prune->state == DELIVERY_PRUNE_HELD && str_eq(prune->token, removed->token) &&
           asks_for_removed(reconcile->plan) &&
           prune->objects > (size_t)plan_policy(reconcile->plan)->prune_max_objects &&
           !approval_is_given(set_object(reconcile->set), removed->token);
}

/* Objects of the cluster were counted, and what the others have may still hold them. */
static bool is_judged(const struct removed *removed)
{
    const struct placement_reconcile *reconcile = removed->reconcile;
    const struct prune_note *note = prune_note_find(reconcile->set, reconcile->cluster.name);
    return note && note->state == DELIVERY_PRUNE_DUE &&
           note->judged == plan_round(reconcile->plan) &&
           !approval_is_given(set_object(reconcile->set), removed->token);
}

struct error *prune_removed_run(struct placement_reconcile *reconcile)
{
    char revision[DELIVERY_REVISION_LEN + 1];
    struct delivery_prune prune;
    SCOPED(removed) removed = {.reconcile = reconcile};
    OWNED(object)
    binding = binding_store_find(reconcile->controllers->binding_store, reconcile->cluster);
    if (!plan_policy(reconcile->plan) ||
        !delivery_find_prune(binding, set_key(reconcile->set).name, &reconcile->arena, &prune) ||
        prune.state == DELIVERY_PRUNE_DONE)
        return NULL;
    removed.token = prune_token(&reconcile->arena, object_uid(set_object(reconcile->set)),
                                PRUNE_REMOVED, plan_revision(reconcile->plan, revision), NULL, 0);
    if (is_still_held(&removed, &prune))
        return NULL;
    if (is_judged(&removed) && has_unjudged(&removed)) {
        reconcile->result->requeue_after = JUDGE_PAUSE; /* without another list */
        return NULL;
    }
    decide(&removed);
    if (removed.decision == PRUNE_LOOK)
        return run_prune(&removed, binding);
    note_judged(&removed); /* the others do not wait for it */
    const struct delivery_prune none = {0};
    return removed.decision == PRUNE_NEVER
               ? prune_note_write(reconcile->controllers, set_key(reconcile->set),
                                  reconcile->cluster, &none, NULL)
               : NULL;
}

bool prune_removed_keep(struct placement_reconcile *reconcile, const struct object *binding)
{
    if (!plan_policy(reconcile->plan)) {
        prune_note_drop(reconcile->set, reconcile->cluster.name);
        return false;
    }
    const bool is_news = prune_note_read(reconcile->set, reconcile->cluster.name, binding);
    struct prune_note *note = prune_note_find(reconcile->set, reconcile->cluster.name);
    if (note && note->judged > UINT64_MAX / 2) /* it was about to lose the set, and has it again */
        note->judged = 0;
    if (note && note->state == DELIVERY_PRUNE_DUE && reconcile->has_outcome &&
        !reconcile->fault.type)
        placement_enqueue(reconcile->set, reconcile->cluster.name, QUEUE_NORMAL);
    return is_news;
}

/* What is not held has its own pauses, which end when somebody has changed something. */
void prune_removed_follow(struct crs_set *set, struct placement *placement)
{
    const struct plan *plan = set_plan(set);
    const struct prune_note *note = prune_note_find(set, placement_cluster(placement));
    if (!note || note->state == DELIVERY_PRUNE_DONE)
        return;
    const bool is_held = note->state == DELIVERY_PRUNE_HELD && asks_for_removed(plan) &&
                         note->objects > (size_t)plan_policy(plan)->prune_max_objects;
    if (is_held ? approval_is_given(set_object(set), str_from_c(note->token)) : set_is_touched(set))
        placement_enqueue(set, placement_cluster(placement), QUEUE_NORMAL);
}
