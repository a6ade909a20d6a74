#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include "async/fiber.h"
#include "testing/sim.h"

struct uv_loop_s;
void uv_update_time(struct uv_loop_s *loop);

static bool is_slow;

static void keep_busy(duration span)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begun.tv_sec) * SECOND + (now.tv_nsec - begun.tv_nsec) < span);
}

/* Stands before libuv's own: between setting the alarm and waiting for it others have the core. */
void uv_update_time(struct uv_loop_s *loop)
{
    static void (*update)(struct uv_loop_s * loop);
    if (!update)
        update = (void (*)(struct uv_loop_s *))dlsym(RTLD_NEXT, "uv_update_time");
    update(loop);
    if (is_slow)
        keep_busy(2 * MILLISECOND);
}

LOOP_TEST(an_alarm_that_rings_before_anybody_waits_is_heard)
{
    alarm(20); /* it waited for ever */
    is_slow = true;
    for (int i = 0; i < 5; i++)
        CHECK_OK(fiber_sleep(MILLISECOND));
    is_slow = false;
}
