/*
 * The TLS handshakes of a server: from a connection that was accepted to one that is secure.
 *
 * A handshake is the most expensive work that an unauthenticated client can cause, so few are under
 * way at a time. A connection has no part in them before its client has sent a whole first record;
 * until then it costs a socket and a few bytes. Clients that say nothing, or half of it, therefore
 * keep nobody waiting.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "async/event.h"
#include "async/scope.h"
#include "async/timer.h"
#include "base/duration.h"
#include "base/list.h"

struct loop;
struct tls_server;
struct transport;

/*
 * Called once for each connection, on a fiber or on the loop. transport is NULL when there was no
 * handshake.
 */
typedef void (*handshakes_fn)(void *owner, struct transport *transport, bool is_surplus);

struct handshakes {
    struct loop *loop;
    struct tls_server *tls;
    duration timeout; /* for the first record, and then for the rest */
    handshakes_fn done;
    void *owner;

    struct list silent; /* whose first record is not there yet, the oldest first */
    size_t silent_count;
    struct timer silent_timer;
    struct list waiting; /* whose handshake has not begun, the newest first */
    struct event arrived;
    struct list begun; /* the oldest first */
    size_t begun_count;
    struct scope starter, fibers;
};

void handshakes_init(struct handshakes *handshakes, struct loop *loop, struct tls_server *tls,
                     duration timeout, handshakes_fn done, void *owner);

/* Drops the handshakes that have not begun. Those that have go on, and no more begin. Suspends. */
void handshakes_stop(struct handshakes *handshakes);

/* Stops, and cancels those that have begun. Suspends. */
void handshakes_done(struct handshakes *handshakes);

/* Takes the transport. What is said of it, is_surplus, is passed on. */
void handshakes_add(struct handshakes *handshakes, struct transport *transport, bool is_surplus);

/* Ends one whose client has had its time and is still awaited. False: there is none. */
bool handshakes_drop(struct handshakes *handshakes);
