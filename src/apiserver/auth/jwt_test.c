#include "apiserver/auth/jwt.h"

#include "apiserver/auth/auth_fixture_test.h"
#include "apiserver/auth/token_keys.h"
#include "base/base64.h"

static struct str audience = STR_INIT("https://kubernetes.default.svc");

static const struct jwt_claims claims = {
    .issuer = STR_INIT("https://kubernetes.default.svc"),
    .id = STR_INIT("5ee2bf8f-7e66-459e-9a72-86f78ab8acbc"),
    .namespace = STR_INIT("n"),
    .account = STR_INIT("bot"),
    .account_uid = STR_INIT("141879f1-1e2e-4866-8d92-961c7ffb71e0"),
    .bound_kind = STR_INIT("pod"),
    .bound_name = STR_INIT("p"),
    .bound_uid = STR_INIT("uid-p"),
    .audiences = {&audience, 1},
    .issued = 1794731647,
    .not_before = 1794731647,
    .expires = 1794735247,
};

/* The parts of serviceaccount-005's token, with our signature and a pod. */
TEST(token_has_the_claims_of_kubernetes)
{
    OWNED(token_keys) keys = NULL;
    SCOPED(buf) token = {.limit = 0};
    SCOPED(buf) payload = {.limit = 0};
    struct str rest, part;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(jwt_write(keys, &claims, &token));
    CHECK(token.secret);
    rest = buf_str(&token);
    str_cut(&rest, '.', &part);
    str_cut(&rest, '.', &part);
    CHECK_OK(base64_decode_url(&payload, part));
    CHECK_EQ(
        buf_str(&payload),
        STR("{\"aud\":[\"https://kubernetes.default.svc\"],\"exp\":1794735247,\"iat\":1794731647,"
            "\"iss\":\"https://kubernetes.default.svc\",\"jti\":\"5ee2bf8f-7e66-459e-9a72-"
            "86f78ab8acbc\",\"kubernetes.io\":{\"namespace\":\"n\",\"pod\":{\"name\":\"p\","
            "\"uid\":\"uid-p\"},\"serviceaccount\":{\"name\":\"bot\",\"uid\":\"141879f1-1e2e-4866-"
            "8d92-961c7ffb71e0\"}},\"nbf\":1794731647,\"sub\":\"system:serviceaccount:n:bot\"}"));
}

TEST(token_is_read_as_it_was_written)
{
    OWNED(token_keys) keys = NULL;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    struct jwt_claims seen;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(jwt_write(keys, &claims, &token));
    CHECK(jwt_read(keys, &arena, buf_str(&token), &seen));
    CHECK_EQ(seen.issuer, claims.issuer);
    CHECK_EQ(seen.id, claims.id);
    CHECK_EQ(seen.namespace, claims.namespace);
    CHECK_EQ(seen.account, claims.account);
    CHECK_EQ(seen.account_uid, claims.account_uid);
    CHECK_EQ(seen.bound_kind, claims.bound_kind);
    CHECK_EQ(seen.bound_name, claims.bound_name);
    CHECK_EQ(seen.bound_uid, claims.bound_uid);
    CHECK_EQ(seen.audiences.count, 1);
    CHECK_EQ(seen.audiences.items[0], audience);
    CHECK_EQ(seen.issued, claims.issued);
    CHECK_EQ(seen.not_before, claims.not_before);
    CHECK_EQ(seen.expires, claims.expires);
}

TEST(token_is_refused_when_any_byte_of_it_differs)
{
    OWNED(token_keys) keys = NULL;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    struct jwt_claims seen;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(jwt_write(keys, &claims, &token));
    for (size_t i = 0; i < token.len; i++) {
        const char was = token.ptr[i];
        TEST_CASE("byte %zu", i);
        token.ptr[i] = was == 'A' ? 'B' : 'A';
        CHECK(!jwt_read(keys, &arena, buf_str(&token), &seen));
        token.ptr[i] = was;
        CHECK(!jwt_read(keys, &arena, str_slice(buf_str(&token), 0, i), &seen));
    }
    TEST_CASE("more behind it");
    buf_add_char(&token, 'A');
    CHECK(!jwt_read(keys, &arena, buf_str(&token), &seen));
}

static void add_part(struct buf *token, const char *text)
{
    if (token->len)
        buf_add_char(token, '.');
    base64_encode_url(token, str_from_c(text));
}

TEST(token_of_others_is_refused)
{
    OWNED(token_keys) keys = NULL;
    OWNED(token_keys) others = NULL;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    SCOPED(buf) unsigned_token = {.limit = 0};
    struct jwt_claims seen;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(token_keys_new(&others));
    TEST_CASE("another key");
    CHECK_OK(jwt_write(others, &claims, &token));
    CHECK(!jwt_read(keys, &arena, buf_str(&token), &seen));
    TEST_CASE("no signature");
    add_part(&unsigned_token, "{\"alg\":\"none\"}");
    add_part(&unsigned_token, "{\"sub\":\"system:serviceaccount:n:bot\"}");
    buf_add_char(&unsigned_token, '.');
    CHECK(!jwt_read(keys, &arena, buf_str(&unsigned_token), &seen));
    TEST_CASE("a signature of zeros");
    struct str head = buf_str(&token);
    head.len = str_find_last_char(head, '.');
    SCOPED(buf) zeros = {.limit = 0};
    buf_add(&zeros, head);
    buf_add_char(&zeros, '.');
    for (size_t i = 0; i < 86; i++)
        buf_add_char(&zeros, 'A');
    CHECK(!jwt_read(others, &arena, buf_str(&zeros), &seen));
}

TEST(token_has_one_spelling)
{
    OWNED(token_keys) keys = NULL;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    SCOPED(buf) other = {.limit = 0};
    struct jwt_claims seen;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(jwt_write(keys, &claims, &token));
    TEST_CASE("a line break, which base64 skips");
    buf_add(&other, buf_str(&token));
    buf_add_char(&other, '\n');
    CHECK(!jwt_read(keys, &arena, buf_str(&other), &seen));
    TEST_CASE("bits that are left over");
    /* 64 bytes end in a letter of which four bits do not count. */
    for (size_t i = 0; i < 64; i++) {
        static const char letters[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        const bool is_same = letters[i] == token.ptr[token.len - 1];
        buf_clear(&other);
        buf_add(&other, str_slice(buf_str(&token), 0, token.len - 1));
        buf_add_char(&other, letters[i]);
        CHECK_EQ(jwt_read(keys, &arena, buf_str(&other), &seen), is_same);
    }
}

TEST(token_claims_that_are_incomplete_are_refused)
{
#define OF(iss, aud, kubernetes, sub)                                                              \
    "{\"iss\":" iss ",\"aud\":" aud                                                                \
    ",\"jti\":\"j\",\"iat\":1,\"nbf\":1,\"exp\":2,\"kubernetes.io\":" kubernetes ",\"sub\":\"" sub \
    "\"}"
#define ACCOUNT "\"serviceaccount\":{\"name\":\"a\",\"uid\":\"u\"}"
#define SUBJECT "system:serviceaccount:n:a"
    /* clang-format off */
    static const struct {
        const char *name, *payload;
        bool ok;
    } cases[] = {
        {"complete", OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\"," ACCOUNT "}", SUBJECT), true},
        {"bound to a secret",
         OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\",\"secret\":{\"name\":\"s\",\"uid\":\"t\"}," ACCOUNT "}", SUBJECT),
         true},
        {"bound to two",
         OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\",\"pod\":{\"name\":\"s\",\"uid\":\"t\"},\"secret\":{\"name\":\"s\",\"uid\":\"t\"}," ACCOUNT "}", SUBJECT),
         false},
        {"bound to null",
         OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\",\"pod\":null," ACCOUNT "}", SUBJECT), false},
        {"no issuer", OF("\"\"", "[\"x\"]", "{\"namespace\":\"n\"," ACCOUNT "}", SUBJECT), false},
        {"no audience", OF("\"i\"", "[]", "{\"namespace\":\"n\"," ACCOUNT "}", SUBJECT), false},
        {"an audience that is no text",
         OF("\"i\"", "[1]", "{\"namespace\":\"n\"," ACCOUNT "}", SUBJECT), false},
        {"an audience that is no list",
         OF("\"i\"", "\"x\"", "{\"namespace\":\"n\"," ACCOUNT "}", SUBJECT), false},
        {"no namespace", OF("\"i\"", "[\"x\"]", "{" ACCOUNT "}", SUBJECT), false},
        {"no account", OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\"}", SUBJECT), false},
        {"another subject",
         OF("\"i\"", "[\"x\"]", "{\"namespace\":\"n\"," ACCOUNT "}", "system:serviceaccount:n:b"),
         false},
        {"no times",
         "{\"iss\":\"i\",\"aud\":[\"x\"],\"jti\":\"j\",\"kubernetes.io\":{\"namespace\":\"n\"," ACCOUNT "},\"sub\":\"" SUBJECT "\"}",
         false},
        {"a list", "[]", false},
        {"not JSON", "{", false},
        {"nothing", "", false},
    };
    /* clang-format on */
    SCOPED(arena) arena = {.limit = 0};
    struct jwt_claims seen;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(jwt_claims_read(&arena, str_from_c(cases[i].payload), &seen), cases[i].ok);
    }
}

TEST(token_has_its_time)
{
    static const struct {
        const char *name;
        int64_t at;
        bool current;
    } cases[] = {
        {"when it begins",         1000, true },
        {"the clock was set back", 941,  true },
        {"long before it begins",  939,  false},
        {"the last second",        1999, true },
        {"when it ends",           2000, false},
    };
    const struct jwt_claims timed = {.issued = 1000, .not_before = 1000, .expires = 2000};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(jwt_claims_are_current(&timed, cases[i].at), cases[i].current);
    }
}

TEST(keys_are_kept_as_pem)
{
    OWNED(token_keys) keys = NULL;
    OWNED(token_keys) again = NULL;
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(buf) pem = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    SCOPED(buf) first = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    struct jwt_claims seen;
    CHECK_OK(token_keys_new(&keys));
    CHECK_OK(token_keys_write(keys, &pem));
    CHECK(pem.secret);
    CHECK_OK(token_keys_read(buf_str(&pem), &again));
    TEST_CASE("tokens of one are tokens of the other");
    CHECK_OK(jwt_write(keys, &claims, &token));
    CHECK(jwt_read(again, &arena, buf_str(&token), &seen));
    auth_admin_token(keys, STR("c"), &first);
    auth_admin_token(again, STR("c"), &second);
    CHECK_EQ(buf_str(&first), buf_str(&second));
    TEST_CASE("damage is noticed");
    for (size_t i = 0; i + 1 < pem.len; i += 7) {
        OWNED(token_keys) none = NULL;
        CHECK_ERROR(token_keys_read(str_slice(buf_str(&pem), 0, i), &none), ERROR_PARSE);
    }
}

/* A flipped bit must not lead back to an earlier generation. */
TEST(keys_keep_their_generation)
{
    OWNED(token_keys) first = NULL;
    OWNED(token_keys) second = NULL;
    OWNED(token_keys) third = NULL;
    OWNED(token_keys) again = NULL;
    SCOPED(buf) pem = {.limit = 0};
    CHECK_OK(token_keys_new(&first));
    CHECK_EQ(token_keys_generation(first), 1);
    CHECK_OK(token_keys_next(first, &second));
    CHECK_OK(token_keys_next(second, &third));
    CHECK_EQ(token_keys_generation(third), 3);
    CHECK_OK(token_keys_write(third, &pem));
    CHECK_OK(token_keys_read(buf_str(&pem), &again));
    CHECK_EQ(token_keys_generation(again), 3);
    CHECK_EQ(token_keys_id(again), token_keys_id(third));
    for (size_t i = 0; i < pem.len; i++) {
        OWNED(token_keys) damaged = NULL;
        pem.ptr[i] ^= 1;
        OWNED(error) err = token_keys_read(buf_str(&pem), &damaged);
        pem.ptr[i] ^= 1;
        CHECK(err || token_keys_generation(damaged) == 3);
    }
}

TEST(keys_of_other_kinds_are_refused)
{
    static const char *const cases[] = {
        "",
        "no PEM",
        "-----BEGIN CORSET ACCESS SECRET-----\n"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n-----END CORSET ACCESS SECRET-----\n",
        /* Ed25519 */
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n"
        "-----END PRIVATE KEY-----\n"
        "-----BEGIN CORSET ACCESS SECRET-----\n"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n-----END CORSET ACCESS SECRET-----\n",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(token_keys) keys = NULL;
        TEST_CASE("%zu", i);
        CHECK_ERROR(token_keys_read(str_from_c(cases[i]), &keys), ERROR_PARSE);
    }
}
