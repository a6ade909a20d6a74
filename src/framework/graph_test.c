#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/memory.h"
#include "framework/graph_internal.h"
#include "testing/sim.h"

#define CHAIN 100
#define MANY  100000

/* A custom node of a test: what it does, and when it did it. */
struct step {
    const char *name;
    struct error *(*act)(struct step *step, enum graph_outcome *ret_outcome);
    struct trace *trace;
    struct graph_node *node;
};

struct trace {
    size_t calls, running, most;
    char order[64];
    const struct graph *graph; /* for note() */
};

static struct error *run_step(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    struct step *step = data;
    struct trace *trace = step->trace;
    CHECK_EQ((const void *)graph_node_options(node)->data, (const void *)step);
    if (trace->calls < sizeof(trace->order) - 1)
        trace->order[trace->calls] = step->name[0];
    trace->calls++;
    trace->running++;
    trace->most = trace->running > trace->most ? trace->running : trace->most;
    struct error *err = step->act ? step->act(step, ret_outcome) : NULL;
    trace->running--;
    return err;
}

static struct error *never(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    (void)data;
    (void)node;
    *ret_outcome = GRAPH_DONE;
    CHECK(false);
    return NULL;
}

static struct error *run(struct graph *graph, size_t workers)
{
    return graph_run(graph, workers, never, NULL);
}

static void add(struct graph *graph, struct step *step, struct graph_node *const *blockers,
                size_t count)
{
    const struct graph_node_options options = {.kind = GRAPH_CUSTOM,
                                               .run = run_step,
                                               .data = step,
                                               .blockers = blockers,
                                               .blocker_count = count};
    CHECK_OK(graph_add(graph, &options, &step->node));
}

static struct error *take_time(struct step *step, enum graph_outcome *ret_outcome)
{
    (void)step;
    *ret_outcome = GRAPH_DONE;
    return fiber_sleep(SECOND);
}

static struct error *fail(struct step *step, enum graph_outcome *ret_outcome)
{
    *ret_outcome = GRAPH_DONE;
    TRY(fiber_yield());
    return error_new(ERROR_INVALID, "%s broke", step->name);
}

static struct error *skip(struct step *step, enum graph_outcome *ret_outcome)
{
    (void)step;
    *ret_outcome = GRAPH_SKIP;
    return NULL;
}

/* a; b and c blocked by a; d blocked by b and c. */
struct diamond {
    struct trace trace;
    struct step a, b, c, d;
    struct graph *graph;
};

static void diamond_init(struct diamond *diamond)
{
    *diamond = (struct diamond){.graph = graph_new()};
    diamond->a = (struct step){.name = "a", .trace = &diamond->trace};
    diamond->b = (struct step){.name = "b", .trace = &diamond->trace};
    diamond->c = (struct step){.name = "c", .trace = &diamond->trace};
    diamond->d = (struct step){.name = "d", .trace = &diamond->trace};
    add(diamond->graph, &diamond->a, NULL, 0);
    add(diamond->graph, &diamond->b, &diamond->a.node, 1);
    add(diamond->graph, &diamond->c, &diamond->a.node, 1);
    add(diamond->graph, &diamond->d, (struct graph_node *[]){diamond->b.node, diamond->c.node}, 2);
}

static void diamond_done(struct diamond *diamond)
{
    graph_free(diamond->graph);
}

static struct object *config_map(const char *name)
{
    struct object *object = NULL;
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
              "\"default\",\"name\":\"%s\"}}",
              name);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

SIM_TEST(fw_20_an_empty_graph_succeeds)
{
    OWNED(graph) graph = graph_new();
    CHECK_OK(run(graph, 8));
    CHECK_EQ(graph_count(graph), 0);
}

/* All four must be in flight before any goes on. */
struct barrier {
    struct event full;
    size_t count;
};

static struct error *meet(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    struct barrier *barrier = data;
    (void)node;
    *ret_outcome = GRAPH_DONE;
    barrier->count++;
    event_wake_all(&barrier->full);
    while (barrier->count < 4)
        TRY(event_wait(&barrier->full, "the others"));
    return NULL;
}

SIM_TEST(fw_21_isolated_nodes_are_in_flight_at_once)
{
    OWNED(graph) graph = graph_new();
    struct barrier barrier = {0};
    for (size_t i = 0; i < 4; i++)
        CHECK_OK(graph_add(
            graph,
            &(struct graph_node_options){.kind = GRAPH_CUSTOM, .run = meet, .data = &barrier},
            NULL));
    CHECK_OK(run(graph, 4));
    CHECK_EQ(barrier.count, 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_EQ((int)graph_node_state(graph_at(graph, i)), (int)GRAPH_SUCCEEDED);
}

SIM_TEST(fw_21_workers_bound_what_is_in_flight)
{
    struct step steps[10];
    struct trace trace = {0};
    OWNED(graph) graph = graph_new();
    for (size_t i = 0; i < COUNT(steps); i++) {
        steps[i] = (struct step){.name = "n", .act = take_time, .trace = &trace};
        add(graph, &steps[i], NULL, 0);
    }
    CHECK_OK(run(graph, 3));
    CHECK_EQ(trace.calls, COUNT(steps));
    CHECK_EQ(trace.most, 3);
    CHECK_OK(run(graph, 0));
    CHECK_EQ(trace.most, COUNT(steps));
}

SIM_TEST(fw_22_blockers_come_first_and_a_graph_runs_again)
{
    struct diamond diamond;
    diamond_init(&diamond);
    for (size_t i = 0; i < 2; i++) {
        diamond.trace = (struct trace){0};
        CHECK_OK(run(diamond.graph, 8));
        CHECK_EQ(diamond.trace.calls, 4);
        CHECK_EQ(diamond.trace.order[0], 'a');
        CHECK_EQ(diamond.trace.order[3], 'd');
        CHECK(diamond.trace.order[1] != diamond.trace.order[2]);
    }
    diamond_done(&diamond);
}

SIM_TEST(ready_nodes_start_in_the_order_of_adding)
{
    struct trace trace = {0};
    struct step steps[] = {
        {.name = "a", .trace = &trace},
        {.name = "b", .trace = &trace},
        {.name = "c", .trace = &trace},
        {.name = "d", .trace = &trace},
    };
    OWNED(graph) graph = graph_new();
    add(graph, &steps[0], NULL, 0);
    add(graph, &steps[1], &steps[0].node, 1);
    add(graph, &steps[2], NULL, 0);
    add(graph, &steps[3], NULL, 0);
    CHECK_OK(run(graph, 1));
    CHECK_EQ((const char *)trace.order, "abcd");
}

TEST(fw_23_a_bad_node_is_refused_and_the_graph_unchanged)
{
    OWNED(graph) graph = graph_new();
    OWNED(graph) other = graph_new();
    OWNED(object) object = config_map("a");
    OWNED(object) nameless = config_map("");
    struct graph_node *node = NULL, *foreign = NULL;
    CHECK_OK(graph_add(graph, &(struct graph_node_options){.object = object}, &node));
    CHECK_OK(graph_add(other, &(struct graph_node_options){.object = object}, &foreign));
    /* clang-format off: texts of one row belong together */
    const struct {
        const char *name, *message;
        struct graph_node_options options;
    } cases[] = {
        {"custom without function",       "needs a function", {.kind = GRAPH_CUSTOM}                                                        },
        {"the same node twice",           "already added",    {.object = object}                                                            },
        {"blocker of another graph",
         "unknown blocker",                                   {.kind = GRAPH_CUSTOM, .run = never, .blockers = &foreign, .blocker_count = 1}},
        {"after a node of another graph",
         "unknown blocker",                                   {.kind = GRAPH_CUSTOM, .run = never, .after = &foreign, .after_count = 1}     },
        {"no name",                       "needs a name",     {.object = nameless}                                                          },
        {"no way to the cluster",         "reach",            {.object = object, .cluster = STR("b")}                                       },
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct graph_node *added = node;
        TEST_CASE("%s", cases[i].name);
        CHECK_FAILS(graph_add(graph, &cases[i].options, &added), ERROR_INVALID, cases[i].message);
        CHECK_EQ(graph_count(graph), 1);
        CHECK(added == node);
    }
}

static struct error *add_more(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    (void)node;
    *ret_outcome = GRAPH_DONE;
    return graph_add(data, &(struct graph_node_options){.kind = GRAPH_CUSTOM, .run = never}, NULL);
}

SIM_TEST(fw_23_nothing_is_added_while_the_graph_runs)
{
    OWNED(graph) graph = graph_new();
    struct graph_node *node;
    const struct graph_node_options options = {
        .kind = GRAPH_CUSTOM, .run = add_more, .data = graph};
    CHECK_OK(graph_add(graph, &options, &node));
    CHECK_OK(run(graph, 8));
    CHECK_EQ((int)graph_node_state(node), (int)GRAPH_NODE_FAILED);
    CHECK_EQ(graph_count(graph), 1);
}

SIM_TEST(fw_24_null_objects_and_null_blockers_are_nothing)
{
    struct trace trace = {0};
    struct step a = {.name = "a", .trace = &trace}, b = {.name = "b", .trace = &trace};
    OWNED(graph) graph = graph_new();
    struct graph_node *none = (struct graph_node *)&trace;
    CHECK_OK(graph_add(graph, &(struct graph_node_options){.kind = GRAPH_MANAGED}, &none));
    CHECK(!none);
    CHECK_OK(graph_add(graph, &(struct graph_node_options){.kind = GRAPH_EXTERNAL}, &none));
    CHECK(!none);
    CHECK_EQ(graph_count(graph), 0);
    add(graph, &a, &none, 1);
    add(graph, &b, (struct graph_node *[]){NULL, a.node, NULL}, 3);
    CHECK_EQ(graph_node_blocker_count(b.node), 1);
    CHECK_OK(run(graph, 8));
    CHECK_EQ((const char *)trace.order, "ab");
}

SIM_TEST(fw_25_a_failure_skips_what_depends_on_it)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.b.act = fail;
    CHECK_OK(run(diamond.graph, 8));
    CHECK_EQ(diamond.trace.calls, 3);
    CHECK_EQ((int)graph_node_state(diamond.b.node), (int)GRAPH_NODE_FAILED);
    CHECK_EQ((int)graph_node_state(diamond.c.node), (int)GRAPH_SUCCEEDED);
    CHECK_EQ((int)graph_node_state(diamond.d.node), (int)GRAPH_SKIPPED);
    CHECK_EQ((const char *)graph_node_error(diamond.b.node)->message, "b broke");
    CHECK(graph_node_error(diamond.d.node) == graph_node_error(diamond.b.node));
    diamond_done(&diamond);
}

SIM_TEST(fw_26_a_failure_leaves_other_branches_alone)
{
    struct trace trace = {0};
    struct step steps[] = {
        {.name = "a", .trace = &trace, .act = fail     },
        {.name = "b", .trace = &trace, .act = NULL     },
        {.name = "c", .trace = &trace, .act = take_time},
        {.name = "d", .trace = &trace, .act = take_time},
        {.name = "e", .trace = &trace, .act = take_time},
    };
    OWNED(graph) graph = graph_new();
    add(graph, &steps[0], NULL, 0);
    add(graph, &steps[1], &steps[0].node, 1);
    add(graph, &steps[2], NULL, 0);
    add(graph, &steps[3], &steps[2].node, 1);
    add(graph, &steps[4], &steps[3].node, 1);
    CHECK_OK(run(graph, 8));
    CHECK_EQ(trace.calls, 4);
    CHECK_EQ((int)graph_node_state(steps[1].node), (int)GRAPH_SKIPPED);
    CHECK_EQ((int)graph_node_state(steps[4].node), (int)GRAPH_SUCCEEDED);
}

struct runner {
    struct graph *graph;
    size_t workers;
    struct error *err;
};

static struct error *run_apart(void *data)
{
    struct runner *runner = data;
    runner->err = run(runner->graph, runner->workers);
    return NULL;
}

SIM_TEST(fw_27_cancellation_starts_nothing_more)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.a.act = take_time;
    struct runner runner = {.graph = diamond.graph, .workers = 8};
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "run", run_apart, &runner);
        CHECK_OK(fiber_sleep(MILLISECOND));
        CHECK_EQ(diamond.trace.calls, 1);
    }
    CHECK_ERROR(runner.err, ERROR_CANCELED);
    CHECK_EQ(diamond.trace.calls, 1);
    CHECK_EQ(diamond.trace.running, 0);
    for (size_t i = 0; i < 4; i++)
        CHECK_EQ((int)graph_node_state(graph_at(diamond.graph, i)), (int)GRAPH_CANCELED);
    diamond_done(&diamond);
}

/* Told to stop, it takes its time to do so. */
static struct error *linger(struct step *step, enum graph_outcome *ret_outcome)
{
    (void)step;
    *ret_outcome = GRAPH_DONE;
    FIBER_SHIELD(MINUTE);
    return fiber_sleep(10 * SECOND);
}

SIM_TEST(fw_27_the_run_returns_after_what_was_running)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.a.act = linger;
    struct runner runner = {.graph = diamond.graph, .workers = 8};
    const int64_t begun = loop_now(loop_current());
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "run", run_apart, &runner);
        CHECK_OK(fiber_sleep(MILLISECOND));
    }
    CHECK_ERROR(runner.err, ERROR_CANCELED);
    CHECK(loop_now(loop_current()) - begun >= 10 * SECOND);
    CHECK_EQ((int)graph_node_state(diamond.a.node), (int)GRAPH_SUCCEEDED);
    CHECK_EQ((int)graph_node_state(diamond.b.node), (int)GRAPH_CANCELED);
    CHECK_EQ(diamond.trace.calls, 1);
    diamond_done(&diamond);
}

SIM_TEST(fw_28_waiting_nodes_hold_no_worker)
{
    struct step steps[CHAIN];
    struct trace trace = {0};
    OWNED(graph) graph = graph_new();
    for (size_t i = 0; i < CHAIN; i++) {
        steps[i] = (struct step){.name = "n", .act = take_time, .trace = &trace};
        add(graph, &steps[i], i ? &steps[i - 1].node : NULL, i ? 1 : 0);
    }
    CHECK_OK(run(graph, 1));
    CHECK_EQ(trace.calls, CHAIN);
    CHECK_EQ(trace.most, 1);
}

SIM_TEST(fw_29_a_skip_stops_dependents_without_an_error)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.a.act = skip;
    CHECK_OK(run(diamond.graph, 8));
    CHECK_EQ(diamond.trace.calls, 1);
    CHECK_EQ((int)graph_node_state(diamond.a.node), (int)GRAPH_SUCCEEDED);
    for (size_t i = 1; i < 4; i++) {
        CHECK_EQ((int)graph_node_state(graph_at(diamond.graph, i)), (int)GRAPH_SKIPPED);
        CHECK(!graph_node_error(graph_at(diamond.graph, i)));
    }
    diamond_done(&diamond);
}

SIM_TEST(fw_29_a_failure_outweighs_a_skip)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.b.act = skip;
    diamond.c.act = fail;
    CHECK_OK(run(diamond.graph, 8));
    CHECK_EQ((int)graph_node_state(diamond.d.node), (int)GRAPH_SKIPPED);
    CHECK(graph_node_error(diamond.d.node) == graph_node_error(diamond.c.node));
    diamond_done(&diamond);
}

SIM_TEST(fw_30_after_means_whatever_the_outcome)
{
    const struct {
        const char *name;
        struct error *(*act)(struct step *step, enum graph_outcome *ret_outcome);
    } cases[] = {
        {"failed",    fail     },
        {"skipping",  skip     },
        {"succeeded", take_time},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trace trace = {0};
        struct step a = {.name = "a", .trace = &trace, .act = cases[i].act};
        struct step b = {.name = "b", .trace = &trace}, c = {.name = "c", .trace = &trace};
        OWNED(graph) graph = graph_new();
        TEST_CASE("%s", cases[i].name);
        add(graph, &a, NULL, 0);
        add(graph, &b, &a.node, 1);
        const struct graph_node_options options = {
            .kind = GRAPH_CUSTOM, .run = run_step, .data = &c, .after = &b.node, .after_count = 1};
        CHECK_OK(graph_add(graph, &options, &c.node));
        CHECK_OK(run(graph, 8));
        CHECK_EQ((int)graph_node_state(c.node), (int)GRAPH_SUCCEEDED);
        CHECK_EQ(trace.order[trace.calls - 1], 'c');
    }
}

static size_t index_of(const struct graph *graph, const struct graph_node *node)
{
    size_t index = 0;
    while (graph_at(graph, index) != node)
        index++;
    return index;
}

/* Notes which nodes were processed, in order. */
static struct error *note(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    struct trace *trace = data;
    const size_t index = index_of(trace->graph, node);
    *ret_outcome = GRAPH_DONE;
    trace->order[trace->calls++] = (char)('0' + index);
    TRY(fiber_sleep(SECOND));
    return index == 0 ? error_new(ERROR_INVALID, "broke") : NULL;
}

SIM_TEST(duplicates_follow_the_first_whatever_became_of_it)
{
    OWNED(graph) graph = graph_new();
    OWNED(object) a = config_map("a");
    OWNED(object) b = config_map("b");
    struct trace trace = {.graph = graph};
    const struct graph_node_options twice = {.object = a, .flags = GRAPH_ALLOW_DUPLICATE};
    CHECK_OK(graph_add(graph, &twice, NULL));
    CHECK_OK(graph_add(graph, &twice, NULL));
    CHECK_OK(graph_add(graph, &(struct graph_node_options){.object = b}, NULL));
    CHECK_OK(graph_add(graph, &twice, NULL));
    CHECK_OK(graph_run(graph, 8, note, &trace));
    CHECK_EQ((const char *)trace.order, "0213");
}

SIM_TEST(a_variable_may_be_blocker_and_result)
{
    struct trace trace = {0};
    struct step a = {.name = "a", .trace = &trace, .act = fail}, b = {.name = "b", .trace = &trace};
    OWNED(graph) graph = graph_new();
    add(graph, &a, NULL, 0);
    b.node = a.node;
    add(graph, &b, &b.node, 1);
    CHECK_OK(run(graph, 8));
    CHECK_EQ((const char *)trace.order, "a");
}

static struct error *count_call(void *data, struct graph_node *node,
                                enum graph_outcome *ret_outcome)
{
    size_t *calls = data;
    (void)node;
    *ret_outcome = GRAPH_DONE;
    ++*calls;
    return NULL;
}

/* Wide, deep, and joined by one node: each in time that grows with the number of nodes. */
SIM_TEST(a_hundred_thousand_nodes_run)
{
    OWNED(graph) graph = graph_new();
    struct graph_node **nodes = mem_realloc_array(NULL, MANY, sizeof(struct graph_node *));
    size_t calls = 0;
    struct graph_node_options options = {.kind = GRAPH_CUSTOM, .run = count_call, .data = &calls};
    for (size_t i = 0; i < MANY; i++) {
        options.blockers = i && i % 2 ? &nodes[i - 1] : NULL;
        options.blocker_count = options.blockers ? 1 : 0;
        CHECK_OK(graph_add(graph, &options, &nodes[i]));
    }
    options.blockers = nodes;
    options.blocker_count = MANY;
    CHECK_OK(graph_add(graph, &options, NULL));
    CHECK_OK(run(graph, 8));
    CHECK_EQ(calls, MANY + 1);
    mem_free(nodes);
}

/* Whatever fails, nobody is left behind. */
TORTURE_TEST(a_run_that_is_disturbed_ends)
{
    struct diamond diamond;
    diamond_init(&diamond);
    diamond.a.act = take_time;
    diamond.b.act = take_time;
    diamond.c.act = fail;
    struct error *err = run(diamond.graph, 8);
    for (size_t i = 0; i < 4; i++)
        CHECK(graph_node_state(graph_at(diamond.graph, i)) != GRAPH_NOT_RUN);
    CHECK_EQ(diamond.trace.running, 0);
    diamond_done(&diamond);
    return err;
}
