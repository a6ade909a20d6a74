/* RA-01 to RA-05 and RA-07: sets with strategy Reconcile, by server-side apply. */
#include "clusterresourceset/crs_controllers.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define APPS    CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"
#define SERVICE CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/default/services/web"
#define JOB     CRS_FIXTURE_WORKLOAD("1") "/apis/batch/v1/namespaces/default/jobs/once"
#define APPLY   "PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=corset%3Ans%2Fcrs1"
#define EVENTS  "/apis/events.k8s.io/v1/namespaces/ns/events"

#define DEPLOYMENT(image)                                                                     \
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n" \
    "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "   \
    "{containers: [{name: c, image: \"" image "\"}]}}}\n"
#define SERVICE_MANIFEST                                                              \
    "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: default}\n" \
    "spec: {selector: {a: b}, ports: [{port: 80}]}\n"
#define JOB_MANIFEST(image)                                                                        \
    "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: once, namespace: default}\n"           \
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: \"" image "\"}]" \
    "}}}\n"

/* Events with this reason. */
static size_t count_events(struct crs_fixture *fixture, const char *reason)
{
    SCOPED(buf) member = {0};
    size_t count = 0, at;
    CHECK_OK(fiber_sleep(5 * SECOND)); /* they are written later */
    crs_fixture_do(fixture, "GET", EVENTS, NULL);
    buf_print(&member, "\"reason\":\"%s\"", reason);
    struct str rest = buf_str(&fixture->apiserver.answer);
    for (; (at = str_find(rest, buf_str(&member))) != STR_NONE; count++)
        rest = str_skip(rest, at + member.len);
    return count;
}

static void start(struct crs_fixture *fixture, enum crs_reconcile_with way)
{
    crs_fixture_start(fixture, &(struct controller_manager_options){.reconcile_with = way});
}

static void begin(struct crs_fixture *fixture, const char *text, enum crs_reconcile_with way)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    start(fixture, way);
    crs_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
}

static void change(struct crs_fixture *fixture, const char *text)
{
    crs_fixture_map(fixture, "cm1", text);
    CHECK_OK(fiber_sleep(5 * SECOND));
}

SIM_TEST(ra_01_what_others_set_stays)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1") DEPLOYMENT("v1") SERVICE_MANIFEST,
          CRS_SERVER_SIDE_APPLY);
    crs_fixture_do(&fixture, "PATCH", APPS,
                   "{\"metadata\":{\"annotations\":{\"theirs\":\"1\"}},\"spec\":{\"replicas\":4}}");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"more\":\"1\"}}");
    crs_fixture_do(&fixture, "PATCH", SERVICE, "{\"spec\":{\"type\":\"NodePort\"}}");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "1") DEPLOYMENT("v2") SERVICE_MANIFEST);
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.template.spec.containers.0.image"), STR("v2"));
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.replicas"), STR("4"));
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "metadata.annotations.theirs"), STR("1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.more"), STR("1"));
    CHECK_EQ(crs_fixture_look(&fixture, SERVICE, "spec.type"), STR("NodePort"));
}

SIM_TEST(ra_02_a_key_that_left_the_manifest_goes)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture,
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
          "data: {k: \"1\", gone: \"1\"}\n",
          CRS_SERVER_SIDE_APPLY);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"more\":\"1\"}}");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data"),
             STR("{\"k\":\"1\",\"more\":\"1\"}"));
}

SIM_TEST(ra_03_a_job_is_left_alone)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) version = {0};
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1") JOB_MANIFEST("v1"), CRS_SERVER_SIDE_APPLY);
    buf_add(&version, crs_fixture_look(&fixture, JOB, "metadata.resourceVersion"));
    CHECK(version.len);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_OK(fiber_sleep(5 * SECOND));
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2") JOB_MANIFEST("v1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
    CHECK_EQ(crs_fixture_look(&fixture, JOB, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

SIM_TEST(ra_04_a_job_that_changes_is_refused_and_the_others_are_applied)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, JOB_MANIFEST("v1") "---\n" CRS_FIXTURE_MANIFEST("a", "1"),
          CRS_SERVER_SIDE_APPLY);
    change(&fixture, JOB_MANIFEST("v2") "---\n" CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
    const struct str told = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK(str_contains(told, STR("applying object batch/v1, Kind=Job default/once: ")));
    CHECK(str_contains(told, STR("field is immutable")));
    CHECK(str_contains(told, STR("made anew once it is deleted in the cluster")));
}

SIM_TEST(ra_05_what_cluster_api_has_applied_is_not_sent_again)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1"), CRS_MERGE_PATCH);
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    start(&fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "POST "), 0);
    TEST_CASE("and is taken over when it changes");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
}

SIM_TEST(ra_07_who_wants_merge_patches_gets_them)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1"), CRS_MERGE_PATCH);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 1);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"more\":\"1\"}}");
    crs_fixture_forget(&fixture);
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET /api/v1/namespaces/default/configmaps/a"), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data"),
             STR("{\"k\":\"2\"}"));
}

SIM_TEST(one_request_for_each_object)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "POST "), 0);
    crs_fixture_forget(&fixture);
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "GET /api/v1/namespaces/default/configmaps"), 0);
    TEST_CASE("a second one takes a field from somebody");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"k\":\"9\"}}");
    crs_fixture_forget(&fixture);
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "3"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY), 2);
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY "&force=true"), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("3"));
    CHECK_EQ(count_events(&fixture, "TakenFromOtherSet"), 0);
}

SIM_TEST(what_only_a_server_writes_is_left_out)
{
    SCOPED(crs_fixture) fixture;
    begin(
        &fixture,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default, uid: x, "
        "resourceVersion: \"7\", generation: 9, creationTimestamp: null, selfLink: /a, "
        "managedFields: [{manager: m}]}\n"
        "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
        "{containers: [{name: c, image: i}]}}}\nstatus: {replicas: 7}\n",
        CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.template.spec.containers.0.image"), STR("i"));
}

SIM_TEST(a_server_without_server_side_apply_gets_merge_patches)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"PATCH", "fieldManager=corset%3A", 1000, .status = 415});
    crs_fixture_map(&fixture, "cm1",
                    CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    start(&fixture, CRS_SERVER_SIDE_APPLY);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k"), STR("1"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 1);
    CHECK_EQ(count_events(&fixture, "MergePatched"), 1);
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
    CHECK_EQ(count_events(&fixture, "MergePatched"), 1);
}

/* A port of a container twice, with another name each: some charts have it, and Pods run with it.
 */
SIM_TEST(a_list_with_a_key_twice_is_merged_and_told)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture,
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"
          "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
          "{containers: [{name: c, image: i, ports: [{name: one, containerPort: 80}, "
          "{name: two, containerPort: 80}]}]}}}\n",
          CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.template.spec.containers.0.ports.1.name"),
             STR("two"));
    CHECK_EQ(count_events(&fixture, "MergePatched"), 1);
    CHECK(str_contains(buf_str(&fixture.apiserver.answer), STR("duplicate entries for key")));
}

SIM_TEST(what_cannot_be_merged_either_is_told_as_a_failure_alone)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
                    "data: {k: [1]}\n");
    start(&fixture, CRS_SERVER_SIDE_APPLY);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_EQ(count_events(&fixture, "MergePatched"), 0);
    CHECK(str_contains(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                       STR("object /v1, Kind=ConfigMap default/a: ")));
}

SIM_TEST(what_is_taken_from_another_set_is_told)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
    CHECK_EQ(count_events(&fixture, "TakenFromOtherSet"), 1);
    crs_fixture_do(&fixture, "GET", EVENTS, NULL);
    CHECK(str_contains(buf_str(&fixture.apiserver.answer),
                       STR("ClusterResourceSet ns/crs2 took fields of v1 ConfigMap default/a from "
                           "ClusterResourceSet ns/crs1")));
}
