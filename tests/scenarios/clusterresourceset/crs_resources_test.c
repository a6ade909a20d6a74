/* CRS-16 to CRS-24, CRS-27 and CRS-28: resources that are not there or not right, and clusters that
 * cannot be reached or are too old. */
#include <stdint.h>

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define OWNERS "metadata.ownerReferences"

SIM_TEST(crs_16_a_secret_of_another_type_is_told_and_the_rest_is_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_secret(&fixture, "s1", "Opaque", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(
        &fixture, "crs1", "ResourcesApplied",
        "False/WrongSecretType/Secret type of resource s1 is not supported");
    CHECK_EQ(
        crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
        STR("False/WrongSecretType/Secret type of resource s1 is not supported"
            ": Secret s1: unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set"));
    CHECK_EQ(
        crs_fixture_deprecated(&fixture, "crs1"),
        STR("False/WrongSecretType/Warning/unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SECRET, OWNERS), STR(""));
    TEST_CASE("retried");
    const double before = crs_fixture_errors(&fixture);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK(crs_fixture_errors(&fixture) > before);
    TEST_CASE("made anew, of the right type");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRET, NULL);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("True///"));
}

SIM_TEST(crs_17_what_is_missing_is_told_and_waited_for)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
             STR("False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                 ": ConfigMap cm1: configmaps \"cm1\" not found"));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/RetrievingResourceFailed/Warning/configmaps \"cm1\" not found"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("Secret/s1 true hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    crs_fixture_check_quiet(&fixture, 25 * MINUTE);
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    CHECK(proxy_count(&fixture.management, "GET " CRS_FIXTURE_MAP) <= 3); /* at resyncs */
    TEST_CASE("it comes");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    const int64_t begun = loop_now(loop_current());
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_seconds_since(begun) < 1);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
             STR("Secret/s1 true hash, ConfigMap/cm1 true hash"));
}

/* ApplyOnce has what it needs of a resource that goes later; the set says that it is gone. */
SIM_TEST(crs_17_a_resource_that_goes_is_missing_at_the_next_pass)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_MAP, NULL);
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"),
             STR("ConfigMap/cm1 true hash, Secret/s1 true hash"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
}

SIM_TEST(crs_18_without_any_resource_there_is_an_entry)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 1);
}

static void check_no_data(struct crs_fixture *fixture, const char *data)
{
    crs_fixture_cluster(fixture, 1);
    crs_fixture_start(fixture, NULL);
    crs_fixture_set(fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    crs_fixture_do(fixture, "POST", CRS_FIXTURE_MAPS, data);
    crs_fixture_await_entry(fixture, "c1", "crs1", "ConfigMap/cm1 false");
    crs_fixture_await_condition(fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED);
    CHECK_EQ(crs_fixture_deprecated(fixture, "crs1"),
             STR("False/ApplyFailed/Warning/failed to get data field from resource ns/cm1"));
    CHECK_EQ(crs_fixture_elements(fixture, CRS_FIXTURE_MAP, OWNERS), 1);
    CHECK_EQ(crs_fixture_look(fixture, CRS_FIXTURE_MAP, OWNERS ".0.name"), STR("crs1"));
}

SIM_TEST(crs_19_a_resource_without_data_is_not_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    check_no_data(&fixture, "{\"metadata\":{\"name\":\"cm1\"},\"data\":{}}");
}

SIM_TEST(crs_74_binary_data_is_no_data)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    check_no_data(&fixture, "{\"metadata\":{\"name\":\"cm1\"},\"binaryData\":{\"a\":\"YWJj\"}}");
}

SIM_TEST(crs_20_resources_of_other_namespaces_do_not_count)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", "/api/v1/namespaces/default/configmaps",
                   "{\"metadata\":{\"name\":\"cm1\"},\"data\":{\"a\":\""
                   "apiVersion: v1"
                   "\"}}");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/RetrievingResourceFailed/Warning/configmaps \"cm1\" not found"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("none"));
}

SIM_TEST(crs_21_resources_belong_to_their_set)
{
    static const char *const targets[] = {CRS_FIXTURE_MAP, CRS_FIXTURE_SECRET};
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) owner = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    buf_add(&owner, STR("[{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                        "\"ClusterResourceSet\",\"name\":\"crs1\",\"uid\":\""));
    buf_add(&owner, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
    buf_add(&owner, STR("\"}]"));
    for (size_t i = 0; i < COUNT(targets); i++)
        CHECK_EQ(crs_fixture_look(&fixture, targets[i], OWNERS), buf_str(&owner));
    TEST_CASE("beside others");
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_MAP, OWNERS), 2);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAP, OWNERS ".0.name"), STR("crs1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_MAP, OWNERS ".1.name"), STR("crs2"));
}

SIM_TEST(crs_22_a_resource_that_is_owned_is_not_written)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_EQ(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_MAP), 1);
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_EQ(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_MAP), 0);
}

SIM_TEST(crs_23_a_cluster_that_cannot_be_reached_has_its_binding)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
             STR("False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                 ": 1 of 1 clusters failed: c1: " CRS_FIXTURE_NOT_YET("1")));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"),
             STR("False/RemoteClusterClientFailed/Error/" CRS_FIXTURE_NOT_YET("1")));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, OWNERS), 1);
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_MAP, OWNERS), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_SET, "status.observedGeneration"), STR(""));
}

static int64_t first_request, first_post;

static void note_times(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy, (void)target;
    if (!first_request)
        first_request = loop_now(loop_current());
    if (!first_post && str_eq(method, STR("POST")))
        first_post = loop_now(loop_current());
}

SIM_TEST(crs_24_a_connection_is_enough)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    CHECK_OK(fiber_sleep(20 * MINUTE)); /* time for any back-off to be long */
    fixture.workloads[0].on_request = note_times;
    crs_fixture_refuse(&fixture, "c1.test", false);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(first_request && first_post && first_post - first_request < SECOND);
    CHECK_EQ(crs_fixture_deprecated(&fixture, "crs1"), STR("True///"));
}

SIM_TEST(a_connection_made_during_a_pause_is_not_missed)
{
    static const char pause[] =
        "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}",
                      go_on[] =
                          "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}";
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/InternalError/");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, pause);
    crs_fixture_refuse(&fixture, "c1.test", false);
    CHECK_OK(fiber_sleep(MINUTE));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, go_on);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

#define SERVICE_TEXT \
    "failed to retrieve the Service for Kubernetes API Server of the cluster ns/c1: said no"

static void init_old(struct crs_fixture *fixture, const char *version)
{
    fixture->workloads[0].is_old = true;
    proxy_fail(&fixture->workloads[0], (struct proxy_fault){.method = "GET",
                                                            .part = "/version",
                                                            .times = SIZE_MAX,
                                                            .status = 200,
                                                            .body = version});
    proxy_fail(&fixture->workloads[0], (struct proxy_fault){.method = "GET",
                                                            .part = "/services/kubernetes",
                                                            .times = SIZE_MAX,
                                                            .status = 404});
    crs_fixture_begin(fixture, "ApplyOnce");
}

SIM_TEST(crs_27_an_old_cluster_waits_for_its_service)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    init_old(&fixture, "{\"major\":\"1\",\"minor\":\"24\",\"gitVersion\":\"v1.24.0\"}");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/InternalError/" CRS_FIXTURE_CHECK_LOGS
                                ": 1 of 1 clusters failed: c1: " SERVICE_TEXT);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("none"));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(crs_fixture_errors(&fixture) > 0);
    fixture.workloads[0].faults[1] =
        (struct proxy_fault){.method = "GET",
                             .part = "/services/kubernetes",
                             .times = SIZE_MAX,
                             .status = 200,
                             .body = "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{"
                                     "\"name\":\"kubernetes\",\"namespace\":\"default\"}}"};
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

SIM_TEST(crs_28_a_newer_cluster_needs_no_service)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    init_old(&fixture, "{\"major\":\"1\",\"minor\":\"25\",\"gitVersion\":\"v1.25.0\"}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/services/kubernetes"), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/version"), 1);
}

SIM_TEST(crs_28_aggregated_discovery_tells_that_a_cluster_is_newer)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/services/kubernetes"), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "/version"), 0);
}
