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

static void set_in_use(struct http_client *client, struct http_conn *conn, bool in_use)
{
    client->busy += in_use && !conn->in_use;
    client->busy -= !in_use && conn->in_use;
    conn->in_use = in_use;
}

/* Connections that take calls stand in front: finding one does not depend on how many are busy. */
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
    /* Beyond what is worth keeping, HTTP/1.1 connections go when they become idle. */
    if (!conn->in_use && client->usable - client->busy > client->idle_max)
        http_conn_retire(conn);
}

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

/* The client outlives whoever configured it: texts are copied, credentials referenced. */
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

void http_client_close_idle(struct http_client *client)
{
    LIST_FOREACH (struct http_conn, conn, &client->conns, link)
        http_conn_retire(conn);
}

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

/* Where HTTP/2 may be spoken one connection is enough, so only one is made at a time. */
static bool may_dial(const struct http_client *client)
{
    if (client->conn_count + client->dialing >= client->connections_max)
        return false;
    return client->dialing == 0 || client->speaks_http1;
}

/* Suspends. */
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
    client->usable++;
    list_prepend(&client->conns, &conn->link);
    return NULL;
}

/* Suspends until a connection takes a call. */
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
        char digits[24];
        const int len = snprintf(digits, sizeof(digits), "%zu", request->body.len);
        TRY(http_headers_set(&head->headers, STR("content-length"), str_from(digits, (size_t)len)));
    }
    return NULL;
}

/* One try on one connection. Suspends until the head is there. */
static struct error *check_may_send(const struct http_client_request *request)
{
    if (!request->may_send || request->may_send(request->may_send_data))
        return NULL;
    return error_new(ERROR_CANCELED, "the request may not be sent any more");
}

/* Suspends while the peer does not read. */
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

static struct error *attempt_request(struct http_client *client, struct http_conn *conn,
                                     const struct http_client_request *request,
                                     struct http_call *call)
{
    SCOPED(http_head) head;
    TRY(write_head(client, request, &head));
    TRY(check_may_send(request));
    TRY(http_engine_open(conn->engine, &call->stream, &head, request->body.len == 0));
    http_conn_kick(conn);
    if (http_conn_capacity(conn) == 0) {
        list_remove(&conn->link);
        list_append(conn->retired ? &client->retired : &client->conns, &conn->link);
    }
    if (request->body.len) {
        struct error *err = send_body(request, call);
        /* A server may answer without reading it all; what it says is worth more than this. */
        if (err && !call->has_head)
            return err;
        error_free(err);
    }
    return http_call_wait_head(call);
}

/*
 * Was this the connection's fault and not the request's? The server did not act on it, or it is a
 * request that does no harm twice and the connection had been idle before.
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
