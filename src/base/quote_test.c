#include "base/quote.h"

#include "base/random.h"
#include "testing/test.h"

TEST(quote_go_spells_as_go_does)
{
    const struct {
        const char *name;
        struct str text;
        const char *quoted;
    } cases[] = {
        {"nothing",              STR(""),                         "\"\""                      },
        {"plain",                STR("a b'c`"),                   "\"a b'c`\""                },
        {"quote and backslash",  STR("\"\\"),                     "\"\\\"\\\\\""              },
        {"short escapes",        STR("\a\b\f\n\r\t\v"),           "\"\\a\\b\\f\\n\\r\\t\\v\"" },
        {"controls",             STR("\0\x1b\x1f\x7f"),           "\"\\x00\\x1b\\x1f\\x7f\""  },
        {"kept letters",         STR("h\xc3\xa9\xe2\x82\xac"),    "\"h\xc3\xa9\xe2\x82\xac\"" },
        {"kept emoji",           STR("\xf0\x9f\x98\x80"),         "\"\xf0\x9f\x98\x80\""      },
        {"kept replacement",     STR("\xef\xbf\xbd"),             "\"\xef\xbf\xbd\""          },
        {"upper control",        STR("\xc2\x80"),                 "\"\\u0080\""               },
        {"no-break space",       STR("\xc2\xa0"),                 "\"\\u00a0\""               },
        {"direction override",   STR("\xe2\x80\xae"),             "\"\\u202e\""               },
        {"line separators",      STR("\xe2\x80\xa8\xe2\x80\xa9"), "\"\\u2028\\u2029\""        },
        {"byte order mark",      STR("\xef\xbb\xbf"),             "\"\\ufeff\""               },
        {"private use",          STR("\xee\x80\x80"),             "\"\\ue000\""               },
        {"noncharacter",         STR("\xef\xbf\xbf"),             "\"\\uffff\""               },
        {"private plane",        STR("\xf4\x8f\xbf\xbd"),         "\"\\U0010fffd\""           },
        {"invalid byte",         STR("a\xff\x80z"),               "\"a\\xff\\x80z\""          },
        {"surrogate",            STR("\xed\xa0\x80"),             "\"\\xed\\xa0\\x80\""       },
        {"truncated at the end", STR("a\xe2\x82"),                "\"a\\xe2\\x82\""           },
        {"over-long slash",      STR("\xc0\xaf"),                 "\"\\xc0\\xaf\""            },
        {"yaml document",        STR("a: b\n--- # \"x\""),        "\"a: b\\n--- # \\\"x\\\"\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) buf = {0};
        TEST_CASE("%s", cases[i].name);
        str_quote_go(&buf, cases[i].text);
        CHECK_EQ(buf_str(&buf), str_from_c(cases[i].quoted));
    }
}

static struct str json_of(struct buf *buf, struct str text)
{
    char piece[QUOTE_PIECE_MAX];
    buf_clear(buf);
    while (text.len) {
        const size_t len = quote_next_json(&text, piece);
        buf_add(buf, str_from(piece, len));
    }
    return buf_str(buf);
}

TEST(quote_json_spells_valid_json)
{
    const struct {
        const char *name;
        struct str text;
        const char *json;
    } cases[] = {
        {"plain",               STR("abc"),              "abc"                         },
        {"quote and backslash", STR("\"\\"),             "\\\"\\\\"                    },
        {"short escapes",       STR("\b\f\n\r\t"),       "\\b\\f\\n\\r\\t"             },
        {"no short escape",     STR("\a\v\0\x7f"),       "\\u0007\\u000b\\u0000\\u007f"},
        {"kept",                STR("\xc3\xa9"),         "\xc3\xa9"                    },
        {"separator",           STR("\xe2\x80\xa8"),     "\\u2028"                     },
        {"a surrogate pair",    STR("\xf4\x8f\xbf\xbd"), "\\udbff\\udffd"              },
        {"invalid byte",        STR("\xff."),            "\xef\xbf\xbd."               },
    };
    SCOPED(buf) buf = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(json_of(&buf, cases[i].text), str_from_c(cases[i].json));
    }
}

TEST(quote_knows_what_is_printable)
{
    size_t printable = 0;
    for (uint32_t code = 0; code <= 0x10ffff; code++)
        printable += quote_is_printable(code);
    CHECK(printable > 190000 && printable < 260000);
    for (uint32_t code = 0; code < 0x100; code++) {
        TEST_CASE("U+%04X", code);
        CHECK_EQ(quote_is_printable(code),
                 (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code != 0xad));
    }
    for (uint32_t plane = 0; plane <= 16; plane++)
        CHECK(!quote_is_printable(plane << 16 | 0xfffe) &&
              !quote_is_printable(plane << 16 | 0xffff));
    CHECK(quote_is_printable(0xe0100));
    CHECK(!quote_is_printable(0x110000));
    CHECK(!quote_is_printable(UINT32_MAX));
}

/* Whatever goes in: one line of valid UTF-8 comes out, without a bare quote or control. */
TEST(quote_holds_any_bytes)
{
    struct random random;
    random_init(&random, 11);
    SCOPED(buf) buf = {0};
    for (int i = 0; i < 2000; i++) {
        char bytes[48];
        const size_t len = (size_t)random_below(&random, sizeof(bytes) + 1);
        random_bytes(&random, bytes, len);
        buf_clear(&buf);
        str_quote_go(&buf, str_from(bytes, len));
        CHECK(str_is_utf8(buf_str(&buf)));
        for (size_t at = 1; at + 1 < buf.len; at++) {
            CHECK((unsigned char)buf.ptr[at] >= 0x20 && buf.ptr[at] != 0x7f);
            if (buf.ptr[at] == '\\')
                at++;
            else
                CHECK(buf.ptr[at] != '"');
        }
        CHECK(str_is_utf8(json_of(&buf, str_from(bytes, len))));
    }
}
