/*
 * What is known about one cluster: its connection, if there is one, and how it has been doing.
 *
 * An accessor is made by the first reconcile that finds its Cluster and lives until the Cluster is
 * gone, is not cared for any more or is another one of the same name. Waits (connecting, probing)
 * run on fibers of its own scope; what they come to is put down here at once, and the reconcile
 * that they wake says what follows.
 *
 * The transitions of its health are pure: docs/clustercache.md has them as a table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/key.h"
#include "async/scope.h"
#include "base/duration.h"
#include "base/timestamp.h"
#include "clustercache/clustercache_metrics.h"
#include "clustercache/kubeconfig_secret.h"
#include "clustercache/requeue.h"

struct clustercache;
struct cluster_connection;

/* One moment on both clocks. */
struct accessor_moment {
    int64_t now;
    timestamp wall;
};

/* Times are REQUEUE_NEVER where there was none yet. */
struct accessor_health {
    int64_t last_connect_error; /* never cleared */
    int64_t last_probe;         /* attempts to connect count */
    int64_t last_success;
    timestamp last_probe_wall, last_success_wall;
    uint32_t failures; /* in a row */
};

void accessor_health_init(struct accessor_health *health);
void accessor_health_connected(struct accessor_health *health, struct accessor_moment moment);
void accessor_health_connect_failed(struct accessor_health *health, struct accessor_moment moment);

enum accessor_probe {
    ACCESSOR_PROBE_SUCCEEDED,
    ACCESSOR_PROBE_FAILED,
    ACCESSOR_PROBE_UNAUTHORIZED,
};

/* What a probe means for the connection. */
struct probe_consequence {
    bool too_many_failures, unauthorized;
};

struct probe_consequence accessor_health_probed(struct accessor_health *health,
                                                enum accessor_probe probe, uint32_t threshold,
                                                struct accessor_moment moment);

/* What came of an operation, for the reconcile that follows it. */
enum accessor_result {
    ACCESSOR_NO_RESULT,
    ACCESSOR_CONNECT_FAILED,
    ACCESSOR_PROBED,       /* and still connected */
    ACCESSOR_TOO_MANY,     /* disconnected: failures */
    ACCESSOR_UNAUTHORIZED, /* disconnected: 401 */
};

struct accessor {
    struct clustercache *cache;
    struct key key; /* in text, "namespace/name" */
    char *text;
    char *uid; /* of the Cluster */
    struct accessor_health health;
    struct cluster_connection *connection; /* NULL: not connected */
    struct clustercache_series series;

    struct scope operations;
    bool is_connecting, is_probing;
    bool is_gone;      /* not in the map any more: operations that still run change nothing */
    int64_t probe_due; /* the next one */
    bool is_slow;      /* its last attempt to connect took long */
    enum accessor_result result;
    bool did_connect, did_disconnect; /* sources have not been told yet */

    struct kubeconfig_secret_mark secret; /* the connection was made with */
    int64_t last_change_error;            /* changed credentials were of no use */

    char *private_key;    /* PEM, or NULL */
    int64_t *last_events; /* told to sources, by their numbers */
    size_t last_event_count;
};

struct accessor *accessor_new(struct clustercache *cache, struct key key, struct str uid);

/* No operation runs. The connection's reference is given back. */
void accessor_free(struct accessor *accessor);
DEFINE_OWNED(accessor)

struct accessor_moment accessor_now(const struct accessor *accessor);

/* When the source of this number was last told; REQUEUE_NEVER at first. May be changed. */
int64_t *accessor_last_event(struct accessor *accessor, size_t source);

/* Ends the connection, if there is one: its caches stop, requests that run go on. */
void accessor_disconnect(struct accessor *accessor);

/*
 * probe.c, connect.c: operations on a fiber of their own. At most one of each runs. When it has
 * ended, the key is queued.
 */
void accessor_start_probe(struct accessor *accessor);
void accessor_start_connect(struct accessor *accessor);
