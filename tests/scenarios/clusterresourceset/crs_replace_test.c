/* A Cluster that is replaced by another one of its name: what is recorded is true of the new one.
 */
#include "async/loop.h"
#include "base/random.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define KUBECONFIG CRS_FIXTURE_SECRETS "/c1-kubeconfig"
#define SETTLED    (70 * SECOND) /* two attempts to connect and what follows */
#define ROUNDS     200
#define BINDING_ERRORS \
    "controller_runtime_reconcile_errors_total{controller=\"clusterresourcesetbinding\"}"
#define CLUSTER                                                                                 \
    "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{\"name\":" \
    "\"c1\",\"namespace\":\"ns\",\"labels\":{" CRS_FIXTURE_LABELS "}},\"spec\":{},\"status\":{" \
    "\"initialization\":{\"infrastructureProvisioned\":true}}}"

static const char *object_of(size_t workload)
{
    return workload == 1 ? CRS_FIXTURE_OBJECT("1", "a") : CRS_FIXTURE_OBJECT("2", "a");
}

static void pause_for(duration span)
{
    if (span)
        CHECK_OK(fiber_sleep(span));
}

/* Whether the kubeconfig is changed before its Cluster is, or with it, or when it is gone. */
enum order {
    SECRET_FIRST,
    SECRET_WITHIN,
    SECRET_AFTER_GAP,
    ORDERS,
};

static void change_kubeconfig(struct crs_fixture *fixture, size_t workload)
{
    crs_fixture_do(fixture, "DELETE", KUBECONFIG, NULL);
    crs_fixture_kubeconfig(fixture, 1, workload);
}

/* Cluster c1 goes and comes back after a while, with a workload cluster that has nothing. */
static void replace(struct crs_fixture *fixture, size_t workload, enum order order, duration gap)
{
    if (order == SECRET_FIRST)
        change_kubeconfig(fixture, workload);
    crs_fixture_call(fixture, "DELETE", object_of(workload), NULL);
    crs_fixture_do(fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
    if (order == SECRET_WITHIN)
        change_kubeconfig(fixture, workload);
    pause_for(gap);
    if (order == SECRET_AFTER_GAP)
        change_kubeconfig(fixture, workload);
    crs_fixture_put(fixture, CLUSTER);
}

static void check_account(struct crs_fixture *fixture, size_t workload)
{
    CHECK_OK(fiber_sleep(SETTLED));
    CHECK_EQ(crs_fixture_entry(fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK_EQ(crs_fixture_condition(fixture, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK(crs_fixture_exists(fixture, object_of(workload)));
    CHECK_EQ(crs_fixture_metric(fixture, BINDING_ERRORS), 0);
}

SIM_TEST(crs_15_a_cluster_replaced_after_any_gap_gets_everything)
{
    static const duration gaps[] = {
        0, MILLISECOND, 5 * MILLISECOND, 20 * MILLISECOND, 50 * MILLISECOND, 500 * MILLISECOND};
    static const char *const strategies[] = {"ApplyOnce", "Reconcile"};
    for (size_t s = 0; s < COUNT(strategies); s++) {
        SCOPED(crs_fixture) fixture;
        crs_fixture_init(&fixture);
        crs_fixture_begin(&fixture, strategies[s]);
        crs_fixture_await_applied(&fixture, "crs1");
        for (size_t i = 0; i < COUNT(gaps) * ORDERS * 6; i++) {
            const size_t workload = 1 + (i / 2) % 2; /* the same one, then the other one */
            TEST_CASE("%s, gap %zu, workload %zu, round %zu", strategies[s], i % COUNT(gaps),
                      workload, i);
            crs_fixture_forget(&fixture);
            replace(&fixture, workload, (enum order)(i / COUNT(gaps) % ORDERS),
                    gaps[i % COUNT(gaps)]);
            check_account(&fixture, workload);
            CHECK_EQ(fixture.workloads[2 - workload].writes, 0);
        }
    }
}

/* In the middle of whatever is going on, often before the last replacement was served. */
SIM_TEST(crs_15_a_cluster_replaced_at_any_moment_gets_everything)
{
    struct random *random = loop_random(loop_current());
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_begin(&fixture, "ApplyOnce");
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t workload = 1;
        TEST_CASE("round %zu", i);
        for (size_t times = 1 + random_below(random, 4); times > 0; times--) {
            workload = 1 + random_below(random, 2);
            pause_for((duration)random_below(random, SECOND));
            replace(&fixture, workload, (enum order)random_below(random, ORDERS),
                    (duration)random_below(random, 100 * MILLISECOND));
        }
        crs_fixture_forget(&fixture);
        check_account(&fixture, workload);
        CHECK_EQ(proxy_count(&fixture.workloads[2 - workload], CRS_FIXTURE_POST), 0);
    }
}

/* The Cluster alone is replaced, as by kubectl replace --force; its Secret stays. */
SIM_TEST(crs_15_a_cluster_replaced_with_its_secret_left_gets_everything)
{
    struct random *random = loop_random(loop_current());
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    for (size_t i = 0; i < ROUNDS; i++) {
        TEST_CASE("round %zu", i);
        crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_CLUSTER, NULL);
        crs_fixture_do(&fixture, "DELETE", object_of(1), NULL);
        pause_for(i % 2 ? (duration)random_below(random, 20 * MILLISECOND) : 0);
        crs_fixture_put(&fixture, CLUSTER);
        check_account(&fixture, 1);
    }
}

/* The server conflicts for a reason of its own, and the binding is still there. */
SIM_TEST(crs_15_a_binding_whose_deletion_conflicts_is_deleted_all_the_same)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_begin(&fixture, "ApplyOnce");
    crs_fixture_await_applied(&fixture, "crs1");
    proxy_fail(&fixture.management,
               (struct proxy_fault){"DELETE", "/clusterresourcesetbindings/c1", 4, .status = 409});
    replace(&fixture, 2, SECRET_WITHIN, 0);
    CHECK_OK(fiber_sleep(SETTLED));
    CHECK_EQ(crs_fixture_entry(&fixture, "c1", "crs1"), STR("ConfigMap/cm1 true hash"));
    CHECK(crs_fixture_exists(&fixture, object_of(2)));
}
