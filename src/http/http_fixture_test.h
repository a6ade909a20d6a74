/* A server and a client for tests, over the simulated network or the real one. */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "http/client.h"
#include "http/server.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "net/transport.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define STAGE_HOST STR("server.test")

enum stage_kind { STAGE_PLAIN, STAGE_TLS_H1, STAGE_TLS_H2, STAGE_KINDS };

struct stage {
    enum stage_kind kind;
    struct network *network;
    struct test_certs certs;
    struct tls_context *tls;
    struct tls_server *tls_server;
    struct http_server_options server_options;
    struct http_client_options client_options;
    struct http_server *server;
    struct http_client *client;
};

static inline const char *stage_name(enum stage_kind kind)
{
    const char *const names[] = {"plain", "HTTP/1.1 over TLS", "HTTP/2 over TLS"};
    return names[kind];
}

/* Everything but server and client, whose options may be changed before stage_start(). */
static inline void stage_init(struct stage *stage, enum stage_kind kind, http_handler_fn handler,
                              void *data)
{
    *stage = (struct stage){.kind = kind, .network = sim_network_new(loop_current())};
    const bool http2 = kind == STAGE_TLS_H2;
    stage->tls = tls_context_new();
    if (kind != STAGE_PLAIN) {
        test_certs_init(&stage->certs, loop_wall(loop_current()));
        CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = stage->certs.server,
                                                             .client_trust = stage->certs.trust,
                                                             .http2 = http2},
                                &stage->tls_server));
    }
    stage->server_options = (struct http_server_options){
        .network = stage->network,
        .host = STAGE_HOST,
        .tls = stage->tls_server,
        .handler = handler,
        .data = data,
    };
    stage->client_options.endpoint = (struct http_endpoint){
        .network = stage->network,
        .host = STAGE_HOST,
        .plain = kind == STAGE_PLAIN,
        .tls = stage->tls,
        .identity = stage->certs.client,
        .trust = stage->certs.trust,
    };
}

static inline struct error *stage_start(struct stage *stage)
{
    TRY(http_server_new(loop_current(), &stage->server_options, &stage->server));
    stage->client_options.endpoint.port = http_server_port(stage->server);
    stage->client = http_client_new(loop_current(), &stage->client_options);
    return NULL;
}

/* Lets connections that were told to close do so. */
static inline void stage_settle(struct network *network)
{
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
}

static inline void stage_done(struct stage *stage)
{
    http_client_free(stage->client);
    http_server_free(stage->server);
    stage_settle(stage->network);
    tls_server_free(stage->tls_server);
    tls_context_free(stage->tls);
    if (stage->kind != STAGE_PLAIN)
        test_certs_done(&stage->certs);
    network_free(stage->network);
}

static inline struct error *stage_get(struct stage *stage, struct str target, int *ret_status,
                                      struct buf *body)
{
    OWNED(http_response) response = NULL;
    TRY(http_client_send(stage->client, &(struct http_client_request){.target = target},
                         &response));
    *ret_status = http_response_status(response);
    return http_response_read_all(response, body);
}
