/* Puts a run together: servers, the process and its lives, and the witness. See prune.h. */
#include <stdio.h>

#include "app/controller_manager.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "http/server.h"
#include "net/network.h"
#include "soak/prune/prune.h"

#define ROUNDS       1
#define RESTARTS_MAX 3
#define WORKERS      4

/* Something is to be deleted in a cluster. */
static void witness_delete(struct front *front, struct http_request *http)
{
    struct prune_run *run = front->options.data;
    const size_t cluster = (size_t)(front - run->workloads);
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

static void open_front(struct prune_run *run, size_t cluster)
{
    static const char *const names[CLUSTERS] = {"c0: ", "c1: ", "c2: "};
    char(*hosts)[32] = run->hosts[cluster];
    snprintf(hosts[0], sizeof(hosts[0]), "c%zu.test", cluster);
    snprintf(hosts[1], sizeof(hosts[1]), "c%zu-back.test", cluster);
    front_open(&run->workloads[cluster], &(struct front_options){
                                             .shared = run->options->shared,
                                             .network = run->network,
                                             .trace = &run->trace,
                                             .name = names[cluster],
                                             .host = str_from_c(hosts[0]),
                                             .back = str_from_c(hosts[1]),
                                             .cluster = str_from_c(hosts[0]),
                                             .history = 100,
                                             .is_open = true,
                                             .asked = witness_delete,
                                             .data = run,
                                         });
}

static void open_fronts(struct prune_run *run)
{
    struct apiserver_options kinds = {0};
    standalone_add_kinds(&kinds);
    run->network = sim_network_new(loop_current());
    front_open(&run->management, &(struct front_options){
                                     .shared = run->options->shared,
                                     .network = run->network,
                                     .trace = &run->trace,
                                     .name = "",
                                     .host = STR("server.test"),
                                     .back = STR("back.test"),
                                     .cluster = STR("management"),
                                     .history = 100,
                                     .definitions = kinds.definitions,
                                     .definition_count = kinds.definition_count,
                                     .webhooks = kinds.webhooks,
                                     .forbidden = "/events",
                                     .data = run,
                                 });
    for (size_t i = 0; i < CLUSTERS; i++)
        open_front(run, i);
}

static void close_fronts(struct prune_run *run)
{
    for (size_t i = 0; i < CLUSTERS; i++)
        front_close(&run->workloads[i]);
    front_close(&run->management);
    while (sim_network_connections(run->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(run->network);
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
    close_fronts(run);
    return NULL;
}

static void set_cut(struct prune_run *run, bool is_cut)
{
    run->management.is_cut = is_cut;
    for (size_t i = 0; i < CLUSTERS; i++)
        run->workloads[i].is_cut = is_cut;
}

/* A process that is torn down says nothing more; one that is told to stop may end what it began. */
static void note_killed(void *data)
{
    struct prune_run *run = data;
    set_cut(run, run->cuts);
}

static struct error *run_program(void *data)
{
    struct prune_run *run = data;
    OWNED(controller_manager) controllers = NULL;
    const struct controller_manager_options options = {
        .config = &run->management.config,
        .network = run->network,
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
    set_cut(run, false);
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
    random_init(&run->management.dice, random_u64(&run->dice));
    if (draw_chance(&run->dice, 0.6))
        run->management.faults = front_faults_draw(&run->dice);
    for (size_t i = 0; i < CLUSTERS; i++) {
        random_init(&run->workloads[i].dice, random_u64(&run->dice));
        if (draw_chance(&run->dice, 0.6))
            run->workloads[i].faults = front_faults_draw(&run->dice);
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
    ret_result->requests = run.management.requests;
    for (size_t i = 0; i < CLUSTERS; i++)
        ret_result->requests += run.workloads[i].requests;
}

int main(int argc, char **argv)
{
    return seeds_main(play_seed, argc, argv);
}
