/*
 * The transition table of the ClusterCache: what a reconcile does next. Decisions without effects.
 *
 * clustercache_reconcile() observes facts, asks transition_next() for the row that fits, and acts
 * on it. A row has one action. Rows with TRANSITION_AGAIN are followed by another observation in
 * the same reconcile; the action of such a row always makes a fact that keeps the row from fitting
 * once more.
 *
 * docs/clustercache.md, "What a reconcile does", has the same rows in the same order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * What a reconcile observes. Facts about the accessor are observed only if the Cluster passes the
 * filter, and facts about its connection only if the infrastructure is provisioned as well.
 */
enum transition_fact {
    /* The Cluster object. */
    TRANSITION_UNREADABLE = 1 << 0,   /* could not be read */
    TRANSITION_ABSENT = 1 << 1,       /* does not exist */
    TRANSITION_FILTERED_OUT = 1 << 2, /* by options.filter */
    TRANSITION_PROVISIONED = 1 << 3,  /* status.initialization.infrastructureProvisioned */

    /* The accessor. */
    TRANSITION_NO_ACCESSOR = 1 << 4,
    TRANSITION_OTHER_UID = 1 << 5, /* the accessor is that of another Cluster of the same name */
    TRANSITION_CONNECTED = 1 << 6,
    TRANSITION_CONNECTING = 1 << 7, /* for the first time, or beside the connection */
    TRANSITION_PROBING = 1 << 8,

    /* What the operation came to that ended last; at most one, and seen by one reconcile only. */
    TRANSITION_CONNECT_FAILED = 1 << 9,
    TRANSITION_PROBE_SUCCEEDED = 1 << 10,
    TRANSITION_PROBE_FAILED = 1 << 11, /* and the connection stays */
    TRANSITION_TOO_MANY_FAILURES = 1 << 12,
    TRANSITION_UNAUTHORIZED = 1 << 13,

    /* Intervals that have not passed yet. */
    TRANSITION_RETRY_WAITS = 1 << 14,  /* accessor->retry, since the last connect that failed */
    TRANSITION_PROBE_WAITS = 1 << 15,  /* since the last probe */
    TRANSITION_CHANGE_WAITS = 1 << 16, /* since changed credentials failed */
    TRANSITION_CHANGE_FIRST = 1 << 17, /* they are due again before the next probe */

    TRANSITION_CHANGED = 1 << 18, /* the Secret has another kubeconfig than the connection */
    /* Since the last attempt to connect a kubeconfig has come or changed, or the control plane was
     * initialized. Observed only without a connection. */
    TRANSITION_NEWS = 1 << 19,

    TRANSITION_FACTS = 1 << 20, /* one more than the set of all facts */
};

enum transition_action {
    TRANSITION_NOTHING,
    TRANSITION_FORGET,  /* disconnect; forget accessor, metric series and last events */
    TRANSITION_CREATE,  /* an accessor without a connection */
    TRANSITION_CONNECT, /* on a fiber; beside the connection if there is one */
    TRANSITION_PROBE,   /* on a fiber */
};

/* When the key is reconciled again. */
enum transition_next {
    TRANSITION_WITH_EVENT, /* with the next event of the Cluster */
    TRANSITION_AGAIN,      /* now: the same reconcile observes again */
    TRANSITION_WHEN_ENDED, /* the operation that runs queues the key when it ends */
    TRANSITION_FALLBACK,   /* after timing.fallback */

    /* After these delays, with jitter. Sources are told before. */
    TRANSITION_AT_ONCE,        /* timing.unauthorized */
    TRANSITION_RETRY,          /* timing.retry */
    TRANSITION_REST_OF_RETRY,  /* what is left of accessor->retry since the last connect that failed
                                */
    TRANSITION_REST_OF_CHANGE, /* what is left of timing.retry since changed credentials failed */
    TRANSITION_REST_OF_PROBE,  /* what is left of timing.probe */
};

struct transition {
    const char *observed;  /* in the words of docs/clustercache.md */
    uint32_t needs, lacks; /* sets of facts: all of these, none of those */
    enum transition_action action;
    enum transition_next next;

    /* What is logged. At most one of the three is set. */
    const char *message; /* at this level, before the action */
    int level;
    const char *because;  /* "Requeuing after 30s (…)" */
    const char *recently; /* "Requeuing after 5s as … within the last 30s" */
};

/* The first row that fits a set of facts. There is one for every set. */
const struct transition *transition_next(uint32_t facts);

/* The table itself, for its test. */
const struct transition *transition_rows(size_t *ret_count);
