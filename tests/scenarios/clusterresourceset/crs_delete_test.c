/* CRS-48 to CRS-53 and CRS-81: a set that goes. */
#include "scenarios/clusterresourceset/crs_fixture.h"

#define OWNERS "metadata.ownerReferences"
#define BOTH   "ConfigMap/cm1 true hash, Secret/s1 true hash"

SIM_TEST(crs_48_without_a_binding_a_set_just_goes)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, "", "");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await(&fixture, CRS_FIXTURE_SET, "status.observedGeneration", "1");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

SIM_TEST(crs_48_a_binding_that_somebody_deleted_is_no_hindrance)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_49_other_sets_keep_the_binding)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) theirs = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_set(&fixture, "crs2", "Reconcile", "Secret/s1");
    crs_fixture_await_applied(&fixture, "crs2");
    buf_add(&theirs, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.1"));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.0"), buf_str(&theirs));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, OWNERS), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".0.name"), STR("crs2"));
}

SIM_TEST(crs_50_the_last_set_takes_the_binding_along)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK(crs_fixture_is_before(&fixture.management, "DELETE " CRS_FIXTURE_BINDING,
                                "PATCH " CRS_FIXTURE_SET));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    CHECK_EQ(proxy_count(&fixture.management, "/configmaps/cm1"), 0); /* the server's collector's */
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
}

/* Deleting a binding that cannot be deleted is tried again, and the set waits (V-23). */
SIM_TEST(crs_50_a_set_waits_for_its_bindings)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    proxy_fail(&fixture.management,
               (struct proxy_fault){"DELETE", "/clusterresourcesetbindings/c1", 5, .status = 500});
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(SECOND / 100));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_SET));
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(fixture.management.faults[0].times, 0);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_51_a_missing_binding_hides_no_other)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR(BOTH));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
}

SIM_TEST(crs_52_a_cluster_that_is_no_longer_selected_is_cleaned_too)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2",
                   "{\"metadata\":{\"labels\":{\"cni\":null}}}");
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK_EQ(crs_fixture_entry(&fixture, "c2", "crs1"), STR(BOTH));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDINGS, "items"), 0);
}

/* A selector that cannot be read does not keep a set (V-15). */
SIM_TEST(crs_52_a_bad_selector_keeps_no_set)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init_without_webhooks(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_put_set(&fixture,
                        "{\"matchExpressions\":[{\"key\":\"cni\",\"operator\":\"Foo\"}]}");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
}

SIM_TEST(crs_53_a_set_goes_without_its_clusters)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    sim_network_set_faults(fixture.apiserver.network, STR("c1.test"),
                           &(struct sim_faults){.black_hole = true});
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    sim_network_set_faults(fixture.apiserver.network, STR("c1.test"), &(struct sim_faults){0});
}

/* Even in the middle of talking to a cluster that hangs. */
SIM_TEST(crs_53_a_set_goes_in_the_middle_of_a_rollout)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"POST", "/configmaps", 1, .hangs = true});
    crs_fixture_begin(&fixture, "ApplyOnce");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(fixture.workloads[0].faults[0].times, 0);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_SET));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

/* A reference of a version that nobody serves any more: no collector follows it. */
#define OLD_OWNER                                                                               \
    "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"addons.cluster.x-k8s.io/v1alpha3\"," \
    "\"kind\":\"ClusterResourceSet\",\"name\":\"crs1\",\"uid\":\"old\"},{\"apiVersion\":"       \
    "\"example.com/v1\",\"kind\":\"ClusterResourceSet\",\"name\":\"crs1\",\"uid\":\"x\"}]}}"

static void check_owner(struct crs_fixture *fixture, const char *target, struct str uid)
{
    CHECK_EQ(crs_fixture_elements(fixture, target, OWNERS), 2);
    CHECK_EQ(crs_fixture_look(fixture, target, OWNERS ".0.apiVersion"),
             STR("addons.cluster.x-k8s.io/v1beta2"));
    CHECK_EQ(crs_fixture_look(fixture, target, OWNERS ".0.name"), STR("crs1"));
    CHECK_EQ(crs_fixture_look(fixture, target, OWNERS ".0.uid"), uid);
    CHECK_EQ(crs_fixture_look(fixture, target, OWNERS ".1.apiVersion"), STR("example.com/v1"));
}

SIM_TEST(crs_81_a_set_of_the_same_name_begins_anew)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) uid = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    buf_add(&uid, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("1", "a"), NULL);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    CHECK(!str_eq(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"), buf_str(&uid)));
    buf_clear(&uid);
    buf_add(&uid, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_MAP, OWNERS), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAP, OWNERS ".0.uid"), buf_str(&uid));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, OWNERS), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".0.uid"), buf_str(&uid));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

SIM_TEST(crs_81_references_of_an_earlier_set_are_replaced_in_place)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) uid = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_MAP, OLD_OWNER);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS,
                   "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                   "\"ClusterResourceSetBinding\",\"metadata\":{\"name\":\"c1\"},\"spec\":{"
                   "\"clusterName\":\"c1\"}}");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, OLD_OWNER);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    buf_add(&uid, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
    check_owner(&fixture, CRS_FIXTURE_MAP, buf_str(&uid));
    check_owner(&fixture, CRS_FIXTURE_BINDING, buf_str(&uid));
}
