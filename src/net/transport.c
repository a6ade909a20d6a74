/*
 * Operations that are the same for all transports, and the calls that appear to block.
 *
 * transport_wait() connects the two worlds: it sets the ready function of the transport to wake the
 * current fiber, and parks it.
 */
#include "net/transport.h"

#include "async/fiber.h"

void transport_free(struct transport *transport)
{
    if (!transport)
        return;
    error_free(TAKE(transport->err));
    transport->ops->free(transport);
}

void transport_set_ready(struct transport *transport, transport_ready_fn ready, void *data)
{
    transport->ready = ready;
    transport->ready_data = data;
}

void transport_want(struct transport *transport, unsigned events)
{
    transport->ops->want(transport, events);
}

void transport_finish(struct transport *transport)
{
    if (transport->ops->finish)
        transport->ops->finish(transport);
}

void transport_peer(struct transport *transport, char ret_address[static TRANSPORT_PEER_MAX])
{
    ret_address[0] = '\0';
    if (transport->ops->peer)
        transport->ops->peer(transport, ret_address);
}

void transport_limit_unsent(struct transport *transport, size_t bytes)
{
    if (transport->ops->limit_unsent)
        transport->ops->limit_unsent(transport, bytes);
}

enum transport_result transport_discard(struct transport *transport, size_t capacity,
                                        size_t *ret_len)
{
    char dropped[512];
    if (transport->ops->discard)
        return transport->ops->discard(transport, capacity, ret_len);
    return transport_receive(transport, dropped,
                             capacity < sizeof(dropped) ? capacity : sizeof(dropped), ret_len);
}

/* The error is handed out once. A second caller gets a general one. */
struct error *transport_take_error(struct transport *transport)
{
    struct error *err = TAKE(transport->err);
    return err ? err : error_new(ERROR_CONNECTION, "the connection failed earlier");
}

enum transport_result transport_fail(struct transport *transport, struct error *err)
{
    if (transport->err)
        error_free(err); /* the first failure is the cause */
    else
        transport->err = err;
    return TRANSPORT_FAILED;
}

static void wake_waiter(void *data)
{
    fiber_wake(data);
}

/* The ready function is removed afterwards, so a fiber that has left is not woken. */
struct error *transport_wait(struct transport *transport, unsigned events, const char *what)
{
    transport_set_ready(transport, wake_waiter, fiber_current());
    transport_want(transport, events);
    struct error *err = fiber_park(what);
    transport_want(transport, 0);
    transport_set_ready(transport, NULL, NULL);
    return err;
}

struct error *transport_read(struct transport *transport, char *ptr, size_t capacity,
                             size_t *ret_len)
{
    for (;;) {
        switch (transport_receive(transport, ptr, capacity, ret_len)) {
        case TRANSPORT_OK:
            return NULL;
        case TRANSPORT_END:
            *ret_len = 0;
            return NULL;
        case TRANSPORT_FAILED:
            return transport_take_error(transport);
        case TRANSPORT_WAIT:
            break;
        }
        TRY(transport_wait(transport, TRANSPORT_READABLE, "bytes from the peer"));
    }
}

struct error *transport_read_exactly(struct transport *transport, char *ptr, size_t len)
{
    while (len) {
        size_t n;
        TRY(transport_read(transport, ptr, len, &n));
        if (n == 0)
            return error_new(ERROR_CONNECTION, "the peer closed the connection early");
        ptr += n;
        len -= n;
    }
    return NULL;
}

/* A transport may take fewer bytes than offered. */
struct error *transport_write(struct transport *transport, struct str bytes)
{
    while (bytes.len) {
        size_t n = 0;
        switch (transport_send(transport, bytes, &n)) {
        case TRANSPORT_OK:
            bytes = str_skip(bytes, n);
            break;
        case TRANSPORT_WAIT:
            TRY(transport_wait(transport, TRANSPORT_WRITABLE, "the peer to read"));
            break;
        default:
            return transport_take_error(transport);
        }
    }
    return NULL;
}
