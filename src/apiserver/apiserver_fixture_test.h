/* An API server and a client of it for tests, over the simulated network. */
#pragma once

#include <stdarg.h>

#include "apiserver/apiserver.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "http/client.h"
#include "json/json.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define APISERVER_FIXTURE_HOST STR("server.test")

struct apiserver_fixture {
    struct network *network;
    struct tls_context *tls;
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct apiserver_options options; /* may be changed before apiserver_fixture_start() */
    struct apiserver *server;
    struct http_client *client;
    struct folder_fixture folder;
    const char *user; /* impersonated by the administrator; NULL for nobody */

    /* Of the last call. */
    struct buf answer;
    struct json_doc *doc; /* NULL: the answer is no JSON */
};

static inline void apiserver_fixture_init(struct apiserver_fixture *fixture)
{
    *fixture = (struct apiserver_fixture){.network = sim_network_new(loop_current()),
                                          .tls = tls_context_new()};
    fixture->options =
        (struct apiserver_options){.network = fixture->network, .host = APISERVER_FIXTURE_HOST};
}

/* Whatever the server keeps survives apiserver_fixture_stop(). */
static inline void apiserver_fixture_keep(struct apiserver_fixture *fixture)
{
    folder_fixture_init(&fixture->folder);
    fixture->options.folder = fixture->folder.path;
}

static inline struct http_client *apiserver_fixture_client(const struct apiserver_fixture *fixture,
                                                           struct tls_identity *identity)
{
    const struct http_client_options options = {
        .endpoint = {.network = fixture->network,
                     .host = APISERVER_FIXTURE_HOST,
                     .port = apiserver_port(fixture->server),
                     .tls = fixture->tls,
                     .identity = identity,
                     .trust = fixture->trust},
        .connections = 64,
    };
    return http_client_new(loop_current(), &options);
}

MUST_USE static inline struct error *apiserver_fixture_start(struct apiserver_fixture *fixture)
{
    TRY(apiserver_new(loop_current(), &fixture->options, &fixture->server));
    TRY(tls_trust_read(apiserver_authority(fixture->server), &fixture->trust));
    TRY(tls_identity_read(apiserver_admin_certificate(fixture->server),
                          apiserver_admin_key(fixture->server), &fixture->admin));
    fixture->client = apiserver_fixture_client(fixture, fixture->admin);
    return NULL;
}

static inline void apiserver_fixture_stop(struct apiserver_fixture *fixture)
{
    http_client_free(TAKE(fixture->client));
    apiserver_free(TAKE(fixture->server));
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(fixture->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_identity_free(TAKE(fixture->admin));
    tls_trust_free(TAKE(fixture->trust));
}

static inline void apiserver_fixture_done(struct apiserver_fixture *fixture)
{
    apiserver_fixture_stop(fixture);
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    buf_done(&fixture->answer);
    json_doc_free(fixture->doc);
    if (fixture->options.folder)
        folder_fixture_done(&fixture->folder);
}

/* One request; the answer is in the fixture. Suspends. */
MUST_USE static inline struct error *apiserver_fixture_try(struct apiserver_fixture *fixture,
                                                           const char *method, struct str target,
                                                           const char *type, struct str body,
                                                           int *ret_status)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    if (type)
        TRY(http_headers_add(&headers, STR("content-type"), str_from_c(type)));
    if (fixture->user)
        TRY(http_headers_add(&headers, STR("impersonate-user"), str_from_c(fixture->user)));
    const struct http_client_request request = {
        .method = str_from_c(method), .target = target, .headers = &headers, .body = body};
    buf_clear(&fixture->answer);
    json_doc_free(TAKE(fixture->doc));
    TRY(http_client_send(fixture->client, &request, &response));
    *ret_status = http_response_status(response);
    TRY(http_response_read_all(response, &fixture->answer));
    OWNED(error) no_json = json_read(buf_str(&fixture->answer), &fixture->doc);
    return NULL;
}

/* The same where nothing may go wrong; gives the status. PATCH is a merge patch. */
static inline int apiserver_fixture_call(struct apiserver_fixture *fixture, const char *method,
                                         const char *target, const char *body)
{
    int status = 0;
    const bool patch = strcmp(method, "PATCH") == 0;
    CHECK_OK(apiserver_fixture_try(fixture, method, str_from_c(target),
                                   patch ? "application/merge-patch+json" : "application/json",
                                   str_from_c(body), &status));
    return status;
}

static inline int apiserver_fixture_get(struct apiserver_fixture *fixture, const char *target)
{
    return apiserver_fixture_call(fixture, "GET", target, "");
}

/* A request with a bearer token; a GET without a body. */
static inline struct http_response *apiserver_fixture_send_with(struct apiserver_fixture *fixture,
                                                                const char *target,
                                                                struct str token, struct str body)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) value = {.secret = true};
    struct http_response *response = NULL;
    buf_print(&value, "Bearer %.*s", STR_ARG(token));
    CHECK_OK(http_headers_add(&headers, STR("authorization"), buf_str(&value)));
    CHECK_OK(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    const struct http_client_request request = {.method = body.len ? STR("POST") : STR("GET"),
                                                .target = str_from_c(target),
                                                .headers = &headers,
                                                .body = body};
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    return response;
}

/* The status of a GET with a bearer token. */
static inline int apiserver_fixture_get_with(struct apiserver_fixture *fixture, const char *target,
                                             struct str token)
{
    OWNED(http_response)
    response = apiserver_fixture_send_with(fixture, target, token, STR(""));
    return http_response_status(response);
}

/* The text at a path of the last answer. */
static inline struct str apiserver_fixture_text(const struct apiserver_fixture *fixture,
                                                const char *path)
{
    return json_path_str(json_doc_root(fixture->doc), path);
}

/* Waits in virtual time until a place answers so; fails after a minute. */
static inline void apiserver_fixture_await(struct apiserver_fixture *fixture, const char *target,
                                           int status)
{
    for (int i = 0; i < 600; i++) {
        if (apiserver_fixture_get(fixture, target) == status)
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(apiserver_fixture_get(fixture, target), status);
}

/* POST of an object. */
static inline void apiserver_fixture_create(struct apiserver_fixture *fixture, const char *target,
                                            const char *body)
{
    const int status = apiserver_fixture_call(fixture, "POST", target, body);
    if (status != 201)
        test_fail(TEST_PLACE(body), "%d: %.*s", status, STR_ARG(buf_str(&fixture->answer)));
}

/* A stream of events. */
static inline struct http_response *apiserver_fixture_watch(struct apiserver_fixture *fixture,
                                                            const char *target)
{
    struct http_response *response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    CHECK_EQ(http_response_status(response), 200);
    return response;
}

/* The next event, "ADDED name@version"; "" when the stream has ended. In the buffer. */
static inline struct str apiserver_fixture_event(struct http_response *response, struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    struct str line;
    buf_clear(out);
    CHECK_OK(http_response_read_line(response, &line));
    if (!line.ptr)
        return buf_str(out);
    CHECK_OK(json_read(line, &doc));
    const struct json_value *root = json_doc_root(doc);
    buf_print(out, "%.*s %.*s@%.*s", STR_ARG(json_path_str(root, "type")),
              STR_ARG(json_path_str(root, "object.metadata.name")),
              STR_ARG(json_path_str(root, "object.metadata.resourceVersion")));
    return buf_str(out);
}
