/*
 * What the sources of the framework share: the controller, the state of one run, and the entry
 * points of node.c and prune.c.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/map.h"
#include "framework/framework.h"
#include "framework/graph_internal.h"
#include "framework/owner_status.h"

struct framework {
    struct framework_options options; /* texts and watches live in the arena */
    struct arena arena;
    struct loop *loop;
    struct gvr owner_gvr;
    bool owner_is_namespaced;
    struct cache *owners;
    struct map caches;  /* "group/version kind" -> struct cache */
    struct map written; /* "resource.group" -> struct own_writes; see live_reader.c */
    struct map gone;    /* owners that are known not to be there, key -> uid; see owner.c */
    struct controller *controller;
    struct framework_metrics *metrics;
    struct owner_watch *owner_watches; /* the owners, then the watches */
};

struct framework_run {
    struct framework *framework;
    struct arena arena;
    struct key key;
    struct object *owner;
    int64_t generation; /* the one recorded in step 2 */
    bool has_generation;
    const struct error *err;                   /* for framework_error(); borrowed */
    struct owner_status_condition *conditions; /* set by hooks */
    size_t condition_count, condition_capacity;
};

/* "apps/v1 Deployment": the key of framework.caches. */
static inline struct str framework_kind_name(struct arena *arena, struct gvk gvk)
{
    return arena_print(arena, "%.*s/%.*s %.*s", STR_ARG(gvk.group), STR_ARG(gvk.version),
                       STR_ARG(gvk.kind));
}

/*
 * Gives the error of a failed request the class that decides how the node is retried. Takes the
 * error. flags are those of the node, enum graph_node_flags.
 */
MUST_USE struct error *node_classify(struct error *err, unsigned flags);

/*
 * Processes a managed or an external node: applies its object if necessary and checks it. data is
 * the run.
 */
graph_process_fn node_process;

/*
 * Adds a node for every object that the owner owns and no node names: it deletes the object.
 * Suspends.
 */
MUST_USE struct error *prune_add(struct framework_run *run, struct graph *graph);

/*
 * True if the object's controller reference names the owner by group, kind, name and uid. Objects
 * of an earlier owner of the same name have another uid.
 */
bool prune_is_ours(const struct object *owner, const struct object *object);
