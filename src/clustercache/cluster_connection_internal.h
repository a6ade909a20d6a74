/* A connection from the inside: for connect.c, probe.c and the accessor. */
#pragma once

#include "async/semaphore.h"
#include "base/list.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/rate_limit.h"
#include "clustercache/cluster_connection.h"

struct cluster_callers;
struct clustercache_config;
struct scope;
struct cluster_connection_caches;

struct cluster_connection {
    size_t references;
    struct clustercache_config *config;
    struct rest_config rest;
    struct key cluster; /* in rest.arena */
    struct client *client;
    struct discovery *discovery;
    struct cluster_connection_caches
        *caches;                     /* a reference; NULL before _begin_caches() or _take_over() */
    struct rate_limit probes;        /* of their own, so that no other request delays a probe */
    struct cluster_callers *callers; /* see cluster_callers.h; NULL: none came yet */
    struct str server_version;
    struct semaphore uid_turn; /* of the fiber that asks for the UID of the cluster */
    bool is_uid_known;
    struct str uid;        /* in rest.arena; empty: it may not be read */
    int64_t uid_failed_at; /* when it could not be read for the last time; 0: never */
    uint64_t uid_dials;    /* connections that had been made when the UID was read */
};

/* Moves rest into the connection and leaves it empty. There is no client before _open(). */
struct cluster_connection *cluster_connection_new(struct clustercache_config *config,
                                                  struct key cluster, struct rest_config *rest);

/* Makes client and discovery for the server in rest, and replaces those there were. */
void cluster_connection_open(struct cluster_connection *connection);

/* GET / within this time, retries included. Any status but 200 to 206 is an error. Suspends. */
MUST_USE struct error *cluster_connection_probe(struct cluster_connection *connection,
                                                duration timeout);

/*
 * Whether the cluster that answers now has another UID than the one that was read before. Asks only
 * if connections were made since; another server takes another connection. False if no UID was read
 * before. Suspends.
 */
MUST_USE struct error *cluster_connection_is_other_cluster(struct cluster_connection *connection,
                                                           bool *ret_is_other);

/* True if both reach the same server and trust the same certificate authorities. */
bool cluster_connection_is_same_server(const struct cluster_connection *a,
                                       const struct cluster_connection *b);

/* Gives the connection caches, and waits until every index of the options is synced. Suspends. */
MUST_USE struct error *cluster_connection_begin_caches(struct cluster_connection *connection);

/* The caches and watches of the old connection go on through the client of the new. Suspends. */
void cluster_connection_take_over(struct cluster_connection *connection,
                                  struct cluster_connection *old);

/* Stops the caches: no handler is called after this. A fiber in the scope frees them. */
void cluster_connection_end(struct cluster_connection *connection, struct scope *endings);
