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
    struct framework_options options; /* texts are in the arena, watches are the sources */
    struct arena arena;
    struct loop *loop;
    struct gvr owner_gvr;
    bool owner_is_namespaced;
    struct cache *owners;
    struct map caches;  /* "group/version kind" -> struct cache */
    struct map written; /* "resource.group" -> struct own_writes; see sight.c */
    struct map gone;    /* owners that are known not to be there, key -> uid; see owner.c */
    struct controller *controller;
    struct framework_metrics *metrics;
    struct framework_source *sources; /* the owners, then the watches */
};

struct framework_loop {
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

/* Where a kind is served; cached ones are read without asking. */
struct sight {
    struct graph_cluster cluster;
    struct gvr gvr;
    bool namespaced;
    struct cache *cache; /* NULL: the server is asked */
};

/* cluster NULL: the management cluster, the only one with caches. Texts live in the arena.
 * Suspends. */
MUST_USE struct error *sight_find(struct framework *framework, struct arena *arena,
                                  const struct graph_cluster *cluster, struct gvk gvk,
                                  struct sight *ret_sight);

/*
 * Reads an object; ERROR_NOT_FOUND. Out of the cache unless it is not synced or has not yet seen
 * what we wrote ourselves. Suspends.
 */
MUST_USE struct error *sight_read(struct framework *framework, const struct sight *sight,
                                  struct key key, struct object **ret_object);

/* An answer to a write of ours: readers must see at least this. */
void sight_note(struct framework *framework, const struct sight *sight,
                const struct object *written);

/* What a failed request means for the node that made it. Takes the error. */
MUST_USE struct error *node_classify(struct error *err, unsigned flags);

/* Applies if necessary and checks; the graph's process function. data is the loop. */
graph_process_fn node_process;

/* Adds the nodes that delete what is owned and no longer wanted. Suspends. */
MUST_USE struct error *prune_add(struct framework_loop *loop, struct graph *graph);

/* By group, kind, name and uid of its controller: a namesake's children are not ours. */
bool prune_is_ours(const struct object *owner, const struct object *object);
