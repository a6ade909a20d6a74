/* What nodes see: caches that may be behind, and other clusters. */
#include "framework/live_reader.h"

#include "client/client.h"
#include "client/discovery/discovery.h"
#include "controller/cache/own_writes_internal.h"
#include "framework/framework_internal.h"
#include "net/tls.h"
#include "scenarios/framework/framework_fixture.h"

#define NOTES ((size_t)1000)

static void start(struct framework_fixture *fixture)
{
    framework_fixture_init(fixture);
    framework_fixture_create_owner(fixture);
    framework_fixture_start(fixture, NULL);
    framework_fixture_plan(fixture);
    fixture->node_count = 1;
}

SIM_TEST(a_cache_that_is_behind_our_own_writes_is_not_believed)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_settle(&fixture);
    fixture.proxy.holds_watches = true;
    for (size_t i = 0; i < 3; i++) {
        framework_fixture_loop_now(&fixture);
        framework_fixture_check_done(&fixture);
    }
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "GET " FRAMEWORK_FIXTURE_MAP), 2);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_WEB "/status"), 2);
    fixture.proxy.holds_watches = false;
    framework_fixture_settle(&fixture);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR(""));
}

SIM_TEST(what_was_deleted_behind_our_back_comes_back)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", "False//");
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_MAP, NULL);
    framework_fixture_await(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a", "1");
}

/* A thousand writes of which the cache knows, and those that it does not know yet. */
SIM_TEST(what_caches_know_is_forgotten)
{
    SCOPED(framework_fixture) fixture;
    SCOPED(arena) arena = {0};
    struct live_reader reader;
    start(&fixture);
    framework_fixture_settle(&fixture);
    const struct gvk gvk = {STR(""), STR("v1"), STR("ConfigMap")};
    CHECK_OK(live_reader_find(fixture.framework, &arena, NULL, gvk, &reader));
    CHECK(reader.cache);
    for (size_t i = 0; i < 2 * NOTES; i++) {
        OWNED(object) object = NULL;
        CHECK_OK(object_read(arena_print(&arena,
                                         "{\"metadata\":{\"name\":\"m-%zu\",\"namespace\":"
                                         "\"default\",\"resourceVersion\":\"%s\"}}",
                                         i, i % 2 ? "1" : "999999999"),
                             &object));
        live_reader_note_write(fixture.framework, &reader, object);
    }
    const struct own_writes *writes = map_find(&fixture.framework->written, STR("configmaps."));
    const size_t kept = map_count(&writes->entries);
    CHECK(kept >= NOTES);
    CHECK(kept <= NOTES + NOTES / 2 + 100);
    /* What is not known is asked for. */
    struct object *object = NULL;
    CHECK_ERROR(live_reader_read(fixture.framework, &reader, KEY("default", "m-0"), &object),
                ERROR_NOT_FOUND);
    CHECK_ERROR(live_reader_read(fixture.framework, &reader, KEY("default", "m-1"), &object),
                ERROR_NOT_FOUND);
    CHECK_EQ(proxy_count(&fixture.proxy, "GET " FRAMEWORK_FIXTURE_MAPS "/m-0"), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "GET " FRAMEWORK_FIXTURE_MAPS "/m-1"), 0);
}

/* The way to the virtual cluster. */
struct away {
    struct rest_config config;
    struct buf token;
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    bool is_lost;
};

static void away_init(struct away *away, struct framework_fixture *fixture)
{
    *away = (struct away){.token = {.secret = true}};
    apiserver_cluster_token(fixture->apiserver.server, 0, &away->token);
    away->config.server = (struct url){.scheme = URL_HTTPS,
                                       .host = STR("server.test"),
                                       .port = apiserver_port(fixture->apiserver.server),
                                       .path = STR("/clusters/vc-0001")};
    away->config.host = STR("https://server.test/clusters/vc-0001");
    away->config.tls.trust = tls_trust_ref(fixture->apiserver.trust);
    away->config.auth.token = buf_str(&away->token);
    away->client =
        client_new(loop_current(), &(struct client_options){.config = &away->config,
                                                            .network = fixture->apiserver.network,
                                                            .tls = fixture->apiserver.tls,
                                                            .qps = -1});
    away->pool = discovery_pool_new();
    away->discovery = discovery_new(away->client, away->pool, NULL);
}

static void away_done(struct away *away)
{
    discovery_free(away->discovery);
    discovery_pool_free(away->pool);
    client_free(away->client);
    rest_config_done(&away->config);
    buf_done(&away->token);
}

static struct error *reach(void *data, struct graph_node *node, struct graph_cluster *ret_cluster)
{
    const struct away *away = data;
    (void)node;
    if (away->is_lost)
        return error_class_retry_later(NULL, STR("dependencyStatus"), STR("not connected"), 0);
    *ret_cluster = (struct graph_cluster){away->client, away->discovery};
    return NULL;
}

static enum graph_readiness is_ready(void *data, const struct object *object,
                                     struct str *ret_reason, struct str *ret_message)
{
    (void)data, (void)object, (void)ret_reason, (void)ret_message;
    return GRAPH_READY;
}

SIM_TEST(nodes_of_another_cluster_go_there)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    {
        SCOPED(away) away;
        OWNED(object) there = NULL;
        const struct gvr maps = {STR(""), STR("v1"), STR("configmaps")};
        away_init(&away, &fixture);
        fixture.nodes[1] = (struct framework_fixture_node){
            .object = framework_fixture_map,
            .options = {.cluster = STR("vc-0001"),
                        .reach = reach,
                        .data = &away,
                        .flags = GRAPH_NO_DECORATION | GRAPH_NO_CHECKSUMS,
                        .apply = GRAPH_CREATE_OR_MERGE,
                        .check = is_ready},
        };
        fixture.node_count = 2; /* the same object, in each of the two */
        framework_fixture_loop(&fixture);
        framework_fixture_check_done(&fixture);
        CHECK_OK(client_get(away.client, maps, KEY("default", "w1-web"), NULL, &there));
        CHECK(!object_owner_references(there));
        CHECK(!object_annotations(there));
        CHECK_EQ(framework_fixture_annotation(&fixture, FRAMEWORK_FIXTURE_MAP,
                                              "default.web.checksum.corset.dev/w1"),
                 STR("1"));
        CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
        away.is_lost = true;
        framework_fixture_loop(&fixture);
        CHECK(fixture.result.requeue);
        CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
                 STR("True/dependencyStatus/not connected"));
    }
}
