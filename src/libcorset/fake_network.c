/*
 * A connection is a pair of struct fake_end. What one end sends is appended to the buffer `arrived`
 * of its peer. Readiness is reported through tasks of the loop, so that no function of a transport
 * calls back into the code that called it.
 */
#include "libcorset/fake_network.h"

#include <assert.h>

#include "async/event.h"
#include "async/loop.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/memory.h"
#include "net/network.h"
#include "net/transport.h"

#define WINDOW (256 * KILOBYTE) /* sent and not yet read by the peer; then send waits */

struct fake_network {
    struct network network;
    struct loop *loop;
    struct list listeners;
};

struct fake_listener {
    struct listener listener;
    struct list_link link;
    struct arena arena;
    struct str host;
    uint16_t port;
    struct list backlog; /* of struct fake_end */
    struct event arrived;
};

/* One side of a connection. */
struct fake_end {
    struct transport transport;
    struct fake_end *peer; /* NULL once the other side is gone */
    struct list_link backlog_link;
    struct buf arrived;
    bool is_finished; /* nothing more will be sent */
    unsigned wanted;
    struct task ready_task;
};

static struct fake_end *end_of(struct transport *transport)
{
    return CONTAINER_OF(transport, struct fake_end, transport);
}

static bool is_ended(const struct fake_end *end)
{
    return !end->peer || end->peer->is_finished;
}

static bool is_ready(const struct fake_end *end)
{
    if ((end->wanted & TRANSPORT_READABLE) && (end->arrived.len || is_ended(end)))
        return true;
    return (end->wanted & TRANSPORT_WRITABLE) && (!end->peer || end->peer->arrived.len < WINDOW);
}

static void update_readiness(struct fake_end *end)
{
    if (end && is_ready(end))
        loop_post(end->transport.loop, &end->ready_task);
}

/* Posted again before the call, because the call may free the end. */
static void run_ready(void *data)
{
    struct fake_end *end = data;
    if (!end->transport.ready || !is_ready(end))
        return;
    update_readiness(end);
    end->transport.ready(end->transport.ready_data);
}

static enum transport_result fake_receive(struct transport *transport, char *ptr, size_t capacity,
                                          size_t *ret_len)
{
    struct fake_end *end = end_of(transport);
    if (end->arrived.len == 0)
        return is_ended(end) ? TRANSPORT_END : TRANSPORT_WAIT;
    *ret_len = end->arrived.len < capacity ? end->arrived.len : capacity;
    memcpy(ptr, end->arrived.ptr, *ret_len);
    buf_consume(&end->arrived, *ret_len);
    update_readiness(end->peer); /* there is room again */
    return TRANSPORT_OK;
}

static enum transport_result fake_send(struct transport *transport, struct str bytes,
                                       size_t *ret_len)
{
    struct fake_end *end = end_of(transport);
    if (!end->peer)
        return transport_fail(transport,
                              error_new(ERROR_CONNECTION, "write to the peer: Broken pipe"));
    if (end->peer->arrived.len >= WINDOW)
        return TRANSPORT_WAIT;
    const size_t room = WINDOW - end->peer->arrived.len;
    *ret_len = bytes.len < room ? bytes.len : room;
    buf_add(&end->peer->arrived, str_slice(bytes, 0, *ret_len));
    update_readiness(end->peer);
    return TRANSPORT_OK;
}

static void fake_want(struct transport *transport, unsigned events)
{
    struct fake_end *end = end_of(transport);
    end->wanted = events;
    if (!events)
        loop_withdraw(&end->ready_task);
    update_readiness(end);
}

static void fake_finish(struct transport *transport)
{
    struct fake_end *end = end_of(transport);
    end->is_finished = true;
    update_readiness(end->peer);
}

static void fake_end_free(struct transport *transport)
{
    struct fake_end *end = end_of(transport);
    loop_withdraw(&end->ready_task);
    list_remove(&end->backlog_link);
    if (end->peer) {
        end->peer->peer = NULL;
        update_readiness(end->peer);
    }
    buf_done(&end->arrived);
    mem_free(end);
}

static const struct transport_ops end_ops = {
    .receive = fake_receive,
    .send = fake_send,
    .want = fake_want,
    .finish = fake_finish,
    .free = fake_end_free,
};

static struct fake_end *end_new(struct loop *loop)
{
    struct fake_end *end = NEW(struct fake_end);
    end->transport.ops = &end_ops;
    end->transport.loop = loop;
    end->arrived.limit = 2 * WINDOW;
    end->arrived.secret = true;
    end->ready_task = (struct task){.run = run_ready, .data = end};
    return end;
}

static struct fake_network *network_of(struct network *network)
{
    return CONTAINER_OF(network, struct fake_network, network);
}

static struct fake_listener *find_listener(struct fake_network *network, struct str host,
                                           uint16_t port)
{
    LIST_FOREACH (struct fake_listener, listener, &network->listeners, link)
        if (str_eq(listener->host, host) && listener->port == port)
            return listener;
    return NULL;
}

static struct error *fake_connect(struct network *base, struct str host, uint16_t port,
                                  struct transport **ret_transport)
{
    struct fake_network *network = network_of(base);
    struct fake_listener *listener = find_listener(network, host, port);
    if (!listener)
        return error_new(ERROR_UNREACHABLE, "Connection refused");
    struct fake_end *client = end_new(network->loop), *server = end_new(network->loop);
    client->peer = server;
    server->peer = client;
    list_append(&listener->backlog, &server->backlog_link);
    event_wake_one(&listener->arrived);
    *ret_transport = &client->transport;
    return NULL;
}

static struct error *fake_accept(struct listener *base, struct transport **ret_transport)
{
    struct fake_listener *listener = CONTAINER_OF(base, struct fake_listener, listener);
    struct list_link *link;
    while (!(link = list_take_first(&listener->backlog)))
        TRY(event_wait(&listener->arrived, "a client to connect"));
    *ret_transport = &LIST_ENTRY(link, struct fake_end, backlog_link)->transport;
    return NULL;
}

static uint16_t fake_port(const struct listener *base)
{
    return CONTAINER_OF(base, const struct fake_listener, listener)->port;
}

/* Connections that were never accepted are closed. */
static void fake_listener_free(struct listener *base)
{
    struct fake_listener *listener = CONTAINER_OF(base, struct fake_listener, listener);
    struct list_link *link;
    while ((link = list_take_first(&listener->backlog)))
        transport_free(&LIST_ENTRY(link, struct fake_end, backlog_link)->transport);
    list_remove(&listener->link);
    arena_done(&listener->arena);
    mem_free(listener);
}

static const struct listener_ops listener_ops = {
    .accept = fake_accept,
    .port = fake_port,
    .free = fake_listener_free,
};

static struct error *fake_listen(struct network *base, struct str host, uint16_t port,
                                 struct listener **ret_listener)
{
    struct fake_network *network = network_of(base);
    if (find_listener(network, host, port))
        return error_new(ERROR_ALREADY_EXISTS, "Address already in use");
    struct fake_listener *listener = NEW(struct fake_listener);
    listener->listener.ops = &listener_ops;
    listener->host = arena_str(&listener->arena, host);
    listener->port = port;
    list_init(&listener->backlog);
    list_append(&network->listeners, &listener->link);
    *ret_listener = &listener->listener;
    return NULL;
}

static void fake_network_free(struct network *base)
{
    struct fake_network *network = network_of(base);
    assert(list_is_empty(&network->listeners));
    mem_free(network);
}

static const struct network_ops network_ops = {
    .connect = fake_connect,
    .listen = fake_listen,
    .free = fake_network_free,
};

struct network *fake_network_new(struct loop *loop)
{
    struct fake_network *network = NEW(struct fake_network);
    network->network.ops = &network_ops;
    network->loop = loop;
    list_init(&network->listeners);
    return &network->network;
}
