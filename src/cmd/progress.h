/*
 * Progress of a command on standard error: a line that is updated in place on a terminal,
 * otherwise a few plain lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool is_live;
    bool is_open; /* the cursor is in a line that has no line feed yet */
    size_t shown; /* without a terminal: the last count that was printed */
};

void progress_init(struct progress *progress);

/* Prints a line of its own, after ending the line in place. */
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shows "done of all what", for example "3 of 10 clusters have everything". */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what);

void progress_end(struct progress *progress);
