/*
 * corset plan against the embedded API server: which requests it makes, what it says, and that
 * nothing is written. FL-43 in virtual time; FL-42 and FL-43 as a user meets them are in
 * tests/product/program/plan.
 */
#include "scenarios/clusterresourceset/plan_fixture.h"

#define PASSWORD "hunter2-hunter2"

/* Set crs1 with cm1, on the clusters there are, is applied; then nobody works. */
static void apply(struct crs_fixture *fixture, const char *strategy, const char *text,
                  enum crs_reconcile_with way)
{
    crs_fixture_map(fixture, "cm1", text);
    crs_fixture_start(fixture, &(struct controller_manager_options){.reconcile_with = way});
    crs_fixture_set(fixture, "crs1", strategy, "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
    crs_fixture_stop(fixture);
}

SIM_TEST(a_plan_tells_created_changed_and_unknown)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    apply(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("2", "a"),
                   "{\"data\":{\"other\":\"theirs\"}}");
    plan_fixture_add_file(
        &planned, "ConfigMap", "cm1",
        CRS_FIXTURE_MANIFEST("a", "2") "---\n" CRS_FIXTURE_MANIFEST(
            "b", "1") "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: later}\n"
                      "---\n" CRS_FIXTURE_MANIFEST_IN(
                          "later", "c", "1") "---\n" CRS_FIXTURE_MANIFEST_IN("nowhere", "d", "1"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(
        buf_str(&planned.table),
        STR("2 clusters  crs1: + v1 Namespace later\n"
            "            crs1: ~ v1 ConfigMap default/a   data.k: \"1\" -> \"2\"\n"
            "            crs1: + v1 ConfigMap default/b\n"
            "            crs1: ? v1 ConfigMap later/c   its namespace comes with the same set\n"
            "            crs1: ! v1 ConfigMap nowhere/d   refused: namespaces \"nowhere\" not "
            "found\n"));
    plan_fixture_check_nothing_written(&fixture);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
}

#define DEFINITION                                                                               \
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"                      \
    "metadata: {name: webs.plan.corset.dev}\nspec: {group: plan.corset.dev, scope: Namespaced, " \
    "names: {plural: webs, singular: web, kind: Web, listKind: WebList}, versions: [{name: v1, " \
    "served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n---\n"
#define WEB(version)                                                                      \
    "apiVersion: plan.corset.dev/" version "\nkind: Web\nmetadata: {name: w, namespace: " \
    "default}\n---\n"

SIM_TEST(a_kind_that_comes_with_the_set_cannot_be_known_yet)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", DEFINITION WEB("v1") WEB("v2"));
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table),
             STR("1 cluster  crs1: + apiextensions.k8s.io/v1 CustomResourceDefinition "
                 "webs.plan.corset.dev\n"
                 "           crs1: ? plan.corset.dev/v1 Web default/w   its kind comes with the "
                 "same set\n"
                 "           crs1: ! plan.corset.dev/v2 Web default/w   refused: no matches for "
                 "kind \"Web\" in version \"plan.corset.dev/v2\"\n"));
    plan_fixture_check_nothing_written(&fixture);
}

/* What server-side apply does not take is told beforehand, and so is a server that has none. */
SIM_TEST(a_plan_tells_what_would_be_merged_instead)
{
    static const char *const manifest =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"
        "spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
        "{containers: [{name: c, image: i, ports: [{name: one, containerPort: 80}, "
        "{name: two, containerPort: 80}]}]}}}\n---\n" CRS_FIXTURE_MANIFEST("a", "1");
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    SCOPED(plan_fixture) old = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", manifest);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&planned.table),
                   STR("crs1: ! apps/v1 Deployment default/web   would be merged, since "
                       "server-side apply does not take it: "));
    CHECK_CONTAINS(buf_str(&planned.table), STR("duplicate entries for key"));
    CHECK_CONTAINS(buf_str(&planned.table), STR("crs1: + apps/v1 Deployment default/web\n"));
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){"PATCH", "fieldManager=corset%3A", 1000, .status = 415});
    plan_fixture_run(&old, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&old.table),
             STR("1 cluster  crs1: ! v1 ConfigMap default/a   the server has no server-side apply; "
                 "objects would be merged\n"
                 "           crs1: + v1 ConfigMap default/a\n"
                 "           crs1: + apps/v1 Deployment default/web\n"));
    plan_fixture_check_nothing_written(&fixture);
}

/* Without new content nothing would be sent, so that no cluster is asked, reachable or not. */
SIM_TEST(what_is_recorded_as_applied_is_not_asked_for)
{
    static const char *const strategies[] = {"ApplyOnce", "Reconcile"};
    for (size_t i = 0; i < COUNT(strategies); i++) {
        SCOPED(crs_fixture) fixture;
        SCOPED(plan_fixture) planned = {0};
        TEST_CASE("%s", strategies[i]);
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        apply(&fixture, strategies[i], CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
        crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("1", "a"), NULL);
        crs_fixture_refuse(&fixture, "c1.test", true);
        plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
        CHECK_EQ(buf_str(&planned.table), STR("1 cluster  no change\n"));
        CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
    }
}

/* ApplyOnce creates what is not there, and leaves alone what is, whatever it looks like. */
SIM_TEST(a_plan_of_apply_once_creates_alone)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
                   "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"theirs\"}}");
    crs_fixture_map(&fixture, "cm1",
                    CRS_FIXTURE_MANIFEST("a", "1") "---\n" CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1");
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table), STR("1 cluster  crs1: + v1 ConfigMap default/b\n"));
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 2);
    plan_fixture_check_nothing_written(&fixture);
}

SIM_TEST(a_plan_by_merge_patch_says_what_would_be_removed)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    apply(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"), CRS_MERGE_PATCH);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a"), "{\"data\":{\"other\":\"x\"}}");
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    plan_fixture_run(&planned, &fixture, CRS_MERGE_PATCH);
    CHECK_EQ(buf_str(&planned.table),
             STR("1 cluster  crs1: ~ v1 ConfigMap default/a   data.k: \"1\" -> \"2\"\n"
                 "           crs1: ~ v1 ConfigMap default/a   data.other: x -> (none)\n"));
    CHECK_EQ(proxy_count(&fixture.workloads[0],
                         "PATCH /api/v1/namespaces/default/configmaps/a?dryRun=All"),
             1);
    plan_fixture_check_nothing_written(&fixture);
}

SIM_TEST(a_plan_names_whose_fields_would_be_taken)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    apply(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("1", "a") "?fieldManager=ops",
                   "{\"data\":{\"k\":\"theirs\"}}");
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table),
             STR("1 cluster  crs1: ! v1 ConfigMap default/a   data.k owned by ops; would be taken\n"
                 "           crs1: ~ v1 ConfigMap default/a   data.k: theirs -> \"2\"\n"));
    plan_fixture_check_nothing_written(&fixture);
}

#define SECRET_IN(kind, name, text) \
    "apiVersion: v1\nkind: " kind "\nmetadata: {name: " name ", namespace: default}\n" text "\n"

/*
 * A Secret inside a ConfigMap, and anything inside a Secret: created, changed, refused with words
 * that quote them, in conflict with another writer.
 */
SIM_TEST(no_byte_of_a_secret_is_shown)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster(&fixture, i);
    crs_fixture_map(&fixture, "cm1", SECRET_IN("Secret", "s", "stringData: {k: " PASSWORD "-old}"));
    crs_fixture_secret(&fixture, "s1", "",
                       SECRET_IN("ConfigMap", "a", "data: {k: " PASSWORD "-old}"));
    crs_fixture_start(
        &fixture, &(struct controller_manager_options){.reconcile_with = CRS_SERVER_SIDE_APPLY});
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OBJECT("2", "a") "?fieldManager=ops",
                   "{\"data\":{\"k\":\"" PASSWORD "-local\"}}");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("2", "a") "", NULL);
    proxy_fail(&fixture.workloads[2],
               (struct proxy_fault){
                   .method = "PATCH",
                   .part = "configmaps/a",
                   .times = 10,
                   .status = 422,
                   .body = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                           "\"message\":\"webhook says " PASSWORD "-new is too short, " PASSWORD
                           "-old was longer\",\"reason\":\"Invalid\",\"code\":422}"});
    plan_fixture_add_file(&planned, "ConfigMap", "cm1",
                          SECRET_IN("Secret", "s", "stringData: {k: " PASSWORD "-new}"));
    plan_fixture_add_file(&planned, "Secret", "s1",
                          SECRET_IN("ConfigMap", "a", "data: {k: " PASSWORD "-new}"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK(!str_contains(buf_str(&planned.all), STR("hunter2")));
    CHECK(!str_contains(buf_str(&planned.all), STR("aHVudGVy")));
    CHECK_EQ(
        buf_str(&planned.table),
        STR("1 cluster  crs1: ~ v1 Secret default/s   data.k: (secret 1) -> (secret 2)\n"
            "           crs1: ~ v1 ConfigMap default/a   data.k: (secret 3) -> (secret 4)\n"
            "1 cluster  crs1: ~ v1 Secret default/s   data.k: (secret 1) -> (secret 2)\n"
            "           crs1: + v1 ConfigMap default/a\n"
            "1 cluster  crs1: ~ v1 Secret default/s   data.k: (secret 1) -> (secret 2)\n"
            "           crs1: ! v1 ConfigMap default/a   refused: webhook says … is too short, … "
            "was longer\n"));
    plan_fixture_check_nothing_written(&fixture);
}

/* FL-43: the one is named, with what is in the way, and the others are shown. */
SIM_TEST(fl_43_a_cluster_that_never_answers_is_named_within_the_timeout)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster(&fixture, i);
    apply(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){.part = "/", .times = 100, .hangs = true});
    crs_fixture_refuse(&fixture, "c3.test", true);
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    const int64_t begun = loop_now(loop_current());
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK(loop_now(loop_current()) - begun <= PLAN_FIXTURE_TIMEOUT + SECOND);
    CHECK_EQ(buf_str(&planned.table),
             STR("1 cluster   crs1: ~ v1 ConfigMap default/a   data.k: \"1\" -> \"2\"\n"
                 "2 clusters  not reachable: ns/c2 (timeout), ns/c3 (refused)\n"));
}

/* One that hangs later, in the middle of its objects, is not waited for without end either. */
SIM_TEST(a_cluster_that_falls_silent_is_named_too)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    apply(&fixture, "Reconcile", CRS_FIXTURE_MANIFEST("a", "1"), CRS_SERVER_SIDE_APPLY);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){.part = "configmaps/a", .times = 100, .hangs = true});
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    const int64_t begun = loop_now(loop_current());
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK(loop_now(loop_current()) - begun <= 2 * PLAN_FIXTURE_TIMEOUT);
    CHECK_EQ(buf_str(&planned.table), STR("1 cluster  not reachable: ns/c1 (timeout)\n"));
}

/* A binding that is about another cluster is void: everything would be applied to the new one. */
SIM_TEST(a_plan_for_a_cluster_that_was_rebuilt_is_for_all_of_it)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_secret(&fixture, "s1", "", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "ApplyOnce", "ConfigMap/cm1 Secret/s1");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRETS "/c1-kubeconfig", NULL);
    crs_fixture_kubeconfig(&fixture, 1, 2);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 Secret/s1 ConfigMap/cm2"));
    plan_fixture_add_file(&planned, "ConfigMap", "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table), STR("1 cluster  crs1: + v1 ConfigMap default/a\n"
                                          "           crs1: + v1 ConfigMap default/b\n"
                                          "           crs1: + v1 ConfigMap default/c\n"));
}

SIM_TEST(a_plan_says_what_is_wrong_with_resources)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/none ConfigMap/cm1");
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", "kind: [");
    plan_fixture_add_file(&planned, "ConfigMap", "cm9", CRS_FIXTURE_MANIFEST("a", "1"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_CONTAINS(buf_str(&planned.table),
                   STR("1 cluster  crs1: ! ConfigMap none   configmaps \"none\" not found\n"));
    CHECK_CONTAINS(buf_str(&planned.table), STR("crs1: ! ConfigMap cm1   "));
    CHECK_EQ(buf_str(&planned.source.notes),
             STR("ConfigMap cm9 is in no set of namespace ns that is planned\n"));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), 0);
}

SIM_TEST(a_sample_is_spread_over_the_clusters)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= 9; i++)
        crs_fixture_cluster_at(&fixture, "ns", i, 1 + i % CRS_FIXTURE_CLUSTERS);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    planned.source.sample = 3;
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table), STR("3 clusters  crs1: + v1 ConfigMap default/a\n"
                                          "6 clusters  not asked, because of --sample\n"));
    CHECK_EQ(planned.preview.groups[0]->clusters[0], STR("ns/c1"));
    CHECK_EQ(planned.preview.groups[0]->clusters[1], STR("ns/c4"));
    CHECK_EQ(planned.preview.groups[0]->clusters[2], STR("ns/c7"));
}
