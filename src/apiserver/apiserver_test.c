#include "apiserver/apiserver.h"

#include "apiserver/apiserver_fixture_test.h"
#include "net/transport.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static struct error *watch_to_the_end(void *data)
{
    struct http_response *response = data;
    struct str line;
    do
        TRY(http_response_read_line(response, &line));
    while (line.ptr);
    return NULL;
}

SIM_TEST(a_server_that_stops_ends_its_watches)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(scope) scope = {0};
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    {
        OWNED(http_response) maps = apiserver_fixture_watch(&fixture, MAPS "?watch=1");
        OWNED(http_response)
        nodes = apiserver_fixture_watch(&fixture, "/api/v1/nodes?watch=1&resourceVersion=1");
        scope_start(&scope, "watch", watch_to_the_end, maps);
        scope_start(&scope, "watch", watch_to_the_end, nodes);
        CHECK_OK(fiber_sleep(SECOND));
        const int64_t before = loop_now(loop_current());
        {
            FIBER_TIMEOUT(10 * SECOND);
            CHECK_OK(apiserver_drain(fixture.server));
        }
        CHECK(loop_now(loop_current()) - before < 5 * SECOND);
        CHECK_OK(scope_wait(&scope));
    }
}

SIM_TEST(what_is_acknowledged_is_there_after_a_restart)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) before = {.limit = 0};
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    buf_add(&before, buf_str(&fixture.answer));
    apiserver_fixture_stop(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(buf_str(&fixture.answer), buf_str(&before));
}

SIM_TEST(one_server_uses_a_folder)
{
    SCOPED(apiserver_fixture) fixture;
    struct apiserver *second = NULL;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_FAILS(apiserver_new(loop_current(), &fixture.options, &second), ERROR_IO, "in use by");
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
}

SIM_TEST(whoever_has_no_credentials_gets_health_and_version)
{
    static const struct {
        const char *target;
        int status;
    } cases[] = {
        {"/healthz",           200},
        {"/livez?verbose",     200},
        {"/readyz",            200},
        {"/version",           200},
        {"/api",               403},
        {"/apis",              403},
        {"/openapi/v2",        403},
        {"/",                  403},
        {MAPS,                 403},
        {MAPS "?watch=1",      403},
        {"/debug/inject",      403},
        {"/clusters/vc-0001/", 403},
        {"/clusters/vc-0009/", 404},
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    http_client_free(fixture.client);
    fixture.client = apiserver_fixture_client(&fixture, NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].target);
        CHECK_EQ(apiserver_fixture_get(&fixture, cases[i].target), cases[i].status);
    }
}

/* The client's own connection is the only one, so that the next one could not be accepted. */
SIM_TEST(readyz_says_what_is_wrong)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.connections = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    const char *const targets[] = {"/readyz", "/readyz?verbose"};
    CHECK_EQ(apiserver_fixture_get(&fixture, "/readyz"), 200);
    OWNED(transport) waiting = NULL;
    CHECK_OK(network_connect(fixture.network, APISERVER_FIXTURE_HOST,
                             apiserver_port(fixture.server), &waiting));
    CHECK_OK(fiber_sleep(SECOND));
    for (size_t i = 0; i < COUNT(targets); i++) {
        CHECK_EQ(apiserver_fixture_get(&fixture, targets[i]), 500);
        CHECK_EQ(buf_str(&fixture.answer),
                 STR("[+]ping ok\n[+]store ok\n"
                     "[-]connections failed: all 1 connections are in use\n"
                     "readyz check failed\n"));
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, "/livez"), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/livez?verbose"), 200);
    CHECK_EQ(buf_str(&fixture.answer),
             STR("[+]ping ok\n[+]store ok\n[+]connections ok\nlivez check passed\n"));
}

SIM_TEST(the_token_of_a_cluster_is_good_for_that_cluster)
{
    static const struct {
        const char *target;
        int status;
    } cases[] = {
        {"/clusters/vc-0001/api/v1/namespaces",            200},
        {"/clusters/vc-0001/api/v1/namespaces/default",    200},
        {"/clusters/vc-0001",                              200},
        {"/clusters/vc-0001?x=1",                          200},
        {"/clusters/vc-0002/api/v1/namespaces",            401},
        {"/clusters/vc-0001/debug/inject",                 404},
        {"/clusters/vc-0001/clusters/vc-0001/api",         404},
        {"/api/v1/namespaces",                             401},
        {"/clusters/vc-0001/../vc-0002/api/v1/namespaces", 404},
    };
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    apiserver_fixture_init(&fixture);
    fixture.options.virtual_clusters = 2;
    CHECK_OK(apiserver_fixture_start(&fixture));
    http_client_free(fixture.client);
    fixture.client = apiserver_fixture_client(&fixture, NULL);
    apiserver_cluster_token(fixture.server, 0, &token);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].target);
        CHECK_EQ(apiserver_fixture_get_with(&fixture, cases[i].target, buf_str(&token)),
                 cases[i].status);
    }
}

struct caller {
    struct apiserver_fixture *fixture;
    int status;
};

/* A revision that does not come is waited for three seconds. */
static struct error *call_slowly(void *data)
{
    struct caller *caller = data;
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {.target = STR(MAPS "?resourceVersion=9999999")};
    TRY(http_client_send(caller->fixture->client, &request, &response));
    caller->status = http_response_status(response);
    return NULL;
}

#define CALLERS 7

/* How many of so many that come at once are told to come again. */
static size_t count_refused(struct apiserver_fixture *fixture)
{
    SCOPED(scope) scope = {0};
    struct caller callers[CALLERS];
    size_t refused = 0;
    for (size_t i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){fixture, 0};
        scope_start(&scope, "caller", call_slowly, &callers[i]);
    }
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < CALLERS; i++)
        refused += callers[i].status == 429;
    return refused;
}

SIM_TEST(virtual_clusters_add_to_the_limit_of_requests)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.requests = 3;
    fixture.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(count_refused(&fixture), (size_t)CALLERS - 5);
}

SIM_TEST(requests_beyond_the_limit_are_told_to_come_again)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.requests = 3;
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
    CHECK_EQ(count_refused(&fixture), (size_t)CALLERS - 3);
    /* All of them have left again, and so have those that were cut off. */
    for (int i = 0; i < 5; i++) {
        SCOPED(scope) leaving = {0};
        struct caller caller = {&fixture, 0};
        scope_start(&leaving, "caller", call_slowly, &caller);
        CHECK_OK(fiber_sleep(SECOND));
    }
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
}

SIM_TEST(watches_beyond_the_limit_are_told_to_come_again)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.watches_per_user = 2;
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (int i = 0; i < 3; i++) {
        OWNED(http_response) first = apiserver_fixture_watch(&fixture, MAPS "?watch=1");
        OWNED(http_response) second = apiserver_fixture_watch(&fixture, MAPS "?watch=1");
        CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "?watch=1"), 429);
        CHECK_EQ(apiserver_fixture_get(&fixture, MAPS), 200);
        http_response_free(TAKE(first));
        http_response_free(TAKE(second));
        CHECK_OK(fiber_sleep(SECOND));
    }
}

SIM_TEST(faults_are_read_and_changed_while_the_server_runs)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    apiserver_fixture_init(&fixture);
    fixture.options.virtual_clusters = 2;
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/debug/inject"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", "/debug/inject?cluster=vc-0001", "error=1"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", "/debug/inject?cluster=none", "error=1"), 400);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PUT", "/debug/inject", "error=2"), 400);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", "/debug/inject", ""), 405);
    apiserver_cluster_token(fixture.server, 0, &token);
    CHECK_EQ(apiserver_fixture_get_with(&fixture, "/clusters/vc-0001/api", buf_str(&token)), 500);
    buf_clear(&token);
    apiserver_cluster_token(fixture.server, 1, &token);
    CHECK_EQ(apiserver_fixture_get_with(&fixture, "/clusters/vc-0002/version", buf_str(&token)),
             200);
}

SIM_TEST(a_head_has_no_body)
{
    static const char *const targets[] = {"/healthz",    "/version", "/api", "/openapi/v2",
                                          "/openapi/v3", "/apis",    MAPS};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(targets); i++) {
        TEST_CASE("%s", targets[i]);
        CHECK_EQ(apiserver_fixture_call(&fixture, "HEAD", targets[i], ""),
                 i + 1 < COUNT(targets) ? 200 : 405);
        CHECK_EQ(fixture.answer.len, (size_t)0);
    }
    CHECK_EQ(apiserver_fixture_get(&fixture, "/version"), 200);
}

#define MAP_LABELS "group=\"\",version=\"v1\",resource=\"configmaps\",subresource=\"\",scope="

SIM_TEST(metrics_tell_of_requests_watches_and_commits)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    apiserver_fixture_keep(&fixture);
    fixture.options.virtual_clusters = 1;
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a"), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, MAPS "/a/made-up"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/apis/made.up/v1/things"), 404);
    OWNED(http_response) watch = apiserver_fixture_watch(&fixture, MAPS "?watch=1");
    CHECK_EQ(apiserver_fixture_get(&fixture, "/metrics"), 200);
    static const char *const lines[] = {
        "apiserver_request_total{verb=\"POST\"," MAP_LABELS
        "\"namespace\",component=\"apiserver\",code=\"201\"} 1\n",
        "apiserver_request_total{verb=\"GET\"," MAP_LABELS
        "\"resource\",component=\"apiserver\",code=\"200\"} 2\n",
        "apiserver_request_duration_seconds_count{verb=\"GET\"," MAP_LABELS
        "\"resource\",component=\"apiserver\"} 3\n",
        "apiserver_longrunning_requests{verb=\"WATCH\"," MAP_LABELS
        "\"namespace\",component=\"apiserver\"} 1\n",
        "apiserver_current_inflight_requests{request_kind=\"readOnly\"} 1\n",
        "\ncorset_store_watchers ",
        "\ncorset_store_commits_total{result=\"error\"} 0\n",
        "\nprocess_resident_memory_bytes ",
        "\ncorset_loop_turn_seconds_count ",
        "\napiserver_party_cpu_seconds_total{party=\"users\"} ",
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        CHECK_CONTAINS(buf_str(&fixture.answer), str_from_c(lines[i]));
    static const char *const absent[] = {"made",
                                         "corset_store_commits_total{result=\"success\"} 0\n",
                                         "corset_store_commit_duration_seconds_count 0\n"};
    for (size_t i = 0; i < COUNT(absent); i++)
        CHECK(!str_contains(buf_str(&fixture.answer), str_from_c(absent[i])));

    TEST_CASE("not for everybody, and not of virtual clusters");
    CHECK_EQ(apiserver_fixture_get(&fixture, "/clusters/vc-0001/metrics"), 403);
    http_response_free(TAKE(watch));
    CHECK_OK(fiber_sleep(SECOND));
    http_client_free(TAKE(fixture.client));
    fixture.client = apiserver_fixture_client(&fixture, NULL);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/metrics"), 403);
    http_client_free(TAKE(fixture.client));
    fixture.client = apiserver_fixture_client(&fixture, fixture.admin);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/metrics"), 200);
    CHECK_CONTAINS(buf_str(&fixture.answer),
                   STR("apiserver_longrunning_requests{verb=\"WATCH\"," MAP_LABELS
                       "\"namespace\",component=\"apiserver\"} 0\n"));
}
