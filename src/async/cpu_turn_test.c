#include "async/cpu_turn.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "testing/sim.h"

#define PIECES 20

/* Rounds of the loop are seen by a fiber that is ready in each of them. */
struct cpu_turn_fixture {
    size_t done;
    bool is_over;
};

static struct error *work(void *data)
{
    struct cpu_turn_fixture *fixture = data;
    TRY(cpu_turn_take());
    fixture->done++;
    return NULL;
}

static struct error *look_on(void *data)
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
    scope_start(&onlookers, "onlooker", look_on, &fixture);
    for (size_t i = 0; i < PIECES; i++)
        scope_start(&scope, "work", work, &fixture);
    CHECK_OK(scope_wait(&scope));
    fixture.is_over = true;
    CHECK_OK(scope_wait(&onlookers));
    CHECK_EQ(fixture.done, (size_t)PIECES);
    CHECK(!cpu_turn_is_awaited(loop_current()));
    TEST_CASE("alone nobody waits for long");
    const int64_t before = loop_now(loop_current());
    CHECK_OK(cpu_turn_take());
    CHECK_EQ(loop_now(loop_current()), before);
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
        scope_start(&others, "work", work, &fixture);
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
    struct fiber *first = scope_start(&scope, "first", work, &fixture);
    CHECK_OK(fiber_yield());
    scope_start(&scope, "second", work, &fixture);
    fiber_cancel(first);
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    CHECK_EQ(fixture.done, (size_t)1);
}
