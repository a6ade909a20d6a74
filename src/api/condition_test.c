#include "api/condition.h"

#include "base/duration.h"
#include "testing/test.h"

/* 2026-01-01T00:00:00Z and half a second, which must not show. */
#define NOW (INT64_C(1767225600) * SECOND + 500 * MILLISECOND)

struct fixture {
    struct arena arena;
    struct json_doc *doc;
    struct condition_list list;
};

static void fixture_done(struct fixture *fixture)
{
    arena_done(&fixture->arena);
    json_doc_free(fixture->doc);
}

static void fixture_init(struct fixture *fixture, enum condition_form form, const char *text)
{
    *fixture = (struct fixture){.doc = NULL};
    CHECK_OK(json_read(str_from_c(text), &fixture->doc));
    CHECK_OK(
        condition_list_read(&fixture->arena, form, json_doc_root(fixture->doc), &fixture->list));
}

static void check_list(const struct fixture *fixture, const char *expected)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(condition_list_build(&fixture->list, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text), str_from_c(expected));
}

#define OLD      "\"lastTransitionTime\":\"2020-01-01T00:00:00Z\""
#define NEW_TIME "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\""
#define OTHER    "{\"type\":\"Other\",\"status\":\"Odd\",\"x\":[1]}"
#define READY(status, generation, time, reason, message)                                        \
    "{\"type\":\"Ready\",\"status\":\"" status "\",\"observedGeneration\":" generation "," time \
    ",\"reason\":\"" reason "\",\"message\":\"" message "\"}"

TEST(condition_transition_rules_of_metav1)
{
    const char *before = "[" READY("True", "1", OLD, "R", "m") "," OTHER "]";
    const struct {
        const char *name;
        struct condition condition;
        bool changed;
        const char *after;
    } cases[] = {
        {"nothing changes",
         {STR("Ready"), CONDITION_TRUE, STR("R"), STR("m"), STR(""), 1, STR("")},
         false, READY("True",    "1", OLD,                                               "R",  "m")},
        {"status moves the time",
         {STR("Ready"), CONDITION_FALSE, STR("R"), STR("m"), STR(""), 1, STR("")},
         true,  READY("False",   "1", NEW_TIME,                                          "R",  "m")},
        {"a given time is taken",
         {STR("Ready"), CONDITION_UNKNOWN, STR("R"), STR("m"), STR(""), 1,
          STR("2021-01-01T00:00:00Z")},
         true,  READY("Unknown", "1", "\"lastTransitionTime\":\"2021-01-01T00:00:00Z\"", "R",  "m")},
        {"a given time without a new status is not",
         {STR("Ready"), CONDITION_TRUE, STR("R2"), STR("m"), STR(""), 1,
          STR("2021-01-01T00:00:00Z")},
         true,  READY("True",    "1", OLD,                                               "R2", "m")},
        {"reason",
         {STR("Ready"), CONDITION_TRUE, STR("R2"), STR("m"), STR(""), 1, STR("")},
         true,  READY("True",    "1", OLD,                                               "R2", "m")},
        {"message",
         {STR("Ready"), CONDITION_TRUE, STR("R"), STR("n"), STR(""), 1, STR("")},
         true,  READY("True",    "1", OLD,                                               "R",  "n")},
        {"generation",
         {STR("Ready"), CONDITION_TRUE, STR("R"), STR("m"), STR(""), 2, STR("")},
         true,  READY("True",    "2", OLD,                                               "R",  "m")},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(fixture) fixture;
        SCOPED(buf) expected = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        fixture_init(&fixture, CONDITION_METAV1, before);
        CHECK_EQ(condition_list_set(&fixture.list, &cases[i].condition, NOW), cases[i].changed);
        CHECK_EQ(fixture.list.changed, cases[i].changed);
        buf_print(&expected, "[%s,%s]", cases[i].after, OTHER);
        check_list(&fixture, buf_c(&expected));
        CHECK(!condition_list_set(&fixture.list, &cases[i].condition, NOW + SECOND));
    }
}

TEST(condition_new_ones_come_last)
{
    SCOPED(fixture) fixture;
    fixture_init(&fixture, CONDITION_METAV1, "[" OTHER "]");
    for (int i = 0; i < 9; i++) {
        char type[] = "T0";
        type[1] = (char)('0' + i);
        const struct condition condition = {.type = str_from_c(type), .status = CONDITION_TRUE};
        CHECK(condition_list_set(&fixture.list, &condition, NOW));
    }
    CHECK_EQ(fixture.list.count, (size_t)10);
    for (int i = 1; i < 9; i++) {
        char type[] = "T0";
        type[1] = (char)('0' + i);
        CHECK(condition_list_remove(&fixture.list, str_from_c(type)));
    }
    CHECK(!condition_list_remove(&fixture.list, STR("T1")));
    check_list(&fixture, "[" OTHER ",{\"type\":\"T0\",\"status\":\"True\"," NEW_TIME
                         ",\"reason\":\"\",\"message\":\"\"}]");
}

TEST(condition_replaces_a_status_that_is_none)
{
    SCOPED(fixture) fixture;
    fixture_init(&fixture, CONDITION_METAV1, "[" OTHER "]");
    const struct condition condition = {.type = STR("Other"), .status = CONDITION_UNKNOWN};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    check_list(&fixture, "[{\"type\":\"Other\",\"status\":\"Unknown\"," NEW_TIME
                         ",\"reason\":\"\",\"message\":\"\"}]");
}

TEST(condition_v1beta1_moves_the_time_with_any_change)
{
    const char *before = "[{\"type\":\"A\",\"status\":\"False\",\"severity\":\"Warning\"," OLD
                         ",\"reason\":\"R\",\"message\":\"m\"}]";
    SCOPED(fixture) fixture;
    struct condition condition = {.type = STR("A"),
                                  .status = CONDITION_FALSE,
                                  .severity = STR("Warning"),
                                  .reason = STR("R"),
                                  .message = STR("m"),
                                  .observed_generation = 7};
    fixture_init(&fixture, CONDITION_V1BETA1, before);
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
    SCOPED(fixture) fixture;
    fixture_init(&fixture, CONDITION_PLAIN, "null");
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
    SCOPED(fixture) fixture;
    SCOPED(buf) message = {.limit = 0};
    struct condition found;
    for (size_t i = 0; i < CONDITION_V1BETA1_MESSAGE_MAX + 5; i++)
        buf_add(&message, STR("é"));
    fixture_init(&fixture, CONDITION_V1BETA1, "[]");
    const struct condition condition = {.type = STR("A"), .message = buf_str(&message)};
    CHECK(condition_list_set(&fixture.list, &condition, NOW));
    CHECK(condition_list_find(&fixture.list, STR("A"), &found));
    CHECK_EQ(found.message.len, (size_t)CONDITION_V1BETA1_MESSAGE_MAX * 2);
    CHECK(!condition_list_set(&fixture.list, &condition, NOW + SECOND));
}

#define TYPE(name) "{\"type\":\"" name "\"}"

TEST(condition_order_of_cluster_api)
{
    SCOPED(fixture) fixture;
    fixture_init(&fixture, CONDITION_METAV1,
                 "[" TYPE("Deleting") "," TYPE("Paused") "," TYPE("B") "," TYPE("Ready") "," TYPE(
                     "A") "," TYPE("Available") "]");
    condition_list_sort(&fixture.list);
    CHECK(fixture.list.changed);
    check_list(&fixture, "[" TYPE("Available") "," TYPE("Ready") "," TYPE("A") "," TYPE(
                             "B") "," TYPE("Paused") "," TYPE("Deleting") "]");
    fixture.list.changed = false;
    condition_list_sort(&fixture.list);
    CHECK(!fixture.list.changed);
    fixture.list.form = CONDITION_V1BETA1;
    condition_list_sort(&fixture.list);
    check_list(&fixture, "[" TYPE("Ready") "," TYPE("A") "," TYPE("Available") "," TYPE(
                             "B") "," TYPE("Deleting") "," TYPE("Paused") "]");
}

TEST(condition_find_in_documents)
{
    OWNED(json_doc) doc = NULL;
    struct condition condition;
    CHECK_OK(json_read(STR("[1," READY("True", "3", OLD, "R", "m") "," OTHER "]"), &doc));
    const struct json_value *list = json_doc_root(doc);
    CHECK(condition_find(list, STR("Ready"), &condition));
    CHECK_EQ(condition.observed_generation, 3);
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
