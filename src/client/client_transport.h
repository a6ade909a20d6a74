/*
 * Transports: the HTTP clients behind a client, one for each server and set of TLS credentials.
 *
 * The own transport connects to the client's server with the current client certificate and the
 * current certificate authorities. When these change, a new own transport replaces it; the old one
 * stays until its calls have ended. Redirects to other servers have transports without credentials.
 *
 *     TRY(client_transports_own(transports, identity, trust, &transport));
 *     struct http_client *http = client_transport_hold(transport);
 *     struct error *err = http_client_send(http, &request, &response);
 *     client_transport_release(transport);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"

struct client_options;
struct http_client;
struct loop;
struct tls_identity;
struct tls_trust;
struct url;

struct client_transport;

struct client_transports {
    struct loop *loop;
    const struct client_options *options;
    struct client_transport *own; /* the current one; NULL before the first request */
    struct list others;           /* replaced ones that still have calls, and other servers */
    uint64_t replaced_dials;      /* connections that the replaced ones had made */
};

void client_transports_init(struct client_transports *transports, struct loop *loop,
                            const struct client_options *options);

/* No call may be running. */
void client_transports_done(struct client_transports *transports);

/*
 * The transport to the client's server with these credentials, made if there is none. It may be
 * freed at the next suspension, unless client_transport_send() is running on it. ERROR_INVALID for
 * a proxy of the environment that cannot be used.
 */
MUST_USE struct error *client_transports_own(struct client_transports *transports,
                                             struct tls_identity *identity, struct tls_trust *trust,
                                             struct client_transport **ret_transport);

/* Connections made to the client's server so far. */
uint64_t client_transports_dial_count(const struct client_transports *transports);

/* Whether the last connection to the client's server speaks HTTP/2. */
bool client_transports_speak_http2(const struct client_transports *transports);

/* Makes new connections to the client's server offer HTTP/2. */
void client_transports_offer_http2(struct client_transports *transports);

/* The transport to another server, without credentials. Valid as long as the own transport. */
MUST_USE struct error *client_transports_other(struct client_transports *transports,
                                               const struct url *server, struct tls_trust *trust,
                                               struct client_transport **ret_transport);

/* Keeps the transport until the release, so that the caller may suspend in http_client_send(). */
struct http_client *client_transport_hold(struct client_transport *transport);
void client_transport_release(struct client_transport *transport);
