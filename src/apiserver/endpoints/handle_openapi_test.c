#include "apiserver/endpoints/handle_openapi.h"

#include "apiserver/apiserver_fixture_test.h"

#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define INDEX       "/openapi/v3"
#define TWO         "/openapi/v2"

/* A definition of Things in v1 and in a second version. */
#define VERSION(name, served, storage)                                                 \
    "{\"name\":\"" name "\",\"served\":" served ",\"storage\":" storage                \
    ",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{" \
    "\"type\":\"object\",\"description\":\"What is wanted.\"}}}}}"
#define VERSIONS(second, served) \
    "\"versions\":[" VERSION("v1", "true", "true") "," VERSION(second, served, "false") "]"
#define DEFINITION                                                                       \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\"," \
    "\"metadata\":{\"name\":\"things.run.example.com\"},\"spec\":{\"group\":"            \
    "\"run.example.com\",\"scope\":\"Namespaced\",\"names\":{\"kind\":\"Thing\","        \
    "\"plural\":\"things\"}," VERSIONS("v2", "true") "}}"

/* Whether /openapi/v2 has the schema. */
static bool is_published(struct apiserver_fixture *fixture, struct str name)
{
    CHECK_EQ(apiserver_fixture_get(fixture, TWO), 200);
    return json_get(json_get(json_doc_root(fixture->doc), STR("definitions")), name);
}

/* The URL that the index has for a document; empty for none. */
static struct str url_of(struct apiserver_fixture *fixture, struct arena *arena, const char *name)
{
    CHECK_EQ(apiserver_fixture_get(fixture, INDEX), 200);
    const struct json_value *paths = json_get(json_doc_root(fixture->doc), STR("paths"));
    return arena_str(arena, json_path_str(json_get(paths, str_from_c(name)), "serverRelativeURL"));
}

SIM_TEST(what_is_published_follows_the_definitions)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(arena) arena = {0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK(!is_published(&fixture, STR("com.example.run.v1.Thing")));
    apiserver_fixture_create(&fixture, DEFINITIONS, DEFINITION);
    CHECK(is_published(&fixture, STR("com.example.run.v1.Thing")));
    CHECK(is_published(&fixture, STR("com.example.run.v2.Thing")));
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("What is wanted."));
    const struct str before = url_of(&fixture, &arena, "apis/run.example.com/v1");
    CHECK(url_of(&fixture, &arena, "apis/run.example.com/v2").len);

    TEST_CASE("a version that is renamed");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", DEFINITIONS "/things.run.example.com",
                                    "{\"spec\":{" VERSIONS("v3", "true") "}}"),
             200);
    CHECK(is_published(&fixture, STR("com.example.run.v3.Thing")));
    CHECK(!is_published(&fixture, STR("com.example.run.v2.Thing")));
    CHECK(!str_eq(url_of(&fixture, &arena, "apis/run.example.com/v1"), before));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/openapi/v3/apis/run.example.com/v2"), 404);

    TEST_CASE("a version that is not served any more");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", DEFINITIONS "/things.run.example.com",
                                    "{\"spec\":{" VERSIONS("v3", "false") "}}"),
             200);
    CHECK(!is_published(&fixture, STR("com.example.run.v3.Thing")));
    CHECK(is_published(&fixture, STR("com.example.run.v1.Thing")));
    CHECK_EQ(url_of(&fixture, &arena, "apis/run.example.com/v3"), STR(""));

    TEST_CASE("a definition that is deleted");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", DEFINITIONS "/things.run.example.com", ""),
             200);
    apiserver_fixture_await(&fixture, DEFINITIONS "/things.run.example.com", 404);
    CHECK(!is_published(&fixture, STR("com.example.run.v1.Thing")));
}

/* A GET with one header; the answer's own header of that name goes to ret_value. */
static int ask(const struct apiserver_fixture *fixture, struct str target, const char *header,
               struct str value, const char *shown, struct buf *ret_value)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    if (value.len)
        CHECK_OK(http_headers_add(&headers, str_from_c(header), value));
    const struct http_client_request request = {
        .method = STR("GET"), .target = target, .headers = &headers};
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    buf_clear(ret_value);
    buf_add(ret_value, http_headers_find(http_response_headers(response), str_from_c(shown)));
    return http_response_status(response);
}

SIM_TEST(documents_are_known_by_their_hash)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(arena) arena = {0};
    SCOPED(buf) seen = {0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, DEFINITIONS, DEFINITION);
    static const char *const names[] = {"api/v1", "apis/run.example.com/v1"};
    for (size_t i = 0; i < COUNT(names); i++) {
        TEST_CASE("%s", names[i]);
        const struct str url = url_of(&fixture, &arena, names[i]);
        struct str hash = url, path;
        CHECK(str_cut(&hash, '=', &path));
        path = str_slice(path, 0, path.len - (sizeof("?hash") - 1));
        const struct str tag = arena_print(&arena, "\"%.*s\"", STR_ARG(hash));
        const struct str weak = arena_print(&arena, "\"x\", W/%.*s", STR_ARG(tag));
        const struct str old = arena_print(&arena, "%.*s?hash=ABC", STR_ARG(path));
        CHECK_EQ(ask(&fixture, url, "accept", STR("application/json"), "etag", &seen), 200);
        CHECK_EQ(buf_str(&seen), tag);
        CHECK_EQ(ask(&fixture, url, "accept", STR(""), "cache-control", &seen), 200);
        CHECK_EQ(buf_str(&seen), STR("public, immutable"));
        CHECK_EQ(ask(&fixture, path, "accept", STR(""), "cache-control", &seen), 200);
        CHECK_EQ(buf_str(&seen), STR("no-cache, private"));
        CHECK_EQ(ask(&fixture, url, "accept", STR(""), "expires", &seen), 200);
        CHECK_CONTAINS(buf_str(&seen), STR(" GMT"));
        CHECK_EQ(ask(&fixture, path, "if-none-match", tag, "etag", &seen), 304);
        CHECK_EQ(buf_str(&seen), tag);
        CHECK_EQ(ask(&fixture, path, "if-none-match", weak, "etag", &seen), 304);
        CHECK_EQ(ask(&fixture, path, "if-none-match", STR("*"), "etag", &seen), 304);
        CHECK_EQ(ask(&fixture, path, "if-none-match", STR("\"x\""), "etag", &seen), 200);
        CHECK_EQ(ask(&fixture, old, "accept", STR(""), "location", &seen), 301);
        CHECK_EQ(buf_str(&seen), url);
        CHECK_EQ(ask(&fixture, url, "accept", STR("text/html"), "vary", &seen), 406);
    }
    TEST_CASE("version 2");
    CHECK_EQ(ask(&fixture, STR(TWO), "accept", STR(""), "etag", &seen), 200);
    const struct str tag = arena_str(&arena, buf_str(&seen));
    CHECK_EQ(ask(&fixture, STR(TWO), "if-none-match", tag, "etag", &seen), 304);
    CHECK_EQ(ask(&fixture, STR(TWO), "accept", STR("text/html"), "etag", &seen), 406);
}

SIM_TEST(openapi_of_what_is_not_there)
{
    static const char *const targets[] = {
        "/openapi",           "/openapi/v1",           "/openapi/v3/apis/apps/v9",
        "/openapi/v3/api/v9", "/openapi/v3/apis/apps", "/openapi/v3/version",
        "/openapi/v3x"};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(targets); i++) {
        TEST_CASE("%s", targets[i]);
        CHECK_EQ(apiserver_fixture_get(&fixture, targets[i]), 404);
    }
}
