#include "testing/sim.h"

#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/timer.h"
#include "base/memory.h"
#include "base/random.h"

/* A worker job takes a moment, so that everything else gets ahead of it now and then. */
#define JOB_LATENCY_MAX (10 * MILLISECOND)

/* More turns than this at one point in time are a loop without end. */
#define TURNS_MAX 1000000

struct sim_backend {
    struct loop_backend backend;
    int64_t now;
    duration jumped; /* of the wall clock */
    struct random random;
    size_t jobs_done;
    size_t turns; /* since time moved last */
};

struct sim_job {
    struct sim_backend *sim;
    struct loop_job *job;
    struct timer timer;
};

static struct sim_backend *of(struct loop_backend *backend)
{
    return CONTAINER_OF(backend, struct sim_backend, backend);
}

static int64_t sim_now(struct loop_backend *backend)
{
    return of(backend)->now;
}

static int64_t sim_wall(struct loop_backend *backend)
{
    return SIM_EPOCH + of(backend)->now + of(backend)->jumped;
}

static void sim_wait(struct loop_backend *backend, duration most)
{
    if (most == FOREVER) {
        loop_dump(backend->loop);
        test_fail(TEST_PLACE("simulation"), "is stuck: nothing is ready and no timer is left");
    }
    struct sim_backend *sim = of(backend);
    sim->turns = most ? 0 : sim->turns + 1;
    if (sim->turns > TURNS_MAX) {
        loop_dump(backend->loop);
        test_fail(TEST_PLACE("simulation"), "does not move on: something is always ready");
    }
    sim->now += most;
}

static size_t sim_pick(struct loop_backend *backend, size_t count)
{
    return (size_t)random_below(&of(backend)->random, count);
}

static void on_job_due(void *data)
{
    struct sim_job *sim_job = data;
    struct loop_job *job = sim_job->job;
    sim_job->sim->jobs_done++;
    mem_free(sim_job);
    job->work(job->data);
    job->finished(job);
}

static void sim_submit(struct loop_backend *backend, struct loop_job *job)
{
    struct sim_job *sim_job = NEW(struct sim_job);
    *sim_job = (struct sim_job){.sim = of(backend), .job = job};
    job->backend_data = sim_job;
    const duration latency = (duration)random_below(&of(backend)->random, JOB_LATENCY_MAX);
    timer_start(backend->loop, &sim_job->timer, of(backend)->now + latency, on_job_due, sim_job);
}

static bool sim_withdraw(struct loop_backend *backend, struct loop_job *job)
{
    struct sim_job *sim_job = job->backend_data;
    timer_stop(backend->loop, &sim_job->timer);
    mem_free(sim_job);
    return true;
}

static void sim_free(struct loop_backend *backend)
{
    mem_free(of(backend));
}

static const struct loop_backend_ops sim_ops = {
    .now = sim_now,
    .wall = sim_wall,
    .wait = sim_wait,
    .pick = sim_pick,
    .submit = sim_submit,
    .withdraw = sim_withdraw,
    .free = sim_free,
};

struct loop *sim_loop_new(uint64_t seed)
{
    struct sim_backend *sim = NEW(struct sim_backend);
    sim->backend.ops = &sim_ops;
    /* Deadlines are points on this clock; starting late shows code that takes 0 for "none". */
    sim->now = HOUR;
    random_init(&sim->random, seed ^ 0x51a7);
    return loop_new_with(&sim->backend, seed);
}

void sim_jump(struct loop *loop, duration span)
{
    of(loop_backend(loop))->jumped += span;
}

void sim_stall(struct loop *loop, duration span)
{
    of(loop_backend(loop))->now += span;
}

size_t sim_jobs_done(struct loop *loop)
{
    return of(loop_backend(loop))->jobs_done;
}

static uint64_t test_seed(void)
{
    const char *text = getenv("TEST_SEED"); /* NOLINT(concurrency-mt-unsafe) */
    uint64_t seed = 1;
    if (text && !str_to_uint64(str_from_c(text), &seed))
        test_fail(TEST_PLACE("TEST_SEED"), "is not a number: %s", text);
    return seed;
}

struct body {
    void (*run)(void);
    struct error *(*run_failing)(void);
};

static struct error *run_body(void *data)
{
    const struct body *body = data;
    if (body->run_failing)
        return body->run_failing();
    body->run();
    return NULL;
}

static struct error *run_on(struct loop *loop, struct body body)
{
    struct error *err = loop_run(loop, run_body, &body);
    if (loop_fiber_count(loop) != 0)
        test_fail(TEST_PLACE("fibers"), "are left at the end");
    if (loop_timer_count(loop) != 0)
        test_fail(TEST_PLACE("timers"), "are left at the end: %zu", loop_timer_count(loop));
    loop_free(loop);
    return err;
}

void sim_test_run(void (*body)(void))
{
    CHECK_OK(run_on(sim_loop_new(test_seed()), (struct body){.run = body}));
}

void loop_test_run(void (*body)(void))
{
    CHECK_OK(run_on(loop_new(), (struct body){.run = body}));
}

enum fault { FAULT_FAIL, FAULT_DEADLINE, FAULT_CANCEL, FAULTS };

static const char *const fault_names[FAULTS] = {"fails", "times out", "is canceled"};

struct torture {
    enum fault fault;
    size_t seen;
    size_t victim; /* which suspension is disturbed, from 1; 0 for none */
};

static struct error *disturb_wait(void *data, const char *what)
{
    struct torture *torture = data;
    if (++torture->seen != torture->victim)
        return NULL;
    switch (torture->fault) {
    case FAULT_DEADLINE:
        return error_new(ERROR_DEADLINE, "timed out while waiting for %s", what);
    case FAULT_CANCEL:
        fiber_cancel(fiber_current());
        return error_new(ERROR_CANCELED, "canceled while waiting for %s", what);
    default:
        return error_new(ERROR_CONNECTION, "failed while waiting for %s", what);
    }
}

static struct error *run_tortured(struct torture *torture, struct error *(*body)(void))
{
    struct loop *loop = sim_loop_new(test_seed());
    loop_set_park_hook(loop, disturb_wait, torture);
    return run_on(loop, (struct body){.run_failing = body});
}

void torture_test_run(struct error *(*body)(void))
{
    struct torture calm = {0};
    CHECK_OK(run_tortured(&calm, body));
    for (enum fault fault = 0; fault < FAULTS; fault++)
        for (size_t victim = 1; victim <= calm.seen; victim++) {
            TEST_CASE("suspension %zu of %zu %s", victim, calm.seen, fault_names[fault]);
            struct torture torture = {.fault = fault, .victim = victim};
            error_free(run_tortured(&torture, body));
        }
    TEST_CASE("the number of suspensions");
    CHECK(calm.seen > 0);
}
