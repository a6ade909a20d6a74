/*
 * A cache and its server, in virtual time. The server answers from a script and records requests
 * with their times. A handler records the events of the cache.
 */
#pragma once

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "controller/cache/cache.h"
#include "http/server.h"
#include "net/network.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define FIXTURE_PORT     80
#define FIXTURE_REQUESTS 64

/* An object, as items and events hold it; an event; the bookmark that ends initial events. */
#define ITEM_META(name, version)                                                 \
    "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"u-" name \
    "\",\"resourceVersion\":\"" version "\"}"
#define ITEM(name, version) \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"," ITEM_META(name, version) "}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define BOOKMARK(version)                                                            \
    EVENT("BOOKMARK", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{" \
                      "\"resourceVersion\":\"" version "\"}}")
#define LOADED(version)                                                              \
    EVENT("BOOKMARK", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{" \
                      "\"resourceVersion\":\"" version                               \
                      "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
#define LIST(version, items)                                           \
    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{" \
    "\"resourceVersion\":\"" version "\"},\"items\":[" items "]}"
#define FAILURE(code, reason)                                                            \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
    "\"message\":\"" reason "\",\"reason\":\"" reason "\",\"code\":" code "}"

/* What is sent, stripped of what is drawn by lot. */
#define ASKS_STREAM(rest) \
    "watch=true" rest     \
    "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
#define ASKS_WATCH(version) "watch=true&resourceVersion=" version "&allowWatchBookmarks=true"

/* One answer; the last one is repeated. */
struct cache_fixture_step {
    int status;
    const char *body;
    duration hold; /* before the answer ends */
    bool reset;    /* it ends in the middle */
};

struct cache_fixture {
    struct network *network;
    struct http_server *server;
    struct rest_config config;
    struct client *client;
    struct cache_set *set;

    const struct cache_fixture_step *steps;
    size_t step_count;
    struct str asked[FIXTURE_REQUESTS]; /* in texts */
    struct str path, accept, agent;     /* of the last request */
    duration gaps[FIXTURE_REQUESTS];    /* since the answer before */
    int64_t answered;
    size_t requests;
    struct arena texts;

    struct cache_handler handler;
    struct buf told;
};

static inline struct str cache_fixture_stripped(struct arena *texts, struct str query)
{
    SCOPED(buf) out = {0};
    struct str part;
    while (query.len) {
        str_cut(&query, '&', &part);
        if (str_starts_with(part, STR("timeout="))) {
            CHECK_EQ(part, STR("timeout=11m0s"));
            continue;
        }
        if (str_starts_with(part, STR("timeoutSeconds="))) {
            int64_t seconds = 0;
            CHECK(str_to_int64(str_skip(part, strlen("timeoutSeconds=")), &seconds));
            CHECK(seconds >= 300 && seconds <= 600);
            continue;
        }
        if (out.len)
            buf_add_char(&out, '&');
        buf_add(&out, part);
    }
    return arena_str(texts, buf_str(&out));
}

static inline struct error *cache_fixture_respond(struct cache_fixture *fixture,
                                                  struct http_request *request,
                                                  const struct cache_fixture_step *step)
{
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    TRY(http_request_respond(request, step->status, &headers));
    TRY(http_request_write(request, str_from_c(step->body)));
    TRY(fiber_sleep(step->hold ? step->hold : MILLISECOND));
    fixture->answered = loop_now(loop_current());
    return step->reset ? error_new(ERROR_INTERNAL, "reset") : NULL;
}

static inline struct error *cache_fixture_handle(void *data, struct http_request *request)
{
    struct cache_fixture *fixture = data;
    struct str query = http_request_target(request), path;
    str_cut(&query, '?', &path);
    CHECK(fixture->requests < FIXTURE_REQUESTS);
    const size_t number = fixture->requests++;
    fixture->path = arena_str(&fixture->texts, path);
    const struct http_headers *headers = http_request_headers(request);
    fixture->accept = arena_str(&fixture->texts, http_headers_find(headers, STR("accept")));
    fixture->agent = arena_str(&fixture->texts, http_headers_find(headers, STR("user-agent")));
    fixture->asked[number] = cache_fixture_stripped(&fixture->texts, query);
    fixture->gaps[number] = loop_now(loop_current()) - fixture->answered;
    const size_t last = fixture->step_count - 1;
    return cache_fixture_respond(fixture, request, &fixture->steps[number < last ? number : last]);
}

static inline void cache_fixture_told(void *data, const struct cache_event *event)
{
    struct cache_fixture *fixture = data;
    const char *marks = event->is_initial ? "!" : event->is_unchanged ? "=" : "";
    const struct object_text *any = event->now ? event->now : event->old;
    buf_print(&fixture->told, "%c%.*s", "+~-"[event->type], STR_ARG(object_text_key(any).name));
    if (event->old)
        buf_print(&fixture->told, "%.*s", STR_ARG(object_text_resource_version(event->old)));
    if (event->old && event->now)
        buf_add_char(&fixture->told, '>');
    if (event->now)
        buf_print(&fixture->told, "%.*s", STR_ARG(object_text_resource_version(event->now)));
    buf_print(&fixture->told, "%s%s ", marks, event->final_state_unknown ? "?" : "");
}

static inline void cache_fixture_handler_init(struct cache_fixture *fixture)
{
    fixture->handler = (struct cache_handler){.changed = cache_fixture_told, .data = fixture};
}

static inline struct error *cache_fixture_serve(struct cache_fixture *fixture)
{
    const struct http_server_options options = {.network = fixture->network,
                                                .host = STR("server.test"),
                                                .port = FIXTURE_PORT,
                                                .handler = cache_fixture_handle,
                                                .data = fixture};
    return http_server_new(loop_current(), &options, &fixture->server);
}

static inline struct client *cache_fixture_client_new(struct cache_fixture *fixture,
                                                      const char *agent)
{
    const struct client_options options = {.config = &fixture->config,
                                           .network = fixture->network,
                                           .user_agent = str_from_c(agent),
                                           .qps = -1};
    return client_new(loop_current(), &options);
}

/* Of a zeroed fixture; the steps are there. */
static inline struct error *cache_fixture_init(struct cache_fixture *fixture)
{
    fixture->network = sim_network_new(loop_current());
    cache_fixture_handler_init(fixture);
    TRY(cache_fixture_serve(fixture));
    fixture->config.server =
        (struct url){.scheme = URL_HTTP, .host = STR("server.test"), .port = FIXTURE_PORT};
    fixture->config.host = STR("http://server.test");
    fixture->client = cache_fixture_client_new(fixture, "first");
    fixture->set = cache_set_new(loop_current(), fixture->client);
    return NULL;
}

static inline void cache_fixture_done(struct cache_fixture *fixture)
{
    cache_set_free(fixture->set);
    client_free(fixture->client);
    http_server_free(fixture->server);
    while (fixture->network && sim_network_connections(fixture->network) > 0) {
        FIBER_SHIELD(FOREVER);
        error_free(fiber_sleep(SECOND));
    }
    network_free(fixture->network);
    arena_done(&fixture->texts);
    buf_done(&fixture->told);
}

static inline struct cache *cache_fixture_cache(struct cache_fixture *fixture,
                                                const struct cache_options *options)
{
    static const struct cache_options config_maps;
    struct cache_options all = options ? *options : config_maps;
    if (!all.gvr.resource.len)
        all.gvr = GVR_CONFIG_MAPS;
    return cache_set_get(fixture->set, &all);
}

/* The set goes on through another client, and the one before is freed. */
static inline void cache_fixture_change_client(struct cache_fixture *fixture, const char *agent)
{
    struct client *old = fixture->client;
    fixture->client = cache_fixture_client_new(fixture, agent);
    cache_set_use(fixture->set, fixture->client);
    client_free(old);
}

/* Suspends until the server was asked so often. */
static inline void cache_fixture_wait_requests(struct cache_fixture *fixture, size_t count)
{
    for (int i = 0; fixture->requests < count; i++) {
        CHECK(i < 100000);
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    }
    CHECK_OK(fiber_sleep(50 * MILLISECOND));
}

#define STEPS(...)                                                           \
    .steps = (const struct cache_fixture_step[]){__VA_ARGS__},               \
    .step_count = sizeof((const struct cache_fixture_step[]){__VA_ARGS__}) / \
                  sizeof(struct cache_fixture_step)
