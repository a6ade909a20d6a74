/*
 * FL-21, FL-22 and what crosses them: a set that depends on others (corset.dev/depends-on).
 *
 * Set s has an object in namespace "there" of the workload clusters: it fails until the test makes
 * the namespace. Set t has an object in "default" and depends on s.
 */
#include <stdio.h>

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"
#include "scenarios/clusterresourceset/second_process.h"

#define DEPENDS(names) ",\"annotations\":{\"corset.dev/depends-on\":\"" names "\"}"
#define DEPENDS_PATCH(value) \
    "{\"metadata\":{\"annotations\":{\"corset.dev/depends-on\":" value "}}}"
#define SET_S               CRS_FIXTURE_SETS "/s"
#define SET_T               CRS_FIXTURE_SETS "/t"
#define BASE                "\"base\":\"yes\""
#define BASE_SELECTOR       "{\"matchLabels\":{" BASE "}}"
#define BOTH_LABELS         CRS_FIXTURE_LABELS "," BASE
#define BASE_MANIFEST(text) CRS_FIXTURE_MANIFEST_IN("there", "a", text)
#define APPLIED_S           "ConfigMap/base true hash"
#define APPLIED_T           "ConfigMap/top true hash"
#define WAITS(count, of) \
    "False/NotApplied/Waiting for other sets: " count " of " of " clusters wait: "
#define FOR_S(why)  "waits for ClusterResourceSet s, which " why
#define IN_PROGRESS "True/newGeneration/New generation detected"

static void make_there(struct crs_fixture *fixture, const char *workload)
{
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, "%s/api/v1/namespaces", workload);
    crs_fixture_do(fixture, "POST", buf_c(&target), "{\"metadata\":{\"name\":\"there\"}}");
}

static void make_maps(struct crs_fixture *fixture)
{
    crs_fixture_map(fixture, "base", BASE_MANIFEST("1"));
    crs_fixture_map(fixture, "top", CRS_FIXTURE_MANIFEST("b", "1"));
}

static void make_s(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_set_as(fixture, "s", strategy, "ConfigMap/base", BASE_SELECTOR, "");
}

static void make_t(struct crs_fixture *fixture, const char *strategy)
{
    crs_fixture_set_as(fixture, "t", strategy, "ConfigMap/top", CRS_FIXTURE_SELECTOR, DEPENDS("s"));
}

/* Both sets can select cluster c1. It has no namespace "there" yet. */
static void begin_on_c1(struct crs_fixture *fixture)
{
    crs_fixture_init(fixture);
    crs_fixture_cluster_as(fixture, "ns", 1, BOTH_LABELS, "");
    make_maps(fixture);
    crs_fixture_start(fixture, NULL);
}

/* The sets that have entries in a binding, in the order in which they came: "s t". */
static struct str entries_of(struct crs_fixture *fixture, const char *cluster)
{
    SCOPED(buf) target = {.limit = 0};
    SCOPED(buf) names = {.limit = 0};
    buf_print(&target, CRS_FIXTURE_BINDINGS "/%s", cluster);
    const size_t count = crs_fixture_elements(fixture, buf_c(&target), "spec.bindings");
    for (size_t i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof(path), "spec.bindings.%zu.clusterResourceSetName", i);
        const struct str name = crs_fixture_look(fixture, buf_c(&target), path);
        buf_print(&names, "%s%.*s", i ? " " : "", STR_ARG(name));
    }
    return apiserver_fixture_keep(&fixture->apiserver, buf_str(&names));
}

static double clusters_of_t(struct crs_fixture *fixture, const char *state)
{
    SCOPED(buf) series = {.limit = 0};
    buf_print(&series, "corset_set_clusters{namespace=\"ns\",set=\"t\",state=\"%s\"}", state);
    return crs_fixture_metric(fixture, buf_c(&series));
}

/* s on c1 and c2, where only c2 has its namespace; t on all three. */
static void go_through_21(const char *strategy)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, BOTH_LABELS, "");
    crs_fixture_cluster_as(&fixture, "ns", 2, BOTH_LABELS, "");
    crs_fixture_cluster(&fixture, 3);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("2"));
    make_maps(&fixture);
    crs_fixture_start(&fixture, NULL);
    make_t(&fixture, strategy);
    make_s(&fixture, strategy);
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "3") "c1: " FOR_S("failed there"));
    CHECK_EQ(crs_fixture_deprecated(&fixture, "t"),
             STR("False/WaitingForSets/Info/" FOR_S("failed there")));
    CHECK_EQ(crs_fixture_condition(&fixture, "t", "InProgress"), STR(IN_PROGRESS));
    CHECK_EQ(crs_fixture_condition(&fixture, "t", "Failed"), STR("False/Succeeded/"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "t"), STR("-"));
    CHECK_EQ(entries_of(&fixture, "c2"), STR("s t"));
    CHECK_EQ(entries_of(&fixture, "c3"), STR("t"));
    CHECK_EQ(clusters_of_t(&fixture, "waiting"), 1.0);
    CHECK_EQ(clusters_of_t(&fixture, "applied"), 2.0);
    CHECK_EQ(clusters_of_t(&fixture, "failed"), 0.0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], "configmaps/b"), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 0);
    TEST_CASE("s succeeds there after all");
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    crs_fixture_await_entry(&fixture, "c1", "s", APPLIED_S);
    const int64_t ready = loop_now(loop_current());
    crs_fixture_await_entry(&fixture, "c1", "t", APPLIED_T);
    CHECK(crs_fixture_seconds_since(ready) < 1);
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
    CHECK_EQ(clusters_of_t(&fixture, "applied"), 3.0);
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
}

SIM_TEST(fl_21_a_set_comes_after_the_one_it_depends_on_applied_once)
{
    go_through_21("ApplyOnce");
}

SIM_TEST(fl_21_a_set_comes_after_the_one_it_depends_on_reconciled)
{
    go_through_21("Reconcile");
}

#define CYCLE(cycle)                                                                               \
    "False/InternalError/The order between sets cannot be kept: sets depend on each other: " cycle \
    ", by their annotations corset.dev/depends-on; none of them is applied until one of "          \
    "these names is taken out"

SIM_TEST(fl_22_sets_that_depend_on_each_other_say_so_and_are_not_applied)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set_as(&fixture, "s", "Reconcile", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("t"));
    crs_fixture_set_as(&fixture, "t", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("s"));
    crs_fixture_set_as(&fixture, "u", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("s"));
    crs_fixture_await_condition(&fixture, "s", "ResourcesApplied", CYCLE("s -> t -> s"));
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied", CYCLE("t -> s -> t"));
    crs_fixture_await_condition(
        &fixture, "u", "ResourcesApplied",
        WAITS("1", "1") "c1: " FOR_S("is not worked on, as its condition says"));
    CHECK_EQ(crs_fixture_condition(&fixture, "s", "InProgress"), STR("False/Stopped/"));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "s", "Failed"), STR("True/operatorError/"));
    CHECK_EQ(clusters_of_t(&fixture, "failed"), 1.0);
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    TEST_CASE("a restart finds nothing to write");
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.management.writes, 0);
    TEST_CASE("the cycle is cut");
    crs_fixture_do(&fixture, "PATCH", SET_S, DEPENDS_PATCH("null"));
    crs_fixture_await_applied(&fixture, "s");
    crs_fixture_await_applied(&fixture, "t");
    crs_fixture_await_applied(&fixture, "u");
    CHECK(str_starts_with(entries_of(&fixture, "c1"), STR("s ")));
    TEST_CASE("closed again, what is there stays and nothing new comes");
    crs_fixture_do(&fixture, "PATCH", SET_S, DEPENDS_PATCH("\"t\""));
    crs_fixture_await_condition(&fixture, "s", "ResourcesApplied", CYCLE("s -> t -> s"));
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("1"));
}

SIM_TEST(fl_22_names_that_are_none_are_told)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_set_as(&fixture, "t", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("crs1, Not_a_name"));
    crs_fixture_await_condition(
        &fixture, "t", "ResourcesApplied",
        "False/InternalError/The order between sets cannot be kept: the annotation "
        "corset.dev/depends-on names \"Not_a_name\", which is no name of a ClusterResourceSet: ");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "t"), STR("-"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    TEST_CASE("the set itself");
    crs_fixture_do(&fixture, "PATCH", SET_T, DEPENDS_PATCH("\"t\""));
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied", CYCLE("t -> t"));
    TEST_CASE("spaces, and a name twice");
    crs_fixture_do(&fixture, "PATCH", SET_T, DEPENDS_PATCH("\" crs1 ,,crs1, \""));
    crs_fixture_await_applied(&fixture, "t");
}

/* Waiting costs no request; the set that comes wakes it. What was begun is not taken back. */
SIM_TEST(a_set_waits_for_one_that_does_not_exist)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    make_t(&fixture, "Reconcile");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "1") "c1: " FOR_S("does not exist"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    TEST_CASE("a restart finds nothing to write");
    crs_fixture_stop(&fixture);
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.management.writes, 0);
    TEST_CASE("it comes");
    const int64_t made = loop_now(loop_current());
    make_s(&fixture, "Reconcile");
    crs_fixture_await_entry(&fixture, "c1", "t", APPLIED_T);
    CHECK(crs_fixture_seconds_since(made) < 3);
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
    TEST_CASE("it goes: t stays, and goes on");
    crs_fixture_do(&fixture, "DELETE", SET_S, NULL);
    crs_fixture_await_gone(&fixture, SET_S);
    crs_fixture_map(&fixture, "top", CRS_FIXTURE_MANIFEST("b", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "2");
    crs_fixture_await_applied(&fixture, "t");
}

/* The content of s changes, for the worse: where t has begun it goes on, elsewhere it waits. */
SIM_TEST(a_set_that_has_begun_does_not_wait_for_a_change)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    make_s(&fixture, "Reconcile");
    make_t(&fixture, "Reconcile");
    crs_fixture_await_applied(&fixture, "t");
    crs_fixture_map(&fixture, "base", CRS_FIXTURE_MANIFEST_IN("elsewhere", "a", "2"));
    crs_fixture_await_condition(&fixture, "s", "ResourcesApplied", "False/NotApplied/");
    crs_fixture_map(&fixture, "top", CRS_FIXTURE_MANIFEST("b", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "2");
    crs_fixture_await_applied(&fixture, "t");
    TEST_CASE("a process that begins knows what has begun");
    crs_fixture_stop(&fixture);
    crs_fixture_map(&fixture, "top", CRS_FIXTURE_MANIFEST("b", "3"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "b"), "data.k", "3");
    TEST_CASE("another cluster");
    crs_fixture_cluster_as(&fixture, "ns", 2, BOTH_LABELS, "");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "2") "c2: " FOR_S("failed there"));
    TEST_CASE("the change is taken back on the cluster that had it, without a write there");
    crs_fixture_map(&fixture, "base", BASE_MANIFEST("3"));
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("2"));
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c2"), STR("s t"));
}

/* With ApplyOnce a content that changes later changes nothing: what was applied once is in full. */
SIM_TEST(a_set_applied_once_stays_in_full_whatever_its_content_is_later)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    make_s(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "s");
    crs_fixture_map(&fixture, "base", BASE_MANIFEST("2"));
    CHECK_OK(fiber_sleep(MINUTE));
    make_t(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "t");
}

SIM_TEST(a_set_that_no_longer_selects_a_cluster_is_not_waited_for)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_s(&fixture, "Reconcile");
    make_t(&fixture, "Reconcile");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied", WAITS("1", "1"));
    const int64_t changed = loop_now(loop_current());
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"metadata\":{\"labels\":{\"base\":null}}}");
    crs_fixture_await_entry(&fixture, "c1", "t", APPLIED_T);
    CHECK(crs_fixture_seconds_since(changed) < 2);
    crs_fixture_await_applied(&fixture, "t");
}

/* t was applied without it: an annotation that is added holds for what has not begun. */
SIM_TEST(an_annotation_that_comes_later_holds_for_new_clusters)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    make_maps(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "t", "Reconcile", "ConfigMap/top");
    crs_fixture_await_applied(&fixture, "t");
    crs_fixture_do(&fixture, "PATCH", SET_T, DEPENDS_PATCH("\"s\""));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    CHECK_EQ(crs_fixture_condition(&fixture, "t", "ResourcesApplied"), STR("True/Applied/"));
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "2") "c2: " FOR_S("does not exist"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    TEST_CASE("and goes");
    crs_fixture_do(&fixture, "PATCH", SET_T, DEPENDS_PATCH("null"));
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c2"), STR("t"));
}

SIM_TEST(a_paused_set_is_waited_for)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    crs_fixture_set_as(&fixture, "s", "Reconcile", "ConfigMap/base", BASE_SELECTOR,
                       ",\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}");
    make_t(&fixture, "Reconcile");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "1") "c1: " FOR_S("is paused and not applied there"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    crs_fixture_do(&fixture, "PATCH", SET_S,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}");
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
    TEST_CASE("paused once it is applied, it is there");
    crs_fixture_do(&fixture, "PATCH", SET_S,
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}");
    crs_fixture_set_as(&fixture, "u", "Reconcile", "ConfigMap/top", CRS_FIXTURE_SELECTOR,
                       DEPENDS("s,t"));
    crs_fixture_await_applied(&fixture, "u");
    TEST_CASE("a paused Cluster is paused, whatever comes first there");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":true}}");
    crs_fixture_set_as(&fixture, "v", "Reconcile", "ConfigMap/top", CRS_FIXTURE_SELECTOR,
                       DEPENDS("none"));
    crs_fixture_await_condition(&fixture, "v", "ResourcesApplied", "False/ClusterPaused/");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER, "{\"spec\":{\"paused\":null}}");
    crs_fixture_await_condition(
        &fixture, "v", "ResourcesApplied",
        WAITS("1", "1") "c1: waits for ClusterResourceSet none, which does not exist");
}

/* What was recorded of the cluster that went is true of no other: the order begins anew. */
SIM_TEST(a_cluster_that_was_rebuilt_is_served_in_order_anew)
{
    SCOPED(crs_fixture) fixture;
    begin_on_c1(&fixture);
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    make_s(&fixture, "ApplyOnce");
    make_t(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "t");
    TEST_CASE("another cluster answers, in which s cannot be applied");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRETS "/c1-kubeconfig", NULL);
    crs_fixture_kubeconfig(&fixture, 1, 2);
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "1") "c1: " FOR_S("failed there"));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "b")));
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("2"));
    crs_fixture_await_applied(&fixture, "t");
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "b")));
    TEST_CASE("the Cluster is made anew");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRETS "/c1-kubeconfig", NULL);
    crs_fixture_cluster_as(&fixture, "ns", 1, BOTH_LABELS, "");
    crs_fixture_await_entry(&fixture, "c1", "t", APPLIED_T);
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
}

#define MANY 50

/* a, then b, then c, on fifty clusters; c is made first. */
SIM_TEST(a_chain_of_three_sets_is_kept_on_fifty_clusters)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= MANY; i++)
        crs_fixture_cluster_at(&fixture, "ns", i, 1 + i % CRS_FIXTURE_CLUSTERS);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set_as(&fixture, "c", "ApplyOnce", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("b"));
    crs_fixture_set_as(&fixture, "b", "Reconcile", "ConfigMap/cm1", CRS_FIXTURE_SELECTOR,
                       DEPENDS("a"));
    crs_fixture_await_condition(&fixture, "c", "ResourcesApplied", WAITS("50", "50"));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "c", "ResourcesApplied"), STR("; and 45 more"));
    crs_fixture_check_quiet(&fixture, 20 * MINUTE);
    crs_fixture_set(&fixture, "a", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "c");
    for (size_t i = 1; i <= MANY; i++) {
        char name[8];
        snprintf(name, sizeof(name), "c%zu", i);
        CHECK_EQ(entries_of(&fixture, name), STR("a b c"));
    }
    CHECK_OK(fiber_sleep(5 * MINUTE)); /* so many events are told one after the other */
    crs_fixture_check_quiet(&fixture, 10 * MINUTE);
}

/* Without an election both work on everything. */
SIM_TEST(two_controllers_keep_the_order)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(second_process) other = {0};
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster_as(&fixture, "ns", i, BOTH_LABELS, "");
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("1"));
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("2"));
    make_maps(&fixture);
    crs_fixture_start(&fixture, NULL);
    second_process_start(&other, &fixture, NULL);
    make_t(&fixture, "Reconcile");
    make_s(&fixture, "Reconcile");
    crs_fixture_await_entry(&fixture, "c1", "t", APPLIED_T);
    crs_fixture_await_entry(&fixture, "c2", "t", APPLIED_T);
    CHECK_EQ(entries_of(&fixture, "c1"), STR("s t"));
    CHECK_EQ(entries_of(&fixture, "c2"), STR("s t"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c3", "t"), STR("-"));
    make_there(&fixture, CRS_FIXTURE_WORKLOAD("3"));
    crs_fixture_await_entry(&fixture, "c3", "t", APPLIED_T);
    CHECK_EQ(entries_of(&fixture, "c3"), STR("s t"));
    crs_fixture_await_applied(&fixture, "t");
}

SIM_TEST(a_set_of_another_controller_is_waited_for_and_told)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1,
                           BOTH_LABELS ",\"cluster.x-k8s.io/watch-filter\":\"us\"", "");
    make_maps(&fixture);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.watch_filter = STR("us")});
    crs_fixture_set_as(&fixture, "t", "ApplyOnce", "ConfigMap/top", CRS_FIXTURE_SELECTOR,
                       DEPENDS("s") ",\"labels\":{\"cluster.x-k8s.io/watch-filter\":\"us\"}");
    crs_fixture_await_condition(&fixture, "t", "ResourcesApplied",
                                WAITS("1", "1") "c1: " FOR_S("does not exist"));
    make_s(&fixture, "ApplyOnce");
    crs_fixture_await_condition(
        &fixture, "t", "ResourcesApplied",
        WAITS("1", "1") "c1: " FOR_S("lacks the label of this controller's watch filter"));
    CHECK_EQ(crs_fixture_look(&fixture, SET_S, "metadata.finalizers"), STR(""));
}
