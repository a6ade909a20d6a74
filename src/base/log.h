/*
 * Structured logs: a constant message and typed fields, as text or as JSON, one line each.
 *
 *     log_info("Connected", LOG_KEY("Cluster", namespace, name), LOG_DURATION("duration", took));
 *     log_error("Connect failed", LOG_ERROR(err), LOG_INT("attempt", n));
 *     log_v(4, "Connecting", LOG_STR("host", host), LOG_SECRET("token", token));
 *
 *     I1115 08:57:28.123456 "Connected" Cluster="ns/name" duration="1.5s"
 *     {"ts":1700038648123.456,"v":0,"msg":"Connected","Cluster":{"name":"name","namespace":"ns"},…}
 *
 * Levels are those of Kubernetes: errors always show, log_info() has level 0, log_v(n) shows when
 * the level is n or more. Fields of a line that does not show are not evaluated.
 *
 * Values are escaped, so that no value can forge or break a line. Secrets are replaced in both
 * formats. A line holds at most LOG_LINE_MAX bytes, the newline included. What does not fit is cut
 * and marked with "…"; in JSON the line also gets "truncated":true and stays valid.
 *
 * Fields of the log context stand in front of the fields of the line, see log_context_push(). Of
 * several fields with one name only the innermost shows. Times are UTC.
 *
 * A line is formatted in a buffer of the thread and written at once; nothing is allocated, and
 * errno is kept. Any thread may log. The settings are changed by one thread while no other logs,
 * except for the level, which may change at any time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "base/timestamp.h"

#define LOG_LINE_MAX ((size_t)16 * 1024)

enum log_format { LOG_TEXT, LOG_JSON };

enum log_kind {
    LOG_KIND_STR,
    LOG_KIND_INT,
    LOG_KIND_BOOL,
    LOG_KIND_DURATION,
    LOG_KIND_KEY,
    LOG_KIND_ERROR,
    LOG_KIND_SECRET,
};

struct log_field {
    const char *name; /* a constant: it is not escaped */
    enum log_kind kind;
    union {
        struct str text; /* of a key, the name */
        int64_t number;
        const struct error *error;
    };
    struct str space; /* of a key, the namespace */
};

#define LOG_STR(field, value) \
    ((struct log_field){.name = "" field, .kind = LOG_KIND_STR, .text = (value)})
#define LOG_INT(field, value) \
    ((struct log_field){.name = "" field, .kind = LOG_KIND_INT, .number = (int64_t)(value)})
#define LOG_BOOL(field, value) \
    ((struct log_field){.name = "" field, .kind = LOG_KIND_BOOL, .number = (bool)(value)})
#define LOG_DURATION(field, value) \
    ((struct log_field){.name = "" field, .kind = LOG_KIND_DURATION, .number = (value)})

/* The key of an object. An empty namespace, that of a cluster-scoped object, does not show. */
#define LOG_KEY(field, namespace_, name_) \
    ((struct log_field){                  \
        .name = "" field, .kind = LOG_KIND_KEY, .text = (name_), .space = (namespace_)})

/* The field "err". Without an error the line has no such field. */
#define LOG_ERROR(err) ((struct log_field){.name = "err", .kind = LOG_KIND_ERROR, .error = (err)})

/* Shows that the field has a value, but not the value, which is not even evaluated. */
#define LOG_SECRET(field, value) \
    ((struct log_field){.name = "" field, .kind = LOG_KIND_SECRET, .number = 0 * sizeof(value)})

#define log_error(message, ...)    LOG_LINE_(LOG_LEVEL_ERROR, message, __VA_ARGS__)
#define log_info(message, ...)     LOG_LINE_(0, message, __VA_ARGS__)
#define log_v(level, message, ...) LOG_LINE_(level, message, __VA_ARGS__)

#define LOG_LEVEL_ERROR (-1)

#define LOG_LINE_(at, message, ...)                                    \
    do {                                                               \
        if (log_is_on(at)) {                                           \
            const struct log_field log_fields_[] = {__VA_ARGS__};      \
            log_write(at, "" message, log_fields_,                     \
                      sizeof(log_fields_) / sizeof(struct log_field)); \
        }                                                              \
    } while (0)

/* Used by the macros; log_is_on() tells whether lines of this level show. */
bool log_is_on(int level);
void log_write(int level, const char *message, const struct log_field *fields, size_t count);

/* Settings. Initially: level 0, text, standard error, the system's clock. */
void log_set_level(int level);
int log_level(void);
void log_set_format(enum log_format format);
enum log_format log_format(void);

/* Receives whole lines, newline included, and must not log. NULL means standard error. */
typedef void log_sink_fn(void *data, struct str line);
void log_set_sink(log_sink_fn *sink, void *data);

/*
 * The clock that lines show; NULL means that of the system. The simulation sets its virtual clock
 * here, so that two runs with one seed log the same text.
 */
typedef timestamp log_clock_fn(void *data);
void log_set_clock(log_clock_fn *clock, void *data);

/*
 * Fields that every line carries while the context is pushed. Contexts form a stack in the storage
 * of their callers, innermost first. Each fiber has its own stack, which log_context_switch() swaps
 * in.
 */
struct log_context {
    const struct log_field *fields;
    size_t count;
    struct log_context *parent;
};

/* Pushes a context. The context and its fields must not move before log_context_pop(). */
void log_context_push(struct log_context *context);

/* Pops the innermost context, which must be this one. */
void log_context_pop(struct log_context *context);

/* The innermost context of this thread or of its running fiber, or NULL; and its replacement. */
struct log_context *log_context_current(void);
void log_context_switch(struct log_context *context);

static inline void log_context_done(struct log_context *context)
{
    log_context_pop(context);
}

#define LOG_PASTE_(a, b)  a##b
#define LOG_UNIQUE_(a, b) LOG_PASTE_(a, b)

/* For the rest of the block: LOG_CONTEXT(LOG_STR("controller", name), LOG_KEY("Cluster", ns, n));
 */
#define LOG_CONTEXT(...)                                                                     \
    const struct log_field LOG_UNIQUE_(log_fields_, __LINE__)[] = {__VA_ARGS__};             \
    SCOPED(log_context)                                                                      \
    LOG_UNIQUE_(log_context_, __LINE__) = {LOG_UNIQUE_(log_fields_, __LINE__),               \
                                           COUNT(LOG_UNIQUE_(log_fields_, __LINE__)), NULL}; \
    log_context_push(&LOG_UNIQUE_(log_context_, __LINE__))
