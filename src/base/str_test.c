#include "base/str.h"

#include "testing/test.h"

TEST(str_eq_and_order)
{
    CHECK(str_eq(STR(""), (struct str){0}));
    CHECK(str_eq(STR("a\0b"), STR("a\0b")));
    CHECK(!str_eq(STR("a\0b"), STR("a\0c")));
    CHECK(str_eq_nocase(STR("Content-Type"), STR("content-TYPE")));
    CHECK(!str_eq_nocase(STR("a"), STR("ab")));
    CHECK(str_cmp(STR("a"), STR("b")) < 0);
    CHECK(str_cmp(STR("a"), STR("ab")) < 0);
    CHECK(str_cmp(STR("\xff"), STR("a")) > 0);
    CHECK_EQ(str_cmp(STR("x"), STR("x")), 0);
}

TEST(str_finds)
{
    CHECK_EQ(str_find(STR("hello"), STR("ll")), (size_t)2);
    CHECK_EQ(str_find(STR("hello"), STR("lx")), STR_NONE);
    CHECK_EQ(str_find(STR("hi"), STR("")), (size_t)0);
    CHECK_EQ(str_find_char(STR("a.b.c"), '.'), (size_t)1);
    CHECK_EQ(str_find_last_char(STR("a.b.c"), '.'), (size_t)3);
    CHECK_EQ(str_find_char((struct str){0}, '.'), STR_NONE);
    CHECK(str_starts_with(STR("abc"), STR("ab")));
    CHECK(!str_starts_with(STR("a"), STR("ab")));
    CHECK(str_ends_with(STR("abc"), STR("bc")));
    CHECK(!str_ends_with(STR("c"), STR("bc")));
}

TEST(str_cut_and_slice)
{
    struct str rest = STR("a,b"), head;
    CHECK(str_cut(&rest, ',', &head));
    CHECK_EQ(head, STR("a"));
    CHECK(!str_cut(&rest, ',', &head));
    CHECK_EQ(head, STR("b"));
    CHECK_EQ(rest, STR(""));
    CHECK_EQ(str_slice(STR("abc"), 1, 99), STR("bc"));
    CHECK_EQ(str_slice(STR("abc"), 2, 1), STR(""));
    CHECK_EQ(str_trim(STR(" \t a b \r\n")), STR("a b"));
}

TEST(str_numbers)
{
    const struct {
        const char *text;
        bool fits;
        int64_t value;
    } cases[] = {
        {"0",                    true,  0        },
        {"-1",                   true,  -1       },
        {"9223372036854775807",  true,  INT64_MAX},
        {"-9223372036854775808", true,  INT64_MIN},
        {"9223372036854775808",  false, 0        },
        {"-9223372036854775809", false, 0        },
        {"",                     false, 0        },
        {"-",                    false, 0        },
        {"+1",                   false, 0        },
        {"1 ",                   false, 0        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        int64_t value = 0;
        CHECK_EQ(str_to_int64(str_from_c(cases[i].text), &value), cases[i].fits);
        CHECK_EQ(value, cases[i].value);
    }
    uint64_t large;
    CHECK(str_to_uint64(STR("18446744073709551615"), &large));
    CHECK_EQ(large, UINT64_MAX);
    CHECK(!str_to_uint64(STR("18446744073709551616"), &large));
}

TEST(str_utf8)
{
    const struct {
        const char *name;
        struct str text;
        bool valid;
    } cases[] = {
        {"ascii",           STR("abc"),              true },
        {"two bytes",       STR("\xc3\xa9"),         true },
        {"three bytes",     STR("\xe2\x82\xac"),     true },
        {"four bytes",      STR("\xf0\x9f\x98\x80"), true },
        {"over-long slash", STR("\xc0\xaf"),         false},
        {"over-long three", STR("\xe0\x80\x80"),     false},
        {"surrogate",       STR("\xed\xa0\x80"),     false},
        {"past the end",    STR("\xf4\x90\x80\x80"), false},
        {"truncated",       STR("\xe2\x82"),         false},
        {"stray",           STR("\x80"),             false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(str_is_utf8(cases[i].text), cases[i].valid);
        CHECK_EQ(str_char_len(cases[i].text) > 0, cases[i].valid);
    }
    CHECK_EQ(str_char_len(STR("")), (size_t)0);
    CHECK_EQ(str_char_len(STR("a\xff")), (size_t)1);
    CHECK_EQ(str_char_len(STR("\xe2\x82\xac.")), (size_t)3);
}

/* Characters of several bytes at every place of the words in which a text is read. */
TEST(str_utf8_at_every_place)
{
    char text[24];
    for (size_t len = 2; len <= sizeof(text); len++)
        for (size_t at = 0; at + 2 <= len; at++) {
            memset(text, 'a', sizeof(text));
            text[at] = '\xc3';
            CHECK(!str_is_utf8(str_from(text, len)));
            text[at + 1] = '\xa9';
            CHECK(str_is_utf8(str_from(text, len)));
            text[at] = 'a';
            CHECK(!str_is_utf8(str_from(text, len)));
        }
}

TEST(str_writes_numbers)
{
    char digits[STR_NUMBER_MAX];
    CHECK_EQ(str_number(0, digits), STR("0"));
    CHECK_EQ(str_number(1000, digits), STR("1000"));
    CHECK_EQ(str_number(UINT64_MAX, digits), STR("18446744073709551615"));
}

TEST(str_has_code_points)
{
    CHECK_EQ(str_char_code(STR("a")), 0x61U);
    CHECK_EQ(str_char_code(STR("\x7f")), 0x7fU);
    CHECK_EQ(str_char_code(STR("\xc2\x80")), 0x80U);
    CHECK_EQ(str_char_code(STR("\xdf\xbf")), 0x7ffU);
    CHECK_EQ(str_char_code(STR("\xe2\x82\xac")), 0x20acU);
    CHECK_EQ(str_char_code(STR("\xf4\x8f\xbf\xbf")), 0x10ffffU);
}

TEST(str_hash_depends_on_every_bit)
{
    char text[40] = {0};
    for (size_t len = 0; len <= sizeof(text); len++) {
        const uint64_t plain = str_hash(str_from(text, len), 1);
        CHECK_EQ(str_hash(str_from(text, len), 1), plain);
        CHECK(str_hash(str_from(text, len), 2) != plain);
        CHECK(len == 0 || str_hash(str_from(text, len - 1), 1) != plain);
        for (size_t bit = 0; bit < len * 8; bit++) {
            text[bit / 8] = (char)(1 << bit % 8);
            CHECK(str_hash(str_from(text, len), 1) != plain);
            text[bit / 8] = 0;
        }
    }
}
