#include "async/compute.h"

#include "async/cpu_share.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "testing/sim.h"

/* Counts, and sees whether anybody else is at work. */
struct compute_fixture {
    size_t done, at_work;
    char order[8];
};

struct worker {
    struct compute_fixture *fixture;
    struct cpu_share *share;
    char name;
};

static struct error *count_work(void *data)
{
    struct compute_fixture *fixture = data;
    fixture->done++;
    return NULL;
}

static struct error *refuse_work(void *data)
{
    (void)data;
    return error_new(ERROR_INVALID, "no");
}

SIM_TEST(small_work_is_done_where_it_is_and_large_work_on_a_thread)
{
    struct compute_fixture fixture = {0};
    CHECK_OK(compute_sized(COMPUTE_FROM - 1, count_work, &fixture));
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)0);
    CHECK_OK(compute_sized(COMPUTE_FROM, count_work, &fixture));
    CHECK_EQ(sim_jobs_done(loop_current()), (size_t)1);
    CHECK_EQ(fixture.done, (size_t)2);
    CHECK_ERROR(compute_sized(COMPUTE_FROM, refuse_work, NULL), ERROR_INVALID);
    CHECK_OK(compute_sized(COMPUTE_FROM, count_work, &fixture)); /* the turn was given back */
}

static struct error *work_alone(void *data)
{
    const struct worker *worker = data;
    struct compute_fixture *fixture = worker->fixture;
    SCOPED(compute) turn = {0};
    if (worker->share)
        TRY(cpu_share_join(worker->share));
    TRY(compute_take(&turn));
    TRY(compute_take(&turn)); /* once more is nothing */
    CHECK_EQ(fixture->at_work, (size_t)0);
    fixture->at_work++;
    fixture->order[fixture->done] = worker->name;
    TRY(compute_run(&turn, count_work, fixture));
    TRY(fiber_sleep(MILLISECOND));
    fixture->at_work--;
    return NULL;
}

SIM_TEST(large_work_is_done_one_after_the_other)
{
    struct compute_fixture fixture = {0};
    struct worker worker = {&fixture, NULL, 'a'};
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < sizeof(fixture.order); i++)
        scope_start(&scope, "work", work_alone, &worker);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(fixture.done, sizeof(fixture.order));
}

/* A party with many requests waits for one that has sent one, not the other way round. */
SIM_TEST(large_work_of_who_used_least_is_next)
{
    struct compute_fixture fixture = {0};
    duration used = 0;
    OWNED(cpu_share) greedy = cpu_share_new(loop_current(), false, &used);
    OWNED(cpu_share) modest = cpu_share_new(loop_current(), false, NULL);
    struct worker many = {&fixture, greedy, 'g'}, one = {&fixture, modest, 'm'};
    SCOPED(scope) scope = {0};
    cpu_share_charge(greedy, SECOND);
    for (size_t i = 0; i < 6; i++)
        scope_start(&scope, "greedy", work_alone, &many);
    while (fixture.at_work == 0)
        CHECK_OK(fiber_yield());
    scope_start(&scope, "modest", work_alone, &one);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(fixture.order[1], 'm');
    CHECK(used > SECOND); /* what the thread took was counted */
}

static struct error *wait_for_turn(void *data)
{
    SCOPED(compute) turn = {0};
    TRY(compute_take(&turn));
    return compute_run(&turn, count_work, data);
}

SIM_TEST(a_turn_of_large_work_is_not_lost_with_a_fiber_that_leaves)
{
    struct compute_fixture fixture = {0};
    SCOPED(scope) leaving = {0};
    SCOPED(scope) staying = {0};
    SCOPED(compute) turn = {0};
    CHECK_OK(compute_take(&turn));
    scope_start(&leaving, "leaving", wait_for_turn, &fixture);
    scope_start(&staying, "staying", wait_for_turn, &fixture);
    CHECK_OK(fiber_sleep(SECOND));
    compute_done(&turn);
    scope_cancel(&leaving);
    error_free(scope_wait(&leaving));
    CHECK_OK(scope_wait(&staying));
    CHECK(fixture.done >= 1);
    CHECK_OK(compute_take(&turn));
}
