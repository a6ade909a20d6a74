/* FL-32 to FL-37 and FL-41: what was taken out of a set is deleted, with guards. */
#include "json/path.h"
#include "scenarios/clusterresourceset/delivery_fixture.h"

#define REMOVED   "{\"prune\":{\"when\":[\"Removed\"]}}"
#define NAMESPACE "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: space}\n"
#define SPACE     CRS_FIXTURE_WORKLOAD("1") "/api/v1/namespaces/space"
#define A         CRS_FIXTURE_MANIFEST("a", "1")
#define B         "---\n" CRS_FIXTURE_MANIFEST("b", "1")
#define OBJECT_A  CRS_FIXTURE_OBJECT("1", "a")
#define OBJECT_B  CRS_FIXTURE_OBJECT("1", "b")
#define DELETE_B  "DELETE /api/v1/namespaces/default/configmaps/b"
#define APPLY_A   "PATCH /api/v1/namespaces/default/configmaps/a"
#define LIST      "GET /api/v1/configmaps?"
#define MANY      21

static void begin(struct crs_fixture *fixture, const char *spec, const char *text)
{
    delivery_fixture_begin(fixture, spec, text);
    crs_fixture_await_applied(fixture, "crs1");
    crs_fixture_await_condition(fixture, "crs1", "Pruned", "True/NothingLeft/");
    crs_fixture_forget(fixture);
}

/* Sends another content and waits until nothing is going on any more. */
static void change(struct crs_fixture *fixture, const char *text)
{
    crs_fixture_map(fixture, "cm1", text);
    CHECK_OK(fiber_sleep(20 * SECOND));
}

static size_t count_deletes(const struct crs_fixture *fixture)
{
    size_t count = 0;
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        count += proxy_count(&fixture->workloads[i], "DELETE ");
    return count;
}

SIM_TEST(fl_32_what_was_taken_out_is_deleted_after_the_rest_was_applied)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B NAMESPACE);
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    struct proxy *proxy = &fixture.workloads[0];
    CHECK(!crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_A, "data.k"), STR("2"));
    CHECK_EQ(count_deletes(&fixture), 1);
    CHECK(crs_fixture_is_before(proxy, APPLY_A, LIST));
    CHECK(crs_fixture_is_before(proxy, LIST, DELETE_B));
    CHECK(crs_fixture_is_before(proxy, DELETE_B, "GET /api/v1/namespaces/default/configmaps/b"));
    CHECK_EQ(proxy_count(proxy, "resourceVersion="), 0);
    CHECK(proxy_count(proxy, "limit=500") > 0);
    CHECK_CONTAINS(buf_str(&proxy->sent), STR("\"preconditions\":{\"uid\":\""));
    CHECK_CONTAINS(buf_str(&proxy->sent), STR("\"resourceVersion\":\""));
    CHECK_CONTAINS(buf_str(&proxy->sent), STR("\"propagationPolicy\":\"Background\""));

    TEST_CASE("a Namespace is kept, and told");
    CHECK(crs_fixture_exists(&fixture, SPACE));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/1 object is kept");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "kinds"),
             STR("[\"v1/Namespace\",\"v1/ConfigMap\"]"));
    CHECK_EQ(
        delivery_fixture_note(&fixture, "Pruned"),
        STR("ClusterResourceSet crs1: deleted 1 object: v1 ConfigMap default/b; kept 1 object: "
            "v1 Namespace space"));
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_prune_deleted_total{kind=\"ConfigMap\"}"), 1.0);

    TEST_CASE("nothing is asked at rest");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\",\"prune\":{\"when\":[\"Removed\"]}}");
    crs_fixture_check_quiet(&fixture, 30 * MINUTE);
}

SIM_TEST(fl_32_a_protected_kind_is_deleted_if_the_policy_names_it)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, "{\"prune\":{\"when\":[\"Removed\"],\"kinds\":[\"Namespace\"]}}", A NAMESPACE);
    change(&fixture, A);
    CHECK(!crs_fixture_exists(&fixture, SPACE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "kinds"), STR("[\"v1/ConfigMap\"]"));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
}

SIM_TEST(fl_32_what_is_annotated_to_be_kept_is_kept)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED,
          A "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: default, "
            "annotations: {corset.dev/keep: \"true\"}}\n");
    change(&fixture, A);
    CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(count_deletes(&fixture), 0);
}

/* Changing a policy sends nothing: what was taken out before stays until the next revision. */
SIM_TEST(fl_32_a_policy_that_begins_to_prune_deletes_nothing_by_itself)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}", A B);
    crs_fixture_await_applied(&fixture, "crs1");
    change(&fixture, A);
    delivery_fixture_policy(&fixture, REMOVED);
    CHECK_OK(fiber_sleep(15 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK(!crs_fixture_exists(&fixture, OBJECT_B));
}

/* An object that waits for a finalizer is told, and the rest of its kind goes. */
SIM_TEST(fl_32_finalizers_are_waited_for_and_told)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    crs_fixture_do(&fixture, "PATCH", OBJECT_B, "{\"metadata\":{\"finalizers\":[\"x.io/stay\"]}}");
    change(&fixture, A);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Pruning"));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned",
                                "False/Pruning/1 cluster pruning: c1: 1 object deleted, still "
                                "there: v1 ConfigMap default/b (x.io/stay)");
    CHECK_OK(fiber_sleep(6 * MINUTE));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "False/PruneFailed/");
    CHECK_EQ(count_deletes(&fixture), 1);
    crs_fixture_do(&fixture, "PATCH", OBJECT_B, "{\"metadata\":{\"finalizers\":null}}");
    CHECK_OK(fiber_sleep(6 * MINUTE));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}

/* An operator copies labels to what it makes; somebody copies a whole object. */
SIM_TEST(fl_33_what_has_the_label_and_no_entry_of_ours_is_never_deleted)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1"),
                   "{\"metadata\":{\"name\":\"child\",\"labels\":{\"corset.dev/managed\":\"true\"},"
                   "\"annotations\":{\"corset.dev/delivery\":\"{}\"}}}");
    crs_fixture_do(&fixture, "POST", CRS_FIXTURE_OBJECTS("1") "?fieldManager=corset:ns/crs1",
                   "{\"metadata\":{\"name\":\"update\",\"labels\":{\"corset.dev/managed\":"
                   "\"true\"}}}");
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK(!crs_fixture_exists(&fixture, OBJECT_B));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "child")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "update")));
    CHECK_EQ(count_deletes(&fixture), 1);
}

SIM_TEST(fl_34_what_another_set_claims_too_is_given_up)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    delivery_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    change(&fixture, A);
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK_EQ(crs_fixture_look(&fixture, OBJECT_B, "data.k"), STR("1"));
    const struct str entries = crs_fixture_look(&fixture, OBJECT_B, "metadata.managedFields");
    CHECK(!str_contains(entries, STR("corset:ns/crs1")));
    CHECK_CONTAINS(entries, STR("corset:ns/crs2"));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
}

SIM_TEST(fl_35_where_the_revision_is_not_applied_nothing_is_pruned)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_cluster(&fixture, 2);
    crs_fixture_map(&fixture, "cm1", A B);
    delivery_fixture_policy(&fixture, REMOVED);
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){
                   .method = "PATCH", .part = "configmaps/a", .times = 1000, .status = 403});
    change(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(proxy_count(&fixture.workloads[0], "DELETE "), 0);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("2", "b")));
}

SIM_TEST(fl_36_what_is_missing_or_broken_deletes_nothing)
{
    static const struct {
        const char *name, *method, *body;
        int status; /* of every read of cm1 from then on */
    } cases[] = {
        {"deleted",    "DELETE", NULL,                                    0  },
        {"emptied",    "PATCH",  "{\"data\":null}",                       0  },
        {"blank",      "PATCH",  "{\"data\":{\"data\":\"---\\n\"}}",      0  },
        {"unparsable", "PATCH",  "{\"data\":{\"data\":\"{\\\"a\\\":\"}}", 0  },
        {"unreadable", "PATCH",  "{\"data\":{\"data\":\"a: b\"}}",        500},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%s", cases[i].name);
        begin(&fixture, REMOVED, A B);
        if (cases[i].status)
            proxy_fail(&fixture.management, (struct proxy_fault){.method = "GET",
                                                                 .part = "configmaps/cm1",
                                                                 .times = 100000,
                                                                 .status = cases[i].status});
        crs_fixture_do(&fixture, cases[i].method, CRS_FIXTURE_MAP, cases[i].body);
        CHECK_OK(fiber_sleep(15 * MINUTE));
        CHECK_EQ(count_deletes(&fixture), 0);
        CHECK(crs_fixture_exists(&fixture, OBJECT_A));
        CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    }
}

/* A list that fails, or breaks off after a page, deletes nothing; it is tried again. */
SIM_TEST(fl_36_a_list_that_is_not_whole_deletes_nothing)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){
                   .method = "GET", .part = "/api/v1/configmaps?", .times = 14, .status = 403});
    change(&fixture, A);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned",
                                "False/PruneFailed/1 cluster failed: "
                                "c1: list objects of kind ConfigMap");
    CHECK_EQ(count_deletes(&fixture), 0);
    crs_fixture_await_gone(&fixture, OBJECT_B);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
}

/* Writes a, and so many objects more, from a number on. */
static void write_many(struct buf *text, size_t from)
{
    buf_add(text, STR(A));
    for (size_t i = from; i < MANY + 1; i++)
        buf_print(text,
                  "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m%02zu, namespace: "
                  "default}\n",
                  i);
}

static void approve(struct crs_fixture *fixture, struct str token)
{
    SCOPED(buf) patch = {.limit = 0};
    buf_print(&patch, "{\"metadata\":{\"annotations\":{\"corset.dev/approve\":\"%.*s\"}}}",
              STR_ARG(token));
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_SET, buf_c(&patch));
    CHECK_OK(fiber_sleep(20 * SECOND));
}

SIM_TEST(fl_37_more_than_max_objects_needs_an_approval)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) all = {.limit = 0};
    SCOPED(buf) one = {.limit = 0};
    SCOPED(buf) held = {.limit = 0};
    write_many(&all, 0);
    write_many(&one, MANY);
    begin(&fixture, REMOVED, buf_c(&all));
    change(&fixture, buf_c(&one));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Held"));
    SCOPED(buf) first = {.limit = 0};
    buf_add(&first, delivery_fixture_record(&fixture, "crs1", "prune.token"));
    const struct str token = buf_str(&first);
    CHECK_EQ(token.len, (size_t)18);
    buf_print(&held,
              "needs approval %.*s: 21 objects would be deleted, more than maxObjects (20): ",
              STR_ARG(token));
    CHECK_CONTAINS(delivery_fixture_record(&fixture, "crs1", "prune.message"), buf_str(&held));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "Pruned"), buf_str(&held));
    CHECK_CONTAINS(delivery_fixture_note(&fixture, "PruneHeld"), buf_str(&held));
    CHECK_EQ(delivery_fixture_events(&fixture, "PruneHeld"), (size_t)1);
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_prune_held_objects"), 21.0);

    TEST_CASE("a token that is another one");
    approve(&fixture, STR("prune/000000000000"));
    CHECK_EQ(count_deletes(&fixture), 0);

    TEST_CASE("another object is dropped meanwhile");
    change(&fixture, A);
    approve(&fixture, token);
    CHECK_EQ(count_deletes(&fixture), 0);
    SCOPED(buf) next = {.limit = 0};
    buf_add(&next, delivery_fixture_record(&fixture, "crs1", "prune.token"));
    CHECK(!str_eq(buf_str(&next), token));

    TEST_CASE("approved");
    approve(&fixture, buf_str(&next));
    CHECK_EQ(count_deletes(&fixture), (size_t)MANY + 1);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_prune_held_objects"), 0.0);
}

/* Applying takes three seconds. */
static void take_time(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy;
    (void)target;
    if (str_eq(method, STR("PATCH")))
        error_free(fiber_sleep(3 * SECOND)); /* canceled when its client goes */
}

/* c3, which was paused, has more to lose than the others, and is the last to be looked at. */
SIM_TEST(fl_37_what_one_cluster_has_too_many_of_is_deleted_nowhere)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    crs_fixture_init(&fixture);
    for (size_t i = 1; i <= CRS_FIXTURE_CLUSTERS; i++)
        crs_fixture_cluster(&fixture, i);
    crs_fixture_map(&fixture, "cm1", A B "---\n" CRS_FIXTURE_MANIFEST("c", "1"));
    delivery_fixture_policy(&fixture, "{\"prune\":{\"when\":[\"Removed\"],\"maxObjects\":1}}");
    crs_fixture_start(&fixture, NULL);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3", "{\"spec\":{\"paused\":true}}");
    CHECK_OK(fiber_sleep(10 * SECOND));
    change(&fixture, A B);
    CHECK(!crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("1", "c")));
    CHECK(crs_fixture_exists(&fixture, CRS_FIXTURE_OBJECT("3", "c")));
    crs_fixture_stop(&fixture);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c3", "{\"spec\":{\"paused\":false}}");
    crs_fixture_map(&fixture, "cm1", A);
    fixture.workloads[2].on_request = take_time;
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    buf_add(&token, delivery_fixture_record(&fixture, "crs1", "prune.token"));
    CHECK_CONTAINS(delivery_fixture_record(&fixture, "crs1", "prune.message"),
                   STR("1 object would be deleted, and more than maxObjects (1) on c3"));
    approve(&fixture, buf_str(&token));
    CHECK_EQ(count_deletes(&fixture), 4);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/");
}

SIM_TEST(fl_37_a_limit_that_is_raised_lets_it_go_on)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) all = {.limit = 0};
    write_many(&all, 0);
    begin(&fixture, REMOVED, buf_c(&all));
    change(&fixture, A);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Held"));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(count_deletes(&fixture), 0);
    delivery_fixture_policy(&fixture, "{\"prune\":{\"when\":[\"Removed\"],\"maxObjects\":50}}");
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(count_deletes(&fixture), (size_t)MANY + 1);
}

/* Somebody changes the object after it was listed, right before it is deleted. */
static void change_before_delete(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (!str_eq(method, STR("DELETE")) || !str_contains(target, STR("configmaps/b")))
        return;
    proxy->on_request = NULL;
    crs_fixture_do(fixture, "PATCH", OBJECT_B,
                   "{\"metadata\":{\"annotations\":{\"corset.dev/keep\":\"true\"}}}");
}

SIM_TEST(fl_41_an_object_that_changes_meanwhile_is_looked_at_again)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    fixture.workloads[0].data = &fixture;
    fixture.workloads[0].on_request = change_before_delete;
    change(&fixture, A);
    CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(count_deletes(&fixture), 1);
    crs_fixture_await_condition(&fixture, "crs1", "Pruned", "True/NothingLeft/1 object is kept");
}

/* The content that brings the object back arrives while the object is about to be deleted. */
static void bring_back(struct proxy *proxy, struct str method, struct str target)
{
    struct crs_fixture *fixture = proxy->data;
    if (!str_eq(method, STR("GET")) || !str_contains(target, STR("/api/v1/configmaps?")))
        return;
    proxy->on_request = NULL;
    crs_fixture_map(fixture, "cm1", A B);
    CHECK_OK(fiber_sleep(SECOND));
}

SIM_TEST(fl_41_what_comes_back_meanwhile_is_not_deleted)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    fixture.workloads[0].data = &fixture;
    fixture.workloads[0].on_request = bring_back;
    change(&fixture, A);
    CHECK(crs_fixture_exists(&fixture, OBJECT_B));
    CHECK_EQ(count_deletes(&fixture), 0);
}

/* Without its record a set applies everything again, and deletes only what says that it is its. */
SIM_TEST(fl_33_a_lost_record_deletes_nothing_that_is_wanted)
{
    SCOPED(crs_fixture) fixture;
    begin(&fixture, REMOVED, A B);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_BINDING,
                   "{\"metadata\":{\"annotations\":{\"corset.dev/delivery\":null}}}");
    CHECK_OK(fiber_sleep(30 * MINUTE)); /* a resync */
    CHECK_EQ(count_deletes(&fixture), 0);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Ready"));
}
