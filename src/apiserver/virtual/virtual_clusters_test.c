#include "apiserver/virtual/virtual_clusters.h"

#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/crd/crd_pool.h"

struct fleet {
    struct crd_pool *pool;
    struct rbac *rbac;
    struct virtual_clusters *clusters;
};

static void fleet_init(struct fleet *fleet, size_t count)
{
    *fleet = (struct fleet){.pool = crd_pool_new(), .rbac = bootstrap_policy_rbac()};
    const struct virtual_clusters_options options = {.loop = loop_current(),
                                                     .pool = fleet->pool,
                                                     .base_rbac = fleet->rbac,
                                                     .count = count,
                                                     .faults = {.latency = SECOND}};
    fleet->clusters = virtual_clusters_new(&options);
}

static void fleet_done(struct fleet *fleet)
{
    virtual_clusters_free(fleet->clusters);
    rbac_free(fleet->rbac);
    crd_pool_free(fleet->pool);
}

TEST(virtual_clusters_have_names)
{
    OWNED(virtual_clusters)
    clusters = virtual_clusters_new(&(struct virtual_clusters_options){.count = 12});
    CHECK_EQ(virtual_clusters_count(clusters), (size_t)12);
    CHECK_EQ(virtual_clusters_name(clusters, 0), STR("vc-0001"));
    CHECK_EQ(virtual_clusters_name(clusters, 11), STR("vc-0012"));
    CHECK(virtual_clusters_find(clusters, STR("vc-0012")) != NULL);
    CHECK(virtual_clusters_find(clusters, STR("vc-0013")) == NULL);
    CHECK(virtual_clusters_find(clusters, STR("")) == NULL);
}

SIM_TEST(faults_are_those_of_all_until_a_cluster_has_its_own)
{
    SCOPED(fleet) fleet;
    fleet_init(&fleet, 2);
    struct virtual_cluster *first = virtual_clusters_find(fleet.clusters, STR("vc-0001"));
    struct virtual_cluster *second = virtual_clusters_find(fleet.clusters, STR("vc-0002"));
    virtual_clusters_set_faults(fleet.clusters, second,
                                &(struct fault_injection){.latency = 5 * SECOND});
    CHECK_EQ(virtual_clusters_faults(fleet.clusters, first)->latency, SECOND);
    CHECK_EQ(virtual_clusters_faults(fleet.clusters, second)->latency, 5 * SECOND);
    virtual_clusters_set_faults(fleet.clusters, NULL,
                                &(struct fault_injection){.latency = 2 * SECOND});
    CHECK_EQ(virtual_clusters_faults(fleet.clusters, first)->latency, 2 * SECOND);
    CHECK_EQ(virtual_clusters_faults(fleet.clusters, second)->latency, 5 * SECOND);
}

struct entry {
    struct virtual_clusters *clusters;
    struct api *api;
};

static struct error *enter(void *data)
{
    struct entry *entry = data;
    struct virtual_cluster *cluster = virtual_clusters_find(entry->clusters, STR("vc-0001"));
    TRY(virtual_clusters_enter(entry->clusters, cluster, &entry->api));
    virtual_cluster_leave(cluster);
    return NULL;
}

SIM_TEST(the_first_requests_of_a_cluster_meet_in_one_api)
{
    SCOPED(fleet) fleet;
    SCOPED(scope) scope = {0};
    fleet_init(&fleet, 1);
    struct entry entries[5];
    for (size_t i = 0; i < COUNT(entries); i++) {
        entries[i] = (struct entry){fleet.clusters, NULL};
        scope_start(&scope, "request", enter, &entries[i]);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK(entries[0].api != NULL);
    for (size_t i = 1; i < COUNT(entries); i++)
        CHECK_EQ(entries[i].api, entries[0].api);
}

SIM_TEST(a_first_request_that_leaves_keeps_nobody_waiting)
{
    SCOPED(fleet) fleet;
    fleet_init(&fleet, 1);
    struct entry left = {fleet.clusters, NULL}, stays = {fleet.clusters, NULL};
    SCOPED(scope) leaving = {0};
    SCOPED(scope) staying = {0};
    scope_start(&leaving, "request", enter, &left);
    CHECK_OK(fiber_yield());
    scope_start(&staying, "request", enter, &stays);
    scope_cancel(&leaving);
    error_free(scope_wait(&leaving));
    CHECK_OK(scope_wait(&staying));
    CHECK(stays.api != NULL);
}
