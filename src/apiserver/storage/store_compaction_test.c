#include "apiserver/storage/store_compaction.h"

#include "testing/test.h"

TEST(compaction_forgets_what_was_old_one_interval_ago)
{
    const struct {
        const char *name;
        duration at;      /* minutes */
        int64_t revision; /* the newest until then */
        int64_t floor;
    } steps[] = {
        {"nothing is old yet",                  4,  10, 1 },
        {"the first interval began with 1",     5,  10, 1 },
        {"the second one is under way",         9,  20, 1 },
        {"it began with 10",                    10, 30, 10},
        {"within the third one",                14, 40, 10},
        {"late by a while",                     17, 40, 30},
        {"the next one ends at its own time",   20, 50, 40},
        {"nothing was written for a long time", 95, 50, 50},
        {"an interval began then",              99, 60, 50},
    };
    struct store_compaction compaction = {.interval = 5 * MINUTE};
    store_compaction_begin(&compaction, 1, HOUR);
    for (size_t i = 0; i < COUNT(steps); i++) {
        TEST_CASE("%s", steps[i].name);
        store_compaction_advance(&compaction, steps[i].revision, HOUR + steps[i].at * MINUTE);
        CHECK_EQ(compaction.floor, steps[i].floor);
    }
}
