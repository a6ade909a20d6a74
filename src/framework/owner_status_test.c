#include "framework/owner_status.h"

#include "base/buf.h"
#include "base/duration.h"
#include "testing/test.h"

#define NOW (INT64_C(1767225600) * SECOND) /* 2026-01-01T00:00:00Z */

static const struct owner_status_condition failed = {STR_INIT("Failed"), STR_INIT("True"),
                                                     STR_INIT("why"), STR_INIT("because")};
static const struct owner_status_condition well = {STR_INIT("Failed"), STR_INIT("False"),
                                                   STR_INIT(""), STR_INIT("")};

static const struct owner_status_writer plain = {
    .no_operator = true, .now = NOW, .generation = 3, .has_generation = true};
static const struct owner_status_writer standard = {.no_operator = true,
                                                    .standard_conditions = true,
                                                    .now = NOW,
                                                    .generation = 3,
                                                    .has_generation = true};

static void check(const struct owner_status_writer *writer,
                  const struct owner_status_condition *condition, const char *before,
                  const char *after)
{
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) changed = NULL;
    SCOPED(buf) text = {.limit = 0};
    CHECK_OK(json_read(str_from_c(before), &doc));
    CHECK_OK(owner_status_set(writer, json_doc_root(doc), condition, condition ? 1 : 0, &changed));
    json_write(&text, json_doc_root(changed));
    CHECK_EQ(buf_str(&text), str_from_c(after));
}

TEST(fw_14_conditions_are_changed_in_place)
{
    check(&plain, &failed, "{}",
          "{\"status\":{\"observedGeneration\":3,\"conditions\":[{\"type\":\"Failed\","
          "\"status\":\"True\",\"reason\":\"why\",\"message\":\"because\"}]}}");
    check(&plain, &well,
          "{\"status\":{\"conditions\":[{\"type\":\"A\",\"x\":1},{\"type\":\"Failed\",\"status\":"
          "\"True\",\"reason\":\"why\",\"message\":\"m\",\"theirs\":2},{\"type\":\"B\"}],\"y\":1}}",
          "{\"status\":{\"conditions\":[{\"type\":\"A\",\"x\":1},{\"type\":\"Failed\",\"status\":"
          "\"False\",\"theirs\":2},{\"type\":\"B\"}],\"y\":1,\"observedGeneration\":3}}");
    check(&plain, NULL, "{}", "{\"status\":{\"observedGeneration\":3}}");
}

TEST(fw_03_the_operator_says_who_it_is)
{
    const struct owner_status_writer writer = {.controller = STR("web"),
                                               .version = STR("v1"),
                                               .commit = STR("abc"),
                                               .generation = 1,
                                               .has_generation = true};
    check(&writer, NULL, "{\"status\":{\"operator\":{\"theirs\":1}}}",
          "{\"status\":{\"operator\":{\"theirs\":1,\"controllerName\":\"web\","
          "\"controllerVersion\":\"v1\",\"controllerGitCommit\":\"abc\"},"
          "\"observedGeneration\":1}}");
}

#define ENTRY(status, reason, message, time)                                                          \
    "{\"status\":{\"observedGeneration\":3,\"conditions\":[{\"type\":\"Failed\",\"status\":\"" status \
    "\",\"reason\":\"" reason "\",\"message\":\"" message                                             \
    "\",\"observedGeneration\":3,\"lastTransitionTime\":\"" time "\"}]}}"

TEST(fw_16_standard_conditions_have_all_their_members)
{
    check(&standard, &failed, "{}", ENTRY("True", "why", "because", "2026-01-01T00:00:00Z"));
    check(&standard, &well, "{}", ENTRY("False", "Succeeded", "", "2026-01-01T00:00:00Z"));
    check(&standard, &failed, ENTRY("True", "before", "", "2025-01-01T00:00:00Z"),
          ENTRY("True", "why", "because", "2025-01-01T00:00:00Z"));
    check(&standard, &failed, ENTRY("False", "before", "", "2025-01-01T00:00:00Z"),
          ENTRY("True", "why", "because", "2026-01-01T00:00:00Z"));
}

TEST(fw_13_without_a_generation_none_is_written)
{
    const struct owner_status_writer writer = {.no_operator = true};
    check(&writer, &well, "{\"status\":{\"observedGeneration\":2}}",
          "{\"status\":{\"observedGeneration\":2,\"conditions\":[{\"type\":\"Failed\","
          "\"status\":\"False\"}]}}");
}

TEST(malformed_conditions_are_refused)
{
    const char *const cases[] = {
        "{\"status\":{\"conditions\":[1]}}",
        "{\"status\":{\"conditions\":[{\"type\":\"A\"},null]}}",
        "{\"status\":{\"conditions\":{}}}",
        "{\"status\":{\"conditions\":\"x\"}}",
        "{\"status\":7}",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = NULL;
        OWNED(json_doc) changed = NULL;
        TEST_CASE("%s", cases[i]);
        CHECK_OK(json_read(str_from_c(cases[i]), &doc));
        CHECK_ERROR(owner_status_set(&plain, json_doc_root(doc), &failed, 1, &changed),
                    ERROR_INVALID);
    }
}

TEST(a_generation_is_new_until_it_was_observed)
{
    const struct {
        const char *owner;
        bool observed;
    } cases[] = {
        {"{}",                                          false},
        {"{\"status\":{\"observedGeneration\":2}}",     false},
        {"{\"status\":{\"observedGeneration\":3}}",     true },
        {"{\"status\":{\"observedGeneration\":\"3\"}}", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i].owner);
        CHECK_OK(json_read(str_from_c(cases[i].owner), &doc));
        CHECK_EQ(owner_status_has_observed(json_doc_root(doc), 3), cases[i].observed);
    }
}
