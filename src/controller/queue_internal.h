/*
 * The inside of a queue: its entries and the heaps they wait in. Private to this folder; tests read
 * it.
 *
 * A key has at most one entry. An entry exists as long as its key waits or is held, has failures,
 * or was started less than options.spacing ago.
 */
#pragma once

#include "async/event.h"
#include "async/timer.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "controller/queue.h"
#include "controller/queue_heap.h"
#include "controller/queue_metrics.h"
#include "controller/queue_turns.h"

enum queue_entry_state {
    QUEUE_ENTRY_IDLE,    /* in no heap; remembered only for its failures */
    QUEUE_ENTRY_READY,   /* in queue.ready */
    QUEUE_ENTRY_DELAYED, /* in queue.later; becomes READY when its time has come */
    QUEUE_ENTRY_COOLING, /* in queue.later; removed when options.spacing since its start is over */
    QUEUE_ENTRY_HELD,    /* a worker has it */
};

struct queue_entry {
    struct queue_heap_node node; /* in queue.later */
    struct queue_turn turn;      /* in queue.ready, and while it is HELD */
    enum queue_entry_state state;
    int priority;
    size_t failures;
    int64_t started; /* when a worker last took it; 0: never, or long ago */
    int64_t since;   /* when it became READY */

    /* Of a HELD entry: the key was added again and waits once its worker is done. */
    bool wanted;
    int wanted_priority;
    int64_t wanted_at;

    struct list_link link; /* in queue.held */
    struct key key;        /* parts of text */
    size_t text_len;
    char text[]; /* "namespace/name", the key in queue.entries */
};

struct queue {
    struct loop *loop;
    struct queue_options options;
    struct queue_metrics metrics;
    struct map entries; /* "namespace/name" -> struct queue_entry */
    struct buf scratch; /* for the text of a key that is looked up */
    struct queue_turns ready;
    struct queue_heap later;
    struct list held;     /* in the order of their starts */
    struct event changed; /* a key is ready */
    struct timer timer;   /* for the first entry of later */

    /* The token bucket that all failures share. Below 0: tokens that are promised already. */
    double tokens;
    int64_t counted; /* when tokens was last brought up to date */
};
