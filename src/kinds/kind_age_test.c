#include "kinds/kind_age.h"

<<<<<<< HEAD
#include "testing/test.h"

#define DAY  (24 * HOUR)
#define YEAR (365 * DAY)

TEST(kind_age_is_short)
{
    static const struct {
        duration age;
        const char *text;
    } cases[] = {
        {-3 * SECOND,                     "<invalid>"},
        {-2 * SECOND,                     "<invalid>"},
        {-2 * SECOND + 1,                 "0s"       },
        {-1,                              "0s"       },
        {0,                               "0s"       },
        {SECOND - 1,                      "0s"       },
        {5 * SECOND,                      "5s"       },
        {2 * MINUTE - 1,                  "119s"     },
        {2 * MINUTE,                      "2m"       },
        {3 * MINUTE + 2 * SECOND,         "3m2s"     },
        {10 * MINUTE + 2 * SECOND,        "10m"      },
        {3 * HOUR - 1,                    "179m"     },
        {3 * HOUR,                        "3h"       },
        {7 * HOUR + 59 * MINUTE,          "7h59m"    },
        {8 * HOUR + 59 * MINUTE,          "8h"       },
        {47 * HOUR,                       "47h"      },
        {2 * DAY,                         "2d"       },
        {2 * DAY + HOUR,                  "2d1h"     },
        {8 * DAY + HOUR,                  "8d"       },
        {2 * YEAR - 1,                    "729d"     },
        {2 * YEAR,                        "2y"       },
        {6 * YEAR + 320 * DAY + 2 * HOUR, "6y320d"   },
        {8 * YEAR + DAY,                  "8y"       },
        {INT64_MAX,                       "292y"     },
    };
    char text[KIND_AGE_MAX];
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        CHECK_EQ(kind_age_write(cases[i].age, text), str_from_c(cases[i].text));
    }
}

TEST(kind_age_of_no_time_is_unknown)
{
    char text[KIND_AGE_MAX];
    OWNED(json_doc) doc = NULL;
    CHECK_OK(
        json_read(STR("[\"1970-01-01T00:00:00Z\",null,\"x\",\"0001-01-01T00:00:00Z\"]"), &doc));
    const struct json_value *times = json_doc_root(doc);
    CHECK_EQ(kind_age_since(json_at(times, 0), 7 * SECOND, text), STR("7s"));
    CHECK_EQ(kind_age_since(json_at(times, 1), 0, text), STR("<unknown>"));
    CHECK_EQ(kind_age_since(json_at(times, 2), 0, text), STR("<unknown>"));
    CHECK_EQ(kind_age_since(json_at(times, 3), 7 * SECOND, text), STR("292y"));
    CHECK_EQ(kind_age_since(NULL, 0, text), STR("<unknown>"));
=======
#include "base/duration.h"
#include "testing/test.h"

TEST(kind_age_write_gets_coarser_with_age)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {-2,                         "<invalid>"},
        {-1,                         "0s"       },
        {0,                          "0s"       },
        {119,                        "119s"     },
        {120,                        "2m"       },
        {182,                        "3m2s"     },
        {599,                        "9m59s"    },
        {600,                        "10m"      },
        {3 * 3600 - 1,               "179m"     },
        {3 * 3600,                   "3h"       },
        {3 * 3600 + 60,              "3h1m"     },
        {8 * 3600,                   "8h"       },
        {48 * 3600 - 1,              "47h"      },
        {48 * 3600,                  "2d"       },
        {50 * 3600,                  "2d2h"     },
        {8 * 86400,                  "8d"       },
        {2 * 365 * 86400 - 1,        "729d"     },
        {2 * 365 * 86400,            "2y"       },
        {(int64_t)(3 * 365) * 86400, "3y"       },
        {(int64_t)1126 * 86400,      "3y31d"    },
        {(int64_t)(8 * 365) * 86400, "8y"       },
        {(int64_t)(9 * 365) * 86400, "9y"       },
    };
    const timestamp now = (timestamp)2000000000 * SECOND;
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].text);
        kind_age_write(&text, now - cases[i].seconds * SECOND, now);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].text));
    }
}

TEST(kind_age_write_takes_the_ends_of_time)
{
    SCOPED(buf) text = {.limit = 0};
    kind_age_write(&text, TIMESTAMP_MIN, TIMESTAMP_MAX);
    buf_add_char(&text, ' ');
    kind_age_write(&text, TIMESTAMP_MAX, TIMESTAMP_MIN);
    CHECK_EQ(buf_str(&text), STR("292y <invalid>"));
>>>>>>> wt-custom
}
