/*
 * An HTTP exchange between the engine, which runs on the loop, and the fiber that waits for it.
 *
 * The upper half implements http_events: the engine calls these functions while it parses. They
 * copy what arrived into the call and wake its fiber, and do nothing that could suspend. The lower
 * half is called by fibers. A fiber sleeps on call->changed and checks its condition again after
 * every wake-up, because all kinds of progress wake the same event.
 *
 * Ownership: the call belongs to its response (client) or request (server). The connection only
 * lists it. http_call_free() detaches the stream from the engine and the call from the connection.
 */
#include "http/call.h"

#include <assert.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "http/conn.h"

static struct http_call *call_of(struct http_stream *stream)
{
    return CONTAINER_OF(stream, struct http_call, stream);
}

/* Wakes the fibers that wait for the call, and posts the task of who follows it without a fiber. */
static void wake_waiters(struct http_call *call)
{
    event_wake_all(&call->changed);
    if (call->arrived)
        loop_post(call->conn->loop, call->arrived);
}

/*
 * Server: refuses a request when too many handlers run. The engine limits concurrent streams, but
 * it forgets a stream at once when the client resets it, while the handler still has to unwind.
 * Without this limit a client could pile up handlers by opening and resetting streams.
 */
static struct http_stream *on_open(void *user)
{
    struct http_conn *conn = user;
    return conn->call_count < conn->calls_max ? &http_call_new(conn)->stream : NULL;
}

static void on_head(struct http_stream *stream, struct http_head *head)
{
    struct http_call *call = call_of(stream);
    call->head = http_head_take(head);
    call->has_head = true;
    wake_waiters(call);
    if (call->conn->role == HTTP_SERVER)
        call->conn->events->request(call->conn, call);
}

/* The engine's flow-control window bounds the size of call->incoming. */
static void on_data(struct http_stream *stream, struct str bytes)
{
    struct http_call *call = call_of(stream);
    buf_add(&call->incoming, bytes);
    wake_waiters(call);
}

static void on_end(struct http_stream *stream)
{
    struct http_call *call = call_of(stream);
    call->has_end = true;
    wake_waiters(call);
}

/*
 * A failed exchange cancels the server's handler, which is how a handler learns that its client has
 * disconnected. The error stays in the call, because several later calls may report it.
 */
static void on_closed(struct http_stream *stream, struct error *err)
{
    struct http_call *call = call_of(stream);
    call->closed = true;
    call->err = err;
    wake_waiters(call);
    if (err && call->handler)
        fiber_cancel(call->handler);
    call->conn->events->capacity(call->conn);
}

static void on_writable(struct http_stream *stream)
{
    event_wake_all(&call_of(stream)->changed);
}

/* The peer takes no more requests on this connection. Running calls go on. */
static void on_goaway(void *user)
{
    struct http_conn *conn = user;
    if (!conn->retired) {
        conn->retired = true;
        conn->events->retired(conn);
    }
}

static void on_settings(void *user)
{
    struct http_conn *conn = user;
    conn->events->capacity(conn);
}

/* Clears the pending ping; the time-out in conn.c then measures silence again. */
static void on_pong(void *user)
{
    struct http_conn *conn = user;
    conn->pinged = 0;
}

const struct http_events http_call_events = {
    .open = on_open,
    .head = on_head,
    .data = on_data,
    .end = on_end,
    .closed = on_closed,
    .writable = on_writable,
    .goaway = on_goaway,
    .settings = on_settings,
    .pong = on_pong,
};

struct http_call *http_call_new(struct http_conn *conn)
{
    struct http_call *call = NEW(struct http_call);
    http_conn_add_call(conn, call);
    return call;
}

void http_call_free(struct http_call *call)
{
    if (!call)
        return;
    assert(!event_has_waiters(&call->changed));
    if (call->conn) {
        http_stream_release(&call->stream);
        http_conn_remove_call(call->conn, call);
    }
    http_head_done(&call->head);
    buf_done(&call->incoming);
    buf_done(&call->shown);
    error_free(call->err);
    mem_free(call);
}

/*
 * A copy of the error that ended the call. Without an error the exchange was completed, and the
 * caller asked for more than there was.
 */
static struct error *failure(const struct http_call *call)
{
    if (call->err)
        return error_copy(call->err);
    return error_new(ERROR_CONNECTION, "the exchange is over");
}

struct error *http_call_wait_head(struct http_call *call)
{
    while (!call->has_head && !call->closed)
        TRY(event_wait(&call->changed, "the response"));
    return call->has_head ? NULL : failure(call);
}

static void forget_consumed(struct http_call *call)
{
    if (call->shown_read < call->shown.len)
        return;
    call->shown_read = 0;
    buf_done(&call->shown);
}

/*
 * Bytes move from incoming to shown when shown is used up, without a copy. Data that arrives
 * meanwhile goes to incoming, so that the view of the caller stays valid while the caller suspends.
 */
struct error *http_call_peek_arrived(struct http_call *call, struct str *ret_bytes)
{
    forget_consumed(call);
    if (call->shown.len == 0) {
        if (call->incoming.len == 0 && !call->has_end && call->err)
            return failure(call);
        call->shown = call->incoming;
        call->incoming = (struct buf){0};
    }
    *ret_bytes = str_skip(buf_str(&call->shown), call->shown_read);
    return NULL;
}

struct error *http_call_peek(struct http_call *call, struct str *ret_bytes)
{
    forget_consumed(call);
    while (call->shown.len == 0 && call->incoming.len == 0 && !call->has_end && !call->closed)
        TRY(event_wait(&call->changed, "the body"));
    return http_call_peek_arrived(call, ret_bytes);
}

void http_call_consume(struct http_call *call, size_t len)
{
    call->shown_read += len;
    if (call->stream.engine) {
        http_stream_consume(&call->stream, len);
        http_conn_kick(call->conn);
    }
}

struct error *http_call_read(struct http_call *call, char *ptr, size_t capacity, size_t *ret_len)
{
    struct str bytes = {0};
    TRY(http_call_peek(call, &bytes));
    const size_t len = bytes.len < capacity ? bytes.len : capacity;
    if (len)
        memcpy(ptr, bytes.ptr, len);
    http_call_consume(call, len);
    *ret_len = len;
    return NULL;
}

/*
 * Suspends until the queue drains. A peer that keeps its HTTP/2 window shut stalls us like one
 * whose socket is full, but the transport does not notice it, so the stall time-out is applied
 * here. A deadline of the caller that is as early passes as ERROR_DEADLINE.
 */
static struct error *wait_for_room(struct http_call *call)
{
    const int64_t outer = fiber_deadline();
    const duration stall = call->conn->timeouts.stall;
    struct error *err;
    {
        FIBER_TIMEOUT(stall);
        err = event_wait(&call->changed, "the peer to read");
    }
    if (!error_is(err, ERROR_DEADLINE) || outer <= loop_now(loop_current()))
        return err;
    error_free(err);
    return error_new(ERROR_CONNECTION, "the peer has stopped reading");
}

/*
 * Offers bytes to the stream until all are queued. The stream wakes the fiber by its writable event
 * after a write that was not taken completely.
 */
struct error *http_call_write(struct http_call *call, struct str bytes)
{
    for (;;) {
        if (!call->stream.engine)
            return failure(call);
        size_t taken = 0;
        TRY(http_stream_write(&call->stream, bytes, &taken));
        http_conn_kick(call->conn);
        bytes = str_skip(bytes, taken);
        if (bytes.len == 0)
            return NULL;
        if (taken == 0)
            TRY(wait_for_room(call));
    }
}

struct error *http_call_end(struct http_call *call)
{
    if (!call->stream.engine)
        return failure(call);
    TRY(http_stream_end(&call->stream));
    http_conn_kick(call->conn);
    return NULL;
}
