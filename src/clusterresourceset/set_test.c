#include "clusterresourceset/set.h"

#include "testing/test.h"

TEST(a_status_waits_for_pending_placements_until_news_are_due)
{
    static const struct {
        const char *name;
        size_t pending;
        int64_t due, now;
        duration wait;
    } cases[] = {
        {"all done, no news",              0, 0,           10 * SECOND, 0         },
        {"all done, news not due yet",     0, 15 * SECOND, 10 * SECOND, 0         },
        {"some pending, no news",          1, 0,           10 * SECOND, FOREVER   },
        {"some pending, news not due yet", 1, 15 * SECOND, 10 * SECOND, 5 * SECOND},
        {"some pending, news due now",     7, 10 * SECOND, 10 * SECOND, 0         },
        {"some pending, news overdue",     7, 5 * SECOND,  10 * SECOND, 0         },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(set_status_wait(cases[i].pending, cases[i].due, cases[i].now), cases[i].wait);
    }
}
