/*
 * How much is under way: requests and the bytes they hold, in all and by user, and watches by user.
 * What is too much is told to come again, and what would never end by itself is ended when
 * inflight_limits closes.
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
struct inflight_limits_user;

struct inflight_limits {
    size_t requests, requests_max;
    size_t others; /* requests of those who are no administrators */
    size_t bytes;
    size_t watches_max; /* per user */
    struct map users;   /* key -> struct inflight_limits_user, of those that are inside */
    struct event given; /* bytes were given back */
    struct list hangs;  /* struct inflight_limits_hang */
    bool is_closed;     /* the server is about to stop */
};

/* Somebody inside. Zero is nobody. */
struct inflight_limits_pass {
    struct inflight_limits *limits;
    struct inflight_limits_user *user;
    size_t bytes;
    bool is_watch;
};

/* Requests at a time, unless told otherwise. */
#define INFLIGHT_LIMITS_REQUESTS 1000

/* 0 means the default. */
void inflight_limits_init(struct inflight_limits *limits, size_t requests_max, size_t watches_max);
void inflight_limits_done(struct inflight_limits *limits);

/* Nothing new is let in, and hangs are cancelled. */
void inflight_limits_close(struct inflight_limits *limits);

/* What the calling fiber does now may last for ever: closing inflight_limits cancels it. */
struct inflight_limits_hang {
    struct list_link link;
    struct fiber *fiber;
};
void inflight_limits_hang_begin(struct inflight_limits *limits, struct inflight_limits_hang *hang);
void inflight_limits_hang_end(struct inflight_limits_hang *hang);

/* ERROR_TOO_MANY_REQUESTS when full. The key is that of one user of one API. */
MUST_USE struct error *inflight_limits_enter(struct inflight_limits *limits, struct str key,
                                             bool is_privileged, bool is_watch,
                                             struct inflight_limits_pass *ret_pass);

/* Leaves, with all that is held. Does nothing to nobody's pass. */
void inflight_limits_leave(struct inflight_limits_pass *pass);

/* Smaller amounts are not worth counting. */
#define INFLIGHT_LIMITS_BYTES_MIN (64 * KILOBYTE)

/*
 * Accounts for bytes a request keeps while it waits for its client; leaving gives them back.
 * ERROR_TOO_MANY_REQUESTS when there are too many. A NULL pass is let through.
 */
MUST_USE struct error *inflight_limits_hold(struct inflight_limits_pass *pass, size_t bytes);

/* The same for what has begun and cannot be refused any more: Suspends until there is room. */
MUST_USE struct error *inflight_limits_wait(struct inflight_limits_pass *pass, size_t bytes);
void inflight_limits_give(struct inflight_limits_pass *pass, size_t bytes);
