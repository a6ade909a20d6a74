/* Credentials that change while a cluster is connected: nobody sees a gap. */
#include "client/client.h"
#include "scenarios/clustercache/cc_fixture.h"

static void count_event(void *data, struct key cluster, const struct cache_event *event)
{
    (void)cluster;
    *(size_t *)data += event->type == CACHE_ADDED;
}

static struct clustercache_watch watch_nodes(size_t *added)
{
    return (struct clustercache_watch){
        .name = STR("w"), .gvk = CC_FIXTURE_NODE, .changed = count_event, .data = added};
}

static void note_told(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    (void)cluster;
    (void)queue;
    (void)priority;
    ++*(size_t *)data;
}

SIM_TEST(changed_credentials_are_used_at_once_and_caches_move_over)
{
    SCOPED(cc_fixture) fixture;
    size_t added = 0, told = 0;
    cc_fixture_init(&fixture, 1);
    cc_fixture_tls_credentials(&fixture, 0, "admin");
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_start(&fixture, NULL);
    clustercache_add_source(fixture.cache,
                            &(struct clustercache_source){.map = note_told, .data = &told});
    cc_fixture_run(&fixture);
    cc_fixture_node(&fixture, "n1", NULL);
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(told, (size_t)1);
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    OWNED(cluster_connection) before = NULL;
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &before));
    cc_fixture_settle();
    CHECK_EQ(added, (size_t)1);

    cc_fixture_tls_credentials(&fixture, 0, "someone");
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK(cc_fixture_logged(&fixture, "\"Connected with changed credentials\""));
    OWNED(cluster_connection) after = NULL;
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &after));
    CHECK(after != before);
    CHECK_EQ(cluster_connection_config(after)->impersonate.user, STR("someone"));
    CHECK(cluster_connection_is_connected(before) && cluster_connection_is_connected(after));
    TEST_CASE("without a list, and without an event for anybody");
    CHECK_EQ(told, (size_t)1);
    CHECK_EQ(added, (size_t)1);
    cc_fixture_node(&fixture, "n2", NULL);
    CHECK_EQ(added, (size_t)2);
    OWNED(object) old = NULL;
    OWNED(object) new = NULL;
    CHECK_OK(cluster_connection_get(before, CC_FIXTURE_NODE, KEY("", "n2"), &old));
    CHECK_OK(cluster_connection_get(after, CC_FIXTURE_NODE, KEY("", "n2"), &new));
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_EQ(added, (size_t)2); /* it was one watch all the time */
}

SIM_TEST(credentials_that_are_of_no_use_leave_the_connection_as_it_is)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct cluster_connection *before = cc_fixture_accessor(&fixture)->connection;
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST "/nowhere", "one");
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    CHECK(cc_fixture_accessor(&fixture)->connection == before);
    CHECK(cc_fixture_logged(&fixture, "Cannot connect with the changed credentials"));
    CHECK_EQ(cc_fixture_count(&fixture, "GET /nowhere/"), (size_t)1);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "1");
    CHECK_EQ(clustercache_get_health(fixture.cache, CC_FIXTURE_KEY).failures, 0U);
    TEST_CASE("they are tried again by the usual rules");
    cc_fixture_check_delay(cc_fixture_reconcile_after(&fixture, 10 * SECOND), 10 * SECOND);
    CHECK(cc_fixture_reconcile_after(&fixture, 10 * SECOND) > 0);
    CHECK_EQ(cc_fixture_count(&fixture, "GET /nowhere/"), (size_t)1);
    for (int i = 0; i < 2; i++)
        CHECK(cc_fixture_reconcile_after(&fixture, 10 * SECOND) > 0);
    CHECK_EQ(cc_fixture_count(&fixture, "GET /nowhere/"), (size_t)2);
    CHECK_EQ(cc_fixture_count(&fixture, "GET /?timeout=5s\n"),
             (size_t)4); /* the old one is probed */
    TEST_CASE("and good ones are taken");
    cc_fixture_credentials(&fixture, CC_FIXTURE_OTHER, "two");
    CHECK_OK(fiber_sleep(31 * SECOND));
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    CHECK(cc_fixture_accessor(&fixture)->connection != before);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "1");
}

SIM_TEST(credentials_that_failed_are_tried_again_before_a_probe_is_due)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.timing.probe = 10 * MINUTE;
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * MINUTE);
    const struct cluster_connection *before = cc_fixture_accessor(&fixture)->connection;
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST "/nowhere", "one");
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
    cc_fixture_credentials(&fixture, CC_FIXTURE_OTHER, "two");
    CHECK(cc_fixture_reconcile_after(&fixture, 30 * SECOND) > 0);
    CHECK(cc_fixture_accessor(&fixture)->connection != before);
}

SIM_TEST(another_server_is_another_connection)
{
    SCOPED(cc_fixture) fixture;
    size_t added = 0, told = 0;
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_start(&fixture, NULL);
    clustercache_add_source(fixture.cache,
                            &(struct clustercache_source){.map = note_told, .data = &told});
    cc_fixture_connect(&fixture);
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    OWNED(cluster_connection) before = NULL;
    CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &before));
    cc_fixture_settle();
    cc_fixture_credentials(&fixture, CC_FIXTURE_OTHER, "one");
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    CHECK(!cluster_connection_is_connected(before));
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)1);
    CHECK_EQ(told, (size_t)2); /* so that watches are asked for anew */
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_EQ(added, (size_t)2);
    CHECK_EQ(fixture.streams, (size_t)1);
}

SIM_TEST(a_secret_that_changes_in_other_ways_changes_nothing)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct cluster_connection *before = cc_fixture_accessor(&fixture)->connection;
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_SECRETS "/c-kubeconfig",
                  "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    cc_fixture_settle();
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    TEST_CASE("nor does one that goes, or has no value any more");
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_SECRETS "/c-kubeconfig", "{\"data\":null}");
    cc_fixture_settle();
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    cc_fixture_do(&fixture, "DELETE", CC_FIXTURE_SECRETS "/c-kubeconfig", NULL);
    cc_fixture_settle();
    CHECK(cc_fixture_reconcile(&fixture) > 0);
    CHECK(cc_fixture_accessor(&fixture)->connection == before);
    CHECK_EQ(fixture.asked.len, (size_t)0);
}

/* A consumer that calls all the time. */
struct consumer {
    struct cc_fixture *fixture;
    size_t calls;
    bool stops;
};

static struct error *consume(void *data)
{
    struct consumer *consumer = data;
    while (!consumer->stops) {
        OWNED(cluster_connection) connection = NULL;
        OWNED(object) live = NULL;
        OWNED(object) cached = NULL;
        CHECK_OK(clustercache_get_client(consumer->fixture->cache, CC_FIXTURE_KEY, &connection));
        CHECK_OK(fiber_sleep(7 * MILLISECOND));
        CHECK_OK(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                            KEY("", "n1"), NULL, &live));
        CHECK_OK(cluster_connection_get(connection, CC_FIXTURE_NODE, KEY("", "n1"), &cached));
        consumer->calls++;
        CHECK_OK(fiber_sleep(200 * MILLISECOND));
    }
    return NULL;
}

SIM_TEST(a_change_of_credentials_every_minute_fails_no_call)
{
    SCOPED(cc_fixture) fixture;
    struct consumer consumer = {.fixture = &fixture};
    SCOPED(scope) consumers = {0};
    size_t added = 0;
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_tls_credentials(&fixture, 0, "admin");
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(2 * SECOND));
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    for (int i = 0; i < 4; i++)
        scope_start(&consumers, "consumer", consume, &consumer);
    for (int i = 0; i < 10; i++) {
        const size_t before = sim_network_connections(fixture.apiserver.network);
        cc_fixture_tls_credentials(&fixture, 0, i % 2 ? "one" : "two");
        CHECK_OK(fiber_sleep(MINUTE));
        OWNED(cluster_connection) connection = NULL;
        CHECK_OK(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection));
        CHECK_EQ(cluster_connection_config(connection)->impersonate.user,
                 i % 2 ? STR("one") : STR("two"));
        CHECK(sim_network_connections(fixture.apiserver.network) <=
              before + 2); /* none is left behind */
    }
    consumer.stops = true;
    CHECK_OK(scope_wait(&consumers));
    CHECK(consumer.calls > 4000);
    CHECK_EQ(added, (size_t)1);
}
