#include "client/answer.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "json/json.h"
#include "testing/sim.h"
#include "testing/test.h"

static struct answer answer_of(struct answer_pool *pool, size_t limit)
{
    return (struct answer){.text.limit = limit, .pool = pool};
}

/* Adds bytes of this value, in pieces as they come from a connection. */
MUST_USE static struct error *add_bytes(struct answer *answer, size_t count, char c)
{
    char piece[4096];
    memset(piece, c, sizeof(piece));
    for (; count > sizeof(piece); count -= sizeof(piece))
        TRY(answer_add(answer, str_from(piece, sizeof(piece))));
    return answer_add(answer, str_from(piece, count));
}

TEST(small_answers_do_not_count)
{
    struct answer_pool pool;
    answer_pool_init(&pool, MEGABYTE, 1000);
    SCOPED(answer) answer = answer_of(&pool, MEGABYTE);
    CHECK_OK(add_bytes(&answer, 10 * KILOBYTE, ' '));
    CHECK_EQ(pool.used, (size_t)0);
}

TEST(an_answer_has_a_limit_of_its_own)
{
    struct answer_pool pool;
    answer_pool_init(&pool, 100 * MEGABYTE, 1000);
    SCOPED(answer) answer = answer_of(&pool, MEGABYTE);
    CHECK_OK(add_bytes(&answer, MEGABYTE, ' '));
    CHECK_ERROR(add_bytes(&answer, 1, ' '), ERROR_TOO_LARGE);
    answer_done(&answer);
    CHECK_EQ(pool.used, (size_t)0);
}

TEST(the_answer_that_began_first_gives_up)
{
    struct answer_pool pool;
    answer_pool_init(&pool, MEGABYTE, 1000);
    SCOPED(answer) slow = answer_of(&pool, MEGABYTE);
    SCOPED(answer) other = answer_of(&pool, MEGABYTE);
    SCOPED(answer) quick = answer_of(&pool, MEGABYTE);
    CHECK_OK(add_bytes(&slow, 300 * KILOBYTE, ' '));
    CHECK_OK(add_bytes(&other, 100 * KILOBYTE, ' '));
    CHECK_OK(add_bytes(&quick, 300 * KILOBYTE, ' '));
    CHECK(pool.used <= pool.limit);
    CHECK_EQ(slow.text.capacity, (size_t)0); /* at once, not when its next bytes arrive */
    CHECK_EQ(quick.text.len, 300 * KILOBYTE);
    CHECK_FAILS(add_bytes(&slow, 1, ' '), ERROR_SERVICE_UNAVAILABLE, "was given up");
    CHECK_OK(add_bytes(&other, 1, ' '));

    /* It may be asked for again. */
    answer_done(&slow);
    CHECK_OK(add_bytes(&slow, 100 * KILOBYTE, ' '));
}

TEST(an_answer_larger_than_the_pool_gives_up_itself)
{
    struct answer_pool pool;
    answer_pool_init(&pool, MEGABYTE, 1000);
    SCOPED(answer) answer = answer_of(&pool, 10 * MEGABYTE);
    CHECK_ERROR(add_bytes(&answer, 9 * MEGABYTE, ' '), ERROR_SERVICE_UNAVAILABLE);
    CHECK_EQ(pool.used, (size_t)0);
}

SIM_TEST(answers_are_parsed_and_released)
{
    struct answer_pool pool;
    answer_pool_init(&pool, 10 * MEGABYTE, 1000);
    for (size_t size = 10; size <= MEGABYTE; size *= 10) { /* on the loop and on a worker */
        SCOPED(answer) answer = answer_of(&pool, 0);
        OWNED(json_doc) doc = NULL;
        CHECK_OK(answer_add(&answer, STR("\"")));
        CHECK_OK(add_bytes(&answer, size, 'a'));
        CHECK_OK(answer_add(&answer, STR("\"")));
        CHECK_OK(answer_read_json(&answer, &doc));
        CHECK_EQ(json_to_str(json_doc_root(doc)).len, size);
        CHECK_EQ(answer.text.capacity, (size_t)0);
        CHECK_EQ(pool.used, (size_t)0);
    }
}

SIM_TEST(answers_of_too_many_values_are_refused)
{
    struct answer_pool pool;
    answer_pool_init(&pool, 10 * MEGABYTE, 1000);
    for (size_t size = 2000; size <= MEGABYTE; size *= 10) {
        SCOPED(answer) answer = answer_of(&pool, 0);
        struct json_doc *doc = NULL;
        CHECK_OK(add_bytes(&answer, size, ','));
        CHECK_FAILS(answer_read_json(&answer, &doc), ERROR_TOO_LARGE, "more than 1000 values");
    }
    SCOPED(answer) deep = answer_of(NULL, 0);
    struct json_doc *doc = NULL;
    CHECK_OK(add_bytes(&deep, 2 * MEGABYTE, '['));
    CHECK_FAILS(answer_read_json(&deep, &doc), ERROR_PARSE, "exceeded max depth");
}

#define LARGE_ANSWERS 20
#define ITERATIONS    10

/* Large answers that arrive at once, and the bytes of all of them that were copied so far. */
struct answer_crowd {
    struct answer_pool pool;
    size_t copied;
};

static struct error *read_large(void *data)
{
    struct answer_crowd *crowd = data;
    SCOPED(answer) answer = answer_of(&crowd->pool, MEGABYTE);
    while (answer.text.len < MEGABYTE) {
        TRY(answer_wait_turn(&answer));
        TRY(add_bytes(&answer, 4096, ' '));
        crowd->copied += 4096;
    }
    return NULL;
}

/*
 * All bytes are there, so that nothing but turns makes anybody wait. A fiber that is ready in every
 * iteration stands for a small answer beside them.
 */
SIM_TEST(large_answers_wait_for_small_ones)
{
    struct answer_crowd crowd = {.copied = 0};
    answer_pool_init(&crowd.pool, 100 * MEGABYTE, 1000);
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < LARGE_ANSWERS; i++)
        scope_start(&scope, "large answer", read_large, &crowd);
    CHECK_OK(fiber_yield());
    for (size_t i = 0; i < ITERATIONS; i++)
        CHECK_OK(fiber_yield());
    CHECK(crowd.copied <= (LARGE_ANSWERS + ITERATIONS) * ANSWER_FREE_BYTES);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(crowd.copied, LARGE_ANSWERS * MEGABYTE);
    answer_pool_done(&crowd.pool);
}

SIM_TEST(an_answer_without_a_pool_does_not_wait)
{
    SCOPED(answer) answer = answer_of(NULL, MEGABYTE);
    const int64_t before = loop_now(loop_current());
    CHECK_OK(add_bytes(&answer, MEGABYTE, ' '));
    CHECK_OK(answer_wait_turn(&answer));
    CHECK_EQ(loop_now(loop_current()), before);
}

/* How long the answers of one server take whose bytes are all there. */
static duration read_several(struct answer_pool *pool, struct rate_limit *allowance, size_t count,
                             bool are_of_use)
{
    const int64_t begun = loop_now(loop_current());
    for (size_t i = 0; i < count; i++) {
        SCOPED(answer) answer = answer_of(pool, 4 * MEGABYTE);
        answer.allowance = allowance;
        while (answer.text.len < 4 * MEGABYTE) {
            CHECK_OK(answer_wait_turn(&answer));
            CHECK_OK(add_bytes(&answer, 16 * KILOBYTE, ' '));
        }
        if (are_of_use)
            answer_give_back(&answer);
    }
    return loop_now(loop_current()) - begun;
}

SIM_TEST(a_server_that_sends_a_lot_in_vain_becomes_slow)
{
    struct answer_pool pool;
    struct rate_limit allowance, other;
    answer_pool_init(&pool, 100 * MEGABYTE, 1000);
    answer_allowance_init(&allowance);
    answer_allowance_init(&other);
    CHECK_EQ(read_several(&pool, &allowance, 4, false), (duration)0);
    CHECK(read_several(&pool, &allowance, 4, false) > 3 * SECOND);
    CHECK_EQ(read_several(&pool, &other, 4, false), (duration)0);
    answer_pool_done(&pool);
}

SIM_TEST(a_server_whose_answers_are_of_use_is_never_slow)
{
    struct answer_pool pool;
    struct rate_limit allowance;
    answer_pool_init(&pool, 100 * MEGABYTE, 1000);
    answer_allowance_init(&allowance);
    CHECK_EQ(read_several(&pool, &allowance, 40, true), (duration)0);
    answer_pool_done(&pool);
}

/* The answer fails at once instead of holding its memory until its deadline. */
SIM_TEST(an_answer_whose_turn_comes_after_its_deadline_fails_at_once)
{
    struct answer_pool pool;
    struct rate_limit allowance;
    answer_pool_init(&pool, 100 * MEGABYTE, 1000);
    answer_allowance_init(&allowance);
    while (rate_limit_try(&allowance) || rate_limit_try(&pool.slow)) {
    }
    SCOPED(answer) answer = answer_of(&pool, 4 * MEGABYTE);
    answer.allowance = &allowance;
    CHECK_OK(add_bytes(&answer, ANSWER_FREE_BYTES, ' '));
    FIBER_TIMEOUT(MILLISECOND);
    CHECK_FAILS(answer_wait_turn(&answer), ERROR_DEADLINE, "a server that sends a lot");
    answer_pool_done(&pool);
}
