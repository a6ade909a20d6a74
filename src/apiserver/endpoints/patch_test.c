#include "apiserver/endpoints/patch.h"

#include "apiserver/apiserver_fixture_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"
#define MAP  MAPS "/a"

static int patch(struct apiserver_fixture *fixture, const char *type, const char *query,
                 const char *body)
{
    int status = 0;
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, MAP "%s", query);
    CHECK_OK(
        apiserver_fixture_try(fixture, "PATCH", buf_str(&target), type, str_from_c(body), &status));
    return status;
}

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
    apiserver_fixture_create(
        fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},"
        "\"data\":{\"k\":\"v\"}}");
}

#define JSON      "application/json-patch+json"
#define MERGE     "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"
#define APPLY     "application/apply-patch+yaml"

SIM_TEST(patches_of_every_type_change_the_object)
{
    static const struct {
        const char *type, *query, *body;
    } cases[] = {
        {JSON,                    "",                        "[{\"op\":\"replace\",\"path\":\"/data/k\",\"value\":\"new\"}]"},
        {MERGE,                   "",                        "{\"data\":{\"k\":\"new\"}}"                                   },
        {MERGE "; charset=utf-8", "",                        "{\"data\":{\"k\":\"new\"}}"                                   },
        {STRATEGIC,               "",                        "{\"data\":{\"k\":\"new\"}}"                                   },
        {APPLY,                   "?fieldManager=m&force=1",
         "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: new\n"                                         },
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].type);
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAP, "{\"data\":{\"k\":\"v\"}}"), 200);
        CHECK_EQ(patch(&fixture, cases[i].type, cases[i].query, cases[i].body), 200);
        CHECK_EQ(apiserver_fixture_text(&fixture, "data.k"), STR("new"));
    }
}

SIM_TEST(patches_that_are_none_are_refused)
{
    static const struct {
        const char *type, *query, *body;
        int status;
    } cases[] = {
        {"text/plain",       "",                "{}",                                                       415},
        {"",                 "",                "{}",                                                       415},
        {"application/json", "",                "{}",                                                       415},
        {JSON,               "",                "{}",                                                       400},
        {JSON,               "",                "[",                                                        400},
        {JSON,               "",                "[{\"op\":\"remove\",\"path\":\"/none\"}]",                 422},
        {JSON,               "",                "[{\"op\":\"test\",\"path\":\"/data/k\",\"value\":\"x\"}]", 422},
        {MERGE,              "",                "x",                                                        400},
        {MERGE,              "",                "{\"data\":{\"k\":5}}",                                     422},
        {MERGE,              "",                "{\"metadata\":{\"name\":\"b\"}}",                          400},
        {MERGE,              "",                "{\"metadata\":{\"resourceVersion\":\"1\"}}",               409},
        {MERGE,              "",                "{\"metadata\":{\"resourceVersion\":\"x\"}}",               500},
        {MERGE,              "?force=true",     "{}",                                                       422},
        {APPLY,              "",                "{}",                                                       422},
        {APPLY,              "?fieldManager=m", "- a\n",                                                    400},
        {APPLY,              "?fieldManager=m", ": : :",                                                    400},
        {MERGE,              "?dryRun=Some",    "{}",                                                       422},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s", cases[i].type, cases[i].body);
        CHECK_EQ(patch(&fixture, cases[i].type, cases[i].query, cases[i].body), cases[i].status);
        CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("Status"));
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, MAP), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "data.k"), STR("v"));
}

struct counter {
    struct apiserver_fixture *fixture;
    size_t number;
};

/* Adds a key of its own; nobody's key may be lost. */
static struct error *add_keys(void *data)
{
    const struct counter *counter = data;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("content-type"), STR(MERGE)));
    for (int i = 0; i < 10; i++) {
        OWNED(http_response) response = NULL;
        SCOPED(buf) body = {.limit = 0};
        buf_print(&body, "{\"data\":{\"k-%zu-%d\":\"v\"}}", counter->number, i);
        const struct http_client_request request = {.method = STR("PATCH"),
                                                    .target = STR(MAP),
                                                    .headers = &headers,
                                                    .body = buf_str(&body)};
        TRY(http_client_send(counter->fixture->client, &request, &response));
        CHECK_EQ(http_response_status(response), 200);
    }
    return NULL;
}

/* The whole of what was made is quoted, unless the patch is refused as none of its type. */
SIM_TEST(a_patch_that_makes_a_list_of_an_object_is_refused)
{
    static const struct {
        const char *type, *query, *body;
        int status;
        const char *message;
    } cases[] = {
        {JSON,  "",                        "[{\"op\":\"replace\",\"path\":\"\",\"value\":[\"x\"]}]", 422,
         " \"\" is invalid: patch: Invalid value: \"[\\\"x\\\"]\": couldn't get version/kind; json parse "
         "error: json: cannot unmarshal array into "                                                                                    },
        {MERGE, "?fieldValidation=Ignore", "[\"x\"]",                                                422,
         " \"\" is invalid: patch: Invalid value: \"[\\\"x\\\"]\": couldn't get version/kind; json parse "
         "error: json: cannot unmarshal array into "                                                                                    },
        {MERGE, "",                        "[\"x\"]",                                                400,
         "error decoding patch: json: cannot unmarshal array into Go value of type map[string]"                                         },
        {MERGE, "?fieldValidation=Ignore", "\"x\"",                                                  400, "error decoding patch: json: "},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s %s", cases[i].type, cases[i].query, cases[i].body);
        CHECK_EQ(patch(&fixture, cases[i].type, cases[i].query, cases[i].body), cases[i].status);
        CHECK(str_starts_with(apiserver_fixture_text(&fixture, "message"),
                              str_from_c(cases[i].message)));
        if (cases[i].status == 422)
            CHECK_EQ(apiserver_fixture_text(&fixture, "details.causes.0.field"), STR("patch"));
    }
}

SIM_TEST(patches_at_once_meet_no_conflict_and_lose_nothing)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(scope) scope = {0};
    struct counter counters[8];
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    for (size_t i = 0; i < COUNT(counters); i++) {
        counters[i] = (struct counter){&fixture, i};
        scope_start(&scope, "patches", add_keys, &counters[i]);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAP), 200);
    CHECK_EQ(json_count(json_path(json_doc_root(fixture.doc), "data")), COUNT(counters) * 10);
}

#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define SCALE       DEPLOYMENTS "/d/scale"

static int apply_scale(struct apiserver_fixture *fixture, const char *query, const char *spec)
{
    int status = 0;
    SCOPED(buf) target = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    buf_print(&target, SCALE "%s", query);
    buf_print(&body, "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: d}\nspec: %s\n",
              spec);
    CHECK_OK(
        apiserver_fixture_try(fixture, "PATCH", buf_str(&target), APPLY, buf_str(&body), &status));
    return status;
}

/* The managers of spec.replicas of the Deployment, as "manager/operation/subresource ...". */
static struct str owners_of_replicas(struct apiserver_fixture *fixture, struct buf *out)
{
    const struct json_value *entry;
    buf_clear(out);
    CHECK_EQ(apiserver_fixture_get(fixture, DEPLOYMENTS "/d"), 200);
    JSON_FOREACH (key, entry, json_path(json_doc_root(fixture->doc), "metadata.managedFields")) {
        const struct json_value *spec = json_get(json_get(entry, STR("fieldsV1")), STR("f:spec"));
        CHECK_EQ(json_path_str(entry, "apiVersion"), STR("apps/v1"));
        if (json_get(spec, STR("f:replicas")))
            buf_print(out, "%s%.*s/%.*s/%.*s", out->len ? " " : "",
                      STR_ARG(json_path_str(entry, "manager")),
                      STR_ARG(json_path_str(entry, "operation")),
                      STR_ARG(json_path_str(entry, "subresource")));
    }
    return buf_str(out);
}

static int64_t replicas_of(const struct apiserver_fixture *fixture)
{
    int64_t replicas = -1;
    (void)json_to_int64(json_path(json_doc_root(fixture->doc), "spec.replicas"), &replicas);
    return replicas;
}

SIM_TEST(an_apply_of_a_scale_owns_the_replicas_of_the_object)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) owners = {.limit = 0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, DEPLOYMENTS "?fieldManager=maker",
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},"
        "\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
        "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\"}]}}}}");
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=idle", "{}"), 200);
    CHECK_EQ(owners_of_replicas(&fixture, &owners), STR("maker/Update/"));
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=scaler", "{replicas: 5}"), 409);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Conflict"));
    CHECK(str_contains(apiserver_fixture_text(&fixture, "message"), STR(".spec.replicas")));
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=scaler&force=true&dryRun=All", "{replicas: 5}"),
             200);
    CHECK_EQ(owners_of_replicas(&fixture, &owners), STR("maker/Update/"));
    CHECK_EQ(replicas_of(&fixture), 2);
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=scaler", "{replicas: 2}"), 200);
    CHECK_EQ(owners_of_replicas(&fixture, &owners), STR("scaler/Apply/scale maker/Update/"));
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=scaler&force=true", "{replicas: 5}"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("Scale"));
    CHECK_EQ(replicas_of(&fixture), 5);
    CHECK(!json_path(json_doc_root(fixture.doc), "metadata.managedFields"));
    CHECK_EQ(owners_of_replicas(&fixture, &owners), STR("scaler/Apply/scale"));
    CHECK_EQ(replicas_of(&fixture), 5);
    CHECK_EQ(apply_scale(&fixture, "?fieldManager=other", "{replicas: 6}"), 409);
    CHECK(str_contains(apiserver_fixture_text(&fixture, "message"), STR("\"scaler\"")));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", SCALE "?fieldManager=hand",
                                    "{\"spec\":{\"replicas\":7}}"),
             200);
    CHECK_EQ(owners_of_replicas(&fixture, &owners), STR("hand/Update/scale"));
}

SIM_TEST(a_scale_that_is_none_is_refused)
{
    static const struct {
        const char *method, *type, *query, *body;
        int status;
    } cases[] = {
        {"PATCH", APPLY,              "",                        "apiVersion: autoscaling/v1\nkind: Scale\nspec: {replicas: 1}", 422},
        {"PATCH", APPLY,              "?fieldManager=m",         "apiVersion: apps/v1\nkind: Deployment\nspec: {}",              400},
        {"PATCH", APPLY,              "?fieldManager=m",
         "apiVersion: autoscaling/v1\nkind: Scale\nspec: {replicas: many}",                                                      500},
        {"PATCH", APPLY,              "?fieldManager=m&force=1",
         "apiVersion: autoscaling/v1\nkind: Scale\nspec: {replicas: -1}",                                                        422},
        {"PATCH", APPLY,              "?fieldManager=m",
         "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: e}",                                                         400},
        {"PATCH", MERGE,              "",                        "{\"spec\":{\"replicas\":\"many\"}}",                           422},
        {"PATCH", MERGE,              "",                        "{\"metadata\":{\"name\":\"e\"}}",                              400},
        {"PATCH", STRATEGIC,          "",                        "{\"spec\":null}",                                              200},
        {"PATCH", MERGE,              "?fieldValidation=Strict", "{\"spec\":{\"size\":1}}",                                      422},
        {"PUT",   "application/json", "",                        "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\"}",
         400                                                                                                                        },
        {"PUT",   "application/json", "",                        "{\"metadata\":{\"name\":\"d\",\"uid\":\"x\"}}",                409},
        {"PUT",   "application/json", "?fieldValidation=Strict",
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"size\":1}}",                                                                400},
        {"PUT",   "application/json", "",                        "{\"metadata\":{\"name\":\"d\"},\"spec\":{}}",                  200},
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, DEPLOYMENTS,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"d\"},"
        "\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{"
        "\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
        "\"image\":\"i\"}]}}}}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        int status = 0;
        SCOPED(buf) target = {.limit = 0};
        TEST_CASE("%s %s %s %s", cases[i].method, cases[i].type, cases[i].query, cases[i].body);
        buf_print(&target, SCALE "%s", cases[i].query);
        CHECK_OK(apiserver_fixture_try(&fixture, cases[i].method, buf_str(&target), cases[i].type,
                                       str_from_c(cases[i].body), &status));
        if (status != cases[i].status)
            test_fail(TEST_PLACE("the status"), "%d: %.*s", status,
                      STR_ARG(buf_str(&fixture.answer)));
    }
}
