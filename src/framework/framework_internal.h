/*
 * What the files of the framework share: the controller, one loop, and the way to a cluster.
 */
#pragma once

#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/map.h"
#include "framework/framework.h"
#include "framework/graph_internal.h"
#include "framework/owner_status.h"

struct framework {
    struct framework_options options; /* texts are in the arena, watches became owner_watches */
    struct arena arena;
    struct loop *loop;
    struct gvr owner_gvr;
    bool owner_is_namespaced;
    struct cache *owners;
    struct map caches;  /* "group/version kind" -> struct cache */
    struct map written; /* what we wrote and caches may not know yet; see live_reader.c */
    size_t sweep_at;    /* entries of written at which those that are known are dropped */
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
    int64_t generation; /* that of step 2 */
    bool has_generation;
    const struct error *err;                   /* what on_finish is told; borrowed */
    struct owner_status_condition *conditions; /* set by hooks */
    size_t condition_count, condition_capacity;
};

/* "apps/v1 Deployment": the key of a cache. */
static inline struct str framework_kind_name(struct arena *arena, struct gvk gvk)
{
    return arena_print(arena, "%.*s/%.*s %.*s", STR_ARG(gvk.group), STR_ARG(gvk.version),
                       STR_ARG(gvk.kind));
}

/* What a failed request means for the node that made it. Takes the error. */
MUST_USE struct error *node_classify(struct error *err, unsigned flags);

/* Applies if necessary and checks; the graph's process function. data is the loop. */
graph_process_fn node_process;

/* Adds the nodes that delete what is owned and no longer wanted. Suspends. */
MUST_USE struct error *prune_add(struct framework_run *run, struct graph *graph);

/* By group, kind, name and uid of its controller: a namesake's children are not ours. */
bool prune_is_ours(const struct object *owner, const struct object *object);
