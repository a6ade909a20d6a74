/* Every object has its result: in the condition, in the log and in the record of the binding. */
#include "base/buf.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

/* Fifty objects without a namespace, one in a namespace that is not there, one that is fine. */
static void start_with_many_failures(struct crs_fixture *fixture)
{
    SCOPED(buf) text = {.limit = 0};
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    for (int i = 1; i <= 50; i++)
        buf_print(&text, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%d}\n---\n", i);
    crs_fixture_map(fixture, "cm1", buf_c(&text));
    crs_fixture_map(
        fixture, "cm2",
        CRS_FIXTURE_MANIFEST("b", "1") "---\n" CRS_FIXTURE_MANIFEST_IN("nowhere", "c", "1"));
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 ConfigMap/cm2");
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
}

static size_t count_in_log(const struct crs_fixture *fixture, struct str text)
{
    size_t count = 0;
    struct str rest = buf_str(&fixture->log);
    for (size_t at; (at = str_find(rest, text)) != STR_NONE; count++)
        rest = str_skip(rest, at + text.len);
    return count;
}

SIM_TEST(failures_are_told_by_cause_each_with_its_own_document)
{
    SCOPED(crs_fixture) fixture;
    start_with_many_failures(&fixture);
    CHECK_EQ(
        crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
        STR("False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
            ": 1 of 1 clusters failed: c1: 51 of 52 objects failed: 50 objects: an empty "
            "namespace may not be set during creation; set metadata.namespace, or the "
            "annotation corset.dev/default-namespace of the ConfigMap or Secret: ConfigMap a1 "
            "(ConfigMap cm1, key data, document 1), ConfigMap a2, ConfigMap a3 and 47 more; 1 "
            "object: namespaces \"nowhere\" not found: ConfigMap nowhere/c (ConfigMap cm2, key "
            "data, document 2)"));
}

/* A quarter of an hour of retries adds nothing to the log: the outcome is the same. */
SIM_TEST(failures_are_logged_once_for_each_outcome)
{
    SCOPED(crs_fixture) fixture;
    start_with_many_failures(&fixture);
    TEST_CASE("every object is named, once");
    for (int i = 1; i <= 50; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "v1 ConfigMap a%d (ConfigMap cm1, key data, document %d)", i, i);
        CHECK_EQ(count_in_log(&fixture, buf_str(&name)), 1);
    }
    CHECK_EQ(count_in_log(&fixture, STR("nowhere/c (ConfigMap cm2, key data, document 2)")), 1);
    const size_t before = fixture.log.len;
    CHECK_OK(fiber_sleep(15 * MINUTE));
    CHECK_EQ(fixture.log.len, before);
    CHECK(crs_fixture_errors(&fixture) > 5); /* retries are still counted */
    TEST_CASE("another outcome");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    CHECK_OK(fiber_sleep(20 * MINUTE)); /* longer than the longest back-off */
    CHECK_EQ(count_in_log(&fixture, STR("ConfigMap a7 (ConfigMap cm1, key data, document 7)")), 2);
    CHECK_EQ(count_in_log(&fixture, STR("nowhere/c (ConfigMap cm2, key data, document 2)")), 1);
}
