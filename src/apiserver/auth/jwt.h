/*
 * Tokens of ServiceAccounts: JSON Web Tokens with the claims Kubernetes gives them, signed ES256.
 *
 * We read only what we wrote: the header has to be ours byte for byte, and nothing of a token is
 * looked into before its signature holds. Private to this folder.
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

/* False when it is not one of ours. Whether the claims hold now and here is not looked at. */
bool jwt_read(const struct token_keys *keys, struct arena *arena, struct str token,
              struct jwt_claims *ret_claims);

/* A token around any payload, and the claims of a payload: the two halves, for tests. */
MUST_USE struct error *jwt_seal(const struct token_keys *keys, struct str payload,
                                struct buf *token);
bool jwt_claims_read(struct arena *arena, struct str payload, struct jwt_claims *ret_claims);

/* Whether they are valid at this second; see access_token.c for how exactly. */
bool jwt_claims_are_current(const struct jwt_claims *claims, int64_t now);
