/* FL-38 to FL-40: clusters that lose a set, because it no longer selects them or is deleted. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define A          CRS_FIXTURE_MANIFEST("a", "1")
#define B          "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define UNSELECTED "{\"prune\":{\"when\":[\"Unselected\"]}}"
#define DELETED    "{\"prune\":{\"when\":[\"Deleted\"]}}"
#define DELETES_ALL \
    "{\"prune\":{\"when\":[\"Deleted\"],\"maxClusters\":\"100%\",\"maxObjects\":1000}}"
#define NO_LABEL   "{\"metadata\":{\"labels\":{\"cni\":null}}}"
#define LABEL      "{\"metadata\":{\"labels\":{\"cni\":\"calico\"}}}"
#define OWNER(n)   CRS_FIXTURE_OWNERS "/c" n
#define OBJECT(n)  CRS_FIXTURE_OBJECT(n, "a")
#define BINDING(n) CRS_FIXTURE_BINDINGS "/c" n

/* Three clusters with everything. */
static void begin(struct crs_fixture *fixture, const char *spec, const char *text)
{
    crs_fixture_init(fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster(fixture, i);
    crs_fixture_map(fixture, "cm1", text);
    delivery_fixture_policy(fixture, spec);
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
    crs_fixture_forget(fixture);
}

static size_t count_deletes(const struct crs_fixture *fixture)
{
    size_t count = 0;
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        count += proxy_count(&fixture->workloads[i], "DELETE ");
    return count;
}

static void patch(struct crs_fixture *fixture, const char *target, const char *body)
{
    crs_fixture_do(fixture, "PATCH", target, body);
}

/* Puts the token of the condition Pruned into the annotation. */
static void approve(struct crs_fixture *fixture)
{
    SCOPED(buf) body = {.limit = 0};
    struct str text = crs_fixture_condition(fixture, "crs1", "Pruned");
    const size_t at = str_find(text, STR("prune/"));
    CHECK(at != STR_NONE);
    buf_print(&body, "{\"metadata\":{\"annotations\":{\"corset.dev/approve\":\"%.*s\"}}}", 18,
              text.ptr + at);
    patch(fixture, CRS_FIXTURE_SET, buf_c(&body));
    CHECK_OK(fiber_sleep(30 * SECOND));
}

SIM_TEST(fl_38_more_clusters_than_max_clusters_need_an_approval)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, UNSELECTED, A B);
    patch(&fixture, OWNER("1"), NO_LABEL);
    patch(&fixture, OWNER("2"), NO_LABEL);
    CHECK_OK(fiber_sleep(30 * SECOND));
    CHECK_EQ(count_deletes(&fixture), 0);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "False/Held/needs approval prune/");
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "Pruned"),
                   STR("the set would be deleted on 2 of 3 clusters, more than maxClusters (1): "
                       "c1, c2"));
    CHECK_CONTAINS(delivery_fixture_note(&fixture, "PruneHeld"),
                   STR("the set would be deleted on 2 of 3 clusters"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Held"));

    TEST_CASE("approved");
    approve(&fixture);
    for (const char *const *object =
             (const char *const[]){OBJECT("1"), CRS_FIXTURE_OBJECT("1", "b"), OBJECT("2"),
                                   BINDING("1"), BINDING("2"), NULL};
         *object; object++) {
        TEST_CASE("%s", *object);
        CHECK(!crs_fixture_exists(&fixture, *object));
    }
    CHECK(crs_fixture_exists(&fixture, OBJECT("3")));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");

    TEST_CASE("selected again, it is applied again");
    patch(&fixture, OWNER("1"), LABEL);
    crs_fixture_await(&fixture, OBJECT("1"), "data.k", "1");
}

SIM_TEST(fl_38_one_cluster_loses_the_set_at_once)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, UNSELECTED, A B);
    patch(&fixture, OWNER("1"), NO_LABEL);
    crs_fixture_await_gone(&fixture, OBJECT("1"));
    crs_fixture_await_gone(&fixture, BINDING("1"));
    CHECK_EQ(count_deletes(&fixture), 2);
    CHECK(crs_fixture_exists(&fixture, OBJECT("2")));

    TEST_CASE("what is not in `when` stays");
    delivery_fixture_policy(&fixture, "{\"prune\":{\"when\":[\"Removed\"]}}");
    CHECK_OK(fiber_sleep(10 * SECOND));
    patch(&fixture, OWNER("2"), NO_LABEL);
    CHECK_OK(fiber_sleep(15 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, OBJECT("2")));
}

/* What is paused or goes loses nothing; what is held and selected again neither. */
SIM_TEST(fl_38_a_cluster_that_is_paused_or_goes_keeps_everything)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, UNSELECTED, A);
    patch(&fixture, OWNER("1"),
          "{\"metadata\":{\"labels\":{\"cni\":null}},\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(15 * MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    patch(&fixture, OWNER("1"), "{\"spec\":{\"paused\":false}}");
    crs_fixture_await_gone(&fixture, OBJECT("1"));

    TEST_CASE("gone");
    crs_fixture_do(&fixture, "DELETE", OWNER("2"), NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(crs_fixture_exists(&fixture, OBJECT("2")));
}

/* The label comes back while objects are deleted: what is gone is applied again. */
static void label_again(struct proxy *proxy, struct str method, struct str target)
{
    (void)target;
    if (!str_eq(method, STR("DELETE")))
        return;
    proxy->on_request = NULL;
    patch(proxy->data, OWNER("1"), LABEL);
    CHECK_OK(fiber_sleep(SECOND));
}

SIM_TEST(fl_38_a_cluster_that_is_selected_again_in_the_middle_gets_everything)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, UNSELECTED, A B);
    fixture.workloads[0].data = &fixture;
    fixture.workloads[0].on_request = label_again;
    patch(&fixture, OWNER("1"), NO_LABEL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(crs_fixture_exists(&fixture, OBJECT("1")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

SIM_TEST(fl_39_a_deletion_is_held_until_it_is_approved)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETED, A B);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_SET));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "False/Held/needs approval prune/");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    approve(&fixture);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 6);
    CHECK(!crs_fixture_exists(&fixture, OBJECT("1")));
    CHECK(!crs_fixture_exists(&fixture, OBJECT("3")));
    CHECK(!crs_fixture_exists(&fixture, BINDING("1")));
}

/* Those that are given up have not lost the set: they count all the same. */
SIM_TEST(fl_39_what_is_held_is_not_released_by_giving_clusters_up)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETED, A);
    for (size_t i = 1; i < CRS_FIXTURE_CLUSTERS; i++)
        sim_network_set_faults(fixture.apiserver.network, i == 1 ? STR("c2.test") : STR("c3.test"),
                               &(struct sim_faults){.refuse = true, .reset = 1});
    CHECK_OK(fiber_sleep(2 * MINUTE));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(2 * HOUR));
    CHECK_EQ(count_deletes(&fixture), 0);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "False/Held/needs approval prune/");
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "Pruned"),
                   STR("the set would be deleted on 3 of 3 clusters, more than maxClusters (1): "
                       "c1"));
    approve(&fixture);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 1);
    CHECK(!crs_fixture_exists(&fixture, OBJECT("1")));
    CHECK(crs_fixture_exists(&fixture, OBJECT("2")));
}

/* Looking takes three seconds. */
static void list_slowly(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy;
    if (str_eq(method, STR("GET")) && str_contains(target, STR("limit=500")))
        error_free(fiber_sleep(3 * SECOND)); /* canceled when its client goes */
}

/* c3, which was paused, has more to lose than the others, and is the last to be looked at. */
SIM_TEST(fl_39_what_one_cluster_has_too_many_of_is_deleted_nowhere)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture,
          "{\"prune\":{\"when\":[\"Removed\",\"Deleted\"],\"maxClusters\":\"100%\","
          "\"maxObjects\":1}}",
          A B);
    patch(&fixture, OWNER("3"), "{\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(10 * SECOND));
    crs_fixture_map(&fixture, "cm1", A);
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "b")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("3", "b")));
    fixture.workloads[2].on_request = list_slowly;
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    patch(&fixture, OWNER("3"), "{\"spec\":{\"paused\":false}}");
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK_CONTAINS(delivery_fixture_record(&fixture, "crs1", "prune.message"),
                   STR("1 object would be deleted, and more than maxObjects (1) on c3"));

    TEST_CASE("another process");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    approve(&fixture);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 4);
}

SIM_TEST(fl_39_everything_goes_in_reverse_and_who_cannot_be_reached_is_given_up)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETES_ALL,
          A "---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\n"
            "spec: {ports: [{port: 80}]}\n");
    sim_network_set_faults(fixture.apiserver.network, STR("c3.test"),
                           &(struct sim_faults){.refuse = true, .reset = 1});
    CHECK_OK(fiber_sleep(2 * MINUTE));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(!crs_fixture_exists(&fixture, OBJECT("1")));
    CHECK(!crs_fixture_exists(&fixture, OBJECT("2")));
    CHECK(crs_fixture_is_before(&fixture.workloads[0], "DELETE /api/v1/namespaces/default/services",
                                "DELETE /api/v1/namespaces/default/configmaps"));
    CHECK_OK(fiber_sleep(55 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_SET));
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_SET));
    CHECK(crs_fixture_exists(&fixture, OBJECT("3")));
    CHECK_EQ(delivery_fixture_events(&fixture, "PruneAbandoned"), (size_t)1);
}

SIM_TEST(fl_39_of_sets_that_are_deleted_dependents_go_first)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETES_ALL, A);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("t", "1"));
    crs_fixture_set_as(&fixture, "crs2", "Reconcile", "ConfigMap/cm2", CRS_FIXTURE_SELECTOR,
                       ",\"annotations\":{\"corset.dev/policy\":\"p\",\"corset.dev/depends-on\":"
                       "\"crs1\"}");
    crs_fixture_await_applied(&fixture, "crs2");
    crs_fixture_forget(&fixture);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SETS "/crs2", NULL);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_SETS "/crs2"));
    CHECK(crs_fixture_is_before(&fixture.workloads[0],
                                "DELETE /api/v1/namespaces/default/configmaps/t",
                                "DELETE /api/v1/namespaces/default/configmaps/a"));
    CHECK(!crs_fixture_exists(&fixture, OBJECT("1")));
}

SIM_TEST(fl_40_a_set_that_is_moved_deletes_nothing)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETES_ALL, A);
    patch(
        &fixture, CRS_FIXTURE_SET,
        "{\"metadata\":{\"annotations\":{\"clusterctl.cluster.x-k8s.io/delete-for-move\":\"\"}}}");
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK(crs_fixture_exists(&fixture, OBJECT("1")));
}

SIM_TEST(fl_40_a_set_whose_clusters_are_all_paused_deletes_nothing)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETES_ALL, A);
    patch(&fixture, OWNER("1"), "{\"spec\":{\"paused\":true}}");
    patch(&fixture, OWNER("2"), "{\"spec\":{\"paused\":true}}");
    patch(&fixture, OWNER("3"), "{\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(10 * SECOND));
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK(crs_fixture_exists(&fixture, OBJECT("1")));
}

/* A policy that is gone says nothing, so nothing is deleted. */
SIM_TEST(fl_40_a_set_without_its_policy_deletes_nothing)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, DELETES_ALL, A);
    crs_fixture_do(&fixture, "DELETE", DELIVERY_FIXTURE_POLICY, NULL);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    crs_fixture_await_gone(&fixture, CRS_FIXTURE_SET);
    CHECK_EQ(count_deletes(&fixture), 0);
}
