/*
 * Whose turn it is: the keys of a queue that are ready, in the order in which workers take them.
 *
 * Every key belongs to a tenant (a namespace) and, within the tenant, to a group (a set), and may
 * have a target (a cluster). Turns go round the tenants that have keys, one key each. Within a
 * tenant the highest priority goes first, then turns go round the groups; within a group keys go in
 * the order in which they were added. One tenant with a single group is therefore a plain queue
 * with priorities.
 *
 * At most target_max keys of a target are held at a time. A key whose turn comes while its target
 * is busy is set aside; it has had its turn, and is the first of its tenant once the target is
 * free.
 *
 * A sixteenth of the workers is kept for tenants that hold few of them: no tenant, with however
 * many keys that take however long, leaves another one without a worker.
 *
 * Nothing here suspends or knows the time. Zero is empty, without any limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "base/map.h"
#include "controller/queue.h"
#include "controller/queue_heap.h"

struct queue_group;
struct queue_target;
struct queue_tenant;

/* A member of the entry of a key. Zero: in no line. */
struct queue_turn {
    struct queue_heap_node node;
    struct list_link link; /* of those that have a place at their target */
    int priority;
    bool is_aside; /* waits for its target, in queue_target.aside */
    struct queue_tenant *tenant;
    struct queue_group *group; /* NULL once it has had its turn */
    struct queue_target *target;
};

struct queue_turns {
    size_t workers, target_max; /* options; 0: no limit */
    struct map tenants;         /* name -> struct queue_tenant */
    struct list round;          /* tenants that have keys to take, the next one first */
    size_t waiting, aside;      /* keys that wait; those of them that wait for their target */
    size_t held;
};

void queue_turns_init(struct queue_turns *turns, size_t workers, size_t target_max);
void queue_turns_done(struct queue_turns *turns); /* whatever is in it */

/*
 * How many workers there must be for one tenant to hold so many keys, beside the workers that are
 * kept for others.
 */
size_t queue_turns_workers_for(size_t tenant_max);

/* The key is ready. */
void queue_turns_add(struct queue_turns *turns, struct queue_turn *turn,
                     struct queue_parties parties, int priority);

/* Gives a key that waits another priority, behind all others of that priority in its group. */
void queue_turns_raise(struct queue_turn *turn, int priority);

/* The next key, which is held from now on; NULL if there is none that may be taken now. */
struct queue_turn *queue_turns_take(struct queue_turns *turns);

/* The key is no longer held. */
void queue_turns_end(struct queue_turns *turns, struct queue_turn *turn);

/* The number of keys that wait for a worker, and not for their target. */
size_t queue_turns_ready(const struct queue_turns *turns);
