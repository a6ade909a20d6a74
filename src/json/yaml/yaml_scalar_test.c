#include "json/yaml/yaml_scalar.h"

#include <math.h>

#include "testing/test.h"

TEST(scalar_number_read)
{
    const struct {
        const char *name;
        const char *text;
        const char *json; /* "" for text */
    } cases[] = {
        {"an integer",                  "42",                    "42"                   },
        {"a lone zero",                 "0",                     "0"                    },
        {"octal by a leading zero",     "0644",                  "420"                  },
        {"not octal after all",         "0649",                  "649"                  },
        {"hexadecimal",                 "-0xFf",                 "-255"                 },
        {"a prefix without digits",     "0x",                    ""                     },
        {"a sign behind the prefix",    "0b-11",                 "-3"                   },
        {"but not behind 0x",           "0x-11",                 ""                     },
        {"a sign alone",                "-",                     ""                     },
        {"the largest uint64",          "18446744073709551615",  "18446744073709551615" },
        {"signed, it is a double",      "+18446744073709551615", "18446744073709552000" },
        {"the smallest int64",          "-9223372036854775808",  "-9223372036854775808" },
        {"underscores anywhere",        "1__2_.5_",              "12.5"                 },
        {"nothing but a fraction",      "-.5",                   "-0.5"                 },
        {"an exponent without digits",  "1e+",                   ""                     },
        {"two dots",                    "1.2.3",                 ""                     },
        {"a double that overflows",     "1e999",                 ""                     },
        {"a double that underflows",    "1e-999",                "0"                    },
        {"the smallest double",         "4.9e-324",              "5e-324"               },
        {"seventeen digits",            "0.30000000000000004",   "0.30000000000000004"  },
        {"up to 1e21 without exponent", "123456789012345678901", "123456789012345680000"},
        {"from 1e21 with exponent",     "1e21",                  "1e+21"                },
        {"a small one with exponent",   "0.00000012",            "1.2e-7"               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) text = {0};
        const struct scalar_number number = scalar_number_read(str_from_c(cases[i].text));
        if (number.type)
            scalar_number_write(&text, number);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].json));
    }
}

TEST(scalar_number_read_long)
{
    SCOPED(buf) text = {0};
    buf_add(&text, STR("1."));
    for (size_t i = 0; i < 10000; i++)
        buf_add_char(&text, '0');
    const struct scalar_number number = scalar_number_read(buf_str(&text));
    CHECK_EQ((int)number.type, SCALAR_FLOAT);
    CHECK_EQ(number.real, 1.0);
}

TEST(scalar_number_read_fraction)
{
    CHECK_EQ(scalar_number_read_fraction(STR(".1_5")).real, 0.15);
    CHECK_EQ((int)scalar_number_read_fraction(STR("._1")).type, SCALAR_NONE);
    CHECK_EQ((int)scalar_number_read_fraction(STR(".1_")).type, SCALAR_NONE);
    CHECK_EQ((int)scalar_number_read_fraction(STR(".1__5")).type, SCALAR_NONE);
    CHECK_EQ((int)scalar_number_read_fraction(STR(".")).type, SCALAR_NONE);
}

TEST(scalar_number_write_key)
{
    const struct {
        double real;
        const char *text;
    } cases[] = {
        {0,           "0"            },
        {-0.0,        "-0"           },
        {0.1,         "0.1"          },
        {100000,      "100000"       },
        {1000000,     "1e+06"        },
        {0.0001,      "0.0001"       },
        {0.00001,     "1e-05"        },
        {16777217,    "1.6777216e+07"},
        {1e300,       ".inf"         },
        {-1e300,      "-.inf"        },
        {1e-45,       "1e-45"        },
        {(double)NAN, ".nan"         },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        TEST_CASE("%s", cases[i].text);
        scalar_number_write_key(&text, cases[i].real);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].text));
    }
}

/* What is written reads back as the same double, for numbers of every size. */
TEST(scalar_number_round_trip)
{
    uint64_t bits = 0x0123456789abcdef;
    for (size_t i = 0; i < 20000; i++) {
        double real;
        bits = bits * 6364136223846793005 + 1442695040888963407;
        memcpy(&real, &bits, sizeof(real));
        if (!isfinite(real))
            continue;
        SCOPED(buf) text = {0};
        scalar_number_write(&text, (struct scalar_number){SCALAR_FLOAT, .real = real});
        TEST_CASE("%s", buf_c(&text));
        CHECK_EQ(scalar_number_to_double(scalar_number_read(buf_str(&text))), real);
    }
}

TEST(scalar_is_timestamp)
{
    const struct {
        const char *text;
        bool is_one;
    } cases[] = {
        {"2001-12-14",                   true },
        {"2001-2-3",                     true },
        {"2000-02-29",                   true },
        {"1900-02-29",                   false},
        {"2001-02-30",                   false},
        {"2001-13-01",                   false},
        {"2001-00-01",                   false},
        {"201-01-01",                    false},
        {"2001-12-14T21:59:43Z",         true },
        {"2001-12-14t21:59:43.10-05:00", true },
        {"2001-12-14T21:59:43",          false},
        {"2001-12-14T21:59:43+5:00",     false},
        {"2001-12-14T24:00:00Z",         false},
        {"2001-12-14T21:60:00Z",         false},
        {"2001-12-14 21:59:43.10",       true },
        {"2001-12-14   1:2:3,5",         true },
        {"2001-12-14 21:59:43Z",         false},
        {"2001-12-14x",                  false},
        {"2001-12",                      false},
        {"",                             false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(scalar_is_timestamp(str_from_c(cases[i].text)), cases[i].is_one);
    }
}

TEST(scalar_resolve_refuses_tags_that_do_not_fit)
{
    const struct {
        enum scalar_tag tag;
        const char *text;
        bool fits;
        const char *seen; /* what the text is */
    } cases[] = {
        {SCALAR_TAG_INT,       "12",                 true,  "!!int"      },
        {SCALAR_TAG_INT,       "1.5",                false, "!!float"    },
        {SCALAR_TAG_INT,       "",                   false, "!!null"     },
        {SCALAR_TAG_FLOAT,     "12",                 true,  "!!float"    },
        {SCALAR_TAG_FLOAT,     "0x8000000000000000", false, "!!int"      },
        {SCALAR_TAG_FLOAT,     ".inf",               true,  "!!float"    },
        {SCALAR_TAG_BOOL,      "on",                 true,  "!!bool"     },
        {SCALAR_TAG_BOOL,      "1",                  false, "!!int"      },
        {SCALAR_TAG_NULL,      "~",                  true,  "!!null"     },
        {SCALAR_TAG_NULL,      "no",                 false, "!!bool"     },
        {SCALAR_TAG_TIMESTAMP, "2001-01-01",         true,  "!!timestamp"},
        {SCALAR_TAG_TIMESTAMP, "2001",               false, "!!int"      },
        {SCALAR_TAG_STR,       "12",                 true,  "!!str"      },
        {SCALAR_TAG_OTHER,     "12",                 true,  "!!str"      },
        {SCALAR_TAG_BINARY,    "12",                 true,  "!!binary"   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s", scalar_tag_name(cases[i].tag), cases[i].text);
        struct scalar scalar;
        CHECK_EQ(scalar_resolve(cases[i].tag, true, str_from_c(cases[i].text), &scalar),
                 cases[i].fits);
        CHECK_EQ(scalar_type_name(&scalar), cases[i].seen);
    }
}
