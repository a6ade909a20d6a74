#include "apiserver/endpoints/continue_token.h"

#include "base/base64.h"
#include "testing/test.h"

TEST(continue_token_comes_back)
{
    static const struct {
        const char *namespace;
        struct key last;
        int64_t revision, back;
    } cases[] = {
        {"",  {STR_INIT(""), STR_INIT("node")},   7,         7        },
        {"",  {STR_INIT("a"), STR_INIT("pod")},   123456789, 123456789},
        {"a", {STR_INIT("a"), STR_INIT("pod")},   1,         1        },
        {"a", {STR_INIT("a"), STR_INIT("x.y:z")}, INT64_MAX, INT64_MAX},
        {"a", {STR_INIT("a"), STR_INIT("pod")},   -1,        0        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        int64_t revision;
        struct key after;
        const struct str namespace = str_from_c(cases[i].namespace);
        TEST_CASE("row %zu", i);
        const struct str token =
            continue_token_write(&arena, cases[i].revision, namespace, cases[i].last);
        CHECK_OK(continue_token_read(&arena, token, namespace, &revision, &after));
        CHECK_EQ(revision, cases[i].back);
        CHECK(key_eq(after, cases[i].last));
    }
}

TEST(continue_token_refuses_what_others_made)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "{\"v\":\"meta.k8s.io/v2\",\"rv\":5,\"start\":\"/a\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":0,\"start\":\"/a\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":-2,\"start\":\"/a\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":\"5\",\"start\":\"/a\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/a\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"a\\u0000\"}",
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/b/a\\u0000\"}", /* leaves the namespace */
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/a/b/c\\u0000\"}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) token = {.limit = 0};
        int64_t revision;
        struct key after;
        TEST_CASE("%s", texts[i]);
        base64_encode_url(&token, str_from_c(texts[i]));
        CHECK_FAILS(continue_token_read(&arena, buf_str(&token), STR("ns"), &revision, &after),
                    ERROR_BAD_REQUEST, "continue key is not valid");
    }
    SCOPED(arena) arena = {0};
    int64_t revision;
    struct key after;
    CHECK_ERROR(continue_token_read(&arena, STR("!!"), STR(""), &revision, &after),
                ERROR_BAD_REQUEST);
}

TEST(continue_token_holds_no_nul_in_its_key)
{
    static const char text[] =
        "{\"v\":\"meta.k8s.io/v1\",\"rv\":5,\"start\":\"/a\\u0000b\\u0000\"}";
    SCOPED(arena) arena = {0};
    SCOPED(buf) token = {.limit = 0};
    int64_t revision;
    struct key after;
    base64_encode_url(&token, str_from_c(text));
    CHECK_ERROR(continue_token_read(&arena, buf_str(&token), STR("ns"), &revision, &after),
                ERROR_BAD_REQUEST);
}
