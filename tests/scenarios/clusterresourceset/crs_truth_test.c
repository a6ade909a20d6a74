/* ResourcesApplied tells the worst of all there is, within bounds, and nothing that is secret. */
#include <stdint.h>
#include <string.h>

#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

/* The cluster is served; that its binding cannot be written is what is left to say. */
SIM_TEST(a_connection_that_is_back_is_no_longer_told_to_be_down)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": 1 of 1 clusters failed: c1: " CRS_FIXTURE_DOWN("1"));
    CHECK_OK(fiber_sleep(5 * SECOND));
    proxy_fail(&fixture.management, (struct proxy_fault){"PATCH", "/clusterresourcesetbindings/c1",
                                                         1000, .status = 500});
    crs_fixture_refuse(&fixture, "c1.test", false);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    const struct str told = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK(str_starts_with(told, STR("False/InternalError/")));
    CHECK_CONTAINS(told, STR("failed to patch ClusterResourceSetBinding ns/c1"));
    CHECK(!str_contains(told, STR("Connection refused")));
    fixture.management.faults[0].times = 0;
    crs_fixture_await_applied(&fixture, "crs1");
}

/* Everything is wrong at once; then one after the other is put right. */
SIM_TEST(the_most_telling_trouble_is_shown_first)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c2.test", true);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_secret(&fixture, "s1", "Opaque", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/absent ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(
        &fixture, "crs1", "ResourcesApplied",
        "False/WrongSecretType/Secret type of resource s1 is not supported: "
        "2 of 2 clusters failed: Secret s1: unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set; c1: "
        "ConfigMap cm1, key data, document 1: creating object ");
    const struct str whole = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK_CONTAINS(whole, STR("; c2: " CRS_FIXTURE_NOT_YET("2")));
    CHECK_CONTAINS(whole, STR("; ConfigMap absent: configmaps \"absent\" not found"));
    TEST_CASE("the Secret");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRET, NULL);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
                                ": 2 of 2 clusters failed: c1");
    TEST_CASE("the namespace");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("2") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": 1 of 2 clusters failed: c2: " CRS_FIXTURE_DOWN("2"));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/RemoteClusterClientFailed/Error/" CRS_FIXTURE_DOWN("2")));
    TEST_CASE("the connection");
    crs_fixture_refuse(&fixture, "c2.test", false);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": ConfigMap absent: ");
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/RetrievingResourceFailed/Warning/configmaps \"absent\" not found"));
    TEST_CASE("the ConfigMap");
    crs_fixture_map(&fixture, "absent", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
}

/* A cluster that fails and is no longer selected is no reason to say no. */
SIM_TEST(a_failing_cluster_that_leaves_takes_its_trouble_along)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){"POST", "/configmaps", SIZE_MAX, .status = 500});
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2",
                   "{\"metadata\":{\"labels\":{\"cni\":null}}}");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    TEST_CASE("the last one leaves: what was said stays");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"labels\":{\"cni\":null}}}");
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

/* A deleted Cluster that failed does the same. */
SIM_TEST(a_failing_cluster_that_is_deleted_takes_its_trouble_along)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c2.test", true);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OWNERS "/c2", NULL);
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDINGS "/c2");
}

static void add_lines(struct buf *out, const char *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add(out, str_from_c(line));
}

/* V-18: a text that is too long for the schema is cut, and not refused for ever. */
SIM_TEST(v_18_a_long_text_is_cut)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    add_lines(&text, "a: b\303\274\n", 5000);
    buf_add(&text, STR("a: ["));
    crs_fixture_map(&fixture, "cm1", buf_c(&text));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    const struct str deprecated = crs_fixture_deprecated(&fixture, "crs1");
    CHECK(str_starts_with(deprecated, STR("False/ApplyFailed/Warning/failed converting data to "
                                          "unstructured objects: failed to unmarshal the 1st")));
    CHECK(deprecated.len <= 10240 + strlen("False/ApplyFailed/Warning/"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(!crs_fixture_logged(&fixture, "Too long"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 false"));
}

/* Many objects that all fail: the message names the first ones. */
SIM_TEST(v_18_many_failures_are_cut)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    for (size_t i = 0; i < 150; i++)
        buf_print(&text,
                  "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a%zu, namespace: "
                  "nowhere-to-be-found-at-all}\n",
                  i);
    crs_fixture_map(&fixture, "cm1", buf_c(&text));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    const struct str deprecated = crs_fixture_deprecated(&fixture, "crs1");
    CHECK(deprecated.len <= 10240 + strlen("False/ApplyFailed/Warning/"));
    CHECK(
        str_starts_with(deprecated, STR("False/ApplyFailed/Warning/150 of 150 objects failed: 150 "
                                        "objects: namespaces \"nowhere-to-be-found-at-all\" not "
                                        "found: ConfigMap nowhere-to-be-found-at-all/a0 ")));
}

/* What a Secret holds is told nowhere, though it cannot be parsed. */
SIM_TEST(a_secret_that_cannot_be_read_stays_secret)
{
    static const char *const places[] = {
        CRS_FIXTURE_SET, "/apis/events.k8s.io/v1/namespaces/ns/events", CRS_FIXTURE_BINDING};
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", "password: hidden\na: [");
    crs_fixture_secret(&fixture, "s2", "", "password: hidden\n");
    crs_fixture_secret(&fixture, "s3", "", "---hidden\na: b\n");
    crs_fixture_secret(&fixture, "s4", "", "{\"password\":\"hidden\",}");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "Secret/s1 Secret/s2 Secret/s3 Secret/s4");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_OK(fiber_sleep(MINUTE));
    for (size_t i = 0; i < COUNT(places); i++) {
        TEST_CASE("%s", places[i]);
        crs_fixture_do(&fixture, "GET", places[i], NULL);
        if (str_contains(buf_str(&fixture.apiserver.answer), STR("hidden")))
            test_fail(TEST_PLACE(places[i]), "%s", buf_c(&fixture.apiserver.answer));
    }
    TEST_CASE("log");
    CHECK(!crs_fixture_logged(&fixture, "hidden"));
}

/* Content that changes while it is applied: the newest is what is there in the end. */
static void change_once(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (str_eq(method, STR("GET")) || !str_contains(target, STR("/configmaps")))
        return;
    proxy->on_request = NULL;
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
}

SIM_TEST(a_change_in_the_middle_of_a_pass_is_not_lost)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    fixture.workloads[0].data = &fixture;
    fixture.workloads[0].on_request = change_once;
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

/* Others write the set's status and metadata all the time. */
SIM_TEST(conflicts_on_the_set_are_made_up_for)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    proxy_fail(&fixture.management,
               (struct proxy_fault){"PATCH", "/clusterresourcesets/crs1/status", 3, .status = 409});
    proxy_fail(&fixture.management,
               (struct proxy_fault){"PATCH", "/clusterresourcesets/crs1?", 2, .status = 409});
    proxy_fail(&fixture.management,
               (struct proxy_fault){"PATCH", "/configmaps/cm1", 2, .status = 409});
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}

/* Conditions of others stay. */
SIM_TEST(conditions_of_others_are_kept)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_do(&fixture, "GET", CRS_FIXTURE_SET, NULL);
    crs_fixture_do(
        &fixture, "PATCH", CRS_FIXTURE_SET "/status",
        "{\"status\":{\"conditions\":[{\"type\":\"Theirs\",\"status\":\"True\",\"reason\":"
        "\"Because\",\"message\":\"m\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}");
    crs_fixture_map(&fixture, "cm1", "a: [");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Theirs"), STR("True/Because/m"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Paused"), STR("False/NotPaused/"));
}

/* A namespace with everything in it goes, in the middle of a rollout. */
SIM_TEST(a_namespace_goes_clean)
{
    static const duration moments[] = {0, 30 * MILLISECOND, 5 * SECOND};
    for (size_t i = 0; i < COUNT(moments); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%zu", i);
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        crs_fixture_cluster(&fixture, 2);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
        crs_fixture_start(&fixture, NULL);
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
        CHECK_OK(fiber_sleep(moments[i]));
        crs_fixture_do(&fixture, "DELETE", "/api/v1/namespaces/ns", NULL);
        crs_fixture_await_gone(&fixture, "/api/v1/namespaces/ns");
        crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    }
}

/*
 * While a set reads its resources anew to tell of a cluster that failed, the cluster is tried
 * again: the set is told all the same.
 */
SIM_TEST(a_failure_is_told_however_soon_it_is_tried_again)
{
    for (duration after = 150 * MILLISECOND; after < 220 * MILLISECOND; after += 10 * MILLISECOND) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%lld ms", (long long)(after / MILLISECOND));
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
        sim_network_set_faults(fixture.apiserver.network, STR("management.test"),
                               &(struct sim_faults){.latency = 15 * MILLISECOND});
        crs_fixture_start(&fixture, NULL);
        CHECK_OK(fiber_sleep(5 * SECOND));
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
        CHECK_OK(fiber_sleep(after));
        crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_MAP,
                       "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        CHECK_OK(fiber_sleep(20 * SECOND));
        CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                       STR("False/NotApplied/"));
    }
}

/* News come while a cluster is being worked on once more, and that one has no news at its end. */
SIM_TEST(progress_ends_with_the_last_cluster_whether_it_has_news_or_not)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_OK(fiber_sleep(MINUTE));
    sim_network_set_faults(fixture.apiserver.network, STR("c1.test"),
                           &(struct sim_faults){.latency = 2 * SECOND});
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OWNERS "/c2", NULL);
    CHECK_OK(fiber_sleep(6 * SECOND));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "InProgress"), STR("True/"));
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
             STR("ConfigMap/cm1 true hash, Secret/s1 true hash"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "InProgress"), STR("False/Succeeded/"));
}
