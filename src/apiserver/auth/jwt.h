/*
 * Tokens of ServiceAccounts: JSON Web Tokens (RFC 7519) with the claims of Kubernetes, signed with
 * ES256.
 *
 * Only tokens of this process are accepted: the header has to be ours byte for byte, and no part of
 * a token is interpreted before its signature was verified. Private to this folder.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apiserver/auth/auth.h"

/* Longer ones are refused unread. */
#define JWT_MAX (16 * KILOBYTE)

struct jwt_claims {
    struct str issuer, id;
    struct str namespace, account, account_uid;
    struct str bound_kind; /* "pod", "secret" or empty */
    struct str bound_name, bound_uid;
    struct rbac_strings audiences;
    int64_t issued, not_before, expires; /* seconds since 1970 */
};

/* Appends the token to a buffer, which becomes secret. */
MUST_USE struct error *jwt_write(const struct token_keys *keys, const struct jwt_claims *claims,
                                 struct buf *token);

/*
 * False when the token is not one of ours. Whether the claims are valid now and for this API is not
 * checked.
 */
bool jwt_read(const struct token_keys *keys, struct arena *arena, struct str token,
              struct jwt_claims *ret_claims);

/*
 * A token around any payload, and the claims of a payload: the two halves of the above, for tests.
 */
MUST_USE struct error *jwt_seal(const struct token_keys *keys, struct str payload,
                                struct buf *token);
bool jwt_claims_read(struct arena *arena, struct str payload, struct jwt_claims *ret_claims);

/* Whether the claims are valid at this second; see jwt.c for the tolerance. */
bool jwt_claims_are_current(const struct jwt_claims *claims, int64_t now);
