/* Whom to tell about a cluster, and when. The rule is pure; telling is adding keys to a queue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/list.h"
#include "clustercache/clustercache.h"

struct accessor;

/* A registered source: a copy of what was given. */
struct cluster_source {
    struct list_link link;
    size_t number;
    struct clustercache_source source; /* name and durations are its own */
};

struct cluster_source *cluster_source_new(const struct clustercache_source *source, size_t number);
void cluster_source_free(struct cluster_source *source);

/* What a reconcile knows. */
struct cluster_source_facts {
    bool did_connect, did_disconnect;
    int64_t last_success, last_event; /* REQUEUE_NEVER where there was none */
    int64_t now;
};

/* Is the source to be told? Appends why: "connect, health probe didn't succeed since …". */
bool cluster_source_is_due(const struct cluster_source_facts *facts, const duration *durations,
                           size_t count, struct buf *reasons);

/* Tells every source of the cache that is due, once. */
void cluster_source_tell_all(struct accessor *accessor, const struct object *cluster);
