/*
 * What the loop and scopes know about fibers.
 */
#pragma once

#include <stdbool.h>

#include "async/fiber.h"
#include "async/loop.h"

struct cpu_share;
struct fiber_outcome;

/* Where a fiber leaves its result. ended() is called on the loop when the fiber has been freed. */
struct fiber_outcome {
    bool finished;
    struct error *err;
    void (*ended)(struct fiber_outcome *outcome);
};

/*
 * Starts a fiber at the next iteration of the loop. The outcome and the name must outlive the
 * fiber.
 */
struct fiber *fiber_spawn(struct loop *loop, const char *name, fiber_fn fn, void *data,
                          struct fiber_outcome *outcome);

/*
 * The turns of the fiber are those of the share from now on. False when they are already. A fiber
 * that is ready must not have had another share.
 */
bool fiber_set_share(struct fiber *fiber, struct cpu_share *share);

/* Whose turns the fiber takes; NULL: nobody's. */
struct cpu_share *fiber_share(const struct fiber *fiber);

/* Tells the sanitizers about the stack on which loop_run() was called. */
void fiber_attach_thread(struct loop *loop);

/* Prints the name of every fiber and what it waits for; see loop_dump(). */
void fiber_dump_all(const struct loop *loop);
