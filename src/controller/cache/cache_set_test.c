#include "controller/cache/cache_fixture_test.h"

#define OPEN(body)                  \
    {                               \
        200, body, 24 * HOUR, false \
    }
#define FIRST_LOAD EVENT("ADDED", ITEM("a", "5")) LOADED("9")

SIM_TEST(everybody_who_wants_the_same_shares_a_cache)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    int data = 0;
    SCOPED(buf) namespace = {0};
    buf_add(&namespace, STR("ns"));
    const struct cache_options one = {.gvr = GVR_CONFIG_MAPS, .namespace = buf_str(&namespace)};
    struct cache_options other = one;
    struct cache *cache = cache_set_get(fixture.set, &one);
    other.transform_data = &data;
    CHECK(cache_set_get(fixture.set, &other) == cache);
    other.namespace = STR("other");
    CHECK(cache_set_get(fixture.set, &other) != cache);
    buf_clear(&namespace);
    buf_add(&namespace, STR("xx")); /* texts were copied */
    other = one;
    other.namespace = STR("ns");
    CHECK(cache_set_get(fixture.set, &other) == cache);
    struct cache_options differs[] = {other, other, other, other, other, other};
    differs[0].label_selector = STR("a=b");
    differs[1].field_selector = STR("metadata.name=b");
    differs[2].metadata_only = true;
    differs[3].no_streaming_list = true;
    differs[4].gvr = GVR_SECRETS;
    differs[5].transform = cache_drop_managed_fields;
    for (size_t i = 0; i < COUNT(differs); i++)
        CHECK(cache_set_get(fixture.set, &differs[i]) != cache);
}

SIM_TEST(what_a_set_holds_follows_nobody)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    OWNED(object) map = NULL;
    OWNED(object) other = NULL;
    CHECK_OK(object_read(STR(ITEM("a", "5")), &map));
    CHECK_OK(object_read(STR("{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\","
                             "\"metadata\":{\"name\":\"b\"}}"),
                         &other));
    struct object *const objects[] = {map, other}; /* the second is none of the kind */
    struct cache *cache =
        cache_set_hold(fixture.set, &(struct cache_options){.gvr = GVR("", "v1", "ConfigMap")},
                       objects, COUNT(objects));
    CHECK_OK(cache_wait_synced(cache));
    CHECK_OK(cache_set_wait_synced(fixture.set));
    cache_add_handler(cache, &fixture.handler);
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! "));
    OWNED(object) found = cache_get(cache, KEY("ns", "a"));
    CHECK_EQ(object_name(found), STR("a"));
    CHECK_EQ(cache_count(cache), (size_t)1);
    cache_fixture_change_client(&fixture, "second");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.requests, (size_t)0);
    CHECK(cache_fixture_cache(&fixture, NULL) != cache);
}

SIM_TEST(a_set_waits_until_all_of_its_caches_are_synced)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, EVENT("ADDED", ITEM("a", "5")), 20 * SECOND, false}, OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    CHECK_OK(cache_set_wait_synced(fixture.set)); /* of none */
    struct cache *first = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    struct cache *second =
        cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("ns")});
    CHECK_OK(cache_wait_synced(second));
    CHECK(!cache_is_synced(first));
    {
        FIBER_TIMEOUT(SECOND);
        CHECK_ERROR(cache_set_wait_synced(fixture.set), ERROR_DEADLINE);
    }
    CHECK_OK(cache_set_wait_synced(fixture.set));
    CHECK(cache_is_synced(first));
}

struct patient {
    struct cache_set *set;
    struct error *err;
};

static struct error *wait_for_all(void *data)
{
    struct patient *patient = data;
    patient->err = cache_set_wait_synced(patient->set);
    return NULL;
}

SIM_TEST(who_waits_for_a_set_that_ends_is_told)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(""))};
    CHECK_OK(cache_fixture_init(&fixture));
    cache_fixture_cache(&fixture, NULL);
    cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("ns")});
    struct patient patient = {.set = fixture.set}, other = patient;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "waits", wait_for_all, &patient);
    scope_start(&scope, "waits", wait_for_all, &other);
    CHECK_OK(fiber_sleep(SECOND));
    scope_cancel(&scope);
    CHECK_OK(scope_wait(&scope));
    CHECK_ERROR(TAKE(patient.err), ERROR_CANCELED);
    CHECK_ERROR(TAKE(other.err), ERROR_CANCELED);
    scope_start(&scope, "waits", wait_for_all, &patient);
    CHECK_OK(fiber_sleep(SECOND));
    cache_set_free(TAKE(fixture.set));
    CHECK_OK(scope_wait(&scope));
    CHECK_FAILS(patient.err, ERROR_CANCELED, "the cache is stopped");
}

/* Everything a reflector can do, one after the other. */
#define ANSWER_422  FAILURE("422", "Invalid")
#define FIRST_LIST  LIST("7", ITEM("a", "5") "," ITEM("b", "6"))
#define SOME_EVENTS EVENT("MODIFIED", ITEM("a", "8")) BOOKMARK("9")
#define ERROR_410   EVENT("ERROR", FAILURE("410", "Expired"))
#define NEXT_LOAD   EVENT("ADDED", ITEM("a", "8")) EVENT("ADDED", ITEM("c", "10")) LOADED("11")
#define LAST_EVENTS EVENT("DELETED", ITEM("c", "12")) EVENT("ADDED", ITEM("d", "13"))

static const struct cache_fixture_step life[] = {
    {422, ANSWER_422,  0,         false},
    {200, FIRST_LIST,  0,         false},
    {200, SOME_EVENTS, 0,         true },
    {200, ERROR_410,   0,         false},
    {200, NEXT_LOAD,   0,         false},
    {200, LAST_EVENTS, 24 * HOUR, false},
};

static void by_name(void *data, const struct object *object, cache_emit_fn *emit, void *emit_data)
{
    (void)data;
    emit(emit_data, object_name(object));
}

static struct error *live(void)
{
    SCOPED(cache_fixture) fixture = {.steps = life, .step_count = COUNT(life)};
    TRY(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_index(cache, STR("name"), by_name, NULL);
    cache_add_handler(cache, &fixture.handler);
    FIBER_TIMEOUT(10 * MINUTE);
    TRY(cache_wait_synced(cache));
    while (!str_eq(cache_resource_version(cache), STR("13")))
        TRY(fiber_sleep(SECOND));
    cache_resync(cache);
    CHECK_EQ(cache_count(cache), (size_t)2);
    cache_remove_handler(cache, &fixture.handler);
    return NULL;
}

SIM_TEST(a_cache_lives_through_everything)
{
    CHECK_OK(live());
}

TORTURE_TEST(caches_survive_every_interruption)
{
    return live();
}

/* The set ends in the middle of whatever its reflectors are doing. */
SIM_TEST(a_set_can_end_at_any_moment)
{
    for (int64_t moment = 0; moment < 6000; moment += 7) {
        SCOPED(cache_fixture) fixture = {.steps = life, .step_count = COUNT(life)};
        TEST_CASE("after %lld ms", (long long)moment);
        CHECK_OK(cache_fixture_init(&fixture));
        struct cache *cache = cache_fixture_cache(&fixture, NULL);
        cache_add_handler(cache, &fixture.handler);
        CHECK_OK(fiber_sleep(moment * MILLISECOND));
        cache_set_free(TAKE(fixture.set));
        const size_t told = fixture.told.len;
        CHECK_OK(fiber_sleep(MINUTE));
        CHECK_EQ(fixture.told.len, told);
    }
}

SIM_TEST(a_set_tells_which_cache_does_not_follow_its_server)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, FIRST_LOAD, 20 * SECOND, false},
                     {503, FAILURE("503", "ServiceUnavailable"), 0, false}, OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache_lag lag;
    CHECK(!cache_set_find_lag(fixture.set, false, &lag)); /* of none */
    const int64_t made = loop_now(loop_current());
    CHECK_OK(fiber_sleep(SECOND));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK(cache_set_find_lag(fixture.set, false, &lag));
    CHECK(!lag.is_synced);
    CHECK_EQ(lag.since, made + SECOND);
    CHECK(!cache_set_find_lag(fixture.set, true, &lag));
    CHECK_OK(cache_wait_synced(cache));
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK(!cache_set_find_lag(fixture.set, false, &lag));

    while (!cache_set_find_lag(fixture.set, true, &lag) || !lag.problem.len)
        CHECK_OK(cache_set_wait_lag(fixture.set));
    CHECK(lag.is_synced);
    CHECK_EQ(lag.resource, STR("configmaps"));
    CHECK_CONTAINS(lag.problem, STR("ServiceUnavailable"));
    CHECK_EQ((lag.since - made) / SECOND, (int64_t)21);
    while (cache_set_find_lag(fixture.set, false, &lag))
        CHECK_OK(cache_set_wait_lag(fixture.set));
    CHECK_EQ(cache_problem(cache), STR(""));
}
