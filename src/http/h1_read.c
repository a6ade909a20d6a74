/*
 * Reads HTTP/1.1 messages. llhttp splits them into parts; the rules about the parts are here.
 *
 * The on_*() functions are llhttp's callbacks. A callback that fails stores an error and the
 * fitting response status in struct h1 and returns -1, which stops the parser; h1_read() then
 * reports the error. Head and trailers share the header callbacks: h1->head is NULL from the end of
 * the head on.
 *
 * Every message gets a fresh parser and is limited in size of head, number of headers, chunk
 * extensions and trailers. Framing is strict (RFC 9112, 6.3), against request smuggling.
 */
#include <assert.h>

#include "base/arena.h"
#include "base/memory.h"
#include "http/h1_internal.h"
#include "http/url.h"

/* Limit of chunk extensions, which are ignored. Common peers send none. */
#define EXTENSION_LIMIT (16 * KILOBYTE)
/* Bytes of a body that a server drains after its handler has ended, to keep the connection. */
#define DRAIN_LIMIT (256 * KILOBYTE)

void h1_head_free(struct h1_head *head)
{
    if (!head)
        return;
    http_head_done(&head->head);
    buf_done(&head->target);
    buf_done(&head->name);
    buf_done(&head->value);
    mem_free(head);
}

/* Fails the parse; a server responds with this status. */
static int refuse_message(struct h1 *h1, int status, struct error *err)
{
    assert(!h1->err);
    h1->err = err;
    h1->refusal = status;
    return -1;
}

static int on_message_begin(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    h1->reading = H1_HEAD;
    h1->head = NEW(struct h1_head);
    h1->head->target.secret = h1->head->value.secret = true;
    /* The raw size of the head is what is limited (h1_read()), so overheads do not count here. */
    h1->head->head.headers.count_limit = h1->engine.limits.headers;
    h1->head->head.headers.limit =
        h1->engine.limits.head + h1->engine.limits.headers * HTTP_HEADER_OVERHEAD;
    if (h1->active && h1->exchange.stream && h1->engine.role == HTTP_CLIENT)
        h1->exchange.stream->answered = true;
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    buf_add(&h1->head->target, str_from(at, len));
    return 0;
}

/* Trailers are limited and dropped. */
static int count_trailer(struct h1 *h1, size_t len)
{
    h1->trailer_bytes += len;
    if (h1->trailer_bytes <= h1->engine.limits.head)
        return 0;
    return refuse_message(
        h1, 431,
        error_new(ERROR_TOO_LARGE, "trailers are larger than %zu bytes", h1->engine.limits.head));
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    if (!h1->head)
        return count_trailer(h1, len);
    buf_add(&h1->head->name, str_from(at, len));
    return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    if (!h1->head)
        return count_trailer(h1, len);
    buf_add(&h1->head->value, str_from(at, len));
    return 0;
}

/* A malformed header is the peer's fault here, so ERROR_INVALID becomes ERROR_PROTOCOL. */
static int on_header_value_complete(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    struct h1_head *head = h1->head;
    if (!head)
        return count_trailer(h1, HTTP_HEADER_OVERHEAD);
    struct error *err =
        http_headers_add(&head->head.headers, buf_str(&head->name), buf_str(&head->value));
    buf_clear(&head->name);
    buf_clear(&head->value);
    if (!err)
        return 0;
    const int status = err->code == ERROR_TOO_LARGE ? 431 : 400;
    if (err->code == ERROR_INVALID)
        err->code = ERROR_PROTOCOL;
    return refuse_message(h1, status, err);
}

static int on_chunk_extension(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    (void)at;
    h1->extension_bytes += len;
    if (h1->extension_bytes <= EXTENSION_LIMIT)
        return 0;
    return refuse_message(
        h1, 400,
        error_new(ERROR_PROTOCOL, "chunk extensions are larger than %zu bytes", EXTENSION_LIMIT));
}

/*
 * Refuses messages whose length is given twice or in a way we do not implement: that is how
 * requests are smuggled past a proxy (RFC 9112, 11.2).
 */
static struct error *check_framing(struct h1 *h1, const struct http_head *head, int *ret_status)
{
    int64_t length;
    *ret_status = 400;
    TRY(http_head_read_length(head, &length));
    const struct str encoding = http_headers_find(&head->headers, STR("transfer-encoding"));
    if (!encoding.ptr)
        return NULL;
    if (length >= 0)
        return error_new(ERROR_PROTOCOL, "both content-length and transfer-encoding");
    if (h1->peer_is_old)
        return error_new(ERROR_PROTOCOL, "transfer-encoding with HTTP/1.0");
    *ret_status = 501;
    if (http_headers_count(&head->headers, STR("transfer-encoding")) != 1 ||
        !str_eq_nocase(encoding, STR("chunked")))
        return error_new(ERROR_PROTOCOL, "transfer-encoding other than chunked");
    return NULL;
}

static struct error *check_version(struct h1 *h1, int *ret_status)
{
    const int major = llhttp_get_http_major(&h1->parser);
    const int minor = llhttp_get_http_minor(&h1->parser);
    *ret_status = 505;
    if (major != 1 || minor > 1)
        return error_new(ERROR_PROTOCOL, "unsupported version HTTP/%d.%d", major, minor);
    h1->peer_is_old = minor == 0;
    return NULL;
}

/* HTTP/1.1 connections persist by default, HTTP/1.0 connections on request (RFC 9112, 9.3). */
static bool peer_keeps_alive(const struct h1 *h1, const struct http_head *head)
{
    if (h1->peer_is_old)
        return http_headers_has_token(&head->headers, STR("connection"), STR("keep-alive"));
    return !http_headers_has_token(&head->headers, STR("connection"), STR("close"));
}

/*
 * Headers that concern this connection alone are not passed on, so that both protocols look alike
 * to the layers above.
 */
static void strip_connection_headers(struct http_headers *headers)
{
    static const struct str names[] = {
        STR_INIT("connection"),
        STR_INIT("keep-alive"),
        STR_INIT("proxy-connection"),
        STR_INIT("transfer-encoding"),
        STR_INIT("upgrade"),
        STR_INIT("http2-settings"),
        STR_INIT("host"),
    };
    for (size_t i = 0; i < COUNT(names); i++)
        http_headers_remove(headers, names[i]);
}

/* "GET http://host/path": the host in the target overrides the Host header (RFC 9112, 3.2.2). */
static struct error *read_absolute(struct arena *arena, struct http_head *head)
{
    struct url url;
    struct error *err = url_read(head->target, &url);
    if (err) {
        err->code = ERROR_PROTOCOL;
        return error_wrap(err, "request target");
    }
    head->scheme = url_scheme_name(url.scheme);
    head->authority = url_authority(arena, &url);
    head->target = url_join(arena, &(struct url){0}, url.path, url.query);
    return NULL;
}

/*
 * Fills authority and target. A request needs exactly one Host header, except that HTTP/1.0 allows
 * none; two are a way to smuggle.
 */
static struct error *read_target(struct h1 *h1, struct arena *arena, struct http_head *head)
{
    const size_t hosts = http_headers_count(&head->headers, STR("host"));
    if (hosts > 1 || (hosts == 0 && !h1->peer_is_old))
        return error_new(ERROR_PROTOCOL, "request has %s host", hosts ? "more than one" : "no");
    head->authority = http_headers_find(&head->headers, STR("host"));
    if (hosts == 0)
        head->authority = STR("localhost"); /* HTTP/1.0 need not name one */
    head->target = buf_str(&h1->head->target);
    if (str_eq(head->method, STR("CONNECT"))) {
        head->authority = head->target;
        head->target = STR("");
    } else if (!str_starts_with(head->target, STR("/")) && !str_eq(head->target, STR("*"))) {
        TRY(read_absolute(arena, head));
    }
    struct error *err = http_head_check_request(head);
    if (err)
        err->code = ERROR_PROTOCOL;
    return err;
}

/* A client that offers HTTP/2 also takes an answer in HTTP/1.1. */
static bool offers_upgrade(const struct h1 *h1, const struct http_head *head)
{
    const struct str protocol = http_headers_find(&head->headers, STR("upgrade"));
    return !h1->peer_is_old && protocol.len && !str_eq_nocase(protocol, STR("h2c")) &&
           http_headers_has_token(&head->headers, STR("connection"), STR("upgrade"));
}

/* A request with a body is not upgraded: the body would stand between the request and the frames.
 */
static bool offers_websocket(const struct http_head *head)
{
    const struct http_headers *headers = &head->headers;
    int64_t length = -1;
    error_free(http_head_read_length(head, &length));
    return head->wants_upgrade && str_eq(head->method, STR("GET")) && length <= 0 &&
           !http_headers_find(headers, STR("transfer-encoding")).ptr &&
           str_eq_nocase(http_headers_find(headers, STR("upgrade")), STR("websocket"));
}

/* The head of a request is complete. *ret_status is the response status in case of an error. */
static struct error *finish_request(struct h1 *h1, struct http_head *head, int *ret_status)
{
    const llhttp_method_t method = llhttp_get_method(&h1->parser);
    TRY(check_version(h1, ret_status));
    TRY(check_framing(h1, head, ret_status));
    *ret_status = 400;
    if (method == HTTP_SOURCE || method == HTTP_PRI)
        return error_new(ERROR_PROTOCOL, "request is not HTTP");
    SCOPED(arena) arena = {0};
    head->method = str_from_c(llhttp_method_name(method));
    TRY(read_target(h1, &arena, head));
    http_head_own(head);
    h1->keep_alive = peer_keeps_alive(h1, head);
    h1->expects_continue = !h1->peer_is_old && http_headers_has_token(&head->headers, STR("expect"),
                                                                      STR("100-continue"));
    h1->is_head = str_eq(head->method, STR("HEAD"));
    h1->is_connect = str_eq(head->method, STR("CONNECT"));
    head->wants_upgrade = offers_upgrade(h1, head);
    head->wants_websocket = offers_websocket(head);
    strip_connection_headers(&head->headers);
    return NULL;
}

/* Starts the server's exchange; its handler starts in the head event. */
static int tell_request(struct h1 *h1, struct http_head *head)
{
    http_exchange_init(&h1->exchange, &h1->engine);
    h1->active = true;
    h1->message_sent = false;
    h1->exchange.no_body = h1->is_head;
    h1->exchange.may_upgrade = head->wants_websocket;
    h1->exchange.id = ++h1->exchanges;
    if (!http_exchange_tell_open(&h1->exchange))
        return refuse_message(h1, 503, error_new(ERROR_SERVICE_UNAVAILABLE, "request refused"));
    http_exchange_tell_head(&h1->exchange, head);
    return 0;
}

/*
 * The head of a response is complete. A body without a length lasts until the connection closes, so
 * such a connection is not kept alive.
 */
static struct error *finish_response(struct h1 *h1, struct http_head *head, bool *ret_no_body)
{
    int unused;
    TRY(check_version(h1, &unused));
    head->status = llhttp_get_status_code(&h1->parser);
    if (head->status < 100 || head->status > 599)
        return error_new(ERROR_PROTOCOL, "response has status %d", head->status);
    if (head->status == 101)
        return error_new(ERROR_PROTOCOL, "response switches protocols unasked");
    TRY(check_framing(h1, head, &unused));
    h1->is_interim = head->status < 200;
    const struct str method = h1->is_head ? STR("HEAD") : STR("");
    *ret_no_body = http_has_no_body(method, head->status) ||
                   (h1->is_connect && head->status >= 200 && head->status < 300);
    const bool sized = http_headers_find(&head->headers, STR("content-length")).ptr ||
                       http_headers_find(&head->headers, STR("transfer-encoding")).ptr;
    h1->keep_alive = peer_keeps_alive(h1, head) && (*ret_no_body || sized);
    strip_connection_headers(&head->headers);
    return NULL;
}

/*
 * Returns 1 for a response without a body, which tells llhttp not to expect one, and -1 on failure.
 * llhttp reads a request that offers an upgrade as any other: the handler decides about it later.
 */
static int on_headers_complete(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    struct h1_head *reading = TAKE(h1->head);
    struct error *err;
    bool no_body = false;
    int status = 400, result = 0;
    parser->upgrade = 0;
    h1->reading = H1_BODY;
    h1->head = reading; /* for read_target() */
    if (h1->engine.role == HTTP_SERVER)
        err = finish_request(h1, &reading->head, &status);
    else
        err = finish_response(h1, &reading->head, &no_body);
    h1->head = NULL; /* fields from here on are trailers */
    if (err)
        result = refuse_message(h1, status, err);
    else if (h1->engine.role == HTTP_SERVER)
        result = tell_request(h1, &reading->head);
    else if (!h1->is_interim)
        http_exchange_tell_head(&h1->exchange, &reading->head);
    h1_head_free(reading);
    return result ? result : no_body;
}

/* A body without an exchange belongs to a handler that has ended; it is drained up to a limit. */
static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    h1->expects_continue = false; /* the client did not wait */
    if (h1->active) {
        http_exchange_tell_data(&h1->exchange, str_from(at, len));
        return 0;
    }
    h1->drained += len;
    if (h1->drained > DRAIN_LIMIT)
        h1->finished = true;
    return 0;
}

/* Pauses the parser, so that h1_read() stops at the end of the message. */
static int on_message_complete(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    h1->message_done = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_message_begin,
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_chunk_extension_name = on_chunk_extension,
    .on_chunk_extension_value = on_chunk_extension,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

/*
 * Prepares for the next message with a fresh parser, so that no state of one message affects the
 * next. head_bytes goes on over interim responses: together they share one limit with the final
 * head.
 */
void h1_read_restart(struct h1 *h1)
{
    llhttp_init(&h1->parser, h1->engine.role == HTTP_SERVER ? HTTP_REQUEST : HTTP_RESPONSE,
                &settings);
    h1->parser.data = h1;
    h1->reading = H1_START;
    h1->message_done = false;
    h1->extension_bytes = h1->trailer_bytes = h1->drained = 0;
    if (!h1->is_interim)
        h1->head_bytes = 0;
    h1->is_interim = false;
}

static struct error *parser_error(struct h1 *h1, llhttp_errno_t code)
{
    if (h1->err)
        return TAKE(h1->err);
    const char *kind = h1->engine.role == HTTP_SERVER ? "request" : "response";
    const char *part = h1->reading == H1_BODY ? "body" : "head";
    const char *reason = llhttp_get_error_reason(&h1->parser);
    h1->refusal = code == HPE_INVALID_VERSION ? 505 : 400;
    if (code == HPE_PAUSED_H2_UPGRADE)
        reason = "preface of HTTP/2";
    return error_new(ERROR_PROTOCOL, "bad %s %s: %s", kind, part,
                     reason ? reason : llhttp_errno_name(code));
}

/*
 * Parses bytes up to the end of a message. The size of a head is counted raw and before anything is
 * kept, blank lines in front included, so a peer cannot make us buffer more than the limit.
 */
struct error *h1_read(struct h1 *h1, struct str bytes, size_t *ret_used)
{
    const size_t limit = h1->engine.limits.head;
    if (h1->reading != H1_BODY) {
        if (h1->head_bytes == limit) {
            h1->refusal = 431;
            return error_new(ERROR_TOO_LARGE, "head is larger than %zu bytes", limit);
        }
        bytes = str_slice(bytes, 0, limit - h1->head_bytes);
    }
    const llhttp_errno_t code = llhttp_execute(&h1->parser, bytes.ptr, bytes.len);
    if (code != HPE_OK && !(code == HPE_PAUSED && h1->message_done))
        return parser_error(h1, code);
    *ret_used = bytes.len;
    if (code == HPE_PAUSED)
        *ret_used = (size_t)(llhttp_get_error_pos(&h1->parser) - bytes.ptr);
    if (h1->reading != H1_BODY || h1->is_interim)
        h1->head_bytes += *ret_used;
    return NULL;
}

/* Only a response body without a length may end with the connection. */
struct error *h1_read_eof(struct h1 *h1)
{
    const char *kind = h1->engine.role == HTTP_SERVER ? "request" : "response";
    if (h1->reading == H1_BODY && llhttp_message_needs_eof(&h1->parser)) {
        const llhttp_errno_t code = llhttp_finish(&h1->parser);
        if (code == HPE_OK || h1->message_done)
            return NULL;
    }
    if (h1->reading == H1_START)
        return error_new(ERROR_CONNECTION, "connection closed before the %s", kind);
    return error_new(ERROR_PROTOCOL, "truncated %s %s", kind,
                     h1->reading == H1_BODY ? "body" : "head");
}
