/* Supplies against the embedded server: one fetch for many, owner references, troubles. */
#include "clusterresourceset/resource_snapshots.h"

#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "clusterresourceset/crs_controllers_internal.h"
#include "clusterresourceset/resource_snapshots_internal.h"
#include "controller/cache/cache.h"
#include "scenarios/clusterresourceset/crs_rig.h"

#define CM1   ((struct key){STR("ns"), STR("cm1")})
#define S1    ((struct key){STR("ns"), STR("s1")})
#define FETCH "GET " CRS_RIG_MAP
#define PATCH "PATCH " CRS_RIG_MAP

struct shop {
    struct crs_rig rig;
    struct client *client;
    struct cache_set *caches;
    struct resource_snapshots *pool;
    char uids[2][64];
    const char *body; /* a patch that somebody else makes, once, before ours arrives */
};

static void interfere(struct proxy *proxy, struct str method, struct str target)
{
    struct shop *shop = proxy->data;
    const char *body = shop->body;
    if (!body || !str_eq(method, STR("PATCH")) || !str_contains(target, STR("configmaps/cm1")))
        return;
    shop->body = NULL;
    crs_rig_do(&shop->rig, "PATCH", CRS_RIG_MAP, body);
}

static void shop_init(struct shop *shop)
{
    *shop = (struct shop){0};
    crs_rig_init(&shop->rig);
    shop->client = client_new(loop_current(), &(struct client_options){
                                                  .config = &shop->rig.config,
                                                  .network = shop->rig.desk.network,
                                                  .qps = -1,
                                              });
    shop->caches = cache_set_new(loop_current(), shop->client);
    const struct resource_snapshots_options options = {
        .client = shop->client,
        .config_maps = cache_set_get(
            shop->caches, &(struct cache_options){.gvr = GVR_CONFIG_MAPS, .metadata_only = true}),
        .secrets = cache_set_get(
            shop->caches, &(struct cache_options){.gvr = GVR_SECRETS, .metadata_only = true}),
    };
    CHECK_OK(cache_set_wait_synced(shop->caches));
    shop->pool = resource_snapshots_new(&options);
    shop->rig.management.on_request = interfere;
    shop->rig.management.data = shop;
    for (size_t i = 0; i < COUNT(shop->uids); i++) {
        const char *names[] = {"crs1", "crs2"};
        const char *targets[] = {CRS_RIG_SETS "/crs1", CRS_RIG_SETS "/crs2"};
        crs_rig_set(&shop->rig, names[i], "ApplyOnce", "ConfigMap/cm1");
        const struct str uid = crs_rig_look(&shop->rig, targets[i], "metadata.uid");
        snprintf(shop->uids[i], sizeof(shop->uids[i]), "%.*s", STR_ARG(uid));
    }
}

static void shop_done(struct shop *shop)
{
    resource_snapshots_free(shop->pool);
    cache_set_free(shop->caches);
    client_free(shop->client);
    crs_rig_done(&shop->rig);
}

/* cm1 is there, and the cache shows it. */
static void stock(struct shop *shop, const char *text)
{
    crs_rig_map(&shop->rig, "cm1", text);
    CHECK_OK(fiber_sleep(SECOND));
    crs_rig_forget(&shop->rig);
}

static struct resource_snapshot *get(struct shop *shop)
{
    return resource_snapshots_get(shop->pool, RESOURCE_CONFIG_MAP, CM1);
}

static struct owner_reference own(const struct shop *shop, int which)
{
    return crs_owner_reference(which ? STR("crs2") : STR("crs1"), str_from_c(shop->uids[which]));
}

static void take_over(struct shop *shop, int which)
{
    CHECK_OK(resource_snapshots_add_owner(shop->pool, RESOURCE_CONFIG_MAP, CM1, own(shop, which)));
}

static size_t count_owners(struct shop *shop)
{
    return crs_rig_elements(&shop->rig, CRS_RIG_MAP, "metadata.ownerReferences");
}

struct customer {
    struct shop *shop;
    struct resource_snapshot *snapshot;
    struct error *err;
    int which; /* set to own it by; below zero: only looks */
};

static struct error *visit(void *data)
{
    struct customer *customer = data;
    if (customer->which < 0)
        customer->snapshot = get(customer->shop);
    else
        customer->err = resource_snapshots_add_owner(customer->shop->pool, RESOURCE_CONFIG_MAP, CM1,
                                                     own(customer->shop, customer->which));
    return NULL;
}

SIM_TEST(a_resource_is_fetched_once_for_many)
{
    SCOPED(shop) shop;
    struct customer customers[50];
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < COUNT(customers); i++) {
            customers[i] = (struct customer){.shop = &shop, .which = -1};
            scope_start(&scope, "customer", visit, &customers[i]);
        }
        CHECK_OK(scope_wait(&scope));
    }
    for (size_t i = 0; i < COUNT(customers); i++) {
        CHECK(customers[i].snapshot == customers[0].snapshot);
        CHECK_EQ(resource_snapshot_fault(customers[i].snapshot), FAULT_NONE);
        if (i)
            resource_snapshot_free(customers[i].snapshot);
    }
    CHECK_EQ(proxy_count(&shop.rig.management, FETCH), 1);
    CHECK_EQ(shop.pool->fetches, 1);
    resource_snapshot_free(customers[0].snapshot);
}

SIM_TEST(only_a_new_version_is_fetched)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) first = get(&shop);
    OWNED(resource_snapshot) again = get(&shop);
    CHECK(first == again);
    crs_rig_do(&shop.rig, "PATCH", CRS_RIG_MAP, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(SECOND));
    OWNED(resource_snapshot) labelled = get(&shop);
    CHECK(labelled == first); /* it means the same */
    CHECK_EQ(shop.pool->fetches, 2);
    stock(&shop, CRS_RIG_MANIFEST("a", "2"));
    OWNED(resource_snapshot) changed = get(&shop);
    CHECK(!resource_snapshot_eq(first, changed));
    CHECK(!str_eq(resource_snapshot_hash(first), resource_snapshot_hash(changed)));
    CHECK(resource_snapshot_content(first) &&
          resource_snapshot_content(changed)); /* who has the old one keeps it */
    CHECK_EQ(shop.pool->fetches, 3);
}

SIM_TEST(crs_17_a_resource_that_is_missing_is_looked_for_again)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    OWNED(resource_snapshot) missing = get(&shop);
    CHECK_EQ(resource_snapshot_fault(missing), FAULT_MISSING);
    CHECK_EQ(resource_snapshot_text(missing), STR("configmaps \"cm1\" not found"));
    CHECK_EQ(resource_snapshot_hash(missing), STR(""));
    CHECK(!resource_snapshot_content(missing));
    take_over(&shop, 0); /* nothing to own: fine */
    shop.rig.management.holds_watches = true;
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) found = get(&shop); /* before the cache knows */
    CHECK_EQ(resource_snapshot_fault(found), FAULT_NONE);
    shop.rig.management.holds_watches = false;
    CHECK_OK(fiber_sleep(SECOND));
    crs_rig_do(&shop.rig, "DELETE", CRS_RIG_MAP, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    OWNED(resource_snapshot) gone = get(&shop);
    CHECK_EQ(resource_snapshot_fault(gone), FAULT_MISSING);
}

SIM_TEST(a_resource_that_cannot_be_read_says_why)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    proxy_fail(
        &shop.rig.management,
        (struct proxy_fault){.method = "GET", .part = "configmaps/cm1", .times = 1, .status = 403});
    OWNED(resource_snapshot) refused = get(&shop);
    CHECK_EQ(resource_snapshot_fault(refused), FAULT_UNREADABLE);
    CHECK(resource_snapshot_text(refused).len > 0);
    OWNED(resource_snapshot) fine = get(&shop);
    CHECK_EQ(resource_snapshot_fault(fine), FAULT_NONE);
}

SIM_TEST(crs_16_and_crs_19_resources_that_cannot_be_used)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    crs_rig_secret(&shop.rig, "s1", "Opaque", CRS_RIG_MANIFEST("a", "1"));
    crs_rig_do(&shop.rig, "POST", CRS_RIG_MAPS,
               "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm1\"}}");
    OWNED(resource_snapshot) secret = resource_snapshots_get(shop.pool, RESOURCE_SECRET, S1);
    CHECK_EQ(resource_snapshot_fault(secret), FAULT_WRONG_TYPE);
    CHECK_EQ(resource_snapshot_text(secret), STR("unsupported secret type"));
    CHECK(!resource_snapshot_content(secret));
    OWNED(resource_snapshot) map = get(&shop);
    CHECK_EQ(resource_snapshot_fault(map), FAULT_NOT_APPLIED);
    CHECK_EQ(resource_snapshot_text(map), STR("failed to get data field from resource ns/cm1"));
    CHECK_EQ(resource_snapshot_hash(map), STR(""));
}

SIM_TEST(who_is_cancelled_while_fetching_leaves_nothing_wrong_behind)
{
    SCOPED(shop) shop;
    SCOPED(scope) scope = {0};
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    struct customer customer = {.shop = &shop, .which = -1};
    scope_start(&scope, "customer", visit, &customer);
    CHECK_OK(fiber_sleep(MILLISECOND));
    scope_cancel(&scope);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(resource_snapshot_fault(customer.snapshot), FAULT_UNREADABLE);
    resource_snapshot_free(customer.snapshot);
    OWNED(resource_snapshot) fine = get(&shop);
    CHECK_EQ(resource_snapshot_fault(fine), FAULT_NONE);
}

SIM_TEST(crs_21_and_crs_22_a_set_owns_a_resource_once)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) before = get(&shop);
    take_over(&shop, 0);
    CHECK_EQ(crs_rig_elements(&shop.rig, CRS_RIG_MAP, "metadata.ownerReferences.0"), 4);
    CHECK_EQ(crs_rig_look(&shop.rig, CRS_RIG_MAP, "metadata.ownerReferences.0.uid"),
             str_from_c(shop.uids[0]));
    take_over(&shop, 0);
    CHECK_OK(fiber_sleep(SECOND));
    take_over(&shop, 0);
    OWNED(resource_snapshot) after = get(&shop);
    CHECK(before == after);
    CHECK_EQ(proxy_count(&shop.rig.management, PATCH), 1);
    CHECK_EQ(shop.pool->fetches, 1); /* our own write is no news */
}

SIM_TEST(two_sets_own_a_resource_at_once)
{
    SCOPED(shop) shop;
    SCOPED(scope) scope = {0};
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    struct customer customers[] = {
        {.shop = &shop, .which = 0},
        {.shop = &shop, .which = 1}
    };
    for (size_t i = 0; i < COUNT(customers); i++)
        scope_start(&scope, "customer", visit, &customers[i]);
    CHECK_OK(scope_wait(&scope));
    CHECK_OK(TAKE(customers[0].err));
    CHECK_OK(TAKE(customers[1].err));
    CHECK_EQ(count_owners(&shop), 2);
    CHECK_EQ(proxy_count(&shop.rig.management, PATCH), 2); /* in turn: no conflict */
}

SIM_TEST(owners_and_data_that_others_write_meanwhile_are_kept)
{
    SCOPED(shop) shop;
    SCOPED(buf) patch = {0};
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) before = get(&shop);
    buf_print(&patch,
              "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"addons.cluster.x-k8s.io/"
              "v1beta2\",\"kind\":\"ClusterResourceSet\",\"name\":\"crs2\",\"uid\":\"%s\"}]},"
              "\"data\":{\"data\":\"{}\"}}",
              shop.uids[1]);
    shop.body = buf_c(&patch);
    take_over(&shop, 0);
    CHECK_EQ(count_owners(&shop), 2);
    CHECK_EQ(crs_rig_look(&shop.rig, CRS_RIG_MAP, "data.data"), STR("{}"));
    OWNED(resource_snapshot) after = get(&shop);
    CHECK(!resource_snapshot_eq(before, after));
}

SIM_TEST(a_reference_of_an_older_version_is_replaced_in_its_place)
{
    SCOPED(shop) shop;
    SCOPED(buf) patch = {0};
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    buf_print(&patch,
              "{\"metadata\":{\"ownerReferences\":["
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta1\",\"kind\":\"ClusterResourceSet\","
              "\"name\":\"crs1\",\"uid\":\"%s\"},"
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"name\":\"crs2\",\"uid\":\"%s\"}]}}",
              shop.uids[0], shop.uids[1]);
    crs_rig_do(&shop.rig, "PATCH", CRS_RIG_MAP, buf_c(&patch));
    CHECK_OK(fiber_sleep(SECOND));
    take_over(&shop, 0);
    CHECK_EQ(count_owners(&shop), 2);
    CHECK_EQ(crs_rig_look(&shop.rig, CRS_RIG_MAP, "metadata.ownerReferences.0.uid"),
             str_from_c(shop.uids[0]));
    CHECK_EQ(crs_rig_look(&shop.rig, CRS_RIG_MAP, "metadata.ownerReferences.0.apiVersion"),
             STR("addons.cluster.x-k8s.io/v1beta2"));
}

SIM_TEST(an_owner_reference_whose_answer_is_lost_is_not_added_twice)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    shop.rig.management.holds_watches = true;
    proxy_fail(&shop.rig.management,
               (struct proxy_fault){
                   .method = "PATCH", .part = "configmaps/cm1", .times = 1, .after = true});
    OWNED(error)
    err = resource_snapshots_add_owner(shop.pool, RESOURCE_CONFIG_MAP, CM1, own(&shop, 0));
    CHECK(err);
    CHECK_EQ(count_owners(&shop), 1);
    take_over(&shop, 0);
    CHECK_EQ(count_owners(&shop), 1);
    shop.rig.management.holds_watches = false;
}

SIM_TEST(an_owner_reference_that_could_not_be_checked_is_an_error)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) snapshot = get(&shop);
    proxy_fail(&shop.rig.management,
               (struct proxy_fault){
                   .method = "PATCH", .part = "configmaps/cm1", .times = 1, .status = 409});
    proxy_fail(
        &shop.rig.management,
        (struct proxy_fault){.method = "GET", .part = "configmaps/cm1", .times = 1, .status = 403});
    OWNED(error)
    err = resource_snapshots_add_owner(shop.pool, RESOURCE_CONFIG_MAP, CM1, own(&shop, 0));
    CHECK(err);
    take_over(&shop, 0);
    CHECK_EQ(count_owners(&shop), 1);
}

SIM_TEST(a_resource_that_goes_while_it_is_owned_is_no_error)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) snapshot = get(&shop);
    shop.rig.management.holds_watches = true;
    crs_rig_do(&shop.rig, "DELETE", CRS_RIG_MAP, NULL);
    take_over(&shop, 0);
    shop.rig.management.holds_watches = false;
}

SIM_TEST(what_nobody_asks_for_is_forgotten)
{
    SCOPED(shop) shop;
    shop_init(&shop);
    stock(&shop, CRS_RIG_MANIFEST("a", "1"));
    OWNED(resource_snapshot) first = get(&shop);
    resource_snapshots_sweep(shop.pool);
    OWNED(resource_snapshot) second = get(&shop);
    CHECK(first == second);
    resource_snapshots_sweep(shop.pool);
    resource_snapshots_sweep(shop.pool);
    CHECK_EQ(map_count(&shop.pool->resources), 0);
    OWNED(resource_snapshot) third = get(&shop);
    CHECK(third != first && resource_snapshot_eq(first, third));
    CHECK_EQ(shop.pool->fetches, 2);
}

SIM_TEST(what_no_set_names_any_more_is_forgotten_within_the_hour)
{
    SCOPED(crs_rig) rig;
    crs_rig_init(&rig);
    crs_rig_ready(&rig, "Reconcile");
    crs_rig_map(&rig, "cm2", CRS_RIG_MANIFEST("c", "1"));
    crs_rig_set(&rig, "crs2", "Reconcile", "ConfigMap/cm2");
    crs_rig_await_applied(&rig, "crs2");
    const struct resource_snapshots *pool = fleet_crs_controllers(rig.fleet)->snapshots;
    CHECK_EQ(map_count(&pool->resources), 3);
    crs_rig_do(&rig, "DELETE", CRS_RIG_SET, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(map_count(&pool->resources), 1);
    CHECK_EQ(pool->fetches, 3); /* what is still named is not fetched again */
}
