#include "clusterresourceset/set.h"

#include "async/event.h"
#include "async/loop.h"
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/placement.h"
#include "clusterresourceset/plan.h"
#include "clusterresourceset/prune_note.h"
#include "clusterresourceset/set_order.h"
#include "clusterresourceset/set_rollout.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/cache/cache_version.h"

/* News are reported after this time even if other clusters are not done. */
#define TOUCH_TIME (10 * SECOND)
#define NEWS_DELAY (5 * SECOND)

struct crs_set {
    struct crs_controllers *controllers;
    char *namespace, *name;
    char *uid; /* a copy: `object` is replaced while fibers that wait use the uid */
    struct object *object;
    struct plan *plan;
    struct map placements;
    size_t pending, running;
    struct event has_stopped; /* a placement no longer runs */
    bool is_open;
    int64_t status_due;  /* see set_status_wait() */
    bool shows_progress; /* the last status was written while placements were pending */
    bool tells_own_problems;
    bool is_touched;
    int64_t touched_at; /* 0: never */
    struct rivalry rivalry;
    struct set_prune *prune;     /* NULL: nothing is known */
    struct set_rollout *rollout; /* NULL: none */
};

/* Sets are found by key, not by UID: set_reconcile.c drops the state of a set that was replaced. */
struct crs_set *set_find(struct crs_controllers *controllers, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, key);
    return map_find(&controllers->sets_by_key, buf_str(&text));
}

struct crs_set *set_open(struct crs_controllers *controllers, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    struct crs_set *set = set_find(controllers, key);
    if (set)
        return set;
    set = NEW(struct crs_set);
    set->controllers = controllers;
    set->namespace = mem_dup(key.namespace.ptr, key.namespace.len);
    set->name = mem_dup(key.name.ptr, key.name.len);
    key_write(&text, key);
    map_put(&controllers->sets_by_key, buf_str(&text), set);
    return set;
}

/* Placements are freed with the set. None of them runs: their fibers use the set. */
void set_drop(struct crs_set *set)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, set_key(set));
    map_take(&set->controllers->sets_by_key, buf_str(&text));
    MAP_FOREACH (entry, &set->placements)
        placement_free(entry->value);
    map_done(&set->placements);
    plan_free(set->plan);
    rivalry_done(&set->rivalry);
    set_prune_free(set->prune);
    mem_free(set->rollout);
    object_free(set->object);
    mem_free(set->namespace);
    mem_free(set->name);
    mem_free(set->uid);
    mem_free(set);
}

struct crs_controllers *set_controllers(const struct crs_set *set)
{
    return set->controllers;
}

struct key set_key(const struct crs_set *set)
{
    return (struct key){str_from_c(set->namespace), str_from_c(set->name)};
}

struct owner_reference set_owner_reference(const struct crs_set *set)
{
    return crs_owner_reference(str_from_c(set->name), str_from_c(set->uid));
}

struct object *set_object(const struct crs_set *set)
{
    return set->object;
}

/*
 * Copies come from the cache and as answers to writes, in any order. Versions are compared only
 * within one object: a set that was deleted and made again has a new UID.
 */
void set_put_object(struct crs_set *set, struct object *object)
{
    if (set->object && str_eq(object_uid(set->object), object_uid(object)) &&
        cache_version_is_older(object_resource_version(object),
                               object_resource_version(set->object)))
        return;
    const struct str uid = object_uid(object);
    if (!set->uid)
        set->uid = mem_dup(uid.ptr, uid.len);
    object_ref(object);
    object_free(set->object);
    set->object = object;
}

struct plan *set_plan(const struct crs_set *set)
{
    return set->plan;
}

void set_put_plan(struct crs_set *set, struct plan *plan)
{
    const uint64_t round = set->plan ? plan_round(set->plan) : 0;
    set->plan = plan_replace(set->plan, plan);
    if (plan_round(set->plan) != round)
        set_order_wake_dependents(set);
}

struct set_prune *set_prune(struct crs_set *set)
{
    if (!set->prune)
        set->prune = set_prune_new();
    return set->prune;
}

struct set_rollout *set_rollout(const struct crs_set *set)
{
    return set->rollout;
}

void set_put_rollout(struct crs_set *set, const struct rollout_decision *decision)
{
    if (!decision) {
        mem_free(TAKE(set->rollout));
        return;
    }
    if (!set->rollout)
        set->rollout = NEW(struct set_rollout);
    set->rollout->decision = *decision;
}

struct rivalry *set_rivalry(struct crs_set *set)
{
    return &set->rivalry;
}

bool set_is_open(const struct crs_set *set)
{
    return set->is_open;
}

static void put_open(struct crs_set *set, bool is_open)
{
    const bool is_news = set->is_open != is_open;
    set->is_open = is_open;
    if (is_news)
        set_order_wake_dependents(set);
}

void set_allow_placements(struct crs_set *set)
{
    put_open(set, true);
}

/*
 * Placements are not dropped: a set that is paused goes on with them later. Those in the queue find
 * the set closed and do nothing. An error means that the wait was cut short, and the set stays
 * closed.
 */
struct error *set_close(struct crs_set *set)
{
    put_open(set, false);
    MAP_FOREACH (entry, &set->placements)
        placement_stop(entry->value);
    while (set->running)
        TRY(event_wait(&set->has_stopped, "the clusters of a set"));
    return NULL;
}

struct map *set_placements(struct crs_set *set)
{
    return &set->placements;
}

size_t set_pending(const struct crs_set *set)
{
    return set->pending;
}

size_t set_running(const struct crs_set *set)
{
    return set->running;
}

/* What the status says of progress ends with the last placement, whether that one has news or not.
 */
void set_count_pending(struct crs_set *set, int change)
{
    set->pending += (size_t)change;
    if (!set->pending && set->shows_progress && set->is_open)
        set_enqueue(set, QUEUE_NORMAL);
}

void set_count_running(struct crs_set *set, int change)
{
    set->running += (size_t)change;
    if (change < 0)
        event_wake_all(&set->has_stopped);
}

void set_enqueue(struct crs_set *set, int priority)
{
    queue_add(set->controllers->queues[CRS_CONTROLLER_SETS], set_key(set), priority);
}

void set_enqueue_after(struct crs_set *set, duration after)
{
    queue_add_after(set->controllers->queues[CRS_CONTROLLER_SETS], set_key(set), after,
                    QUEUE_NORMAL);
}

/*
 * If placements are pending, the set is enqueued for the time the news are due. The last placement
 * that is done enqueues it at once, because it notes news as well while there are any
 * (set_has_news()).
 */
void set_touch(struct crs_set *set)
{
    set->is_touched = true;
    set->touched_at = loop_now(set->controllers->loop);
    rivalry_end_pause(&set->rivalry);
}

bool set_is_touched(const struct crs_set *set)
{
    return set->is_touched;
}

void set_end_touch(struct crs_set *set)
{
    const bool is_news = set->is_touched;
    set->is_touched = false;
    if (is_news)
        set_order_wake_dependents(set);
}

bool set_was_touched_lately(const struct crs_set *set)
{
    return set->touched_at && loop_now(set->controllers->loop) - set->touched_at < TOUCH_TIME;
}

void set_note_news(struct crs_set *set)
{
    const bool is_first = !set->status_due;
    if (is_first)
        set->status_due = loop_now(set->controllers->loop) + NEWS_DELAY;
    if (!set->pending)
        set_enqueue(set, QUEUE_NORMAL);
    else if (is_first)
        set_enqueue_after(set, NEWS_DELAY);
}

bool set_has_news(const struct crs_set *set)
{
    return set->status_due != 0;
}

duration set_status_wait(size_t pending, int64_t due, int64_t now)
{
    if (!pending)
        return 0;
    if (!due)
        return FOREVER;
    return due > now ? due - now : 0;
}

/* A reconcile that runs early has replaced the one in the queue, so that it is put there again. */
bool set_status_is_due(struct crs_set *set)
{
    const duration wait =
        set_status_wait(set->pending, set->status_due, loop_now(set->controllers->loop));
    if (wait && wait != FOREVER)
        set_enqueue_after(set, wait);
    if (!wait) {
        set->status_due = 0;
        set->shows_progress = set->pending > 0;
    }
    return !wait;
}

bool set_tells_own_problems(const struct crs_set *set)
{
    return set->tells_own_problems;
}

void set_put_own_problems(struct crs_set *set, bool has_problems)
{
    set->tells_own_problems = has_problems;
}

/* The queue retries the set with back-off. The news must then be reported whatever is pending. */
void set_retry_status(struct crs_set *set)
{
    if (!set->status_due)
        set->status_due = loop_now(set->controllers->loop);
}
