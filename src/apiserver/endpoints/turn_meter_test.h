/* The most CPU time that the loop's thread uses between two suspensions. */
#pragma once

#include <time.h>

#include "async/fiber.h"
#include "testing/test.h"

struct turn_meter {
    int64_t parked;
    duration longest;
};

static inline int64_t turn_meter_cpu(clockid_t clock)
{
    struct timespec now;
    CHECK_EQ(clock_gettime(clock, &now), 0);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* For loop_set_park_hook(), with the meter as its data. */
static inline struct error *turn_meter_note(void *data, const char *what)
{
    struct turn_meter *meter = data;
    const int64_t now = turn_meter_cpu(CLOCK_THREAD_CPUTIME_ID);
    (void)what;
    if (now - meter->parked > meter->longest)
        meter->longest = now - meter->parked;
    meter->parked = now;
    return NULL;
}
