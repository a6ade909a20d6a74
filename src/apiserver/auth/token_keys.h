/*
 * The keys of tokens: everything that is done with OpenSSL is done here. Private to this folder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/auth/auth.h"
#include "base/sha256.h"

/* Of ES256: r and s, 32 bytes each. */
#define TOKEN_SIGNATURE_LEN 64

/* The key id (kid): the hash of the public key, as text. */
struct str token_keys_id(const struct token_keys *keys);

MUST_USE struct error *token_keys_sign(const struct token_keys *keys, struct str message,
                                       uint8_t ret_signature[static TOKEN_SIGNATURE_LEN]);
bool token_keys_verify(const struct token_keys *keys, struct str message,
                       const uint8_t signature[static TOKEN_SIGNATURE_LEN]);

/* HMAC-SHA256 with the secret. */
void token_keys_mac(const struct token_keys *keys, struct str message,
                    uint8_t ret_mac[static SHA256_LEN]);

/* Constant time for given lengths. */
bool token_secret_eq(struct str a, struct str b);
