/*
 * The decisions of a reflector, as pure functions.
 *
 * A round loads all objects, with a streaming list or a plain list, and then watches. The end of a
 * phase decides which phase comes next and whether there is a pause before it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"

struct random;

enum reflector_phase {
    REFLECTOR_STREAM, /* load with a streaming list (sendInitialEvents) */
    REFLECTOR_LIST,   /* load with a plain list */
    REFLECTOR_WATCH,
    REFLECTOR_PHASES,
};

enum reflector_end {
    REFLECTOR_LOADED,    /* the list is complete */
    REFLECTOR_CLOSED,    /* the stream ended after at least a second or an event */
    REFLECTOR_SHORT,     /* the stream ended sooner than that */
    REFLECTOR_EXPIRED,   /* the server no longer has the version: 410 */
    REFLECTOR_TOO_LARGE, /* the server does not have the version yet, or never had it */
    REFLECTOR_BUSY,      /* no connection, or 429 */
    REFLECTOR_FAILED,    /* any other error */
    REFLECTOR_ENDS,
};

struct reflector_step {
    enum reflector_phase phase; /* STREAM means a new round, even without streaming lists */
    bool back_off;              /* pause before the phase */
    bool forget;                /* load without a version: any state of the server will do */
    bool is_trouble;            /* log it as an error */
};

struct reflector_step reflector_next(enum reflector_phase phase, enum reflector_end end);

/* The end of a phase that failed with an error, and of a stream that ended without one. */
enum reflector_end reflector_end_of_error(const struct error *err);
enum reflector_end reflector_end_of_stream(duration lasted, size_t events);

/*
 * True if a pause after this error may be cut short when the server answers another request: the
 * server could not be reached. A server that answers, and a resource that alone fails, get the
 * whole pause, and so does every other pause of one that never succeeds.
 */
bool reflector_may_hurry(const struct error *err, bool hurried);

/*
 * Pauses, as in client-go's reflector: 0.8 s, doubling up to 30 s, each times a random factor in
 * [1, 2). They start over when 2 minutes have passed since the first pause.
 */
struct reflector_backoff {
    duration next;
    int64_t since;
};
duration reflector_backoff_next(struct reflector_backoff *backoff, int64_t now,
                                struct random *random);
