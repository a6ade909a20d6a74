#include "apimachinery/condition.h"

#include "base/duration.h"
#include "testing/test.h"

/* 2026-01-01T00:00:00Z and half a second, which must not show. */
#define NOW (INT64_C(1767225600) * SECOND + 500 * MILLISECOND)

struct condition_fixture {
    struct arena arena;
    struct json_doc *doc;
    struct condition_list list;
};

static void condition_fixture_done(struct condition_fixture *fixture)
{
    arena_done(&fixture->arena);
    json_doc_free(fixture->doc);
}

static void condition_fixture_init(struct condition_fixture *fixture, enum condition_form form,
                                   const char *text)
{
    *fixture = (struct condition_fixture){.doc = NULL};
    CHECK_OK(json_read(str_from_c(text), &fixture->doc));
    CHECK_OK(
        condition_list_read(&fixture->arena, form, json_doc_root(fixture->doc), &fixture->list));
}

static void check_list(const struct condition_fixture *fixture, const char *expected)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(condition_list_build(&fixture->list, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

#define OLD_TIME "\"lastTransitionTime\":\"2020-01-01T00:00:00Z\""
#define NEW_TIME "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\""
#define OTHER    "{\"type\":\"Other\",\"status\":\"Odd\",\"x\":[1]}"
#define READY_TRUE                                                               \
    "{\"type\":\"Ready\",\"status\":\"True\",\"observedGeneration\":1," OLD_TIME \
    ",\"reason\":\"R\",\"message\":\"m\"}"

TEST(condition_transition_rules_of_metav1)
{
    const char *const old = "2020-01-01T00:00:00Z", *const now = "2026-01-01T00:00:00Z";
    const char *const given = "2021-01-01T00:00:00Z";
    const struct {
        const char *name;
        enum condition_status status;
        const char *reason, *message;
        int64_t generation;
        const char *time;
        bool changed;
        const char *time_after;
    } cases[] = {
        {"nothing changes",              CONDITION_TRUE,    "R", "m", 1, "",    false, old  },
        {"status moves the time",        CONDITION_FALSE,   "R", "m", 1, "",    true,  now  },
        {"a given time is taken",        CONDITION_UNKNOWN, "R", "m", 1, given, true,  given},
        {"but only with a new status",   CONDITION_TRUE,    "S", "m", 1, given, true,  old  },
        {"a time alone changes nothing", CONDITION_TRUE,    "R", "m", 1, given, false, old  },
        {"reason",                       CONDITION_TRUE,    "S", "m", 1, "",    true,  old  },
        {"message",                      CONDITION_TRUE,    "R", "n", 1, "",    true,  old  },
        {"generation",                   CONDITION_TRUE,    "R", "m", 2, "",    true,  old  },
        {"all at once",                  CONDITION_FALSE,   "S", "n", 2, "",    true,  now  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(condition_fixture) fixture;
        SCOPED(buf) expected = {.limit = 0};
        const struct condition condition = {
            .type = STR("Ready"),
            .status = cases[i].status,
            .reason = str_from_c(cases[i].reason),
            .message = str_from_c(cases[i].message),
            .observed_generation = cases[i].generation,
            .last_transition_time = str_from_c(cases[i].time),
        };
        TEST_CASE("%s", cases[i].name);
        condition_fixture_init(&fixture, CONDITION_METAV1, "[" READY_TRUE "," OTHER "]");
        CHECK_EQ(condition_list_set(&fixture.list, &condition, NOW), cases[i].changed);
        CHECK_EQ(fixture.list.changed, cases[i].changed);
        CHECK(!condition_list_set(&fixture.list, &condition, NOW + SECOND));
        buf_print(&expected,
                  "[{\"type\":\"Ready\",\"status\":\"%s\",\"observedGeneration\":%d,"
                  "\"lastTransitionTime\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}," OTHER "]",
                  condition_status_text(condition.status).ptr, (int)cases[i].generation,
                  cases[i].time_after, cases[i].reason, cases[i].message);
        check_list(&fixture, buf_c(&expected));
    }
}

TEST(condition_new_ones_come_last)
{
    SCOPED(condition_fixture) fixture;
    condition_fixture_init(&fixture, CONDITION_METAV1, "[" OTHER "]");
    for (int i = 0; i < 9; i++) {
        char type[] = "T0";
        type[1] = (char)('0' + i);
        const struct condition condition = {.type = str_from_c(type), .status = CONDITION_TRUE};
        CHECK(condition_list_set(&fixture.list, &condition, NOW));
    }
    CHECK_EQ(fixture.list.count, (size_t)10);
    fixture.list.count = 2;
    check_list(&fixture, "[" OTHER ",{\"type\":\"T0\",\"status\":\"True\"," NEW_TIME
                         ",\"reason\":\"\",\"message\":\"\"}]");
}

TEST(condition_of_a_type_goes)
{
    SCOPED(condition_fixture) fixture;
    condition_fixture_init(&fixture, CONDITION_METAV1,
                           "[{\"type\":\"A\"}," OTHER ",{\"type\":\"Z\"}]");
    CHECK(!condition_list_remove(&fixture.list, STR("B")));
    CHECK(!fixture.list.changed);
    CHECK(condition_list_remove(&fixture.list, STR("A")));
    CHECK(condition_list_remove(&fixture.list, STR("Z")));
    CHECK(fixture.list.changed);
    check_list(&fixture, "[" OTHER "]");
}

TEST(condition_replaces_a_status_that_is_none)
{
    SCOPED(condition_fixture) fixture;
    condition_fixture_init(&fixture, CONDITION_METAV1, "[" OTHER "]");
    const struct condition condition = {.type = STR("Other"), .status = CONDITION_UNKNOWN};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, "[{\"type\":\"Other\",\"status\":\"Unknown\"," NEW_TIME
                         ",\"reason\":\"\",\"message\":\"\"}]");
}

TEST(condition_v1beta1_moves_the_time_with_any_change)
{
    const char *before = "[{\"type\":\"A\",\"status\":\"False\",\"severity\":\"Warning\"," OLD_TIME
                         ",\"reason\":\"R\",\"message\":\"m\"}]";
    SCOPED(condition_fixture) fixture;
    struct condition condition = {.type = STR("A"),
                                  .status = CONDITION_FALSE,
                                  .severity = STR("Warning"),
                                  .reason = STR("R"),
                                  .message = STR("m"),
                                  .observed_generation = 7};
    condition_fixture_init(&fixture, CONDITION_V1BETA1, before);
    CHECK(!condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, before);
    condition.severity = STR("Error");
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, "[{\"type\":\"A\",\"status\":\"False\",\"severity\":\"Error\"," NEW_TIME
                         ",\"reason\":\"R\",\"message\":\"m\"}]");
    const struct condition good = {
        .type = STR("A"), .status = CONDITION_TRUE, .severity = STR("Error")};
    CHECK(condition_list_set(&fixture.list, &good, NOW));
    check_list(&fixture, "[{\"type\":\"A\",\"status\":\"True\"," NEW_TIME "}]");
}

TEST(condition_plain_has_no_time_and_no_empty_texts)
{
    SCOPED(condition_fixture) fixture;
    condition_fixture_init(&fixture, CONDITION_PLAIN, "null");
    struct condition condition = {.type = STR("Failed"),
                                  .status = CONDITION_TRUE,
                                  .reason = STR("operatorError"),
                                  .message = STR("m")};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, "[{\"type\":\"Failed\",\"status\":\"True\","
                         "\"reason\":\"operatorError\",\"message\":\"m\"}]");
    condition = (struct condition){.type = STR("Failed"), .status = CONDITION_FALSE};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, "[{\"type\":\"Failed\",\"status\":\"False\"}]");
}

TEST(condition_messages_are_cut_once)
{
    SCOPED(condition_fixture) fixture;
    SCOPED(buf) message = {.limit = 0};
    struct condition found;
    for (size_t i = 0; i < CONDITION_V1BETA1_MESSAGE_MAX + 5; i++)
        buf_add(&message, STR("é"));
    condition_fixture_init(&fixture, CONDITION_V1BETA1, "[]");
    const struct condition condition = {.type = STR("A"), .message = buf_str(&message)};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    CHECK(condition_list_find(&fixture.list, STR("A"), &found));
    CHECK_EQ(found.message.len, (size_t)CONDITION_V1BETA1_MESSAGE_MAX * 2);
    CHECK(!condition_list_set(&fixture.list, &condition, NOW + SECOND));
}

/* The types of the list, in order. */
static void check_types(const struct condition_list *list, const char *const *types)
{
    for (size_t i = 0; i < list->count; i++)
        CHECK_EQ(list->items[i].condition.type, str_from_c(types[i]));
}

TEST(condition_order_of_cluster_api)
{
    const char *const standard[] = {"Available", "Ready", "A", "B", "Paused", "Deleting"};
    const char *const v1beta1[] = {"Ready", "A", "Available", "B", "Deleting", "Paused"};
    SCOPED(condition_fixture) fixture;
    condition_fixture_init(&fixture, CONDITION_METAV1,
                           "[{\"type\":\"Deleting\"},{\"type\":\"Paused\"},{\"type\":\"B\"},"
                           "{\"type\":\"Ready\"},{\"type\":\"A\"},{\"type\":\"Available\"}]");
    condition_list_sort(&fixture.list);
    CHECK(fixture.list.changed);
    check_types(&fixture.list, standard);
    fixture.list.changed = false;
    condition_list_sort(&fixture.list);
    CHECK(!fixture.list.changed);
    fixture.list.form = CONDITION_V1BETA1;
    condition_list_sort(&fixture.list);
    check_types(&fixture.list, v1beta1);
}

TEST(condition_find_in_documents)
{
    OWNED(json_doc) doc = NULL;
    struct condition condition;
    CHECK_OK(json_read(STR("[1," READY_TRUE "," OTHER "]"), &doc));
    const struct json_value *list = json_doc_root(doc);
    CHECK(condition_find(list, STR("Ready"), &condition));
    CHECK_EQ(condition.observed_generation, 1);
    CHECK_EQ(condition.last_transition_time, STR("2020-01-01T00:00:00Z"));
    CHECK(condition_is_true(list, STR("Ready")));
    CHECK(!condition_is_true(list, STR("Other")) && !condition_is_true(list, STR("None")));
    CHECK(!condition_is_true(NULL, STR("Ready")));
}

TEST(condition_list_refuses_what_is_none)
{
    const char *cases[] = {"{}", "1", "[1]", "[{},null]"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        struct condition_list list;
        TEST_CASE("%s", cases[i]);
        CHECK_OK(json_read(str_from_c(cases[i]), &doc));
        CHECK_ERROR(condition_list_read(&arena, CONDITION_METAV1, json_doc_root(doc), &list),
                    ERROR_INVALID);
    }
}
