#include "clustercache/accessor.h"

#include "testing/test.h"

static struct accessor_moment at(int64_t seconds)
{
    return (struct accessor_moment){seconds * SECOND, 1000 * SECOND + seconds * SECOND};
}

TEST(what_a_connect_and_a_probe_do_to_health)
{
    struct accessor_health health;
    struct probe_consequence consequence;
    accessor_health_init(&health);
    TEST_CASE("a failed connect counts as a probe");
    accessor_health_connect_failed(&health, at(1));
    CHECK_EQ(health.failures, 1U);
    CHECK_EQ(health.last_probe, 1 * SECOND);
    CHECK_EQ(health.last_connect_error, 1 * SECOND);
    CHECK_EQ(health.last_success, REQUEUE_NEVER);
    TEST_CASE("a connect clears failures, but not when the last one failed");
    accessor_health_connected(&health, at(2));
    CHECK_EQ(health.failures, 0U);
    CHECK_EQ(health.last_success, 2 * SECOND);
    CHECK_EQ(health.last_success_wall, 1002 * SECOND);
    CHECK_EQ(health.last_connect_error, 1 * SECOND);
    TEST_CASE("failed probes up to the threshold");
    for (int64_t i = 1; i <= 5; i++) {
        consequence = accessor_health_probed(&health, ACCESSOR_PROBE_FAILED, 5, at(2 + i));
        CHECK_EQ(consequence.too_many_failures, i == 5);
        CHECK(!consequence.unauthorized);
    }
    CHECK_EQ(health.last_success, 2 * SECOND);
    CHECK_EQ(health.last_probe_wall, 1007 * SECOND);
    TEST_CASE("further failures go on from there");
    accessor_health_connect_failed(&health, at(10));
    CHECK_EQ(health.failures, 6U);
}

/* docs/clustercache.md, "Probes": every state with every outcome. */
TEST(every_probe_has_its_verdict)
{
    for (uint32_t failures = 0; failures < 8; failures++) {
        for (enum accessor_probe probe = 0; probe <= ACCESSOR_PROBE_UNAUTHORIZED; probe++) {
            struct accessor_health health = {.failures = failures, .last_success = 5};
            const bool is_good = probe == ACCESSOR_PROBE_SUCCEEDED;
            TEST_CASE("%u failures, outcome %d", failures, (int)probe);
            const struct probe_consequence consequence =
                accessor_health_probed(&health, probe, 5, at(9));
            CHECK_EQ(health.failures, is_good ? 0 : failures + 1);
            CHECK_EQ(health.last_probe, 9 * SECOND);
            CHECK_EQ(health.last_success, is_good ? 9 * SECOND : 5);
            CHECK_EQ(consequence.too_many_failures, !is_good && failures + 1 >= 5);
            CHECK_EQ(consequence.unauthorized, probe == ACCESSOR_PROBE_UNAUTHORIZED);
        }
    }
}
