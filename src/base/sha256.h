/*
 * SHA-256, of one text or piece by piece.
 *
 *     SCOPED(sha256) sha = {0};
 *     sha256_add(&sha, first);
 *     sha256_add(&sha, second);
 *     sha256_finish(&sha, digest);
 *
 * The zero value has hashed nothing yet. sha256_finish() makes the value zero again.
 */
#pragma once

#include <stdint.h>

#include "base/owned.h"
#include "base/str.h"

#define SHA256_LEN     32
#define SHA256_HEX_LEN 64

struct evp_md_ctx_st;

struct sha256 {
    struct evp_md_ctx_st *state;
};

void sha256_done(struct sha256 *sha);
void sha256_add(struct sha256 *sha, struct str bytes);
void sha256_finish(struct sha256 *sha, uint8_t ret_digest[static SHA256_LEN]);

/* The hash of one text. */
void sha256_of(struct str bytes, uint8_t ret_digest[static SHA256_LEN]);

/* The first so many digits of the hash of a text, as sha256_hex() gives them. A view of text. */
struct str sha256_start(struct str bytes, size_t digits, char *text);

/* Lower-case hexadecimal digits with a NUL behind them. Returns a view of text. */
struct str sha256_hex(const uint8_t digest[static SHA256_LEN],
                      char text[static SHA256_HEX_LEN + 1]);
