/*
 * The last events of a store: one queue over all resources, ordered by age, and one ring for each
 * resource, ordered by revision, in which watches find their position by binary search. Watches
 * hold no pointers into the history, so dropping an event costs the same however many watches there
 * are.
 */
#pragma once

#include "apiserver/storage/store_watch.h"

struct store_resource;
struct store_holds_over;

struct store_entry {
    struct store_entry *newer; /* the next entry, of any resource */
    struct store_resource *resource;
    struct store_event event;
    int64_t time;
};

/* The events of one resource in a ring that grows and shrinks. */
struct store_events {
    struct store_entry **entries;
    size_t first, count, capacity; /* the capacity is a power of 2 */
    int64_t dropped;               /* the newest revision that is not in it any more; 0 for none */
};

struct store_history {
    struct store_entry *oldest, *newest;
    size_t count, bytes;
    duration age;
    size_t events_min, bytes_max;
    struct store_holds_over *over; /* see store_hold.c; NULL: none yet */
};

void store_history_done(struct store_history *history);

/* Takes the references of the event. */
struct store_entry *store_history_add(struct store_history *history, struct store_entry entry);

/* Drops events that exceed the limits, but never the newest event. */
void store_history_trim(struct store_history *history, int64_t now);

/* Position of the first event after a revision; count when there is none. */
size_t store_events_after(const struct store_events *events, int64_t revision);

static inline struct store_entry *store_events_at(const struct store_events *events, size_t place)
{
    return events->entries[(events->first + place) & (events->capacity - 1)];
}
