/*
 * How much is under way: requests and the bytes they hold, in all and by user, and watches by user.
 * What is too much is told to come again, and what would never end by itself is ended when the gate
 * closes.
 *
 * One user gets a part of everything, so that nobody keeps all others out by being slow. The last
 * part is for administrators of the main API alone: somebody has to be able to look.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "async/event.h"
#include "base/error.h"
#include "base/list.h"
#include "base/map.h"
#include "base/str.h"

struct fiber;
struct gate_user;

struct gate {
    size_t requests, requests_max;
    size_t others; /* requests of those who are no administrators */
    size_t bytes;
    size_t watches_max; /* per user */
    struct map users;   /* key -> struct gate_user, of those that are inside */
    struct event given; /* bytes were given back */
    struct list stays;  /* struct gate_stay */
    bool is_closed;     /* the server is about to stop */
};

/* Somebody inside. Zero is nobody. */
struct gate_pass {
    struct gate *gate;
    struct gate_user *user;
    size_t bytes;
    bool is_watch;
};

/* Requests at a time, unless told otherwise. */
#define GATE_REQUESTS 1000

/* 0 means the default. */
void gate_init(struct gate *gate, size_t requests_max, size_t watches_max);
void gate_done(struct gate *gate);

/* Nothing new is let in, and stays are cancelled. */
void gate_close(struct gate *gate);

/* What the calling fiber does now may last for ever: closing the gate cancels it. */
struct gate_stay {
    struct list_link link;
    struct fiber *fiber;
};
void gate_stay_begin(struct gate *gate, struct gate_stay *stay);
void gate_stay_end(struct gate_stay *stay);

/* ERROR_TOO_MANY_REQUESTS when full. The key is that of one user of one API. */
MUST_USE struct error *gate_enter(struct gate *gate, struct str key, bool is_privileged,
                                  bool is_watch, struct gate_pass *ret_pass);

/* Leaves, with all that is held. Does nothing to nobody's pass. */
void gate_leave(struct gate_pass *pass);

/* Smaller amounts are not worth counting. */
#define GATE_BYTES_LEAST (64 * KILOBYTE)

/*
 * Accounts for bytes a request keeps while it waits for its client; leaving gives them back.
 * ERROR_TOO_MANY_REQUESTS when there are too many. A NULL pass is let through.
 */
MUST_USE struct error *gate_hold(struct gate_pass *pass, size_t bytes);

/* The same for what has begun and cannot be refused any more: Suspends until there is room. */
MUST_USE struct error *gate_wait(struct gate_pass *pass, size_t bytes);
void gate_give(struct gate_pass *pass, size_t bytes);
