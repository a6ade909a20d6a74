/*
 * A network inside the process: hosts, listeners and connections in virtual time.
 *
 * A connection is a pair of struct sim_end, one for each side. Bytes that one side sends become a
 * struct piece on its way to the other side, with a timer for its arrival (dispatch_piece(),
 * on_arrival()); on arrival they move to the buffer `arrived` of that side. Readiness is reported
 * through tasks of the loop (update_readiness()), so its order is drawn from the seed. All
 * randomness comes from loop_random(): the same seed gives the same network.
 *
 * Faults belong to a host and hold for both ends of its connections. They are looked up when they
 * act, so that a change applies to open connections too.
 */
#include "testing/sim_network.h"

#include <assert.h>

#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/timer.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/network.h"
#include "net/transport.h"

#define LATENCY_DEFAULT MILLISECOND
#define RESEND_DELAY    (200 * MILLISECOND)
#define PIECE_DEFAULT   (16 * KILOBYTE)
#define WINDOW          (64 * KILOBYTE) /* sent and not yet read by the peer; then send waits */
#define HOST_MAX        64
#define BACKLOG_MAX     128

struct sim_network {
    struct network network;
    struct loop *loop;
    struct list hosts;
    struct list listeners;
    size_t connections;
    uint16_t next_port;
};

/* A host exists from the first time that its name is used, and keeps its faults. */
struct sim_host {
    struct list_link link;
    char name[HOST_MAX];
    struct sim_faults faults;
};

struct sim_listener {
    struct listener listener;
    struct sim_network *network;
    struct list_link link;
    struct sim_host *host;
    uint16_t port;
    struct list backlog; /* of struct sim_end */
    size_t backlog_count;
    struct event arrived;
};

enum piece_kind { PIECE_DATA, PIECE_END, PIECE_RESET };

/* Bytes, an end of the stream or a reset on its way to one end. */
struct piece {
    struct list_link link;
    struct timer timer;
    struct sim_end *to;
    enum piece_kind kind;
    struct buf bytes;
};

/* One side of a connection. */
struct sim_end {
    struct transport transport;
    struct sim_network *network;
    struct sim_host *host;
    struct sim_end *peer; /* NULL once the other side is gone */
    struct list_link backlog_link;
    struct list on_the_way; /* pieces to this end */
    size_t way_bytes;
    int64_t last_due;
    size_t got; /* bytes that were sent to this end */
    struct buf arrived;
    bool is_client, ended, reset, finished, cut;
    unsigned wanted;
    struct task ready_task;
};

static struct sim_end *end_of(struct transport *transport)
{
    return CONTAINER_OF(transport, struct sim_end, transport);
}

static struct random *dice(const struct sim_network *network)
{
    return loop_random(network->loop);
}

static bool chance_happens(const struct sim_network *network, double chance)
{
    return chance > 0 && random_double(dice(network)) < chance;
}

/*
 * Readiness has a level, as with epoll: the ready task posts itself again while a wanted event
 * holds. A sender that was cut never becomes writable again.
 */
static bool is_ready(const struct sim_end *end)
{
    if ((end->wanted & TRANSPORT_READABLE) && (end->arrived.len || end->ended || end->reset))
        return true;
    return (end->wanted & TRANSPORT_WRITABLE) && !end->cut &&
           (end->reset || !end->peer || end->peer->way_bytes + end->peer->arrived.len < WINDOW);
}

static void update_readiness(struct sim_end *end)
{
    if (end && is_ready(end))
        loop_post(end->network->loop, &end->ready_task);
}

static void run_ready(void *data)
{
    struct sim_end *end = data;
    if (end->transport.ready && end->wanted && (is_ready(end) || end->host->faults.spurious)) {
        /* Posted again before the call, because the call may free the end. */
        update_readiness(end);
        end->transport.ready(end->transport.ready_data);
    }
}

static void piece_free(struct piece *piece)
{
    timer_stop(piece->to->network->loop, &piece->timer);
    list_remove(&piece->link);
    buf_done(&piece->bytes);
    mem_free(piece);
}

static void deliver_piece(struct piece *piece)
{
    struct sim_end *to = piece->to;
    to->way_bytes -= piece->bytes.len;
    buf_add(&to->arrived, buf_str(&piece->bytes));
    to->ended |= piece->kind == PIECE_END;
    to->reset |= piece->kind == PIECE_RESET;
    piece_free(piece);
}

/*
 * Pieces arrive in the order in which they were sent, even when a black hole has delayed some of
 * them.
 */
static void on_arrival(void *data)
{
    struct piece *piece = data;
    struct sim_end *to = piece->to;
    if (to->host->faults.black_hole) {
        timer_start(to->network->loop, &piece->timer, loop_now(to->network->loop) + RESEND_DELAY,
                    on_arrival, piece);
        return;
    }
    LIST_FOREACH (struct piece, each, &to->on_the_way, link) {
        const bool is_last = each == piece;
        deliver_piece(each);
        if (is_last)
            break;
    }
    update_readiness(to);
}

/* TCP hides loss: a lost piece arrives late, after it was sent again. */
static duration travel_time(struct sim_end *to)
{
    const struct sim_faults *faults = &to->host->faults;
    duration span = faults->latency ? faults->latency : LATENCY_DEFAULT;
    if (faults->jitter)
        span += (duration)random_below(dice(to->network), (uint64_t)faults->jitter);
    if (chance_happens(to->network, faults->loss))
        span += RESEND_DELAY;
    return span;
}

/* Sends a piece on its way. It never overtakes the piece before it. */
static void dispatch_piece(struct sim_end *to, enum piece_kind kind, struct str bytes)
{
    struct piece *piece = NEW(struct piece);
    piece->to = to;
    piece->kind = kind;
    buf_add(&piece->bytes, bytes);
    to->way_bytes += bytes.len;
    list_append(&to->on_the_way, &piece->link);
    const int64_t due = loop_now(to->network->loop) + travel_time(to);
    to->last_due = due > to->last_due ? due : to->last_due; /* never overtakes */
    timer_start(to->network->loop, &piece->timer, to->last_due, on_arrival, piece);
}

/*
 * A random part of what is possible, at least one byte: callers must cope with short reads and
 * writes.
 */
static size_t piece_size(const struct sim_end *end, size_t max)
{
    const struct sim_faults *faults = &end->host->faults;
    const size_t limit = faults->piece_max ? faults->piece_max : PIECE_DEFAULT;
    if (max > limit)
        max = limit;
    return max <= 1 ? max : 1 + (size_t)random_below(dice(end->network), max);
}

static enum transport_result sim_receive(struct transport *transport, char *ptr, size_t capacity,
                                         size_t *ret_len)
{
    struct sim_end *end = end_of(transport);
    if (end->reset)
        return transport_fail(
            transport, error_new(ERROR_CONNECTION, "read from the peer: Connection reset by peer"));
    if (end->arrived.len == 0)
        return end->ended ? TRANSPORT_END : TRANSPORT_WAIT;
    size_t len = end->arrived.len < capacity ? end->arrived.len : capacity;
    len = piece_size(end, len);
    memcpy(ptr, end->arrived.ptr, len);
    buf_consume(&end->arrived, len);
    *ret_len = len;
    update_readiness(end->peer); /* there is room again */
    return TRANSPORT_OK;
}

/* How many of these bytes still reach the end; those past the limit of cut_after are lost. */
static size_t bytes_before_cut(struct sim_end *to, size_t len)
{
    const size_t after = to->is_client ? to->host->faults.cut_after : 0;
    if (after == 0 || to->got + len <= after)
        return len;
    return after > to->got ? after - to->got : 0;
}

/* Applies the faults: a reset breaks both sides, a cut ends the stream towards the client. */
static void send_piece(struct sim_end *end, struct str bytes)
{
    struct sim_end *to = end->peer;
    const size_t kept = bytes_before_cut(to, bytes.len);
    if (chance_happens(end->network, end->host->faults.reset)) {
        dispatch_piece(to, PIECE_RESET, (struct str){0});
        dispatch_piece(end, PIECE_RESET, (struct str){0});
        return;
    }
    if (kept)
        dispatch_piece(to, PIECE_DATA, str_slice(bytes, 0, kept));
    if (kept < bytes.len && !end->finished) {
        dispatch_piece(to, PIECE_END, (struct str){0});
        end->finished = end->cut = true;
    }
    to->got += bytes.len;
}

static enum transport_result sim_send(struct transport *transport, struct str bytes,
                                      size_t *ret_len)
{
    struct sim_end *end = end_of(transport);
    if (end->reset || !end->peer)
        return transport_fail(transport,
                              error_new(ERROR_CONNECTION, "write to the peer: Broken pipe"));
    const size_t used = end->peer->way_bytes + end->peer->arrived.len;
    if (used >= WINDOW || end->cut)
        return TRANSPORT_WAIT;
    const size_t room = WINDOW - used;
    const size_t len = piece_size(end, bytes.len < room ? bytes.len : room);
    send_piece(end, str_slice(bytes, 0, len));
    *ret_len = len;
    return TRANSPORT_OK;
}

/* With the fault `spurious`, the ready function is sometimes called although nothing is ready. */
static void sim_want(struct transport *transport, unsigned events)
{
    struct sim_end *end = end_of(transport);
    const bool more = events & ~end->wanted;
    end->wanted = events;
    if (!events)
        loop_withdraw(&end->ready_task);
    update_readiness(end);
    if (more && end->host->faults.spurious && chance_happens(end->network, 0.5))
        loop_post(end->network->loop, &end->ready_task); /* for nothing, perhaps */
}

static void sim_finish(struct transport *transport)
{
    struct sim_end *end = end_of(transport);
    if (end->peer && !end->finished)
        dispatch_piece(end->peer, PIECE_END, (struct str){0});
    end->finished = true;
}

/* The connection is counted until both of its ends are freed. */
static void sim_end_free(struct transport *transport)
{
    struct sim_end *end = end_of(transport);
    loop_withdraw(&end->ready_task);
    list_remove(&end->backlog_link);
    LIST_FOREACH (struct piece, piece, &end->on_the_way, link)
        piece_free(piece);
    if (end->peer) {
        /* As in TCP, closing with unread bytes resets the connection. */
        if (end->arrived.len)
            dispatch_piece(end->peer, PIECE_RESET, (struct str){0});
        else if (!end->finished)
            dispatch_piece(end->peer, PIECE_END, (struct str){0});
        end->peer->peer = NULL;
    } else {
        end->network->connections--;
    }
    buf_done(&end->arrived);
    mem_free(end);
}

static const struct transport_ops sim_ops = {
    .receive = sim_receive,
    .send = sim_send,
    .want = sim_want,
    .finish = sim_finish,
    .free = sim_end_free,
};

static struct sim_end *end_new(struct sim_network *network, struct sim_host *host)
{
    struct sim_end *end = NEW(struct sim_end);
    end->transport.ops = &sim_ops;
    end->transport.loop = network->loop;
    end->network = network;
    end->host = host;
    end->arrived.limit = 4 * WINDOW;
    list_init(&end->on_the_way);
    end->ready_task = (struct task){.run = run_ready, .data = end};
    return end;
}

static struct sim_network *network_of(const struct network *network)
{
    return CONTAINER_OF(network, struct sim_network, network);
}

static struct sim_host *host_get(struct sim_network *network, struct str name)
{
    LIST_FOREACH (struct sim_host, host, &network->hosts, link)
        if (str_eq(str_from_c(host->name), name))
            return host;
    assert(name.len < HOST_MAX);
    struct sim_host *host = NEW(struct sim_host);
    memcpy(host->name, name.ptr, name.len);
    list_append(&network->hosts, &host->link);
    return host;
}

static struct sim_listener *listener_find(struct sim_network *network, const struct sim_host *host,
                                          uint16_t port)
{
    LIST_FOREACH (struct sim_listener, listener, &network->listeners, link)
        if (listener->host == host && listener->port == port)
            return listener;
    return NULL;
}

/* Suspends for as long as packets to the host vanish. */
static struct error *wait_out_black_hole(const struct sim_host *host)
{
    while (host->faults.black_hole)
        TRY(fiber_sleep(SECOND));
    return NULL;
}

/*
 * Takes a round trip. The connection is established when it is in the backlog of the listener,
 * before it is accepted, as in TCP.
 */
static struct error *sim_connect(struct network *base, struct str name, uint16_t port,
                                 struct transport **ret_transport)
{
    struct sim_network *network = network_of(base);
    struct sim_host *host = host_get(network, name);
    TRY(wait_out_black_hole(host));
    TRY(fiber_sleep(2 * (host->faults.latency ? host->faults.latency : LATENCY_DEFAULT)));
    struct sim_listener *listener = listener_find(network, host, port);
    if (!listener || host->faults.refuse || listener->backlog_count >= BACKLOG_MAX)
        return error_new(ERROR_UNREACHABLE, "Connection refused");
    struct sim_end *client = end_new(network, host), *server = end_new(network, host);
    client->peer = server;
    server->peer = client;
    client->is_client = true;
    network->connections++;
    list_append(&listener->backlog, &server->backlog_link);
    listener->backlog_count++;
    event_wake_one(&listener->arrived);
    *ret_transport = &client->transport;
    return NULL;
}

static struct error *sim_accept(struct listener *base, struct transport **ret_transport)
{
    struct sim_listener *listener = CONTAINER_OF(base, struct sim_listener, listener);
    struct list_link *link;
    while (!(link = list_take_first(&listener->backlog)))
        TRY(event_wait(&listener->arrived, "a client to connect"));
    listener->backlog_count--;
    *ret_transport = &LIST_ENTRY(link, struct sim_end, backlog_link)->transport;
    return NULL;
}

static uint16_t sim_port(const struct listener *base)
{
    return CONTAINER_OF(base, const struct sim_listener, listener)->port;
}

/* Connections that were never accepted are closed. */
static void sim_listener_free(struct listener *base)
{
    struct sim_listener *listener = CONTAINER_OF(base, struct sim_listener, listener);
    struct list_link *link;
    while ((link = list_take_first(&listener->backlog)))
        transport_free(&LIST_ENTRY(link, struct sim_end, backlog_link)->transport);
    list_remove(&listener->link);
    mem_free(listener);
}

static const struct listener_ops sim_listener_ops = {
    .accept = sim_accept,
    .port = sim_port,
    .free = sim_listener_free,
};

static struct error *sim_listen(struct network *base, struct str name, uint16_t port,
                                struct listener **ret_listener)
{
    struct sim_network *network = network_of(base);
    struct sim_host *host = host_get(network, name);
    if (port == 0)
        port = network->next_port++;
    if (listener_find(network, host, port))
        return error_new(ERROR_ALREADY_EXISTS, "Address already in use");
    struct sim_listener *listener = NEW(struct sim_listener);
    *listener = (struct sim_listener){
        .listener = {&sim_listener_ops},
        .network = network,
        .host = host,
        .port = port,
    };
    list_init(&listener->backlog);
    list_append(&network->listeners, &listener->link);
    *ret_listener = &listener->listener;
    return NULL;
}

/* Every listener and every connection must have been freed: a leak in the code under test. */
static void sim_network_free(struct network *base)
{
    struct sim_network *network = network_of(base);
    assert(list_is_empty(&network->listeners));
    assert(network->connections == 0);
    LIST_FOREACH (struct sim_host, host, &network->hosts, link)
        mem_free(host);
    mem_free(network);
}

static const struct network_ops sim_network_ops = {
    .connect = sim_connect,
    .listen = sim_listen,
    .free = sim_network_free,
};

struct network *sim_network_new(struct loop *loop)
{
    struct sim_network *network = NEW(struct sim_network);
    network->network.ops = &sim_network_ops;
    network->loop = loop;
    network->next_port = 40000;
    list_init(&network->hosts);
    list_init(&network->listeners);
    return &network->network;
}

void sim_network_set_faults(struct network *network, struct str host,
                            const struct sim_faults *faults)
{
    host_get(network_of(network), host)->faults = *faults;
}

size_t sim_network_connections(const struct network *network)
{
    return network_of(network)->connections;
}
