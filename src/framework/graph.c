#include "async/event.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "framework/graph_internal.h"

enum step {
    STEP_WAITING,
    STEP_RUNNING,
    STEP_FINAL,
};

struct graph_node {
    struct graph *graph;
    struct graph_node_options options;
    struct graph_node **blockers, **after;
    size_t blocker_count, after_count, index;
    enum step step;
    enum graph_state state;
    enum graph_outcome outcome;
    struct error *err;
    struct object *live;
};

struct graph {
    struct graph_node **nodes;
    size_t count, capacity;
    bool is_running;

    /* Of a run. */
    graph_process_fn *process;
    void *data;
    struct event changed;
    size_t running, final;
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
    mem_free(node);
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->count; i++)
        node_free(graph->nodes[i]);
    mem_free(graph->nodes);
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

static bool is_same_object(const struct graph_node_options *a, const struct graph_node_options *b)
{
    const struct gvk left = object_gvk(a->object), right = object_gvk(b->object);
    return a->client == b->client && str_eq(left.group, right.group) &&
           str_eq(left.kind, right.kind) && key_eq(object_key(a->object), object_key(b->object));
}

/* The latest managed node for the same object. */
static struct graph_node *find_same(const struct graph *graph,
                                    const struct graph_node_options *options)
{
    if (options->kind != GRAPH_MANAGED)
        return NULL;
    for (size_t i = graph->count; i-- > 0;) {
        struct graph_node *node = graph->nodes[i];
        if (node->options.kind == GRAPH_MANAGED && is_same_object(&node->options, options))
            return node;
    }
    return NULL;
}

static struct error *check(const struct graph *graph, const struct graph_node_options *options,
                           const struct graph_node *same)
{
    if (graph->is_running)
        return invalid("a node cannot be added while the graph runs");
    if (options->kind == GRAPH_CUSTOM && !options->run)
        return invalid("a custom node needs a function");
    TRY(check_edges(graph, options->blockers, options->blocker_count));
    TRY(check_edges(graph, options->after, options->after_count));
    if (same && !(options->flags & GRAPH_ALLOW_DUPLICATE))
        return error_new(
            ERROR_INVALID, "already added: %.*s %.*s/%.*s", STR_ARG(object_kind(options->object)),
            STR_ARG(object_namespace(options->object)), STR_ARG(object_name(options->object)));
    return NULL;
}

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

struct error *graph_add(struct graph *graph, const struct graph_node_options *options,
                        struct graph_node **ret_node)
{
    *ret_node = NULL;
    if (options->kind != GRAPH_CUSTOM && !options->object)
        return NULL;
    struct graph_node *same = find_same(graph, options);
    TRY(check(graph, options, same));
    struct graph_node *node = NEW(struct graph_node);
    node->graph = graph;
    node->options = *options;
    if (options->object)
        object_ref(options->object);
    node->blockers =
        copy_edges(options->blockers, options->blocker_count, NULL, &node->blocker_count);
    node->after = copy_edges(options->after, options->after_count, same, &node->after_count);
    node->index = graph->count;
    if (graph->count == graph->capacity) {
        graph->capacity = graph->capacity ? graph->capacity * 2 : 16;
        graph->nodes =
            mem_realloc_array(graph->nodes, graph->capacity, sizeof(struct graph_node *));
    }
    graph->nodes[graph->count++] = node;
    *ret_node = node;
    return NULL;
}

static void finish(struct graph_node *node, enum graph_state state)
{
    node->step = STEP_FINAL;
    node->state = state;
    node->graph->final++;
    event_wake_all(&node->graph->changed);
}

static struct error *run_node(void *data)
{
    struct graph_node *node = data;
    struct graph *graph = node->graph;
    node->outcome = GRAPH_DONE;
    struct error *err = node->options.kind == GRAPH_CUSTOM
                            ? node->options.run(node->options.data, node, &node->outcome)
                            : graph->process(graph->data, node, &node->outcome);
    node->err = err;
    graph->running--;
    const bool canceled = error_is(err, ERROR_CANCELED) && fiber_is_canceled(fiber_current());
    finish(node, canceled ? GRAPH_CANCELED : err ? GRAPH_NODE_FAILED : GRAPH_SUCCEEDED);
    return NULL;
}

enum readiness {
    NOT_YET,
    RUNNABLE,
    SKIPPED,
};

/* A failed blocker outweighs one that asks to skip. */
static enum readiness look(struct graph_node *node)
{
    bool skipped = false;
    for (size_t i = 0; i < node->after_count; i++)
        if (node->after[i]->step != STEP_FINAL)
            return NOT_YET;
    for (size_t i = 0; i < node->blocker_count; i++) {
        const struct graph_node *blocker = node->blockers[i];
        if (blocker->step != STEP_FINAL)
            return NOT_YET;
        skipped = skipped || blocker->state != GRAPH_SUCCEEDED || blocker->outcome == GRAPH_SKIP;
    }
    return skipped ? SKIPPED : RUNNABLE;
}

/* Those whose turn has come, in the order in which they were added. */
static void start_ready(struct graph *graph, struct scope *scope, size_t workers)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < graph->count; i++) {
            struct graph_node *node = graph->nodes[i];
            if (node->step != STEP_WAITING)
                continue;
            const enum readiness readiness = look(node);
            if (readiness == SKIPPED) {
                finish(node, GRAPH_SKIPPED);
                again = true; /* others may have waited for it */
            }
            if (readiness != RUNNABLE || (workers && graph->running >= workers))
                continue;
            node->step = STEP_RUNNING;
            graph->running++;
            scope_start(scope, "node", run_node, node);
        }
    }
}

static void reset(struct graph *graph)
{
    graph->running = graph->final = 0;
    for (size_t i = 0; i < graph->count; i++) {
        struct graph_node *node = graph->nodes[i];
        node->step = STEP_WAITING;
        node->state = GRAPH_NOT_RUN;
        error_free(node->err);
        node->err = NULL;
    }
}

static void cancel_waiting(struct graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->step == STEP_WAITING)
            finish(graph->nodes[i], GRAPH_CANCELED);
}

struct error *graph_run(struct graph *graph, size_t workers, graph_process_fn *process, void *data)
{
    SCOPED(scope) scope = {0};
    struct error *err = NULL;
    reset(graph);
    graph->is_running = true;
    graph->process = process;
    graph->data = data;
    while (graph->final < graph->count && !err) {
        start_ready(graph, &scope, workers);
        if (graph->final < graph->count)
            err = event_wait(&graph->changed, "a node");
    }
    if (err) {
        cancel_waiting(graph);
        scope_done(&scope); /* running ones are told and waited for */
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
    return node->err;
}

struct object *graph_node_live(const struct graph_node *node)
{
    return node->live;
}

void *graph_node_data(const struct graph_node *node)
{
    return node->options.data;
}

const struct graph_node_options *graph_node_options(const struct graph_node *node)
{
    return &node->options;
}

size_t graph_node_index(const struct graph_node *node)
{
    return node->index;
}

size_t graph_node_blocker_count(const struct graph_node *node)
{
    return node->blocker_count;
}

struct graph_node *graph_node_blocker(const struct graph_node *node, size_t index)
{
    return node->blockers[index];
}

void graph_node_set_live(struct graph_node *node, struct object *live)
{
    struct object *former = node->live;
    node->live = live ? object_ref(live) : NULL;
    object_free(former);
}
