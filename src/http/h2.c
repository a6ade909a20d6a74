/*
 * HTTP/2 as an engine over nghttp2. This file holds the calls into nghttp2, h2_events.c its
 * callbacks.
 *
 * nghttp2 does framing, HPACK, flow control and stream states. A struct h2_stream is attached to
 * each nghttp2 stream as its user data, and is freed in the stream's close callback or with the
 * engine. nghttp2 pulls bodies from the exchange's queue through read_body(); an empty queue defers
 * the stream until h2_queued() resumes it.
 *
 * Limits beyond those of nghttp2 are the two budgets in h2_internal.h.
 */
#include "http/h2.h"

#include <assert.h>

#include "base/memory.h"
#include "http/h2_internal.h"

/*
 * Size of the HPACK tables. A Kubernetes client sends and receives few distinct headers, so a small
 * table compresses nearly as well as a large one and saves memory on every idle connection.
 */
#define TABLE_SIZE 1024

/*
 * CONTINUATION frames of one head. nghttp2 counts one again for each piece its frame header arrives
 * in, up to nine, so its default of 8 refuses a single frame that comes byte by byte. The size of a
 * head is limited separately.
 */
#define CONTINUATIONS 100

/* Concurrent streams that a client assumes until the server's SETTINGS have arrived. */
#define STREAMS_UNTIL_TOLD 100

struct h2_stream *h2_stream_new(struct h2 *h2)
{
    struct h2_stream *stream = NEW(struct h2_stream);
    http_exchange_init(&stream->exchange, &h2->engine);
    return stream;
}

void h2_stream_free(struct h2_stream *stream)
{
    http_exchange_done(&stream->exchange);
    http_head_done(&stream->head);
    error_free(stream->err);
    mem_free(stream);
}

/* Called from callbacks: the error is returned by the receive or output call around them. */
void h2_enhance_your_calm(struct h2 *h2, const char *message)
{
    if (h2->err || h2->engine.failed)
        return;
    h2->err = error_new(ERROR_PROTOCOL, "%s", message);
    nghttp2_session_terminate_session(h2->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* nghttp2_session_del() closes streams without a callback, so they are freed from our list. */
static void h2_free(struct http_engine *engine)
{
    struct h2 *h2 = h2_of(engine);
    nghttp2_session_del(h2->session);
    LIST_FOREACH (struct http_exchange, exchange, &engine->exchanges, link)
        h2_stream_free(h2_stream_of(exchange));
    error_free(h2->err);
    mem_free(h2->reason);
    mem_free(h2);
}

/* An error that a callback stored explains more than the code of nghttp2. */
static struct error *session_error(struct h2 *h2, ssize_t code)
{
    if (code == NGHTTP2_ERR_NOMEM)
        mem_exhausted(0);
    if (h2->err)
        return TAKE(h2->err);
    return error_new(ERROR_PROTOCOL, "bad frames: %s%s%s", nghttp2_strerror((int)code),
                     h2->reason ? ", " : "", h2->reason ? h2->reason : "");
}

/* Every call refills a little of the control budget: the engine has no clock. */
static struct error *h2_receive(struct http_engine *engine, struct str bytes)
{
    struct h2 *h2 = h2_of(engine);
    h2->control_budget += H2_CONTROL_PER_READ;
    if (h2->control_budget > H2_CONTROL_BUDGET)
        h2->control_budget = H2_CONTROL_BUDGET;
    const ssize_t used =
        nghttp2_session_mem_recv(h2->session, (const uint8_t *)bytes.ptr, bytes.len);
    if (used < 0) {
        nghttp2_session_terminate_session(h2->session, used == NGHTTP2_ERR_FLOODED
                                                           ? NGHTTP2_ENHANCE_YOUR_CALM
                                                           : NGHTTP2_PROTOCOL_ERROR);
        return session_error(h2, used);
    }
    return TAKE(h2->err);
}

/* Streams that are open when the peer closes have failed; without any the engine just ends. */
static struct error *h2_receive_end(struct http_engine *engine)
{
    struct h2 *h2 = h2_of(engine);
    h2->closing = true;
    if (list_is_empty(&engine->exchanges)) {
        engine->failed = true; /* not an error, but no further event can come */
        engine->lost = true;
        return NULL;
    }
    return error_new(ERROR_CONNECTION, "connection closed with %zu streams open%s%s",
                     engine->exchange_count, h2->reason ? ": " : "", h2->reason ? h2->reason : "");
}

/* Flow control limits bodies, and the budgets limit all other frames. */
static bool h2_wants_input(const struct http_engine *engine)
{
    return nghttp2_session_want_read(h2_of(engine)->session);
}

static struct error *h2_output(struct http_engine *engine, struct buf *out, size_t limit)
{
    struct h2 *h2 = h2_of(engine);
    const size_t end = out->len + limit;
    while (out->len < end && !out->overflowed) {
        const uint8_t *data;
        const ssize_t len = nghttp2_session_mem_send(h2->session, &data);
        if (len < 0)
            return session_error(h2, len);
        if (len == 0)
            break;
        buf_add(out, str_from((const char *)data, (size_t)len));
    }
    return TAKE(h2->err);
}

static bool h2_has_output(const struct http_engine *engine)
{
    return nghttp2_session_want_write(h2_of(engine)->session);
}

/*
 * A server sends a first GOAWAY that refuses nothing, and a ping. When the ping returns, all
 * requests that the client sent before it knew have arrived, and on_ping_ack() sends the final
 * GOAWAY (RFC 9113, 6.8).
 */
static void h2_shutdown(struct http_engine *engine)
{
    struct h2 *h2 = h2_of(engine);
    if (h2->closing && engine->role == HTTP_CLIENT)
        return;
    h2->closing = true;
    if (engine->role == HTTP_CLIENT) {
        nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, NULL, 0);
        return;
    }
    nghttp2_submit_shutdown_notice(h2->session);
    nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, (const uint8_t *)H2_PING_SHUTDOWN);
}

static bool h2_is_finished(const struct http_engine *engine)
{
    const struct h2 *h2 = h2_of(engine);
    return !nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session);
}

static bool h2_ping(struct http_engine *engine)
{
    nghttp2_submit_ping(h2_of(engine)->session, NGHTTP2_FLAG_NONE, (const uint8_t *)H2_PING_ALIVE);
    return true;
}

/* Released streams that are still being flushed count against the peer's limit, too. */
static size_t h2_capacity(const struct http_engine *engine)
{
    const struct h2 *h2 = h2_of(engine);
    if (h2->closing || !nghttp2_session_check_request_allowed(h2->session))
        return 0;
    const size_t limit = h2->settings_received
                             ? nghttp2_session_get_remote_settings(
                                   h2->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
                             : STREAMS_UNTIL_TOLD;
    return limit > engine->exchange_count ? limit - engine->exchange_count : 0;
}

/* Header fields for nghttp2, which copies them. */
struct fields {
    nghttp2_nv *list;
    size_t count;
};

static void add_field(struct fields *fields, struct str name, struct str value)
{
    nghttp2_nv *field = &fields->list[fields->count++];
    field->name = (uint8_t *)(uintptr_t)name.ptr; /* nghttp2 only reads them */
    field->namelen = name.len;
    field->value = (uint8_t *)(uintptr_t)value.ptr;
    field->valuelen = value.len;
    /* A credential in the HPACK table could be guessed from sizes, and would stay in memory. */
    field->flags = http_header_is_secret(name) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
}

static void add_headers(struct fields *fields, const struct http_headers *headers)
{
    HTTP_HEADERS_FOREACH (header, headers)
        if (!http_is_connection_header(header.name) && !str_eq(header.name, STR("expect")))
            add_field(fields, header.name, header.value);
}

/* Behind the last byte of the body, whose frame then does not end the stream. */
static void submit_trailers(nghttp2_session *session, int32_t id,
                            const struct http_headers *trailers)
{
    OWNED_PTR nghttp2_nv *list = mem_realloc_array(NULL, trailers->count, sizeof(nghttp2_nv));
    struct fields fields = {.list = list};
    add_headers(&fields, trailers);
    nghttp2_submit_trailer(session, id, fields.list, fields.count);
}

/* nghttp2 asks for body bytes of a stream. Deferred streams wait for h2_queued(). */
static ssize_t read_body(/* NOLINT(readability-function-size): the library's signature */
                         nghttp2_session *session, int32_t id, uint8_t *into, size_t max,
                         uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct h2_stream *stream = source->ptr;
    const struct http_headers *trailers = stream->exchange.trailers;
    (void)user;
    const size_t len = http_exchange_take(&stream->exchange, (char *)into, max);
    if (http_exchange_is_sent(&stream->exchange)) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (trailers) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            submit_trailers(session, id, trailers);
        }
    } else if (len == 0)
        return NGHTTP2_ERR_DEFERRED;
    return (ssize_t)len;
}

/* The pseudo headers come first (RFC 9113, 8.3). CONNECT has neither scheme nor path. */
static struct error *h2_open(struct http_engine *engine, const struct http_head *head, bool end,
                             struct http_exchange **ret_exchange)
{
    struct h2 *h2 = h2_of(engine);
    OWNED_PTR nghttp2_nv *list =
        mem_realloc_array(NULL, head->headers.count + 4, sizeof(nghttp2_nv));
    struct fields fields = {.list = list};
    add_field(&fields, STR(":method"), head->method);
    if (head->target.len) {
        add_field(&fields, STR(":scheme"), head->scheme.len ? head->scheme : STR("https"));
        add_field(&fields, STR(":path"), head->target);
    }
    add_field(&fields, STR(":authority"), head->authority);
    add_headers(&fields, &head->headers);

    struct h2_stream *stream = h2_stream_new(h2);
    struct error *err = http_exchange_announce(&stream->exchange, head, end);
    const nghttp2_data_provider body = {.source.ptr = stream, .read_callback = read_body};
    if (!err) {
        const int32_t id = nghttp2_submit_request(h2->session, NULL, fields.list, fields.count,
                                                  end ? NULL : &body, stream);
        stream->exchange.id = id;
        if (id < 0)
            err = error_new(ERROR_CONNECTION, "open stream: %s", nghttp2_strerror(id));
    }
    if (err)
        h2_stream_free(stream);
    else
        *ret_exchange = &stream->exchange;
    return err;
}

static struct error *h2_respond(struct http_exchange *exchange, const struct http_head *head,
                                bool end)
{
    struct h2 *h2 = h2_of(exchange->engine);
    struct h2_stream *stream = h2_stream_of(exchange);
    if (stream->is_connect && head->status < 300)
        return error_new(ERROR_INVALID, "this server opens no tunnels");
    exchange->no_body = http_has_no_body(stream->is_head ? STR("HEAD") : STR(""), head->status);
    TRY(http_exchange_announce(exchange, head, end));

    OWNED_PTR nghttp2_nv *list =
        mem_realloc_array(NULL, head->headers.count + 1, sizeof(nghttp2_nv));
    struct fields fields = {.list = list};
    char status[4] = {(char)('0' + head->status / 100), (char)('0' + head->status / 10 % 10),
                      (char)('0' + head->status % 10), '\0'};
    add_field(&fields, STR(":status"), str_from(status, 3));
    add_headers(&fields, &head->headers);
    const nghttp2_data_provider body = {.source.ptr = stream, .read_callback = read_body};
    const int code = nghttp2_submit_response(h2->session, exchange->id, fields.list, fields.count,
                                             end ? NULL : &body);
    if (code != 0)
        return error_new(ERROR_CONNECTION, "respond: %s", nghttp2_strerror(code));
    return NULL;
}

static void h2_want_body(struct http_exchange *exchange)
{
    struct h2_stream *stream = h2_stream_of(exchange);
    if (!stream->expects_continue)
        return;
    stream->expects_continue = false;
    nghttp2_nv field;
    struct fields fields = {.list = &field};
    add_field(&fields, STR(":status"), STR("100"));
    nghttp2_submit_headers(h2_of(exchange->engine)->session, NGHTTP2_FLAG_NONE, exchange->id, NULL,
                           fields.list, fields.count, NULL);
}

static void h2_queued(struct http_exchange *exchange)
{
    /* Fails when the stream is not waiting for data, which is as good. */
    nghttp2_session_resume_data(h2_of(exchange->engine)->session, exchange->id);
}

/*
 * A server returns bytes to stream and connection. A client returned them to the connection already
 * when they arrived (on_data_chunk() in h2_events.c).
 */
static void h2_consumed(struct http_exchange *exchange, size_t len)
{
    nghttp2_session *session = h2_of(exchange->engine)->session;
    if (exchange->engine->role == HTTP_CLIENT)
        nghttp2_session_consume_stream(session, exchange->id, len);
    else
        nghttp2_session_consume(session, exchange->id, len);
}

static uint32_t reset_code(enum http_reset reason)
{
    switch (reason) {
    case HTTP_RESET_CANCEL:
        return NGHTTP2_CANCEL;
    case HTTP_RESET_REFUSED:
        return NGHTTP2_REFUSED_STREAM;
    case HTTP_RESET_PROTOCOL:
        return NGHTTP2_PROTOCOL_ERROR;
    case HTTP_RESET_TOO_LARGE:
        return NGHTTP2_ENHANCE_YOUR_CALM;
    case HTTP_RESET_INTERNAL:
        break;
    }
    return NGHTTP2_INTERNAL_ERROR;
}

static void h2_reset(struct http_exchange *exchange, enum http_reset reason)
{
    /* The queue goes, so the message must not end as if it were whole. */
    exchange->send_ended = false;
    buf_done(&exchange->queue);
    exchange->queue_start = 0;
    nghttp2_submit_rst_stream(h2_of(exchange->engine)->session, NGHTTP2_FLAG_NONE, exchange->id,
                              reset_code(reason));
}

static const struct http_engine_ops h2_ops = {
    .name = "HTTP/2",
    .free = h2_free,
    .receive = h2_receive,
    .receive_end = h2_receive_end,
    .wants_input = h2_wants_input,
    .output = h2_output,
    .has_output = h2_has_output,
    .shutdown = h2_shutdown,
    .is_finished = h2_is_finished,
    .ping = h2_ping,
    .capacity = h2_capacity,
    .open = h2_open,
    .respond = h2_respond,
    .want_body = h2_want_body,
    .queued = h2_queued,
    .consumed = h2_consumed,
    .reset = h2_reset,
};

/* Window updates are sent by h2_consumed(), not by nghttp2; closed streams are not kept. */
static nghttp2_option *new_option(void)
{
    nghttp2_option *option;
    if (nghttp2_option_new(&option) != 0)
        mem_exhausted(0);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_reserved_remote_streams(option, 0);
    nghttp2_option_set_max_continuations(option, CONTINUATIONS);
    nghttp2_option_set_max_deflate_dynamic_table_size(option, TABLE_SIZE);
    return option;
}

static void new_session(struct h2 *h2)
{
    nghttp2_option *option = new_option();
    nghttp2_session_callbacks *callbacks = h2_callbacks_new();
    /* A server's answers fill the frames they are sent in, so there is nothing to save. */
    nghttp2_mem memory = h2_memory_functions(&h2->memory);
    const int code = h2->engine.role == HTTP_CLIENT
                         ? nghttp2_session_client_new3(&h2->session, callbacks, h2, option, &memory)
                         : nghttp2_session_server_new2(&h2->session, callbacks, h2, option);
    if (code != 0)
        mem_exhausted(0);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
}

static void submit_settings(struct h2 *h2)
{
    const struct http_limits *limits = &h2->engine.limits;
    const bool is_client = h2->engine.role == HTTP_CLIENT;
    /*
     * A client wants no push and a small table. A server limits its streams; it cannot ask for a
     * small table, since Go's clients ignored that until 2022, which ends the connection.
     */
    const int32_t last =
        is_client ? NGHTTP2_SETTINGS_ENABLE_PUSH : NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS;
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,  (uint32_t)limits->window                 },
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)limits->head                   },
        {last,                                  is_client ? 0 : (uint32_t)limits->streams},
        {NGHTTP2_SETTINGS_HEADER_TABLE_SIZE,    TABLE_SIZE                               },
    };
    const size_t count = is_client ? COUNT(entries) : COUNT(entries) - 1;
    int code = nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, entries, count);
    if (code == 0)
        code = nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0,
                                                     (int32_t)limits->connection_window);
    assert(code == 0); /* the limits are out of range otherwise */
}

struct http_engine *h2_new(enum http_role role, const struct http_limits *limits,
                           const struct http_events *events, void *user)
{
    struct h2 *h2 = NEW(struct h2);
    http_engine_init(&h2->engine, &h2_ops, role, limits);
    h2->engine.events = events;
    h2->engine.user = user;
    h2->control_budget = H2_CONTROL_BUDGET;
    h2->reset_budget = H2_RESET_BUDGET;
    new_session(h2);
    submit_settings(h2);
    return &h2->engine;
}
