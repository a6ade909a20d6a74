/* Many clusters, some of them sick: none of them in the way. */
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "scenarios/clustercache/rig.h"

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

static void make_fleet(struct rig *rig)
{
    for (size_t i = 0; i < CLUSTERS; i++) {
        char name[16];
        SCOPED(buf) kubeconfig = {0};
        (void)key_of(i, name);
        rig_tls_kubeconfig(rig, i, NULL, &kubeconfig);
        if (is_sick(i)) {
            OWNED_PTR char *dead = rig_kubeconfig("https://dead.test", "x");
            buf_clear(&kubeconfig);
            buf_add(&kubeconfig, str_from_c(dead));
        }
        rig_secret(rig, name, buf_c(&kubeconfig));
        rig_cluster(rig, name, true);
    }
}

struct fleet {
    struct rig *rig;
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
    struct error *err = clustercache_get_client(fleet->rig->cache, key, &connection);
    const struct clustercache_health health = clustercache_get_health(fleet->rig->cache, key);
    CHECK_EQ(loop_now(loop_current()), begun); /* CC-55: it does not even suspend */
    if (is_sick(index)) {
        CHECK_ERROR(err, ERROR_NOT_CONNECTED);
        CHECK(begun - health.last_probe < 36 * SECOND);
        fleet->bad++;
        return;
    }
    CHECK_OK(err);
    CHECK(begun - health.last_success < 12 * SECOND);
    CHECK_OK(cluster_connection_list(connection, RIG_NODE, STR(""), visit, NULL));
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

static void check_fleet(struct rig *rig, duration span)
{
    struct fleet fleet = {.rig = rig, .until = loop_now(loop_current()) + span};
    SCOPED(scope) consumers = {0};
    for (size_t i = 0; i < CONSUMERS; i++)
        scope_start(&consumers, "consumer", consume, &fleet);
    CHECK_OK(scope_wait(&consumers));
    CHECK(fleet.good > 10 * fleet.bad / 4 && fleet.bad > 0);
}

SIM_TEST(cc_54_healthy_clusters_do_not_notice_sick_ones)
{
    SCOPED(rig) rig;
    rig_init(&rig, CLUSTERS);
    log_set_level(0);
    sim_network_set_faults(rig.desk.network, STR("dead.test"),
                           &(struct sim_faults){.black_hole = true});
    make_fleet(&rig);
    struct clustercache_options options = rig_options(&rig);
    options.concurrency = 10;
    options.timing.jitter = 0; /* the default */
    rig_start(&rig, &options);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(15 * SECOND)); /* each was tried once */
    CHECK_EQ(clustercache_connected(rig.cache), (size_t)(CLUSTERS - CLUSTERS / 5));
    check_fleet(&rig, 60 * SECOND);
    SCOPED(buf) text = {0};
    metrics_write(rig.metrics, &text);
    CHECK_CONTAINS(buf_str(&text),
                   STR("controller_runtime_reconcile_errors_total{controller=\"clustercache\"} 0"));
    CHECK_CONTAINS(buf_str(&text),
                   STR("controller_runtime_reconcile_panics_total{controller=\"clustercache\"} 0"));
}

SIM_TEST(cc_55_calls_take_no_time_while_a_cluster_connects)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    rig_start(&rig, NULL);
    rig_ready(&rig);
    rig.delay = 4 * SECOND; /* each of three answers */
    struct reconcile_result result = {0};
    CHECK_OK(clustercache_reconcile(rig.cache, RIG_KEY, &result));
    CHECK_EQ(result.requeue_after, 0);
    size_t calls = 0;
    for (; !rig_is_connected(&rig); calls++) {
        OWNED(cluster_connection) connection = NULL;
        const int64_t begun = loop_now(loop_current());
        CHECK_ERROR(clustercache_get_client(rig.cache, RIG_KEY, &connection), ERROR_NOT_CONNECTED);
        (void)clustercache_get_health(rig.cache, RIG_KEY);
        CHECK_EQ(loop_now(loop_current()), begun);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK(calls > 100);
}

/* Twenty whose server takes what it is sent and never says anything. */
static void add_dead_clusters(struct rig *rig)
{
    sim_network_set_faults(rig->desk.network, STR("dead.test"),
                           &(struct sim_faults){.black_hole = true});
    for (size_t i = 0; i < 20; i++) {
        char name[16];
        (void)key_of(i, name);
        OWNED_PTR char *dead = rig_kubeconfig("https://dead.test", "x");
        rig_secret(rig, name, dead);
        rig_cluster(rig, name, true);
    }
}

static size_t count_logged(const struct rig *rig, struct str text)
{
    size_t count = 0;
    struct str rest = buf_str(&rig->log), line;
    for (; rest.len; count += str_find(line, text) != STR_NONE)
        str_cut(&rest, '\n', &line);
    return count;
}

/* Else handshakes that have begun would wait behind the credentials of all other clusters. */
SIM_TEST(credentials_are_read_by_those_whose_turn_it_is)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.handshakes = 4;
    rig_start(&rig, &options);
    add_dead_clusters(&rig);
    log_set_level(6);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(count_logged(&rig, STR("\"Creating REST config\"")), (size_t)4);
}

SIM_TEST(a_fleet_that_hangs_does_not_keep_one_from_connecting)
{
    SCOPED(rig) rig;
    rig_init(&rig, 1);
    struct clustercache_options options = rig_options(&rig);
    options.handshakes = 4;
    options.concurrency = 1;
    rig_start(&rig, &options);
    add_dead_clusters(&rig);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(5 * SECOND));
    rig_ready(&rig); /* hanging ones are before it */
    CHECK_OK(fiber_sleep(8 * SECOND));
    CHECK(rig_is_connected(&rig));
    TEST_CASE("those that hung before do not come before it again");
    rig.status = 401;
    CHECK_OK(fiber_sleep(12 * SECOND));
    rig.status = 0;
    CHECK_OK(fiber_sleep(32 * SECOND));
    CHECK(rig_is_connected(&rig));
}
