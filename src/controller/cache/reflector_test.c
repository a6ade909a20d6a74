/* A cache follows a server whose every answer is scripted, in virtual time. */
#include "controller/cache/reflector.h"

#include "base/log.h"
#include "controller/cache/cache_fixture_test.h"

/* A stream that stays open for as long as any test takes. */
#define OPEN(body)                  \
    {                               \
        200, body, 24 * HOUR, false \
    }
#define STAY OPEN("")

#define FIRST_LOAD EVENT("ADDED", ITEM("a", "5")) LOADED("9")

/* The least and most a pause of this base takes, a little of which is the network's. */
#define PAUSED(base_ms, gap) \
    ((gap) >= (base_ms)*MILLISECOND && (gap) < (2 * (base_ms) + 400) * MILLISECOND)
#define AT_ONCE(gap) ((gap) < 400 * MILLISECOND)

SIM_TEST(a_cache_begins_with_a_streaming_list_and_follows_the_same_stream)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(EVENT("ADDED", ITEM("b", "4")) EVENT("ADDED", ITEM("a", "5")) LOADED("9")
                              EVENT("MODIFIED", ITEM("a", "10")) BOOKMARK("14")))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK(!cache_is_synced(cache));
    CHECK_OK(cache_wait_synced(cache));
    CHECK_OK(fiber_sleep(4 * MINUTE));
    CHECK_EQ(fixture.requests, (size_t)1);
    CHECK_EQ(fixture.asked[0], STR(ASKS_STREAM("")));
    CHECK_EQ(fixture.path, STR("/api/v1/configmaps"));
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! +b4! ~a5>10 "));
    CHECK_EQ(cache_resource_version(cache), STR("14"));
    CHECK_EQ(cache_problem(cache), STR(""));
}

SIM_TEST(initial_events_that_take_back_others_are_understood)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(EVENT("ADDED", ITEM("a", "1")) EVENT("ADDED", ITEM("b", "2")) EVENT(
        "MODIFIED", ITEM("a", "3")) BOOKMARK("3") EVENT("DELETED", ITEM("b", "4")) LOADED("9")))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(cache_wait_synced(cache));
    CHECK_EQ(buf_str(&fixture.told), STR("+a3! "));
}

SIM_TEST(a_cache_asks_for_what_it_is_scoped_to)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({410, FAILURE("410", "Expired"), 0, false},
                     {400, FAILURE("400", "BadRequest"), 0, false}, {200, LIST("7", ""), 0, false},
                     STAY)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(
        &fixture, &(struct cache_options){.namespace = STR("some"),
                                          .label_selector = STR("a in (b,c)"),
                                          .field_selector = STR("metadata.name!=x")});
    CHECK_OK(cache_wait_synced(cache));
    cache_fixture_wait_requests(&fixture, 4);
#define SELECTORS "&labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%21%3Dx"
    CHECK_EQ(fixture.asked[0], STR(ASKS_STREAM(SELECTORS)));
    CHECK_EQ(
        fixture.asked[2],
        STR("labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%21%3Dx&limit=500"));
    CHECK_EQ(fixture.asked[3],
             STR("watch=true" SELECTORS "&resourceVersion=7&allowWatchBookmarks=true"));
    CHECK_EQ(fixture.path, STR("/api/v1/namespaces/some/configmaps"));
}

SIM_TEST(metadata_alone_is_asked_for_and_kept)
{
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(EVENT(
        "ADDED", "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"," ITEM_META(
                     "a", "5") "}") EVENT("ADDED", ITEM("whole", "6")) LOADED("9")))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache =
        cache_fixture_cache(&fixture, &(struct cache_options){.metadata_only = true});
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(cache_wait_synced(cache));
    CHECK_CONTAINS(fixture.accept, STR("as=PartialObjectMetadata"));
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! "));
}

#define ROUND(version) ASKS_STREAM("&resourceVersion=" version)
#define ERROR_410      EVENT("ERROR", FAILURE("410", "Expired"))
#define ERROR_500      EVENT("ERROR", FAILURE("500", "InternalError"))
#define ADDED_B        EVENT("ADDED", ITEM("b", "10"))
#define UNDECODABLE    "{\"type\":\"ADDED\",\"object\":{]}\n"
#define ANSWER_401     FAILURE("401", "Unauthorized")
#define ANSWER_403     FAILURE("403", "Forbidden")
#define ANSWER_410     FAILURE("410", "Gone")
#define ANSWER_429     FAILURE("429", "TooManyRequests")
#define ANSWER_500     FAILURE("500", "InternalError")

/* The table of how a watch ends, row by row: what the third request is and when it comes. */
struct ending {
    const char *name;
    int status;
    const char *body;
    duration lasts; /* in milliseconds */
    bool reset;
    const char *next;
    duration pause; /* its base, in milliseconds; 0: at once */
};

static void check_ending(const struct ending *ending)
{
    const struct cache_fixture_step step = {ending->status, ending->body,
                                            ending->lasts * MILLISECOND, ending->reset};
    SCOPED(cache_fixture) fixture = {STEPS({200, FIRST_LOAD, 0, false}, step, STAY)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_fixture_wait_requests(&fixture, 3);
    CHECK(cache_is_synced(cache));
    CHECK_EQ(fixture.asked[0], STR(ASKS_STREAM("")));
    CHECK_EQ(fixture.asked[1], STR(ASKS_WATCH("9")));
    CHECK(AT_ONCE(fixture.gaps[1]));
    CHECK_EQ(fixture.asked[2], str_from_c(ending->next));
    if (ending->pause)
        CHECK(PAUSED(ending->pause, fixture.gaps[2]));
    else
        CHECK(AT_ONCE(fixture.gaps[2]));
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK_EQ(fixture.requests, (size_t)3);
}

SIM_TEST(a_cache_goes_on_after_every_end_of_a_watch)
{
    static const struct ending endings[] = {
        {"a close after 1 s",        200, "",                1100,   false, ASKS_WATCH("9"),  0  },
        {"a reset after 1 s",        200, "",                1100,   true,  ASKS_WATCH("9"),  0  },
        {"a close after minutes",    200, "",                250000, false, ASKS_WATCH("9"),  0  },
        {"a close after an event",   200, ADDED_B,           1,      false, ASKS_WATCH("10"), 0  },
        {"a reset after an event",   200, ADDED_B,           1,      true,  ASKS_WATCH("10"), 0  },
        {"a reset in an event",      200, ADDED_B "{\"ty",   1,      true,  ASKS_WATCH("10"), 0  },
        {"a close after a bookmark", 200, BOOKMARK("12"),    1,      false, ASKS_WATCH("12"), 0  },
        {"a close within 1 s",       200, "",                500,    false, ROUND("9"),       800},
        {"a reset within 1 s",       200, "",                500,    true,  ROUND("9"),       800},
        {"an ERROR event 410",       200, ERROR_410,         1,      false, ROUND("9"),       800},
        {"another ERROR event",      200, ERROR_500,         1,      false, ROUND("9"),       800},
        {"an ERROR after an event",  200, ADDED_B ERROR_410, 1,      false, ROUND("10"),      800},
        {"status 410",               410, ANSWER_410,        1,      false, ROUND("9"),       800},
        {"status 429",               429, ANSWER_429,        1,      false, ASKS_WATCH("9"),  800},
        {"status 401",               401, ANSWER_401,        1,      false, ROUND("9"),       800},
        {"status 403",               403, ANSWER_403,        1,      false, ROUND("9"),       800},
        {"status 500",               500, ANSWER_500,        1,      false, ROUND("9"),       800},
        {"status 503",               503, "",                1,      false, ROUND("9"),       800},
        {"an undecodable event",     200, UNDECODABLE,       1,      false, ROUND("9"),       800},
    };
    for (size_t i = 0; i < COUNT(endings); i++) {
        TEST_CASE("%s", endings[i].name);
        check_ending(&endings[i]);
    }
}

SIM_TEST(a_cache_whose_server_refuses_connections_goes_on_without_a_list)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, FIRST_LOAD, 2 * SECOND, false}, STAY)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(cache_wait_synced(cache));
    http_server_free(TAKE(fixture.server));
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(fixture.requests, (size_t)1);
    CHECK(cache_problem(cache).len > 0);
    CHECK_EQ(cache_count(cache), (size_t)1); /* what was known is still there */
    CHECK_OK(cache_fixture_serve(&fixture));
    CHECK_OK(fiber_sleep(61 * SECOND));
    CHECK_EQ(fixture.requests, (size_t)2);
    CHECK_EQ(fixture.asked[1], STR(ASKS_WATCH("9")));
    CHECK_EQ(cache_problem(cache), STR(""));
}

/* Pauses have grown to half a minute; one answer to anybody ends them. */
SIM_TEST(a_cache_goes_on_as_soon_as_its_server_answers_another)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, FIRST_LOAD, 2 * SECOND, false}, STAY)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(cache_wait_synced(cache));
    http_server_free(TAKE(fixture.server));
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_OK(cache_fixture_serve(&fixture));
    CHECK_EQ(fixture.requests, (size_t)1);
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {0};
    const struct client_raw_request request = {.path = STR("/version"), .timeout = 11 * MINUTE};
    {
        FIBER_TIMEOUT(3 * SECOND); /* the answer begins and has no end */
        CHECK_ERROR(client_raw(fixture.client, &request, &arena, &body, NULL), ERROR_DEADLINE);
    }
    CHECK_EQ(fixture.requests, (size_t)3);
    CHECK_EQ(fixture.asked[2], STR(ASKS_WATCH("9")));
    CHECK_EQ(cache_problem(cache), STR(""));
}

#define ANSWER_422 FAILURE("422", "Invalid")
#define LIST_OF_A  LIST("7", ITEM("a", "5"))
#define LIST_OF_B  LIST("8", ITEM("b", "8"))

SIM_TEST(a_streaming_list_that_is_refused_becomes_a_plain_one_for_a_round)
{
    static const struct cache_fixture_step steps[] = {
        {422, ANSWER_422, 0,         false},
        {200, LIST_OF_A,  0,         false},
        {500, ANSWER_500, 0,         false},
        {422, ANSWER_422, 0,         false},
        {200, LIST_OF_B,  0,         false},
        {200, "",         24 * HOUR, false},
    };
    SCOPED(cache_fixture) fixture = {.steps = steps, .step_count = COUNT(steps)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(cache_wait_synced(cache));
    cache_fixture_wait_requests(&fixture, 6);
    CHECK_EQ(fixture.asked[0], STR(ASKS_STREAM("")));
    CHECK_EQ(fixture.asked[1], STR("limit=500&resourceVersion=0"));
    CHECK(AT_ONCE(fixture.gaps[1]));
    CHECK_EQ(fixture.asked[2], STR(ASKS_WATCH("7")));
    CHECK_EQ(fixture.asked[3], STR(ROUND("7"))); /* another round, another try */
    CHECK_EQ(fixture.asked[4], STR("resourceVersion=7"));
    CHECK_EQ(fixture.asked[5], STR(ASKS_WATCH("8")));
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! -a5? +b8 "));
}

SIM_TEST(a_plain_list_can_be_asked_for)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, LIST("7", ITEM("a", "5")), 0, false}, STAY)};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache =
        cache_fixture_cache(&fixture, &(struct cache_options){.no_streaming_list = true});
    CHECK_OK(cache_wait_synced(cache));
    cache_fixture_wait_requests(&fixture, 2);
    CHECK_EQ(fixture.asked[0], STR("limit=500&resourceVersion=0"));
    CHECK_EQ(fixture.asked[1], STR(ASKS_WATCH("7")));
}

#define TOO_LARGE                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"Timeout: "   \
    "Too large resource version: 9, current: 3\",\"reason\":\"Timeout\",\"details\":{\"causes\":" \
    "[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],"      \
    "\"retryAfterSeconds\":1},\"code\":504}"

#define PLAIN_LIST "resourceVersion=9"
#define ANY_STREAM ASKS_STREAM("")

SIM_TEST(a_version_the_server_does_not_have_is_given_up)
{
    static const struct {
        const char *name;
        bool plain;
        int status;
        const char *body, *first, *second;
    } rows[] = {
        {"forgotten, streaming",    false, 410, ANSWER_410, ROUND("9"), ANY_STREAM },
        {"forgotten in the stream", false, 200, ERROR_410,  ROUND("9"), ANY_STREAM },
        {"too large, streaming",    false, 504, TOO_LARGE,  ROUND("9"), ANY_STREAM },
        {"forgotten, listing",      true,  410, ANSWER_410, PLAIN_LIST, "limit=500"},
        {"too large, listing",      true,  504, TOO_LARGE,  PLAIN_LIST, "limit=500"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s", rows[i].name);
        const bool plain = rows[i].plain;
        const char *load = plain ? LIST("9", ITEM("a", "5")) : FIRST_LOAD;
        const char *again =
            plain ? LIST("3", ITEM("a", "2")) : EVENT("ADDED", ITEM("a", "2")) LOADED("3");
        const struct cache_fixture_step steps[] = {
            {200,            load,         0,          false},
            {403,            ANSWER_403,   0,          false},
            {rows[i].status, rows[i].body, 0,          false},
            {200,            again,        2 * SECOND, false},
            {200,            "",           24 * HOUR,  false},
        };
        SCOPED(cache_fixture) fixture = {.steps = steps, .step_count = COUNT(steps)};
        CHECK_OK(cache_fixture_init(&fixture));
        struct cache *cache =
            cache_fixture_cache(&fixture, &(struct cache_options){.no_streaming_list = plain});
        cache_add_handler(cache, &fixture.handler);
        cache_fixture_wait_requests(&fixture, 5);
        CHECK_EQ(fixture.asked[2], str_from_c(rows[i].first));
        CHECK_EQ(fixture.asked[3], str_from_c(rows[i].second));
        CHECK(AT_ONCE(fixture.gaps[3]));
        CHECK_EQ(fixture.asked[4], STR(ASKS_WATCH("3"))); /* the server's past is the present */
        CHECK_EQ(buf_str(&fixture.told), STR("+a5! ~a5>2 "));
    }
}

SIM_TEST(a_server_that_forgets_everything_always_is_not_asked_in_a_rush)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({410, FAILURE("410", "Expired"), 0, false})};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(fixture.requests > 3 && fixture.requests < 12);
    CHECK_EQ(cache_problem(cache), STR("Expired"));
    FIBER_TIMEOUT(SECOND);
    CHECK_FAILS(cache_wait_synced(cache), ERROR_DEADLINE, "configmaps (Expired)");
}

SIM_TEST(a_stream_that_ends_before_its_bookmark_counts_for_nothing)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({200, EVENT("ADDED", ITEM("a", "5")), 0, false},
                     {200, EVENT("ADDED", ITEM("b", "6")), 0, true},
                     OPEN(EVENT("ADDED", ITEM("c", "7")) LOADED("9")))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(cache_wait_synced(cache));
    CHECK_EQ(buf_str(&fixture.told), STR("+c7! "));
    CHECK(PAUSED(800, fixture.gaps[1]));
    CHECK(PAUSED(1600, fixture.gaps[2]));
    CHECK_EQ(fixture.asked[2], STR(ASKS_STREAM("")));
}

static void count_warnings(void *data, struct str line)
{
    if (str_contains(line, STR("has not come yet")))
        ++*(size_t *)data;
}

SIM_TEST(a_bookmark_that_does_not_come_is_warned_of)
{
    size_t warnings = 0;
    SCOPED(cache_fixture)
    fixture = {STEPS(OPEN(EVENT("ADDED", ITEM("a", "5"))))};
    log_set_sink(count_warnings, &warnings);
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    CHECK_OK(fiber_sleep(65 * SECOND));
    log_set_sink(NULL, NULL);
    CHECK_EQ(warnings, (size_t)6);
    CHECK_EQ(cache_problem(cache), STR("the server has not ended the initial events yet"));
    CHECK(!cache_is_synced(cache));
    CHECK_EQ(cache_count(cache), (size_t)0);
}

SIM_TEST(pauses_grow_and_nothing_makes_a_cache_give_up)
{
    SCOPED(cache_fixture)
    fixture = {STEPS({403, FAILURE("403", "Forbidden"), 0, false})};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache =
        cache_fixture_cache(&fixture, &(struct cache_options){.no_streaming_list = true});
    static const duration bases[] = {800, 1600, 3200, 6400, 12800, 25600};
    cache_fixture_wait_requests(&fixture, COUNT(bases) + 1);
    for (size_t i = 0; i < COUNT(bases); i++)
        CHECK(PAUSED(bases[i], fixture.gaps[i + 1]));
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK(fixture.requests > 12);
    CHECK(!cache_is_synced(cache));
}

SIM_TEST(events_that_come_twice_or_late_are_tolerated)
{
    SCOPED(cache_fixture)
    fixture = {
        STEPS(OPEN(FIRST_LOAD EVENT("ADDED", ITEM("a", "5")) EVENT("MODIFIED", ITEM("a", "10"))
                       EVENT("MODIFIED", ITEM("a", "10")) EVENT("ADDED", ITEM("b", "11"))
                           EVENT("DELETED", ITEM("b", "12")) EVENT("ADDED", ITEM("b", "11"))
                               EVENT("NEWTYPE", "{}") EVENT("DELETED", ITEM("a", "4"))))};
    CHECK_OK(cache_fixture_init(&fixture));
    struct cache *cache = cache_fixture_cache(&fixture, NULL);
    cache_add_handler(cache, &fixture.handler);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(buf_str(&fixture.told), STR("+a5! ~a5>10 +b11 -b11 "));
    CHECK_EQ(cache_resource_version(cache), STR("12"));
}
