/*
 * All responses of resource requests go through response_send_with(): it accounts for memory,
 * compresses, sets Content-Length and leaves out the body of a HEAD. Warnings of the request become
 * Warning headers (RFC 7234, code 299).
 */
#include "apiserver/endpoints/response.h"

#include "apimachinery/status.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "async/compute.h"
#include "base/gzip.h"
#include "base/quote.h"
#include "http/headers.h"
#include "http/server.h"

/* Smaller bodies are sent as they are, as other API servers do. */
#define GZIP_FROM (128 * KILOBYTE)

/* Smaller bodies are compressed in less than ten milliseconds, and where they are. */
#define GZIP_LARGE MEGABYTE

#define WARNING_MAX (4 * KILOBYTE)

/* Long warnings are cut: headers are limited. */
static struct error *add_warning(struct http_headers *headers, struct str text)
{
    SCOPED(buf) value = {.limit = 0};
    buf_add(&value, STR("299 - "));
    str_quote_go(&value, str_slice(text, 0, text.len < WARNING_MAX ? text.len : WARNING_MAX));
    return http_headers_add(headers, STR("warning"), buf_str(&value));
}

/* The headers that kube-apiserver sends with every response. */
static struct error *make_headers(const struct request *request, struct str content_type,
                                  struct http_headers *headers)
{
    TRY(http_headers_add(headers, STR("content-type"), content_type));
    TRY(http_headers_add(headers, STR("cache-control"), STR("no-cache, private")));
    TRY(http_headers_add(headers, STR("x-content-type-options"), STR("nosniff")));
    if (request->kind && request->kind->deprecation.len)
        TRY(add_warning(headers, request->kind->deprecation));
    for (size_t i = 0; i < request->warnings.count; i++) {
        /* Warnings that do not fit are dropped; they are optional. */
        OWNED(error) full = add_warning(headers, request->warnings.items[i]);
        if (full)
            break;
    }
    return NULL;
}

/* The body of a HEAD is not sent, so it is not compressed either. */
static bool wants_gzip(const struct request *request, size_t size)
{
    return size >= GZIP_FROM && !str_eq(request->method, STR("HEAD")) &&
           http_headers_has_token(http_request_headers(request->http), STR("accept-encoding"),
                                  STR("gzip"));
}

struct packing {
    struct str body;
    struct buf packed;
};

static void packing_done(struct packing *packing)
{
    buf_done(&packing->packed);
}

static struct error *pack_body(void *data)
{
    struct packing *packing = data;
    OWNED(gzip_writer) writer = gzip_writer_new(1);
    gzip_write(writer, packing->body, &packing->packed);
    gzip_write_end(writer, &packing->packed);
    return buf_check(&packing->packed);
}

/* Only a GET can be refused for lack of memory: a write has already happened. */
struct error *response_send_with(const struct request *request, int status,
                                 struct http_headers *headers, struct str body)
{
    SCOPED(packing) packing = {.body = body};
    if (body.len > INFLIGHT_LIMITS_BYTES_MIN && str_eq(request->method, STR("GET")))
        TRY(inflight_limits_hold(request->pass, body.len));
    if (wants_gzip(request, body.len)) {
        TRY(compute_sized(body.len < GZIP_LARGE ? 0 : body.len, pack_body, &packing));
        TRY(http_headers_add(headers, STR("content-encoding"), STR("gzip")));
        body = buf_str(&packing.packed);
    }
    char digits[STR_NUMBER_MAX];
    TRY(http_headers_add(headers, STR("content-length"), str_number(body.len, digits)));
    TRY(http_request_respond(request->http, status, headers));
    return body.len && !str_eq(request->method, STR("HEAD"))
               ? http_request_write(request->http, body)
               : NULL;
}

struct error *response_send_body(const struct request *request, int status, struct str content_type,
                                 struct str body)
{
    SCOPED(http_headers) headers = {0};
    TRY(make_headers(request, content_type, &headers));
    return response_send_with(request, status, &headers, body);
}

static struct str content_type(const struct response_format *format)
{
    return format->is_yaml ? STR("application/yaml") : STR("application/json");
}

struct error *response_send_created(const struct request *request)
{
    return response_send_body(request, 201, STR("application/json"),
                              STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                  "\"status\":\"Success\",\"code\":201}"));
}

struct error *response_send_doc(const struct request *request, const struct response_format *format,
                                int status, struct json_doc *doc)
{
    SCOPED(buf) body = {.limit = 0};
    const struct codec codec = {*format, request->kind, request->now};
    TRY(negotiate_check(request, format));
    TRY(codec_write_doc(&body, &codec, doc, true));
    return response_send_body(request, status, content_type(format), buf_str(&body));
}

struct error *response_send_text(const struct request *request,
                                 const struct response_format *format, int status,
                                 const struct object_text *text)
{
    SCOPED(buf) body = {.limit = 0};
    const struct codec codec = {*format, request->kind, request->now};
    TRY(negotiate_check(request, format));
    TRY(codec_write(&body, &codec, text, true));
    return response_send_body(request, status, content_type(format), buf_str(&body));
}

/* retry_after is rounded up to seconds. */
struct error *response_send_error(const struct request *request, struct error *err)
{
    OWNED(error) owned = err;
    SCOPED(buf) body = {.limit = 0};
    SCOPED(http_headers) headers = {0};
    status_write(&body, err);
    TRY(make_headers(request, STR("application/json"), &headers));
    if (err->retry_after > 0) {
        char seconds[32];
        const int64_t wait = (err->retry_after + SECOND - 1) / SECOND;
        const int digits = snprintf(seconds, sizeof(seconds), "%lld", (long long)wait);
        TRY(http_headers_add(&headers, STR("retry-after"), str_from(seconds, (size_t)digits)));
    }
    return response_send_with(request, status_http_status(err), &headers, buf_str(&body));
}

struct error *response_begin_stream(const struct request *request, struct str type)
{
    SCOPED(http_headers) headers = {0};
    TRY(make_headers(request, type, &headers));
    return http_request_respond(request->http, 200, &headers);
}
