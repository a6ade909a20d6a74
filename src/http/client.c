/*
 * The connection pool of a client.
 *
 * A request takes these steps: get_conn() finds a connection with capacity or dials one,
 * attempt_request() sends head and body over it and waits for the response's head, and may_retry()
 * decides whether a failure was the connection's fault. The body is read by response.c.
 *
 * Connections are in one of two lists. conns holds usable ones, those with capacity in front, so
 * that find_usable() normally looks at one entry. retired holds those that take no more calls and
 * end with their last one. Fibers that find no connection wait on client->changed, which is woken
 * whenever capacity may have appeared: a call ended, a connection was dialed, lost or retired.
 */
#include "http/client.h"

#include <assert.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "http/call.h"
#include "http/client_internal.h"
#include "http/response_internal.h"
#include "http/url.h"
#include "net/tls.h"
#include "net/transport.h"

#define CONNECTIONS_DEFAULT 16
#define IDLE_DEFAULT        2
#define TRIES_MAX           3
#define GUARDED_PART        (64 * KILOBYTE)

static struct http_client *client_of(struct http_conn *conn)
{
    return conn->owner;
}

/* Keeps client->busy equal to the number of usable connections with calls. */
static void set_in_use(struct http_client *client, struct http_conn *conn, bool in_use)
{
    client->busy += in_use && !conn->in_use;
    client->busy -= !in_use && conn->in_use;
    conn->in_use = in_use;
}

/*
 * A call ended or the peer's limit changed. The connection moves to the front of the list when it
 * takes calls. With HTTP/2 one event can free many streams, so all waiting fibers are woken; with
 * HTTP/1.1 one connection serves one fiber. Idle HTTP/1.1 connections beyond idle_max are closed,
 * but only if no fiber waits for one.
 */
static void on_capacity(struct http_conn *conn)
{
    struct http_client *client = client_of(conn);
    if (!client || conn->retired)
        return;
    if (http_conn_capacity(conn) > 0) {
        list_remove(&conn->link);
        list_prepend(&client->conns, &conn->link);
    }
    if (conn->call_count == 0)
        set_in_use(client, conn, false);
    if (conn->http2 || event_has_waiters(&client->changed)) {
        conn->http2 ? event_wake_all(&client->changed) : event_wake_one(&client->changed);
        return;
    }
    if (!conn->in_use && client->usable - client->busy > client->idle_max)
        http_conn_retire(conn);
}

/* The connection keeps running calls, but must not be found for new ones. */
static void on_retired(struct http_conn *conn)
{
    struct http_client *client = client_of(conn);
    if (!client)
        return;
    set_in_use(client, conn, false);
    client->usable--;
    list_remove(&conn->link);
    list_append(&client->retired, &conn->link);
    event_wake_all(&client->changed);
}

static void on_gone(struct http_conn *conn)
{
    struct http_client *client = client_of(conn);
    if (!client)
        return;
    list_remove(&conn->link);
    client->conn_count--;
    event_wake_all(&client->changed);
}

static const struct http_conn_events client_events = {
    .capacity = on_capacity,
    .retired = on_retired,
    .gone = on_gone,
};

/*
 * The client outlives the caller's options: texts are copied into client->texts, credentials are
 * referenced.
 */
static void keep_endpoint(struct http_client *client, const struct http_endpoint *endpoint)
{
    struct http_endpoint *own = &client->endpoint;
    *own = *endpoint;
    own->host = arena_str(&client->texts, endpoint->host);
    own->server_name = arena_str(&client->texts, endpoint->server_name);
    tls_identity_ref(own->identity);
    tls_trust_ref(own->trust);
    tls_trust_ref(own->proxy_trust);
    if (endpoint->proxy) {
        struct url *proxy = ARENA_NEW(&client->texts, struct url);
        *proxy = *endpoint->proxy;
        proxy->host = arena_str(&client->texts, proxy->host);
        proxy->user = arena_str(&client->texts, proxy->user);
        proxy->password = arena_str(&client->texts, proxy->password);
        own->proxy = proxy;
    }
    const struct url url = {
        .scheme = endpoint->plain ? URL_HTTP : URL_HTTPS,
        .host = own->host,
        .is_ipv6 = str_find_char(own->host, ':') != STR_NONE,
        .port = endpoint->port,
    };
    client->authority = url_authority(&client->texts, &url);
}

struct http_client *http_client_new(struct loop *loop, const struct http_client_options *options)
{
    struct http_client *client = NEW(struct http_client);
    client->loop = loop;
    client->connections_max = options->connections ? options->connections : CONNECTIONS_DEFAULT;
    client->idle_max = options->idle_connections ? options->idle_connections : IDLE_DEFAULT;
    client->limits = options->limits;
    client->timeouts = options->timeouts;
    client->offer_gzip = !options->no_gzip;
    client->resumption = options->endpoint.plain ? NULL : tls_resumption_new();
    list_init(&client->conns);
    list_init(&client->retired);
    keep_endpoint(client, &options->endpoint);
    return client;
}

/*
 * Detaches connections from the client that is being freed. They end at the loop's next turn, when
 * owner is NULL and their events no longer reach the client.
 */
static void abandon_conns(struct list *conns)
{
    LIST_FOREACH (struct http_conn, conn, conns, link) {
        assert(conn->call_count == 0);
        list_remove(&conn->link);
        conn->owner = NULL;
        http_conn_close(conn, error_new(ERROR_CANCELED, "the client is gone"));
    }
}

void http_client_free(struct http_client *client)
{
    if (!client)
        return;
    assert(client->dialing == 0 && !event_has_waiters(&client->changed));
    abandon_conns(&client->conns);
    abandon_conns(&client->retired);
    tls_identity_free(client->endpoint.identity);
    tls_trust_free(client->endpoint.trust);
    tls_trust_free(client->endpoint.proxy_trust);
    tls_resumption_free(client->resumption);
    if (client->endpoint.proxy)
        mem_wipe((char *)client->endpoint.proxy->password.ptr,
                 client->endpoint.proxy->password.len);
    arena_done(&client->texts);
    mem_free(client);
}

size_t http_client_call_count(const struct http_client *client)
{
    size_t count = 0;
    LIST_FOREACH (struct http_conn, conn, &client->conns, link)
        count += conn->call_count;
    LIST_FOREACH (struct http_conn, conn, &client->retired, link)
        count += conn->call_count;
    return count;
}

uint64_t http_client_dial_count(const struct http_client *client)
{
    return client->dial_count;
}

bool http_client_speaks_http2(const struct http_client *client)
{
    return client->dial_count > 0 && !client->speaks_http1;
}

void http_client_close_idle(struct http_client *client)
{
    LIST_FOREACH (struct http_conn, conn, &client->conns, link)
        http_conn_retire(conn);
}

/* Retires the connections of the other protocol; a connection cannot change its protocol. */
void http_client_offer_http2(struct http_client *client, bool offer)
{
    if (client->endpoint.no_http2 == !offer)
        return;
    client->endpoint.no_http2 = !offer;
    client->speaks_http1 = !offer;
    http_client_close_idle(client);
}

static struct http_conn *find_usable(struct http_client *client)
{
    LIST_FOREACH (struct http_conn, conn, &client->conns, link)
        if (http_conn_capacity(conn) > 0)
            return conn;
    return NULL;
}

/*
 * While the protocol is unknown, or HTTP/2, only one connection is dialed at a time, because one
 * HTTP/2 connection is enough for all waiting requests.
 */
static bool may_dial(const struct http_client *client)
{
    if (client->conn_count + client->dialing >= client->connections_max)
        return false;
    return client->dialing == 0 || client->speaks_http1;
}

/* Suspends. Adds a connection to the pool; the caller searches the pool again. */
static struct error *dial_conn(struct http_client *client)
{
    struct transport *transport;
    client->dialing++;
    struct error *err = http_dial(&client->endpoint, client->resumption, &transport);
    client->dialing--;
    event_wake_all(&client->changed);
    if (err)
        return err;
    const struct http_conn_options options = {
        .role = HTTP_CLIENT,
        .limits = client->limits,
        .timeouts = client->timeouts,
        .events = &client_events,
        .owner = client,
    };
    struct http_conn *conn = http_conn_new(client->loop, transport, &options);
    client->speaks_http1 = !conn->http2;
    client->conn_count++;
    client->dial_count++;
    client->usable++;
    list_prepend(&client->conns, &conn->link);
    return NULL;
}

/*
 * Suspends until a connection takes a call. After every wait the pool is searched again, since
 * another fiber may have taken the capacity that woke this one.
 */
static struct error *get_conn(struct http_client *client, struct http_conn **ret_conn)
{
    while (!(*ret_conn = find_usable(client))) {
        if (may_dial(client))
            TRY(dial_conn(client));
        else
            TRY(event_wait(&client->changed, "a free connection"));
    }
    return NULL;
}

/*
 * Fills the request's head. Content-Length is always sent with methods that have a body, even for
 * an empty one, because servers may answer 411 otherwise.
 */
static struct error *write_head(struct http_client *client,
                                const struct http_client_request *request, struct http_head *head)
{
    *head = (struct http_head){
        .method = request->method.len ? request->method : STR("GET"),
        .scheme = client->endpoint.plain ? STR("http") : STR("https"),
        .authority = request->authority.len ? request->authority : client->authority,
        .target = request->target,
    };
    if (request->headers)
        TRY(http_headers_add_all(&head->headers, request->headers));
    if (client->offer_gzip && !http_headers_find(&head->headers, STR("accept-encoding")).ptr)
        TRY(http_headers_add(&head->headers, STR("accept-encoding"), STR("gzip")));
    if (request->body.len || str_eq(head->method, STR("POST")) ||
        str_eq(head->method, STR("PUT")) || str_eq(head->method, STR("PATCH"))) {
        char digits[STR_NUMBER_MAX];
        TRY(http_headers_set(&head->headers, STR("content-length"),
                             str_number(request->body.len, digits)));
    }
    return NULL;
}

/*
 * Asks the caller whether the request may still be sent, for example whether leadership still
 * lasts. The bytes that were sent before form an incomplete request, on which no server acts.
 */
static struct error *check_may_send(const struct http_client_request *request)
{
    if (!request->may_send || request->may_send(request->may_send_data))
        return NULL;
    return error_new(ERROR_CANCELED, "the request may not be sent any more");
}

/*
 * Suspends while the peer does not read. A body with a may_send check goes out in parts of
 * GUARDED_PART, with a check before each part and one before the end of the message.
 */
static struct error *send_body(const struct http_client_request *request, struct http_call *call)
{
    const size_t part = request->may_send ? GUARDED_PART : request->body.len;
    for (size_t at = 0; at < request->body.len; at += part) {
        TRY(check_may_send(request));
        TRY(http_call_write(call, str_slice(request->body, at, at + part)));
    }
    TRY(check_may_send(request));
    return http_call_end(call);
}

/* One try on one connection. Suspends until the response's head has arrived. */
static struct error *attempt_request(struct http_client *client, struct http_conn *conn,
                                     const struct http_client_request *request,
                                     struct http_call *call)
{
    SCOPED(http_head) head;
    TRY(write_head(client, request, &head));
    TRY(check_may_send(request));
    if (request->may_send)
        http_conn_guard(conn, call, request->may_send, request->may_send_data);
    TRY(http_engine_open(conn->engine, &call->stream, &head, request->body.len == 0));
    http_conn_kick(conn);
    if (http_conn_capacity(conn) == 0) {
        list_remove(&conn->link);
        list_append(conn->retired ? &client->retired : &client->conns, &conn->link);
    }
    if (request->body.len) {
        struct error *err = send_body(request, call);
        /* A server may respond before it has read the body; its response explains more. */
        if (err && !call->has_head)
            return err;
        error_free(err);
    }
    return http_call_wait_head(call);
}

/*
 * True when a failed request can be sent again. Either the server certainly did not act on it: it
 * was refused, or no byte left us. Or the method is safe, nothing of a response arrived, and the
 * connection had been used before: a server often closes an idle connection in the moment of its
 * reuse.
 */
static bool may_retry(const struct http_call *call, const struct http_client_request *request,
                      bool reused)
{
    if (!call->closed || !call->err || call->has_head)
        return false;
    if (call->stream.unprocessed)
        return true;
    const bool harmless = request->method.len == 0 || str_eq(request->method, STR("GET")) ||
                          str_eq(request->method, STR("HEAD"));
    return reused && harmless && !call->stream.answered && error_is(call->err, ERROR_CONNECTION);
}

/* A failed call is freed before the next try, which takes another connection. */
struct error *http_client_send(struct http_client *client,
                               const struct http_client_request *request,
                               struct http_response **ret_response)
{
    for (int tries = 1;; tries++) {
        struct http_conn *conn;
        TRY(get_conn(client, &conn));
        const bool reused = conn->calls_begun > 0;
        OWNED(http_call) call = http_call_new(conn);
        set_in_use(client, conn, true);
        struct error *err = attempt_request(client, conn, request, call);
        if (!err) {
            *ret_response = http_response_new(TAKE(call));
            return NULL;
        }
        if (tries == TRIES_MAX || !may_retry(call, request, reused))
            return error_wrap(err, "%.*s", STR_ARG(client->authority));
        error_free(err);
    }
}
