/* What the framework needs of graphs beyond graph.h: life cycle, running, and access to nodes. */
#pragma once

#include "framework/graph.h"

/* Processes a managed or an external node when its blockers have succeeded. Suspends. */
typedef struct error *graph_process_fn(void *data, struct graph_node *node,
                                       enum graph_outcome *ret_outcome);

struct graph *graph_new(void);
void graph_free(struct graph *graph);
DEFINE_OWNED(graph)

/*
 * Runs every node once and returns when all nodes have ended. Errors of nodes stay in the nodes;
 * ERROR_CANCELED means that the caller was cancelled. workers 0: no bound. A graph may be run
 * again and starts afresh. Suspends.
 */
MUST_USE struct error *graph_run(struct graph *graph, size_t workers, graph_process_fn *process,
                                 void *data);

const struct graph_node_options *graph_node_options(const struct graph_node *node);

size_t graph_node_blocker_count(const struct graph_node *node);
struct graph_node *graph_node_blocker(const struct graph_node *node, size_t index);
enum graph_checksum graph_node_checksum(const struct graph_node *node, size_t index);

/* Takes a reference; NULL clears. */
void graph_node_set_live(struct graph_node *node, struct object *live);
