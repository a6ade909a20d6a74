/*
 * Settings of the log, its contexts, and the way of a line to its sink; log_line.c formats a line.
 *
 * The level may change while other threads log, so it is atomic. Format, sink and clock are set
 * before other threads start. A line is formatted in a buffer of the thread, which makes
 * log_write() free of allocation and of locks. write(2) gets a whole line at once, so lines of
 * several threads stay apart as far as the kernel keeps writes apart.
 */
#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/log_internal.h"

static _Atomic int current_level;
static enum log_format line_format;
static log_sink_fn *line_sink;
static void *sink_data;
static log_clock_fn *clock_fn;
static void *clock_data;

/* The innermost context of the fiber that runs on this thread. fiber.c swaps it at each switch. */
static _Thread_local struct log_context *current;
/* True inside log_write(): a sink or a clock that logs is ignored instead of recursing. */
static _Thread_local bool writing;

void log_set_level(int level)
{
    atomic_store_explicit(&current_level, level < 0 ? 0 : level, memory_order_relaxed);
}

int log_level(void)
{
    return atomic_load_explicit(&current_level, memory_order_relaxed);
}

void log_set_format(enum log_format format)
{
    line_format = format;
}

enum log_format log_format(void)
{
    return line_format;
}

void log_set_sink(log_sink_fn *sink, void *data)
{
    line_sink = sink;
    sink_data = data;
}

void log_set_clock(log_clock_fn *clock, void *data)
{
    clock_fn = clock;
    clock_data = data;
}

bool log_is_on(int level)
{
    return level <= log_level();
}

/*
 * A failure is ignored: there is nowhere to report it, and waiting for a reader of standard error
 * would stop the loop.
 */
static void write_stderr(struct str line)
{
    while (line.len) {
        const ssize_t written = write(STDERR_FILENO, line.ptr, line.len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        line = str_skip(line, (size_t)written);
    }
}

void log_write(int level, const char *message, const struct log_field *fields, size_t count)
{
    static _Thread_local char bytes[LOG_LINE_MAX];
    if (writing)
        return; /* a sink or a clock logs, and its line would overwrite this one in the buffer */
    writing = true;
    const int saved_errno = errno;
    const struct log_record record = {
        .level = level,
        .message = message,
        .time = clock_fn ? clock_fn(clock_data) : timestamp_now(),
        .context = current,
        .fields = fields,
        .count = count,
    };
    struct log_line line = {.ptr = bytes, .capacity = sizeof(bytes)};
    log_line_write(&line, line_format, &record);
    if (line_sink)
        line_sink(sink_data, str_from(line.ptr, line.len));
    else
        write_stderr(str_from(line.ptr, line.len));
    errno = saved_errno;
    writing = false;
}

struct log_context *log_context_current(void)
{
    return current;
}

void log_context_switch(struct log_context *context)
{
    current = context;
}

void log_context_push(struct log_context *context)
{
    context->parent = current;
    current = context;
}

void log_context_pop(struct log_context *context)
{
    assert(current == context);
    current = context->parent;
}
