/*
 * Controllers as graphs: a controller describes the objects that an owner wants as nodes that
 * depend on each other.
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
 * One processing of one owner is a run. A run reads the owner, records in its status that its
 * generation is being reconciled, builds the graph, applies the objects that have to be applied,
 * checks all of them, and writes the result into the owner's status: observedGeneration,
 * InProgress and Failed. In a steady state a run writes nothing, and since it reads from caches it
 * sends no request either.
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
    FRAMEWORK_NO_STATUS = 8,          /* write no status: the owners are another controller's */
};

/* What a precheck decides: continue with the run, or stop it here. */
enum precheck_result {
    PRECHECK_CONTINUE,
    PRECHECK_STOP,
};

/* A watched kind. An event of an object of this kind enqueues owners. */
struct framework_watch {
    struct gvk gvk;
    controller_map_fn *map; /* NULL: by the controller reference, filtered by class */
    controller_filter_fn *filter;
    void *data;
};

/* framework_new() copies texts and watches. */
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

    /*
     * All functions except build may be NULL. Conditions set by a precheck that stops are written.
     */
    enum precheck_result (*precheck)(struct framework_run *run);
    struct error *(*build)(struct framework_run *run, struct graph *graph);
    struct error *(*on_delete)(struct framework_run *run); /* with a finalizer */

    /*
     * Called before the status is written. The graph is NULL if it was not run; framework_error()
     * says why. Not called after a stale write or a cancellation.
     */
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

/* Hands the controller to a manager. The manager must be freed before the framework. */
struct controller *framework_take_controller(struct framework *framework);

/* One run for one owner. The controller's workers call it; tests may call it directly. Suspends. */
MUST_USE struct error *framework_reconcile(struct framework *framework, struct key key,
                                           struct reconcile_result *ret_result);

/*
 * What build, precheck, on_delete and on_finish may use. The owner is read-only once build has
 * returned.
 */
struct object *framework_owner(const struct framework_run *run);
void *framework_data(const struct framework_run *run);
struct arena *framework_arena(struct framework_run *run); /* lives as long as the run */

/* Name of a derived object: "<owner>-<controller>[-<suffix>]". */
struct str framework_name(struct framework_run *run, struct str suffix);

/* For on_finish: the error that the status will report; NULL means success. */
const struct error *framework_error(const struct framework_run *run);

/* Adds a condition of the controller to those that are written with the status. For hooks. */
void framework_set_condition(struct framework_run *run, struct str type, struct str status,
                             struct str reason, struct str message);
