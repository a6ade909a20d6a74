/*
 * However large a request is, its work does not keep the loop: it is done on a worker thread. And
 * it is the same work: what holds for small requests holds for large ones.
 */
#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/endpoints/turn_meter_test.h"

#define MAPS        "/api/v1/namespaces/default/configmaps"
#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDE        "/apis/g.test/v1/namespaces/default/wides"

/* What is repeated for each of several members or operations; # is its number. */
struct large_body {
    const char *before, *unit, *behind;
    size_t count;
};

static void large_body_write(struct buf *out, const struct large_body *body)
{
    buf_clear(out);
    buf_add(out, str_from_c(body->before));
    for (size_t i = 0; i < body->count; i++) {
        buf_add(out, str_from_c(i ? "," : ""));
        for (const char *c = body->unit; *c; c++)
            if (*c == '#')
                buf_print(out, "%zu", i);
            else
                buf_add_char(out, *c);
    }
    buf_add(out, str_from_c(body->behind));
}

#define MEMBERS 6000

/* A kind whose spec has so many properties, each with a default. */
#define DEFINITION(count)                                                                      \
    {                                                                                          \
        "{\"metadata\":{\"name\":\"wides.g.test\"},\"spec\":{\"group\":\"g.test\",\"scope\":"  \
        "\"Namespaced\",\"names\":{\"plural\":\"wides\",\"kind\":\"Wide\"},\"versions\":[{"    \
        "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"   \
        "\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"default\":{},"    \
        "\"properties\":{",                                                                    \
            "\"m-#\":{\"type\":\"string\",\"default\":\"d\",\"description\":\"A property.\"}", \
            "}}}}}}]}}", count                                                                 \
    }
#define OBJECT(count)                                                                             \
    {                                                                                             \
        "{\"apiVersion\":\"g.test/v1\",\"kind\":\"Wide\",\"metadata\":{\"name\":\"w\"},\"spec\":" \
        "{",                                                                                      \
            "\"m-#\":\"x\"", "}}", count                                                          \
    }
#define MAP(count)                                                                              \
    {                                                                                           \
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"},\"data\":" \
        "{",                                                                                    \
            "\"m-#\":\"x\"", "}}", count                                                        \
    }
#define CHANGES(count)                                  \
    {                                                   \
        "{\"data\":{", "\"n-#\":\"value\"", "}}", count \
    }

static const struct large_request {
    const char *name, *method, *target, *type;
    struct large_body body; /* the unit is NULL: before is all of it */
    int status;
} requests[] = {
    {"a definition",            "POST",   DEFINITIONS,                         "application/json",                       DEFINITION(MEMBERS),                                                                201},
    {"its label",
     "PATCH",                             DEFINITIONS "/wides.g.test",
     "application/merge-patch+json",                                                                                     {"{\"metadata\":{\"labels\":{\"a\":\"b\"}}}", "", "", 0},
     200                                                                                                                                                                                                        },
    {"a custom object",         "POST",   WIDE,                                "application/json",                       OBJECT(MEMBERS),                                                                    201},
    {"one field of it",
     "PATCH",                             WIDE "/w",
     "application/merge-patch+json",                                                                                     {"{\"spec\":{\"m-1\":\"y\"}}", "", "", 0},
     200                                                                                                                                                                                                        },
    {"its deletion",            "DELETE", WIDE "/w",                           NULL,                                     {"", "", "", 0},                                                                    200},
    {"a ConfigMap",             "POST",   MAPS,                                "application/json",                       MAP(MEMBERS),                                                                       201},
    {"a ConfigMap again",       "PUT",    MAPS "/m",                           "application/json",                       MAP(MEMBERS),                                                                       200},
    {"a merge patch",           "PATCH",  MAPS "/m",                           "application/merge-patch+json",           CHANGES(MEMBERS),                                                                   200},
    {"a strategic merge patch", "PATCH",  MAPS "/m",                           "application/strategic-merge-patch+json",
     CHANGES(MEMBERS / 2),                                                                                                                                                                                   200},
    {"a JSON patch",
     "PATCH",                             MAPS "/m",
     "application/json-patch+json",                                                                                      {"[", "{\"op\":\"add\",\"path\":\"/data/o-#\",\"value\":\"z\"}", "]", MEMBERS / 2},
     200                                                                                                                                                                                                        },
    {"an apply",                "PATCH",  MAPS "/m?fieldManager=f&force=true", "application/apply-patch+yaml",
     MAP(MEMBERS),                                                                                                                                                                                           200},
    {"a ConfigMap's deletion",  "DELETE", MAPS "/m",                           NULL,                                     {"", "", "", 0},                                                                    200},
    {"many owners",
     "POST",                              MAPS,
     "application/json",                                                                                                 {"{\"metadata\":{\"name\":\"owned\",\"ownerReferences\":[",
      "{\"apiVersion\":\"v9\",\"kind\":\"A\",\"name\":\"a\",\"uid\":\"u-#\"}", "]}}", MEMBERS},
     201                                                                                                                                                                                                        },
    {"a change of it",
     "PATCH",                             MAPS "/owned",
     "application/merge-patch+json",                                                                                     {"{\"data\":{\"a\":\"b\"}}", "", "", 0},
     200                                                                                                                                                                                                        },
    {"the definition's",        "DELETE", DEFINITIONS "/wides.g.test",         NULL,                                     {"", "", "", 0},                                                                    200},
};

/* Without looking at the answer, which would take the time of this fiber. */
static int send_request(struct apiserver_fixture *fixture, const struct large_request *request,
                        struct str body)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    if (request->type)
        CHECK_OK(http_headers_add(&headers, STR("content-type"), str_from_c(request->type)));
    const struct http_client_request message = {.method = str_from_c(request->method),
                                                .target = str_from_c(request->target),
                                                .headers = &headers,
                                                .body = body};
    CHECK_OK(http_client_send(fixture->client, &message, &response));
    buf_clear(&fixture->answer);
    CHECK_OK(http_response_read_all(response, &fixture->answer));
    return http_response_status(response);
}

/*
 * The longest turn of the loop is compared with all that the process did for the request, so that
 * it does not matter how fast the machine is, nor what else it does.
 */
LOOP_TEST(large_requests_do_not_keep_the_loop)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {0};
    struct turn_meter meter;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(requests); i++) {
        const struct large_request *request = &requests[i];
        TEST_CASE("%s", request->name);
        large_body_write(&body, &request->body);
        CHECK_OK(fiber_yield());
        const int64_t begun = turn_meter_cpu(CLOCK_PROCESS_CPUTIME_ID);
        meter = (struct turn_meter){turn_meter_cpu(CLOCK_THREAD_CPUTIME_ID), 0};
        loop_set_park_hook(loop_current(), turn_meter_note, &meter);
        const int status = send_request(&fixture, request, buf_str(&body));
        loop_set_park_hook(loop_current(), NULL, NULL);
        CHECK_OK(turn_meter_note(&meter, NULL)); /* a fiber that ends does not park */
        const duration all = turn_meter_cpu(CLOCK_PROCESS_CPUTIME_ID) - begun;
        if (status != request->status)
            test_fail(TEST_PLACE(request->name), "%d: %.*s", status,
                      STR_ARG(str_slice(buf_str(&fixture.answer), 0, 500)));
        if (meter.longest > all / 4)
            test_fail(TEST_PLACE(request->name), "kept the loop for %lld us of %lld",
                      (long long)(meter.longest / MICROSECOND), (long long)(all / MICROSECOND));
    }
}

/* One request of a session; what came of it is a line in the transcript. */
static void note(struct apiserver_fixture *fixture, struct buf *transcript, const char *method,
                 const char *target, const char *body)
{
    const int status = apiserver_fixture_call(fixture, method, target, body);
    const struct json_value *root = json_doc_root(fixture->doc);
    int64_t generation = 0;
    (void)json_to_int64(json_path(root, "metadata.generation"), &generation);
    buf_print(transcript, "%s %s: %d %.*s, version %.*s, generation %lld, %.*s\n", method, target,
              status, STR_ARG(json_path_str(root, "reason")),
              STR_ARG(json_path_str(root, "metadata.resourceVersion")), (long long)generation,
              STR_ARG(json_path_str(root, "data.k")));
}

/* The body of the last answer with this in front of its data. */
static const char *changed_answer(const struct apiserver_fixture *fixture, struct buf *out)
{
    const struct str text = buf_str(&fixture->answer);
    const size_t at = str_find(text, STR("\"data\":{")) + 8;
    buf_clear(out);
    buf_add(out, str_slice(text, 0, at));
    buf_add(out, STR("\"k\":\"changed\","));
    buf_add(out, str_skip(text, at));
    return buf_c(out);
}

static void play_map(struct apiserver_fixture *fixture, size_t count, struct buf *transcript)
{
    SCOPED(buf) body = {0}, stale = {0}, event = {0};
    const struct large_body map = MAP(count), again = CHANGES(count);
    large_body_write(&body, &map);
    OWNED(http_response) watch = apiserver_fixture_watch(fixture, MAPS "?watch=1");
    note(fixture, transcript, "POST", MAPS "?dryRun=All", buf_c(&body));
    note(fixture, transcript, "GET", MAPS "/m", "");
    note(fixture, transcript, "POST", MAPS, buf_c(&body));
    const char *put = changed_answer(fixture, &stale);
    note(fixture, transcript, "POST", MAPS, buf_c(&body));
    note(fixture, transcript, "PUT", MAPS "/m?dryRun=All", put);
    note(fixture, transcript, "PUT", MAPS "/m", put);
    note(fixture, transcript, "PUT", MAPS "/m", put);
    note(fixture, transcript, "GET", MAPS "/m", "");
    large_body_write(&body, &again);
    note(fixture, transcript, "PATCH", MAPS "/m", buf_c(&body));
    note(fixture, transcript, "PATCH", MAPS "/m", buf_c(&body));
    note(fixture, transcript, "PATCH", MAPS "/m", "{\"data\":{\"a b\":\"\"}}");
    note(fixture, transcript, "PATCH", MAPS "/m", "{\"metadata\":{\"finalizers\":[\"a.b/c\"]}}");
    note(fixture, transcript, "DELETE", MAPS "/m?dryRun=All", "");
    note(fixture, transcript, "DELETE", MAPS "/m", "");
    note(fixture, transcript, "PATCH", MAPS "/m", "{\"metadata\":{\"finalizers\":null}}");
    note(fixture, transcript, "GET", MAPS "/m", "");
    for (size_t i = 0; i < 8 && !str_starts_with(buf_str(&event), STR("DELETED")); i++)
        if (apiserver_fixture_event(watch, &event).len)
            buf_print(transcript, "%.*s\n", STR_ARG(buf_str(&event)));
}

static void play_definition(struct apiserver_fixture *fixture, size_t count, struct buf *transcript)
{
    SCOPED(buf) body = {0};
    const struct large_body definition = DEFINITION(count), object = OBJECT(count);
    large_body_write(&body, &definition);
    note(fixture, transcript, "POST", DEFINITIONS "?dryRun=All", buf_c(&body));
    note(fixture, transcript, "POST", DEFINITIONS, buf_c(&body));
    note(fixture, transcript, "GET", DEFINITIONS "/wides.g.test", "");
    CHECK_CONTAINS(buf_str(&fixture->answer), STR("\"type\":\"Established\""));
    large_body_write(&body, &object);
    note(fixture, transcript, "POST", WIDE, buf_c(&body));
    note(fixture, transcript, "PATCH", WIDE "/w", "{\"spec\":{\"m-0\":\"y\"}}");
    note(fixture, transcript, "PATCH", WIDE "/w", "{\"spec\":{\"m-0\":1}}");
    note(fixture, transcript, "GET", WIDE "/w", "");
    note(fixture, transcript, "PATCH", DEFINITIONS "/wides.g.test",
         "{\"spec\":{\"names\":{\"shortNames\":[\"wd\"]}}}");
    note(fixture, transcript, "PATCH", DEFINITIONS "/wides.g.test",
         "{\"spec\":{\"versions\":null}}");
    note(fixture, transcript, "DELETE", WIDE "/w", "");
    note(fixture, transcript, "DELETE", DEFINITIONS "/wides.g.test", "");
    apiserver_fixture_await(fixture, DEFINITIONS "/wides.g.test", 404);
    note(fixture, transcript, "GET", WIDE "/w", "");
}

/* What is drawn of the seed does not matter: the order of the session is that of its answers. */
SIM_TEST(what_holds_for_small_writes_holds_for_large_ones)
{
    SCOPED(buf) small = {0}, large = {0};
    for (size_t i = 0; i < 2; i++) {
        SCOPED(apiserver_fixture) fixture;
        const size_t jobs = sim_jobs_done(loop_current());
        apiserver_fixture_init(&fixture);
        CHECK_OK(apiserver_fixture_start(&fixture));
        play_map(&fixture, i ? 6000 : 6, i ? &large : &small);
        play_definition(&fixture, i ? 6000 : 6, i ? &large : &small);
        CHECK(i == 0 || sim_jobs_done(loop_current()) > jobs + 20);
    }
    CHECK_EQ(buf_str(&large), buf_str(&small));
}

struct patcher {
    struct apiserver_fixture *fixture;
    size_t number;
    const char *large; /* a patch, or NULL for a small one */
};

static struct error *send_patch(void *data)
{
    const struct patcher *patcher = data;
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {0}, answer = {0};
    OWNED(http_response) response = NULL;
    if (patcher->large)
        buf_add(&body, str_from_c(patcher->large));
    else
        buf_print(&body, "{\"data\":{\"p-%zu\":\"x\"}}", patcher->number);
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/merge-patch+json")));
    const struct http_client_request request = {.method = STR("PATCH"),
                                                .target = STR(MAPS "/m"),
                                                .headers = &headers,
                                                .body = buf_str(&body)};
    TRY(http_client_send(patcher->fixture->client, &request, &response));
    TRY(http_response_read_all(response, &answer));
    CHECK_EQ(http_response_status(response), 200);
    return NULL;
}

/* None of them is lost, and none is refused for the sake of another. */
SIM_TEST(small_and_large_patches_at_the_same_time_are_all_made)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {0};
    SCOPED(scope) scope = {0};
    struct patcher patchers[24];
    const struct large_body map = MAP(1), changes = CHANGES(4000);
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    large_body_write(&body, &map);
    apiserver_fixture_create(&fixture, MAPS, buf_c(&body));
    large_body_write(&body, &changes);
    for (size_t i = 0; i < COUNT(patchers); i++) {
        patchers[i] = (struct patcher){&fixture, i, i % 6 == 3 ? buf_c(&body) : NULL};
        scope_start(&scope, "patcher", send_patch, &patchers[i]);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/m"), 200);
    const struct json_value *data = json_get(json_doc_root(fixture.doc), STR("data"));
    CHECK_EQ(json_count(data), (size_t)(1 + 4000 + 20));
}

/* A kind of which anything may be stored. */
#define ANYTHING                                                                                 \
    "{\"metadata\":{\"name\":\"wides.g.test\"},\"spec\":{\"group\":\"g.test\",\"scope\":"        \
    "\"Namespaced\",\"names\":{\"plural\":\"wides\",\"kind\":\"Wide\"},\"versions\":[{\"name\":" \
    "\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"         \
    "\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

SIM_TEST(an_object_does_not_outgrow_a_request_by_patches)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, DEFINITIONS, ANYTHING);
    apiserver_fixture_await(&fixture, WIDE, 200);
    apiserver_fixture_create(
        &fixture, WIDE,
        "{\"apiVersion\":\"g.test/v1\",\"kind\":\"Wide\",\"metadata\":{\"name\":\"w\"}}");
    for (int i = 0; i < 4; i++) {
        TEST_CASE("patch %d", i);
        buf_clear(&body);
        buf_print(&body, "{\"k%d\":\"", i);
        for (uint32_t n = 0; n < 125000; n++) /* not the same all over, for the sake of gzip */
            buf_print(&body, "%08x", n * 2654435761U);
        buf_add(&body, STR("\"}"));
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDE "/w", buf_c(&body)),
                 i < 3 ? 200 : 413);
    }
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("Request entity too large: limit is 3145728"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDE "/w", "{\"k1\":null}"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", WIDE "/w", buf_c(&body)), 200);
}

/* Sixty thousand bytes of a request ask for a default of a thousand bytes twenty thousand times. */
SIM_TEST(an_object_does_not_outgrow_a_request_by_defaults)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {0};
    const struct large_body list = {
        "{\"apiVersion\":\"g.test/v1\",\"kind\":\"Wide\",\"metadata\":{\"name\":\"w\"},"
        "\"items\":[",
        "{}", "]}", 20000};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    buf_print(&body,
              "{\"metadata\":{\"name\":\"wides.g.test\"},\"spec\":{\"group\":\"g.test\",\"scope\":"
              "\"Namespaced\",\"names\":{\"plural\":\"wides\",\"kind\":\"Wide\"},\"versions\":[{"
              "\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
              "\"type\":\"object\",\"properties\":{\"items\":{\"type\":\"array\",\"items\":{"
              "\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\",\"default\":"
              "\"%01000d\"}}}}}}}}]}}",
              0);
    apiserver_fixture_create(&fixture, DEFINITIONS, buf_c(&body));
    apiserver_fixture_await(&fixture, WIDE, 200);
    large_body_write(&body, &list);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", WIDE, buf_c(&body)), 413);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("RequestEntityTooLarge"));
    CHECK_EQ(apiserver_fixture_get(&fixture, WIDE "/w"), 404);
}
