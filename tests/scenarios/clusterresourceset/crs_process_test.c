/* Sets and processes: who leads, what is watched, what a process finds that begins anew. */
#include <stdint.h>

#include "http/server.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "scenarios/clusterresourceset/second_process.h"

#define BOTH "ConfigMap/cm1 true hash, Secret/s1 true hash"
#define US   "\"cluster.x-k8s.io/watch-filter\":\"us\""

SIM_TEST(who_does_not_lead_waits_and_takes_over)
{
    const struct controller_manager_options options = {.leader_elect = true};
    SCOPED(crs_fixture) fixture;
    SCOPED(second_process) other = {0};
    crs_fixture_init(&fixture);
    crs_fixture_start(&fixture, &options);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(MINUTE));
    second_process_start(&other, &fixture, &options);
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 1);
    TEST_CASE("the leader goes");
    crs_fixture_stop(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "3"));
    crs_fixture_forget(&fixture);
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "3");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 1);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
}

/* From the first record on the caches are told of nothing more. */
static void hold_watches(struct proxy *proxy, struct str method, struct str target)
{
    if (str_eq(method, STR("PATCH")) &&
        str_find(target, STR("/clusterresourcesetbindings/")) != STR_NONE)
        proxy->holds_watches = true;
}

/* The record is there, and neither the answer nor the event says so. */
SIM_TEST(what_is_recorded_is_not_applied_again_when_the_answer_was_lost)
{
    static const char *const policies[] = {NULL, "{}"};
    for (size_t i = 0; i < COUNT(policies); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("policy %s", policies[i] ? policies[i] : "none");
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
        if (policies[i])
            delivery_fixture_policy(&fixture, policies[i]);
        crs_fixture_start(&fixture, NULL);
        if (policies[i])
            delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
        else
            crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
        crs_fixture_await_applied(&fixture, "crs1");
        CHECK_OK(fiber_sleep(MINUTE));
        crs_fixture_forget(&fixture);
        fixture.management.on_request = hold_watches;
        proxy_fail(&fixture.management, (struct proxy_fault){.method = "PATCH",
                                                             .part = "/clusterresourcesetbindings/",
                                                             .times = 1,
                                                             .after = true});
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
        crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
        CHECK_OK(fiber_sleep(MINUTE));
        CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 1);
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    }
}

/* ApplyOnce after a process died between applying and recording: once more, and then never again.
 */
SIM_TEST(what_an_earlier_process_did_not_record_is_applied_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    proxy_fail(&fixture.management, (struct proxy_fault){"PATCH", "/clusterresourcesetbindings/c1",
                                                         SIZE_MAX, .status = 500});
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "1");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("-"));
    crs_fixture_stop(&fixture);
    fixture.management.faults[0].times = 0;
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

SIM_TEST(one_namespace_is_watched_and_others_are_not)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "default", 2, CRS_FIXTURE_LABELS, "");
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.namespace = STR("default")});
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.finalizers"), STR(""));
    CHECK_EQ(proxy_count(&fixture.management, "/namespaces/ns/"), 0);
}

/* Nobody connects to it, so its connection is not down. */
SIM_TEST(a_cluster_without_the_label_of_the_filter_is_told_apart_from_one_that_is_down)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.watch_filter = STR("us")});
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_set_as(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       ",\"labels\":{" US "}");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    const struct str condition = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK_CONTAINS(condition,
                   STR("c2: the Cluster lacks the label cluster.x-k8s.io/watch-filter=us, "
                       "without which this controller does not connect to it"));
    CHECK(!str_contains(condition, STR("is down")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2",
                   "{\"metadata\":{\"labels\":{" US "}}}");
    crs_fixture_await_entry(&fixture, "c2", "crs1", "ConfigMap/cm1 true hash");
    crs_fixture_await_applied(&fixture, "crs1");
}

/* Suspends until the set has just looked for its ConfigMap in vain; the next look is minutes away.
 */
static void await_vain_look(struct crs_fixture *fixture)
{
    CHECK_OK(fiber_sleep(HOUR));
    proxy_forget(&fixture->management);
    while (!proxy_count(&fixture->management, "GET " CRS_FIXTURE_MAP))
        CHECK_OK(fiber_sleep(SECOND));
}

/* Secrets need no label for a filter; ConfigMaps do, for their events to count. */
SIM_TEST(a_filter_holds_for_clusters_and_config_maps)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_cluster_as(&fixture, "ns", 1, CRS_FIXTURE_LABELS "," US, "");
    crs_fixture_start(&fixture, &(struct controller_manager_options){.watch_filter = STR("us")});
    crs_fixture_set_as(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1",
                       CRS_FIXTURE_SELECTOR, ",\"labels\":{" US "}");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await_entry(&fixture, "c1", "crs1", "Secret/s1 true hash");
    await_vain_look(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("Secret/s1 true hash"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_MAP, "{\"metadata\":{\"labels\":{" US "}}}");
    crs_fixture_await_entry(&fixture, "c1", "crs1", "Secret/s1 true hash, ConfigMap/cm1 true hash");
}

/* Nobody leads here, and nothing is asked of the server but what the caches ask. */
SIM_TEST(a_change_arrives_soon_after_the_management_server_is_back)
{
    static const int outages[] = {1, 7, 20, 20, 20, 33, 33, 33, 61, 61, 61, 200, 200};
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    for (size_t i = 0; i < COUNT(outages); i++) {
        SCOPED(buf) manifest = {0};
        SCOPED(buf) value = {0};
        TEST_CASE("%d s", outages[i]);
        CHECK_OK(fiber_sleep(3 * MINUTE));
        http_server_free(TAKE(fixture.management.server));
        CHECK_OK(fiber_sleep(outages[i] * SECOND));
        proxy_open(&fixture.management, fixture.apiserver.network, STR("management.test"));
        const int64_t returned = loop_now(loop_current());
        buf_print(&value, "v%zu", i);
        buf_print(&manifest,
                  "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, "
                  "data: {k: %s}}",
                  buf_c(&value));
        crs_fixture_map(&fixture, "cm1", buf_c(&manifest));
        crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", buf_c(&value));
        CHECK(crs_fixture_seconds_since(returned) < 3);
    }
}
