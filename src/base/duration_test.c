#include "base/duration.h"

#include "testing/test.h"

TEST(duration_is_written_as_go_does)
{
    const struct {
        duration value;
        const char *text;
    } cases[] = {
        {0,                                   "0s"                       },
        {1,                                   "1ns"                      },
        {-1,                                  "-1ns"                     },
        {999,                                 "999ns"                    },
        {1100,                                "1.1\xc2\xb5s"             },
        {MICROSECOND,                         "1\xc2\xb5s"               },
        {2200 * MICROSECOND,                  "2.2ms"                    },
        {300 * MILLISECOND,                   "300ms"                    },
        {SECOND - 1,                          "999.999999ms"             },
        {SECOND,                              "1s"                       },
        {1500 * MILLISECOND,                  "1.5s"                     },
        {MINUTE,                              "1m0s"                     },
        {MINUTE + 1,                          "1m0.000000001s"           },
        {2 * HOUR,                            "2h0m0s"                   },
        {5 * MINUTE + 5001 * MILLISECOND,     "5m5.001s"                 },
        {-(HOUR + 2 * MINUTE + 300 * SECOND), "-1h7m0s"                  },
        {FOREVER,                             "2562047h47m16.854775807s" },
        {INT64_MIN,                           "-2562047h47m16.854775808s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[DURATION_TEXT_MAX];
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(duration_write(cases[i].value, text), str_from_c(cases[i].text));
    }
}

TEST(duration_is_read_as_go_does)
{
    const struct {
        const char *text;
        duration value;
    } cases[] = {
        {"0",                          0                                       },
        {"-0",                         0                                       },
        {"+0",                         0                                       },
        {"0s",                         0                                       },
        {"5s",                         5 * SECOND                              },
        {"+5s",                        5 * SECOND                              },
        {"-5s",                        -5 * SECOND                             },
        {"1478s",                      1478 * SECOND                           },
        {"5.s",                        5 * SECOND                              },
        {".5s",                        500 * MILLISECOND                       },
        {"-.5s",                       -500 * MILLISECOND                      },
        {"1.0s",                       SECOND                                  },
        {"1.004s",                     1004 * MILLISECOND                      },
        {"100.00100s",                 100001 * MILLISECOND                    },
        {"10ns",                       10                                      },
        {"11us",                       11 * MICROSECOND                        },
        {"12\xc2\xb5s",                12 * MICROSECOND                        },
        {"12\xce\xbcs",                12 * MICROSECOND                        },
        {"13ms",                       13 * MILLISECOND                        },
        {"15m",                        15 * MINUTE                             },
        {"1.5h",                       90 * MINUTE                             },
        {"3h30m",                      210 * MINUTE                            },
        {"10.5s4m",                    4 * MINUTE + 10500 * MILLISECOND        },
        {"-2m3.4s",                    -(2 * MINUTE + 3400 * MILLISECOND)      },
        {"1h2m3s4ms5us6ns",            HOUR + 2 * MINUTE + 3 * SECOND + 4005006},
        {"52763797000ns",              52763797000                             },
        {"0.3333333333333333333h",     20 * MINUTE                             },
        {"0.100000000000000000000h",   6 * MINUTE                              },
        {"0.9223372036854775807h",     55 * MINUTE + 20413933267               },
        {"9007199254740993ns",         ((duration)1 << 53) + 1                 },
        {"9223372036854775807ns",      INT64_MAX                               },
        {"9223372036854775.807us",     INT64_MAX                               },
        {"9223372036s854ms775us807ns", INT64_MAX                               },
        {"-9223372036854775808ns",     INT64_MIN                               },
        {"-9223372036854775.808us",    INT64_MIN                               },
        {"-2562047h47m16.854775808s",  INT64_MIN                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        duration value = 0;
        TEST_CASE("%s", cases[i].text);
        CHECK(duration_read(str_from_c(cases[i].text), &value));
        CHECK_EQ(value, cases[i].value);
    }
}

TEST(duration_refuses_what_go_refuses)
{
    const char *const cases[] = {
        "",
        "3",
        "-",
        "+",
        "s",
        ".",
        "-.",
        ".s",
        "+.s",
        "1d",
        "1h-2m",
        "1h 2m",
        " 1s",
        "1s ",
        "--1s",
        "1S",
        "1.2.3s",
        "1\xb5s",
        "00",
        "0x1s",
        "1e3s",
        "3000000h",
        "9223372036854775808ns",
        "9223372036854775.808us",
        "-9223372036854775809ns",
        "-9223372036854775808ns1ns",
        "9223372036854ms775us808ns",
        "18446744073709551616ns",
        "9223372036854775808ns9223372036854775808ns",
        "99999999999999999999999999999s",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        duration value = 42;
        TEST_CASE("%s", cases[i]);
        CHECK(!duration_read(str_from_c(cases[i]), &value));
        CHECK_EQ(value, (duration)42);
    }
    CHECK(!duration_read(STR("1s\0"), &(duration){0}));
}

TEST(duration_round_trips)
{
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
        const duration value = (duration)bits >> (i % 64);
        char text[DURATION_TEXT_MAX];
        duration again = 0;
        const struct str written = duration_write(value, text);
        TEST_CASE("%.*s", STR_ARG(written));
        CHECK(duration_read(written, &again));
        CHECK_EQ(again, value);
    }
}
