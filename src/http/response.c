/*
 * Reads the body of a response: as bytes, as a whole or by lines, decompressed on the way.
 *
 * All readers are built on next_piece(), which shows the next bytes in place. A body is read by one
 * of them; only http_response_read() may be followed by http_response_read_all().
 */
#include "async/loop.h"
#include "base/memory.h"
#include "http/conn.h"
#include "http/response_internal.h"

#define PIECE_BYTES (16 * KILOBYTE)

struct http_response *http_response_new(struct http_call *call)
{
    struct http_response *response = NEW(struct http_response);
    response->call = call;
    if (str_eq_nocase(http_headers_find(&call->head.headers, STR("content-encoding")), STR("gzip")))
        response->gzip = gzip_reader_new(0, 0);
    return response;
}

void http_response_free(struct http_response *response)
{
    if (!response)
        return;
    if (response->call->arrived)
        loop_withdraw(response->call->arrived);
    http_call_free(response->call);
    gzip_reader_free(response->gzip);
    lines_done(&response->lines);
    buf_done(&response->plain);
    mem_free(response);
}

int http_response_status(const struct http_response *response)
{
    return response->call->head.status;
}

const struct http_headers *http_response_headers(const struct http_response *response)
{
    return &response->call->head.headers;
}

size_t http_response_held(const struct http_response *response)
{
    const struct http_call *call = response->call;
    return call->incoming.len + call->shown.len - call->shown_read;
}

bool http_response_has_ended(const struct http_response *response)
{
    return response->call->has_end || response->call->closed;
}

struct error *http_response_wait_arrival(struct http_response *response)
{
    return event_wait(&response->call->changed, "more of the response");
}

void http_response_wake(struct http_response *response)
{
    event_wake_all(&response->call->changed);
}

void http_response_keep_encoding(struct http_response *response)
{
    gzip_reader_free(response->gzip);
    response->gzip = NULL;
}

/* The bytes of the piece that was shown last are used up. */
static void consume_shown(struct http_response *response)
{
    if (response->shown)
        http_call_consume(response->call, response->shown);
    response->shown = 0;
}

/*
 * Shows the next piece of the body; empty at the end. An uncompressed piece is a view of the call's
 * bytes, which are consumed by the next call of this function. A compressed piece is inflated into
 * response->plain, which limits it to PIECE_BYTES.
 */
static struct error *next_piece(struct http_response *response, struct str *ret_piece)
{
    consume_shown(response);
    buf_clear(&response->plain);
    for (;;) {
        struct str bytes;
        TRY(http_call_peek(response->call, &bytes));
        if (!response->gzip) {
            response->shown = bytes.len;
            *ret_piece = bytes;
            return NULL;
        }
        if (bytes.len == 0) {
            *ret_piece = (struct str){0};
            return gzip_read_end(response->gzip);
        }
        const size_t given = bytes.len;
        TRY(gzip_read(response->gzip, &bytes, &response->plain, PIECE_BYTES));
        http_call_consume(response->call, given - bytes.len);
        *ret_piece = buf_str(&response->plain);
        if (ret_piece->len)
            return NULL;
    }
}

struct error *http_response_read(struct http_response *response, char *ptr, size_t capacity,
                                 size_t *ret_len)
{
    if (response->piece.len == 0)
        TRY(next_piece(response, &response->piece), "read the response");
    const size_t len = response->piece.len < capacity ? response->piece.len : capacity;
    if (len)
        memcpy(ptr, response->piece.ptr, len);
    response->piece = str_skip(response->piece, len);
    *ret_len = len;
    return NULL;
}

struct error *http_response_read_piece(struct http_response *response, struct str *ret_piece)
{
    TRY(next_piece(response, ret_piece), "read the response");
    return NULL;
}

struct error *http_response_read_all(struct http_response *response, struct buf *body)
{
    buf_add(body, response->piece);
    for (;;) {
        TRY(next_piece(response, &response->piece), "read the response");
        if (response->piece.len == 0)
            return NULL;
        buf_add(body, response->piece);
        TRY(buf_check(body), "read the response");
    }
}

struct error *http_response_follow(struct http_response *response, struct task *task)
{
    struct http_call *call = response->call;
    if (response->gzip)
        return error_new(ERROR_PROTOCOL, "a stream that is to be followed is compressed");
    http_head_done(&call->head);
    call->arrived = task;
    loop_post(call->conn->loop, task);
    return NULL;
}

struct error *http_response_take_piece(struct http_response *response, struct str *ret_piece,
                                       bool *ret_ended)
{
    struct http_call *call = response->call;
    *ret_piece = (struct str){0};
    *ret_ended = false;
    consume_shown(response);
    TRY(http_call_peek_arrived(call, ret_piece), "read the response");
    response->shown = ret_piece->len;
    *ret_ended = ret_piece->len == 0 && (call->has_end || call->closed);
    return NULL;
}

void http_response_limit_lines(struct http_response *response, size_t limit)
{
    response->lines.limit = limit < LINES_LIMIT_DEFAULT ? limit : LINES_LIMIT_DEFAULT;
}

struct error *http_response_read_line(struct http_response *response, struct str *ret_line)
{
    for (;;) {
        TRY(lines_next(&response->lines, ret_line), "read the response");
        if (ret_line->ptr)
            return NULL;
        struct str piece;
        TRY(next_piece(response, &piece), "read the response");
        if (piece.len == 0)
            break;
        lines_feed(&response->lines, piece);
    }
    if (lines_rest(&response->lines).len)
        return error_new(ERROR_PROTOCOL, "truncated: the stream ends in the middle of a line");
    *ret_line = (struct str){0};
    return NULL;
}
