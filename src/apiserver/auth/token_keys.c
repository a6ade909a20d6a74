/*
 * All use of OpenSSL in this folder. Errors of OpenSSL carry no details worth showing, so its error
 * queue is cleared and the message says what was tried.
 *
 * The PEM text holds two blocks: the private key and a random secret, from which the admin tokens
 * of virtual clusters are derived. Behind the secret is the number of the generation, unless it is
 * the first, and then the beginning of the hash of both, which tells whether a bit of them has
 * changed; earlier versions wrote none. One block holds all of it, so that a damaged file cannot
 * lead back to an earlier generation.
 */
#include "apiserver/auth/token_keys.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/base64.h"
#include "base/memory.h"
#include "base/random.h"

#define SECRET_LEN   32
#define NUMBER_LEN   8
#define CHECK_LEN    8
#define BLOCK_MAX    (SECRET_LEN + NUMBER_LEN + CHECK_LEN)
#define SECRET_BLOCK "CORSET ACCESS SECRET"
#define HALF_LEN     (TOKEN_SIGNATURE_LEN / 2)

/* A hash in base64 without padding. */
#define ID_LEN 43

/* See auth.h. mac is initialised with the secret and only ever copied. */
struct token_keys {
    EVP_PKEY *key;
    uint8_t secret[SECRET_LEN];
    uint64_t generation;
    EVP_MAC_CTX *mac; /* initialised with the secret; copied for each use */
    char id[ID_LEN + 1];
};

void token_keys_free(struct token_keys *keys)
{
    if (!keys)
        return;
    EVP_PKEY_free(keys->key); /* wipes the key */
    EVP_MAC_CTX_free(keys->mac);
    mem_wipe(keys->secret, sizeof(keys->secret));
    mem_free(keys);
}

/* The key id is the hash of the public key. */
static bool make_id(struct token_keys *keys)
{
    uint8_t digest[SHA256_LEN];
    unsigned char *der = NULL;
    SCOPED(buf) text = {.limit = 0};
    const int len = i2d_PUBKEY(keys->key, &der);
    if (len <= 0)
        return false;
    sha256_of(str_from((const char *)der, (size_t)len), digest);
    OPENSSL_free(der);
    base64_encode_url(&text, str_from((const char *)digest, sizeof(digest)));
    if (text.len != ID_LEN)
        return false;
    memcpy(keys->id, text.ptr, ID_LEN);
    return true;
}

/* what names the operation that failed. */
static struct error *openssl_error(const char *what)
{
    ERR_clear_error();
    return error_new(ERROR_INTERNAL, "%s", what);
}

/* Fetching the algorithm takes longer than using it, so one context is made ready and copied. */
static void prepare_mac(struct token_keys *keys)
{
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    keys->mac = EVP_MAC_CTX_new(hmac);
    EVP_MAC_free(hmac);
    if (!keys->mac || EVP_MAC_init(keys->mac, keys->secret, sizeof(keys->secret), parameters) != 1)
        mem_exhausted(SECRET_LEN); /* HMAC is always available, so memory is missing */
}

struct error *token_keys_new(struct token_keys **ret_keys)
{
    OWNED(token_keys) keys = NEW(struct token_keys);
    keys->key = EVP_EC_gen("P-256");
    if (!keys->key || !make_id(keys))
        return openssl_error("make a key for tokens");
    random_bytes_secure(keys->secret, sizeof(keys->secret));
    keys->generation = 1;
    prepare_mac(keys);
    *ret_keys = TAKE(keys);
    return NULL;
}

/* ES256 needs this curve. */
static bool is_p256(const EVP_PKEY *key)
{
    char name[32] = "";
    return EVP_PKEY_is_a(key, "EC") == 1 &&
           EVP_PKEY_get_group_name(key, name, sizeof(name), NULL) == 1 &&
           str_eq(str_from_c(name), STR("prime256v1"));
}

/* What stands in the file, and how long it is. */
static size_t write_block(const uint8_t secret[static SECRET_LEN], uint64_t generation,
                          uint8_t ret_block[static BLOCK_MAX])
{
    uint8_t digest[SHA256_LEN];
    size_t len = SECRET_LEN;
    memcpy(ret_block, secret, SECRET_LEN);
    for (int shift = 56; generation > 1 && shift >= 0; shift -= 8)
        ret_block[len++] = (uint8_t)(generation >> shift);
    sha256_of(str_from((const char *)ret_block, len), digest);
    memcpy(ret_block + len, digest, CHECK_LEN);
    return len + CHECK_LEN;
}

static uint64_t read_number(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < NUMBER_LEN; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* The length tells which parts there are. */
static bool read_block(const unsigned char *bytes, long len, struct token_keys *keys)
{
    uint8_t block[BLOCK_MAX];
    const uint64_t generation = len == BLOCK_MAX ? read_number(bytes + SECRET_LEN) : 1;
    if (len != SECRET_LEN && len != SECRET_LEN + CHECK_LEN && len != BLOCK_MAX)
        return false;
    const size_t written = write_block(bytes, generation, block);
    const bool same =
        len == SECRET_LEN || (written == (size_t)len && memcmp(bytes, block, written) == 0);
    mem_wipe(block, sizeof(block));
    if (same) {
        memcpy(keys->secret, bytes, SECRET_LEN);
        keys->generation = generation;
    }
    return same;
}

/* Other blocks may come first. */
static bool read_secret(struct str pem, struct token_keys *keys)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    bool found = false;
    char *name, *header;
    unsigned char *bytes;
    long len;
    while (!found && bio && PEM_read_bio(bio, &name, &header, &bytes, &len) == 1) {
        found = str_eq(str_from_c(name), STR(SECRET_BLOCK)) && read_block(bytes, len, keys);
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(bytes, (size_t)len);
    }
    BIO_free(bio);
    return found;
}

static EVP_PKEY *read_key(struct str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    /*
     * An empty password in place of a callback: an encrypted key is refused without asking on a
     * terminal.
     */
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)"") : NULL;
    BIO_free(bio);
    return key;
}

/* A damaged key might sign without verifying. */
static bool is_sound(EVP_PKEY *key)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    const bool ok = context && EVP_PKEY_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return ok;
}

#define PEM_MAX (64 * KILOBYTE)

/*
 * A key that is not ours, damaged or encrypted is refused at the start of the program, not when the
 * first token is signed.
 */
struct error *token_keys_read(struct str pem, struct token_keys **ret_keys)
{
    OWNED(token_keys) keys = NEW(struct token_keys);
    const bool has_key = pem.len <= PEM_MAX && (keys->key = read_key(pem)) && is_p256(keys->key) &&
                         is_sound(keys->key);
    const bool has_secret = has_key && read_secret(pem, keys);
    ERR_clear_error();
    if (!has_key)
        return error_new(ERROR_PARSE, "no P-256 key in the keys for tokens");
    if (!has_secret)
        return error_new(ERROR_PARSE, "no secret in the keys for tokens");
    if (!make_id(keys))
        return openssl_error("name the key for tokens");
    prepare_mac(keys);
    *ret_keys = TAKE(keys);
    return NULL;
}

/* Through OpenSSL's secure memory, which is wiped when it is released. */
struct error *token_keys_write(const struct token_keys *keys, struct buf *pem)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    char *text = NULL;
    uint8_t block[BLOCK_MAX];
    pem->secret = true;
    const size_t block_len = write_block(keys->secret, keys->generation, block);
    const bool ok = bio &&
                    PEM_write_bio_PKCS8PrivateKey(bio, keys->key, NULL, NULL, 0, NULL, NULL) == 1 &&
                    PEM_write_bio(bio, SECRET_BLOCK, "", block, (long)block_len) > 0;
    mem_wipe(block, sizeof(block));
    const long len = ok ? BIO_get_mem_data(bio, &text) : 0;
    buf_add(pem, str_from(text, len > 0 ? (size_t)len : 0));
    BIO_free(bio);
    return ok ? buf_check(pem) : openssl_error("write the keys for tokens");
}

uint64_t token_keys_generation(const struct token_keys *keys)
{
    return keys->generation;
}

struct error *token_keys_next(const struct token_keys *keys, struct token_keys **ret_keys)
{
    TRY(token_keys_new(ret_keys));
    (*ret_keys)->generation = keys->generation + 1;
    return NULL;
}

void token_keys_become(struct token_keys *keys, struct token_keys *newer)
{
    const struct token_keys old = *keys;
    *keys = *newer;
    *newer = old;
    token_keys_free(newer);
}

struct str token_keys_id(const struct token_keys *keys)
{
    return str_from(keys->id, ID_LEN);
}

/* OpenSSL writes signatures in DER; tokens have the two numbers side by side (RFC 7518, 3.4). */
static bool unpack_signature(const unsigned char *der, size_t len,
                             uint8_t ret_signature[static TOKEN_SIGNATURE_LEN])
{
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &der, (long)len);
    const bool ok =
        numbers && BN_bn2binpad(ECDSA_SIG_get0_r(numbers), ret_signature, HALF_LEN) == HALF_LEN &&
        BN_bn2binpad(ECDSA_SIG_get0_s(numbers), ret_signature + HALF_LEN, HALF_LEN) == HALF_LEN;
    ECDSA_SIG_free(numbers);
    return ok;
}

/* The caller frees the result with OPENSSL_free(). */
static unsigned char *pack_signature(const uint8_t *signature, int *ret_len)
{
    unsigned char *der = NULL;
    ECDSA_SIG *numbers = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, HALF_LEN, NULL);
    BIGNUM *s = BN_bin2bn(signature + HALF_LEN, HALF_LEN, NULL);
    if (numbers && r && s && ECDSA_SIG_set0(numbers, r, s) == 1) {
        *ret_len = i2d_ECDSA_SIG(numbers, &der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(numbers);
    return der;
}

struct error *token_keys_sign(const struct token_keys *keys, struct str message,
                              uint8_t ret_signature[static TOKEN_SIGNATURE_LEN])
{
    unsigned char der[128]; /* 72 at most on this curve */
    size_t len = sizeof(der);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const bool ok =
        context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, keys->key) == 1 &&
        EVP_DigestSign(context, der, &len, (const unsigned char *)message.ptr, message.len) == 1 &&
        unpack_signature(der, len, ret_signature);
    EVP_MD_CTX_free(context);
    return ok ? NULL : openssl_error("sign a token");
}

/* False for every failure; a caller need not know why. */
bool token_keys_verify(const struct token_keys *keys, struct str message,
                       const uint8_t signature[static TOKEN_SIGNATURE_LEN])
{
    int len = 0;
    unsigned char *der = pack_signature(signature, &len);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const bool ok = der && len > 0 && context &&
                    EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, keys->key) == 1 &&
                    EVP_DigestVerify(context, der, (size_t)len, (const unsigned char *)message.ptr,
                                     message.len) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ERR_clear_error(); /* a failed verification leaves an error in the queue */
    return ok;
}

/* Only lack of memory can make this fail. */
void token_keys_mac(const struct token_keys *keys, struct str message,
                    uint8_t ret_mac[static SHA256_LEN])
{
    size_t len = 0;
    EVP_MAC_CTX *mac = EVP_MAC_CTX_dup(keys->mac);
    const bool ok = mac && EVP_MAC_update(mac, (const unsigned char *)message.ptr, message.len) &&
                    EVP_MAC_final(mac, ret_mac, &len, SHA256_LEN);
    EVP_MAC_CTX_free(mac);
    if (!ok || len != SHA256_LEN)
        mem_exhausted(SHA256_LEN);
}

bool token_secret_eq(struct str a, struct str b)
{
    return a.len == b.len && CRYPTO_memcmp(a.ptr, b.ptr, a.len) == 0;
}
