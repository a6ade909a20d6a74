#include "apiserver/crd_registry.h"

#include "apiserver/stage_test.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

struct maker {
    struct stage *stage;
    const char *plural, *kind;
};

static void write_definition(struct buf *out, const char *plural, const char *kind)
{
    buf_print(out,
              "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
              "\"metadata\":{\"name\":\"%s.test.io\"},\"spec\":{\"group\":\"test.io\",\"scope\":"
              "\"Cluster\",\"names\":{\"plural\":\"%s\",\"singular\":\"%s-one\",\"kind\":\"%s\"},"
              "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
              "\"openAPIV3Schema\":{\"type\":\"object\","
              "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
              plural, plural, plural, kind);
}

static struct error *make(void *data)
{
    const struct maker *maker = data;
    SCOPED(buf) body = {.limit = 0};
    OWNED(http_response) response = NULL;
    write_definition(&body, maker->plural, maker->kind);
    const struct http_client_request request = {
        .method = STR("POST"), .target = STR(CRDS), .body = buf_str(&body)};
    TRY(http_client_send(maker->stage->client, &request, &response));
    CHECK_EQ(http_response_status(response), 201);
    return NULL;
}

static bool is_established(struct stage *stage, const char *plural)
{
    char target[128];
    const struct json_value *condition;
    bool established = false;
    snprintf(target, sizeof(target), CRDS "/%s.test.io", plural);
    CHECK_EQ(stage_get(stage, target), 200);
    JSON_FOREACH (key, condition, json_path(json_doc_root(stage->doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("Established")))
            established = str_eq(json_path_str(condition, "status"), STR("True"));
    return established;
}

static void make_both(struct stage *stage)
{
    SCOPED(scope) scope = {0};
    struct maker makers[] = {
        {stage, "firsts",  "Same"},
        {stage, "seconds", "Same"},
    };
    for (size_t i = 0; i < COUNT(makers); i++)
        scope_start(&scope, "maker", make, &makers[i]);
    CHECK_OK(scope_wait(&scope));
    CHECK_OK(fiber_sleep(SECOND));
}

SIM_TEST(of_two_definitions_of_a_name_one_is_served)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    for (int round = 0; round < 5; round++) {
        TEST_CASE("round %d", round);
        make_both(&stage);
        const bool first = is_established(&stage, "firsts");
        CHECK(is_established(&stage, "seconds") != first);
        CHECK_EQ(stage_get(&stage, "/apis/test.io/v1/firsts"), first ? 200 : 404);
        CHECK_EQ(stage_get(&stage, "/apis/test.io/v1/seconds"), first ? 404 : 200);
        CHECK_EQ(stage_call(&stage, "DELETE", CRDS "/firsts.test.io", ""), 200);
        CHECK_EQ(stage_call(&stage, "DELETE", CRDS "/seconds.test.io", ""), 200);
        stage_await(&stage, CRDS "/firsts.test.io", 404);
        stage_await(&stage, CRDS "/seconds.test.io", 404);
    }
}

SIM_TEST(a_definition_gets_the_names_of_one_that_went)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    CHECK_OK(stage_start(&stage));
    make_both(&stage);
    const bool first = is_established(&stage, "firsts");
    CHECK(is_established(&stage, "seconds") != first);
    const char *winner = first ? CRDS "/firsts.test.io" : CRDS "/seconds.test.io";
    CHECK_EQ(stage_call(&stage, "DELETE", winner, ""), 200);
    stage_await(&stage, winner, 404);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(is_established(&stage, first ? "seconds" : "firsts"));
    CHECK_EQ(stage_get(&stage, first ? "/apis/test.io/v1/seconds" : "/apis/test.io/v1/firsts"),
             200);
}

SIM_TEST(definitions_are_served_after_a_restart)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    CHECK_OK(make(&(struct maker){&stage, "firsts", "First"}));
    stage_await(&stage, "/apis/test.io/v1/firsts", 200);
    stage_stop(&stage);
    CHECK_OK(stage_start(&stage));
    CHECK_EQ(stage_get(&stage, "/apis/test.io/v1/firsts"), 200);
    CHECK_EQ(stage_get(&stage, "/apis/test.io/v1"), 200);
}

static struct error *write_text(void *data, int64_t revision, struct object_text **ret_text)
{
    (void)revision;
    return object_text_from_json(buf_str(data), ret_text);
}

/* The process ended between the definition and its status. */
SIM_TEST(a_definition_that_was_not_settled_is_when_the_server_starts)
{
    SCOPED(stage) stage;
    SCOPED(buf) text = {.limit = 0};
    struct store *store = NULL;
    stage_init(&stage);
    stage_keep(&stage);
    write_definition(&text, "firsts", "First");
    const char *path = folder_file(&stage.folder, "corset.db");
    CHECK_OK(store_open(loop_current(), &(struct store_options){.path = path}, &store));
    const struct store_id id = {CRD_RESOURCE, {.name = STR("firsts.test.io")}};
    CHECK_OK(store_put(store, id, STORE_NEW, write_text, &text, NULL));
    store_free(store);
    CHECK_OK(stage_start(&stage));
    CHECK(is_established(&stage, "firsts"));
    CHECK_EQ(stage_get(&stage, "/apis/test.io/v1/firsts"), 200);
}
