/*
 * The server's side of TLS, and the identity of its clients.
 *
 * A client certificate is asked for but not required: verify_client() lets every handshake go on
 * and records the result, and tls_peer() returns only what was verified. The authentication of the
 * request decides later, as in a Kubernetes API server.
 *
 * The handshake verifies signatures and usage; the time is left to tls_peer(), which is called for
 * every request. The times of the verified chain are kept with the connection and, for resumed
 * sessions, in the session ticket.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/memory.h"
#include "net/tls_internal.h"

struct tls_server {
    SSL_CTX *ctx;
    struct tls_trust *client_trust;
    uint64_t trust_number; /* counts the trusts it has had */
};

/*
 * ALPN: our order of preference. Without a common protocol the handshake fails (RFC 7301). arg is
 * NULL for a server without HTTP/2.
 */
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                           const unsigned char *offered, unsigned offered_len, void *arg)
{
    (void)ssl;
    const bool http2 = arg != NULL;
    const unsigned char *ours = http2 ? tls_alpn_both : tls_alpn_http;
    const unsigned ours_len = (unsigned)(http2 ? sizeof(tls_alpn_both) : sizeof(tls_alpn_http)) - 1;
    unsigned char *chosen;
    if (SSL_select_next_proto(&chosen, out_len, ours, ours_len, offered, offered_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* The time in which every certificate of a chain is valid. */
static struct tls_validity chain_validity(STACK_OF(X509) * chain)
{
    struct tls_validity validity = {INT64_MIN, INT64_MAX};
    for (int i = 0; i < sk_X509_num(chain); i++) {
        const X509 *certificate = sk_X509_value(chain, i);
        const int64_t not_before = tls_wall(X509_get0_notBefore(certificate), INT64_MAX);
        const int64_t not_after = tls_wall(X509_get0_notAfter(certificate), INT64_MIN);
        if (validity.not_before < not_before)
            validity.not_before = not_before;
        if (validity.not_after > not_after)
            validity.not_after = not_after;
    }
    return validity;
}

/*
 * Verifies the certificate of a client, except for its time. Always returns 1: the result is stored
 * in the SSL, where tls_peer() finds it.
 */
static int verify_client(X509_STORE_CTX *store, void *arg)
{
    (void)arg;
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    STACK_OF(X509) *trusted = tls_trust_parse(tls_of(ssl)->server->client_trust);
    X509_STORE_CTX_set0_trusted_stack(store, trusted);
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(store);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_NO_CHECK_TIME);
    const int ok = X509_verify_cert(store);
    const int reason = X509_STORE_CTX_get_error(store);
    tls_of(ssl)->validity = chain_validity(X509_STORE_CTX_get0_chain(store));
    X509_STORE_CTX_set0_trusted_stack(store, NULL);
    sk_X509_pop_free(trusted, X509_free);
    X509_STORE_CTX_set_error(store, ok == 1               ? X509_V_OK
                                    : reason == X509_V_OK ? X509_V_ERR_UNSPECIFIED
                                                          : reason);
    return 1;
}

/* A ticket keeps the client's certificate, but not those that lead to the authority. */
static int keep_validity(SSL *ssl, void *arg)
{
    (void)arg;
    const struct tls_validity *validity = &tls_of(ssl)->validity;
    return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), validity, sizeof(*validity));
}

/* A ticket without the times is not used, which leads to a full handshake. */
static SSL_TICKET_RETURN restore_validity(SSL *ssl, SSL_SESSION *session,
                                          const unsigned char *key_name, size_t key_name_len,
                                          SSL_TICKET_STATUS status, void *arg)
{
    (void)key_name;
    (void)key_name_len;
    (void)arg;
    struct tls_validity *validity = &tls_of(ssl)->validity;
    void *kept = NULL;
    size_t len = 0;
    if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW)
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    if (SSL_SESSION_get0_ticket_appdata(session, &kept, &len) != 1 || len != sizeof(*validity))
        return SSL_TICKET_RETURN_IGNORE_RENEW;
    memcpy(validity, kept, len);
    return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

static struct error *server_use_identity(SSL_CTX *ctx, const struct tls_identity *identity)
{
    /* tls_identity_use() works on an SSL, from which the certificates are copied to the context. */
    SSL *ssl = SSL_new(ctx);
    struct error *err = tls_identity_use(identity, ssl);
    if (!err && (SSL_CTX_use_certificate(ctx, SSL_get_certificate(ssl)) != 1 ||
                 SSL_CTX_use_PrivateKey(ctx, SSL_get_privatekey(ssl)) != 1))
        err = tls_error("use certificate and key");
    STACK_OF(X509) *chain = NULL;
    if (!err && SSL_get0_chain_certs(ssl, &chain) == 1 && chain)
        SSL_CTX_set1_chain(ctx, chain);
    SSL_free(ssl);
    return err;
}

/*
 * Sessions are resumed by tickets, which the server does not store. The session id context must be
 * set for resumption with client certificates.
 */
struct error *tls_server_new(const struct tls_server_options *options,
                             struct tls_server **ret_server)
{
    OWNED(tls_server) server = NEW(struct tls_server);
    server->ctx = SSL_CTX_new(TLS_server_method());
    if (!server->ctx)
        mem_exhausted(0);
    tls_set_common_options(server->ctx);
    SSL_CTX_set_options(server->ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_num_tickets(server->ctx, 1);
    SSL_CTX_set_session_cache_mode(server->ctx, SSL_SESS_CACHE_OFF); /* tickets need no cache */
    SSL_CTX_set_session_id_context(server->ctx, (const unsigned char *)"corset", 6);
    SSL_CTX_set_alpn_select_cb(server->ctx, choose_protocol,
                               options->http2 ? (void *)tls_alpn_both : NULL);
    if (options->client_trust) {
        server->client_trust = tls_trust_ref(options->client_trust);
        SSL_CTX_set_verify(server->ctx, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_cert_verify_callback(server->ctx, verify_client, NULL);
        SSL_CTX_set_session_ticket_cb(server->ctx, keep_validity, restore_validity, NULL);
    }
    TRY(server_use_identity(server->ctx, options->identity), "set up TLS server");
    *ret_server = TAKE(server);
    return NULL;
}

void tls_server_free(struct tls_server *server)
{
    if (!server)
        return;
    SSL_CTX_free(server->ctx);
    tls_trust_free(server->client_trust);
    mem_free(server);
}

/* OpenSSL counts the references to a context: handshakes that have begun end with the old one. */
void tls_server_become(struct tls_server *server, struct tls_server *newer)
{
    const struct tls_server old = *server;
    *server = *newer;
    server->trust_number =
        old.trust_number + (tls_trust_eq(old.client_trust, newer->client_trust) ? 0 : 1);
    *newer = old;
    tls_server_free(newer);
}

struct error *tls_accept(struct tls_server *server, struct transport *lower, struct str first,
                         struct transport **ret_transport)
{
    struct tls *tls = tls_new(server->ctx, lower);
    OWNED(transport) owner = &tls->transport;
    tls->server = server;
    tls->trust_number = server->trust_number;
    SSL_set_accept_state(tls->ssl);
    TRY(tls_handshake(tls, first), "TLS handshake");
    *ret_transport = TAKE(owner);
    return NULL;
}

/* One entry of a name as UTF-8; empty when it cannot be converted. */
static struct str entry_text(const X509_NAME *name, int index, struct arena *arena)
{
    const ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index));
    unsigned char *utf8 = NULL;
    const int len = ASN1_STRING_to_UTF8(&utf8, value);
    const struct str text =
        len < 0 ? (struct str){0} : arena_str(arena, str_from((char *)utf8, (size_t)len));
    OPENSSL_free(utf8);
    return text;
}

/* The common name is the user, the organizations are its groups. */
static void read_subject(X509_NAME *name, struct arena *arena, struct tls_peer *peer)
{
    const int entries = X509_NAME_entry_count(name);
    struct str *organizations =
        arena_alloc_array(arena, (size_t)entries + 1, sizeof(*organizations));
    for (int i = 0; i < entries; i++) {
        const ASN1_OBJECT *object = X509_NAME_ENTRY_get_object(X509_NAME_get_entry(name, i));
        const int nid = OBJ_obj2nid(object);
        if (nid == NID_commonName)
            peer->common_name = entry_text(name, i, arena);
        else if (nid == NID_organizationName)
            organizations[peer->organization_count++] = entry_text(name, i, arena);
    }
    peer->organizations = organizations;
}

static void read_uris(X509 *certificate, struct arena *arena, struct tls_peer *peer)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    const int count = sk_GENERAL_NAME_num(names); /* -1 without any */
    struct str *uris = arena_alloc_array(arena, (size_t)(count > 0 ? count : 0) + 1, sizeof(*uris));
    for (int i = 0; i < count; i++) {
        int type;
        const ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
        if (type == GEN_URI)
            uris[peer->uri_count++] =
                arena_str(arena, str_from((const char *)ASN1_STRING_get0_data(value),
                                          (size_t)ASN1_STRING_length(value)));
    }
    GENERAL_NAMES_free(names);
    peer->uris = uris;
}

/* Computed at the first request of a connection. */
static struct str fingerprint_of(struct tls *tls, const X509 *certificate)
{
    uint8_t digest[SHA256_LEN];
    if (!*tls->fingerprint && X509_digest(certificate, EVP_sha256(), digest, NULL) == 1)
        (void)sha256_hex(digest, tls->fingerprint);
    return str_from_c(tls->fingerprint);
}

void tls_peer(struct transport *transport, struct arena *arena, struct tls_peer *ret_peer)
{
    *ret_peer = (struct tls_peer){0};
    const SSL *ssl = tls_ssl(transport);
    X509 *certificate = ssl ? SSL_get0_peer_certificate(ssl) : NULL;
    if (!certificate)
        return;
    struct tls *tls = tls_of((SSL *)ssl);
    const int64_t now = loop_wall(transport->loop);
    ret_peer->shown = true;
    ret_peer->verified = SSL_get_verify_result(ssl) == X509_V_OK &&
                         tls->trust_number == tls->server->trust_number &&
                         tls->validity.not_before <= now && now <= tls->validity.not_after;
    if (!ret_peer->verified)
        return;
    read_subject(X509_get_subject_name(certificate), arena, ret_peer);
    read_uris(certificate, arena, ret_peer);
    ret_peer->fingerprint = fingerprint_of(tls, certificate);
}
