/*
 * The loop: the ready queue, timers, and the order of one iteration.
 *
 * An iteration (run_iteration()) fires the timers that are due, runs what is ready in up to
 * ROUNDS_MAX rounds, hands out one turn of the CPU (cpu_turn.h), serves the parties that have
 * something to do (cpu_share.h) for a while, runs late tasks when nothing else is ready and last
 * ones always, and then waits in the backend until the next timer or an
 * event from outside. A round runs the tasks that
 * were ready when it began; a task that becomes ready meanwhile belongs to the next round. This
 * bounds the time until the backend is asked for I/O.
 *
 * The backend (struct loop_backend_ops) provides clocks, worker threads and the wait. loop_uv.c is
 * the real one, testing/sim.c the simulated one. A backend with a pick() function also chooses the
 * order of ready tasks, which the simulation uses to find assumptions about order.
 */
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
    list_init(&loop->last);
    list_init(&loop->late);
    list_init(&loop->shares_in_line);
    list_init(&loop->fibers);
    list_init(&loop->computing);
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

/* No fiber may be left; loop_run() has seen to that. */
void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    assert(loop->fiber_count == 0);
    loop->backend->ops->free(loop->backend);
    timer_heap_done(&loop->timers);
    timer_heap_done(&loop->shares_ahead);
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

void loop_post_late(struct loop *loop, struct task *task)
{
    if (list_link_is_in(&task->link))
        return;
    if (list_is_empty(&loop->late)) {
        loop->late_since = loop_now(loop);
        loop->late_iterations = 0;
    }
    list_append(&loop->late, &task->link);
}

void loop_post_last(struct loop *loop, struct task *task)
{
    if (!list_link_is_in(&task->link))
        list_append(&loop->last, &task->link);
}

void loop_withdraw(struct task *task)
{
    list_remove(&task->link);
}

/*
 * How many tasks from the front of the queue a backend may choose from. A larger window would make
 * long queues slow, because the position is searched.
 */
#define PICK_WINDOW 16

/* Takes the task that the backend picks, or the first one when the backend does not pick. */
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

void loop_run_task(struct loop *loop, struct task *task)
{
    const char *name = task->name ? task->name : "task";
    loop->turn_goes_on = true;
    task->run(task->data);
    if (loop->turn_goes_on)
        loop_turns_end(loop, name, NULL);
}

/* One round: runs what is in the queue now. What comes meanwhile waits for the next round. */
static void run_round(struct loop *loop, struct list *queue)
{
    struct list batch;
    list_init(&batch);
    list_append_all(&batch, queue);
    struct list_link *link;
    while ((link = take_picked(loop, &batch)))
        loop_run_task(loop, LIST_ENTRY(link, struct task, link));
}

/* How often ready tasks are run before the outside is asked again. */
#define ROUNDS_MAX      4
#define LAST_ROUNDS_MAX 1000

/*
 * How long late tasks wait while others are ready, and for how many iterations: in virtual time
 * they take no time.
 */
#define LATE_MAX            (5 * MILLISECOND)
#define LATE_ITERATIONS_MAX 16

/*
 * When the next wait is at least this long, there is time to unmap spare stacks, a few at a time:
 * work that comes in bursts needs them again.
 */
#define QUIET        (5 * MILLISECOND)
#define SHRINK_EVERY (50 * MILLISECOND)

/*
 * The longest time that the backend may wait when nothing is ready: until the next timer or the
 * next turn of the CPU.
 */
static duration longest_wait(const struct loop *loop)
{
    const int64_t now = loop_now(loop), next = timer_heap_next(&loop->timers);
    const duration timer = next == FOREVER ? FOREVER : next > now ? next - now : 0;
    const duration piece = cpu_turn_until_next(loop, now);
    return piece < timer ? piece : timer;
}

static bool is_anything_ready(const struct loop *loop)
{
    return !list_is_empty(&loop->ready) || cpu_shares_wait(loop);
}

static void run_late(struct loop *loop)
{
    if (list_is_empty(&loop->late))
        return;
    if (is_anything_ready(loop) && ++loop->late_iterations < LATE_ITERATIONS_MAX &&
        loop_now(loop) - loop->late_since < LATE_MAX)
        return;
    run_round(loop, &loop->late);
}

static void run_iteration(struct loop *loop)
{
    const int64_t now = loop_now(loop);
    bool has_fired = false;
    loop->iterated = now;
    loop_turns_begin(loop, now);
    while (timer_heap_fire(&loop->timers, now))
        has_fired = true;
    if (has_fired)
        loop_turns_end(loop, "timers", NULL);
    /* What a task makes ready mostly continues the same work, which is cheaper than a poll. */
    for (int round = 0; round < ROUNDS_MAX && !list_is_empty(&loop->ready); round++)
        run_round(loop, &loop->ready);
    /* Long work comes last, behind everything that was due. */
    if (cpu_turn_hand_out(loop, loop_now(loop)))
        run_round(loop, &loop->ready);
    cpu_shares_run(loop);
    run_late(loop);
    run_round(loop, &loop->last);
    if (loop->fiber_count == 0)
        return; /* the main fiber has ended: nothing to wait for */
    const bool is_idle =
        !is_anything_ready(loop) && list_is_empty(&loop->late) && list_is_empty(&loop->last);
    const duration timeout = is_idle ? longest_wait(loop) : 0;
    if (timeout >= QUIET && now - loop->shrunk >= SHRINK_EVERY) {
        loop->shrunk = now;
        stack_pool_shrink();
    }
    loop->backend->ops->wait(loop->backend, timeout);
}

/*
 * Runs iterations until the main fiber has ended. Every other fiber belongs to a scope of the main
 * fiber, directly or not, so none is left then.
 */
struct error *loop_run(struct loop *loop, fiber_fn fn, void *data)
{
    assert(!current_loop);
    current_loop = loop;
    fiber_attach_thread(loop);
    struct fiber_outcome outcome = {0};
    fiber_spawn(loop, "main", fn, data, &outcome);
    while (!outcome.finished)
        run_iteration(loop);
    /* The main fiber owned every other fiber, directly or not. */
    assert(loop->fiber_count == 0);
    /* Objects that the main fiber freed last close themselves in tasks. */
    for (int round = 0; round < LAST_ROUNDS_MAX && !list_is_empty(&loop->ready); round++)
        run_round(loop, &loop->ready);
    current_loop = NULL;
    return outcome.err;
}

void loop_dump(const struct loop *loop)
{
    fprintf(stderr, "%zu fibers, %zu timers\n", loop->fiber_count, loop->timers.count);
    fiber_dump_all(loop);
}
