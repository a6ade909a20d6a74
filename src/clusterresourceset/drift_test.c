#include "clusterresourceset/drift.h"

#include "testing/test.h"

static void add(struct apply_ledger *ledger, const char *name, const char *uid,
                const char *ownership)
{
    const struct gvk gvk = {STR("apps"), STR("v1"), STR("Deployment")};
    const struct apply_receipt receipt = {
        .key = {STR("ns"), str_from_c(name)},
        .uid = str_from_c(uid),
        .ownership = str_from_c(ownership)
    };
    apply_ledger_add(ledger, gvk, &receipt);
}

TEST(what_is_drift_of_an_object)
{
    static const struct {
        const char *name, *id, *uid, *ownership;
        enum drift drift;
    } cases[] = {
        {"as it was applied",            "apps/Deployment ns/a", "u1", "o1", DRIFT_NONE   },
        {"another one, equal to it",     "apps/Deployment ns/b", "u2", "o2", DRIFT_NONE   },
        {"gone",                         "apps/Deployment ns/a", "",   "",   DRIFT_GONE   },
        {"made anew with equal content", "apps/Deployment ns/a", "u9", "o1", DRIFT_CHANGED},
        {"made anew by somebody",        "apps/Deployment ns/a", "u9", "",   DRIFT_TAKEN  },
        {"managedFields wiped",          "apps/Deployment ns/a", "u1", "",   DRIFT_TAKEN  },
        {"a field left our entry",       "apps/Deployment ns/a", "u1", "o9", DRIFT_CHANGED},
        {"never applied",                "apps/Deployment ns/c", "u3", "o3", DRIFT_UNKNOWN},
    };
    SCOPED(arena) arena = {0};
    SCOPED(apply_ledger) ledger = {.arena = &arena};
    SCOPED(drift_memory) memory = {0};
    drift_memory_put(&memory, STR("old"), STR("u"), STR("o"));
    add(&ledger, "a", "u1", "o1");
    add(&ledger, "b", "u2", "o2");
    drift_memory_put_all(&memory, &ledger);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(drift_memory_judge(&memory, str_from_c(cases[i].id), str_from_c(cases[i].uid),
                                    str_from_c(cases[i].ownership)),
                 cases[i].drift);
    }
    CHECK_EQ(drift_memory_judge(&memory, STR("old"), STR("u"), STR("o")), DRIFT_UNKNOWN);
    TEST_CASE("drift is news once");
    const struct str id = STR("apps/Deployment ns/a");
    CHECK(!drift_memory_note(&memory, STR("old"), true));
    CHECK(drift_memory_note(&memory, id, true));
    CHECK(!drift_memory_note(&memory, id, true));
    CHECK(drift_memory_has_drifted(&memory, id));
    CHECK(!drift_memory_note(&memory, id, false));
    CHECK(!drift_memory_has_drifted(&memory, id) && !drift_memory_has_drifted(&memory, STR("x")));
    CHECK(drift_memory_note(&memory, id, true));
    drift_memory_put(&memory, id, STR("u1"), STR("o1"));
    CHECK(drift_memory_note(&memory, id, true));
    CHECK_EQ(sizeof(struct drift_note), (size_t)16);
    SCOPED(drift_memory) exact = {0};
    drift_memory_put_all(&exact, &ledger);
    CHECK_EQ(exact.capacity, (size_t)2);
}

TEST(a_memory_keeps_the_last_answer_of_many_objects)
{
    SCOPED(drift_memory) memory = {0};
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            SCOPED(buf) id = {.limit = 0};
            buf_print(&id, "v1/ConfigMap ns/%d", i);
            drift_memory_put(&memory, buf_str(&id), STR("u"), round ? STR("new") : STR("old"));
        }
    CHECK_EQ(memory.count, (size_t)1000);
    for (int i = 0; i < 1000; i++) {
        SCOPED(buf) id = {.limit = 0};
        buf_print(&id, "v1/ConfigMap ns/%d", i);
        CHECK_EQ(drift_memory_judge(&memory, buf_str(&id), STR("u"), STR("new")), DRIFT_NONE);
        CHECK_EQ(drift_memory_judge(&memory, buf_str(&id), STR("u"), STR("old")), DRIFT_CHANGED);
    }
}

TEST(a_check_that_fails_once_is_not_told)
{
    const duration interval = 5 * MINUTE;
    CHECK(!drift_is_unchecked(2 * interval, interval));
    CHECK(drift_is_unchecked(2 * interval + 1, interval));
    CHECK(!drift_is_unchecked(MINUTE, SECOND));
}
