/*
 * Controllers as graphs: what an owner wants, as nodes that depend on each other.
 *
 * A controller cares for the objects of one kind, the owners. Whenever an owner changes, or an
 * object that leads to it, the library runs a loop for it:
 *
 *  1. It reads the owner. One being deleted goes to on_delete if there is a finalizer, and
 * otherwise to the garbage collector, which takes all it owns along.
 *  2. It notes in status.observedGeneration that it works on this generation, and that it is
 *     InProgress.
 *  3. It calls build, which says what there should be: nodes of a graph.
 *  4. It runs the graph. A managed node is applied if there is a reason to, that is, if its object
 *     is missing, or the owner's spec or a blocker have changed since it was applied, and then
 *     checked for being ready. A node whose blockers did not succeed does not run; independent ones
 *     run side by side. Nothing waits: what is not ready yet ends the loop, and the watch on it
 *     begins the next.
 *  5. It writes the conditions InProgress and Failed, and calls on_finish for more.
 *
 * When all is as it should be, a loop writes nothing, and asks the server for nothing as long as
 * all kinds it deals with are watched.
 *
 *     InProgress   Failed     the owner is
 *     True         not True   being worked on
 *     True         True       not as it should be, and tried again
 *     not True     True       stuck until somebody changes something
 *     not True     not True   ready
 *
 * The owner's CustomResourceDefinition needs the subresource status.
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

struct corset_graph;
struct corset_keys;
struct corset_run;
struct corset_node;

/* ---- The loop: one processing of one owner. ---- */

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

/* For on_finish: what the status is about to say; NULL when all is well. Lives until it returns. */
CORSET_EXPORT const struct corset_error *corset_run_error(struct corset_run *run);

/*
 * A condition of the controller's own in the owner's status, written together with the others; for
 * on_finish, and for a precheck that stops. Reason and message may be NULL.
 */
CORSET_EXPORT void corset_run_set_condition(struct corset_run *run, const char *type,
                                            const char *status, const char *reason,
                                            const char *message);

enum corset_event_type {
    CORSET_EVENT_NORMAL,
    CORSET_EVENT_WARNING,
};

/*
 * Tells people about the owner: an Event of events.k8s.io/v1, which the controller's account must
 * be allowed to create and patch. Reason and action are words in CamelCase ("Ordered", "Order"). It
 * never waits: equal events become one with a count, and what is too much is dropped.
 */
CORSET_EXPORT void corset_run_event(struct corset_run *run, enum corset_event_type type,
                                    const char *reason, const char *action, const char *format, ...)
    CORSET_PRINTF_LIKE(5, 6);

/* ---- The graph. ---- */

enum corset_node_kind {
    CORSET_MANAGED,  /* an object that is applied if necessary, then checked */
    CORSET_EXTERNAL, /* an object of somebody else's: only read and checked */
    CORSET_CUSTOM,   /* a function */
};

enum corset_apply_mode {
    CORSET_SERVER_SIDE_APPLY,
    CORSET_CREATE_ONLY,     /* what is there already is fine */
    CORSET_CREATE_OR_MERGE, /* created, or changed by a merge patch */
};

enum corset_node_flags {
    CORSET_NO_DECORATION = 1,    /* no labels, annotations and owner reference of the library's */
    CORSET_NO_CHECKSUMS = 2,     /* no checksums: applied in every loop */
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

/* Ready-made: it is there, which is enough. */
CORSET_EXPORT corset_check_fn corset_check_always;

/*
 * Ready-made, for owners of another controller that is made with this library: one of which nobody
 * has spoken yet is not ready, and of its conditions none may say otherwise.
 */
CORSET_EXPORT corset_check_fn corset_check_strict;

/* What is compared of a blocker, to learn whether it has changed since the node was applied. */
enum corset_checksum {
    CORSET_BY_VERSION, /* all of it: right for what holds content, such as a ConfigMap */
    CORSET_BY_SPEC,    /* its generation: right for what has a busy status, such as a Deployment */
};

/* What a function of a custom node may do besides ending well: CORSET_SKIP in *ret_outcome. */
enum corset_outcome {
    CORSET_DONE,
    CORSET_SKIP, /* this node is fine; those it blocks do not run, without an error */
};

/* Waits as long as it likes, through the calls of corset/client.h. */
typedef struct corset_error *corset_node_fn(void *data, struct corset_run *run,
                                            enum corset_outcome *ret_outcome);

struct corset_node_options {
    enum corset_node_kind kind;
    /*
     * What there should be, or, of an external node, apiVersion, kind, namespace and name of what
     * is looked at. An object of a kind with namespaces that names none is put into the owner's.
     */
    struct corset_object *object;
    enum corset_apply_mode apply;
    unsigned flags;         /* of enum corset_node_flags */
    corset_check_fn *check; /* NULL: by the object's kind, as kubectl and kstatus judge it */
    corset_node_fn *run;    /* of a custom node */
    void *data;             /* for check and run */

    /* Nodes that must have succeeded before; NULL entries are passed over. */
    struct corset_node *const *blockers;
    size_t blocker_count;
    const enum corset_checksum *checksums; /* of each blocker; NULL: CORSET_BY_VERSION of all */

    /* Nodes that must have ended before, well or not. */
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
 * For on_finish: how it went. Nodes stand in the order of adding, those that prune behind them.
 * Past the end there is NULL, which is a node that did not run.
 */
CORSET_EXPORT size_t corset_graph_count(const struct corset_graph *graph);
CORSET_EXPORT struct corset_node *corset_graph_at(const struct corset_graph *graph, size_t index);
CORSET_EXPORT enum corset_node_state corset_node_state(const struct corset_node *node);

/* Of one that failed, or of the failure because of which it was skipped; belongs to the node. */
CORSET_EXPORT const struct corset_error *corset_node_error(const struct corset_node *node);

/* The server's copy as it was seen last; NULL when it was not. */
CORSET_EXPORT const struct corset_object *corset_node_live(struct corset_run *run,
                                                           const struct corset_node *node);

/* ---- The controller. ---- */

/* Names an owner that is to be processed. */
CORSET_EXPORT void corset_keys_add(struct corset_keys *keys, const char *name_space,
                                   const char *name);

/*
 * A kind whose events lead to owners.
 *
 * Without map it leads to the owner that the object's controller reference names: right for every
 * kind of which the controller manages objects. With map, to whatever that adds; it is called with
 * the object as it was and as it is. filter, where there is one, says which events count; old is
 * NULL for an object that is new, now for one that is gone. Both only look: they must not wait.
 *
 * Watched kinds are also kept in memory, and corset_get() and the graph read them from there.
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
};

enum corset_precheck_result {
    CORSET_CONTINUE,
    CORSET_STOP,
};

/* Lives as long as the process, as does all it points to. */
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

    /* Says what there should be. It may read the API (Waits), but does not write. Required. */
    struct corset_error *(*build)(struct corset_run *run, struct corset_graph *graph);

    /* CORSET_STOP: this owner is left alone for now, deleted or not. May be NULL. */
    enum corset_precheck_result (*precheck)(struct corset_run *run);

    /* Cleans up what is not owned. The finalizer goes once it has succeeded. Waits. May be NULL. */
    struct corset_error *(*on_delete)(struct corset_run *run);

    /*
     * Before the status is written: adds conditions. The graph is empty when it was not run,
     * because build or on_delete failed. May be NULL.
     */
    void (*on_finish)(struct corset_run *run, const struct corset_graph *graph);

    void *data;
};

CORSET_END

#endif
