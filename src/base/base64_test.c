#include "base/base64.h"

#include "base/random.h"
#include "testing/test.h"

TEST(base64_is_encoded)
{
    const struct {
        struct str bytes;
        const char *standard, *url;
    } cases[] = {
        {STR(""),             "",         ""      },
        {STR("f"),            "Zg==",     "Zg"    },
        {STR("fo"),           "Zm8=",     "Zm8"   },
        {STR("foo"),          "Zm9v",     "Zm9v"  },
        {STR("foob"),         "Zm9vYg==", "Zm9vYg"},
        {STR("\0\0"),         "AAA=",     "AAA"   },
        {STR("\xfb\xff\xbf"), "+/+/",     "-_-_"  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) standard = {0};
        SCOPED(buf) url = {0};
        TEST_CASE("%s", cases[i].standard);
        base64_encode(&standard, cases[i].bytes);
        CHECK_EQ(buf_str(&standard), str_from_c(cases[i].standard));
        base64_encode_url(&url, cases[i].bytes);
        CHECK_EQ(buf_str(&url), str_from_c(cases[i].url));
    }
}

/* Positions and partial results are those of Go's StdEncoding.DecodeString. */
TEST(base64_is_decoded_as_go_does)
{
    const struct {
        const char *text;
        const char *partial;
        size_t wrong;
    } cases[] = {
        {"",               "",       STR_NONE},
        {"Zm9v",           "foo",    STR_NONE},
        {"Zg==",           "f",      STR_NONE},
        {"Zh==",           "f",      STR_NONE},
        {"Zm\n9v\r\n",     "foo",    STR_NONE},
        {"Zg\n=\n=\n",     "f",      STR_NONE},
        {"\n\r",           "",       STR_NONE},
        {"Zm9vYmFy",       "foobar", STR_NONE},
        {"Z",              "",       0       },
        {"Zm",             "",       0       },
        {"Zm9",            "",       0       },
        {"Zm9vZ",          "foo",    4       },
        {"Zm9vZg",         "foo",    4       },
        {"Zm9vZg=",        "foo",    7       },
        {"Zm9vZg=x",       "foo",    6       },
        {"Zm9vZg=\nx",     "foo",    7       },
        {"Zm9vZg=\n",      "foo",    8       },
        {"=",              "",       0       },
        {"Z=",             "",       1       },
        {"Zm9v=",          "foo",    4       },
        {"Zg==Zg==",       "f",      4       },
        {"Zm8==",          "fo",     4       },
        {"Zm8=\n\nx",      "fo",     6       },
        {"Zm9v Zm9v",      "foo",    4       },
        {"Zm9v-_-_",       "foo",    4       },
        {"!Zm9",           "",       0       },
        {"Zm9vZm\xff\xfe", "foo",    6       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) buf = {0};
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(base64_decode_lenient(&buf, str_from_c(cases[i].text)), cases[i].wrong);
        CHECK_EQ(buf_str(&buf), str_from_c(cases[i].partial));
    }
}

TEST(base64_mistakes_are_errors_with_a_position)
{
    SCOPED(buf) buf = {0};
    buf_add(&buf, STR("kept"));
    CHECK_FAILS(base64_decode(&buf, STR("Zm9v?")), ERROR_PARSE,
                "illegal base64 data at input byte 4");
    CHECK_FAILS(base64_decode_url(&buf, STR("Zg==")), ERROR_PARSE, "at input byte 2");
    CHECK_FAILS(base64_decode_url(&buf, STR("Zm9vZ")), ERROR_PARSE, "at input byte 4");
    CHECK_EQ(buf_str(&buf), STR("kept"));
    CHECK_OK(base64_decode_url(&buf, STR("-_-_Zg")));
    CHECK_EQ(buf_str(&buf), STR("kept\xfb\xff\xbf"
                                "f"));
}

TEST(base64_respects_the_limit)
{
    SCOPED(buf) buf = {.limit = 8};
    base64_encode(&buf, STR("123456789"));
    CHECK_ERROR(buf_check(&buf), ERROR_TOO_LARGE);
    buf_clear(&buf);
    CHECK_OK(base64_decode(&buf, STR("MTIzNDU2Nzg5MTIzNDU2Nzg5")));
    CHECK_ERROR(buf_check(&buf), ERROR_TOO_LARGE);
}

TEST(base64_round_trips_every_length)
{
    struct random random;
    random_init(&random, 64);
    for (size_t len = 0; len <= 200; len++) {
        char bytes[200];
        random_bytes(&random, bytes, len);
        SCOPED(buf) text = {.secret = true};
        SCOPED(buf) again = {.secret = true};
        TEST_CASE("%zu bytes", len);
        base64_encode(&text, str_from(bytes, len));
        CHECK_EQ(text.len, (len + 2) / 3 * 4);
        CHECK_OK(base64_decode(&again, buf_str(&text)));
        CHECK_EQ(buf_str(&again), str_from(bytes, len));

        buf_clear(&text);
        buf_clear(&again);
        base64_encode_url(&text, str_from(bytes, len));
        CHECK_EQ(text.len, (len * 4 + 2) / 3);
        CHECK_OK(base64_decode_url(&again, buf_str(&text)));
        CHECK_EQ(buf_str(&again), str_from(bytes, len));
    }
}

/* A mistake is found at its own place, and all whole groups before it are kept. */
TEST(base64_keeps_what_stands_before_a_mistake)
{
    for (size_t at = 0; at < 40; at++) {
        char text[40];
        memset(text, 'A', sizeof(text));
        text[at] = '*';
        SCOPED(buf) buf = {0};
        CHECK_EQ(base64_decode_lenient(&buf, str_from(text, sizeof(text))), at);
        CHECK_EQ(buf.len, at / 4 * 3);
    }
}
