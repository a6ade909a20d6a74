#include "support/clustercache/clustercache_fake.h"

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "http/server.h"
#include "net/network.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

#define CLUSTER KEY("default", "c1")
#define OTHER   KEY("default", "c2")
#define NODE    GVK("", "v1", "Node")

#define NODE_TEXT(name, version)                                                  \
    STR("{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name \
        "\",\"uid\":\"u-" name "\",\"resourceVersion\":\"" version "\"}}")

static struct object *node_new(struct str text)
{
    struct object *node = NULL;
    CHECK_OK(object_read(text, &node));
    return node;
}

/* A consumer, and how it is tested: docs/clustercache.md shows it. */

static bool count_one(void *data, struct object *node)
{
    (void)node;
    ++*(size_t *)data;
    return true;
}

/* How many Nodes a cluster has; one without a connection is looked at again when it has one. */
static struct error *count_nodes(struct clustercache *cache, struct key cluster, size_t *ret_count)
{
    OWNED(cluster_connection) connection = NULL;
    *ret_count = 0;
    struct error *err = clustercache_get_reader(cache, cluster, &connection);
    if (err)
        return error_ignore(err, ERROR_NOT_CONNECTED);
    return cluster_connection_list(connection, NODE, STR(""), count_one, ret_count);
}

SIM_TEST(nodes_are_counted_where_there_is_a_connection)
{
    OWNED(object) node = node_new(NODE_TEXT("n1", "1"));
    const struct clustercache_fake_kind nodes = {.gvk = NODE, .objects = &node, .count = 1};
    const struct clustercache_fake_options options = {
        .cluster = KEY("default", "c1"), .kinds = &nodes, .kind_count = 1};
    OWNED(clustercache) connected = clustercache_fake_new(loop_current(), &options);
    OWNED(clustercache) empty = clustercache_fake_new_empty(loop_current());
    size_t count;

    CHECK_OK(count_nodes(connected, KEY("default", "c1"), &count));
    CHECK_EQ(count, (size_t)1);
    CHECK_OK(count_nodes(connected, KEY("default", "another"), &count));
    CHECK_EQ(count, (size_t)0);
    CHECK_OK(count_nodes(empty, KEY("default", "c1"), &count));
    CHECK_EQ(count, (size_t)0);
}

/* The fakes themselves. */

static void check_not_connected(struct clustercache *cache, struct key cluster)
{
    static const struct {
        struct error *(*get)(struct clustercache *cache, struct key cluster,
                             struct cluster_connection **ret_connection);
        const char *message;
    } getters[] = {
        {clustercache_get_client,
         "error getting client: connection to the workload cluster is down"         },
        {clustercache_get_reader,
         "error getting client reader: connection to the workload cluster is down"  },
        {clustercache_get_uncached_client,
         "error getting uncached client: connection to the workload cluster is down"},
        {clustercache_get_rest_config,
         "error getting REST config: connection to the workload cluster is down"    },
    };
    const struct clustercache_watch watch = {.name = STR("w"), .gvk = NODE};
    for (size_t i = 0; i < COUNT(getters); i++) {
        struct cluster_connection *connection = NULL;
        TEST_CASE("%s", getters[i].message);
        OWNED(error) err = getters[i].get(cache, cluster, &connection);
        CHECK(error_is(err, ERROR_NOT_CONNECTED));
        CHECK_EQ((const char *)err->message, getters[i].message);
        CHECK(!connection);
    }
    OWNED(error) err = clustercache_watch(cache, cluster, &watch);
    CHECK(error_is(err, ERROR_NOT_CONNECTED));
    CHECK_EQ((const char *)err->message, "error creating watch w for Node: connection to the "
                                         "workload cluster is down");
    struct str pem;
    CHECK_ERROR(clustercache_get_private_key(cache, cluster, &pem), ERROR_NOT_FOUND);
    const struct clustercache_health health = clustercache_get_health(cache, cluster);
    CHECK_EQ(health.last_probe, INT64_C(0));
    CHECK_EQ(health.last_success, INT64_C(0));
    CHECK_EQ(health.last_success_wall, INT64_C(0));
    CHECK_EQ(health.failures, 0U);
}

SIM_TEST(an_empty_cache_is_connected_to_nothing)
{
    OWNED(clustercache) cache = clustercache_fake_new_empty(loop_current());
    check_not_connected(cache, CLUSTER);
    CHECK_EQ(clustercache_count(cache), (size_t)0);
    CHECK_EQ(clustercache_connected(cache), (size_t)0);
}

SIM_TEST(a_connected_one_knows_its_cluster_alone)
{
    CHECK_OK(fiber_sleep(MINUTE)); /* so that now is not the beginning of all time */
    const int64_t now = loop_now(loop_current());
    const timestamp wall = loop_wall(loop_current());
    const struct clustercache_fake_options options = {.cluster = CLUSTER};
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    check_not_connected(cache, OTHER);
    check_not_connected(cache, KEY("other", "c1"));
    CHECK_EQ(clustercache_count(cache), (size_t)1);
    CHECK_EQ(clustercache_connected(cache), (size_t)1);
    CHECK_OK(fiber_sleep(HOUR)); /* nobody probes */
    const struct clustercache_health health = clustercache_get_health(cache, CLUSTER);
    CHECK_EQ(health.last_probe, now);
    CHECK_EQ(health.last_success, now);
    CHECK_EQ(health.last_probe_wall, wall);
    CHECK_EQ(health.last_success_wall, wall);
    CHECK_EQ(health.failures, 0U);
}

/* A server of one answer, and how it is reached. */
struct server_fixture {
    struct network *network;
    struct http_server *server;
    struct rest_config config;
    size_t asked;
};

static struct error *answer(void *data, struct http_request *request)
{
    struct server_fixture *fixture = data;
    SCOPED(http_headers) headers = {0};
    fixture->asked++;
    TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
    TRY(http_request_respond(request, 200, &headers));
    return http_request_write(request, NODE_TEXT("live", "7"));
}

static void server_fixture_init(struct server_fixture *fixture)
{
    *fixture = (struct server_fixture){.network = sim_network_new(loop_current())};
    const struct http_server_options options = {.network = fixture->network,
                                                .host = STR("server.test"),
                                                .port = 80,
                                                .handler = answer,
                                                .data = fixture};
    CHECK_OK(http_server_new(loop_current(), &options, &fixture->server));
    fixture->config.host = STR("http://server.test");
    fixture->config.server =
        (struct url){.scheme = URL_HTTP, .host = STR("server.test"), .port = 80};
}

static void server_fixture_done(struct server_fixture *fixture)
{
    http_server_free(fixture->server);
    while (sim_network_connections(fixture->network) > 0)
        error_free(fiber_sleep(SECOND));
    network_free(fixture->network);
}

static struct client *server_fixture_client(struct server_fixture *fixture)
{
    const struct client_options options = {.config = &fixture->config, .network = fixture->network};
    return client_new(loop_current(), &options);
}

SIM_TEST(getters_answer_with_what_was_given)
{
    SCOPED(server_fixture) fixture;
    server_fixture_init(&fixture);
    struct client *client = server_fixture_client(&fixture);
    const struct clustercache_fake_options options = {
        .cluster = CLUSTER,
        .client = client,
        .config = &fixture.config,
        .server_version = STR("v1.36.4"),
        .private_key = STR("a key"),
    };
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    OWNED(cluster_connection) cached = NULL;
    OWNED(cluster_connection) reader = NULL;
    OWNED(cluster_connection) live = NULL;
    OWNED(cluster_connection) config = NULL;
    struct str text;
    CHECK_OK(clustercache_get_client(cache, CLUSTER, &cached));
    CHECK_OK(clustercache_get_reader(cache, CLUSTER, &reader));
    CHECK_OK(clustercache_get_uncached_client(cache, CLUSTER, &live));
    CHECK_OK(clustercache_get_rest_config(cache, CLUSTER, &config));
    CHECK(cluster_connection_client(cached) == client &&
          cluster_connection_client(reader) == client);
    CHECK(cluster_connection_client(live) == client);
    CHECK(key_eq(cluster_connection_cluster(live), CLUSTER) &&
          cluster_connection_is_connected(live));
    CHECK_EQ(cluster_connection_config(config)->host, STR("http://server.test"));
    CHECK_OK(cluster_connection_least_version(live, &text));
    CHECK_EQ(text, STR("v1.36.4"));
    CHECK_OK(clustercache_get_private_key(cache, CLUSTER, &text));
    CHECK_EQ(text, STR("a key"));
    CHECK_EQ(fixture.asked, (size_t)0);

    TEST_CASE("what is asked of the client goes out, also when the cache is gone");
    OWNED(object) object = NULL;
    clustercache_free(TAKE(cache));
    CHECK(!cluster_connection_is_connected(live));
    CHECK_OK(client_get(cluster_connection_client(live), GVR("", "v1", "nodes"), KEY("", "live"),
                        NULL, &object));
    CHECK_EQ(object_name(object), STR("live"));
    CHECK_EQ(fixture.asked, (size_t)1);
    CHECK_ERROR(cluster_connection_get(cached, NODE, KEY("", "live"), &object),
                ERROR_NOT_CONNECTED);
}

SIM_TEST(a_network_and_a_config_make_a_client)
{
    SCOPED(server_fixture) fixture;
    server_fixture_init(&fixture);
    const struct clustercache_fake_options options = {
        .cluster = CLUSTER, .config = &fixture.config, .like = {.network = fixture.network}};
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) object = NULL;
    CHECK_OK(clustercache_get_client(cache, CLUSTER, &connection));
    CHECK_EQ(client_host(cluster_connection_client(connection)), STR("http://server.test"));
    CHECK_OK(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                        KEY("", "live"), NULL, &object));
}

SIM_TEST(without_a_client_live_calls_fail_at_once)
{
    const struct clustercache_fake_options options = {.cluster = CLUSTER};
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) object = NULL;
    struct str version;
    const int64_t begun = loop_now(loop_current());
    CHECK_OK(clustercache_get_client(cache, CLUSTER, &connection));
    CHECK_FAILS(client_get(cluster_connection_client(connection), GVR_SECRETS, KEY("a", "b"), NULL,
                           &object),
                ERROR_UNREACHABLE, "the fake ClusterCache was given no client");
    CHECK_FAILS(cluster_connection_get(connection, NODE, KEY("", "n1"), &object), ERROR_UNREACHABLE,
                "the fake ClusterCache was given no client");
    CHECK_ERROR(cluster_connection_least_version(connection, &version), ERROR_UNREACHABLE);
    CHECK_EQ(loop_now(loop_current()), begun);
}

static void by_letter(void *index_data, const struct object *object, cache_emit_fn *emit,
                      void *emit_data)
{
    (void)index_data;
    emit(emit_data, str_slice(object_name(object), 0, 1));
}

SIM_TEST(cached_reads_find_given_objects)
{
    OWNED(object) first = node_new(NODE_TEXT("n1", "1"));
    OWNED(object) second = node_new(NODE_TEXT("m1", "2"));
    struct object *const nodes[] = {first, second};
    const struct clustercache_index index = {NODE, STR("letter"), by_letter, NULL};
    const struct clustercache_fake_kind kinds[] = {
        {.gvk = NODE,            .objects = nodes, .count = COUNT(nodes)},
        {.gvk = GVK_CONFIG_MAP},
    };
    const struct clustercache_fake_options options = {
        .cluster = CLUSTER,
        .kinds = kinds,
        .kind_count = COUNT(kinds),
        .like = {.indexes = &index, .index_count = 1}
    };
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) object = NULL;
    size_t count = 0;
    CHECK_OK(clustercache_get_reader(cache, CLUSTER, &connection));
    CHECK_OK(cluster_connection_get(connection, NODE, KEY("", "m1"), &object));
    CHECK_EQ(object_name(object), STR("m1"));
    CHECK_OK(cluster_connection_list(connection, NODE, STR(""), count_one, &count));
    CHECK_EQ(count, (size_t)2);
    count = 0;
    CHECK_OK(cluster_connection_list_indexed(connection, NODE, STR("letter"), STR("m"), count_one,
                                             &count));
    CHECK_EQ(count, (size_t)1);
    CHECK_FAILS(cluster_connection_get(connection, NODE, KEY("", "x"), &object), ERROR_NOT_FOUND,
                "Node \"x\" not found");
    count = 0;
    CHECK_OK(cluster_connection_list(connection, GVK_CONFIG_MAP, STR(""), count_one, &count));
    CHECK_EQ(count, (size_t)0);
}

static void note_change(void *data, struct key cluster, const struct cache_event *event)
{
    struct buf *told = data;
    buf_print(told, "%.*s/%.*s ", STR_ARG(cluster.name), STR_ARG(object_text_key(event->now).name));
}

static struct error *count_start(void *data, struct cluster_connection *connection)
{
    (void)connection;
    ++*(size_t *)data;
    return NULL;
}

SIM_TEST(watches_tell_of_given_objects_unless_they_are_known)
{
    OWNED(object) node = node_new(NODE_TEXT("n1", "1"));
    const struct clustercache_fake_kind nodes = {.gvk = NODE, .objects = &node, .count = 1};
    const struct str known[] = {STR("known"), STR("known-too")};
    const struct clustercache_fake_options options = {.cluster = CLUSTER,
                                                      .kinds = &nodes,
                                                      .kind_count = 1,
                                                      .watches = known,
                                                      .watch_count = COUNT(known)};
    OWNED(clustercache) cache = clustercache_fake_new(loop_current(), &options);
    SCOPED(buf) told = {0};
    size_t starts = 0;
    struct clustercache_watch watch = {
        .name = STR("known"), .gvk = NODE, .changed = note_change, .data = &told};
    CHECK_OK(clustercache_watch(cache, CLUSTER, &watch));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(buf_str(&told), STR(""));
    watch.name = STR("new");
    CHECK_OK(clustercache_watch(cache, CLUSTER, &watch));
    CHECK_OK(clustercache_watch(cache, CLUSTER, &watch));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(buf_str(&told), STR("c1/n1 "));

    watch = (struct clustercache_watch){
        .name = STR("known-too"), .gvk = NODE, .start = count_start, .data = &starts};
    CHECK_OK(clustercache_watch(cache, CLUSTER, &watch));
    CHECK_EQ(starts, (size_t)0);
    watch.name = STR("of another sort");
    CHECK_OK(clustercache_watch(cache, CLUSTER, &watch));
    CHECK_EQ(starts, (size_t)1);
    watch.name = STR("");
    CHECK_FAILS(clustercache_watch(cache, CLUSTER, &watch), ERROR_INVALID,
                "watcher.Name() cannot be empty");
}
