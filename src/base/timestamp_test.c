#include "base/timestamp.h"

#include "base/duration.h"
#include "testing/test.h"

static void check_written(struct str seen, const char *seconds, const char *fraction)
{
    char expected[TIMESTAMP_TEXT_MAX];
    snprintf(expected, sizeof(expected), "%s%sZ", seconds, fraction);
    CHECK_EQ(seen, str_from_c(expected));
}

TEST(timestamp_is_written_in_two_forms)
{
    const struct {
        timestamp time;
        const char *seconds, *micro;
    } cases[] = {
        {0,                   "1970-01-01T00:00:00", ".000000"},
        {1700000000123456789, "2023-11-14T22:13:20", ".123456"},
        {1700000000500000000, "2023-11-14T22:13:20", ".500000"},
        {1700000000000000010, "2023-11-14T22:13:20", ".000000"},
        {951782400 * SECOND,  "2000-02-29T00:00:00", ".000000"},
        {-1,                  "1969-12-31T23:59:59", ".999999"},
        {TIMESTAMP_MIN,       "1677-09-21T00:12:43", ".145224"},
        {TIMESTAMP_MAX,       "2262-04-11T23:47:16", ".854775"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[TIMESTAMP_TEXT_MAX];
        check_written(timestamp_write(cases[i].time, text), cases[i].seconds, "");
        check_written(timestamp_write_micro(cases[i].time, text), cases[i].seconds, cases[i].micro);
    }
}

TEST(timestamp_is_read)
{
    const struct {
        const char *text;
        timestamp time;
    } cases[] = {
        {"1970-01-01T00:00:00Z",               0                  },
        {"2023-11-14T22:13:20Z",               1700000000 * SECOND},
        {"2023-11-14T23:13:20+01:00",          1700000000 * SECOND},
        {"2023-11-14T16:43:20-05:30",          1700000000 * SECOND},
        {"2023-11-14T22:13:20+00:00",          1700000000 * SECOND},
        {"2023-11-14T22:13:20-00:00",          1700000000 * SECOND},
        {"2023-11-15T22:13:20+24:00",          1700000000 * SECOND},
        {"2023-11-14T23:13:20+00:60",          1700000000 * SECOND},
        {"2023-11-14T22:13:20.1Z",             1700000000100000000},
        {"2023-11-14T22:13:20,1Z",             1700000000100000000},
        {"2023-11-14T22:13:20.123456789Z",     1700000000123456789},
        {"2023-11-14T22:13:20.1234567899999Z", 1700000000123456789},
        {"2023-11-14T23:13:20.000001+01:00",   1700000000000001000},
        {"2000-02-29T00:00:00Z",               951782400 * SECOND },
        {"2023-11-14T5:13:20Z",                1699938800 * SECOND},
        {"1969-12-31T23:59:59.999999999Z",     -1                 },
        {"2262-04-11T23:47:16.854775807Z",     TIMESTAMP_MAX      },
        {"2262-04-11T23:47:16.854775808Z",     TIMESTAMP_MAX      },
        {"1677-09-21T00:12:43.145224192Z",     TIMESTAMP_MIN      },
        {"1677-09-21T00:12:43.145224191Z",     TIMESTAMP_MIN      },
        {"0000-01-01T00:00:00Z",               TIMESTAMP_MIN      },
        {"0001-01-01T00:00:00Z",               TIMESTAMP_MIN      },
        {"9999-12-31T23:59:59Z",               TIMESTAMP_MAX      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        timestamp time = 42;
        TEST_CASE("%s", cases[i].text);
        CHECK(timestamp_read(str_from_c(cases[i].text), &time));
        CHECK_EQ(time, cases[i].time);
    }
}

TEST(timestamp_refuses_what_go_refuses)
{
    const char *const cases[] = {
        "",
        "2023",
        "2023-11-14",
        "2023-11-14T22:13:20",
        "2023-11-14 22:13:20Z",
        "2023-11-14t22:13:20Z",
        "2023-11-14T22:13:20z",
        "2023-11-14T22:13:20.Z",
        "2023-11-14T22:13:20.+01:00",
        "2023-11-14T22:13:20ZZ",
        "2023-11-14T22:13:20Z ",
        " 2023-11-14T22:13:20Z",
        "2023-11-14T22:13Z",
        "2023-11-14T22:13:20+0100",
        "2023-11-14T22:13:20+01",
        "2023-11-14T22:13:20+1:00",
        "2023-11-14T22:13:20+25:00",
        "2023-11-14T22:13:20+01:61",
        "2023-11-14T22:13:60Z",
        "2023-11-14T22:60:20Z",
        "2023-11-14T24:00:00Z",
        "2023-11-14T:13:20Z",
        "2023-11-14T22:3:20Z",
        "2023-11-14T22:13:2Z",
        "2023-13-14T22:13:20Z",
        "2023-00-14T22:13:20Z",
        "2023-11-00T22:13:20Z",
        "2023-11-31T22:13:20Z",
        "2023-02-29T22:13:20Z",
        "1900-02-29T22:13:20Z",
        "2023-1-14T22:13:20Z",
        "2023-11-4T22:13:20Z",
        "+2023-11-14T22:13:20Z",
        "-001-11-14T22:13:20Z",
        "12023-11-14T22:13:20Z",
        "20x3-11-14T22:13:20Z",
        "9223372036854775807",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        timestamp time = 42;
        TEST_CASE("%s", cases[i]);
        CHECK(!timestamp_read(str_from_c(cases[i]), &time));
        CHECK_EQ(time, (timestamp)42);
    }
    CHECK(!timestamp_read(STR("2023-11-14T22:13:20Z\0"), &(timestamp){0}));
}

TEST(timestamp_micro_wants_six_digits)
{
    const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"2023-11-14T22:13:20.000000Z",      true },
        {"2023-11-14T22:13:20.123456+01:00", true },
        {"2023-11-14T22:13:20Z",             false},
        {"2023-11-14T22:13:20.12345Z",       false},
        {"2023-11-14T22:13:20.1234567Z",     false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(timestamp_read_micro(str_from_c(cases[i].text), &(timestamp){0}), cases[i].valid);
    }
}

TEST(timestamp_exact_covers_every_year)
{
    const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        {"0000-01-01T00:00:00Z", -62167219200},
        {"0001-01-01T00:00:00Z", -62135596800},
        {"9999-12-31T23:59:59Z", 253402300799},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct timestamp_exact exact;
        TEST_CASE("%s", cases[i].text);
        CHECK(timestamp_read_exact(str_from_c(cases[i].text), &exact));
        CHECK_EQ(exact.seconds, cases[i].seconds);
        CHECK_EQ(exact.nanoseconds, (int32_t)0);
    }
}

/* Every day a timestamp can name, counted by hand beside the formula. */
TEST(timestamp_follows_the_calendar)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    timestamp time = -(timestamp)9223286400 * SECOND; /* 1677-09-22 */
    int year = 1677, month = 9, day = 22;
    while (year < 2262) {
        const struct timestamp_civil civil = timestamp_to_civil(time + 86399 * SECOND);
        CHECK_EQ(civil.year, year);
        CHECK_EQ(civil.month, month);
        CHECK_EQ(civil.day, day);
        CHECK_EQ(civil.hour * 10000 + civil.minute * 100 + civil.second, 235959);
        const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        if (++day > lengths[month - 1] + (month == 2 && leap)) {
            day = 1;
            year += month == 12;
            month = month % 12 + 1;
        }
        time += 24 * HOUR;
    }
}

TEST(timestamp_round_trips)
{
    uint64_t bits = 99;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
        const timestamp time = ((timestamp)bits >> (i % 20)) / MICROSECOND * MICROSECOND;
        char text[TIMESTAMP_TEXT_MAX];
        timestamp again = 0;
        const struct str written = timestamp_write_micro(time, text);
        TEST_CASE("%.*s", STR_ARG(written));
        CHECK(timestamp_read(written, &again));
        CHECK_EQ(again, time);
    }
}

TEST(timestamp_now_is_this_century)
{
    CHECK(timestamp_now() > 1700000000 * SECOND);
}
