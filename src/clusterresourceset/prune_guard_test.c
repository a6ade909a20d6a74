#include "clusterresourceset/prune_guard.h"

#include "base/owned.h"
#include "testing/test.h"

/* The facts that are true or false, one bit each; what is not true of the first letter's row. */
#define FACTS 16

static struct prune_facts make_facts(enum prune_reason reason, unsigned bits)
{
    struct prune_facts facts = {.reason = reason, .max_objects = 20, .max_clusters = 1};
    bool *const members[FACTS] = {
        &facts.is_asked_for, &facts.is_cache_known, &facts.is_whole,  &facts.has_objects,
        &facts.is_moved,     &facts.are_all_paused, &facts.is_there,  &facts.is_deleting,
        &facts.is_paused,    &facts.is_selected,    &facts.is_same,   &facts.is_connected,
        &facts.is_applied,   &facts.is_ready,       &facts.is_listed, &facts.is_approved,
    };
    for (size_t i = 0; i < FACTS; i++)
        *members[i] = (bits >> i) & 1;
    return facts;
}

/* What section "what holds it back" of docs/what-corset-deletes.md says, fact by fact. */
static bool may_delete(const struct prune_facts *facts)
{
    const bool is_fit = facts->is_asked_for && facts->is_cache_known && facts->is_there &&
                        !facts->is_deleting && !facts->is_paused && facts->is_connected &&
                        facts->is_same && facts->is_listed;
    const bool is_agreed =
        facts->is_approved ||
        (facts->objects <= facts->max_objects &&
         (facts->reason == PRUNE_REMOVED || facts->clusters <= facts->max_clusters));
    const bool is_meant[] = {
        [PRUNE_REMOVED] = facts->is_selected && facts->is_whole && facts->has_objects &&
                          facts->is_applied && facts->is_ready,
        [PRUNE_UNSELECTED] = !facts->is_selected,
        [PRUNE_DELETED] = !facts->is_moved && !facts->are_all_paused,
    };
    return is_fit && is_agreed && is_meant[facts->reason];
}

/* Every combination of facts, below and above the limits. */
TEST(only_what_every_guard_lets_through_is_deleted)
{
    static const struct {
        size_t objects, clusters;
    } sizes[] = {
        {0,  0},
        {20, 1},
        {21, 1},
        {20, 2},
        {21, 2},
    };
    size_t deleted = 0;
    for (enum prune_reason reason = 0; reason < PRUNE_REASONS; reason++)
        for (unsigned bits = 0; bits < 1u << FACTS; bits++)
            for (size_t i = 0; i < COUNT(sizes); i++) {
                struct prune_facts facts = make_facts(reason, bits);
                struct str why;
                facts.objects = sizes[i].objects;
                facts.clusters = sizes[i].clusters;
                const enum prune_decision decision = prune_guard_decide(&facts, &why);
                deleted += decision == PRUNE_DELETE;
                if ((decision == PRUNE_DELETE) == may_delete(&facts) &&
                    (decision >= PRUNE_LOOK) == !why.len)
                    continue;
                TEST_CASE("reason %d, facts %x, size %zu", (int)reason, bits, i);
                CHECK_EQ((decision == PRUNE_DELETE), may_delete(&facts));
                CHECK_EQ((decision >= PRUNE_LOOK), !why.len);
            }
    CHECK(deleted > 0);
}

/* Whatever is approved, an approval stands in for a limit alone and for no other fact. */
TEST(an_approval_lifts_limits_and_nothing_else)
{
    for (enum prune_reason reason = 0; reason < PRUNE_REASONS; reason++)
        for (unsigned bits = 0; bits < 1u << FACTS; bits++) {
            struct prune_facts facts = make_facts(reason, bits);
            struct str why;
            facts.is_approved = true;
            const enum prune_decision small = prune_guard_decide(&facts, &why);
            facts.objects = facts.clusters = 1000;
            if (prune_guard_decide(&facts, &why) != small) {
                TEST_CASE("reason %d, facts %x", (int)reason, bits);
                CHECK(false);
            }
        }
}

TEST(a_fact_that_is_left_out_holds_everything_back)
{
    const struct prune_facts good = {
        .is_asked_for = true,
        .is_cache_known = true,
        .is_whole = true,
        .has_objects = true,
        .is_there = true,
        .is_selected = true,
        .is_same = true,
        .is_connected = true,
        .is_applied = true,
        .is_ready = true,
        .is_listed = true,
        .objects = 20,
        .max_objects = 20,
    };
    struct str why;
    CHECK_EQ(prune_guard_decide(&good, &why), PRUNE_DELETE);
    const struct {
        struct prune_facts facts;
        enum prune_decision decision;
    } cases[] = {
        {{0},                                                                     PRUNE_NEVER},
        {{.reason = PRUNE_UNSELECTED, .is_asked_for = true},                      PRUNE_WAIT },
        {{.reason = PRUNE_DELETED, .is_asked_for = true, .is_moved = true},       PRUNE_NEVER},
        {{.reason = PRUNE_DELETED, .is_asked_for = true, .is_cache_known = true}, PRUNE_NEVER},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        CHECK_EQ(prune_guard_decide(&cases[i].facts, &why), cases[i].decision);
}

TEST(more_than_a_limit_waits_for_a_person)
{
    struct prune_facts facts = {
        .reason = PRUNE_UNSELECTED,
        .is_asked_for = true,
        .is_cache_known = true,
        .is_there = true,
        .is_same = true,
        .is_connected = true,
        .clusters = 2,
        .max_clusters = 1,
        .objects = 21,
        .max_objects = 20,
    };
    struct str why;
    CHECK_EQ(prune_guard_decide(&facts, &why), PRUNE_HOLD);
    CHECK_EQ(why, STR("more clusters than maxClusters"));
    facts.clusters = 1;
    CHECK_EQ(prune_guard_decide(&facts, &why), PRUNE_LOOK);
    facts.is_listed = true;
    CHECK_EQ(prune_guard_decide(&facts, &why), PRUNE_HOLD);
    CHECK_EQ(why, STR("more objects than maxObjects"));
    facts.is_approved = true;
    CHECK_EQ(prune_guard_decide(&facts, &why), PRUNE_DELETE);
}
