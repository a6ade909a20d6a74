/* Supplies against the embedded server: one fetch for many, owner references, troubles. */
#include "clusterresourceset/resource_snapshots.h"

#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "app/controller_manager_internal.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/resource_snapshots_internal.h"
#include "controller/cache/cache.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define CM1   ((struct key){STR("ns"), STR("cm1")})
#define S1    ((struct key){STR("ns"), STR("s1")})
#define FETCH "GET " CRS_FIXTURE_MAP
#define PATCH "PATCH " CRS_FIXTURE_MAP

struct resource_snapshots_fixture {
    struct crs_fixture crs;
    struct client *client;
    struct cache_set *caches;
    struct resource_snapshots *snapshots;
    char uids[2][64];
    const char *body; /* a patch that somebody else makes, once, before ours arrives */
};

static void interfere(struct proxy *proxy, struct str method, struct str target)
{
    struct resource_snapshots_fixture *fixture = proxy->data;
    const char *body = fixture->body;
    if (!body || !str_eq(method, STR("PATCH")) || !str_contains(target, STR("configmaps/cm1")))
        return;
    fixture->body = NULL;
    crs_fixture_do(&fixture->crs, "PATCH", CRS_FIXTURE_MAP, body);
}

static void resource_snapshots_fixture_init(struct resource_snapshots_fixture *fixture)
{
    *fixture = (struct resource_snapshots_fixture){0};
    crs_fixture_init(&fixture->crs);
    fixture->client = client_new(loop_current(), &(struct client_options){
                                                     .config = &fixture->crs.config,
                                                     .network = fixture->crs.apiserver.network,
                                                     .qps = -1,
                                                 });
    fixture->caches = cache_set_new(loop_current(), fixture->client);
    const struct resource_snapshots_options options = {
        .client = fixture->client,
        .config_maps =
            cache_set_get(fixture->caches,
                          &(struct cache_options){.gvr = GVR_CONFIG_MAPS, .metadata_only = true}),
        .secrets = cache_set_get(
            fixture->caches, &(struct cache_options){.gvr = GVR_SECRETS, .metadata_only = true}),
    };
    CHECK_OK(cache_set_wait_synced(fixture->caches));
    fixture->snapshots = resource_snapshots_new(&options);
    fixture->crs.management.on_request = interfere;
    fixture->crs.management.data = fixture;
    for (size_t i = 0; i < COUNT(fixture->uids); i++) {
        const char *names[] = {"crs1", "crs2"};
        const char *targets[] = {CRS_FIXTURE_SETS "/crs1", CRS_FIXTURE_SETS "/crs2"};
        crs_fixture_set(&fixture->crs, names[i], "ApplyOnce", "ConfigMap/cm1");
        const struct str uid = crs_fixture_look(&fixture->crs, targets[i], "metadata.uid");
        snprintf(fixture->uids[i], sizeof(fixture->uids[i]), "%.*s", STR_ARG(uid));
    }
}

static void resource_snapshots_fixture_done(struct resource_snapshots_fixture *fixture)
{
    resource_snapshots_free(fixture->snapshots);
    cache_set_free(fixture->caches);
    client_free(fixture->client);
    crs_fixture_done(&fixture->crs);
}

/* cm1 is there, and the cache shows it. */
static void stock(struct resource_snapshots_fixture *fixture, const char *text)
{
    crs_fixture_map(&fixture->crs, "cm1", text);
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_forget(&fixture->crs);
}

static struct resource_snapshot *get(struct resource_snapshots_fixture *fixture)
{
    return resource_snapshots_get(fixture->snapshots, RESOURCE_CONFIG_MAP, CM1);
}

static struct owner_reference own(const struct resource_snapshots_fixture *fixture, int which)
{
    return crs_owner_reference(which ? STR("crs2") : STR("crs1"), str_from_c(fixture->uids[which]));
}

static void take_over(struct resource_snapshots_fixture *fixture, int which)
{
    CHECK_OK(resource_snapshots_add_owner(fixture->snapshots, RESOURCE_CONFIG_MAP, CM1,
                                          own(fixture, which)));
}

static size_t count_owners(struct resource_snapshots_fixture *fixture)
{
    return crs_fixture_elements(&fixture->crs, CRS_FIXTURE_MAP, "metadata.ownerReferences");
}

struct caller {
    struct resource_snapshots_fixture *fixture;
    struct resource_snapshot *snapshot;
    struct error *err;
    int which; /* set to own it by; below zero: only looks */
};

static struct error *visit(void *data)
{
    struct caller *caller = data;
    if (caller->which < 0)
        caller->snapshot = get(caller->fixture);
    else
        caller->err = resource_snapshots_add_owner(caller->fixture->snapshots, RESOURCE_CONFIG_MAP,
                                                   CM1, own(caller->fixture, caller->which));
    return NULL;
}

SIM_TEST(a_resource_is_fetched_once_for_many)
{
    SCOPED(resource_snapshots_fixture) fixture;
    struct caller callers[50];
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < COUNT(callers); i++) {
            callers[i] = (struct caller){.fixture = &fixture, .which = -1};
            scope_start(&scope, "caller", visit, &callers[i]);
        }
        CHECK_OK(scope_wait(&scope));
    }
    for (size_t i = 0; i < COUNT(callers); i++) {
        CHECK(callers[i].snapshot == callers[0].snapshot);
        CHECK_EQ(resource_snapshot_fault(callers[i].snapshot), FAULT_NONE);
        if (i)
            resource_snapshot_free(callers[i].snapshot);
    }
    CHECK_EQ(proxy_count(&fixture.crs.management, FETCH), 1);
    CHECK_EQ(fixture.snapshots->fetches, 1);
    resource_snapshot_free(callers[0].snapshot);
}

SIM_TEST(only_a_new_version_is_fetched)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) first = get(&fixture);
    OWNED(resource_snapshot) again = get(&fixture);
    CHECK(first == again);
    crs_fixture_do(&fixture.crs, "PATCH", CRS_FIXTURE_MAP,
                   "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(SECOND));
    OWNED(resource_snapshot) labelled = get(&fixture);
    CHECK(labelled == first); /* it means the same */
    CHECK_EQ(fixture.snapshots->fetches, 2);
    CHECK_EQ(fixture.snapshots->reads, 1); /* and is not taken apart again */
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "2"));
    OWNED(resource_snapshot) changed = get(&fixture);
    CHECK(!resource_snapshot_eq(first, changed));
    CHECK(!str_eq(resource_snapshot_hash(first), resource_snapshot_hash(changed)));
    CHECK(resource_snapshot_content(first) &&
          resource_snapshot_content(changed)); /* who has the old one keeps it */
    CHECK_EQ(fixture.snapshots->fetches, 3);
}

SIM_TEST(crs_17_a_resource_that_is_missing_is_looked_for_again)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    OWNED(resource_snapshot) missing = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(missing), FAULT_MISSING);
    CHECK_EQ(resource_snapshot_text(missing), STR("configmaps \"cm1\" not found"));
    CHECK_EQ(resource_snapshot_hash(missing), STR(""));
    CHECK(!resource_snapshot_content(missing));
    take_over(&fixture, 0); /* nothing to own: fine */
    fixture.crs.management.holds_watches = true;
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) found = get(&fixture); /* before the cache knows */
    CHECK_EQ(resource_snapshot_fault(found), FAULT_NONE);
    fixture.crs.management.holds_watches = false;
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_do(&fixture.crs, "DELETE", CRS_FIXTURE_MAP, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    OWNED(resource_snapshot) gone = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(gone), FAULT_MISSING);
}

SIM_TEST(a_resource_that_cannot_be_read_says_why)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    proxy_fail(
        &fixture.crs.management,
        (struct proxy_fault){.method = "GET", .part = "configmaps/cm1", .times = 1, .status = 403});
    OWNED(resource_snapshot) refused = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(refused), FAULT_UNREADABLE);
    CHECK(resource_snapshot_text(refused).len > 0);
    OWNED(resource_snapshot) fine = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(fine), FAULT_NONE);
}

SIM_TEST(crs_16_and_crs_19_resources_that_cannot_be_used)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    crs_fixture_secret(&fixture.crs, "s1", "Opaque", CRS_FIXTURE_MANIFEST("a", "1"));
    crs_fixture_do(
        &fixture.crs, "POST", CRS_FIXTURE_MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\"}}");
    OWNED(resource_snapshot)
    secret = resource_snapshots_get(fixture.snapshots, RESOURCE_SECRET, S1);
    CHECK_EQ(resource_snapshot_fault(secret), FAULT_WRONG_TYPE);
    CHECK_EQ(resource_snapshot_text(secret),
             STR("unsupported secret type, it must be addons.cluster.x-k8s.io/resource-set"));
    CHECK(!resource_snapshot_content(secret));
    OWNED(resource_snapshot) map = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(map), FAULT_NOT_APPLIED);
    CHECK_EQ(resource_snapshot_text(map), STR("failed to get data field from resource ns/cm1"));
    CHECK_EQ(resource_snapshot_hash(map), STR(""));
}

SIM_TEST(who_is_cancelled_while_fetching_leaves_nothing_wrong_behind)
{
    SCOPED(resource_snapshots_fixture) fixture;
    SCOPED(scope) scope = {0};
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    struct caller caller = {.fixture = &fixture, .which = -1};
    scope_start(&scope, "caller", visit, &caller);
    CHECK_OK(fiber_sleep(MILLISECOND));
    scope_cancel(&scope);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(resource_snapshot_fault(caller.snapshot), FAULT_UNREADABLE);
    resource_snapshot_free(caller.snapshot);
    OWNED(resource_snapshot) fine = get(&fixture);
    CHECK_EQ(resource_snapshot_fault(fine), FAULT_NONE);
}

SIM_TEST(crs_21_and_crs_22_a_set_owns_a_resource_once)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) before = get(&fixture);
    take_over(&fixture, 0);
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_MAP, "metadata.ownerReferences.0"), 4);
    CHECK_EQ(crs_fixture_look(&fixture.crs, CRS_FIXTURE_MAP, "metadata.ownerReferences.0.uid"),
             str_from_c(fixture.uids[0]));
    take_over(&fixture, 0);
    CHECK_OK(fiber_sleep(SECOND));
    take_over(&fixture, 0);
    OWNED(resource_snapshot) after = get(&fixture);
    CHECK(before == after);
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 1);
    CHECK_EQ(fixture.snapshots->fetches, 1); /* our own write is no news */
}

SIM_TEST(two_sets_own_a_resource_at_once)
{
    SCOPED(resource_snapshots_fixture) fixture;
    SCOPED(scope) scope = {0};
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    struct caller callers[] = {
        {.fixture = &fixture, .which = 0},
        {.fixture = &fixture, .which = 1}
    };
    for (size_t i = 0; i < COUNT(callers); i++)
        scope_start(&scope, "caller", visit, &callers[i]);
    CHECK_OK(scope_wait(&scope));
    CHECK_OK(TAKE(callers[0].err));
    CHECK_OK(TAKE(callers[1].err));
    CHECK_EQ(count_owners(&fixture), 2);
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 2); /* in turn: no conflict */
}

SIM_TEST(owners_and_data_that_others_write_meanwhile_are_kept)
{
    SCOPED(resource_snapshots_fixture) fixture;
    SCOPED(buf) patch = {0};
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) before = get(&fixture);
    buf_print(&patch,
              "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"addons.cluster.x-k8s.io/"
              "v1beta2\",\"kind\":\"ClusterResourceSet\",\"name\":\"crs2\",\"uid\":\"%s\"}]},"
              "\"data\":{\"data\":\"{}\"}}",
              fixture.uids[1]);
    fixture.body = buf_c(&patch);
    take_over(&fixture, 0);
    CHECK_EQ(count_owners(&fixture), 2);
    CHECK_EQ(crs_fixture_look(&fixture.crs, CRS_FIXTURE_MAP, "data.data"), STR("{}"));
    OWNED(resource_snapshot) after = get(&fixture);
    CHECK(!resource_snapshot_eq(before, after));
}

SIM_TEST(a_reference_of_an_older_version_is_replaced_in_its_place)
{
    SCOPED(resource_snapshots_fixture) fixture;
    SCOPED(buf) patch = {0};
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    buf_print(&patch,
              "{\"metadata\":{\"ownerReferences\":["
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta1\",\"kind\":\"ClusterResourceSet\","
              "\"name\":\"crs1\",\"uid\":\"%s\"},"
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"name\":\"crs2\",\"uid\":\"%s\"}]}}",
              fixture.uids[0], fixture.uids[1]);
    crs_fixture_do(&fixture.crs, "PATCH", CRS_FIXTURE_MAP, buf_c(&patch));
    CHECK_OK(fiber_sleep(SECOND));
    take_over(&fixture, 0);
    CHECK_EQ(count_owners(&fixture), 2);
    CHECK_EQ(crs_fixture_look(&fixture.crs, CRS_FIXTURE_MAP, "metadata.ownerReferences.0.uid"),
             str_from_c(fixture.uids[0]));
    CHECK_EQ(
        crs_fixture_look(&fixture.crs, CRS_FIXTURE_MAP, "metadata.ownerReferences.0.apiVersion"),
        STR("addons.cluster.x-k8s.io/v1beta2"));
}

SIM_TEST(an_owner_reference_whose_answer_is_lost_is_not_added_twice)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    fixture.crs.management.holds_watches = true;
    proxy_fail(&fixture.crs.management,
               (struct proxy_fault){
                   .method = "PATCH", .part = "configmaps/cm1", .times = 1, .after = true});
    OWNED(error)
    err =
        resource_snapshots_add_owner(fixture.snapshots, RESOURCE_CONFIG_MAP, CM1, own(&fixture, 0));
    CHECK(err);
    CHECK_EQ(count_owners(&fixture), 1);
    take_over(&fixture, 0);
    CHECK_EQ(count_owners(&fixture), 1);
    fixture.crs.management.holds_watches = false;
}

SIM_TEST(an_owner_reference_that_could_not_be_checked_is_an_error)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) snapshot = get(&fixture);
    proxy_fail(&fixture.crs.management,
               (struct proxy_fault){
                   .method = "PATCH", .part = "configmaps/cm1", .times = 1, .status = 409});
    proxy_fail(
        &fixture.crs.management,
        (struct proxy_fault){.method = "GET", .part = "configmaps/cm1", .times = 1, .status = 403});
    OWNED(error)
    err =
        resource_snapshots_add_owner(fixture.snapshots, RESOURCE_CONFIG_MAP, CM1, own(&fixture, 0));
    CHECK(err);
    take_over(&fixture, 0);
    CHECK_EQ(count_owners(&fixture), 1);
}

SIM_TEST(a_resource_that_goes_while_it_is_owned_is_no_error)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) snapshot = get(&fixture);
    fixture.crs.management.holds_watches = true;
    crs_fixture_do(&fixture.crs, "DELETE", CRS_FIXTURE_MAP, NULL);
    take_over(&fixture, 0);
    fixture.crs.management.holds_watches = false;
}

SIM_TEST(what_nobody_asks_for_is_forgotten)
{
    SCOPED(resource_snapshots_fixture) fixture;
    resource_snapshots_fixture_init(&fixture);
    stock(&fixture, CRS_FIXTURE_MANIFEST("a", "1"));
    OWNED(resource_snapshot) first = get(&fixture);
    resource_snapshots_sweep(fixture.snapshots);
    OWNED(resource_snapshot) second = get(&fixture);
    CHECK(first == second);
    resource_snapshots_sweep(fixture.snapshots);
    resource_snapshots_sweep(fixture.snapshots);
    CHECK_EQ(map_count(&fixture.snapshots->resources), 0);
    OWNED(resource_snapshot) third = get(&fixture);
    CHECK(third != first && resource_snapshot_eq(first, third));
    CHECK_EQ(fixture.snapshots->fetches, 2);
}

SIM_TEST(what_no_set_names_any_more_is_forgotten_within_the_hour)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_ready(&fixture, "Reconcile");
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("c", "1"));
    crs_fixture_set(&fixture, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_fixture_await_applied(&fixture, "crs2");
    const struct resource_snapshots *pool = fixture.controllers->crs_controllers->snapshots;
    CHECK_EQ(map_count(&pool->resources), 3);
    crs_fixture_do(&fixture, "DELETE", CRS_FIXTURE_SET, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(map_count(&pool->resources), 1);
    CHECK_EQ(pool->fetches, 3); /* what is still named is not fetched again */
}
