/* A whole run: rounds of trouble, and a quiet moment after each. */
#include <stdio.h>

#include "app/controller_manager.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "base/memory.h"
#include "client/client.h"
#include "net/network.h"
#include "soak/account/account.h"

#define WORKERS         4
#define SYNC_SELDOM     (10 * HOUR)   /* nothing is found by looking at everything once more */
#define SETTLES_WITHIN  (20 * MINUTE) /* a back-off takes up to 1,000 s */
#define LOOK_EVERY      (5 * SECOND)
#define STAYS_FOR       (15 * SECOND) /* and nothing that is under way changes that */
#define ROUNDS_MAX      2
#define HISTORY_MAX     30
#define RESTARTS_MAX    3
#define RESTARTS_WITHIN 2500
#define WEATHER         0.3

struct run {
    struct account account;
    const struct seeds_options *options;
    struct seeds_result *result;
    bool weather[CLUSTERS + 1]; /* the first is the management cluster's */
    size_t history, rounds;
    bool has_events;
};

static void draw_front(struct random *dice, struct front *front, bool *ret_weather)
{
    random_init(&front->dice, random_u64(dice));
    front->faults = front_faults_draw(dice);
    *ret_weather = draw_chance(dice, WEATHER);
    if (draw_chance(dice, 0.4)) {
        front->faults = (struct front_faults){0};
        *ret_weather = false;
    }
}

static void draw_all(struct run *run)
{
    static const duration retries[] = {3 * SECOND, 30 * SECOND};
    struct account *account = &run->account;
    struct random dice;
    random_init(&dice, account->seed ^ 0xacc0);
    random_init(&account->dice, random_u64(&dice));
    account->clusters = draw_chance(&dice, 0.5) ? CLUSTERS : 1;
    account->replicas = draw_chance(&dice, 0.2) ? REPLICAS : 1;
    account->probe = draw_chance(&dice, 0.5) ? 5 * SECOND : 10 * SECOND;
    account->retry = retries[random_below(&dice, COUNT(retries))];
    account->cuts_when_killed = account->replicas == 1 && draw_chance(&dice, 0.7);
    for (size_t i = 0; i < REPLICAS; i++) {
        random_init(&account->lives[i].dice, random_u64(&dice));
        account->lives[i].restarts_left = random_below(&dice, RESTARTS_MAX + 1);
        account->lives[i].parks_most = 20 + random_below(&dice, RESTARTS_WITHIN);
    }
    run->has_events = draw_chance(&dice, 0.3);
    run->history = 2 + random_below(&dice, HISTORY_MAX);
    run->rounds = draw_chance(&dice, 0.3) ? ROUNDS_MAX : 1;
    draw_front(&dice, &account->management, &run->weather[0]);
    for (size_t i = 0; i < account->clusters; i++)
        draw_front(&dice, &account->fronts[i], &run->weather[i + 1]);
}

static void open_management(struct run *run)
{
    struct apiserver_options kinds = {0};
    standalone_add_kinds(&kinds);
    front_open(&run->account.management, &(struct front_options){
                                             .shared = run->options->shared,
                                             .network = run->account.network,
                                             .trace = &run->account.trace,
                                             .name = "",
                                             .host = STR("server.test"),
                                             .back = STR("back.test"),
                                             .cluster = STR("management"),
                                             .history = run->history,
                                             .definitions = kinds.definitions,
                                             .definition_count = kinds.definition_count,
                                             .webhooks = kinds.webhooks,
                                             .forbidden = run->has_events ? NULL : "/events",
                                             .data = &run->account,
                                         });
}

static void open_workload(struct run *run, size_t cluster)
{
    struct account *account = &run->account;
    struct workload *workload = &account->workloads[cluster];
    snprintf(workload->name, sizeof(workload->name), "c%zu: ", cluster);
    snprintf(workload->hosts[0], sizeof(workload->hosts[0]), "c%zu-one.test", cluster);
    snprintf(workload->hosts[1], sizeof(workload->hosts[1]), "c%zu-two.test", cluster);
    snprintf(workload->back, sizeof(workload->back), "c%zu-back.test", cluster);
    front_open(&account->fronts[cluster], &(struct front_options){
                                              .shared = run->options->shared,
                                              .network = account->network,
                                              .trace = &account->trace,
                                              .name = workload->name,
                                              .host = str_from_c(workload->hosts[0]),
                                              .back = str_from_c(workload->back),
                                              .cluster = str_from_c(workload->hosts[0]),
                                              .history = run->history,
                                              .is_open = true,
                                              .asked = contents_touched,
                                              .data = account,
                                          });
}

/* corset status asks at the entrance where nothing goes wrong. */
static void open_servers(struct run *run, struct rest_config *ret_config)
{
    struct account *account = &run->account;
    account->network = sim_network_new(loop_current());
    open_management(run);
    for (size_t i = 0; i < account->clusters; i++)
        open_workload(run, i);
    *ret_config = account->management.config;
    ret_config->server.host = account->management.options.back;
    account->client = client_new(
        loop_current(),
        &(struct client_options){.config = ret_config, .network = account->network, .qps = 1000});
}

static void close_servers(struct account *account)
{
    client_free(account->client);
    for (size_t i = 0; i < account->clusters; i++)
        front_close(&account->fronts[i]);
    front_close(&account->management);
    while (sim_network_connections(account->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(account->network);
}

static void set_cut(struct account *account, bool is_cut)
{
    account->management.is_cut = is_cut;
    for (size_t i = 0; i < account->clusters; i++)
        account->fronts[i].is_cut = is_cut;
}

/* A process that is torn down says nothing more; one that is told to stop may end what it began. */
static void process_killed(void *data)
{
    struct account *account = data;
    set_cut(account, account->cuts_when_killed && draw_chance(&account->lives[0].dice, 0.5));
}

static struct error *run_process(struct account *account, struct life *life)
{
    OWNED(controller_manager) controllers = NULL;
    char identity[48];
    snprintf(identity, sizeof(identity), "replica-%zu-%zu", (size_t)(life - account->lives),
             life->count);
    const struct controller_manager_options options = {
        .config = &account->management.config,
        .network = account->network,
        .user_agent = STR("corset"),
        .concurrency = WORKERS,
        .apply_concurrency = WORKERS,
        .cluster_concurrency = WORKERS,
        .sync_period = SYNC_SELDOM,
        .owns_clusters = true,
        .timing = {.probe = account->probe, .retry = account->retry},
        .leader_elect = account->replicas > 1,
        .lease_namespace = STR("default"),
        .lease_identity = str_from_c(identity),
        .lease_duration = 8 * SECOND,
        .renew_deadline = 6 * SECOND,
        .retry_period = 2 * SECOND,
    };
    OWNED(error) err = controller_manager_new(loop_current(), &options, &controllers);
    if (!err)
        err = controller_manager_run(controllers);
    life_is_over(life, err);
    controller_manager_free(TAKE(controllers));
    set_cut(account, false);
    return NULL;
}

static struct error *run_first(void *data)
{
    struct account *account = data;
    return run_process(account, &account->lives[0]);
}

static struct error *run_second(void *data)
{
    struct account *account = data;
    return run_process(account, &account->lives[1]);
}

static struct error *on_park(void *data, const char *what)
{
    struct account *account = data;
    for (size_t i = 0; i < account->replicas; i++)
        TRY(life_on_park(&account->lives[i], what));
    return NULL;
}

static void go_through_trouble(struct run *run)
{
    struct account *account = &run->account;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "edits", simulated_users_edit, account);
    for (size_t i = 0; i <= account->clusters; i++) {
        struct front *front = i ? &account->fronts[i - 1] : &account->management;
        front->in_trouble = true;
        if (run->weather[i])
            scope_start(&scope, "weather", front_weather, front);
    }
    for (size_t i = 0; i < account->replicas; i++)
        account->lives[i].may_restart = true;
    CHECK_OK(fiber_sleep(2 * SECOND + draw_span(&account->dice, 7 * SECOND)));
}

static void end_trouble(struct account *account)
{
    for (size_t i = 0; i < account->replicas; i++) {
        account->lives[i].may_restart = false;
        life_spare(&account->lives[i]);
    }
    front_clear_sky(&account->management);
    for (size_t i = 0; i < account->clusters; i++)
        fleet_clear_sky(account, i);
}

/* Waits until account and clusters agree, and still do after a while: then it is quiet. */
static duration rest(struct account *account)
{
    const int64_t begun = loop_now(loop_current());
    int64_t agreed = 0;
    for (;;) {
        OWNED(error) problem = model_check(account);
        const int64_t now = loop_now(loop_current());
        if (problem && now - begun > SETTLES_WITHIN)
            test_fail(TEST_PLACE("account"), "is wrong: %s", problem->message);
        if (!problem && agreed)
            break;
        agreed = problem ? 0 : now;
        CHECK_OK(fiber_sleep(problem ? LOOK_EVERY : STAYS_FOR));
    }
    trace_print(&account->trace, "account and clusters agree");
    return agreed - begun;
}

static struct error *run(void *data)
{
    struct run *run = data;
    struct account *account = &run->account;
    struct rest_config config;
    open_servers(run, &config);
    simulated_users_begin(account);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < account->replicas; i++)
            scope_start(&scope, "supervisor", life_supervise, &account->lives[i]);
        for (size_t i = 0; i < run->rounds; i++) {
            go_through_trouble(run);
            end_trouble(account);
            const duration took = rest(account);
            if (run->result->took < took)
                run->result->took = took;
        }
    }
    close_servers(account);
    mem_free(account->versions);
    return NULL;
}

void account_run(const struct seeds_options *options, struct seeds_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct run all = {.account.seed = options->seed, .options = options, .result = ret_result};
    struct account *account = &all.account;
    *ret_result = (struct seeds_result){0};
    for (size_t i = 0; i < REPLICAS; i++)
        account->lives[i] = (struct life){.trace = &account->trace,
                                          .run = i ? run_second : run_first,
                                          .killed = process_killed,
                                          .data = account};
    draw_all(&all);
    trace_begin(&account->trace, options->verbose);
    loop_set_park_hook(loop, on_park, account);
    CHECK_OK(loop_run(loop, run, &all));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    CHECK_EQ(loop_timer_count(loop), 0U);
    loop_free(loop);
    trace_end(&account->trace);
    ret_result->hash = account->trace.hash;
    ret_result->requests = account->management.requests;
    for (size_t i = 0; i < account->clusters; i++)
        ret_result->requests += account->fronts[i].requests;
    for (size_t i = 0; i < account->replicas; i++) {
        ret_result->parks += account->lives[i].parks;
        ret_result->lives += account->lives[i].count;
    }
}
