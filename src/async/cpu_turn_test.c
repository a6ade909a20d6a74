#include "async/cpu_turn.h"

#include "async/fiber.h"
#include "async/loop_internal.h"
#include "async/scope.h"
#include "testing/sim.h"

#define PIECES 20

/* A fiber that is ready in every iteration of the loop sees how many turns each one had. */
struct cpu_turn_fixture {
    size_t done;
    bool is_over;
};

static struct error *take_turn(void *data)
{
    struct cpu_turn_fixture *fixture = data;
    TRY(cpu_turn_take());
    fixture->done++;
    return NULL;
}

static struct error *watch_iterations(void *data)
{
    struct cpu_turn_fixture *fixture = data;
    size_t before = 0;
    while (!fixture->is_over) {
        CHECK(fixture->done <= before + 2); /* one behind us in the last round, one before us */
        before = fixture->done;
        TRY(fiber_yield());
    }
    return NULL;
}

SIM_TEST(one_piece_of_work_in_each_round)
{
    struct cpu_turn_fixture fixture = {0};
    SCOPED(scope) scope = {0};
    SCOPED(scope) onlookers = {0};
    scope_start(&onlookers, "onlooker", watch_iterations, &fixture);
    for (size_t i = 0; i < PIECES; i++)
        scope_start(&scope, "work", take_turn, &fixture);
    CHECK_OK(scope_wait(&scope));
    fixture.is_over = true;
    CHECK_OK(scope_wait(&onlookers));
    CHECK_EQ(fixture.done, (size_t)PIECES);
    CHECK(!cpu_turn_is_awaited(loop_current()));
    TEST_CASE("a single fiber does not wait");
    const int64_t before = loop_now(loop_current());
    CHECK_OK(cpu_turn_take());
    CHECK_EQ(loop_now(loop_current()), before);
}

struct turn_order {
    struct cpu_turn_fixture *fixture;
    size_t place; /* how many turns were taken before */
};

static struct error *go_on(void *data)
{
    struct turn_order *order = data;
    TRY(cpu_turn_take_next());
    order->place = order->fixture->done;
    return NULL;
}

SIM_TEST(work_that_goes_on_comes_before_work_that_begins)
{
    struct cpu_turn_fixture fixture = {0};
    struct turn_order order = {&fixture, PIECES};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < PIECES; i++)
        scope_start(&scope, "work", take_turn, &fixture);
    scope_start(&scope, "more", go_on, &order);
    CHECK_OK(scope_wait(&scope));
    CHECK(order.place <= 1);
    CHECK_EQ(fixture.done, (size_t)PIECES);
}

#define THREADS ((size_t)2)

static void count_done(void *data)
{
    struct cpu_turn_fixture *fixture = data;
    CHECK(loop_current()->cpu_turn_threads.busy <= THREADS);
    fixture->done++;
}

static struct error *begin_on_thread(void *data)
{
    return cpu_turn_run(false, count_done, data);
}

static struct error *go_on_on_thread(void *data)
{
    struct turn_order *order = data;
    TRY(cpu_turn_run(true, count_done, order->fixture));
    order->place = order->fixture->done;
    return NULL;
}

/* Simulated jobs run on this thread, each after a moment. */
SIM_TEST(turns_on_threads_are_so_many_at_a_time)
{
    struct cpu_turn_fixture fixture = {0};
    struct turn_order order = {&fixture, PIECES};
    SCOPED(scope) scope = {0};
    cpu_turn_use_threads(loop_current(), THREADS);
    for (size_t i = 0; i < PIECES; i++)
        scope_start(&scope, "work", begin_on_thread, &fixture);
    CHECK_OK(fiber_yield());
    CHECK(cpu_turn_is_awaited(loop_current()));
    scope_start(&scope, "more", go_on_on_thread, &order);
    CHECK_OK(scope_wait(&scope));
    CHECK(order.place <= 2 * THREADS);
    CHECK_EQ(fixture.done, (size_t)PIECES + 1);
    CHECK(!cpu_turn_is_awaited(loop_current()));
    CHECK_EQ(loop_current()->cpu_turn_threads.busy, (size_t)0);
}

/* Whoever leaves while it waits, or while its work does, leaves the thread to the next one. */
SIM_TEST(a_thread_for_turns_is_passed_on)
{
    for (duration patience = 0; patience < 20 * MILLISECOND; patience += MILLISECOND) {
        struct cpu_turn_fixture fixture = {0};
        SCOPED(scope) leaving = {0};
        SCOPED(scope) staying = {0};
        cpu_turn_use_threads(loop_current(), 1);
        for (size_t i = 0; i < PIECES; i++) {
            scope_start(&leaving, "leaves", begin_on_thread, &fixture);
            scope_start(&staying, "stays", begin_on_thread, &fixture);
        }
        CHECK_OK(fiber_sleep(patience));
        scope_cancel(&leaving);
        CHECK_OK(scope_wait(&staying));
        CHECK(fixture.done >= PIECES);
    }
}

struct gate_fixture {
    struct cpu_turn_fixture turns;
    struct cpu_gate gate;
};

static struct error *pass_gate(void *data)
{
    struct gate_fixture *fixture = data;
    TRY(cpu_gate_pass(&fixture->gate));
    fixture->turns.done++;
    return NULL;
}

/* Two gates do not wait for each other. Who is cancelled leaves nothing behind. */
SIM_TEST(one_fiber_passes_a_gate_in_each_round)
{
    struct gate_fixture fixtures[2] = {0};
    SCOPED(scope) scope = {0};
    SCOPED(scope) onlookers = {0};
    for (size_t k = 0; k < COUNT(fixtures); k++) {
        scope_start(&onlookers, "onlooker", watch_iterations, &fixtures[k].turns);
        for (size_t i = 0; i < PIECES; i++)
            scope_start(&scope, "work", pass_gate, &fixtures[k]);
    }
    {
        SCOPED(scope) canceled = {0};
        scope_start(&canceled, "cancelled", pass_gate, &fixtures[0]);
        CHECK_OK(fiber_yield());
    }
    CHECK_OK(scope_wait(&scope));
    for (size_t k = 0; k < COUNT(fixtures); k++) {
        fixtures[k].turns.is_over = true;
        CHECK(fixtures[k].turns.done >= PIECES);
        cpu_gate_done(&fixtures[k].gate);
    }
    CHECK_OK(scope_wait(&onlookers));
    TEST_CASE("a single fiber does not wait");
    const int64_t before = loop_now(loop_current());
    CHECK_OK(cpu_gate_pass(&fixtures[0].gate));
    CHECK_EQ(loop_now(loop_current()), before);
    cpu_gate_done(&fixtures[0].gate);
}

struct sleeper {
    duration span;
    int64_t woken;
};

static struct error *sleep_for(void *data)
{
    struct sleeper *sleeper = data;
    TRY(fiber_sleep(sleeper->span));
    sleeper->woken = loop_now(loop_current());
    return NULL;
}

/* When a piece begins that comes while timers are due all the time, each after so long. */
static duration put_off(duration every, size_t pieces)
{
    struct sleeper sleepers[40] = {0};
    struct cpu_turn_fixture fixture = {0};
    SCOPED(scope) scope = {0};
    SCOPED(scope) others = {0};
    const int64_t begun = loop_now(loop_current());
    for (size_t i = 0; i < COUNT(sleepers); i++) {
        sleepers[i].span = (duration)(i + 1) * every;
        scope_start(&scope, "sleeper", sleep_for, &sleepers[i]);
    }
    for (size_t i = 1; i < pieces; i++)
        scope_start(&others, "work", take_turn, &fixture);
    CHECK_OK(fiber_yield());
    CHECK_OK(cpu_turn_take());
    const duration waited = loop_now(loop_current()) - begun;
    CHECK_OK(scope_wait(&others));
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(sleepers); i++)
        CHECK_EQ(sleepers[i].woken - begun, sleepers[i].span);
    return waited;
}

SIM_TEST(a_piece_waits_for_a_gap_between_timers)
{
    TEST_CASE("wide gaps are used at once");
    CHECK_EQ(put_off(5 * MILLISECOND, 1), (duration)0);
    TEST_CASE("narrow ones are let pass");
    CHECK_EQ(put_off(MILLISECOND / 4, 1), 10 * MILLISECOND);
    TEST_CASE("but not for ever");
    CHECK_EQ(put_off(MILLISECOND, 1), 16 * MILLISECOND);
    TEST_CASE("and a crowd is not held up by more than one alone");
    CHECK(put_off(MILLISECOND, 8) <= 50 * MILLISECOND);
}

SIM_TEST(a_turn_that_is_not_wanted_any_more_is_the_next_ones)
{
    struct cpu_turn_fixture fixture = {0};
    SCOPED(scope) scope = {0};
    CHECK_OK(fiber_sleep(1));
    CHECK_OK(cpu_turn_take());
    struct fiber *first = scope_start(&scope, "first", take_turn, &fixture);
    CHECK_OK(fiber_yield());
    scope_start(&scope, "second", take_turn, &fixture);
    fiber_cancel(first);
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    CHECK_EQ(fixture.done, (size_t)1);
}
