/*
 * Turns of the CPU: the loop hands out at most one in each iteration, see run_iteration() in
 * loop.c.
 */
#include "async/cpu_turn.h"

#include "async/loop_internal.h"
#include "async/worker.h"

/*
 * About how long the work of one turn takes. A turn is put off while a timer is due sooner than
 * that.
 */
#define LENGTH (2 * MILLISECOND)

/*
 * The longest time that a turn is put off for timers, divided by the number of waiting fibers: many
 * waiting fibers are not put off longer than one.
 */
#define PATIENCE (16 * MILLISECOND)

/*
 * The waiters count includes fibers that were woken and have not run yet, so that PATIENCE is
 * shared by all of them.
 */
static struct error *wait_for_turn(struct loop *loop, struct event *turns)
{
    if (!loop->cpu_turn_waiters++)
        loop->cpu_turn_last = loop_now(loop);
    struct error *err = event_wait(turns, "a turn of the CPU");
    loop->cpu_turn_waiters--;
    return err;
}

struct error *cpu_turn_take(void)
{
    struct loop *loop = loop_current();
    return wait_for_turn(loop, &loop->cpu_turns);
}

struct error *cpu_turn_take_next(void)
{
    struct loop *loop = loop_current();
    return wait_for_turn(loop, &loop->cpu_turns_next);
}

static void wake_for_thread(struct cpu_turn_threads *threads)
{
    if (threads->busy < threads->count)
        event_wake_one(event_has_waiters(&threads->next) ? &threads->next : &threads->first);
}

/* A fiber that was woken and cancelled passes the thread on. */
static struct error *take_thread(struct cpu_turn_threads *threads, bool has_begun)
{
    while (threads->busy >= threads->count) {
        struct error *err =
            event_wait(has_begun ? &threads->next : &threads->first, "a thread for its turn");
        if (err) {
            wake_for_thread(threads);
            return err;
        }
    }
    threads->busy++;
    return NULL;
}

void cpu_turn_use_threads(struct loop *loop, size_t count)
{
    loop->cpu_turn_threads.count = count;
}

struct error *cpu_turn_run(bool has_begun, void (*work)(void *data), void *data)
{
    struct cpu_turn_threads *threads = &loop_current()->cpu_turn_threads;
    if (!threads->count) {
        TRY(has_begun ? cpu_turn_take_next() : cpu_turn_take());
        work(data);
        return NULL;
    }
    TRY(take_thread(threads, has_begun));
    struct error *err = worker_run(work, data, NULL);
    threads->busy--;
    wake_for_thread(threads);
    return err;
}

static void open_gate(void *data)
{
    struct cpu_gate *gate = data;
    event_wake_one(&gate->waiters);
    if (event_has_waiters(&gate->waiters))
        loop_post_last(loop_current(), &gate->opening);
}

/* A fiber that was cancelled may have left the task behind. */
void cpu_gate_done(struct cpu_gate *gate)
{
    loop_withdraw(&gate->opening);
}

struct error *cpu_gate_pass(struct cpu_gate *gate)
{
    gate->opening.run = open_gate;
    gate->opening.data = gate;
    loop_post_last(loop_current(), &gate->opening);
    return event_wait(&gate->waiters, "its turn to begin");
}

static bool is_turn_awaited(const struct loop *loop)
{
    return event_has_waiters(&loop->cpu_turns) || event_has_waiters(&loop->cpu_turns_next);
}

bool cpu_turn_is_awaited(const struct loop *loop)
{
    return is_turn_awaited(loop) || event_has_waiters(&loop->cpu_turn_threads.first) ||
           event_has_waiters(&loop->cpu_turn_threads.next);
}

/* 0 when a turn is to be handed out now: patience is over, or no timer is due within LENGTH. */
duration cpu_turn_until_next(const struct loop *loop, int64_t now)
{
    if (!is_turn_awaited(loop))
        return FOREVER;
    const int64_t last = loop->cpu_turn_last + PATIENCE / (int64_t)loop->cpu_turn_waiters;
    const int64_t next = timer_heap_next(&loop->timers);
    if (now >= last || next == FOREVER || next - now >= LENGTH)
        return 0;
    return last - now;
}

bool cpu_turn_hand_out(struct loop *loop, int64_t now)
{
    if (cpu_turn_until_next(loop, now) != 0)
        return false;
    loop->cpu_turn_last = now;
    event_wake_one(event_has_waiters(&loop->cpu_turns_next) ? &loop->cpu_turns_next
                                                            : &loop->cpu_turns);
    return true;
}
