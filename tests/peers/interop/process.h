/*
 * Somebody else's program, run beside the loop: what it prints is collected as it comes.
 *
 * A program never outlives the test. It is killed and reaped when it is freed, and the kernel kills
 * it when the test process ends without doing so, as it does when a check fails. Its environment is
 * empty but for the locale, so that no proxy or configuration of the user's changes a result.
 */
#pragma once

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct process;

/* A list of C strings, NULL behind the last. */
#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct process_options {
    const char *const *arguments; /* the program's name first */
    const char *const *more;      /* arguments put behind these; NULL for none */
    const char *directory;        /* where it runs; NULL: where we do */
    const char *input;            /* file it reads as standard input; NULL: nothing */
    size_t output_limit;          /* of what it prints, for each stream; 0 means 1 MiB */
};

/* ERROR_NOT_FOUND when no such program is installed. Everything is copied. */
MUST_USE struct error *process_start(const struct process_options *options,
                                     struct process **ret_process);

/* Kills it if it still runs. */
void process_free(struct process *process);
DEFINE_OWNED(process)

/*
 * Suspends until it has ended. The error of one that fails shows what it said; ERROR_TOO_LARGE when
 * it said more than the limit.
 */
MUST_USE struct error *process_wait(struct process *process);

/* Suspends until its output holds the text. ERROR_IO when it ends without. */
MUST_USE struct error *process_wait_output(struct process *process, struct str text);

/* Runs it from start to end; the fiber's deadline is the program's. Suspends. */
MUST_USE struct error *process_run(const struct process_options *options,
                                   struct process **ret_process);

/* Standard output and standard error so far. Valid until the next suspension. */
struct str process_output(const struct process *process);
struct str process_messages(const struct process *process);
