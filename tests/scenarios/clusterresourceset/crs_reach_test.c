/* Clusters that cannot be reached: what conditions and events say of them, and what it costs. */
#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define EVENTS "/apis/events.k8s.io/v1/namespaces/ns/events"
#define STATUS "PATCH /apis/cluster.x-k8s.io/v1beta2/namespaces/ns/clusters/c1/status"

#define REFUSED CRS_FIXTURE_DOWN("1")
#define LOST    "False/ProbeFailed/Remote connection probe failed, probe last succeeded at "
#define NOT_YET "False/ProbeFailed/Remote connection not established yet: "

/* RemoteConnectionProbe of c1, "True/reason/message"; "-" when it is not there. */
static struct str read_probe(struct crs_fixture *fixture)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *condition;
    crs_fixture_do(fixture, "GET", CRS_FIXTURE_CLUSTER, NULL);
    JSON_FOREACH (key, condition,
                  json_path(json_doc_root(fixture->apiserver.doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("RemoteConnectionProbe")))
            buf_print(&text, "%.*s/%.*s/%.*s", STR_ARG(json_path_str(condition, "status")),
                      STR_ARG(json_path_str(condition, "reason")),
                      STR_ARG(json_path_str(condition, "message")));
    return text.len ? apiserver_fixture_keep(&fixture->apiserver, buf_str(&text)) : STR("-");
}

static void await_probe(struct crs_fixture *fixture, const char *start)
{
    for (size_t i = 0; i < 6000; i++) {
        if (str_starts_with(read_probe(fixture), str_from_c(start)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(read_probe(fixture), str_from_c(start));
}

/* Events about Clusters with this reason. */
static size_t count_events(struct crs_fixture *fixture, const char *reason)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "regarding.kind"), STR("Cluster")) &&
                 str_eq(json_path_str(event, "reason"), str_from_c(reason));
    return count;
}

SIM_TEST(a_cluster_that_dies_and_returns_says_so)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start_as_owner(&fixture);

    TEST_CASE("connected for the first time");
    await_probe(&fixture, "True/ProbeSucceeded/");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(read_probe(&fixture), STR("True/ProbeSucceeded/"));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 1);
    CHECK_EQ(crs_fixture_elements(&fixture, EVENTS, "items"), 0);

    TEST_CASE("lost");
    crs_fixture_vanish(&fixture, true);
    await_probe(&fixture, LOST);
    CHECK_CONTAINS(read_probe(&fixture), STR("Z: " REFUSED));
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 2);
    CHECK_EQ(count_events(&fixture, "ProbeFailed"), 1);
    CHECK_EQ(count_events(&fixture, "ProbeSucceeded"), 0);

    TEST_CASE("a set that needs it has the error, too");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": 1 of 1 clusters failed: c1: " REFUSED);

    TEST_CASE("another process says it no second time");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.owns_clusters = true});
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 2);
    CHECK_EQ(count_events(&fixture, "ProbeFailed"), 1);

    TEST_CASE("back");
    crs_fixture_vanish(&fixture, false);
    await_probe(&fixture, "True/ProbeSucceeded/");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 3);
    CHECK_EQ(count_events(&fixture, "ProbeFailed"), 1);
    CHECK_EQ(count_events(&fixture, "ProbeSucceeded"), 1);
}

SIM_TEST(a_cluster_that_was_never_reached_is_no_loss)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_start_as_owner(&fixture);
    await_probe(&fixture, NOT_YET REFUSED);
    await_probe(&fixture, "False/ProbeFailed/Remote connection probe failed: " REFUSED);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(proxy_count(&fixture.management, STATUS), 2);
    crs_fixture_refuse(&fixture, "c1.test", false);
    await_probe(&fixture, "True/ProbeSucceeded/");
    CHECK_EQ(count_events(&fixture, "ProbeFailed"), 0);
}

/* The error of one that does not answer changes all the time. */
SIM_TEST(changing_errors_do_not_flood)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start_as_owner(&fixture);
    await_probe(&fixture, "True/ProbeSucceeded/");
    crs_fixture_vanish(&fixture, true);
    await_probe(&fixture, LOST);
    proxy_forget(&fixture.management);
    for (size_t i = 0; i < 60; i++) {
        sim_network_set_faults(fixture.apiserver.network, STR("c1.test"),
                               &(struct sim_faults){.refuse = i % 2, .black_hole = !(i % 2)});
        CHECK_OK(fiber_sleep(MINUTE));
    }
    CHECK(proxy_count(&fixture.management, STATUS) > 2);
    CHECK(proxy_count(&fixture.management, STATUS) <= 13);
}

/* Cluster API writes the condition of its Clusters itself; events are ours there, too. */
SIM_TEST(clusters_of_cluster_api_keep_their_condition)
{
    for (size_t i = 0; i < 2; i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", i ? "Cluster API looks after it" : "corset controller");
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        if (i) {
            crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER "/status",
                           "{\"status\":{\"conditions\":[{\"type\":\"Available\",\"status\":"
                           "\"True\",\"reason\":\"Available\",\"message\":\"\","
                           "\"lastTransitionTime\":\"2025-01-01T00:00:00Z\"}]}}");
            crs_fixture_start_as_owner(&fixture);
        } else {
            crs_fixture_start(&fixture, NULL);
        }
        CHECK_OK(fiber_sleep(MINUTE));
        crs_fixture_vanish(&fixture, true);
        CHECK_OK(fiber_sleep(10 * MINUTE));
        crs_fixture_vanish(&fixture, false);
        CHECK_OK(fiber_sleep(10 * MINUTE));
        CHECK_EQ(read_probe(&fixture), STR("-"));
        CHECK_EQ(proxy_count(&fixture.management, "clusters/c1/status"), 0);
        CHECK_EQ(count_events(&fixture, "ProbeFailed"), 1);
        CHECK_EQ(count_events(&fixture, "ProbeSucceeded"), 1);
    }
}
