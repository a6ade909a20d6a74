#include "apiserver/endpoints/handle_write.h"

#include "apiserver/apiserver_fixture_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

SIM_TEST(a_dry_run_changes_nothing)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(
                 &fixture, "POST", MAPS "?dryRun=All",
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"),
             201);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 404);
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", MAPS "/a?dryRun=All", "{\"data\":{\"k\":\"v\"}}"),
        200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "data.k"), STR("v"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/a?dryRun=All", ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK(json_path(json_doc_root(fixture.doc), "data") == NULL);
}

SIM_TEST(an_update_that_changes_nothing_keeps_its_version)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    buf_add(&version, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));
    buf_add(&body, buf_str(&fixture.answer));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", MAPS "/a", buf_c(&body)), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", MAPS "/a", buf_c(&body)), 409);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Conflict"));
}

SIM_TEST(generated_names_are_new_ones)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < 20; i++)
        apiserver_fixture_create(&fixture, MAPS,
                                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                 "\"generateName\":\"g-\"}}");
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), (size_t)20);
}

SIM_TEST(writes_that_do_not_fit_their_place_are_refused)
{
    static const struct {
        const char *method, *target, *body;
        int status;
    } cases[] = {
        {"POST", MAPS,                 "",                                                                          400},
        {"POST", MAPS,                 "{",                                                                         400},
        {"POST", MAPS,                 "[]",                                                                        400},
        {"POST", MAPS,                 "{}",                                                                        422},
        {"POST", MAPS,                 "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}",
         400                                                                                                           },
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"x\",\"namespace\":\"other\"}}",                   400},
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"5\"}}",                 500},
        {"POST", MAPS,                 "{\"metadata\":{\"name\":\"Not A Name\"}}",                                  422},
        {"POST", MAPS "/x",            "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"POST", "/api/v1/configmaps", "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"PUT",  MAPS,                 "{\"metadata\":{\"name\":\"x\"}}",                                           405},
        {"PUT",  MAPS "/x",            "{\"metadata\":{\"name\":\"y\"}}",                                           400},
        {"PUT",  MAPS "/x",            "{\"metadata\":{}}",                                                         400},
        {"PUT",  MAPS "/x",            "{\"metadata\":{\"name\":\"x\"}}",                                           404},
        {"PUT",  MAPS "/x/status",     "{\"metadata\":{\"name\":\"x\"}}",                                           404},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s %s", cases[i].method, cases[i].target, cases[i].body);
        CHECK_EQ(apiserver_fixture_call(&fixture, cases[i].method, cases[i].target, cases[i].body),
                 cases[i].status);
    }
}

SIM_TEST(a_body_that_is_too_large_is_refused)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture);
    buf_add(&body, STR("{\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\""));
    while (body.len < 3 * MEGABYTE)
        buf_add(&body, STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
    buf_add(&body, STR("\"}}"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", MAPS, buf_c(&body)), 413);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/x"), 404);
}

struct creation {
    struct apiserver_fixture *fixture;
    size_t number;
};

static struct error *create(void *data)
{
    const struct creation *creation = data;
    OWNED(http_client)
    client = apiserver_fixture_client(creation->fixture, creation->fixture->admin);
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%zu\"}}",
              creation->number);
    const struct http_client_request request = {
        .method = STR("POST"), .target = STR(MAPS), .body = buf_str(&body)};
    return http_client_send(client, &request, &response);
}

/* Wherever the client is when it leaves: the object is there, whole, or it is not. */
SIM_TEST(a_client_that_leaves_while_it_writes_leaves_all_or_nothing)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < 40; i++) {
        SCOPED(scope) scope = {0};
        struct creation creation = {&fixture, i};
        scope_start(&scope, "creation", create, &creation);
        CHECK_OK(fiber_sleep((duration)i * MILLISECOND / 2));
    }
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    const size_t count = json_count(json_path(json_doc_root(fixture.doc), "items"));
    CHECK(count > 0 && count < 40);
    apiserver_fixture_stop(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "items")), count);
}
