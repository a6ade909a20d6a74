/*
 * A run of rotation. Every minute all kubeconfig Secrets get a new token, and ten seconds later the
 * servers refuse the old ones. Meanwhile consumers call all the time, and no call may fail: caches
 * must move to the new credentials without a list and without a disconnect.
 */
#include "async/fiber.h"
#include "client/client.h"
#include "clustercache/clustercache_internal.h"
#include "soak/clusters/chaos.h"

#define ROTATIONS 10
#define PERIOD    (60 * SECOND)

/* The server accepts old tokens for this long after a rotation. */
#define GRACE    (10 * SECOND)
#define SETTLES  (150 * SECOND)
#define CALLS    (4 * SECOND)
#define REWRITES (15 * SECOND)

static bool count_one(void *data, struct object *object)
{
    (void)object;
    ++*(size_t *)data;
    return true;
}

/* Everything a consumer may do: a live read, a cached read and a cached list. */
static void call_cluster(struct workload_cluster *cluster)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) live = NULL;
    OWNED(object) cached = NULL;
    size_t listed = 0;
    CHECK_OK(clustercache_get_client(cluster->chaos->cache, cluster->key, &connection));
    CHECK_OK(client_get(cluster_connection_client(connection), GVR("", "v1", "nodes"),
                        KEY("", "n1"), NULL, &live));
    CHECK_OK(cluster_connection_get(connection, CHAOS_NODE, KEY("", "n1"), &cached));
    CHECK_OK(cluster_connection_list(connection, CHAOS_NODE, STR(""), count_one, &listed));
    CHECK_EQ(listed, (size_t)CHAOS_NODES);
    cluster->calls++;
}

static struct error *call_again(void *data)
{
    struct workload_cluster *cluster = data;
    for (;;) {
        TRY(fiber_sleep(chaos_span(&cluster->dice, CALLS / 2, CALLS)));
        test_case("cluster %s", cluster->name);
        FIBER_SHIELD(FOREVER);
        call_cluster(cluster);
    }
}

/* Changes Nodes, so that the watches have something to deliver. */
static struct error *change_nodes(void *data)
{
    struct workload_cluster *cluster = data;
    for (;;) {
        TRY(fiber_sleep(chaos_span(&cluster->dice, REWRITES / 2, REWRITES)));
        workload_cluster_change_node(cluster);
    }
}

static void rotate_all(struct chaos *chaos)
{
    for (size_t i = 0; i < chaos->options.clusters; i++)
        chaos_management_rotate(chaos, i);
    CHECK_OK(fiber_sleep(GRACE));
    for (size_t i = 0; i < chaos->options.clusters; i++)
        chaos->workload_clusters[i].refused_below = chaos->workload_clusters[i].token;
    CHECK_OK(fiber_sleep(PERIOD - GRACE));
}

/* One list and one connect per cluster in the whole run; the rest were moves. */
static void check_clusters(const struct chaos *chaos)
{
    for (size_t i = 0; i < chaos->options.clusters; i++) {
        const struct workload_cluster *cluster = &chaos->workload_clusters[i];
        test_case("cluster %s", cluster->name);
        CHECK_EQ(cluster->nodes.lists, (size_t)1);
        CHECK_EQ(cluster->tellings, (size_t)1);
        CHECK_EQ(cluster->bad_tokens, (size_t)0);
        CHECK(cluster->calls > ROTATIONS * PERIOD / CALLS / 2);
    }
    test_case("all");
    CHECK_EQ(chaos->log.connected, chaos->options.clusters);
    CHECK_EQ(chaos->log.moved, ROTATIONS * chaos->options.clusters);
    CHECK_EQ(chaos->log.disconnected + chaos->log.unreachable + chaos->log.unfinished, (size_t)0);
}

void chaos_rotation(struct chaos *chaos)
{
    CHECK_OK(fiber_sleep(SETTLES));
    chaos_check_settled(chaos);
    const struct chaos_footprint before = chaos_footprint(chaos);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < chaos->options.clusters; i++) {
            scope_start(&scope, "calls", call_again, &chaos->workload_clusters[i]);
            scope_start(&scope, "changes", change_nodes, &chaos->workload_clusters[i]);
        }
        for (size_t i = 0; i < ROTATIONS; i++) {
            rotate_all(chaos);
            chaos_check_moment(chaos);
        }
    }
    CHECK_OK(fiber_sleep(SETTLES));
    chaos_check_settled(chaos);
    chaos_check_counts(chaos);
    check_clusters(chaos);
    chaos_check_footprint(chaos, before);
}
