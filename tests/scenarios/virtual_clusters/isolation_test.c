/* What happens in one virtual cluster is not seen in another, nor in the main API. */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "client/watch.h"
#include "scenarios/virtual_clusters/vc_fixture.h"
#include "testing/sim.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define RBAC        "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
#define WIDGETS     "/apis/example.com/v1/namespaces/default/widgets"

/* Everything a test asks through: the three admins. */
struct three {
    struct vc_fixture fixture;
    struct vc_fixture_user main, one, two;
};

static void three_init(struct three *three)
{
    vc_fixture_init(&three->fixture, 3, "");
    vc_fixture_admin(&three->fixture, VC_FIXTURE_MAIN, &three->main);
    vc_fixture_admin(&three->fixture, "vc-0001", &three->one);
    vc_fixture_admin(&three->fixture, "vc-0002", &three->two);
}

static void three_done(struct three *three)
{
    vc_fixture_user_done(&three->main);
    vc_fixture_user_done(&three->one);
    vc_fixture_user_done(&three->two);
    vc_fixture_done(&three->fixture);
}

LOOP_TEST(objects_of_one_name_are_different_objects)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(three) three;
    three_init(&three);
    CHECK_EQ(vc_fixture_put(&three.main, "same", "main"), 201);
    CHECK_EQ(vc_fixture_put(&three.one, "same", "one"), 201);
    CHECK_EQ(vc_fixture_put(&three.two, "same", "two"), 201);
    CHECK_EQ(vc_fixture_put(&three.two, "same", "again"), 409);
    CHECK_EQ(vc_fixture_get(&three.main, &arena, "same"), STR("main"));
    CHECK_EQ(vc_fixture_get(&three.one, &arena, "same"), STR("one"));
    CHECK_EQ(vc_fixture_ask(&three.one, "DELETE", "/api/v1/namespaces/default/configmaps/same",
                            NULL, NULL),
             200);
    CHECK_EQ(vc_fixture_get(&three.one, &arena, "same"), STR(""));
    CHECK_EQ(vc_fixture_get(&three.main, &arena, "same"), STR("main"));
    CHECK_EQ(vc_fixture_get(&three.two, &arena, "same"), STR("two"));
}

static const char widgets[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";

static const char widget[] = "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\","
                             "\"metadata\":{\"name\":\"a\"}}";

static bool mentions_widgets(struct vc_fixture_user *user, const char *target)
{
    SCOPED(buf) answer = {.limit = 16 * MEGABYTE};
    CHECK_EQ(vc_fixture_ask(user, "GET", target, NULL, &answer), 200);
    return str_contains(buf_str(&answer), STR("example.com"));
}

LOOP_TEST(a_definition_is_served_where_it_was_made)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(three) three;
    three_init(&three);
    CHECK_EQ(vc_fixture_ask(&three.one, "POST", DEFINITIONS, widgets, NULL), 201);
    while (vc_fixture_ask(&three.one, "GET", WIDGETS, NULL, NULL) == 404)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    const char *const lists[] = {"/", "/apis", "/openapi/v2", "/openapi/v3", DEFINITIONS};
    for (size_t i = 0; i < COUNT(lists); i++) {
        TEST_CASE("%s", lists[i]);
        CHECK(mentions_widgets(&three.one, lists[i]));
        CHECK(!mentions_widgets(&three.two, lists[i]));
        CHECK(!mentions_widgets(&three.main, lists[i]));
    }
    CHECK_EQ(vc_fixture_ask(&three.one, "POST", WIDGETS, widget, NULL), 201);
    CHECK_EQ(vc_fixture_ask(&three.two, "POST", WIDGETS, widget, NULL), 404);
    CHECK_EQ(vc_fixture_ask(&three.main, "POST", WIDGETS, widget, NULL), 404);
    CHECK_EQ(vc_fixture_ask(&three.two, "GET", "/apis/example.com/v1", NULL, NULL), 404);
    CHECK_EQ(vc_fixture_ask(&three.one, "GET", "/apis/example.com/v1", NULL, NULL), 200);
}

/*
 * kubectl puts the prefix of its server before URLs of the index that begin with /openapi/v3, and
 * asks for others as they are. That server may be a proxy.
 */
LOOP_TEST(openapi_leads_back_to_its_own_cluster)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(buf) answer = {.limit = 16 * MEGABYTE};
    SCOPED(vc_fixture_user) root = {0};
    SCOPED(buf) token = {.secret = true};
    SCOPED(three) three;
    three_init(&three);
    CHECK_EQ(vc_fixture_ask(&three.one, "GET", "/openapi/v3", NULL, &answer), 200);
    CHECK_CONTAINS(buf_str(&answer), STR("\"/openapi/v3/api/v1?hash="));
    CHECK(!str_contains(buf_str(&answer), STR("\"/clusters/")));
    apiserver_cluster_token(three.fixture.server, 0, &token);
    vc_fixture_bearer(&three.fixture, VC_FIXTURE_MAIN, buf_str(&token), &root);
    CHECK_EQ(vc_fixture_ask(&root, "GET", "/clusters/vc-0001/openapi/v3/api/v1", NULL, &answer),
             200);
    CHECK_CONTAINS(buf_str(&answer), STR("ConfigMap"));
    CHECK_EQ(vc_fixture_ask(&three.main, "GET", "/openapi/v3", NULL, &answer), 200);
    CHECK_CONTAINS(buf_str(&answer), STR("\"/openapi/v3/api/v1?hash="));
}

/* A token of the ServiceAccount "robot", made on the way. */
static struct str robot_token(struct vc_fixture_user *admin, struct arena *arena)
{
    SCOPED(buf) answer = {.limit = MEGABYTE, .secret = true};
    OWNED(json_doc) doc = NULL;
    CHECK_EQ(vc_fixture_ask(admin, "POST", "/api/v1/namespaces/default/serviceaccounts",
                            "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\","
                            "\"metadata\":{\"name\":\"robot\"}}",
                            NULL),
             201);
    CHECK_EQ(
        vc_fixture_ask(admin, "POST", "/api/v1/namespaces/default/serviceaccounts/robot/token",
                       "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\","
                       "\"spec\":{}}",
                       &answer),
        201);
    CHECK_OK(json_read(buf_str(&answer), &doc));
    const struct json_value *status = json_get(json_doc_root(doc), STR("status"));
    const struct str token = json_to_str(json_get(status, STR("token")));
    CHECK(token.len > 0);
    return arena_str(arena, token);
}

static int status_of(struct vc_fixture *fixture, const char *cluster, struct str token,
                     const char *target)
{
    SCOPED(vc_fixture_user) user = {0};
    vc_fixture_bearer(fixture, cluster, token, &user);
    return vc_fixture_ask(&user, "GET", target, NULL, NULL);
}

LOOP_TEST(a_credential_counts_where_it_was_given_out)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(buf) one = {.secret = true};
    SCOPED(buf) two = {.secret = true};
    SCOPED(vc_fixture_user) stranger = {0};
    SCOPED(three) three;
    three_init(&three);
    apiserver_cluster_token(three.fixture.server, 0, &one);
    apiserver_cluster_token(three.fixture.server, 1, &two);
    /* A robot is known where it was made, but may do nothing: 403. */
    const struct {
        const char *name;
        struct str token;
        int in_main, in_one, in_two;
    } cases[] = {
        {"admin of vc-0001", buf_str(&one),          401,               200,                           401                                                                },
        {"admin of vc-0002", buf_str(&two),          401,               401,                           200                                                                },
        {"robot of vc-0001", robot_token(&three.one, &arena),           401,                           403,                                                                 401},
        {"robot of vc-0002",                  robot_token(&three.two,                       &arena), 401, 401,                                                                 403},
        {"robot of main",               robot_token(&three.main,                                     &arena),                                        403,                                401,401},
        {"no token",               STR(""),                                  403,                                                   403,                                        403                                                                                              },
        {"any token",               STR("eyJhbGciOiJub25lIn0.e30.eA"),                                  401, 401,401},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *namespaces = "/api/v1/namespaces";
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(status_of(&three.fixture, VC_FIXTURE_MAIN, cases[i].token, namespaces),
                 cases[i].in_main);
        CHECK_EQ(status_of(&three.fixture, "vc-0001", cases[i].token, namespaces), cases[i].in_one);
        CHECK_EQ(status_of(&three.fixture, "vc-0002", cases[i].token, namespaces), cases[i].in_two);
    }
    TEST_CASE("the main admin's certificate is nobody's in a cluster");
    vc_fixture_stranger(&three.fixture, "vc-0001", &stranger);
    CHECK_EQ(vc_fixture_ask(&stranger, "GET", "/api/v1/namespaces", NULL, NULL), 403);
    CHECK_EQ(vc_fixture_ask(&stranger, "GET", "/version", NULL, NULL), 200);
    TEST_CASE("a cluster that is not there");
    CHECK_EQ(status_of(&three.fixture, "vc-0004", buf_str(&one), "/version"), 404);
    CHECK_EQ(status_of(&three.fixture, "vc-0001/../vc-0002", buf_str(&two), "/version"), 404);
}

LOOP_TEST(a_rule_holds_where_it_was_made)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(three) three;
    three_init(&three);
    const struct str one = robot_token(&three.one, &arena);
    const struct str two = robot_token(&three.two, &arena);
    CHECK_EQ(vc_fixture_ask(&three.one, "POST", RBAC "/roles",
                            "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"Role\","
                            "\"metadata\":{\"name\":\"reader\"},\"rules\":[{\"apiGroups\":[\"\"],"
                            "\"resources\":[\"configmaps\"],\"verbs\":[\"list\"]}]}",
                            NULL),
             201);
    CHECK_EQ(
        vc_fixture_ask(&three.one, "POST", RBAC "/rolebindings",
                       "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\","
                       "\"metadata\":{\"name\":\"reader\"},\"roleRef\":{\"apiGroup\":"
                       "\"rbac.authorization.k8s.io\",\"kind\":\"Role\",\"name\":\"reader\"},"
                       "\"subjects\":[{\"kind\":\"ServiceAccount\",\"namespace\":\"default\","
                       "\"name\":\"robot\"}]}",
                       NULL),
        201);
    const char *maps = "/api/v1/namespaces/default/configmaps";
    CHECK_EQ(status_of(&three.fixture, "vc-0001", one, maps), 200);
    CHECK_EQ(status_of(&three.fixture, "vc-0001", one, "/api/v1/namespaces/default/secrets"), 403);
    CHECK_EQ(status_of(&three.fixture, "vc-0002", two, maps), 403);
}

LOOP_TEST(a_watch_sees_its_own_cluster)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    OWNED(watch) watch = NULL;
    SCOPED(three) three;
    struct watch_event event;
    three_init(&three);
    CHECK_EQ(vc_fixture_put(&three.one, "first", ""), 201);
    CHECK_OK(watch_open(three.one.client, GVR_CONFIG_MAPS, STR("default"),
                        &(struct watch_options){.no_bookmarks = true}, &watch));
    CHECK_OK(watch_next(watch, &event));
    if (str_eq(object_name(event.object), STR("kube-root-ca.crt")))
        CHECK_OK(watch_next(watch, &event));
    CHECK_EQ(object_name(event.object), STR("first"));
    CHECK_EQ(vc_fixture_put(&three.main, "main", ""), 201);
    CHECK_EQ(vc_fixture_put(&three.two, "two", ""), 201);
    CHECK_EQ(vc_fixture_put(&three.one, "one", ""), 201);
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ(object_name(event.object), STR("one"));
    watch_free(TAKE(watch));
}

LOOP_TEST(every_cluster_counts_its_own_revisions)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(three) three;
    SCOPED(vc_fixture_user) fresh = {0};
    three_init(&three);
    vc_fixture_admin(&three.fixture, "vc-0003", &fresh);
    const char *maps = "/api/v1/configmaps?limit=1", *version = "metadata.resourceVersion";
    const struct str before = vc_fixture_look(&three.one, &arena, maps, version);
    CHECK(before.len > 0);
    for (int i = 0; i < 20; i++) {
        SCOPED(buf) name = {.limit = KILOBYTE};
        buf_print(&name, "map-%d", i);
        CHECK_EQ(vc_fixture_put(&three.two, buf_c(&name), ""), 201);
    }
    CHECK_EQ(vc_fixture_look(&three.one, &arena, maps, version), before);
    CHECK_EQ(vc_fixture_look(&fresh, &arena, maps, version), before);
    CHECK(!str_eq(vc_fixture_look(&three.two, &arena, maps, version), before));
}

struct writer {
    struct vc_fixture_user *user;
    int number, status;
};

static struct error *write_one(void *data)
{
    struct writer *writer = data;
    SCOPED(buf) name = {.limit = KILOBYTE};
    buf_print(&name, "map-%d", writer->number);
    writer->status = vc_fixture_put(writer->user, buf_c(&name), "");
    return NULL;
}

/* The first request makes the API; those beside it must not make another. */
LOOP_TEST(first_requests_at_once_lose_nothing)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(three) three;
    SCOPED(scope) scope = {0};
    struct writer writers[20];
    three_init(&three);
    for (int i = 0; i < (int)COUNT(writers); i++) {
        writers[i] = (struct writer){&three.one, i, 0};
        scope_start(&scope, "writer", write_one, &writers[i]);
    }
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < COUNT(writers); i++) {
        SCOPED(buf) target = {.limit = KILOBYTE};
        CHECK_EQ(writers[i].status, 201);
        buf_print(&target, "/api/v1/namespaces/default/configmaps/map-%zu", i);
        CHECK_EQ(vc_fixture_ask(&three.one, "GET", buf_c(&target), NULL, NULL), 200);
    }
}

static void wait_gone(struct vc_fixture_user *user, const char *target)
{
    while (vc_fixture_ask(user, "GET", target, NULL, NULL) != 404)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
}

/* The namespace "going" with the map "owner" and, owned by it, "owned" in it. */
static void make_family(struct vc_fixture_user *user, struct arena *arena)
{
    const char *maps = "/api/v1/namespaces/going/configmaps";
    SCOPED(buf) owned = {.limit = KILOBYTE};
    CHECK_EQ(vc_fixture_ask(user, "POST", "/api/v1/namespaces",
                            "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\","
                            "\"metadata\":{\"name\":\"going\"}}",
                            NULL),
             201);
    CHECK_EQ(vc_fixture_ask(user, "POST", maps,
                            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                            "\"metadata\":{\"name\":\"owner\"}}",
                            NULL),
             201);
    const struct str uid =
        vc_fixture_look(user, arena, "/api/v1/namespaces/going/configmaps/owner", "metadata.uid");
    buf_print(&owned,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"owned\","
              "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
              "\"name\":\"owner\",\"uid\":\"%.*s\"}]}}",
              STR_ARG(uid));
    CHECK_EQ(vc_fixture_ask(user, "POST", maps, buf_c(&owned), NULL), 201);
}

LOOP_TEST(a_cluster_is_cleaned_up_and_rests_without_a_fiber)
{
    FIBER_TIMEOUT(VC_FIXTURE_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(three) three;
    three_init(&three);
    CHECK_EQ(vc_fixture_ask(&three.two, "GET", "/version", NULL, NULL), 200);
    CHECK_OK(fiber_sleep(50 * MILLISECOND));
    const size_t at_rest = loop_fiber_count(loop_current());
    make_family(&three.one, &arena);
    make_family(&three.two, &arena);
    CHECK_EQ(vc_fixture_ask(&three.one, "DELETE", "/api/v1/namespaces/going/configmaps/owner", NULL,
                            NULL),
             200);
    wait_gone(&three.one, "/api/v1/namespaces/going/configmaps/owned");
    CHECK_EQ(vc_fixture_ask(&three.one, "DELETE", "/api/v1/namespaces/going", NULL, NULL), 200);
    wait_gone(&three.one, "/api/v1/namespaces/going");
    CHECK_EQ(
        vc_fixture_ask(&three.two, "GET", "/api/v1/namespaces/going/configmaps/owned", NULL, NULL),
        200);
    CHECK_OK(fiber_sleep(50 * MILLISECOND));
    CHECK_EQ(loop_fiber_count(loop_current()), at_rest);
}
