/*
 * nghttp2's callbacks, turned into the events of engine.h.
 *
 * For a request or response nghttp2 calls on_begin_headers(), on_header() for each header, then
 * on_frame_recv() with the HEADERS frame, which delivers the head. Bodies arrive in
 * on_data_chunk(). A stream that fails keeps its first error until on_stream_close(), which
 * delivers it. Callbacks return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE to reset one stream; nothing
 * here fails the whole session except h2_enhance_your_calm().
 */
#include <assert.h>

#include "base/memory.h"
#include "http/h2_internal.h"

static struct str view(const uint8_t *ptr, size_t len)
{
    return str_from((const char *)ptr, len);
}

static struct h2_stream *find_stream(struct h2 *h2, int32_t id)
{
    return nghttp2_session_get_stream_user_data(h2->session, id);
}

/* Resets a stream because of what the peer sent. The first error is reported on close. */
static int fail_stream(struct h2_stream *stream, struct error *err)
{
    if (stream->err)
        error_free(err);
    else
        stream->err = err;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

/* Charges frames without payload to the control budget; see h2_internal.h. */
static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *hd, void *user)
{
    struct h2 *h2 = user;
    (void)session;
    if ((hd->type == NGHTTP2_DATA && hd->length > 0) || hd->type == NGHTTP2_HEADERS)
        return 0;
    if (h2->control_budget == 0)
        h2_enhance_your_calm(h2, "flood of control frames");
    else
        h2->control_budget--;
    return 0;
}

/* A server creates its stream with the first header block. Later blocks are trailers. */
static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct h2 *h2 = user;
    struct h2_stream *stream = find_stream(h2, frame->hd.stream_id);
    if (!stream && h2->engine.role == HTTP_SERVER && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        stream = h2_stream_new(h2);
        stream->exchange.id = frame->hd.stream_id;
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
    }
    if (stream && !stream->head_done) {
        stream->head.headers.limit = h2->engine.limits.head;
        stream->head.headers.count_limit = h2->engine.limits.headers;
        if (stream->exchange.stream)
            stream->exchange.stream->answered = true;
    }
    return 0;
}

/*
 * Fills the head from pseudo headers; nghttp2 has checked that they are complete and unique. They
 * count against the limit of the head like other headers.
 */
static struct error *add_pseudo(struct h2_stream *stream, struct str name, struct str value)
{
    struct http_head *head = &stream->head;
    const size_t limit = stream->exchange.engine->limits.head;
    stream->pseudo_size += value.len;
    if (stream->pseudo_size > limit)
        return error_new(ERROR_TOO_LARGE, "head is larger than %zu bytes", limit);
    uint64_t status = 0;
    if (str_eq(name, STR(":status")) && str_to_uint64(value, &status) && status < 1000)
        head->status = (int)status;
    else if (str_eq(name, STR(":method")))
        head->method = value;
    else if (str_eq(name, STR(":scheme")))
        head->scheme = value;
    else if (str_eq(name, STR(":authority")))
        head->authority = value;
    else if (str_eq(name, STR(":path")))
        head->target = value;
    else
        return error_new(ERROR_PROTOCOL, "unknown pseudo header");
    http_head_own(head);
    return NULL;
}

static struct error *add_field(struct h2_stream *stream, struct str name, struct str value)
{
    if (str_starts_with(name, STR(":")))
        return add_pseudo(stream, name, value);
    struct error *err = http_headers_add(&stream->head.headers, name, value);
    if (err && err->code == ERROR_INVALID)
        err->code = ERROR_PROTOCOL;
    return err;
}

/* Trailers and interim responses are limited and dropped. */
static struct error *count_trailer(struct h2_stream *stream, size_t len)
{
    const size_t limit = stream->exchange.engine->limits.head;
    stream->trailer_size += len + HTTP_HEADER_OVERHEAD;
    if (stream->trailer_size <= limit)
        return NULL;
    return error_new(ERROR_TOO_LARGE, "trailers are larger than %zu bytes", limit);
}

/* The signatures of callbacks are the library's. */
static int on_header(/* NOLINT(readability-function-size) */
                     nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *user)
{
    struct h2_stream *stream = find_stream(user, frame->hd.stream_id);
    (void)session;
    (void)flags;
    if (!stream || stream->err)
        return 0;
    struct error *err = stream->head_done
                            ? count_trailer(stream, name_len + value_len)
                            : add_field(stream, view(name, name_len), view(value, value_len));
    return err ? fail_stream(stream, err) : 0;
}

/* A header that nghttp2 considers invalid resets its stream instead of being ignored. */
static int on_invalid_header(/* NOLINT(readability-function-size) */
                             nghttp2_session *session, const nghttp2_frame *frame,
                             const uint8_t *name, size_t name_len, const uint8_t *value,
                             size_t value_len, uint8_t flags, void *user)
{
    struct h2_stream *stream = find_stream(user, frame->hd.stream_id);
    (void)session;
    (void)name;
    (void)name_len;
    (void)value;
    (void)value_len;
    (void)flags;
    if (!stream)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return fail_stream(stream, error_new(ERROR_PROTOCOL, "invalid header field"));
}

/* A missing :authority is taken from Host (RFC 9113, 8.3.1). Host is not passed on. */
static struct error *finish_request(struct h2_stream *stream)
{
    struct http_head *head = &stream->head;
    if (!head->authority.len) {
        head->authority = http_headers_find(&head->headers, STR("host"));
        http_head_own(head);
    }
    http_headers_remove(&head->headers, STR("host"));
    http_headers_remove(&head->headers, STR("te"));
    stream->is_head = str_eq(head->method, STR("HEAD"));
    stream->is_connect = str_eq(head->method, STR("CONNECT"));
    stream->expects_continue =
        http_headers_has_token(&head->headers, STR("expect"), STR("100-continue"));
    struct error *err = http_head_check_request(head);
    if (err)
        err->code = ERROR_PROTOCOL;
    return err;
}

/* Delivers a request's head, which starts its handler. A refused stream may be retried. */
static void request_complete(struct h2 *h2, struct h2_stream *stream)
{
    stream->head_done = true;
    stream->err = finish_request(stream);
    uint32_t code = NGHTTP2_PROTOCOL_ERROR;
    if (!stream->err && http_exchange_tell_open(&stream->exchange)) {
        http_exchange_tell_head(&stream->exchange, &stream->head);
        return;
    }
    if (!stream->err)
        code = NGHTTP2_REFUSED_STREAM;
    http_head_done(&stream->head);
    nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, stream->exchange.id, code);
}

/*
 * Interim (1xx) responses are dropped. Each is charged like a trailer, which limits their number.
 */
static void skip_interim(struct h2 *h2, struct h2_stream *stream)
{
    http_head_done(&stream->head);
    stream->err = count_trailer(stream, 0);
    if (stream->err)
        nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, stream->exchange.id,
                                  NGHTTP2_ENHANCE_YOUR_CALM);
}

static void response_complete(struct h2 *h2, struct h2_stream *stream)
{
    if (stream->head.status < 200) {
        skip_interim(h2, stream);
        return;
    }
    stream->head_done = true;
    http_exchange_tell_head(&stream->exchange, &stream->head);
}

/* Heads and data in either direction show that the connection does useful work. */
static void refill_control_budget(struct h2 *h2)
{
    h2->control_budget = H2_CONTROL_BUDGET;
}

static void on_headers(struct h2 *h2, const nghttp2_frame *frame)
{
    struct h2_stream *stream = find_stream(h2, frame->hd.stream_id);
    if (!stream || stream->err)
        return;
    if (!stream->head_done) {
        refill_control_budget(h2);
        if (h2->engine.role == HTTP_SERVER)
            request_complete(h2, stream);
        else
            response_complete(h2, stream);
    }
    if (!stream->err && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        http_exchange_tell_end(&stream->exchange);
}

/* The peer's reason is kept for the error of streams that do not complete. */
static void on_goaway(struct h2 *h2, const nghttp2_frame *frame)
{
    h2->closing = true;
    mem_free(TAKE(h2->reason));
    if (frame->goaway.error_code != NGHTTP2_NO_ERROR) {
        SCOPED(buf) text = {0};
        buf_print(&text, "peer gave up: %s", nghttp2_http2_strerror(frame->goaway.error_code));
        h2->reason = buf_take(&text);
    }
    http_engine_tell_goaway(&h2->engine);
}

/* Acknowledges either the keep-alive ping or the ping of a graceful shutdown. */
static void on_ping_ack(struct h2 *h2, const nghttp2_frame *frame)
{
    const uint8_t *payload = frame->ping.opaque_data;
    if (memcmp(payload, H2_PING_ALIVE, 8) == 0) {
        http_engine_tell_pong(&h2->engine);
    } else if (memcmp(payload, H2_PING_SHUTDOWN, 8) == 0) {
        /* Requests that the client sent before it saw the GOAWAY have arrived; refuse new ones. */
        nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(h2->session),
                              NGHTTP2_NO_ERROR, NULL, 0);
    }
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct h2 *h2 = user;
    (void)session;
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        on_headers(h2, frame);
        break;
    case NGHTTP2_DATA: {
        struct h2_stream *stream = find_stream(h2, frame->hd.stream_id);
        if (stream && !stream->err && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
            http_exchange_tell_end(&stream->exchange);
        break;
    }
    case NGHTTP2_SETTINGS:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK)) {
            h2->settings_received = true;
            http_engine_tell_settings(&h2->engine);
        }
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK)
            on_ping_ack(h2, frame);
        break;
    case NGHTTP2_GOAWAY:
        on_goaway(h2, frame);
        break;
    default:
        break;
    }
    return 0;
}

/*
 * A client returns the bytes to the connection's window at once (see h2.h). A server does so for
 * streams that are already closed, since no handler will consume their bytes.
 */
static int on_data_chunk(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                         size_t len, void *user)
{
    struct h2 *h2 = user;
    struct h2_stream *stream = find_stream(h2, id);
    (void)flags;
    refill_control_budget(h2);
    if (h2->engine.role == HTTP_CLIENT)
        nghttp2_session_consume_connection(session, len);
    if (stream) {
        stream->expects_continue = false; /* the client did not wait */
        http_exchange_tell_data(&stream->exchange, view(data, len));
    } else if (h2->engine.role == HTTP_SERVER) {
        nghttp2_session_consume_connection(session, len);
    }
    return 0;
}

static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code,
                            void *user)
{
    struct h2_stream *stream = find_stream(user, frame->hd.stream_id);
    (void)session;
    if (stream)
        fail_stream(stream, error_new(ERROR_PROTOCOL, "bad frame: %s", nghttp2_strerror(code)));
    return 0;
}

/*
 * A server that has sent its response does not need the rest of the request and says so with
 * RST_STREAM and NO_ERROR (RFC 9113, 8.1).
 */
static void end_sent(struct h2 *h2, struct h2_stream *stream)
{
    stream->end_sent = true;
    if (h2->engine.role == HTTP_SERVER && !stream->exchange.received_end)
        nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, stream->exchange.id,
                                  NGHTTP2_NO_ERROR);
}

/*
 * nghttp2 reports a connection error of the peer only by sending a GOAWAY, not by a return value.
 */
static void goaway_sent(struct h2 *h2, const nghttp2_frame *frame)
{
    if (frame->goaway.error_code == NGHTTP2_NO_ERROR || h2->engine.failed || h2->err)
        return;
    const struct str debug = view(frame->goaway.opaque_data, frame->goaway.opaque_data_len);
    h2->err = error_new(ERROR_PROTOCOL, "bad frames: %s%s%.*s",
                        nghttp2_http2_strerror(frame->goaway.error_code), debug.len ? ", " : "",
                        STR_ARG(debug));
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct h2 *h2 = user;
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        goaway_sent(h2, frame);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    refill_control_budget(h2);
    struct h2_stream *stream = find_stream(h2, frame->hd.stream_id);
    if (!stream)
        return 0;
    stream->exchange.output_begun = true;
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        end_sent(h2, stream);
    return 0;
}

/*
 * nghttp2 could not send a head, for example for its size. Without a reset the stream would hang.
 */
static int on_frame_not_send(nghttp2_session *session, const nghttp2_frame *frame, int code,
                             void *user)
{
    struct h2_stream *stream = find_stream(user, frame->hd.stream_id);
    if (!stream || frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        return 0;
    fail_stream(stream, error_new(ERROR_INVALID, "send head: %s", nghttp2_strerror(code)));
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                              NGHTTP2_INTERNAL_ERROR);
    return 0;
}

/*
 * The error of a closed stream; NULL when the exchange is complete. A server is done when its
 * response is sent, a client when the response has arrived. NO_ERROR before that means a truncated
 * message.
 */
static struct error *close_error(struct h2 *h2, struct h2_stream *stream, uint32_t code)
{
    const bool done =
        h2->engine.role == HTTP_SERVER ? stream->end_sent : stream->exchange.received_end;
    if (code == NGHTTP2_NO_ERROR && done && !stream->err)
        return NULL;
    if (stream->exchange.stream && code == NGHTTP2_REFUSED_STREAM)
        stream->exchange.stream->unprocessed = true;
    if (stream->err)
        return TAKE(stream->err);
    if (code == NGHTTP2_NO_ERROR)
        return error_new(ERROR_PROTOCOL, "truncated body: stream ended by the peer");
    const bool gone = code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_CANCEL;
    return error_new(gone ? ERROR_CONNECTION : ERROR_PROTOCOL, "stream reset: %s",
                     nghttp2_http2_strerror(code));
}

/* Charges streams that end unanswered to the reset budget; see h2_internal.h. */
static void account_reset(struct h2 *h2, const struct h2_stream *stream, uint32_t code)
{
    if (h2->engine.role != HTTP_SERVER)
        return;
    if (code != NGHTTP2_NO_ERROR && !stream->exchange.head_sent)
        h2->reset_budget -= h2->reset_budget > 0;
    else if (h2->reset_budget < H2_RESET_BUDGET)
        h2->reset_budget++;
    if (h2->reset_budget == 0)
        h2_enhance_your_calm(h2, "too many streams reset before they were answered");
}

/* Delivers the closed event and frees the stream. */
static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
    struct h2 *h2 = user;
    struct h2_stream *stream = find_stream(h2, id);
    (void)session;
    if (!stream)
        return 0;
    account_reset(h2, stream, code);
    http_exchange_tell_closed(&stream->exchange, close_error(h2, stream, code));
    nghttp2_session_set_stream_user_data(session, id, NULL);
    h2_stream_free(stream);
    return 0;
}

/* Keeps nghttp2's own explanation for the next session error. */
static int on_error(nghttp2_session *session, int code, const char *message, size_t len, void *user)
{
    struct h2 *h2 = user;
    (void)session;
    (void)code;
    mem_free(h2->reason);
    h2->reason = mem_dup(message, len);
    return 0;
}

nghttp2_session_callbacks *h2_callbacks_new(void)
{
    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        mem_exhausted(0);
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_frame_not_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_callbacks_set_error_callback2(callbacks, on_error);
    return callbacks;
}
