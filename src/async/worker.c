#include "async/worker.h"

#include <stdbool.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"

struct worker_job {
    struct loop_job job;
    struct fiber *waiter; /* NULL once nobody waits any more */
    bool finished;
    void (*discard)(void *data);
};

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

/* The wait was interrupted by err; what becomes of the job? */
static struct error *abandon_job(struct worker_job *job, struct error *err)
{
    struct loop_backend *backend = loop_backend(loop_current());
    if (job->finished) {
        error_free(err); /* it was done all the same: the result counts */
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
