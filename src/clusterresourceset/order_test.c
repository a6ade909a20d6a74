#include "clusterresourceset/order.h"

#include "testing/test.h"

TEST(the_names_of_depends_on_are_read)
{
    static const struct {
        const char *name, *text, *names, *problem;
    } cases[] = {
        {"none",            "",                  "",          ""                                         },
        {"one",             "a",                 "a",         ""                                         },
        {"spaces",          " a ,\tb.c , d-1\n", "a b.c d-1", ""                                         },
        {"empty names",     ",a,, ,b,",          "a b",       ""                                         },
        {"only separators", " , ,",              "",          ""                                         },
        {"a name twice",    "b,a,b, a",          "b a",       ""                                         },
        {"no name",         "a, B_c",            "",
         "the annotation corset.dev/depends-on names \"B_c\", which is no name of a ClusterResourceSet: "},
        {"a namespace",     "other/a",           "",          "names \"other/a\", which is no name"      },
        {"no comma",        "a b",               "",          "names \"a b\", which is no name"          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        const struct order_names names = order_read(str_from_c(cases[i].text), &arena);
        for (size_t j = 0; j < names.count; j++)
            buf_print(&text, "%s%.*s", j ? " " : "", STR_ARG(names.names[j]));
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].names));
        CHECK_CONTAINS(names.problem, str_from_c(cases[i].problem));
        CHECK_EQ(names.problem.len > 0, *cases[i].problem != '\0');
    }
}

TEST(the_names_of_depends_on_are_limited)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    for (int i = 0; i < ORDER_NAMES_MAX; i++)
        buf_print(&text, "a%d,a%d,", i, i);
    CHECK_EQ(order_read(buf_str(&text), &arena).count, (size_t)ORDER_NAMES_MAX);
    buf_add(&text, STR("one-more"));
    const struct order_names names = order_read(buf_str(&text), &arena);
    CHECK_EQ(names.count, (size_t)0);
    CHECK_CONTAINS(names.problem, STR("names more than 64 sets"));
}

/* A set that is there, known and selects the cluster, of which nothing is applied yet. */
#define THERE                                                                   \
    .exists = true, .is_watched = true, .is_known = true, .has_selector = true, \
    .is_selected = true, .is_read = true, .is_complete = true

TEST(a_named_set_is_waited_for_until_it_is_applied)
{
    static const struct {
        const char *name;
        struct order_facts facts;
        enum order_state state;
        bool is_waited_for;
    } cases[] = {
        {"no such set",                {0},                                              ORDER_ABSENT,      true },
        {"nothing yet",                {THERE},                                          ORDER_NOT_APPLIED, true },
        {"in full",                    {THERE, .is_applied = true},                      ORDER_MET,         false},
        {"in full, and not ready",
         {THERE, .is_applied = true, .is_unready = true},
         ORDER_NOT_READY,                                                                                   true },
        {"not ready, and not in full", {THERE, .is_unready = true},                      ORDER_NOT_APPLIED, true },
        {"paused and in full",         {THERE, .is_paused = true, .is_applied = true},   ORDER_MET,         false},
        {"paused",                     {THERE, .is_paused = true},                       ORDER_PAUSED,      true },
        {"failed",                     {THERE, .has_failed = true, .has_other = true},   ORDER_FAILED,      true },
        {"other content",              {THERE, .has_other = true},                       ORDER_OLD,         true },
        {"refused, applied once",
         {THERE, .is_refused = true, .is_applied = true},
         ORDER_REFUSED,                                                                                     true },
        {"being deleted",              {THERE, .is_deleting = true, .is_applied = true}, ORDER_DELETING,    true },
        {"somebody else's",            {.exists = true, .is_known = true},               ORDER_UNWATCHED,   true },
        {"not looked at",              {.exists = true, .is_watched = true},             ORDER_UNKNOWN,     true },
        {"no selector",
         {.exists = true, .is_watched = true, .is_known = true, .is_applied = true},
         ORDER_NO_SELECTOR,                                                                                 true },
        {"does not select it",
         {.exists = true, .is_watched = true, .is_known = true, .has_selector = true},
         ORDER_NOT_SELECTED,                                                                                false},
        {"resources not read",
         {.exists = true,
          .is_watched = true,
          .is_known = true,
          .has_selector = true,
          .is_selected = true,
          .is_applied = true},
         ORDER_UNKNOWN,                                                                                     true },
        {"a resource is missing",
         {.exists = true,
          .is_watched = true,
          .is_known = true,
          .has_selector = true,
          .is_selected = true,
          .is_read = true,
          .has_failed = true},
         ORDER_INCOMPLETE,                                                                                  true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ((int)order_decide(&cases[i].facts), (int)cases[i].state);
        CHECK_EQ(order_is_waited_for(cases[i].state), cases[i].is_waited_for);
    }
}

/* Whatever the facts: a cluster that the set selects is free only if the set is applied and ready
 * there. */
TEST(nothing_but_in_full_or_not_selected_lets_a_placement_begin)
{
    for (unsigned bits = 0; bits < 1U << 14; bits++) {
        const struct order_facts facts = {
            .exists = bits & 1,
            .is_deleting = bits & 2,
            .is_watched = bits & 4,
            .is_known = bits & 8,
            .has_selector = bits & 16,
            .is_selected = bits & 32,
            .is_refused = bits & 64,
            .is_paused = bits & 128,
            .is_read = bits & 256,
            .is_complete = bits & 512,
            .is_applied = bits & 1024,
            .has_failed = bits & 2048,
            .has_other = bits & 4096,
            .is_unready = bits & 8192,
        };
        if (order_is_waited_for(order_decide(&facts)))
            continue;
        CHECK(facts.exists && !facts.is_deleting && facts.is_watched && facts.is_known &&
              facts.has_selector);
        CHECK(!facts.is_selected ||
              (facts.is_applied && facts.is_read && !facts.is_refused && !facts.is_unready));
    }
}

TEST(every_state_of_a_named_set_has_words)
{
    for (int state = 0; state < ORDER_STATES; state++) {
        SCOPED(buf) text = {.limit = 0};
        order_write_wait(&text, STR("a"), (enum order_state)state);
        CHECK(str_starts_with(buf_str(&text), STR("waits for ClusterResourceSet a, which ")));
        order_write_wait(&text, STR("b"), ORDER_ABSENT);
        CHECK_CONTAINS(buf_str(&text), STR(", for ClusterResourceSet b, which does not exist"));
        CHECK(!str_contains(buf_str(&text), STR("null")));
    }
}
