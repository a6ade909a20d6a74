/* What is shared: tables between clusters, fetches between fibers. */
#include "client/discovery/discovery.h"
#include "client/discovery/discovery_fixture_test.h"
#include "client/discovery/discovery_internal.h"

#define CONFIG_MAP GVK("", "v1", "ConfigMap")
#define DEPLOYMENT GVK("apps", "v1", "Deployment")

static struct error *find_kind(struct discovery *discovery, struct gvk gvk)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    return discovery_find_kind(discovery, &arena, gvk, &mapping);
}

SIM_TEST(discovery_shares_tables_between_equal_clusters)
{
    struct discovery_fixture fixtures[3];
    struct discovery *discoveries[COUNT(fixtures)];
    OWNED(discovery_pool) pool = discovery_pool_new();
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        CHECK_OK(discovery_fixture_init(&fixtures[i]));
        discovery_fixture_fill_whole(&fixtures[i]);
        discoveries[i] = discovery_new(fixtures[i].client, pool, NULL);
    }
    /* The third one differs in one group. */
    discovery_fixture_whole(&fixtures[2], "/apis", WHOLE_LIST(WHOLE_APPS));
    for (size_t i = 0; i < COUNT(fixtures); i++)
        CHECK_OK(find_kind(discoveries[i], CONFIG_MAP));
    CHECK_EQ(discoveries[0]->surface, discoveries[1]->surface);
    CHECK(discoveries[0]->surface != discoveries[2]->surface);
    CHECK_EQ(map_count(&pool->surfaces), (size_t)2);
    CHECK_EQ(map_count(&pool->tables), (size_t)3);
    CHECK_EQ(discoveries[0]->surface->tables[1], discoveries[2]->surface->tables[1]);

    /* A change makes another surface; the same change leads to the same one. */
    CHECK_OK(fiber_sleep(2 * SECOND));
    discovery_fixture_plain(&fixtures[0], "/apis/lab.example.com/v1", PAGE_WIDGETS);
    discovery_fixture_plain(&fixtures[1], "/apis/lab.example.com/v1", PAGE_WIDGETS);
    CHECK_OK(find_kind(discoveries[0], GVK("lab.example.com", "v1", "Widget")));
    CHECK(discoveries[0]->surface != discoveries[1]->surface);
    CHECK_OK(find_kind(discoveries[1], GVK("lab.example.com", "v1", "Widget")));
    CHECK_EQ(discoveries[0]->surface, discoveries[1]->surface);
    CHECK_EQ(map_count(&pool->tables), (size_t)4);

    for (size_t i = 0; i < COUNT(fixtures); i++) {
        discovery_free(discoveries[i]);
        discovery_fixture_done(&fixtures[i]);
    }
    CHECK_EQ(map_count(&pool->tables), (size_t)0);
    CHECK_EQ(map_count(&pool->surfaces), (size_t)0);
}

SIM_TEST(discovery_costs_a_pointer_for_each_of_many_equal_clusters)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    OWNED(discovery_pool) pool = discovery_pool_new();
    struct discovery *discoveries[200];
    for (size_t i = 0; i < COUNT(discoveries); i++) {
        discoveries[i] = discovery_new(fixture.client, pool, NULL);
        CHECK_OK(find_kind(discoveries[i], CONFIG_MAP));
        CHECK_EQ(discoveries[i]->surface, discoveries[0]->surface);
        CHECK_EQ((const void *)discoveries[i]->marks.entries, NULL);
    }
    CHECK_EQ(map_count(&pool->surfaces), (size_t)1);
    CHECK_EQ(map_count(&pool->tables), (size_t)3);
    for (size_t i = 0; i < COUNT(discoveries); i++)
        discovery_free(discoveries[i]);
}

SIM_TEST(discovery_mappings_outlive_everything)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_whole(&fixture);
    struct discovery_pool *pool = discovery_pool_new();
    struct discovery *discovery = discovery_new(fixture.client, pool, NULL);
    CHECK_OK(discovery_find_kind(discovery, &arena, DEPLOYMENT, &mapping));
    discovery_free(discovery);
    discovery_pool_free(pool);
    CHECK(gvr_eq(mapping.gvr, GVR("apps", "v1", "deployments")));
}

struct asker {
    struct discovery *discovery;
    struct gvk gvk;
    size_t answers;
};

static struct error *ask(void *data)
{
    struct asker *asker = data;
    TRY(find_kind(asker->discovery, asker->gvk));
    asker->answers++;
    return NULL;
}

SIM_TEST(discovery_fetches_once_for_all_who_wait)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    fixture.delay = SECOND;
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    struct asker maps = {.discovery = discovery, .gvk = CONFIG_MAP};
    struct asker deployments = {.discovery = discovery, .gvk = DEPLOYMENT};
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 50; i++) {
        scope_start(&scope, "maps", ask, &maps);
        scope_start(&scope, "deployments", ask, &deployments);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(maps.answers, (size_t)50);
    CHECK_EQ(deployments.answers, (size_t)50);
    CHECK_EQ(fixture.requests, (size_t)4); /* /api, /apis, /api/v1, /apis/apps/v1 */
}

SIM_TEST(discovery_tells_all_who_wait_of_a_failure)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fail(&fixture, "/api", 503);
    fixture.delay = 5 * SECOND;
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    struct asker asker = {.discovery = discovery, .gvk = CONFIG_MAP};
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 10; i++)
        scope_start(&scope, "asker", ask, &asker);
    CHECK_ERROR(scope_wait(&scope), ERROR_SERVICE_UNAVAILABLE);
    CHECK_EQ(asker.answers, (size_t)0);
    CHECK_EQ(fixture.requests, (size_t)1);
}

static struct error *ask_impatiently(void *data)
{
    FIBER_TIMEOUT(SECOND / 2);
    struct error *err = ask(data);
    CHECK(!err || error_is(err, ERROR_DEADLINE));
    return error_ignore(err, ERROR_DEADLINE);
}

SIM_TEST(discovery_goes_on_when_the_one_who_fetches_gives_up)
{
    SCOPED(discovery_fixture) fixture;
    CHECK_OK(discovery_fixture_init(&fixture));
    discovery_fixture_fill_plain(&fixture);
    fixture.delay = SECOND;
    OWNED(discovery_pool) pool = discovery_pool_new();
    OWNED(discovery) discovery = discovery_new(fixture.client, pool, NULL);
    struct asker asker = {.discovery = discovery, .gvk = CONFIG_MAP};
    struct asker hasty = asker;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "hasty", ask_impatiently, &hasty);
    struct fiber *first = scope_start(&scope, "first", ask, &asker);
    CHECK_OK(fiber_sleep(100 * MILLISECOND));
    for (int i = 0; i < 5; i++)
        scope_start(&scope, "patient", ask, &asker);
    CHECK_OK(fiber_sleep(700 * MILLISECOND));
    fiber_cancel(first); /* it is fetching, since the hasty one has given up */
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED);
    CHECK_EQ(asker.answers, (size_t)5);
    CHECK_EQ(hasty.answers, (size_t)0);
    CHECK(fixture.requests <= 6);
}

static struct error *look_up(struct discovery_fixture *fixture, struct discovery_pool *pool,
                             bool plain)
{
    TRY(discovery_fixture_init(fixture));
    if (plain)
        discovery_fixture_fill_plain(fixture);
    else
        discovery_fixture_fill_whole(fixture);
    OWNED(discovery) discovery = discovery_new(fixture->client, pool, NULL);
    struct asker asker = {.discovery = discovery, .gvk = CONFIG_MAP};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "asker", ask, &asker);
    struct error *err = find_kind(discovery, DEPLOYMENT);
    err = error_join(err, scope_wait(&scope));
    if (!err)
        return NULL;
    /* Once failures stop, what was remembered of them wears off. The server may be a victim too. */
    error_free(err);
    FIBER_SHIELD(MINUTE);
    CHECK_OK(discovery_fixture_serve(fixture));
    CHECK_OK(fiber_sleep(2 * SECOND));
    CHECK_OK(find_kind(discovery, DEPLOYMENT));
    return NULL;
}

static struct error *tortured_lookup(bool plain)
{
    struct discovery_fixture fixture = {0};
    struct discovery_pool *pool = discovery_pool_new();
    struct error *err = look_up(&fixture, pool, plain);
    discovery_pool_free(pool);
    discovery_fixture_done(&fixture);
    return err;
}

TORTURE_TEST(discovery_lookups_unwind_plain)
{
    return tortured_lookup(true);
}

TORTURE_TEST(discovery_lookups_unwind_aggregated)
{
    return tortured_lookup(false);
}
