/*
 * What a reflector does next: decisions without effects.
 *
 * A round loads everything, by a streaming list or a plain one, and then watches. How each of them
 * ended decides what follows, and whether a pause comes first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"

struct random;

enum reflector_phase {
    REFLECTOR_STREAM, /* load by a streaming list */
    REFLECTOR_LIST,   /* load by a plain list */
    REFLECTOR_WATCH,
    REFLECTOR_PHASES,
};

enum reflector_end {
    REFLECTOR_LOADED,    /* everything is there */
    REFLECTOR_CLOSED,    /* the stream ended after a second, or after an event */
    REFLECTOR_SHORT,     /* it ended before, without any */
    REFLECTOR_EXPIRED,   /* the server has forgotten the version: 410 */
    REFLECTOR_TOO_LARGE, /* the server does not know the version yet, if ever */
    REFLECTOR_BUSY,      /* no connection, or 429 */
    REFLECTOR_FAILED,    /* anything else */
    REFLECTOR_ENDS,
};

struct reflector_step {
    enum reflector_phase phase; /* STREAM stands for a new round, in whichever form comes first */
    bool back_off;              /* first */
    bool forget;                /* the version: what the server has now will do */
    bool is_trouble;            /* worth telling people */
};

struct reflector_step reflector_next(enum reflector_phase phase, enum reflector_end end);

/* How a phase ended that failed with this error; what a stream that just ended was like. */
enum reflector_end reflector_end_of_error(const struct error *err);
enum reflector_end reflector_end_of_stream(duration lasted, size_t events);

/*
 * Pauses: 0.8 s, doubling to 30 s, each times a factor drawn from [1, 2). They start over once 2
 * minutes have passed since they last did.
 */
struct reflector_backoff {
    duration next;
    int64_t since;
};
duration reflector_backoff_next(struct reflector_backoff *backoff, int64_t now,
                                struct random *random);
