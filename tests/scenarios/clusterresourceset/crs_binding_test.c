/* CRS-15, CRS-25, CRS-26, CRS-54 to CRS-57 and CRS-77: the binding of a cluster. */
#include <stdint.h>

#include "async/loop.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define OWNERS "metadata.ownerReferences"
#define BOTH   "ConfigMap/cm1 true hash, Secret/s1 true hash"

#define BINDING(name, entries)                                                                    \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSetBinding\"," \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"clusterName\":\"" name                      \
    "\",\"bindings\":[" entries "]}}"
#define ENTRY(set)                                                                             \
    "{\"clusterResourceSetName\":\"" set "\",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":" \
    "\"theirs\",\"applied\":true,\"hash\":\"sha256:0\"}]}"
#define THEIRS "ConfigMap/theirs true hash untimed"

SIM_TEST(crs_15_the_binding_goes_with_its_cluster)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

SIM_TEST(crs_15_a_cluster_of_the_same_name_begins_anew)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SECRETS "/c1-kubeconfig", NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_OBJECT("1", "a"), NULL);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_await_entry(&fixture, "c1", "crs1", BOTH);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

SIM_TEST(crs_25_the_first_set_of_a_cluster_makes_its_binding)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) uid = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    CHECK_EQ(proxy_count(&fixture.management, "POST " CRS_FIXTURE_BINDINGS), 1);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.clusterName"), STR("c1"));
    buf_add(&uid, STR("[{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                      "\"ClusterResourceSet\",\"name\":\"crs1\",\"uid\":\""));
    buf_add(&uid, crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid"));
    buf_add(&uid, STR("\"}]"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS), buf_str(&uid));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "metadata.finalizers"), STR(""));
}

SIM_TEST(crs_26_a_second_set_is_added_to_the_binding)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) before = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    buf_add(&before, crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.0"));
    crs_fixture_set(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs2");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.0"), buf_str(&before));
    CHECK_EQ(
        crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.1.clusterResourceSetName"),
        STR("crs2"));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 2);
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".0.name"), STR("crs1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".1.name"), STR("crs2"));
}

/* What an old release left there is not ours to take away (D-04). */
SIM_TEST(crs_26_the_reference_of_a_cluster_stays)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("c1", ENTRY("other")));
    crs_fixture_do(
        &fixture, "PATCH", CRS_FIXTURE_BINDING,
        "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"cluster.x-k8s.io/v1beta1\","
        "\"kind\":\"Cluster\",\"name\":\"c1\",\"uid\":\"u\"}]}}");
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".0.kind"), STR("Cluster"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, OWNERS ".1.name"), STR("crs1"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "other"), STR(THEIRS));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
}

/* What was recorded in an older version is taken over without a word to the cluster. */
SIM_TEST(crs_26_an_older_reference_is_brought_up_to_date_without_a_connection)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) patch = {.limit = 0};
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(10 * SECOND));
    crs_fixture_stop(&fixture);
    const struct str uid = crs_fixture_look(&fixture, CRS_FIXTURE_SET, "metadata.uid");
    buf_print(&patch,
              "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":"
              "\"addons.cluster.x-k8s.io/v1beta1\",\"kind\":\"ClusterResourceSet\","
              "\"name\":\"crs1\",\"uid\":\"%.*s\"}]}}",
              STR_ARG(uid));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, buf_c(&patch));
    crs_fixture_forget(&fixture);
    crs_fixture_refuse(&fixture, "c1.test", true);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_await(&fixture, CRS_FIXTURE_BINDING, OWNERS ".0.apiVersion",
                      "addons.cluster.x-k8s.io/v1beta2");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.management.writes, 1);
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

static void conflict(struct crs_fixture *fixture, size_t times)
{
    proxy_fail(&fixture->management, (struct proxy_fault){"PATCH", "/clusterresourcesetbindings/c1",
                                                          times, .status = 409});
}

SIM_TEST(crs_54_a_conflict_is_no_error_and_comes_again_soon)
{
    static const size_t times[] = {1, 12}; /* within one pass, and over several */
    for (size_t i = 0; i < COUNT(times); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%zu", times[i]);
        crs_fixture_init(&fixture);
        crs_fixture_cluster(&fixture, 1);
        crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("c1", ENTRY("other")));
        crs_fixture_start(&fixture, NULL);
        CHECK_OK(fiber_sleep(5 * SECOND));
        conflict(&fixture, times[i]);
        const int64_t begun = loop_now(loop_current());
        crs_fixture_ready_on(&fixture, "ApplyOnce");
        CHECK(crs_fixture_seconds_since(begun) < 1);
        CHECK_EQ(fixture.management.faults[0].times, 0);
        CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "other"), STR(THEIRS));
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    }
}

static bool writes_binding(struct str method, struct str target)
{
    return str_eq(method, STR("PATCH")) && str_contains(target, STR("resourcesetbindings/c1"));
}

/* Somebody else writes the binding between our reading and our writing. */
static void interfere(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (!writes_binding(method, target))
        return;
    proxy->on_request = NULL;
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_BINDING,
                   "{\"spec\":{\"bindings\":[" ENTRY("other") "," ENTRY("another") "]}}");
}

SIM_TEST(crs_54_entries_of_others_survive_a_true_conflict)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("c1", ENTRY("other")));
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(5 * SECOND));
    fixture.management.data = &fixture;
    fixture.management.on_request = interfere;
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    CHECK(!fixture.management.on_request);
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "other"), STR(THEIRS));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "another"), STR(THEIRS));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
}

/* They leave our entry out of what they write: what is missing then is applied once more. */
SIM_TEST(crs_77_an_entry_that_somebody_removed_while_we_applied_comes_back)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    CHECK_OK(fiber_sleep(5 * SECOND));
    fixture.management.data = &fixture;
    fixture.management.on_request = interfere;
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   crs_fixture_resources(&fixture, "ConfigMap/cm1 Secret/s1 ConfigMap/cm2"));
    crs_fixture_await_entry(&fixture, "c1", "crs1", "ConfigMap/cm2 true hash, " BOTH);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "other"), STR(THEIRS));
}

/* A binding that was found good is not read before it is written; others may have been there. */
SIM_TEST(crs_54_entries_of_others_survive_what_was_not_read_before)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(5 * SECOND));
    crs_fixture_forget(&fixture);
    fixture.management.data = &fixture;
    fixture.management.on_request = interfere;
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    crs_fixture_await_entry(&fixture, "c1", "crs1", BOTH);
    CHECK(!fixture.management.on_request);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "other"), STR(THEIRS));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "another"), STR(THEIRS));
    CHECK_EQ(crs_fixture_errors(&fixture), 0.0);
    TEST_CASE("it was written before it was read");
    CHECK(crs_fixture_is_before(&fixture.management, "PATCH " CRS_FIXTURE_BINDING,
                                "GET " CRS_FIXTURE_BINDING));
}

static void remove_binding(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (!writes_binding(method, target))
        return;
    proxy->on_request = NULL;
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
}

SIM_TEST(a_binding_that_goes_right_before_it_is_written_is_made_again)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    CHECK_OK(fiber_sleep(5 * SECOND));
    fixture.management.data = &fixture;
    fixture.management.on_request = remove_binding;
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST("a", "2"));
    crs_fixture_await(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k", "2");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK(!fixture.management.on_request);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

/* An answer that is lost: what was written is found, and nothing is applied twice. */
SIM_TEST(crs_54_a_lost_answer_is_found_out)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_start(&fixture, NULL);
    proxy_fail(&fixture.management,
               (struct proxy_fault){"PATCH", "/clusterresourcesetbindings/c1", 1, .after = true});
    proxy_fail(&fixture.management,
               (struct proxy_fault){"POST", "/clusterresourcesetbindings", 1, .after = true});
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 1);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 2);
}

#define SLOW ",\"finalizers\":[\"example.com/slow\"]"

SIM_TEST(crs_55_a_cluster_that_lingers_has_no_binding)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, CRS_FIXTURE_LABELS, SLOW);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_CLUSTER));
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_56_a_topology_may_hold_the_binding)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, CRS_FIXTURE_LABELS, SLOW);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"spec\":{\"topology\":{\"classRef\":{\"name\":\"class\"}}}}");
    crs_fixture_start(&fixture, &(struct controller_manager_options){.topology_may_hold = true});
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    crs_fixture_do(
        &fixture, "PATCH", CRS_FIXTURE_CLUSTER,
        "{\"metadata\":{\"annotations\":{\"runtime.cluster.x-k8s.io/ok-to-delete\":\"\"}}}");
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_CLUSTER));
}

SIM_TEST(crs_56_without_the_gates_a_topology_holds_nothing)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster_as(&fixture, "ns", 1, CRS_FIXTURE_LABELS, SLOW);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_CLUSTER,
                   "{\"spec\":{\"topology\":{\"classRef\":{\"name\":\"class\"}}}}");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDING);
}

SIM_TEST(crs_57_a_binding_without_a_cluster_is_deleted)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_start(&fixture, NULL);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("nobody", ENTRY("crs1")));
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDINGS "/nobody");
    CHECK_EQ(crs_fixture_metric(&fixture, "controller_runtime_reconcile_errors_total{"
                                          "controller=\"clusterresourcesetbinding\"}"),
             0.0);
}

/* Whoever paused a binding, or filters, keeps it. */
SIM_TEST(crs_57_a_paused_binding_is_left_alone)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("nobody", ENTRY("crs1")));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDINGS "/nobody",
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"\"}}}");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_check_quiet(&fixture, 15 * MINUTE);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_BINDINGS "/nobody"));
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDINGS "/nobody",
                   "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}");
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_BINDINGS "/nobody");
}

SIM_TEST(crs_77_the_entry_is_found_wherever_it_is)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS,
                   BINDING("c1", ENTRY("first") "," ENTRY("crs1") "," ENTRY("last")));
    crs_fixture_start(&fixture, NULL);
    crs_fixture_ready_on(&fixture, "ApplyOnce");
    CHECK_EQ(crs_fixture_elements(&fixture, CRS_FIXTURE_BINDING, "spec.bindings"), 3);
    CHECK_EQ(
        crs_fixture_look(&fixture, CRS_FIXTURE_BINDING, "spec.bindings.1.clusterResourceSetName"),
        STR("crs1"));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(THEIRS ", " BOTH));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "first"), STR(THEIRS));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "last"), STR(THEIRS));
}

/* A binding edited by hand is noticed at the next trigger; at the latest at the resync. */
SIM_TEST(crs_77_an_entry_that_somebody_removed_comes_back_with_the_resync)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, "{\"spec\":{\"bindings\":[]}}");
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("-"));
    CHECK_OK(fiber_sleep(12 * MINUTE));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
}

SIM_TEST(a_binding_that_goes_is_made_again_at_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "ApplyOnce");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
}

/* A binding with the entries of so many sets, set0 and so on. */
static void put_full_binding(struct crs_fixture *fixture, size_t entries)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "{\"spec\":{\"bindings\":[");
    for (size_t i = 0; i < entries; i++)
        buf_print(&text,
                  "%s{\"clusterResourceSetName\":\"set%zu\",\"resources\":[{\"kind\":"
                  "\"ConfigMap\",\"name\":\"theirs\",\"applied\":true}]}",
                  i ? "," : "", i);
    buf_add(&text, STR("]}}"));
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_BINDING, buf_c(&text));
}

SIM_TEST(the_101st_set_of_a_cluster_is_not_applied_and_says_why)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("c1", ENTRY("other")));
    put_full_binding(&fixture, 100);
    crs_fixture_begin_on(&fixture, "ApplyOnce");
    crs_fixture_await_condition(
        &fixture, "crs1", "ResourcesApplied",
        "False/NotApplied/" CRS_FIXTURE_NOT_APPLIED ": 1 of 1 clusters failed: c1: "
        "ClusterResourceSetBinding ns/c1 has the entries of 100 sets, which is all it can hold");
    CHECK_EQ(crs_fixture_condition(&fixture, "crs1", "InProgress"), STR("False/Stopped/"));
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(proxy_count(&fixture.management, "PATCH " CRS_FIXTURE_BINDING), 0);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), 0);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
    TEST_CASE("another set goes");
    put_full_binding(&fixture, 99);
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "a")));
}

/* How many of the sets crs1 and so on have their object on c1, and an entry for it. */
static size_t count_placed(struct crs_fixture *fixture, size_t sets)
{
    size_t placed = 0;
    for (size_t i = 1; i <= sets; i++) {
        SCOPED(buf) object = {0};
        SCOPED(buf) name = {0};
        buf_print(&object, CRS_FIXTURE_OBJECTS("1") "/o%zu", i);
        buf_print(&name, "crs%zu", i);
        const bool has_object = crs_fixture_exists(fixture, buf_c(&object));
        const bool has_entry = !str_eq(crs_fixture_entry(fixture, "c1", buf_c(&name)), STR("-"));
        CHECK_EQ(has_object, has_entry);
        placed += has_object;
    }
    return placed;
}

SIM_TEST(sets_that_race_for_the_last_places_apply_only_what_is_recorded)
{
    const size_t sets = 8, places = 3;
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_BINDINGS, BINDING("c1", ENTRY("other")));
    put_full_binding(&fixture, 100 - places);
    for (size_t i = 1; i <= sets; i++) {
        SCOPED(buf) name = {0};
        SCOPED(buf) map = {0};
        SCOPED(buf) manifest = {0};
        buf_print(&name, "crs%zu", i);
        buf_print(&map, "cm%zu", i);
        buf_print(&manifest,
                  "{apiVersion: v1, kind: ConfigMap, metadata: {name: o%zu, namespace: default}}",
                  i);
        crs_fixture_map(&fixture, buf_c(&map), buf_c(&manifest));
        buf_clear(&map);
        buf_print(&map, "ConfigMap/cm%zu", i);
        crs_fixture_set(&fixture, buf_c(&name), "ApplyOnce", buf_c(&map));
    }
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(count_placed(&fixture, sets), places);
    CHECK_EQ(proxy_count(&fixture.workloads[0], CRS_FIXTURE_POST), places);
    size_t refused = 0;
    for (size_t i = 1; i <= sets; i++) {
        SCOPED(buf) name = {0};
        buf_print(&name, "crs%zu", i);
        const struct str told = crs_fixture_condition(&fixture, buf_c(&name), "ResourcesApplied");
        refused += str_contains(told, STR("has the entries of 100 sets"));
    }
    CHECK_EQ(refused, sets - places);
    crs_fixture_check_quiet(&fixture, 4 * MINUTE);
}

/* The set may be reconciled before the change of the binding is seen here. */
SIM_TEST(crs_77_a_binding_edited_together_with_its_set_is_seen_at_once)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    for (size_t i = 0; i < 20; i++) {
        SCOPED(buf) touch = {.limit = 0};
        TEST_CASE("round %zu", i);
        CHECK_OK(fiber_sleep(30 * SECOND));
        buf_print(&touch, "{\"metadata\":{\"annotations\":{\"touched\":\"%zu\"}}}", i);
        if (i % 2)
            crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, buf_c(&touch));
        CHECK_OK(fiber_sleep((duration)(i / 4) * MILLISECOND));
        crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING, "{\"spec\":{\"bindings\":[]}}");
        if (i % 2 == 0)
            crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET, buf_c(&touch));
        CHECK_OK(fiber_sleep(5 * SECOND));
        CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR(BOTH));
    }
}
