/*
 * The condition RemoteConnectionProbe of Clusters, and Events about the loss and the return of a
 * connection.
 *
 * A controller over Cluster objects reports what the ClusterCache knows. Cluster API's own Cluster
 * controller does the same (setRemoteConnectionProbeCondition); the condition is written only where
 * that controller does not run, in its words, with the error of the last attempt behind them. The
 * Events are ours.
 *
 * The condition is written when its status changes, and for another error at most every five
 * minutes: a cluster that stays as it is costs no request.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/condition.h"
#include "base/arena.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"

struct cache;
struct client;
struct clustercache;
struct controller;
struct loop;
struct metrics;
struct recorder;
struct remote_connection_probe;

#define REMOTE_CONNECTION_PROBE STR("RemoteConnectionProbe")

struct remote_connection_probe_options {
    struct clustercache *clustercache;
    struct cache *clusters; /* the same as that of the ClusterCache */
    struct client *client;
    struct recorder *recorder; /* NULL: no events */
    struct metrics *metrics;
    bool owns_clusters; /* Cluster API does not write the condition: write it */
};

/* Adds itself to the sources of the ClusterCache, before its controller starts. */
struct remote_connection_probe *
remote_connection_probe_new(struct loop *loop,
                            const struct remote_connection_probe_options *options);
void remote_connection_probe_free(struct remote_connection_probe *probe); /* after its controller */
DEFINE_OWNED(remote_connection_probe)

/* For manager_add_controller(). Called once. */
struct controller *remote_connection_probe_take_controller(struct remote_connection_probe *probe);

/* True if a Cluster has the condition and it says that the connection was lost, or cannot be made.
 * One that is still being made is not lost. */
bool remote_connection_probe_says_lost(const struct condition *condition);

/* The error at the end of a message; the whole message if it has none. */
struct str remote_connection_probe_problem(struct str message);

/* The time of the last success that a message tells; empty if it tells none. */
struct str remote_connection_probe_last_success(struct str message);

/* What is known of the connection to a Cluster. */
struct remote_connection_probe_facts {
    bool is_connected, is_lost; /* neither: it is being made */
    bool has_failed;            /* an attempt to connect or a probe */
    timestamp last_success;     /* of this process; 0: none */
    struct str problem;         /* why it failed; may be empty */
};

/*
 * The condition that holds. Pure. current is that of the Cluster, or NULL. Returns false if the
 * Cluster has it already, or if nothing can be said yet. Texts are in the arena.
 */
bool remote_connection_probe_decide(const struct remote_connection_probe_facts *facts,
                                    const struct condition *current, struct arena *arena,
                                    struct condition *ret_condition);
