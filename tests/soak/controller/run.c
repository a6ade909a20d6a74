#include "async/fiber.h"
#include "async/loop.h"
#include "controller/queue.h"
#include "net/network.h"
#include "soak/controller/soak.h"
#include "support/simulation/draw.h"

#define CONVERGES_WITHIN (10 * MINUTE)
#define CALM             (6 * SECOND) /* instead of trouble: the first Webs are made */
#define LOOK_EVERY       (2 * SECOND)
#define STEADY_AFTER     (10 * SECOND) /* the last echoes of the last writes */
#define STEADY_FOR       (5 * MINUTE)
#define NO_OP_WITHIN     (5 * SECOND)
#define REQUESTS_MAX     300 /* without faults, until all is well */
#define HISTORY_MAX      12
#define RESTARTS_MAX     3
#define RESTARTS_WITHIN  1500

static void go_through_trouble(struct soak *soak)
{
    SCOPED(scope) scope = {0};
    soak->front.in_trouble = true;
    scope_start(&scope, "edits", soak_edit, soak);
    if (soak->profile.weather)
        scope_start(&scope, "weather", front_weather, &soak->front);
    CHECK_OK(fiber_sleep(soak->profile.trouble));
}

/* Nothing is under way any more, and the controller sees what there is. */
static struct error *check_settled(struct soak *soak)
{
    TRY(soak_check(soak));
    if (soak->front.watches != WEB_WATCHES || soak->front.active != WEB_WATCHES)
        return error_new(ERROR_INVALID, "%zu requests are under way, %zu of them watches",
                         soak->front.active, soak->front.watches);
    return NULL;
}

/* How long it took. */
static duration converge(struct soak *soak)
{
    const int64_t begun = loop_now(loop_current());
    const size_t requests = soak->front.requests;
    OWNED(error) problem = NULL;
    while ((problem = check_settled(soak))) {
        if (loop_now(loop_current()) - begun > CONVERGES_WITHIN)
            test_fail(TEST_PLACE("objects"), "are not as they should be: %s", problem->message);
        error_free(TAKE(problem));
        CHECK_OK(fiber_sleep(LOOK_EVERY));
    }
    trace_print(&soak->trace, "all is as it should be");
    if (soak->front.requests - requests > REQUESTS_MAX)
        test_fail(TEST_PLACE("requests"), "are too many to get there: %zu",
                  soak->front.requests - requests);
    return loop_now(loop_current()) - begun;
}

/* Nothing is written, and of single objects nothing is read. */
static void stay(struct soak *soak)
{
    CHECK_OK(fiber_sleep(STEADY_AFTER));
    CHECK_OK(soak_check(soak));
    trace_print(&soak->trace, "the steady state begins");
    const size_t writes = soak->front.writes;
    const int64_t revision = store_revision(soak->front.api->store);
    CHECK_OK(fiber_sleep(STEADY_FOR / 2));
    if (soak->seed % 4 == 0) {
        life_end(&soak->life, "restarts in the steady state");
    }
    CHECK_OK(fiber_sleep(STEADY_FOR / 2));
    CHECK_EQ(soak->front.writes, writes);
    CHECK_EQ(store_revision(soak->front.api->store), revision);
    CHECK_OK(soak_check(soak));
}

/* A reconcile with nothing to do asks nothing. */
static void reconcile_again(struct soak *soak)
{
    struct queue *queue = soak->queue;
    CHECK(queue != NULL);
    const size_t builds = soak->counters.builds, reads = soak->front.reads,
                 writes = soak->front.writes;
    trace_print(&soak->trace, "once more for nothing");
    queue_add(queue, KEY("default", "w0"), QUEUE_NORMAL);
    queue_add(queue, KEY("default", "w1"), QUEUE_NORMAL);
    CHECK_OK(fiber_sleep(NO_OP_WITHIN));
    CHECK_EQ(soak->counters.builds, builds + WEB_NAMES - 1);
    CHECK_EQ(soak->front.reads, reads);
    CHECK_EQ(soak->front.writes, writes);
}

struct run {
    struct soak soak;
    const struct seeds_options *options;
    struct seeds_result *result;
};

static size_t draw(struct soak *soak)
{
    struct random dice;
    random_init(&dice, soak->seed ^ 0xfa17);
    random_init(&soak->front.dice, random_u64(&dice));
    random_init(&soak->users_dice, random_u64(&dice));
    random_init(&soak->life.dice, random_u64(&dice));
    soak->front.faults = front_faults_draw(&dice);
    soak->profile.weather = draw_chance(&dice, 0.6);
    soak->life.restarts_left = random_below(&dice, RESTARTS_MAX + 1);
    soak->life.parks_most = 20 + random_below(&dice, RESTARTS_WITHIN);
    const size_t history = 1 + random_below(&dice, HISTORY_MAX);
    soak->profile.extras.prunes = draw_chance(&dice, 0.3);
    soak->profile.extras.finalizes = draw_chance(&dice, 0.3);
    soak->profile.trouble = 5 * SECOND + draw_span(&dice, 15 * SECOND);
    return history;
}

static void open_server(struct run *run)
{
    struct soak *soak = &run->soak;
    soak->network = sim_network_new(loop_current());
    const size_t history = draw(soak);
    front_open(&soak->front, &(struct front_options){
                                 .shared = run->options->shared,
                                 .network = soak->network,
                                 .trace = &soak->trace,
                                 .name = "",
                                 .host = STR("server.test"),
                                 .back = STR("back.test"),
                                 .cluster = STR("soak"),
                                 .history = history,
                             });
}

static void close_server(struct soak *soak)
{
    front_close(&soak->front);
    while (sim_network_connections(soak->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(soak->network);
}

static void go_through(struct run *run)
{
    struct soak *soak = &run->soak;
    SCOPED(scope) scope = {0};
    soak->front.in_trouble = soak->life.may_restart = soak->life.restart_at == 0;
    scope_start(&scope, "supervisor", life_supervise, &soak->life);
    scope_start(&scope, "kubelet", soak_make_ready, soak);
    if (soak->front.in_trouble)
        go_through_trouble(soak);
    else
        CHECK_OK(fiber_sleep(CALM));
    soak->life.may_restart = false;
    front_clear_sky(&soak->front);
    soak_users_end(soak);
    run->result->took = converge(soak);
    life_spare(&soak->life);
    stay(soak);
    reconcile_again(soak);
}

static struct error *run(void *data)
{
    struct run *run = data;
    struct soak *soak = &run->soak;
    open_server(run);
    soak_users_begin(soak);
    go_through(run);
    soak_write_state(soak, &run->result->state);
    close_server(soak);
    return NULL;
}

void soak_run(const struct seeds_options *options, struct seeds_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct run all = {.soak.seed = options->seed, .options = options, .result = ret_result};
    struct soak *soak = &all.soak;
    *ret_result = (struct seeds_result){0};
    soak->life = (struct life){.trace = &soak->trace,
                               .run = soak_process,
                               .data = soak,
                               .restart_at = options->restart_at};
    trace_begin(&soak->trace, options->verbose);
    loop_set_park_hook(loop, life_on_park, &soak->life);
    CHECK_OK(loop_run(loop, run, &all));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    CHECK_EQ(loop_timer_count(loop), 0U);
    loop_free(loop);
    trace_end(&soak->trace);
    ret_result->hash = soak->trace.hash;
    ret_result->parks = soak->life.parks;
    ret_result->requests = soak->front.requests;
    ret_result->lives = soak->life.count;
}
