#include "support/simulation/front.h"

#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/ensure_object.h"
#include "async/fiber.h"
#include "base/base64.h"
#include "http/client.h"
#include "http/server.h"
#include "json/json.h"
#include "net/network.h"
#include "testing/sim_network.h"
#include "testing/test.h"

void front_shared_init(struct front_shared *shared)
{
    CHECK_OK(token_keys_new(&shared->keys));
    shared->base_rbac = bootstrap_policy_rbac();
    shared->pool = crd_pool_new();
}

void front_shared_done(struct front_shared *shared)
{
    crd_pool_free(shared->pool);
    rbac_free(shared->base_rbac);
    token_keys_free(shared->keys);
}

static struct http_server *listen_on(struct front *front, struct str host, http_handler_fn handler,
                                     void *data)
{
    struct http_server *server;
    const struct http_server_options options = {.network = front->options.network,
                                                .host = host,
                                                .port = FRONT_PORT,
                                                .handler = handler,
                                                .data = data};
    CHECK_OK(http_server_new(loop_current(), &options, &server));
    return server;
}

void front_listen(struct front *front)
{
    front->front = listen_on(front, front->options.host, front_serve, front);
}

void front_shut(struct front *front)
{
    http_server_free(TAKE(front->front));
}

static void open_api(struct front *front)
{
    const struct front_options *options = &front->options;
    const struct store_options store = {.history_age = SECOND, .history_events = options->history};
    const struct api_options api = {
        .loop = loop_current(),
        .store = store_new(loop_current(), &store),
        .keys = options->shared->keys,
        .base_rbac = options->shared->base_rbac,
        .pool = options->shared->pool,
        .webhooks = options->webhooks,
        .definitions = options->definitions,
        .definition_count = options->definition_count,
        .cluster = options->cluster,
    };
    CHECK_OK(api_new(&api, &front->api));
    front->handler = (struct handler){.loop = loop_current(), .api = front->api};
    inflight_limits_init(&front->handler.limits, 0, 0);
    parties_init(&front->handler.parties, front->handler.loop);
    auth_admin_token(options->shared->keys, options->cluster, &front->token);
}

static void open_to_all(struct front *front)
{
    static const char text[] =
        "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\","
        "\"metadata\":{\"name\":\"everybody\"},\"subjects\":[{\"kind\":\"Group\",\"apiGroup\":"
        "\"rbac.authorization.k8s.io\",\"name\":\"system:unauthenticated\"}],\"roleRef\":{"
        "\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":"
        "\"cluster-admin\"}}";
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(str_from_c(text), &doc));
    CHECK_OK(ensure_object(front->api, doc, ENSURE_IF_MISSING));
}

void front_open(struct front *front, const struct front_options *options)
{
    front->options = *options;
    open_api(front);
    if (options->is_open)
        open_to_all(front);
    front->back = listen_on(front, options->back, handler_serve, &front->handler);
    const struct http_client_options direct = {
        .endpoint = {.network = options->network,
                     .host = options->back,
                     .port = FRONT_PORT,
                     .plain = true},
        .connections = 64,
        .no_gzip = true,
    };
    front->direct = http_client_new(loop_current(), &direct);
    front->config.server =
        (struct url){.scheme = URL_HTTP, .host = options->host, .port = FRONT_PORT};
    front->config.host = STR("http://server.test");
    front->config.auth.token = buf_str(&front->token);
    front_listen(front);
}

void front_close(struct front *front)
{
    front_shut(front);
    http_client_free(front->direct);
    http_server_free(front->back);
    inflight_limits_done(&front->handler.limits);
    parties_done(&front->handler.parties);
    api_free(front->api);
    buf_done(&front->token);
}

static struct str type_of(const char *method)
{
    return str_eq(str_from_c(method), STR("PATCH")) ? STR("application/merge-patch+json")
                                                    : STR("application/json");
}

int front_call(struct front *front, const char *method, const char *target, const char *body)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) bearer = {.secret = true};
    SCOPED(buf) answer = {.limit = 0};
    OWNED(http_response) response = NULL;
    buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&front->token)));
    CHECK_OK(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    CHECK_OK(http_headers_add(&headers, STR("content-type"), type_of(method)));
    const struct http_client_request request = {.method = str_from_c(method),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = str_from_c(body)};
    CHECK_OK(http_client_send(front->direct, &request, &response));
    CHECK_OK(http_response_read_all(response, &answer));
    const int status = http_response_status(response);
    trace_print(front->options.trace, "world: %s%s %s %d", front->options.name, method, target,
                status);
    if (status >= 400 && front->options.trace->verbose)
        fprintf(stderr, "    %.*s\n", STR_ARG(buf_str(&answer)));
    return status;
}

void front_put(struct front *front, const struct buf *text)
{
    OWNED(json_doc) doc = NULL;
    CHECK_OK(json_read(buf_str(text), &doc));
    CHECK_OK(ensure_object(front->api, doc, ENSURE_MERGE));
}

void front_put_kubeconfig(struct front *front, size_t cluster, struct str host, struct str token)
{
    SCOPED(buf) url = {.limit = 0};
    SCOPED(buf) config = {.limit = 0};
    SCOPED(buf) encoded = {.limit = 0};
    SCOPED(buf) secret = {.limit = 0};
    buf_print(&url, "http://%.*s", STR_ARG(host));
    kubeconfig_write(&config, STR("c"),
                     &(struct rest_config){.host = buf_str(&url), .auth.token = token});
    base64_encode(&encoded, buf_str(&config));
    buf_print(&secret,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"cluster.x-k8s.io/secret\","
              "\"metadata\":{\"name\":\"c%zu-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"c%zu\"}},\"data\":{\"value\":\"%.*s\"}}",
              cluster, cluster, STR_ARG(buf_str(&encoded)));
    front_put(front, &secret);
}

/* Without what a server does for its clients: it is asked for more often than anything else. */
struct json_doc *front_find(struct front *front, struct gvr gvr, struct key key)
{
    SCOPED(arena) arena = {0};
    SCOPED(store_object) found = {0};
    struct json_doc *doc = NULL;
    const struct kind *kind = api_find_kind(front->api, &arena, gvr);
    CHECK(kind != NULL);
    OWNED(error) missing = store_get(front->api->store, api_id(kind, key), &found);
    if (!missing)
        CHECK_OK(json_read(object_text_json(found.text), &doc));
    return doc;
}
