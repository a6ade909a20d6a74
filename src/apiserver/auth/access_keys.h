/*
 * The cryptography behind access.h: all that is done with OpenSSL is done here. Private to
 * access*.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/auth/access.h"
#include "base/sha256.h"

/* Of ES256: r and s, 32 bytes each. */
#define ACCESS_SIGNATURE_LEN 64

/* Names the key: the hash of its public half, as text. */
struct str access_keys_id(const struct access_keys *keys);

MUST_USE struct error *access_keys_sign(const struct access_keys *keys, struct str message,
                                        uint8_t ret_signature[static ACCESS_SIGNATURE_LEN]);
bool access_keys_verify(const struct access_keys *keys, struct str message,
                        const uint8_t signature[static ACCESS_SIGNATURE_LEN]);

/* HMAC-SHA256 with the secret. */
void access_keys_mac(const struct access_keys *keys, struct str message,
                     uint8_t ret_mac[static SHA256_LEN]);

/* In a time that tells the lengths alone. */
bool access_secret_eq(struct str a, struct str b);
