#include "peers/conformance/launch.h"

#include <unistd.h>

#include "async/fiber.h"
#include "base/arena.h"
#include "testing/sim.h"

#define SERVERS "tests/peers/conformance/servers/"

LOOP_TEST(a_server_is_started_and_stopped)
{
    SCOPED(arena) arena = {0};
    OWNED(launch) launch = NULL;
    CHECK_OK(launch_start(SERVERS "good", NULL, &launch));
    const char *kubeconfig = arena_c(&arena, launch_kubeconfig(launch));
    CHECK_EQ(access(kubeconfig, R_OK), 0);
    CHECK_OK(launch_check(launch));
    CHECK_OK(launch_stop(launch));
    CHECK_FAILS(launch_check(launch), ERROR_IO, "ended by signal 15");
    launch_free(TAKE(launch));
    CHECK(access(kubeconfig, R_OK) != 0);
}

LOOP_TEST(a_server_that_does_not_end_well_is_reported)
{
    OWNED(launch) launch = NULL;
    CHECK_OK(launch_start(SERVERS "leaky", NULL, &launch));
    CHECK_FAILS(launch_stop(launch), ERROR_IO, "exited with 23 and said:\nleaked 8 bytes");
}

LOOP_TEST(a_server_that_does_not_come_up_is_reported)
{
    struct launch *launch = NULL;
    CHECK_FAILS(launch_start(SERVERS "broken", NULL, &launch), ERROR_IO,
                "exited with 7 and said:\nno such luck");
    CHECK_FAILS(launch_start(SERVERS "none", NULL, &launch), ERROR_NOT_FOUND, "servers/none");
    FIBER_TIMEOUT(100 * MILLISECOND);
    CHECK_ERROR(launch_start(SERVERS "mute", NULL, &launch), ERROR_DEADLINE);
}
