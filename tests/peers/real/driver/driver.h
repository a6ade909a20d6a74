/*
 * A ClusterCache that does what it is told: what scenarios on real servers use to see its own
 * interface, which no metric, log or audit log shows.
 *
 *     driver kubeconfig=FILE namespace=NS [index=on] [uncached=KIND] [sources=N] [outage=SPAN]
 *            [probe=SPAN] [retry=SPAN] [concurrency=N]
 *
 * Reads commands from standard input, a line each, and answers each with one line: "ok …" or
 * "error CODE …". The first line it writes is "ready". Ends with its input. The commands are the
 * table in commands.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/list.h"
#include "clustercache/clustercache.h"

struct cache_set;
struct client;
struct metrics;

#define DRIVER_SOURCES_MAX ((size_t)8)
#define DRIVER_INDEX       STR("spec.providerID")
#define DRIVER_AGENT       STR("corset-driver/1")

struct driver_settings {
    struct str kubeconfig, namespace;
    struct gvk uncached; /* no kind: none */
    bool has_index;
    uint64_t sources, concurrency;
    duration outage; /* that sources want to hear of; 0: none */
    struct clustercache_timing timing;
};

struct driver {
    struct driver_settings settings;
    struct metrics *metrics;
    struct cache_set *caches;
    struct clustercache *cache;
    struct queue *told_queue; /* of nobody: what sources are told ends here */
    size_t told[DRIVER_SOURCES_MAX];
    bool is_filtered_out; /* every Cluster */
    struct list watches;  /* by name, with what they have told */
};

/* commands.c. Suspends. Appends what follows "ok ". */
MUST_USE struct error *driver_command(struct driver *driver, struct str line, struct buf *answer);
void driver_forget_watches(struct driver *driver);

/*
 * load.c: a hundred consumers ask for a client of a random cluster of c0, c1, … every 10 ms, for
 * this long. Every fifth cluster is sick. ERROR_INTERNAL when one of them saw what CC-54 or CC-55
 * forbid. Suspends.
 */
MUST_USE struct error *driver_load(struct driver *driver, duration span, size_t clusters,
                                   struct buf *answer);

/* "nodes.v1." and "deployments.v1.apps": resource, version and group; and the same of a kind. */
struct gvr driver_read_resource(struct str text);
struct gvk driver_read_kind(struct str text);
