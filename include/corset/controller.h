/*
 * Controllers as graphs: a controller describes the objects that an owner wants as nodes that
 * depend on each other.
 *
 * A controller is responsible for the objects of one kind, the owners. When an owner changes, or an
 * object that leads to it, the library starts a run for this owner:
 *
 *  1. It reads the owner. An owner that is being deleted goes to on_delete if the controller has a
 *     finalizer. Otherwise the garbage collector deletes it together with all objects it owns.
 *  2. It records the generation in status.observedGeneration and sets InProgress.
 *  3. It calls build, which adds nodes to a graph: the objects that should exist.
 *  4. It runs the graph. The object of a managed node is applied if it is missing, or if the spec
 *     of the owner or a blocker has changed since it was applied. Then it is checked for being
 *     ready. A node whose blockers did not succeed does not run; nodes that do not depend on each
 *     other run concurrently. Nothing waits: an object that is not ready yet ends the run, and the
 *     watch on it starts the next one.
 *  5. It calls on_finish, which may add conditions, and writes InProgress and Failed.
 *
 * In a steady state a run writes nothing, and if all kinds it uses are watched, it sends no request
 * to the server.
 *
 *     InProgress   Failed     the owner
 *     True         not True   is being reconciled
 *     True         True       is not in the wanted state; the library tries again
 *     not True     True       is stuck until its spec or an object it depends on changes
 *     not True     not True   is ready
 *
 * The CustomResourceDefinition of the owners needs the subresource status.
 */
#ifndef CORSET_CONTROLLER_H
#define CORSET_CONTROLLER_H

#include <corset/error.h>
#include <corset/export.h>
#include <corset/object.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_cluster_source;
struct corset_cluster_watch;
struct corset_graph;
struct corset_keys;
struct corset_run;
struct corset_node;

/* ---- The run: one processing of one owner. ---- */

/* The owner as it was read. */
CORSET_EXPORT const struct corset_object *corset_run_owner(struct corset_run *run);

/* The data of the controller's description. */
CORSET_EXPORT void *corset_run_data(struct corset_run *run);

/* The name for a derived object: "<owner>-<controller>", and "-<suffix>" unless that is NULL. */
CORSET_EXPORT const char *corset_run_name(struct corset_run *run, const char *suffix);

/* Text that lives as long as the run. */
CORSET_EXPORT const char *corset_run_print(struct corset_run *run, const char *format, ...)
    CORSET_PRINTF_LIKE(2, 3);

/* Zeroed memory that lives as long as the run. Never NULL. */
CORSET_EXPORT void *corset_run_alloc(struct corset_run *run, size_t size);

/*
 * For on_finish: the error that the status will report; NULL means success. It lives until
 * on_finish returns.
 */
CORSET_EXPORT const struct corset_error *corset_run_error(struct corset_run *run);

/*
 * Adds a condition to the owner's status, to be written together with the others. For on_finish,
 * and for a precheck that stops. Reason and message may be NULL.
 */
CORSET_EXPORT void corset_run_set_condition(struct corset_run *run, const char *type,
                                            const char *status, const char *reason,
                                            const char *message);

enum corset_event_type {
    CORSET_EVENT_NORMAL,
    CORSET_EVENT_WARNING,
};

/*
 * Records an Event of events.k8s.io/v1 about the owner. The account of the controller needs the
 * permission to create and patch Events. Reason and action are words in CamelCase ("Ordered",
 * "Order"). Never waits: equal Events become one with a count, and Events above the rate limit are
 * dropped.
 */
CORSET_EXPORT void corset_run_event(struct corset_run *run, enum corset_event_type type,
                                    const char *reason, const char *action, const char *format, ...)
    CORSET_PRINTF_LIKE(5, 6);

/* ---- The graph. ---- */

enum corset_node_kind {
    CORSET_MANAGED,  /* an object that is applied if necessary, then checked */
    CORSET_EXTERNAL, /* an object of another controller: only read and checked */
    CORSET_CUSTOM,   /* a function */
};

enum corset_apply_mode {
    CORSET_SERVER_SIDE_APPLY,
    CORSET_CREATE_ONLY,     /* an object that exists already is left alone */
    CORSET_CREATE_OR_MERGE, /* created, or changed by a merge patch */
};

enum corset_node_flags {
    CORSET_NO_DECORATION = 1,    /* no labels, annotations and owner reference of the library's */
    CORSET_NO_CHECKSUMS = 2,     /* no checksums: applied in every run */
    CORSET_OPTIONAL = 4,         /* an external object that is missing is no failure */
    CORSET_ALLOW_DUPLICATE = 8,  /* a second node for one object, run after the first */
    CORSET_RETRY_REJECTED = 16,  /* what the server refuses for good is tried again all the same */
    CORSET_WAIT_COMPLETION = 32, /* of a Job: running is not ready */
};

enum corset_readiness {
    CORSET_READY,
    CORSET_IN_PROGRESS,
    CORSET_FAILED,
};

/*
 * Judges the server's copy of an object. Reason and message may be left alone; they are constants,
 * or texts of the object or the run.
 */
typedef enum corset_readiness corset_check_fn(void *data, struct corset_run *run,
                                              const struct corset_object *live,
                                              const char **ret_reason, const char **ret_message);

/* A check for objects that are ready as soon as they exist. */
CORSET_EXPORT corset_check_fn corset_check_always;

/*
 * A check for owners of another controller made with this library: without conditions an object is
 * not ready, and the conditions Ready and Available must be True if they are present.
 */
CORSET_EXPORT corset_check_fn corset_check_strict;

/* Which field of a blocker tells whether the blocker has changed since the node was applied. */
enum corset_checksum {
    CORSET_BY_VERSION, /* all of it: right for what holds content, such as a ConfigMap */
    CORSET_BY_SPEC,    /* its generation: right for what has a busy status, such as a Deployment */
};

/* How the function of a custom node ended without an error. */
enum corset_outcome {
    CORSET_DONE,
    CORSET_SKIP, /* this node is fine; those it blocks do not run, without an error */
};

/* The function of a custom node. It may wait in calls of corset/client.h as long as it likes. */
typedef struct corset_error *corset_node_fn(void *data, struct corset_run *run,
                                            enum corset_outcome *ret_outcome);

struct corset_node_options {
    enum corset_node_kind kind;
    /*
     * The wanted object; for an external node apiVersion, kind, namespace and name of the object
     * to read. An object of a namespaced kind without a namespace gets the namespace of the owner.
     */
    struct corset_object *object;
    enum corset_apply_mode apply;
    unsigned flags;         /* of enum corset_node_flags */
    corset_check_fn *check; /* NULL: by the object's kind, as kubectl and kstatus judge it */
    corset_node_fn *run;    /* of a custom node */
    void *data;             /* for check and run */

    /* Nodes that must have succeeded before this node runs; NULL entries are ignored. */
    struct corset_node *const *blockers;
    size_t blocker_count;
    const enum corset_checksum *checksums; /* of each blocker; NULL: CORSET_BY_VERSION of all */

    /* Nodes that must have ended before this node runs, successfully or not. */
    struct corset_node *const *after;
    size_t after_count;
};

/*
 * Adds a node. Waits, if the object's kind is new to the process. It fails, and the graph stays as
 * it was, if the object has a problem, if there is a node for it already, if a blocker is of
 * another graph or a custom node has no function.
 *
 * ret_node may be NULL. A managed or external node without an object is no node: NULL comes back,
 * which as a blocker means nothing, so optional parts need no special cases.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_graph_add(struct corset_graph *graph, const struct corset_node_options *options,
                 struct corset_node **ret_node);

/* The same for the most usual: a managed object and up to two blockers, which may be NULL. */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_graph_manage(struct corset_graph *graph, struct corset_object *object,
                    struct corset_node *blocker, struct corset_node *other_blocker,
                    struct corset_node **ret_node);

enum corset_node_state {
    CORSET_NODE_NOT_RUN,
    CORSET_NODE_SUCCEEDED,
    CORSET_NODE_SKIPPED, /* because of one it depends on */
    CORSET_NODE_FAILED,
    CORSET_NODE_CANCELED,
};

/*
 * For on_finish: the nodes in the order of adding, followed by the nodes that prune. Past the end
 * corset_graph_at() returns NULL, which counts as a node that did not run.
 */
CORSET_EXPORT size_t corset_graph_count(const struct corset_graph *graph);
CORSET_EXPORT struct corset_node *corset_graph_at(const struct corset_graph *graph, size_t index);
CORSET_EXPORT enum corset_node_state corset_node_state(const struct corset_node *node);

/*
 * The error of a failed node; for a skipped node, the error of the blocker that failed. It belongs
 * to the node.
 */
CORSET_EXPORT const struct corset_error *corset_node_error(const struct corset_node *node);

/* The newest copy of the object that the server sent; NULL if there is none. */
CORSET_EXPORT const struct corset_object *corset_node_live(struct corset_run *run,
                                                           const struct corset_node *node);

/* ---- The controller. ---- */

/* Names an owner that has to be reconciled. */
CORSET_EXPORT void corset_keys_add(struct corset_keys *keys, const char *name_space,
                                   const char *name);

/*
 * A kind whose events lead to owners.
 *
 * Without map, an event leads to the owner that the object's controller reference names: right for
 * every kind that the controller manages. With map, it leads to the owners that map adds; map is
 * called with the object before and after the change. filter, if set, selects the events that
 * count; old is NULL for a new object, now for a deleted one. Neither function may wait.
 *
 * Watched kinds are kept in memory: corset_get() and the graph read them from there.
 */
struct corset_watch {
    const char *api_version; /* "apps/v1" */
    const char *kind;        /* "Deployment" */
    void (*map)(void *data, const struct corset_object *object, struct corset_keys *keys);
    bool (*filter)(void *data, const struct corset_object *old, const struct corset_object *now);
    void *data;
};

enum corset_controller_flags {
    CORSET_PRUNE = 1,               /* delete owned objects that no node names any more */
    CORSET_NO_OPERATOR_STATUS = 2,  /* leave status.operator alone */
    CORSET_STANDARD_CONDITIONS = 4, /* as metav1.Condition: with times, reasons, generations */
    CORSET_NO_STATUS = 8,           /* write no status at all: the owners are another controller's,
                                       and errors of runs appear in the log alone */
};

/* What a precheck decides: continue with the run, or leave the owner alone. */
enum corset_precheck_result {
    CORSET_CONTINUE,
    CORSET_STOP,
};

/* The description of a controller. It must live as long as the process, with all it points to. */
struct corset_controller {
    const char *name;               /* lower case; also the field manager. Required */
    const char *api_version, *kind; /* of the owners. Required */
    const char *version, *commit;   /* of the controller, for status and labels */
    const char *domain;             /* of labels and annotations; NULL: corset.dev */
    const char *class_name;         /* the owners it cares for, by the annotation <domain>/class;
                                       NULL: those without one */
    size_t workers;                 /* owners at a time; 0: 1 */
    size_t node_workers;            /* nodes of one owner at a time; 0: 8 */
    const char *finalizer;          /* "example.com/web"; NULL: none, and no on_delete */
    unsigned flags;                 /* of enum corset_controller_flags */
    const struct corset_watch *watches; /* besides the owners themselves */
    size_t watch_count;

    /*
     * Kinds in all workload clusters, and what connects and disconnects lead to. Without a source,
     * a controller of Clusters has a run for each connect and disconnect. See corset/clusters.h.
     */
    const struct corset_cluster_watch *cluster_watches;
    size_t cluster_watch_count;
    const struct corset_cluster_source *cluster_source;

    /*
     * Adds the wanted objects to the graph. It may read from the API server (Waits) but must not
     * write. Required.
     */
    struct corset_error *(*build)(struct corset_run *run, struct corset_graph *graph);

    /* CORSET_STOP leaves this owner alone for now, even if it is being deleted. May be NULL. */
    enum corset_precheck_result (*precheck)(struct corset_run *run);

    /*
     * Cleans up what the garbage collector does not delete. When it has succeeded, the finalizer
     * is removed. Waits. May be NULL.
     */
    struct corset_error *(*on_delete)(struct corset_run *run);

    /*
     * Called before the status is written; may add conditions. The graph is empty if it was not
     * run because build or on_delete failed. May be NULL.
     */
    void (*on_finish)(struct corset_run *run, const struct corset_graph *graph);

    void *data;
};

CORSET_END

#endif
