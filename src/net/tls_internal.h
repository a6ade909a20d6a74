/*
 * What the TLS modules share. OpenSSL's types stay behind this header.
 */
#pragma once

#include <openssl/ssl.h>

#include "async/loop.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "net/tls.h"
#include "net/transport.h"

/* Wall-clock nanoseconds. */
struct tls_validity {
    int64_t not_before, not_after;
};

struct tls {
    struct transport transport;
    struct transport *lower;
    SSL *ssl;
    /* The options of a client for as long as its handshake runs; NULL afterwards. */
    const struct tls_client_options *options;
    struct tls_resumption *resumption;
    struct tls_handshake *handshake; /* NULL when it is complete */
    struct buf unread;               /* that came with the handshake and was not read in it */
    struct error *verify_err;        /* why the certificate was refused */
    /* The time in which a client's certificate and all that lead to the authority are valid. */
    struct tls_validity validity;
    char fingerprint[SHA256_HEX_LEN + 1]; /* of that certificate, once it was asked for */
    const struct tls_server *server;      /* NULL: this is a client */
    uint64_t trust_number;                /* of the server at the handshake */
    bool receive_needs_write;
    bool send_needs_read;
    bool is_drained;    /* the transport below had no more bytes at the last read */
    bool may_have_more; /* the SSL may hold bytes that were not read yet */
    struct task ready_task;
};

/*
 * The certificates of a trust as a stack for X509_STORE_CTX_set0_trusted_stack(). The caller frees
 * it with all of them.
 */
STACK_OF(X509) * tls_trust_parse(const struct tls_trust *trust);

/* Makes the identity's certificates and key those of this SSL. */
MUST_USE struct error *tls_identity_use(const struct tls_identity *identity, SSL *ssl);

/*
 * The first private key of a PEM text. ERROR_PARSE when there is none of a type that is read, and
 * ERROR_TOO_LARGE for one that would compute for long. Both are found out before it is decoded.
 */
MUST_USE struct error *tls_key_read(struct str pem, EVP_PKEY **ret_key);

/* A key from PKCS#8, or NULL. For what tls_key_read() has read. */
EVP_PKEY *tls_key_parse(struct str encoded);

/* ERROR_TOO_LARGE for a certificate whose key is larger than any that is used honestly. */
MUST_USE struct error *tls_check_public_key(const X509 *certificate);

/*
 * Around each handshake. What was parsed does not change in between, because a worker thread may
 * read it. With the last one that settles they are kept as bytes only.
 */
void tls_trust_hold(struct tls_trust *trust);
void tls_trust_settle(struct tls_trust *trust);
void tls_identity_hold(struct tls_identity *identity);
void tls_identity_settle(struct tls_identity *identity);

/* An error from OpenSSL's queue, which is emptied. The message is "what: reason". */
MUST_USE struct error *tls_error(const char *what);

/* A time of a certificate in wall-clock nanoseconds; otherwise for one that cannot be read. */
int64_t tls_wall(const ASN1_TIME *time, int64_t otherwise);

/* The callback that verifies a server; set on the shared context. arg is unused. */
int tls_verify(X509_STORE_CTX *store, void *arg);

/* Protocols by ALPN, in wire form: length byte, name. */
static const unsigned char tls_alpn_both[] = "\x02h2\x08http/1.1";
static const unsigned char tls_alpn_http[] = "\x08http/1.1";

void tls_set_common_options(SSL_CTX *ctx);

/* A transport over lower, which it owns, before its handshake. */
struct tls *tls_new(SSL_CTX *ctx, struct transport *lower);

/* Suspends. first is what was received from the transport below already. */
MUST_USE struct error *tls_handshake(struct tls *tls, struct str first);

/*
 * For the BIO while there is a handshake: what OpenSSL writes, and what it reads. -1 means later;
 * 0 is the end.
 */
int tls_handshake_write(struct tls_handshake *handshake, struct str bytes);
int tls_handshake_read(struct tls_handshake *handshake, char *ptr, size_t capacity);

/* Takes a session that arrives in the middle of the handshake. */
void tls_handshake_keep_session(struct tls_handshake *handshake, SSL_SESSION *session);
void tls_handshake_free(struct tls_handshake *handshake);

/*
 * Why a call of OpenSSL failed, from the queue of this thread. The cause that is nearest to the
 * user comes first.
 */
MUST_USE struct error *tls_describe_failure(struct tls *tls, int ssl_error);

/* NULL when the transport is not TLS. */
SSL *tls_ssl(struct transport *transport);

struct tls *tls_of(SSL *ssl);
void tls_of_set(SSL *ssl, struct tls *tls);

/*
 * Resumption: the callback that keeps the session a server has sent, and the offer of that session.
 */
int tls_session_arrived(SSL *ssl, SSL_SESSION *session);
void tls_resumption_keep(struct tls_resumption *resumption, SSL_SESSION *session);
void tls_resumption_offer(const struct tls_resumption *resumption, SSL *ssl);
