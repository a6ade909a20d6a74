/*
 * A share with ready fibers waits in one of two places. Those that have used about as much as the
 * others stand in a line (loop->shares_in_line), which costs next to nothing with a thousand of
 * them. Those that are ahead by more than ALLOWANCE are in a heap, ordered by what they used (the
 * heap of timers, which also keeps ties in order), and are served when nobody is in line.
 *
 * In each iteration the loop runs fibers of the first share, one turn each, for SLICE, and then
 * looks at the outside again (cpu_shares_run()). loop->share_time is what the share had used that
 * was served last from the heap: the time from which an idle share goes on.
 */
#include "async/cpu_share.h"

#include "async/fiber_internal.h"
#include "async/loop_internal.h"
#include "base/memory.h"

/*
 * How long shares are served before everything else has its turn again. One turn may be longer.
 * Shorter slices cost more: what is ready together shares a commit and a look at the outside.
 */
#define SLICE (10 * MILLISECOND)

/* Who is ahead of the others by no more than this waits in line with them. */
#define ALLOWANCE (2 * MILLISECOND)

/*
 * How far behind the others a share may stay while it has nothing to do. It is served before all
 * that were busy, and catches up no more than this.
 */
#define CREDIT (10 * MILLISECOND)

/* How many turns that are at most; in virtual time a turn takes no time. */
#define TURNS_MAX 1000

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

int64_t cpu_share_used(const struct cpu_share *share)
{
    const int64_t least = share->loop->share_time - CREDIT;
    if (share->is_exempt)
        return INT64_MIN;
    return share->used > least ? share->used : least;
}

static bool is_queued(const struct cpu_share *share)
{
    return list_link_is_in(&share->link) || timer_is_started(&share->place);
}

static void serve_ahead(void *data);

static void queue_share(struct cpu_share *share)
{
    struct loop *loop = share->loop;
    if (share->used <= loop->share_time + ALLOWANCE)
        list_append(&loop->shares_in_line, &share->link);
    else
        timer_heap_put(&loop->shares_ahead, &share->place, share->used, serve_ahead, share);
}

/*
 * The task of the fiber that is next. The fiber may end with it, and drop its reference. A fiber
 * that became ready meanwhile may have queued the share already.
 */
static void serve_share(struct cpu_share *borrowed)
{
    OWNED(cpu_share) share = cpu_share_ref(borrowed);
    loop_run_task(share->loop, LIST_ENTRY(list_take_first(&share->ready), struct task, link));
    if (!list_is_empty(&share->ready) && !is_queued(share))
        queue_share(share);
}

static void serve_ahead(void *data)
{
    struct cpu_share *share = data;
    struct loop *loop = share->loop;
    if (share->used > loop->share_time)
        loop->share_time = share->used;
    serve_share(share);
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
    if (is_queued(share))
        return;
    if (share->used < loop->share_time - CREDIT)
        share->used = loop->share_time - CREDIT;
    queue_share(share);
}

void cpu_share_charge(struct cpu_share *share, duration span)
{
    share->used += span;
    if (share->total)
        *share->total += span;
    if (timer_is_started(&share->place)) {
        timer_heap_put(&share->loop->shares_ahead, &share->place, share->used, serve_ahead, share);
    } else if (list_link_is_in(&share->link) && share->used > share->loop->share_time + ALLOWANCE) {
        list_remove(&share->link);
        queue_share(share);
    }
}

bool cpu_shares_wait(const struct loop *loop)
{
    return !list_is_empty(&loop->shares_in_line) || loop->shares_ahead.count > 0;
}

void cpu_shares_run(struct loop *loop)
{
    const int64_t begun = loop->turns.begun;
    for (int i = 0; i < TURNS_MAX && loop->turns.begun - begun < SLICE; i++) {
        struct list_link *first = list_take_first(&loop->shares_in_line);
        if (first)
            serve_share(LIST_ENTRY(first, struct cpu_share, link));
        else if (loop->shares_ahead.count)
            timer_heap_fire(&loop->shares_ahead, FOREVER);
        else
            return;
    }
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
    const bool is_crowded = cpu_shares_wait(loop) || loop_now(loop) - loop->iterated >= SLICE;
    return is_crowded ? fiber_yield() : NULL;
}
