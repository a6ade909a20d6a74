/* Namespaces and definitions that go, and what was under way when the process ended. */
#include "apiserver/stage_test.h"

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

static void begin(struct stage *stage)
{
    stage_init(stage);
    CHECK_OK(stage_start(stage));
}

static void restart(struct stage *stage)
{
    stage_stop(stage);
    CHECK_OK(stage_start(stage));
}

SIM_TEST(a_namespace_goes_after_its_content)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_create(&stage, "/api/v1/namespaces", space);
    stage_create(&stage, MAPS, map);
    stage_create(&stage, CRDS, definition);
    stage_create(&stage, "/apis/test.io/v1/namespaces/space/widgets", WIDGET_BODY("w", ""));
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    CHECK_EQ(stage_text(&stage, "status.phase"), STR("Terminating"));
    stage_await(&stage, SPACE, 404);
    stage_create(&stage, "/api/v1/namespaces", space);
    CHECK_EQ(stage_get(&stage, MAPS "/map"), 404);
    CHECK_EQ(stage_get(&stage, "/apis/test.io/v1/namespaces/space/widgets/w"), 404);
}

SIM_TEST(a_namespace_waits_for_finalizers_and_says_so)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_create(&stage, "/api/v1/namespaces", space);
    stage_create(&stage, MAPS, map);
    stage_create(&stage, MAPS, held_map);
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    settle();
    CHECK_EQ(stage_get(&stage, MAPS "/map"), 404);
    CHECK_EQ(stage_get(&stage, SPACE), 200);
    CHECK_CONTAINS(buf_str(&stage.answer), STR("Some resources are remaining: "));
    CHECK_CONTAINS(buf_str(&stage.answer), STR("test/hold in 1 resource instances"));
    CHECK_EQ(stage_call(&stage, "POST", MAPS, map), 403);
    CHECK_EQ(stage_call(&stage, "PATCH", MAPS "/held", let_go), 200);
    stage_await(&stage, SPACE, 404);
}

SIM_TEST(a_namespace_waits_for_finalizers_of_its_own)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_create(&stage, "/api/v1/namespaces",
                 "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"space\","
                 "\"finalizers\":[\"test/hold\"]}}");
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    settle();
    CHECK_EQ(stage_get(&stage, SPACE), 200);
    CHECK_EQ(stage_call(&stage, "PATCH", SPACE, let_go), 200);
    stage_await(&stage, SPACE, 404);
}

struct writer {
    struct stage *stage;
    size_t number;
    const char *target, *version, *kind;
};

/* Creates until it is told that there is nothing to create in any more. */
static struct error *write_on(void *data)
{
    struct writer *writer = data;
    OWNED(http_client) client = stage_client(writer->stage, writer->stage->admin);
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
    SCOPED(stage) stage;
    struct writer writers[4];
    SCOPED(scope) scope = {0};
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    stage_create(&stage, "/api/v1/namespaces", space);
    start_writers(&scope, writers, COUNT(writers),
                  (struct writer){&stage, 0, MAPS, "v1", "ConfigMap"});
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    CHECK_OK(scope_wait(&scope));
    stage_await(&stage, SPACE, 404);
    CHECK_EQ(stage_get(&stage, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(stage.doc), "items")), (size_t)0);
}

SIM_TEST(late_writes_leave_nothing_behind_a_definition_that_went)
{
    SCOPED(stage) stage;
    struct writer writers[8];
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    for (int round = 0; round < 10; round++) {
        TEST_CASE("round %d", round);
        SCOPED(scope) scope = {0};
        stage_create(&stage, CRDS, definition);
        CHECK_EQ(stage_get(&stage, WIDGETS), 200);
        CHECK_EQ(json_count(json_path(json_doc_root(stage.doc), "items")), (size_t)0);
        start_writers(&scope, writers, COUNT(writers),
                      (struct writer){&stage, 0, WIDGETS, "test.io/v1", "Widget"});
        CHECK_EQ(stage_call(&stage, "DELETE", WIDGET, ""), 200);
        stage_await(&stage, WIDGET, 404);
        CHECK_OK(scope_wait(&scope));
    }
}

SIM_TEST(furniture_stays)
{
    static const char *const kept[] = {"default", "kube-system", "kube-public"};
    SCOPED(stage) stage;
    begin(&stage);
    for (size_t i = 0; i < COUNT(kept); i++) {
        char target[64];
        snprintf(target, sizeof(target), "/api/v1/namespaces/%s", kept[i]);
        TEST_CASE("%s", kept[i]);
        CHECK_EQ(stage_call(&stage, "DELETE", target, ""), 403);
    }
}

SIM_TEST(a_definition_goes_after_its_objects)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_create(&stage, CRDS, definition);
    stage_create(&stage, WIDGETS, WIDGET_BODY("a", ""));
    stage_create(&stage, WIDGETS, WIDGET_BODY("held", ",\"finalizers\":[\"test/hold\"]"));
    CHECK_EQ(stage_call(&stage, "DELETE", WIDGET, ""), 200);
    settle();
    CHECK_EQ(stage_get(&stage, WIDGETS "/a"), 404);
    CHECK_EQ(stage_get(&stage, WIDGET), 200);
    CHECK_EQ(stage_call(&stage, "POST", WIDGETS, WIDGET_BODY("late", "")), 403);
    CHECK_EQ(stage_call(&stage, "PATCH", WIDGETS "/held", let_go), 200);
    stage_await(&stage, WIDGET, 404);
    CHECK_EQ(stage_get(&stage, WIDGETS), 404);
}

SIM_TEST(a_watch_ends_with_its_definition)
{
    SCOPED(stage) stage;
    SCOPED(buf) event = {.limit = 0};
    begin(&stage);
    stage_create(&stage, CRDS, definition);
    OWNED(http_response) watch = stage_watch(&stage, WIDGETS "?watch=1");
    stage_create(&stage, WIDGETS, WIDGET_BODY("a", ""));
    CHECK(str_starts_with(stage_event(watch, &event), STR("ADDED a@")));
    CHECK_EQ(stage_call(&stage, "DELETE", WIDGET, ""), 200);
    CHECK(str_starts_with(stage_event(watch, &event), STR("DELETED a@")));
    CHECK_EQ(stage_event(watch, &event), STR(""));
}

SIM_TEST(work_under_way_goes_on_after_a_restart)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    stage_create(&stage, "/api/v1/namespaces", space);
    stage_create(&stage, MAPS, held_map);
    stage_create(&stage, CRDS, definition);
    stage_create(&stage, WIDGETS, WIDGET_BODY("held", ",\"finalizers\":[\"test/hold\"]"));
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    CHECK_EQ(stage_call(&stage, "DELETE", WIDGET, ""), 200);
    restart(&stage);
    settle();
    CHECK_EQ(stage_get(&stage, SPACE), 200);
    CHECK_EQ(stage_get(&stage, WIDGET), 200);
    CHECK_EQ(stage_call(&stage, "PATCH", MAPS "/held", let_go), 200);
    CHECK_EQ(stage_call(&stage, "PATCH", WIDGETS "/held", let_go), 200);
    stage_await(&stage, SPACE, 404);
    stage_await(&stage, WIDGET, 404);
}

SIM_TEST(owners_are_known_after_a_restart)
{
    SCOPED(stage) stage;
    SCOPED(buf) body = {.limit = 0};
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    stage_create(&stage, "/api/v1/namespaces/default/configmaps", map);
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"child\","
              "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"map\","
              "\"uid\":\"%.*s\"}]}}",
              STR_ARG(stage_text(&stage, "metadata.uid")));
    stage_create(&stage, "/api/v1/namespaces/default/configmaps", buf_c(&body));
    restart(&stage);
    CHECK_EQ(stage_get(&stage, "/api/v1/namespaces/default/configmaps/child"), 200);
    CHECK_EQ(stage_call(&stage, "DELETE", "/api/v1/namespaces/default/configmaps/map", ""), 200);
    stage_await(&stage, "/api/v1/namespaces/default/configmaps/child", 404);
}

/* Stopped in the middle: nothing is lost that was acknowledged, and the rest is made up for. */
SIM_TEST(a_server_stopped_while_it_cleans_up_goes_on)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    stage_create(&stage, "/api/v1/namespaces", space);
    for (int i = 0; i < 30; i++) {
        char body[128];
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%d\"}}",
                 i);
        stage_create(&stage, MAPS, body);
    }
    CHECK_EQ(stage_call(&stage, "DELETE", SPACE, ""), 200);
    restart(&stage);
    restart(&stage);
    stage_await(&stage, SPACE, 404);
    CHECK_EQ(stage_get(&stage, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(stage.doc), "items")), (size_t)0);
}
