/* Owners and dependents, namespaces and definitions that go: what a client sees of it. */
#include "apiserver/apiserver_fixture_test.h"

#define MAPS        "/api/v1/namespaces/default/configmaps"
#define NODES       "/api/v1/nodes"
#define CONTROLLERS "/api/v1/namespaces/default/replicationcontrollers"

struct reference {
    const char *kind, *name, *uid;
    bool blocks;
};

static void add_references(struct buf *out, const struct reference *owners, size_t count)
{
    buf_add(out, STR("\"ownerReferences\":["));
    for (size_t i = 0; i < count; i++)
        buf_print(out,
                  "%s{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\","
                  "\"blockOwnerDeletion\":%s}",
                  i ? "," : "", owners[i].kind, owners[i].name, owners[i].uid,
                  owners[i].blocks ? "true" : "false");
    buf_add(out, STR("]"));
}

/* A ConfigMap or Node with owners and perhaps a finalizer; its uid is put into uid. */
static void make_in(struct apiserver_fixture *fixture, const char *target, const char *kind,
                    const char *name, const char *finalizer, const struct reference *owners,
                    size_t count, char uid[64])
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\",", kind,
              name);
    if (finalizer)
        buf_print(&body, "\"finalizers\":[\"%s\"],", finalizer);
    add_references(&body, owners, count);
    buf_add(&body, STR("}}"));
    apiserver_fixture_create(fixture, target, buf_c(&body));
    if (uid)
        snprintf(uid, 64, "%.*s", STR_ARG(apiserver_fixture_text(fixture, "metadata.uid")));
}

static void make(struct apiserver_fixture *fixture, const char *name, const char *finalizer,
                 const struct reference *owners, size_t count, char uid[64])
{
    make_in(fixture, MAPS, "ConfigMap", name, finalizer, owners, count, uid);
}

static int delete (struct apiserver_fixture *fixture, const char *target, const char *policy)
{
    SCOPED(buf) whole = {.limit = 0};
    buf_print(&whole, "%s%s%s", target, policy ? "?propagationPolicy=" : "", policy ? policy : "");
    return apiserver_fixture_call(fixture, "DELETE", buf_c(&whole), "");
}

static void settle(void)
{
    CHECK_OK(fiber_sleep(5 * SECOND));
}

SIM_TEST(dependents_go_after_their_owner_in_chains)
{
    static const char *const policies[] = {NULL, "Background", "Foreground"};
    for (size_t i = 0; i < COUNT(policies); i++) {
        TEST_CASE("%s", policies[i] ? policies[i] : "unset");
        char a[64], b[64];
        SCOPED(apiserver_fixture) fixture;
        apiserver_fixture_init(&fixture);
        CHECK_OK(apiserver_fixture_start(&fixture));
        make(&fixture, "a", NULL, NULL, 0, a);
        make(&fixture, "b", NULL, &(struct reference){"ConfigMap", "a", a, true}, 1, b);
        make(&fixture, "c", NULL, &(struct reference){"ConfigMap", "b", b, true}, 1, NULL);
        make(&fixture, "other", NULL, NULL, 0, NULL);
        CHECK_EQ(delete (&fixture, MAPS "/a", policies[i]), 200);
        apiserver_fixture_await(&fixture, MAPS "/c", 404);
        apiserver_fixture_await(&fixture, MAPS "/b", 404);
        apiserver_fixture_await(&fixture, MAPS "/a", 404);
        CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/other"), 200);
    }
}

SIM_TEST(an_owner_in_the_foreground_waits_for_those_that_block_it)
{
    char a[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "held", "test/hold", &(struct reference){"ConfigMap", "a", a, true}, 1, NULL);
    make(&fixture, "free", NULL, &(struct reference){"ConfigMap", "a", a, false}, 1, NULL);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Foreground"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.finalizers.0"), STR("foregroundDeletion"));
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/free"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK(apiserver_fixture_text(&fixture, "metadata.deletionTimestamp").len > 0);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("\"foregroundDeletion\""));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/held",
                                    "{\"metadata\":{\"finalizers\":null}}"),
             200);
    apiserver_fixture_await(&fixture, MAPS "/held", 404);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
}

SIM_TEST(an_owner_in_the_foreground_does_not_wait_for_those_that_do_not_block)
{
    char a[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "held", "test/hold", &(struct reference){"ConfigMap", "a", a, false}, 1, NULL);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Foreground"), 200);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/held"), 200);
}

SIM_TEST(objects_that_own_each_other_go_in_the_foreground)
{
    char a[64], b[64];
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) patch = {.limit = 0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "b", NULL, &(struct reference){"ConfigMap", "a", a, true}, 1, b);
    buf_add(&patch, STR("{\"metadata\":{"));
    add_references(&patch, &(struct reference){"ConfigMap", "b", b, true}, 1);
    buf_add(&patch, STR("}}"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", buf_c(&patch)), 200);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Foreground"), 200);
    apiserver_fixture_await(&fixture, MAPS "/b", 404);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
}

SIM_TEST(an_object_that_owns_itself_goes_in_the_foreground)
{
    char a[64];
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) patch = {.limit = 0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    buf_add(&patch, STR("{\"metadata\":{"));
    add_references(&patch, &(struct reference){"ConfigMap", "a", a, true}, 1);
    buf_add(&patch, STR("}}"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", buf_c(&patch)), 200);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Foreground"), 200);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
}

/* As their first versions did: what a Job or a ReplicationController owns is kept by default. */
SIM_TEST(a_replication_controller_that_goes_leaves_its_dependents_unless_told_otherwise)
{
    static const struct {
        const char *policy;
        int status; /* of the dependent, afterwards */
    } cases[] = {
        {NULL,         200},
        {"Background", 404},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(apiserver_fixture) fixture;
        char uid[64];
        TEST_CASE("%s", cases[i].policy ? cases[i].policy : "no policy");
        apiserver_fixture_init(&fixture);
        CHECK_OK(apiserver_fixture_start(&fixture));
        apiserver_fixture_create(
            &fixture, CONTROLLERS,
            "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"template\":{"
            "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":["
            "{\"name\":\"c\",\"image\":\"i\"}]}}}}");
        snprintf(uid, sizeof(uid), "%.*s",
                 STR_ARG(apiserver_fixture_text(&fixture, "metadata.uid")));
        const struct reference owner = {"ReplicationController", "r", uid, false};
        make(&fixture, "dependent", NULL, &owner, 1, NULL);
        CHECK_EQ(delete (&fixture, CONTROLLERS "/r", cases[i].policy), 200);
        apiserver_fixture_await(&fixture, CONTROLLERS "/r", 404);
        settle();
        CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/dependent"), cases[i].status);
    }
}

/* Adds "name " of every finalizer of the last answer. */
static struct str finalizers(const struct apiserver_fixture *fixture, struct buf *out)
{
    const struct json_value *item;
    buf_clear(out);
    JSON_FOREACH (key, item, json_path(json_doc_root(fixture->doc), "metadata.finalizers"))
        buf_print(out, "%.*s ", STR_ARG(json_to_str(item)));
    return buf_str(out);
}

/* As in Kubernetes, a policy holds until another one is given. */
SIM_TEST(a_deletion_under_way_takes_another_policy)
{
    static const struct {
        const char *policy, *finalizers;
    } steps[] = {
        {"Foreground", "test/hold foregroundDeletion "},
        {NULL,         "test/hold foregroundDeletion "},
        {"Background", "test/hold "                   },
        {"Orphan",     "test/hold orphan "            },
    };
    char a[64];
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", "test/hold", NULL, 0, a);
    make(&fixture, "b", "test/hold", &(struct reference){"ConfigMap", "a", a, true}, 1, NULL);
    for (size_t i = 0; i < COUNT(steps); i++) {
        TEST_CASE("%zu", i);
        CHECK_EQ(delete (&fixture, MAPS "/a", steps[i].policy), 200);
        CHECK_EQ(finalizers(&fixture, &text), str_from_c(steps[i].finalizers));
        const struct str now = apiserver_fixture_text(&fixture, "metadata.resourceVersion");
        CHECK_EQ(str_eq(now, buf_str(&version)), steps[i].policy == NULL);
        buf_clear(&version);
        buf_add(&version, now);
    }
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(finalizers(&fixture, &text), STR("test/hold "));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/b"), 200);
    CHECK(json_path(json_doc_root(fixture.doc), "metadata.ownerReferences") == NULL);
}

SIM_TEST(a_deletion_in_the_foreground_ends_at_once_in_the_background)
{
    char a[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "b", "test/hold", &(struct reference){"ConfigMap", "a", a, true}, 1, NULL);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Foreground"), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Background"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("Status"));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 404);
}

/* Events own nothing, so that no policy keeps them. */
SIM_TEST(an_event_goes_at_once_whatever_its_policy)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/events",
                             "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"namespace\":"
                             "\"default\"}}");
    CHECK_EQ(delete (&fixture, "/api/v1/namespaces/default/events/e", "Foreground"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("Status"));
}

/* Also for a kind whose changes are not counted: what a client gave is counted on. */
SIM_TEST(a_deletion_that_waits_is_a_generation)
{
    SCOPED(apiserver_fixture) fixture;
    int64_t generation = 0;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, MAPS,
                             "{\"metadata\":{\"name\":\"m\",\"generation\":7,\"finalizers\":["
                             "\"test/hold\"]}}");
    CHECK_EQ(delete (&fixture, MAPS "/m", NULL), 200);
    CHECK(json_to_int64(json_path(json_doc_root(fixture.doc), "metadata.generation"), &generation));
    CHECK_EQ(generation, (int64_t)8);
}

SIM_TEST(orphans_stay_and_forget_their_owner)
{
    char a[64], other[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "other", NULL, NULL, 0, other);
    const struct reference both[] = {
        {"ConfigMap", "a",     a,     true},
        {"ConfigMap", "other", other, true},
    };
    make(&fixture, "alone", NULL, both, 1, NULL);
    make(&fixture, "shared", NULL, both, 2, NULL);
    CHECK_EQ(delete (&fixture, MAPS "/a", "Orphan"), 200);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/alone"), 200);
    CHECK(json_path(json_doc_root(fixture.doc), "metadata.ownerReferences") == NULL);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/shared"), 200);
    const struct json_value *left =
        json_path(json_doc_root(fixture.doc), "metadata.ownerReferences");
    CHECK_EQ(json_count(left), (size_t)1);
    CHECK_EQ(json_path_str(json_at(left, 0), "name"), STR("other"));
}

SIM_TEST(of_several_owners_the_last_takes_its_dependent_along)
{
    char a[64], b[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "b", NULL, NULL, 0, b);
    const struct reference both[] = {
        {"ConfigMap", "a", a, true},
        {"ConfigMap", "b", b, true},
    };
    make(&fixture, "c", NULL, both, 2, NULL);
    CHECK_EQ(delete (&fixture, MAPS "/a", NULL), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/c"), 200);
    const struct json_value *left =
        json_path(json_doc_root(fixture.doc), "metadata.ownerReferences");
    CHECK_EQ(json_count(left), (size_t)1);
    CHECK_EQ(json_path_str(json_at(left, 0), "name"), STR("b"));
    CHECK_EQ(delete (&fixture, MAPS "/b", NULL), 200);
    apiserver_fixture_await(&fixture, MAPS "/c", 404);
}

SIM_TEST(nothing_goes_on_a_guess)
{
    char a[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make(&fixture, "a", NULL, NULL, 0, a);
    make(&fixture, "unknown", NULL, &(struct reference){"Gizmo", "g", "u", true}, 1, NULL);
    make_in(&fixture, NODES, "Node", "n", NULL, &(struct reference){"ConfigMap", "a", a, true}, 1,
            NULL);
    make(&fixture, "absent", NULL, &(struct reference){"ConfigMap", "never", "u", true}, 1, NULL);
    make(&fixture, "another", NULL, &(struct reference){"ConfigMap", "a", "u", true}, 1, NULL);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/unknown"), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, NODES "/n"),
             200); /* its owner cannot be in a namespace */
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/absent"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/another"),
             404); /* an owner of this name, but another uid */
}

SIM_TEST(what_a_cluster_scoped_object_owns_goes_with_it)
{
    char node[64];
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make_in(&fixture, NODES, "Node", "n", NULL, NULL, 0, node);
    make(&fixture, "a", NULL, &(struct reference){"Node", "n", node, true}, 1, NULL);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(delete (&fixture, NODES "/n", NULL), 200);
    apiserver_fixture_await(&fixture, MAPS "/a", 404);
}

/* A ConfigMap with so many finalizers that no other one has. */
static void make_held(struct apiserver_fixture *fixture, const char *target, int index, int count)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body, "{\"metadata\":{\"name\":\"m%d\",\"finalizers\":[", index);
    for (int i = 0; i < count; i++)
        buf_print(&body, "%s\"test/hold-%d-%d\"", i ? "," : "", index, i);
    buf_add(&body, STR("]}}"));
    apiserver_fixture_create(fixture, target, buf_c(&body));
}

/* It would become too large for any later write. */
SIM_TEST(a_namespace_names_some_of_the_finalizers_it_waits_for)
{
    static const char target[] = "/api/v1/namespaces/n/configmaps";
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    for (int i = 0; i < 3; i++)
        make_held(&fixture, target, i, 1000);
    CHECK_EQ(delete (&fixture, "/api/v1/namespaces/n", NULL), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/n"), 200);
    CHECK(fixture.answer.len < 8000);
    CHECK_CONTAINS(buf_str(&fixture.answer),
                   STR("test/hold-0-0 in 1 resource instances, test/hold-0-1 in 1 resource "
                       "instances, "));
    CHECK_CONTAINS(buf_str(&fixture.answer),
                   STR("test/hold-0-49 in 1 resource instances, other finalizers in 3 resource "
                       "instances\""));
    CHECK_CONTAINS(buf_str(&fixture.answer),
                   STR("remaining: configmaps has 3 resource instances\""));
}
