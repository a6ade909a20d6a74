#include "client/client.h"
#include "client/discovery/discovery.h"
#include "scenarios/clustercache/rig.h"

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
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) live = NULL;
    OWNED(object) cached = NULL;
    rig_init(&rig, 1);
    /* The server's own "default" has none, so that nobody could take them away. */
    rig_do(
        &rig, "POST", RIG_WORKLOAD "/api/v1/namespaces?fieldManager=test",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"mine\",\"labels\":{"
        "\"a\":\"b\"}}}");
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
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
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(buf) names = {0};
    const struct gvk uncached = RIG_NODE;
    rig_init(&rig, 1);
    rig_node(&rig, "n1", NULL);
    rig_node(&rig, "n2", NULL);
    struct clustercache_options options = rig_options(&rig);
    options.uncached = &uncached;
    options.uncached_count = 1;
    rig_start(&rig, &options);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    for (size_t i = 1; i < 4; i++) {
        OWNED(object) node = NULL;
        CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node));
        CHECK_EQ(rig_count(&rig, "GET /api/v1/nodes/n1?timeout=10s"), i);
        buf_clear(&names);
        CHECK_OK(cluster_connection_list(connection, RIG_NODE, STR(""), add_name, &names));
        CHECK_EQ(buf_str(&names), STR("n1 n2 "));
        CHECK_EQ(rig_count(&rig, "GET /api/v1/nodes?"), i);
    }
    CHECK_EQ(rig_count(&rig, "watch=true"), (size_t)0);
}

SIM_TEST(cc_49_nodes_by_their_provider_id)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(buf) names = {0};
    rig_init(&rig, 1);
    rig_node(&rig, "n1", "aws:///1");
    rig_node(&rig, "n2", "aws:///2");
    rig_node(&rig, "n3", NULL);
    struct clustercache_options options = rig_options(&rig);
    options.indexes = &rig_node_index;
    options.index_count = 1;
    rig_start(&rig, &options);
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 10 * SECOND);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    const struct str index = STR("spec.providerID");
    CHECK_OK(cluster_connection_list_indexed(connection, RIG_NODE, index, STR("aws:///2"), add_name,
                                             &names));
    CHECK_EQ(buf_str(&names), STR("n2 "));
    CHECK_OK(
        cluster_connection_list_indexed(connection, RIG_NODE, index, STR(""), add_name, &names));
    CHECK_EQ(buf_str(&names), STR("n2 "));
    CHECK_ERROR(cluster_connection_list_indexed(connection, RIG_NODE, STR("other"), STR("x"),
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
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    CHECK_ERROR(clustercache_get_uncached_client(rig.cache, RIG_KEY, &connection),
                ERROR_NOT_CONNECTED);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_uncached_client(rig.cache, RIG_KEY, &connection));
    CHECK_EQ(count_live(connection), (size_t)0);
    rig_node(&rig, "n1", NULL);
    CHECK_EQ(count_live(connection), (size_t)1);
    CHECK_EQ(rig_count(&rig, "GET /api/v1/nodes"), (size_t)2);
    rig.status = 401;
    CHECK_EQ(rig_reconcile_after(&rig, 10 * SECOND), MILLISECOND);
    OWNED(cluster_connection) other = NULL;
    CHECK_ERROR(clustercache_get_uncached_client(rig.cache, RIG_KEY, &other), ERROR_NOT_CONNECTED);
}

SIM_TEST(cc_51_the_first_read_of_a_kind_begins_its_cache)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) first = NULL;
    OWNED(object) second = NULL;
    OWNED(object) third = NULL;
    SCOPED(buf) names = {0};
    rig_init(&rig, 1);
    rig_node(&rig, "n1", NULL);
    rig_node(&rig, "n2", NULL);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &first));
    CHECK_EQ(rig.streams, (size_t)1);
    CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &second));
    CHECK_FAILS(cluster_connection_get(connection, RIG_NODE, KEY("", "x"), &third), ERROR_NOT_FOUND,
                "Node \"x\" not found");
    CHECK_OK(cluster_connection_list(connection, RIG_NODE, STR(""), add_name, &names));
    CHECK_OK(cluster_connection_list(connection, RIG_NODE, STR(""), first_name, &names));
    CHECK_EQ(buf_str(&names), STR("n1 n2 n1 "));
    CHECK_EQ(rig_count(&rig, "/nodes"), (size_t)1);
}

SIM_TEST(a_cache_that_does_not_sync_is_a_timeout)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) node = NULL;
    rig_init(&rig, 1);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    rig.status = 503;
    rig.part = "/nodes";
    const int64_t begun = loop_now(loop_current());
    CHECK_FAILS(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node), ERROR_TIMEOUT,
                "failed waiting for Node Informer to sync");
    CHECK_EQ((loop_now(loop_current()) - begun) / SECOND, 10);
    TEST_CASE("it goes on trying");
    rig.status = 0;
    rig_node(&rig, "n1", NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node));
}

static struct error *read_forever(void *data)
{
    struct cluster_connection *connection = data;
    OWNED(object) node = NULL;
    CHECK_ERROR(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node),
                ERROR_NOT_CONNECTED);
    return NULL;
}

SIM_TEST(whoever_waits_for_a_cache_hears_of_the_end)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    SCOPED(scope) readers = {0};
    rig_init(&rig, 1);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    rig.status = 503;
    rig.part = "/nodes";
    scope_start(&readers, "reader", read_forever, connection);
    CHECK_OK(fiber_sleep(SECOND));
    rig_remove_cluster(&rig, "c");
    CHECK_EQ(rig_reconcile(&rig), 0);
    CHECK_OK(scope_wait(&readers));
}

SIM_TEST(the_version_of_a_server_is_asked_for_once)
{
    SCOPED(rig) rig;
    OWNED(cluster_connection) connection = NULL;
    struct str version;
    rig_init(&rig, 1);
    rig_connect(&rig);
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
    CHECK_OK(cluster_connection_server_version(connection, &version));
    CHECK(str_starts_with(version, STR("v1.")));
    CHECK_OK(cluster_connection_server_version(connection, &version));
    CHECK_EQ(rig_count(&rig, "/version"), (size_t)1);
    CHECK_EQ(cluster_connection_config(connection)->host, STR(RIG_HOST));
    CHECK(key_eq(cluster_connection_cluster(connection), RIG_KEY));
}

/* The basics of caches, as a workload cluster's reader meets them; more in src/controller/cache. */
static struct cluster_connection *begin_cache(struct rig *rig)
{
    struct cluster_connection *connection;
    OWNED(object) node = NULL;
    rig_node(rig, "n1", NULL);
    rig_connect(rig);
    CHECK_OK(clustercache_get_client(rig->cache, RIG_KEY, &connection));
    CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node));
    return connection;
}

SIM_TEST(cc_56_a_watch_that_ends_goes_on_without_a_list)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    OWNED(cluster_connection) connection = begin_cache(&rig);
    CHECK_OK(fiber_sleep(3 * SECOND));
    rig_forget(&rig);
    rig_end_streams(&rig, NULL);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(rig_count(&rig, "/nodes?watch=true"), (size_t)1);
    CHECK_EQ(rig_count(&rig, "sendInitialEvents"), (size_t)0);
    CHECK_EQ(rig_count(&rig, "resourceVersion="), (size_t)1);
    OWNED(object) node = NULL;
    rig_node(&rig, "n2", NULL);
    CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n2"), &node));
}

SIM_TEST(cc_57_a_server_that_forgot_is_asked_for_everything)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    OWNED(cluster_connection) connection = begin_cache(&rig);
    CHECK_OK(fiber_sleep(3 * SECOND));
    rig_forget(&rig);
    rig_end_streams(&rig, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
                          "\"v1\",\"status\":\"Failure\",\"message\":\"too old\",\"reason\":"
                          "\"Expired\",\"code\":410}}\n");
    rig_do(&rig, "DELETE", RIG_NODES "/n1", NULL);
    rig_do(&rig, "POST", RIG_NODES,
           "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n2\"}}");
    CHECK_OK(fiber_sleep(700 * MILLISECOND));
    CHECK_EQ(rig_count(&rig, "/nodes"), (size_t)0);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(rig_count(&rig, "sendInitialEvents=true"), (size_t)1);
    SCOPED(buf) names = {0};
    CHECK_OK(cluster_connection_list(connection, RIG_NODE, STR(""), add_name, &names));
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
    SCOPED(rig) rig;
    size_t deleted = 0;
    rig_init(&rig, 1);
    OWNED(cluster_connection) connection = begin_cache(&rig);
    CHECK_OK(clustercache_watch(
        rig.cache, RIG_KEY,
        &(struct clustercache_watch){
            .name = STR("w"), .gvk = RIG_NODE, .changed = note_deleted, .data = &deleted}));
    CHECK_OK(fiber_sleep(3 * SECOND));
    rig.status = 410; /* no watch until the next round */
    rig.part = "resourceVersion=";
    rig_end_streams(&rig, NULL);
    rig_do(&rig, "DELETE", RIG_NODES "/n1", NULL);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(deleted, (size_t)0);
    rig.status = 0;
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(deleted, (size_t)1);
    OWNED(object) node = NULL;
    CHECK_ERROR(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &node),
                ERROR_NOT_FOUND);
}
