/*
 * A stream of bytes in both directions: a TCP connection, TLS over one, or a connection of the
 * simulated network. This is the boundary between protocols and the outside world.
 *
 * The operations do not block: they do what is possible now, or return TRANSPORT_WAIT. Code on
 * fibers uses transport_read() and transport_write(), which appear to block. A connection that is
 * idle most of the time sets a ready function instead and needs no fiber.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct loop;
struct transport;

#define TRANSPORT_READABLE 1U
#define TRANSPORT_WRITABLE 2U

#define TRANSPORT_PEER_MAX 48 /* bytes of an address as text, with the end */

enum transport_result {
    TRANSPORT_OK,
    TRANSPORT_WAIT,   /* nothing can be done before the transport is ready again */
    TRANSPORT_END,    /* receive: the peer has finished cleanly */
    TRANSPORT_FAILED, /* transport_take_error() has the reason; only transport_free() may follow */
};

struct transport_ops {
    enum transport_result (*receive)(struct transport *transport, char *ptr, size_t capacity,
                                     size_t *ret_len);
    enum transport_result (*send)(struct transport *transport, struct str bytes, size_t *ret_len);

    /* Drops input, up to capacity bytes of it as they come from the network. May be NULL. */
    enum transport_result (*discard)(struct transport *transport, size_t capacity, size_t *ret_len);

    /* Sets the wanted events. The ready function is called when one of them holds. */
    void (*want)(struct transport *transport, unsigned events);

    /* Tells the peer that nothing more will be sent, without waiting. May be NULL. */
    void (*finish)(struct transport *transport);

    /* See transport_peer() and transport_limit_unsent(). Each may be NULL. */
    void (*peer)(struct transport *transport, char ret_address[static TRANSPORT_PEER_MAX]);
    void (*limit_unsent)(struct transport *transport, size_t bytes);
    void (*free)(struct transport *transport);
};

typedef void (*transport_ready_fn)(void *data);

/* First member of every implementation. */
struct transport {
    const struct transport_ops *ops;
    struct loop *loop;
    struct error *err;
    bool short_means_drained; /* receive: fewer bytes than asked for means that no more are there */
    transport_ready_fn ready;
    void *ready_data;
};

void transport_free(struct transport *transport);
DEFINE_OWNED(transport)

static inline enum transport_result transport_receive(struct transport *transport, char *ptr,
                                                      size_t capacity, size_t *ret_len)
{
    return transport->ops->receive(transport, ptr, capacity, ret_len);
}

static inline enum transport_result transport_send(struct transport *transport, struct str bytes,
                                                   size_t *ret_len)
{
    return transport->ops->send(transport, bytes, ret_len);
}

/*
 * Drops input that nobody will read, after transport_finish(). It costs less than receiving it:
 * nothing is decrypted, and the system copies nothing.
 */
enum transport_result transport_discard(struct transport *transport, size_t capacity,
                                        size_t *ret_len);

/* ready(data) is called on the loop, outside any fiber, while one of the wanted events holds. */
void transport_set_ready(struct transport *transport, transport_ready_fn ready, void *data);
void transport_want(struct transport *transport, unsigned events);
void transport_finish(struct transport *transport);

/* The address of the peer, "10.0.0.7" or "fd00::7"; empty where it has none or is gone. */
void transport_peer(struct transport *transport, char ret_address[static TRANSPORT_PEER_MAX]);

/* The system keeps about so many bytes at most for a peer that does not read. */
void transport_limit_unsent(struct transport *transport, size_t bytes);

/* Why an operation failed. The caller owns the error. Never NULL after TRANSPORT_FAILED. */
MUST_USE struct error *transport_take_error(struct transport *transport);

/* For implementations: stores the error and returns TRANSPORT_FAILED. */
enum transport_result transport_fail(struct transport *transport, struct error *err);

/* Suspends until one of the events holds. Replaces the ready function. */
MUST_USE struct error *transport_wait(struct transport *transport, unsigned events,
                                      const char *what);

/* Suspends until at least one byte has come. *ret_len is 0 when the peer has finished. */
MUST_USE struct error *transport_read(struct transport *transport, char *ptr, size_t capacity,
                                      size_t *ret_len);

/* Suspends until exactly len bytes have come. An end of the stream before that is an error. */
MUST_USE struct error *transport_read_exactly(struct transport *transport, char *ptr, size_t len);

/* Suspends until all bytes are handed to the system. */
MUST_USE struct error *transport_write(struct transport *transport, struct str bytes);
