#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/log_internal.h"

#define MODULES_MAX 16
#define PATTERN_MAX 64

static _Atomic int general_level;
static enum log_format line_format;
static log_sink_fn *line_sink;
static void *sink_data;
static log_clock_fn *clock_fn;
static void *clock_data;

struct module {
    char pattern[PATTERN_MAX];
    int level;
};

/* Changed as a whole under the lock; a new generation makes every site look again. */
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static struct module modules[MODULES_MAX];
static size_t module_count;
static _Atomic uint32_t generation;

static _Thread_local struct log_context *current;
static _Thread_local bool writing;

void log_set_level(int level)
{
    atomic_store_explicit(&general_level, level < 0 ? 0 : level, memory_order_relaxed);
}

int log_level(void)
{
    return atomic_load_explicit(&general_level, memory_order_relaxed);
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

/* The file's last folders, as many as the pattern has, and its name without the suffix. */
static struct str file_part(const char *file, const char *pattern)
{
    struct str part = str_from_c(file);
    size_t wanted = 1;
    for (const char *c = pattern; *c; c++)
        wanted += *c == '/';
    size_t from = part.len;
    while (from > 0 && (part.ptr[from - 1] != '/' || --wanted > 0))
        from--;
    part = str_skip(part, from);
    const size_t dot = str_find_last_char(part, '.');
    return str_slice(part, 0, dot);
}

static int module_level(const char *file)
{
    int level = LOG_LEVEL_ERROR;
    pthread_mutex_lock(&modules_lock);
    for (size_t i = 0; i < module_count; i++) {
        const struct str part = file_part(file, modules[i].pattern);
        char name[2 * PATTERN_MAX];
        if (part.len >= sizeof(name))
            continue;
        memcpy(name, part.ptr, part.len);
        name[part.len] = '\0';
        if (fnmatch(modules[i].pattern, name, 0) == 0) {
            level = modules[i].level;
            break;
        }
    }
    pthread_mutex_unlock(&modules_lock);
    return level;
}

bool log_is_on(struct log_site *site, int level)
{
    if (level <= log_level())
        return true;
    const uint32_t now = atomic_load_explicit(&generation, memory_order_acquire);
    if (now == 0)
        return false; /* no modules were ever set */
    uint64_t known = atomic_load_explicit(&site->known, memory_order_relaxed);
    if (known >> 32 != now) {
        known = (uint64_t)now << 32 | (uint32_t)module_level(site->file);
        atomic_store_explicit(&site->known, known, memory_order_relaxed);
    }
    return level <= (int)(uint32_t)known;
}

/* One "pattern=level". */
static struct error *read_module(struct str text, struct module *module)
{
    struct str level, pattern;
    int64_t number;
    level = text;
    if (!str_cut(&level, '=', &pattern) || !str_to_int64(level, &number) || number < 0 ||
        number > INT32_MAX)
        return error_new(ERROR_PARSE, "log module \"%.*s\" is not of the form file=level",
                         STR_ARG(text));
    if (pattern.len == 0 || pattern.len >= PATTERN_MAX)
        return error_new(ERROR_PARSE, "log module \"%.*s\" needs a pattern of 1 to %d bytes",
                         STR_ARG(text), PATTERN_MAX - 1);
    memcpy(module->pattern, pattern.ptr, pattern.len);
    module->pattern[pattern.len] = '\0';
    module->level = (int)number;
    return NULL;
}

struct error *log_set_modules(struct str text)
{
    struct module parsed[MODULES_MAX];
    size_t count = 0;
    while (text.len) {
        struct str one;
        str_cut(&text, ',', &one);
        if (one.len == 0)
            continue;
        if (count == MODULES_MAX)
            return error_new(ERROR_PARSE, "more than %d log modules", MODULES_MAX);
        TRY(read_module(one, &parsed[count]));
        count++;
    }
    pthread_mutex_lock(&modules_lock);
    if (count)
        memcpy(modules, parsed, count * sizeof(*parsed));
    module_count = count;
    atomic_fetch_add_explicit(&generation, 1, memory_order_release);
    pthread_mutex_unlock(&modules_lock);
    return NULL;
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
