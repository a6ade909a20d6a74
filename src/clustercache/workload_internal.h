/* A connection as those see it who make, probe and end it. */
#pragma once

#include "base/list.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/rate_limit.h"
#include "clustercache/workload.h"

struct clustercache_config;
struct scope;
struct workload_caches;

struct workload {
    size_t references;
    struct clustercache_config *config;
    struct rest_config rest;
    struct key cluster; /* in the arena of rest */
    struct client *client;
    struct discovery *discovery;
    struct workload_caches *caches; /* a reference; NULL until it is given some */
    struct rate_limit probes;       /* no other request stands in a probe's way */
    struct str server_version;
};

/* Takes what is in rest and leaves it empty. The client is made by workload_open(). */
struct workload *workload_new(struct clustercache_config *config, struct key cluster,
                              struct rest_config *rest);

/* Client and kinds of the server that the rest_config names now; replaces those there were. */
void workload_open(struct workload *workload);

/* Suspends. GET / within this time, repetitions included; any status but 200 to 206 is an error. */
MUST_USE struct error *workload_probe(struct workload *workload, duration timeout);

/* Do both reach the same server, and trust the same authorities about it? */
bool workload_is_same_server(const struct workload *a, const struct workload *b);

/* Caches of its own, and every index that was asked for, synced. Suspends. */
MUST_USE struct error *workload_begin_caches(struct workload *workload);

/* The caches and watches of old go on through this one's client. Suspends at the end of it. */
void workload_take_over(struct workload *workload, struct workload *old);

/* Its caches stop: no handler is called any more. A fiber of the scope tidies up. */
void workload_end(struct workload *workload, struct scope *endings);
