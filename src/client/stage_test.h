/* An API server for tests: it notes what it is asked and answers what it is told. */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

/* What the server answers next: status, a header, a body. After the last one it repeats it. */
struct scripted {
    int status;
    const char *header, *value; /* NULL for none */
    const char *body;
};

struct stage {
    bool real; /* sockets instead of the simulated network */
    struct network *network;
    struct test_certs certs;
    struct tls_context *tls;
    struct tls_server *tls_server;
    http_handler_fn handler; /* NULL: the script */
    void *data;
    struct http_server *server;
    uint16_t port;
    struct rest_config config;
    struct client_options options;
    struct client *client;
    struct metrics *metrics;

    const struct scripted *script;
    size_t script_count, requests;
    struct buf seen; /* "METHOD target\n" per request */
    struct buf last_body;
    struct http_headers last_headers;
};

static inline struct error *stage_handle(void *data, struct http_request *request)
{
    struct stage *stage = data;
    buf_print(&stage->seen, "%.*s %.*s\n", STR_ARG(http_request_method(request)),
              STR_ARG(http_request_target(request)));
    if (stage->handler)
        return stage->handler(stage->data, request);
    http_headers_done(&stage->last_headers);
    TRY(http_headers_add_all(&stage->last_headers, http_request_headers(request)));
    buf_clear(&stage->last_body);
    TRY(http_request_read_all(request, &stage->last_body));
    const size_t last = stage->script_count - 1;
    const struct scripted *answer = &stage->script[stage->requests < last ? stage->requests : last];
    stage->requests++;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    if (answer->header)
        TRY(http_headers_add(&headers, str_from_c(answer->header), str_from_c(answer->value)));
    TRY(http_request_respond(request, answer->status, &headers));
    return http_request_write(request, str_from_c(answer->body));
}

static inline struct str stage_host(const struct stage *stage)
{
    return stage->real ? STR("127.0.0.1") : STR("server.test");
}

static inline struct error *stage_serve(struct stage *stage)
{
    const struct http_server_options options = {
        .network = stage->network,
        .host = stage_host(stage),
        .port = stage->port,
        .tls = stage->tls_server,
        .handler = stage_handle,
        .data = stage,
    };
    TRY(http_server_new(loop_current(), &options, &stage->server));
    stage->port = http_server_port(stage->server);
    return NULL;
}

/* options and config may be changed before stage_start(). */
static inline void stage_init(struct stage *stage, bool real)
{
    *stage = (struct stage){.real = real};
    stage->network = real ? tcp_network_new(loop_current()) : sim_network_new(loop_current());
    test_certs_init(&stage->certs, loop_wall(loop_current()));
    stage->tls = tls_context_new();
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = stage->certs.server,
                                                         .client_trust = stage->certs.trust,
                                                         .http2 = true},
                            &stage->tls_server));
    CHECK_OK(stage_serve(stage));
    stage->metrics = metrics_new();
    stage->config.server = (struct url){
        .scheme = URL_HTTPS,
        .host = stage_host(stage),
        .port = stage->port,
        .path = STR("/prefix"),
    };
    stage->config.host = STR("https://stage/prefix");
    stage->config.tls.trust = tls_trust_ref(stage->certs.trust);
    stage->config.tls.identity = tls_identity_ref(stage->certs.client);
    stage->options = (struct client_options){
        .config = &stage->config,
        .network = stage->network,
        .tls = stage->tls,
        .user_agent = STR("test/1"),
        .metrics = stage->metrics,
        .qps = -1,
    };
}

static inline void stage_start(struct stage *stage)
{
    stage->client = client_new(loop_current(), &stage->options);
}

static inline void stage_done(struct stage *stage)
{
    client_free(stage->client);
    http_server_free(stage->server);
    while (!stage->real && sim_network_connections(stage->network) > 0) {
        FIBER_SHIELD(FOREVER);
        CHECK_OK(fiber_sleep(SECOND));
    }
    rest_config_done(&stage->config);
    metrics_free(stage->metrics);
    tls_server_free(stage->tls_server);
    tls_context_free(stage->tls);
    test_certs_done(&stage->certs);
    network_free(stage->network);
    buf_done(&stage->seen);
    buf_done(&stage->last_body);
    http_headers_done(&stage->last_headers);
}

static inline void stage_script(struct stage *stage, const struct scripted *script, size_t count)
{
    stage->script = script;
    stage->script_count = count;
    stage->requests = 0;
    buf_clear(&stage->seen);
}

#define SCRIPT(stage, ...)                                      \
    stage_script(stage, (const struct scripted[]){__VA_ARGS__}, \
                 sizeof((const struct scripted[]){__VA_ARGS__}) / sizeof(struct scripted))
