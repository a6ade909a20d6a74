/*
 * The engine's half of a stream: its send queue, and the delivery of its events.
 *
 * h1.c and h2.c call the http_exchange_tell_*() functions. They pass an event to the caller's
 * stream unless it was released, and keep the counters of flow control right if it was.
 */
#include <assert.h>

#include "base/memory.h"
#include "http/engine_internal.h"

void http_exchange_init(struct http_exchange *exchange, struct http_engine *engine)
{
    *exchange = (struct http_exchange){.engine = engine, .send_left = -1};
    /* Bodies of requests and responses may be Secrets. */
    exchange->queue.secret = true;
    list_append(&engine->exchanges, &exchange->link);
    engine->exchange_count++;
}

void http_exchange_done(struct http_exchange *exchange)
{
    if (!list_link_is_in(&exchange->link))
        return;
    list_remove(&exchange->link);
    exchange->engine->exchange_count--;
    buf_done(&exchange->queue);
    if (exchange->trailers)
        http_headers_done(exchange->trailers);
    mem_free(TAKE(exchange->trailers));
}

void http_exchange_join(struct http_exchange *exchange, struct http_stream *stream)
{
    exchange->stream = stream;
    stream->exchange = exchange;
    stream->engine = exchange->engine;
    stream->id = exchange->id;
}

size_t http_exchange_queued(const struct http_exchange *exchange)
{
    return exchange->queue.len - exchange->queue_start;
}

/* Events must not nest. The flag turns re-entry into an assertion instead of corruption. */
static void begin_event(struct http_engine *engine)
{
    assert(!engine->in_event);
    engine->in_event = true;
}

static void end_event(struct http_engine *engine)
{
    engine->in_event = false;
}

/*
 * Wakes a starved writer when its queue is half empty. Waking it for every byte of room would cost
 * more than the bytes are worth.
 */
static void tell_writable(struct http_exchange *exchange)
{
    struct http_engine *engine = exchange->engine;
    /* Half empty, not merely one byte: every wake-up costs more than the bytes it brings. */
    if (!exchange->starved || http_exchange_queued(exchange) > engine->limits.queue / 2)
        return;
    exchange->starved = false;
    if (!exchange->stream)
        return;
    begin_event(engine);
    engine->events->writable(exchange->stream);
    end_event(engine);
}

/*
 * Sent bytes are dropped from the front when they are more than half of the buffer. So each byte is
 * moved at most once.
 */
static void compact_queue(struct http_exchange *exchange)
{
    if (http_exchange_queued(exchange) == 0) {
        buf_done(&exchange->queue);
        exchange->queue_start = 0;
    } else if (exchange->queue_start > exchange->queue.len / 2) {
        buf_consume(&exchange->queue, exchange->queue_start);
        exchange->queue_start = 0;
    }
}

size_t http_exchange_take(struct http_exchange *exchange, char *into, size_t max)
{
    const size_t queued = http_exchange_queued(exchange);
    const size_t len = queued < max ? queued : max;
    if (len)
        memcpy(into, exchange->queue.ptr + exchange->queue_start, len);
    exchange->queue_start += len;
    compact_queue(exchange);
    tell_writable(exchange);
    return len;
}

/*
 * Called before a head is sent. It sets how many body bytes must follow, so that
 * http_stream_write() and http_stream_end() can refuse a body that does not match.
 */
struct error *http_exchange_announce(struct http_exchange *exchange, const struct http_head *head,
                                     bool end)
{
    int64_t length;
    if (head->headers.size + head->method.len + head->target.len + head->authority.len >
        HTTP_SENT_HEAD_MAX)
        return error_new(ERROR_TOO_LARGE, "head is larger than %zu bytes", HTTP_SENT_HEAD_MAX);
    struct error *err = http_head_read_length(head, &length);
    if (err) {
        err->code = ERROR_INVALID; /* our own head, not the peer's */
        return err;
    }
    if (end && length > 0 && !exchange->no_body)
        return error_new(ERROR_INVALID, "content-length of a message without a body");
    exchange->send_left = length;
    exchange->send_ended = end;
    exchange->head_sent = true;
    return NULL;
}

/* Server: false when the driver refuses the request. */
bool http_exchange_tell_open(struct http_exchange *exchange)
{
    struct http_engine *engine = exchange->engine;
    begin_event(engine);
    struct http_stream *stream = engine->events->open(engine->user);
    end_event(engine);
    if (stream)
        http_exchange_join(exchange, stream);
    return stream != NULL;
}

void http_exchange_tell_head(struct http_exchange *exchange, struct http_head *head)
{
    struct http_engine *engine = exchange->engine;
    if (exchange->stream) {
        begin_event(engine);
        engine->events->head(exchange->stream, head);
        end_event(engine);
    }
    http_head_done(head);
}

/* Bytes for a released stream are returned to the window at once, since no reader will. */
void http_exchange_tell_data(struct http_exchange *exchange, struct str bytes)
{
    struct http_engine *engine = exchange->engine;
    if (!exchange->stream) {
        engine->ops->consumed(exchange, bytes.len);
        return;
    }
    exchange->unconsumed += bytes.len;
    begin_event(engine);
    engine->events->data(exchange->stream, bytes);
    end_event(engine);
}

void http_exchange_tell_end(struct http_exchange *exchange)
{
    struct http_engine *engine = exchange->engine;
    exchange->received_end = true;
    if (!exchange->stream)
        return;
    begin_event(engine);
    engine->events->end(exchange->stream);
    end_event(engine);
}

/*
 * The last event of a stream. The queue is dropped and send_ended cleared, because an empty queue
 * with send_ended set would look like a message that was sent completely.
 */
void http_exchange_tell_closed(struct http_exchange *exchange, struct error *err)
{
    struct http_engine *engine = exchange->engine;
    struct http_stream *stream = exchange->stream;
    if (exchange->unconsumed) {
        engine->ops->consumed(exchange, exchange->unconsumed);
        exchange->unconsumed = 0;
    }
    buf_done(&exchange->queue);
    exchange->queue_start = 0;
    exchange->send_ended = false;
    if (!stream) {
        error_free(err);
        return;
    }
    exchange->stream = NULL;
    stream->engine = NULL;
    stream->exchange = NULL;
    begin_event(engine);
    engine->events->closed(stream, err);
    end_event(engine);
}

void http_engine_tell_goaway(struct http_engine *engine)
{
    if (engine->goaway_told)
        return;
    engine->goaway_told = true;
    begin_event(engine);
    engine->events->goaway(engine->user);
    end_event(engine);
}

void http_engine_tell_settings(struct http_engine *engine)
{
    begin_event(engine);
    engine->events->settings(engine->user);
    end_event(engine);
}

void http_engine_tell_pong(struct http_engine *engine)
{
    begin_event(engine);
    engine->events->pong(engine->user);
    end_event(engine);
}

/*
 * A peer of another protocol fails on its first bytes, with an obscure parser error. Its first
 * bytes name its protocol in the error. Usually http was used for an https port.
 */
struct error *http_engine_name_peer(const struct http_engine *engine, struct error *err)
{
    static const struct {
        struct str start;
        const char *name;
    } others[] = {
        {STR_INIT("\x15"),     "TLS"        },
        {STR_INIT("\x16"),     "TLS"        },
        {STR_INIT("PRI * HT"), "HTTP/2"     },
        {STR_INIT("HTTP/1."),  "HTTP/1.1"   },
        {STR_INIT("GET /"),    "HTTP/1.1"   },
        {STR_INIT("POST /"),   "HTTP/1.1"   },
        {STR_INIT("SSH-"),     "SSH"        },
        {STR_INIT("\0"),       "HTTP/2"     },
        {STR_INIT("220 "),     "SMTP or FTP"},
    };
    const struct str first = str_from(engine->first, engine->first_len);
    if (err->code != ERROR_PROTOCOL)
        return err;
    for (size_t i = 0; i < COUNT(others); i++)
        if (str_starts_with(first, others[i].start) &&
            strcmp(others[i].name, engine->ops->name) != 0)
            return error_wrap(err, "peer seems to speak %s", others[i].name);
    return err;
}

bool http_is_connection_header(struct str name)
{
    static const struct str names[] = {
        STR_INIT("connection"),
        STR_INIT("keep-alive"),
        STR_INIT("proxy-connection"),
        STR_INIT("transfer-encoding"),
        STR_INIT("upgrade"),
        STR_INIT("http2-settings"),
        STR_INIT("te"),
        STR_INIT("trailer"),
        STR_INIT("host"),
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}
