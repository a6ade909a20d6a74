/*
 * Checks of requests and certificates with OpenSSL's parsers. Nothing of them is kept.
 */
#include "base/x509_check.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

/* Longer texts are refused unread: a key in a request makes its check expensive. */
#define REQUEST_MAX      ((size_t)64 * 1024)
#define CERTIFICATES_MAX ((size_t)1024 * 1024)

/* A block of PEM as the parser gives it. */
struct pem_block {
    char *name, *header;
    unsigned char *bytes;
    long len;
};

static void pem_block_done(struct pem_block *block)
{
    OPENSSL_free(block->name);
    OPENSSL_free(block->header);
    OPENSSL_free(block->bytes);
}

static struct error *invalid(const char *why)
{
    return error_new(ERROR_INVALID, "%s", why);
}

static bool is_member(const X509_REQ *request, struct str organization)
{
    const X509_NAME *subject = X509_REQ_get_subject_name(request);
    for (int at = -1;;) {
        at = X509_NAME_get_index_by_NID((X509_NAME *)subject, NID_organizationName, at);
        if (at < 0)
            return false;
        const ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
        const struct str text =
            str_from((const char *)ASN1_STRING_get0_data(value), (size_t)ASN1_STRING_length(value));
        if (str_eq(text, organization))
            return true;
    }
}

static struct error *check_request(const struct pem_block *block, struct str organization,
                                   bool *ret_is_member)
{
    const unsigned char *bytes = block->bytes;
    X509_REQ *request = d2i_X509_REQ(NULL, &bytes, block->len);
    if (!request || bytes != block->bytes + block->len) {
        X509_REQ_free(request);
        return invalid("the request for a certificate is malformed");
    }
    EVP_PKEY *key = X509_REQ_get0_pubkey(request);
    const bool is_signed = key && X509_REQ_verify(request, key) == 1;
    *ret_is_member = is_member(request, organization);
    X509_REQ_free(request);
    return is_signed ? NULL : invalid("x509: the signature of the request is not that of its key");
}

/* Reads one block; false at the end. */
static bool read_block(BIO *in, struct pem_block *block)
{
    *block = (struct pem_block){0};
    return PEM_read_bio(in, &block->name, &block->header, &block->bytes, &block->len) == 1;
}

struct error *x509_check_request(struct str pem, struct str organization, bool *ret_is_member)
{
    struct pem_block block;
    struct error *err = NULL;
    *ret_is_member = false;
    if (pem.len > REQUEST_MAX)
        return invalid("the request for a certificate is longer than 64 KiB");
    BIO *in = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    if (!in)
        return invalid("the request for a certificate cannot be read");
    if (!read_block(in, &block) || strcmp(block.name, "CERTIFICATE REQUEST") != 0)
        err = invalid("PEM block type must be CERTIFICATE REQUEST");
    else
        err = check_request(&block, organization, ret_is_member);
    pem_block_done(&block);
    BIO_free(in);
    ERR_clear_error();
    return err;
}

static struct error *check_certificate(const struct pem_block *block)
{
    const unsigned char *bytes = block->bytes;
    if (strcmp(block->name, "CERTIFICATE") != 0)
        return error_new(ERROR_INVALID, "only CERTIFICATE PEM blocks are allowed, found \"%s\"",
                         block->name);
    if (block->header[0])
        return invalid("no PEM block headers are permitted");
    X509 *certificate = d2i_X509(NULL, &bytes, block->len);
    const bool is_whole = certificate && bytes == block->bytes + block->len;
    X509_free(certificate);
    return is_whole ? NULL : invalid("x509: malformed certificate");
}

struct error *x509_check_certificates(struct str pem)
{
    struct pem_block block;
    struct error *err = NULL;
    size_t count = 0;
    if (pem.len > CERTIFICATES_MAX)
        return invalid("the certificates are longer than 1 MiB");
    BIO *in = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    if (!in)
        return invalid("the certificates cannot be read");
    while (!err && read_block(in, &block)) {
        err = check_certificate(&block);
        pem_block_done(&block);
        count++;
    }
    BIO_free(in);
    ERR_clear_error();
    if (!err && count == 0)
        return invalid("must contain at least one CERTIFICATE PEM block");
    return err;
}
