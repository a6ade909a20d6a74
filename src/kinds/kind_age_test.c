#include "kinds/kind_age.h"

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
}
