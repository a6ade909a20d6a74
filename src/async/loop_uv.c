/*
 * The real backend: libuv waits for descriptors and worker threads, loop.c decides what runs.
 *
 * libuv's own timers and ready queue are not used, except for one timer that ends a wait (alarm).
 * That keeps the order of fibers, timers and tasks the same as in the simulation.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "async/io_internal.h"
#include "async/loop_internal.h"
#include "base/memory.h"

struct uv_backend {
    struct loop_backend backend;
    uv_loop_t uv;
    uv_timer_t alarm; /* ends a wait */
    uv_async_t awake; /* keeps the loop alive while it only waits for threads */
};

static struct uv_backend *of(struct loop_backend *backend)
{
    return CONTAINER_OF(backend, struct uv_backend, backend);
}

static int64_t read_clock(clockid_t id)
{
    struct timespec time;
    clock_gettime(id, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

static int64_t uv_now_ns(struct loop_backend *backend)
{
    (void)backend;
    /* This clock runs while the machine sleeps, because leases run out then as well. */
    return read_clock(CLOCK_BOOTTIME);
}

static int64_t uv_wall(struct loop_backend *backend)
{
    (void)backend;
    return read_clock(CLOCK_REALTIME);
}

static duration uv_cpu(struct loop_backend *backend)
{
    (void)backend;
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * uv_run() looks at timers before it waits. An alarm that is due by then has fired already, and
 * without another timer the wait would have no end. uv_stop() makes uv_run() return without
 * waiting.
 */
static void on_alarm(uv_timer_t *alarm)
{
    uv_stop(alarm->loop);
}

static void on_awake(uv_async_t *awake)
{
    (void)awake;
}

/* libuv waits in milliseconds. */
static void uv_wait(struct loop_backend *backend, duration timeout)
{
    struct uv_backend *self = of(backend);
    if (timeout == 0) {
        uv_run(&self->uv, UV_RUN_NOWAIT);
        return;
    }
    if (timeout != FOREVER) {
        /* Rounded up: waking early would only mean waiting again. */
        uv_update_time(&self->uv);
        uv_timer_start(&self->alarm, on_alarm,
                       (uint64_t)(timeout / MILLISECOND + (timeout % MILLISECOND != 0)), 0);
    }
    uv_run(&self->uv, UV_RUN_ONCE);
    uv_timer_stop(&self->alarm);
}

static void on_work(uv_work_t *work)
{
    struct loop_job *job = work->data;
    job->work(job->data);
}

/* On the loop. A job that was withdrawn must not be reported: its memory is gone. */
static void on_work_end(uv_work_t *work, int status)
{
    struct loop_job *job = work->data;
    mem_free(work);
    if (status != UV_ECANCELED)
        job->finished(job);
}

static void uv_submit(struct loop_backend *backend, struct loop_job *job)
{
    uv_work_t *work = NEW(uv_work_t);
    work->data = job;
    job->backend_data = work;
    const int status = uv_queue_work(&of(backend)->uv, work, on_work, on_work_end);
    assert(status == 0);
    (void)status;
}

static bool uv_withdraw(struct loop_backend *backend, struct loop_job *job)
{
    (void)backend;
    return uv_cancel(job->backend_data) == 0;
}

static void uv_free(struct loop_backend *backend)
{
    struct uv_backend *self = of(backend);
    uv_close((uv_handle_t *)&self->alarm, NULL);
    uv_close((uv_handle_t *)&self->awake, NULL);
    uv_run(&self->uv, UV_RUN_DEFAULT); /* runs close callbacks and waits for abandoned jobs */
    const int status = uv_loop_close(&self->uv);
    assert(status == 0); /* otherwise a handle was left open */
    (void)status;
    mem_free(self);
}

static const struct loop_backend_ops uv_ops = {
    .now = uv_now_ns,
    .wall = uv_wall,
    .cpu = uv_cpu,
    .wait = uv_wait,
    .submit = uv_submit,
    .withdraw = uv_withdraw,
    .free = uv_free,
};

/* Without descriptors there is no loop, and without a loop nothing that could end in good order. */
static void check_made(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "corset: make an event loop: %s\n", uv_strerror(status));
    _exit(1);
}

struct loop_backend *loop_uv_new(void)
{
    /* libuv's default is 4 threads. Name lookups may hang for long and must leave some free. */
    setenv("UV_THREADPOOL_SIZE", "16", 0); /* NOLINT(concurrency-mt-unsafe): before any thread */
    struct uv_backend *self = NEW(struct uv_backend);
    self->backend.ops = &uv_ops;
    check_made(uv_loop_init(&self->uv));
    check_made(uv_timer_init(&self->uv, &self->alarm));
    check_made(uv_async_init(&self->uv, &self->awake, on_awake));
    return &self->backend;
}

struct uv_loop_s *io_uv_loop(struct loop *loop)
{
    struct loop_backend *backend = loop_backend(loop);
    assert(backend->ops == &uv_ops); /* a simulated loop has no file descriptors */
    return &of(backend)->uv;
}
