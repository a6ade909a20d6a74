/*
 * The work queue of a controller: keys that wait to be reconciled, with priorities and back-off.
 *
 * At most one worker holds a key. Adding a key that waits merges both: the earlier time and the
 * higher priority win. Adding a key that is held makes it wait again once its worker is done. Keys
 * are taken by priority, and within a priority in the order in which they became ready. With
 * options.parties that holds for the keys of one group; tenants and their groups take turns, and
 * keys wait for their target (queue_turns.h). All calls are made on the thread of the loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct loop;
struct metrics;
struct queue;

enum queue_priority {
    QUEUE_NORMAL = 0,
    QUEUE_LOW = -100, /* initial lists and resyncs, so that changes go first */
};

/* Who a key belongs to: a tenant, a group of the tenant, and a target of the tenant; empty: none.
 */
struct queue_parties {
    struct str tenant, group, target;
};

/* Borrows from the key. Always the same for a key. */
typedef struct queue_parties queue_parties_fn(struct key key);

struct queue_options {
    struct str name;         /* the labels "name" and "controller" of its metrics */
    struct metrics *metrics; /* NULL: none */
    duration backoff_first;  /* 0 means 5 ms */
    duration backoff_max;    /* 0 means 1000 s */
    double rate;  /* retries of failures per second, all keys; 0: 10, below 0: no limit */
    size_t burst; /* 0 means 100 */

    /* The minimum time between two starts of a key that queue_add() adds. It is also added to each
     * back-off. queue_add_after() is not affected. 0: none. */
    duration spacing;

    queue_parties_fn *parties; /* NULL: all keys are of one tenant, and one group */
    size_t target_max;         /* keys of one target that are held at a time; 0: no limit */
    size_t workers; /* how many hold keys at a time, for the share of small tenants; 0: no share */
};

struct queue *queue_new(struct loop *loop, const struct queue_options *options);
void queue_free(struct queue *queue);
DEFINE_OWNED(queue)

void queue_add(struct queue *queue, struct key key, int priority);
void queue_add_after(struct queue *queue, struct key key, duration after, int priority);

/* Adds after a back-off that doubles with each failure of the key. queue_forget() resets it. */
void queue_add_failed(struct queue *queue, struct key key, int priority);
void queue_forget(struct queue *queue, struct key key);

/* A key that a worker holds. Texts are borrowed until queue_done(). */
struct queue_item {
    struct key key;
    int priority;
};

/* Suspends until a key is ready. */
MUST_USE struct error *queue_take(struct queue *queue, struct queue_item *ret_item);
/* The worker is done with the key. */
void queue_done(struct queue *queue, const struct queue_item *item);

/* The number of keys that are held for longer than so long, up to now. */
size_t queue_held_longer(const struct queue *queue, duration span);

/* Changes options.workers. */
void queue_set_workers(struct queue *queue, size_t workers);

/* The number of keys that wait for a worker. */
size_t queue_ready(const struct queue *queue);
