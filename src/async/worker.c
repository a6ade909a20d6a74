/*
 * Work on libuv's threads, and what happens to it when the waiting fiber is interrupted.
 *
 * The job lies on the heap and not on the stack of the fiber, because the fiber may leave before
 * the worker is done. struct worker_job is freed by worker_run() or abandon_job() while the fiber
 * waits, and by on_finished() when it has left.
 */
#include "async/worker.h"

#include <stdbool.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"

struct worker_job {
    struct loop_job job;
    struct fiber *waiter; /* NULL when the waiting fiber has left */
    bool finished;
    void (*discard)(void *data);
};

/* Called on the loop when the worker has returned. */
static void on_finished(struct loop_job *loop_job)
{
    struct worker_job *job = CONTAINER_OF(loop_job, struct worker_job, job);
    job->finished = true;
    if (job->waiter) {
        fiber_wake(job->waiter);
        return;
    }
    job->discard(job->job.data);
    mem_free(job);
}

/*
 * The wait was interrupted by err. Four cases: the job is done all the same and its result counts;
 * it has not begun and is withdrawn; it runs and the caller leaves it behind (discard); it runs on
 * memory of the caller, which must wait.
 */
static struct error *abandon_job(struct worker_job *job, struct error *err)
{
    struct loop_backend *backend = loop_backend(loop_current());
    if (job->finished) {
        error_free(err); /* the job is done all the same: its result counts */
        mem_free(job);
        return NULL;
    }
    if (backend->ops->withdraw(backend, &job->job)) {
        if (job->discard)
            job->discard(job->job.data);
        mem_free(job);
        return err;
    }
    if (job->discard) {
        job->waiter = NULL; /* on_finished() cleans up */
        return err;
    }
    while (!job->finished)
        fiber_park_uninterrupted("a worker thread");
    mem_free(job);
    error_free(err);
    return NULL;
}

struct error *worker_run(void (*work)(void *data), void *data, void (*discard)(void *data))
{
    struct worker_job *job = NEW(struct worker_job);
    job->job = (struct loop_job){.work = work, .finished = on_finished, .data = data};
    job->waiter = fiber_current();
    job->discard = discard;
    struct loop_backend *backend = loop_backend(loop_current());
    backend->ops->submit(backend, &job->job);
    while (!job->finished) {
        struct error *err = fiber_park("a worker thread");
        if (err)
            return abandon_job(job, err);
    }
    mem_free(job);
    return NULL;
}
