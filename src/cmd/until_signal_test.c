#include "cmd/until_signal.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/signals.h"
#include "testing/sim.h"

static bool is_stopping;

static void note_stopping(void)
{
    is_stopping = true;
}

/* Unwinding takes a while, in which the fiber that heard the signal is long gone. */
static struct error *work_slowly(void *data)
{
    struct error *err = fiber_sleep(*(duration *)data);
    FIBER_SHIELD(SECOND);
    for (int i = 0; i < 20; i++)
        error_free(fiber_sleep(MILLISECOND));
    return err;
}

static struct error *work_and_fail(void *data)
{
    (void)data;
    return error_new(ERROR_IO, "broken");
}

LOOP_TEST(until_signal_waits_for_what_it_stops)
{
    OWNED(signals) signals = NULL;
    duration span = HOUR;
    CHECK_OK(signals_new(loop_current(), &signals));
    CHECK_EQ(kill(getpid(), SIGTERM), 0);
    CHECK_OK(until_signal(signals, work_slowly, &span, note_stopping));
    CHECK(is_stopping);
}

LOOP_TEST(until_signal_ends_with_the_work)
{
    OWNED(signals) signals = NULL;
    duration span = MILLISECOND;
    CHECK_OK(signals_new(loop_current(), &signals));
    CHECK_OK(until_signal(signals, work_slowly, &span, NULL));
    CHECK_ERROR(until_signal(signals, work_and_fail, NULL, note_stopping), ERROR_IO);
    CHECK(!is_stopping);
}
