#include "async/signals.h"

#include <signal.h>
#include <unistd.h>

#include "async/fiber.h"
#include "testing/sim.h"

LOOP_TEST(signals_are_waited_for)
{
    OWNED(signals) signals = NULL;
    CHECK_OK(signals_new(loop_current(), &signals));
    {
        FIBER_TIMEOUT(10 * MILLISECOND);
        CHECK_ERROR(signals_wait(signals), ERROR_DEADLINE);
    }
    static const int numbers[] = {SIGTERM, SIGINT, SIGTERM};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        FIBER_TIMEOUT(10 * SECOND);
        CHECK_EQ(kill(getpid(), numbers[i]), 0);
        CHECK_OK(signals_wait(signals));
    }
}

LOOP_TEST(signals_that_came_before_are_not_lost)
{
    OWNED(signals) signals = NULL;
    CHECK_OK(signals_new(loop_current(), &signals));
    CHECK_EQ(kill(getpid(), SIGTERM), 0);
    CHECK_EQ(kill(getpid(), SIGINT), 0);
    CHECK_OK(fiber_sleep(10 * MILLISECOND));
    FIBER_TIMEOUT(10 * SECOND);
    CHECK_OK(signals_wait(signals));
    CHECK_OK(signals_wait(signals));
}

LOOP_TEST(a_broken_pipe_is_no_signal)
{
    OWNED(signals) signals = NULL;
    CHECK_OK(signals_new(loop_current(), &signals));
    CHECK_EQ(kill(getpid(), SIGPIPE), 0);
    CHECK_EQ(kill(getpid(), SIGXFSZ), 0);
    FIBER_TIMEOUT(10 * MILLISECOND);
    CHECK_ERROR(signals_wait(signals), ERROR_DEADLINE);
}
