/*
 * Keys that wait to be reconciled.
 *
 * One worker holds a key at a time. Adding a key that waits merges: the earlier time and the higher
 * priority count. Adding a key that is held makes it wait again once its worker is done. Order: the
 * higher priority first, then whoever became ready first. All calls are made on the loop's thread.
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
    QUEUE_LOW = -100, /* initial lists and resyncs: new work goes first */
};

struct queue_options {
    struct str name;         /* label of its metrics */
    struct metrics *metrics; /* NULL: none */
    duration backoff_first;  /* 0 means 5 ms */
    duration backoff_most;   /* 0 means 1000 s */
    double rate;             /* failures per second over all keys; 0 means 10, below 0 no limit */
    size_t burst;            /* 0 means 100 */

    /* Between two starts of a key that queue_add() asks for, and added to every back-off; 0: none.
     * A delay that was asked for is kept as asked. */
    duration spacing;
};

struct queue *queue_new(struct loop *loop, const struct queue_options *options);
void queue_free(struct queue *queue);
DEFINE_OWNED(queue)

void queue_add(struct queue *queue, struct key key, int priority);
void queue_add_after(struct queue *queue, struct key key, duration after, int priority);

/* After its failures' back-off, which grows with each; queue_forget() begins anew. */
void queue_add_failed(struct queue *queue, struct key key, int priority);
void queue_forget(struct queue *queue, struct key key);

/* A key that is held: borrowed until queue_done(). */
struct queue_item {
    struct key key;
    int priority;
};

/* Suspends until a key is ready. */
MUST_USE struct error *queue_take(struct queue *queue, struct queue_item *ret_item);
void queue_done(struct queue *queue, const struct queue_item *item);

/* The number of keys that could be taken now. */
size_t queue_ready(const struct queue *queue);
