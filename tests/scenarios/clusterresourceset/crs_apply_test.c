/* CRS-13, CRS-30 to CRS-47 and CRS-79: what is applied when, and what the binding says of it. */
#include "scenarios/clusterresourceset/crs_fixture.h"

#define BOTH "ConfigMap/cm1 true hash, Secret/s1 true hash"
#define VECTOR \
    "metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\napiVersion: v1"
#define VECTOR_HASH "sha256:e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d"
#define FIRST_HASH  "spec.bindings.0.resources.0.hash"
#define FIRST_TIME  "spec.bindings.0.resources.0.lastAppliedTime"

/* A binding that says crs1 has cm1, applied or not. */
#define BINDING(applied)                                                                          \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSetBinding\"," \
    "\"metadata\":{\"name\":\"c1\"},\"spec\":{\"clusterName\":\"c1\",\"bindings\":[{"             \
    "\"clusterResourceSetName\":\"crs1\",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":"        \
    "\"cm1\",\"applied\":" applied ",\"hash\":\"sha256:0\",\"lastAppliedTime\":"                  \
    "\"2026-01-01T00:00:00Z\"}]}]}}"

/* c1 with cm1 ("a" is "1"), and crs1 with cm1 alone. */
static void begin(struct crs_fixture *fixture, const char *strategy, const char *text)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1");
}

/* The same with a binding that is there before. */
static void begin_with(struct crs_fixture *fixture, const char *strategy, const char *binding)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_do(fixture, "POST", CRS_FIXTURE_BINDINGS, binding);
    crs_fixture_map(fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1");
}

static void copy(struct buf *out, struct str text)
{
    buf_clear(out);
    buf_add(out, text);
}

SIM_TEST(crs_13_everything_is_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.clusterName"), STR("c1"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("True///"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR("1"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "InProgress"), STR("False/Succeeded/"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "Failed"), STR("False/Succeeded/"));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
}

SIM_TEST(crs_30_apply_once_posts_and_records)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "ApplyOnce", VECTOR);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/configmaps"), 1);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "resource-configmap")));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_HASH), STR(VECTOR_HASH));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_TIME),
             STR("2026-01-01T01:00:00Z"));
}

SIM_TEST(crs_31_what_was_applied_once_stays_as_it_is)
{
    static const char *const texts[] = {CRS_FIXTURE_MANIFEST("a", "2"), "a: ["};
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) before = {.limit = 0};
    crs_fixture_init(&fixture);
    begin(&fixture, "ApplyOnce", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    copy(&before, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "metadata.resourceVersion"));
    for (size_t i = 0; i < COUNT(texts); i++) { /* also what cannot be read: V-07 */
        TEST_CASE("%zu", i);
        crs_fixture_map(&fixture, "cm1", texts[i]);
        crs_fixture_check_quiet(&fixture, MINUTE);
        CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "metadata.resourceVersion"),
                 buf_str(&before));
        CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
        CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    }
}

SIM_TEST(crs_32_what_failed_before_is_applied_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin_with(&fixture, "ApplyOnce", BINDING("false"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "metadata.ownerReferences"), 1);
}

SIM_TEST(crs_33_what_exists_counts_as_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
                   "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"old\"}}");
    begin(&fixture, "ApplyOnce", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("old"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
}

SIM_TEST(crs_34_what_was_applied_once_is_not_made_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "ApplyOnce", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("1", "a"), NULL);
    crs_fixture_kick(&fixture, "crs1");
    crs_fixture_check_quiet(&fixture, 25 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

SIM_TEST(crs_35_reconcile_makes_what_is_absent)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile", VECTOR);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "resource-configmap")));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_HASH), STR(VECTOR_HASH));
}

SIM_TEST(crs_36_reconcile_applies_what_failed_before)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin_with(&fixture, "Reconcile", BINDING("false"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
}

SIM_TEST(crs_37_the_same_hash_sends_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_forget(&fixture);
    crs_fixture_kick(&fixture, "crs1");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_MAP, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    CHECK_EQ(fixture.management.writes, 0);
}

SIM_TEST(crs_38_a_changed_manifest_is_applied)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) hash = {.limit = 0};
    SCOPED(buf) time = {.limit = 0};
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    copy(&hash, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_HASH));
    copy(&time, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_TIME));
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!str_eq(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_HASH), buf_str(&hash)));
    CHECK(!str_eq(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, FIRST_TIME), buf_str(&time)));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

#define THREE(second)              \
    CRS_FIXTURE_MANIFEST("a", "1") \
    "---\n" CRS_FIXTURE_MANIFEST("b", second) "---\n" CRS_FIXTURE_MANIFEST("c", "1")

/* Of THREE, "a" has been changed by somebody and "b" changes in the manifest. */
static void change_one_of_three(struct crs_fixture *fixture, enum crs_reconcile_with way)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", THREE("1"));
    crs_fixture_start(fixture, &(struct controller_manager_options){.reconcile_with = way});
    crs_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"k\":\"drift\"}}");
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_forget(fixture);
    crs_fixture_map(fixture, "cm1", THREE("2"));
    crs_fixture_await(fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "2");
    CHECK_OK(fiber_sleep(SECOND));
}

SIM_TEST(crs_39_all_objects_of_a_changed_resource_are_looked_at)
{
    SCOPED(crs_fixture) fixture;
    change_one_of_three(&fixture, CRS_MERGE_PATCH);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET /api/v1/namespaces/default/configmaps/"), 3);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 2);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
}

/* The one that drifted takes two requests, the others one each. */
SIM_TEST(crs_39_all_objects_of_a_changed_resource_are_applied)
{
    SCOPED(crs_fixture) fixture;
    change_one_of_three(&fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET /api/v1/namespaces/default/configmaps/"), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 4);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
}

SIM_TEST(crs_40_what_somebody_deleted_is_made_anew)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("1", "a"), NULL);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
}

SIM_TEST(crs_41_a_key_that_is_gone_goes)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile",
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
          "data: {k: \"1\", gone: \"1\"}\n");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.gone"), STR("1"));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data", "{\"k\":\"2\"}");
}

SIM_TEST(crs_42_an_object_that_is_no_longer_named_stays)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "Reconcile",
          CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k"), STR("1"));
}

#define NOWHERE "creating object /v1, Kind=ConfigMap nowhere/b: namespaces \"nowhere\" not found"

SIM_TEST(crs_43_one_object_fails_and_the_other_is_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    begin(&fixture, "ApplyOnce",
          CRS_FIXTURE_MANIFEST_IN("nowhere", "b", "1") "---\n" CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied/");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
             STR("False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
                 ": 1 of 1 clusters failed: c1: ConfigMap cm1, key data, document 1: " NOWHERE));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("False/ApplyFailed/Warning/" NOWHERE));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 false hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    TEST_CASE("what was lacking comes");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces",
                   "{\"metadata\":{\"name\":\"nowhere\"}}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
}

SIM_TEST(crs_44_a_resource_that_cannot_be_read_and_one_that_can)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", "a: [");
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
                                ": 1 of 1 clusters failed: ConfigMap cm1");
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/ApplyFailed/Warning/failed converting data to unstructured objects: failed "
                 "to unmarshal the 1st yaml document: \"a: [\\n\": error converting YAML to JSON: "
                 "yaml: line 2, column 1: did not find expected node content"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
             STR("ConfigMap/cm1 false, Secret/s1 true hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
}

SIM_TEST(crs_45_one_of_two_clusters_fails)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){"POST", "/configmaps", 100, .status = 500});
    begin(&fixture, "ApplyOnce", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_condition(
        &fixture, "crs1", "ResourcesApplied",
        "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED
        ": 1 of 2 clusters failed: c2: ConfigMap cm1, key data, document 1: "
        "creating object /v1, Kind=ConfigMap default/a: ");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR("ConfigMap/cm1 false hash"));
    CHECK(crs_fixture_errors(&fixture) > 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    TEST_CASE("it recovers");
    fixture.workloads[1].faults[0].times = 0;
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
}

SIM_TEST(crs_46_a_resource_that_is_added_is_applied_everywhere)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm2 ConfigMap/cm1 Secret/s1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH ", ConfigMap/cm2 true hash"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR(BOTH ", ConfigMap/cm2 true hash"));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 2);
}

SIM_TEST(crs_47_a_resource_that_is_removed_stays_where_it_is)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "Secret/s1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
}

SIM_TEST(crs_79_two_sets_with_the_same_object)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("a", "second"));
    begin(&fixture, "ApplyOnce", CRS_FIXTURE_MANIFEST("a", "first"));
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("first"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs2"), STR("ConfigMap/cm2 true hash"));
}

/* Hours of failures make the next attempt late; whoever mends the cause and says so is served. */
SIM_TEST(touching_a_set_or_its_resource_ends_a_back_off)
{
    static const char *const touched[] = {CRS_FIXTURE_SET, CRS_FIXTURE_MAP};
    for (size_t i = 0; i < COUNT(touched); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", touched[i]);
        crs_fixture_init(&fixture);
        proxy_fail(
            &fixture.workloads[0],
            (struct proxy_fault){"POST", "/namespaces/default/configmaps", 1000000, .status = 403});
        crs_fixture_begin(&fixture, "ApplyOnce");
        CHECK_OK(fiber_sleep(2 * HOUR + 10 * MINUTE));
        fixture.workloads[0].faults[0].times = 0;
        crs_fixture_do(&fixture, "PATCH", touched[i],
                       "{\"metadata\":{\"annotations\":{\"touched\":\"now\"}}}");
        CHECK_OK(fiber_sleep(2 * SECOND));
        CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
        crs_fixture_await_applied(&fixture, "crs1");
    }
}
