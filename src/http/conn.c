#include "http/conn.h"

#include <assert.h>

#include "base/log.h"
#include "base/memory.h"
#include "http/call.h"
#include "http/h1.h"
#include "http/h2.h"
#include "net/tls.h"
#include "net/transport.h"

/* Read at most this much of one connection before others have their turn. */
#define TURN_BYTES (64 * KILOBYTE)
#define READ_BYTES (16 * KILOBYTE)
#define OUT_BYTES  (32 * KILOBYTE)

/*
 * Closing while the peer still sends makes its system discard what we said last, such as why. So a
 * server that has finished goes on reading into the void for a moment.
 */
#define LINGER (SECOND)

/* As in engine.h; and how many handlers there may be for each stream a client may have. */
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

static void mark_retired(struct http_conn *conn)
{
    if (conn->retired)
        return;
    conn->retired = true;
    conn->events->retired(conn);
}

/* The end of a connection that is lost and that no call refers to any more. */
static void end_if_unused(struct http_conn *conn)
{
    if (!conn->lost || conn->lingers || conn->call_count > 0)
        return;
    loop_withdraw(&conn->pump);
    timer_stop(conn->loop, &conn->timer);
    http_engine_free(conn->engine);
    transport_free(conn->transport);
    buf_done(&conn->out);
    conn->events->gone(conn);
    mem_free(conn);
}

/* Fails the calls that run, with copies of the error, and lets go of the transport's events. */
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

static void discard_input(struct http_conn *conn)
{
    char void_[512];
    size_t len, budget = TURN_BYTES;
    enum transport_result result = TRANSPORT_OK;
    while (result == TRANSPORT_OK && budget > sizeof(void_)) {
        result = transport_receive(conn->transport, void_, sizeof(void_), &len);
        budget -= sizeof(void_);
    }
    if (result == TRANSPORT_END || result == TRANSPORT_FAILED)
        end_linger(conn);
    else
        transport_want(conn->transport, TRANSPORT_READABLE);
}

/* Says good-bye, fails what runs, and waits a moment for the peer to have heard it. */
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
 * An engine's error concerns the connection: the engine has failed its calls itself, and is
 * finished once its last words (a 400, a GOAWAY) are sent. So the error is only worth a line for
 * the curious.
 */
static void log_engine_error(struct error *err)
{
    if (err)
        log_v(4, "Connection fails", LOG_ERROR(err));
    error_free(err);
}

/* Takes what has arrived. False when nothing more will; *ret_err then tells why, NULL: peer closed.
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
                return true; /* asking again would only be told to wait */
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

/* Sends what is to be sent. False when the transport failed. */
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

static int64_t add_span(int64_t since, duration span)
{
    int64_t due;
    return __builtin_add_overflow(since, span, &due) ? FOREVER : due;
}

static int64_t min_time(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When a connection without a call has waited long enough; a server is less patient at first. */
static int64_t idle_due(const struct http_conn *conn)
{
    const bool is_proven = conn->calls_begun || conn->role == HTTP_CLIENT;
    if (!conn->idle_since)
        return FOREVER;
    return add_span(conn->idle_since, is_proven ? conn->timeouts.idle : conn->timeouts.first);
}

/* When there is next something to be done because nothing happened. */
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

/* The timer may be early, never late: moving it at every byte would cost more than a spare look. */
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
    conn->pump = (struct task){.run = pump_conn, .data = conn};
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

void http_conn_close(struct http_conn *conn, struct error *err)
{
    OWNED(error) cause = err;
    OWNED(error) ignored = NULL;
    if (!conn->lost) {
        (void)pump_out(conn, &ignored); /* a last word, as far as the peer takes it */
        transport_finish(conn->transport);
    }
    lose_conn(conn, cause);
    conn->lingers = false;
    http_conn_kick(conn); /* ends it at the next turn: callers still hold it */
}

void http_conn_break(struct http_conn *conn, struct error *err)
{
    OWNED(error) cause = err;
    lose_conn(conn, cause);
    conn->lingers = false;
    http_conn_kick(conn); /* ends it at the next turn: callers still hold it */
}

void http_conn_add_call(struct http_conn *conn, struct http_call *call)
{
    call->conn = conn;
    list_append(&conn->calls, &call->link);
    conn->call_count++;
    conn->calls_begun++;
    conn->idle_since = 0;
}

void http_conn_remove_call(struct http_conn *conn, struct http_call *call)
{
    list_remove(&call->link);
    call->conn = NULL;
    conn->call_count--;
    http_conn_kick(conn); /* a released response goes out; a lost connection ends */
    conn->events->capacity(conn);
}
