#include "http/server.h"
#include "scenarios/clustercache/cc_fixture.h"

/* What a watch has told. */
struct seen {
    size_t added, updated, deleted, initial, starts;
    struct buf names;
    bool fails;
};

static void on_node(void *data, struct key cluster, const struct cache_event *event)
{
    struct seen *seen = data;
    CHECK(key_eq(cluster, CC_FIXTURE_KEY));
    seen->added += event->type == CACHE_ADDED;
    seen->updated += event->type == CACHE_UPDATED;
    seen->deleted += event->type == CACHE_DELETED;
    seen->initial += event->is_initial;
    key_write(&seen->names, object_text_key(event->now ? event->now : event->old));
    buf_add_char(&seen->names, ' ');
}

static void seen_done(struct seen *seen)
{
    buf_done(&seen->names);
}

static struct clustercache_watch watch_of(struct seen *seen, const char *name)
{
    return (struct clustercache_watch){
        .name = str_from_c(name), .gvk = CC_FIXTURE_NODE, .changed = on_node, .data = seen};
}

static struct error *start(void *data, struct cluster_connection *connection)
{
    struct seen *seen = data;
    CHECK(cluster_connection_is_connected(connection));
    seen->starts++;
    return seen->fails ? error_new(ERROR_INTERNAL, "not now") : NULL;
}

SIM_TEST(cc_34_a_watch_needs_a_name)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct clustercache_watch watch = watch_of(&seen, "");
    CHECK_FAILS(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch), ERROR_INVALID,
                "watcher.Name() cannot be empty");
}

SIM_TEST(cc_35_a_watch_needs_a_connection)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_cluster(&fixture, "c", false);
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    const struct clustercache_watch watch = watch_of(&seen, "test-watch");
    CHECK_FAILS(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch), ERROR_NOT_CONNECTED,
                "error creating watch test-watch for Node: connection to the workload cluster is "
                "down");
}

SIM_TEST(cc_36_a_watch_tells_of_what_happens)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&seen, "w");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK(cc_fixture_logged(&fixture, "\"Creating watch w for Node\""));
    cc_fixture_settle();
    cc_fixture_node(&fixture, "n2", NULL);
    cc_fixture_do(&fixture, "PATCH", CC_FIXTURE_NODES "/n2",
                  "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    cc_fixture_do(&fixture, "DELETE", CC_FIXTURE_NODES "/n1", NULL);
    cc_fixture_settle();
    CHECK_EQ(buf_str(&seen.names), STR("n1 n2 n2 n1 "));
    CHECK_EQ(seen.added, (size_t)2);
    CHECK_EQ(seen.updated, (size_t)1);
    CHECK_EQ(seen.deleted, (size_t)1);
    TEST_CASE("one of another sort starts by itself, once");
    watch.name = STR("other");
    watch.start = start;
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK_EQ(seen.starts, (size_t)1);
}

SIM_TEST(cc_37_told_twice_it_is_one_watch)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct clustercache_watch watch = watch_of(&seen, "w");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK(
        cc_fixture_logged(&fixture, "Skip creation of watch w for Node because it already exists"));
    cc_fixture_node(&fixture, "n1", NULL);
    CHECK_EQ(seen.added, (size_t)1);
    CHECK_EQ(fixture.streams, (size_t)1);
    CHECK_EQ(cc_fixture_count(&fixture, "watch=true"), (size_t)1);
}

SIM_TEST(cc_38_two_watches_of_a_kind_share_a_stream)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) first = {0};
    SCOPED(seen) second = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&first, "a");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    watch = watch_of(&second, "b");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    cc_fixture_node(&fixture, "n1", NULL);
    CHECK_EQ(first.added, (size_t)1);
    CHECK_EQ(second.added, (size_t)1);
    CHECK_EQ(fixture.streams, (size_t)1);
    CHECK_EQ(cc_fixture_count(&fixture, "watch=true"), (size_t)1);
}

SIM_TEST(cc_39_a_start_that_fails_is_not_recorded)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {.fails = true};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&seen, "w");
    watch.start = start;
    CHECK_FAILS(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch), ERROR_INTERNAL,
                "error creating watch w for Node: not now");
    seen.fails = false;
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK_EQ(seen.starts, (size_t)2);
}

/* The connection ends by a 401 and is made again. */
static void reconnect(struct cc_fixture *fixture)
{
    fixture->status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(fixture, 10 * SECOND), MILLISECOND);
    CHECK(!cc_fixture_is_connected(fixture));
    fixture->status = 0;
    cc_fixture_check_delay(cc_fixture_reconcile_after(fixture, SECOND), 10 * SECOND);
}

SIM_TEST(cc_40_after_a_reconnect_a_watch_is_asked_for_anew)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_node(&fixture, "n1", NULL);
    cc_fixture_connect(&fixture);
    const struct clustercache_watch watch = watch_of(&seen, "w");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_EQ(seen.added, (size_t)1);
    reconnect(&fixture);
    cc_fixture_node(&fixture, "n2", NULL);
    CHECK_EQ(seen.added, (size_t)1);
    CHECK_EQ(fixture.streams, (size_t)0);
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_EQ(buf_str(&seen.names), STR("n1 n1 n2 "));
    CHECK_EQ(seen.initial, (size_t)3);
    CHECK_EQ(fixture.streams, (size_t)1);
}

SIM_TEST(a_watch_of_a_kind_that_comes_later_is_tried_again)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&seen, "w");
    watch.gvk = GVK("cluster.x-k8s.io", "v1beta2", "Cluster");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK_OK(fiber_sleep(25 * SECOND));
    CHECK_EQ(fixture.streams, (size_t)0);
    TEST_CASE("and ends with its connection");
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    cc_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.asked.len, (size_t)0);
}

SIM_TEST(cc_26_a_disconnect_closes_every_stream)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&seen, "nodes");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    watch.name = STR("namespaces");
    watch.gvk = GVK("", "v1", "Namespace");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    CHECK_EQ(fixture.streams, (size_t)2);
    fixture.status = 401;
    const struct clustercache_health before =
        clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    const struct clustercache_health after = clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
    CHECK_EQ(after.last_success, before.last_success);
    CHECK(after.last_probe > before.last_probe);
    CHECK_EQ(cc_fixture_metric(&fixture, CC_FIXTURE_UP), "0");
    CHECK(cc_fixture_logged(&fixture, "\"Disconnected\""));
    cc_fixture_settle();
    CHECK_EQ(fixture.streams, (size_t)0);
}

SIM_TEST(cc_27_a_disconnect_of_what_is_not_connected)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    accessor_disconnect(cc_fixture_accessor(&fixture));
    cc_fixture_forget(&fixture);
    accessor_disconnect(cc_fixture_accessor(&fixture));
    CHECK(cc_fixture_logged(&fixture, "\"Skipping disconnect, already disconnected\""));
    CHECK(!cc_fixture_logged(&fixture, "\"Disconnected\""));
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)0);
}

/* Every line with this text names the cluster, and there is one. */
static void check_named(const struct cc_fixture *fixture, const char *text)
{
    struct str rest = buf_str(&fixture->log), line;
    size_t count = 0;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (!str_contains(line, str_from_c(text)))
            continue;
        count++;
        CHECK_CONTAINS(line, STR(" Cluster=\"default/c\""));
    }
    TEST_CASE("%s", text);
    CHECK(count > 0);
}

SIM_TEST(lines_about_a_cluster_name_it_whoever_writes_them)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    struct clustercache_watch watch = watch_of(&seen, "nodes");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    watch.name = STR("things");
    watch.gvk = GVK("none.test", "v1", "Thing");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    check_named(&fixture, "\"Creating watch");
    check_named(&fixture, "\"Skip creation of watch");
    check_named(&fixture, "\"Watch is tried again later\"");
    clustercache_free(TAKE(fixture.cache));
    check_named(&fixture, "\"Disconnecting\"");
    check_named(&fixture, "\"Stopping cache\"");
    check_named(&fixture, "\"Disconnected\"");
}

SIM_TEST(what_caches_of_a_cluster_complain_of_names_it)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    const struct clustercache_watch watch = watch_of(&seen, "nodes");
    CHECK_OK(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch));
    cc_fixture_settle();
    fixture.status = 503;
    fixture.part = "/nodes";
    cc_fixture_end_streams(&fixture, NULL);
    CHECK_OK(fiber_sleep(MINUTE));
    check_named(&fixture, "\"Cache cannot follow the server\"");
}

SIM_TEST(a_cluster_without_the_label_is_named)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.watch_filter = STR("mine");
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_run(&fixture);
    cc_fixture_settle();
    check_named(&fixture, "\"Resource does not match label");
}

SIM_TEST(cc_28_after_a_disconnect_everybody_is_told)
{
    SCOPED(cc_fixture) fixture;
    SCOPED(seen) seen = {0};
    OWNED(cluster_connection) connection = NULL;
    cc_fixture_init(&fixture, 1);
    cc_fixture_connect(&fixture);
    fixture.status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    const struct clustercache_watch watch = watch_of(&seen, "w");
    CHECK_ERROR(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_get_reader(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_get_uncached_client(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_get_rest_config(fixture.cache, CC_FIXTURE_KEY, &connection),
                ERROR_NOT_CONNECTED);
    CHECK_ERROR(clustercache_watch(fixture.cache, CC_FIXTURE_KEY, &watch), ERROR_NOT_CONNECTED);
}

/* A source that notes its keys in a queue, and why was logged. */
static void add_key(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    ++*(size_t *)data;
    queue_add(queue, object_key(cluster), priority);
}

SIM_TEST(cc_41_every_source_is_told_once)
{
    SCOPED(cc_fixture) fixture;
    size_t told[3] = {0};
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    OWNED(queue) queue = queue_new(loop_current(), &(struct queue_options){.name = STR("q")});
    for (size_t i = 0; i < COUNT(told); i++)
        clustercache_add_source(
            fixture.cache,
            &(struct clustercache_source){
                .controller = STR("web"), .queue = queue, .map = add_key, .data = &told[i]});
    cc_fixture_ready(&fixture);
    cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 10 * SECOND);
    CHECK(cc_fixture_logged(&fixture, "\"Sending Cluster event\""));
    CHECK(cc_fixture_logged(&fixture, "targetController=\"web\" reasons=\"connect\""));
    CHECK_EQ(told[0] * told[1] * told[2], (size_t)1);
    CHECK_EQ(queue_ready(queue), (size_t)1); /* coalesced, and kept until somebody takes it */
    fixture.status = 401;
    CHECK_EQ(cc_fixture_reconcile_after(&fixture, 10 * SECOND), MILLISECOND);
    CHECK(cc_fixture_logged(&fixture, "reasons=\"disconnect\""));
    CHECK_EQ(told[0] * told[1] * told[2], (size_t)8);
    CHECK_EQ(queue_ready(queue), (size_t)1);
    TEST_CASE("not when it is forgotten");
    cc_fixture_remove_cluster(&fixture, "c");
    CHECK_EQ(cc_fixture_reconcile(&fixture), 0);
    CHECK_EQ(told[0] * told[1] * told[2], (size_t)8);
}

SIM_TEST(cc_44_an_outage_is_told_once)
{
    static const duration grace = 50 * SECOND;
    SCOPED(cc_fixture) fixture;
    size_t told = 0;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    OWNED(queue) queue = queue_new(loop_current(), &(struct queue_options){.name = STR("q")});
    clustercache_add_source(fixture.cache, &(struct clustercache_source){.controller = STR("web"),
                                                                         .queue = queue,
                                                                         .map = add_key,
                                                                         .data = &told,
                                                                         .probe_failures = &grace,
                                                                         .probe_failure_count = 1});
    cc_fixture_connect(&fixture);
    for (size_t outage = 0; outage < 2; outage++) {
        told = 0;
        cc_fixture_forget(&fixture);
        fixture.status = 400;
        for (int i = 0; i < 5; i++)
            CHECK(cc_fixture_reconcile_after(&fixture, 10 * SECOND) > 0);
        CHECK_EQ(told, (size_t)1); /* the disconnect, at about 50 s */
        for (int i = 0; i < 10; i++)
            CHECK(cc_fixture_reconcile_after(&fixture, 31 * SECOND) > 0);
        CHECK(told <= 2);
        CHECK(cc_fixture_logged(&fixture, "health probe didn't succeed since more than 50s"));
        const size_t before = told;
        fixture.status = 0;
        CHECK(cc_fixture_reconcile_after(&fixture, 31 * SECOND) > 0);
        CHECK_EQ(told, before + 1);
    }
}
