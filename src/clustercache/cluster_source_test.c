#include "clustercache/cluster_source.h"

#include "clustercache/requeue.h"
#include "testing/test.h"

#define NOW (1000 * SECOND)

static struct cluster_source_facts outage(duration success, duration event)
{
    return (struct cluster_source_facts){
        .last_success = NOW + success, .last_event = NOW + event, .now = NOW};
}

TEST(cc_42_when_a_probe_failure_is_told)
{
    const struct {
        const char *name;
        duration d, event;
        const char *reasons;
    } cases[] = {
        {"fires",                21 * SECOND, -40 * SECOND, "health probe didn't succeed since more than 21s"},
        {"told when it was due", 21 * SECOND, -39 * SECOND, ""                                               },
        {"not due yet",          61 * SECOND, -40 * SECOND, ""                                               },
        {"due this very moment", 60 * SECOND, -61 * SECOND, ""                                               },
        {"in minutes",           59 * SECOND, -61 * SECOND,
         "health probe didn't succeed since more than 59s"                                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct cluster_source_facts facts = outage(-60 * SECOND, cases[i].event);
        SCOPED(buf) reasons = {0};
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(cluster_source_is_due(&facts, &cases[i].d, 1, &reasons),
                 cases[i].reasons[0] != '\0');
        CHECK_EQ(buf_str(&reasons), str_from_c(cases[i].reasons));
    }
}

TEST(cc_43_of_three_durations_one_fires)
{
    const struct cluster_source_facts facts = outage(-60 * SECOND, -40 * SECOND);
    const duration durations[] = {5 * SECOND, 30 * SECOND, 120 * SECOND};
    for (size_t i = 0; i < COUNT(durations); i++) {
        SCOPED(buf) reasons = {0};
        CHECK_EQ(cluster_source_is_due(&facts, &durations[i], 1, &reasons), i == 1);
    }
    SCOPED(buf) reasons = {0};
    CHECK(cluster_source_is_due(&facts, durations, COUNT(durations), &reasons));
    CHECK_EQ(buf_str(&reasons), STR("health probe didn't succeed since more than 30s"));
}

TEST(cc_44_once_per_outage)
{
    const duration d = 50 * SECOND;
    struct cluster_source_facts facts = outage(-60 * SECOND, -200 * SECOND);
    SCOPED(buf) reasons = {0};
    CHECK(cluster_source_is_due(&facts, &d, 1, &reasons));
    facts.last_event = NOW;
    for (duration later = 0; later < HOUR; later += 10 * SECOND) {
        facts.now = NOW + later;
        CHECK(!cluster_source_is_due(&facts, &d, 1, &reasons));
    }
    TEST_CASE("after a success and a new outage");
    facts.last_success = NOW + HOUR;
    facts.now = NOW + HOUR + 51 * SECOND;
    CHECK(cluster_source_is_due(&facts, &d, 1, &reasons));
}

TEST(cc_41_connect_and_disconnect_are_reasons)
{
    struct cluster_source_facts facts = {.did_connect = true, .last_success = NOW, .now = NOW};
    SCOPED(buf) reasons = {0};
    CHECK(cluster_source_is_due(&facts, NULL, 0, &reasons));
    CHECK_EQ(buf_str(&reasons), STR("connect"));
    buf_clear(&reasons);
    facts.did_connect = false;
    facts.did_disconnect = true;
    CHECK(cluster_source_is_due(&facts, NULL, 0, &reasons));
    CHECK_EQ(buf_str(&reasons), STR("disconnect"));
}

TEST(a_cluster_that_never_connected_is_told_once)
{
    const duration d = 300 * SECOND;
    struct cluster_source_facts facts = {
        .last_success = REQUEUE_NEVER, .last_event = REQUEUE_NEVER, .now = 1};
    SCOPED(buf) reasons = {0};
    CHECK(cluster_source_is_due(&facts, &d, 1, &reasons));
    facts.last_event = facts.now;
    facts.now = NOW;
    CHECK(!cluster_source_is_due(&facts, &d, 1, &reasons));
}
