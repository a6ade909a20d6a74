/*
 * The index names each document of version 3 by a URL with the hash of the document. A client that
 * asks with this hash may keep the answer for a year; one that asks with an older hash is sent to
 * the URL with the present one. Every document has its hash as an ETag.
 *
 * Upstream: k8s.io/kube-openapi/pkg/handler and pkg/handler3.
 */
#include "apiserver/endpoints/handle_openapi.h"

#include "apiserver/api.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/openapi_cache.h"
#include "http/headers.h"
#include "http/server.h"

#define V2_PROTOBUF STR("application/com.github.proto-openapi.spec.v2.v1.0+protobuf")
#define JSON_TYPE   STR("application/json")

/* How long a client may keep a document of which it knows the hash. */
#define KEEP_FOR (365 * (24 * HOUR))

static struct str header_of(const struct request *request, const char *name)
{
    return http_headers_find(http_request_headers(request->http), str_from_c(name));
}

/* Whether the client takes JSON: it says so, or says nothing. */
static bool accepts_json(const struct request *request)
{
    const struct str accept = header_of(request, "accept");
    return str_is_empty(accept) || str_contains(accept, STR("*/*")) ||
           str_contains(accept, STR("application/*")) || str_contains(accept, JSON_TYPE);
}

/* Whether the client has the document. The header is a list of tags, weak or not, or "*". */
static bool is_known(const struct request *request, struct str tag)
{
    struct str rest = header_of(request, "if-none-match"), item;
    bool has_more = rest.len > 0;
    while (has_more) {
        has_more = str_cut(&rest, ',', &item);
        item = str_trim(item);
        if (str_starts_with(item, STR("W/")))
            item = str_skip(item, 2);
        if (str_eq(item, tag) || str_eq(item, STR("*")))
            return true;
    }
    return false;
}

/* "Tue, 17 Nov 2026 00:00:00 GMT" (RFC 9110). */
static void add_http_date(struct buf *out, timestamp time)
{
    static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const struct timestamp_civil civil = timestamp_to_civil(time);
    const int64_t day = time / (24 * HOUR); /* since 1970-01-01, a Thursday */
    buf_print(out, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[day % 7], civil.day,
              months[civil.month - 1], civil.year, civil.hour, civil.minute, civil.second);
}

static struct error *make_headers(const struct request *request, struct str tag, bool is_kept,
                                  struct http_headers *headers)
{
    SCOPED(buf) expires = {.limit = 0};
    TRY(http_headers_add(headers, STR("etag"), tag));
    TRY(http_headers_add(headers, STR("vary"), STR("Accept")));
    TRY(http_headers_add(headers, STR("cache-control"),
                         is_kept ? STR("public, immutable") : STR("no-cache, private")));
    if (!is_kept)
        return NULL;
    add_http_date(&expires, request->now + KEEP_FOR);
    return http_headers_add(headers, STR("expires"), buf_str(&expires));
}

/* What stands before the paths of a virtual cluster. */
static struct str prefix(const struct request *request)
{
    const struct str cluster = request->api->cluster;
    return cluster.len ? arena_print(request->arena, "/clusters/%.*s", STR_ARG(cluster)) : cluster;
}

/* Adds the URL of a document with its hash, below the prefix of its server. */
static void add_url(struct buf *url, struct str group, struct str version, const char *hash)
{
    buf_add(url, STR("/openapi/v3/"));
    openapi_add_root(url, group, version);
    BUF_ADD_ALL(url, STR("?hash="), str_from_c(hash));
}

/* 301: the document has another hash now. */
static struct error *redirect(const struct request *request, const struct openapi_asked *asked,
                              const char *hash)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) url = {.limit = 0};
    SCOPED(buf) tag = {.limit = 0};
    buf_add(&url, prefix(request));
    add_url(&url, asked->group, asked->version, hash);
    buf_print(&tag, "\"%s\"", hash);
    TRY(make_headers(request, buf_str(&tag), false, &headers));
    TRY(http_headers_add(&headers, STR("location"), buf_str(&url)));
    return response_send_with(request, 301, &headers, STR(""));
}

/* Sends a document, unless the client has it. */
static struct error *send_document(struct request *request, const struct openapi_asked *asked)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) tag = {.limit = 0};
    OWNED(openapi_document) document = NULL;
    char hash[SHA256_HEX_LEN + 1];
    struct str wanted = {0};
    TRY(openapi_cache_prepare(request->api->openapi));
    if (!openapi_cache_hash(request->api->openapi, asked, hash))
        return request_no_such_path();
    const bool has_hash =
        asked->form == OPENAPI_3 && query_find(&request->query, STR("hash"), &wanted);
    if (has_hash && !str_eq(wanted, str_from_c(hash)))
        return redirect(request, asked, hash);
    buf_print(&tag, "\"%s\"", hash);
    if (is_known(request, buf_str(&tag))) {
        TRY(make_headers(request, buf_str(&tag), has_hash, &headers));
        return http_request_respond(request->http, 304, &headers);
    }
    TRY(openapi_cache_get(request->api->openapi, request->api, asked, &document));
    buf_clear(&tag);
    buf_print(&tag, "\"%s\"", document->hash);
    TRY(make_headers(request, buf_str(&tag), has_hash && str_eq(wanted, str_from_c(document->hash)),
                     &headers));
    TRY(http_headers_add(&headers, STR("content-type"), JSON_TYPE));
    return response_send_with(request, 200, &headers, buf_str(&document->text));
}

/*
 * URLs are without the prefix of a virtual cluster. client-go puts the prefix of the server that it
 * knows before those that begin with /openapi/v3, and takes others as they are: it would leave a
 * proxy in front of the cluster.
 */
static struct error *send_index(struct request *request, struct kind_list kinds)
{
    SCOPED(json_builder) builder = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct kind_range range;
    TRY(openapi_cache_prepare(request->api->openapi));
    json_builder_object(&builder);
    json_builder_add_object(&builder, "paths");
    for (size_t i = 0; i < kinds.count; i = range.end) {
        SCOPED(buf) name = {.limit = 0};
        SCOPED(buf) url = {.limit = 0};
        char hash[SHA256_HEX_LEN + 1];
        const struct gvk gvk = kinds.items[i]->gvk;
        range = kind_range_of_version(kinds, i);
        /* Only the kinds of the document, lest the index of many groups takes quadratic time. */
        const struct openapi_asked asked = {
            OPENAPI_3, {kinds.items + i, range.end - i},
             gvk.group, gvk.version
        };
        if (!openapi_cache_hash(request->api->openapi, &asked, hash))
            continue;
        openapi_add_root(&name, gvk.group, gvk.version);
        add_url(&url, gvk.group, gvk.version, hash);
        json_builder_key(&builder, buf_str(&name));
        json_builder_object(&builder);
        json_builder_add_str(&builder, "serverRelativeURL", buf_str(&url));
        json_builder_end(&builder);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc), "make OpenAPI index");
    json_write(&body, json_doc_root(doc));
    return response_send_body(request, 200, STR("text/plain; charset=utf-8"), buf_str(&body));
}

static struct error *send_not_acceptable(const struct request *request)
{
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("vary"), STR("Accept")));
    TRY(http_headers_add(&headers, STR("cache-control"), STR("no-cache, private")));
    return response_send_with(request, 406, &headers, STR(""));
}

static struct error *serve_v2(struct request *request, struct kind_list kinds)
{
    SCOPED(buf) body = {.limit = 0};
    const struct openapi_asked asked = {.form = OPENAPI_2, .kinds = kinds};
    if (accepts_json(request))
        return send_document(request, &asked);
    if (!str_contains(header_of(request, "accept"), STR("protobuf")))
        return send_not_acceptable(request);
    openapi_write_protobuf(kinds, &body);
    return response_send_body(request, 200, V2_PROTOBUF, buf_str(&body));
}

static struct error *serve_v3(struct request *request, struct kind_list kinds, struct str path)
{
    struct openapi_asked asked = {.form = OPENAPI_3, .kinds = kinds};
    if (path.len == 0)
        return send_index(request, kinds);
    if (str_starts_with(path, STR("/api/"))) {
        asked.version = str_skip(path, sizeof("/api/") - 1);
    } else if (str_starts_with(path, STR("/apis/"))) {
        asked.version = str_skip(path, sizeof("/apis/") - 1);
        str_cut(&asked.version, '/', &asked.group);
    } else {
        return request_no_such_path();
    }
    return accepts_json(request) ? send_document(request, &asked) : send_not_acceptable(request);
}

struct error *handle_openapi(struct request *request, struct kind_list kinds, struct str path)
{
    if (str_eq(path, STR("/openapi/v2")))
        return serve_v2(request, kinds);
    if (str_starts_with(path, STR("/openapi/v3")))
        return serve_v3(request, kinds, str_skip(path, sizeof("/openapi/v3") - 1));
    return request_no_such_path();
}
