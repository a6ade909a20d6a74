#include "apiserver/endpoints/handle_write.h"

#include "apiserver/stage_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static void begin(struct stage *stage)
{
    stage_init(stage);
    CHECK_OK(stage_start(stage));
}

SIM_TEST(a_dry_run_changes_nothing)
{
    SCOPED(stage) stage;
    begin(&stage);
    CHECK_EQ(
        stage_call(&stage, "POST", MAPS "?dryRun=All",
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"),
        201);
    CHECK_EQ(stage_get(&stage, MAPS "/a"), 404);
    stage_create(&stage, MAPS,
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    CHECK_EQ(stage_call(&stage, "PATCH", MAPS "/a?dryRun=All", "{\"data\":{\"k\":\"v\"}}"), 200);
    CHECK_EQ(stage_text(&stage, "data.k"), STR("v"));
    CHECK_EQ(stage_call(&stage, "DELETE", MAPS "/a?dryRun=All", ""), 200);
    CHECK_EQ(stage_get(&stage, MAPS "/a"), 200);
    CHECK(json_path(json_doc_root(stage.doc), "data") == NULL);
}

SIM_TEST(an_update_that_changes_nothing_keeps_its_version)
{
    SCOPED(stage) stage;
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    begin(&stage);
    stage_create(&stage, MAPS,
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    buf_add(&version, stage_text(&stage, "metadata.resourceVersion"));
    buf_add(&body, buf_str(&stage.answer));
    CHECK_EQ(stage_call(&stage, "PUT", MAPS "/a", buf_c(&body)), 200);
    CHECK_EQ(stage_text(&stage, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(stage_call(&stage, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"), 200);
    CHECK_EQ(stage_call(&stage, "PUT", MAPS "/a", buf_c(&body)), 409);
    CHECK_EQ(stage_text(&stage, "reason"), STR("Conflict"));
}

SIM_TEST(generated_names_are_new_ones)
{
    SCOPED(stage) stage;
    begin(&stage);
    for (int i = 0; i < 20; i++)
        stage_create(&stage, MAPS,
                     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                     "\"generateName\":\"g-\"}}");
    CHECK_EQ(stage_get(&stage, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(stage.doc), "items")), (size_t)20);
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
    SCOPED(stage) stage;
    begin(&stage);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s %s", cases[i].method, cases[i].target, cases[i].body);
        CHECK_EQ(stage_call(&stage, cases[i].method, cases[i].target, cases[i].body),
                 cases[i].status);
    }
}

SIM_TEST(a_body_that_is_too_large_is_refused)
{
    SCOPED(stage) stage;
    SCOPED(buf) body = {.limit = 0};
    begin(&stage);
    buf_add(&body, STR("{\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\""));
    while (body.len < 3 * MEGABYTE)
        buf_add(&body, STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
    buf_add(&body, STR("\"}}"));
    CHECK_EQ(stage_call(&stage, "POST", MAPS, buf_c(&body)), 413);
    CHECK_EQ(stage_get(&stage, MAPS "/x"), 404);
}

struct creation {
    struct stage *stage;
    size_t number;
};

static struct error *create(void *data)
{
    const struct creation *creation = data;
    OWNED(http_client) client = stage_client(creation->stage, creation->stage->admin);
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
    SCOPED(stage) stage;
    stage_init(&stage);
    stage_keep(&stage);
    CHECK_OK(stage_start(&stage));
    for (size_t i = 0; i < 40; i++) {
        SCOPED(scope) scope = {0};
        struct creation creation = {&stage, i};
        scope_start(&scope, "creation", create, &creation);
        CHECK_OK(fiber_sleep((duration)i * MILLISECOND / 2));
    }
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(stage_get(&stage, MAPS), 200);
    const size_t count = json_count(json_path(json_doc_root(stage.doc), "items"));
    CHECK(count > 0 && count < 40);
    stage_stop(&stage);
    CHECK_OK(stage_start(&stage));
    CHECK_EQ(stage_get(&stage, MAPS), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(stage.doc), "items")), count);
}
