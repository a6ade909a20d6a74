#include "async/loop_turns.h"

#include <poll.h>

#include "async/fiber.h"
#include "async/loop_internal.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/metrics.h"
#include "testing/sim.h"

static void keep_line(void *data, struct str line)
{
    buf_add(data, line);
}

/* Keeps the thread for this span, then waits. */
static struct error *hold_thread(void *data)
{
    const duration *span = data;
    sim_stall(loop_current(), *span);
    TRY(fiber_sleep(SECOND));
    return NULL;
}

static void run_fiber(const char *name, duration span)
{
    SCOPED(scope) scope = {0};
    scope_start(&scope, name, hold_thread, &span);
    CHECK_OK(scope_wait(&scope));
}

SIM_TEST(turns_of_the_loop_are_measured)
{
    OWNED(metrics) metrics = metrics_new();
    SCOPED(buf) text = {0};
    loop_turns_register(loop_current(), metrics);
    run_fiber("short", 200 * MICROSECOND);
    run_fiber("long", 70 * MILLISECOND);
    run_fiber("middle", 7 * MILLISECOND);
    metrics_write(metrics, &text);
    CHECK_CONTAINS(buf_str(&text), STR("corset_loop_longest_turn_seconds 0.07\n"));
    CHECK_CONTAINS(buf_str(&text), STR("corset_loop_longest_turn_cpu_seconds 0.07\n"));
    CHECK_CONTAINS(buf_str(&text), STR("corset_loop_turn_seconds_sum 0.077"));
    CHECK_CONTAINS(buf_str(&text), STR("corset_loop_turn_seconds_bucket{le=\"+Inf\"} "));
    /* The three turns, and those in which nothing happened. */
    static const uint64_t counts[LOOP_TURNS_BUCKETS] = {[1] = 1, [3] = 1, [6] = 1};
    for (size_t i = 1; i < COUNT(counts); i++)
        CHECK_EQ(loop_current()->turns.counts[i], counts[i]);
    CHECK(loop_current()->turns.counts[0] > 0);
}

SIM_TEST(a_long_turn_names_its_fiber_once_a_minute)
{
    SCOPED(buf) lines = {0};
    log_set_sink(keep_line, &lines);
    log_set_level(2);
    run_fiber("middle", 50 * MILLISECOND);
    CHECK_EQ(lines.len, 0);
    run_fiber("glutton", 51 * MILLISECOND);
    run_fiber("another", 90 * MILLISECOND);
    CHECK_CONTAINS(buf_str(&lines),
                   STR("\"A fiber kept the thread for long\" fiber=\"glutton\" "
                       "waitsFor=\"time to pass\" duration=\"51ms\" cpu=\"51ms\""));
    CHECK(str_find(buf_str(&lines), STR("another")) == STR_NONE);
    CHECK_OK(fiber_sleep(MINUTE));
    run_fiber("later", 90 * MILLISECOND);
    CHECK_CONTAINS(buf_str(&lines), STR("fiber=\"later\""));
    log_set_level(0);
    log_set_sink(NULL, NULL);
}

LOOP_TEST(what_the_machine_takes_is_no_cpu_time_of_the_turn)
{
    CHECK_OK(fiber_yield());
    poll(NULL, 0, 30); /* the thread sleeps in the kernel */
    CHECK_OK(fiber_yield());
    const struct loop_turns *turns = &loop_current()->turns;
    CHECK(turns->longest >= 30 * MILLISECOND);
    CHECK(turns->longest_cpu <= turns->longest - 20 * MILLISECOND);
}
