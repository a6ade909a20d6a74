/*
 * The HTTP server: accepting, and a fiber per request.
 *
 * One fiber runs for the server's whole life: accept_connections() takes connections from the
 * listener. With TLS they pass through their handshakes (handshakes.c); then on_secure() makes the
 * connection (conn.c), which needs no fiber. A request calls on_request(), which starts
 * handle_request() on a fiber of the scope handlers.
 *
 * http_server_free() stops in the same order: no accepting, no handshakes, connections closed,
 * handlers joined. It returns when the last connection is gone.
 */
#include "http/server.h"

#include <assert.h>

#include "async/cpu_share.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "http/call.h"
#include "http/server_internal.h"
#include "net/network.h"
#include "net/tls.h"
#include "net/transport.h"

#define CONNECTIONS_DEFAULT 10000
#define HANDSHAKE_DEFAULT   (10 * SECOND)
/* File descriptors may have run out: gives connections time to end before the next try. */
#define ACCEPT_PAUSE (50 * MILLISECOND)
/* All connections are in use when none became idle for as long. */
#define ROOM_WAIT (500 * MILLISECOND)
/* Accepting takes some microseconds, and thousands may wait at once. */
#define ACCEPT_PER_TURN 64

static void on_capacity(struct http_conn *conn)
{
    (void)conn;
}

static void on_retired(struct http_conn *conn)
{
    (void)conn;
}

static void on_gone(struct http_conn *conn)
{
    struct http_server *server = conn->owner;
    conn_table_remove(&server->conns, conn);
    server->conn_count--;
    event_wake_all(&server->changed);
}

static struct error *handle_request(void *data);

/* Called by the engine when a request's head has arrived. */
static void on_request(struct http_conn *conn, struct http_call *call)
{
    struct http_server *server = conn->owner;
    struct http_request *request = NEW(struct http_request);
    request->server = server;
    request->call = call;
    server->request_count++;
    call->handler = scope_start(&server->handlers, "http request", handle_request, request);
    if (conn->share)
        cpu_share_put(conn->share, call->handler);
}

static const struct http_conn_events server_events = {
    .request = on_request,
    .capacity = on_capacity,
    .retired = on_retired,
    .gone = on_gone,
};

/* Responds with the error of a handler, unless a response has begun or the client is gone. */
static struct error *answer_error(struct http_request *request, const struct error *err)
{
    if (request->responded || !request->call->stream.engine)
        return NULL;
    SCOPED(buf) body = {0};
    buf_print(&body, "%s\n", err->message);
    return http_request_answer(request, error_code_http_status(err->code),
                               STR("text/plain; charset=utf-8"), buf_str(&body));
}

/*
 * Ends the response after the handler has returned. A handler that failed in the middle of its
 * response resets the stream, so that the client sees a truncated response. Cancellation needs no
 * response: the client is gone or the server stops. If neither is so, the stream is reset.
 */
static void conclude_request(struct http_request *request, struct error *err)
{
    struct http_call *call = request->call;
    const bool begun = request->responded;
    if (!err && !begun)
        err = error_new(ERROR_INTERNAL, "the handler did not answer");
    if (err && !error_is(err, ERROR_CANCELED)) {
        log_v(4, "Request failed", LOG_STR("method", call->head.method),
              LOG_STR("target", call->head.target), LOG_ERROR(err));
        error_free(answer_error(request, err));
    }
    if (err && (begun || !request->responded) && call->stream.engine)
        http_stream_reset(&call->stream, HTTP_RESET_INTERNAL);
    else if (call->stream.engine)
        error_free(http_call_end(call)); /* a no-op when ended already */
    error_free(err);
}

/*
 * The fiber of a request. Cancellation and deadline of the handler do not apply to the end of the
 * response, which gets one more second. call->handler is cleared first, so that a client that
 * disconnects now cancels nothing.
 */
static struct error *handle_request(void *data)
{
    struct http_request *request = data;
    struct http_server *server = request->server;
    struct error *err = server->options.handler(server->options.data, request);
    request->call->handler = NULL;
    {
        FIBER_SHIELD(SECOND);
        conclude_request(request, err);
    }
    http_call_free(request->call);
    arena_done(&request->arena);
    mem_free(request);
    server->request_count--;
    event_wake_all(&server->changed);
    return NULL;
}

static void add_connection(struct http_server *server, struct transport *transport, bool is_surplus)
{
    const struct http_conn_options options = {
        .role = HTTP_SERVER,
        .limits = server->options.limits,
        .timeouts = server->options.timeouts,
        .events = &server_events,
        .owner = server,
    };
    struct http_conn *conn = http_conn_new(server->loop, transport, &options);
    conn->is_surplus = is_surplus;
    conn_table_add(&server->conns, conn);
    if (server->draining)
        http_conn_retire(conn);
    if (server->options.strangers && server->conns.stranger_count > server->options.strangers)
        (void)conn_table_drop_stranger(&server->conns, loop_now(server->loop));
}

/* The end of a handshake. */
static void on_secure(void *data, struct transport *transport, bool is_surplus)
{
    struct http_server *server = data;
    if (transport) {
        add_connection(server, transport, is_surplus);
        return;
    }
    server->conn_count--;
    event_wake_all(&server->changed);
}

/* Takes the transport. The connection counts against the limit from here on. */
static void admit_client(struct http_server *server, struct transport *transport)
{
    const bool is_surplus = server->conn_count >= server->options.connections;
    if (server->options.unsent)
        transport_limit_unsent(transport, server->options.unsent);
    server->conn_count++;
    if (server->options.tls)
        handshakes_add(&server->handshakes, transport, is_surplus);
    else
        add_connection(server, transport, is_surplus);
}

static void tell_accept(struct http_server *server, const struct error *err)
{
    if (server->options.on_accept && (err || server->is_refusing))
        server->options.on_accept(server->options.data, err);
    server->is_refusing = err != NULL;
}

/* Passes on cancellation. After any other error accepting is tried again after a pause. */
static struct error *pause_after(struct http_server *server, struct error *err)
{
    if (error_is(err, ERROR_CANCELED))
        return err;
    tell_accept(server, err);
    if (!err)
        return NULL;
    log_v(2, "Cannot accept connections", LOG_ERROR(err));
    error_free(err);
    return fiber_sleep(ACCEPT_PAUSE);
}

static size_t limit_of(const struct http_server *server)
{
    return server->options.connections + server->options.surplus;
}

/*
 * Closes a connection that is idle: one that has said nothing, or a stranger's, or one whose client
 * is known. The last only when those have most of the connections, or no other has become idle for
 * a while: a crowd of strangers is to drive out none of them. False: none could be closed.
 */
static bool make_room(struct http_server *server, duration waited)
{
    const int64_t now = loop_now(server->loop);
    const struct conn_table *conns = &server->conns;
    return handshakes_drop(&server->handshakes) || conn_table_drop_stranger(&server->conns, now) ||
           ((conns->known_count > limit_of(server) / 2 || waited >= ROOM_WAIT) &&
            conn_table_drop_known(&server->conns, now));
}

/* Suspends until some connection has ended, or another look for one that is idle is due. */
static struct error *wait_for_change(struct http_server *server)
{
    FIBER_TIMEOUT(ACCEPT_PAUSE);
    return error_ignore(event_wait(&server->changed, "a connection to end"), ERROR_DEADLINE);
}

/* Suspends until there is room for one more connection. */
static struct error *wait_for_room(struct http_server *server)
{
    const int64_t since = loop_now(server->loop);
    while (server->conn_count >= limit_of(server)) {
        const duration waited = loop_now(server->loop) - since;
        if (!make_room(server, waited) && waited >= ROOM_WAIT && !server->is_refusing) {
            OWNED(error)
            err = error_new(ERROR_IO, "all %zu connections are in use", limit_of(server));
            tell_accept(server, err);
        }
        TRY(wait_for_change(server));
    }
    return NULL;
}

/*
 * Suspends until a client connects. After an attempt that failed the wait is short, and its end
 * without a client shows that the trouble is over: the system refuses at once if it refuses,
 * whether a client waits or not.
 */
static struct error *accept_client(struct http_server *server, struct transport **ret_transport)
{
    if (!server->is_refusing)
        return listener_accept(server->listener, ret_transport);
    FIBER_TIMEOUT(ACCEPT_PAUSE);
    return error_ignore(listener_accept(server->listener, ret_transport), ERROR_DEADLINE);
}

/* Suspends until there are a client and room for it. *ret_transport may stay NULL. */
static struct error *accept_connection(struct http_server *server, struct transport **ret_transport)
{
    OWNED(transport) transport = NULL;
    TRY(accept_client(server, &transport));
    TRY(wait_for_room(server));
    *ret_transport = TAKE(transport);
    return NULL;
}

/* The fiber that accepts connections. */
static struct error *accept_connections(void *data)
{
    struct http_server *server = data;
    for (size_t count = 1;; count++) {
        struct transport *transport = NULL;
        TRY(pause_after(server, accept_connection(server, &transport)));
        if (transport)
            admit_client(server, transport);
        if (count % ACCEPT_PER_TURN == 0)
            TRY(fiber_yield());
    }
}

struct error *http_server_new(struct loop *loop, const struct http_server_options *options,
                              struct http_server **ret_server)
{
    struct listener *listener;
    TRY(network_listen(options->network, options->host, options->port, &listener));
    struct http_server *server = NEW(struct http_server);
    server->loop = loop;
    server->options = *options;
    if (!server->options.connections)
        server->options.connections = CONNECTIONS_DEFAULT;
    if (!server->options.handshake_timeout)
        server->options.handshake_timeout = HANDSHAKE_DEFAULT;
    server->listener = listener;
    server->port = listener_port(listener);
    conn_table_init(&server->conns);
    handshakes_init(&server->handshakes, loop, server->options.tls,
                    server->options.handshake_timeout, on_secure, server);
    scope_start(&server->acceptor, "http accept", accept_connections, server);
    *ret_server = server;
    return NULL;
}

/* Closes the listener and drops connections whose handshake has not begun. */
static void stop_accepting(struct http_server *server)
{
    scope_done(&server->acceptor);
    listener_free(TAKE(server->listener));
    handshakes_stop(&server->handshakes);
}

static void close_conn(struct http_conn *conn)
{
    http_conn_close(conn, error_new(ERROR_CANCELED, "the server is stopping"));
}

void http_server_free(struct http_server *server)
{
    if (!server)
        return;
    stop_accepting(server);
    handshakes_done(&server->handshakes);
    conn_table_each(&server->conns, close_conn);
    scope_done(&server->handlers);
    while (server->conn_count > 0) {
        FIBER_SHIELD(FOREVER);
        error_free(event_wait(&server->changed, "connections to end"));
    }
    mem_free(server);
}

uint16_t http_server_port(const struct http_server *server)
{
    return server->port;
}

struct error *http_server_drain(struct http_server *server)
{
    server->draining = true;
    stop_accepting(server);
    conn_table_each(&server->conns, http_conn_retire);
    while (server->conn_count > 0)
        TRY(event_wait(&server->changed, "connections to end"));
    return NULL;
}

struct str http_request_method(const struct http_request *request)
{
    return request->call->head.method;
}

struct str http_request_target(const struct http_request *request)
{
    return request->call->head.target;
}

struct str http_request_authority(const struct http_request *request)
{
    return request->call->head.authority;
}

const struct http_headers *http_request_headers(const struct http_request *request)
{
    return &request->call->head.headers;
}

bool http_request_wants_upgrade(const struct http_request *request)
{
    return request->call->head.wants_upgrade;
}

bool http_request_wants_websocket(const struct http_request *request)
{
    return request->call->head.wants_websocket;
}

struct arena *http_request_arena(struct http_request *request)
{
    return &request->arena;
}

bool http_request_is_surplus(const struct http_request *request)
{
    return request->call->conn && request->call->conn->is_surplus;
}

void http_request_retire(struct http_request *request)
{
    if (request->call->conn)
        http_conn_retire(request->call->conn);
}

struct str http_request_client(struct http_request *request)
{
    char address[TRANSPORT_PEER_MAX] = "";
    if (request->call->conn)
        transport_peer(request->call->conn->transport, address);
    return arena_str(&request->arena, str_from_c(address));
}

void http_request_peer(struct http_request *request, struct tls_peer *ret_peer)
{
    *ret_peer = (struct tls_peer){0};
    if (request->call->conn)
        tls_peer(request->call->conn->transport, &request->arena, ret_peer);
}

/* The first read of a body sends 100 Continue to a client that waits for it. */
static void want_request_body(struct http_request *request)
{
    if (request->wanted_body || !request->call->stream.engine)
        return;
    request->wanted_body = true;
    http_stream_want_body(&request->call->stream);
    http_conn_kick(request->call->conn);
}

struct error *http_request_read(struct http_request *request, char *ptr, size_t capacity,
                                size_t *ret_len)
{
    want_request_body(request);
    TRY(http_call_read(request->call, ptr, capacity, ret_len), "read the request");
    return NULL;
}

struct error *http_request_read_all(struct http_request *request, struct buf *body)
{
    want_request_body(request);
    for (;;) {
        struct str bytes;
        TRY(http_call_peek(request->call, &bytes), "read the request");
        if (bytes.len == 0)
            return NULL;
        buf_add(body, bytes);
        TRY(buf_check(body), "read the request");
        http_call_consume(request->call, bytes.len);
    }
}

/* Sends the response's head; with end, there is no body. */
static struct error *begin_response(struct http_request *request, int status,
                                    const struct http_headers *headers, bool end)
{
    assert(!request->responded);
    if (!request->call->stream.engine)
        return error_new(ERROR_CONNECTION, "the client is gone");
    SCOPED(http_head) head = {.status = status};
    if (headers)
        TRY(http_headers_add_all(&head.headers, headers));
    TRY(http_stream_respond(&request->call->stream, &head, end));
    request->responded = true;
    request->status = status;
    http_conn_kick(request->call->conn);
    return NULL;
}

struct error *http_request_respond(struct http_request *request, int status,
                                   const struct http_headers *headers)
{
    TRY(begin_response(request, status, headers, false), "respond");
    return NULL;
}

struct error *http_request_write(struct http_request *request, struct str bytes)
{
    TRY(http_call_write(request->call, bytes), "write the response");
    return NULL;
}

struct error *http_request_add_trailer(struct http_request *request, struct str name,
                                       struct str value)
{
    if (!request->call->stream.engine)
        return error_new(ERROR_CONNECTION, "the client is gone");
    return http_stream_add_trailer(&request->call->stream, name, value);
}

struct error *http_request_answer(struct http_request *request, int status, struct str content_type,
                                  struct str body)
{
    SCOPED(http_headers) headers = {0};
    char digits[STR_NUMBER_MAX];
    if (content_type.len)
        TRY(http_headers_add(&headers, STR("content-type"), content_type));
    if (status != 204 && status != 304)
        TRY(http_headers_add(&headers, STR("content-length"), str_number(body.len, digits)));
    const bool bodiless = http_has_no_body(http_request_method(request), status) || body.len == 0;
    TRY(begin_response(request, status, &headers, bodiless), "respond");
    if (bodiless)
        return NULL;
    TRY(http_request_write(request, body));
    return http_call_end(request->call);
}

bool http_request_has_responded(const struct http_request *request)
{
    return request->responded;
}

int http_request_status(const struct http_request *request)
{
    return request->status;
}

void http_request_vouch(struct http_request *request)
{
    if (request->call->conn)
        conn_table_vouch(&request->server->conns, request->call->conn);
}

/* has_parties stays set once two different parties were seen on a connection. */
void http_request_set_party(struct http_request *request, const void *party)
{
    struct http_conn *conn = request->call->conn;
    request->call->party = party;
    if (!conn)
        return;
    conn->has_parties |= conn->has_party && conn->party != party;
    conn->has_party = true;
    conn->party = party;
}

/*
 * What comes next on the connection is likely to be of the same share, and takes its turns from the
 * first instruction on. A connection that several shares use says nothing.
 */
static void expect_share(struct http_conn *conn, struct cpu_share *share)
{
    if (conn->share == share)
        return;
    conn->has_shares |= conn->share != NULL;
    cpu_share_free(conn->share);
    conn->share = conn->has_shares ? NULL : cpu_share_ref(share);
}

struct error *http_request_join_share(struct http_request *request, struct cpu_share *share)
{
    if (request->call->conn)
        expect_share(request->call->conn, share);
    return cpu_share_join(share);
}

/* Resets the running streams of one party; the connection and other parties go on. */
static void reset_party(struct http_conn *conn, const void *party)
{
    LIST_FOREACH (struct http_call, call, &conn->calls, link) {
        if (call->party != party || !call->handler)
            continue;
        http_stream_reset(&call->stream, HTTP_RESET_INTERNAL);
        fiber_cancel(call->handler);
    }
    http_conn_kick(conn);
}

void http_request_break(struct http_request *request)
{
    struct http_conn *conn = request->call->conn;
    if (!conn)
        return;
    if (conn->http2 && conn->has_parties)
        reset_party(conn, request->call->party);
    else
        http_conn_break(conn, error_new(ERROR_CONNECTION, "broken on purpose"));
}
