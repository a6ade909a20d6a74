/*
 * One table decides everything: for each end of a phase the next phase, and whether to pause, to
 * forget the version, and to log an error before. reflector_next_test.c checks every cell.
 */
#include "controller/cache/reflector_next.h"

#include "base/random.h"
#include "json/json.h"
#include "json/path.h"

#define BACKOFF_FIRST (800 * MILLISECOND)
#define BACKOFF_MAX   (30 * SECOND)
#define BACKOFF_RESET (2 * MINUTE)

/* A stream that ends sooner than this without an event is opened again after a pause only. */
#define STREAM_MIN SECOND

/* The cells of the table: phase, back_off, forget, is_trouble. */
#define WATCH                                \
    {                                        \
        REFLECTOR_WATCH, false, false, false \
    }
#define PAUSE_WATCH                         \
    {                                       \
        REFLECTOR_WATCH, true, false, false \
    }
#define PAUSE_ROUND                          \
    {                                        \
        REFLECTOR_STREAM, true, false, false \
    }
#define FORGET_ROUND                         \
    {                                        \
        REFLECTOR_STREAM, false, true, false \
    }
#define LIST                                \
    {                                       \
        REFLECTOR_LIST, false, false, false \
    }
#define FORGET_LIST                        \
    {                                      \
        REFLECTOR_LIST, false, true, false \
    }
#define LOG_ROUND                           \
    {                                       \
        REFLECTOR_STREAM, true, false, true \
    }

/* The table "how a watch ends" of the specification, with the initial load beside it. */
/* clang-format off */
static const struct reflector_step steps[REFLECTOR_ENDS][REFLECTOR_PHASES] = {
    /*                       streaming list   plain list    watch */
    [REFLECTOR_LOADED]    = {WATCH,           WATCH,        WATCH      },
    [REFLECTOR_CLOSED]    = {PAUSE_ROUND,     LOG_ROUND,    WATCH      },
    [REFLECTOR_SHORT]     = {PAUSE_ROUND,     LOG_ROUND,    PAUSE_ROUND},
    [REFLECTOR_EXPIRED]   = {FORGET_ROUND,    FORGET_LIST,  PAUSE_ROUND},
    [REFLECTOR_TOO_LARGE] = {FORGET_ROUND,    FORGET_LIST,  PAUSE_ROUND},
    [REFLECTOR_BUSY]      = {PAUSE_ROUND,     PAUSE_ROUND,  PAUSE_WATCH},
    [REFLECTOR_FAILED]    = {LIST,            LOG_ROUND,    LOG_ROUND  },
};
/* clang-format on */

struct reflector_step reflector_next(enum reflector_phase phase, enum reflector_end end)
{
    return steps[end][phase];
}

/* The server sends a Timeout with the cause ResourceVersionTooLarge. */
static bool is_too_large(const struct error *err)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *cause;
    if (!err->details)
        return false;
    error_free(json_read(str_from_c(err->details), &doc));
    JSON_FOREACH (index, cause, json_get(json_doc_root(doc), STR("causes"))) {
        (void)index;
        if (str_eq(json_path_str(cause, "reason"), STR("ResourceVersionTooLarge")))
            return true;
    }
    return false;
}

enum reflector_end reflector_end_of_error(const struct error *err)
{
    switch (err->code) {
    case ERROR_EXPIRED:
    case ERROR_GONE:
        return REFLECTOR_EXPIRED;
    case ERROR_UNREACHABLE:
    case ERROR_TOO_MANY_REQUESTS:
        return REFLECTOR_BUSY;
    default:
        return is_too_large(err) ? REFLECTOR_TOO_LARGE : REFLECTOR_FAILED;
    }
}

enum reflector_end reflector_end_of_stream(duration lasted, size_t events)
{
    return lasted >= STREAM_MIN || events > 0 ? REFLECTOR_CLOSED : REFLECTOR_SHORT;
}

bool reflector_may_hurry(const struct error *err, bool hurried)
{
    return err && !err->http_status && !hurried &&
           (error_is(err, ERROR_UNREACHABLE) || error_is(err, ERROR_CONNECTION) ||
            error_is(err, ERROR_DEADLINE));
}

/* Starting over by time, not by success, keeps a server that accepts and drops watches in check. */
duration reflector_backoff_next(struct reflector_backoff *backoff, int64_t now,
                                struct random *random)
{
    if (!backoff->next || now - backoff->since > BACKOFF_RESET)
        *backoff = (struct reflector_backoff){BACKOFF_FIRST, now};
    const duration base = backoff->next;
    backoff->next = base * 2 < BACKOFF_MAX ? base * 2 : BACKOFF_MAX;
    return random_jitter(random, base, 1);
}
