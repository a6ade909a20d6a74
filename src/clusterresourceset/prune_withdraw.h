/*
 * Takes a set away from one cluster: deletes all that is the set's there, then forgets the set in
 * the binding. For clusters that a set no longer selects and for sets that are being deleted
 * (prune_occasion.h), under the key of the placement: so it never runs beside an apply.
 *
 * It does not hold on to the state of the set, which may go while the cluster is asked: before
 * anything is deleted the set is looked up again.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"

struct crs_controllers;
struct crs_set;
struct delivery_policy;
struct reconcile_result;

/* Whether the cluster loses the set, so that nothing is applied there. */
bool prune_withdraw_takes(struct crs_set *set, struct key cluster);

/* Suspends. */
MUST_USE struct error *prune_withdraw_reconcile(struct crs_controllers *controllers,
                                                struct crs_set *set, struct key cluster,
                                                struct reconcile_result *ret_result);

/*
 * The policy that a set names; NULL: it names none, or there is none that can be read, and nothing
 * is deleted. An error may pass. Suspends.
 */
MUST_USE struct error *prune_withdraw_read_policy(const struct crs_set *set,
                                                  struct delivery_policy **ret_policy);

/* Whether clusterctl move deletes the set here: it goes on elsewhere. */
bool prune_withdraw_is_moved(const struct object *set);
