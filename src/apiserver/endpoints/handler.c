/*
 * The way of a request:
 *
 *     handler_serve()    main API or virtual cluster? (the prefix /clusters/<name>)
 *     serve_cluster()    faults that are injected on purpose, then the API of the cluster
 *     serve_request()    request_read(), identify_user(), enter_limits()
 *     serve_main()       an extension of the main API goes its own way from identify_user() on
 *     serve_inside()     waits for a turn of the CPU, when parties that used less of it wait
 *     serve_known()      authorize(), then route_serve() or /debug/inject
 *     respond_error()    the error, if any, as a Status, a plain 404 or a plain 429
 *
 * Authentication comes before the limits, because limits are counted by user. Authorization comes
 * before the kind is looked up: a user who may not ask does not learn which kinds exist.
 */
#include "apiserver/endpoints/handler.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/request_metrics.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/endpoints/route.h"
#include "apiserver/virtual/debug.h"
#include "apiserver/virtual/virtual_clusters.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "http/headers.h"
#include "http/server.h"
#include "net/tls.h"

#define REQUEST_TIMEOUT (60 * SECOND)
#define PREFIX          STR("/clusters/")

/*
 * The virtual cluster a target names, NULL when there is none of this name. *target becomes the
 * rest of the target behind the prefix.
 */
static struct virtual_cluster *find_cluster(const struct handler *handler, struct str *target,
                                            bool *ret_is_cluster)
{
    *ret_is_cluster = str_starts_with(*target, PREFIX);
    if (!*ret_is_cluster)
        return NULL;
    struct str rest = str_skip(*target, PREFIX.len), name;
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?')
        end++;
    name = str_slice(rest, 0, end);
    *target = str_skip(rest, end);
    if (target->len == 0 || target->ptr[0] == '?')
        *target = STR("/");
    return virtual_clusters_find(handler->clusters, name);
}

static bool has_causes(const struct error *err)
{
    return err->details && str_contains(str_from_c(err->details), STR("\"causes\""));
}

/*
 * Takes the error. A path that is not served gets a page of plain text and too many requests get
 * plain text with Retry-After, as from an API server; everything else is a Status. So is a 429
 * that says more: an eviction that a budget forbids.
 */
static struct error *respond_error(const struct request *request, struct error *err)
{
    OWNED(error) owned = err;
    if (err->code == ERROR_NO_SUCH_PATH)
        return response_send_body(request, 404, STR("text/plain; charset=utf-8"),
                                  STR("404 page not found\n"));
    if (err->code == ERROR_TOO_MANY_REQUESTS && !has_causes(err)) {
        SCOPED(http_headers) headers = {0};
        TRY(http_headers_add(&headers, STR("content-type"), STR("text/plain; charset=utf-8")));
        TRY(http_headers_add(&headers, STR("retry-after"), STR("1")));
        TRY(http_request_respond(request->http, 429, &headers));
        return http_request_write(request->http, str_from_c(err->message));
    }
    return response_send_error(request, TAKE(owned));
}

/*
 * request->user becomes the user of the credentials or, with Impersonate-* headers, the other one.
 */
static struct error *identify_user(struct request *request)
{
    struct tls_peer peer;
    const struct http_headers *headers = http_request_headers(request->http);
    const struct auth *auth = &request->api->auth;
    http_request_peer(request->http, &peer);
    request->interruptions = request->api->interruptions;
    const struct auth_evidence evidence = {&peer, headers,
                                           http_request_wants_websocket(request->http)};
    TRY(authenticate(auth, request->arena, &evidence, request->now, &request->user));
    if (!request->user.is_anonymous)
        http_request_vouch(request->http);
    const struct rbac_attributes attributes = request_attributes(request);
    return impersonate(auth, request->arena, &attributes, &request->user, headers, &request->user);
}

/* Virtual clusters are trials, and have no metrics. */
static struct metrics *metrics_of(const struct handler *handler, const struct request *request)
{
    return request->api->cluster.len ? NULL : handler->metrics;
}

static bool is_metrics_path(const struct handler *handler, const struct request *request)
{
    return metrics_of(handler, request) && str_eq(request->path, STR("/metrics")) &&
           str_eq(request->method, STR("GET"));
}

static struct error *serve_metrics(const struct handler *handler, const struct request *request)
{
    SCOPED(buf) text = {.limit = 0};
    metrics_write(handler->metrics, &text);
    TRY(buf_check(&text));
    return response_send_body(request, 200, STR(METRICS_CONTENT_TYPE), buf_str(&text));
}

static struct error *serve_known(const struct handler *handler, struct request *request)
{
    const struct rbac_attributes attributes = request_attributes(request);
    TRY(authorize(&request->api->auth, request->arena, &attributes));
    if (request->is_resource)
        request->kind = webhook_conversion_kind(
            request, api_find_kind(request->api, request->arena, request->gvr));
    else if (debug_is_path(request))
        return debug_serve(handler->clusters, request);
    else if (is_metrics_path(handler, request))
        return serve_metrics(handler, request);
    return route_serve(request);
}

/* Administrators of the main API. Those of a virtual cluster are ordinary users of the process. */
static bool is_privileged(const struct request *request)
{
    return request->api->cluster.len == 0 &&
           rbac_strings_has(&request->user.user.groups, STR("system:masters"));
}

/* The key includes the cluster: users of the same name in two APIs are different users. */
static struct error *enter_limits(struct handler *handler, struct request *request, bool is_watch)
{
    const struct str key =
        ARENA_JOIN(request->arena, request->api->cluster, STR("/"), request->user.user.name);
    struct inflight_limits_pass *pass = ARENA_NEW(request->arena, struct inflight_limits_pass);
    TRY(inflight_limits_enter(&handler->limits, key, is_privileged(request), is_watch, pass));
    request->pass = pass;
    return NULL;
}

/* Watches have time-outs of their own; every other request has to end within a minute. */
static struct error *serve_inside(struct handler *handler, struct request *request, bool is_watch)
{
    FIBER_TIMEOUT(is_watch ? FOREVER : REQUEST_TIMEOUT);
    TRY(http_request_join_share(request->http,
                                parties_find(&handler->parties, request->api->cluster,
                                             request->user.user.name, is_privileged(request))));
    return serve_known(handler, request);
}

static struct error *serve_request(struct handler *handler, struct request *request,
                                   struct str target)
{
    TRY(request_read(request, http_request_method(request->http), target));
    TRY(identify_user(request));
    const bool is_watch = route_is_long(request);
    TRY(enter_limits(handler, request, is_watch));
    struct metrics_series *active =
        request_metrics_begin(metrics_of(handler, request), request, is_watch);
    struct error *err = serve_inside(handler, request, is_watch);
    request_metrics_end(active);
    inflight_limits_leave(request->pass);
    request->pass = NULL;
    return err;
}

/* The target is not taken apart here: what is ambiguous in it, the extension decides. */
static struct error *serve_extension(struct handler *handler, struct request *request,
                                     struct str target)
{
    struct str path, query = target;
    str_cut(&query, '?', &path);
    request->path = path;
    TRY(identify_user(request));
    TRY(http_request_join_share(request->http,
                                parties_find(&handler->parties, request->api->cluster,
                                             request->user.user.name, is_privileged(request))));
    const struct extension_request extended = {
        .http = request->http,
        .arena = request->arena,
        .target = target,
        .user = &request->user,
        .auth = &request->api->auth,
    };
    return handler->extension.serve(handler->extension.data, &extended);
}

static struct error *serve_main(struct handler *handler, struct request *request, struct str target)
{
    const struct extension *extension = &handler->extension;
    return extension->serve && extension->is_target(target)
               ? serve_extension(handler, request, target)
               : serve_request(handler, request, target);
}

/* Takes the error. Our own time-outs and I/O errors in the words of an API server. */
static struct error *for_clients(struct error *err)
{
    OWNED(error) owned = err;
    switch (err->code) {
    case ERROR_DEADLINE:
        return status_timeout(STR("request did not complete within the allotted timeout"), 1);
    case ERROR_PARSE:
    case ERROR_IO:
        return status_internal("%s", err->message);
    default:
        return TAKE(owned);
    }
}

/*
 * Every virtual_clusters_enter() has its virtual_cluster_leave(), whatever becomes of the request.
 */
static struct error *serve_cluster(struct handler *handler, struct request *request,
                                   struct virtual_cluster *cluster, struct str target)
{
    bool is_done;
    struct virtual_cluster_visit visit = {.clusters = handler->clusters, .cluster = cluster};
    TRY(virtual_cluster_misbehave(&visit, request->http, &is_done));
    if (is_done)
        return NULL;
    TRY(virtual_clusters_enter(handler->clusters, cluster, &request->api));
    request->visit = &visit;
    struct error *err = serve_request(handler, request, target);
    request->visit = NULL;
    virtual_cluster_leave(cluster);
    return err;
}

struct error *handler_serve(void *data, struct http_request *http)
{
    struct handler *handler = data;
    struct str target = http_request_target(http);
    bool is_cluster;
    const int64_t begun = loop_now(handler->loop);
    struct request request = {
        .http = http,
        .arena = http_request_arena(http),
        .api = handler->api,
        .now = loop_wall(handler->loop),
        .method = http_request_method(http),
        .warnings = {.arena = http_request_arena(http)},
    };
    struct virtual_cluster *cluster = find_cluster(handler, &target, &is_cluster);
    http_request_set_party(http, cluster);
    if (is_cluster && !cluster)
        return respond_error(&request, request_no_such_path());
    struct error *err = cluster ? serve_cluster(handler, &request, cluster, target)
                                : serve_main(handler, &request, target);
    if (err && !http_request_has_responded(http) && err->code != ERROR_CANCELED)
        err = respond_error(&request, for_clients(err));
    if (!cluster)
        request_metrics_answered(handler->metrics, &request, http_request_status(http),
                                 loop_now(handler->loop) - begun);
    return err;
}
