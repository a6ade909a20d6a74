/* Credentials that change while a cluster is connected: nobody sees a gap. */
#include "client/client.h"
#include "scenarios/clustercache/rig.h"

static void count_event(void *data, struct key cluster, const struct cache_event *event)
{
    (void)cluster;
    *(size_t *)data += event->type == CACHE_ADDED;
}

static struct clustercache_watch watch_nodes(size_t *added)
{
    return (struct clustercache_watch){
        .name = STR("w"), .gvk = RIG_NODE, .changed = count_event, .data = added};
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
    SCOPED(rig) rig;
    size_t added = 0, told = 0;
    rig_init(&rig, 1);
    rig_tls_credentials(&rig, 0, "admin");
    rig_cluster(&rig, "c", true);
    rig_start(&rig, NULL);
    clustercache_add_source(rig.cache,
                            &(struct clustercache_source){.map = note_told, .data = &told});
    rig_run(&rig);
    rig_node(&rig, "n1", NULL);
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(told, (size_t)1);
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(rig.cache, RIG_KEY, &watch));
    OWNED(cluster_connection) before = NULL;
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &before));
    rig_settle();
    CHECK_EQ(added, (size_t)1);

    rig_tls_credentials(&rig, 0, "someone");
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK(rig_logged(&rig, "\"Connected with changed credentials\""));
    OWNED(cluster_connection) after = NULL;
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &after));
    CHECK(after != before);
    CHECK_EQ(cluster_connection_config(after)->impersonate.user, STR("someone"));
    CHECK(cluster_connection_is_connected(before) && cluster_connection_is_connected(after));
    TEST_CASE("without a list, and without an event for anybody");
    CHECK_EQ(told, (size_t)1);
    CHECK_EQ(added, (size_t)1);
    rig_node(&rig, "n2", NULL);
    CHECK_EQ(added, (size_t)2);
    OWNED(object) old = NULL;
    OWNED(object) new = NULL;
    CHECK_OK(cluster_connection_get(before, RIG_NODE, KEY("", "n2"), &old));
    CHECK_OK(cluster_connection_get(after, RIG_NODE, KEY("", "n2"), &new));
    CHECK_OK(clustercache_watch(rig.cache, RIG_KEY, &watch));
    rig_settle();
    CHECK_EQ(added, (size_t)2); /* it was one watch all the time */
}

SIM_TEST(credentials_that_are_of_no_use_leave_the_connection_as_it_is)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    const struct cluster_connection *before = rig_accessor(&rig)->connection;
    rig_credentials(&rig, RIG_HOST "/nowhere", "one");
    CHECK(rig_reconcile(&rig) > 0);
    CHECK(rig_accessor(&rig)->connection == before);
    CHECK(rig_logged(&rig, "Cannot connect with the changed credentials"));
    CHECK_EQ(rig_count(&rig, "GET /nowhere/"), (size_t)1);
    CHECK_EQ(rig_metric(&rig, RIG_UP), "1");
    CHECK_EQ(clustercache_get_health(rig.cache, RIG_KEY).failures, 0U);
    TEST_CASE("they are tried again by the usual rules");
    rig_check_delay(rig_reconcile_after(&rig, 10 * SECOND), 10 * SECOND);
    CHECK(rig_reconcile_after(&rig, 10 * SECOND) > 0);
    CHECK_EQ(rig_count(&rig, "GET /nowhere/"), (size_t)1);
    for (int i = 0; i < 2; i++)
        CHECK(rig_reconcile_after(&rig, 10 * SECOND) > 0);
    CHECK_EQ(rig_count(&rig, "GET /nowhere/"), (size_t)2);
    CHECK_EQ(rig_count(&rig, "GET /?timeout=5s\n"), (size_t)4); /* the old one is probed */
    TEST_CASE("and good ones are taken");
    rig_credentials(&rig, RIG_OTHER, "two");
    CHECK_OK(fiber_sleep(31 * SECOND));
    CHECK(rig_reconcile(&rig) > 0);
    CHECK(rig_accessor(&rig)->connection != before);
    CHECK_EQ(rig_metric(&rig, RIG_UP), "1");
}

SIM_TEST(credentials_that_failed_are_tried_again_before_a_probe_is_due)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.timing.probe = 10 * MINUTE;
    rig_start(&rig, &options);
    rig_ready(&rig);
    rig_check_delay(rig_reconcile(&rig), 10 * MINUTE);
    const struct cluster_connection *before = rig_accessor(&rig)->connection;
    rig_credentials(&rig, RIG_HOST "/nowhere", "one");
    rig_check_delay(rig_reconcile(&rig), 30 * SECOND);
    rig_credentials(&rig, RIG_OTHER, "two");
    CHECK(rig_reconcile_after(&rig, 30 * SECOND) > 0);
    CHECK(rig_accessor(&rig)->connection != before);
}

SIM_TEST(another_server_is_another_connection)
{
    SCOPED(rig) rig;
    size_t added = 0, told = 0;
    rig_init(&rig, 1);
    rig_node(&rig, "n1", NULL);
    rig_start(&rig, NULL);
    clustercache_add_source(rig.cache,
                            &(struct clustercache_source){.map = note_told, .data = &told});
    rig_connect(&rig);
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(rig.cache, RIG_KEY, &watch));
    OWNED(cluster_connection) before = NULL;
    CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &before));
    rig_settle();
    rig_credentials(&rig, RIG_OTHER, "one");
    CHECK(rig_reconcile(&rig) > 0);
    CHECK(!cluster_connection_is_connected(before));
    CHECK(rig_is_connected(&rig));
    CHECK_EQ(clustercache_connected(rig.cache), (size_t)1);
    CHECK_EQ(told, (size_t)2); /* so that watches are asked for anew */
    CHECK_OK(clustercache_watch(rig.cache, RIG_KEY, &watch));
    rig_settle();
    CHECK_EQ(added, (size_t)2);
    CHECK_EQ(rig.streams, (size_t)1);
}

SIM_TEST(a_secret_that_changes_in_other_ways_changes_nothing)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_connect(&rig);
    const struct cluster_connection *before = rig_accessor(&rig)->connection;
    rig_do(&rig, "PATCH", RIG_SECRETS "/c-kubeconfig", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    rig_settle();
    CHECK(rig_reconcile(&rig) > 0);
    TEST_CASE("nor does one that goes, or has no value any more");
    rig_do(&rig, "PATCH", RIG_SECRETS "/c-kubeconfig", "{\"data\":null}");
    rig_settle();
    CHECK(rig_reconcile(&rig) > 0);
    rig_do(&rig, "DELETE", RIG_SECRETS "/c-kubeconfig", NULL);
    rig_settle();
    CHECK(rig_reconcile(&rig) > 0);
    CHECK(rig_accessor(&rig)->connection == before);
    CHECK_EQ(rig.asked.len, (size_t)0);
}

/* A consumer that calls all the time. */
struct consumer {
    struct rig *rig;
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
        CHECK_OK(clustercache_get_client(consumer->rig->cache, RIG_KEY, &connection));
        CHECK_OK(fiber_sleep(7 * MILLISECOND));
        CHECK_OK(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                            KEY("", "n1"), NULL, &live));
        CHECK_OK(cluster_connection_get(connection, RIG_NODE, KEY("", "n1"), &cached));
        consumer->calls++;
        CHECK_OK(fiber_sleep(200 * MILLISECOND));
    }
    return NULL;
}

SIM_TEST(a_change_of_credentials_every_minute_fails_no_call)
{
    SCOPED(rig) rig;
    struct consumer consumer = {.rig = &rig};
    SCOPED(scope) consumers = {0};
    size_t added = 0;
    rig_init(&rig, 1);
    rig_node(&rig, "n1", NULL);
    rig_tls_credentials(&rig, 0, "admin");
    rig_cluster(&rig, "c", true);
    rig_start(&rig, NULL);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(2 * SECOND));
    const struct clustercache_watch watch = watch_nodes(&added);
    CHECK_OK(clustercache_watch(rig.cache, RIG_KEY, &watch));
    for (int i = 0; i < 4; i++)
        scope_start(&consumers, "consumer", consume, &consumer);
    for (int i = 0; i < 10; i++) {
        const size_t before = sim_network_connections(rig.desk.network);
        rig_tls_credentials(&rig, 0, i % 2 ? "one" : "two");
        CHECK_OK(fiber_sleep(MINUTE));
        OWNED(cluster_connection) connection = NULL;
        CHECK_OK(clustercache_get_client(rig.cache, RIG_KEY, &connection));
        CHECK_EQ(cluster_connection_config(connection)->impersonate.user,
                 i % 2 ? STR("one") : STR("two"));
        CHECK(sim_network_connections(rig.desk.network) <= before + 2); /* none is left behind */
    }
    consumer.stops = true;
    CHECK_OK(scope_wait(&consumers));
    CHECK(consumer.calls > 4000);
    CHECK_EQ(added, (size_t)1);
}
