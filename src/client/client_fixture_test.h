/* An API server for tests: it records its requests and answers from a script. */
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

struct client_fixture {
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

static inline struct error *client_fixture_handle(void *data, struct http_request *request)
{
    struct client_fixture *fixture = data;
    buf_print(&fixture->seen, "%.*s %.*s\n", STR_ARG(http_request_method(request)),
              STR_ARG(http_request_target(request)));
    if (fixture->handler)
        return fixture->handler(fixture->data, request);
    http_headers_clear(&fixture->last_headers);
    TRY(http_headers_add_all(&fixture->last_headers, http_request_headers(request)));
    buf_clear(&fixture->last_body);
    TRY(http_request_read_all(request, &fixture->last_body));
    const size_t last = fixture->script_count - 1;
    const struct scripted *answer =
        &fixture->script[fixture->requests < last ? fixture->requests : last];
    fixture->requests++;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    if (answer->header)
        TRY(http_headers_add(&headers, str_from_c(answer->header), str_from_c(answer->value)));
    TRY(http_request_respond(request, answer->status, &headers));
    return http_request_write(request, str_from_c(answer->body));
}

static inline struct str client_fixture_host(const struct client_fixture *fixture)
{
    return fixture->real ? STR("127.0.0.1") : STR("server.test");
}

static inline struct error *client_fixture_serve(struct client_fixture *fixture)
{
    const struct http_server_options options = {
        .network = fixture->network,
        .host = client_fixture_host(fixture),
        .port = fixture->port,
        .tls = fixture->tls_server,
        .handler = client_fixture_handle,
        .data = fixture,
    };
    TRY(http_server_new(loop_current(), &options, &fixture->server));
    fixture->port = http_server_port(fixture->server);
    return NULL;
}

/* options and config may be changed before client_fixture_start(). */
static inline void client_fixture_init(struct client_fixture *fixture, bool real)
{
    *fixture = (struct client_fixture){.real = real};
    fixture->network = real ? tcp_network_new(loop_current()) : sim_network_new(loop_current());
    test_certs_init(&fixture->certs, loop_wall(loop_current()));
    fixture->tls = tls_context_new();
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = fixture->certs.server,
                                                         .client_trust = fixture->certs.trust,
                                                         .http2 = true},
                            &fixture->tls_server));
    CHECK_OK(client_fixture_serve(fixture));
    fixture->metrics = metrics_new();
    fixture->config.server = (struct url){
        .scheme = URL_HTTPS,
        .host = client_fixture_host(fixture),
        .port = fixture->port,
        .path = STR("/prefix"),
    };
    fixture->config.host = STR("https://fixture/prefix");
    fixture->config.tls.trust = tls_trust_ref(fixture->certs.trust);
    fixture->config.tls.identity = tls_identity_ref(fixture->certs.client);
    fixture->options = (struct client_options){
        .config = &fixture->config,
        .network = fixture->network,
        .tls = fixture->tls,
        .user_agent = STR("test/1"),
        .metrics = fixture->metrics,
        .qps = -1,
    };
}

static inline void client_fixture_start(struct client_fixture *fixture)
{
    fixture->client = client_new(loop_current(), &fixture->options);
}

static inline void client_fixture_done(struct client_fixture *fixture)
{
    client_free(fixture->client);
    http_server_free(fixture->server);
    while (!fixture->real && sim_network_connections(fixture->network) > 0) {
        FIBER_SHIELD(FOREVER);
        CHECK_OK(fiber_sleep(SECOND));
    }
    rest_config_done(&fixture->config);
    metrics_free(fixture->metrics);
    tls_server_free(fixture->tls_server);
    tls_context_free(fixture->tls);
    test_certs_done(&fixture->certs);
    network_free(fixture->network);
    buf_done(&fixture->seen);
    buf_done(&fixture->last_body);
    http_headers_done(&fixture->last_headers);
}

static inline void client_fixture_script(struct client_fixture *fixture,
                                         const struct scripted *script, size_t count)
{
    fixture->script = script;
    fixture->script_count = count;
    fixture->requests = 0;
    buf_clear(&fixture->seen);
}

#define SCRIPT(fixture, ...)                                               \
    client_fixture_script(fixture, (const struct scripted[]){__VA_ARGS__}, \
                          sizeof((const struct scripted[]){__VA_ARGS__}) / \
                              sizeof(struct scripted))
