/*
 * A placement: one set on one cluster, the unit of work of the second controller.
 *
 * A placement is made when the set selects the cluster and dropped when it no longer does. It
 * remembers what the last reconcile found out: by which plan, with which version of the binding,
 * and what was wrong. All of it may be lost; a new process finds it out again.
 *
 * A placement is pending from the moment its set wants it reconciled until a reconcile by the set's
 * current plan is over. The status of the set waits for pending placements.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "async/scope.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/fault.h"
#include "controller/queue.h"

struct crs_set;
struct placement;
struct placement_drift;
struct placement_health;
struct placement_turn;
struct placement_values;
struct plan;

/* By the name of the cluster. placement_open() makes the placement if there is none. */
struct placement *placement_find(struct crs_set *set, struct str cluster);
struct placement *placement_open(struct crs_set *set, struct str cluster);

/*
 * Takes the placement out of its set and cancels what it does on the cluster. It is freed here, or
 * by placement_end() if a reconcile of it is running.
 */
void placement_drop(struct placement *placement);
bool placement_is_dropped(const struct placement *placement);
void placement_free(struct placement *placement); /* for the set, which frees all of them */

struct crs_set *placement_set(const struct placement *placement);
struct str placement_cluster(const struct placement *placement);

/* The key in the queue of placements, "set/cluster" in the namespace of both; and back. */
void placement_enqueue(struct crs_set *set, struct str cluster, int priority);
void placement_enqueue_after(struct crs_set *set, struct str cluster, duration after, int priority);
bool placement_split_key(struct str name, struct str *ret_set, struct str *ret_cluster);

/* Turns in the queue go round namespaces, then sets; a cluster is the target of its placements. */
struct queue_parties placement_parties(struct key key);

/* The key of no set, "/cluster": is the cluster the one that its binding is about? */
void placement_enqueue_identity(struct queue *queue, struct key cluster, int priority);

bool placement_is_pending(const struct placement *placement);
void placement_set_pending(struct placement *placement, bool is_pending);

/*
 * A reconcile of the placement begins and ends; there is at most one at a time. Returns false if
 * the placement was dropped meanwhile: then it is gone.
 */
void placement_begin(struct placement *placement);
bool placement_end(struct placement *placement);

/*
 * The scope that placement_cancel() cancels, while there is one: talking to the cluster ends when
 * the set or the cluster goes, writing the binding does not.
 */
void placement_set_scope(struct placement *placement, struct scope *scope);
void placement_cancel(struct placement *placement);

/* The set is closed: cancels the placement and forgets by which plan it was reconciled. */
void placement_stop(struct placement *placement);

/* What the last reconcile found. placement_set_fault() returns false if the fault is the same. */
const struct fault *placement_fault(const struct placement *placement);
bool placement_set_fault(struct placement *placement, const struct fault *fault);

/*
 * Remembers which failures there are, by failures_digest(). Returns false if they are the same as
 * before, so that the log has them already.
 */
bool placement_set_failures(struct placement *placement, uint32_t digest);

/*
 * The same for what a person should know of objects that were applied; 0: nothing. A reconcile
 * without anything to tell does not make what was told before news again.
 */
bool placement_set_notices(struct placement *placement, uint32_t digest);

/* What is known of drift there; made by the first call. */
struct placement_drift *placement_drift(struct placement *placement);
bool placement_has_drift(const struct placement *placement);

/* The same of health. placement_drop_health() forgets it. */
struct placement_health *placement_health(struct placement *placement);
bool placement_has_health(const struct placement *placement);
void placement_drop_health(struct placement *placement);

/* The values of the Cluster that are in objects there; NULL: not known, or none are. Taken. */
const struct placement_values *placement_values(const struct placement *placement);
void placement_set_values(struct placement *placement, struct placement_values *values);

/* The same of its turn in a rollout. */
struct placement_turn *placement_turn(struct placement *placement);
bool placement_has_turn(const struct placement *placement);

/*
 * The plan that the cluster is looked after by: that of the set or, while it waits for its turn in
 * a rollout, the plan by which everything was applied to it before, if that is known.
 */
struct plan *placement_plan(const struct placement *placement);

/* Whether a reconcile by this plan is over, whatever came of it. */
bool placement_is_reconciled(const struct placement *placement, const struct plan *plan);
void placement_set_reconciled(struct placement *placement, const struct plan *plan);

/* The resourceVersion at which the binding met the plan; empty if it did not. */
struct str placement_good_version(const struct placement *placement);
void placement_set_good_version(struct placement *placement, struct str version);
