/*
 * The transition table against every set of facts, contradictory ones included: there are a
 * million.
 */
#include "clustercache/transition.h"

#include <string.h>

#include "testing/test.h"

struct outcome {
    enum transition_action action;
    enum transition_next next;
};

static bool has(uint32_t facts, uint32_t wanted)
{
    return (facts & wanted) == wanted;
}

static struct outcome expect_not_connected(uint32_t facts)
{
    if (has(facts, TRANSITION_CONNECTING))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_WHEN_ENDED};
    if (has(facts, TRANSITION_UNAUTHORIZED)) /* wins over too many failures */
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_AT_ONCE};
    if (has(facts, TRANSITION_TOO_MANY_FAILURES | TRANSITION_NEWS)) /* sources hear of the end */
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_AT_ONCE};
    if (has(facts, TRANSITION_TOO_MANY_FAILURES))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_RETRY};
    if (has(facts, TRANSITION_NEWS)) /* whatever waits */
        return (struct outcome){TRANSITION_CONNECT, TRANSITION_WHEN_ENDED};
    if (has(facts, TRANSITION_RETRY_WAITS))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_REST_OF_RETRY};
    return (struct outcome){TRANSITION_CONNECT, TRANSITION_WHEN_ENDED};
}

static struct outcome expect_connected(uint32_t facts)
{
    const bool may_change = has(facts, TRANSITION_CHANGED) && !has(facts, TRANSITION_CONNECTING);
    if (may_change && !has(facts, TRANSITION_CHANGE_WAITS))
        return (struct outcome){TRANSITION_CONNECT, TRANSITION_AGAIN};
    if (has(facts, TRANSITION_PROBING))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_WHEN_ENDED};
    if (!has(facts, TRANSITION_PROBE_WAITS))
        return (struct outcome){TRANSITION_PROBE, TRANSITION_WHEN_ENDED};
    if (may_change && has(facts, TRANSITION_CHANGE_FIRST))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_REST_OF_CHANGE};
    return (struct outcome){TRANSITION_NOTHING, TRANSITION_REST_OF_PROBE};
}

/* The specification of the reconcile as a ladder: section by section, the first answer counts. */
static struct outcome expect(uint32_t facts)
{
    if (has(facts, TRANSITION_UNREADABLE))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_FALLBACK};
    if (facts & (TRANSITION_ABSENT | TRANSITION_FILTERED_OUT))
        return (struct outcome){TRANSITION_FORGET, TRANSITION_WITH_EVENT};
    if (has(facts, TRANSITION_OTHER_UID))
        return (struct outcome){TRANSITION_FORGET, TRANSITION_AGAIN};
    if (has(facts, TRANSITION_NO_ACCESSOR))
        return (struct outcome){TRANSITION_CREATE, TRANSITION_AGAIN};
    if (!has(facts, TRANSITION_PROVISIONED))
        return (struct outcome){TRANSITION_NOTHING, TRANSITION_WITH_EVENT};
    return has(facts, TRANSITION_CONNECTED) ? expect_connected(facts) : expect_not_connected(facts);
}

TEST(every_set_of_facts_has_the_transition_of_the_specification)
{
    for (uint32_t facts = 0; facts < TRANSITION_FACTS; facts++) {
        const struct transition *row = transition_next(facts);
        const struct outcome expected = expect(facts);
        if (row->action == expected.action && row->next == expected.next)
            continue;
        TEST_CASE("facts %05x: %s", facts, row->observed);
        CHECK_EQ((int)row->action, (int)expected.action);
        CHECK_EQ((int)row->next, (int)expected.next);
    }
}

TEST(every_transition_is_reached)
{
    size_t count;
    const struct transition *rows = transition_rows(&count);
    size_t reached[64] = {0};
    CHECK(count <= COUNT(reached));
    for (uint32_t facts = 0; facts < TRANSITION_FACTS; facts++)
        reached[transition_next(facts) - rows]++;
    for (size_t i = 0; i < count; i++) {
        TEST_CASE("%s", rows[i].observed);
        CHECK(reached[i] > 0);
    }
}

/* What an action changes at once, as far as the next observation sees it. */
static uint32_t facts_after(uint32_t facts, enum transition_action action)
{
    const uint32_t of_accessor = ~(uint32_t)(TRANSITION_PROVISIONED | TRANSITION_UNREADABLE |
                                             TRANSITION_ABSENT | TRANSITION_FILTERED_OUT);
    switch (action) {
    case TRANSITION_FORGET:
        return (facts & ~of_accessor) | TRANSITION_NO_ACCESSOR;
    case TRANSITION_CREATE:
        return facts & ~of_accessor;
    case TRANSITION_CONNECT:
        return facts | TRANSITION_CONNECTING;
    case TRANSITION_PROBE:
        return facts | TRANSITION_PROBING;
    case TRANSITION_NOTHING:
        break;
    }
    return facts;
}

/* Forget, create, then a row that ends: no reconcile observes more than three times. */
TEST(every_reconcile_ends)
{
    for (uint32_t start = 0; start < TRANSITION_FACTS; start++) {
        const struct transition *row = transition_next(start);
        uint32_t facts = start;
        int observed = 1;
        for (; row->next == TRANSITION_AGAIN && observed < 10; observed++) {
            facts = facts_after(facts, row->action);
            row = transition_next(facts);
        }
        if (observed > 3) {
            TEST_CASE("facts %05x", start);
            CHECK(observed <= 3);
        }
    }
}

/* A key that is left without a delay would be reconciled only with the next event or resync. */
TEST(clusters_that_are_provisioned_are_never_left_alone)
{
    for (uint32_t facts = 0; facts < TRANSITION_FACTS; facts++) {
        const struct transition *row = transition_next(facts | TRANSITION_PROVISIONED);
        if (row->next == TRANSITION_WITH_EVENT)
            CHECK(facts & (TRANSITION_ABSENT | TRANSITION_FILTERED_OUT));
        if (row->next == TRANSITION_WHEN_ENDED && row->action == TRANSITION_NOTHING)
            CHECK(facts & (TRANSITION_CONNECTING | TRANSITION_PROBING));
    }
}

TEST(delays_say_why)
{
    size_t count;
    const struct transition *rows = transition_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const bool has_delay = rows[i].next >= TRANSITION_AT_ONCE;
        TEST_CASE("%s", rows[i].observed);
        CHECK(!rows[i].message + !rows[i].because + !rows[i].recently >= 2);
        CHECK(!has_delay || rows[i].message || rows[i].because || rows[i].recently);
    }
}

TEST(the_reason_that_is_logged_fits_what_happened)
{
    const uint32_t cut_off = TRANSITION_PROVISIONED;
    const uint32_t connected = TRANSITION_PROVISIONED | TRANSITION_CONNECTED;
    const struct {
        uint32_t facts;
        const char *reason;
    } cases[] = {
        {cut_off | TRANSITION_RETRY_WAITS | TRANSITION_CONNECT_FAILED,
         "connection creation failed"                                                                         },
        {cut_off | TRANSITION_RETRY_WAITS,                                "connection creation already failed"},
        {connected | TRANSITION_PROBE_WAITS | TRANSITION_PROBE_SUCCEEDED, "health probe succeeded"            },
        {connected | TRANSITION_PROBE_WAITS | TRANSITION_PROBE_FAILED,    "health probe failed"               },
        {connected | TRANSITION_PROBE_WAITS,                              "health probe was already run"      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct transition *row = transition_next(cases[i].facts);
        const char *reason = row->because ? row->because : row->recently;
        TEST_CASE("%s", cases[i].reason);
        CHECK(reason && strcmp(reason, cases[i].reason) == 0);
    }
}
