/*
 * Keys, which come from anybody who may write a kubeconfig or be a server.
 *
 * Decoding a key may take any time: for a DSA or DH key OpenSSL computes the public key, and an RSA
 * key is decoded in no time and computes for minutes in the handshake. So the outer form is read
 * first. It says what type the key has and how long the numbers of an RSA key are, and what is not
 * worth its time is refused before it is decoded. The forms are those that kubectl reads: PKCS#8,
 * PKCS#1 and SEC 1. The bytes decide which it is, since some tools give them a wrong label.
 *
 * Keys are decoded by decoders that are made once for each thread: in OpenSSL 3.0 making one takes
 * five times as long as the key itself.
 */
#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/memory.h"
#include "net/tls_internal.h"

#define KEY_MAX      (64 * KILOBYTE) /* encoded; an RSA key of 8192 bits takes 5 KB */
#define KEY_BITS_MAX 8192            /* as for Go's TLS */

/* A number may have a byte more than it needs, for its sign. */
#define MODULUS_BYTES_MAX  (KEY_BITS_MAX / 8 + 1)
#define EXPONENT_BYTES_MAX 9 /* OpenSSL takes 64 bits with large moduli, Go 31 */

/* Decodes keys of one form, one after the other, into the same place. */
struct key_decoder {
    OSSL_DECODER_CTX *ctx;
    EVP_PKEY *key;
};

enum key_form { FORM_PKCS8, FORM_PKCS1, FORM_SEC1, FORMS };

static const struct {
    const char *type, *structure;
} forms[FORMS] = {
    [FORM_PKCS8] = {NULL,  "PrivateKeyInfo"},
    [FORM_PKCS1] = {"RSA", "type-specific" },
    [FORM_SEC1] = {"EC",  "type-specific" },
};

static _Thread_local struct key_decoder decoders[FORMS];

/* OpenSSL would ask for a passphrase on the terminal and block the process. */
static int
no_passphrase(char *text, /* NOLINT(readability-non-const-parameter): as OpenSSL has it */
              int size, int writing, void *data)
{
    (void)text;
    (void)size;
    (void)writing;
    (void)data;
    return -1;
}

static void open_decoder(struct key_decoder *decoder, enum key_form form)
{
    if (!decoder->ctx)
        decoder->ctx =
            OSSL_DECODER_CTX_new_for_pkey(&decoder->key, "DER", forms[form].structure,
                                          forms[form].type, EVP_PKEY_KEYPAIR, NULL, NULL);
    if (!decoder->ctx)
        mem_exhausted(0);
    OSSL_DECODER_CTX_set_pem_password_cb(decoder->ctx, no_passphrase, NULL);
}

/* What was decoded, or NULL. A decoder that has failed is not used again. */
static EVP_PKEY *take_decoded(struct key_decoder *decoder, bool ok)
{
    EVP_PKEY *key = decoder->key;
    decoder->key = NULL;
    if (!ok || !key) {
        OSSL_DECODER_CTX_free(decoder->ctx);
        decoder->ctx = NULL;
        EVP_PKEY_free(key);
        key = NULL;
    }
    ERR_clear_error();
    return key;
}

static EVP_PKEY *decode_key(struct str encoded, enum key_form form)
{
    const unsigned char *at = (const unsigned char *)encoded.ptr;
    size_t len = encoded.len;
    open_decoder(&decoders[form], form);
    return take_decoded(&decoders[form],
                        OSSL_DECODER_from_data(decoders[form].ctx, &at, &len) == 1);
}

EVP_PKEY *tls_key_parse(struct str encoded)
{
    return decode_key(encoded, FORM_PKCS8);
}

static struct error *unusable_key(void)
{
    return error_new(ERROR_PARSE, "no usable private key in it (encrypted keys are not read)");
}

/* One element of DER, or of BER. What a constructed one contains follows as the next elements. */
struct element {
    int tag;
    bool is_constructed;
    struct str content;
};

/* False at the end and for what is damaged. */
static bool next_element(struct str *rest, struct element *ret_element)
{
    const unsigned char *at = (const unsigned char *)rest->ptr;
    long len = 0;
    int tag = 0, class = 0;
    if (!rest->len)
        return false;
    const int form = ASN1_get_object(&at, &len, &tag, &class, (long)rest->len);
    if (form & 0x80)
        return false;
    ret_element->tag = class == V_ASN1_UNIVERSAL ? tag : V_ASN1_UNDEF;
    ret_element->is_constructed = form & V_ASN1_CONSTRUCTED;
    ret_element->content = str_from((const char *)at, (size_t)len);
    const size_t header = (size_t)((const char *)at - rest->ptr);
    *rest = str_skip(*rest, header + (ret_element->is_constructed ? 0 : (size_t)len));
    return true;
}

/*
 * The numbers of an RSAPrivateKey (RFC 8017, A.1.2) are: the version, the modulus, the public and
 * the private exponent, then factors, their exponents and coefficients. A factor has half the bits
 * of the modulus; one of any length would make the arithmetic as long.
 */
static bool is_number_short(size_t index, size_t len, size_t modulus)
{
    switch (index) {
    case 0:
    case 1:
        return true;
    case 2:
        return len <= EXPONENT_BYTES_MAX;
    case 3:
        return len <= modulus;
    default:
        return len <= modulus / 2 + EXPONENT_BYTES_MAX;
    }
}

static struct error *check_rsa_key(struct str encoded)
{
    struct element element;
    size_t modulus = 0, index = 0;
    while (next_element(&encoded, &element)) {
        const size_t len = element.content.len;
        if (element.tag != V_ASN1_INTEGER)
            continue;
        if (index == 1)
            modulus = len;
        if (modulus > MODULUS_BYTES_MAX)
            return error_new(ERROR_TOO_LARGE, "an RSA key of about %zu bits, where %d is the most",
                             (modulus - 1) * 8, KEY_BITS_MAX);
        if (!is_number_short(index++, len, modulus))
            return unusable_key();
    }
    return encoded.len ? unusable_key() : NULL;
}

static bool is_rsa(int type)
{
    return type == EVP_PKEY_RSA || type == EVP_PKEY_RSA_PSS;
}

static bool is_type_read(int type)
{
    return is_rsa(type) || type == EVP_PKEY_EC || type == EVP_PKEY_ED25519 ||
           type == EVP_PKEY_ED448;
}

static struct error *check_pkcs8(const PKCS8_PRIV_KEY_INFO *info)
{
    const ASN1_OBJECT *algorithm = NULL;
    const unsigned char *content = NULL;
    int len = 0;
    if (PKCS8_pkey_get0(&algorithm, &content, &len, NULL, info) != 1)
        return unusable_key();
    const int type = OBJ_obj2nid(algorithm);
    if (!is_type_read(type))
        return error_new(ERROR_PARSE,
                         "a key of type %s; keys of RSA, EC, Ed25519 and Ed448 are read",
                         type == NID_undef ? "unknown" : OBJ_nid2sn(type));
    return is_rsa(type) ? check_rsa_key(str_from((const char *)content, (size_t)len)) : NULL;
}

/* Behind the version, a SEC 1 key has a string and a PKCS#1 key a number. */
static enum key_form old_form(struct str encoded)
{
    struct element element = {0};
    for (int i = 0; i < 3 && next_element(&encoded, &element); i++)
        ;
    return element.tag == V_ASN1_OCTET_STRING ? FORM_SEC1 : FORM_PKCS1;
}

/* Which form it is. An error for a key that is not to be decoded. */
static struct error *check_key(struct str encoded, enum key_form *ret_form)
{
    const unsigned char *at = (const unsigned char *)encoded.ptr;
    if (encoded.len > KEY_MAX)
        return error_new(ERROR_TOO_LARGE, "a key of more than %zu bytes", KEY_MAX);
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)encoded.len);
    ERR_clear_error();
    *ret_form = info ? FORM_PKCS8 : old_form(encoded);
    struct error *err = info                      ? check_pkcs8(info)
                        : *ret_form == FORM_PKCS1 ? check_rsa_key(encoded)
                                                  : NULL;
    PKCS8_PRIV_KEY_INFO_free(info);
    return err;
}

/* A block of a PEM text. */
struct pem_block {
    char *label, *header;
    unsigned char *bytes;
    long len;
};

static void pem_block_done(struct pem_block *block)
{
    OPENSSL_free(block->label);
    OPENSSL_free(block->header);
    OPENSSL_clear_free(block->bytes, (size_t)block->len);
    *block = (struct pem_block){0};
}

/* The first private key. Certificates and parameters of a curve may stand before it. */
static bool find_key_block(struct str pem, struct pem_block *ret_block)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    bool is_key = false;
    while (!is_key && PEM_read_bio(bio, &ret_block->label, &ret_block->header, &ret_block->bytes,
                                   &ret_block->len) == 1) {
        is_key = str_ends_with(str_from_c(ret_block->label), STR("PRIVATE KEY"));
        if (!is_key)
            pem_block_done(ret_block);
    }
    BIO_free(bio);
    ERR_clear_error();
    return is_key;
}

struct error *tls_key_read(struct str pem, EVP_PKEY **ret_key)
{
    SCOPED(pem_block) block = {0};
    enum key_form form = FORM_PKCS8;
    if (!find_key_block(pem, &block))
        return unusable_key();
    const struct str encoded = str_from((const char *)block.bytes, (size_t)block.len);
    TRY(check_key(encoded, &form));
    EVP_PKEY *key = decode_key(encoded, form);
    if (!key)
        return unusable_key();
    *ret_key = key;
    return NULL;
}

/* A key of a type that OpenSSL does not know is none that a handshake would compute with. */
struct error *tls_check_public_key(const X509 *certificate)
{
    ERR_set_mark();
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    const int bits = key ? EVP_PKEY_get_bits(key) : 0;
    ERR_pop_to_mark();
    return bits <= KEY_BITS_MAX ? NULL
                                : error_new(ERROR_TOO_LARGE,
                                            "a certificate with a key of %d bits, where %d is the "
                                            "most",
                                            bits, KEY_BITS_MAX);
}
