/*
 * Deletions in the middle of a rollout, at every moment of it: no finalizer stays, no binding keeps
 * an entry or an owner that is gone, nothing goes on running.
 *
 * A rollout is of set crs1 to three clusters, with a ConfigMap of three objects and a Secret; set
 * crs2 shares the bindings where a test says so. One process lives through all moments of a test.
 */
#include "app/controller_manager_internal.h"
#include "async/loop.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/set.h"
#include "json/path.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define SECOND_CLUSTER CRS_FIXTURE_OWNERS "/c2"
#define NAMESPACE      "/api/v1/namespaces/ns"
#define EVERYTHING     "ConfigMap/cm1 true hash, Secret/s1 true hash"

/* Moments after the set was made. A rollout takes some 70 ms. */
#define STEP    (2 * MILLISECOND)
#define MOMENTS 50

static void put_resources(struct crs_fixture *fixture)
{
    crs_fixture_map(fixture, "cm1",
                    CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST(
                        "b", "1") "---\n" CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_secret(fixture, "s1", "", CRS_FIXTURE_MANIFEST("s", "1"));
}

static void begin(struct crs_fixture *fixture)
{
    crs_fixture_init(fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster(fixture, i);
    crs_fixture_start(fixture, NULL);
}

/* Objects of a list, through its own document. */
static struct json_doc *list(struct crs_fixture *fixture, const char *target)
{
    crs_fixture_do(fixture, "GET", target, NULL);
    return TAKE(fixture->apiserver.doc);
}

static const struct json_value *find_named(const struct json_doc *doc, struct str name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(json_doc_root(doc), "items"))
        if (str_eq(json_path_str(item, "metadata.name"), name))
            return item;
    return NULL;
}

static void check_binding(const struct json_value *binding, const struct json_doc *sets,
                          const struct json_doc *clusters)
{
    const struct json_value *item;
    CHECK(find_named(clusters, json_path_str(binding, "spec.clusterName")));
    CHECK(json_count(json_path(binding, "spec.bindings")) > 0);
    JSON_FOREACH (key, item, json_path(binding, "spec.bindings"))
        CHECK(find_named(sets, json_path_str(item, "clusterResourceSetName")));
    JSON_FOREACH (key, item, json_path(binding, "metadata.ownerReferences"))
        CHECK_EQ(json_path_str(find_named(sets, json_path_str(item, "name")), "metadata.uid"),
                 json_path_str(item, "uid"));
}

/* What the servers have agrees with itself. */
static void check_consistent(struct crs_fixture *fixture)
{
    OWNED(json_doc) sets = list(fixture, CRS_FIXTURE_SETS);
    OWNED(json_doc) clusters = list(fixture, CRS_FIXTURE_OWNERS);
    OWNED(json_doc) bindings = list(fixture, CRS_FIXTURE_BINDINGS);
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(json_doc_root(sets), "items"))
        CHECK(!json_path(item, "metadata.deletionTimestamp"));
    JSON_FOREACH (key, item, json_path(json_doc_root(bindings), "items"))
        check_binding(item, sets, clusters);
}

/* The process knows these sets and clusters, and works on none. */
static void check_idle(struct crs_fixture *fixture, size_t sets, size_t clusters)
{
    const struct crs_controllers *controllers = fixture->controllers->crs_controllers;
    CHECK_EQ(map_count(&controllers->sets_by_key), sets);
    MAP_FOREACH (entry, &controllers->sets_by_key) {
        struct crs_set *set = entry->value;
        CHECK_EQ(set_running(set), 0);
        CHECK_EQ(set_pending(set), 0);
        CHECK_EQ(map_count(set_placements(set)), clusters);
    }
}

static void check_clean(struct crs_fixture *fixture, size_t sets, size_t clusters)
{
    CHECK_OK(fiber_sleep(3 * SECOND));
    check_consistent(fixture);
    check_idle(fixture, sets, clusters);
}

static void check_rest(struct crs_fixture *fixture)
{
    CHECK_OK(fiber_sleep(15 * MINUTE)); /* repeated events are counted up in the end */
    crs_fixture_check_quiet(fixture, 30 * MINUTE);
}

static void delete_set(struct crs_fixture *fixture)
{
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(fixture, CRS_FIXTURE_SET);
}

static void check_sets_deleted(struct crs_fixture *fixture, const char *strategy, size_t others)
{
    for (int i = 0; i < MOMENTS; i++) {
        TEST_CASE("%s, %zu others, after %d ms", strategy, others, (int)(i * STEP / MILLISECOND));
        put_resources(fixture);
        crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1 Secret/s1");
        CHECK_OK(fiber_sleep(i * STEP));
        delete_set(fixture);
        check_clean(fixture, others, CRS_FIXTURE_CLUSTERS);
        CHECK_EQ(crs_fixture_elements(fixture, CRS_FIXTURE_BINDINGS, "items"),
                 others ? CRS_FIXTURE_CLUSTERS : 0);
    }
}

SIM_TEST(a_set_can_be_deleted_at_any_moment)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    check_sets_deleted(&fixture, "ApplyOnce", 0);
    check_rest(&fixture);
}

SIM_TEST(a_set_beside_another_can_be_deleted_at_any_moment)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("other", "1"));
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    check_sets_deleted(&fixture, "Reconcile", 1);
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs2"), STR("ConfigMap/cm2 true hash"));
    check_rest(&fixture);
}

SIM_TEST(a_set_can_be_deleted_at_any_moment_of_a_change)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < MOMENTS / 2; i++) {
        TEST_CASE("after %d ms", (int)(i * STEP / MILLISECOND));
        put_resources(&fixture);
        crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1 Secret/s1");
        crs_fixture_await_applied(&fixture, "crs1");
        crs_fixture_map(&fixture, "cm1", i % 2 ? CRS_FIXTURE_MANIFEST("a", "2") : "broken: [");
        CHECK_OK(fiber_sleep(i * STEP));
        delete_set(&fixture);
        check_clean(&fixture, 0, 0);
        CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
    }
}

/* While workload clusters do not answer, talks to them are cancelled. */
SIM_TEST(a_set_can_be_deleted_while_clusters_hang)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    put_resources(&fixture);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_applied(&fixture, "crs1");
    delete_set(&fixture);
    for (int i = 0; i < 4; i++) {
        put_resources(&fixture);
        proxy_fail(&fixture.workloads[i % 3],
                   (struct proxy_fault){
                       .method = "POST", .part = "configmaps", .times = 1, .hangs = true});
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
        CHECK_OK(fiber_sleep(SECOND));
        const int64_t begun = loop_now(loop_current());
        delete_set(&fixture);
        CHECK(crs_fixture_seconds_since(begun) < 1);
        check_clean(&fixture, 0, 0);
    }
}

static void delete_cluster(struct crs_fixture *fixture, bool lingers)
{
    crs_fixture_do(fixture, "DELETE", SECOND_CLUSTER, NULL);
    crs_fixture_await_gone(fixture, CRS_FIXTURE_BINDINGS "/c2");
    CHECK_EQ(crs_fixture_exists(fixture, SECOND_CLUSTER), lingers);
    if (lingers)
        crs_fixture_do(fixture, "PATCH", SECOND_CLUSTER, "{\"metadata\":{\"finalizers\":null}}");
    crs_fixture_await_gone(fixture, SECOND_CLUSTER);
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_SECRETS "/c2-kubeconfig", NULL);
}

static void check_clusters_deleted(bool lingers)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 3);
    crs_fixture_start(&fixture, NULL);
    for (int i = 0; i < MOMENTS; i++) {
        TEST_CASE("after %d ms", (int)(i * STEP / MILLISECOND));
        put_resources(&fixture);
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
        crs_fixture_cluster_as(&fixture, "ns", 2, CRS_FIXTURE_LABELS,
                               lingers ? ",\"finalizers\":[\"x/y\"]" : "");
        CHECK_OK(fiber_sleep(i * STEP));
        delete_cluster(&fixture, lingers);
        check_clean(&fixture, 1, 2);
        crs_fixture_await_applied(&fixture, "crs1");
        CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 2);
        delete_set(&fixture);
    }
    check_clean(&fixture, 0, 0);
    check_rest(&fixture);
}

SIM_TEST(a_cluster_can_be_deleted_at_any_moment)
{
    check_clusters_deleted(false);
}

SIM_TEST(a_cluster_can_linger_from_any_moment_on)
{
    check_clusters_deleted(true);
}

/* It is said to be missing, or was applied before and is still missing; and comes again. */
SIM_TEST(a_resource_can_be_deleted_at_any_moment)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < MOMENTS; i++) {
        TEST_CASE("after %d ms", (int)(i * STEP / MILLISECOND));
        put_resources(&fixture);
        crs_fixture_set(&fixture, "crs1", i % 2 ? "ApplyOnce" : "Reconcile",
                        "ConfigMap/cm1 Secret/s1");
        CHECK_OK(fiber_sleep(i * STEP));
        crs_fixture_do(&fixture, "DELETE", i % 4 < 2 ? CRS_FIXTURE_MAP : CRS_FIXTURE_SECRET, NULL);
        crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
        check_clean(&fixture, 1, CRS_FIXTURE_CLUSTERS);
        put_resources(&fixture);
        crs_fixture_await_applied(&fixture, "crs1");
        static const char *const clusters[] = {"c1", "c2", "c3"};
        for (size_t j = 0; j < COUNT(clusters); j++)
            CHECK_EQ(crs_fixture_entry(&fixture, clusters[j], "crs1").len, sizeof(EVERYTHING) - 1);
        delete_set(&fixture);
        check_clean(&fixture, 0, 0);
    }
}

/* What is refused is what comes too late for a namespace that goes. */
static void check_refused(struct crs_fixture *fixture)
{
    struct str rest = buf_str(&fixture->management.refused), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        CHECK_CONTAINS(line, STR("NamespaceTerminating"));
    }
}

SIM_TEST(the_namespace_can_be_deleted_at_any_moment)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    fixture.may_be_refused = true;
    for (int i = 0; i < MOMENTS; i++) {
        TEST_CASE("after %d ms", (int)(i * STEP / MILLISECOND));
        put_resources(&fixture);
        crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("other", "1"));
        crs_fixture_set(&fixture, "crs1", i % 2 ? "ApplyOnce" : "Reconcile",
                        "ConfigMap/cm1 Secret/s1");
        crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
        CHECK_OK(fiber_sleep(i * STEP));
        crs_fixture_do(&fixture, "DELETE", NAMESPACE, NULL);
        crs_fixture_await_gone(&fixture, NAMESPACE);
        check_clean(&fixture, 0, 0);
        CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
        crs_fixture_do(
            &fixture, "POST", "/api/v1/namespaces",
            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"ns\"}}");
        for (size_t number = 1; number <= CRS_FIXTURE_CLUSTERS; number++)
            crs_fixture_cluster(&fixture, number);
        if (i % 3)
            CHECK_OK(fiber_sleep(SECOND)); /* connected before the rollout begins, or not */
    }
    check_refused(&fixture);
}

/* The process ends and another one goes on: deletion is finished by whoever comes. */
SIM_TEST(a_process_can_end_at_any_moment_of_a_deletion)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < MOMENTS / 2; i++) {
        TEST_CASE("after %d ms", i);
        put_resources(&fixture);
        crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
        CHECK_OK(fiber_sleep((MOMENTS - i) * STEP));
        crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
        CHECK_OK(fiber_sleep(i * MILLISECOND));
        crs_fixture_stop(&fixture);
        crs_fixture_start(&fixture, NULL);
        crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
        check_clean(&fixture, 0, 0);
        CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
    }
}
