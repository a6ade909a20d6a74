#include "http/server.h"

#include <stdio.h>

#include "api/wellknown.h"
#include "async/fiber.h"
#include "custom/custom_pool.h"
#include "http/client.h"
#include "json/json.h"
#include "net/network.h"
#include "soak/soak.h"

#define CLUSTER STR("soak") /* a virtual cluster has an admin with a token: no TLS is needed */

void soak_ground_init(struct soak_ground *ground)
{
    CHECK_OK(access_keys_new(&ground->keys));
    ground->base_rbac = access_bootstrap_rbac();
    ground->pool = custom_pool_new();
}

void soak_ground_done(struct soak_ground *ground)
{
    custom_pool_free(ground->pool);
    rbac_free(ground->base_rbac);
    access_keys_free(ground->keys);
}

static struct http_server *listen_on(struct soak *soak, struct str host, http_handler_fn handler,
                                     void *data)
{
    struct http_server *server;
    const struct http_server_options options = {.network = soak->network,
                                                .host = host,
                                                .port = SOAK_PORT,
                                                .handler = handler,
                                                .data = data};
    CHECK_OK(http_server_new(loop_current(), &options, &server));
    return server;
}

void soak_front_open(struct soak *soak)
{
    soak->front = listen_on(soak, SOAK_FRONT, soak_front_serve, soak);
}

void soak_front_close(struct soak *soak)
{
    http_server_free(TAKE(soak->front));
}

static void open_api(struct soak *soak)
{
    const struct store_options store = {.history_age = SECOND,
                                        .history_events = soak->profile.history};
    const struct api_options options = {
        .loop = loop_current(),
        .store = store_new(loop_current(), &store),
        .keys = soak->ground->keys,
        .base_rbac = soak->ground->base_rbac,
        .pool = soak->ground->pool,
        .cluster = CLUSTER,
    };
    CHECK_OK(api_new(&options, &soak->api));
    soak->handler = (struct handler){.loop = loop_current(), .api = soak->api};
    gate_init(&soak->handler.gate, 0, 0);
    access_admin_token(soak->ground->keys, CLUSTER, &soak->token);
}

void soak_server_open(struct soak *soak)
{
    soak->network = sim_network_new(loop_current());
    open_api(soak);
    soak->back = listen_on(soak, SOAK_BACK, handler_serve, &soak->handler);
    const struct http_client_options direct = {
        .endpoint = {.network = soak->network, .host = SOAK_BACK, .port = SOAK_PORT, .plain = true},
        .connections = 64,
        .no_gzip = true,
    };
    soak->direct = http_client_new(loop_current(), &direct);
    soak->config.server = (struct url){.scheme = URL_HTTP, .host = SOAK_FRONT, .port = SOAK_PORT};
    soak->config.host = STR("http://server.test");
    soak->config.auth.token = buf_str(&soak->token);
    soak_front_open(soak);
}

void soak_server_close(struct soak *soak)
{
    soak_front_close(soak);
    http_client_free(soak->direct);
    http_server_free(soak->back);
    gate_done(&soak->handler.gate);
    api_free(soak->api);
    while (sim_network_connections(soak->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(soak->network);
    buf_done(&soak->token);
}

static struct str type_of(const char *method)
{
    return str_eq(str_from_c(method), STR("PATCH")) ? STR("application/merge-patch+json")
                                                    : STR("application/json");
}

int soak_call(struct soak *soak, const char *method, const char *target, const char *body)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) bearer = {.secret = true};
    SCOPED(buf) answer = {.limit = 0};
    OWNED(http_response) response = NULL;
    buf_print(&bearer, "Bearer %.*s", STR_ARG(buf_str(&soak->token)));
    CHECK_OK(http_headers_add(&headers, STR("authorization"), buf_str(&bearer)));
    CHECK_OK(http_headers_add(&headers, STR("content-type"), type_of(method)));
    const struct http_client_request request = {.method = str_from_c(method),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = str_from_c(body)};
    CHECK_OK(http_client_send(soak->direct, &request, &response));
    CHECK_OK(http_response_read_all(response, &answer));
    const int status = http_response_status(response);
    soak_trace(soak, "world: %s %s %d", method, target, status);
    if (status >= 400 && soak->verbose)
        fprintf(stderr, "    %.*s\n", STR_ARG(buf_str(&answer)));
    return status;
}

struct json_doc *soak_find(struct soak *soak, struct gvr gvr, const char *name)
{
    SCOPED(arena) arena = {0};
    struct json_doc *doc = NULL;
    const struct kind *kind = api_find_kind(soak->api, &arena, gvr);
    CHECK(kind != NULL);
    OWNED(error)
    missing = api_get(soak->api, kind, (struct key){STR("default"), str_from_c(name)}, &doc);
    return missing ? NULL : doc;
}
