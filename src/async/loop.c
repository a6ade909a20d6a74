#include "async/loop.h"

#include <assert.h>
#include <stdio.h>

#include "async/cpu_turn.h"
#include "async/fiber_internal.h"
#include "async/loop_internal.h"
#include "async/stack.h"
#include "base/memory.h"
#include "base/random.h"

static _Thread_local struct loop *current_loop;

struct loop *loop_new_with(struct loop_backend *backend, uint64_t seed)
{
    struct loop *loop = NEW(struct loop);
    loop->backend = backend;
    backend->loop = loop;
    list_init(&loop->ready);
    list_init(&loop->fibers);
    loop->random = NEW(struct random);
    random_init(loop->random, seed);
    return loop;
}

struct loop *loop_new(void)
{
    uint64_t seed;
    random_bytes_secure(&seed, sizeof(seed));
    return loop_new_with(loop_uv_new(), seed);
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    assert(loop->fiber_count == 0);
    loop->backend->ops->free(loop->backend);
    timer_heap_done(&loop->timers);
    stack_pool_trim();
    mem_free(loop->random);
    mem_free(loop);
}

struct loop *loop_current(void)
{
    return current_loop;
}

int64_t loop_now(const struct loop *loop)
{
    return loop->backend->ops->now(loop->backend);
}

int64_t loop_wall(const struct loop *loop)
{
    return loop->backend->ops->wall(loop->backend);
}

struct random *loop_random(struct loop *loop)
{
    return loop->random;
}

size_t loop_fiber_count(const struct loop *loop)
{
    return loop->fiber_count;
}

size_t loop_timer_count(const struct loop *loop)
{
    return loop->timers.count;
}

struct loop_backend *loop_backend(struct loop *loop)
{
    return loop->backend;
}

void loop_set_park_hook(struct loop *loop, loop_park_hook hook, void *data)
{
    loop->park_hook = hook;
    loop->park_hook_data = data;
}

void loop_post(struct loop *loop, struct task *task)
{
    if (!list_link_is_in(&task->link))
        list_append(&loop->ready, &task->link);
}

void loop_withdraw(struct task *task)
{
    list_remove(&task->link);
}

/* How far ahead a backend may reach when it reorders; more would make long queues slow. */
#define PICK_WINDOW 16

static struct list_link *take_picked(struct loop *loop, struct list *batch)
{
    struct list_link *link = batch->head.next;
    size_t count = 0;
    if (!loop->backend->ops->pick)
        return list_take_first(batch);
    for (; link != &batch->head && count < PICK_WINDOW; link = link->next)
        count++;
    if (count == 0)
        return NULL;
    link = batch->head.next;
    for (size_t skip = loop->backend->ops->pick(loop->backend, count); skip > 0; skip--)
        link = link->next;
    list_remove(link);
    return link;
}

/* Runs what is ready now. What becomes ready meanwhile waits for the next turn, so I/O gets its. */
static void run_ready(struct loop *loop)
{
    struct list batch;
    list_init(&batch);
    list_append_all(&batch, &loop->ready);
    struct list_link *link;
    while ((link = take_picked(loop, &batch))) {
        struct task *task = LIST_ENTRY(link, struct task, link);
        task->run(task->data);
    }
}

/* How often ready tasks are run before the outside is asked again. */
#define ROUNDS_MAX      4
#define LAST_ROUNDS_MAX 1000

/* Before a wait as long as this there is time to tidy up. */
#define QUIET (5 * MILLISECOND)

/* How long the outside may take, when nothing is ready. */
static duration longest_wait(const struct loop *loop)
{
    const int64_t now = loop_now(loop), next = timer_heap_next(&loop->timers);
    const duration timer = next == FOREVER ? FOREVER : next > now ? next - now : 0;
    const duration piece = cpu_turn_until_next(loop, now);
    return piece < timer ? piece : timer;
}

static void run_iteration(struct loop *loop)
{
    const int64_t now = loop_now(loop);
    while (timer_heap_fire(&loop->timers, now))
        ;
    /* What a task makes ready is mostly the second half of the same work: cheaper than a poll. */
    for (int round = 0; round < ROUNDS_MAX && !list_is_empty(&loop->ready); round++)
        run_ready(loop);
    /* Long pieces come last, behind everything that was due. */
    if (cpu_turn_hand_out(loop, loop_now(loop)))
        run_ready(loop);
    if (loop->fiber_count == 0)
        return; /* the main fiber has ended: nothing to wait for */
    const duration most = list_is_empty(&loop->ready) ? longest_wait(loop) : 0;
    if (most >= QUIET)
        stack_pool_shrink();
    loop->backend->ops->wait(loop->backend, most);
}

struct error *loop_run(struct loop *loop, fiber_fn fn, void *data)
{
    assert(!current_loop);
    current_loop = loop;
    fiber_attach_thread(loop);
    struct fiber_outcome outcome = {0};
    fiber_spawn(loop, "main", fn, data, &outcome);
    while (!outcome.finished)
        run_iteration(loop);
    /* The main fiber owned every other one, directly or not. */
    assert(loop->fiber_count == 0);
    /* What it freed last tidies up in tasks, whichever round of the turn it ended in. */
    for (int round = 0; round < LAST_ROUNDS_MAX && !list_is_empty(&loop->ready); round++)
        run_ready(loop);
    current_loop = NULL;
    return outcome.err;
}

void loop_dump(const struct loop *loop)
{
    fprintf(stderr, "%zu fibers, %zu timers\n", loop->fiber_count, loop->timers.count);
    fiber_dump_all(loop);
}
