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

/* As many characters of warnings are sent; where there are more, each is cut. */
#define WARNINGS_MAX (4 * KILOBYTE)
#define WARNING_CUT  256

static size_t count_chars(struct str text)
{
    size_t count = 0;
    while (text.len) {
        const size_t len = str_char_len(text);
        text = str_skip(text, len ? len : 1);
        count++;
    }
    return count;
}

static struct str cut_chars(struct str text, size_t max)
{
    struct str rest = text;
    for (size_t i = 0; i < max && rest.len; i++) {
        const size_t len = str_char_len(rest);
        rest = str_skip(rest, len ? len : 1);
    }
    return str_slice(text, 0, text.len - rest.len);
}

static struct error *add_warning(struct http_headers *headers, struct str text)
{
    SCOPED(buf) value = {.limit = 0};
    buf_add(&value, STR("299 - "));
    str_quote_go(&value, text);
    return http_headers_add(headers, STR("warning"), buf_str(&value));
}

/*
 * Whether the request came to a handler of its kind, whose first word is that the kind is
 * deprecated. Method, Accept and the type of a patch are looked at before, except by custom
 * resources; these refusals have empty details.
 */
static bool is_handled(const struct request *request, const struct error *err)
{
    static const enum error_code refusals[] = {ERROR_NOT_FOUND, ERROR_METHOD_NOT_ALLOWED,
                                               ERROR_NOT_ACCEPTABLE, ERROR_UNSUPPORTED_MEDIA_TYPE};
    if (!request->kind)
        return false;
    if (!err || !err->details || request->kind->is_custom)
        return true;
    for (size_t i = 0; i < COUNT(refusals); i++)
        if (err->code == refusals[i])
            return strcmp(err->details, "{}") != 0;
    return true;
}

/* The texts of all warnings: that of the kind is the first. */
static size_t list_warnings(const struct request *request, const struct error *err,
                            struct str ret_texts[static JSON_WARNINGS_MAX + 1])
{
    size_t count = 0;
    if (is_handled(request, err) && request->kind->deprecation.len)
        ret_texts[count++] = request->kind->deprecation;
    for (size_t i = 0; i < request->warnings.count; i++)
        ret_texts[count++] = request->warnings.items[i];
    return count;
}

/*
 * As kube-apiserver's recorder: the warning that is one too many makes all of them shorter, and
 * those behind it are sent as long as there is room. Warnings are optional: what the headers have
 * no room for is dropped.
 */
static void add_warnings(const struct request *request, const struct error *err,
                         struct http_headers *headers)
{
    struct str texts[JSON_WARNINGS_MAX + 1];
    const size_t count = list_warnings(request, err, texts);
    size_t fitting = 0, sent = 0;
    for (size_t chars = 0; fitting < count; fitting++) {
        chars += count_chars(texts[fitting]);
        if (chars > WARNINGS_MAX)
            break;
    }
    for (size_t i = 0; i < count && (i <= fitting || sent < WARNINGS_MAX); i++) {
        const struct str text = fitting < count ? cut_chars(texts[i], WARNING_CUT) : texts[i];
        OWNED(error) full = add_warning(headers, text);
        if (full)
            break;
        sent += count_chars(text);
    }
}

/* The headers that kube-apiserver sends with every response; err is NULL for one that is none. */
static struct error *make_headers(const struct request *request, const struct error *err,
                                  struct str content_type, struct http_headers *headers)
{
    TRY(http_headers_add(headers, STR("content-type"), content_type));
    TRY(http_headers_add(headers, STR("cache-control"), STR("no-cache, private")));
    TRY(http_headers_add(headers, STR("x-content-type-options"), STR("nosniff")));
    add_warnings(request, err, headers);
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
    TRY(make_headers(request, NULL, content_type, &headers));
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
    TRY(make_headers(request, err, STR("application/json"), &headers));
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
    TRY(make_headers(request, NULL, type, &headers));
    return http_request_respond(request->http, 200, &headers);
}
