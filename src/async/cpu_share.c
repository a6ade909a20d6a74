/*
 * The shares with ready fibers are a heap, ordered by what they used (the heap of timers, which
 * also keeps ties in order). In each iteration the loop runs fibers of the first share, one turn
 * each, for SLICE, and then looks at the outside again (cpu_shares_run()). loop->share_time is what
 * the share had used that was served last: the time from which an idle share goes on.
 */
#include "async/cpu_share.h"

#include "async/fiber_internal.h"
#include "async/loop_internal.h"
#include "base/memory.h"

/* How long shares are served before everything else has its turn again. One turn may be longer. */
#define SLICE (2 * MILLISECOND)

/*
 * How far behind the others a share may stay while it has nothing to do. It is served before all
 * that were busy, and catches up no more than this.
 */
#define CREDIT (10 * MILLISECOND)

/* How many turns that are at most; in virtual time a turn takes no time. */
#define TURNS_MAX 64

struct cpu_share *cpu_share_new(struct loop *loop, bool is_exempt, duration *total)
{
    struct cpu_share *share = NEW(struct cpu_share);
    share->loop = loop;
    share->refs = 1;
    share->is_exempt = is_exempt;
    share->total = total;
    share->used = loop->share_time - CREDIT;
    list_init(&share->ready);
    return share;
}

struct cpu_share *cpu_share_ref(struct cpu_share *share)
{
    share->refs++;
    return share;
}

/* Every fiber of the share holds a reference, so none is ready at the end. */
void cpu_share_free(struct cpu_share *share)
{
    if (share && --share->refs == 0)
        mem_free(share);
}

bool cpu_share_is_settled(const struct cpu_share *share)
{
    return share->refs == 1 && share->used <= share->loop->share_time - CREDIT;
}

/* The task of the fiber that is next. The fiber may end with it, and drop its reference. */
static void run_share(void *data)
{
    OWNED(cpu_share) share = cpu_share_ref(data);
    struct loop *loop = share->loop;
    if (share->used > loop->share_time)
        loop->share_time = share->used;
    loop_run_task(loop, LIST_ENTRY(list_take_first(&share->ready), struct task, link));
    if (!list_is_empty(&share->ready))
        timer_heap_put(&loop->shares, &share->place, share->used, run_share, share);
}

void cpu_share_post(struct cpu_share *share, struct task *task)
{
    struct loop *loop = share->loop;
    if (share->is_exempt) {
        loop_post(loop, task);
        return;
    }
    if (list_link_is_in(&task->link))
        return;
    list_append(&share->ready, &task->link);
    if (timer_is_started(&share->place))
        return;
    if (share->used < loop->share_time - CREDIT)
        share->used = loop->share_time - CREDIT;
    timer_heap_put(&loop->shares, &share->place, share->used, run_share, share);
}

void cpu_share_charge(struct cpu_share *share, duration span)
{
    share->used += span;
    if (share->total)
        *share->total += span;
    if (timer_is_started(&share->place))
        timer_heap_put(&share->loop->shares, &share->place, share->used, run_share, share);
}

void cpu_shares_run(struct loop *loop)
{
    const int64_t begun = loop->turns.begun;
    for (int i = 0; i < TURNS_MAX && loop->shares.count && loop->turns.begun - begun < SLICE; i++)
        timer_heap_fire(&loop->shares, FOREVER);
}

void cpu_share_put(struct cpu_share *share, struct fiber *fiber)
{
    fiber_set_share(fiber, share);
}

/*
 * A fiber that begins goes on at once when nobody waits and this iteration has not taken long:
 * there is nothing to be divided then.
 */
struct error *cpu_share_join(struct cpu_share *share)
{
    struct loop *loop = share->loop;
    if (!fiber_set_share(fiber_current(), share) || share->is_exempt)
        return NULL;
    const bool is_crowded = loop->shares.count > 0 || loop_now(loop) - loop->iterated >= SLICE;
    return is_crowded ? fiber_yield() : NULL;
}
