#include "async/turn.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "testing/sim.h"

#define PIECES 20

/* Rounds of the loop are seen by a fiber that is ready in each of them. */
struct scene {
    size_t done;
    bool is_over;
};

static struct error *work(void *data)
{
    struct scene *scene = data;
    TRY(turn_take());
    scene->done++;
    return NULL;
}

static struct error *look_on(void *data)
{
    struct scene *scene = data;
    size_t before = 0;
    while (!scene->is_over) {
        CHECK(scene->done <= before + 2); /* one behind us in the last round, one before us */
        before = scene->done;
        TRY(fiber_yield());
    }
    return NULL;
}

SIM_TEST(one_piece_of_work_in_each_round)
{
    struct scene scene = {0};
    SCOPED(scope) scope = {0};
    SCOPED(scope) onlookers = {0};
    scope_start(&onlookers, "onlooker", look_on, &scene);
    for (size_t i = 0; i < PIECES; i++)
        scope_start(&scope, "work", work, &scene);
    CHECK_OK(scope_wait(&scope));
    scene.is_over = true;
    CHECK_OK(scope_wait(&onlookers));
    CHECK_EQ(scene.done, (size_t)PIECES);
    CHECK(!turn_is_awaited(loop_current()));
    TEST_CASE("alone nobody waits");
    CHECK_OK(fiber_sleep(1));
    CHECK_OK(turn_take());
}

SIM_TEST(a_turn_that_is_not_wanted_any_more_is_the_next_ones)
{
    struct scene scene = {0};
    SCOPED(scope) scope = {0};
    CHECK_OK(fiber_sleep(1));
    CHECK_OK(turn_take());
    struct fiber *first = scope_start(&scope, "first", work, &scene);
    CHECK_OK(fiber_yield());
    scope_start(&scope, "second", work, &scene);
    fiber_cancel(first);
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    CHECK_EQ(scene.done, (size_t)1);
}
