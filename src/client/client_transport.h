/*
 * The connections of a client: to its server, as whom and believing what it does now; to the same
 * with what went before, for as long as something runs there; and to where redirects lead, as
 * nobody.
 *
 *     struct client_transport *transport = client_transports_own(transports, identity, trust);
 *     struct error *err = client_transport_send(transport, &request, &response);
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"

struct client_options;
struct http_client_request;
struct http_response;
struct loop;
struct tls_identity;
struct tls_trust;
struct url;

struct client_transport;

struct client_transports {
    struct loop *loop;
    const struct client_options *options;
    struct client_transport *own; /* the one in use; NULL: none yet */
    struct list others;           /* those that still have calls, and those to other servers */
};

void client_transports_init(struct client_transports *transports, struct loop *loop,
                            const struct client_options *options);

/* No call may be running. */
void client_transports_done(struct client_transports *transports);

/* To the client's server with these credentials. Valid until the next suspension, unless sending.
 */
struct client_transport *client_transports_own(struct client_transports *transports,
                                               struct tls_identity *identity,
                                               struct tls_trust *trust);

/* Connections to the client's server that are made from now on. */
void client_transports_offer_http2(struct client_transports *transports);

/* To any server, without credentials. Valid for as long. */
struct client_transport *client_transports_other(struct client_transports *transports,
                                                 const struct url *server, struct tls_trust *trust);

/* Suspends until the head of the answer is there. */
MUST_USE struct error *client_transport_send(struct client_transport *transport,
                                             const struct http_client_request *request,
                                             struct http_response **ret_response);
