/* Events: what people are told of sets, on the set and on the Cluster. */
#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define EVENTS "/apis/events.k8s.io/v1/namespaces/ns/events"

/* Events about an object that begin so: how many. */
static size_t count_events(struct crs_fixture *fixture, const char *kind, const char *type,
                           const char *reason, const char *note)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "regarding.kind"), str_from_c(kind)) &&
                 str_eq(json_path_str(event, "type"), str_from_c(type)) &&
                 str_eq(json_path_str(event, "reason"), str_from_c(reason)) &&
                 str_starts_with(json_path_str(event, "note"), str_from_c(note));
    return count;
}

SIM_TEST(events_tell_what_was_applied_where)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(count_events(&fixture, "Cluster", "Normal", "ResourcesApplied",
                          "Applied ConfigMap cm1, Secret s1 of ClusterResourceSet crs1"),
             2);
    CHECK_EQ(count_events(&fixture, "ClusterResourceSet", "Normal", "ResourcesApplied",
                          "Everything is applied to 2 clusters"),
             1);
    CHECK_EQ(crs_fixture_elements(&fixture, EVENTS, "items"), 3);
}

/* Failing for an hour makes a few events, not thousands, and none holds what a Secret holds. */
SIM_TEST(events_tell_what_failed_and_do_not_flood)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST_IN("nowhere", "b", "hidden"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(count_events(&fixture, "Cluster", "Warning", "ResourcesNotApplied",
                          "ClusterResourceSet crs1: Secret s1, key data, document 1: creating "
                          "object /v1, Kind=ConfigMap nowhere/b: namespaces \"nowhere\" not found"),
             1);
    CHECK_EQ(count_events(&fixture, "ClusterResourceSet", "Warning", "ResourcesNotApplied",
                          CRS_FIXTURE_NOT_APPLIED
                          ": 1 of 1 clusters failed: c1: Secret s1, key data"),
             1);
    CHECK_EQ(crs_fixture_elements(&fixture, EVENTS, "items"), 2);
    CHECK(proxy_count(&fixture.management, "/events") < 10);
    crs_fixture_do(&fixture, "GET", EVENTS, NULL);
    CHECK(!str_contains(buf_str(&fixture.apiserver.answer), STR("hidden")));
    CHECK(!crs_fixture_logged(&fixture, "hidden"));
    TEST_CASE("it recovers");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(count_events(&fixture, "Cluster", "Normal", "ResourcesApplied", "Applied Secret s1"),
             1);
    CHECK_EQ(count_events(&fixture, "ClusterResourceSet", "Normal", "ResourcesApplied",
                          "Everything is applied to 1 cluster"),
             1);
}

/* The note is the same, and so is the name of the set, but the set is another one. */
SIM_TEST(events_on_clusters_say_which_set_they_are_about)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_start(&fixture, NULL);
    for (size_t i = 0; i < 2; i++) {
        const struct json_value *event;
        size_t count = 0;
        TEST_CASE("set %zu", i);
        crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
        CHECK_OK(fiber_sleep(30 * SECOND));
        SCOPED(buf) uid = {.limit = 0};
        buf_add(&uid, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
        crs_fixture_do(&fixture, "GET", EVENTS, NULL);
        JSON_FOREACH (key, event, json_path(json_doc_root(fixture.apiserver.doc), "items"))
            count += str_eq(json_path_str(event, "regarding.kind"), STR("Cluster")) &&
                     str_eq(json_path_str(event, "related.kind"), STR("ClusterResourceSet")) &&
                     str_eq(json_path_str(event, "related.uid"), buf_str(&uid));
        CHECK_EQ(count, 1);
        crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
        crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    }
}

static size_t count_warnings(struct crs_fixture *fixture)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "type"), STR("Warning"));
    return count;
}

/* A new cluster takes its time; one that does not come at all is worth a warning. */
SIM_TEST(events_do_not_warn_of_a_connection_that_is_being_made)
{
    for (size_t i = 0; i < 2; i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", i ? "it never comes" : "it comes after 20 s");
        crs_fixture_init(&fixture);
        crs_fixture_refuse(&fixture, "c1.test", true);
        crs_fixture_begin(&fixture, "ApplyOnce");
        crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
        CHECK_OK(fiber_sleep(20 * SECOND));
        CHECK_EQ(count_warnings(&fixture), 0);
        if (i) {
            CHECK_OK(fiber_sleep(HOUR));
            CHECK_EQ(count_events(&fixture, "Cluster", "Warning", "ResourcesNotApplied",
                                  "ClusterResourceSet crs1: " CRS_FIXTURE_DOWN("1")),
                     1);
            CHECK_EQ(count_events(&fixture, "ClusterResourceSet", "Warning", "ResourcesNotApplied",
                                  CRS_FIXTURE_CHECK_LOGS
                                  ": 1 of 1 clusters failed: c1: " CRS_FIXTURE_DOWN("1")),
                     1);
            CHECK_EQ(count_warnings(&fixture), 2);
        } else {
            crs_fixture_refuse(&fixture, "c1.test", false);
            crs_fixture_await_applied(&fixture, "crs1");
            CHECK_OK(fiber_sleep(MINUTE));
            CHECK_EQ(count_warnings(&fixture), 0);
        }
    }
}

/* What is missing is told on the set, by its name. */
SIM_TEST(events_name_what_is_missing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(count_events(&fixture, "ClusterResourceSet", "Warning", "ResourcesNotApplied",
                          CRS_FIXTURE_CHECK_LOGS ": ConfigMap cm1: configmaps \"cm1\" not found"),
             1);
    CHECK_EQ(crs_fixture_elements(&fixture, EVENTS, "items"), 1);
}
