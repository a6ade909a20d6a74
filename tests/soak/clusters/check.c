/*
 * The checks of a run: the answers of the ClusterCache against the state of the clusters and
 * against what their servers saw.
 *
 * At every moment (chaos_check_moment) an answer may lag behind the truth by the time that probes
 * and retries take; the bounds below say by how much. At the end (chaos_check_counts) numbers must
 * add up: every answer of a server to GET / is a successful or failed probe or connect, and there
 * are no others.
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "base/metrics.h"
#include "clustercache/clustercache_internal.h"
#include "soak/clusters/chaos.h"

/* A probe starts at most this long after the previous one has ended, and takes at most so long. */
#define PROBE_EVERY (10500 * MILLISECOND)
#define PROBE_TAKES (5 * SECOND)

/* Between attempts to connect, and how long an attempt may hang in discovery. */
#define RETRY_EVERY   (31 * SECOND)
#define ATTEMPT_TAKES (65 * SECOND)
#define THRESHOLD     5
#define LOOK_EVERY    SECOND /* an outage may be this old before it is looked at */

#define SURELY_PROBED       (PROBE_EVERY + PROBE_TAKES + LOOK_EVERY)
#define SURELY_DISCONNECTED (SURELY_PROBED + THRESHOLD * (PROBE_EVERY + PROBE_TAKES))
#define SURELY_CONNECTED    (RETRY_EVERY + ATTEMPT_TAKES)

/* A probe makes the footprint larger for a moment. It must be small again within this time. */
#define CALMS_DOWN MINUTE

/* Bytes of a slow network may arrive this late. */
#define ECHO (3 * SECOND)

static double value_of(const struct metrics_series *series)
{
    return series ? metrics_value(series) : 0;
}

static struct accessor *accessor_of(const struct workload_cluster *cluster)
{
    struct accessor *accessor = clustercache_find(cluster->chaos->cache, cluster->key);
    if (!accessor)
        test_fail(TEST_PLACE(cluster->name), "is not known");
    return accessor;
}

static bool is_connected(const struct workload_cluster *cluster)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(error) err = clustercache_get_client(cluster->chaos->cache, cluster->key, &connection);
    if (err && !error_is(err, ERROR_NOT_CONNECTED))
        test_fail(TEST_PLACE(cluster->name), "%s", err->message);
    return !err;
}

static bool answers_nothing(enum outage outage)
{
    return outage == OUTAGE_KILLED || outage == OUTAGE_BLACK_HOLE || outage == OUTAGE_FAILING;
}

/* What must hold once an outage has lasted long enough to be noticed. */
static void check_outage(const struct workload_cluster *cluster, bool connected, uint32_t failures)
{
    const int64_t now = loop_now(loop_current());
    const duration span = now - cluster->since;
    const enum outage outage = cluster->outage;
    if (outage == OUTAGE_NONE && span > SURELY_CONNECTED && !connected)
        test_fail(TEST_PLACE(cluster->name), "is well and not connected");
    if (outage == OUTAGE_NONE && span > SURELY_PROBED + ECHO && connected && failures)
        test_fail(TEST_PLACE(cluster->name), "is well and said to fail");
    if (outage == OUTAGE_UNAUTHORIZED && span > SURELY_PROBED && connected)
        test_fail(TEST_PLACE(cluster->name), "says 401 and is connected");
    if (!answers_nothing(outage) || !connected)
        return;
    if (span > SURELY_PROBED && !failures)
        test_fail(TEST_PLACE(cluster->name), "does not answer, and no probe has failed");
    if (span > SURELY_DISCONNECTED)
        test_fail(TEST_PLACE(cluster->name), "does not answer and is connected");
}

/* Getters, metrics and health must agree with each other. Returns 1 if connected. */
static size_t check_cluster(const struct workload_cluster *cluster)
{
    const struct accessor *accessor = accessor_of(cluster);
    const struct clustercache_health health =
        clustercache_get_health(cluster->chaos->cache, cluster->key);
    const int64_t now = loop_now(loop_current());
    const bool connected = is_connected(cluster);
    CHECK_EQ(connected, accessor->connection != NULL);
    CHECK_EQ(value_of(accessor->series.up), connected ? 1.0 : 0.0);
    CHECK(!connected || health.failures < THRESHOLD);
    CHECK(!connected || now - health.last_probe <= SURELY_PROBED);
    CHECK(health.last_success <= health.last_probe);
    CHECK_EQ(health.failures > 0, health.last_success < health.last_probe);
    check_outage(cluster, connected, health.failures);
    return connected;
}

void chaos_check_moment(struct chaos *chaos)
{
    size_t connected = 0;
    for (size_t i = 0; i < chaos->options.clusters; i++)
        connected += check_cluster(&chaos->workload_clusters[i]);
    CHECK_EQ(clustercache_connected(chaos->cache), connected);
    CHECK_EQ(clustercache_count(chaos->cache), chaos->options.clusters);
}

void chaos_check_settled(struct chaos *chaos)
{
    for (size_t i = 0; i < chaos->options.clusters; i++) {
        const struct workload_cluster *cluster = &chaos->workload_clusters[i];
        test_case("seed %llu, cluster %s", (unsigned long long)chaos->options.seed, cluster->name);
        CHECK(is_connected(cluster));
        CHECK_EQ(accessor_of(cluster)->health.failures, 0U);
        CHECK_EQ(cluster->nodes.streams, (size_t)1);
        CHECK_EQ(cluster->seen, cluster->nodes.revision);
    }
    test_case("seed %llu", (unsigned long long)chaos->options.seed);
    CHECK_EQ(clustercache_connected(chaos->cache), chaos->options.clusters);
}

static void check_between(const char *what, size_t seen, size_t least, size_t most)
{
    if (seen < least || seen > most)
        test_fail(TEST_PLACE(what), "%zu, should be from %zu to %zu", seen, least, most);
}

/*
 * An answer under way when an outage began may have arrived or not: such answers are counted apart
 * (…_perhaps) and make the bounds wider.
 */
void chaos_check_counts(struct chaos *chaos)
{
    const struct chaos_log *log = &chaos->log;
    size_t good = 0, good_perhaps = 0, refused = 0, succeeded = 0, failed = 0, tellings = 0;
    for (size_t i = 0; i < chaos->options.clusters; i++) {
        const struct workload_cluster *cluster = &chaos->workload_clusters[i];
        const struct accessor *accessor = accessor_of(cluster);
        good += cluster->good;
        good_perhaps += cluster->good_perhaps;
        refused += cluster->refused;
        succeeded += (size_t)value_of(accessor->series.succeeded);
        failed += (size_t)value_of(accessor->series.failed);
        tellings += cluster->tellings;
    }
    trace_print(&chaos->trace,
                "%zu probes succeeded, %zu failed; %zu connections, %zu attempts; servers gave %zu "
                "good answers and perhaps %zu, refused %zu; told %zu times",
                succeeded, failed, log->connected, log->unreachable + log->unfinished, good,
                good_perhaps, refused, tellings);
    check_between("successes", succeeded + log->connected + log->moved + log->unfinished, good,
                  good + good_perhaps);
    CHECK(refused <= failed + log->unreachable);
    CHECK_EQ(log->connected, log->disconnected + chaos->options.clusters);
    check_between("tellings", tellings, log->connected, log->connected + log->disconnected);
}

struct chaos_footprint chaos_footprint(const struct chaos *chaos)
{
    return (struct chaos_footprint){
        .fibers = loop_fiber_count(loop_current()),
        .timers = loop_timer_count(loop_current()),
        .connections = sim_network_connections(chaos->network),
    };
}

static bool is_no_larger(struct chaos_footprint now, struct chaos_footprint before)
{
    /* Each end of a connection may have a timer: timers are left running rather than moved. */
    return now.fibers <= before.fibers && now.connections <= before.connections &&
           now.timers <= before.timers + 2 * before.connections;
}

void chaos_check_footprint(const struct chaos *chaos, struct chaos_footprint before)
{
    const int64_t end = loop_now(loop_current()) + CALMS_DOWN;
    struct chaos_footprint now = chaos_footprint(chaos);
    while (!is_no_larger(now, before) && loop_now(loop_current()) < end) {
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
        now = chaos_footprint(chaos);
    }
    if (!is_no_larger(now, before))
        test_fail(TEST_PLACE("footprint"),
                  "%zu fibers, %zu timers, %zu connections; before it was %zu, %zu, %zu",
                  now.fibers, now.timers, now.connections, before.fibers, before.timers,
                  before.connections);
}
