/*
 * How far a command has come, on standard error: a line in place on a terminal, a line now and then
 * elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool is_live;
    bool is_open; /* a line stands that has no end yet */
    size_t told;  /* of plain lines: the last count */
};

void progress_init(struct progress *progress);

/* A step of its own; ends the line that stands. */
void progress_say(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* So many of so many; what is "clusters have everything". */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what);

void progress_end(struct progress *progress);
