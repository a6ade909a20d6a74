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

static bool set_subject(X509 *certificate, const struct pki_request *request)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    bool ok = true;
    for (size_t i = 0; ok && i < request->organization_count; i++)
        ok = add_name_entry(name, "O", request->organizations[i]);
    return ok && add_name_entry(name, "CN", request->common_name);
}

static bool add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    const bool ok = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok;
}

/* Names go in as values, not through OpenSSL's little configuration language. */
static GENERAL_NAME *general_name(struct str name)
{
    const char *text = mem_dup(name.ptr, name.len);
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(text);
    mem_free((char *)text);
    GENERAL_NAME *general = GENERAL_NAME_new();
    if (address) {
        GENERAL_NAME_set0_value(general, GEN_IPADD, address);
    } else {
        ASN1_IA5STRING *host = ASN1_IA5STRING_new();
        ASN1_STRING_set(host, name.ptr, (int)name.len);
        GENERAL_NAME_set0_value(general, GEN_DNS, host);
    }
    return general;
}

static bool add_names(X509 *certificate, const struct pki_request *request)
{
    if (request->name_count == 0)
        return true;
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    for (size_t i = 0; i < request->name_count; i++)
        sk_GENERAL_NAME_push(names, general_name(request->names[i]));
    const bool ok = X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
    GENERAL_NAMES_free(names);
    ERR_clear_error(); /* a2i_IPADDRESS leaves its refusals behind */
    return ok;
}

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

/* Takes the key. */
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

struct error *pki_authority_read(struct str certificate_pem, struct str key_pem,
                                 struct pki_authority **ret_authority)
{
    OWNED(pki_authority) authority = NEW(struct pki_authority);
    BIO *bio = BIO_new_mem_buf(certificate_pem.ptr, (int)certificate_pem.len);
    authority->certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    authority->key = read_key(key_pem);
    if (!authority->certificate || !authority->key ||
        X509_check_private_key(authority->certificate, authority->key) != 1) {
        ERR_clear_error();
        return error_new(ERROR_PARSE, "not a certificate authority and its key");
    }
    *ret_authority = TAKE(authority);
    return NULL;
}

static int64_t to_wall(const ASN1_TIME *time, int64_t otherwise)
{
    struct tm parts = {0};
    if (ASN1_TIME_to_tm(time, &parts) != 1)
        return otherwise;
    const time_t seconds = timegm(&parts);
    const int64_t most = INT64_MAX / SECOND;
    return seconds > most ? INT64_MAX : seconds < -most ? INT64_MIN : seconds * SECOND;
}

void pki_authority_validity(const struct pki_authority *authority, int64_t *ret_not_before,
                            int64_t *ret_not_after)
{
    *ret_not_before = to_wall(X509_get0_notBefore(authority->certificate), INT64_MAX);
    *ret_not_after = to_wall(X509_get0_notAfter(authority->certificate), INT64_MIN);
}

/* Appends what was written to a memory BIO and frees it. */
static void add_text(struct buf *buf, BIO *bio)
{
    char *text = NULL;
    const long len = BIO_get_mem_data(bio, &text);
    buf_add(buf, str_from(text, len > 0 ? (size_t)len : 0));
    BIO_free(bio);
}

static struct error *write_key(EVP_PKEY *key, struct buf *key_pem)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    const bool ok = PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1;
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

struct error *pki_issue(const struct pki_authority *authority, const struct pki_request *request,
                        struct buf *certificate_pem, struct buf *key_pem)
{
    EVP_PKEY *key = new_key(request->rsa);
    X509 *certificate = key ? draft_certificate(key, request) : NULL;
    X509 *issuer = authority->certificate;
    const bool ok = certificate &&
                    X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
                    add_usage(certificate, issuer, request) && add_names(certificate, request) &&
                    X509_sign(certificate, authority->key, EVP_sha256()) > 0;
    struct error *err = ok ? write_pem(certificate, key, certificate_pem, key_pem)
                           : tls_error("issue a certificate");
    X509_free(certificate);
    EVP_PKEY_free(key);
    return error_wrap(err, "certificate for %.*s", STR_ARG(request->common_name));
}
