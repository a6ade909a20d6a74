/*
 * The simulated loop: virtual time, seeded randomness, the same code.
 *
 * Time stands still while anything can run and then jumps to the next timer, so five minutes of
 * virtual time pass at once. Ready tasks run in an order drawn from the seed; the same seed gives
 * the same run. When nothing is ready and no timer is left, the test fails and prints what every
 * fiber waits for.
 *
 *     SIM_TEST(probe_times_out)      body runs on the main fiber of a simulated loop
 *     LOOP_TEST(listens)             body runs on the main fiber of a real loop
 *     TORTURE_TEST(connects)         body returns struct error *; see below
 *
 * SIM_TEST reads TEST_SEED. All three check at the end that no fiber and no timer is left.
 *
 * The body of a torture test runs once undisturbed, where it must succeed. Then it runs again and
 * again with the n-th suspension failing, timing out or being cancelled, for every n. It may return
 * an error then, but must not hang, leak memory or leave fibers behind.
 */
#pragma once

#include "async/loop.h"
#include "testing/test.h"

struct loop *sim_loop_new(uint64_t seed);

/* 2026-01-01T00:00:00Z: what the wall clock shows when a simulated loop begins. */
#define SIM_EPOCH (INT64_C(1767225600) * SECOND)

/* Moves the wall clock by this span against the monotonic clock, as an administrator may do. */
void sim_jump(struct loop *loop, duration span);

/* Time passes and nothing runs, as when the process is stopped or the machine sleeps. */
void sim_stall(struct loop *loop, duration span);

/* The number of worker jobs that have run. Tests of code that must not use threads check it. */
size_t sim_jobs_done(struct loop *loop);

void sim_test_run(void (*body)(void));
void loop_test_run(void (*body)(void));
void torture_test_run(struct error *(*body)(void));

#define SIM_TEST(id)              \
    static void id##_body_(void); \
    TEST(id)                      \
    {                             \
        sim_test_run(id##_body_); \
    }                             \
    static void id##_body_(void)

#define LOOP_TEST(id)              \
    static void id##_body_(void);  \
    TEST(id)                       \
    {                              \
        loop_test_run(id##_body_); \
    }                              \
    static void id##_body_(void)

#define TORTURE_TEST(id)                   \
    static struct error *id##_body_(void); \
    TEST(id)                               \
    {                                      \
        torture_test_run(id##_body_);      \
    }                                      \
    static struct error *id##_body_(void)
