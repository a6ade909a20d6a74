/* Every object has its result: in the condition, in the log and in the record of the binding. */
#include "base/buf.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "status/why_render.h"

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

/* The binding of c1 as the server has it. */
static struct str read_binding(struct crs_fixture *fixture)
{
    crs_fixture_do(fixture, "GET", CRS_FIXTURE_BINDING, NULL);
    return buf_str(&fixture->apiserver.answer);
}

#define RECORD "corset.dev/delivery"

/* The record comes with the entry, in one patch, and stays the same while the outcome does. */
SIM_TEST(failures_are_recorded_with_the_entry_of_the_binding)
{
    SCOPED(crs_fixture) fixture;
    start_with_many_failures(&fixture);
    const struct str binding = read_binding(&fixture);
    CHECK_CONTAINS(binding, STR("\"" RECORD "\":\"{\\\"crs1\\\":{\\\"state\\\":\\\"Failed\\\","
                                "\\\"since\\\":\\\"20"));
    CHECK_CONTAINS(binding, STR("\\\"objects\\\":52,\\\"why\\\":[{\\\"count\\\":50,\\\"reason\\\":"
                                "\\\"Invalid\\\",\\\"message\\\":\\\"an empty namespace may not be "
                                "set during creation; set metadata.namespace"));
    for (int i = 1; i <= 50; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "\\\"v1 ConfigMap a%d (ConfigMap cm1, key data, document %d)\\\"", i, i);
        CHECK_CONTAINS(binding, buf_str(&name));
    }
    CHECK_CONTAINS(binding,
                   STR("{\\\"count\\\":1,\\\"reason\\\":\\\"NotFound\\\",\\\"message\\\":"
                       "\\\"namespaces \\\\\\\"nowhere\\\\\\\" not found\\\",\\\"objects\\\":["
                       "\\\"v1 ConfigMap nowhere/c (ConfigMap cm2, key data, document 2)"));
    CHECK(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_BINDING) <=
          proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST)); /* b is in every pass */
    TEST_CASE("all is well");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    crs_fixture_do(
        &fixture, "PATCH", CRS_FIXTURE_MAP,
        "{\"metadata\":{\"annotations\":{\"corset.dev/default-namespace\":\"default\"}}}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(!str_contains(read_binding(&fixture), STR(RECORD)));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

SIM_TEST(a_set_that_is_well_has_no_record)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK(!str_contains(read_binding(&fixture), STR(RECORD)));
}

/* What failed leaves the set: nothing is left to apply, and nothing to tell. */
SIM_TEST(a_record_goes_when_nothing_is_left_to_tell)
{
    SCOPED(crs_fixture) fixture;
    start_with_many_failures(&fixture);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await_entry(&fixture, "c1", "crs1",
                            "ConfigMap/cm1 false hash, ConfigMap/cm2 true hash");
    CHECK_CONTAINS(read_binding(&fixture), STR("\\\"count\\\":50"));
    CHECK(!str_contains(read_binding(&fixture), STR("nowhere")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm2"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(!str_contains(read_binding(&fixture), STR(RECORD)));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

/* Content that cannot be used is recorded once; trying again writes nothing. */
SIM_TEST(a_record_of_content_that_cannot_be_used_is_written_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", "a: [");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_CONTAINS(read_binding(&fixture),
                   STR("\\\"objects\\\":0,\\\"why\\\":[{\\\"count\\\":0,\\\"reason\\\":"
                       "\\\"Invalid\\\",\\\"message\\\":\\\"failed converting data"));
    CHECK_CONTAINS(read_binding(&fixture), STR("\\\"objects\\\":[\\\"ConfigMap cm1\\\"]"));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

SIM_TEST(a_record_goes_with_its_set_and_those_of_others_stay)
{
    SCOPED(crs_fixture) fixture;
    start_with_many_failures(&fixture);
    crs_fixture_map(&fixture, "cm3", CRS_FIXTURE_MANIFEST_IN("absent", "d", "1"));
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm3");
    crs_fixture_await_condition(&fixture, "crs2", "ResourcesApplied", "False/NotApplied/");
    CHECK_CONTAINS(read_binding(&fixture), STR("\\\"crs2\\\":{\\\"state\\\":\\\"Failed\\\""));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK(!str_contains(read_binding(&fixture), STR("\\\"crs1\\\"")));
    CHECK_CONTAINS(read_binding(&fixture), STR("\\\"crs2\\\":{\\\"state\\\":\\\"Failed\\\""));
}

/* What a server quotes of a Secret's content is told nowhere. */
SIM_TEST(a_record_has_no_value_of_a_secret)
{
    static const char *const places[] = {
        CRS_FIXTURE_SET, "/apis/events.k8s.io/v1/namespaces/ns/events", CRS_FIXTURE_BINDING};
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "",
                       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, "
                       "labels: {a: \"hidden/hidden\"}}\n---\n"
                       "apiVersion: v1\nkind: Secret\nmetadata: {name: b, namespace: default}\n"
                       "data: {k: \"*hidden*\"}\n");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_CONTAINS(read_binding(&fixture), STR("v1 ConfigMap default/a (Secret s1, key data, "));
    CHECK_CONTAINS(read_binding(&fixture), STR("v1 Secret default/b (Secret s1, key data, "));
    for (size_t i = 0; i < COUNT(places); i++) {
        TEST_CASE("%s", places[i]);
        crs_fixture_do(&fixture, "GET", places[i], NULL);
        if (str_contains(buf_str(&fixture.apiserver.answer), STR("hidden")))
            test_fail(TEST_PLACE(places[i]), "%s", buf_c(&fixture.apiserver.answer));
    }
    TEST_CASE("log");
    CHECK(!crs_fixture_logged(&fixture, "hidden"));
}

#define CLUSTERS(state) "corset_set_clusters{namespace=\"ns\",set=\"crs1\",state=\"" state "\"}"

/* corset why, corset status and the metric say the same of crs1 on c1. */
static void check_lacking(struct crs_fixture *fixture)
{
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    delivery_fixture_read_status(fixture, &model);
    const struct status_cluster *cluster = status_model_find_cluster(&model, STR("c1"));
    const struct status_set *set = status_model_find_set(&model, STR("crs1"));
    CHECK_EQ((int)cluster->cells[0].state, (int)STATUS_FAILED);
    CHECK_EQ((int)set->state, (int)STATUS_FAILED);
    CHECK_EQ(set->counts[STATUS_FAILED], (size_t)1);
    why_render_cell(cluster, &cluster->cells[0], loop_wall(loop_current()), &out);
    CHECK_CONTAINS(buf_str(&out),
                   STR("  ConfigMap cm1: configmaps \"cm1\" not found\n"
                       "  to do: mend what is said above. The set goes on by itself then.\n"));
    CHECK_EQ(crs_fixture_metric(fixture, CLUSTERS("failed")), 1);
    CHECK_EQ(crs_fixture_metric(fixture, CLUSTERS("waiting")), 0);
    CHECK_EQ(crs_fixture_metric(fixture, CLUSTERS("applied")), 0);
}

SIM_TEST(a_set_that_lacks_a_resource_has_failed_in_status_and_metrics)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(status_model) model = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    TEST_CASE("it was never there");
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    check_lacking(&fixture);

    TEST_CASE("it comes");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    delivery_fixture_read_status(&fixture, &model);
    CHECK_EQ((int)status_model_find_set(&model, STR("crs1"))->state, (int)STATUS_APPLIED);
    CHECK_EQ(crs_fixture_metric(&fixture, CLUSTERS("applied")), 1);

    TEST_CASE("it goes, and what it brought stays");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_MAP, NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    check_lacking(&fixture);
}
