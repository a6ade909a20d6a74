/*
 * Certificates made by this program: an authority, and certificates that it issues. By OpenSSL.
 *
 * The order is the same for both kinds: make a key, fill in everything but the signature
 * (draft_certificate()), add the issuer and the extensions, sign (sign_self() for an authority,
 * pki_issue() for all others). OpenSSL's functions return 1 for success; functions here turn that
 * into bool chains, and the caller makes one error from the queue of OpenSSL (tls_error()).
 */
#include "net/pki.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "base/duration.h"
#include "base/memory.h"
#include "net/tls_internal.h"

#define SERIAL_BITS 127
#define RSA_BITS    2048

struct pki_authority {
    X509 *certificate;
    EVP_PKEY *key;
};

void pki_authority_free(struct pki_authority *authority)
{
    if (!authority)
        return;
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    mem_free(authority);
}

/*
 * 127 random bits: positive and, as RFC 5280 asks, unique for the authority and at most 20 bytes.
 */
static bool set_serial(X509 *certificate)
{
    BIGNUM *number = BN_new();
    const bool ok = BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
                    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return ok;
}

static bool add_name_entry(X509_NAME *name, const char *field, struct str value)
{
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value.ptr,
                                      (int)value.len, -1, 0) == 1;
}

/* Kubernetes reads the common name as the user and the organizations as its groups. */
static bool set_subject(X509 *certificate, const struct pki_request *request)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    bool ok = true;
    for (size_t i = 0; ok && i < request->organization_count; i++)
        ok = add_name_entry(name, "O", request->organizations[i]);
    return ok && add_name_entry(name, "CN", request->common_name);
}

/*
 * An extension in the notation of OpenSSL's configuration files. For constant values only, see
 * general_name().
 */
static bool add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    const bool ok = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok;
}

static GENERAL_NAME *text_name(int type, struct str text)
{
    GENERAL_NAME *general = GENERAL_NAME_new();
    ASN1_IA5STRING *value = ASN1_IA5STRING_new();
    ASN1_STRING_set(value, text.ptr, (int)text.len);
    GENERAL_NAME_set0_value(general, type, value);
    return general;
}

/*
 * An address becomes an IP name, everything else a DNS name. Names are set as values and not
 * through the configuration notation, in which a comma in a name would have a meaning.
 */
static GENERAL_NAME *general_name(struct str name)
{
    const char *text = mem_dup(name.ptr, name.len);
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(text);
    mem_free((char *)text);
    if (!address)
        return text_name(GEN_DNS, name);
    GENERAL_NAME *general = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(general, GEN_IPADD, address);
    return general;
}

static bool add_names(X509 *certificate, const struct pki_request *request)
{
    if (request->name_count == 0 && request->uri.len == 0)
        return true;
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    for (size_t i = 0; i < request->name_count; i++)
        sk_GENERAL_NAME_push(names, general_name(request->names[i]));
    if (request->uri.len)
        sk_GENERAL_NAME_push(names, text_name(GEN_URI, request->uri));
    const bool ok = X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
    GENERAL_NAMES_free(names);
    ERR_clear_error(); /* a2i_IPADDRESS leaves its refusals behind */
    return ok;
}

/*
 * The extensions of a certificate that is not an authority. keyEncipherment is for RSA key
 * exchange, as kubeadm sets it.
 */
static bool add_usage(X509 *certificate, X509 *issuer, const struct pki_request *request)
{
    const char *usage = request->client && request->server ? "clientAuth,serverAuth"
                        : request->client                  ? "clientAuth"
                                                           : "serverAuth";
    return add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(certificate, issuer, NID_key_usage,
                         "critical,digitalSignature,keyEncipherment") &&
           add_extension(certificate, issuer, NID_ext_key_usage, usage) &&
           add_extension(certificate, issuer, NID_authority_key_identifier, "keyid");
}

/* Version, serial number, validity, subject and public key. NULL when OpenSSL fails. */
static X509 *draft_certificate(EVP_PKEY *key, const struct pki_request *request)
{
    X509 *certificate = X509_new();
    const bool ok =
        X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
        ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)(request->not_before / SECOND)) &&
        ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)(request->not_after / SECOND)) &&
        set_subject(certificate, request) && X509_set_pubkey(certificate, key) == 1;
    if (ok)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static EVP_PKEY *new_key(bool rsa)
{
    return rsa ? EVP_RSA_gen(RSA_BITS) : EVP_EC_gen("P-256");
}

/* Makes an authority of the key, which it takes, even on failure. A NULL key is a failure. */
static struct error *sign_self(EVP_PKEY *key, const struct pki_request *request,
                               struct pki_authority **ret_authority)
{
    OWNED(pki_authority) authority = NEW(struct pki_authority);
    authority->key = key;
    X509 *certificate = key ? draft_certificate(key, request) : NULL;
    authority->certificate = certificate;
    const bool ok =
        certificate && X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1 &&
        add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(certificate, certificate, NID_key_usage,
                      "critical,keyCertSign,cRLSign,digitalSignature") &&
        add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
        X509_sign(certificate, key, EVP_sha256()) > 0;
    if (!ok)
        return tls_error("make a certificate authority");
    *ret_authority = TAKE(authority);
    return NULL;
}

struct error *pki_authority_new(struct str common_name, int64_t not_before, int64_t not_after,
                                struct pki_authority **ret_authority)
{
    const struct pki_request request = {
        .common_name = common_name, .not_before = not_before, .not_after = not_after};
    return sign_self(new_key(false), &request, ret_authority);
}

static X509 *read_certificate(struct str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    return certificate;
}

/* The empty passphrase keeps OpenSSL from asking for one on the terminal. */
static EVP_PKEY *read_key(struct str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"");
    BIO_free(bio);
    ERR_clear_error();
    return key;
}

struct error *pki_authority_of_key(struct str common_name, struct str key_pem, int64_t not_before,
                                   int64_t not_after, struct pki_authority **ret_authority)
{
    const struct pki_request request = {
        .common_name = common_name, .not_before = not_before, .not_after = not_after};
    EVP_PKEY *key = read_key(key_pem);
    return key ? sign_self(key, &request, ret_authority)
               : error_new(ERROR_PARSE, "not the key of an authority");
}

/* The public half of a damaged key may still be the right one. */
static bool is_sound(EVP_PKEY *key)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    const bool sound = context && EVP_PKEY_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return sound;
}

/*
 * A certificate that somebody else has issued names the key of its issuer (RFC 5280, 4.2.1.1). All
 * others have signed themselves, and the signature tells whether a bit of them has changed since.
 */
static bool is_unchanged(X509 *certificate)
{
    const ASN1_OCTET_STRING *issuer = X509_get0_authority_key_id(certificate);
    const ASN1_OCTET_STRING *own = X509_get0_subject_key_id(certificate);
    const bool is_foreign =
        issuer && own && ASN1_OCTET_STRING_cmp(issuer, own) != 0 &&
        X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) != 0;
    return is_foreign || X509_verify(certificate, X509_get0_pubkey(certificate)) == 1;
}

/*
 * ERROR_PARSE covers text that is no PEM, damage, and a key that does not belong to the
 * certificate.
 */
struct error *pki_authority_read(struct str certificate_pem, struct str key_pem,
                                 struct pki_authority **ret_authority)
{
    OWNED(pki_authority) authority = NEW(struct pki_authority);
    authority->certificate = read_certificate(certificate_pem);
    authority->key = read_key(key_pem);
    if (!authority->certificate || !authority->key ||
        X509_check_private_key(authority->certificate, authority->key) != 1 ||
        !is_sound(authority->key) || !is_unchanged(authority->certificate)) {
        ERR_clear_error();
        return error_new(ERROR_PARSE, "not a certificate authority and its key, or damaged");
    }
    *ret_authority = TAKE(authority);
    return NULL;
}

/* A time that cannot be read counts as "never valid". */
void pki_authority_validity(const struct pki_authority *authority, int64_t *ret_not_before,
                            int64_t *ret_not_after)
{
    *ret_not_before = tls_wall(X509_get0_notBefore(authority->certificate), INT64_MAX);
    *ret_not_after = tls_wall(X509_get0_notAfter(authority->certificate), INT64_MIN);
}

/* Appends what was written to a memory BIO and frees it. */
static void add_text(struct buf *buf, BIO *bio)
{
    char *text = NULL;
    const long len = BIO_get_mem_data(bio, &text);
    buf_add(buf, str_from(text, len > 0 ? (size_t)len : 0));
    BIO_free(bio);
}

/*
 * P-256 keys are written in the form of SEC 1 ("EC PRIVATE KEY"), because fabric8 reads no other
 * one; RSA keys are written as PKCS #8. All readers of PEM take both. The text passes through
 * memory that OpenSSL wipes when it is freed.
 */
static struct error *write_key(EVP_PKEY *key, struct buf *key_pem)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    const bool ok =
        EVP_PKEY_get_base_id(key) == EVP_PKEY_EC
            ? PEM_write_bio_PrivateKey_traditional(bio, key, NULL, NULL, 0, NULL, NULL) == 1
            : PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1;
    add_text(key_pem, bio);
    if (!ok)
        return tls_error("write a key");
    return buf_check(key_pem);
}

static struct error *write_pem(X509 *certificate, EVP_PKEY *key, struct buf *certificate_pem,
                               struct buf *key_pem)
{
    BIO *bio = BIO_new(BIO_s_mem());
    const bool ok = PEM_write_bio_X509(bio, certificate) == 1;
    add_text(certificate_pem, bio);
    if (!ok)
        return tls_error("write a certificate");
    TRY(buf_check(certificate_pem));
    return write_key(key, key_pem);
}

struct error *pki_rsa_key(struct buf *key_pem)
{
    EVP_PKEY *key = new_key(true);
    struct error *err = key ? write_key(key, key_pem) : tls_error("make a key");
    EVP_PKEY_free(key);
    return err;
}

struct error *pki_authority_write(const struct pki_authority *authority,
                                  struct buf *certificate_pem, struct buf *key_pem)
{
    return write_pem(authority->certificate, authority->key, certificate_pem, key_pem);
}

/* A certificate of the authority without its signature. NULL when OpenSSL fails. */
static X509 *draft_issued(const struct pki_authority *authority, EVP_PKEY *key,
                          const struct pki_request *request)
{
    X509 *issuer = authority->certificate;
    X509 *certificate = key ? draft_certificate(key, request) : NULL;
    if (certificate && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
        add_usage(certificate, issuer, request) && add_names(certificate, request))
        return certificate;
    X509_free(certificate);
    return NULL;
}

/* The key is new for each certificate and is written to key_pem alone. */
struct error *pki_issue(const struct pki_authority *authority, const struct pki_request *request,
                        struct buf *certificate_pem, struct buf *key_pem)
{
    EVP_PKEY *key = new_key(request->rsa);
    X509 *certificate = draft_issued(authority, key, request);
    const bool ok = certificate && X509_sign(certificate, authority->key, EVP_sha256()) > 0;
    struct error *err = ok ? write_pem(certificate, key, certificate_pem, key_pem)
                           : tls_error("issue a certificate");
    X509_free(certificate);
    EVP_PKEY_free(key);
    return error_wrap(err, "certificate for %.*s", STR_ARG(request->common_name));
}

static bool same_extensions(const X509 *a, const X509 *b)
{
    if (X509_get_ext_count(a) != X509_get_ext_count(b))
        return false;
    for (int i = 0; i < X509_get_ext_count(a); i++) {
        X509_EXTENSION *one = X509_get_ext(a, i), *other = X509_get_ext(b, i);
        if (OBJ_cmp(X509_EXTENSION_get_object(one), X509_EXTENSION_get_object(other)) != 0 ||
            ASN1_OCTET_STRING_cmp(X509_EXTENSION_get_data(one), X509_EXTENSION_get_data(other)) !=
                0)
            return false;
    }
    return true;
}

/* Compared with a draft of what would be issued now. */
bool pki_is_issued(const struct pki_authority *authority, const struct pki_request *request,
                   struct str certificate_pem, struct str key_pem, int64_t *ret_not_before,
                   int64_t *ret_not_after)
{
    X509 *certificate = read_certificate(certificate_pem);
    EVP_PKEY *key = read_key(key_pem);
    X509 *wanted = draft_issued(authority, key, request);
    const bool is_issued =
        certificate && wanted && X509_check_private_key(certificate, key) == 1 && is_sound(key) &&
        X509_verify(certificate, authority->key) == 1 &&
        X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_subject_name(wanted)) == 0 &&
        same_extensions(certificate, wanted);
    if (is_issued) {
        *ret_not_before = tls_wall(X509_get0_notBefore(certificate), INT64_MAX);
        *ret_not_after = tls_wall(X509_get0_notAfter(certificate), INT64_MIN);
    }
    X509_free(certificate);
    X509_free(wanted);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_issued;
}

void pki_issued_uri(const struct pki_authority *authority, struct str certificate_pem,
                    struct buf *uri)
{
    X509 *certificate = read_certificate(certificate_pem);
    const bool is_issued = certificate && X509_verify(certificate, authority->key) == 1;
    GENERAL_NAMES *names =
        is_issued ? X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL) : NULL;
    for (int i = 0; i < sk_GENERAL_NAME_num(names) && uri->len == 0; i++) { /* -1 without any */
        int type;
        const ASN1_STRING *value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
        if (type == GEN_URI)
            buf_add(uri, str_from((const char *)ASN1_STRING_get0_data(value),
                                  (size_t)ASN1_STRING_length(value)));
    }
    GENERAL_NAMES_free(names);
    X509_free(certificate);
    ERR_clear_error();
}
