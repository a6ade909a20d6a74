/*
 * An API server for tests of discovery: documents by path, which tests change as they go, and a
 * note of every request.
 */
#pragma once

#include "async/fiber.h"
#include "async/scope.h"
#include "base/buf.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "net/network.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define FIXTURE_HOST       STR("server.test")
#define FIXTURE_PAGES_MAX  16
#define FIXTURE_PLAIN      "application/json"
#define FIXTURE_AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

#define PAGE_CORE_PLAIN "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"
#define PAGE_V1                                                                               \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":["                   \
    "{\"name\":\"configmaps\",\"singularName\":\"configmap\",\"namespaced\":true,"            \
    "\"kind\":\"ConfigMap\",\"verbs\":[\"create\",\"delete\",\"deletecollection\",\"get\","   \
    "\"list\",\"patch\",\"update\",\"watch\"],\"shortNames\":[\"cm\"]},"                      \
    "{\"name\":\"events\",\"singularName\":\"event\",\"namespaced\":true,\"kind\":\"Event\"," \
    "\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"ev\"]},"                                  \
    "{\"name\":\"namespaces\",\"singularName\":\"namespace\",\"namespaced\":false,"           \
    "\"kind\":\"Namespace\",\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"ns\"]},"           \
    "{\"name\":\"namespaces/status\",\"namespaced\":false,\"kind\":\"Namespace\",\"verbs\":[]}]}"

#define PAGE_GROUPS                                                                            \
    "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":["                            \
    "{\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"},"      \
    "{\"groupVersion\":\"apps/v1beta1\",\"version\":\"v1beta1\"}],"                            \
    "\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}},"                 \
    "{\"name\":\"metrics.k8s.io\",\"versions\":[{\"groupVersion\":\"metrics.k8s.io/v1beta1\"," \
    "\"version\":\"v1beta1\"}]},"                                                              \
    "{\"name\":\"events.k8s.io\",\"versions\":[{\"groupVersion\":\"events.k8s.io/v1\","        \
    "\"version\":\"v1\"}]}]}"
#define PAGE_APPS                                                                  \
    "{\"kind\":\"APIGroup\",\"name\":\"apps\",\"versions\":[{\"version\":\"v1\"}," \
    "{\"version\":\"v1beta1\"}]}"
#define PAGE_APPS_V1                                                                     \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v1\",\"resources\":["         \
    "{\"name\":\"deployments\",\"singularName\":\"deployment\",\"namespaced\":true,"     \
    "\"kind\":\"Deployment\",\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"deploy\"]}," \
    "{\"name\":\"deployments/status\",\"kind\":\"Deployment\",\"verbs\":[]},"            \
    "{\"name\":\"deployments/scale\",\"kind\":\"Scale\",\"verbs\":[]}]}"
#define PAGE_APPS_V1BETA1                                                                     \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v1beta1\",\"resources\":["         \
    "{\"name\":\"deployments\",\"singularName\":\"deployment\",\"namespaced\":true,"          \
    "\"kind\":\"Deployment\",\"verbs\":[\"get\"]},"                                           \
    "{\"name\":\"oldies\",\"singularName\":\"oldie\",\"namespaced\":true,\"kind\":\"Oldie\"," \
    "\"verbs\":[\"get\"],\"shortNames\":[\"namespaces\"]}]}"
#define PAGE_EVENTS_V1                                                                        \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"events.k8s.io/v1\",\"resources\":["     \
    "{\"name\":\"events\",\"singularName\":\"event\",\"namespaced\":true,\"kind\":\"Event\"," \
    "\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"ev\"]}]}"
#define PAGE_WIDGETS                                                                        \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"lab.example.com/v1\",\"resources\":[" \
    "{\"name\":\"widgets\",\"singularName\":\"widget\",\"namespaced\":true,"                \
    "\"kind\":\"Widget\",\"verbs\":[\"get\"],\"shortNames\":[\"wd\"]}]}"

#define WHOLE_RESOURCE(name, singular, kind, short_name)                                      \
    "{\"resource\":\"" name "\",\"singularResource\":\"" singular                             \
    "\",\"responseKind\":{\"group\":\"\",\"version\":\"\",\"kind\":\"" kind                   \
    "\"},\"scope\":\"Namespaced\",\"verbs\":[\"get\",\"list\"],\"shortNames\":[\"" short_name \
    "\"]}"
#define WHOLE_CORE                                                                   \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},\"versions\":[" \
    "{\"version\":\"v1\",\"freshness\":\"Current\",\"resources\":[" WHOLE_RESOURCE(  \
        "configmaps", "configmap", "ConfigMap", "cm") "]}]}]}"
#define WHOLE_APPS                                                                          \
    "{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\",\"freshness\":"    \
    "\"Current\",\"resources\":[" WHOLE_RESOURCE("deployments", "deployment", "Deployment", \
                                                 "deploy") "]}]}"
#define WHOLE_METRICS                                                                        \
    "{\"metadata\":{\"name\":\"metrics.k8s.io\"},\"versions\":[{\"version\":\"v1beta1\","    \
    "\"freshness\":\"Stale\",\"resources\":[" WHOLE_RESOURCE("nodes", "node", "NodeMetrics", \
                                                             "nm") "]}]}"
#define WHOLE_LIST(items) "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[" items "]}"
#define WHOLE_GROUPS      WHOLE_LIST(WHOLE_APPS "," WHOLE_METRICS)

struct page {
    const char *path, *type, *body; /* no body: status alone */
    int status;
};

struct discovery_fixture {
    struct network *network;
    struct http_server *server;
    struct rest_config config;
    struct client *client;
    struct page pages[FIXTURE_PAGES_MAX];
    size_t page_count;
    duration delay;  /* before each answer */
    struct buf seen; /* "/api /apis ", paths in the order they were asked for */
    size_t requests;
};

/* Replaces what a path answers; unknown paths are 404. */
static inline void discovery_fixture_set(struct discovery_fixture *fixture, struct page page)
{
    size_t i = 0;
    while (i < fixture->page_count && strcmp(fixture->pages[i].path, page.path) != 0)
        i++;
    CHECK(i < FIXTURE_PAGES_MAX);
    fixture->pages[i] = page;
    if (i == fixture->page_count)
        fixture->page_count++;
}

static inline void discovery_fixture_plain(struct discovery_fixture *fixture, const char *path,
                                           const char *body)
{
    discovery_fixture_set(fixture, (struct page){path, FIXTURE_PLAIN, body, 200});
}

static inline void discovery_fixture_fail(struct discovery_fixture *fixture, const char *path,
                                          int status)
{
    discovery_fixture_set(fixture, (struct page){path, FIXTURE_PLAIN, "", status});
}

static inline void discovery_fixture_whole(struct discovery_fixture *fixture, const char *path,
                                           const char *body)
{
    discovery_fixture_set(fixture, (struct page){path, FIXTURE_AGGREGATED, body, 200});
}

static inline struct error *discovery_fixture_answer(void *data, struct http_request *request)
{
    struct discovery_fixture *fixture = data;
    struct str rest = http_request_target(request), path;
    str_cut(&rest, '?', &path);
    buf_print(&fixture->seen, "%.*s ", STR_ARG(path));
    fixture->requests++;
    struct page page = {.type = "text/plain", .body = "404 page not found\n", .status = 404};
    for (size_t i = 0; i < fixture->page_count; i++)
        if (str_eq(path, str_from_c(fixture->pages[i].path)))
            page = fixture->pages[i];
    if (fixture->delay > 0)
        TRY(fiber_sleep(fixture->delay));
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Type"), str_from_c(page.type)));
    TRY(http_request_respond(request, page.status, &headers));
    return http_request_write(request, str_from_c(page.body));
}

/* A server on the same port as before, if there was one. */
static inline struct error *discovery_fixture_serve(struct discovery_fixture *fixture)
{
    http_server_free(TAKE(fixture->server));
    const struct http_server_options options = {
        .network = fixture->network,
        .host = FIXTURE_HOST,
        .port = fixture->config.server.port,
        .handler = discovery_fixture_answer,
        .data = fixture,
    };
    TRY(http_server_new(loop_current(), &options, &fixture->server));
    fixture->config.server.port = http_server_port(fixture->server);
    return NULL;
}

static inline struct error *discovery_fixture_init(struct discovery_fixture *fixture)
{
    *fixture = (struct discovery_fixture){.network = sim_network_new(loop_current())};
    fixture->config.server = (struct url){.scheme = URL_HTTP, .host = FIXTURE_HOST};
    TRY(discovery_fixture_serve(fixture));
    fixture->config.host = STR("http://server.test");
    const struct client_options client = {.config = &fixture->config, .network = fixture->network};
    fixture->client = client_new(loop_current(), &client);
    return NULL;
}

/* Only names at first, resources by group/version. */
static inline void discovery_fixture_fill_plain(struct discovery_fixture *fixture)
{
    discovery_fixture_plain(fixture, "/api", PAGE_CORE_PLAIN);
    discovery_fixture_plain(fixture, "/api/v1", PAGE_V1);
    discovery_fixture_plain(fixture, "/apis", PAGE_GROUPS);
    discovery_fixture_plain(fixture, "/apis/apps", PAGE_APPS);
    discovery_fixture_plain(fixture, "/apis/apps/v1", PAGE_APPS_V1);
    discovery_fixture_plain(fixture, "/apis/apps/v1beta1", PAGE_APPS_V1BETA1);
    discovery_fixture_plain(fixture, "/apis/events.k8s.io/v1", PAGE_EVENTS_V1);
    discovery_fixture_fail(fixture, "/apis/metrics.k8s.io/v1beta1", 503);
}

static inline void discovery_fixture_fill_whole(struct discovery_fixture *fixture)
{
    discovery_fixture_whole(fixture, "/api", WHOLE_CORE);
    discovery_fixture_whole(fixture, "/apis", WHOLE_GROUPS);
    discovery_fixture_fail(fixture, "/apis/metrics.k8s.io/v1beta1", 503);
}

static inline void discovery_fixture_done(struct discovery_fixture *fixture)
{
    FIBER_SHIELD(FOREVER);
    client_free(fixture->client);
    http_server_free(fixture->server);
    while (sim_network_connections(fixture->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(fixture->network);
    buf_done(&fixture->seen);
}

/* What was asked for since the last time. */
static inline void check_seen(struct discovery_fixture *fixture, const char *expected)
{
    CHECK_EQ(buf_str(&fixture->seen), str_from_c(expected));
    buf_clear(&fixture->seen);
}
