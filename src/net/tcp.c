/*
 * The real network: TCP over IPv4 and IPv6, with non-blocking sockets.
 *
 * The file has three parts: a connection as a struct transport (tcp_receive() to tcp_new()),
 * connecting to a host (tcp_connect()), and listening (tcp_listen()). Every operation tries the
 * system call first and asks the loop for readiness only when it would block. A connection
 * therefore registers with the loop when transport_want() is first called, not before.
 */
#include "net/tcp.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/io.h"
#include "async/loop.h"
#include "base/memory.h"
#include "net/cidr.h"
#include "net/lookup.h"
#include "net/lookups.h"
#include "net/network.h"
#include "net/transport.h"

/* A silent peer is noticed after about two minutes, even where nothing is sent. */
#define KEEPALIVE_SECONDS 30
#define KEEPALIVE_PROBES  3
#define LISTEN_BACKLOG    4096

struct tcp_network {
    struct network network;
    struct loop *loop;
    struct lookups *lookups; /* of the loop */
    duration delivery_limit; /* 0: the system's */
    const struct cidr *denied;
    size_t denied_count;
    const char *denied_by; /* a flag */
};

/* One connection. */
struct tcp {
    struct transport transport;
    int fd;
    struct io *io; /* made when readiness is first asked for */
};

/* A listening socket. At most one fiber waits in tcp_accept(). */
struct tcp_listener {
    struct listener listener;
    struct loop *loop;
    int fd;
    uint16_t port;
    struct io *io;
    struct fiber *waiter;
};

static struct tcp *tcp_of(struct transport *transport)
{
    return CONTAINER_OF(transport, struct tcp, transport);
}

static enum transport_result receive_with(struct transport *transport, char *ptr, size_t capacity,
                                          int flags, size_t *ret_len)
{
    for (;;) {
        const ssize_t n = recv(tcp_of(transport)->fd, ptr, capacity, flags);
        if (n > 0) {
            *ret_len = (size_t)n;
            return TRANSPORT_OK;
        }
        if (n == 0)
            return TRANSPORT_END;
        if (errno == EAGAIN)
            return TRANSPORT_WAIT;
        if (errno != EINTR)
            return transport_fail(transport, error_from_errno(errno, "read from the peer"));
    }
}

static enum transport_result tcp_receive(struct transport *transport, char *ptr, size_t capacity,
                                         size_t *ret_len)
{
    return receive_with(transport, ptr, capacity, 0, ret_len);
}

/* With MSG_TRUNC the system drops the bytes of a TCP connection and copies none. */
static enum transport_result tcp_discard(struct transport *transport, size_t capacity,
                                         size_t *ret_len)
{
    return receive_with(transport, NULL, capacity, MSG_TRUNC, ret_len);
}

static enum transport_result tcp_send(struct transport *transport, struct str bytes,
                                      size_t *ret_len)
{
    for (;;) {
        const ssize_t n = send(tcp_of(transport)->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (n >= 0) {
            *ret_len = (size_t)n;
            return TRANSPORT_OK;
        }
        if (errno == EAGAIN)
            return TRANSPORT_WAIT;
        if (errno != EINTR)
            return transport_fail(transport, error_from_errno(errno, "write to the peer"));
    }
}

/*
 * Called on the loop. The transport tries its system call again; which event it was does not
 * matter.
 */
static void on_ready(void *data, unsigned events)
{
    struct tcp *tcp = data;
    (void)events;
    if (tcp->transport.ready)
        tcp->transport.ready(tcp->transport.ready_data);
}

_Static_assert(TRANSPORT_READABLE == IO_READABLE && TRANSPORT_WRITABLE == IO_WRITABLE,
               "events pass through unchanged");

/*
 * A failure to register with the loop is stored in the transport, where transport_take_error()
 * finds it.
 */
static void tcp_want(struct transport *transport, unsigned events)
{
    struct tcp *tcp = tcp_of(transport);
    if (!tcp->io) {
        if (!events)
            return;
        struct error *err = io_new(transport->loop, tcp->fd, on_ready, tcp, &tcp->io);
        if (err) {
            (void)transport_fail(transport, err);
            return;
        }
    }
    io_want(tcp->io, events);
}

static void tcp_finish(struct transport *transport)
{
    shutdown(tcp_of(transport)->fd, SHUT_WR);
}

/* An IPv4 address that a socket of IPv6 shows ("::ffff:10.0.0.7") is written as the one it is. */
static void tcp_peer(struct transport *transport, char ret_address[static TRANSPORT_PEER_MAX])
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t len = sizeof(address);
    ret_address[0] = '\0';
    if (getpeername(tcp_of(transport)->fd, &address.any, &len) != 0)
        return;
    const void *bytes = address.any.sa_family == AF_INET ? (const void *)&address.v4.sin_addr
                                                         : (const void *)&address.v6.sin6_addr;
    int family = address.any.sa_family;
    if (family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr)) {
        family = AF_INET;
        bytes = &address.v6.sin6_addr.s6_addr[12];
    }
    if (!inet_ntop(family, bytes, ret_address, TRANSPORT_PEER_MAX))
        ret_address[0] = '\0';
}

static void set_option(int fd, int level, int option, int value)
{
    /* Tuning only: a system that refuses one still works. */
    (void)setsockopt(fd, level, option, &value, sizeof(value));
}

static void tcp_limit_unsent(struct transport *transport, size_t bytes)
{
    set_option(tcp_of(transport)->fd, SOL_SOCKET, SO_SNDBUF, (int)bytes);
}

static void tcp_free(struct transport *transport)
{
    struct tcp *tcp = tcp_of(transport);
    io_free(tcp->io);
    close(tcp->fd);
    mem_free(tcp);
}

static const struct transport_ops tcp_ops = {
    .receive = tcp_receive,
    .send = tcp_send,
    .discard = tcp_discard,
    .want = tcp_want,
    .finish = tcp_finish,
    .peer = tcp_peer,
    .limit_unsent = tcp_limit_unsent,
    .free = tcp_free,
};

/*
 * Takes ownership of the socket. Small writes go out at once (TCP_NODELAY), because the protocols
 * above write whole messages.
 */
static struct transport *tcp_new(struct loop *loop, int fd)
{
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_SECONDS);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_SECONDS);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
    struct tcp *tcp = NEW(struct tcp);
    tcp->transport.ops = &tcp_ops;
    tcp->transport.loop = loop;
    tcp->transport.short_means_drained = true;
    tcp->fd = fd;
    return &tcp->transport;
}

/*
 * One attempt. A non-blocking connect() is complete when the socket is writable; SO_ERROR then has
 * the result.
 */
static struct error *connect_address(struct loop *loop, const struct sockaddr *address,
                                     socklen_t len, struct transport **ret_transport)
{
    const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_from_errno(errno, "make a socket");
    OWNED(transport) transport = tcp_new(loop, fd);
    if (connect(fd, address, len) != 0) {
        if (errno != EINPROGRESS)
            return error_new(ERROR_UNREACHABLE, "%s", strerrordesc_np(errno));
        TRY(transport_wait(transport, TRANSPORT_WRITABLE, "the connection"));
        int status = 0;
        socklen_t size = sizeof(status);
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &status, &size) != 0)
            status = errno;
        if (status)
            return error_new(ERROR_UNREACHABLE, "%s", strerrordesc_np(status));
    }
    *ret_transport = TAKE(transport);
    return NULL;
}

/*
 * The share of the remaining time that one address gets. An address whose packets vanish must leave
 * time for the addresses behind it.
 */
static duration share_of_time(struct loop *loop, size_t left)
{
    const int64_t deadline = fiber_deadline();
    if (deadline == FOREVER || left <= 1)
        return FOREVER;
    const int64_t now = loop_now(loop);
    return deadline > now ? (deadline - now) / (int64_t)left : 0;
}

/* ERROR_UNREACHABLE for an address that is not to be connected to. */
static struct error *check_denied(const struct tcp_network *network, const struct sockaddr *address)
{
    for (size_t i = 0; i < network->denied_count; i++)
        if (cidr_has(&network->denied[i], address))
            return error_new(ERROR_UNREACHABLE, "its address is in %s, which %s excludes",
                             network->denied[i].text, network->denied_by);
    return NULL;
}

/*
 * Tries the addresses in order and returns the error of the last attempt. A cancellation ends the
 * search; a deadline of one attempt does not.
 */
static struct error *connect_any(const struct tcp_network *network,
                                 const struct lookup_result *found,
                                 struct transport **ret_transport)
{
    struct loop *loop = network->loop;
    struct error *last = NULL;
    for (size_t i = 0; i < found->count; i++) {
        const struct sockaddr *address = (const struct sockaddr *)&found->addresses[i].address;
        FIBER_TIMEOUT(share_of_time(loop, found->count - i));
        struct error *err = check_denied(network, address);
        if (!err)
            err = connect_address(loop, address, found->addresses[i].len, ret_transport);
        error_free(last);
        last = err;
        if (!err || error_is(err, ERROR_CANCELED))
            break;
    }
    return last;
}

static struct error *tcp_connect(struct network *network, struct str host, uint16_t port,
                                 struct transport **ret_transport)
{
    const struct tcp_network *self = CONTAINER_OF(network, struct tcp_network, network);
    OWNED_PTR struct lookup_result *found = NULL;
    TRY(lookup_host(self->lookups, host, port, &found));
    TRY(connect_any(self, found, ret_transport));
    if (self->delivery_limit)
        set_option(tcp_of(*ret_transport)->fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
                   (int)(self->delivery_limit / MILLISECOND));
    return NULL;
}

static void listener_ready(void *data, unsigned events)
{
    (void)events;
    struct tcp_listener *listener = data;
    if (listener->waiter)
        fiber_wake(listener->waiter);
}

static struct error *wait_for_peer(struct tcp_listener *listener)
{
    listener->waiter = fiber_current();
    io_want(listener->io, IO_READABLE);
    struct error *err = fiber_park("a client to connect");
    io_want(listener->io, 0);
    listener->waiter = NULL;
    return err;
}

/* A connection that was reset before it was accepted is skipped. */
static struct error *tcp_accept(struct listener *base, struct transport **ret_transport)
{
    struct tcp_listener *listener = CONTAINER_OF(base, struct tcp_listener, listener);
    for (;;) {
        const int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            *ret_transport = tcp_new(listener->loop, fd);
            return NULL;
        }
        if (errno == EAGAIN)
            TRY(wait_for_peer(listener));
        else if (errno != EINTR && errno != ECONNABORTED)
            return error_from_errno(errno, "accept a connection");
    }
}

static uint16_t tcp_port(const struct listener *base)
{
    return CONTAINER_OF(base, const struct tcp_listener, listener)->port;
}

static void tcp_listener_free(struct listener *base)
{
    struct tcp_listener *listener = CONTAINER_OF(base, struct tcp_listener, listener);
    io_free(listener->io);
    close(listener->fd);
    mem_free(listener);
}

static const struct listener_ops tcp_listener_ops = {
    .accept = tcp_accept,
    .port = tcp_port,
    .free = tcp_listener_free,
};

/* The port that the system chose for port 0. */
static uint16_t bound_port(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof(address);
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): set through a more general type */
    return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/*
 * Binds to the first address of the host. SO_REUSEADDR lets a restarted server listen while
 * connections of its predecessor are in TIME_WAIT.
 */
static struct error *tcp_listen(struct network *network, struct str host, uint16_t port,
                                struct listener **ret_listener)
{
    const struct tcp_network *self = CONTAINER_OF(network, struct tcp_network, network);
    struct loop *loop = self->loop;
    OWNED_PTR struct lookup_result *found = NULL;
    TRY(lookup_host(self->lookups, host, port, &found));
    const struct sockaddr *address = (const struct sockaddr *)&found->addresses[0].address;

    const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_from_errno(errno, "make a socket");
    struct tcp_listener *listener = NEW(struct tcp_listener);
    *listener = (struct tcp_listener){
        .listener = {&tcp_listener_ops},
        .loop = loop,
        .fd = fd,
    };
    OWNED(listener) owner = &listener->listener;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, address, found->addresses[0].len) != 0 || listen(fd, LISTEN_BACKLOG) != 0)
        return error_new(errno == EADDRINUSE ? ERROR_ALREADY_EXISTS : ERROR_CONNECTION, "%s",
                         strerrordesc_np(errno));
    listener->port = bound_port(fd);
    TRY(io_new(loop, fd, listener_ready, listener, &listener->io));
    *ret_listener = TAKE(owner);
    return NULL;
}

static void tcp_network_free(struct network *network)
{
    struct tcp_network *self = CONTAINER_OF(network, struct tcp_network, network);
    lookups_free(self->lookups);
    mem_free(self);
}

static const struct network_ops tcp_network_ops = {
    .connect = tcp_connect,
    .listen = tcp_listen,
    .free = tcp_network_free,
};

struct network *tcp_network_new(struct loop *loop)
{
    struct tcp_network *tcp = NEW(struct tcp_network);
    tcp->network.ops = &tcp_network_ops;
    tcp->loop = loop;
    tcp->lookups = lookups_of(loop);
    return &tcp->network;
}

void tcp_network_limit_delivery(struct network *network, duration limit)
{
    assert(network->ops == &tcp_network_ops);
    CONTAINER_OF(network, struct tcp_network, network)->delivery_limit = limit;
}

void tcp_network_deny(struct network *network, const struct cidr *ranges, size_t count,
                      const char *flag)
{
    struct tcp_network *self = CONTAINER_OF(network, struct tcp_network, network);
    self->denied = ranges;
    self->denied_count = count;
    self->denied_by = flag;
}
