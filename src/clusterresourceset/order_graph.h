/*
 * Which set depends on which: the annotations of all sets as a graph, from sets to the sets they
 * name and back.
 *
 * A set is in the graph while it names others or is named. Sets of different namespaces have
 * nothing to do with each other. Pure: set_order.c puts in what the cache of sets tells.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "base/arena.h"
#include "base/owned.h"
#include "clusterresourceset/order.h"

struct order_graph;

struct order_graph *order_graph_new(void);
void order_graph_free(struct order_graph *graph);
DEFINE_OWNED(order_graph)

/* The set has this annotation now; empty: none, or there is no such set. False: it had it before.
 */
bool order_graph_put(struct order_graph *graph, struct key set, struct str text);

/* What the set names. Borrowed until its next order_graph_put(). */
struct order_names order_graph_names(const struct order_graph *graph, struct key set);

/* Whether any set is named by the others. */
bool order_graph_is_named(const struct order_graph *graph, struct key set);

/* Every set of the namespace that names others. each() must not change the graph. */
typedef void order_graph_visit_fn(void *data, struct key set);
void order_graph_each(const struct order_graph *graph, struct str namespace,
                      order_graph_visit_fn *each, void *data);

/*
 * The sets that name this one; and these, those that name them, and so on, each once. The set is
 * among its own followers if it is in a cycle. each() must not change the graph.
 */
void order_graph_each_dependent(const struct order_graph *graph, struct key set,
                                order_graph_visit_fn *each, void *data);
void order_graph_each_follower(struct order_graph *graph, struct key set,
                               order_graph_visit_fn *each, void *data);

/* The shortest cycle that the set is in: "a -> b -> a". Empty if there is none. */
struct str order_graph_find_cycle(struct order_graph *graph, struct key set, struct arena *arena);
