#include "apiserver/crd_registry.h"

#include "apiserver/apiserver_fixture_test.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

struct maker {
    struct apiserver_fixture *fixture;
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
    TRY(http_client_send(maker->fixture->client, &request, &response));
    CHECK_EQ(http_response_status(response), 201);
    return NULL;
}

static bool is_established(struct apiserver_fixture *fixture, const char *plural)
{
    char target[128];
    const struct json_value *condition;
    bool established = false;
    snprintf(target, sizeof(target), CRDS "/%s.test.io", plural);
    CHECK_EQ(apiserver_fixture_get(fixture, target), 200);
    JSON_FOREACH (key, condition, json_path(json_doc_root(fixture->doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("Established")))
            established = str_eq(json_path_str(condition, "status"), STR("True"));
    return established;
}

static void make_both(struct apiserver_fixture *fixture)
{
    SCOPED(scope) scope = {0};
    struct maker makers[] = {
        {fixture, "firsts",  "Same"},
        {fixture, "seconds", "Same"},
    };
    for (size_t i = 0; i < COUNT(makers); i++)
        scope_start(&scope, "maker", make, &makers[i]);
    CHECK_OK(scope_wait(&scope));
    CHECK_OK(fiber_sleep(SECOND));
}

SIM_TEST(of_two_definitions_of_a_name_one_is_served)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int round = 0; round < 5; round++) {
        TEST_CASE("round %d", round);
        make_both(&fixture);
        const bool first = is_established(&fixture, "firsts");
        CHECK(is_established(&fixture, "seconds") != first);
        CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1/firsts"), first ? 200 : 404);
        CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1/seconds"), first ? 404 : 200);
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", CRDS "/firsts.test.io", ""), 200);
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", CRDS "/seconds.test.io", ""), 200);
        apiserver_fixture_await(&fixture, CRDS "/firsts.test.io", 404);
        apiserver_fixture_await(&fixture, CRDS "/seconds.test.io", 404);
    }
}

SIM_TEST(a_definition_gets_the_names_of_one_that_went)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make_both(&fixture);
    const bool first = is_established(&fixture, "firsts");
    CHECK(is_established(&fixture, "seconds") != first);
    const char *winner = first ? CRDS "/firsts.test.io" : CRDS "/seconds.test.io";
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", winner, ""), 200);
    apiserver_fixture_await(&fixture, winner, 404);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(is_established(&fixture, first ? "seconds" : "firsts"));
    CHECK_EQ(apiserver_fixture_get(&fixture,
                                   first ? "/apis/test.io/v1/seconds" : "/apis/test.io/v1/firsts"),
             200);
}

SIM_TEST(definitions_are_served_after_a_restart)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_OK(make(&(struct maker){&fixture, "firsts", "First"}));
    apiserver_fixture_await(&fixture, "/apis/test.io/v1/firsts", 200);
    apiserver_fixture_stop(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1/firsts"), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1"), 200);
}

static struct error *put_text(void *data, struct store_edit *edit)
{
    edit->action = STORE_PUT;
    return object_text_from_json(buf_str(data), &edit->text);
}

/* The process ended between the definition and its status. */
SIM_TEST(a_definition_that_was_not_settled_is_when_the_server_starts)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    struct store *store = NULL;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    write_definition(&text, "firsts", "First");
    const char *path = folder_fixture_file(&fixture.folder, "corset.db");
    CHECK_OK(store_open(loop_current(), &(struct store_options){.path = path}, &store));
    const struct store_id id = {CRD_RESOURCE, {.name = STR("firsts.test.io")}};
    CHECK_OK(store_change(store, id, STORE_NEW, put_text, &text, NULL));
    store_free(store);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK(is_established(&fixture, "firsts"));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/test.io/v1/firsts"), 200);
}
