#include "controller/cache/cache_version.h"

#include "testing/test.h"

TEST(versions_compare_as_numbers)
{
    const struct {
        const char *a, *b;
        bool known;
        int order;
    } rows[] = {
        {"9",                     "10",                    true,  -1},
        {"10",                    "10",                    true,  0 },
        {"11",                    "10",                    true,  1 },
        {"0",                     "1",                     true,  -1},
        {"99999999999999999999",  "100000000000000000000", true,  -1},
        {"123456789012345678901", "123456789012345678900", true,  1 },
        {"",                      "1",                     false, 0 },
        {"1",                     "",                      false, 0 },
        {"01",                    "1",                     false, 0 },
        {"a",                     "b",                     false, 0 },
        {"-1",                    "1",                     false, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s and %s", rows[i].a, rows[i].b);
        int order = 0;
        CHECK_EQ(cache_version_cmp(str_from_c(rows[i].a), str_from_c(rows[i].b), &order),
                 rows[i].known);
        CHECK_EQ((order > 0) - (order < 0), rows[i].order);
        CHECK_EQ(cache_version_is_older(str_from_c(rows[i].a), str_from_c(rows[i].b)),
                 rows[i].known && rows[i].order < 0);
    }
}
