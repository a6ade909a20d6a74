#include <stdio.h>

#include "apiserver/storage/store.h"
#include "app/standalone_kinds.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "net/network.h"
#include "soak/sets/sets.h"

#define CONVERGES_WITHIN (3 * MINUTE) /* by events and back-offs, or */
#define RESYNCS_WITHIN   (8 * MINUTE) /* by looking at everything once in a while */
#define CALM             (6 * SECOND) /* instead of trouble */
#define LOOK_EVERY       (5 * SECOND)
/*
 * The last echoes of the last writes and of the trouble: a request that was lost is given up after
 * 30 s, and what it asked for is asked again some seconds later.
 */
#define STEADY_AFTER (45 * SECOND)

#define STEADY_FOR      (20 * MINUTE)
#define CONTESTED_FOR   (6 * MINUTE) /* less than an object is left alone for */
#define DRIFT_SELDOM    (2 * MINUTE)
#define DRIFT_OFTEN     (15 * SECOND)
#define DRIFT_LATEST    1.2 /* intervals */
#define PROBES_MAX      4   /* of a cluster in that time: they cost more than anything else */
#define HISTORY_MAX     30
#define RESTARTS_MAX    3
#define RESTARTS_WITHIN 2500
#define WATCHES         6 /* kinds the management cluster is watched for */
#define WEATHER         0.3
#define POLICIES        0.5
#define OPPONENTS       0.1
#define VALUES          0.5
#define PRUNERS         0.6
#define SPOILT          0.4

struct run {
    struct sets sets;
    const struct seeds_options *options;
    struct seeds_result *result;
    bool weather[CLUSTERS + 1]; /* the last is the management cluster's */
    size_t history;
    bool has_events; /* they may be written: every one costs a request */
};

static struct sets_profile draw_profile(struct random *dice)
{
    static const duration probes[] = {5 * SECOND,  MINUTE,      5 * MINUTE, 10 * MINUTE,
                                      10 * MINUTE, 10 * MINUTE, 10 * MINUTE};
    static const duration retries[] = {SECOND, 3 * SECOND, 30 * SECOND};
    return (struct sets_profile){
        .reconciles = {true, false, draw_chance(dice, 0.5)},
        .resyncs = draw_chance(dice, 0.3),
        .cuts_when_killed = draw_chance(dice, 0.7),
        .probe = probes[random_below(dice, COUNT(probes))],
        .retry = retries[random_below(dice, COUNT(retries))],
        .trouble = 3 * SECOND + draw_span(dice, 9 * SECOND),
    };
}

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

/* Not beside the order, of which the model says more than of policies. */
static void draw_tampering(struct run *run, struct random *dice)
{
    struct sets_profile *profile = &run->sets.profile;
    struct random *own = &run->sets.tampering_dice;
    random_init(own, random_u64(dice));
    struct random values, prunes, spoilt; /* dice of their own: what the others draw stays */
    random_init(&values, run->sets.seed ^ 0x7a1e);
    random_init(&prunes, run->sets.seed ^ 0x9e4e);
    random_init(&spoilt, run->sets.seed ^ 0x5b01);
    profile->has_policy = draw_chance(own, POLICIES) && !profile->has_order;
    profile->has_opponent = profile->has_policy && draw_chance(own, OPPONENTS);
    profile->has_values = profile->has_policy && draw_chance(&values, VALUES);
    profile->prunes = profile->has_policy && draw_chance(&prunes, PRUNERS);
    profile->is_spoilt =
        profile->has_policy && !profile->has_opponent && draw_chance(&spoilt, SPOILT);
    profile->drift_check = profile->has_opponent ? DRIFT_OFTEN : DRIFT_SELDOM;
}

static void draw_all(struct run *run)
{
    struct sets *sets = &run->sets;
    struct random dice;
    random_init(&dice, sets->seed ^ 0x5e75);
    random_init(&sets->users_dice, random_u64(&dice));
    random_init(&sets->life.dice, random_u64(&dice));
    sets->profile = draw_profile(&dice);
    sets->life.restarts_left = random_below(&dice, RESTARTS_MAX + 1);
    sets->life.parks_most = 20 + random_below(&dice, RESTARTS_WITHIN);
    run->has_events = draw_chance(&dice, 0.2);
    run->history = 2 + random_below(&dice, HISTORY_MAX);
    draw_front(&dice, &sets->management, &run->weather[CLUSTERS]);
    for (size_t i = 0; i < CLUSTERS; i++)
        draw_front(&dice, &sets->workloads[i], &run->weather[i]);
    sets->profile.merges = draw_chance(&dice, 0.2);
    random_init(&sets->order_dice, random_u64(&dice));
    /* The trial of the order is longer than all the rest: not at every point of a restart. */
    sets->profile.has_order = draw_chance(&sets->order_dice, 0.4) && !run->options->restart_at;
    draw_tampering(run, &dice);
}

static void open_management(struct run *run)
{
    struct apiserver_options kinds = {0};
    standalone_add_kinds(&kinds);
    front_open(&run->sets.management, &(struct front_options){
                                          .shared = run->options->shared,
                                          .network = run->sets.network,
                                          .trace = &run->sets.trace,
                                          .name = "",
                                          .host = STR("server.test"),
                                          .back = STR("back.test"),
                                          .cluster = STR("management"),
                                          .history = run->history,
                                          .definitions = kinds.definitions,
                                          .definition_count = kinds.definition_count,
                                          .webhooks = kinds.webhooks,
                                          .forbidden = run->has_events ? NULL : "/events",
                                          .asked = witness_management,
                                          .data = &run->sets,
                                      });
}

static void open_workload(struct run *run, size_t cluster)
{
    static const char *const names[CLUSTERS] = {"c0: ", "c1: ", "c2: ", "c3: ", "c4: "};
    static const char *const kinds[] = {"one", "two", "back"};
    struct sets *sets = &run->sets;
    char(*hosts)[32] = sets->hosts[cluster];
    for (size_t i = 0; i < COUNT(kinds); i++)
        snprintf(hosts[i], sizeof(hosts[i]), "c%zu-%s.test", cluster, kinds[i]);
    front_open(&sets->workloads[cluster], &(struct front_options){
                                              .shared = run->options->shared,
                                              .network = sets->network,
                                              .trace = &sets->trace,
                                              .name = names[cluster],
                                              .host = str_from_c(hosts[0]),
                                              .back = str_from_c(hosts[2]),
                                              .cluster = str_from_c(hosts[0]),
                                              .history = run->history,
                                              .is_open = true,
                                              .asked = witness_request,
                                              .data = sets,
                                          });
}

static void open_servers(struct run *run)
{
    run->sets.network = sim_network_new(loop_current());
    open_management(run);
    for (size_t i = 0; i < CLUSTERS; i++)
        open_workload(run, i);
}

static void close_servers(struct sets *sets)
{
    for (size_t i = 0; i < CLUSTERS; i++)
        front_close(&sets->workloads[i]);
    front_close(&sets->management);
    while (sim_network_connections(sets->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(sets->network);
}

static void go_through_trouble(struct run *run)
{
    struct sets *sets = &run->sets;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "edits", simulated_users_edit, sets);
    for (size_t i = 0; i <= CLUSTERS; i++) {
        struct front *front = i < CLUSTERS ? &sets->workloads[i] : &sets->management;
        front->in_trouble = true;
        if (run->weather[i])
            scope_start(&scope, "weather", front_weather, front);
    }
    CHECK_OK(fiber_sleep(sets->profile.trouble));
}

static void end_trouble(struct sets *sets)
{
    sets->life.may_restart = false;
    front_clear_sky(&sets->management);
    for (size_t i = 0; i < CLUSTERS; i++)
        front_clear_sky(&sets->workloads[i]);
}

static struct error *check_settled(struct sets *sets)
{
    TRY(model_check(sets));
    const size_t most = WATCHES + sets->profile.has_policy; /* policies, once a set names one */
    if (sets->management.watches < WATCHES || sets->management.watches > most ||
        sets->management.active != sets->management.watches)
        return error_new(ERROR_INVALID, "%zu requests are under way, %zu of them watches",
                         sets->management.active, sets->management.watches);
    return NULL;
}

/* How long it took. */
static duration converge(struct sets *sets)
{
    const int64_t begun = loop_now(loop_current());
    const duration most =
        sets->profile.resyncs || sets->profile.has_policy ? RESYNCS_WITHIN : CONVERGES_WITHIN;
    OWNED(error) problem = NULL;
    while ((problem = check_settled(sets))) {
        if (loop_now(loop_current()) - begun > most)
            test_fail(TEST_PLACE("objects"), "are not as they should be: %s", problem->message);
        error_free(TAKE(problem));
        CHECK_OK(fiber_sleep(LOOK_EVERY));
    }
    trace_print(&sets->trace, "all is as it should be");
    return loop_now(loop_current()) - begun;
}

static size_t count_writes(const struct sets *sets)
{
    size_t writes = sets->management.writes - sets->events;
    for (size_t i = 0; i < CLUSTERS; i++)
        writes += sets->workloads[i].writes;
    return writes;
}

/* Events tell how often something came again, a while after it did. */
static int64_t count_changes(const struct sets *sets)
{
    return store_revision(sets->management.api->store) - (int64_t)sets->events;
}

static duration steady_span(const struct sets *sets)
{
    const duration probed = PROBES_MAX * sets->profile.probe;
    const duration most = sets->opponent.is_active ? CONTESTED_FOR : STEADY_FOR;
    return probed < most ? probed : most;
}

/* Nothing is written anywhere. */
static void stay(struct sets *sets)
{
    CHECK_OK(fiber_sleep(STEADY_AFTER));
    if (sets->profile.has_policy) /* a check may record what was repaired */
        CHECK_OK(fiber_sleep((duration)(DRIFT_LATEST * (double)sets->profile.drift_check)));
    CHECK_OK(model_check(sets));
    trace_print(&sets->trace, "the steady state begins");
    const size_t writes = count_writes(sets);
    const int64_t changes = count_changes(sets);
    CHECK_OK(fiber_sleep(steady_span(sets) / 2));
    /* What cannot be applied is told anew by a new process. */
    if (sets->seed % 2 == 0 && !sets->has_trouble && !sets->opponent.is_active)
        life_end(&sets->life, "restarts in the steady state");
    CHECK_OK(fiber_sleep(steady_span(sets) / 2));
    /* By a policy clusters that are new get what there is, and are tried again for the rest. */
    if (!sets->profile.is_spoilt) {
        CHECK_EQ(count_writes(sets), writes);
        CHECK_EQ(count_changes(sets), changes);
    }
    CHECK_OK(model_check(sets));
}

static void come_to_rest(struct run *run)
{
    struct sets *sets = &run->sets;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "provider", provider_tend, sets);
    if (sets->life.may_restart)
        go_through_trouble(run);
    else
        CHECK_OK(fiber_sleep(CALM));
    end_trouble(sets);
    simulated_users_end(sets);
    run->result->took = converge(sets);
    if (sets->profile.is_spoilt) {
        simulated_users_spoil(sets);
        (void)converge(sets);
    }
    if (sets->profile.has_order) {
        precedence_try(sets);
        (void)converge(sets);
    }
}

static void go_through(struct run *run)
{
    struct sets *sets = &run->sets;
    SCOPED(scope) scope = {0};
    sets->life.may_restart = sets->life.restart_at == 0;
    scope_start(&scope, "supervisor", life_supervise, &sets->life);
    come_to_rest(run);
    life_spare(&sets->life);
    tampering_oppose(sets, &scope);
    if (sets->opponent.is_active)
        (void)converge(sets);
    stay(sets);
}

static struct error *run(void *data)
{
    struct run *run = data;
    struct sets *sets = &run->sets;
    open_servers(run);
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "witness", witness_follow, sets);
        CHECK_OK(fiber_sleep(MILLISECOND));
        simulated_users_begin(sets);
        go_through(run);
    }
    close_servers(sets);
    mem_free(sets->versions);
    return NULL;
}

void sets_run(const struct seeds_options *options, struct seeds_result *ret_result)
{
    struct loop *loop = sim_loop_new(options->seed);
    struct run all = {.sets.seed = options->seed, .options = options, .result = ret_result};
    struct sets *sets = &all.sets;
    *ret_result = (struct seeds_result){0};
    sets->life = (struct life){.trace = &sets->trace,
                               .run = program_run,
                               .killed = program_killed,
                               .data = sets,
                               .restart_at = options->restart_at};
    draw_all(&all);
    trace_begin(&sets->trace, options->verbose);
    loop_set_park_hook(loop, life_on_park, &sets->life);
    CHECK_OK(loop_run(loop, run, &all));
    CHECK_EQ(loop_fiber_count(loop), 0U);
    CHECK_EQ(loop_timer_count(loop), 0U);
    loop_free(loop);
    trace_end(&sets->trace);
    ret_result->hash = sets->trace.hash;
    ret_result->parks = sets->life.parks;
    ret_result->requests = sets->management.requests;
    for (size_t i = 0; i < CLUSTERS; i++)
        ret_result->requests += sets->workloads[i].requests;
    ret_result->lives = sets->life.count;
}
