/*
 * A graph of nodes. Each node runs once, after all its blockers have succeeded. Nodes that do not
 * depend on each other run concurrently.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct client;
struct discovery;
struct graph;
struct graph_node;

enum graph_node_kind {
    GRAPH_MANAGED,  /* applied if necessary, then checked */
    GRAPH_EXTERNAL, /* only read and checked */
    GRAPH_CUSTOM,   /* a function */
};

enum graph_apply {
    GRAPH_SERVER_SIDE_APPLY,
    GRAPH_CREATE_ONLY,     /* what is there already is fine */
    GRAPH_CREATE_OR_MERGE, /* created, or changed by a merge patch */
};

enum graph_node_flags {
    GRAPH_NO_DECORATION = 1,    /* no labels, annotations and owner reference of ours */
    GRAPH_NO_CHECKSUMS = 2,     /* no checksums */
    GRAPH_OPTIONAL = 4,         /* an external object that is missing is no failure */
    GRAPH_ALLOW_DUPLICATE = 8,  /* a second node for one object, after the first */
    GRAPH_RETRY_REJECTED = 16,  /* what a server refuses for good is tried again all the same */
    GRAPH_WAIT_COMPLETION = 32, /* of a Job: running is not ready */
};

enum graph_readiness {
    GRAPH_READY,
    GRAPH_IN_PROGRESS,
    GRAPH_FAILED,
};

/* Judges the server's copy of an object. Reason and message are constants or live in the object. */
typedef enum graph_readiness graph_check_fn(void *data, const struct object *object,
                                            struct str *ret_reason, struct str *ret_message);

/* How the function of a node ended without an error. */
enum graph_outcome {
    GRAPH_DONE,
    GRAPH_SKIP, /* this node is fine; what depends on it does not run, without an error */
};

typedef struct error *graph_node_fn(void *data, struct graph_node *node,
                                    enum graph_outcome *ret_outcome);

/* Another cluster than the owner's. */
struct graph_cluster {
    struct client *client;
    struct discovery *discovery;
};

/*
 * Finds client and discovery of a node's cluster when the node is about to run. Both must outlive
 * the node. May suspend.
 */
typedef struct error *graph_reach_fn(void *data, struct graph_node *node,
                                     struct graph_cluster *ret_cluster);

/* Which field of a blocker tells whether the blocker has changed since the node was applied. */
enum graph_checksum {
    GRAPH_BY_VERSION, /* all of it: resourceVersion */
    GRAPH_BY_SPEC,    /* generation: its status does not matter */
};

/*
 * Replacement for the checksum annotations, for controllers that keep checksums elsewhere.
 * needs_apply decides whether to apply, given the server's copy; without a copy (NULL) the object
 * is applied whatever it returns. applied records that the object was applied.
 */
typedef bool graph_needs_apply_fn(void *data, struct graph_node *node, const struct object *live);
typedef struct error *graph_applied_fn(void *data, struct graph_node *node,
                                       const struct object *live);

struct graph_node_options {
    enum graph_node_kind kind;
    struct str cluster;    /* outlives the graph; empty: the management cluster */
    graph_reach_fn *reach; /* needed with a cluster */
    struct object *object; /* desired, or the identity of an external one; a reference is taken */
    graph_check_fn *check; /* NULL: by kind */
    enum graph_apply apply;
    graph_node_fn *run; /* of a custom node */
    unsigned flags;
    graph_needs_apply_fn *needs_apply; /* both or none: instead of annotations */
    graph_applied_fn *applied;
    void *data;
    struct graph_node *const *blockers; /* NULL entries are ignored */
    size_t blocker_count;
    const enum graph_checksum *checksums; /* of each blocker; NULL: GRAPH_BY_VERSION for all */
    struct graph_node *const *after;      /* whatever their outcome */
    size_t after_count;
};

/*
 * Adds a node. ERROR_INVALID leaves the graph unchanged: a blocker of another graph, a custom node
 * without a function, an object without a name, the same object twice, or a graph that is running.
 * A managed or external node without an object is no node: *ret_node is NULL. ret_node may be
 * NULL, and may point at a variable that is also a blocker.
 */
MUST_USE struct error *graph_add(struct graph *graph, const struct graph_node_options *options,
                                 struct graph_node **ret_node);

enum graph_state {
    GRAPH_NOT_RUN,
    GRAPH_SUCCEEDED,
    GRAPH_SKIPPED, /* because of a node it depends on */
    GRAPH_NODE_FAILED,
    GRAPH_CANCELED,
};

size_t graph_count(const struct graph *graph);
struct graph_node *graph_at(const struct graph *graph, size_t index); /* in the order of adding */
enum graph_state graph_node_state(const struct graph_node *node);

/* The error of a failed node. For a skipped node, the error of the blocker that failed, if any. */
const struct error *graph_node_error(const struct graph_node *node);

/* The newest copy that the server sent; NULL before the first read. */
struct object *graph_node_live(const struct graph_node *node);
