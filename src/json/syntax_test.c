#include "json/syntax.h"

#include "testing/test.h"

TEST(syntax_find_error)
{
    const struct {
        const char *text;
        size_t offset;
        const char *message;
    } cases[] = {
        {"",            0, "unexpected end of JSON input"                                      },
        {" [1, ",       5, "unexpected end of JSON input"                                      },
        {"[1 2]",       3, "invalid character '2' after array element"                         },
        {"[1,]",        3, "invalid character ']' looking for beginning of value"              },
        {"{\"a\"}",     4, "invalid character '}' after object key"                            },
        {"{\"a\":1 2}", 7, "invalid character '2' after object key:value pair"                 },
        {"{\"a\":1,}",  7, "invalid character '}' looking for beginning of object key string"  },
        {"{'a':1}",     1, "invalid character '\\'' looking for beginning of object key string"},
        {"{} x",        3, "invalid character 'x' after top-level value"                       },
        {"01",          1, "invalid character '1' after top-level value"                       },
        {"-x",          1, "invalid character 'x' in numeric literal"                          },
        {"1.x",         2, "invalid character 'x' after decimal point in numeric literal"      },
        {"1ex",         2, "invalid character 'x' in exponent of numeric literal"              },
        {"trux",        3, "invalid character 'x' in literal true (expecting 'e')"             },
        {"nul",         3, "unexpected end of JSON input"                                      },
        {"\"\n\"",      1, "invalid character '\\n' in string literal"                         },
        {"\"\x01\"",    1, "invalid character '\\x01' in string literal"                       },
        {"\"\\x\"",     2, "invalid character 'x' in string escape code"                       },
        {"\"\\u12g4\"", 5, "invalid character 'g' in \\u hexadecimal character escape"         },
        {"\"abc",       4, "unexpected end of JSON input"                                      },
        {"\xe9",        0, "invalid character '\xc3\xa9' looking for beginning of value"       },
        {"\x80",        0, "invalid character '\\u0080' looking for beginning of value"        },
        {"\"",          1, "unexpected end of JSON input"                                      },
        {"[\"]",        3, "unexpected end of JSON input"                                      },
        {"NaN",         0, "invalid character 'N' looking for beginning of value"              },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        struct syntax_error error;
        CHECK(syntax_find_error(str_from_c(cases[i].text), &error));
        CHECK_EQ((const char *)error.message, cases[i].message);
        CHECK_EQ(error.offset, cases[i].offset);
    }
}

TEST(syntax_without_error)
{
    const char *const texts[] = {"1", " {} ", "[[],{\"a\":[true,false,null,-0.5E+7]}]",
                                 "\"\\ud800\xff\""};
    for (size_t i = 0; i < COUNT(texts); i++) {
        TEST_CASE("%s", texts[i]);
        struct syntax_error error;
        CHECK(!syntax_find_error(str_from_c(texts[i]), &error));
    }
}
