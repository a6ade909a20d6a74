/* An API server and a client of it for tests, over the simulated network. */
#pragma once

#include <stdarg.h>

#include "apiserver/apiserver.h"
#include "apiserver/folder_test.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "http/client.h"
#include "json/json.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define STAGE_HOST STR("server.test")

struct stage {
    struct network *network;
    struct tls_context *tls;
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct apiserver_options options; /* may be changed before stage_start() */
    struct apiserver *server;
    struct http_client *client;
    struct folder folder;

    /* Of the last call. */
    struct buf answer;
    struct json_doc *doc; /* NULL: the answer is no JSON */
};

static inline void stage_init(struct stage *stage)
{
    *stage = (struct stage){.network = sim_network_new(loop_current()), .tls = tls_context_new()};
    stage->options = (struct apiserver_options){.network = stage->network, .host = STAGE_HOST};
}

/* Whatever the server keeps survives stage_stop(). */
static inline void stage_keep(struct stage *stage)
{
    folder_init(&stage->folder);
    stage->options.folder = stage->folder.path;
}

static inline struct http_client *stage_client(const struct stage *stage,
                                               struct tls_identity *identity)
{
    const struct http_client_options options = {
        .endpoint = {.network = stage->network,
                     .host = STAGE_HOST,
                     .port = apiserver_port(stage->server),
                     .tls = stage->tls,
                     .identity = identity,
                     .trust = stage->trust},
        .connections = 64,
    };
    return http_client_new(loop_current(), &options);
}

MUST_USE static inline struct error *stage_start(struct stage *stage)
{
    TRY(apiserver_new(loop_current(), &stage->options, &stage->server));
    TRY(tls_trust_read(apiserver_authority(stage->server), &stage->trust));
    TRY(tls_identity_read(apiserver_admin_certificate(stage->server),
                          apiserver_admin_key(stage->server), &stage->admin));
    stage->client = stage_client(stage, stage->admin);
    return NULL;
}

static inline void stage_stop(struct stage *stage)
{
    http_client_free(TAKE(stage->client));
    apiserver_free(TAKE(stage->server));
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(stage->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_identity_free(TAKE(stage->admin));
    tls_trust_free(TAKE(stage->trust));
}

static inline void stage_done(struct stage *stage)
{
    stage_stop(stage);
    tls_context_free(stage->tls);
    network_free(stage->network);
    buf_done(&stage->answer);
    json_doc_free(stage->doc);
    if (stage->options.folder)
        folder_done(&stage->folder);
}

/* One request; the answer is in the stage. Suspends. */
MUST_USE static inline struct error *stage_try(struct stage *stage, const char *method,
                                               struct str target, const char *type, struct str body,
                                               int *ret_status)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    if (type)
        TRY(http_headers_add(&headers, STR("content-type"), str_from_c(type)));
    const struct http_client_request request = {
        .method = str_from_c(method), .target = target, .headers = &headers, .body = body};
    buf_clear(&stage->answer);
    json_doc_free(TAKE(stage->doc));
    TRY(http_client_send(stage->client, &request, &response));
    *ret_status = http_response_status(response);
    TRY(http_response_read_all(response, &stage->answer));
    OWNED(error) no_json = json_read(buf_str(&stage->answer), &stage->doc);
    return NULL;
}

/* The same where nothing may go wrong; gives the status. PATCH is a merge patch. */
static inline int stage_call(struct stage *stage, const char *method, const char *target,
                             const char *body)
{
    int status = 0;
    const bool patch = strcmp(method, "PATCH") == 0;
    CHECK_OK(stage_try(stage, method, str_from_c(target),
                       patch ? "application/merge-patch+json" : "application/json",
                       str_from_c(body), &status));
    return status;
}

static inline int stage_get(struct stage *stage, const char *target)
{
    return stage_call(stage, "GET", target, "");
}

/* The text at a path of the last answer. */
static inline struct str stage_text(const struct stage *stage, const char *path)
{
    return json_path_str(json_doc_root(stage->doc), path);
}

/* Waits in virtual time until a place answers so; fails after a minute. */
static inline void stage_await(struct stage *stage, const char *target, int status)
{
    for (int i = 0; i < 600; i++) {
        if (stage_get(stage, target) == status)
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(stage_get(stage, target), status);
}

/* POST of an object. */
static inline void stage_create(struct stage *stage, const char *target, const char *body)
{
    const int status = stage_call(stage, "POST", target, body);
    if (status != 201)
        test_fail(TEST_PLACE(body), "%d: %.*s", status, STR_ARG(buf_str(&stage->answer)));
}

/* A stream of events. */
static inline struct http_response *stage_watch(struct stage *stage, const char *target)
{
    struct http_response *response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    CHECK_OK(http_client_send(stage->client, &request, &response));
    CHECK_EQ(http_response_status(response), 200);
    return response;
}

/* The next event, "ADDED name@version"; "" when the stream has ended. In the buffer. */
static inline struct str stage_event(struct http_response *response, struct buf *out)
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
