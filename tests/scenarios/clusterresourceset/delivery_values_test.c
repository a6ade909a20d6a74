/* FL-46 to FL-49: values of Clusters in the objects of sets with a policy. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "scenarios/clusterresourceset/plan_fixture.h"

#define VALUES           "{\"values\":\"Cluster\"}"
#define OBJECT           CRS_FIXTURE_OBJECT("1", "a")
#define APPS(digit)      CRS_FIXTURE_WORKLOAD(digit) "/apis/apps/v1/namespaces/default/deployments/web"
#define LABELLED(value)  "{\"metadata\":{\"labels\":{\"env\":" value "}}}"
#define ANNOTATED(value) "{\"metadata\":{\"annotations\":{\"replicas\":" value "}}}"
#define NETWORK(cidr)    "{\"spec\":{\"clusterNetwork\":{\"pods\":{\"cidrBlocks\":[" cidr "]}}}}"
#define NAME             "((cluster.namespace))/((cluster.name))"
#define ENV              "((cluster.label \"env\"))"
#define REPLICAS         "((cluster.annotation \"replicas\" as int))"
#define CIDR             "((cluster.field \"/spec/clusterNetwork/pods/cidrBlocks/0\"))"
#define MANIFEST(text)                                                 \
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: " \
    "default}\ndata: {k: '" text "'}\n"
#define DEPLOYMENT                                                                            \
    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n" \
    "spec:\n  replicas: " REPLICAS "\n  selector: {matchLabels: {a: b}}\n"                    \
    "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, env: "  \
    "[{name: CIDR, value: '" CIDR "'}]}]}}\n"
#define CIDR_OF "spec.template.spec.containers.0.env.0.value"

/* Clusters c1, c2, c3 with label env, annotation replicas and a network of their own; policy p. */
static void begin(struct crs_fixture *fixture, const char *spec)
{
    crs_fixture_init(fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++) {
        SCOPED(buf) labels = {.limit = 0};
        SCOPED(buf) metadata = {.limit = 0};
        SCOPED(buf) network = {.limit = 0};
        SCOPED(buf) target = {.limit = 0};
        buf_print(&labels, CRS_FIXTURE_LABELS ",\"env\":\"e%zu\"", i);
        buf_print(&metadata, ",\"annotations\":{\"replicas\":\"%zu\"}", i + 1);
        buf_print(&network, NETWORK("\"10.%zu.0.0/16\""), i);
        buf_print(&target, CRS_FIXTURE_OWNERS "/c%zu", i);
        crs_fixture_cluster_as(fixture, "ns", i, buf_c(&labels), buf_c(&metadata));
        crs_fixture_do(fixture, "PATCH", buf_c(&target), buf_c(&network));
    }
    delivery_fixture_policy(fixture, spec);
}

/* The same, with crs1 applied. */
static void begin_applied(struct crs_fixture *fixture, const char *spec, const char *text)
{
    begin(fixture, spec);
    crs_fixture_map(fixture, "cm1", text);
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
}

/* Applies that workload cluster c<number> was asked for since crs_fixture_forget(). */
static size_t count_applies(const struct crs_fixture *fixture, size_t number)
{
    return proxy_count(&fixture->workloads[number - 1], "PATCH ");
}

/* c1 alone was sent something, as often as this. */
static void check_sent_to_first(const struct crs_fixture *fixture, size_t applies)
{
    CHECK_EQ(count_applies(fixture, 1), applies);
    CHECK_EQ(count_applies(fixture, 2), (size_t)0);
    CHECK_EQ(count_applies(fixture, 3), (size_t)0);
}

SIM_TEST(fl_46_each_cluster_has_its_own_values)
{
    static const struct {
        const char *object, *app, *name, *replicas, *cidr;
    } clusters[] = {
        {CRS_FIXTURE_OBJECT("1", "a"), APPS("1"), "ns/c1", "2", "10.1.0.0/16"},
        {CRS_FIXTURE_OBJECT("2", "a"), APPS("2"), "ns/c2", "3", "10.2.0.0/16"},
        {CRS_FIXTURE_OBJECT("3", "a"), APPS("3"), "ns/c3", "4", "10.3.0.0/16"},
    };
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, VALUES, MANIFEST(NAME) DEPLOYMENT);
    for (size_t i = 0; i < COUNT(clusters); i++) {
        TEST_CASE("c%zu", i + 1);
        CHECK_EQ(crs_fixture_look(&fixture, clusters[i].object, "data.k"),
                 str_from_c(clusters[i].name));
        CHECK_EQ(crs_fixture_look(&fixture, clusters[i].app, "spec.replicas"),
                 str_from_c(clusters[i].replicas));
        CHECK_EQ(crs_fixture_look(&fixture, clusters[i].app, CIDR_OF),
                 str_from_c(clusters[i].cidr));
        CHECK_EQ(count_applies(&fixture, i + 1), (size_t)2);
    }
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "values").len, (size_t)VALUES_DIGEST_LEN);

    TEST_CASE("one request for each Cluster brought its values");
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_OWNERS "/"), (size_t)3);

    TEST_CASE("checks for drift find nothing, and a restart sends nothing");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    check_sent_to_first(&fixture, 0);
    CHECK_EQ(fixture.management.writes, (size_t)0);
    crs_fixture_await_condition(&fixture, "crs1", "DriftFree", "True/NoDrift");
}

SIM_TEST(fl_46_what_has_drifted_is_repaired_with_the_values_of_its_cluster)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, "{\"values\":\"Cluster\",\"drift\":\"Repair\"}",
                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-((cluster.name)), "
                  "namespace: default}\ndata: {k: '" ENV "'}\n");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    crs_fixture_forget(&fixture);
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("1", "of-c1"), "{\"data\":{\"k\":\"x\"}}");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("2", "of-c2"), NULL);
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "of-c1"), "data.k"), STR("e1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("2", "of-c2"), "data.k"), STR("e2"));
    CHECK_EQ(count_applies(&fixture, 3), (size_t)0);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

SIM_TEST(fl_46_ready_is_judged_by_the_objects_of_each_cluster)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{\"values\":\"Cluster\",\"health\":{\"timeout\":\"1m\"}}");
    crs_fixture_map(&fixture, "cm1",
                    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: "
                    "of-((cluster.name)), namespace: default}\nspec: {accessModes: "
                    "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "Ready", "False/NotReady");
    crs_fixture_do(
        &fixture, "PATCH",
        CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/default/persistentvolumeclaims/of-c1/status",
        "{\"status\":{\"phase\":\"Bound\"}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

/*
 * What one cluster gets is bound to take 16 MiB at most: as many tokens, each as long as the
 * longest value. Two of them are half of the room, which is all that a namespace may have.
 */
SIM_TEST(fl_46_clusters_that_hang_do_not_each_keep_a_copy)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) annotation = {.limit = 0};
    size_t begun = 0;
    begin(&fixture, VALUES);
    buf_add(&annotation, STR("{\"metadata\":{\"annotations\":{\"long\":\""));
    for (size_t i = 0; i < 4000; i++)
        buf_add_char(&annotation, 'x');
    buf_add(&annotation, STR("\"}}}"));
    buf_add(&text, STR("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n"
                       "data:\n  l: '((cluster.annotation \"long\"))'\n  k: '"));
    for (size_t i = 0; i < 6000; i++)
        buf_add(&text, STR(ENV));
    buf_add(&text, STR("'\n"));
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++) {
        SCOPED(buf) target = {.limit = 0};
        buf_print(&target, CRS_FIXTURE_OWNERS "/c%zu", i);
        crs_fixture_do(&fixture, "PATCH", buf_c(&target), buf_c(&annotation));
    }
    crs_fixture_map(&fixture, "cm1", buf_c(&text));
    crs_fixture_start(&fixture, NULL);
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        proxy_fail(&fixture.workloads[i],
                   (struct proxy_fault){.method = "PATCH", .part = "", .times = 1, .hangs = true});
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(5 * SECOND));
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        begun += count_applies(&fixture, i);
    CHECK_EQ(begun, (size_t)2);

    TEST_CASE("the others have their turn");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    crs_fixture_await_applied(&fixture, "crs1");
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        CHECK(count_applies(&fixture, i) >= 2);
}

SIM_TEST(fl_47_a_label_that_changes_is_applied_there_and_nowhere_else)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, VALUES, MANIFEST(ENV));
    SCOPED(buf) before = {.limit = 0};
    buf_add(&before, delivery_fixture_record(&fixture, "crs1", "values"));
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_OWNERS "/"), (size_t)0);
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, LABELLED("\"other\""));
    crs_fixture_await(&fixture, OBJECT, "data.k", "other");
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_sent_to_first(&fixture, 1);
    CHECK(!str_eq(delivery_fixture_record(&fixture, "crs1", "values"), buf_str(&before)));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True/");

    TEST_CASE("a change of what no value uses sends nothing");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"labels\":{\"more\":\"x\"},\"annotations\":{\"n\":\"1\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    check_sent_to_first(&fixture, 0);
}

SIM_TEST(fl_47_annotations_and_fields_that_change_are_applied)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, VALUES, MANIFEST(NAME) DEPLOYMENT);
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, ANNOTATED("\"5\""));
    crs_fixture_await(&fixture, APPS("1"), "spec.replicas", "5");
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_sent_to_first(&fixture, 2);

    TEST_CASE("a field");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, NETWORK("\"10.9.0.0/16\""));
    crs_fixture_await(&fixture, APPS("1"), CIDR_OF, "10.9.0.0/16");
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_sent_to_first(&fixture, 4);

    TEST_CASE("another annotation: the Cluster is read, and nothing is sent");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"annotations\":{\"other\":\"1\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    check_sent_to_first(&fixture, 0);
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_CLUSTER), (size_t)1);

    TEST_CASE("one that changes while nobody works is seen by the next process");
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, ANNOTATED("\"6\""));
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await(&fixture, APPS("1"), "spec.replicas", "6");
    CHECK_OK(fiber_sleep(10 * SECOND));
    check_sent_to_first(&fixture, 2);
}

SIM_TEST(fl_47_a_label_that_goes_fails_there_alone)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, VALUES, MANIFEST(ENV));
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, LABELLED("null"));
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/");
    const struct str told = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK(str_contains(told, STR("ConfigMap cm1, key data, document 1")));
    CHECK(str_contains(told, STR("data.k: " ENV ": Cluster ns/c1 has no such label")));
    CHECK(!str_contains(told, STR("c2")));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    CHECK(str_contains(delivery_fixture_record(&fixture, "crs1", "why.0.message"), STR(ENV)));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("e1"));
    check_sent_to_first(&fixture, 0);

    TEST_CASE("trying again asks no cluster and writes nothing");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    check_sent_to_first(&fixture, 0);
    CHECK_EQ(fixture.management.writes, (size_t)0);

    TEST_CASE("it is applied when the label is back");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, LABELLED("\"back\""));
    crs_fixture_await(&fixture, OBJECT, "data.k", "back");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "True/");
    check_sent_to_first(&fixture, 1);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

/* The record of a placement that lacked a value does not stand for one that was applied. */
SIM_TEST(fl_47_what_waits_for_a_value_still_adopts)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, VALUES);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, LABELLED("null"));
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=corset",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
                   "\"data\":{\"k\":\"1\",\"gone\":\"1\"}}");
    crs_fixture_map(&fixture, "cm1", MANIFEST(ENV));
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, LABELLED("\"e\""));
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"), STR("{\"k\":\"e\"}"));
}

#define ROLLS(more) \
    "{\"values\":\"Cluster\",\"drift\":\"Ignore\",\"rollout\":{\"waves\":[" more "]}}"

/* Applying takes two seconds everywhere. */
static void take_time(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy;
    if (str_eq(method, STR("PATCH")) && str_contains(target, STR("/configmaps/a")))
        error_free(fiber_sleep(2 * SECOND)); /* canceled when its client goes */
}

/* Clusters whose object has the value that the label has now. */
static size_t count_changed(struct crs_fixture *fixture)
{
    size_t count = 0;
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++) {
        static const char *const objects[] = {CRS_FIXTURE_OBJECT("1", "a"),
                                              CRS_FIXTURE_OBJECT("2", "a"),
                                              CRS_FIXTURE_OBJECT("3", "a")};
        count += str_eq(crs_fixture_look(fixture, objects[i], "data.k"), STR("new"));
    }
    return count;
}

static void label_all(struct crs_fixture *fixture)
{
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_OWNERS "/c1", LABELLED("\"new\""));
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2", LABELLED("\"new\""));
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3", LABELLED("\"new\""));
}

SIM_TEST(fl_47_with_waves_changed_values_wait_for_their_turn)
{
    for (size_t restarts = 0; restarts < 2; restarts++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", restarts ? "with a restart in the middle" : "one process");
        begin(&fixture, ROLLS("{\"name\":\"all\",\"atATime\":1}"));
        crs_fixture_map(&fixture, "cm1", MANIFEST(ENV));
        crs_fixture_start(&fixture, NULL);
        delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
        crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "True/RolledOut");
        for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
            fixture.workloads[i].on_request = take_time;
        crs_fixture_forget(&fixture);
        label_all(&fixture);
        size_t seen = 0;
        for (size_t i = 0; i < 200 && seen < CRS_FIXTURE_CLUSTERS; i++) {
            CHECK_OK(fiber_sleep(100 * MILLISECOND));
            size_t sent = 0;
            for (size_t j = 1; j <= CRS_FIXTURE_CLUSTERS; j++)
                sent += count_applies(&fixture, j) > 0;
            seen = count_changed(&fixture);
            CHECK(sent <= seen + 1);
            if (restarts && i == 30) {
                crs_fixture_stop(&fixture);
                crs_fixture_start(&fixture, NULL);
            }
        }
        CHECK_EQ(seen, (size_t)CRS_FIXTURE_CLUSTERS);
        crs_fixture_await_applied(&fixture, "crs1");
        CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    }
}

SIM_TEST(fl_47_a_halted_rollout_sends_no_changed_values)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, ROLLS("{\"name\":\"all\",\"atATime\":1}"));
    crs_fixture_map(&fixture, "cm1", MANIFEST(ENV));
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "True/RolledOut");
    proxy_fail(&fixture.workloads[1],
               (struct proxy_fault){"PATCH", "/configmaps/a", SIZE_MAX, .status = 422});
    crs_fixture_map(&fixture, "cm1", MANIFEST("v2 " ENV));
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "False/Halted/");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("v2 e1"));
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c1", LABELLED("\"new\""));
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(count_applies(&fixture, 1), (size_t)0);
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c1: waits, because the rollout is halted in wave all"));
    TEST_CASE("what failed is mended");
    fixture.workloads[1].faults[0].times = 0;
    crs_fixture_await(&fixture, OBJECT, "data.k", "v2 new");
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "True/RolledOut");
}

SIM_TEST(fl_48_a_value_lands_as_text)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, VALUES);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"annotations\":{\"x\":\"\\\"}\\nkind: Secret\\n---\\nkind: "
                   "Secret\\n((cluster.name))\"}}}");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2",
                   "{\"metadata\":{\"annotations\":{\"x\":\"\"}}}");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3",
                   "{\"metadata\":{\"annotations\":{\"x\":\"'\"}}}");
    crs_fixture_map(&fixture, "cm1", MANIFEST("((cluster.annotation \"x\"))"));
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data"),
             STR("{\"k\":\"\\\"}\\nkind: Secret\\n---\\nkind: Secret\\n((cluster.name))\"}"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "kind"), STR("ConfigMap"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("3", "a"), "data.k"), STR("'"));
    CHECK_EQ(count_applies(&fixture, 1), (size_t)1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "secrets"), (size_t)0);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "objects"), STR("1"));
}

SIM_TEST(fl_49_without_values_manifests_are_sent_as_written)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, "{}", MANIFEST("((cluster.name)) $(( 1 + 2 ))"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("((cluster.name)) $(( 1 + 2 ))"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "values"), STR(""));

    TEST_CASE("a policy that gets values puts them in, one that loses them takes them out");
    delivery_fixture_policy(&fixture, VALUES);
    crs_fixture_await(&fixture, OBJECT, "data.k", "c1 $(( 1 + 2 ))");
    CHECK_OK(fiber_sleep(10 * SECOND));
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_await(&fixture, OBJECT, "data.k", "((cluster.name)) $(( 1 + 2 ))");
}

SIM_TEST(fl_49_content_without_tokens_is_left_alone_by_values)
{
    SCOPED(crs_fixture) fixture;
    begin_applied(&fixture, VALUES, MANIFEST("$(( 1 + 2 )) ((cluster.x))"));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("$(( 1 + 2 )) ((cluster.x))"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "values"), STR(""));
    crs_fixture_forget(&fixture);
    delivery_fixture_policy(&fixture, "{}");
    CHECK_OK(fiber_sleep(MINUTE));
    check_sent_to_first(&fixture, 0);
    CHECK_EQ(proxy_count(&fixture.management, "GET " CRS_FIXTURE_OWNERS "/"), (size_t)0);
}

/* Path and token are told, and nothing else of the Secret. */
SIM_TEST(a_token_in_a_secret_tells_nothing_else_of_it)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    begin(&fixture, VALUES);
    crs_fixture_secret(&fixture, "s1", "",
                       "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: default}\n"
                       "stringData: {k: 'hidden-((cluster.label \"no\"))-treasure', l: hidden}\n");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "Secret/s1");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied", "False/");
    const struct str told = crs_fixture_condition(&fixture, "crs1", "ResourcesApplied");
    CHECK(str_contains(told, STR("stringData.k: ((cluster.label \"no\")): Cluster ns/c1")));
    CHECK(!str_contains(told, STR("hidden")));
    CHECK(!str_contains(told, STR("treasure")));
    CHECK(!crs_fixture_logged(&fixture, "hidden"));
    CHECK(!crs_fixture_logged(&fixture, "treasure"));
    CHECK(!str_contains(delivery_fixture_record(&fixture, "crs1", "why"), STR("treasure")));
    crs_fixture_stop(&fixture);
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK(str_contains(buf_str(&planned.all), STR("stringData.k")));
    CHECK(!str_contains(buf_str(&planned.all), STR("treasure")));
}

/* A Cluster that cannot be read holds its own placement up, and no other one. */
SIM_TEST(a_cluster_that_cannot_be_read_is_tried_again)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, VALUES);
    crs_fixture_map(&fixture, "cm1", MANIFEST(CIDR));
    proxy_fail(&fixture.management,
               (struct proxy_fault){
                   .method = "GET", .part = CRS_FIXTURE_CLUSTER, .times = 3, .status = 500});
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k", "10.2.0.0/16");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT, "data.k"), STR("10.1.0.0/16"));
}

SIM_TEST(a_plan_shows_the_values_of_each_cluster)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    SCOPED(plan_fixture) same = {0};
    SCOPED(plan_fixture) collapsed = {0};
    begin_applied(&fixture, VALUES, MANIFEST("((cluster.label \"cni\"))"));
    crs_fixture_stop(&fixture);
    plan_fixture_run(&same, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&same.table), STR("3 clusters  no change\n"));

    TEST_CASE("another value, and one that is missing");
    plan_fixture_add_file(&planned, "ConfigMap", "cm1", MANIFEST(ENV));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3", LABELLED("null"));
    plan_fixture_run(&planned, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&planned.table),
             STR("1 cluster  crs1: ~ v1 ConfigMap default/a   data.k: calico -> e1\n"
                 "1 cluster  crs1: ~ v1 ConfigMap default/a   data.k: calico -> e2\n"
                 "1 cluster  crs1: ! ClusterResourceSet crs1   not applied: (ConfigMap cm1, key "
                 "data, document 1) filling in object /v1, Kind=ConfigMap default/a: data.k: " ENV
                 ": Cluster ns/c3 has no such label\n"));

    TEST_CASE("equal results are one group");
    plan_fixture_add_file(&collapsed, "ConfigMap", "cm1", MANIFEST("x-((cluster.label \"cni\"))"));
    plan_fixture_run(&collapsed, &fixture, CRS_SERVER_SIDE_APPLY);
    CHECK_EQ(buf_str(&collapsed.table),
             STR("3 clusters  crs1: ~ v1 ConfigMap default/a   data.k: calico -> x-calico\n"));
    plan_fixture_check_nothing_written(&fixture);
}

SIM_TEST(why_of_an_object_knows_it_by_the_name_it_has_there)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(plan_fixture) planned = {0};
    bool is_same = false;
    begin_applied(&fixture, VALUES,
                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-((cluster.name)), "
                  "namespace: default}\n");
    crs_fixture_stop(&fixture);
    CHECK_OK(plan_fixture_why(&planned, &fixture, "ConfigMap/of-c1", &is_same));
    CHECK(is_same);
}
