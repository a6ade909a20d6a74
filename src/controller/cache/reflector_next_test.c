#include "controller/cache/reflector_next.h"

#include "base/random.h"
#include "testing/test.h"

TEST(reflectors_go_on_after_a_watch_as_the_specification_says)
{
    const struct {
        const char *name;
        enum reflector_end end;
        enum reflector_phase phase;
        bool back_off, is_trouble;
    } rows[] = {
        {"ends after 1 s or an event", REFLECTOR_CLOSED,    REFLECTOR_WATCH,  false, false},
        {"ends before both",           REFLECTOR_SHORT,     REFLECTOR_STREAM, true,  false},
        {"ERROR event or status 410",  REFLECTOR_EXPIRED,   REFLECTOR_STREAM, true,  false},
        {"too large resource version", REFLECTOR_TOO_LARGE, REFLECTOR_STREAM, true,  false},
        {"refused connection, or 429", REFLECTOR_BUSY,      REFLECTOR_WATCH,  true,  false},
        {"anything else",              REFLECTOR_FAILED,    REFLECTOR_STREAM, true,  true },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s", rows[i].name);
        const struct reflector_step step = reflector_next(REFLECTOR_WATCH, rows[i].end);
        CHECK_EQ((int)step.phase, (int)rows[i].phase);
        CHECK_EQ(step.back_off, rows[i].back_off);
        CHECK_EQ(step.is_trouble, rows[i].is_trouble);
        CHECK(!step.forget); /* the round starts at the last known version */
    }
}

#define STREAM REFLECTOR_STREAM
#define LIST   REFLECTOR_LIST
#define WATCH  REFLECTOR_WATCH

TEST(reflectors_load_in_another_way_when_one_is_refused)
{
    const struct {
        const char *name;
        enum reflector_phase from;
        enum reflector_end end;
        enum reflector_phase phase;
        bool back_off, forget;
    } rows[] = {
        {"a streaming list is there",   STREAM, REFLECTOR_LOADED,    WATCH,  false, false},
        {"it ends before its bookmark", STREAM, REFLECTOR_CLOSED,    STREAM, true,  false},
        {"it is refused",               STREAM, REFLECTOR_FAILED,    LIST,   false, false},
        {"its version is forgotten",    STREAM, REFLECTOR_EXPIRED,   STREAM, false, true },
        {"its version is too large",    STREAM, REFLECTOR_TOO_LARGE, STREAM, false, true },
        {"the server is busy",          STREAM, REFLECTOR_BUSY,      STREAM, true,  false},
        {"a list is there",             LIST,   REFLECTOR_LOADED,    WATCH,  false, false},
        {"its version is forgotten",    LIST,   REFLECTOR_EXPIRED,   LIST,   false, true },
        {"its version is too large",    LIST,   REFLECTOR_TOO_LARGE, LIST,   false, true },
        {"it fails",                    LIST,   REFLECTOR_FAILED,    STREAM, true,  false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s", rows[i].name);
        const struct reflector_step step = reflector_next(rows[i].from, rows[i].end);
        CHECK_EQ((int)step.phase, (int)rows[i].phase);
        CHECK_EQ(step.back_off, rows[i].back_off);
        CHECK_EQ(step.forget, rows[i].forget);
    }
}

/* Whatever happens, there is no way to go on for ever without a pause or a stream that was useful.
 */
TEST(reflectors_pause_between_failures)
{
    for (enum reflector_phase phase = 0; phase < REFLECTOR_PHASES; phase++)
        for (enum reflector_end end = REFLECTOR_SHORT; end < REFLECTOR_ENDS; end++) {
            struct reflector_step step = reflector_next(phase, end);
            if (!step.back_off && !step.forget)
                step = reflector_next(step.phase, end);
            CHECK(step.back_off || step.forget);
        }
}

#define TOO_LARGE     "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}"
#define OTHER_CAUSES  "{\"causes\":[{\"reason\":\"x\"},1,null]}"
#define STRANGE_CAUSE "{\"causes\":{\"a\":{\"reason\":1}}}"

TEST(reflectors_know_errors_by_their_codes)
{
    const struct {
        enum error_code code;
        const char *details;
        enum reflector_end end;
    } rows[] = {
        {ERROR_EXPIRED,           NULL,          REFLECTOR_EXPIRED  },
        {ERROR_GONE,              NULL,          REFLECTOR_EXPIRED  },
        {ERROR_UNREACHABLE,       NULL,          REFLECTOR_BUSY     },
        {ERROR_TOO_MANY_REQUESTS, NULL,          REFLECTOR_BUSY     },
        {ERROR_UNAUTHORIZED,      NULL,          REFLECTOR_FAILED   },
        {ERROR_FORBIDDEN,         NULL,          REFLECTOR_FAILED   },
        {ERROR_INTERNAL,          NULL,          REFLECTOR_FAILED   },
        {ERROR_PARSE,             NULL,          REFLECTOR_FAILED   },
        {ERROR_DEADLINE,          NULL,          REFLECTOR_FAILED   },
        {ERROR_TIMEOUT,           TOO_LARGE,     REFLECTOR_TOO_LARGE},
        {ERROR_TIMEOUT,           OTHER_CAUSES,  REFLECTOR_FAILED   },
        {ERROR_TIMEOUT,           STRANGE_CAUSE, REFLECTOR_FAILED   },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct error err = {.code = rows[i].code, .details = (char *)rows[i].details};
        TEST_CASE("row %zu", i);
        CHECK_EQ((int)reflector_end_of_error(&err), (int)rows[i].end);
    }
}

TEST(reflectors_hurry_when_a_server_is_back_that_could_not_be_reached)
{
    const struct {
        const char *name;
        struct error err;
        bool hurried, may;
    } rows[] = {
        {"refused",            {.code = ERROR_UNREACHABLE},                   false, true },
        {"lost",               {.code = ERROR_CONNECTION},                    false, true },
        {"silent",             {.code = ERROR_DEADLINE},                      false, true },
        {"not twice",          {.code = ERROR_UNREACHABLE},                   true,  false},
        {"it answers",         {.code = ERROR_INTERNAL, .http_status = 500},  false, false},
        {"it refuses",         {.code = ERROR_FORBIDDEN, .http_status = 403}, false, false},
        {"an undecoded event", {.code = ERROR_PARSE},                         false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        TEST_CASE("%s", rows[i].name);
        CHECK_EQ(reflector_may_hurry(&rows[i].err, rows[i].hurried), rows[i].may);
    }
    CHECK(!reflector_may_hurry(NULL, false)); /* a stream that ended too soon */
}

TEST(reflectors_know_streams_that_were_of_no_use)
{
    CHECK_EQ((int)reflector_end_of_stream(0, 0), (int)REFLECTOR_SHORT);
    CHECK_EQ((int)reflector_end_of_stream(SECOND - 1, 0), (int)REFLECTOR_SHORT);
    CHECK_EQ((int)reflector_end_of_stream(SECOND, 0), (int)REFLECTOR_CLOSED);
    CHECK_EQ((int)reflector_end_of_stream(0, 1), (int)REFLECTOR_CLOSED);
}

TEST(reflectors_pause_longer_each_time_and_start_over)
{
    struct random random;
    random_init(&random, 7);
    struct reflector_backoff backoff = {0};
    int64_t now = HOUR;
    const duration bases[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
    for (int turn = 0; turn < 50; turn++) {
        const int64_t begun = now;
        for (size_t i = 0; i < COUNT(bases) && now - begun <= 2 * MINUTE; i++) {
            const duration base = bases[i] * MILLISECOND;
            const duration span = reflector_backoff_next(&backoff, now, &random);
            CHECK(span >= base && span < 2 * base);
            now += span;
        }
        now = begun + 2 * MINUTE + 1;
    }
}
