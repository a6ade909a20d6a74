/* One cluster through the endpoint: FQ-01 to FQ-12, FQ-23. */
#include "base/base64.h"
#include "http/headers.h"
#include "scenarios/fleet/fleet_fixture.h"
#include "testing/test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static const struct fleet_options plain = {0};

SIM_TEST(fq_01_without_the_flag_there_is_nothing)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 1, NULL);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_P), 404);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("vc-0001") "/api"), 404);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ALL MAPS), 404);
}

SIM_TEST(fq_02_one_cluster_answers_as_it_is)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 2, &plain);
    fleet_fixture_config_map(&fixture, "vc-0001", "a");
    const char *const paths[] = {"/",       "/api",    "/apis",   "/version",
                                 MAPS,      MAPS "/a", MAPS "/b", "/api/v1/nodes?limit=1",
                                 "/nothing"};
    SCOPED(buf) kubeconfig = {.secret = true};
    SCOPED(rest_config) config = {0};
    standalone_cluster_kubeconfig(fixture.standalone, 0, &kubeconfig);
    CHECK_OK(kubeconfig_read(buf_str(&kubeconfig), STR(""), NULL, &config));
    OWNED(client)
    direct = client_new(loop_current(), &(struct client_options){.config = &config,
                                                                 .network = fixture.network,
                                                                 .tls = fixture.tls,
                                                                 .qps = -1});
    for (size_t i = 0; i < COUNT(paths); i++) {
        SCOPED(buf) target = {0};
        SCOPED(buf) expected = {0};
        TEST_CASE("%s", paths[i]);
        const int status = fleet_fixture_ask(&fixture, direct, "GET", paths[i], NULL, NULL);
        buf_add(&expected, buf_str(&fixture.body));
        buf_print(&target, FLEET_ONE("vc-0001") "%s", paths[i]);
        CHECK_EQ(fleet_fixture_get(&fixture, buf_c(&target)), status);
        CHECK_EQ(buf_str(&fixture.body), buf_str(&expected));
    }
}

SIM_TEST(fq_03_writes_and_watches_go_through)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 1, &plain);
    fleet_fixture_config_map(&fixture, "vc-0001", "a");
    CHECK_EQ(fleet_fixture_ask(&fixture, NULL, "PATCH",
                               FLEET_ONE("vc-0001") MAPS "/a?fieldManager=me&force=true", NULL,
                               "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                               "\"name\":\"a\"},\"data\":{\"k\":\"v\"}}"),
             200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("\"manager\":\"me\""));
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("vc-0001") MAPS "?watch=true&timeoutSeconds=5"),
             200);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("\"type\":\"ADDED\""));
    CHECK(!fixture.is_broken);
    CHECK_EQ(
        fleet_fixture_ask(&fixture, NULL, "DELETE", FLEET_ONE("vc-0001") MAPS "/a", NULL, NULL),
        200);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("vc-0001") MAPS "/a"), 404);
}

SIM_TEST(fq_04_a_right_holds_for_its_cluster_and_verb)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(fleet_fixture_user) ann;
    fleet_fixture_init(&fixture, 2, &plain);
    fleet_fixture_user(&fixture, "ann", &ann);
    fleet_fixture_allow(&fixture, "ann", "get", "default", "vc-0001");
    const struct {
        const char *method, *target;
        int status;
    } rows[] = {
        {"GET",    FLEET_ONE("vc-0001") "/version", 200},
        {"GET",    FLEET_ONE("vc-0002") "/version", 404},
        {"GET",    FLEET_ONE("vc-0099") "/version", 404},
        {"POST",   FLEET_ONE("vc-0001") MAPS,       403},
        {"DELETE", FLEET_ONE("vc-0001") MAPS "/a",  403},
        {"POST",   FLEET_ONE("vc-0002") MAPS,       404},
        {"GET",    FLEET_ALL MAPS,                  403},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s %s", rows[i].method, rows[i].target);
        CHECK_EQ(
            fleet_fixture_ask(&fixture, ann.client, rows[i].method, rows[i].target, NULL, NULL),
            rows[i].status);
    }
    CHECK_EQ(
        fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ONE("vc-0002") "/version", NULL, NULL),
        404);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("clusters.fleet.corset.dev \\\"vc-0002\\\" not found"));
}

SIM_TEST(fq_05_the_rbac_of_the_cluster_decides)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(fleet_fixture_user) ann;
    fleet_fixture_init(&fixture, 1, &plain);
    fleet_fixture_user(&fixture, "ann", &ann);
    fleet_fixture_allow(&fixture, "ann", "get", "default", NULL);
    CHECK_EQ(fleet_fixture_ask(&fixture, ann.client, "GET", FLEET_ONE("vc-0001") MAPS, NULL, NULL),
             403);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("User \\\"ann\\\" cannot list resource \\\"configmaps\\\""));
}

/* What a cluster of the test saw, and how it answers. */
struct witness {
    struct buf seen; /* headers and targets */
    int status;
    const char *body, *type;
    size_t asked;
};

static void witness_done(struct witness *witness)
{
    buf_done(&witness->seen);
}

static struct error *witness_serve(void *data, struct http_request *request)
{
    struct witness *witness = data;
    struct error *err = NULL;
    SCOPED(http_headers) headers = {0};
    if (fleet_fixture_serve_basics(request, &err))
        return err;
    witness->asked++;
    buf_print(&witness->seen, "%.*s %.*s\n", STR_ARG(http_request_method(request)),
              STR_ARG(http_request_target(request)));
    HTTP_HEADERS_FOREACH (header, http_request_headers(request))
        buf_print(&witness->seen, "%.*s: %.*s\n", STR_ARG(header.name), STR_ARG(header.value));
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    TRY(http_headers_add(&headers, STR("Set-Cookie"), STR("a=b")));
    TRY(http_headers_add(&headers, STR("X-Evil"), STR("1")));
    TRY(http_headers_add(&headers, STR("Warning"), STR("299 - \"told\"")));
    TRY(http_request_respond(request, witness->status ? witness->status : 200, &headers));
    return http_request_write(request, str_from_c(witness->body ? witness->body : "{}"));
}

SIM_TEST(fq_06_a_kubeconfig_that_may_not_impersonate_is_named)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(witness)
    witness = {.status = 403,
               .body = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                       "\"message\":\"users \\\"admin\\\" is forbidden: User \\\"weak\\\" cannot "
                       "impersonate resource \\\"users\\\" in API group \\\"\\\" at the cluster "
                       "scope\",\"reason\":\"Forbidden\",\"code\":403}"};
    fleet_fixture_init(&fixture, 0, &plain);
    OWNED(http_server)
    server = fleet_fixture_cluster(&fixture, "default", "own", "own.test", witness_serve, &witness);
    fleet_fixture_await(&fixture, 1);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("own") MAPS), 403);
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("the kubeconfig of cluster \\\"default/own\\\" may not "
                              "impersonate"));
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("impersonate on users, groups and userextras"));
}

SIM_TEST(fq_07_headers_of_the_caller_stay_here)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(witness) witness = {0};
    fleet_fixture_init(&fixture, 0, &plain);
    OWNED(http_server)
    server = fleet_fixture_cluster(&fixture, "default", "own", "own.test", witness_serve, &witness);
    fleet_fixture_await(&fixture, 1);
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    static const char *const sent[][2] = {
        {"Cookie",          "c=1"       },
        {"X-Remote-User",   "root"      },
        {"X-Remote-Group",  "wheel"     },
        {"X-Forwarded-For", "1.2.3.4"   },
        {"X-Other",         "othervalue"},
        {"If-None-Match",   "\"tag\""   },
        {"Accept",          "text/x"    },
    };
    for (size_t i = 0; i < COUNT(sent); i++)
        CHECK_OK(http_headers_add(&headers, str_from_c(sent[i][0]), str_from_c(sent[i][1])));
    const struct client_stream_request request = {.path = STR(FLEET_ONE("own") "/x"),
                                                  .query = STR("a=b"),
                                                  .headers = &headers,
                                                  .agent = STR("tool/1")};
    CHECK_OK(client_stream(fixture.admin, &request, &response));
    CHECK_EQ(http_response_status(response), 200);
    CHECK(!http_headers_find(http_response_headers(response), STR("set-cookie")).ptr);
    CHECK(!http_headers_find(http_response_headers(response), STR("x-evil")).ptr);
    CHECK(http_headers_find(http_response_headers(response), STR("warning")).ptr != NULL);
    const char *seen = buf_c(&witness.seen);
    CHECK_CONTAINS(str_from_c(seen), str_from_c("GET /x?a=b\n"));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("user-agent: corset/test "));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("tool/1\n"));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("if-none-match: \"tag\"\n"));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("accept: text/x\n"));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("impersonate-user: "));
    CHECK_CONTAINS(str_from_c(seen), str_from_c("impersonate-group: system:masters\n"));
    for (size_t i = 0; i < 5; i++) {
        SCOPED(buf) line = {0};
        buf_print(&line, "%s\n", sent[i][1]);
        TEST_CASE("%s", sent[i][0]);
        CHECK(!str_contains(str_from_c(seen), buf_str(&line)));
    }
}

SIM_TEST(fq_09_with_the_own_identity_reading_is_all)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(witness) witness = {0};
    const struct fleet_options own = {.own_identity = true};
    fleet_fixture_init(&fixture, 0, &own);
    OWNED(http_server)
    server = fleet_fixture_cluster(&fixture, "default", "own", "own.test", witness_serve, &witness);
    fleet_fixture_await(&fixture, 1);
    const struct {
        const char *method, *target;
        int status;
    } rows[] = {
        {"GET",  FLEET_ONE("own") "/api/v1/pods",                            200},
        {"HEAD", FLEET_ONE("own") "/api/v1/pods",                            200},
        {"PUT",  FLEET_ONE("own") "/api/v1/namespaces/d/pods/p",             403},
        {"POST", FLEET_ONE("own") "/api/v1/namespaces/d/pods",               403},
        {"GET",  FLEET_ONE("own") "/api/v1/secrets",                         403},
        {"GET",  FLEET_ONE("own") "/api/v1/secrets/?watch=1",                403},
        {"GET",  FLEET_ONE("own") "/api/v1/watch/secrets",                   403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/secrets/s",          403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/%73ecrets/s",        403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/pods/p/exec",        403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/pods/p/attach",      403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/pods/p/portforward", 403},
        {"GET",  FLEET_ONE("own") "/api/v1/namespaces/d/services/s/proxy/x", 403},
        {"GET",  FLEET_ALL "/api/v1/secrets",                                403},
        {"GET",  FLEET_ALL "/api/v1/namespaces/d/secrets/s",                 403},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s %s", rows[i].method, rows[i].target);
        CHECK_EQ(fleet_fixture_ask(&fixture, NULL, rows[i].method, rows[i].target, NULL, NULL),
                 rows[i].status);
    }
    CHECK_EQ(witness.asked, (size_t)2);
    CHECK(!str_contains(buf_str(&witness.seen), STR("impersonate")));
}

SIM_TEST(fq_10_a_cluster_without_a_connection_is_told_at_once)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(witness) witness = {0};
    fleet_fixture_init(&fixture, 0, &plain);
    struct http_server *server =
        fleet_fixture_cluster(&fixture, "default", "own", "own.test", witness_serve, &witness);
    fleet_fixture_await(&fixture, 1);
    http_server_free(server);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("own") MAPS), 503);
    CHECK(loop_now(loop_current()) - begun <= 10 * MILLISECOND);
    int64_t seconds = 0;
    CHECK(str_to_int64(buf_str(&fixture.retry_after), &seconds) && seconds >= 1 && seconds <= 40);
    CHECK_CONTAINS(buf_str(&fixture.body), str_from_c("ServiceUnavailable"));
    CHECK_CONTAINS(buf_str(&fixture.body),
                   str_from_c("connection to the workload cluster is down"));
}

static struct error *break_in_the_middle(void *data, struct http_request *request)
{
    struct error *err = NULL;
    (void)data;
    if (fleet_fixture_serve_basics(request, &err))
        return err;
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, STR("{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\","
                                        "\"items\":[")));
    TRY(fiber_sleep(SECOND));
    http_request_break(request);
    return NULL;
}

SIM_TEST(fq_11_a_broken_connection_breaks_the_answer)
{
    SCOPED(fleet_fixture) fixture;
    fleet_fixture_init(&fixture, 0, &plain);
    OWNED(http_server)
    server =
        fleet_fixture_cluster(&fixture, "default", "own", "own.test", break_in_the_middle, NULL);
    fleet_fixture_await(&fixture, 1);
    CHECK_EQ(fleet_fixture_get(&fixture, FLEET_ONE("own") MAPS), 200);
    CHECK(fixture.is_broken);
}

SIM_TEST(fq_23_ambiguous_paths_reach_no_cluster)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(witness) witness = {0};
    fleet_fixture_init(&fixture, 0, &plain);
    OWNED(http_server)
    server = fleet_fixture_cluster(&fixture, "default", "own", "own.test", witness_serve, &witness);
    fleet_fixture_await(&fixture, 1);
    const char *const targets[] = {
        FLEET_ONE("own") "/../../other/proxy/api",
        FLEET_ONE("own") "/%2e%2e/api",
        FLEET_ONE("own") "//api",
        FLEET_ONE("own") "/api%2Fv1",
        FLEET_ALL "/api/v1/..",
        FLEET_ALL "//api/v1/pods",
        FLEET_ALL "/api/v1/pods%2F..",
    };
    for (size_t i = 0; i < COUNT(targets); i++) {
        TEST_CASE("%s", targets[i]);
        CHECK_EQ(fleet_fixture_get(&fixture, targets[i]), 400);
    }
    CHECK_EQ(witness.asked, (size_t)0);
}

/* A watch through the endpoint, and what it has seen. */
struct watching {
    struct fleet_fixture *fixture;
    struct buf seen;
    bool has_ended;
};

static void watching_done(struct watching *watching)
{
    buf_done(&watching->seen);
}

static struct error *watch_maps(void *data)
{
    struct watching *watching = data;
    OWNED(http_response) response = NULL;
    const struct client_stream_request request = {.path = STR(FLEET_ONE("vc-0001") MAPS),
                                                  .query = STR("watch=true&timeoutSeconds=300")};
    TRY(client_stream(watching->fixture->admin, &request, &response));
    for (;;) {
        struct str piece;
        struct error *err = http_response_read_piece(response, &piece);
        watching->has_ended |= err || !piece.len;
        if (err || !piece.len)
            return err;
        buf_add(&watching->seen, piece);
    }
}

/* The same credentials in another text: for the ClusterCache a kubeconfig that has changed. */
static void rotate_kubeconfig(struct fleet_fixture *fixture)
{
    SCOPED(buf) kubeconfig = {.secret = true};
    SCOPED(buf) patch = {.secret = true};
    OWNED(object) ignored = NULL;
    standalone_cluster_kubeconfig(fixture->standalone, 0, &kubeconfig);
    buf_add(&kubeconfig, STR("# rotated\n"));
    buf_add(&patch, STR("{\"data\":{\"value\":\""));
    base64_encode(&patch, buf_str(&kubeconfig));
    buf_add(&patch, STR("\"}}"));
    CHECK_OK(client_patch(fixture->admin, GVR("", "v1", "secrets"),
                          KEY("default", "vc-0001-kubeconfig"), CLIENT_PATCH_MERGE, buf_str(&patch),
                          NULL, &ignored));
}

SIM_TEST(fq_12_a_watch_goes_on_when_the_kubeconfig_changes)
{
    SCOPED(fleet_fixture) fixture;
    SCOPED(watching) watching = {.fixture = &fixture};
    fleet_fixture_init(&fixture, 1, &plain);
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "watch", watch_maps, &watching);
        fleet_fixture_config_map(&fixture, "vc-0001", "before");
        rotate_kubeconfig(&fixture);
        CHECK_OK(fiber_sleep(MINUTE));
        fleet_fixture_config_map(&fixture, "vc-0001", "after");
        CHECK_OK(fiber_sleep(SECOND));
        CHECK(!watching.has_ended);
        CHECK_CONTAINS(buf_str(&watching.seen), STR("\"name\":\"before\""));
        CHECK_CONTAINS(buf_str(&watching.seen), STR("\"name\":\"after\""));
    }
}
