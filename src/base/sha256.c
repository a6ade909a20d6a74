/*
 * SHA-256 by OpenSSL's EVP interface. The context is allocated by the first sha256_add().
 */
#include "base/sha256.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OpenSSL fails here only without memory or without its providers. Both end the process. */
static void must_succeed(bool succeeded)
{
    if (succeeded)
        return;
    fprintf(stderr, "corset: the cryptographic library cannot compute SHA-256\n");
    abort();
}

static void start_hash(struct sha256 *sha)
{
    if (sha->state)
        return;
    sha->state = EVP_MD_CTX_new();
    must_succeed(sha->state && EVP_DigestInit_ex(sha->state, EVP_sha256(), NULL) == 1);
}

void sha256_done(struct sha256 *sha)
{
    EVP_MD_CTX_free(sha->state); /* wipes what it held */
    sha->state = NULL;
}

void sha256_add(struct sha256 *sha, struct str bytes)
{
    start_hash(sha);
    if (bytes.len)
        must_succeed(EVP_DigestUpdate(sha->state, bytes.ptr, bytes.len) == 1);
}

void sha256_finish(struct sha256 *sha, uint8_t ret_digest[static SHA256_LEN])
{
    start_hash(sha);
    must_succeed(EVP_DigestFinal_ex(sha->state, ret_digest, NULL) == 1);
    sha256_done(sha);
}

void sha256_of(struct str bytes, uint8_t ret_digest[static SHA256_LEN])
{
    SCOPED(sha256) sha = {0};
    sha256_add(&sha, bytes);
    sha256_finish(&sha, ret_digest);
}

struct str sha256_hex(const uint8_t digest[static SHA256_LEN], char text[static SHA256_HEX_LEN + 1])
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_LEN; i++) {
        text[2 * i] = hex[digest[i] >> 4];
        text[2 * i + 1] = hex[digest[i] & 15];
    }
    text[SHA256_HEX_LEN] = '\0';
    return str_from(text, SHA256_HEX_LEN);
}

struct str sha256_start(struct str bytes, size_t digits, char *text)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    sha256_of(bytes, digest);
    sha256_hex(digest, hex);
    memcpy(text, hex, digits);
    text[digits] = '\0';
    return str_from(text, digits);
}
