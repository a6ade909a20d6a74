/*
 * Cluster sources: controllers that are told of connects, disconnects and probe failures.
 *
 * Whether a source is due is a pure function. Telling it means calling its map function, which adds
 * keys to the queue of that controller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/list.h"
#include "clustercache/clustercache.h"

struct accessor;

/* A registered source: a copy of the caller's. */
struct cluster_source {
    struct list_link link;
    size_t number;
    struct clustercache_source source; /* name and durations are copies */
};

struct cluster_source *cluster_source_new(const struct clustercache_source *source, size_t number);
void cluster_source_free(struct cluster_source *source);

/* What the decision depends on. */
struct cluster_source_facts {
    bool did_connect, did_disconnect;
    int64_t last_success, last_event; /* REQUEUE_NEVER: not yet */
    int64_t now;
};

/* True if the source is due; appends why: "connect, health probe didn't succeed since …". */
bool cluster_source_is_due(const struct cluster_source_facts *facts, const duration *durations,
                           size_t count, struct buf *reasons);

/* Tells every source of the cache that is due, and clears did_connect and did_disconnect. */
void cluster_source_tell_all(struct accessor *accessor, const struct object *cluster);
