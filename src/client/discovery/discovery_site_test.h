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

#define SITE_HOST       STR("server.test")
#define SITE_PAGES_MAX  16
#define SITE_PLAIN      "application/json"
#define SITE_AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

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
    const char *path, *type, *etag, *body; /* no body: status alone */
    int status;
};

struct site {
    struct network *network;
    struct http_server *server;
    struct rest_config config;
    struct client *client;
    struct page pages[SITE_PAGES_MAX];
    size_t page_count;
    duration delay;  /* before each answer */
    struct buf seen; /* "/api /apis ", paths in the order they were asked for */
    size_t requests, not_modified;
};

/* Replaces what a path answers; unknown paths are 404. */
static inline void site_set(struct site *site, struct page page)
{
    size_t i = 0;
    while (i < site->page_count && strcmp(site->pages[i].path, page.path) != 0)
        i++;
    CHECK(i < SITE_PAGES_MAX);
    site->pages[i] = page;
    if (i == site->page_count)
        site->page_count++;
}

static inline void site_plain(struct site *site, const char *path, const char *body)
{
    site_set(site, (struct page){path, SITE_PLAIN, NULL, body, 200});
}

static inline void site_fail(struct site *site, const char *path, int status)
{
    site_set(site, (struct page){path, SITE_PLAIN, NULL, "", status});
}

static inline void site_whole(struct site *site, const char *path, const char *etag,
                              const char *body)
{
    site_set(site, (struct page){path, SITE_AGGREGATED, etag, body, 200});
}

static inline struct error *site_answer(void *data, struct http_request *request)
{
    struct site *site = data;
    struct str rest = http_request_target(request), path;
    str_cut(&rest, '?', &path);
    buf_print(&site->seen, "%.*s ", STR_ARG(path));
    site->requests++;
    struct page page = {.type = "text/plain", .body = "404 page not found\n", .status = 404};
    for (size_t i = 0; i < site->page_count; i++)
        if (str_eq(path, str_from_c(site->pages[i].path)))
            page = site->pages[i];
    if (site->delay > 0)
        TRY(fiber_sleep(site->delay));
    SCOPED(http_headers) headers = {0};
    const struct str known = http_headers_find(http_request_headers(request), STR("if-none-match"));
    if (page.etag && str_eq(known, str_from_c(page.etag))) {
        site->not_modified++;
        return http_request_respond(request, 304, NULL);
    }
    TRY(http_headers_add(&headers, STR("Content-Type"), str_from_c(page.type)));
    if (page.etag)
        TRY(http_headers_add(&headers, STR("ETag"), str_from_c(page.etag)));
    TRY(http_request_respond(request, page.status, &headers));
    return http_request_write(request, str_from_c(page.body));
}

/* A server on the same port as before, if there was one. */
static inline struct error *site_serve(struct site *site)
{
    http_server_free(TAKE(site->server));
    const struct http_server_options options = {
        .network = site->network,
        .host = SITE_HOST,
        .port = site->config.server.port,
        .handler = site_answer,
        .data = site,
    };
    TRY(http_server_new(loop_current(), &options, &site->server));
    site->config.server.port = http_server_port(site->server);
    return NULL;
}

static inline struct error *site_init(struct site *site)
{
    *site = (struct site){.network = sim_network_new(loop_current())};
    site->config.server = (struct url){.scheme = URL_HTTP, .host = SITE_HOST};
    TRY(site_serve(site));
    site->config.host = STR("http://server.test");
    const struct client_options client = {.config = &site->config, .network = site->network};
    site->client = client_new(loop_current(), &client);
    return NULL;
}

/* Only names at first, resources by group/version. */
static inline void site_fill_plain(struct site *site)
{
    site_plain(site, "/api", PAGE_CORE_PLAIN);
    site_plain(site, "/api/v1", PAGE_V1);
    site_plain(site, "/apis", PAGE_GROUPS);
    site_plain(site, "/apis/apps", PAGE_APPS);
    site_plain(site, "/apis/apps/v1", PAGE_APPS_V1);
    site_plain(site, "/apis/apps/v1beta1", PAGE_APPS_V1BETA1);
    site_plain(site, "/apis/events.k8s.io/v1", PAGE_EVENTS_V1);
    site_fail(site, "/apis/metrics.k8s.io/v1beta1", 503);
}

static inline void site_fill_whole(struct site *site)
{
    site_whole(site, "/api", "\"core-1\"", WHOLE_CORE);
    site_whole(site, "/apis", "\"groups-1\"", WHOLE_GROUPS);
    site_fail(site, "/apis/metrics.k8s.io/v1beta1", 503);
}

static inline void site_done(struct site *site)
{
    FIBER_SHIELD(FOREVER);
    client_free(site->client);
    http_server_free(site->server);
    while (sim_network_connections(site->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    network_free(site->network);
    buf_done(&site->seen);
}

/* What was asked for since the last time. */
static inline void check_seen(struct site *site, const char *expected)
{
    CHECK_EQ(buf_str(&site->seen), str_from_c(expected));
    buf_clear(&site->seen);
}
