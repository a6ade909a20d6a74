#include "clusterresourceset/drift_watch.h"

#include "testing/test.h"

TEST(streams_that_fail_again_and_again_are_opened_later_and_later)
{
    static const struct {
        size_t failures;
        duration pause;
    } cases[] = {
        {0,    0          },
        {1,    SECOND     },
        {2,    2 * SECOND },
        {5,    16 * SECOND},
        {10,   5 * MINUTE },
        {1000, 5 * MINUTE },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        CHECK_EQ(drift_watch_pause(cases[i].failures), cases[i].pause);
}
