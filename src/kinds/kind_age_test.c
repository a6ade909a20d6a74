#include "kinds/kind_age.h"

#include "base/duration.h"
#include "testing/test.h"

TEST(kind_age_write_gets_coarser_with_age)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {-2,        "<invalid>"},
        {-1,        "0s"       },
        {0,         "0s"       },
        {119,       "119s"     },
        {120,       "2m"       },
        {182,       "3m2s"     },
        {599,       "9m59s"    },
        {600,       "10m"      },
        {10799,     "179m"     },
        {10800,     "3h"       },
        {10860,     "3h1m"     },
        {28800,     "8h"       },
        {172799,    "47h"      },
        {172800,    "2d"       },
        {180000,    "2d2h"     },
        {691200,    "8d"       },
        {63071999,  "729d"     },
        {63072000,  "2y"       },
        {94608000,  "3y"       },
        {97286400,  "3y31d"    },
        {252288000, "8y"       },
        {283824000, "9y"       },
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
