/*
 * Builds and runs graphs of nodes.
 *
 * graph_add() checks everything before it changes anything. Edges only lead to nodes that are in
 * the graph already, so there are no cycles.
 *
 * graph_run() works with a count of unfinished predecessors per node (pending) and a heap of nodes
 * whose count is zero (ready), ordered by insertion, so that nodes start in the order of adding.
 * The running fiber starts nodes from the heap, each on a fiber of its own, up to `workers` at a
 * time, and waits for `changed`. A node that ends decrements the counts of its dependents in
 * finish_node(). A node whose blockers did not all succeed takes a place in the heap as well but
 * ends as skipped without a fiber.
 *
 * Invariant: while the graph runs, final counts the nodes that have ended, and every other node is
 * running, in the heap, or waits for a predecessor. Cancelling the caller cancels the running
 * nodes, waits for them, and marks the others as cancelled.
 */
#include "async/event.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "framework/graph_internal.h"

struct graph_node {
    struct graph *graph;
    struct graph_node_options options;
    struct graph_node **blockers, **after;
    enum graph_checksum *checksums; /* of the blockers */
    size_t blocker_count, after_count, index;
    struct graph_node **dependents; /* nodes that wait for this node; part of edges */
    size_t dependent_count, pending;
    enum graph_state state;
    enum graph_outcome outcome;
    struct error *err;
    const struct error *cause; /* of a skipped node: the error of a blocker; borrowed */
    struct object *live;
};

struct graph {
    struct graph_node **nodes;
    size_t count, capacity;
    struct map managed; /* identity of an object -> its latest managed node */
    bool is_running;

    /* The state of a run. */
    graph_process_fn *process;
    void *data;
    struct event changed;
    size_t running, final;
    struct graph_node **edges; /* the dependents of all nodes */
    struct graph_node **ready; /* heap; the node added first is on top */
    size_t ready_count;
};

struct graph *graph_new(void)
{
    return NEW(struct graph);
}

static void node_free(struct graph_node *node)
{
    object_free(node->options.object);
    object_free(node->live);
    error_free(node->err);
    mem_free(node->blockers);
    mem_free(node->after);
    mem_free(node->checksums);
    mem_free(node);
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->count; i++)
        node_free(graph->nodes[i]);
    mem_free(graph->nodes);
    map_done(&graph->managed);
    mem_free(graph->edges);
    mem_free(graph->ready);
    mem_free(graph);
}

static struct error *invalid(const char *what)
{
    return error_new(ERROR_INVALID, "%s", what);
}

static struct error *check_edges(const struct graph *graph, struct graph_node *const *nodes,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i] && nodes[i]->graph != graph)
            return invalid("unknown blocker");
    return NULL;
}

/* The identity of an object: two managed nodes with the same identity are about one object. */
static void add_identity(struct buf *out, const struct graph_node_options *options)
{
    const struct gvk gvk = object_gvk(options->object);
    const struct key key = object_key(options->object);
    buf_print(out, "%.*s\n%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(options->cluster), STR_ARG(gvk.group),
              STR_ARG(gvk.kind), STR_ARG(key.namespace), STR_ARG(key.name));
}

/* The latest managed node for the same object; NULL if there is none. */
static struct graph_node *find_same(const struct graph *graph,
                                    const struct graph_node_options *options)
{
    SCOPED(buf) identity = {.limit = 0};
    if (options->kind != GRAPH_MANAGED)
        return NULL;
    add_identity(&identity, options);
    return map_find(&graph->managed, buf_str(&identity));
}

/* Makes the node the latest one of its object. */
static void index_node(struct graph *graph, struct graph_node *node)
{
    SCOPED(buf) identity = {.limit = 0};
    if (node->options.kind != GRAPH_MANAGED)
        return;
    add_identity(&identity, &node->options);
    map_put(&graph->managed, buf_str(&identity), node);
}

/* All reasons to refuse a node. same is the node that manages the object already, or NULL. */
static struct error *check_options(const struct graph *graph,
                                   const struct graph_node_options *options,
                                   const struct graph_node *same)
{
    if (graph->is_running)
        return invalid("a node cannot be added while the graph runs");
    if (options->kind == GRAPH_CUSTOM && !options->run)
        return invalid("a custom node needs a function");
    if (options->kind != GRAPH_CUSTOM && !object_name(options->object).len)
        return invalid("the object of a node needs a name");
    if (options->cluster.len && options->kind != GRAPH_CUSTOM && !options->reach)
        return invalid("a node in another cluster needs a reach function");
    if (!options->needs_apply != !options->applied)
        return invalid("needs_apply and applied come together");
    TRY(check_edges(graph, options->blockers, options->blocker_count));
    TRY(check_edges(graph, options->after, options->after_count));
    if (same && !(options->flags & GRAPH_ALLOW_DUPLICATE))
        return error_new(
            ERROR_INVALID, "already added: %.*s %.*s/%.*s", STR_ARG(object_kind(options->object)),
            STR_ARG(object_namespace(options->object)), STR_ARG(object_name(options->object)));
    return NULL;
}

/* Copies edges without the NULL entries, and appends one more edge unless it is NULL. */
static struct graph_node **copy_edges(struct graph_node *const *edges, size_t count,
                                      struct graph_node *more, size_t *ret_count)
{
    struct graph_node **copies = mem_realloc_array(NULL, count + 1, sizeof(struct graph_node *));
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (edges[i])
            copies[(*ret_count)++] = edges[i];
    if (more)
        copies[(*ret_count)++] = more;
    return copies;
}

/* Copies the checksums of those blockers that are not NULL, in the order of copy_edges(). */
static enum graph_checksum *copy_checksums(const struct graph_node_options *options)
{
    enum graph_checksum *copies =
        mem_alloc_zero((options->blocker_count + 1) * sizeof(enum graph_checksum));
    for (size_t i = 0, count = 0; options->checksums && i < options->blocker_count; i++)
        if (options->blockers[i])
            copies[count++] = options->checksums[i];
    return copies;
}

/*
 * A duplicate (same is not NULL) is ordered after the former node of the object whatever its
 * outcome.
 */
static struct graph_node *new_node(struct graph *graph, const struct graph_node_options *options,
                                   struct graph_node *same)
{
    struct graph_node *node = NEW(struct graph_node);
    node->graph = graph;
    node->options = *options;
    if (options->object)
        object_ref(options->object);
    node->blockers =
        copy_edges(options->blockers, options->blocker_count, NULL, &node->blocker_count);
    node->after = copy_edges(options->after, options->after_count, same, &node->after_count);
    node->checksums = copy_checksums(options);
    node->options.blockers = node->blockers;
    node->options.blocker_count = node->blocker_count;
    node->options.checksums = node->checksums;
    node->options.after = node->after;
    node->options.after_count = node->after_count;
    node->index = graph->count;
    return node;
}

struct error *graph_add(struct graph *graph, const struct graph_node_options *options,
                        struct graph_node **ret_node)
{
    struct graph_node *node = NULL;
    if (options->kind == GRAPH_CUSTOM || options->object) {
        struct graph_node *same = find_same(graph, options);
        TRY(check_options(graph, options, same));
        node = new_node(graph, options, same);
        ARRAY_PUSH(graph->nodes, graph->count, graph->capacity, node);
        index_node(graph, node);
    }
    if (ret_node)
        *ret_node = node;
    return NULL;
}

/* Blockers and after edges as one sequence. */
static struct graph_node *predecessor(const struct graph_node *node, size_t index)
{
    return index < node->blocker_count ? node->blockers[index]
                                       : node->after[index - node->blocker_count];
}

/* The heap of ready nodes: a binary heap with the lowest index on top. */
static void swap_ready(struct graph *graph, size_t a, size_t b)
{
    struct graph_node *node = graph->ready[a];
    graph->ready[a] = graph->ready[b];
    graph->ready[b] = node;
}

static void push_ready(struct graph *graph, struct graph_node *node)
{
    size_t at = graph->ready_count++;
    graph->ready[at] = node;
    while (at > 0 && graph->ready[(at - 1) / 2]->index > graph->ready[at]->index) {
        swap_ready(graph, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static struct graph_node *pop_ready(struct graph *graph)
{
    struct graph_node *first = graph->ready[0];
    graph->ready[0] = graph->ready[--graph->ready_count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < graph->ready_count; child++)
            if (graph->ready[child]->index < graph->ready[least]->index)
                least = child;
        if (least == at)
            return first;
        swap_ready(graph, at, least);
        at = least;
    }
}

/* Ends a node. Dependents that waited for this node alone become ready, which wakes graph_run(). */
static void finish_node(struct graph_node *node, enum graph_state state)
{
    node->state = state;
    node->graph->final++;
    for (size_t i = 0; i < node->dependent_count; i++)
        if (--node->dependents[i]->pending == 0)
            push_ready(node->graph, node->dependents[i]);
    event_wake_all(&node->graph->changed);
}

static struct error *call_node(struct graph_node *node)
{
    const struct graph *graph = node->graph;
    node->outcome = GRAPH_DONE;
    return node->options.kind == GRAPH_CUSTOM
               ? node->options.run(node->options.data, node, &node->outcome)
               : graph->process(graph->data, node, &node->outcome);
}

/*
 * The fiber of a node. A node that is cancelled before its first turn never calls its function. It
 * does not give its worker back either, since no node starts after a cancellation.
 */
static struct error *run_node(void *data)
{
    struct graph_node *node = data;
    struct graph *graph = node->graph;
    if (fiber_is_canceled(fiber_current())) {
        finish_node(node, GRAPH_CANCELED);
        return NULL;
    }
    node->err = call_node(node);
    graph->running--;
    const bool canceled = error_is(node->err, ERROR_CANCELED) && fiber_is_canceled(fiber_current());
    finish_node(node, canceled ? GRAPH_CANCELED : node->err ? GRAPH_NODE_FAILED : GRAPH_SUCCEEDED);
    return NULL;
}

/*
 * True if a blocker did not succeed or asked to skip its dependents. An error of any blocker
 * outweighs a skip and is the cause.
 */
static bool is_skipped(const struct graph_node *node, const struct error **ret_cause)
{
    bool skipped = false;
    *ret_cause = NULL;
    for (size_t i = 0; i < node->blocker_count && !*ret_cause; i++) {
        const struct graph_node *blocker = node->blockers[i];
        if (blocker->state == GRAPH_SUCCEEDED && blocker->outcome != GRAPH_SKIP)
            continue;
        skipped = true;
        *ret_cause = graph_node_error(blocker);
    }
    return skipped;
}

/* Starts ready nodes while there are free workers. Skipping a node can make others ready. */
static void start_ready(struct graph *graph, struct scope *scope, size_t workers)
{
    while (graph->ready_count && (workers == 0 || graph->running < workers)) {
        struct graph_node *node = pop_ready(graph);
        if (is_skipped(node, &node->cause)) {
            finish_node(node, GRAPH_SKIPPED);
            continue;
        }
        graph->running++;
        scope_start(scope, "node", run_node, node);
    }
}

/*
 * Fills in the dependents of every node: all of them share one array, counted first, filled
 * second.
 */
static void reverse_edges(struct graph *graph)
{
    size_t total = 0, used = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const struct graph_node *node = graph->nodes[i];
        total += node->pending;
        for (size_t j = 0; j < node->pending; j++)
            predecessor(node, j)->dependent_count++;
    }
    graph->edges = mem_realloc_array(graph->edges, total + 1, sizeof(struct graph_node *));
    for (size_t i = 0; i < graph->count; i++) {
        graph->nodes[i]->dependents = graph->edges + used;
        used += graph->nodes[i]->dependent_count;
        graph->nodes[i]->dependent_count = 0;
    }
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = 0; j < graph->nodes[i]->pending; j++) {
            struct graph_node *above = predecessor(graph->nodes[i], j);
            above->dependents[above->dependent_count++] = graph->nodes[i];
        }
}

/* Prepares a run: forgets states, errors and live objects of a former run and fills the heap. */
static void reset_run(struct graph *graph)
{
    graph->running = graph->final = graph->ready_count = 0;
    graph->ready = mem_realloc_array(graph->ready, graph->count + 1, sizeof(struct graph_node *));
    for (size_t i = 0; i < graph->count; i++) {
        struct graph_node *node = graph->nodes[i];
        node->state = GRAPH_NOT_RUN;
        node->outcome = GRAPH_DONE;
        node->dependent_count = 0;
        node->pending = node->blocker_count + node->after_count;
        error_free(TAKE(node->err));
        node->cause = NULL;
        graph_node_set_live(node, NULL);
    }
    reverse_edges(graph);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->pending == 0)
            push_ready(graph, graph->nodes[i]);
}

struct error *graph_run(struct graph *graph, size_t workers, graph_process_fn *process, void *data)
{
    SCOPED(scope) scope = {0};
    struct error *err = NULL;
    reset_run(graph);
    graph->is_running = true;
    graph->process = process;
    graph->data = data;
    while (graph->final < graph->count && !err) {
        start_ready(graph, &scope, workers);
        if (graph->final < graph->count)
            err = event_wait(&graph->changed, "a node");
    }
    if (err) {
        scope_done(&scope); /* cancels the running nodes and waits; no other node starts */
        for (size_t i = 0; i < graph->count; i++)
            if (graph->nodes[i]->state == GRAPH_NOT_RUN)
                graph->nodes[i]->state = GRAPH_CANCELED;
    }
    graph->is_running = false;
    return err;
}

size_t graph_count(const struct graph *graph)
{
    return graph->count;
}

struct graph_node *graph_at(const struct graph *graph, size_t index)
{
    return index < graph->count ? graph->nodes[index] : NULL;
}

enum graph_state graph_node_state(const struct graph_node *node)
{
    return node->state;
}

const struct error *graph_node_error(const struct graph_node *node)
{
    return node->err ? node->err : node->cause;
}

struct object *graph_node_live(const struct graph_node *node)
{
    return node->live;
}

const struct graph_node_options *graph_node_options(const struct graph_node *node)
{
    return &node->options;
}

size_t graph_node_blocker_count(const struct graph_node *node)
{
    return node->blocker_count;
}

struct graph_node *graph_node_blocker(const struct graph_node *node, size_t index)
{
    return node->blockers[index];
}

enum graph_checksum graph_node_checksum(const struct graph_node *node, size_t index)
{
    return node->checksums[index];
}

void graph_node_set_live(struct graph_node *node, struct object *live)
{
    struct object *former = node->live;
    node->live = live ? object_ref(live) : NULL;
    object_free(former);
}
