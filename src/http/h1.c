/*
 * HTTP/1.1 as an engine: the order of messages on a connection. h1_read.c parses, h1_write.c
 * writes.
 *
 * There is at most one exchange at a time, inside struct h1 and valid while active. A server works
 * on one request until its response is output and the request is read; bytes behind it wait in
 * pending. A client gets the end of the connection (goaway) when one side refuses to keep it alive.
 *
 * The exchange ends in message_received() or in message_sent(), whichever comes last for its role.
 * closing means that no exchange follows the current one, finished that no byte follows those in
 * out.
 */
#include "http/h1.h"

#include <assert.h>

#include "base/memory.h"
#include "http/h1_internal.h"

/* Not reached by a driver that respects http_engine_wants_input(). */
#define PENDING_LIMIT (1 * MEGABYTE)

static void h1_free(struct http_engine *engine)
{
    struct h1 *h1 = h1_of(engine);
    if (h1->active)
        http_exchange_done(&h1->exchange);
    h1_head_free(h1->head);
    error_free(h1->err);
    buf_done(&h1->pending);
    buf_done(&h1->out);
    mem_free(h1);
}

static void leave_exchange(struct h1 *h1)
{
    http_exchange_done(&h1->exchange);
    h1->active = false;
}

/* A client reports goaway; a server's driver sees that the engine is finished. */
static void finish_connection(struct h1 *h1)
{
    h1->finished = true;
    buf_done(&h1->pending);
    h1->pending_start = 0;
    if (h1->engine.role == HTTP_CLIENT && !h1->closing)
        http_engine_tell_goaway(&h1->engine);
}

/* Both messages are complete. After a CONNECT no further HTTP follows. */
static void finish_exchange(struct h1 *h1)
{
    http_exchange_tell_closed(&h1->exchange, NULL);
    leave_exchange(h1);
    if (!h1->keep_alive || h1->closing || h1->is_connect)
        finish_connection(h1);
}

/*
 * The parser reached the end of the peer's message. A complete response ends a client's exchange
 * even when the request was not sent completely: the server does not want the rest, and the
 * connection cannot be used again.
 */
static void message_received(struct h1 *h1)
{
    const bool was_interim = h1->is_interim;
    h1_read_restart(h1);
    if (was_interim || !h1->active)
        return; /* a 1xx answer, or a body that was drained */
    http_exchange_tell_end(&h1->exchange);
    if (h1->engine.role == HTTP_CLIENT && !h1->message_sent)
        h1->keep_alive = false; /* the server wants no more of our request */
    if (h1->engine.role == HTTP_CLIENT || h1->message_sent)
        finish_exchange(h1);
}

/*
 * The last byte of our message was output. A server whose client still sends the request's body
 * closes the exchange, and h1_read.c drains the rest of the body to keep the connection, up to a
 * limit.
 */
static void message_sent(struct h1 *h1)
{
    if (h1->engine.role == HTTP_CLIENT)
        return;
    if (h1->exchange.received_end) {
        finish_exchange(h1);
        return;
    }
    http_exchange_tell_closed(&h1->exchange, NULL);
    leave_exchange(h1);
    if (!h1->keep_alive || h1->closing)
        finish_connection(h1);
}

/* A server answers one request before it parses the next. */
static bool is_busy(const struct h1 *h1)
{
    return h1->engine.role == HTTP_SERVER && h1->active && h1->exchange.received_end;
}

/* Responds to a malformed request, unless a response has begun already. */
static void send_refusal(struct h1 *h1)
{
    if (h1->engine.role == HTTP_SERVER && !(h1->active && h1->exchange.head_sent))
        h1_write_refusal(h1, h1->refusal ? h1->refusal : 400);
    else
        buf_done(&h1->out);
}

/* Parses up to the end of the bytes, or to where a server becomes busy. */
static struct error *read_message(struct h1 *h1, struct str *bytes)
{
    while (bytes->len && !is_busy(h1) && !h1->finished) {
        if (h1->engine.role == HTTP_CLIENT && !h1->active)
            return error_new(ERROR_PROTOCOL, "response without a request");
        size_t used = 0;
        struct error *err = h1_read(h1, *bytes, &used);
        if (err) {
            send_refusal(h1);
            return err;
        }
        *bytes = str_skip(*bytes, used);
        if (h1->message_done)
            message_received(h1);
    }
    if (h1->finished)
        *bytes = (struct str){0};
    return NULL;
}

/* Parses buffered bytes after a response was output, perhaps a pipelined request. */
static struct error *read_pending(struct h1 *h1)
{
    struct str bytes = str_skip(buf_str(&h1->pending), h1->pending_start);
    if (!bytes.len)
        return NULL;
    struct error *err = read_message(h1, &bytes);
    h1->pending_start = h1->pending.len - bytes.len;
    if (bytes.len == 0 || err) {
        buf_done(&h1->pending);
        h1->pending_start = 0;
    }
    return err;
}

/* After an upgrade the peer's bytes are the stream's data. Bytes behind its end are dropped. */
static void pass_upgraded(struct h1 *h1, struct str bytes)
{
    if (h1->active && bytes.len)
        http_exchange_tell_data(&h1->exchange, bytes);
}

/* Bytes that came before the response 101 have waited in pending, as a pipelined request would. */
static void pass_pending(struct h1 *h1)
{
    if (!h1->is_upgraded || !h1->pending.len)
        return;
    pass_upgraded(h1, str_skip(buf_str(&h1->pending), h1->pending_start));
    buf_done(&h1->pending);
    h1->pending_start = 0;
}

/* Bytes that cannot be parsed yet are kept in pending. They may hold Secrets and are wiped. */
static struct error *h1_receive(struct http_engine *engine, struct str bytes)
{
    struct h1 *h1 = h1_of(engine);
    if (h1->is_upgraded) {
        pass_pending(h1);
        pass_upgraded(h1, bytes);
        return NULL;
    }
    if (h1->pending.len == 0)
        TRY(read_message(h1, &bytes));
    h1->pending.limit = PENDING_LIMIT;
    h1->pending.secret = true;
    buf_add(&h1->pending, bytes);
    TRY(buf_check(&h1->pending), "pipelined requests");
    return NULL;
}

/*
 * The peer closed its side. That is fine between messages, and ends a body without a length. It is
 * an error inside a message, and for a server whose client does not wait for the response.
 */
static struct error *h1_receive_end(struct http_engine *engine)
{
    struct h1 *h1 = h1_of(engine);
    if (h1->finished)
        return NULL;
    if (!h1->active && h1->reading != H1_HEAD) { /* idle, or draining a body */
        finish_connection(h1);
        return NULL;
    }
    struct error *err = is_busy(h1) || h1->is_upgraded
                            ? error_new(ERROR_CONNECTION, "client closed the connection")
                            : h1_read_eof(h1);
    if (err)
        buf_done(&h1->out); /* the peer will not read it */
    else if (h1->message_done)
        message_received(h1);
    return err;
}

/* HTTP/1.1 has no flow control: a full window, or pending bytes, stop reading from the socket. */
static bool h1_wants_input(const struct http_engine *engine)
{
    const struct h1 *h1 = h1_of(engine);
    if (h1->finished || h1->pending.len)
        return false;
    return !h1->active || h1->exchange.unconsumed < engine->limits.window;
}

/* Completing a response allows the next pipelined request to be parsed, in the same call. */
static struct error *h1_output(struct http_engine *engine, struct buf *out, size_t limit)
{
    struct h1 *h1 = h1_of(engine);
    const bool was_sent = h1->message_sent;
    h1_write_some(h1, out, out->len + limit);
    pass_pending(h1);
    if (h1->active && h1->message_sent && !was_sent && !engine->failed) {
        message_sent(h1);
        return read_pending(h1);
    }
    return NULL;
}

static bool h1_has_output(const struct http_engine *engine)
{
    const struct h1 *h1 = h1_of(engine);
    if (h1->out.len)
        return true;
    if (!h1->active || !h1->exchange.head_sent || h1->message_sent || h1->finished ||
        engine->failed)
        return false;
    return http_exchange_queued(&h1->exchange) || h1->exchange.send_ended;
}

static void h1_shutdown(struct http_engine *engine)
{
    struct h1 *h1 = h1_of(engine);
    h1->closing = true;
    if (!h1->active && h1->reading == H1_START)
        h1->finished = true;
}

static bool h1_is_finished(const struct http_engine *engine)
{
    return h1_of(engine)->finished;
}

static bool h1_ping(struct http_engine *engine)
{
    (void)engine;
    return false;
}

static size_t h1_capacity(const struct http_engine *engine)
{
    const struct h1 *h1 = h1_of(engine);
    return !h1->active && !h1->finished && !h1->closing;
}

static struct error *h1_open(struct http_engine *engine, const struct http_head *head, bool end,
                             struct http_exchange **ret_exchange)
{
    struct h1 *h1 = h1_of(engine);
    http_exchange_init(&h1->exchange, engine);
    h1->out.secret = true;
    struct error *err = h1_write_request(h1, head, end);
    if (err) {
        http_exchange_done(&h1->exchange);
        return err;
    }
    h1->active = true;
    h1->message_sent = false;
    h1->exchange.id = ++h1->exchanges;
    *ret_exchange = &h1->exchange;
    return NULL;
}

static struct error *h1_respond(struct http_exchange *exchange, const struct http_head *head,
                                bool end)
{
    return h1_write_response(h1_of(exchange->engine), head, end);
}

static void h1_want_body(struct http_exchange *exchange)
{
    struct h1 *h1 = h1_of(exchange->engine);
    if (!h1->expects_continue)
        return;
    h1->expects_continue = false;
    buf_add(&h1->out, STR("HTTP/1.1 100 Continue\r\n\r\n"));
}

/* Nothing to do: h1_has_output() and h1_wants_input() inspect the queue themselves. */
static void h1_queued(struct http_exchange *exchange)
{
    (void)exchange;
}

static void h1_consumed(struct http_exchange *exchange, size_t len)
{
    (void)exchange;
    (void)len;
}

static int reset_status(enum http_reset reason)
{
    switch (reason) {
    case HTTP_RESET_REFUSED:
        return 503;
    case HTTP_RESET_TOO_LARGE:
        return 413;
    case HTTP_RESET_PROTOCOL:
        return 400;
    case HTTP_RESET_CANCEL:
    case HTTP_RESET_INTERNAL:
        break;
    }
    return 500;
}

/*
 * A client can take back a request of which no byte was output. In all other cases the connection
 * must end, since the peer would wait for the rest of the message.
 */
static void h1_reset(struct http_exchange *exchange, enum http_reset reason)
{
    struct h1 *h1 = h1_of(exchange->engine);
    const bool head_sent = exchange->head_sent;
    const bool untouched =
        h1->engine.role == HTTP_CLIENT && !exchange->output_begun && h1->reading == H1_START;
    leave_exchange(h1);
    buf_done(&h1->out);
    if (untouched)
        return;
    if (h1->engine.role == HTTP_SERVER && !head_sent)
        h1_write_refusal(h1, reset_status(reason));
    h1->finished = true;
    buf_done(&h1->pending);
    h1->pending_start = 0;
}

static const struct http_engine_ops h1_ops = {
    .name = "HTTP/1.1",
    .free = h1_free,
    .receive = h1_receive,
    .receive_end = h1_receive_end,
    .wants_input = h1_wants_input,
    .output = h1_output,
    .has_output = h1_has_output,
    .shutdown = h1_shutdown,
    .is_finished = h1_is_finished,
    .ping = h1_ping,
    .capacity = h1_capacity,
    .open = h1_open,
    .respond = h1_respond,
    .want_body = h1_want_body,
    .queued = h1_queued,
    .consumed = h1_consumed,
    .reset = h1_reset,
};

struct http_engine *h1_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user)
{
    struct h1 *h1 = NEW(struct h1);
    http_engine_init(&h1->engine, &h1_ops, role, limits);
    h1->engine.events = events;
    h1->engine.user = user;
    h1->keep_alive = true;
    h1_read_restart(h1);
    return &h1->engine;
}
