/*
 * The state that the controllers keep of one ClusterResourceSet: its newest copy, its plan, and its
 * placements.
 *
 * A set is open while its placements may be reconciled. It is closed before it is paused, deleted
 * or replaced by another set of the same name. All of the state may be lost: what must last is in
 * the management cluster.
 *
 * Nothing here makes a request. set_reconcile.c decides, set_status.c writes to the server.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/owner_reference.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/map.h"
#include "clusterresourceset/rivalry.h"

struct crs_controllers;
struct crs_set;
struct plan;
struct set_prune;
struct rollout_decision;
struct set_rollout;

/* set_open() makes the state if there is none. */
struct crs_set *set_find(struct crs_controllers *controllers, struct key key);
struct crs_set *set_open(struct crs_controllers *controllers, struct key key);

/* Frees the state. No placement may be running. */
void set_drop(struct crs_set *set);

struct crs_controllers *set_controllers(const struct crs_set *set);
struct key set_key(const struct crs_set *set);
struct owner_reference set_owner_reference(const struct crs_set *set); /* borrows from the set */

/* Borrowed until the next set_put_object(), which keeps the newer of both copies. */
struct object *set_object(const struct crs_set *set);
void set_put_object(struct crs_set *set, struct object *object);

/*
 * NULL before the first. set_put_plan() takes the plan; see plan_replace(). Another plan, the end
 * of a touch, and opening and closing wake what waits for the set (set_order.h).
 */
struct plan *set_plan(const struct crs_set *set);
void set_put_plan(struct crs_set *set, struct plan *plan);

/* What is known of objects that are to be deleted (prune_note.h); made by the first call. */
struct set_prune *set_prune(struct crs_set *set);
/* NULL before the first look, and without waves. set_put_rollout() copies; NULL drops it. */
struct set_rollout *set_rollout(const struct crs_set *set);
void set_put_rollout(struct crs_set *set, const struct rollout_decision *decision);

/* Of another controller that writes the conditions of the set, too. */
struct rivalry *set_rivalry(struct crs_set *set);

/*
 * set_close() lets no placement start any more, cancels those that run and waits for their end.
 * Suspends.
 */
bool set_is_open(const struct crs_set *set);
void set_allow_placements(struct crs_set *set);
MUST_USE struct error *set_close(struct crs_set *set);

/* Name of the cluster -> struct placement. Changed by placement.c alone. */
struct map *set_placements(struct crs_set *set);
size_t set_pending(const struct crs_set *set);
size_t set_running(const struct crs_set *set);
void set_count_pending(struct crs_set *set, int change); /* for placement.c */
void set_count_running(struct crs_set *set, int change);

/* The set is reconciled soon, or after a while. An earlier time replaces a later one. */
void set_enqueue(struct crs_set *set, int priority);
void set_enqueue_after(struct crs_set *set, duration after);

/*
 * Somebody changed the set or one of its resources. set_is_touched() holds until the placements
 * have been enqueued for it: those that wait after a failure are tried at once.
 * set_was_touched_lately() holds for some seconds, in which caches of other kinds catch up.
 */
void set_touch(struct crs_set *set);
bool set_is_touched(const struct crs_set *set);
void set_end_touch(struct crs_set *set);
bool set_was_touched_lately(const struct crs_set *set);

/*
 * When the status is written. It follows once all placements are done, or some seconds after the
 * first news if some take longer. News stay due until a status was written: by the time the set is
 * reconciled, placements may be pending once more.
 *
 * set_note_news() is called for each placement with something new to say, and enqueues the set.
 * set_status_is_due() decides in the reconcile of the set whether to write; if it is too early, it
 * enqueues the set again. set_retry_status() is for a write that failed.
 */
void set_note_news(struct crs_set *set);
bool set_has_news(const struct crs_set *set); /* that no status has reported yet */
bool set_status_is_due(struct crs_set *set);
void set_retry_status(struct crs_set *set);

/*
 * Whether the last status told of problems of the set itself, such as an owner reference that could
 * not be written. That they begin or end is news that no placement brings.
 */
bool set_tells_own_problems(const struct crs_set *set);
void set_put_own_problems(struct crs_set *set, bool has_problems);

/*
 * How long a status has to wait: 0 for now, FOREVER until the last placement is done. due is the
 * time from which on news are reported though placements are pending; 0: there are no news. Pure.
 */
duration set_status_wait(size_t pending, int64_t due, int64_t now);
