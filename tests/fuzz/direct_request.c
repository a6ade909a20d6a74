#include "direct_request.h"

#include "net/tls.h"
#include "testing/test.h"

void http_request_done(struct http_request *request)
{
    http_headers_done(&request->headers);
    arena_done(&request->arena);
    buf_done(&request->answer);
}

void direct_request_add_header(struct http_request *request, struct str name, struct str value)
{
    if (value.len)
        error_free(http_headers_add(&request->headers, name, value));
}

struct str http_request_method(const struct http_request *request)
{
    return request->method;
}

struct str http_request_target(const struct http_request *request)
{
    return request->target;
}

struct str http_request_authority(const struct http_request *request)
{
    (void)request;
    return STR("server.test");
}

const struct http_headers *http_request_headers(const struct http_request *request)
{
    return &request->headers;
}

bool http_request_wants_upgrade(const struct http_request *request)
{
    (void)request;
    return false;
}

bool http_request_wants_websocket(const struct http_request *request)
{
    (void)request; /* there is no connection */
    return false;
}

struct arena *http_request_arena(struct http_request *request)
{
    return &request->arena;
}

void http_request_peer(struct http_request *request, struct tls_peer *ret_peer)
{
    (void)request;
    *ret_peer = (struct tls_peer){0};
}

struct error *http_request_read(struct http_request *request, char *ptr, size_t capacity,
                                size_t *ret_len)
{
    *ret_len = request->body.len < capacity ? request->body.len : capacity;
    if (*ret_len)
        memcpy(ptr, request->body.ptr, *ret_len);
    request->body = str_skip(request->body, *ret_len);
    return NULL;
}

struct error *http_request_read_all(struct http_request *request, struct buf *body)
{
    buf_add(body, request->body);
    return buf_check(body);
}

struct error *http_request_respond(struct http_request *request, int status,
                                   const struct http_headers *headers)
{
    CHECK_EQ(request->status, 0);
    CHECK(status >= 200 && status <= 599);
    if (headers)
        HTTP_HEADERS_FOREACH (header, headers)
            CHECK(http_is_token(header.name) && http_is_field_value(header.value));
    request->status = status;
    request->is_json = headers && str_starts_with(http_headers_find(headers, STR("content-type")),
                                                  STR("application/json"));
    return NULL;
}

struct error *http_request_write(struct http_request *request, struct str bytes)
{
    CHECK(request->status);
    buf_add(&request->answer, bytes);
    return buf_check(&request->answer);
}

struct error *http_request_answer(struct http_request *request, int status, struct str content_type,
                                  struct str body)
{
    (void)content_type;
    TRY(http_request_respond(request, status, NULL));
    return http_request_write(request, body);
}

bool http_request_has_responded(const struct http_request *request)
{
    return request->status != 0;
}

int http_request_status(const struct http_request *request)
{
    return request->status;
}

void http_request_vouch(struct http_request *request)
{
    (void)request; /* there is no connection */
}

void http_request_set_party(struct http_request *request, const void *party)
{
    (void)request;
    (void)party;
}

struct error *http_request_join_share(struct http_request *request, struct cpu_share *share)
{
    (void)request, (void)share;
    return NULL;
}

void http_request_break(struct http_request *request)
{
    (void)request; /* there is no connection */
}
