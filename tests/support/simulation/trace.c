#include "support/simulation/trace.h"

#include <stdarg.h>
#include <stdio.h>

#include "async/loop.h"
#include "base/log.h"

#define LINE_MAX_LEN 1024
#define FNV_BASE     UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME    UINT64_C(0x100000001b3)

static void note(struct trace *trace, struct str line)
{
    for (size_t i = 0; i < line.len; i++)
        trace->hash = (trace->hash ^ (unsigned char)line.ptr[i]) * FNV_PRIME;
    if (trace->verbose)
        fprintf(stderr, "%.*s", STR_ARG(line));
}

void trace_print(struct trace *trace, const char *format, ...)
{
    char text[LINE_MAX_LEN];
    va_list args;
    const int64_t now = loop_now(loop_current());
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(args);
    buf_clear(&trace->line);
    buf_print(&trace->line, "%9.3f %s\n", (double)(now - HOUR) / (double)SECOND, text);
    note(trace, buf_str(&trace->line));
}

static void on_log(void *data, struct str line)
{
    struct trace *trace = data;
    if (trace->on_log)
        trace->on_log(trace->data, line);
    note(trace, line);
}

static timestamp read_clock(void *data)
{
    (void)data;
    return loop_current() ? loop_wall(loop_current()) : 0;
}

void trace_begin(struct trace *trace, bool verbose)
{
    *trace = (struct trace){.verbose = verbose, .hash = FNV_BASE};
    log_set_sink(on_log, trace);
    log_set_clock(read_clock, NULL);
}

void trace_end(struct trace *trace)
{
    log_set_sink(NULL, NULL);
    buf_done(&trace->line);
}
