/*
 * The public half of the protocol engines: checks that hold for both protocols, then a call through
 * http_engine_ops into h1.c or h2.c.
 *
 * Every function that changes an engine asserts that no event is being delivered (in_event). A
 * failed engine ignores input and refuses new streams, but still has output; a lost one has no
 * output either.
 */
#include "http/engine.h"

#include <assert.h>

#include "base/memory.h"
#include "http/engine_internal.h"

static void set_default(size_t *value, size_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

/* Zero limits get their defaults here, so that h1.c and h2.c need not know any. */
void http_engine_init(struct http_engine *engine, const struct http_engine_ops *ops,
                      enum http_role role, const struct http_limits *limits)
{
    engine->ops = ops;
    engine->role = role;
    list_init(&engine->exchanges);
    if (limits)
        engine->limits = *limits;
    set_default(&engine->limits.head, HTTP_HEADERS_LIMIT_DEFAULT);
    set_default(&engine->limits.headers, HTTP_HEADERS_COUNT_LIMIT_DEFAULT);
    set_default(&engine->limits.window, 256 * KILOBYTE);
    set_default(&engine->limits.connection_window, 1 * MEGABYTE);
    set_default(&engine->limits.queue, 64 * KILOBYTE);
    set_default(&engine->limits.streams, 250);
}

/*
 * Streams that are still open are detached without an event; their storage belongs to the caller.
 */
void http_engine_free(struct http_engine *engine)
{
    if (!engine)
        return;
    assert(!engine->in_event);
    LIST_FOREACH (struct http_exchange, exchange, &engine->exchanges, link)
        if (exchange->stream) {
            exchange->stream->engine = NULL;
            exchange->stream->exchange = NULL;
        }
    engine->ops->free(engine);
}

/*
 * Closes every stream with a copy of the error. A client's request of which no byte was output is
 * marked as unprocessed, so that it can be retried on another connection.
 */
void http_engine_fail_all(struct http_engine *engine, const struct error *err)
{
    engine->failed = true;
    LIST_FOREACH (struct http_exchange, exchange, &engine->exchanges, link) {
        if (exchange->stream && engine->role == HTTP_CLIENT && !exchange->output_begun)
            exchange->stream->unprocessed = true;
        http_exchange_tell_closed(exchange, error_copy(err));
    }
}

/* Keeps the first bytes of the peer for http_engine_name_peer(). */
static void remember_first(struct http_engine *engine, struct str bytes)
{
    while (engine->first_len < sizeof(engine->first) && bytes.len) {
        engine->first[engine->first_len++] = bytes.ptr[0];
        bytes = str_skip(bytes, 1);
    }
}

struct error *http_engine_receive(struct http_engine *engine, struct str bytes)
{
    assert(!engine->in_event);
    if (engine->failed || bytes.len == 0)
        return NULL;
    remember_first(engine, bytes);
    struct error *err = engine->ops->receive(engine, bytes);
    if (err) {
        err = http_engine_name_peer(engine, err);
        http_engine_fail_all(engine, err);
    }
    return err;
}

struct error *http_engine_receive_end(struct http_engine *engine)
{
    assert(!engine->in_event);
    if (engine->failed)
        return NULL;
    struct error *err = engine->ops->receive_end(engine);
    if (err)
        http_engine_fail_all(engine, err);
    return err;
}

void http_engine_fail(struct http_engine *engine, const struct error *err)
{
    assert(!engine->in_event);
    engine->lost = true;
    if (!engine->failed)
        http_engine_fail_all(engine, err);
}

bool http_engine_wants_input(const struct http_engine *engine)
{
    return !engine->failed && engine->ops->wants_input(engine);
}

/* An error while the engine has failed before is not reported to the streams a second time. */
struct error *http_engine_output(struct http_engine *engine, struct buf *out, size_t limit)
{
    assert(!engine->in_event);
    if (engine->lost)
        return NULL;
    struct error *err = engine->ops->output(engine, out, limit);
    if (!err)
        return buf_check(out);
    err = http_engine_name_peer(engine, err);
    if (!engine->failed)
        http_engine_fail_all(engine, err);
    return err;
}

bool http_engine_has_output(const struct http_engine *engine)
{
    return !engine->lost && engine->ops->has_output(engine);
}

void http_engine_shutdown(struct http_engine *engine)
{
    assert(!engine->in_event);
    if (!engine->failed)
        engine->ops->shutdown(engine);
}

bool http_engine_is_finished(const struct http_engine *engine)
{
    return engine->failed || engine->ops->is_finished(engine);
}

bool http_engine_ping(struct http_engine *engine)
{
    assert(!engine->in_event);
    return !engine->failed && engine->ops->ping(engine);
}

size_t http_engine_capacity(const struct http_engine *engine)
{
    if (engine->failed || engine->role == HTTP_SERVER)
        return 0;
    return engine->ops->capacity(engine);
}

struct error *http_engine_open(struct http_engine *engine, struct http_stream *stream,
                               const struct http_head *head, bool end)
{
    assert(!engine->in_event && !stream->engine && engine->role == HTTP_CLIENT);
    TRY(http_head_check_request(head));
    if (http_engine_capacity(engine) == 0)
        return error_new(ERROR_CONNECTION, "connection takes no more requests");
    struct http_exchange *exchange;
    TRY(engine->ops->open(engine, head, end, &exchange));
    http_exchange_join(exchange, stream);
    return NULL;
}

/* A handler may outlive its stream; its writes then fail with an ordinary error. */
static struct error *check_known(const struct http_stream *stream)
{
    if (!stream->engine)
        return error_new(ERROR_CONNECTION, "stream is closed");
    assert(!stream->engine->in_event);
    return NULL;
}

struct error *http_stream_respond(struct http_stream *stream, const struct http_head *head,
                                  bool end)
{
    TRY(check_known(stream));
    assert(stream->engine->role == HTTP_SERVER && !stream->exchange->head_sent);
    if (head->status != 101 || !stream->exchange->may_upgrade)
        TRY(http_head_check_response(head));
    return stream->engine->ops->respond(stream->exchange, head, end);
}

void http_stream_want_body(struct http_stream *stream)
{
    if (!stream->engine)
        return;
    assert(!stream->engine->in_event && stream->engine->role == HTTP_SERVER);
    if (!stream->exchange->head_sent && !stream->exchange->received_end)
        stream->engine->ops->want_body(stream->exchange);
}

size_t http_stream_room(const struct http_stream *stream)
{
    if (!stream->engine)
        return 0;
    return stream->engine->limits.queue - http_exchange_queued(stream->exchange);
}

/*
 * Takes what fits into the queue. Bytes beyond Content-Length are refused before anything is
 * queued, since they would be read as the next message. A response to HEAD accepts and drops its
 * body.
 */
struct error *http_stream_write(struct http_stream *stream, struct str bytes, size_t *ret_taken)
{
    TRY(check_known(stream));
    struct http_exchange *exchange = stream->exchange;
    assert(exchange->head_sent && !exchange->send_ended);
    if (exchange->no_body) {
        *ret_taken = bytes.len;
        return NULL;
    }
    if (exchange->send_left >= 0 && bytes.len > (uint64_t)exchange->send_left)
        return error_new(ERROR_INVALID, "body is longer than its content-length");
    const struct str taken = str_slice(bytes, 0, http_stream_room(stream));
    buf_add(&exchange->queue, taken);
    if (exchange->send_left >= 0)
        exchange->send_left -= (int64_t)taken.len;
    exchange->starved = taken.len < bytes.len;
    if (taken.len)
        stream->engine->ops->queued(exchange);
    *ret_taken = taken.len;
    return NULL;
}

struct error *http_stream_add_trailer(struct http_stream *stream, struct str name, struct str value)
{
    TRY(check_known(stream));
    struct http_exchange *exchange = stream->exchange;
    if (!exchange->trailers)
        exchange->trailers = NEW(struct http_headers);
    return http_headers_add(exchange->trailers, name, value);
}

struct error *http_stream_end(struct http_stream *stream)
{
    TRY(check_known(stream));
    struct http_exchange *exchange = stream->exchange;
    assert(exchange->head_sent);
    if (exchange->send_ended)
        return NULL;
    if (exchange->send_left > 0 && !exchange->no_body)
        return error_new(ERROR_INVALID, "body is %lld bytes shorter than its content-length",
                         (long long)exchange->send_left);
    exchange->send_ended = true;
    stream->engine->ops->queued(exchange);
    return NULL;
}

void http_stream_consume(struct http_stream *stream, size_t len)
{
    if (!stream->engine || len == 0)
        return;
    assert(!stream->engine->in_event && len <= stream->exchange->unconsumed);
    stream->exchange->unconsumed -= len;
    stream->engine->ops->consumed(stream->exchange, len);
}

/*
 * Separates stream and exchange. Bytes that the reader had not consumed count as consumed, so that
 * the connection's window does not shrink for good.
 */
static void detach(struct http_stream *stream)
{
    struct http_exchange *exchange = stream->exchange;
    http_stream_consume(stream, exchange->unconsumed);
    stream->engine = NULL;
    stream->exchange = NULL;
    exchange->stream = NULL;
}

void http_stream_reset(struct http_stream *stream, enum http_reset reason)
{
    if (!stream->engine)
        return;
    struct http_engine *engine = stream->engine;
    struct http_exchange *exchange = stream->exchange;
    assert(!engine->in_event);
    detach(stream);
    engine->ops->reset(exchange, reason);
}

/* A server's response that was ended goes out without its stream; all else is cancelled. */
void http_stream_release(struct http_stream *stream)
{
    if (!stream->engine)
        return;
    assert(!stream->engine->in_event);
    if (stream->engine->role == HTTP_SERVER && stream->exchange->send_ended)
        detach(stream);
    else
        http_stream_reset(stream, HTTP_RESET_CANCEL);
}
