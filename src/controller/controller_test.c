#include "controller/controller.h"

#include <stdio.h>

#include "async/fiber.h"
#include "async/loop_turns.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/metrics.h"
#include "controller/fake_cache_test.h"
#include "controller/queue_internal.h"
#include "testing/sim.h"

/* A controller over a fake cache, and what its reconciles did. */
struct controller_fixture {
    struct cache cache;
    struct metrics *metrics;
    struct controller *controller;
    struct scope scope;
    struct buf calls, log;
    size_t count, running, running_max, stopped;

    /* What the next reconciles do. */
    duration takes;
    duration keeps;        /* the thread, without a wait */
    enum error_code fails; /* ERROR_NONE: they succeed */
    struct reconcile_result result;
};

static void note_line(void *data, struct str line)
{
    buf_add(data, line);
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct controller_fixture *fixture = data;
    key_write(&fixture->calls, key);
    buf_add_char(&fixture->calls, ' ');
    fixture->count++;
    if (++fixture->running > fixture->running_max)
        fixture->running_max = fixture->running;
    sim_stall(loop_current(), fixture->keeps);
    struct error *err = fixture->takes ? fiber_sleep(fixture->takes) : NULL;
    fixture->running--;
    if (err)
        return err;
    *ret_result = fixture->result;
    return fixture->fails ? error_new(fixture->fails, "it does not work") : NULL;
}

static void on_stopped(void *data)
{
    struct controller_fixture *fixture = data;
    CHECK_EQ(fixture->running, (size_t)0);
    fixture->stopped++;
}

static struct error *run(void *data)
{
    return error_ignore(controller_run(data), ERROR_CANCELED);
}

/* Options besides the usual may be given. */
static void controller_fixture_init(struct controller_fixture *fixture,
                                    struct controller_options options,
                                    const struct controller_source *source)
{
    *fixture = (struct controller_fixture){.metrics = metrics_new()};
    fake_cache_init(&fixture->cache);
    options.name = STR("test");
    options.reconcile = reconcile;
    options.data = fixture;
    options.stopped = on_stopped;
    options.metrics = fixture->metrics;
    fixture->controller = controller_new(loop_current(), &options);
    controller_watch(fixture->controller, &fixture->cache, source);
    log_set_sink(note_line, &fixture->log);
}

static void controller_fixture_start(struct controller_fixture *fixture)
{
    scope_start(&fixture->scope, "controller", run, fixture->controller);
    CHECK_OK(fiber_yield());
}

static void controller_fixture_settle(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

static void controller_fixture_done(struct controller_fixture *fixture)
{
    scope_done(&fixture->scope);
    CHECK(list_is_empty(&controller_queue(fixture->controller)->held));
    log_set_sink(NULL, NULL);
    controller_free(fixture->controller);
    metrics_free(fixture->metrics);
    fake_cache_done(&fixture->cache);
    buf_done(&fixture->calls);
    buf_done(&fixture->log);
}

static void put(struct controller_fixture *fixture, const char *name, int version, int generation)
{
    char json[256];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"ns\","
             "\"name\":\"%s\",\"resourceVersion\":\"%d\",\"generation\":%d}}",
             name, version, generation);
    fake_cache_put(&fixture->cache, json);
}

static void check_calls(struct controller_fixture *fixture, const char *calls)
{
    CHECK_EQ(buf_str(&fixture->calls), str_from_c(calls));
    buf_clear(&fixture->calls);
    fixture->count = 0;
}

static void check_metric(struct controller_fixture *fixture, const char *line)
{
    SCOPED(buf) text = {0};
    metrics_write(fixture->metrics, &text);
    CHECK_CONTAINS(buf_str(&text), str_from_c(line));
}

SIM_TEST(work_begins_once_caches_are_synced_and_news_go_first)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){0}, NULL);
    put(&fixture, "a", 1, 1);
    controller_fixture_start(&fixture);
    put(&fixture, "b", 2, 1);
    controller_fixture_settle(MINUTE);
    check_calls(&fixture, "");
    fake_cache_set_synced(&fixture.cache);
    put(&fixture, "c", 3, 1);
    put(&fixture, "b", 2, 1); /* unchanged: stays in its class */
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/c ns/a ns/b ");
    put(&fixture, "a", 1, 1);
    put(&fixture, "b", 4, 1);
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/b ns/a ");
    fake_cache_remove(&fixture.cache, KEY("ns", "b"));
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/b ");
}

/* FW-95. */
SIM_TEST(ten_events_while_a_key_is_processed_lead_to_one_more_loop)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.workers = 4}, NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    fixture.takes = 10 * SECOND;
    put(&fixture, "a", 1, 1);
    controller_fixture_settle(SECOND);
    for (int i = 2; i < 12; i++)
        put(&fixture, "a", i, 1);
    controller_fixture_settle(HOUR);
    check_calls(&fixture, "ns/a ns/a ");
    CHECK_EQ(fixture.running_max, (size_t)1);
}

SIM_TEST(as_many_run_at_a_time_as_there_are_workers)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.workers = 3}, NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    fixture.takes = SECOND;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t i = 0; i < COUNT(names); i++)
        put(&fixture, names[i], 1, 1);
    controller_fixture_settle(500 * MILLISECOND);
    check_metric(&fixture, "controller_runtime_active_workers{controller=\"test\"} 3\n");
    check_metric(&fixture, "controller_runtime_max_concurrent_reconciles{controller=\"test\"} 3\n");
    controller_fixture_settle(MINUTE);
    CHECK_EQ(fixture.count, COUNT(names));
    CHECK_EQ(fixture.running_max, (size_t)3);
    check_metric(&fixture, "controller_runtime_active_workers{controller=\"test\"} 0\n");
}

/* Clusters that appear at once are a key each, and none of the reconciles waits. */
SIM_TEST(keys_that_never_wait_do_not_keep_the_thread)
{
    SCOPED(controller_fixture) fixture;
    char name[16];
    controller_fixture_init(&fixture, (struct controller_options){.workers = 4}, NULL);
    loop_turns_register(loop_current(), fixture.metrics);
    fixture.keeps = MILLISECOND;
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof(name), "c%d", i);
        put(&fixture, name, 1, 1);
    }
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    controller_fixture_settle(MINUTE);
    CHECK_EQ(fixture.count, (size_t)16);
    check_metric(&fixture, "corset_loop_longest_turn_seconds 0.002\n");
}

SIM_TEST(workers_are_there_when_they_are_needed)
{
    SCOPED(controller_fixture) fixture;
    char name[16];
    controller_fixture_init(&fixture, (struct controller_options){.workers = 500}, NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    const size_t at_rest = loop_fiber_count(loop_current());
    CHECK(at_rest < 10);
    fixture.takes = SECOND;
    for (size_t i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "k%zu", i);
        queue_add(controller_queue(fixture.controller), (struct key){STR("ns"), str_from_c(name)},
                  QUEUE_NORMAL);
    }
    controller_fixture_settle(500 * MILLISECOND);
    CHECK_EQ(fixture.running, (size_t)200);
    controller_fixture_settle(SECOND);
    CHECK_EQ(fixture.count, (size_t)200);
    CHECK(loop_fiber_count(loop_current()) < at_rest + 10);
    put(&fixture, "one more", 1, 1);
    controller_fixture_settle(2 * SECOND);
    CHECK_EQ(fixture.count, (size_t)201);
}

/* Reconciles of more than a second wait for somebody. Others go on meanwhile, up to a limit. */
SIM_TEST(a_slow_reconcile_gives_its_worker_away)
{
    SCOPED(controller_fixture) fixture;
    char name[16];
    controller_fixture_init(
        &fixture, (struct controller_options){.workers = 4, .patience = SECOND, .deadline = HOUR},
        NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    fixture.takes = 10 * SECOND;
    for (size_t i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "k%zu", i);
        put(&fixture, name, 1, 1);
    }
    controller_fixture_settle(500 * MILLISECOND);
    CHECK_EQ(fixture.running, (size_t)4);
    controller_fixture_settle(SECOND);
    CHECK_EQ(fixture.running, (size_t)6);
    controller_fixture_settle(HOUR);
    CHECK_EQ(fixture.count, (size_t)20);
    CHECK_EQ(fixture.running_max, (size_t)6);
    TEST_CASE("what is fast counts");
    fixture.takes = 500 * MILLISECOND;
    fixture.running_max = 0;
    for (size_t i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "k%zu", i);
        put(&fixture, name, 2, 1);
    }
    controller_fixture_settle(MINUTE);
    CHECK_EQ(fixture.count, (size_t)40);
    CHECK_EQ(fixture.running_max, (size_t)4);
}

SIM_TEST(results_decide_what_comes_next)
{
    static const struct {
        const char *name;
        enum error_code fails;
        struct reconcile_result result;
        size_t count;    /* of reconciles within a second */
        size_t failures; /* that are remembered */
        const char *metric;
    } cases[] = {
        {"done",              ERROR_NONE,     {0},                                            1, 0, "success"      },
        {"requeue",           ERROR_NONE,     {.requeue = true},                              8, 8, "requeue"      },
        {"requeue after",     ERROR_NONE,     {.requeue_after = SECOND / 4},                  4, 0, "requeue_after"},
        {"after wins",
         ERROR_NONE,                          {.requeue = true, .requeue_after = SECOND / 4},
         4,                                                                                      0,
         "requeue_after"                                                                                           },
        {"an error",          ERROR_INTERNAL, {0},                                            8, 8, "error"        },
        {"error and requeue",
         ERROR_INTERNAL,                      {.requeue = true, .requeue_after = SECOND},
         8,                                                                                      8,
         "error"                                                                                                   },
        {"terminal",          ERROR_INTERNAL, {.is_terminal = true},                          1, 0, "error"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(controller_fixture) fixture;
        controller_fixture_init(&fixture, (struct controller_options){0}, NULL);
        check_metric(&fixture, "reconcile_total{controller=\"test\",result=\"requeue_after\"} 0\n");
        check_metric(&fixture, "reconcile_panics_total{controller=\"test\"} 0\n");
        fixture.fails = cases[i].fails;
        fixture.result = cases[i].result;
        fake_cache_set_synced(&fixture.cache);
        controller_fixture_start(&fixture);
        put(&fixture, "a", 1, 1);
        controller_fixture_settle(990 * MILLISECOND);
        CHECK_EQ(fixture.count, cases[i].count);
        const struct queue_entry *entry =
            map_find(&controller_queue(fixture.controller)->entries, STR("ns/a"));
        CHECK_EQ(entry ? entry->failures : 0, cases[i].failures);
        char line[128];
        snprintf(line, sizeof(line), "reconcile_total{controller=\"test\",result=\"%s\"} %zu\n",
                 cases[i].metric, cases[i].count);
        check_metric(&fixture, line);
        snprintf(line, sizeof(line), "_reconcile_errors_total{controller=\"test\"} %zu\n",
                 cases[i].fails ? cases[i].count : 0);
        check_metric(&fixture, line);
        snprintf(line, sizeof(line), "terminal_reconcile_errors_total{controller=\"test\"} %d\n",
                 cases[i].result.is_terminal);
        check_metric(&fixture, line);
    }
}

SIM_TEST(an_error_is_logged_once_with_its_key)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){0}, NULL);
    fixture.fails = ERROR_CONFLICT;
    fixture.result.is_terminal = true;
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    put(&fixture, "a", 1, 1);
    controller_fixture_settle(SECOND);
    const struct str log = buf_str(&fixture.log);
    const size_t at = str_find(log, STR("Reconciler error"));
    CHECK(at != STR_NONE);
    CHECK_CONTAINS(str_skip(log, at), STR("controller=\"test\" namespace=\"ns\" name=\"a\""));
    CHECK_CONTAINS(str_skip(log, at), STR("it does not work"));
    const size_t end = at + str_find(str_skip(log, at), STR("it does not work")) + 1;
    CHECK(!str_contains(str_skip(log, end), STR("it does not work")));
}

SIM_TEST(a_reconcile_that_takes_too_long_is_ended_and_repeated)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.deadline = 5 * SECOND}, NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    fixture.takes = HOUR;
    put(&fixture, "a", 1, 1);
    controller_fixture_settle(5 * SECOND + MILLISECOND);
    check_metric(&fixture, "controller_runtime_reconcile_timeouts_total{controller=\"test\"} 1\n");
    check_metric(&fixture,
                 "controller_runtime_reconcile_time_seconds_sum{controller=\"test\"} 5\n");
    fixture.takes = 0;
    controller_fixture_settle(10 * SECOND);
    CHECK_EQ(fixture.count, (size_t)2);
}

SIM_TEST(stopping_cancels_what_runs_and_counts_no_failure)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.workers = 2}, NULL);
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    fixture.takes = HOUR;
    put(&fixture, "a", 1, 1);
    put(&fixture, "b", 1, 1);
    controller_fixture_settle(SECOND);
    CHECK_EQ(fixture.running, (size_t)2);
    scope_cancel(&fixture.scope);
    CHECK_OK(scope_wait(&fixture.scope));
    CHECK_EQ(fixture.running, (size_t)0);
    CHECK_EQ(fixture.stopped, (size_t)1);
    check_metric(&fixture, "_reconcile_errors_total{controller=\"test\"} 0\n");
}

SIM_TEST(a_resync_spreads_its_keys_over_the_period)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.resync = 10 * MINUTE}, NULL);
    fake_cache_set_synced(&fixture.cache);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%02d", i);
        put(&fixture, name, 1, 1);
    }
    controller_fixture_start(&fixture);
    controller_fixture_settle(MILLISECOND);
    CHECK_EQ(fixture.count, (size_t)40);
    size_t most = 0;
    for (int period = 0; period < 3; period++) {
        fixture.count = 0;
        for (int i = 0; i < 60; i++) {
            const size_t before = fixture.count;
            controller_fixture_settle(10 * SECOND);
            most = fixture.count - before > most ? fixture.count - before : most;
        }
        CHECK_EQ(fixture.count, (size_t)40);
    }
    CHECK(most < 8);
}

static void put_owned(struct controller_fixture *fixture, int version, const char *kind,
                      const char *owner)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"ns\","
             "\"name\":\"owned\",\"resourceVersion\":\"%d\",\"ownerReferences\":["
             "{\"apiVersion\":\"apps/v1\",\"kind\":\"Other\",\"name\":\"no\",\"uid\":\"1\"},"
             "{\"apiVersion\":\"x.dev/v1\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":\"2\","
             "\"controller\":true}]}}",
             version, kind, owner);
    fake_cache_put(&fixture->cache, json);
}

SIM_TEST(the_owner_map_finds_who_controls_before_and_after)
{
    static struct controller_owner owner = {STR_INIT("x.dev"), STR_INIT("Web"), false};
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(
        &fixture, (struct controller_options){0},
        &(struct controller_source){.map = controller_map_owner, .data = &owner});
    fake_cache_set_synced(&fixture.cache);
    controller_fixture_start(&fixture);
    put_owned(&fixture, 1, "Web", "first");
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/first ");
    put_owned(&fixture, 2, "Web", "second");
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/first ns/second ");
    put_owned(&fixture, 3, "Mob", "third");
    controller_fixture_settle(SECOND);
    check_calls(&fixture, "ns/second ");
}

static struct error *tortured(struct controller_fixture *fixture)
{
    fake_cache_set_synced(&fixture->cache);
    scope_start(&fixture->scope, "controller", run, fixture->controller);
    put(fixture, "a", 1, 1);
    put(fixture, "b", 1, 1);
    TRY(fiber_sleep(3 * SECOND));
    scope_cancel(&fixture->scope);
    return scope_wait(&fixture->scope);
}

TORTURE_TEST(a_controller_ends_whatever_happens_to_it)
{
    SCOPED(controller_fixture) fixture;
    controller_fixture_init(&fixture, (struct controller_options){.workers = 2, .resync = MINUTE},
                            NULL);
    fixture.takes = SECOND;
    return tortured(&fixture);
}
