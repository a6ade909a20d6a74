/*
 * What happened in a simulated run: lines with the time in front, and the program's own log. The
 * hash of all of it is the run's: the same seed has the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct trace {
    bool verbose; /* is printed as well */
    uint64_t hash;
    struct buf line;

    /* Lines of the log pass here first; NULL: nowhere. Set after trace_begin(). */
    void (*on_log)(void *data, struct str line);
    void *data;
};

/* One at a time: the log belongs to it in between. */
void trace_begin(struct trace *trace, bool verbose);
void trace_end(struct trace *trace);

/* On the loop. */
void trace_print(struct trace *trace, const char *format, ...) PRINTF_LIKE(2, 3);
