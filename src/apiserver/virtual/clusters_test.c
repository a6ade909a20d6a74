#include "apiserver/virtual/clusters.h"

#include "apiserver/crd/crd_pool.h"
#include "apiserver/stage_test.h"

struct fleet {
    struct crd_pool *pool;
    struct rbac *rbac;
    struct clusters *clusters;
};

static void fleet_init(struct fleet *fleet, size_t count)
{
    *fleet = (struct fleet){.pool = crd_pool_new(), .rbac = access_bootstrap_rbac()};
    const struct clusters_options options = {.loop = loop_current(),
                                             .pool = fleet->pool,
                                             .base_rbac = fleet->rbac,
                                             .count = count,
                                             .inject = {.latency = SECOND}};
    fleet->clusters = clusters_new(&options);
}

static void fleet_done(struct fleet *fleet)
{
    clusters_free(fleet->clusters);
    rbac_free(fleet->rbac);
    crd_pool_free(fleet->pool);
}

TEST(clusters_have_names)
{
    OWNED(clusters) clusters = clusters_new(&(struct clusters_options){.count = 12});
    CHECK_EQ(clusters_count(clusters), (size_t)12);
    CHECK_EQ(clusters_name(clusters, 0), STR("vc-0001"));
    CHECK_EQ(clusters_name(clusters, 11), STR("vc-0012"));
    CHECK(clusters_find(clusters, STR("vc-0012")) != NULL);
    CHECK(clusters_find(clusters, STR("vc-0013")) == NULL);
    CHECK(clusters_find(clusters, STR("")) == NULL);
}

SIM_TEST(faults_are_those_of_all_until_a_cluster_has_its_own)
{
    SCOPED(fleet) fleet;
    fleet_init(&fleet, 2);
    struct cluster *first = clusters_find(fleet.clusters, STR("vc-0001"));
    struct cluster *second = clusters_find(fleet.clusters, STR("vc-0002"));
    clusters_set_inject(fleet.clusters, second, &(struct inject){.latency = 5 * SECOND});
    CHECK_EQ(clusters_inject(fleet.clusters, first)->latency, SECOND);
    CHECK_EQ(clusters_inject(fleet.clusters, second)->latency, 5 * SECOND);
    clusters_set_inject(fleet.clusters, NULL, &(struct inject){.latency = 2 * SECOND});
    CHECK_EQ(clusters_inject(fleet.clusters, first)->latency, 2 * SECOND);
    CHECK_EQ(clusters_inject(fleet.clusters, second)->latency, 5 * SECOND);
}

struct entry {
    struct clusters *clusters;
    struct api *api;
};

static struct error *enter(void *data)
{
    struct entry *entry = data;
    struct cluster *cluster = clusters_find(entry->clusters, STR("vc-0001"));
    TRY(clusters_enter(entry->clusters, cluster, &entry->api));
    clusters_leave(cluster);
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
