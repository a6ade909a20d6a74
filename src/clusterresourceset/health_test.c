#include "clusterresourceset/health.h"

#include "testing/test.h"

#define INTERVAL (5 * MINUTE)

TEST(what_is_not_ready_settles_until_its_time_is_over)
{
    const struct {
        const char *name;
        size_t unready;
        duration elapsed;
        enum health_state state;
    } cases[] = {
        {"all is ready",             0, 0,           HEALTH_READY   },
        {"ready at last",            0, HOUR,        HEALTH_READY   },
        {"one is not",               1, 0,           HEALTH_SETTLING},
        {"the clock was set back",   1, -HOUR,       HEALTH_SETTLING},
        {"nearly too late",          1, MINUTE - 1,  HEALTH_SETTLING},
        {"too late",                 1, MINUTE,      HEALTH_FAILED  },
        {"too late for a long time", 9, 1000 * HOUR, HEALTH_FAILED  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ((int)health_decide(cases[i].unready, cases[i].elapsed, MINUTE),
                 (int)cases[i].state);
    }
}

TEST(pauses_grow_while_a_placement_settles_and_end_with_its_time)
{
    static const duration looks[] = {1, 3, 7, 15, 31, 61, 91, 100};
    duration elapsed = 0;
    for (size_t i = 0; i < COUNT(looks); i++) {
        elapsed += health_next_look(HEALTH_SETTLING, elapsed, 100 * SECOND, INTERVAL);
        CHECK_EQ(elapsed, looks[i] * SECOND);
    }
    CHECK_EQ((int)health_decide(1, elapsed, 100 * SECOND), (int)HEALTH_FAILED);

    TEST_CASE("others");
    CHECK_EQ(health_next_look(HEALTH_FAILED, HOUR, MINUTE, INTERVAL), 30 * SECOND);
    CHECK_EQ(health_next_look(HEALTH_READY, 0, MINUTE, INTERVAL), INTERVAL);

    TEST_CASE("the cluster could not be asked when the time was over");
    CHECK_EQ(health_next_look(HEALTH_SETTLING, HOUR, MINUTE, INTERVAL), 30 * SECOND);

    TEST_CASE("the clock was set back");
    CHECK_EQ(health_next_look(HEALTH_SETTLING, -HOUR, MINUTE, INTERVAL), SECOND);
}

TEST(a_cluster_that_does_not_answer_for_long_is_told)
{
    CHECK(!health_is_unchecked(HEALTH_SETTLING, MINUTE, INTERVAL));
    CHECK(health_is_unchecked(HEALTH_SETTLING, MINUTE + 1, INTERVAL));
    CHECK(health_is_unchecked(HEALTH_FAILED, MINUTE + 1, INTERVAL));
    CHECK(!health_is_unchecked(HEALTH_READY, 2 * INTERVAL, INTERVAL));
    CHECK(health_is_unchecked(HEALTH_READY, 2 * INTERVAL + 1, INTERVAL));
    CHECK(!health_is_unchecked(HEALTH_READY, MINUTE, SECOND));
}

TEST(objects_that_are_always_ready_or_say_so_are_left_out)
{
    const struct {
        const char *manifest;
        bool is_left_out;
    } cases[] = {
        {"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}", false},
        {"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"}",       true },
        {"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"annotations\":{"
         "\"corset.dev/health\":\"ignore\"}}}",         true },
        {"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"annotations\":{"
         "\"corset.dev/health\":\"yes\"}}}",            false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(object) manifest = NULL;
        TEST_CASE("%s", cases[i].manifest);
        CHECK_OK(object_read(str_from_c(cases[i].manifest), &manifest));
        CHECK_EQ(health_leaves_out(manifest), cases[i].is_left_out);
    }
}
