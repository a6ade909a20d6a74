/* What the loop and scopes know about fibers. */
#pragma once

#include <stdbool.h>

#include "async/fiber.h"
#include "async/loop.h"

struct fiber_outcome;

/* Where a fiber leaves its result. ended() is called on the loop once the fiber is gone. */
struct fiber_outcome {
    bool finished;
    struct error *err;
    void (*ended)(struct fiber_outcome *outcome);
};

/* The outcome must outlive the fiber. The name is a constant or outlives it too. */
struct fiber *fiber_spawn(struct loop *loop, const char *name, fiber_fn fn, void *data,
                          struct fiber_outcome *outcome);

/* Tells the sanitizers about the stack on which loop_run() was called. */
void fiber_attach_thread(struct loop *loop);

void fiber_dump_all(const struct loop *loop);
