/* Many clusters, some of them sick: none of them in the way. */
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "scenarios/clustercache/cc_fixture.h"

#define CLUSTERS  100
#define CONSUMERS 100

static bool is_sick(size_t index)
{
    return index % 5 == 4;
}

static struct key key_of(size_t index, char name[static 16])
{
    const int len = snprintf(name, 16, "c%zu", index);
    return (struct key){STR("default"), str_from(name, (size_t)len)};
}

static void make_fleet(struct cc_fixture *fixture)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        char name[16];
        SCOPED(buf) kubeconfig = {0};
        (void)key_of(i, name);
        cc_fixture_tls_kubeconfig(fixture, i, NULL, &kubeconfig);
        if (is_sick(i)) {
            OWNED_PTR char *dead = cc_fixture_kubeconfig("https://dead.test", "x");
            buf_clear(&kubeconfig);
            buf_add(&kubeconfig, str_from_c(dead));
        }
        cc_fixture_secret(fixture, name, buf_c(&kubeconfig));
        cc_fixture_cluster(fixture, name, true);
    }
}

struct fleet {
    struct cc_fixture *fixture;
    int64_t until;
    size_t good, bad;
};

static bool visit(void *data, struct object *object)
{
    (void)data;
    (void)object;
    return true;
}

/* Healthy clusters always give a client, sick ones never do, and neither takes any time. */
static void call_one(struct fleet *fleet, size_t index)
{
    char name[16];
    const struct key key = key_of(index, name);
    OWNED(cluster_connection) connection = NULL;
    const int64_t begun = loop_now(loop_current());
    struct error *err = clustercache_get_client(fleet->fixture->cache, key, &connection);
    const struct clustercache_health health = clustercache_get_health(fleet->fixture->cache, key);
    CHECK_EQ(loop_now(loop_current()), begun); /* CC-55: it does not even suspend */
    if (is_sick(index)) {
        CHECK_ERROR(err, ERROR_NOT_CONNECTED);
        CHECK(begun - health.last_probe < 36 * SECOND);
        fleet->bad++;
        return;
    }
    CHECK_OK(err);
    CHECK(begun - health.last_success < 12 * SECOND);
    CHECK_OK(cluster_connection_list(connection, CC_FIXTURE_NODE, STR(""), visit, NULL));
    fleet->good++;
}

static struct error *consume(void *data)
{
    struct fleet *fleet = data;
    struct random *random = loop_random(loop_current());
    while (loop_now(loop_current()) < fleet->until) {
        call_one(fleet, random_below(random, CLUSTERS));
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    }
    return NULL;
}

static void check_fleet(struct cc_fixture *fixture, duration span)
{
    struct fleet fleet = {.fixture = fixture, .until = loop_now(loop_current()) + span};
    SCOPED(scope) consumers = {0};
    for (size_t i = 0; i < CONSUMERS; i++)
        scope_start(&consumers, "consumer", consume, &fleet);
    CHECK_OK(scope_wait(&consumers));
    CHECK(fleet.good > 10 * fleet.bad / 4 && fleet.bad > 0);
}

SIM_TEST(cc_54_healthy_clusters_do_not_notice_sick_ones)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, CLUSTERS);
    log_set_level(0);
    sim_network_set_faults(fixture.apiserver.network, STR("dead.test"),
                           &(struct sim_faults){.black_hole = true});
    make_fleet(&fixture);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.concurrency = 10;
    options.timing.jitter = 0; /* the default */
    cc_fixture_start(&fixture, &options);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(15 * SECOND)); /* each was tried once */
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)(CLUSTERS - CLUSTERS / 5));
    check_fleet(&fixture, 60 * SECOND);
    SCOPED(buf) text = {0};
    metrics_write(fixture.metrics, &text);
    CHECK_CONTAINS(buf_str(&text),
                   STR("controller_runtime_reconcile_errors_total{controller=\"clustercache\"} 0"));
    CHECK_CONTAINS(buf_str(&text),
                   STR("controller_runtime_reconcile_panics_total{controller=\"clustercache\"} 0"));
}

SIM_TEST(cc_55_calls_take_no_time_while_a_cluster_connects)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    cc_fixture_start(&fixture, NULL);
    cc_fixture_ready(&fixture);
    fixture.delay = 4 * SECOND; /* each of three answers */
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(fixture.cache, CC_FIXTURE_KEY, &result));
    CHECK_EQ(result.requeue_after, 0);
    size_t calls = 0;
    for (; !cc_fixture_is_connected(&fixture); calls++) {
        OWNED(cluster_connection) connection = NULL;
        const int64_t begun = loop_now(loop_current());
        CHECK_ERROR(clustercache_get_client(fixture.cache, CC_FIXTURE_KEY, &connection),
                    ERROR_NOT_CONNECTED);
        (void)clustercache_get_health(fixture.cache, CC_FIXTURE_KEY);
        CHECK_EQ(loop_now(loop_current()), begun);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK(calls > 100);
}

/* Twenty whose server takes what it is sent and never says anything. */
static void add_dead_clusters(struct cc_fixture *fixture)
{
    sim_network_set_faults(fixture->apiserver.network, STR("dead.test"),
                           &(struct sim_faults){.black_hole = true});
    for (size_t i = 0; i < 20; i++) {
        char name[16];
        (void)key_of(i, name);
        OWNED_PTR char *dead = cc_fixture_kubeconfig("https://dead.test", "x");
        cc_fixture_secret(fixture, name, dead);
        cc_fixture_cluster(fixture, name, true);
    }
}

static size_t count_logged(const struct cc_fixture *fixture, struct str text)
{
    size_t count = 0;
    struct str rest = buf_str(&fixture->log), line;
    for (; rest.len; count += str_find(line, text) != STR_NONE)
        str_cut(&rest, '\n', &line);
    return count;
}

/* Else handshakes that have begun would wait behind the credentials of all other clusters. */
SIM_TEST(credentials_are_read_by_those_whose_turn_it_is)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.handshakes = 4;
    cc_fixture_start(&fixture, &options);
    add_dead_clusters(&fixture);
    log_set_level(6);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(150 * MILLISECOND));
    CHECK_EQ(count_logged(&fixture, STR("\"Creating REST config\"")), (size_t)4);
}

SIM_TEST(a_fleet_that_hangs_does_not_keep_one_from_connecting)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.handshakes = 4;
    options.concurrency = 1;
    cc_fixture_start(&fixture, &options);
    add_dead_clusters(&fixture);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(5 * SECOND));
    cc_fixture_ready(&fixture); /* hanging ones are before it */
    CHECK_OK(fiber_sleep(8 * SECOND));
    CHECK(cc_fixture_is_connected(&fixture));
    TEST_CASE("those that hung before do not come before it again");
    fixture.status = 401;
    CHECK_OK(fiber_sleep(12 * SECOND));
    fixture.status = 0;
    CHECK_OK(fiber_sleep(32 * SECOND));
    CHECK(cc_fixture_is_connected(&fixture));
}

static bool is_c(void *data, const struct object *cluster)
{
    (void)data;
    return str_eq(object_name(cluster), STR("c"));
}

SIM_TEST(a_cluster_that_was_connected_before_goes_first)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.handshakes = 1;
    options.was_connected = is_c;
    cc_fixture_start(&fixture, &options);
    add_dead_clusters(&fixture);
    cc_fixture_ready(&fixture);
    cc_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(500 * MILLISECOND)); /* the others take 200 ms each */
    CHECK(cc_fixture_is_connected(&fixture));
}

#define COLD_SICK    900
#define COLD_HEALTHY 100

/* The healthy ones are the last that the controller hears of. */
static void make_cold_fleet(struct cc_fixture *fixture)
{
    sim_network_set_faults(fixture->apiserver.network, STR("dead.test"),
                           &(struct sim_faults){.black_hole = true});
    for (size_t i = 0; i < COLD_SICK + COLD_HEALTHY; i++) {
        char name[16];
        SCOPED(buf) kubeconfig = {0};
        (void)snprintf(name, sizeof(name), "c%04zu", i);
        if (i < COLD_SICK) {
            OWNED_PTR char *dead = cc_fixture_kubeconfig("https://dead.test", "x");
            buf_add(&kubeconfig, str_from_c(dead));
        } else {
            cc_fixture_tls_kubeconfig(fixture, i - COLD_SICK, NULL, &kubeconfig);
        }
        cc_fixture_secret(fixture, name, buf_c(&kubeconfig));
        cc_fixture_cluster(fixture, name, true);
    }
}

SIM_TEST(a_cold_start_of_a_mostly_dead_fleet_connects_the_others_within_5_s)
{
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, COLD_HEALTHY);
    log_set_level(0);
    cc_fixture_start(&fixture, NULL);
    make_cold_fleet(&fixture);
    cc_fixture_run(&fixture);
    const int64_t begun = loop_now(loop_current());
    while (clustercache_connected(fixture.cache) < COLD_HEALTHY &&
           loop_now(loop_current()) - begun < MINUTE)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    const duration took = loop_now(loop_current()) - begun;
    TEST_CASE("%lld ms", (long long)(took / MILLISECOND));
    CHECK_EQ(clustercache_connected(fixture.cache), (size_t)COLD_HEALTHY);
    CHECK(took <= 5 * SECOND);
}
