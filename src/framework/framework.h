/*
 * Controllers as graphs: what an owner wants, as nodes that depend on each other.
 *
 *     static struct error *build(struct framework_run *run, struct graph *graph)
 *     {
 *         struct graph_node *config, *server;
 *         const struct graph_node_options first = {.object = make_config(run)};
 *         TRY(graph_add(graph, &first, &config));
 *         const struct graph_node_options then = {
 *             .object = make_server(run), .blockers = &config, .blocker_count = 1};
 *         return graph_add(graph, &then, &server);
 *     }
 *
 * For every owner the framework reads it, notes that its generation is being worked on, builds the
 * graph, applies what has to be applied, checks what is there, and says in the owner's status how
 * it went: observedGeneration, InProgress, Failed. In a steady state it writes nothing and, its
 * reads coming from caches, asks nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "controller/cache/cache.h"
#include "controller/controller.h"
#include "framework/error_class.h"
#include "framework/graph.h"
#include "framework/readiness.h"

struct client;
struct discovery;
struct framework;
struct framework_run;
struct metrics;

enum framework_flags {
    FRAMEWORK_PRUNE = 1,              /* delete owned objects that no node names any more */
    FRAMEWORK_NO_OPERATOR_STATUS = 2, /* leave status.operator alone */
    FRAMEWORK_METAV1_CONDITIONS = 4,  /* the standard schema of conditions */
};

enum precheck_result {
    PRECHECK_CONTINUE,
    PRECHECK_STOP,
};

/* Kinds whose events lead to owners. */
struct framework_watch {
    struct gvk gvk;
    controller_map_fn *map; /* NULL: by the controller reference, filtered by class */
    controller_filter_fn *filter;
    void *data;
};

/* Texts and watches are copied. */
struct framework_options {
    struct str name; /* lower case; also the field manager, 1 to 128 printable characters */
    struct gvk owner;
    struct str version, commit;
    struct str domain;     /* empty: corset.dev */
    struct str class_name; /* the owners it cares for; empty: those without a class */
    size_t workers;        /* 0 means 1 */
    size_t graph_workers;  /* nodes of one run at a time; 0 means 8, SIZE_MAX no bound */
    struct str finalizer;  /* empty: none */
    unsigned flags;
    duration conflict_requeue; /* 0 means 1 s */
    const struct framework_watch *watches;
    size_t watch_count;

    /* All but build may be NULL. A precheck that stops may set conditions: they are written. */
    enum precheck_result (*precheck)(struct framework_run *run);
    struct error *(*build)(struct framework_run *run, struct graph *graph);
    struct error *(*on_delete)(struct framework_run *run); /* with a finalizer */

    /* Before the status is written. The graph is NULL when it was not run; see framework_error().
     * Not called after a stale write or a cancellation. */
    void (*on_finish)(struct framework_run *run, const struct graph *graph);
    void *data;

    struct client *client;
    struct discovery *discovery;
    struct cache_set *caches;
    struct metrics *metrics;
};

/* ERROR_INVALID for options that make no controller. Suspends: kinds are looked up. */
MUST_USE struct error *framework_new(struct loop *loop, const struct framework_options *options,
                                     struct framework **ret_framework);
void framework_free(struct framework *framework);
DEFINE_OWNED(framework)

/* To be given to a manager, who frees it before the framework is freed. */
struct controller *framework_take_controller(struct framework *framework);

/* One processing of one owner, by hand: for tests. Suspends. */
MUST_USE struct error *framework_reconcile(struct framework *framework, struct key key,
                                           struct reconcile_result *ret_result);

/* What functions of the controller see. The owner is read-only once build has returned. */
struct object *framework_owner(const struct framework_run *run);
void *framework_data(const struct framework_run *run);
struct arena *framework_arena(struct framework_run *run); /* lives as long as the run */

/* Name of a derived object: "<owner>-<controller>[-<suffix>]". */
struct str framework_name(struct framework_run *run, struct str suffix);

/* What the status is about to say, for on_finish; NULL: all is well. */
const struct error *framework_error(const struct framework_run *run);

/* Sets a condition of the controller's own, to be written with the status. For hooks. */
void framework_set_condition(struct framework_run *run, struct str type, struct str status,
                             struct str reason, struct str message);
