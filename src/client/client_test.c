#include "client/client.h"

#include "apimachinery/wellknown.h"
#include "base/log.h"
#include "client/client_fixture_test.h"

#define ONE_OBJECT                                                                              \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":" \
    "\"ns\",\"resourceVersion\":\"7\"},\"data\":{\"k\":\"v\"}}"
#define FAILURE(reason, message, code)                                                               \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":" \
    "\"" message "\",\"reason\":\"" reason "\",\"code\":" code "}"

/* What one call of a verb puts on the wire. */
static void check_wire(struct client_fixture *fixture, const char *request,
                       const char *content_type, const char *body)
{
    CHECK_EQ(buf_str(&fixture->seen), str_from_c(request));
    CHECK_EQ(http_headers_find(&fixture->last_headers, STR("content-type")),
             str_from_c(content_type));
    CHECK_EQ(buf_str(&fixture->last_body), str_from_c(body));
    CHECK_EQ(http_headers_find(&fixture->last_headers, STR("user-agent")), STR("test/1"));
    buf_clear(&fixture->seen);
}

#define PATH "/prefix/api/v1/namespaces/ns/configmaps"

LOOP_TEST(every_verb_says_on_the_wire_what_it_means)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    struct client *client = fixture.client;
    const struct gvr gvr = GVR_CONFIG_MAPS;
    OWNED(object) object = NULL;
    OWNED(object) ignored = NULL;

    CHECK_OK(client_get(client, gvr, KEY("ns", "a"), NULL, &object));
    CHECK_EQ(object_resource_version(object), STR("7"));
    check_wire(&fixture, "GET " PATH "/a?timeout=30s\n", "", "");
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("accept")), STR("application/json"));

    CHECK_OK(client_get(client, gvr, KEY("ns", "a/b c"),
                        &(struct client_get_options){.subresource = STR("status"),
                                                     .resource_version = STR("5"),
                                                     .form = CLIENT_METADATA,
                                                     .timeout = 11 * MINUTE},
                        &ignored));
    object_free(TAKE(ignored));
    check_wire(&fixture, "GET " PATH "/a%2Fb%20c/status?resourceVersion=5&timeout=11m0s\n", "", "");
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("accept")),
             STR("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"));

    const struct client_write_options write = {
        .field_manager = STR("me"), .field_validation = STR("Strict"), .dry_run = true};
    CHECK_OK(client_create(client, gvr, object, &write, NULL));
    check_wire(&fixture,
               "POST " PATH "?fieldManager=me&fieldValidation=Strict&dryRun=All&timeout=30s\n",
               "application/json", ONE_OBJECT);
    CHECK_OK(client_update(client, gvr, object, NULL, NULL));
    check_wire(&fixture, "PUT " PATH "/a?timeout=30s\n", "application/json", ONE_OBJECT);
    CHECK_OK(client_update(client, gvr, object,
                           &(struct client_write_options){.subresource = STR("status")}, NULL));
    check_wire(&fixture, "PUT " PATH "/a/status?timeout=30s\n", "application/json", ONE_OBJECT);

    const struct client_write_options apply = {.field_manager = STR("me"), .force = true};
    CHECK_OK(client_apply(client, gvr, object, &apply, NULL));
    check_wire(&fixture, "PATCH " PATH "/a?fieldManager=me&force=true&timeout=30s\n",
               "application/apply-patch+yaml", ONE_OBJECT);
    CHECK_ERROR(client_apply(client, gvr, object, NULL, NULL), ERROR_INVALID);

    static const char *const types[] = {
        "application/merge-patch+json", "application/json-patch+json",
        "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
    for (enum client_patch_type type = 0; type < COUNT(types); type++) {
        CHECK_OK(client_patch(client, gvr, KEY("ns", "a"), type, STR("{}"), NULL, NULL));
        check_wire(&fixture, "PATCH " PATH "/a?timeout=30s\n", types[type], "{}");
    }
    CHECK_ERROR(client_get(client, gvr, KEY("ns", ""), NULL, &ignored), ERROR_INVALID);
}

LOOP_TEST(deleting_tells_gone_from_held)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    OWNED(object) held = NULL;
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    CHECK_OK(client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &held));
    CHECK(held != NULL);
    check_wire(&fixture, "DELETE " PATH "/a?timeout=30s\n", "application/json",
               "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}");
    object_free(TAKE(held));

    SCRIPT(&fixture,
           {200, NULL, NULL, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}"});
    const struct client_delete_options options = {.uid = STR("u"),
                                                  .resource_version = STR("7"),
                                                  .propagation_policy = STR("Foreground"),
                                                  .has_grace_period = true,
                                                  .dry_run = true};
    CHECK_OK(client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), &options, &held));
    CHECK(held == NULL);
    check_wire(&fixture, "DELETE " PATH "/a?timeout=30s\n", "application/json",
               "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,"
               "\"propagationPolicy\":\"Foreground\",\"preconditions\":{\"uid\":\"u\","
               "\"resourceVersion\":\"7\"},\"dryRun\":[\"All\"]}");
}

LOOP_TEST(every_reason_becomes_its_code)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    const struct {
        const char *name;
        struct scripted answer;
        enum error_code code;
        const char *message;
    } cases[] = {
        {"bad request",
         {400, NULL, NULL, FAILURE("BadRequest", "m", "400")},
         ERROR_BAD_REQUEST,                                                                          "m"                     },
        {"unauthorized",
         {401, NULL, NULL, FAILURE("Unauthorized", "Unauthorized", "401")},
         ERROR_UNAUTHORIZED,                                                                         "Unauthorized"          },
        {"forbidden",      {403, NULL, NULL, FAILURE("Forbidden", "m", "403")},     ERROR_FORBIDDEN, "m"                     },
        {"not found",
         {404, NULL, NULL, FAILURE("NotFound", "configmaps x not found", "404")},
         ERROR_NOT_FOUND,                                                                            "configmaps x not found"},
        {"method",
         {405, NULL, NULL, FAILURE("MethodNotAllowed", "m", "405")},
         ERROR_METHOD_NOT_ALLOWED,                                                                   "m"                     },
        {"acceptable",
         {406, NULL, NULL, FAILURE("NotAcceptable", "m", "406")},
         ERROR_NOT_ACCEPTABLE,                                                                       "m"                     },
        {"gone",           {410, NULL, NULL, FAILURE("Gone", "m", "410")},          ERROR_GONE,      "m"                     },
        {"server timeout",
         {500, NULL, NULL, FAILURE("ServerTimeout", "m", "500")},
         ERROR_SERVER_TIMEOUT,                                                                       "m"                     },
        {"exists",
         {409, NULL, NULL, FAILURE("AlreadyExists", "m", "409")},
         ERROR_ALREADY_EXISTS,                                                                       "m"                     },
        {"conflict",       {409, NULL, NULL, FAILURE("Conflict", "m", "409")},      ERROR_CONFLICT,  "m"                     },
        {"expired",        {410, NULL, NULL, FAILURE("Expired", "m", "410")},       ERROR_EXPIRED,   "m"                     },
        {"too large",
         {413, NULL, NULL, FAILURE("RequestEntityTooLarge", "m", "413")},
         ERROR_TOO_LARGE,                                                                            "m"                     },
        {"media type",
         {415, NULL, NULL, FAILURE("UnsupportedMediaType", "m", "415")},
         ERROR_UNSUPPORTED_MEDIA_TYPE,                                                               "m"                     },
        {"invalid",        {422, NULL, NULL, FAILURE("Invalid", "m", "422")},       ERROR_INVALID,   "m"                     },
        {"too many",
         {429, NULL, NULL, FAILURE("TooManyRequests", "m", "429")},
         ERROR_TOO_MANY_REQUESTS,                                                                    "m"                     },
        {"internal",       {500, NULL, NULL, FAILURE("InternalError", "m", "500")}, ERROR_INTERNAL,  "m"                     },
        {"timeout",        {504, NULL, NULL, FAILURE("Timeout", "m", "504")},       ERROR_TIMEOUT,   "m"                     },
        {"unavailable",
         {503, NULL, NULL, FAILURE("ServiceUnavailable", "m", "503")},
         ERROR_SERVICE_UNAVAILABLE,                                                                  "m"                     },
        {"no reason",
         {404, NULL, NULL, "404 page not found\n"},
         ERROR_NOT_FOUND,                                                                            "404 page not found"    },
        {"proxy's words",  {502, NULL, NULL, "<html>bad gateway"},                  ERROR_INTERNAL,  "502"                   },
        {"empty",          {403, NULL, NULL, ""},                                   ERROR_FORBIDDEN, "403"                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        client_fixture_script(&fixture, &cases[i].answer, 1);
        OWNED(object) object = NULL;
        CHECK_FAILS(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object),
                    cases[i].code, cases[i].message);
        CHECK_EQ(fixture.requests, (size_t)1);
    }
}

SIM_TEST(what_the_server_asks_to_repeat_is_repeated)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    client_fixture_start(&fixture);
    OWNED(object) object = NULL;
    int64_t begun = loop_now(loop_current());
    SCRIPT(&fixture, {429, "Retry-After", "3", "slow down"}, {503, "Retry-After", "2", ""},
           {200, NULL, NULL, ONE_OBJECT});
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object));
    CHECK_EQ(fixture.requests, (size_t)3);
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, (int64_t)5);

    /* A write as well, since the server says that it did nothing. */
    SCRIPT(&fixture, {429, "Retry-After", "1", ""}, {201, NULL, NULL, ONE_OBJECT});
    CHECK_OK(client_create(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL));
    CHECK_EQ(fixture.requests, (size_t)2);
    CHECK_EQ(buf_str(&fixture.last_body), STR(ONE_OBJECT));

    SCRIPT(&fixture, {429, "Retry-After", "1", FAILURE("TooManyRequests", "enough", "429")});
    CHECK_FAILS(client_create(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL),
                ERROR_TOO_MANY_REQUESTS, "enough");
    CHECK_EQ(fixture.requests, (size_t)11);

    /* With no_retry the first error is returned at once. */
    SCRIPT(&fixture, {503, "Retry-After", "7", ""});
    CHECK_ERROR(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("default", "a"),
                           &(struct client_get_options){.no_retry = true}, NULL),
                ERROR_SERVICE_UNAVAILABLE);
    CHECK_ERROR(client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("default", "a"),
                              &(struct client_delete_options){.no_retry = true}, NULL),
                ERROR_SERVICE_UNAVAILABLE);
    CHECK_ERROR(client_patch(fixture.client, GVR_CONFIG_MAPS, KEY("default", "a"),
                             CLIENT_PATCH_MERGE, STR("{}"),
                             &(struct client_write_options){.no_retry = true}, NULL),
                ERROR_SERVICE_UNAVAILABLE);
    CHECK_EQ(fixture.requests, 3);

    begun = loop_now(loop_current());
    SCRIPT(&fixture, {503, "Retry-After", "100", ""});
    FIBER_TIMEOUT(10 * SECOND);
    CHECK_ERROR(client_update(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL),
                ERROR_SERVICE_UNAVAILABLE);
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, (int64_t)10);
}

/* Answers half of what it announced, a few times, then all of it. */
struct flaky {
    int failures;
    int requests;
};

static struct error *breaks_off(void *data, struct http_request *request)
{
    struct flaky *flaky = data;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    TRY(http_request_respond(request, 200, &headers));
    flaky->requests++;
    const struct str body = STR(ONE_OBJECT);
    if (flaky->failures-- > 0) {
        TRY(http_request_write(request, str_slice(body, 0, 40)));
        TRY(fiber_sleep(MILLISECOND));
        return error_new(ERROR_INTERNAL, "broken");
    }
    return http_request_write(request, body);
}

SIM_TEST(a_read_is_repeated_when_the_answer_breaks_off)
{
    struct flaky flaky = {.failures = 2};
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    fixture.handler = breaks_off;
    fixture.data = &flaky;
    client_fixture_start(&fixture);
    OWNED(object) object = NULL;
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object));
    CHECK_EQ(flaky.requests, 3);
    flaky = (struct flaky){.failures = 1};
    OWNED(error) err = client_update(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL);
    CHECK(err == NULL ||
          flaky.requests == 1); /* the body was not read, or the one request failed */
    CHECK_EQ(flaky.requests, 1);
}

static struct error *sleeps_long(void *data, struct http_request *request)
{
    (void)data;
    (void)request;
    return fiber_sleep(HOUR);
}

SIM_TEST(a_request_has_a_limit_of_its_own_and_the_fibers)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    fixture.handler = sleeps_long;
    client_fixture_start(&fixture);
    OWNED(object) object = NULL;
    int64_t begun = loop_now(loop_current());
    CHECK_FAILS(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object),
                ERROR_DEADLINE, "GET https://fixture/prefix/api/v1/namespaces/ns/configmaps/a");
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, (int64_t)30);
    begun = loop_now(loop_current());
    FIBER_TIMEOUT(4 * SECOND);
    CHECK_ERROR(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object),
                ERROR_DEADLINE);
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, (int64_t)4);
}

SIM_TEST(requests_wait_for_their_turn)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    fixture.options.qps = 10;
    fixture.options.burst = 5;
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    OWNED(object) object = NULL;
    const int64_t begun = loop_now(loop_current());
    for (int i = 0; i < 25; i++) {
        object_free(TAKE(object));
        CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object));
    }
    /* 5 at once, 20 more at 10 per second. */
    CHECK_EQ((loop_now(loop_current()) - begun + 50 * MILLISECOND) / (100 * MILLISECOND),
             (int64_t)20);
    FIBER_TIMEOUT(50 * MILLISECOND);
    CHECK_FAILS(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object),
                ERROR_DEADLINE, "client rate limiter Wait returned an error");
    /* Another resource has a bucket of its own. */
    CHECK_OK(client_get(fixture.client, GVR_SECRETS, KEY("ns", "a"), NULL, NULL));
}

#define ITEM(name) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\"}}"
#define PAGE(version, token, items)                                                                  \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" version \
    "\",\"continue\":\"" token "\"},\"items\":[" items "]}"

struct names {
    struct buf text;
    int restarts;
};

static struct error *note_name(void *data, struct object *object)
{
    struct names *names = data;
    CHECK_EQ(object_kind(object), STR("ConfigMap"));
    buf_add(&names->text, object_name(object));
    return NULL;
}

static void forget_names(void *data)
{
    struct names *names = data;
    names->restarts++;
    buf_clear(&names->text);
}

LOOP_TEST(lists_come_in_pages_and_begin_anew_when_too_old)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    struct names names = {0};
    const struct client_list_sink sink = {note_name, forget_names, &names};
    SCOPED(buf) version = {0};
    SCRIPT(&fixture, {200, NULL, NULL, PAGE("9", "t1", ITEM("a") "," ITEM("b"))},
           {410, NULL, NULL, FAILURE("Expired", "too old", "410")},
           {200, NULL, NULL, PAGE("12", "t 2", ITEM("c"))},
           {200, NULL, NULL, PAGE("12", "", ITEM("d") "," ITEM("e"))});
    CHECK_OK(client_list_each(
        fixture.client, GVR_CONFIG_MAPS, STR("ns"),
        &(struct client_list_options){.label_selector = STR("x in (1,2)"), .limit = 2}, &sink,
        &version));
    CHECK_EQ(buf_str(&names.text), STR("cde"));
    CHECK_EQ(names.restarts, 1);
    CHECK_EQ(buf_str(&version), STR("12"));
    CHECK_EQ(buf_str(&fixture.seen),
             STR("GET " PATH "?labelSelector=x%20in%20%281%2C2%29&limit=2&timeout=30s\n"
                 "GET " PATH "?labelSelector=x%20in%20%281%2C2%29&limit=2&continue=t1&timeout=30s\n"
                 "GET " PATH "?labelSelector=x%20in%20%281%2C2%29&limit=2&timeout=30s\n"
                 "GET " PATH
                 "?labelSelector=x%20in%20%281%2C2%29&limit=2&continue=t%202&timeout=30s\n"));
    /* No limit together with a version: with a limit servers take it for exactly this version. */
    SCRIPT(&fixture, {200, NULL, NULL, PAGE("12", "", ITEM("d"))});
    CHECK_OK(client_list_each(
        fixture.client, GVR_CONFIG_MAPS, STR("ns"),
        &(struct client_list_options){.resource_version = STR("7"), .limit = -1}, &sink, &version));
    CHECK_EQ(buf_str(&fixture.seen), STR("GET " PATH "?resourceVersion=7&timeout=30s\n"));
    /* Too old at the very beginning is the caller's affair. */
    SCRIPT(&fixture, {410, NULL, NULL, FAILURE("Expired", "too old", "410")});
    CHECK_ERROR(client_list_each(fixture.client, GVR_CONFIG_MAPS, STR(""), NULL, &sink, &version),
                ERROR_EXPIRED);
    buf_done(&names.text);
}

/* The page limit of these tests is PAGE with one ITEM and its neighbour does not fit. */
LOOP_TEST(pages_that_are_too_large_come_in_halves)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    fixture.options.page_max = sizeof(PAGE("9", "t1", ITEM("a")));
    client_fixture_start(&fixture);
    struct names names = {0};
    const struct client_list_sink sink = {note_name, forget_names, &names};
    SCOPED(buf) version = {0};
    SCRIPT(&fixture, {200, NULL, NULL, PAGE("9", "t1", ITEM("a") "," ITEM("b"))},
           {200, NULL, NULL, PAGE("9", "t1", ITEM("a"))},
           {200, NULL, NULL, PAGE("9", "", ITEM("b"))});
    CHECK_OK(client_list_each(fixture.client, GVR_CONFIG_MAPS, STR("ns"),
                              &(struct client_list_options){.limit = 2}, &sink, &version));
    CHECK_EQ(buf_str(&names.text), STR("ab"));
    CHECK_EQ(names.restarts, 0);
    CHECK_EQ(buf_str(&fixture.seen), STR("GET " PATH "?limit=2&timeout=30s\n"
                                         "GET " PATH "?limit=1&timeout=30s\n"
                                         "GET " PATH "?limit=1&continue=t1&timeout=30s\n"));
    /* A list as a whole becomes one in pages, of the newest version. */
    buf_clear(&names.text);
    SCRIPT(&fixture, {200, NULL, NULL, PAGE("9", "", ITEM("a") "," ITEM("b"))},
           {200, NULL, NULL, PAGE("9", "t1", ITEM("a"))},
           {200, NULL, NULL, PAGE("9", "", ITEM("b"))});
    CHECK_OK(client_list_each(
        fixture.client, GVR_CONFIG_MAPS, STR("ns"),
        &(struct client_list_options){.limit = -1, .resource_version = STR("0")}, &sink, &version));
    CHECK_EQ(buf_str(&names.text), STR("ab"));
    CHECK_EQ(buf_str(&fixture.seen), STR("GET " PATH "?resourceVersion=0&timeout=30s\n"
                                         "GET " PATH "?limit=500&timeout=30s\n"
                                         "GET " PATH "?limit=500&continue=t1&timeout=30s\n"));
    /* One object that does not fit is an error. */
    SCRIPT(&fixture, {200, NULL, NULL, PAGE("9", "", ITEM("a") "," ITEM("b"))});
    CHECK_ERROR(client_list_each(fixture.client, GVR_CONFIG_MAPS, STR("ns"),
                                 &(struct client_list_options){.limit = 1}, &sink, &version),
                ERROR_TOO_LARGE);
    buf_done(&names.text);
}

LOOP_TEST(credentials_and_impersonation_stand_in_headers)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    const struct str groups[] = {STR("g1"), STR("g2")};
    const struct str scopes[] = {STR("s1")};
    const struct rest_extra extra = {STR("Sco/pes"), scopes, 1};
    fixture.config.auth.token = STR("planted-token");
    fixture.config.impersonate = (struct rest_impersonation){.user = STR("jane"),
                                                             .uid = STR("42"),
                                                             .groups = groups,
                                                             .group_count = 2,
                                                             .extra = &extra,
                                                             .extra_count = 1};
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL));
    const struct http_headers *headers = &fixture.last_headers;
    CHECK_EQ(http_headers_find(headers, STR("authorization")), STR("Bearer planted-token"));
    CHECK_EQ(http_headers_find(headers, STR("impersonate-user")), STR("jane"));
    CHECK_EQ(http_headers_find(headers, STR("impersonate-uid")), STR("42"));
    CHECK_EQ(http_headers_count(headers, STR("impersonate-group")), (size_t)2);
    CHECK_EQ(http_headers_find(headers, STR("impersonate-extra-sco%2fpes")), STR("s1"));
}

LOOP_TEST(basic_credentials_stand_in_the_header_too)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    fixture.config.auth.username = STR("me");
    fixture.config.auth.password = STR("p:w");
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL));
    CHECK_EQ(http_headers_find(&fixture.last_headers, STR("authorization")), STR("Basic bWU6cDp3"));
}

static void note_warning(void *data, struct str text)
{
    buf_add(data, text);
    buf_add_char(data, '|');
}

LOOP_TEST(warnings_and_metrics_are_told)
{
    SCOPED(buf) warnings = {0};
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    fixture.options.warn = note_warning;
    fixture.options.warn_data = &warnings;
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, "Warning", "299 - \"unknown field \\\"spec.x\\\"\"", ONE_OBJECT},
           {404, NULL, NULL, FAILURE("NotFound", "m", "404")});
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL));
    CHECK_ERROR(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL),
                ERROR_NOT_FOUND);
    CHECK_EQ(buf_str(&warnings), STR("unknown field \"spec.x\"|"));
    SCOPED(buf) text = {0};
    metrics_write(fixture.metrics, &text);
    char line[128];
    snprintf(line, sizeof(line),
             "rest_client_requests_total{code=\"404\",host=\"127.0.0.1:%u\",method=\"GET\"} 1\n",
             fixture.port);
    CHECK_CONTAINS(buf_str(&text), str_from_c(line));
}

static void note_line(void *data, struct str line)
{
    buf_add(data, line);
}

LOOP_TEST(warnings_are_logged_as_they_were_meant)
{
    SCOPED(buf) lines = {0};
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, "Warning", "299 - \"unknown field \\\"spec.x\\\"\"", ONE_OBJECT});
    log_set_level(2);
    log_set_format(LOG_JSON);
    log_set_sink(note_line, &lines);
    struct error *err = client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL);
    log_set_sink(NULL, NULL);
    CHECK_OK(err);
    CHECK_CONTAINS(buf_str(&lines), STR("\"warning\":\"unknown field \\\"spec.x\\\"\""));
}

LOOP_TEST(raw_requests_give_what_was_answered)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {0};
    struct client_raw_answer answer;
    SCRIPT(&fixture, {200, "ETag", "\"x\"", "ok"}, {304, NULL, NULL, ""});
    CHECK_OK(client_raw(fixture.client,
                        &(struct client_raw_request){.path = STR("/readyz"),
                                                     .query = STR("verbose=1"),
                                                     .timeout = 5 * SECOND},
                        &arena, &body, &answer));
    CHECK_EQ(buf_str(&body), STR("ok"));
    CHECK_EQ(answer.etag, STR("\"x\""));
    CHECK_EQ(buf_str(&fixture.seen), STR("GET /prefix/readyz?verbose=1&timeout=5s\n"));
    CHECK_OK(
        client_raw(fixture.client,
                   &(struct client_raw_request){.path = STR("/api"), .if_none_match = answer.etag},
                   &arena, &body, &answer));
    CHECK_EQ(answer.status, 304);
}

static void collect_line(void *data, struct str line)
{
    buf_add(data, line);
}

/* Every secret there is, planted, and every way in which a request can go wrong. */
LOOP_TEST(no_secret_reaches_logs_or_errors)
{
    SCOPED(buf) logs = {0};
    log_set_sink(collect_line, &logs);
    log_set_level(10);
    SCOPED(buf) errors = {0};
    {
        SCOPED(client_fixture) fixture;
        client_fixture_init(&fixture, true);
        fixture.config.auth.token = STR("planted-token");
        client_fixture_start(&fixture);
        OWNED(object) secret = NULL;
        CHECK_OK(object_read(
            STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\","
                "\"namespace\":\"ns\"},\"stringData\":{\"k\":\"planted-data\"}}"),
            &secret));
        const struct scripted answers[] = {
            {200,     NULL, NULL, "{\"kind\":\"Secret\",\"data\":{\"k\":\"planted-data\"},"},
            {500,     NULL, NULL, "{\"kind\":\"Secret\",\"data\":{\"k\":\"planted-data\"}}"},
            {401,     NULL, NULL, FAILURE("Unauthorized",                                    "Unauthorized", "401")},
            {429, "Retry-After",     "0",       ""                                                  },
        };
        for (size_t i = 0; i < COUNT(answers); i++) {
            client_fixture_script(&fixture, &answers[i], 1);
            OWNED(object) object = NULL;
            struct error *failures[] = {
                client_get(fixture.client, GVR_SECRETS, KEY("ns", "s"), NULL, &object),
                client_create(fixture.client, GVR_SECRETS, secret, NULL, NULL),
                client_patch(fixture.client, GVR_SECRETS, KEY("ns", "s"), CLIENT_PATCH_MERGE,
                             STR("{\"data\":{\"k\":\"planted-data\"}}"), NULL, NULL),
            };
            for (size_t k = 0; k < COUNT(failures); k++) {
                if (failures[k])
                    buf_print(&errors, "%s %s\n", failures[k]->message,
                              failures[k]->details ? failures[k]->details : "");
                error_free(failures[k]);
            }
        }
    }
    log_set_level(0);
    log_set_sink(NULL, NULL);
    CHECK(errors.len > 0);
    CHECK(!str_contains(buf_str(&errors), STR("planted")));
    CHECK(!str_contains(buf_str(&logs), STR("planted")));
}

/* Says yes before a time of the loop. */
static bool is_before(void *data)
{
    return loop_now(loop_current()) < *(int64_t *)data;
}

/* Says yes so often. */
static bool count_down(void *data)
{
    size_t *left = data;
    if (!*left)
        return false;
    --*left;
    return true;
}

SIM_TEST(writes_ask_before_they_go_out_and_reads_do_not)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    size_t left = 0;
    fixture.options.may_write = count_down;
    fixture.options.may_write_data = &left;
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    OWNED(object) object = NULL;
    CHECK_OK(client_get(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, &object));
    CHECK_EQ(fixture.requests, (size_t)1);
    CHECK_ERROR(client_create(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL), ERROR_CANCELED);
    CHECK_ERROR(client_update(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL), ERROR_CANCELED);
    CHECK_ERROR(client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), NULL, NULL),
                ERROR_CANCELED);
    CHECK_ERROR(client_patch(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), CLIENT_PATCH_MERGE,
                             STR("{}"), NULL, NULL),
                ERROR_CANCELED);
    CHECK_ERROR(client_raw(fixture.client,
                           &(struct client_raw_request){.method = STR("POST"), .path = STR("/x")},
                           &(struct arena){0}, &(struct buf){0}, &(struct client_raw_answer){0}),
                ERROR_CANCELED);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.requests, (size_t)1);

    /* Half a body is not acted upon. */
    left = 2;
    SCRIPT(&fixture, {200, NULL, NULL, ONE_OBJECT});
    CHECK_ERROR(client_update(fixture.client, GVR_CONFIG_MAPS, object, NULL, NULL), ERROR_CANCELED);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.requests, (size_t)0);
}

SIM_TEST(a_repetition_asks_anew)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    int64_t until = loop_now(loop_current()) + SECOND / 2;
    fixture.options.may_write = is_before;
    fixture.options.may_write_data = &until;
    client_fixture_start(&fixture);
    SCRIPT(&fixture, {429, "Retry-After", "1", ""}, {200, NULL, NULL, ONE_OBJECT});
    CHECK_ERROR(client_patch(fixture.client, GVR_CONFIG_MAPS, KEY("ns", "a"), CLIENT_PATCH_MERGE,
                             STR("{}"), NULL, NULL),
                ERROR_CANCELED);
    CHECK_EQ(fixture.requests, (size_t)1);
}

static struct error *get_and_list(void)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    client_fixture_start(&fixture);
    struct names names = {0};
    const struct client_list_sink sink = {note_name, forget_names, &names};
    SCOPED(buf) version = {0};
    SCRIPT(&fixture, {307, "Location", "/elsewhere", ""},
           {200, NULL, NULL, PAGE("9", "", ITEM("a"))});
    struct error *err =
        client_list_each(fixture.client, GVR_CONFIG_MAPS, STR("ns"), NULL, &sink, &version);
    buf_done(&names.text);
    return err;
}

TORTURE_TEST(requests_survive_every_interruption)
{
    return get_and_list();
}
