#include "async/compute.h"

#include <assert.h>

#include "async/cpu_share.h"
#include "async/fiber_internal.h"
#include "async/loop_internal.h"
#include "async/worker.h"

/* A fiber that waits for the turn. On its stack. */
struct waiter {
    struct fiber *fiber;
    struct list_link link;
    bool has_turn;
};

static int64_t used_by(const struct waiter *waiter)
{
    const struct cpu_share *share = fiber_share(waiter->fiber);
    return share ? cpu_share_used(share) : INT64_MIN;
}

/* The turn goes to the fiber that has waited longest, of the party that has used the least. */
static void hand_over(struct loop *loop)
{
    struct waiter *next = NULL;
    LIST_FOREACH (struct waiter, waiter, &loop->computing, link)
        if (!next || used_by(waiter) < used_by(next))
            next = waiter;
    loop->is_computing = next != NULL;
    if (!next)
        return;
    list_remove(&next->link);
    next->has_turn = true;
    fiber_wake(next->fiber);
}

struct error *compute_take(struct compute *compute)
{
    struct loop *loop = loop_current();
    struct waiter waiter = {.fiber = fiber_current()};
    if (compute->loop)
        return NULL;
    if (loop->is_computing) {
        list_append(&loop->computing, &waiter.link);
        struct error *err = fiber_park("a turn of large work");
        list_remove(&waiter.link);
        if (err && waiter.has_turn)
            hand_over(loop);
        TRY(err);
    }
    loop->is_computing = true;
    compute->loop = loop;
    return NULL;
}

void compute_done(struct compute *compute)
{
    if (compute->loop)
        hand_over(compute->loop);
    compute->loop = NULL;
}

struct job {
    compute_fn *work;
    void *data;
    struct error *err;
};

static void run_job(void *data)
{
    struct job *job = data;
    job->err = job->work(job->data);
}

struct error *compute_run(const struct compute *compute, compute_fn *work, void *data)
{
    assert(compute->loop);
    struct job job = {work, data, NULL};
    struct cpu_share *share = fiber_share(fiber_current());
    const int64_t begun = loop_now(compute->loop);
    TRY(worker_run(run_job, &job, NULL));
    if (share)
        cpu_share_charge(share, loop_now(compute->loop) - begun);
    return job.err;
}

struct error *compute_sized(size_t size, compute_fn *work, void *data)
{
    SCOPED(compute) compute = {0};
    if (size < COMPUTE_FROM)
        return work(data);
    TRY(compute_take(&compute));
    return compute_run(&compute, work, data);
}
