#include "controller/controller.h"

#include <stdio.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/metrics.h"
#include "controller/fake_cache_test.h"
#include "testing/sim.h"

/* A controller over a fake cache, and what its reconciles did. */
struct rig {
    struct cache cache;
    struct metrics *metrics;
    struct controller *controller;
    struct scope scope;
    struct buf calls, log;
    size_t count, running, running_most, stopped;

    /* What the next reconciles do. */
    duration takes;
    enum error_code fails; /* ERROR_NONE: they succeed */
    struct reconcile_result result;
};

static void note_line(void *data, struct str line)
{
    buf_add(data, line);
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    struct rig *rig = data;
    key_write(&rig->calls, key);
    buf_add_char(&rig->calls, ' ');
    rig->count++;
    if (++rig->running > rig->running_most)
        rig->running_most = rig->running;
    struct error *err = rig->takes ? fiber_sleep(rig->takes) : NULL;
    rig->running--;
    if (err)
        return err;
    *ret_result = rig->result;
    return rig->fails ? error_new(rig->fails, "it does not work") : NULL;
}

static void on_stopped(void *data)
{
    struct rig *rig = data;
    CHECK_EQ(rig->running, (size_t)0);
    rig->stopped++;
}

static struct error *run(void *data)
{
    return error_ignore(controller_run(data), ERROR_CANCELED);
}

/* Options besides the usual may be given. */
static void rig_init(struct rig *rig, struct controller_options options,
                     const struct controller_source *source)
{
    *rig = (struct rig){.metrics = metrics_new()};
    fake_cache_init(&rig->cache);
    options.name = STR("test");
    options.reconcile = reconcile;
    options.data = rig;
    options.stopped = on_stopped;
    options.metrics = rig->metrics;
    rig->controller = controller_new(loop_current(), &options);
    controller_watch(rig->controller, &rig->cache, source);
    log_set_sink(note_line, &rig->log);
}

static void rig_start(struct rig *rig)
{
    scope_start(&rig->scope, "controller", run, rig->controller);
    CHECK_OK(fiber_yield());
}

static void rig_settle(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

static void rig_done(struct rig *rig)
{
    scope_done(&rig->scope);
    CHECK_EQ(queue_held(controller_queue(rig->controller)), (size_t)0);
    log_set_sink(NULL, NULL);
    controller_free(rig->controller);
    metrics_free(rig->metrics);
    fake_cache_done(&rig->cache);
    buf_done(&rig->calls);
    buf_done(&rig->log);
}

static void put(struct rig *rig, const char *name, int version, int generation)
{
    char json[256];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"ns\","
             "\"name\":\"%s\",\"resourceVersion\":\"%d\",\"generation\":%d}}",
             name, version, generation);
    fake_cache_put(&rig->cache, json);
}

static void check_calls(struct rig *rig, const char *calls)
{
    CHECK_EQ(buf_str(&rig->calls), str_from_c(calls));
    buf_clear(&rig->calls);
    rig->count = 0;
}

static void check_metric(struct rig *rig, const char *line)
{
    SCOPED(buf) text = {0};
    metrics_write(rig->metrics, &text);
    CHECK_CONTAINS(buf_str(&text), str_from_c(line));
}

SIM_TEST(work_begins_once_caches_are_synced_and_news_go_first)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){0}, NULL);
    put(&rig, "a", 1, 1);
    rig_start(&rig);
    put(&rig, "b", 2, 1);
    rig_settle(MINUTE);
    check_calls(&rig, "");
    fake_cache_set_synced(&rig.cache);
    put(&rig, "c", 3, 1);
    put(&rig, "b", 2, 1); /* unchanged: stays in its class */
    rig_settle(SECOND);
    check_calls(&rig, "ns/c ns/a ns/b ");
    put(&rig, "a", 1, 1);
    put(&rig, "b", 4, 1);
    rig_settle(SECOND);
    check_calls(&rig, "ns/b ns/a ");
    fake_cache_remove(&rig.cache, KEY("ns", "b"));
    rig_settle(SECOND);
    check_calls(&rig, "ns/b ");
}

/* FW-95. */
SIM_TEST(ten_events_while_a_key_is_processed_lead_to_one_more_loop)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.workers = 4}, NULL);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    rig.takes = 10 * SECOND;
    put(&rig, "a", 1, 1);
    rig_settle(SECOND);
    for (int i = 2; i < 12; i++)
        put(&rig, "a", i, 1);
    rig_settle(HOUR);
    check_calls(&rig, "ns/a ns/a ");
    CHECK_EQ(rig.running_most, (size_t)1);
}

SIM_TEST(as_many_run_at_a_time_as_there_are_workers)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.workers = 3}, NULL);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    rig.takes = SECOND;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t i = 0; i < COUNT(names); i++)
        put(&rig, names[i], 1, 1);
    rig_settle(500 * MILLISECOND);
    check_metric(&rig, "controller_runtime_active_workers{controller=\"test\"} 3\n");
    check_metric(&rig, "controller_runtime_max_concurrent_reconciles{controller=\"test\"} 3\n");
    rig_settle(MINUTE);
    CHECK_EQ(rig.count, COUNT(names));
    CHECK_EQ(rig.running_most, (size_t)3);
    check_metric(&rig, "controller_runtime_active_workers{controller=\"test\"} 0\n");
}

SIM_TEST(workers_are_there_when_they_are_needed)
{
    SCOPED(rig) rig;
    char name[16];
    rig_init(&rig, (struct controller_options){.workers = 500}, NULL);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    const size_t at_rest = loop_fiber_count(loop_current());
    CHECK(at_rest < 10);
    rig.takes = SECOND;
    for (size_t i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "k%zu", i);
        queue_add(controller_queue(rig.controller), (struct key){STR("ns"), str_from_c(name)},
                  QUEUE_NORMAL);
    }
    rig_settle(500 * MILLISECOND);
    CHECK_EQ(rig.running, (size_t)200);
    rig_settle(SECOND);
    CHECK_EQ(rig.count, (size_t)200);
    CHECK(loop_fiber_count(loop_current()) < at_rest + 10);
    put(&rig, "one more", 1, 1);
    rig_settle(2 * SECOND);
    CHECK_EQ(rig.count, (size_t)201);
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
        {"done",              ERROR_NONE,     {0},                           1, 0, "success"      },
        {"requeue",           ERROR_NONE,     {.requeue = true},             8, 8, "requeue"      },
        {"requeue after",     ERROR_NONE,     {.requeue_after = SECOND / 4}, 4, 0, "requeue_after"},
        {"after wins",        ERROR_NONE,     {true, SECOND / 4, false},     4, 0, "requeue_after"},
        {"an error",          ERROR_INTERNAL, {0},                           8, 8, "error"        },
        {"error and requeue", ERROR_INTERNAL, {true, SECOND, false},         8, 8, "error"        },
        {"terminal",          ERROR_INTERNAL, {.is_terminal = true},         1, 0, "error"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(rig) rig;
        rig_init(&rig, (struct controller_options){0}, NULL);
        check_metric(&rig, "reconcile_total{controller=\"test\",result=\"requeue_after\"} 0\n");
        check_metric(&rig, "reconcile_panics_total{controller=\"test\"} 0\n");
        rig.fails = cases[i].fails;
        rig.result = cases[i].result;
        fake_cache_set_synced(&rig.cache);
        rig_start(&rig);
        put(&rig, "a", 1, 1);
        rig_settle(990 * MILLISECOND);
        CHECK_EQ(rig.count, cases[i].count);
        CHECK_EQ(queue_failures(controller_queue(rig.controller), KEY("ns", "a")),
                 cases[i].failures);
        char line[128];
        snprintf(line, sizeof(line), "reconcile_total{controller=\"test\",result=\"%s\"} %zu\n",
                 cases[i].metric, cases[i].count);
        check_metric(&rig, line);
        snprintf(line, sizeof(line), "_reconcile_errors_total{controller=\"test\"} %zu\n",
                 cases[i].fails ? cases[i].count : 0);
        check_metric(&rig, line);
        snprintf(line, sizeof(line), "terminal_reconcile_errors_total{controller=\"test\"} %d\n",
                 cases[i].result.is_terminal);
        check_metric(&rig, line);
    }
}

SIM_TEST(an_error_is_logged_once_with_its_key)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){0}, NULL);
    rig.fails = ERROR_CONFLICT;
    rig.result.is_terminal = true;
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    put(&rig, "a", 1, 1);
    rig_settle(SECOND);
    const struct str log = buf_str(&rig.log);
    const size_t at = str_find(log, STR("Reconciler error"));
    CHECK(at != STR_NONE);
    CHECK_CONTAINS(str_skip(log, at), STR("controller=\"test\" namespace=\"ns\" name=\"a\""));
    CHECK_CONTAINS(str_skip(log, at), STR("it does not work"));
    const size_t end = at + str_find(str_skip(log, at), STR("it does not work")) + 1;
    CHECK(!str_contains(str_skip(log, end), STR("it does not work")));
}

SIM_TEST(a_reconcile_that_takes_too_long_is_ended_and_repeated)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.deadline = 5 * SECOND}, NULL);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    rig.takes = HOUR;
    put(&rig, "a", 1, 1);
    rig_settle(5 * SECOND + MILLISECOND);
    check_metric(&rig, "controller_runtime_reconcile_timeouts_total{controller=\"test\"} 1\n");
    check_metric(&rig, "controller_runtime_reconcile_time_seconds_sum{controller=\"test\"} 5\n");
    rig.takes = 0;
    rig_settle(10 * SECOND);
    CHECK_EQ(rig.count, (size_t)2);
}

SIM_TEST(stopping_cancels_what_runs_and_counts_no_failure)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.workers = 2}, NULL);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    rig.takes = HOUR;
    put(&rig, "a", 1, 1);
    put(&rig, "b", 1, 1);
    rig_settle(SECOND);
    CHECK_EQ(rig.running, (size_t)2);
    scope_cancel(&rig.scope);
    CHECK_OK(scope_wait(&rig.scope));
    CHECK_EQ(rig.running, (size_t)0);
    CHECK_EQ(rig.stopped, (size_t)1);
    check_metric(&rig, "_reconcile_errors_total{controller=\"test\"} 0\n");
}

SIM_TEST(a_resync_spreads_its_keys_over_the_period)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.resync = 10 * MINUTE}, NULL);
    fake_cache_set_synced(&rig.cache);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%02d", i);
        put(&rig, name, 1, 1);
    }
    rig_start(&rig);
    rig_settle(MILLISECOND);
    CHECK_EQ(rig.count, (size_t)40);
    size_t most = 0;
    for (int period = 0; period < 3; period++) {
        rig.count = 0;
        for (int i = 0; i < 60; i++) {
            const size_t before = rig.count;
            rig_settle(10 * SECOND);
            most = rig.count - before > most ? rig.count - before : most;
        }
        CHECK_EQ(rig.count, (size_t)40);
    }
    CHECK(most < 8);
}

SIM_TEST(the_generation_filter_drops_changes_of_status)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){0},
             &(struct controller_source){.filter = controller_filter_generation});
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    put(&rig, "a", 1, 1);
    rig_settle(SECOND);
    check_calls(&rig, "ns/a ");
    put(&rig, "a", 2, 1);
    rig_settle(SECOND);
    check_calls(&rig, "");
    put(&rig, "a", 2, 1);
    rig_settle(SECOND);
    check_calls(&rig, "ns/a ");
    put(&rig, "a", 3, 2);
    rig_settle(SECOND);
    check_calls(&rig, "ns/a ");
    fake_cache_remove(&rig.cache, KEY("ns", "a"));
    rig_settle(SECOND);
    check_calls(&rig, "ns/a ");
}

static void put_owned(struct rig *rig, int version, const char *kind, const char *owner)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"ns\","
             "\"name\":\"owned\",\"resourceVersion\":\"%d\",\"ownerReferences\":["
             "{\"apiVersion\":\"apps/v1\",\"kind\":\"Other\",\"name\":\"no\",\"uid\":\"1\"},"
             "{\"apiVersion\":\"x.dev/v1\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":\"2\","
             "\"controller\":true}]}}",
             version, kind, owner);
    fake_cache_put(&rig->cache, json);
}

SIM_TEST(the_owner_map_finds_who_controls_before_and_after)
{
    static struct controller_owner owner = {STR_INIT("x.dev"), STR_INIT("Web"), false};
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){0},
             &(struct controller_source){.map = controller_map_owner, .data = &owner});
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    put_owned(&rig, 1, "Web", "first");
    rig_settle(SECOND);
    check_calls(&rig, "ns/first ");
    put_owned(&rig, 2, "Web", "second");
    rig_settle(SECOND);
    check_calls(&rig, "ns/first ns/second ");
    put_owned(&rig, 3, "Mob", "third");
    rig_settle(SECOND);
    check_calls(&rig, "ns/second ");
}

static struct error *tortured(struct rig *rig)
{
    fake_cache_set_synced(&rig->cache);
    scope_start(&rig->scope, "controller", run, rig->controller);
    put(rig, "a", 1, 1);
    put(rig, "b", 1, 1);
    TRY(fiber_sleep(3 * SECOND));
    scope_cancel(&rig->scope);
    return scope_wait(&rig->scope);
}

TORTURE_TEST(a_controller_ends_whatever_happens_to_it)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct controller_options){.workers = 2, .resync = MINUTE}, NULL);
    rig.takes = SECOND;
    return tortured(&rig);
}
