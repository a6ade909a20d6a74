/* FL-02 and FL-04 to FL-08: sets with a policy, applied. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define OBJECT CRS_FIXTURE_OBJECT("1", "a")
#define APPS   CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"
#define SPACE  CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/space"
#define CLAIM  CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/default/persistentvolumeclaims/c"
#define APPLY  "PATCH /api/v1/namespaces/default/configmaps/a?fieldManager=corset%3Ans%2Fcrs1"

#define TWO_KEYS                                                                 \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n" \
    "data: {k: \"1\", gone: \"1\"}\n"
#define DEPLOYMENT(label)                                                                      \
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"  \
    "spec: {selector: {matchLabels: {a: " label "}}, template: {metadata: {labels: {a: " label \
    "}}, spec: {containers: [{name: c, image: i}]}}}\n"
#define CLAIM_OF(size)                                                                       \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: default}\n" \
    "spec: {accessModes: [" size "], resources: {requests: {storage: 1Gi}}}\n"
#define NAMESPACE "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: space}\n"

/* "corset:ns/crs1 Apply, kubectl Update": who has entries of the object, sorted. */
static struct str list_owners(struct crs_fixture *fixture, const char *target)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *entry;
    crs_fixture_do(fixture, "GET", target, NULL);
    JSON_FOREACH (key, entry,
                  json_path(json_doc_root(fixture->apiserver.doc), "metadata.managedFields"))
        buf_print(&text, "%s%.*s %.*s", text.len ? ", " : "",
                  STR_ARG(json_path_str(entry, "manager")),
                  STR_ARG(json_path_str(entry, "operation")));
    return apiserver_fixture_keep(&fixture->apiserver, buf_str(&text));
}

static bool says(struct crs_fixture *fixture, const char *set, const char *text)
{
    return str_contains(crs_fixture_condition(fixture, set, "ResourcesApplied"), str_from_c(text));
}

static void change(struct crs_fixture *fixture, const char *text)
{
    crs_fixture_map(fixture, "cm1", text);
    CHECK_OK(fiber_sleep(10 * SECOND));
}

SIM_TEST(fl_02_objects_have_label_and_owner)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}",
                           CRS_FIXTURE_MANIFEST("a", "1") NAMESPACE DEPLOYMENT("b"));
    crs_fixture_await_applied(&fixture, "crs1");
    const char *targets[] = {OBJECT, APPS, SPACE};
    for (size_t i = 0; i < COUNT(targets); i++) {
        TEST_CASE("%s", targets[i]);
        crs_fixture_do(&fixture, "GET", targets[i], NULL);
        CHECK_EQ(
            json_to_str(json_get(json_path(json_doc_root(fixture.apiserver.doc), "metadata.labels"),
                                 STR("corset.dev/managed"))),
            STR("true"));
        CHECK(str_contains(list_owners(&fixture, targets[i]), STR("corset:ns/crs1 Apply")));
    }
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "objects"), STR("3"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "digest").len, (size_t)32);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    TEST_CASE("one request for each object, and none at rest");
    CHECK_EQ(proxy_count(&fixture.workloads[0], APPLY), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "POST "), 0);
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}"); /* nor are lists then */
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
}

SIM_TEST(fl_04_a_field_that_left_the_manifest_goes)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", TWO_KEYS);
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_do(&fixture, "PATCH", OBJECT, "{\"metadata\":{\"labels\":{\"theirs\":\"1\"}}}");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"), STR("{\"k\":\"1\"}"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "metadata.labels.theirs"), STR("1"));
}

/* What a plain set wrote by patches belongs to "corset" until the policy comes. */
SIM_TEST(fl_05_what_a_plain_set_wrote_is_adopted)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", TWO_KEYS);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=corset",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                   "\"data\":{\"k\":\"1\",\"gone\":\"1\"}}");
    crs_fixture_do(&fixture, "PATCH", OBJECT "?fieldManager=somebody",
                   "{\"data\":{\"more\":\"1\"}}");
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(list_owners(&fixture, OBJECT), STR("corset:ns/crs1 Apply, somebody Update"));
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"), STR("{\"k\":\"1\",\"more\":\"1\"}"));
}

SIM_TEST(fl_05_a_policy_that_adopts_nobody_leaves_fields)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=corset",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                   "\"data\":{\"k\":\"1\",\"gone\":\"1\"}}");
    delivery_fixture_policy(&fixture, "{\"adopt\":[]}");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.gone"), STR("1"));
}

SIM_TEST(fl_06_what_others_own_is_taken_or_told)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=kubectl",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                   "\"data\":{\"k\":\"9\"}}");
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    delivery_fixture_policy(&fixture, "{\"conflicts\":\"Fail\"}");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied");
    CHECK(says(&fixture, "crs1", "fields of others: data.k owned by kubectl"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("9"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));

    TEST_CASE("Force: at once, when the policy changes");
    delivery_fixture_policy(&fixture, "{}");
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("1"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

SIM_TEST(fl_07_what_belongs_to_another_set_stays_with_it)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("a", "2"));
    delivery_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_condition(&fixture, "crs2", "ResourcesApplied", "False/NotApplied");
    CHECK(says(&fixture, "crs2", "belongs to ClusterResourceSet ns/crs1"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

SIM_TEST(fl_08_what_cannot_be_changed_fails)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1") DEPLOYMENT("b"));
    crs_fixture_await_applied(&fixture, "crs1");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2") DEPLOYMENT("c"));
    CHECK(says(&fixture, "crs1", "field is immutable"));
    CHECK(says(&fixture, "crs1", "onImmutable: Recreate"));
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.selector.matchLabels.a"), STR("b"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("2"));
}

SIM_TEST(fl_08_what_cannot_be_changed_is_made_anew)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) uid = {.limit = 0};
    delivery_fixture_begin(&fixture, "{\"onImmutable\":\"Recreate\"}", DEPLOYMENT("b"));
    crs_fixture_await_applied(&fixture, "crs1");
    buf_add(&uid, crs_fixture_look(&fixture, APPS, "metadata.uid"));
    change(&fixture, DEPLOYMENT("c"));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.selector.matchLabels.a"), STR("c"));
    CHECK(!str_eq(crs_fixture_look(&fixture, APPS, "metadata.uid"), buf_str(&uid)));

    TEST_CASE("what somebody wants to keep is not deleted");
    crs_fixture_do(&fixture, "PATCH", APPS,
                   "{\"metadata\":{\"annotations\":{\"corset.dev/keep\":\"true\"}}}");
    change(&fixture, DEPLOYMENT("d"));
    CHECK(says(&fixture, "crs1", "Recreate does not delete what is protected"));
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "spec.selector.matchLabels.a"), STR("c"));
}

/* What is refused as if it were immutable is refused anew: then the old one is better than none. */
SIM_TEST(fl_08_what_could_not_be_made_anew_is_not_deleted)
{
    static const char refusal[] =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
        "\"spec.strategy: Forbidden: may not be specified\",\"reason\":\"Invalid\",\"details\":{"
        "\"causes\":[{\"reason\":\"FieldValueForbidden\",\"field\":\"spec.strategy\"}]},"
        "\"code\":422}";
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) uid = {.limit = 0};
    delivery_fixture_begin(&fixture, "{\"onImmutable\":\"Recreate\"}", DEPLOYMENT("b"));
    crs_fixture_await_applied(&fixture, "crs1");
    buf_add(&uid, crs_fixture_look(&fixture, APPS, "metadata.uid"));
    proxy_fail(&fixture.workloads[0], (struct proxy_fault){.method = "PATCH",
                                                           .part = "/deployments/",
                                                           .times = SIZE_MAX,
                                                           .status = 422,
                                                           .body = refusal});
    proxy_fail(&fixture.workloads[0], (struct proxy_fault){.method = "POST",
                                                           .part = "/deployments",
                                                           .times = SIZE_MAX,
                                                           .status = 422,
                                                           .body = refusal});
    change(&fixture, DEPLOYMENT("c"));
    CHECK(says(&fixture, "crs1", "it is not deleted, as it could not be made anew"));
    CHECK(says(&fixture, "crs1", "spec.strategy: Forbidden"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "DELETE "), 0);
    CHECK_EQ(crs_fixture_look(&fixture, APPS, "metadata.uid"), buf_str(&uid));
}

SIM_TEST(fl_08_a_protected_kind_is_never_made_anew)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{\"onImmutable\":\"Recreate\"}", CLAIM_OF("ReadWriteOnce"));
    crs_fixture_await_applied(&fixture, "crs1");
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "PATCH",
                                    .part = "persistentvolumeclaims/c",
                                    .times = 100,
                                    .status = 422,
                                    .body = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":"
                                            "\"Failure\",\"message\":\"spec: Forbidden: spec is "
                                            "immutable after creation\",\"reason\":\"Invalid\","
                                            "\"code\":422}"});
    change(&fixture, CLAIM_OF("ReadWriteMany"));
    CHECK(says(&fixture, "crs1", "Recreate does not delete what is protected"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "DELETE "), 0);
    CHECK(crs_fixture_exists(&fixture, CLAIM));
}

SIM_TEST(a_server_that_is_too_old_for_a_policy_gets_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    fixture.workloads[0].is_old = true;
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET",
                                    .part = "/version",
                                    .times = 100,
                                    .status = 200,
                                    .body = "{\"gitVersion\":\"v1.21.14\"}"});
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/NotApplied");
    CHECK(says(&fixture, "crs1", "server-side apply needs Kubernetes 1.22"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 0);
}
