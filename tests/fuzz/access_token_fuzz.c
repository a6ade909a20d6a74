/*
 * Text shown as a bearer token. As it is, it is no token of ours. Signed as a token's payload, it
 * is one exactly if its claims can be read; those are then written as a token that reads as the
 * same.
 */
#include "apiserver/auth/jwt.h"
#include "fuzz.h"
#include "testing/test.h"

static struct token_keys *keys;

static void check_equal(const struct jwt_claims *a, const struct jwt_claims *b)
{
    CHECK_EQ(a->issuer, b->issuer);
    CHECK_EQ(a->id, b->id);
    CHECK_EQ(a->namespace, b->namespace);
    CHECK_EQ(a->account, b->account);
    CHECK_EQ(a->account_uid, b->account_uid);
    CHECK_EQ(a->bound_kind, b->bound_kind);
    CHECK_EQ(a->bound_name, b->bound_name);
    CHECK_EQ(a->bound_uid, b->bound_uid);
    CHECK_EQ(a->issued, b->issued);
    CHECK_EQ(a->not_before, b->not_before);
    CHECK_EQ(a->expires, b->expires);
    CHECK_EQ(a->audiences.count, b->audiences.count);
    for (size_t i = 0; i < a->audiences.count; i++)
        CHECK_EQ(a->audiences.items[i], b->audiences.items[i]);
}

static void check_round_trip(struct arena *arena, const struct jwt_claims *claims)
{
    SCOPED(buf) token = {.limit = 0};
    struct jwt_claims again;
    OWNED(error) err = jwt_write(keys, claims, &token);
    if (err)
        return; /* too large */
    CHECK(jwt_read(keys, arena, buf_str(&token), &again));
    check_equal(&again, claims);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    struct jwt_claims claims, sealed;
    if (!keys)
        CHECK_OK(token_keys_new(&keys));
    CHECK(!jwt_read(keys, &arena, text, &claims));
    const bool is_readable = jwt_claims_read(&arena, text, &claims);
    CHECK_OK(jwt_seal(keys, text, &token));
    const bool is_short = token.len <= JWT_MAX;
    CHECK_EQ(jwt_read(keys, &arena, buf_str(&token), &sealed), is_readable && is_short);
    if (!is_readable || !is_short)
        return 0;
    check_equal(&sealed, &claims);
    jwt_claims_are_current(&claims, 1700000000);
    check_round_trip(&arena, &claims);
    return 0;
}
