/*
 * The loop: one thread that runs fibers, timers and tasks, and waits when none is ready.
 *
 * Time, randomness and the outside world come from a backend. loop_new() uses the real one (libuv).
 * Tests use a simulated one (testing/sim.h) that runs the same code in virtual time. All functions
 * are called on the thread of the loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"

struct loop;
struct loop_backend;
struct random;

typedef struct error *(*fiber_fn)(void *data);

/* A function queued for the loop. Posting a task that is queued already leaves it in its place. */
struct task {
    struct list_link link;
    void (*run)(void *data);
    void *data;
    const char *name; /* for diagnostics, or NULL */
};

/* A job for a worker thread; see worker.h. */
struct loop_job {
    void (*work)(void *data);               /* on the worker */
    void (*finished)(struct loop_job *job); /* on the loop */
    void *data;
    void *backend_data;
};

/* What a backend provides. struct loop_backend is the first member of its own struct. */
struct loop_backend_ops {
    int64_t (*now)(struct loop_backend *backend);  /* monotonic, nanoseconds */
    int64_t (*wall)(struct loop_backend *backend); /* since the epoch, nanoseconds */

    /* The CPU time that the thread has used. NULL: whatever passes is used. */
    duration (*cpu)(struct loop_backend *backend);

    /* Waits for outside events at most this long (0: not at all) and runs their functions. */
    void (*wait)(struct loop_backend *backend, duration timeout);

    /* Which of count ready tasks runs next. NULL means the first. */
    size_t (*pick)(struct loop_backend *backend, size_t count);

    void (*submit)(struct loop_backend *backend, struct loop_job *job);
    /* Cancels a job that has not begun. False when it has. */
    bool (*withdraw)(struct loop_backend *backend, struct loop_job *job);
    void (*free)(struct loop_backend *backend);
};

struct loop_backend {
    const struct loop_backend_ops *ops;
    struct loop *loop;
};

struct loop *loop_new(void);

/* Takes ownership of the backend. The seed feeds loop_random(). */
struct loop *loop_new_with(struct loop_backend *backend, uint64_t seed);
void loop_free(struct loop *loop);
DEFINE_OWNED(loop)

/* Runs fn(data) on a fiber until it has returned, and returns its result. */
MUST_USE struct error *loop_run(struct loop *loop, fiber_fn fn, void *data);

/* The loop that runs on this thread; NULL outside loop_run(). */
struct loop *loop_current(void);

int64_t loop_now(const struct loop *loop);  /* monotonic, for deadlines */
int64_t loop_wall(const struct loop *loop); /* since the epoch, for people and certificates */
struct random *loop_random(struct loop *loop);

/* Queues the task. It runs once, in a later round of the loop. */
void loop_post(struct loop *loop, struct task *task);

/*
 * Queues the task behind everything that is ready, parties included (cpu_share.h), but for a few
 * milliseconds at most: for work that serves many at once, so that those who are ready share it.
 */
void loop_post_late(struct loop *loop, struct task *task);

/* Queues the task for the end of this iteration of the loop; of the next if that is running. */
void loop_post_last(struct loop *loop, struct task *task);

/* Removes the task from the queue. Nothing happens when it is not queued. */
void loop_withdraw(struct task *task);

/* Fibers and timers that exist now. Tests and the simulation check that none is left at the end. */
size_t loop_fiber_count(const struct loop *loop);
size_t loop_timer_count(const struct loop *loop);

struct loop_backend *loop_backend(struct loop *loop);

/*
 * For tests: called before each interruptible suspension. An error that the hook returns ends the
 * wait at once. "what" is the text given to fiber_park().
 */
typedef struct error *(*loop_park_hook)(void *data, const char *what);
void loop_set_park_hook(struct loop *loop, loop_park_hook hook, void *data);

/*
 * Prints every fiber and what it waits for on standard error. The simulation does so when nothing
 * can go on.
 */
void loop_dump(const struct loop *loop);
