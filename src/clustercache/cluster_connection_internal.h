/* A connection as those see it who make, probe and end it. */
#pragma once

#include "base/list.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/rate_limit.h"
#include "clustercache/cluster_connection.h"

struct clustercache_config;
struct scope;
struct cluster_connection_caches;

struct cluster_connection {
    size_t references;
    struct clustercache_config *config;
    struct rest_config rest;
    struct key cluster; /* in the arena of rest */
    struct client *client;
    struct discovery *discovery;
    struct cluster_connection_caches *caches; /* a reference; NULL until it is given some */
    struct rate_limit probes;                 /* no other request stands in a probe's way */
    struct str server_version;
};

/* Takes what is in rest and leaves it empty. The client is made by cluster_connection_open(). */
struct cluster_connection *cluster_connection_new(struct clustercache_config *config,
                                                  struct key cluster, struct rest_config *rest);

/* Client and kinds of the server that the rest_config names now; replaces those there were. */
void cluster_connection_open(struct cluster_connection *connection);

/* Suspends. GET / within this time, repetitions included; any status but 200 to 206 is an error. */
MUST_USE struct error *cluster_connection_probe(struct cluster_connection *connection,
                                                duration timeout);

/* Do both reach the same server, and trust the same authorities about it? */
bool cluster_connection_is_same_server(const struct cluster_connection *a,
                                       const struct cluster_connection *b);

/* Caches of its own, and every index that was asked for, synced. Suspends. */
MUST_USE struct error *cluster_connection_begin_caches(struct cluster_connection *connection);

/* The caches and watches of old go on through this one's client. Suspends at the end of it. */
void cluster_connection_take_over(struct cluster_connection *connection,
                                  struct cluster_connection *old);

/* Its caches stop: no handler is called any more. A fiber of the scope tidies up. */
void cluster_connection_end(struct cluster_connection *connection, struct scope *endings);
