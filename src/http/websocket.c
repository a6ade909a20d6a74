/*
 * The handshake is judged by refuse_offer(), a pure function of the request's headers.
 *
 * Frames are written by the handler's fiber (messages) and by the task read_arrived() (answers to
 * the client's frames). A message may wait for room in its middle; then is_sending holds the task's
 * frames back, and the fiber writes them when the message is complete. Frames of the task never
 * wait: one that finds no room is kept (the last pong) or given up (the close).
 */
#include "http/websocket.h"

#include <stdio.h>
#include <string.h>

#include "async/fiber.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/sha1.h"
#include "http/call.h"
#include "http/conn.h"
#include "http/server_internal.h"

#define KEY_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" /* RFC 6455, 1.3 */

/* An answer to a request that is not accepted; status 0 stands for none. */
struct refusal {
    int status;
    const char *body;
    bool names_version; /* the one version that this server speaks */
};

/* What Go's url.ParseRequestURI() takes: an absolute path, or something behind a scheme. */
static bool is_origin(struct str text)
{
    struct str scheme;
    if (str_starts_with(text, STR("/")))
        return true;
    if (str_eq(text, STR("null")) || !str_cut(&text, ':', &scheme) || scheme.len == 0)
        return false;
    for (size_t i = 0; i < scheme.len; i++) {
        const char c = scheme.ptr[i];
        const bool is_later = ascii_is_digit(c) || c == '+' || c == '-' || c == '.';
        if (!ascii_is_letter(c) && !(i > 0 && is_later))
            return false;
    }
    return true;
}

/* The number of protocols that the client offers. *ret_protocol is the last of them. */
static size_t count_protocols(const struct http_headers *headers, struct str hidden,
                              struct str *ret_protocol)
{
    size_t count = 0;
    *ret_protocol = STR("");
    HTTP_HEADERS_FOREACH (header, headers) {
        struct str rest = header.value, protocol;
        if (!str_eq(header.name, STR("sec-websocket-protocol")))
            continue;
        for (bool has_more = true; has_more;) {
            has_more = str_cut(&rest, ',', &protocol);
            protocol = str_trim(protocol);
            if (protocol.len == 0 || str_starts_with(protocol, hidden))
                continue;
            *ret_protocol = protocol;
            count++;
        }
    }
    return count;
}

static struct refusal refuse_offer(const struct http_headers *headers, size_t protocols)
{
    if (http_headers_find(headers, STR("sec-websocket-key")).len == 0)
        return (struct refusal){400, "mismatch challenge/response", false};
    if (!str_eq(http_headers_find(headers, STR("sec-websocket-version")), STR("13")))
        return (struct refusal){400, "missing or bad WebSocket Version", true};
    if (!is_origin(http_headers_find(headers, STR("origin"))))
        return (struct refusal){403, "", false};
    if (protocols > 1)
        return (struct refusal){400, "", false};
    return (struct refusal){0};
}

static struct error *answer_refusal(struct http_request *request, struct refusal refusal)
{
    SCOPED(http_headers) headers = {0};
    char length[24];
    const struct str body = str_from_c(refusal.body);
    const int digits = snprintf(length, sizeof(length), "%zu", body.len);
    if (refusal.names_version)
        TRY(http_headers_add(&headers, STR("sec-websocket-version"), STR("13")));
    TRY(http_headers_add(&headers, STR("content-length"), str_from(length, (size_t)digits)));
    TRY(http_request_respond(request, refusal.status, &headers));
    return body.len ? http_request_write(request, body) : NULL;
}

static struct error *switch_protocol(struct http_request *request, struct str protocol)
{
    SCOPED(buf) key = {.limit = 0}, accept = {.limit = 0};
    SCOPED(http_headers) headers = {0};
    uint8_t digest[SHA1_LEN];
    buf_add(&key, http_headers_find(http_request_headers(request), STR("sec-websocket-key")));
    buf_add(&key, STR(KEY_SUFFIX));
    sha1_of(buf_str(&key), digest);
    base64_encode(&accept, str_from((const char *)digest, sizeof(digest)));
    TRY(http_headers_add(&headers, STR("sec-websocket-accept"), buf_str(&accept)));
    if (protocol.len)
        TRY(http_headers_add(&headers, STR("sec-websocket-protocol"), protocol));
    return http_request_respond(request, 101, &headers);
}

/* Queues a whole frame. False when there is no room for it now, or no connection. */
static bool put_frame(struct websocket *socket, struct str frame)
{
    struct http_stream *stream = &socket->call->stream;
    size_t taken = 0;
    if (http_stream_room(stream) < frame.len)
        return false;
    error_free(http_stream_write(stream, frame, &taken));
    http_conn_kick(socket->call->conn);
    return true;
}

static void put_pong(struct websocket *socket)
{
    SCOPED(buf) frame = {.limit = 0};
    if (!socket->has_pong || socket->is_sending || socket->is_closed)
        return;
    websocket_frame_head(&frame, WEBSOCKET_PONG, socket->pong_len);
    buf_add(&frame, str_from(socket->pong, socket->pong_len));
    socket->has_pong = !put_frame(socket, buf_str(&frame));
}

static void put_close(struct websocket *socket)
{
    SCOPED(buf) frame = {.limit = 0};
    if (socket->is_sending || socket->is_closed)
        return;
    websocket_frame_close(&frame, socket->status);
    (void)put_frame(socket, buf_str(&frame));
    socket->is_closed = true;
}

static void keep_ping(struct websocket *socket)
{
    const struct str payload = websocket_reader_ping(&socket->reader);
    if (payload.len)
        memcpy(socket->pong, payload.ptr, payload.len);
    socket->pong_len = (uint8_t)payload.len;
    socket->has_pong = true;
}

/* The client ends the WebSocket, or we end it because of what the client sent. */
static void end_socket(struct websocket *socket, enum websocket_status status)
{
    put_pong(socket);
    socket->is_closing = true;
    socket->status = status;
    put_close(socket);
    if (socket->is_closed && socket->call->handler)
        fiber_cancel(socket->call->handler);
}

static void read_frames(struct websocket *socket, struct str bytes)
{
    while (!socket->is_closing) {
        switch (websocket_reader_next(&socket->reader, &bytes)) {
        case WEBSOCKET_NO_NEWS:
            return;
        case WEBSOCKET_HAS_PING:
            keep_ping(socket);
            break;
        case WEBSOCKET_HAS_CLOSE:
            end_socket(socket, WEBSOCKET_NORMAL);
            break;
        case WEBSOCKET_HAS_ERROR:
            end_socket(socket, socket->reader.status);
            break;
        }
    }
}

/*
 * The task. Of several pings that came together the last one gets an answer, which RFC 6455 allows
 * (5.5.3): a flood of pings is not answered by a flood. A connection that is lost cancels the
 * handler by itself; see on_closed() in call.c.
 */
static void read_arrived(void *data)
{
    struct websocket *socket = data;
    for (;;) {
        struct str bytes = {0};
        OWNED(error) lost = http_call_peek_arrived(socket->call, &bytes);
        if (lost || bytes.len == 0)
            return;
        read_frames(socket, bytes);
        put_pong(socket);
        http_call_consume(socket->call, bytes.len);
    }
}

/* Bytes that came with the request are there already, and nobody reports them any more. */
static void start_reading(struct websocket *socket, struct http_call *call)
{
    socket->call = call;
    socket->arrived = (struct task){.run = read_arrived, .data = socket, .name = "websocket"};
    call->has_end = false; /* of the request; what comes now belongs to the WebSocket */
    call->arrived = &socket->arrived;
    loop_post(loop_current(), &socket->arrived);
}

struct error *websocket_accept(struct websocket *socket, struct http_request *request,
                               struct str hidden)
{
    const struct http_headers *headers = http_request_headers(request);
    struct str protocol;
    const struct refusal refusal =
        refuse_offer(headers, count_protocols(headers, hidden, &protocol));
    if (refusal.status)
        return answer_refusal(request, refusal);
    TRY(switch_protocol(request, protocol));
    start_reading(socket, request->call);
    return NULL;
}

void websocket_done(struct websocket *socket)
{
    if (!socket->call)
        return;
    socket->call->arrived = NULL;
    loop_withdraw(&socket->arrived);
    socket->call = NULL;
}

bool websocket_is_open(const struct websocket *socket)
{
    return socket->call && !socket->is_closed;
}

static struct error *send_message(struct websocket *socket, struct str text)
{
    SCOPED(buf) head = {.limit = 0};
    websocket_frame_head(&head, WEBSOCKET_TEXT, text.len);
    TRY(http_call_write(socket->call, buf_str(&head)), "write a message");
    TRY(http_call_write(socket->call, text), "write a message");
    return NULL;
}

struct error *websocket_send_text(struct websocket *socket, struct str text)
{
    if (!websocket_is_open(socket))
        return error_new(ERROR_CONNECTION, "the WebSocket is closed");
    put_pong(socket);
    socket->is_sending = true;
    TRY(send_message(socket, text)); /* is_sending stays: nothing may follow half a message */
    socket->is_sending = false;
    put_pong(socket);
    if (!socket->is_closing)
        return NULL;
    put_close(socket);
    return error_new(ERROR_CONNECTION, "the client closed the WebSocket");
}

void websocket_close(struct websocket *socket)
{
    if (!websocket_is_open(socket))
        return;
    socket->status = WEBSOCKET_NORMAL;
    put_close(socket);
}
