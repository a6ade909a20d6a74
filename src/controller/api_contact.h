/*
 * Whether the caches of a process follow their API server: two checks of /readyz, the metric
 * kubernetes_healthcheck and log lines about it.
 *
 *     informer-sync  the caches were filled, or the process is younger than 15 s
 *     api-server     no cache that was filled has been without its server for 60 s
 *
 * Both are bounds on what is normal: a start takes a moment, and servers restart.
 *
 * While the server cannot be reached, the pauses of caches grow to a minute. Instead of all of them
 * asking often, one small request is made every second or so; its answer ends their pauses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cache_set;
struct health;
struct loop;
struct metrics;

struct api_contact {
    struct loop *loop;
    struct cache_set *caches;
    int64_t started; /* the loop's time */
    bool has_synced; /* set by the owner: all caches were filled */
};

/*
 * Adds the checks to health, and their results to metrics, unless these are NULL. Both refer to
 * *contact from then on.
 */
void api_contact_init(struct api_contact *contact, struct loop *loop, struct cache_set *caches,
                      struct health *health, struct metrics *metrics);

/*
 * A fiber function; data is the struct api_contact. Logs an error as soon as a cache cannot follow
 * the server, again every minute, and when all of them follow it again. Runs until cancelled.
 */
struct error *api_contact_run(void *data);

/*
 * A fiber function; data is the struct api_contact. Asks the server while caches pause because it
 * cannot be reached. Runs until cancelled.
 */
struct error *api_contact_probe(void *data);
