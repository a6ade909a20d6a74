#include "json/go_number.h"

#include "testing/test.h"

/* Rows of the first table are what Go 1.25 prints for the double. */
TEST(go_number_write_double)
{
    const struct {
        double value;
        const char *text;
    } cases[] = {
        {0,                      "0"                      },
        {-0.0,                   "-0"                     },
        {1,                      "1"                      },
        {-1.5,                   "-1.5"                   },
        {0.1,                    "0.1"                    },
        {100,                    "100"                    },
        {123456789,              "123456789"              },
        {1e20,                   "100000000000000000000"  },
        {1e21,                   "1e+21"                  },
        {1.5e21,                 "1.5e+21"                },
        {1e100,                  "1e+100"                 },
        {999999999999999868928., "999999999999999900000"  },
        {9223372036854775808.,   "9223372036854776000"    },
        {0.000001,               "0.000001"               },
        {0.0000012,              "0.0000012"              },
        {0.0000001,              "1e-7"                   },
        {1.25e-7,                "1.25e-7"                },
        {1e-10,                  "1e-10"                  },
        {5e-324,                 "5e-324"                 },
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {0.30000000000000004,    "0.30000000000000004"    },
        {4.35,                   "4.35"                   },
        {-0.00001234,            "-0.00001234"            },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[GO_NUMBER_TEXT_MAX];
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(go_number_write_double(cases[i].value, text), str_from_c(cases[i].text));
    }
}

static yyjson_val raw(const char *token)
{
    yyjson_val val = {.tag = 0};
    unsafe_yyjson_set_raw(&val, token, strlen(token));
    return val;
}

TEST(go_number_text)
{
    const struct {
        const char *token, *text;
    } cases[] = {
        {"1",                                    "1"                   },
        {"-17",                                  "-17"                 },
        {"-0",                                   "0"                   },
        {"-0.0",                                 "-0"                  },
        {"1.0",                                  "1"                   },
        {"1e2",                                  "100"                 },
        {"1E21",                                 "1e+21"               },
        {"9007199254740993",                     "9007199254740993"    },
        {"9223372036854775807",                  "9223372036854775807" },
        {"12345678901234567890",                 "12345678901234567890"},
        {"18446744073709551616",                 "18446744073709552000"},
        {"-9223372036854775809",                 "-9223372036854776000"},
        {"0.25",                                 "0.25"                },
        {"-12.5",                                "-12.5"               },
        {"1.50",                                 "1.5"                 },
        {"0.000001",                             "0.000001"            },
        {"0.0000001",                            "1e-7"                },
        {"0.00000012",                           "1.2e-7"              },
        {"123456789012.345",                     "123456789012.345"    },
        {"0.1000000000000000055511151231257827", "0.1"                 },
        {"1e-400",                               "0"                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[GO_NUMBER_TEXT_MAX];
        TEST_CASE("%s", cases[i].token);
        const yyjson_val val = raw(cases[i].token);
        CHECK_EQ(go_number_text(&val, text), str_from_c(cases[i].text));
        CHECK_EQ(go_number_token(&val, text), str_from_c(cases[i].token));
    }
}

TEST(go_number_equals)
{
    const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"1",                    "1.0",                    true },
        {"100",                  "1e2",                    true },
        {"0",                    "-0.0",                   true },
        {"1",                    "1.5",                    false},
        {"1",                    "2",                      false},
        {"9007199254740993",     "9007199254740992",       false},
        {"9007199254740993",     "9007199254740993.0",     false},
        {"9007199254740992",     "9007199254740993.0",     true },
        {"12345678901234567890", "12345678901234567890.0", false},
        {"9223372036854775808",  "9223372036854775808.0",  false},
        {"9223372036854775807",  "9223372036854775808.0",  false},
        {"-9223372036854775808", "-9223372036854775808.0", false},
        {"1234567890124741000",  "1234567890124740993.5",  true },
        {"9223372036854775808",  "9223372036854775807",    false},
        {"1e300",                "1e301",                  false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s and %s", cases[i].a, cases[i].b);
        const yyjson_val a = raw(cases[i].a), b = raw(cases[i].b);
        CHECK_EQ(go_number_equals(&a, &b), cases[i].equal);
        CHECK_EQ(go_number_equals(&b, &a), cases[i].equal);
        CHECK(!go_number_has_token_of(&a, &b));
    }
}

TEST(go_number_is_infinite)
{
    char digits[400];
    memset(digits, '9', sizeof(digits));
    CHECK(go_number_is_infinite(STR("1e400")));
    CHECK(go_number_is_infinite(STR("-1E309")));
    CHECK(go_number_is_infinite(str_from(digits, sizeof(digits))));
    CHECK(!go_number_is_infinite(str_from(digits, 308)));
    CHECK(!go_number_is_infinite(STR("1e308")));
    CHECK(!go_number_is_infinite(STR("1e-400")));
}
