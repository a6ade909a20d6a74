/*
 * Writes HTTP/1.1: heads into h1->out, and bodies from the exchange's queue with the framing that
 * the head announced. h1_write_some() moves both into the driver's buffer.
 */
#include "http/h1_internal.h"

static void add_header(struct buf *out, struct str name, struct str value)
{
    buf_add(out, name);
    buf_add(out, STR(": "));
    buf_add(out, value);
    buf_add(out, STR("\r\n"));
}

/* The caller's headers, without those that only the engine may write. */
static void add_headers(struct buf *out, const struct http_headers *headers, bool with_length)
{
    HTTP_HEADERS_FOREACH (header, headers) {
        if (http_is_connection_header(header.name) || str_eq(header.name, STR("expect")))
            continue;
        if (str_eq(header.name, STR("content-length")) && !with_length)
            continue;
        add_header(out, header.name, header.value);
    }
}

/* Servers expect Content-Length with these methods even for an empty body. */
static bool method_has_body(struct str method)
{
    return str_eq(method, STR("POST")) || str_eq(method, STR("PUT")) ||
           str_eq(method, STR("PATCH"));
}

static void add_framing(struct h1 *h1)
{
    if (h1->framing == H1_CHUNKED)
        add_header(&h1->out, STR("transfer-encoding"), STR("chunked"));
}

struct error *h1_write_request(struct h1 *h1, const struct http_head *head, bool end)
{
    struct http_exchange *exchange = &h1->exchange;
    TRY(http_exchange_announce(exchange, head, end));
    h1->is_head = str_eq(head->method, STR("HEAD"));
    h1->is_connect = str_eq(head->method, STR("CONNECT"));
    h1->framing = end ? H1_NO_BODY : exchange->send_left >= 0 ? H1_LENGTH : H1_CHUNKED;

    buf_add(&h1->out, head->method);
    buf_add_char(&h1->out, ' ');
    buf_add(&h1->out, h1->is_connect ? head->authority : head->target);
    buf_add(&h1->out, STR(" HTTP/1.1\r\n"));
    add_header(&h1->out, STR("host"), head->authority);
    add_headers(&h1->out, &head->headers, true);
    if (end && exchange->send_left < 0 && method_has_body(head->method))
        add_header(&h1->out, STR("content-length"), STR("0"));
    add_framing(h1);
    if (h1->closing)
        add_header(&h1->out, STR("connection"), STR("close"));
    buf_add(&h1->out, STR("\r\n"));
    return NULL;
}

/* HTTP/1.0 knows no chunks: a body without a length ends with the connection. */
static enum h1_framing response_framing(const struct h1 *h1, bool no_body, bool end)
{
    if (no_body || end)
        return H1_NO_BODY;
    if (h1->exchange.send_left >= 0)
        return H1_LENGTH;
    return h1->peer_is_old ? H1_UNTIL_CLOSE : H1_CHUNKED;
}

static void add_connection(struct h1 *h1)
{
    /*
     * A client that waits for 100 Continue may or may not send its body after a final response. The
     * next bytes on the connection would be ambiguous, so it is closed.
     */
    if (h1->closing || h1->framing == H1_UNTIL_CLOSE || h1->expects_continue)
        h1->keep_alive = false;
    if (!h1->keep_alive)
        add_header(&h1->out, STR("connection"), STR("close"));
    else if (h1->peer_is_old)
        add_header(&h1->out, STR("connection"), STR("keep-alive"));
}

/* 101: from here on the bytes of both sides are not HTTP. */
static struct error *write_switch(struct h1 *h1, const struct http_head *head)
{
    TRY(http_exchange_announce(&h1->exchange, head, false));
    h1->framing = H1_UNTIL_CLOSE;
    h1->keep_alive = false;
    h1->is_upgraded = true;
    h1->exchange.received_end = false;
    buf_add(&h1->out, STR("HTTP/1.1 101 Switching Protocols\r\n"));
    add_header(&h1->out, STR("upgrade"), STR("websocket"));
    add_header(&h1->out, STR("connection"), STR("Upgrade"));
    add_headers(&h1->out, &head->headers, false);
    buf_add(&h1->out, STR("\r\n"));
    return NULL;
}

struct error *h1_write_response(struct h1 *h1, const struct http_head *head, bool end)
{
    struct http_exchange *exchange = &h1->exchange;
    if (head->status == 101)
        return write_switch(h1, head);
    const struct str method = h1->is_head ? STR("HEAD") : STR("");
    const bool no_body = http_has_no_body(method, head->status);
    if (h1->is_connect && head->status < 300)
        return error_new(ERROR_INVALID, "this server opens no tunnels");
    exchange->no_body = no_body;
    TRY(http_exchange_announce(exchange, head, end));
    h1->framing = response_framing(h1, no_body, end);

    char digits[STR_NUMBER_MAX];
    BUF_ADD_ALL(&h1->out, STR("HTTP/1.1 "), str_number((uint64_t)head->status, digits), STR(" "),
                http_status_text(head->status), STR("\r\n"));
    add_headers(&h1->out, &head->headers, head->status != 204);
    if (end && !no_body && exchange->send_left < 0)
        add_header(&h1->out, STR("content-length"), STR("0"));
    add_framing(h1);
    add_connection(h1);
    buf_add(&h1->out, STR("\r\n"));
    return NULL;
}

/* A complete response with the status text as body. It is the last one on the connection. */
void h1_write_refusal(struct h1 *h1, int status)
{
    const struct str text = http_status_text(status);
    buf_print(&h1->out, "HTTP/1.1 %d %.*s\r\n", status, STR_ARG(text));
    buf_print(&h1->out, "content-type: text/plain\r\ncontent-length: %zu\r\n", text.len + 1);
    buf_print(&h1->out, "connection: close\r\n\r\n%.*s\n", STR_ARG(text));
}

/* All queued bytes go out under one chunk header, not one per write. */
static void write_piece(struct h1 *h1, struct buf *out, size_t len)
{
    if (h1->framing == H1_CHUNKED)
        buf_print(out, "%zx\r\n", len);
    char *into = buf_reserve(out, len);
    if (!into)
        return;
    buf_grow(out, http_exchange_take(&h1->exchange, into, len));
    if (h1->framing == H1_CHUNKED)
        buf_add(out, STR("\r\n"));
}

void h1_write_some(struct h1 *h1, struct buf *out, size_t end)
{
    struct http_exchange *exchange = &h1->exchange;
    if (h1->out.len) {
        buf_add(out, buf_str(&h1->out));
        buf_done(&h1->out);
        if (h1->active)
            exchange->output_begun = true;
    }
    /* After a failure no body continues, and above all no final chunk is sent. */
    if (!h1->active || !exchange->head_sent || h1->message_sent || h1->finished ||
        h1->engine.failed)
        return;
    while (out->len < end && http_exchange_queued(exchange) && !out->overflowed) {
        const size_t queued = http_exchange_queued(exchange);
        size_t len = end - out->len;
        len = len < HTTP_PIECE_MAX ? len : HTTP_PIECE_MAX;
        write_piece(h1, out, len < queued ? len : queued);
    }
    if (!http_exchange_is_sent(exchange))
        return;
    if (h1->framing == H1_CHUNKED) {
        buf_add(out, STR("0\r\n"));
        if (exchange->trailers)
            add_headers(out, exchange->trailers, false);
        buf_add(out, STR("\r\n"));
    }
    h1->message_sent = true;
}
