/*
 * Programs, run without blocking the loop.
 *
 * A program is the leader of a process group of its own. When the deadline of the waiting fiber
 * passes or the fiber is cancelled, the whole group is killed. In every case the program has been
 * reaped when the call returns, so there are no zombies. Processes that the program leaves behind
 * after a normal end are not waited for, and their output is not read.
 *
 *     SCOPED(process_result) result = {0};
 *     FIBER_TIMEOUT(10 * SECOND);
 *     TRY(process_run(&(struct process_options){.argv = argv}, &result), "run %s", argv[0]);
 *     if (result.exit_code != 0) …
 *
 * Only a real loop can run programs; a simulated one has no file descriptors and asserts.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

#define PROCESS_OUTPUT_MAX_DEFAULT MEGABYTE

struct process_options {
    const char *const *argv; /* ends in NULL. Without a slash argv[0] is searched in PATH */
    const char *const *env;  /* ends in NULL; NULL: the environment of this process */
    struct str input;        /* its standard input, followed by the end of the file */
    size_t output_max;       /* of each stream; 0 means PROCESS_OUTPUT_MAX_DEFAULT */
};

struct process_result {
    int exit_code;          /* -1 when a signal ended it */
    int signal;             /* 0 when it ended by itself */
    struct buf out, errors; /* its output, wiped when released; errors are cut at the limit */
};

void process_result_done(struct process_result *result);

/*
 * Suspends until the program has ended. ERROR_NOT_FOUND when there is no such program.
 * ERROR_TOO_LARGE when it wrote more than the limit; it is killed then.
 */
MUST_USE struct error *process_run(const struct process_options *options,
                                   struct process_result *ret_result);
