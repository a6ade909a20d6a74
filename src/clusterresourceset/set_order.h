/*
 * Order between sets, as the controllers keep it: what order.h decides by, and who is woken when.
 *
 * A placement that waits makes no request and has no timer. It is enqueued again when something
 * happens that may end the wait:
 *
 *   event                                      wakes
 *   a binding is written                       the placements on its cluster that wait
 *   a named set comes, goes or is deleted      the placements of those that name it, if they wait
 *   a named set has a new plan, or is looked   the same
 *   at after a change, paused or opened
 *   the annotation of a set changes            the set, and all that follow it: cycles
 *   a Cluster changes, or gets a connection    its placements, as ever (watches.h)
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/str.h"
#include "controller/controller.h"

struct crs_controllers;
struct crs_set;

/* For the cache of sets, whatever the watch filter says. data is the struct crs_controllers. */
controller_map_fn set_order_map;

/* Why nothing of the set may be applied: a cycle, or names that are none. Empty: it may. */
struct str set_order_refusal(struct crs_set *set, struct arena *arena);

/* What a placement waits for. */
struct set_order_wait {
    struct str text;
    bool is_unknown; /* it is not certain yet: a named set has not been looked at */
};

/* Whether the placement of the set on the cluster has to wait. Does not suspend. */
bool set_order_waits(struct crs_set *set, struct key cluster, struct arena *arena,
                     struct set_order_wait *ret_wait);

/* See the table above. */
void set_order_wake_cluster(struct crs_controllers *controllers, struct key cluster);
void set_order_wake_dependents(const struct crs_set *set);
