/*
 * Limits of what is in flight: requests and the bytes they hold, in total and by user, and watches
 * by user. What exceeds a limit gets 429 and may try again.
 *
 * One user gets a part of each limit, so that a slow user does not keep all others out. The last
 * part is reserved for administrators of the main API, so that they can look at an overloaded
 * server.
 *
 * inflight_limits_close() refuses new requests and cancels those that would never end by
 * themselves.
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
    size_t others; /* requests of users who are no administrators */
    size_t bytes;
    size_t watches_max; /* per user */
    struct map users; /* key -> struct inflight_limits_user, while they have requests or watches */
    struct event given; /* bytes were released */
    struct list hangs;  /* struct inflight_limits_hang */
    bool is_closed;     /* the server stops */
};

/* One request inside of the limits. A zeroed pass is no request. */
struct inflight_limits_pass {
    struct inflight_limits *limits;
    struct inflight_limits_user *user;
    size_t bytes;
    bool is_watch;
};

/* The default number of requests at a time. */
#define INFLIGHT_LIMITS_REQUESTS 1000

/* 0 means the default. */
void inflight_limits_init(struct inflight_limits *limits, size_t requests_max, size_t watches_max);
void inflight_limits_done(struct inflight_limits *limits);

/* Refuses new requests and cancels hanging ones. */
void inflight_limits_close(struct inflight_limits *limits);

/* A request that hangs on purpose (an injected fault). Closing the limits cancels its fiber. */
struct inflight_limits_hang {
    struct list_link link;
    struct fiber *fiber;
};
void inflight_limits_hang_begin(struct inflight_limits *limits, struct inflight_limits_hang *hang);
void inflight_limits_hang_end(struct inflight_limits_hang *hang);

/* ERROR_TOO_MANY_REQUESTS when a limit is reached. The key identifies one user of one API. */
MUST_USE struct error *inflight_limits_enter(struct inflight_limits *limits, struct str key,
                                             bool is_privileged, bool is_watch,
                                             struct inflight_limits_pass *ret_pass);

/* Releases the pass and all bytes it holds. A zeroed pass is a no-op. */
void inflight_limits_leave(struct inflight_limits_pass *pass);

/* Smaller amounts are not counted. */
#define INFLIGHT_LIMITS_BYTES_MIN (64 * KILOBYTE)

/*
 * Counts bytes that a request keeps while it waits for its client. Leaving releases them.
 * ERROR_TOO_MANY_REQUESTS when there are too many. A NULL pass has no limits.
 */
MUST_USE struct error *inflight_limits_hold(struct inflight_limits_pass *pass, size_t bytes);

/*
 * The same for a response that has begun and cannot be refused any more: Suspends until there is
 * room.
 */
MUST_USE struct error *inflight_limits_wait(struct inflight_limits_pass *pass, size_t bytes);
void inflight_limits_give(struct inflight_limits_pass *pass, size_t bytes);
