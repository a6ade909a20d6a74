/* corset plan of sets with a policy: it says what the controllers would do by it. */
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "scenarios/clusterresourceset/plan_fixture.h"

#define OBJECT CRS_FIXTURE_OBJECT("1", "a")
#define APPS   CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"
#define TWO_KEYS                                                                 \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n" \
    "data: {k: \"1\", gone: \"1\"}\n"
#define DEPLOYMENT(label, image)                                                         \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n" \
    "spec: {replicas: 2, selector: {matchLabels: {a: " label "}}, template: {metadata: " \
    "{labels: {a: " label "}}, spec: {containers: [{name: c, image: " image "}]}}}\n"
#define POST_OBJECT(manager, data)                                                                   \
    "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=" manager,                                       \
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":" data \
        "}"

/* crs1 with cm1 is applied to c1 by policy p with this spec; then nobody works. */
static void apply(struct crs_fixture *fixture, const char *spec, const char *text)
{
    delivery_fixture_begin(fixture, spec, text);
    crs_fixture_await_applied(fixture, "crs1");
    crs_fixture_stop(fixture);
}

/* The same, but nothing is applied yet. */
static void begin(struct crs_fixture *fixture, const char *spec, const char *text)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster(fixture, 1);
    crs_fixture_map(fixture, "cm1", text);
    delivery_fixture_policy(fixture, spec);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
}

/* What the plan of all sets prints. */
static void check_plan(struct crs_fixture *fixture, struct plan_fixture *planned, const char *table)
{
    plan_fixture_run(planned, fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned->table), str_from_c(table));
    plan_fixture_check_nothing_written(fixture);
}

SIM_TEST(a_plan_by_policy_is_what_is_applied_then)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) before = {0};
    SCOPED(plan_fixture) same = {0};
    SCOPED(plan_fixture) changed = {0};
    SCOPED(plan_fixture) after = {0};
    TEST_CASE("nothing is there yet: with the label, under the name of the set");
    begin(&fixture, "{}", TWO_KEYS);
    check_plan(&fixture, &before, "1 cluster  crs1: + v1 ConfigMap default/a\n");
    CHECK_EQ(proxy_count(&fixture.workloads[0],
                         "PATCH /api/v1/namespaces/default/configmaps/a?fieldManager="
                         "corset%3Ans%2Fcrs1&dryRun=All"),
             1);

    TEST_CASE("the record has the revision: no cluster is asked");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_stop(&fixture);
    check_plan(&fixture, &same, "1 cluster  no change\n");
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);

    TEST_CASE("a key leaves, another one changes, and what others added stays");
    crs_fixture_do(&fixture, "PATCH", OBJECT, "{\"data\":{\"theirs\":\"1\"}}");
    plan_fixture_add_file(&changed, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    check_plan(&fixture, &changed,
               "1 cluster  crs1: ~ v1 ConfigMap default/a   data.k: \"1\" -> \"2\"\n"
               "           crs1: ~ v1 ConfigMap default/a   data.gone: \"1\" -> (none)\n");

    TEST_CASE("and that is what becomes of it");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, OBJECT, "data.k", "2");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"), STR("{\"k\":\"2\",\"theirs\":\"1\"}"));
    crs_fixture_stop(&fixture);
    check_plan(&fixture, &after, "1 cluster  no change\n");
}

SIM_TEST(a_plan_by_policy_tells_fields_of_others)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) fails = {0};
    SCOPED(plan_fixture) forced = {0};
    SCOPED(plan_fixture) foreign = {0};
    begin(&fixture, "{\"conflicts\":\"Fail\"}", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(&fixture, POST_OBJECT("ops", "{\"k\":\"9\"}"));
    check_plan(&fixture, &fails,
               "1 cluster  crs1: ! v1 ConfigMap default/a   refused: fields of others: data.k "
               "owned by ops\n");

    TEST_CASE("a policy of the files takes the place of that of the server");
    plan_fixture_add_policy(&forced, "{\"conflicts\":\"Force\"}");
    check_plan(
        &fixture, &forced,
        "1 cluster  crs1: ! v1 ConfigMap default/a   data.k owned by ops; would be taken\n"
        "           crs1: ~ v1 ConfigMap default/a   metadata.labels[corset.dev/managed]: (none) "
        "-> \"true\"\n"
        "           crs1: ~ v1 ConfigMap default/a   data.k: \"9\" -> \"1\"\n");

    TEST_CASE("another set keeps what it has, whatever the policy says");
    crs_fixture_do(&fixture, "PATCH", OBJECT "?fieldManager=corset:ns/other",
                   "{\"data\":{\"k\":\"8\"}}");
    plan_fixture_add_policy(&foreign, "{\"conflicts\":\"Force\"}");
    check_plan(&fixture, &foreign,
               "1 cluster  crs1: ! v1 ConfigMap default/a   refused: belongs to "
               "ClusterResourceSet ns/other\n");
}

SIM_TEST(a_plan_by_policy_tells_what_would_be_made_anew)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) fails = {0};
    SCOPED(plan_fixture) anew = {0};
    SCOPED(plan_fixture) kept = {0};
    apply(&fixture, "{}", DEPLOYMENT("b", "i"));
    plan_fixture_add_file(&fails, "ConfigMap", "cm1", DEPLOYMENT("c", "i"));
    plan_fixture_run(&fails, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&fails.table),
                   STR("1 cluster  crs1: ! apps/v1 Deployment default/web   refused: "));
    CHECK_CONTAINS(buf_str(&fails.table), STR("or by onImmutable: Recreate of the policy"));

    plan_fixture_add_policy(&anew, "{\"onImmutable\":\"Recreate\"}");
    plan_fixture_add_file(&anew, "ConfigMap", "cm1", DEPLOYMENT("c", "i"));
    plan_fixture_run(&anew, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&anew.table),
                   STR("1 cluster  crs1: ! apps/v1 Deployment default/web   would be deleted and "
                       "made anew, by onImmutable: "));
    CHECK_CONTAINS(buf_str(&anew.table), STR("field is immutable"));
    plan_fixture_check_nothing_written(&fixture);
    CHECK(crs_fixture_exists(&fixture, APPS));

    TEST_CASE("what is protected would not");
    crs_fixture_do(&fixture, "PATCH", APPS,
                   "{\"metadata\":{\"annotations\":{\"corset.dev/keep\":\"true\"}}}");
    plan_fixture_add_policy(&kept, "{\"onImmutable\":\"Recreate\"}");
    plan_fixture_add_file(&kept, "ConfigMap", "cm1", DEPLOYMENT("c", "i"));
    plan_fixture_run(&kept, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&kept.table), STR("Recreate does not delete what is protected"));
    plan_fixture_check_nothing_written(&fixture);
}

SIM_TEST(a_plan_by_policy_leaves_what_others_may_change)
{
    static const char rule[] = "{\"ignore\":[{\"kind\":\"Deployment\",\"paths\":"
                               "[\"/spec/replicas\"]}]}";
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    apply(&fixture, rule, DEPLOYMENT("b", "i"));
    delivery_fixture_edit(&fixture, APPS, "{\"spec\":{\"replicas\":7}}");
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", DEPLOYMENT("b", "j"));
    check_plan(&fixture, &planned,
               "1 cluster  crs1: ~ apps/v1 Deployment default/web   "
               "spec.template.spec.containers[c].image: i -> j\n");
}

SIM_TEST(a_plan_by_policy_tells_what_goes_with_an_adoption)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    SCOPED(plan_fixture) nobody = {0};
    begin(&fixture, "{\"conflicts\":\"Fail\"}", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_do(&fixture, POST_OBJECT("corset", "{\"k\":\"1\",\"gone\":\"1\"}"));
    check_plan(
        &fixture, &planned,
        "1 cluster  crs1: ! v1 ConfigMap default/a   data.gone would be removed: not in the "
        "manifest, and its owner is adopted\n"
        "           crs1: ~ v1 ConfigMap default/a   metadata.labels[corset.dev/managed]: (none) "
        "-> \"true\"\n"
        "           crs1: ~ v1 ConfigMap default/a   data.k: \"1\" -> \"2\"\n");
    plan_fixture_add_policy(&nobody, "{\"conflicts\":\"Fail\",\"adopt\":[]}");
    check_plan(&fixture, &nobody,
               "1 cluster  crs1: ! v1 ConfigMap default/a   refused: fields of others: data.k "
               "owned by corset\n");

    TEST_CASE("and that is what becomes of it");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"), STR("{\"k\":\"2\"}"));
}

/* Whatever keeps the controllers from following the policy is told of every cluster. */
SIM_TEST(a_plan_says_why_a_set_would_not_be_applied)
{
    static const struct {
        const char *name, *strategy, *policy, *told;
    } cases[] = {
        {"missing",      "Reconcile", NULL,                        "DeliveryPolicy ns/p does not exist"},
        {"of ApplyOnce", "ApplyOnce", "{}",
         "DeliveryPolicy ns/p is for the strategy Reconcile, and the set has ApplyOnce"                },
        {"not valid",    "Reconcile", "{\"drift\":\"Sometimes\"}",
         "DeliveryPolicy ns/p is not valid: [spec.drift: Unsupported value: \"Sometimes\": "
         "supported values: \"Ignore\", \"Report\", \"Repair\", <nil>: Invalid value: null: some "
         "validation rules were not checked because the object was invalid; correct the existing "
         "errors to complete validation]"                                                              },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_fixture) fixture;
        SCOPED(plan_fixture) planned = {0};
        SCOPED(buf) table = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        crs_fixture_cluster(&fixture, 2);
        crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
        delivery_fixture_set(&fixture, "crs1", cases[i].strategy, "ConfigMap/cm1");
        if (cases[i].policy)
            plan_fixture_add_policy(&planned, cases[i].policy);
        buf_print(&table, "2 clusters  crs1: ! ClusterResourceSet crs1   not applied: %s\n",
                  cases[i].told);
        check_plan(&fixture, &planned, buf_c(&table));
        CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    }
}

SIM_TEST(a_plan_by_policy_needs_a_server_that_is_new_enough)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    begin(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.method = "GET",
                                    .part = "/version",
                                    .times = 100,
                                    .status = 200,
                                    .body = "{\"gitVersion\":\"v1.21.14\"}"});
    check_plan(&fixture, &planned,
               "1 cluster  crs1: ! ClusterResourceSet crs1   not applied: server-side apply needs "
               "Kubernetes 1.22, and the cluster has v1.21.14; the policy of the set needs "
               "server-side apply\n");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), 0);
}

/* A cluster that is whole gets no incomplete revision. */
SIM_TEST(a_plan_by_policy_keeps_whole_clusters_as_they_are)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    apply(&fixture, "{}", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 ConfigMap/none"));
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    check_plan(&fixture, &planned,
               "1 cluster  crs1: ! ConfigMap none   configmaps \"none\" not found; the "
               "cluster keeps what it has of the set meanwhile\n");
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
}

SIM_TEST(a_policy_of_no_set_is_noted)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    plan_fixture_add_policy(&planned, "{}");
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.source.notes),
             STR("DeliveryPolicy p is of no set of namespace ns that is planned\n"));
}

#define REMOVED "{\"prune\":{\"when\":[\"Removed\"]}}"
#define TWO     CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1")

SIM_TEST(a_plan_by_policy_tells_what_would_be_deleted)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) fewer = {0};
    SCOPED(plan_fixture) empty = {0};
    SCOPED(plan_fixture) refused = {0};
    SCOPED(plan_fixture) same = {0};
    delivery_fixture_begin(&fixture, REMOVED, TWO);
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
    crs_fixture_do(
        &fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
        "{\"metadata\":{\"name\":\"child\",\"labels\":{\"corset.dev/managed\":\"true\"}}}");
    crs_fixture_stop(&fixture);
    plan_fixture_add_file(&fewer, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    check_plan(&fixture, &fewer, "1 cluster  crs1: - v1 ConfigMap default/b   would be deleted\n");
    CHECK_CONTAINS(buf_str(&fewer.all), STR("\"sign\": \"-\""));

    TEST_CASE("a resource without objects deletes nothing");
    plan_fixture_add_file(&empty, "ConfigMap", "cm1", "# nothing\n");
    check_plan(&fixture, &empty, "1 cluster  no change\n");

    TEST_CASE("what cannot be listed");
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){
                   .method = "GET", .part = "/api/v1/configmaps?", .times = 1, .status = 403});
    plan_fixture_add_file(&refused, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    plan_fixture_run(&refused, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&refused.table), STR("nothing would be deleted: list objects of kind "
                                                "ConfigMap"));

    TEST_CASE("nothing is asked at rest");
    check_plan(&fixture, &same, "1 cluster  no change\n");
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
}

SIM_TEST(a_plan_by_policy_tells_what_would_be_held)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    apply(&fixture, "{\"prune\":{\"when\":[\"Removed\"],\"maxObjects\":1}}",
          TWO "---\n" CRS_FIXTURE_MANIFEST("c", "1"));
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    check_plan(
        &fixture, &planned,
        "1 cluster  crs1: - v1 ConfigMap default/c   would be deleted once it is approved: 2 "
        "objects are more than maxObjects (1)\n"
        "           crs1: - v1 ConfigMap default/b   would be deleted once it is approved: 2 "
        "objects are more than maxObjects (1)\n");
}
