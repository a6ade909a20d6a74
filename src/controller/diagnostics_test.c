#include "controller/diagnostics.h"

#include "base/log.h"
#include "client/client_fixture_test.h"

#define TOKEN_REVIEW  "/prefix/apis/authentication.k8s.io/v1/tokenreviews"
#define ACCESS_REVIEW "/prefix/apis/authorization.k8s.io/v1/subjectaccessreviews"

/* An API server that knows two users, and the diagnostics that ask it. */
struct diagnostics_fixture {
    struct client_fixture api;
    struct diagnostics *diagnostics;
    struct http_client *client;
    struct buf access; /* the last access review */
    size_t token_reviews, access_reviews;
    bool is_down;
};

static struct error *review_token(struct diagnostics_fixture *fixture, struct http_request *request,
                                  struct str body)
{
    fixture->token_reviews++;
    const char *user = str_contains(body, STR("\"token\":\"good\""))    ? "prometheus"
                       : str_contains(body, STR("\"token\":\"other\"")) ? "other"
                                                                        : NULL;
    SCOPED(buf) answer = {0};
    buf_print(&answer,
              user ? "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"%s\",\"uid\":"
                     "\"u\",\"groups\":[\"g\"],\"extra\":{\"k\":[\"v\"]}}}}"
                   : "{\"status\":{\"error\":\"no\"}}",
              user);
    return http_request_answer(request, 201, STR("application/json"), buf_str(&answer));
}

static struct error *review_access(struct diagnostics_fixture *fixture,
                                   struct http_request *request, struct str body)
{
    fixture->access_reviews++;
    buf_clear(&fixture->access);
    buf_add(&fixture->access, body);
    const bool allowed = str_contains(body, STR("\"user\":\"prometheus\"")) &&
                         !str_contains(body, STR("\"verb\":\"put\""));
    return http_request_answer(request, 201, STR("application/json"),
                               allowed ? STR("{\"status\":{\"allowed\":true}}")
                                       : STR("{\"status\":{\"allowed\":false}}"));
}

static struct error *handle(void *data, struct http_request *request)
{
    struct diagnostics_fixture *fixture = data;
    SCOPED(buf) body = {0};
    TRY(http_request_read_all(request, &body));
    if (fixture->is_down)
        return http_request_answer(request, 500, STR("text/plain"), STR(""));
    if (str_starts_with(http_request_target(request), STR(TOKEN_REVIEW)))
        return review_token(fixture, request, buf_str(&body));
    CHECK(str_starts_with(http_request_target(request), STR(ACCESS_REVIEW)));
    return review_access(fixture, request, buf_str(&body));
}

static void drop_line(void *data, struct str line)
{
    (void)data;
    CHECK(!str_contains(line, STR("good")));
}

static void diagnostics_fixture_init(struct diagnostics_fixture *fixture)
{
    *fixture = (struct diagnostics_fixture){0};
    client_fixture_init(&fixture->api, false);
    fixture->api.handler = handle;
    fixture->api.data = fixture;
    client_fixture_start(&fixture->api);
    log_set_sink(drop_line, NULL);
    fixture->diagnostics = diagnostics_new(loop_current(), &(struct diagnostics_options){
                                                               .network = fixture->api.network,
                                                               .host = STR("metrics.test"),
                                                               .metrics = fixture->api.metrics,
                                                               .client = fixture->api.client,
                                                           });
    CHECK_OK(diagnostics_listen(fixture->diagnostics));
    fixture->client = http_client_new(
        loop_current(), &(struct http_client_options){
                            .endpoint = {.network = fixture->api.network,
                                         .host = STR("metrics.test"),
                                         .port = diagnostics_port(fixture->diagnostics),
                                         .tls = fixture->api.tls,
                                         .server_name = STR("localhost"),
                                         .skip_verify = true}
    });
}

static void diagnostics_fixture_done(struct diagnostics_fixture *fixture)
{
    http_client_free(fixture->client);
    diagnostics_free(fixture->diagnostics);
    client_fixture_done(&fixture->api);
    buf_done(&fixture->access);
    log_set_sink(NULL, NULL);
}

/* Suspends. */
static int ask(struct diagnostics_fixture *fixture, const char *method, const char *target,
               const char *authorization)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {0};
    OWNED(http_response) response = NULL;
    if (authorization)
        CHECK_OK(http_headers_add(&headers, STR("Authorization"), str_from_c(authorization)));
    CHECK_OK(http_client_send(
        fixture->client,
        &(struct http_client_request){.method = str_from_c(method),
                                      .target = str_from_c(target),
                                      .headers = &headers,
                                      .body = str_from_c(method[0] == 'P' ? "4" : "")},
        &response));
    CHECK_OK(http_response_read_all(response, &body));
    return http_response_status(response);
}

SIM_TEST(diagnostics_ask_who_may_read_them)
{
    SCOPED(diagnostics_fixture) fixture;
    diagnostics_fixture_init(&fixture);
    const struct {
        const char *name, *method, *target, *authorization;
        int status;
    } cases[] = {
        {"nobody",                 "GET",    "/metrics",       NULL,             401},
        {"no bearer",              "GET",    "/metrics",       "Basic Zm9vOmJh", 401},
        {"an empty token",         "GET",    "/metrics",       "Bearer ",        401},
        {"an unknown token",       "GET",    "/metrics",       "Bearer bad",     401},
        {"one who may not",        "GET",    "/metrics",       "Bearer other",   403},
        {"one who may",            "GET",    "/metrics",       "Bearer good",    200},
        {"in other letters",       "GET",    "/metrics?x",     "bearer good",    200},
        {"what is not there",      "GET",    "/nothing",       "Bearer good",    404},
        {"a write",                "PUT",    "/debug/flags/v", "Bearer good",    403},
        {"a method of no meaning", "DELETE", "/metrics",       "Bearer good",    405},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(ask(&fixture, cases[i].method, cases[i].target, cases[i].authorization),
                 cases[i].status);
    }
    CHECK_EQ(ask(&fixture, "GET", "/debug/flags/v", "Bearer good"), 200);
    CHECK_EQ(buf_str(&fixture.access),
             STR("{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\","
                 "\"spec\":{\"user\":\"prometheus\",\"uid\":\"u\",\"groups\":[\"g\"],\"extra\":"
                 "{\"k\":[\"v\"]},\"nonResourceAttributes\":{\"path\":\"/debug/flags/v\","
                 "\"verb\":\"get\"}}}"));
}

SIM_TEST(answers_of_reviews_are_remembered_for_a_while)
{
    SCOPED(diagnostics_fixture) fixture;
    diagnostics_fixture_init(&fixture);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer good"), 200);
        CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer bad"), 401);
        CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer other"), 403);
    }
    CHECK_EQ(fixture.token_reviews, (size_t)3);
    CHECK_EQ(fixture.access_reviews, (size_t)2);
    CHECK_OK(fiber_sleep(11 * SECOND));
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer good"), 200);
    CHECK_EQ(fixture.token_reviews, (size_t)3);
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer bad"), 401);
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer other"), 403);
    CHECK_EQ(fixture.token_reviews, (size_t)5);
    fixture.is_down = true;
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer good"), 200);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer good"), 500); /* the review failed */
    fixture.is_down = false;
    CHECK_EQ(ask(&fixture, "GET", "/metrics", "Bearer good"), 200);
}

/* More tokens than are remembered: the oldest are asked for anew, nothing grows. */
SIM_TEST(remembered_answers_are_bounded)
{
    SCOPED(diagnostics_fixture) fixture;
    diagnostics_fixture_init(&fixture);
    for (int i = 0; i < 1100; i++) {
        char path[32];
        snprintf(path, sizeof(path), "/p%d", i);
        CHECK_EQ(ask(&fixture, "GET", path, "Bearer good"), 404);
    }
    CHECK_EQ(fixture.token_reviews, (size_t)1100);
    CHECK_EQ(ask(&fixture, "GET", "/p1099", "Bearer good"), 404);
    CHECK_EQ(fixture.token_reviews, (size_t)1100);
    CHECK_EQ(ask(&fixture, "GET", "/p0", "Bearer good"), 404);
    CHECK_EQ(fixture.token_reviews, (size_t)1101);
}
