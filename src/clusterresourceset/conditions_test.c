#include "clusterresourceset/conditions.h"

#include <string.h>

#include "testing/test.h"

#define LOGS   "Please check controller logs for errors"
#define FAILED "Failed to apply ClusterResourceSet resources to Cluster"

static struct conditions make(const struct conditions_problem *items, size_t count, size_t clusters,
                              size_t failed, struct arena *arena)
{
    const struct conditions_summary summary = {
        .clusters = clusters, .failed = failed, .problems = items, .count = count};
    return conditions_make(&summary, 7, arena);
}

/* The rows of section 8 of the specification, each as the only thing that is wrong. */
TEST(conditions_of_every_fault)
{
    static const struct {
        const char *name;
        enum fault_type type;
        const char *cluster, *resource, *text;
        const char *reason, *message, *v1beta1, *severity; /* reason NULL: left alone */
        const char *failed;                                /* reason of Failed; NULL: no error */
    } cases[] = {
        {"clusters cannot be selected",  FAULT_NO_SELECTOR, "",   "",                                "unable to convert selector: x",
         "InternalError",                                                                                                                              LOGS,                                          "ClusterMatchFailed",        "Warning", "operatorError"    },
        {"Secret has another type",      FAULT_WRONG_TYPE,  "",   "Secret r1",                       "unsupported secret type",
         "WrongSecretType",                                                                                                                            "Secret type of resource r1 is not supported", "WrongSecretType",
         "Warning",                                                                                                                                                                                                                           "dependencySpec"   },
        {"resource missing",             FAULT_MISSING,     "",   "ConfigMap r1",                    "configmaps \"r1\" not found",
         "InternalError",                                                                                                                              LOGS,                                          "RetrievingResourceFailed",  "Warning", NULL               },
        {"resource unreadable",          FAULT_UNREADABLE,  "",   "ConfigMap r1",                    "etcd is away",
         "InternalError",                                                                                                                              LOGS,                                          "RetrievingResourceFailed",  "Warning", "apiTemporaryError"},
        {"a paused Cluster",             FAULT_PAUSED,      "",   "",                                "spec.paused is set",            "ClusterPaused",
         "Clusters are paused",                                                                                                                                                                       "ClusterPaused",             "Info",    NULL               },
        {"order",                        FAULT_ORDER,       "",   "",                                "sets depend on each other",     "InternalError",
         "The order between sets cannot be kept",                                                                                                                                                     "ApplyFailed",               "Warning", "operatorError"    },
        {"no client yet",                FAULT_CONNECTING,  "c1", "",                                "not connected yet",             "InternalError", LOGS,
         "RemoteClusterClientFailed",                                                                                                                                                                                              "Error",   "dependencyStatus" },
        {"no client",                    FAULT_NO_CLIENT,   "c1", "",
         "error getting client: connection to the workload cluster is down",                                                          "InternalError", LOGS,
         "RemoteClusterClientFailed",                                                                                                                                                                                              "Error",   "dependencyStatus" },
        {"a server without its Service", FAULT_NO_SERVICE,  "c1", "",                                "failed to retrieve",
         "InternalError",                                                                                                                              LOGS,                                          "RemoteClusterClientFailed", "Error",   "dependencyStatus" },
        {"an object failed",             FAULT_NOT_APPLIED, "c1", "ConfigMap r1, key a, document 2",
         "creating object",                                                                                                           "NotApplied",    FAILED,                                        "ApplyFailed",               "Warning", "dependencySpec"   },
        {"a policy that is missing",     FAULT_NO_POLICY,   "",   "",                                "it does not exist",             "InternalError",
         LOGS,                                                                                                                                                                                        "ApplyFailed",               "Warning", "operatorError"    },
        {"a binding that is full",       FAULT_NO_ROOM,     "c1", "",                                "it is full",                    "NotApplied",    FAILED,
         "ApplyFailed",                                                                                                                                                                                                            "Warning", "operatorError"    },
        {"content that cannot be used",  FAULT_NOT_APPLIED, "",   "ConfigMap r1",                    "no data",
         "NotApplied",                                                                                                                                 FAILED,                                        "ApplyFailed",               "Warning", "dependencySpec"   },
        {"content that is withheld",     FAULT_UNUSABLE,    "",   "ConfigMap r1",                    "no data",                       "NotApplied",
         FAILED,                                                                                                                                                                                      "ResourceUnusable",          "Warning", "dependencySpec"   },
        {"bookkeeping",                  FAULT_BOOKKEEPING, "c1", "",                                "failed to patch",               NULL,            NULL,                                          NULL,                        NULL,
         "apiTemporaryError"                                                                                                                                                                                                                                     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        const struct conditions_problem item = {cases[i].type, str_from_c(cases[i].cluster),
                                                str_from_c(cases[i].resource), STR("r1"),
                                                str_from_c(cases[i].text)};
        TEST_CASE("%s", cases[i].name);
        const bool is_of_set = cases[i].type == FAULT_NO_SELECTOR || cases[i].type == FAULT_ORDER ||
                               cases[i].type == FAULT_NO_POLICY;
        const size_t clusters = is_of_set ? 0 : 2;
        const struct conditions made =
            make(&item, 1, clusters, cases[i].cluster[0] != '\0', &arena);
        CHECK_EQ(made.is_success, cases[i].failed == NULL);
        CHECK_EQ(made.failed.status, cases[i].failed ? CONDITION_TRUE : CONDITION_FALSE);
        CHECK_EQ(made.failed.reason,
                 cases[i].failed ? str_from_c(cases[i].failed) : STR("Succeeded"));
        CHECK_EQ(made.says_applied, cases[i].reason != NULL);
        if (!cases[i].reason)
            continue;
        CHECK_EQ(made.applied.status, CONDITION_FALSE);
        CHECK_EQ(made.applied.reason, str_from_c(cases[i].reason));
        CHECK(str_starts_with(made.applied.message, str_from_c(cases[i].message)));
        CHECK_CONTAINS(made.applied.message, str_from_c(cases[i].text));
        CHECK_EQ(made.v1beta1.status, CONDITION_FALSE);
        CHECK_EQ(made.v1beta1.reason, str_from_c(cases[i].v1beta1));
        CHECK_EQ(made.v1beta1.severity, str_from_c(cases[i].severity));
        CHECK_EQ(made.v1beta1.message, str_from_c(cases[i].text));
    }
}

TEST(conditions_of_clusters_that_wait_for_their_wave)
{
    SCOPED(arena) arena = {0};
    const struct conditions_problem item = {FAULT_WAVE, STR("c2"), STR(""), STR(""),
                                            STR("waits for wave early")};
    const struct conditions_summary summary = {.clusters = 4,
                                               .waiting = 1,
                                               .rollout = STR("wave canary (Soaking)"),
                                               .problems = &item,
                                               .count = 1};
    const struct conditions made = conditions_make(&summary, 7, &arena);
    CHECK(made.says_applied && made.is_rolling && !made.is_waiting && !made.is_success);
    CHECK_EQ(made.applied.reason, STR("NotApplied"));
    CHECK_EQ(made.applied.message, STR("rolling out: wave canary (Soaking): 1 of 4 clusters wait: "
                                       "c2: waits for wave early"));
    CHECK_EQ(made.v1beta1.reason, STR("RollingOut"));
    CHECK_EQ(made.failed.status, CONDITION_FALSE);
    CHECK_EQ(made.progress.status, CONDITION_TRUE);
}

/* Counts come first; what failed is told before what waits. */
TEST(conditions_of_clusters_that_wait)
{
    SCOPED(arena) arena = {0};
    const struct conditions_problem items[] = {
        {FAULT_WAITING,     STR("c2"), STR(""), STR(""), STR("waits for b")},
        {FAULT_WAITING,     STR("c1"), STR(""), STR(""), STR("waits for a")},
        {FAULT_NOT_APPLIED, STR("c3"), STR(""), STR(""), STR("refused")    },
    };
    struct conditions_summary summary = {
        .clusters = 4, .waiting = 2, .problems = items, .count = 2};
    struct conditions made = conditions_make(&summary, 7, &arena);
    CHECK(made.says_applied && made.is_waiting && !made.is_success);
    CHECK_EQ(made.applied.status, CONDITION_FALSE);
    CHECK_EQ(made.applied.reason, STR("NotApplied"));
    CHECK_EQ(made.applied.message, STR("Waiting for other sets: 2 of 4 clusters wait: c1: waits "
                                       "for a; c2: waits for b"));
    CHECK_EQ(made.v1beta1.reason, STR("WaitingForSets"));
    CHECK_EQ(made.v1beta1.severity, STR("Info"));
    CHECK_EQ(made.progress.status, CONDITION_TRUE);
    CHECK_EQ(made.progress.reason, STR("newGeneration"));
    CHECK_EQ(made.failed.status, CONDITION_FALSE);
    TEST_CASE("and one that failed");
    summary.failed = 1;
    summary.count = 3;
    made = conditions_make(&summary, 7, &arena);
    CHECK(!made.is_waiting);
    CHECK_EQ(made.applied.message, STR(FAILED ": 1 of 4 clusters failed, 2 wait: c3: refused; c1: "
                                              "waits for a; c2: waits for b"));
    CHECK_EQ(made.failed.status, CONDITION_TRUE);
}

TEST(conditions_of_success)
{
    SCOPED(arena) arena = {0};
    const struct conditions made = make(NULL, 0, 3, 0, &arena);
    CHECK(made.says_applied && made.is_success);
    CHECK_EQ(made.applied.type, STR("ResourcesApplied"));
    CHECK_EQ(made.applied.status, CONDITION_TRUE);
    CHECK_EQ(made.applied.reason, STR("Applied"));
    CHECK_EQ(made.applied.message, STR(""));
    CHECK_EQ(made.applied.observed_generation, 7);
    CHECK_EQ(made.v1beta1.status, CONDITION_TRUE);
    CHECK_EQ(made.v1beta1.reason, STR(""));
    CHECK_EQ(made.v1beta1.severity, STR(""));
    CHECK_EQ(made.progress.type, STR("InProgress"));
    CHECK_EQ(made.progress.status, CONDITION_FALSE);
    CHECK_EQ(made.progress.reason, STR("Succeeded"));
    CHECK_EQ(made.progress.observed_generation, 7);
    CHECK_EQ(made.failed.type, STR("Failed"));
    CHECK_EQ(made.failed.status, CONDITION_FALSE);
    CHECK_EQ(made.failed.observed_generation, 7);
}

TEST(without_clusters_the_condition_is_left_alone)
{
    SCOPED(arena) arena = {0};
    const struct conditions made = make(NULL, 0, 0, 0, &arena);
    CHECK(!made.says_applied);
    CHECK(made.is_success);
}

/* Which fault is shown when there are two, whatever the order they come in. */
TEST(the_gravest_problem_is_shown)
{
    static const enum fault_type ranks[] = {
        FAULT_BOOKKEEPING, FAULT_MISSING,     FAULT_UNREADABLE,
        FAULT_NO_CLIENT,   FAULT_NOT_APPLIED, FAULT_WRONG_TYPE,
    };
    static const char *const reasons[] = {"",
                                          "RetrievingResourceFailed",
                                          "RetrievingResourceFailed",
                                          "RemoteClusterClientFailed",
                                          "ApplyFailed",
                                          "WrongSecretType"};
    for (size_t i = 0; i < COUNT(ranks); i++)
        for (size_t j = 0; j < COUNT(ranks); j++) {
            SCOPED(arena) arena = {0};
            const struct conditions_problem items[] = {
                {.type = ranks[i], .cluster = STR("c1"), .text = STR("one")  },
                {.type = ranks[j], .cluster = STR("c2"), .text = STR("other")},
            };
            const size_t worst = i > j ? i : j;
            TEST_CASE("%zu and %zu", i, j);
            const struct conditions made = make(items, 2, 2, 2, &arena);
            CHECK_EQ(made.says_applied, worst > 0);
            CHECK_EQ(made.v1beta1.reason, str_from_c(reasons[worst]));
            CHECK_EQ(made.v1beta1.message, !worst ? STR("") : (i >= j ? STR("one") : STR("other")));
        }
}

TEST(v_25_the_message_says_where_and_why)
{
    static const struct conditions_problem items[] = {
        {FAULT_NO_CLIENT,   STR_INIT("c9"), {0},                                          {0},             STR_INIT("down")        },
        {FAULT_NOT_APPLIED, STR_INIT("c2"), STR_INIT("ConfigMap cm1, key a, document 2"),
         STR_INIT("cm1"),                                                                                  STR_INIT("no such kind")},
        {FAULT_NOT_APPLIED, STR_INIT("c1"), STR_INIT("Secret s1"),                        STR_INIT("s1"),  {0}                     },
        {FAULT_MISSING,     {0},            STR_INIT("ConfigMap cm2"),                    STR_INIT("cm2"), STR_INIT("not found")   },
    };
    SCOPED(arena) arena = {0};
    const struct conditions made = make(items, COUNT(items), 5, 3, &arena);
    CHECK_EQ(made.applied.message,
             STR(FAILED ": 3 of 5 clusters failed: c1: Secret s1; c2: ConfigMap cm1, key a, "
                        "document 2: no such kind; c9: down; ConfigMap cm2: not found"));
    CHECK_EQ(made.failed.message,
             STR("Not everything is applied: 3 of 5 clusters failed: c1: Secret s1; c2: ConfigMap "
                 "cm1, key a, document 2: no such kind; c9: down; ConfigMap cm2: not found"));
}

TEST(v_25_a_missing_resource_is_named)
{
    static const struct conditions_problem item = {
        FAULT_MISSING, {0}, STR_INIT("ConfigMap cm2"), STR_INIT("cm2"), STR_INIT("not found")};
    SCOPED(arena) arena = {0};
    const struct conditions made = make(&item, 1, 5, 0, &arena);
    CHECK_EQ(made.applied.message, STR(LOGS ": ConfigMap cm2: not found"));
    CHECK(made.is_success); /* the event of its creation wakes us */
    CHECK_EQ(made.progress.status, CONDITION_FALSE);
}

/* Items of clusters in any order of arrival make the same message. */
TEST(v_25_the_message_does_not_depend_on_the_order)
{
    SCOPED(arena) arena = {0};
    struct conditions_problem items[9];
    struct str first = {0};
    for (size_t i = 0; i < COUNT(items); i++)
        items[i] = (struct conditions_problem){
            .type = FAULT_NOT_APPLIED, .cluster = arena_print(&arena, "c%zu", i), .text = STR("x")};
    for (size_t turn = 0; turn < COUNT(items); turn++) {
        const struct conditions_problem moved = items[0];
        const struct conditions made = make(items, COUNT(items), 20, COUNT(items), &arena);
        if (turn)
            CHECK_EQ(made.applied.message, first);
        first = made.applied.message;
        memmove(&items[0], &items[1], sizeof(items) - sizeof(items[0]));
        items[COUNT(items) - 1] = moved;
    }
    CHECK_EQ(first, STR(FAILED ": 9 of 20 clusters failed: c0: x; c1: x; c2: x; c3: x; c4: x; "
                               "and 4 more"));
}

static struct str repeat(struct arena *arena, const char *part, size_t times)
{
    SCOPED(buf) text = {0};
    for (size_t i = 0; i < times; i++)
        buf_add(&text, str_from_c(part));
    return arena_str(arena, buf_str(&text));
}

/* Every word of the message is one of the words that went into it. */
static void check_words(struct str message, struct str known)
{
    struct str rest = message, word;
    while (rest.len) {
        str_cut(&rest, ' ', &word);
        SCOPED(buf) bounded = {.limit = 0};
        buf_print(&bounded, " %.*s ", STR_ARG(word));
        CHECK_CONTAINS(known, buf_str(&bounded));
    }
}

TEST(messages_are_bounded_and_never_cut_in_a_word)
{
    for (size_t shift = 0; shift < 40; shift++) {
        SCOPED(arena) arena = {0};
        struct conditions_problem items[300];
        for (size_t i = 0; i < COUNT(items); i++)
            items[i] = (struct conditions_problem){
                .type = FAULT_NOT_APPLIED,
                .cluster = repeat(&arena, "c", 1 + shift),
                .resource = STR("ConfigMap"),
                .name = STR("r"),
                .text = repeat(&arena, "some words of different lengths indeed ", 100),
            };
        const struct conditions made = make(items, COUNT(items), 300, 300, &arena);
        TEST_CASE("%zu", shift);
        CHECK(made.applied.message.len <= CONDITIONS_MESSAGE_MAX);
        CHECK(made.applied.message.len > CONDITIONS_MESSAGE_MAX / 2);
        CHECK(made.failed.message.len <= CONDITIONS_MESSAGE_MAX);
        CHECK_CONTAINS(made.applied.message, STR("; and 29"));
        check_words(
            made.applied.message,
            arena_print(&arena,
                        " " FAILED ": Cluster: 300 of clusters failed: %.*s: ConfigMap: "
                        "some words of different lengths indeed … indeed; ; and 297 298 more ",
                        STR_ARG(items[0].cluster)));
    }
}

TEST(v_25_of_a_long_part_the_beginning_and_the_end_are_shown)
{
    SCOPED(arena) arena = {0};
    const struct str long_text = repeat(&arena, "word ", 300);
    const struct conditions_problem item = {
        .type = FAULT_NOT_APPLIED,
        .cluster = STR("c1"),
        .text = arena_print(&arena, "document 7: %.*sand why", STR_ARG(long_text))};
    const struct conditions made = make(&item, 1, 1, 1, &arena);
    CHECK(str_starts_with(made.applied.message,
                          STR(FAILED ": 1 of 1 clusters failed: c1: document 7: word word ")));
    CHECK_CONTAINS(made.applied.message, STR("word … word"));
    CHECK(str_ends_with(made.applied.message, STR(" word and why")));
    CHECK_EQ(made.v1beta1.message, item.text); /* the whole; its form has a bound of its own */
}

TEST(v_26_in_progress_and_failed)
{
    static const struct {
        const char *name;
        size_t pending;
        enum fault_type troubles[2];
        size_t count;
        bool in_progress;
        const char *reason;
        bool failed, success, says_applied;
    } cases[] = {
        {"all done",                           0, {0},                                   0, false, "Succeeded",     false, true,  true },
        {"some are pending",                   2, {0},                                   0, true,  "newGeneration", false, false, false},
        {"one fails while others are pending",
         2,                                       {FAULT_NOT_APPLIED},
         1,                                                                                 true,
         "recoverrableError",                                                                                       true,
         false,                                                                                                                   true },
        {"it is tried again",
         0,                                       {FAULT_NO_CLIENT},
         1,                                                                                 true,
         "recoverrableError",                                                                                       true,
         false,                                                                                                                   true },
        {"trying again cannot help",           0, {FAULT_WRONG_TYPE},                    1, false, "Stopped",       true,  false, true },
        {"nor for a binding that is full",
         0,                                       {FAULT_NO_ROOM},
         1,                                                                                 false,
         "Stopped",                                                                                                 true,
         false,                                                                                                                   true },
        {"nor for a content that is withheld",
         0,                                       {FAULT_UNUSABLE},
         1,                                                                                 false,
         "Stopped",                                                                                                 true,
         false,                                                                                                                   true },
        {"it cannot help here, but there",
         0,                                       {FAULT_WRONG_TYPE, FAULT_NOT_APPLIED},
         2,                                                                                 true,
         "recoverrableError",                                                                                       true,
         false,                                                                                                                   true },
        {"a missing one waits for an event",
         0,                                       {FAULT_MISSING},
         1,                                                                                 false,
         "Succeeded",                                                                                               false,
         true,                                                                                                                    true },
        {"a missing one beside a wrong one",
         0,                                       {FAULT_MISSING, FAULT_WRONG_TYPE},
         2,                                                                                 false,
         "Stopped",                                                                                                 true,
         false,                                                                                                                   true },
        {"bookkeeping prevents True",
         0,                                       {FAULT_BOOKKEEPING},
         1,                                                                                 true,
         "recoverrableError",                                                                                       true,
         false,                                                                                                                   false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        const struct conditions_problem items[] = {
            {.type = cases[i].troubles[0], .text = STR("x")},
            {.type = cases[i].troubles[1], .text = STR("y")}
        };
        const struct conditions_summary summary = {
            .clusters = 3, .pending = cases[i].pending, .problems = items, .count = cases[i].count};
        TEST_CASE("%s", cases[i].name);
        const struct conditions made = conditions_make(&summary, 2, &arena);
        CHECK_EQ(made.progress.status, cases[i].in_progress ? CONDITION_TRUE : CONDITION_FALSE);
        CHECK_EQ(made.progress.reason, str_from_c(cases[i].reason));
        CHECK_EQ(made.failed.status, cases[i].failed ? CONDITION_TRUE : CONDITION_FALSE);
        CHECK_EQ(made.is_success, cases[i].success);
        CHECK_EQ(made.says_applied, cases[i].says_applied);
    }
}

TEST(bookkeeping_replaces_what_no_longer_holds)
{
    SCOPED(arena) arena = {0};
    const struct conditions_problem problem = {
        .type = FAULT_BOOKKEEPING, .cluster = STR("c1"), .text = STR("failed to patch")};
    const struct conditions_summary summary = {
        .clusters = 3, .failed = 1, .was_false = true, .problems = &problem, .count = 1};
    const struct conditions made = conditions_make(&summary, 2, &arena);
    CHECK(made.says_applied);
    CHECK_EQ(made.applied.status, CONDITION_FALSE);
    CHECK_EQ(made.applied.reason, STR("InternalError"));
    CHECK_EQ(made.applied.message, STR("Please check controller logs for errors: 1 of 3 clusters "
                                       "failed: c1: failed to patch"));
    CHECK_EQ(made.v1beta1.reason, STR("ApplyFailed"));
}

TEST(a_new_generation_begins_in_progress)
{
    const struct condition begun = conditions_new_generation(3);
    CHECK_EQ(begun.type, STR("InProgress"));
    CHECK_EQ(begun.status, CONDITION_TRUE);
    CHECK_EQ(begun.reason, STR("newGeneration"));
    CHECK_EQ(begun.observed_generation, 3);
}

TEST(crs_04_and_crs_05_the_words_for_paused)
{
    SCOPED(arena) arena = {0};
    const struct condition paused = conditions_paused(0, 5, 2, &arena);
    const struct condition waits = conditions_paused(1, 5, 2, &arena);
    const struct condition goes = conditions_not_paused(3);
    CHECK_EQ(paused.status, CONDITION_TRUE);
    CHECK_EQ(paused.reason, STR("Paused"));
    CHECK_EQ(paused.message, STR("ClusterResourceSet has the cluster.x-k8s.io/paused annotation"));
    CHECK_EQ(paused.observed_generation, 2);
    CHECK_EQ(waits.message, STR("ClusterResourceSet has the cluster.x-k8s.io/paused annotation; a "
                                "change waits for 1 of 5 clusters"));
    CHECK_EQ(goes.status, CONDITION_FALSE);
    CHECK_EQ(goes.reason, STR("NotPaused"));
    CHECK_EQ(goes.message, STR(""));
    CHECK_EQ(goes.observed_generation, 3);
}
