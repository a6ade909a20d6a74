#include "apiserver/endpoints/handle_list.h"

#include "apiserver/endpoints/large_maps_test.h"
#include "apiserver/endpoints/turn_meter_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static void make_maps(struct apiserver_fixture *fixture, int from, int to)
{
    for (int i = from; i < to; i++) {
        char body[160];
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%03d\","
                 "\"labels\":{\"odd\":\"%d\"}}}",
                 i, i % 2);
        apiserver_fixture_create(fixture, MAPS, body);
    }
}

static void begin(struct apiserver_fixture *fixture, int maps)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
    make_maps(fixture, 0, maps);
}

static size_t item_count(const struct apiserver_fixture *fixture)
{
    return json_count(json_path(json_doc_root(fixture->doc), "items"));
}

static void list(struct apiserver_fixture *fixture, const char *format, ...) PRINTF_LIKE(2, 3);

static void list(struct apiserver_fixture *fixture, const char *format, ...)
{
    char target[512];
    va_list args;
    va_start(args, format);
    vsnprintf(target, sizeof(target), format, args);
    va_end(args);
    CHECK_EQ(apiserver_fixture_get(fixture, target), 200);
}

/* A copy of a text of the last answer. */
static const char *copy_of(struct apiserver_fixture *fixture, const char *path, struct buf *out)
{
    buf_clear(out);
    buf_add(out, apiserver_fixture_text(fixture, path));
    return buf_c(out);
}

SIM_TEST(pages_show_one_snapshot_whatever_is_written_meanwhile)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) version = {.limit = 0};
    SCOPED(buf) token = {.limit = 0};
    begin(&fixture, 10);
    list(&fixture, MAPS "?limit=4");
    copy_of(&fixture, "metadata.resourceVersion", &version);
    copy_of(&fixture, "metadata.continue", &token);
    int64_t remaining = 0;
    CHECK(json_to_int64(json_path(json_doc_root(fixture.doc), "metadata.remainingItemCount"),
                        &remaining));
    CHECK_EQ(remaining, 6);
    CHECK_EQ(item_count(&fixture), (size_t)4);
    make_maps(&fixture, 10, 12);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS "/m005", ""), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/m006", "{\"data\":{\"k\":\"v\"}}"),
             200);
    list(&fixture, MAPS "?limit=4&continue=%s", buf_c(&token));
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(apiserver_fixture_text(&fixture, "items.1.metadata.name"), STR("m005"));
    CHECK(json_path(json_doc_root(fixture.doc), "items.2.data") == NULL);
    copy_of(&fixture, "metadata.continue", &token);
    list(&fixture, MAPS "?limit=4&continue=%s", buf_c(&token));
    CHECK_EQ(item_count(&fixture), (size_t)2);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.continue"), STR(""));
    list(&fixture, MAPS "?limit=100");
    CHECK_EQ(item_count(&fixture), (size_t)11);
}

SIM_TEST(a_page_that_is_exactly_full_is_the_last)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture, 4);
    list(&fixture, MAPS "?limit=4");
    CHECK_EQ(item_count(&fixture), (size_t)4);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.continue"), STR(""));
}

/* A namespace with two Secrets. */
static void make_namespace(struct apiserver_fixture *fixture, const char *name)
{
    char target[128], body[160];
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}", name);
    apiserver_fixture_create(fixture, "/api/v1/namespaces", body);
    snprintf(target, sizeof(target), "/api/v1/namespaces/%s/secrets", name);
    for (int i = 0; i < 2; i++) {
        snprintf(body, sizeof(body),
                 "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s%d\"}}", i);
        apiserver_fixture_create(fixture, target, body);
    }
}

/* Adds "namespace/name " of every item of the last answer. */
static void add_keys(const struct apiserver_fixture *fixture, struct buf *out)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(json_doc_root(fixture->doc), "items")) {
        const struct str namespace = json_path_str(item, "metadata.namespace");
        const struct str name = json_path_str(item, "metadata.name");
        buf_print(out, "%.*s/%.*s ", STR_ARG(namespace), STR_ARG(name));
    }
}

/* The order of the bytes of "namespace/name": "-" is before "/". */
SIM_TEST(lists_over_all_namespaces_are_in_the_order_of_etcd)
{
    const struct str wanted = STR("o9-a/s0 o9-a/s1 o9/s0 o9/s1 o9a/s0 o9a/s1 ");
    static const char *const queries[] = {"", "&resourceVersion=0", "&fieldSelector=type%3DOpaque"};
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture, 0);
    make_namespace(&fixture, "o9a");
    make_namespace(&fixture, "o9");
    make_namespace(&fixture, "o9-a");
    for (size_t i = 0; i < COUNT(queries); i++)
        for (int limit = 0; limit <= 6; limit++) {
            TEST_CASE("%s by pages of %d", queries[i], limit);
            SCOPED(buf) seen = {.limit = 0};
            SCOPED(buf) token = {.limit = 0};
            list(&fixture, "/api/v1/secrets?limit=%d%s", limit, queries[i]);
            add_keys(&fixture, &seen);
            while (*copy_of(&fixture, "metadata.continue", &token)) {
                list(&fixture, "/api/v1/secrets?limit=%d&continue=%s%s", limit, buf_c(&token),
                     queries[i]);
                add_keys(&fixture, &seen);
            }
            CHECK_EQ(buf_str(&seen), wanted);
        }
}

SIM_TEST(initial_events_of_all_namespaces_are_in_the_order_of_etcd)
{
    static const char *const wanted[] = {
        "\"name\":\"s0\",\"namespace\":\"o9-a\"", "\"name\":\"s1\",\"namespace\":\"o9-a\"",
        "\"name\":\"s0\",\"namespace\":\"o9\"", "\"name\":\"s1\",\"namespace\":\"o9\""};
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture, 0);
    make_namespace(&fixture, "o9");
    make_namespace(&fixture, "o9-a");
    OWNED(http_response)
    watch = apiserver_fixture_watch(
        &fixture, "/api/v1/secrets?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                  "&resourceVersionMatch=NotOlderThan");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        struct str line;
        CHECK_OK(http_response_read_line(watch, &line));
        CHECK_CONTAINS(line, str_from_c(wanted[i]));
    }
}

SIM_TEST(a_token_is_read_before_a_version_that_must_not_be_there)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    char target[512];
    begin(&fixture, 4);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "?continue=x&resourceVersion=5"), 400);
    CHECK(str_starts_with(apiserver_fixture_text(&fixture, "message"),
                          STR("invalid continue token: ")));
    list(&fixture, MAPS "?limit=2");
    copy_of(&fixture, "metadata.continue", &token);
    snprintf(target, sizeof(target), MAPS "?continue=%s&resourceVersion=x", buf_c(&token));
    CHECK_EQ(apiserver_fixture_get(&fixture, target), 400);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("specifying resource version is not allowed when using continue"));
}

SIM_TEST(pages_of_a_selection_do_not_count_what_remains)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    begin(&fixture, 9);
    list(&fixture, MAPS "?limit=3&labelSelector=odd%%3D1");
    CHECK_EQ(item_count(&fixture), (size_t)3);
    CHECK(json_path(json_doc_root(fixture.doc), "metadata.remainingItemCount") == NULL);
    copy_of(&fixture, "metadata.continue", &token);
    list(&fixture, MAPS "?limit=3&labelSelector=odd%%3D1&continue=%s", buf_c(&token));
    CHECK_EQ(item_count(&fixture), (size_t)1);
    CHECK_EQ(apiserver_fixture_text(&fixture, "items.0.metadata.name"), STR("m007"));
}

SIM_TEST(long_lists_are_whole)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) body = {.limit = 0};
    begin(&fixture, 0);
    for (int i = 0; i < 300; i++) {
        buf_clear(&body);
        buf_print(&body,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%03d\"},"
                  "\"data\":{\"text\":\"",
                  i);
        for (int j = 0; j < 2000; j++)
            buf_add_char(&body, 'x');
        buf_add(&body, STR("\"}}"));
        apiserver_fixture_create(&fixture, MAPS, buf_c(&body));
    }
    list(&fixture, MAPS);
    CHECK_EQ(item_count(&fixture), (size_t)300);
    CHECK(fixture.answer.len > 600000);
}

/* The history is short: a snapshot of an hour ago is gone. */
SIM_TEST(a_continuation_of_what_is_gone_goes_on_inconsistently)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    apiserver_fixture_init(&fixture);
    fixture.options.history_events = 1;
    fixture.options.history_age = SECOND;
    CHECK_OK(apiserver_fixture_start(&fixture));
    make_maps(&fixture, 0, 6);
    list(&fixture, MAPS "?limit=2");
    copy_of(&fixture, "metadata.continue", &token);
    for (int i = 0; i < 1100; i++) {
        char patch[64];
        snprintf(patch, sizeof(patch), "{\"data\":{\"n\":\"%d\"}}", i);
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/m000", patch), 200);
    }
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/m000", "{\"data\":null}"), 200);
    char target[512];
    snprintf(target, sizeof(target), MAPS "?limit=2&continue=%s", buf_c(&token));
    CHECK_EQ(apiserver_fixture_get(&fixture, target), 410);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Expired"));
    copy_of(&fixture, "metadata.continue", &token);
    CHECK(token.len > 0);
    list(&fixture, MAPS "?limit=2&continue=%s", buf_c(&token));
    CHECK_EQ(apiserver_fixture_text(&fixture, "items.0.metadata.name"), STR("m002"));
    CHECK_EQ(item_count(&fixture), (size_t)2);
}

/*
 * States of the past are compacted after 5 to 10 minutes, also those after which nothing was
 * written. Watches from there go on.
 */
SIM_TEST(an_old_state_is_compacted_even_if_nothing_changed)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0}, version = {.limit = 0};
    char target[512];
    begin(&fixture, 6);
    list(&fixture, MAPS "?limit=2");
    copy_of(&fixture, "metadata.continue", &token);
    copy_of(&fixture, "metadata.resourceVersion", &version);
    make_maps(&fixture, 6, 7);
    CHECK_OK(fiber_sleep(4 * MINUTE));
    list(&fixture, MAPS "?limit=2&continue=%s", buf_c(&token));
    CHECK_OK(fiber_sleep(7 * MINUTE));
    snprintf(target, sizeof(target), MAPS "?limit=2&continue=%s", buf_c(&token));
    CHECK_EQ(apiserver_fixture_get(&fixture, target), 410);
    copy_of(&fixture, "metadata.continue", &token);
    list(&fixture, MAPS "?limit=2&continue=%s", buf_c(&token));
    CHECK_EQ(apiserver_fixture_text(&fixture, "items.0.metadata.name"), STR("m002"));
    const char *const queries[] = {"resourceVersionMatch=Exact&", "limit=5&"};
    for (size_t i = 0; i < COUNT(queries); i++) {
        snprintf(target, sizeof(target), MAPS "?%sresourceVersion=%s", queries[i], buf_c(&version));
        CHECK_EQ(apiserver_fixture_get(&fixture, target), 410);
    }
    list(&fixture, MAPS "?resourceVersionMatch=NotOlderThan&resourceVersion=%s", buf_c(&version));
    CHECK_EQ(item_count(&fixture), (size_t)7);
    snprintf(target, sizeof(target), MAPS "?watch=1&resourceVersion=%s", buf_c(&version));
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, target);
    struct str line;
    CHECK_OK(http_response_read_line(watch, &line));
    CHECK_CONTAINS(line, STR("{\"type\":\"ADDED\",\"object\":{"));
}

SIM_TEST(lists_of_the_future_and_of_nonsense_are_refused)
{
    static const struct {
        const char *query;
        int status;
    } cases[] = {
        {"resourceVersion=99999999",                                  504},
        {"resourceVersion=x",                                         400},
        {"resourceVersion=99999999&resourceVersionMatch=Exact",       504},
        {"resourceVersionMatch=Exact",                                422},
        {"resourceVersion=1&resourceVersionMatch=Sometimes",          422},
        {"resourceVersion=0&resourceVersionMatch=Exact",              422},
        {"continue=nonsense",                                         400},
        {"limit=x",                                                   400},
        {"labelSelector=%3D",                                         400},
        {"fieldSelector=spec.none%3D1",                               400},
        {"sendInitialEvents=true",                                    422},
        {"watch=1&resourceVersionMatch=NotOlderThan",                 422},
        {"watch=1&sendInitialEvents=true",                            422},
        {"watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", 422},
        {"resourceVersion=0&limit=1",                                 200},
        {"limit=-1",                                                  200},
        {"limit=",                                                    200},
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture, 3);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char target[256];
        snprintf(target, sizeof(target), MAPS "?%s", cases[i].query);
        TEST_CASE("%s", cases[i].query);
        CHECK_EQ(apiserver_fixture_get(&fixture, target), cases[i].status);
    }
    CHECK_EQ(item_count(&fixture), (size_t)3);
}

struct lister {
    struct apiserver_fixture *fixture;
    struct error *err;
};

static struct error *list_slowly(void *data)
{
    struct lister *lister = data;
    OWNED(http_response) response = NULL;
    SCOPED(buf) body = {.limit = 0};
    const struct http_client_request request = {.target = STR(MAPS)};
    TRY(http_client_send(lister->fixture->client, &request, &response));
    return http_response_read_all(response, &body);
}

/* A ServiceAccount that may list and watch the ConfigMap m001; its token is put into out. */
static void make_reader_of_one(struct apiserver_fixture *fixture, struct buf *out)
{
    static const char *const objects[][2] = {
        {"/api/v1/namespaces/default/serviceaccounts",
         "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"reader\"}}"},
        {"/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
         "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"Role\",\"metadata\":{\"name\":"
         "\"reader\"},\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"configmaps\"],"
         "\"resourceNames\":[\"m001\"],\"verbs\":[\"list\",\"watch\"]}]}"                        },
        {"/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
         "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":{"
         "\"name\":\"reader\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":"
         "\"Role\",\"name\":\"reader\"},\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":"
         "\"reader\",\"namespace\":\"default\"}]}"                                               },
        {"/api/v1/namespaces/default/serviceaccounts/reader/token",
         "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}"   },
    };
    for (size_t i = 0; i < COUNT(objects); i++)
        apiserver_fixture_create(fixture, objects[i][0], objects[i][1]);
    buf_add(out, apiserver_fixture_text(fixture, "status.token"));
}

SIM_TEST(a_list_by_name_is_allowed_by_a_rule_for_that_name)
{
    static const struct {
        const char *query;
        int status;
        const char *contains;
    } cases[] = {
        {"?fieldSelector=metadata.name%3Dm001",                          200, "\"name\":\"m001\""                         },
        {"?fieldSelector=metadata.name%3Dm001,metadata.namespace%3Dx",   200, "\"items\":[]"                              },
        {"?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dm001", 200, "\"name\":\"m001\""                         },
        {"?fieldSelector=metadata.name%3Dm002",                          403, "configmaps \\\"m002\\\" is forbidden: User"},
        {"?fieldSelector=metadata.name!%3Dm001",                         403, "configmaps is forbidden: User"             },
        {"?fieldSelector=metadata.namespace%3Ddefault",                  403, "configmaps is forbidden: User"             },
        {"",                                                             403, "configmaps is forbidden: User"             },
    };
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.secret = true};
    begin(&fixture, 3);
    make_reader_of_one(&fixture, &token);
    http_client_free(fixture.client);
    fixture.client = apiserver_fixture_client(&fixture, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) target = {.limit = 0}, answer = {.limit = 0};
        TEST_CASE("%s", cases[i].query);
        buf_print(&target, MAPS "%s", cases[i].query);
        OWNED(http_response)
        response = apiserver_fixture_send_with(&fixture, buf_c(&target), buf_str(&token), STR(""));
        CHECK_EQ(http_response_status(response), cases[i].status);
        CHECK_OK(http_response_read_all(response, &answer));
        CHECK_CONTAINS(buf_str(&answer), str_from_c(cases[i].contains));
        CHECK(!str_contains(buf_str(&answer), STR("\"name\":\"m000\"")));
    }
}

SIM_TEST(a_client_that_leaves_while_it_is_answered_leaves_nothing_behind)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture, 40);
    for (duration wait = 0; wait < 20 * MILLISECOND; wait += MILLISECOND) {
        SCOPED(scope) scope = {0};
        struct lister lister = {&fixture, NULL};
        scope_start(&scope, "lister", list_slowly, &lister);
        CHECK_OK(fiber_sleep(wait));
    }
    list(&fixture, MAPS);
    CHECK_EQ(item_count(&fixture), (size_t)40);
}

/* ConfigMaps with many members, below COMPUTE_FROM each, which a finalizer holds. */
static void make_large_maps(struct apiserver_fixture *fixture, int count, int members)
{
    SCOPED(buf) body = {.limit = 0};
    for (int i = 0; i < count; i++) {
        buf_clear(&body);
        buf_print(&body,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%03d\","
                  "\"finalizers\":[\"a.test/b\"]},\"data\":{\"k\":\"v\"",
                  i);
        for (int j = 0; j < members; j++)
            buf_print(&body, ",\"m-%d\":\"x\"", j);
        buf_add(&body, STR("}}"));
        apiserver_fixture_create(fixture, MAPS, buf_c(&body));
    }
}

/* Sends a request, and fails when one turn of the loop did more than a quarter of its work. */
static void check_turns(struct apiserver_fixture *fixture, const char *method, const char *target,
                        const char *accept)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {
        .method = str_from_c(method), .target = str_from_c(target), .headers = &headers};
    CHECK_OK(http_headers_add(&headers, STR("accept"), str_from_c(accept)));
    buf_clear(&fixture->answer);
    CHECK_OK(fiber_yield());
    const int64_t begun = turn_meter_cpu(CLOCK_PROCESS_CPUTIME_ID);
    struct turn_meter meter = {turn_meter_cpu(CLOCK_THREAD_CPUTIME_ID), 0};
    loop_set_park_hook(loop_current(), turn_meter_note, &meter);
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    CHECK_OK(http_response_read_all(response, &fixture->answer));
    loop_set_park_hook(loop_current(), NULL, NULL);
    CHECK_OK(turn_meter_note(&meter, NULL)); /* a fiber that ends does not park */
    const duration all = turn_meter_cpu(CLOCK_PROCESS_CPUTIME_ID) - begun;
    CHECK_EQ(http_response_status(response), 200);
    if (meter.longest > all / 4)
        test_fail(TEST_PLACE(target), "kept the loop for %lld us of %lld",
                  (long long)(meter.longest / MICROSECOND), (long long)(all / MICROSECOND));
}

#define TABLE    "application/json;as=Table;v=v1;g=meta.k8s.io"
#define METADATA "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

/*
 * The longest turn is compared with all that the process did for the request, so that it does not
 * matter how fast the machine is. Little is written, to the storage or to the client.
 */
LOOP_TEST(collections_that_write_little_do_not_keep_the_loop)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    make_large_maps(&fixture, 800, 1500);
    check_turns(&fixture, "GET", MAPS "?includeObject=None", TABLE);
    check_turns(&fixture, "GET", MAPS "?labelSelector=none", TABLE);
    check_turns(&fixture, "DELETE", MAPS "?includeObject=None&dryRun=All", TABLE);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", MAPS, ""), 200);
    /* Deletion has begun, and nothing is new. */
    check_turns(&fixture, "DELETE", MAPS "?includeObject=None", TABLE);
}

/* Adds 40,000 labels to the map z. */
static void grow_map(struct apiserver_fixture *fixture, int step)
{
    SCOPED(buf) body = {.limit = 0};
    buf_add(&body, STR("{\"metadata\":{\"labels\":{\"l\":\"\""));
    for (int i = 0; i < 40000; i++)
        buf_print(&body, ",\"l%d-%d\":\"\"", step, i);
    buf_add(&body, STR("}}}"));
    CHECK_EQ(apiserver_fixture_call(fixture, "PATCH", MAPS "/z", buf_c(&body)), 200);
}

/* Requirements and labels of a large object are no product, and not the loop's work. */
LOOP_TEST(a_list_with_many_requirements_does_not_keep_the_loop)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) target = {.limit = 0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(&fixture, MAPS, "{\"metadata\":{\"name\":\"z\"}}");
    for (int i = 0; i < 4; i++)
        grow_map(&fixture, i);
    buf_add(&target, STR(MAPS "?labelSelector=l"));
    for (int i = 0; i < 400; i++)
        buf_print(&target, ",!x%d", i);
    check_turns(&fixture, "GET", buf_c(&target), TABLE);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("\"cells\":[\"z\""));
    buf_add(&target, STR("&fieldSelector=metadata.name%3Dz"));
    check_turns(&fixture, "GET", buf_c(&target), METADATA);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("\"name\":\"z\""));
}

/* Reads the list to its end. False: it was cut off. */
static bool read_slow_list(struct http_response *response)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = http_response_read_all(response, &body);
    if (err)
        return false;
    CHECK_OK(json_read(buf_str(&body), &doc));
    CHECK_EQ(json_count(json_path(json_doc_root(doc), "items")), (size_t)LARGE_MAPS);
    return true;
}

/* How many of so many lists are complete that are not read before their revision is forgotten. */
static size_t count_slow_lists(size_t count)
{
    enum { MOST = 16 };
    SCOPED(apiserver_fixture) fixture;
    struct http_client *slow[MOST];
    struct http_response *lists[MOST];
    const struct http_client_request request = {.target = STR(LARGE_MAPS_PATH)};
    size_t complete = 0;
    apiserver_fixture_init(&fixture);
    fixture.options.history_events = 1;
    fixture.options.history_age = SECOND;
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int i = 0; i < LARGE_MAPS; i++)
        large_map_make(&fixture, i);
    for (size_t i = 0; i < count; i++) {
        slow[i] = apiserver_fixture_client(&fixture, fixture.admin);
        CHECK_OK(http_client_send(slow[i], &request, &lists[i]));
    }
    large_maps_outrun_history(&fixture);
    for (size_t i = 0; i < count; i++)
        complete += read_slow_list(lists[i]);
    for (size_t i = 0; i < count; i++) {
        http_response_free(lists[i]);
        http_client_free(slow[i]);
    }
    return complete;
}

/* Each of them is 12 MB, and the user may keep 128 MB. */
SIM_TEST(slow_lists_keep_as_much_as_their_user_may)
{
    CHECK_EQ(count_slow_lists(1), (size_t)1);
    CHECK_EQ(count_slow_lists(14), (size_t)10);
}
