#include "client/client.h"
#include "client/discovery/discovery.h"
#include "scenarios/clustercache/cc_fixture.h"

static bool add_name(void *data, struct object *object)
{
    buf_add(data, object_name(object));
    buf_add_char(data, ' ');
    return true;
}

static bool first_name(void *data, struct object *object)
{
    (void)add_name(data, object);
    return false;
}

SIM_TEST(cc_47_managed_fields_are_not_kept)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) live = NULL;
    OWNED(object) cached = NULL;
    cc_fixture_init(&fixture, 1);
    /* The server's own "default" has none, so that nobody could take them away. */
    cc_fixture_do(
        &fixture, "POST", CC_FIXTURE_WORKLOAD "/api/v1/namespaces?fieldManager=test",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"mine\",\"labels\":{"
        "\"a\":\"b\"}}}");
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    CHECK_OK(client_get(cluster_connection_client(connection), GVR("", "v1", "namespaces"),
                        KEY("", "mine"), NULL, &live));
    CHECK_OK(
        cluster_connection_get(connection, GVK("", "v1", "Namespace"), KEY("", "mine"), &cached));
    CHECK(object_path(live, "metadata.managedFields") != NULL);
    CHECK(object_path(cached, "metadata.managedFields") == NULL);
    CHECK_EQ(object_resource_version(live), object_resource_version(cached));
}

SIM_TEST(cc_48_kinds_that_are_never_cached)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(buf) names = {0};
    const struct gvk uncached = CC_FIXTURE_NODE;
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_node(&fixture, "n2", NULL);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.uncached = &uncached;
    options.uncached_count = 1;
    cc_fixture_start(&fixture, &options);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    for (size_t i = 1; i < 4; i++) {
        OWNED(object) node = NULL;
        CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node));
        CHECK_EQ(cc_fixture_count(&fixture, "GET /api/v1/nodes/n1?timeout=10s"), i);
        buf_clear(&names);
        CHECK_OK(cluster_connection_list(connection, CC_FIXTURE_NODE, STR(""), add_name, &names));
        CHECK_EQ(buf_str(&names), STR("n1 n2 "));
        CHECK_EQ(cc_fixture_count(&fixture, "GET /api/v1/nodes?"), i);
    }
    CHECK_EQ(cc_fixture_count(&fixture, "watch=true"), (size_t)0);
}

SIM_TEST(cc_49_nodes_by_their_provider_id)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(buf) names = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", "aws:///1");
    cc_fixture_node(&fixture, "n2", "aws:///2");
    cc_fixture_node(&fixture, "n3", NULL);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.indexes = &cc_fixture_node_index;
    options.index_count = 1;
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    const struct str index = STR("spec.providerID");
    CHECK_OK(cluster_connection_list_indexed(connection, CC_FIXTURE_NODE, index, STR("aws:///2"),
                                             add_name, &names));
    CHECK_EQ(buf_str(&names), STR("n2 "));
    CHECK_OK(cluster_connection_list_indexed(connection, CC_FIXTURE_NODE, index, STR(""), add_name,
                                             &names));
    CHECK_EQ(buf_str(&names), STR("n2 "));
    CHECK_ERROR(cluster_connection_list_indexed(connection, CC_FIXTURE_NODE, STR("other"), STR("x"),
                                                add_name, &names),
                ERROR_INVALID);
}

static size_t count_live(struct cluster_connection *connection)
{
    SCOPED(arena) arena = {0};
    struct object_list list;
    CHECK_OK(client_list_page(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                              STR(""), NULL, &arena, &list));
    return list.count;
}

SIM_TEST(cc_50_the_uncached_client_asks_every_time)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    CHECK_ERROR(clustercache_get_uncached_client(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_uncached_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    CHECK_EQ(count_live(connection), (size_t)0);
    cc_fixture_node(&fixture, "n1", NULL);
    CHECK_EQ(count_live(connection), (size_t)1);
    CHECK_EQ(cc_fixture_count(&fixture, "GET /api/v1/nodes"), (size_t)2);
    fixture.status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    OWNED(cluster_connection) other = NULL;
    CHECK_ERROR(clustercache_get_uncached_client(fixture.cache, CC_FIXTURE_KEY, &other),
                ERROR_NOT_CONNECTED);
}

SIM_TEST(cc_51_the_first_read_of_a_kind_begins_its_cache)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) first = NULL;
    OWNED(object) second = NULL;
    OWNED(object) third = NULL;
    SCOPED(buf) names = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_node(&fixture, "n2", NULL);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &first));
    CHECK_EQ(fixture.streams, (size_t)1);
    CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &second));
    CHECK_FAILS(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "x"), &third),
                ERROR_NOT_FOUND, "Node \"x\" not found");
    CHECK_OK(cluster_connection_list(connection, CC_FIXTURE_NODE, STR(""), add_name, &names));
    CHECK_OK(cluster_connection_list(connection, CC_FIXTURE_NODE, STR(""), first_name, &names));
    CHECK_EQ(buf_str(&names), STR("n1 n2 n1 "));
    CHECK_EQ(cc_fixture_count(&fixture, "/nodes"), (size_t)1);
}

SIM_TEST(a_cache_that_does_not_sync_is_a_timeout)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) node = NULL;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    fixture.status = 503;
    fixture.part = "/nodes";
    const int64_t begun = loop_now(loop_current());
    CHECK_FAILS(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node),
                ERROR_TIMEOUT, "failed waiting for Node Informer to sync");
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, 10);
    TEST_CASE("it goes on trying");
    fixture.status = 0;
    cc_fixture_node(&fixture, "n1", NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node));
}

static struct error *read_forever(void *data)
{
    struct cluster_connection *connection = data;
    OWNED(object) node = NULL;
    CHECK_ERROR(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node),
                ERROR_NOT_CONNECTED);
    return NULL;
}

SIM_TEST(whoever_waits_for_a_cache_hears_of_the_end)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(scope) readers = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    fixture.status = 503;
    fixture.part = "/nodes";
    scope_start(&readers, "reader", read_forever, connection);
    CHECK_OK(fiber_sleep(SECOND));
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_OK(scope_wait(&readers));
}

SIM_TEST(discovery_tells_that_a_server_is_new_enough)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    struct str version;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    CHECK_OK(cluster_connection_least_version(connection, &version));
    CHECK_EQ(version, STR("v1.26"));
    CHECK_EQ(cc_fixture_count(&fixture, "/version"), (size_t)0);
}

SIM_TEST(the_version_of_an_older_server_is_asked_for_once)
{
    SCOPED(cc_fixture) fixture;
    OWNED(cluster_connection) connection = NULL;
    struct str version;
    cc_fixture_init(&fixture, 1);
    fixture.is_old = true;
    cc_fixture_connect(&fixture);
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
    CHECK_OK(cluster_connection_least_version(connection, &version));
    CHECK(str_starts_with(version, STR("v1.")));
    CHECK_OK(cluster_connection_least_version(connection, &version));
    CHECK_EQ(cc_fixture_count(&fixture, "/version"), (size_t)1);
    CHECK_EQ(cluster_connection_config(connection)->host, STR(CC_FIXTURE_HOST));
    CHECK(key_eq(cluster_connection_cluster(connection), CC_FIXTURE_KEY));
}

/* The basics of caches, as a workload cluster's reader meets them; more in src/controller/cache. */
static struct cluster_connection *begin_cache(struct cc_fixture *fixture)
{
    struct cluster_connection *connection;
    OWNED(object) node = NULL;
    cc_fixture_node(fixture, "n1", NULL);
    cc_fixture_connect(fixture);
    CHECK_OK(clustercache_get_client(fixture->cache, CC_FIXTURE_KEY, &connection));
    CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node));
    return connection;
}

SIM_TEST(cc_56_a_watch_that_ends_goes_on_without_a_list)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    OWNED(cluster_connection) connection = begin_cache(&fixture);
    CHECK_OK(fiber_sleep(3 * SECOND));
    cc_fixture_forget(&fixture);
    cc_fixture_end_streams(&fixture, NULL);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(cc_fixture_count(&fixture, "/nodes?watch=true"), (size_t)1);
    CHECK_EQ(cc_fixture_count(&fixture, "sendInitialEvents"), (size_t)0);
    CHECK_EQ(cc_fixture_count(&fixture, "resourceVersion="), (size_t)1);
    OWNED(object) node = NULL;
    cc_fixture_node(&fixture, "n2", NULL);
    CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n2"), &node));
}

SIM_TEST(cc_57_a_server_that_forgot_is_asked_for_everything)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    OWNED(cluster_connection) connection = begin_cache(&fixture);
    CHECK_OK(fiber_sleep(3 * SECOND));
    cc_fixture_forget(&fixture);
    cc_fixture_end_streams(&fixture,
                           "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
                           "\"v1\",\"status\":\"Failure\",\"message\":\"too old\",\"reason\":"
                           "\"Expired\",\"code\":410}}\n");
    cc_fixture_do(&fixture, "DELETE", CC_FIXTURE_NODES "/n1", NULL);
    cc_fixture_do(&fixture, "POST", CC_FIXTURE_NODES,
                  "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\"}}");
    CHECK_OK(fiber_sleep(700 * MILLISECOND));
    CHECK_EQ(cc_fixture_count(&fixture, "/nodes"), (size_t)0);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(cc_fixture_count(&fixture, "sendInitialEvents=true"), (size_t)1);
    SCOPED(buf) names = {0};
    CHECK_OK(cluster_connection_list(connection, CC_FIXTURE_NODE, STR(""), add_name, &names));
    CHECK_EQ(buf_str(&names), STR("n2 "));
}

static void note_deleted(void *data, struct key cluster, const struct cache_event *event)
{
    (void)cluster;
    if (event->type == CACHE_DELETED) {
        CHECK_EQ(object_text_key(event->old).name, STR("n1"));
        CHECK(event->final_state_unknown);
        ++*(size_t *)data;
    }
}

SIM_TEST(cc_58_what_was_deleted_unseen_is_told)
{
    SCOPED(cc_fixture) fixture;
    size_t deleted = 0;
    cc_fixture_init(&fixture, 1);
    OWNED(cluster_connection) connection = begin_cache(&fixture);
    CHECK_OK(clustercache_watch(
        fixture.cache, CC_FIXTURE_KEY,
        &(struct clustercache_watch){
            .name = STR("w"), .gvk = CC_FIXTURE_NODE, .changed = note_deleted, .data = &deleted}));
    CHECK_OK(fiber_sleep(3 * SECOND));
    fixture.status = 410; /* no watch until the next round */
    fixture.part = "resourceVersion=";
    cc_fixture_end_streams(&fixture, NULL);
    cc_fixture_do(&fixture, "DELETE", CC_FIXTURE_NODES "/n1", NULL);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(deleted, (size_t)0);
    fixture.status = 0;
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(deleted, (size_t)1);
    OWNED(object) node = NULL;
    CHECK_ERROR(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &node),
                ERROR_NOT_FOUND);
}
