/* Namespaces and definitions that go, and what was under way when the process ended. */
#include "apiserver/apiserver_fixture_test.h"

#define SPACE   "/api/v1/namespaces/space"
#define MAPS    SPACE "/configmaps"
#define CRDS    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGET  CRDS "/widgets.test.io"
#define WIDGETS "/apis/test.io/v1/namespaces/default/widgets"

#define WIDGET_BODY(name, more)                                                                   \
    "{\"apiVersion\":\"test.io/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"" name "\"" more \
    "}}"

static const char space[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"space\"}}";

static const char held_map[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                               "\"name\":\"held\",\"finalizers\":[\"test/hold\"]}}";

static const char map[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"map\"}}";

static const char let_go[] = "{\"metadata\":{\"finalizers\":null}}";

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"widgets.test.io\"},\"spec\":{\"group\":\"test.io\",\"scope\":"
    "\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},\"versions\":[{\"name\":"
    "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static void settle(void)
{
    CHECK_OK(fiber_sleep(5 * SECOND));
}

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

static void restart(struct apiserver_fixture *fixture)
{
    apiserver_fixture_stop(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

/* A namespace whose preconditions fail is refused in other words than any other object. */
SIM_TEST(a_namespace_that_is_another_one_does_not_go)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE,
                                    "{\"preconditions\":{\"resourceVersion\":\"1\"}}"),
             409);
    CHECK(str_starts_with(apiserver_fixture_text(&fixture, "message"),
                          STR("Operation cannot be fulfilled on namespaces \"space\": Precondition "
                              "failed: ResourceVersion in precondition: 1, ResourceVersion in "
                              "object meta: ")));
    CHECK_EQ(apiserver_fixture_text(&fixture, "details.kind"), STR("namespaces"));
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "DELETE", SPACE, "{\"preconditions\":{\"uid\":\"u\"}}"),
        409);
    CHECK(str_starts_with(apiserver_fixture_text(&fixture, "message"),
                          STR("Operation cannot be fulfilled on namespaces \"space\": Precondition "
                              "failed: UID in precondition: u, UID in object meta: ")));
}

/* The error names the kind and group that the object has after the patch. */
SIM_TEST(a_custom_resource_of_a_wrong_version_is_called_what_it_says)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, CRDS, definition);
    apiserver_fixture_create(&fixture, WIDGETS, WIDGET_BODY("w", ""));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDGETS "/w", "{\"apiVersion\":\"v7\"}"),
             422);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("Widget \"w\" is invalid: apiVersion: Invalid value: \"v7\": must be test.io/v1"));
    CHECK(json_path(json_doc_root(fixture.doc), "details.group") == NULL);
}

SIM_TEST(a_namespace_goes_after_its_content)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    apiserver_fixture_create(&fixture, MAPS, map);
    apiserver_fixture_create(&fixture, CRDS, definition);
    apiserver_fixture_create(&fixture, "/apis/test.io/v1/namespaces/space/widgets",
                             WIDGET_BODY("w", ""));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.phase"), STR("Terminating"));
    apiserver_fixture_await(&fixture, SPACE, 404);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/map"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1/namespaces/space/widgets/w"), 404);
}

/* A namespace without finalizers is removed after the objects in it are removed. */
SIM_TEST(a_namespace_without_finalizers_goes_after_its_content)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    apiserver_fixture_create(&fixture, MAPS, map);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", SPACE "/finalize",
                                    "{\"metadata\":{\"name\":\"space\"}}"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.phase"), STR("Terminating"));
    CHECK(apiserver_fixture_text(&fixture, "metadata.deletionTimestamp").len > 0);
    apiserver_fixture_await(&fixture, SPACE, 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/map"), 404);
}

SIM_TEST(a_namespace_waits_for_finalizers_and_says_so)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    apiserver_fixture_create(&fixture, MAPS, map);
    apiserver_fixture_create(&fixture, MAPS, held_map);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/map"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, SPACE), 200);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("Some resources are remaining: "));
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("test/hold in 1 resource instances"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", MAPS, map), 403);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/held", let_go), 200);
    apiserver_fixture_await(&fixture, SPACE, 404);
}

SIM_TEST(a_namespace_waits_for_finalizers_of_its_own)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"space\","
        "\"finalizers\":[\"test/hold\"]}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, SPACE), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", SPACE, let_go), 200);
    apiserver_fixture_await(&fixture, SPACE, 404);
}

struct writer {
    struct apiserver_fixture *fixture;
    size_t number;
    const char *target, *version, *kind;
};

/* Creates until it is told that there is nothing to create in any more. */
static struct error *write_on(void *data)
{
    struct writer *writer = data;
    OWNED(http_client) client = apiserver_fixture_client(writer->fixture, writer->fixture->admin);
    for (size_t i = 0;; i++) {
        SCOPED(buf) body = {.limit = 0};
        OWNED(http_response) response = NULL;
        buf_print(&body,
                  "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"n%zu-%zu\"}}",
                  writer->version, writer->kind, writer->number, i);
        const struct http_client_request request = {
            .method = STR("POST"), .target = str_from_c(writer->target), .body = buf_str(&body)};
        TRY(http_client_send(client, &request, &response));
        if (http_response_status(response) != 201)
            return NULL;
    }
}

static void start_writers(struct scope *scope, struct writer *writers, size_t count,
                          struct writer like)
{
    for (size_t i = 0; i < count; i++) {
        writers[i] = like;
        writers[i].number = i;
        scope_start(scope, "writer", write_on, &writers[i]);
    }
    CHECK_OK(fiber_sleep(200 * MILLISECOND));
}

SIM_TEST(late_writes_leave_nothing_in_a_namespace_that_went)
{
    SCOPED(apiserver_fixture) fixture;
    struct writer writers[4];
    SCOPED(scope) scope = {0};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    start_writers(&scope, writers, COUNT(writers),
                  (struct writer){&fixture, 0, MAPS, "v1", "ConfigMap"});
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    CHECK_OK(scope_wait(&scope));
    apiserver_fixture_await(&fixture, SPACE, 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)0);
}

SIM_TEST(late_writes_leave_nothing_behind_a_definition_that_went)
{
    SCOPED(apiserver_fixture) fixture;
    struct writer writers[8];
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int round = 0; round < 10; round++) {
        TEST_CASE("round %d", round);
        SCOPED(scope) scope = {0};
        apiserver_fixture_create(&fixture, CRDS, definition);
        CHECK_EQ(apiserver_fixture_get(&fixture, WIDGETS), 200);
        CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)0);
        start_writers(&scope, writers, COUNT(writers),
                      (struct writer){&fixture, 0, WIDGETS, "test.io/v1", "Widget"});
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", WIDGET, ""), 200);
        apiserver_fixture_await(&fixture, WIDGET, 404);
        CHECK_OK(scope_wait(&scope));
    }
}

SIM_TEST(furniture_stays)
{
    static const char *const kept[] = {"default", "kube-system", "kube-public"};
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(kept); i++) {
        char target[64];
        snprintf(target, sizeof(target), "/api/v1/namespaces/%s", kept[i]);
        TEST_CASE("%s", kept[i]);
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", target, ""), 403);
    }
}

SIM_TEST(a_definition_goes_after_its_objects)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(&fixture, CRDS, definition);
    apiserver_fixture_create(&fixture, WIDGETS, WIDGET_BODY("a", ""));
    apiserver_fixture_create(&fixture, WIDGETS,
                             WIDGET_BODY("held", ",\"finalizers\":[\"test/hold\"]"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", WIDGET, ""), 200);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, WIDGETS "/a"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, WIDGET), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", WIDGETS, WIDGET_BODY("late", "")), 403);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDGETS "/held", let_go), 200);
    apiserver_fixture_await(&fixture, WIDGET, 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, WIDGETS), 404);
}

SIM_TEST(a_watch_ends_with_its_definition)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) event = {.limit = 0};
    begin(&fixture);
    apiserver_fixture_create(&fixture, CRDS, definition);
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, WIDGETS "?watch=1");
    apiserver_fixture_create(&fixture, WIDGETS, WIDGET_BODY("a", ""));
    CHECK(str_starts_with(apiserver_fixture_event(watch, &event), STR("ADDED a@")));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", WIDGET, ""), 200);
    CHECK(str_starts_with(apiserver_fixture_event(watch, &event), STR("DELETED a@")));
    CHECK_EQ(apiserver_fixture_event(watch, &event), STR(""));
}

SIM_TEST(work_under_way_goes_on_after_a_restart)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    apiserver_fixture_create(&fixture, MAPS, held_map);
    apiserver_fixture_create(&fixture, CRDS, definition);
    apiserver_fixture_create(&fixture, WIDGETS,
                             WIDGET_BODY("held", ",\"finalizers\":[\"test/hold\"]"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", WIDGET, ""), 200);
    restart(&fixture);
    settle();
    CHECK_EQ(apiserver_fixture_get(&fixture, SPACE), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, WIDGET), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/held", let_go), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDGETS "/held", let_go), 200);
    apiserver_fixture_await(&fixture, SPACE, 404);
    apiserver_fixture_await(&fixture, WIDGET, 404);
}

SIM_TEST(owners_are_known_after_a_restart)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/configmaps", map);
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"child\","
              "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"map\","
              "\"uid\":\"%.*s\"}]}}",
              STR_ARG(apiserver_fixture_text(&fixture, "metadata.uid")));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/configmaps", buf_c(&body));
    restart(&fixture);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/configmaps/child"), 200);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/default/configmaps/map", ""),
        200);
    apiserver_fixture_await(&fixture, "/api/v1/namespaces/default/configmaps/child", 404);
}

/* Stopped in the middle: nothing is lost that was acknowledged, and the rest is made up for. */
SIM_TEST(a_server_stopped_while_it_cleans_up_goes_on)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces", space);
    for (int i = 0; i < 30; i++) {
        char body[128];
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%d\"}}",
                 i);
        apiserver_fixture_create(&fixture, MAPS, body);
    }
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", SPACE, ""), 200);
    restart(&fixture);
    restart(&fixture);
    apiserver_fixture_await(&fixture, SPACE, 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)0);
}
