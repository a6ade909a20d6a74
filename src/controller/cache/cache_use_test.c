/* A set of caches goes on through another client. */
#include "controller/cache/cache_fixture_test.h"

#define OPEN(body)                  \
    {                               \
        200, body, 24 * HOUR, false \
    }
#define FIRST_LOAD  EVENT("ADDED", ITEM("a", "5")) LOADED("9")
#define LATER       EVENT("MODIFIED", ITEM("a", "10")) EVENT("ADDED", ITEM("b", "11"))
#define ANSWER_403  FAILURE("403", "Forbidden")
#define HALF_A_LOAD EVENT("ADDED", ITEM("a", "5")) EVENT("ADDED", ITEM("x", "6"))

SIM_TEST(a_watch_goes_on_through_another_client_from_where_it_is)
{
    SCOPED(cache_fixture) fixture = {STEPS(OPEN(FIRST_LOAD BOOKMARK("9")), OPEN(LATER))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(cache_wait_synced(cache));
    CHECK_EQ(fixture.agent, STR("first"));
    cache_fixture_change_client(&fixture, "second");
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! "));
    CHECK(cache_is_synced(cache));
    cache_fixture_wait_requests(&fixture, 2);
    CHECK_OK(fiber_sleep(4 * MINUTE));
    CHECK_EQ(fixture.requests, (size_t)2);
    CHECK_EQ(fixture.asked[1], STR(ASKS_WATCH("9")));
    CHECK_EQ(fixture.agent, STR("second"));
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! ~a5>10 +b11 "));
    CHECK_EQ(sim_network_connections(fixture.network), (size_t)1); /* the new client's */
    CHECK_EQ(cache_problem(cache), STR(""));
}

SIM_TEST(every_cache_of_a_set_goes_on_through_another_client)
{
    SCOPED(cache_fixture) fixture = {STEPS(OPEN(FIRST_LOAD))};
    static const char *const namespaces[] = {"", "b", "c", "d"};
    CHECK_OK(cache_fixture_init(&fixture));
    for (size_t i = 0; i < COUNT(namespaces); i++)
        cache_fixture_cache(&fixture,
                            &(struct cache_options){.namespace = str_from_c(namespaces[i])});
    CHECK_OK(cache_set_wait_synced(fixture.set));
    cache_fixture_change_client(&fixture, "second");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.requests, 2 * COUNT(namespaces));
    for (size_t i = 0; i < COUNT(namespaces); i++)
        CHECK_EQ(fixture.asked[COUNT(namespaces) + i], STR(ASKS_WATCH("9")));
    cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("late")});
    CHECK_OK(cache_set_wait_synced(fixture.set));
    CHECK_EQ(fixture.agent, STR("second"));
}

SIM_TEST(the_client_that_is_in_use_already_changes_nothing)
{
    SCOPED(cache_fixture) fixture = {STEPS(OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(cache_wait_synced(cache));
    cache_set_use(fixture.set, fixture.client);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.requests, (size_t)1);
}

/* What the old credentials were refused may be granted now; if not, pauses go on growing. */
SIM_TEST(a_pause_ends_when_the_client_changes)
{
    SCOPED(cache_fixture) fixture = {STEPS({403, ANSWER_403, 0, false})};
    CHECK_OK(cache_fixture_init(&fixture));
    cache_fixture_cache(&fixture, &(struct cache_options){.no_streaming_list = true});
    cache_fixture_wait_requests(&fixture, 5);
    cache_fixture_change_client(&fixture, "second"); /* in a pause of 12.8 s and more */
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.requests, (size_t)6);
    CHECK_EQ(fixture.agent, STR("second"));
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(fixture.requests, (size_t)6);
    cache_fixture_wait_requests(&fixture, 7);
    CHECK(fixture.gaps[6] >= 25600 * MILLISECOND);
}

SIM_TEST(a_version_that_was_given_up_stays_so)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, FIRST_LOAD, 0, false}, {403, ANSWER_403, 0, false},
                     {410, FAILURE("410", "Expired"), 0, false}, OPEN(""), OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    cache_fixture_cache(&fixture, NULL);
    cache_fixture_wait_requests(&fixture, 4);
    CHECK_EQ(fixture.asked[2], STR(ASKS_STREAM("&resourceVersion=9")));
    CHECK_EQ(fixture.asked[3], STR(ASKS_STREAM("")));
    cache_fixture_change_client(&fixture, "second");
    cache_fixture_wait_requests(&fixture, 5);
    CHECK_EQ(fixture.asked[4], STR(ASKS_STREAM("")));
}

SIM_TEST(a_list_in_progress_begins_anew)
{
    for (int plain = 0; plain < 2; plain++) {
        TEST_CASE("%s", plain ? "plain" : "streaming");
        const struct cache_fixture_step steps[] = {
            {200,    plain ? "{\"kind\":\"ConfigMapList\",\"items\":[" : HALF_A_LOAD, HOUR,     false             },
            {200,    plain ? LIST("9",                                                ITEM("a", "5")) : FIRST_LOAD, 0, false},
            {200, "",                                                                24 * HOUR,                                                                      false                                                                                     },
        };
        SCOPED(cache_fixture) fixture = {.steps = steps, .step_count = COUNT(steps)};
        CHECK_OK(cache_fixture_init(&fixture));
        struct cache *cache =
            cache_fixture_cache(&fixture, &(struct cache_options){.no_streaming_list = plain});
        cache_add_handler(cache, &fixture.handler);
        CHECK_OK(fiber_sleep(SECOND));
        cache_fixture_change_client(&fixture, "second");
        CHECK_OK(cache_wait_synced(cache));
        cache_fixture_wait_requests(&fixture, 3);
        CHECK_EQ(fixture.asked[1], fixture.asked[0]);
        CHECK_EQ(fixture.asked[2], STR(ASKS_WATCH("9")));
        CHECK_EQ(buf_str(&fixture.told), STR("+a5! "));
    }
}

struct change {
    struct cache_set *set;
    struct client *client;
    bool is_over;
};

static struct error *change_client(void *data)
{
    struct change *change = data;
    cache_set_use(change->set, change->client);
    change->is_over = true;
    return NULL;
}

/* Two at once, with a cache that comes in between, and a set that may end before they do. */
static void check_changes_at_once(bool ends)
{
    SCOPED(cache_fixture) fixture = {STEPS(OPEN(FIRST_LOAD))};
    CHECK_OK(cache_fixture_init(&fixture));
    cache_fixture_cache(&fixture, NULL);
    cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("b")});
    cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("c")});
    CHECK_OK(cache_set_wait_synced(fixture.set));
    struct client *first = fixture.client, *second = cache_fixture_client_new(&fixture, "second");
    fixture.client = cache_fixture_client_new(&fixture, "third");
    struct change one = {fixture.set, second, false}, two = {fixture.set, fixture.client, false};
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "changes", change_client, &one);
        CHECK_OK(fiber_yield());
        CHECK(!one.is_over);
        cache_fixture_cache(&fixture, &(struct cache_options){.namespace = STR("between")});
        scope_start(&scope, "changes", change_client, &two);
        scope_cancel(&scope); /* cache_set_use() must complete although its fiber is cancelled */
        if (ends) {
            CHECK_OK(fiber_yield());
            cache_set_free(TAKE(fixture.set));
        }
        CHECK_OK(scope_wait(&scope));
    }
    CHECK(one.is_over && two.is_over);
    client_free(first);
    client_free(second);
    const size_t requests = fixture.requests;
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.requests - requests, (size_t)(ends ? 0 : 4));
    if (!ends) {
        CHECK_OK(cache_set_wait_synced(fixture.set));
        CHECK_EQ(fixture.agent, STR("third"));
    }
}

SIM_TEST(clients_can_be_changed_twice_at_once)
{
    check_changes_at_once(false);
}

SIM_TEST(a_set_can_end_while_its_client_is_changed)
{
    check_changes_at_once(true);
}

TORTURE_TEST(a_change_of_clients_survives_every_interruption)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(HALF_A_LOAD), OPEN(FIRST_LOAD), {403, ANSWER_403, 0, false},
                     OPEN(FIRST_LOAD), OPEN(FIRST_LOAD LATER))};
    TRY(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    FIBER_TIMEOUT(10 * MINUTE);
    TRY(fiber_sleep(SECOND));
    cache_fixture_change_client(&fixture, "second");
    TRY(cache_wait_synced(cache));
    cache_fixture_change_client(&fixture, "third");
    TRY(fiber_sleep(500 * MILLISECOND));
    cache_fixture_change_client(&fixture, "fourth");
    cache_fixture_change_client(&fixture, "fifth");
    while (!str_eq(cache_resource_version(cache), STR("11")))
        TRY(fiber_sleep(SECOND));
    CHECK_EQ(cache_count(cache), (size_t)2);
    return NULL;
}
