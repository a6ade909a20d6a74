/* Puts a run together: servers, the process and its lives, and the witness. See prune.h. */
#include "app/controller_manager.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "http/server.h"
#include "soak/prune/prune.h"

#define ROUNDS       1
#define RESTARTS_MAX 3
#define WORKERS      4

/* Something is to be deleted in a cluster. */
static void witness_delete(struct front *front, struct http_request *http)
{
    struct prune_run *run = front->options.data;
    const size_t cluster = (size_t)(front - run->fronts.workloads);
    struct str target = http_request_target(http), path;
    if (!str_eq(http_request_method(http), STR("DELETE")))
        return;
    (void)str_cut(&target, '?', &path);
    const struct str name = str_skip(path, str_find_last_char(path, '/') + 1);
    const bool is_ours = name.len == 1 && name.ptr[0] >= 'a' && name.ptr[0] < 'a' + OBJECTS;
    if (!is_ours || !model_allows(run, cluster, (size_t)(name.ptr[0] - 'a')))
        test_fail(TEST_PLACE("objects"), "of c%zu are deleted, and no rule explains it: %.*s",
                  cluster, STR_ARG(path));
}

static void open_fronts(struct prune_run *run)
{
    struct apiserver_options kinds = {0};
    standalone_add_kinds(&kinds);
    fronts_open(&run->fronts, &(struct fronts_options){
                                  .shared = run->options->shared,
                                  .trace = &run->trace,
                                  .kinds = &kinds,
                                  .count = CLUSTERS,
                                  .workload_asked = witness_delete,
                                  .data = run,
                              });
}

static struct error *go_through(void *data)
{
    struct prune_run *run = data;
    open_fronts(run);
    rounds_prepare(run);
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "supervisor", life_supervise, &run->life);
        for (size_t i = 0; i < ROUNDS; i++)
            rounds_play(run);
        life_spare(&run->life);
    }
    fronts_close(&run->fronts);
    return NULL;
}

/* A process that is torn down says nothing more; one that is told to stop may end what it began. */
static void note_killed(void *data)
{
    struct prune_run *run = data;
    fronts_set_cut(&run->fronts, run->cuts);
}

static struct error *run_program(void *data)
{
    struct prune_run *run = data;
    OWNED(controller_manager) controllers = NULL;
    const struct controller_manager_options options = {
        .config = &run->fronts.management.config,
        .network = run->fronts.network,
        .user_agent = STR("corset"),
        .concurrency = WORKERS,
        .apply_concurrency = WORKERS,
        .cluster_concurrency = WORKERS,
        .timing = {.probe = MINUTE, .retry = SECOND},
    };
    OWNED(error) err = controller_manager_new(loop_current(), &options, &controllers);
    if (!err)
        err = controller_manager_run(controllers);
    life_is_over(&run->life, err);
    controller_manager_free(TAKE(controllers));
    fronts_set_cut(&run->fronts, false);
    return NULL;
}

static void draw_run(struct prune_run *run)
{
    random_init(&run->dice, run->options->seed ^ 0x9d11);
    random_init(&run->life.dice, random_u64(&run->dice));
    run->when = (unsigned)random_below(&run->dice, 8);
    run->when |= (unsigned)random_below(&run->dice, 8);
    run->cuts = draw_chance(&run->dice, 0.6);
    run->life.restarts_left = random_below(&run->dice, RESTARTS_MAX + 1);
    run->life.parks_most = 20 + random_below(&run->dice, 600);
    random_init(&run->fronts.management.dice, random_u64(&run->dice));
    if (draw_chance(&run->dice, 0.6))
        run->fronts.management.faults = front_faults_draw(&run->dice);
    for (size_t i = 0; i < CLUSTERS; i++) {
        random_init(&run->fronts.workloads[i].dice, random_u64(&run->dice));
        if (draw_chance(&run->dice, 0.6))
            run->fronts.workloads[i].faults = front_faults_draw(&run->dice);
    }
}

static void play_seed(const struct seeds_options *options, struct seeds_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct prune_run run = {.options = options, .result = ret_result};
    *ret_result = (struct seeds_result){0};
    run.life = (struct life){.trace = &run.trace,
                             .run = run_program,
                             .killed = note_killed,
                             .data = &run,
                             .restart_at = options->restart_at};
    draw_run(&run);
    trace_begin(&run.trace, options->verbose);
    loop_set_park_hook(loop, life_on_park, &run.life);
    CHECK_OK(loop_run(loop, go_through, &run));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    loop_free(loop);
    trace_end(&run.trace);
    ret_result->hash = run.trace.hash;
    ret_result->parks = run.life.parks;
    ret_result->lives = run.life.count;
    ret_result->requests = fronts_requests(&run.fronts);
}

int main(int argc, char **argv)
{
    return seeds_main(play_seed, argc, argv);
}
