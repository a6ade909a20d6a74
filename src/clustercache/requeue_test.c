#include "clustercache/requeue.h"

#include "base/random.h"
#include "testing/test.h"

TEST(new_clusters_are_tried_more_often)
{
    const struct {
        const char *name;
        bool is_new;
        uint32_t failures;
        duration retry, expected;
    } cases[] = {
        {"not a new one",    false, 1,          30 * SECOND, 30 * SECOND},
        {"before any",       true,  0,          30 * SECOND, SECOND     },
        {"the first",        true,  1,          30 * SECOND, SECOND     },
        {"the second",       true,  2,          30 * SECOND, 2 * SECOND },
        {"the third",        true,  3,          30 * SECOND, 4 * SECOND },
        {"the fourth",       true,  4,          30 * SECOND, 8 * SECOND },
        {"the fifth",        true,  5,          30 * SECOND, 15 * SECOND},
        {"all that follow",  true,  6,          30 * SECOND, 15 * SECOND},
        {"however many",     true,  UINT32_MAX, 30 * SECOND, 15 * SECOND},
        {"never less often", true,  5,          3 * SECOND,  3 * SECOND },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(requeue_retry(cases[i].is_new, cases[i].failures, cases[i].retry),
                 cases[i].expected);
    }
}

TEST(cc_45_should_requeue)
{
    const int64_t now = 100 * SECOND;
    const struct {
        const char *name;
        int64_t last;
        bool waits;
        duration remaining;
    } cases[] = {
        {"never before", REQUEUE_NEVER,         false, 0          },
        {"5 s ago",      now - 5 * SECOND,      true,  15 * SECOND},
        {"just now",     now,                   true,  20 * SECOND},
        {"almost",       now - 20 * SECOND + 1, true,  1          },
        {"20 s ago",     now - 20 * SECOND,     false, 0          },
        {"60 s ago",     now - 60 * SECOND,     false, 0          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        duration remaining = 0;
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(requeue_should_wait(now, cases[i].last, 20 * SECOND, &remaining), cases[i].waits);
        CHECK_EQ(remaining, cases[i].remaining);
    }
}

TEST(cc_46_min_or_default)
{
    CHECK_EQ(requeue_min_or_default(NULL, 0, 10 * SECOND), 10 * SECOND);
    CHECK_EQ(requeue_min_or_default((duration[]){5 * SECOND, 10 * SECOND}, 2, 10 * SECOND),
             5 * SECOND);
    CHECK_EQ(requeue_min_or_default((duration[]){10 * HOUR, 5 * HOUR}, 2, 10 * SECOND), 5 * HOUR);
}

TEST(delays_only_ever_grow)
{
    struct random random;
    random_init(&random, 1);
    CHECK_EQ(requeue_spread(&random, 10 * SECOND, -1), 10 * SECOND);
    bool differ = false;
    for (int i = 0; i < 1000; i++) {
        const duration delay = requeue_spread(&random, 10 * SECOND, 0.05);
        CHECK(delay >= 10 * SECOND && delay <= 10500 * MILLISECOND);
        differ |= delay > 10250 * MILLISECOND;
    }
    CHECK(differ);
}
