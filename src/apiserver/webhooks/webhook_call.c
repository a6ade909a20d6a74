#include "apiserver/webhooks/webhook_call.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "http/client.h"
#include "http/url.h"
#include "json/path.h"
#include "net/tls.h"

#define SERVICE_PORT 443

/* Where a call goes. */
struct target {
    struct webhook_address address;
    struct str server_name, authority;
    struct str path; /* with the query */
    struct str url;  /* for messages */
};

struct error *webhook_wait_begin(struct webhook_wait *wait, struct api *api)
{
    struct webhook_caller *caller = api->webhook_caller;
    if (api->webhook_waiting >= WEBHOOK_WAITING_PER_API ||
        (caller && caller->waiting >= WEBHOOK_WAITING_MAX))
        return error_new(ERROR_TOO_MANY_REQUESTS,
                         "Too many requests wait for webhooks, please try again later.");
    api->webhook_waiting++;
    if (caller)
        caller->waiting++;
    wait->api = api;
    return NULL;
}

void webhook_wait_done(struct webhook_wait *wait)
{
    if (!wait->api)
        return;
    wait->api->webhook_waiting--;
    if (wait->api->webhook_caller)
        wait->api->webhook_caller->waiting--;
    wait->api = NULL;
}

/* The Service's address is found out later: when that fails, the URL is in the message. */
static void target_service(struct arena *arena, const struct json_value *service, struct str query,
                           struct target *target)
{
    int64_t port = SERVICE_PORT;
    struct str path = json_path_str(service, "path");
    (void)json_to_int64(json_path(service, "port"), &port);
    if (path.len == 0)
        path = STR("/");
    target->address.port = (uint16_t)port;
    target->server_name = ARENA_JOIN(arena, json_path_str(service, "name"), STR("."),
                                     json_path_str(service, "namespace"), STR(".svc"));
    target->authority =
        arena_print(arena, "%.*s:%d", STR_ARG(target->server_name), (int)target->address.port);
    target->path = ARENA_JOIN(arena, path, query);
    target->url = ARENA_JOIN(arena, STR("https://"), target->authority, target->path);
}

static struct error *target_url(struct arena *arena, struct str text, struct str query,
                                struct target *target)
{
    struct url url;
    TRY(url_read(text, &url), "could not get REST client");
    const struct str path = url.path.len ? url.path : STR("/");
    target->address = (struct webhook_address){url.host, url.port};
    target->server_name = url.host;
    target->authority = url_authority(arena, &url);
    target->path = ARENA_JOIN(arena, path, query);
    target->url = ARENA_JOIN(arena, STR("https://"), target->authority, target->path);
    return NULL;
}

static struct error *read_trust(const struct json_value *config, struct tls_trust **ret_trust)
{
    const struct str bundle = json_path_str(config, "caBundle");
    SCOPED(buf) pem = {.limit = 0};
    if (bundle.len == 0)
        return NULL;
    TRY(base64_decode(&pem, bundle));
    return tls_trust_read(buf_str(&pem), ret_trust);
}

/* What another server says to an unexpected request is not shown: it may be a secret. */
static struct error *check_answered(int status)
{
    if (status >= 200 && status < 300)
        return NULL;
    if (status == 404)
        return error_new(ERROR_PROTOCOL, "the server could not find the requested resource");
    if (status == 503)
        return error_new(ERROR_PROTOCOL, "the server is currently unable to handle the request");
    if (status >= 500)
        return error_new(ERROR_PROTOCOL, "an error on the server (\"unknown\") has prevented the "
                                         "request from succeeding");
    return error_new(ERROR_PROTOCOL,
                     "the server responded with the status code %d but did not return more "
                     "information",
                     status);
}

/* Answers that are not small count as bytes that the request holds, until the caller is done. */
static struct error *read_answer(struct http_response *response,
                                 const struct webhook_request *request, struct buf *answer)
{
    for (;;) {
        struct str piece;
        TRY(http_response_read_piece(response, &piece));
        if (piece.len == 0)
            return buf_check(answer);
        if (answer->len + piece.len > request->answer_max)
            return error_new(ERROR_PROTOCOL, "the answer is larger than %zu bytes",
                             request->answer_max);
        if (answer->len + piece.len > INFLIGHT_LIMITS_BYTES_MIN)
            TRY(inflight_limits_hold(request->pass, piece.len));
        buf_add(answer, piece);
    }
}

static struct error *post_review(const struct webhook_caller *caller, const struct target *target,
                                 struct tls_trust *trust, const struct webhook_request *request,
                                 struct buf *answer)
{
    const struct http_client_options options = {
        .endpoint = {.network = caller->network,
                     .host = target->address.host,
                     .port = target->address.port,
                     .tls = caller->tls,
                     .server_name = target->server_name,
                     .trust = trust,
                     .no_http2 = true},
        .connections = 1,
        .no_gzip = true,
    };
    SCOPED(http_headers) headers = {0};
    OWNED(http_client) client = http_client_new(caller->loop, &options);
    OWNED(http_response) response = NULL;
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    TRY(http_headers_add(&headers, STR("accept"), STR("application/json, */*")));
    const struct http_client_request post = {
        .method = STR("POST"),
        .target = target->path,
        .authority = target->authority,
        .headers = &headers,
        .body = request->body,
    };
    TRY(http_client_send(client, &post, &response));
    TRY(check_answered(http_response_status(response)));
    return read_answer(response, request, answer);
}

/* A request of one's own, of a user or of the process, that has ended is no fault of the webhook.
 */
static bool is_ours(const struct error *err, int64_t deadline, struct loop *loop)
{
    return error_is(err, ERROR_CANCELED) || error_is(err, ERROR_TOO_MANY_REQUESTS) ||
           (error_is(err, ERROR_DEADLINE) && deadline <= loop_now(loop));
}

static struct error *reach_webhook(struct api *api, const struct webhook_request *request,
                                   struct target *target, struct arena *arena,
                                   struct tls_trust *trust, struct buf *answer)
{
    const struct json_value *service = json_path(request->client_config, "service");
    FIBER_TIMEOUT(request->timeout);
    if (!api->webhook_caller)
        return error_new(ERROR_UNREACHABLE, "this server calls no webhooks");
    if (service)
        TRY(webhook_service_resolve(api, arena, json_path_str(service, "namespace"),
                                    json_path_str(service, "name"), target->address.port,
                                    &target->address));
    return post_review(api->webhook_caller, target, trust, request, answer);
}

/* Whether kube-apiserver would say "Post "url": ..." or what the server answered. */
static bool is_about_connection(const struct error *err)
{
    return !error_is(err, ERROR_PROTOCOL);
}

struct error *webhook_call(struct api *api, const struct webhook_request *request,
                           struct buf *answer)
{
    SCOPED(arena) arena = {0};
    OWNED(tls_trust) trust = NULL;
    struct target target = {0};
    const int64_t deadline = fiber_deadline();
    const struct json_value *service = json_path(request->client_config, "service");
    const struct str query =
        arena_print(&arena, "?timeout=%llds", (long long)(request->timeout / SECOND));
    if (service)
        target_service(&arena, service, query, &target);
    else
        TRY(target_url(&arena, json_path_str(request->client_config, "url"), query, &target));
    TRY(read_trust(request->client_config, &trust),
        "could not get REST client: unable to load root certificates");
    struct error *err = reach_webhook(api, request, &target, &arena, trust, answer);
    if (!err || is_ours(err, deadline, api->loop))
        return err;
    OWNED(error) owned = err;
    if (!is_about_connection(err))
        return error_new(ERROR_PROTOCOL, "%s%s", request->context, err->message);
    return error_new(ERROR_UNREACHABLE, "%sPost \"%.*s\": %s", request->context,
                     STR_ARG(target.url),
                     err->code == ERROR_DEADLINE ? "context deadline exceeded" : err->message);
}
