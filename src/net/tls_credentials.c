/*
 * Identities, trusts and resumption: what a TLS client keeps for each server, in few bytes.
 *
 * A parsed certificate takes several times the memory of its encoding. PEM text is therefore parsed
 * once to check it and kept as DER bytes, one certificate after the other. What was parsed then is
 * kept until the first handshake, which usually follows at once, and released by
 * tls_identity_settle() and tls_trust_settle(); after that tls_identity_use() and tls_trust_parse()
 * parse the bytes again for each full handshake. All three are shared or owned by callers on one
 * thread.
 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/buf.h"
#include "base/memory.h"
#include "net/tls.h"
#include "net/tls_internal.h"

/* Certificates as DER, one after the other. */
struct tls_trust {
    int refs, handshakes;
    struct buf certificates;
    STACK_OF(X509) * parsed; /* until the first handshake, or NULL */
};

struct tls_identity {
    int refs, handshakes;
    struct buf certificates; /* our own first, then what leads to the authority */
    struct buf key;          /* PKCS#8 */
    /* Until the first handshake, or NULL. */
    STACK_OF(X509) * parsed;
    EVP_PKEY *parsed_key;
};

struct tls_resumption {
    SSL_SESSION *session;
};

#define PEM_MAX          (4 * MEGABYTE)
#define CERTIFICATES_MAX 1000
#define PARSED_MAX       4 /* certificates that are kept parsed */

/* Appends what an i2d function has allocated, and frees it, wiped. */
static struct error *add_encoded(struct buf *buf, unsigned char *encoded, int len)
{
    if (len <= 0)
        return tls_error("encode");
    buf_add(buf, str_from((const char *)encoded, (size_t)len));
    OPENSSL_clear_free(encoded, (size_t)len);
    return buf_check(buf);
}

static void free_parsed(STACK_OF(X509) * parsed)
{
    sk_X509_pop_free(parsed, X509_free);
}

/*
 * Reads every certificate of a PEM text, in both forms. Text between them is skipped, as OpenSSL
 * does.
 */
static struct error *read_certificates(struct str pem, struct buf *ret_encoded,
                                       STACK_OF(X509) * ret_parsed)
{
    if (pem.len > PEM_MAX)
        return error_new(ERROR_TOO_LARGE, "larger than %zu bytes", PEM_MAX);
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    struct error *err = NULL;
    size_t count = 0;
    X509 *certificate;
    while (!err && (certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL))) {
        unsigned char *encoded = NULL;
        const int len = i2d_X509(certificate, &encoded);
        err = add_encoded(ret_encoded, encoded, len);
        sk_X509_push(ret_parsed, certificate);
        if (!err)
            err = tls_check_public_key(certificate);
        if (!err && ++count > CERTIFICATES_MAX)
            err = error_new(ERROR_TOO_LARGE, "more than %d certificates", CERTIFICATES_MAX);
    }
    BIO_free(bio);
    /* The reader reports the end of the text as an error, too: PEM_R_NO_START_LINE. */
    const unsigned long last = ERR_peek_last_error();
    if (!err && (count == 0 || ERR_GET_REASON(last) != PEM_R_NO_START_LINE))
        err = error_new(ERROR_PARSE, count ? "certificate %zu is damaged" : "no certificate in it",
                        count + 1);
    ERR_clear_error();
    return err;
}

static void drop_parsed_trust(struct tls_trust *trust)
{
    free_parsed(trust->parsed);
    trust->parsed = NULL;
}

struct error *tls_trust_read(struct str pem, struct tls_trust **ret_trust)
{
    struct tls_trust *trust = NEW(struct tls_trust);
    OWNED(tls_trust) owner = trust;
    trust->refs = 1;
    trust->parsed = sk_X509_new_null();
    TRY(read_certificates(pem, &trust->certificates, trust->parsed),
        "read certificate authorities");
    buf_shrink(&trust->certificates);
    /* Of many authorities a handshake needs one: they are not worth their memory. */
    if (sk_X509_num(trust->parsed) > PARSED_MAX)
        drop_parsed_trust(trust);
    *ret_trust = TAKE(owner);
    return NULL;
}

void tls_trust_hold(struct tls_trust *trust)
{
    trust->handshakes++;
}

void tls_trust_settle(struct tls_trust *trust)
{
    if (--trust->handshakes == 0)
        drop_parsed_trust(trust);
}

struct tls_trust *tls_trust_ref(struct tls_trust *trust)
{
    if (trust)
        trust->refs++;
    return trust;
}

void tls_trust_free(struct tls_trust *trust)
{
    if (!trust || --trust->refs > 0)
        return;
    drop_parsed_trust(trust);
    buf_done(&trust->certificates);
    mem_free(trust);
}

bool tls_trust_eq(const struct tls_trust *a, const struct tls_trust *b)
{
    return a == b || (a && b && str_eq(buf_str(&a->certificates), buf_str(&b->certificates)));
}

/* Parses the next certificate of a DER sequence; NULL at its end. */
static X509 *next_certificate(struct str *rest)
{
    const unsigned char *at = (const unsigned char *)rest->ptr;
    X509 *certificate = rest->len ? d2i_X509(NULL, &at, (long)rest->len) : NULL;
    if (certificate)
        *rest = str_skip(*rest, (size_t)((const char *)at - rest->ptr));
    return certificate;
}

/* The certificates of a DER sequence. The caller frees the stack with all of them. */
static STACK_OF(X509) * parse_certificates(struct str encoded, const STACK_OF(X509) * parsed)
{
    if (parsed)
        return X509_chain_up_ref((STACK_OF(X509) *)parsed);
    STACK_OF(X509) *stack = sk_X509_new_null();
    X509 *certificate;
    while ((certificate = next_certificate(&encoded)))
        sk_X509_push(stack, certificate);
    return stack;
}

STACK_OF(X509) * tls_trust_parse(const struct tls_trust *trust)
{
    return parse_certificates(buf_str(&trust->certificates), trust->parsed);
}

/* The key is kept as PKCS#8, whatever form the PEM text had. */
static struct error *read_key(struct str pem, struct buf *ret_encoded, EVP_PKEY **ret_key)
{
    if (pem.len > PEM_MAX)
        return error_new(ERROR_TOO_LARGE, "larger than %zu bytes", PEM_MAX);
    EVP_PKEY *key = NULL;
    TRY(tls_key_read(pem, &key));
    *ret_key = key;
    unsigned char *encoded = NULL;
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    const int len = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &encoded) : 0;
    PKCS8_PRIV_KEY_INFO_free(info);
    return add_encoded(ret_encoded, encoded, len);
}

/* The caller frees one reference. */
static EVP_PKEY *parse_key(const struct tls_identity *identity)
{
    if (identity->parsed_key) {
        EVP_PKEY_up_ref(identity->parsed_key);
        return identity->parsed_key;
    }
    return tls_key_parse(buf_str(&identity->key));
}

/*
 * A key that does not belong to the certificate is reported when it is read and not by a handshake
 * later.
 */
static struct error *check_pair(const struct tls_identity *identity)
{
    const bool fits =
        X509_check_private_key(sk_X509_value(identity->parsed, 0), identity->parsed_key) == 1;
    ERR_clear_error();
    return fits ? NULL
                : error_new(ERROR_INVALID, "the private key does not belong to the certificate");
}

struct error *tls_identity_read(struct str certificate_pem, struct str key_pem,
                                struct tls_identity **ret_identity)
{
    struct tls_identity *identity = NEW(struct tls_identity);
    OWNED(tls_identity) owner = identity;
    identity->refs = 1;
    identity->key.secret = true;
    identity->parsed = sk_X509_new_null();
    TRY(read_certificates(certificate_pem, &identity->certificates, identity->parsed),
        "read certificate");
    TRY(read_key(key_pem, &identity->key, &identity->parsed_key), "read private key");
    TRY(check_pair(identity));
    buf_shrink(&identity->certificates);
    buf_shrink(&identity->key);
    *ret_identity = TAKE(owner);
    return NULL;
}

static void drop_parsed_identity(struct tls_identity *identity)
{
    free_parsed(identity->parsed);
    EVP_PKEY_free(identity->parsed_key);
    identity->parsed = NULL;
    identity->parsed_key = NULL;
}

void tls_identity_hold(struct tls_identity *identity)
{
    identity->handshakes++;
}

void tls_identity_settle(struct tls_identity *identity)
{
    if (--identity->handshakes == 0)
        drop_parsed_identity(identity);
}

struct tls_identity *tls_identity_ref(struct tls_identity *identity)
{
    if (identity)
        identity->refs++;
    return identity;
}

void tls_identity_free(struct tls_identity *identity)
{
    if (!identity || --identity->refs > 0)
        return;
    drop_parsed_identity(identity);
    buf_done(&identity->certificates);
    buf_done(&identity->key);
    mem_free(identity);
}

/* The first certificate is that of the identity; the others form the chain. */
struct error *tls_identity_use(const struct tls_identity *identity, SSL *ssl)
{
    STACK_OF(X509) *stack = parse_certificates(buf_str(&identity->certificates), identity->parsed);
    EVP_PKEY *key = parse_key(identity);
    bool ok = sk_X509_num(stack) > 0 && key &&
              SSL_use_certificate(ssl, sk_X509_value(stack, 0)) == 1 &&
              SSL_use_PrivateKey(ssl, key) == 1;
    for (int i = 1; ok && i < sk_X509_num(stack); i++)
        ok = SSL_add1_chain_cert(ssl, sk_X509_value(stack, i)) == 1;
    EVP_PKEY_free(key);
    free_parsed(stack);
    return ok ? NULL : tls_error("use certificate and key");
}

struct tls_resumption *tls_resumption_new(void)
{
    return NEW(struct tls_resumption);
}

void tls_resumption_free(struct tls_resumption *resumption)
{
    if (!resumption)
        return;
    SSL_SESSION_free(resumption->session);
    mem_free(resumption);
}

void tls_resumption_keep(struct tls_resumption *resumption, SSL_SESSION *session)
{
    SSL_SESSION_free(resumption->session);
    resumption->session = session;
}

/*
 * Called by OpenSSL in the handshake or after it, possibly several times. The newest session is
 * kept. Returning 1 takes ownership of the session.
 */
int tls_session_arrived(SSL *ssl, SSL_SESSION *session)
{
    struct tls *tls = tls_of(ssl);
    if (!tls || !tls->resumption)
        return 0;
    if (tls->handshake)
        tls_handshake_keep_session(tls->handshake, session);
    else
        tls_resumption_keep(tls->resumption, session);
    return 1; /* ours now */
}

void tls_resumption_offer(const struct tls_resumption *resumption, SSL *ssl)
{
    if (resumption && resumption->session && SSL_SESSION_is_resumable(resumption->session))
        SSL_set_session(ssl, resumption->session);
}
