/*
 * A program as another process, told to stop as an operator would do it.
 *
 * It never outlives the test: the kernel kills it with us. What it prints goes to a file, which is
 * shown when it does not end well.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct child {
    pid_t pid; /* 0: does not run */
    const char *log;
};

/* Arguments end in NULL; the program's name first. Texts outlive the child. */
MUST_USE struct error *child_start(struct child *child, const char *const *arguments,
                                   const char *log);

/* SIGTERM, and waits for its end. ERROR_IO with its last words unless it ends well. Suspends. */
MUST_USE struct error *child_stop(struct child *child);

/* Kills it if it runs. */
void child_done(struct child *child);
