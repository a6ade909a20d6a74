/* A cluster that was rebuilt: its binding is about another one, which kube-system's UID shows. */
#include "base/base64.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define KUBECONFIG CRS_FIXTURE_SECRETS "/c1-kubeconfig"
#define EVENTS     "/apis/events.k8s.io/v1/namespaces/ns/events"
#define SYSTEM     "/api/v1/namespaces/kube-system"
#define UID        "metadata.annotations"

/* The Cluster stays; its kubeconfig leads to a cluster that has nothing. */
static void rebuild(struct crs_fixture *fixture)
{
    crs_fixture_do(fixture, "DELETE", KUBECONFIG, NULL);
    crs_fixture_kubeconfig(fixture, 1, 2);
    CHECK_OK(fiber_sleep(MINUTE));
}

static void check_uid(struct crs_fixture *fixture, const char *workload)
{
    SCOPED(buf) wanted = {.limit = 0};
    const struct str uid = crs_fixture_look(fixture, workload, "metadata.uid");
    buf_print(&wanted, "{\"corset.dev/cluster-uid\":\"%.*s\"}", STR_ARG(uid));
    CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_BINDING, UID), buf_str(&wanted));
}

SIM_TEST(a_cluster_that_was_rebuilt_gets_everything_anew)
{
    static const char *const strategies[] = {"ApplyOnce", "Reconcile"};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", strategies[i]);
        crs_fixture_init(&fixture);
        crs_fixture_ready(&fixture, strategies[i]);
        crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
        crs_fixture_await_applied(&fixture, "crs2");
        check_uid(&fixture, CRS_FIXTURE_WORKLOAD("1") SYSTEM);
        rebuild(&fixture);
        CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
        CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "b")));
        check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
                 STR("ConfigMap/cm1 true hash, Secret/s1 true hash"));
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs2"), STR("ConfigMap/cm1 true hash"));
        CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
        CHECK_EQ(crs_fixture_call(&fixture, "GET", EVENTS, NULL), 200);
        CHECK_CONTAINS(buf_str(&fixture.apiserver.answer),
                       STR("Cluster ns/c1 is another cluster now (kube-system UID "));
    }
}

/* The entries go, and neither the answer nor anything else says so. */
SIM_TEST(a_cluster_that_was_rebuilt_is_told_of_when_the_answer_was_lost)
{
    for (size_t paused = 0; paused < 2; paused++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", paused ? "paused" : "not paused");
        crs_fixture_init(&fixture);
        crs_fixture_ready(&fixture, "ApplyOnce");
        if (paused)
            crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c1",
                           "{\"spec\":{\"paused\":true}}");
        CHECK_OK(fiber_sleep(MINUTE));
        proxy_fail(&fixture.management, (struct proxy_fault){.method = "PATCH",
                                                             .part = "/clusterresourcesetbindings/",
                                                             .times = 1,
                                                             .after = true});
        rebuild(&fixture);
        CHECK_EQ(crs_fixture_call(&fixture, "GET", EVENTS, NULL), 200);
        CHECK_CONTAINS(buf_str(&fixture.apiserver.answer),
                       STR("Cluster ns/c1 is another cluster now (kube-system UID "));
        crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                    paused ? "False/ClusterPaused/" : "True/Applied/");
    }
}

/*
 * What was applied to the cluster before is recorded late, behind a write that hangs, and the
 * binding has no UID yet that would tell. Nobody else looks at a paused Cluster.
 */
SIM_TEST(what_was_applied_before_a_cluster_was_rebuilt_is_not_recorded_after_it)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    proxy_fail(&fixture.management, (struct proxy_fault){.method = "PATCH",
                                                         .part = "/clusterresourcesetbindings/",
                                                         .times = 1,
                                                         .hangs = true});
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm2");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "1");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "1");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c1", "{\"spec\":{\"paused\":true}}");
    rebuild(&fixture);
    CHECK(!str_contains(crs_fixture_entry(&fixture, "c1", "crs1"), STR("true")));
    CHECK(!str_contains(crs_fixture_entry(&fixture, "c1", "crs2"), STR("true")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c1", "{\"spec\":{\"paused\":null}}");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k", "1");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "b"), "data.k", "1");
    CHECK_OK(fiber_sleep(MINUTE));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
}

/* Another cluster answers at the address of c1. */
static void rebuild_in_place(struct crs_fixture *fixture)
{
    struct proxy *place = &fixture->workloads[0];
    place->prefix = fixture->workloads[1].prefix;
    buf_clear(&place->token);
    buf_add(&place->token, buf_str(&fixture->workloads[1].token));
}

/* Address and credentials stay, as after an etcd that was emptied; no probe has to fail for it. */
SIM_TEST(a_cluster_that_was_rebuilt_in_its_place_gets_everything_anew)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    rebuild_in_place(&fixture);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET", .part = "/?", .times = 1}); /* breaks off */
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

/* The address stays, and the server's authority; the kubeconfig is another one. */
SIM_TEST(a_cluster_that_was_rebuilt_with_other_credentials_gets_everything_anew)
{
    SCOPED(buf) kubeconfig = {.limit = 0};
    SCOPED(buf) encoded = {.limit = 0};
    SCOPED(buf) patch = {.limit = 0};
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    rebuild_in_place(&fixture);
    CHECK_OK(base64_decode(&kubeconfig, crs_fixture_look(&fixture, KUBECONFIG, "data.value")));
    buf_print(&kubeconfig, "\n");
    base64_encode(&encoded, buf_str(&kubeconfig));
    buf_print(&patch, "{\"data\":{\"value\":\"%.*s\"}}", STR_ARG(buf_str(&encoded)));
    crs_fixture_do(&fixture, "PATCH", KUBECONFIG, buf_c(&patch));
    CHECK_OK(fiber_sleep(5 * SECOND)); /* no probe yet */
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
}

/* A connection that breaks, as they do, costs a look at the UID and nothing else. */
SIM_TEST(a_connection_made_anew_to_the_same_cluster_changes_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET " SYSTEM), 0);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET", .part = "/?", .times = 1});
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(buf_str(&fixture.workloads[0].asked), STR("GET " SYSTEM "?timeout=10s\n"));
    CHECK_EQ(buf_str(&fixture.management.asked), STR(""));
}

/* A set that is paused applies nothing, but what its binding says is not true any more. */
SIM_TEST(a_cluster_rebuilt_while_its_sets_are_paused_has_nothing_recorded)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}");
    CHECK_OK(fiber_sleep(SECOND));
    rebuild(&fixture);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("-"));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
}

/* Nothing is applied to a paused Cluster; that it has what its predecessor had is not said, either.
 */
SIM_TEST(a_cluster_rebuilt_while_it_is_paused_is_not_said_to_be_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(SECOND));
    rebuild(&fixture);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("-"));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("False/ClusterPaused/"));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":false}}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
}

SIM_TEST(a_restart_finds_out_that_a_cluster_was_rebuilt)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "DELETE", KUBECONFIG, NULL);
    crs_fixture_kubeconfig(&fixture, 1, 2);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

SIM_TEST(a_binding_without_a_uid_is_believed_and_gets_it)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, "{\"metadata\":{\"annotations\":null}}");
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.workloads[0].writes, 0);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, UID), STR(""));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(5 * SECOND));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("1") SYSTEM);
}

/* Without the right nothing changes but a line in the log, one for each connection. */
SIM_TEST(a_cluster_whose_uid_may_not_be_read_is_believed)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    for (size_t i = 0; i < 2; i++)
        proxy_fail(&fixture.workloads[i], (struct proxy_fault){"GET", SYSTEM, 1000, .status = 403});
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, UID), STR(""));
    CHECK(crs_fixture_logged(&fixture, "Cannot read Namespace kube-system"));
    for (size_t i = 0; i < 5; i++) {
        crs_fixture_kick(&fixture, "crs1");
        CHECK_OK(fiber_sleep(MINUTE));
    }
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET " SYSTEM), 1);
    rebuild(&fixture);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    CHECK_EQ(proxy_count(&fixture.workloads[1], "GET " SYSTEM), 1);
}

/* The server answers badly for a while: it is asked again, and then nothing false stays. */
SIM_TEST(a_uid_that_cannot_be_read_just_now_is_asked_for_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    proxy_fail(&fixture.workloads[1], (struct proxy_fault){"GET", SYSTEM, 1, .status = 500});
    rebuild(&fixture);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "a")));
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("2") SYSTEM);
}

/* What is recorded is recorded of a certain cluster, or it would be believed of the next one. */
SIM_TEST(nothing_is_applied_to_a_cluster_whose_uid_cannot_be_read_just_now)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    proxy_fail(&fixture.workloads[0], (struct proxy_fault){"GET", SYSTEM, 5, .status = 500});
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "Failed", "True/dependencyStatus/");
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c1: cannot read Namespace kube-system, by which a cluster is known: "));
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 0);
    crs_fixture_await_applied(&fixture, "crs1");
    check_uid(&fixture, CRS_FIXTURE_WORKLOAD("1") SYSTEM);
}
