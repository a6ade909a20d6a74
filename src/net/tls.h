/*
 * TLS 1.2 and newer over a transport, client and server.
 *
 * One context serves every client connection of the process. Credentials and trusted certificates
 * are kept as encoded bytes and parsed while a full handshake needs them, so that ten thousand idle
 * clusters take little memory. A resumed handshake parses nothing.
 *
 * Verification is on unless the options of a client switch it off. The certificate is checked
 * against exactly the trust that was given, by the clock of the loop. Names in the subject of the
 * certificate do not count.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct transport;
struct tls_context;
struct tls_identity;
struct tls_resumption;
struct tls_server;
struct tls_trust;

/* A certificate chain and its key, from PEM. Shared by reference; wiped with the last reference. */
MUST_USE struct error *tls_identity_read(struct str certificate_pem, struct str key_pem,
                                         struct tls_identity **ret_identity);
struct tls_identity *tls_identity_ref(struct tls_identity *identity);
void tls_identity_free(struct tls_identity *identity); /* gives one reference back */
DEFINE_OWNED(tls_identity)

/*
 * The certificates that are trusted, from PEM: authorities, or servers themselves. Shared by
 * reference.
 */
MUST_USE struct error *tls_trust_read(struct str pem, struct tls_trust **ret_trust);
struct tls_trust *tls_trust_ref(struct tls_trust *trust);
void tls_trust_free(struct tls_trust *trust);
bool tls_trust_eq(const struct tls_trust *a, const struct tls_trust *b); /* either may be NULL */
DEFINE_OWNED(tls_trust)

/*
 * A session that a server has sent, which shortens the next handshake with that server. One for
 * each client and server.
 */
struct tls_resumption *tls_resumption_new(void);
void tls_resumption_free(struct tls_resumption *resumption);
DEFINE_OWNED(tls_resumption)

struct tls_context *tls_context_new(void);
void tls_context_free(struct tls_context *context);
DEFINE_OWNED(tls_context)

struct tls_client_options {
    struct str server_name;            /* name or address the certificate must be for */
    struct tls_identity *identity;     /* shown when the server asks; NULL for none */
    struct tls_trust *trust;           /* NULL: the system's authorities */
    bool skip_verify;                  /* accept any certificate; only if the user asked for it */
    bool http2;                        /* offer HTTP/2 beside HTTP/1.1 */
    struct tls_resumption *resumption; /* NULL: full handshakes only. Outlives the transport */
};

/*
 * Suspends for the handshake. Takes ownership of lower, even on failure. Errors say what is wrong
 * with the certificate or the connection.
 */
MUST_USE struct error *tls_connect(struct tls_context *context, struct transport *lower,
                                   const struct tls_client_options *options,
                                   struct transport **ret_transport);

struct tls_server_options {
    struct tls_identity *identity;
    struct tls_trust *client_trust; /* NULL: clients are not asked for a certificate */
    bool http2;
};

MUST_USE struct error *tls_server_new(const struct tls_server_options *options,
                                      struct tls_server **ret_server);
void tls_server_free(struct tls_server *server);

/*
 * From now on the server is what newer is, which is freed. Connections stay open. If the trust is
 * another one, certificates that clients have shown before are no longer valid.
 */
void tls_server_become(struct tls_server *server, struct tls_server *newer);
DEFINE_OWNED(tls_server)

/*
 * Suspends for the handshake. Takes ownership of lower, even on failure. first is what was read
 * from it already. A client without a certificate, or with one that does not verify, is accepted
 * too: see tls_peer().
 */
MUST_USE struct error *tls_accept(struct tls_server *server, struct transport *lower,
                                  struct str first, struct transport **ret_transport);

/*
 * The protocol that both sides agreed on by ALPN: "h2", "http/1.1", or empty when they agreed on
 * none or the transport is not TLS.
 */
struct str tls_protocol(struct transport *transport);

struct tls_peer {
    bool shown;    /* the client has shown a certificate, whatever it is worth */
    bool verified; /* it is valid now; the rest is only set then */
    struct str common_name;
    const struct str *organizations;
    size_t organization_count;
    const struct str *uris; /* among its names */
    size_t uri_count;
    struct str fingerprint; /* SHA-256 of the certificate, in hexadecimal digits */
};

/*
 * The identity of a server's client. The time of the certificate is checked at every call, because
 * a connection may last longer than the certificate.
 */
void tls_peer(struct transport *transport, struct arena *arena, struct tls_peer *ret_peer);
