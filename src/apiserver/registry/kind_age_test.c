#include "apiserver/registry/kind_age.h"

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
}
