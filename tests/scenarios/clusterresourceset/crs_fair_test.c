/* What the sets of one namespace cost those of another: no time. */
#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define LOUD_CLUSTERS 8
#define LOUD_SETS     10
#define LOUD_FIRST    10 /* its clusters are c10, c11 and so on */
#define WORKERS       12 /* fewer than two for each of those clusters */

#define LOUD_ADDONS   "/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/loud/"
#define LOUD_BINDINGS LOUD_ADDONS "clusterresourcesetbindings"

/* Namespace "loud": clusters that are all workload cluster 2, and sets that select all of them. */
static void make_loud_clusters(struct crs_fixture *fixture)
{
    crs_fixture_put(fixture, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
                             "\"name\":\"loud\"}}");
    for (size_t i = 0; i < LOUD_CLUSTERS; i++)
        crs_fixture_cluster_at(fixture, "loud", LOUD_FIRST + i, 2);
}

static void make_loud_sets(struct crs_fixture *fixture)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text,
            STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\","
                "\"namespace\":\"loud\"},\"data\":{\"data\":"));
    buf_add_json_string(&text, STR(CRS_FIXTURE_MANIFEST("a", "1")));
    buf_add(&text, STR("}}"));
    crs_fixture_put(fixture, buf_c(&text));
    for (size_t i = 0; i < LOUD_SETS; i++) {
        buf_clear(&text);
        buf_print(
            &text,
            "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
            "\"ClusterResourceSet\",\"metadata\":{\"name\":\"loud%zu\",\"namespace\":"
            "\"loud\"},\"spec\":{\"strategy\":\"ApplyOnce\",\"clusterSelector\":" CRS_FIXTURE_SELECTOR
            ",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":"
            "\"cm1\"}]}}",
            i);
        crs_fixture_put(fixture, buf_c(&text));
    }
}

/* A set of namespace "ns", on c1: seconds until it is applied. */
static double time_quiet_set(struct crs_fixture *fixture, const char *name)
{
    const int64_t begun = loop_now(loop_current());
    crs_fixture_set(fixture, name, "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_entry(fixture, "c1", name, "ConfigMap/cm1 true hash");
    return crs_fixture_seconds_since(begun);
}

static void begin_with_loud_clusters(struct crs_fixture *fixture)
{
    crs_fixture_init(fixture);
    make_loud_clusters(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(fixture, &(struct controller_manager_options){.apply_concurrency = WORKERS});
    CHECK_OK(fiber_sleep(10 * SECOND));
}

/*
 * The clusters answer probes and hang on writes, and there are more placements on them than
 * workers. A set of another namespace takes as long as alone, now and later.
 */
SIM_TEST(a_namespace_whose_clusters_hang_holds_up_no_other)
{
    SCOPED(crs_fixture) fixture;
    begin_with_loud_clusters(&fixture);
    const double alone = time_quiet_set(&fixture, "alone");
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){"POST", "/configmaps", SIZE_MAX, .hangs = true});
    make_loud_sets(&fixture);
    CHECK_OK(fiber_sleep(2 * SECOND));
    TEST_CASE("beside them");
    CHECK(time_quiet_set(&fixture, "beside") <= 1.2 * alone);
    TEST_CASE("they have all the workers that were asked for, and one more is kept");
    CHECK_EQ(proxy_count(&fixture.workloads[1], CRS_FIXTURE_POST), WORKERS);
    TEST_CASE("later");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK(time_quiet_set(&fixture, "later") <= 1.2 * alone);
    TEST_CASE("nobody is forgotten");
    fixture.workloads[1].faults[0].times = 0;
    for (size_t i = 0; i < LOUD_SETS; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, LOUD_ADDONS "clusterresourcesets/loud%zu", i);
        crs_fixture_await(&fixture, buf_c(&name), "status.observedGeneration", "1");
    }
    CHECK_EQ(crs_fixture_elements(&fixture, LOUD_BINDINGS "/c10", "spec.bindings"), LOUD_SETS);
}

static void answer_late(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy;
    (void)target;
    if (str_eq(method, STR("POST")))
        error_free(fiber_sleep(SECOND));
}

/* All is well with the clusters of the other namespace; there is only much to do. */
SIM_TEST(a_namespace_with_much_to_do_holds_up_no_other)
{
    SCOPED(crs_fixture) fixture;
    begin_with_loud_clusters(&fixture);
    fixture.workloads[1].on_request = answer_late;
    make_loud_sets(&fixture);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK(time_quiet_set(&fixture, "beside") < 1);
    CHECK(proxy_count(&fixture.workloads[1], CRS_FIXTURE_POST) < (size_t)LOUD_CLUSTERS * LOUD_SETS);
}

#define OBJECT_PATCH(name) "PATCH /api/v1/namespaces/default/configmaps/" name

/* Two clusters of one set: c1 works, c2 does what it is told to. */
static void begin_with_bad_cluster(struct crs_fixture *fixture, struct proxy_fault fault)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_cluster(fixture, 2);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_map(fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    proxy_fail(&fixture->workloads[1], fault);
    crs_fixture_start(fixture, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_set(fixture, "first", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_entry(fixture, "c1", "first", "ConfigMap/cm1 true hash");
    crs_fixture_await_entry(fixture, "c2", "first", "ConfigMap/cm1 false hash");
}

/* c2 is asked when c1 has got everything, soon after that, and comes to no harm by the pause. */
SIM_TEST(a_cluster_in_trouble_comes_after_those_that_work)
{
    SCOPED(crs_fixture) fixture;
    begin_with_bad_cluster(&fixture,
                           (struct proxy_fault){"PATCH", "/configmaps/", SIZE_MAX, .status = 500});
    const int64_t begun = loop_now(loop_current());
    crs_fixture_set(&fixture, "second", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_entry(&fixture, "c1", "second", "ConfigMap/cm2 true hash");
    CHECK_EQ(proxy_count(&fixture.workloads[1], OBJECT_PATCH("b")), (size_t)0);
    crs_fixture_await_entry(&fixture, "c2", "second", "ConfigMap/cm2 false hash");
    CHECK(crs_fixture_seconds_since(begun) < 1);
    TEST_CASE("a cluster that works again does not wait");
    fixture.workloads[1].faults[0].times = 0;
    crs_fixture_await_applied(&fixture, "second");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "2"));
    const int64_t changed = loop_now(loop_current());
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "b"), "data.k", "2");
    CHECK(crs_fixture_seconds_since(changed) < 0.15);
}

/* An object that is refused says nothing about its cluster. */
SIM_TEST(a_cluster_that_refuses_an_object_does_not_wait)
{
    SCOPED(crs_fixture) fixture;
    begin_with_bad_cluster(&fixture,
                           (struct proxy_fault){"PATCH", "/configmaps/a", SIZE_MAX, .status = 403});
    const int64_t begun = loop_now(loop_current());
    crs_fixture_set(&fixture, "second", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_entry(&fixture, "c2", "second", "ConfigMap/cm2 true hash");
    CHECK(crs_fixture_seconds_since(begun) < 0.15);
}
