#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/buf.h"
#include "net/tls_internal.h"
#include "testing/test.h"

static void put_element(struct buf *der, int tag, struct str content)
{
    unsigned char header[8], *at = header;
    ASN1_put_object(&at, tag == V_ASN1_SEQUENCE, (int)content.len, tag, V_ASN1_UNIVERSAL);
    buf_add(der, str_from((const char *)header, (size_t)(at - header)));
    buf_add(der, content);
}

/* An odd number of so many bits. */
static void put_number(struct buf *der, size_t bits)
{
    SCOPED(buf) bytes = {0};
    buf_add(&bytes, str_from("\0", 1));
    for (size_t i = 0; i < bits / 8; i++)
        buf_add(&bytes, STR("\xff"));
    put_element(der, V_ASN1_INTEGER, buf_str(&bytes));
}

/* The numbers of an RSA key, each with so many bits. */
static void put_rsa(struct buf *der, const size_t *bits, size_t count)
{
    SCOPED(buf) numbers = {0};
    put_element(&numbers, V_ASN1_INTEGER, str_from("\0", 1));
    for (size_t i = 0; i < count; i++)
        put_number(&numbers, bits[i]);
    put_element(der, V_ASN1_SEQUENCE, buf_str(&numbers));
}

/* PKCS#8 of a key with its content, for an algorithm with parameters, in DER or none. */
static void put_pkcs8(struct buf *der, int type, struct str parameters, struct str content)
{
    SCOPED(buf) algorithm = {0};
    SCOPED(buf) info = {0};
    const ASN1_OBJECT *object = OBJ_nid2obj(type);
    put_element(&algorithm, V_ASN1_OBJECT,
                str_from((const char *)OBJ_get0_data(object), OBJ_length(object)));
    buf_add(&algorithm, parameters);
    put_element(&info, V_ASN1_INTEGER, str_from("\0", 1));
    put_element(&info, V_ASN1_SEQUENCE, buf_str(&algorithm));
    put_element(&info, V_ASN1_OCTET_STRING, content);
    put_element(der, V_ASN1_SEQUENCE, buf_str(&info));
}

/* Appends what the BIO holds and frees it. */
static void take_bio(struct buf *text, BIO *bio)
{
    char *ptr = NULL;
    const long len = BIO_get_mem_data(bio, &ptr);
    buf_add(text, str_from(ptr, (size_t)len));
    BIO_free(bio);
}

static void write_pem(struct buf *text, const char *label, struct str der)
{
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio(bio, label, "", (const unsigned char *)der.ptr, (long)der.len);
    take_bio(text, bio);
}

static struct error *read_key_of(const char *label, struct str der)
{
    SCOPED(buf) pem = {0};
    EVP_PKEY *key = NULL;
    write_pem(&pem, label, der);
    struct error *err = tls_key_read(buf_str(&pem), &key);
    EVP_PKEY_free(key);
    return err;
}

/* Reads a key and compares it with what it was made from. */
static void check_read(const EVP_PKEY *made, struct str pem)
{
    EVP_PKEY *read = NULL;
    CHECK_OK(tls_key_read(pem, &read));
    CHECK(EVP_PKEY_eq(made, read) == 1);
    EVP_PKEY_free(read);
}

static EVP_PKEY *make_key(int kind)
{
    return kind == 0   ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048)
           : kind == 1 ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
           : kind == 2 ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-521")
           : kind == 3 ? EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")
                       : EVP_PKEY_Q_keygen(NULL, NULL, "ED448");
}

/* Behind each other, so that no decoder leaves anything behind for the next one. */
TEST(keys_of_every_form_that_kubectl_reads_are_read)
{
    for (int kind = 0; kind <= 4; kind++) {
        EVP_PKEY *key = make_key(kind);
        SCOPED(buf) pkcs8 = {0};
        SCOPED(buf) traditional = {0};
        SCOPED(buf) behind_others = {0};
        BIO *bio = BIO_new(BIO_s_mem());
        CHECK_EQ(PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), 1);
        take_bio(&pkcs8, bio);
        TEST_CASE("PKCS#8, kind %d", kind);
        check_read(key, buf_str(&pkcs8));
        if (kind <= 2) {
            TEST_CASE("PKCS#1 or SEC 1, kind %d", kind);
            bio = BIO_new(BIO_s_mem());
            CHECK_EQ(PEM_write_bio_PrivateKey_traditional(bio, key, NULL, NULL, 0, NULL, NULL), 1);
            take_bio(&traditional, bio);
            check_read(key, buf_str(&traditional));
            write_pem(&behind_others, "EC PARAMETERS", STR("\x06\x01\x01"));
            buf_add(&behind_others, buf_str(&traditional));
            check_read(key, buf_str(&behind_others));
        }
        EVP_PKEY_free(key);
    }
}

/* OpenSSL would compute the public key of a DSA or DH key while it decodes it. */
TEST(keys_of_other_types_are_refused_before_they_are_decoded)
{
    static const int types[] = {NID_dsa, NID_dhKeyAgreement, NID_dhpublicnumber, NID_X25519};
    const size_t domain[] = {1024, 160, 1024};
    SCOPED(buf) parameters = {0};
    SCOPED(buf) number = {0};
    SCOPED(buf) numbers = {0};
    for (size_t i = 0; i < COUNT(domain); i++)
        put_number(&numbers, domain[i]);
    put_element(&parameters, V_ASN1_SEQUENCE, buf_str(&numbers));
    put_number(&number, 152);
    for (size_t i = 0; i < COUNT(types); i++) {
        SCOPED(buf) der = {0};
        put_pkcs8(&der, types[i], buf_str(&parameters), buf_str(&number));
        TEST_CASE("%s", OBJ_nid2sn(types[i]));
        CHECK_FAILS(read_key_of("PRIVATE KEY", buf_str(&der)), ERROR_PARSE, OBJ_nid2sn(types[i]));
        CHECK_FAILS(read_key_of("RSA PRIVATE KEY", buf_str(&der)), ERROR_PARSE,
                    "RSA, EC, Ed25519 and Ed448");
    }
    TEST_CASE("DSA as OpenSSL wrote it once");
    const size_t dsa[] = {1024, 160, 1024, 1024, 152};
    SCOPED(buf) old = {0};
    put_rsa(&old, dsa, COUNT(dsa));
    CHECK_FAILS(read_key_of("DSA PRIVATE KEY", buf_str(&old)), ERROR_PARSE,
                "no usable private key");
}

TEST(the_numbers_of_an_rsa_key_are_no_longer_than_an_honest_one_needs)
{
    static const struct {
        const char *name;
        size_t bits[8]; /* modulus, exponents, factors, their exponents, the coefficient */
        const char *refusal;
    } cases[] = {
        {"8192 bits",          {8192, 24, 8192, 4096, 4096, 4096, 4096, 4096},  NULL                    },
        {"2048 bits",          {2048, 24, 2040, 1024, 1024, 1024, 1024, 1024},  NULL                    },
        {"more",               {8200, 24, 8192, 4096, 4096, 4096, 4096, 4096},  "where 8192 is the most"},
        {"far more",
         {60000, 24, 60000, 30000, 30000, 30000, 30000, 30000},
         "an RSA key of about 60000 bits"                                                               },
        {"a public exponent",
         {2048, 2048, 2040, 1024, 1024, 1024, 1024, 1024},
         "no usable private key"                                                                        },
        {"a private exponent",
         {2048, 24, 60000, 1024, 1024, 1024, 1024, 1024},
         "no usable private key"                                                                        },
        {"a factor",           {2048, 24, 2040, 60000, 1024, 1024, 1024, 1024}, "no usable private key" },
        {"its exponent",       {2048, 24, 2040, 1024, 1024, 60000, 1024, 1024}, "no usable private key" },
        {"the coefficient",
         {2048, 24, 2040, 1024, 1024, 1024, 1024, 60000},
         "no usable private key"                                                                        },
    };
    const struct str null = str_from("\x05\0", 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) key = {0};
        SCOPED(buf) pkcs8 = {0};
        put_rsa(&key, cases[i].bits, COUNT(cases[i].bits));
        put_pkcs8(&pkcs8, NID_rsaEncryption, null, buf_str(&key));
        TEST_CASE("%s", cases[i].name);
        if (!cases[i].refusal) {
            CHECK_OK(read_key_of("RSA PRIVATE KEY", buf_str(&key)));
            CHECK_OK(read_key_of("PRIVATE KEY", buf_str(&pkcs8)));
            continue;
        }
        const enum error_code code = i == 2 || i == 3 ? ERROR_TOO_LARGE : ERROR_PARSE;
        CHECK_FAILS(read_key_of("RSA PRIVATE KEY", buf_str(&key)), code, cases[i].refusal);
        CHECK_FAILS(read_key_of("PRIVATE KEY", buf_str(&pkcs8)), code, cases[i].refusal);
    }
}

TEST(a_key_has_no_more_than_a_number_of_bytes)
{
    SCOPED(buf) der = {0};
    put_number(&der, (size_t)8 * 65 * KILOBYTE);
    CHECK_FAILS(read_key_of("PRIVATE KEY", buf_str(&der)), ERROR_TOO_LARGE, "65536 bytes");
    for (size_t len = 0; len < 300; len++) {
        TEST_CASE("%zu bytes of it", len);
        CHECK_ERROR(read_key_of("PRIVATE KEY", str_slice(buf_str(&der), 0, len)), ERROR_PARSE);
    }
}

/* A certificate with an RSA key of so many bits, signed by nobody. */
static void write_certificate(struct buf *pem, size_t bits)
{
    SCOPED(buf) der = {0};
    SCOPED(buf) numbers = {0};
    const unsigned char *at;
    put_number(&numbers, bits);
    put_number(&numbers, 24);
    put_element(&der, V_ASN1_SEQUENCE, buf_str(&numbers));
    at = (const unsigned char *)der.ptr;
    EVP_PKEY *key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, (long)der.len);
    EVP_PKEY *signer = make_key(1);
    X509 *certificate = X509_new();
    CHECK(key && signer && X509_set_pubkey(certificate, key) == 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    CHECK(X509_sign(certificate, signer, EVP_sha256()) > 0);
    BIO *bio = BIO_new(BIO_s_mem());
    CHECK_EQ(PEM_write_bio_X509(bio, certificate), 1);
    take_bio(pem, bio);
    X509_free(certificate);
    EVP_PKEY_free(signer);
    EVP_PKEY_free(key);
}

TEST(certificates_of_large_keys_are_refused)
{
    static const struct {
        size_t bits;
        bool is_refused;
    } cases[] = {
        {8192,  false},
        {8200,  true },
        {60000, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) pem = {0};
        OWNED(tls_trust) trust = NULL;
        TEST_CASE("%zu bits", cases[i].bits);
        write_certificate(&pem, cases[i].bits);
        if (cases[i].is_refused)
            CHECK_FAILS(tls_trust_read(buf_str(&pem), &trust), ERROR_TOO_LARGE,
                        "where 8192 is the most");
        else
            CHECK_OK(tls_trust_read(buf_str(&pem), &trust));
    }
}
