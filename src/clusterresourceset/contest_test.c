#include "clusterresourceset/contest.h"

#include "testing/test.h"

/* An opponent who changes the object at once, and somebody who looks every so often. */
static size_t repair_until(struct contest *contest, int64_t *now, int64_t end, duration every)
{
    size_t repairs = 0;
    for (; *now < end; *now += every)
        if (contest_may_repair(contest, *now)) {
            contest_note_repair(contest, *now);
            repairs++;
        }
    return repairs;
}

TEST(five_repairs_in_ten_minutes_are_followed_by_longer_and_longer_pauses)
{
    static const int minutes[] = {10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440};
    struct contest contest = {0};
    int64_t now = HOUR;
    CHECK_EQ(repair_until(&contest, &now, HOUR + 5 * SECOND, SECOND), (size_t)5);
    for (size_t i = 0; i < COUNT(minutes); i++) {
        TEST_CASE("pause %zu", i + 1);
        CHECK_EQ(contest.pause, minutes[i] * MINUTE);
        CHECK_EQ(repair_until(&contest, &now, contest.until, SECOND), (size_t)0);
        CHECK_EQ(repair_until(&contest, &now, contest.until + SECOND, SECOND), (size_t)1);
    }
}

TEST(fewer_repairs_are_no_contest)
{
    struct contest contest = {0};
    int64_t now = HOUR;
    CHECK_EQ(repair_until(&contest, &now, 2 * HOUR, 150 * SECOND), (size_t)24);
    CHECK_EQ(contest.pause, 0);
    TEST_CASE("the fifth within ten minutes is one");
    CHECK_EQ(repair_until(&contest, &now, 3 * HOUR, 149 * SECOND), (size_t)(5 - 1));
}

TEST(a_quiet_hour_is_enough)
{
    struct contest contest = {0};
    int64_t now = 0;
    CHECK(contest_is_over(&(struct contest){0}, HOUR));
    CHECK_EQ(repair_until(&contest, &now, 5 * SECOND, SECOND), (size_t)5);
    CHECK(!contest_is_over(&contest, contest.seen + HOUR - 1));
    CHECK(contest_is_over(&contest, contest.seen + HOUR));
    now = contest.seen + HOUR;
    CHECK_EQ(repair_until(&contest, &now, now + 5 * SECOND, SECOND), (size_t)5);
    CHECK_EQ(contest.pause, 10 * MINUTE);
    TEST_CASE("an hour in which it is seen is not quiet");
    CHECK_EQ(repair_until(&contest, &now, now + 80 * MINUTE, MINUTE), (size_t)3);
    CHECK_EQ(contest.pause, 80 * MINUTE);
}
