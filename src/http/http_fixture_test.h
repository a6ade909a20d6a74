/* A server and a client for tests, over the simulated network or the real one. */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "http/client_internal.h"
#include "http/response_internal.h"
#include "http/server_internal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "net/transport.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define HTTP_FIXTURE_HOST STR("server.test")

enum http_fixture_kind {
    HTTP_FIXTURE_PLAIN,
    HTTP_FIXTURE_TLS_H1,
    HTTP_FIXTURE_TLS_H2,
    HTTP_FIXTURE_KINDS
};

struct http_fixture {
    enum http_fixture_kind kind;
    struct network *network;
    struct test_certs certs;
    struct tls_context *tls;
    struct tls_server *tls_server;
    struct http_server_options server_options;
    struct http_client_options client_options;
    struct http_server *server;
    struct http_client *client;
};

static inline const char *http_fixture_name(enum http_fixture_kind kind)
{
    const char *const names[] = {"plain", "HTTP/1.1 over TLS", "HTTP/2 over TLS"};
    return names[kind];
}

/* Makes all but server and client, whose options may be changed before http_fixture_start(). */
static inline void http_fixture_init(struct http_fixture *fixture, enum http_fixture_kind kind,
                                     http_handler_fn handler, void *data)
{
    *fixture = (struct http_fixture){.kind = kind, .network = sim_network_new(loop_current())};
    const bool http2 = kind == HTTP_FIXTURE_TLS_H2;
    fixture->tls = tls_context_new();
    if (kind != HTTP_FIXTURE_PLAIN) {
        test_certs_init(&fixture->certs, loop_wall(loop_current()));
        CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = fixture->certs.server,
                                                             .client_trust = fixture->certs.trust,
                                                             .http2 = http2},
                                &fixture->tls_server));
    }
    fixture->server_options = (struct http_server_options){
        .network = fixture->network,
        .host = HTTP_FIXTURE_HOST,
        .tls = fixture->tls_server,
        .handler = handler,
        .data = data,
    };
    fixture->client_options.endpoint = (struct http_endpoint){
        .network = fixture->network,
        .host = HTTP_FIXTURE_HOST,
        .plain = kind == HTTP_FIXTURE_PLAIN,
        .tls = fixture->tls,
        .identity = fixture->certs.client,
        .trust = fixture->certs.trust,
    };
}

static inline struct error *http_fixture_start(struct http_fixture *fixture)
{
    TRY(http_server_new(loop_current(), &fixture->server_options, &fixture->server));
    fixture->client_options.endpoint.port = http_server_port(fixture->server);
    fixture->client = http_client_new(loop_current(), &fixture->client_options);
    return NULL;
}

/* Waits until all connections of the simulated network are closed. */
static inline void http_fixture_wait_closed(struct network *network)
{
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
}

static inline void http_fixture_done(struct http_fixture *fixture)
{
    http_client_free(fixture->client);
    http_server_free(fixture->server);
    http_fixture_wait_closed(fixture->network);
    tls_server_free(fixture->tls_server);
    tls_context_free(fixture->tls);
    if (fixture->kind != HTTP_FIXTURE_PLAIN)
        test_certs_done(&fixture->certs);
    network_free(fixture->network);
}

static inline struct error *http_fixture_get(struct http_fixture *fixture, struct str target,
                                             int *ret_status, struct buf *body)
{
    OWNED(http_response) response = NULL;
    TRY(http_client_send(fixture->client, &(struct http_client_request){.target = target},
                         &response));
    *ret_status = http_response_status(response);
    return http_response_read_all(response, body);
}
