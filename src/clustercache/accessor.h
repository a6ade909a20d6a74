/*
 * The state of one cluster: its connection, if there is one, and the health of that connection. The
 * clusterAccessor of Cluster API.
 *
 * The first reconcile that finds a Cluster creates its accessor. The accessor lives until the
 * Cluster is deleted, is filtered out, or is replaced by another Cluster of the same name.
 *
 * Connecting and probing are operations: they suspend, so they run on fibers in the scope of the
 * accessor. An operation that ends writes its result into the accessor and queues the key. The
 * reconcile that follows decides what to do next (transition.h).
 *
 * The accessor_health functions are pure. docs/clustercache.md, "What a reconcile does", has their
 * effects as a table.
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

/* One moment on both clocks: the monotonic one of the loop, and the wall clock for people. */
struct accessor_moment {
    int64_t now;
    timestamp wall;
};

/* Times are REQUEUE_NEVER as long as the event has not happened. */
struct accessor_health {
    int64_t last_connect_error; /* never cleared */
    int64_t last_probe;         /* attempts to connect count as probes */
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

/* What a probe means for the connection: any of the two ends it. */
struct probe_consequence {
    bool too_many_failures, unauthorized;
};

struct probe_consequence accessor_health_probed(struct accessor_health *health,
                                                enum accessor_probe probe, uint32_t threshold,
                                                struct accessor_moment moment);

/*
 * For an accessor without a connection: true if the cluster counts as lost, false if it is still
 * being connected to. Lost is one that does not come back at the first attempt, and one that was
 * never connected after as many failures as end a connection.
 */
bool accessor_health_is_lost(const struct accessor_health *health, uint32_t threshold);

/* The result of an operation, for the reconcile that follows it. */
enum accessor_result {
    ACCESSOR_NO_RESULT,
    ACCESSOR_CONNECT_FAILED,
    ACCESSOR_PROBED,       /* the connection stays, whatever the probe found */
    ACCESSOR_TOO_MANY,     /* disconnected: failures */
    ACCESSOR_UNAUTHORIZED, /* disconnected: 401 */
};

/* What people know of the connection, see remote_connection_probe.h. */
enum accessor_told {
    ACCESSOR_TOLD_NOTHING,
    ACCESSOR_TOLD_CONNECTED,
    ACCESSOR_TOLD_LOST,
};

struct accessor {
    struct clustercache *cache;
    struct key key; /* points into text */
    char *text;     /* "namespace/name" */
    char *uid;      /* of the Cluster */
    struct accessor_health health;
    struct cluster_connection *connection; /* NULL: not connected */
    struct clustercache_series series;

    struct scope operations;
    bool is_connecting, is_probing;
    bool is_gone;      /* forgotten by the cache: operations that still run must change nothing */
    int64_t probe_due; /* when the next probe should start */
    bool is_known;     /* it was connected once; connects before those that were not */
    bool is_slow;      /* the last attempt to connect outlasted its permit and failed: connect.c */
    enum accessor_result result;
    bool did_connect, did_disconnect; /* and the sources have not been told yet */

    struct kubeconfig_secret_mark secret; /* of the connection, or of the last attempt without */
    int64_t last_change_error;            /* when connecting with a changed kubeconfig failed */

    timestamp provisioned; /* when the infrastructure became so, as far as known; 0: not yet */
    bool was_waiting;      /* it was seen before the infrastructure was provisioned */
    bool was_initialized;  /* the control plane, when the last attempt to connect began */
    uint32_t attempts;     /* to connect that failed since there was news of the cluster */
    duration retry;        /* what must pass after the last of them */

    char *problem;           /* why the last attempt to connect or probe failed; NULL: it did not */
    enum accessor_told told; /* what the last Event about the connection said */
    int64_t reported;        /* when the condition of the Cluster was last written */

    char *private_key;    /* PEM, or NULL */
    int64_t *last_events; /* when each source was last told, by its number */
    size_t last_event_count;
};

struct accessor *accessor_new(struct clustercache *cache, struct key key, struct str uid);

/* Waits for operations that still run, so it may suspend. Gives the connection's reference back. */
void accessor_free(struct accessor *accessor);
DEFINE_OWNED(accessor)

struct accessor_moment accessor_now(const struct accessor *accessor);

/* When this source was last told; REQUEUE_NEVER at first. The caller may write to it. */
int64_t *accessor_last_event(struct accessor *accessor, size_t source);

/*
 * Keeps why an attempt to connect or a probe failed, without the steps of connecting in front:
 * "connect to 10.0.0.7:6443: Connection refused". NULL: it succeeded.
 */
void accessor_set_problem(struct accessor *accessor, const struct error *err);

/* Ends the connection, if there is one: its caches stop, requests under way go on. */
void accessor_disconnect(struct accessor *accessor);

/*
 * Start an operation on a fiber (probe.c, connect.c). At most one probe and one connect may run for
 * an accessor. The operation queues the key of the accessor when it ends.
 */
void accessor_start_probe(struct accessor *accessor);
void accessor_start_connect(struct accessor *accessor);

/*
 * For a new cluster whose address refused the last attempt: looks until the next one whether
 * somebody listens there, and lets that follow at once (knock.c).
 */
void accessor_start_knock(struct accessor *accessor);
