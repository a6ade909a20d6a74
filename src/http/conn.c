/*
 * Drives an engine over a transport; see conn.h and engine.h.
 *
 * pump_conn() is the heart: it runs as a task of the loop, when the transport is ready or when
 * http_conn_kick() asked for it. It reads from the transport into the engine (pump_in), writes the
 * engine's output (pump_out), then decides whether the connection ends and arms the timer. Nothing
 * in it suspends.
 *
 * The end of a connection has these states. retired: takes no new calls, running calls go on. lost:
 * the engine has failed all streams and the transport is no longer used. lingers: a server discards
 * input for a moment so that its last bytes reach the peer. A lost connection that does not linger
 * is freed by end_if_unused() once its last call is freed; always from a task, never inside a call
 * of its users, who may still hold it.
 */
#include "http/conn.h"

#include <assert.h>

#include "async/cpu_share.h"
#include "base/log.h"
#include "base/memory.h"
#include "http/call.h"
#include "http/h1.h"
#include "http/h2.h"
#include "net/tls.h"
#include "net/transport.h"

/* Bytes to read of one connection before other connections get their turn. */
#define TURN_BYTES (64 * KILOBYTE)
#define READ_BYTES (16 * KILOBYTE)
#define OUT_BYTES  (32 * KILOBYTE)

/*
 * Closing a socket with unread input makes the kernel send RST, and the peer discards our last
 * bytes, for example a 400 response. So a server that has finished reads and discards input for a
 * moment.
 */
#define LINGER (SECOND)

/* The default of engine.h, and the number of handlers per concurrent stream; see on_open(). */
#define STREAMS_DEFAULT  250
#define CALLS_PER_STREAM 2

static const struct http_timeouts default_timeouts = {
    .first = 30 * SECOND,
    .idle = 90 * SECOND,
    .stall = 30 * SECOND,
    .ping = 30 * SECOND,
    .pong = 15 * SECOND,
};

static duration duration_or(duration given, duration otherwise)
{
    return given ? given : otherwise;
}

static size_t size_or(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static struct http_timeouts fill_timeouts(const struct http_timeouts *given)
{
    return (struct http_timeouts){
        .first = duration_or(given->first, default_timeouts.first),
        .idle = duration_or(given->idle, default_timeouts.idle),
        .stall = duration_or(given->stall, default_timeouts.stall),
        .ping = duration_or(given->ping, default_timeouts.ping),
        .pong = duration_or(given->pong, default_timeouts.pong),
    };
}

/* Reports the retired event, at most once. */
static void mark_retired(struct http_conn *conn)
{
    if (conn->retired)
        return;
    conn->retired = true;
    conn->events->retired(conn);
}

/* Frees a lost connection that neither lingers nor has calls. The connection is gone afterwards. */
static void end_if_unused(struct http_conn *conn)
{
    if (!conn->lost || conn->lingers || conn->call_count > 0)
        return;
    loop_withdraw(&conn->pump);
    timer_stop(conn->loop, &conn->timer);
    http_engine_free(conn->engine);
    transport_free(conn->transport);
    buf_done(&conn->out);
    cpu_share_free(conn->share);
    conn->events->gone(conn);
    mem_free(conn);
}

/* Fails the running calls with copies of the error and stops the events of the transport. */
static void lose_conn(struct http_conn *conn, const struct error *err)
{
    if (conn->lost)
        return;
    conn->lost = true;
    timer_stop(conn->loop, &conn->timer);
    transport_want(conn->transport, 0);
    http_engine_fail(conn->engine, err);
    mark_retired(conn);
}

static void end_linger(void *data)
{
    struct http_conn *conn = data;
    conn->lingers = false;
    timer_stop(conn->loop, &conn->timer);
    transport_want(conn->transport, 0);
    http_conn_kick(conn);
}

/* Reads and drops input of a lingering connection, bounded per turn like pump_in(). */
static void discard_input(struct http_conn *conn)
{
    size_t budget = TURN_BYTES;
    enum transport_result result = TRANSPORT_OK;
    while (result == TRANSPORT_OK && budget > 0) {
        size_t len = 0;
        result = transport_discard(conn->transport, budget, &len);
        budget -= len;
    }
    if (result == TRANSPORT_END || result == TRANSPORT_FAILED)
        end_linger(conn);
    else
        transport_want(conn->transport, TRANSPORT_READABLE);
}

/*
 * Ends a connection in good order: closes our side of the transport, fails running calls, and lets
 * a server linger until the peer has closed its side or LINGER has passed.
 */
static void leave_conn(struct http_conn *conn, const struct error *err)
{
    transport_finish(conn->transport);
    lose_conn(conn, err);
    if (conn->role == HTTP_CLIENT)
        return;
    conn->lingers = true;
    timer_start(conn->loop, &conn->timer, loop_now(conn->loop) + LINGER, end_linger, conn);
    discard_input(conn);
}

/*
 * An error of an engine concerns the connection. The engine has failed its calls with it and is
 * finished once its last output (a 400 response, a GOAWAY) is sent. So here it is only logged.
 */
static void log_engine_error(struct error *err)
{
    if (err)
        log_v(4, "Connection fails", LOG_ERROR(err));
    error_free(err);
}

/*
 * Feeds received bytes to the engine. False when no more input will come: with *ret_err after a
 * failure of the transport, with NULL when the peer closed its side.
 */
static bool pump_in(struct http_conn *conn, struct error **ret_err)
{
    /* Nothing suspends between filling and emptying it, so one buffer serves every connection. */
    static _Thread_local char bytes[READ_BYTES];
    size_t budget = TURN_BYTES;
    while (budget > 0 && http_engine_wants_input(conn->engine)) {
        size_t len;
        switch (transport_receive(conn->transport, bytes, sizeof(bytes), &len)) {
        case TRANSPORT_OK:
            conn->heard = loop_now(conn->loop);
            budget -= len < budget ? len : budget;
            log_engine_error(http_engine_receive(conn->engine, str_from(bytes, len)));
            if (len < sizeof(bytes) && conn->transport->short_means_drained)
                return true; /* another call would return TRANSPORT_WAIT */
            break;
        case TRANSPORT_WAIT:
            return true;
        case TRANSPORT_END:
            log_engine_error(http_engine_receive_end(conn->engine));
            return false;
        case TRANSPORT_FAILED:
            *ret_err = transport_take_error(conn->transport);
            return false;
        }
    }
    return true;
}

static bool may_send_now(const struct http_conn *conn)
{
    return conn->guarded_count == 0 || conn->may_send(conn->may_send_data);
}

/*
 * Sends the engine's output. False with *ret_err when the transport failed. blocked_since holds the
 * time since when the transport has taken nothing, for the stall time-out.
 */
static bool pump_out(struct http_conn *conn, struct error **ret_err)
{
    for (;;) {
        if (conn->out.len == 0 && http_engine_has_output(conn->engine))
            log_engine_error(http_engine_output(conn->engine, &conn->out, OUT_BYTES));
        if (conn->out.len == 0) {
            buf_shrink(&conn->out);
            conn->blocked_since = 0;
            return true;
        }
        if (!may_send_now(conn)) {
            *ret_err = error_new(ERROR_CONNECTION, "a request may not be sent any more");
            return false;
        }
        size_t len = 0;
        switch (transport_send(conn->transport, buf_str(&conn->out), &len)) {
        case TRANSPORT_OK:
            buf_consume(&conn->out, len);
            conn->blocked_since = 0;
            break;
        case TRANSPORT_WAIT:
            if (!conn->blocked_since)
                conn->blocked_since = loop_now(conn->loop);
            return true;
        default:
            *ret_err = transport_take_error(conn->transport);
            return false;
        }
    }
}

/* Saturates at FOREVER, which is also the value of a time-out that is switched off. */
static int64_t add_span(int64_t since, duration span)
{
    int64_t due;
    return __builtin_add_overflow(since, span, &due) ? FOREVER : due;
}

static int64_t min_time(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When an idle connection expires. A server waits less for the first request of a connection. */
static int64_t idle_due(const struct http_conn *conn)
{
    const bool is_proven = conn->calls_begun || conn->role == HTTP_CLIENT;
    if (!conn->idle_since)
        return FOREVER;
    return add_span(conn->idle_since, is_proven ? conn->timeouts.idle : conn->timeouts.first);
}

/* The earliest of the time-outs that apply now: stall, idle, and ping or pong. */
static int64_t next_due(const struct http_conn *conn)
{
    int64_t due = FOREVER;
    if (conn->blocked_since)
        due = min_time(due, add_span(conn->blocked_since, conn->timeouts.stall));
    due = min_time(due, idle_due(conn));
    if (conn->http2)
        due = min_time(due, conn->pinged ? add_span(conn->pinged, conn->timeouts.pong)
                                         : add_span(conn->heard, conn->timeouts.ping));
    return due;
}

static void on_timer(void *data);

/*
 * The timer may fire early, never late. It is not moved when a time-out becomes later, which
 * happens at every received byte; on_timer() computes the time-outs again instead.
 */
static void arm_timer(struct http_conn *conn)
{
    const int64_t due = next_due(conn);
    if (due != FOREVER && (!timer_is_started(&conn->timer) || conn->timer.due > due))
        timer_start(conn->loop, &conn->timer, due, on_timer, conn);
}

static void note_idleness(struct http_conn *conn)
{
    if (conn->call_count > 0)
        conn->idle_since = 0;
    else if (!conn->idle_since)
        conn->idle_since = loop_now(conn->loop);
}

static void finish_conn(struct http_conn *conn)
{
    OWNED(error) over = error_new(ERROR_CONNECTION, "the connection is closed");
    leave_conn(conn, over);
}

/* The task of the connection, and the ready function of its transport. */
static void pump_conn(void *data)
{
    struct http_conn *conn = data;
    if (conn->lost) {
        if (conn->lingers)
            discard_input(conn);
        end_if_unused(conn);
        return;
    }
    OWNED(error) err = NULL;
    const bool alive = pump_in(conn, &err);
    if (err || !pump_out(conn, &err))
        lose_conn(conn, err);
    else if (!alive || (http_engine_is_finished(conn->engine) && conn->out.len == 0))
        finish_conn(conn);
    if (conn->lost) {
        end_if_unused(conn);
        return;
    }
    note_idleness(conn);
    arm_timer(conn);
    transport_want(conn->transport,
                   (http_engine_wants_input(conn->engine) ? TRANSPORT_READABLE : 0) |
                       (conn->out.len ? TRANSPORT_WRITABLE : 0));
}

/*
 * Something is due, or the timer fired early. The order of the checks decides which reason is
 * reported: a peer that does not read, a ping without answer, idleness. What remains is silence on
 * an HTTP/2 connection, which is answered with a ping.
 */
static void on_timer(void *data)
{
    struct http_conn *conn = data;
    const int64_t now = loop_now(conn->loop);
    if (next_due(conn) > now) {
        arm_timer(conn); /* something happened meanwhile */
        return;
    }
    if (conn->blocked_since && add_span(conn->blocked_since, conn->timeouts.stall) <= now) {
        http_conn_close(conn, error_new(ERROR_CONNECTION, "the peer has stopped reading"));
        return;
    }
    if (conn->http2 && conn->pinged) {
        http_conn_close(conn, error_new(ERROR_CONNECTION, "the peer gives no sign of life"));
        return;
    }
    if (idle_due(conn) <= now) {
        http_conn_retire(conn);
        http_conn_close(conn, error_new(ERROR_CONNECTION, "the connection was idle"));
        return;
    }
    if (http_engine_ping(conn->engine))
        conn->pinged = now;
    http_conn_kick(conn);
}

struct http_conn *http_conn_new(struct loop *loop, struct transport *transport,
                                const struct http_conn_options *options)
{
    struct http_conn *conn = NEW(struct http_conn);
    conn->owner = options->owner;
    conn->events = options->events;
    conn->role = options->role;
    conn->loop = loop;
    conn->transport = transport;
    conn->calls_max = CALLS_PER_STREAM * size_or(options->limits.streams, STREAMS_DEFAULT);
    conn->timeouts = fill_timeouts(&options->timeouts);
    conn->http2 = str_eq(tls_protocol(transport), STR("h2"));
    conn->engine = conn->http2 ? h2_new(conn->role, &options->limits, &http_call_events, conn)
                               : h1_new(conn->role, &options->limits, &http_call_events, conn);
    conn->pump = (struct task){.run = pump_conn, .data = conn, .name = "connection"};
    conn->heard = conn->idle_since = loop_now(loop);
    list_init(&conn->calls);
    transport_set_ready(transport, pump_conn, conn);
    http_conn_kick(conn);
    return conn;
}

size_t http_conn_capacity(const struct http_conn *conn)
{
    return conn->retired || conn->lost ? 0 : http_engine_capacity(conn->engine);
}

void http_conn_kick(struct http_conn *conn)
{
    loop_post(conn->loop, &conn->pump);
}

void http_conn_retire(struct http_conn *conn)
{
    if (!conn->lost)
        http_engine_shutdown(conn->engine);
    mark_retired(conn);
    http_conn_kick(conn);
}

/*
 * Output that the transport takes at once, such as a GOAWAY, is still sent. The connection ends at
 * the next turn of the loop, since callers still hold it.
 */
void http_conn_close(struct http_conn *conn, struct error *err)
{
    OWNED(error) cause = err;
    OWNED(error) ignored = NULL;
    if (!conn->lost) {
        (void)pump_out(conn, &ignored);
        transport_finish(conn->transport);
    }
    lose_conn(conn, cause);
    conn->lingers = false;
    http_conn_kick(conn);
}

void http_conn_break(struct http_conn *conn, struct error *err)
{
    OWNED(error) cause = err;
    lose_conn(conn, cause);
    conn->lingers = false;
    http_conn_kick(conn);
}

void http_conn_add_call(struct http_conn *conn, struct http_call *call)
{
    call->conn = conn;
    list_append(&conn->calls, &call->link);
    conn->call_count++;
    conn->calls_begun++;
    conn->idle_since = 0;
}

void http_conn_guard(struct http_conn *conn, struct http_call *call, bool (*may_send)(void *data),
                     void *data)
{
    if (!call->is_guarded)
        conn->guarded_count++;
    call->is_guarded = true;
    conn->may_send = may_send;
    conn->may_send_data = data;
}

void http_conn_remove_call(struct http_conn *conn, struct http_call *call)
{
    list_remove(&call->link);
    conn->guarded_count -= call->is_guarded;
    call->conn = NULL;
    conn->call_count--;
    http_conn_kick(conn); /* a released response goes out; a lost connection ends */
    conn->events->capacity(conn);
}
