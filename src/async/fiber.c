/*
 * Fibers: stacks, switches, waiting, deadlines and cancellation.
 *
 * How to read this file: fiber_spawn() makes a fiber and posts its task to the loop. The loop runs
 * the task (resume_fiber()), which switches to the stack of the fiber (switch_to_fiber()). The
 * fiber runs until it parks: fiber_park() is under every wait, and switches back to the loop
 * (switch_to_loop()). fiber_wake(), the timer of the deadline or fiber_cancel() posts the task
 * again (wake_with()). When the function of the fiber returns, fiber_main() switches to the loop a
 * last time, and the loop frees the stack (free_ended_fiber()).
 *
 * A parked fiber is woken for exactly one cause: the first one. The cause decides what fiber_park()
 * returns. Two limits exist per fiber and are changed by blocks of code (struct fiber_limits): the
 * deadline, and whether cancellation is put off (a shield).
 */
#include "async/fiber.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "async/context.h"
#include "async/cpu_share.h"
#include "async/fiber_internal.h"
#include "async/loop_internal.h"
#include "async/stack.h"
#include "base/log.h"
#include "base/sanitizer.h"

#if SANITIZE_ADDRESS
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if SANITIZE_THREAD
#include <sanitizer/tsan_interface.h>
#endif
#if KNOWS_VALGRIND
#include <valgrind/valgrind.h>
#endif

enum fiber_state { FIBER_READY, FIBER_RUNNING, FIBER_PARKED, FIBER_ENDED };
enum wake_cause { WAKE_PENDING, WAKE_CALLED, WAKE_DEADLINE, WAKE_CANCELED };

/* Lies at the top of the stack of the fiber, so that a fiber is one allocation. */
struct fiber {
    struct loop *loop;
    const char *name;
    fiber_fn fn;
    void *data;
    struct fiber_outcome *outcome;

    void *context;
    struct stack stack;
    struct list_link link; /* of all fibers */
    struct task task;      /* in the ready queue */

    enum fiber_state state;
    enum wake_cause cause;
    const char *waits_for;
    struct timer timer;
    struct fiber_limits limits;
    bool uninterrupted;
    bool canceled;
    int64_t grace_end; /* when a FIBER_GRACE() block ends after a cancellation */

    struct cpu_share *share;         /* whose turns it takes, or NULL */
    struct log_context *log_context; /* travels with the fiber */
    void *tsan_fiber;
    unsigned valgrind_id;
};

struct fiber *fiber_current(void)
{
    const struct loop *loop = loop_current();
    return loop ? loop->current : NULL;
}

const char *fiber_name(const struct fiber *fiber)
{
    return fiber->name;
}

/*
 * The two switches, from the loop to a fiber and back. AddressSanitizer keeps the bounds of the
 * current stack and of its fake frames, ThreadSanitizer a history per fiber; both must be told of a
 * switch before it happens. The log context changes with the stack.
 */
static void switch_to_fiber(struct fiber *fiber)
{
    struct loop *loop = fiber->loop;
    loop->current = fiber;
    fiber->state = FIBER_RUNNING;
    struct log_context *outer = log_context_current();
    log_context_switch(fiber->log_context);
#if SANITIZE_THREAD
    __tsan_switch_to_fiber(fiber->tsan_fiber, 0);
#endif
#if SANITIZE_ADDRESS
    void *fake_frames;
    __sanitizer_start_switch_fiber(&fake_frames, fiber->stack.bottom, fiber->stack.size);
#endif
    context_switch(&loop->context, fiber->context);
#if SANITIZE_ADDRESS
    __sanitizer_finish_switch_fiber(fake_frames, NULL, NULL);
#endif
    loop->current = NULL;
    loop->turn_goes_on = false;
    /* Under the log context of the fiber. */
    const duration took = loop_turns_end(loop, fiber->name, fiber->waits_for);
    if (fiber->share)
        cpu_share_charge(fiber->share, took);
    if (fiber->state != FIBER_ENDED)
        fiber->log_context = log_context_current();
    log_context_switch(outer);
}

static void switch_to_loop(struct fiber *fiber)
{
    struct loop *loop = fiber->loop;
#if SANITIZE_THREAD
    __tsan_switch_to_fiber(loop->tsan_fiber, 0);
#endif
#if SANITIZE_ADDRESS
    /* Without a place to save them, the fake frames are released: the fiber has ended. */
    void *fake_frames = NULL;
    __sanitizer_start_switch_fiber(fiber->state == FIBER_ENDED ? NULL : &fake_frames,
                                   loop->stack_bottom, loop->stack_size);
#endif
    context_switch(&fiber->context, loop->context);
#if SANITIZE_ADDRESS
    __sanitizer_finish_switch_fiber(fake_frames, NULL, NULL);
#endif
}

/* AddressSanitizer needs the bounds of the thread's own stack to switch back to it. */
void fiber_attach_thread(struct loop *loop)
{
#if SANITIZE_THREAD
    loop->tsan_fiber = __tsan_get_current_fiber();
#endif
    pthread_attr_t attributes;
    void *bottom = NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &bottom, &loop->stack_size);
        pthread_attr_destroy(&attributes);
    }
    loop->stack_bottom = bottom;
}

/*
 * Called by the fault handler: the name of the fiber whose guard page holds this address, or NULL.
 * Only the running fiber can have hit its guard page.
 */
static const char *overflowed_fiber(const void *address)
{
    const struct fiber *fiber = fiber_current();
    if (!fiber)
        return NULL;
    const char *fault = address;
    const char *bottom = fiber->stack.bottom;
    return fault < bottom && fault >= bottom - STACK_GUARD ? fiber->name : NULL;
}

/*
 * Tells the checkers of this build that the memory is a stack. LeakSanitizer would not look for
 * pointers there otherwise.
 */
static void announce_stack(struct fiber *fiber)
{
    (void)fiber; /* a build may have none of the checkers */
#if SANITIZE_THREAD
    fiber->tsan_fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(fiber->tsan_fiber, fiber->name);
#endif
#if SANITIZE_ADDRESS
    __lsan_register_root_region(fiber->stack.bottom, fiber->stack.size);
#endif
#if KNOWS_VALGRIND
    fiber->valgrind_id =
        VALGRIND_STACK_REGISTER(fiber->stack.bottom, fiber->stack.bottom + fiber->stack.size);
#endif
}

static void withdraw_stack(struct fiber *fiber)
{
#if SANITIZE_THREAD
    __tsan_destroy_fiber(fiber->tsan_fiber);
#endif
#if SANITIZE_ADDRESS
    __lsan_unregister_root_region(fiber->stack.bottom, fiber->stack.size);
#endif
#if KNOWS_VALGRIND
    VALGRIND_STACK_DEREGISTER(fiber->valgrind_id);
#endif
    (void)fiber;
}

/*
 * Called on the loop: the fiber has run its last instruction, so its stack can be given back. The
 * fiber itself lies there, so nothing of it may be used afterwards.
 */
static void free_ended_fiber(struct fiber *fiber)
{
    struct loop *loop = fiber->loop;
    struct fiber_outcome *outcome = fiber->outcome;
    cpu_share_free(fiber->share);
    list_remove(&fiber->link);
    loop->fiber_count--;
    timer_stop(loop, &fiber->timer);
    withdraw_stack(fiber);
    stack_give(fiber->stack);
    outcome->finished = true;
    if (outcome->ended)
        outcome->ended(outcome);
}

/* The task of a fiber: runs the fiber until it parks or ends. */
static void resume_fiber(void *data)
{
    struct fiber *fiber = data;
    switch_to_fiber(fiber);
    if (fiber->state == FIBER_ENDED)
        free_ended_fiber(fiber);
}

/* The first function on the stack of every fiber. */
static void fiber_main(void *data)
{
    struct fiber *fiber = data;
#if SANITIZE_ADDRESS
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    fiber->outcome->err = fiber->fn(fiber->data);
    fiber->state = FIBER_ENDED;
    switch_to_loop(fiber);
    abort(); /* an ended fiber is never resumed */
}

/* The fiber does not run yet: its task is posted and runs in the next iteration of the loop. */
struct fiber *fiber_spawn(struct loop *loop, const char *name, fiber_fn fn, void *data,
                          struct fiber_outcome *outcome)
{
    stack_watch_overflow(overflowed_fiber);
    const struct stack stack = stack_take();
    const size_t reserved = (sizeof(struct fiber) + 63) & ~(size_t)63;
    struct fiber *fiber = (struct fiber *)(void *)(stack.bottom + stack.size - reserved);
    *fiber = (struct fiber){
        .loop = loop,
        .name = name,
        .fn = fn,
        .data = data,
        .outcome = outcome,
        .stack = stack,
        .task = {.run = resume_fiber, .data = fiber},
        .limits = {.deadline = FOREVER                  },
    };
    fiber->context = context_new(stack.bottom, stack.size - reserved, fiber_main, fiber);
    announce_stack(fiber);
    list_append(&loop->fibers, &fiber->link);
    loop->fiber_count++;
    loop_post(loop, &fiber->task);
    return fiber;
}

static void post_fiber(struct fiber *fiber)
{
    if (fiber->share)
        cpu_share_post(fiber->share, &fiber->task);
    else
        loop_post(fiber->loop, &fiber->task);
}

bool fiber_set_share(struct fiber *fiber, struct cpu_share *share)
{
    const bool is_queued = list_link_is_in(&fiber->task.link);
    if (fiber->share == share)
        return false;
    assert(!is_queued || !fiber->share); /* the queue of a share would have to be left properly */
    loop_withdraw(&fiber->task);
    cpu_share_free(fiber->share);
    fiber->share = cpu_share_ref(share);
    if (is_queued)
        post_fiber(fiber);
    return true;
}

struct cpu_share *fiber_share(const struct fiber *fiber)
{
    return fiber->share;
}

/* The first cause counts. A fiber that is ready or running is not affected. */
static void wake_with(struct fiber *fiber, enum wake_cause cause)
{
    if (fiber->state != FIBER_PARKED || fiber->cause != WAKE_PENDING)
        return; /* the first cause is the one that counts */
    fiber->cause = cause;
    fiber->state = FIBER_READY;
    post_fiber(fiber);
}

void fiber_wake(struct fiber *fiber)
{
    wake_with(fiber, WAKE_CALLED);
}

static void arm_deadline(struct fiber *fiber);

/*
 * The timer may fire early, see arm_deadline(). It fires for nothing when the fiber does not wait;
 * the next wait checks the deadline itself.
 */
static void on_deadline(void *data)
{
    struct fiber *fiber = data;
    if (fiber->state != FIBER_PARKED || fiber->uninterrupted)
        return; /* the next wait looks at the deadline itself */
    if (fiber->limits.deadline <= loop_now(fiber->loop))
        wake_with(fiber, WAKE_DEADLINE);
    else
        arm_deadline(fiber);
}

/*
 * The timer is not stopped when a wait ends, and may therefore fire early, never late. Most waits
 * end long before their deadline, and the next wait finds a timer that serves it too.
 */
static void arm_deadline(struct fiber *fiber)
{
    const int64_t deadline = fiber->limits.deadline;
    if (deadline != FOREVER && (!timer_is_started(&fiber->timer) || fiber->timer.due > deadline))
        timer_start(fiber->loop, &fiber->timer, deadline, on_deadline, fiber);
}

bool fiber_is_canceled(const struct fiber *fiber)
{
    return fiber->canceled;
}

/* Saturates at FOREVER. */
static int64_t due_after(const struct fiber *fiber, duration span)
{
    int64_t due;
    return __builtin_add_overflow(loop_now(fiber->loop), span, &due) ? FOREVER : due;
}

/* A cancelled fiber inside FIBER_GRACE() has until grace_end. */
static void end_with_grace(struct fiber *fiber)
{
    struct fiber_limits *limits = &fiber->limits;
    if (fiber->canceled && limits->grace && limits->deadline > fiber->grace_end)
        limits->deadline = fiber->grace_end;
}

/*
 * The first cancellation starts the grace period. A shield only delays the error: the fiber stays
 * cancelled, and the first wait behind the shield fails.
 */
void fiber_cancel(struct fiber *fiber)
{
    const bool is_first = !fiber->canceled;
    fiber->canceled = true;
    if (is_first && fiber->limits.grace) {
        fiber->grace_end = due_after(fiber, fiber->limits.grace);
        end_with_grace(fiber);
        arm_deadline(fiber);
    }
    if (!fiber->uninterrupted && !fiber->limits.shielded)
        wake_with(fiber, WAKE_CANCELED);
}

/*
 * The error that a wait fails with before it begins, or NULL. Tests inject failures through the
 * park hook; a shield keeps them out as well.
 */
static struct error *pending_interruption(const struct fiber *fiber, const char *what)
{
    if (fiber->canceled && !fiber->limits.shielded)
        return error_new(ERROR_CANCELED, "canceled while waiting for %s", what);
    if (fiber->limits.deadline != FOREVER && fiber->limits.deadline <= loop_now(fiber->loop))
        return error_new(ERROR_DEADLINE, "timed out while waiting for %s", what);
    if (fiber->loop->park_hook && !fiber->limits.shielded)
        return fiber->loop->park_hook(fiber->loop->park_hook_data, what);
    return NULL;
}

/* Switches to the loop until wake_with() has posted the task of the fiber. */
static void park_fiber(struct fiber *fiber, const char *what)
{
    fiber->state = FIBER_PARKED;
    fiber->cause = WAKE_PENDING;
    fiber->waits_for = what;
    switch_to_loop(fiber);
    fiber->waits_for = NULL;
}

/* A fiber that is cancelled or past its deadline does not suspend at all. */
struct error *fiber_park(const char *what)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    TRY(pending_interruption(fiber, what));
    arm_deadline(fiber);
    park_fiber(fiber, what);
    if (fiber->cause == WAKE_DEADLINE)
        return error_new(ERROR_DEADLINE, "timed out while waiting for %s", what);
    if (fiber->cause == WAKE_CANCELED)
        return error_new(ERROR_CANCELED, "canceled while waiting for %s", what);
    return NULL;
}

/*
 * The flag makes on_deadline() and fiber_cancel() leave the fiber alone. Both take effect at its
 * next interruptible wait.
 */
void fiber_park_uninterrupted(const char *what)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    fiber->uninterrupted = true;
    park_fiber(fiber, what);
    fiber->uninterrupted = false;
}

struct error *fiber_sleep(duration span)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    struct timer timer = {0};
    int64_t due;
    /* A span that overflows never ends, so it needs no timer. */
    if (!__builtin_add_overflow(loop_now(fiber->loop), span > 0 ? span : 0, &due))
        timer_start(fiber->loop, &timer, due, (timer_fn)fiber_wake, fiber);
    struct error *err = fiber_park("time to pass");
    timer_stop(fiber->loop, &timer);
    return err;
}

/* The task is appended behind everything that is ready now. */
void fiber_trim_stack(void)
{
    const struct fiber *fiber = fiber_current();
    assert(fiber);
    stack_trim(fiber->stack);
}

struct error *fiber_yield(void)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    struct task task = {.run = (void (*)(void *))fiber_wake, .data = fiber};
    loop_post(fiber->loop, &task);
    struct error *err = fiber_park("other fibers");
    loop_withdraw(&task);
    return err;
}

/* Beside it a switch costs nothing, and everybody else hardly waits. */
#define TURN_ENOUGH (2 * MILLISECOND)

duration fiber_turn(void)
{
    const struct fiber *fiber = fiber_current();
    assert(fiber);
    return loop_now(fiber->loop) - fiber->loop->turns.begun;
}

struct error *fiber_yield_in_time(void)
{
    return fiber_turn() < TURN_ENOUGH ? NULL : fiber_yield();
}

int64_t fiber_deadline(void)
{
    const struct fiber *fiber = fiber_current();
    return fiber ? fiber->limits.deadline : FOREVER;
}

/*
 * Returns the limits to restore; FIBER_TIMEOUT() does that at the end of the block. A deadline
 * further out than the present one changes nothing.
 */
struct fiber_limits fiber_limits_narrow(duration span)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    const struct fiber_limits outer = fiber->limits;
    const int64_t due = due_after(fiber, span);
    if (due < fiber->limits.deadline)
        fiber->limits.deadline = due;
    return outer;
}

/* Replaces the deadline: an outer one that is nearer does not hold within the shield. */
struct fiber_limits fiber_limits_shield(duration span)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    const struct fiber_limits outer = fiber->limits;
    fiber->limits = (struct fiber_limits){.deadline = due_after(fiber, span), .shielded = true};
    return outer;
}

/*
 * Without a cancellation the outer deadline holds, extended to the span where it is nearer. A fiber
 * that is cancelled already has the span, counted from now.
 */
struct fiber_limits fiber_limits_grace(duration span)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    const struct fiber_limits outer = fiber->limits;
    const int64_t span_end = due_after(fiber, span);
    const bool extends = fiber->canceled || outer.deadline < span_end;
    fiber->grace_end = span_end;
    fiber->limits = (struct fiber_limits){
        .deadline = extends ? span_end : outer.deadline, .shielded = true, .grace = span};
    return outer;
}

/*
 * Leaving an inner block restores the limits of the outer one. When that is a FIBER_GRACE() block
 * and the fiber was cancelled meanwhile, its deadline must be narrowed again.
 */
void fiber_limits_done(struct fiber_limits *outer)
{
    struct fiber *fiber = fiber_current();
    assert(fiber);
    fiber->limits = *outer;
    end_with_grace(fiber);
}

void fiber_dump_all(const struct loop *loop)
{
    LIST_FOREACH (struct fiber, fiber, &loop->fibers, link)
        fprintf(stderr, "  %-24s %s%s\n", fiber->name, fiber->waits_for ? "waits for " : "is ready",
                fiber->waits_for ? fiber->waits_for : "");
}
