#include "fleet/fleet_proxy.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "client/client.h"
#include "clustercache/cluster_callers.h"
#include "clustercache/clustercache.h"
#include "http/headers.h"
#include "http/server.h"

#define BODY_MAX    (3 * MEGABYTE)
#define REFUSAL_MAX (64 * KILOBYTE)
#define HEAD_WAIT   (60 * SECOND)
#define CLUSTERS    GVR(FLEET_GROUP, FLEET_VERSION, "clusters")

static bool is_one_of(struct str name, const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}

static struct error *forbid(const struct fleet_path *path, struct str why)
{
    return status_forbidden(CLUSTERS, path->cluster.name, why);
}

/* Words anywhere in the path are refused, so that no form of path gets around it. */
struct error *fleet_proxy_check_own(struct str method, const struct fleet_path *path)
{
    static const struct str refused[] = {STR_INIT("exec"), STR_INIT("attach"),
                                         STR_INIT("portforward"), STR_INIT("proxy")};
    if (!str_eq(method, STR("GET")) && !str_eq(method, STR("HEAD")))
        return forbid(path, STR("with --fleet-identity=own clusters can only be read"));
    if (fleet_path_has(path, STR("secrets")))
        return forbid(path, STR("with --fleet-identity=own Secrets cannot be read"));
    for (size_t i = 0; i < COUNT(refused); i++)
        if (fleet_path_has(path, refused[i]))
            return forbid(path, STR("with --fleet-identity=own there is no exec, attach, "
                                    "portforward or proxy"));
    return NULL;
}

static struct error *copy_request_headers(const struct http_headers *from, struct http_headers *to)
{
    static const struct str passed[] = {STR_INIT("accept"), STR_INIT("accept-encoding"),
                                        STR_INIT("content-type")};
    HTTP_HEADERS_FOREACH (header, from)
        if (is_one_of(header.name, passed, COUNT(passed)) ||
            str_starts_with(header.name, STR("if-")))
            TRY(http_headers_add(to, header.name, header.value));
    if (!http_headers_find(to, STR("accept-encoding")).ptr)
        TRY(http_headers_add(to, STR("accept-encoding"), STR("identity")));
    return NULL;
}

static struct error *copy_answer_headers(const struct http_headers *from, struct http_headers *to)
{
    static const struct str passed[] = {
        STR_INIT("content-type"), STR_INIT("content-encoding"), STR_INIT("content-length"),
        STR_INIT("warning"),      STR_INIT("retry-after"),      STR_INIT("audit-id"),
    };
    HTTP_HEADERS_FOREACH (header, from)
        if (is_one_of(header.name, passed, COUNT(passed)))
            TRY(http_headers_add(to, header.name, header.value));
    return NULL;
}

/* Why there is no connection, and when the next attempt is. */
static struct error *unavailable(const struct fleet_proxy_request *request, struct error *err)
{
    const struct key cluster = request->path->cluster;
    const struct clustercache_health health = clustercache_get_health(request->clusters, cluster);
    struct error *told = error_new(ERROR_SERVICE_UNAVAILABLE, "cluster \"%.*s/%.*s\": %s%s%.*s",
                                   STR_ARG(cluster.namespace), STR_ARG(cluster.name), err->message,
                                   health.problem.len ? ": " : "", STR_ARG(health.problem));
    told->retry_after = clustercache_next_try(request->clusters, cluster);
    error_free(err);
    return told;
}

static struct error *pass_body(struct http_response *response, struct fleet_reply *reply)
{
    for (;;) {
        struct str piece;
        TRY(http_response_read_piece(response, &piece));
        if (!piece.len)
            return NULL;
        TRY(fleet_reply_write(reply, piece));
    }
}

/*
 * A cluster whose kubeconfig may not impersonate refuses every caller. Its own words do not say
 * whose right is missing, so they get a preface.
 */
static struct error *pass_refusal(const struct fleet_proxy_request *request,
                                  struct http_response *response,
                                  const struct http_headers *headers, struct fleet_reply *reply)
{
    SCOPED(buf) body = {.limit = REFUSAL_MAX};
    const struct key cluster = request->path->cluster;
    TRY(http_response_read_all(response, &body));
    if (!request->as || !str_contains(buf_str(&body), STR("cannot impersonate resource"))) {
        TRY(fleet_reply_begin(reply, 403, headers));
        return fleet_reply_write(reply, buf_str(&body));
    }
    OWNED(error) theirs = status_read_error(403, buf_str(&body));
    return error_new(
        ERROR_FORBIDDEN,
        "the kubeconfig of cluster \"%.*s/%.*s\" may not impersonate callers; it needs "
        "the verb impersonate on users, groups and userextras: %s",
        STR_ARG(cluster.namespace), STR_ARG(cluster.name), theirs->message);
}

static struct error *pass_answer(const struct fleet_proxy_request *request,
                                 struct http_response *response, struct fleet_reply *reply)
{
    SCOPED(http_headers) headers = {0};
    const int status = http_response_status(response);
    TRY(copy_answer_headers(http_response_headers(response), &headers));
    if (status == 403)
        return pass_refusal(request, response, &headers, reply);
    TRY(fleet_reply_begin(reply, status, &headers));
    return pass_body(response, reply);
}

/* The head is waited for under a limit; what follows may last, as watches do. */
static struct error *send_request(const struct fleet_proxy_request *request,
                                  struct cluster_connection *connection, struct str body,
                                  struct http_response **ret_response)
{
    SCOPED(http_headers) headers = {0};
    const struct http_headers *from = http_request_headers(request->http);
    TRY(copy_request_headers(from, &headers));
    const struct client_stream_request sent = {
        .method = http_request_method(request->http),
        .path = request->path->rest,
        .query = request->path->query,
        .headers = &headers,
        .agent = http_headers_find(from, STR("user-agent")),
        .body = body,
        .as = request->as,
        .keeps_encoding = true,
    };
    FIBER_TIMEOUT(HEAD_WAIT);
    return cluster_callers_stream(connection, &sent, ret_response);
}

static struct error *exchange(const struct fleet_proxy_request *request,
                              struct cluster_connection *connection, struct str body,
                              struct fleet_reply *reply)
{
    OWNED(http_response) response = NULL;
    struct error *err = send_request(request, connection, body, &response);
    if (error_is(err, ERROR_DEADLINE)) {
        error_free(err);
        return status_timeout(STR("the cluster has not answered"), 1);
    }
    if (err)
        return error_is(err, ERROR_CANCELED) || error_is(err, ERROR_INVALID)
                   ? err
                   : unavailable(request, err);
    err = pass_answer(request, response, reply);
    http_response_free(TAKE(response));
    cluster_callers_leave(connection);
    return err;
}

struct error *fleet_proxy_serve(const struct fleet_proxy_request *request,
                                struct fleet_reply *reply)
{
    OWNED(cluster_connection) connection = NULL;
    SCOPED(buf) body = {.limit = BODY_MAX, .secret = true};
    if (http_request_wants_upgrade(request->http)) {
        struct error *err = error_new(ERROR_UNKNOWN, "connections are not upgraded here: exec, "
                                                     "attach and port-forward need the cluster's "
                                                     "own address");
        err->http_status = 501;
        return fleet_reply_fail(reply, NULL, err);
    }
    if (!clustercache_knows(request->clusters, request->path->cluster))
        return fleet_reply_fail(reply, NULL,
                                status_not_found(CLUSTERS, request->path->cluster.name));
    struct error *err =
        clustercache_get_uncached_client(request->clusters, request->path->cluster, &connection);
    if (err)
        return fleet_reply_fail(reply, NULL, unavailable(request, err));
    err = http_request_read_all(request->http, &body);
    if (error_is(err, ERROR_TOO_LARGE)) {
        error_free(err);
        err = status_too_large(BODY_MAX);
    }
    if (!err)
        err = exchange(request, connection, buf_str(&body), reply);
    return err ? fleet_reply_fail(reply, NULL, err) : NULL;
}
