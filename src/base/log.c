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

static _Thread_local struct log_context *current;
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

/* Nobody can be told when this fails, and waiting for a reader would stop everything else. */
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
        return; /* a sink or a clock logs: its line would destroy the one being written */
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
