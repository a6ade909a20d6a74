/*
 * Discovery documents are generated for each request from the kinds that are served at that moment,
 * so a new CustomResourceDefinition shows up at once. Aggregated discovery carries an ETag, so that
 * clients do not fetch what they have. handle_openapi.c serves the OpenAPI documents.
 */
#include "apiserver/endpoints/handle_nonresource.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/handle_openapi.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/registry/kind_discovery.h"
#include "apiserver/server_health.h"
#include "base/sha256.h"
#include "http/headers.h"
#include "http/server.h"

#define AGGREGATED STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")

static struct str accept(const struct request *request)
{
    return http_headers_find(http_request_headers(request->http), STR("accept"));
}

/* 304 when the client has this document already. */
static struct error *respond_with_etag(const struct request *request, struct str type,
                                       struct str body)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) tag = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    char hash[SHA256_HEX_LEN + 1];
    sha256_of(body, digest);
    buf_print(&tag, "\"%.*s\"", STR_ARG(sha256_hex(digest, hash)));
    const struct str known =
        http_headers_find(http_request_headers(request->http), STR("if-none-match"));
    TRY(http_headers_add(&headers, STR("etag"), buf_str(&tag)));
    TRY(http_headers_add(&headers, STR("vary"), STR("Accept")));
    TRY(http_headers_add(&headers, STR("cache-control"), STR("no-cache, private")));
    if (str_eq(known, buf_str(&tag)))
        return http_request_respond(request->http, 304, &headers);
    TRY(http_headers_add(&headers, STR("content-type"), type));
    TRY(http_request_respond(request->http, 200, &headers));
    return http_request_write(request->http, body);
}

/* "/api" and "/apis", each in the plain or in the aggregated form. */
static struct error *serve_api(struct request *request, struct kind_list kinds, bool core)
{
    SCOPED(buf) body = {.limit = 0};
    if (negotiate_wants_aggregated(accept(request))) {
        kind_discovery_aggregated(&body, kinds, core);
        return respond_with_etag(request, AGGREGATED, buf_str(&body));
    }
    if (core)
        kind_discovery_versions(&body, http_request_authority(request->http));
    else
        kind_discovery_groups(&body, kinds);
    return response_send_body(request, 200, STR("application/json"), buf_str(&body));
}

/* "/api/v1", "/apis/<group>" and "/apis/<group>/<version>". */
static struct error *serve_group(struct request *request, struct kind_list kinds, struct str group,
                                 struct str version)
{
    SCOPED(buf) body = {.limit = 0};
    const bool found = version.len ? kind_discovery_resources(&body, kinds, group, version)
                                   : kind_discovery_group(&body, kinds, group);
    if (found)
        return response_send_body(request, 200, STR("application/json"), buf_str(&body));
    const bool known = group.len == 0 || kind_discovery_group(&body, kinds, group);
    return known ? status_no_such_resource() : request_no_such_path();
}

/* The version of Kubernetes whose behaviour the server follows. Clients adapt to it. */
static struct error *serve_version(struct request *request)
{
    return response_send_body(
        request, 200, STR("application/json"),
        STR("{\"major\":\"1\",\"minor\":\"36\",\"emulationMajor\":\"1\",\"emulationMinor\":\"36\","
            "\"minCompatibilityMajor\":\"1\",\"minCompatibilityMinor\":\"35\","
            "\"gitVersion\":\"v1.36.4+corset\",\"gitCommit\":\"\",\"gitTreeState\":\"clean\","
            "\"buildDate\":\"1970-01-01T00:00:00Z\",\"goVersion\":\"none\",\"compiler\":\"gcc\","
            "\"platform\":\"linux/amd64\"}"));
}

/* Only /readyz fails: a restart, which the others ask for, makes no room on a disk. */
static struct error *serve_health(struct request *request)
{
    struct str ignored;
    SCOPED(buf) body = {.limit = 0};
    const struct str type = STR("text/plain; charset=utf-8"), name = str_skip(request->path, 1);
    const struct server_health *health =
        str_starts_with(name, STR("readyz")) ? request->api->health : NULL;
    bool ok = true;
    buf_add(&body, STR("[+]ping ok\n"));
    for (size_t i = 0; i < SERVER_HEALTH_PARTS; i++) {
        const char *words = health ? server_health_words(health, (enum server_health_part)i) : NULL;
        if (words)
            buf_print(&body, "[-]%s failed: %s\n", server_health_name((enum server_health_part)i),
                      words);
        else
            buf_print(&body, "[+]%s ok\n", server_health_name((enum server_health_part)i));
        ok = ok && !words;
    }
    buf_print(&body, "%.*s check %s\n", STR_ARG(name), ok ? "passed" : "failed");
    if (!ok)
        return response_send_body(request, 500, type, buf_str(&body));
    if (!query_find(&request->query, STR("verbose"), &ignored))
        return response_send_body(request, 200, type, STR("ok"));
    return response_send_body(request, 200, type, buf_str(&body));
}

/* The list of all paths that are served. */
static struct error *serve_root(struct request *request, struct kind_list kinds)
{
    SCOPED(buf) body = {.limit = 0};
    struct str group = {0}, version = {0};
    buf_add(&body, STR("{\"paths\":[\"/api\",\"/api/v1\",\"/apis\""));
    for (size_t i = 0; i < kinds.count; i++) {
        const struct gvk gvk = kinds.items[i]->gvk;
        if (gvk.group.len == 0 || (str_eq(gvk.group, group) && str_eq(gvk.version, version)))
            continue;
        if (!str_eq(gvk.group, group))
            BUF_ADD_ALL(&body, STR(",\"/apis/"), gvk.group, STR("\""));
        BUF_ADD_ALL(&body, STR(",\"/apis/"), gvk.group, STR("/"), gvk.version, STR("\""));
        group = gvk.group;
        version = gvk.version;
    }
    buf_add(&body, STR(",\"/healthz\",\"/livez\",\"/openapi/v2\",\"/openapi/v3\",\"/readyz\","
                       "\"/version\"]}"));
    return response_send_body(request, 200, STR("application/json"), buf_str(&body));
}

static bool is_health(struct str path)
{
    return str_eq(path, STR("/healthz")) || str_eq(path, STR("/livez")) ||
           str_eq(path, STR("/readyz"));
}

/* "/apis/<group>[/<version>]" and "/api/<version>". */
static struct error *serve_discovery(struct request *request, struct kind_list kinds,
                                     struct str path)
{
    struct str group = {0}, version = path;
    if (str_starts_with(path, STR("/api/"))) {
        version = str_skip(path, sizeof("/api/") - 1);
        return str_contains(version, STR("/")) ? request_no_such_path()
                                               : serve_group(request, kinds, group, version);
    }
    if (!str_starts_with(path, STR("/apis/")))
        return request_no_such_path();
    version = str_skip(path, sizeof("/apis/") - 1);
    str_cut(&version, '/', &group);
    return str_contains(version, STR("/")) ? request_no_such_path()
                                           : serve_group(request, kinds, group, version);
}

struct error *handle_nonresource(struct request *request)
{
    struct str path = request->path;
    if (path.len > 1 && path.ptr[path.len - 1] == '/')
        path.len--;
    if (is_health(path))
        return serve_health(request);
    if (str_eq(path, STR("/version")))
        return serve_version(request);
    const struct kind_list kinds = api_kinds(request->api, request->arena);
    if (str_eq(path, STR("/")))
        return serve_root(request, kinds);
    if (str_eq(path, STR("/api")) || str_eq(path, STR("/apis")))
        return serve_api(request, kinds, path.len == sizeof("/api") - 1);
    if (str_starts_with(path, STR("/openapi/")))
        return handle_openapi(request, kinds, path);
    return serve_discovery(request, kinds, path);
}

bool handle_nonresource_has_version(const struct request *request)
{
    const struct kind_list kinds = api_kinds(request->api, request->arena);
    for (size_t i = 0; i < kinds.count; i++)
        if (str_eq(kinds.items[i]->gvk.group, request->gvr.group) &&
            str_eq(kinds.items[i]->gvk.version, request->gvr.version))
            return true;
    return false;
}
