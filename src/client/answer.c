/*
 * Answers and their pool. An answer that gives its bytes up is suspended somewhere in a read; it
 * learns of it when the next piece arrives or when it is parsed. Its memory is free at once.
 */
#include "client/answer.h"

#include "async/worker.h"
#include "json/json.h"
#include "json/weight.h"

/* Smaller texts are parsed in less time than a thread takes to wake up and answer. */
#define WORKER_FROM (256 * KILOBYTE)

/*
 * Pieces of ANSWER_FREE_BYTES: 16 MiB, the largest answer that is asked for, at once and 128 KiB a
 * second for each server. The slow lane has 4 MiB a second, which take about a hundredth of the
 * loop's time.
 */
#define ALLOWED_AT_ONCE    256
#define ALLOWED_PER_SECOND 2
#define SLOW_PER_SECOND    64

void answer_pool_init(struct answer_pool *pool, size_t limit, size_t values_max)
{
    *pool = (struct answer_pool){
        .limit = limit,
        .values_max = values_max,
        .parses = {.permits = 1},
    };
    list_init(&pool->holders);
    rate_limit_init(&pool->slow, SLOW_PER_SECOND, 1);
}

void answer_allowance_init(struct rate_limit *allowance)
{
    rate_limit_init(allowance, ALLOWED_PER_SECOND, ALLOWED_AT_ONCE);
}

void answer_pool_done(struct answer_pool *pool)
{
    cpu_gate_done(&pool->gate);
}

static void uncount_answer(struct answer *answer)
{
    if (!answer->pool || !answer->counted)
        return;
    answer->pool->used -= answer->counted;
    answer->counted = 0;
    list_remove(&answer->link);
}

void answer_done(struct answer *answer)
{
    uncount_answer(answer);
    buf_done(&answer->text);
    answer->passed = 0;
    answer->is_given_up = false;
}

static void give_up_answer(struct answer *answer)
{
    answer_done(answer);
    answer->is_given_up = true;
}

static struct error *check_given_up(const struct answer *answer)
{
    if (!answer->pool || !answer->is_given_up)
        return NULL;
    return error_new(
        ERROR_SERVICE_UNAVAILABLE,
        "the response is large, and the large responses of all servers together exceed "
        "%zu MiB; this one began first and was given up",
        answer->pool->limit / MEGABYTE);
}

/* The memory of the buffer counts, not its bytes, as it grows ahead of them. */
static void count_answer(struct answer *answer)
{
    struct answer_pool *pool = answer->pool;
    const size_t size = answer->text.capacity;
    if (size <= ANSWER_FREE_BYTES)
        return;
    if (!answer->counted)
        list_append(&pool->holders, &answer->link);
    pool->used += size - answer->counted;
    answer->counted = size;
    while (pool->used > pool->limit && !list_is_empty(&pool->holders))
        give_up_answer(LIST_ENTRY(list_first(&pool->holders), struct answer, link));
}

struct error *answer_add(struct answer *answer, struct str piece)
{
    TRY(check_given_up(answer));
    buf_add(&answer->text, piece);
    TRY(buf_check(&answer->text));
    if (answer->pool)
        count_answer(answer);
    return check_given_up(answer);
}

struct error *answer_wait_turn(struct answer *answer)
{
    if (!answer->pool || answer->text.len - answer->passed < ANSWER_FREE_BYTES)
        return NULL;
    answer->passed = answer->text.len;
    if (answer->allowance && rate_limit_try(answer->allowance))
        answer->charged++;
    else if (answer->allowance)
        TRY(rate_limit_wait(&answer->pool->slow),
            "wait to read more from a server that sends a lot");
    return cpu_gate_pass(&answer->pool->gate);
}

void answer_give_back(struct answer *answer)
{
    if (answer->charged)
        rate_limit_give(answer->allowance, answer->charged);
    answer->charged = 0;
}

/* The work of one parse, which may happen on a worker thread. */
struct parse {
    struct str text;
    size_t values_max;
    struct json_doc *doc;
    struct error *err;
};

static void parse_answer(void *data)
{
    struct parse *parse = data;
    if (parse->values_max != SIZE_MAX && !json_is_within(parse->text, SIZE_MAX, parse->values_max))
        parse->err =
            error_new(ERROR_TOO_LARGE, "the response has more than %zu values", parse->values_max);
    else
        parse->err = json_read(parse->text, &parse->doc);
}

/*
 * While the answer waits for its turn its bytes may be taken away. While the worker reads them they
 * may not, so that the answer leaves the list of those that can give up; its bytes still count.
 */
static struct error *parse_on_worker(struct answer *answer, struct parse *parse)
{
    struct semaphore *turns = answer->pool ? &answer->pool->parses : NULL;
    if (turns)
        TRY(semaphore_take(turns), "wait to parse the response");
    struct error *err = check_given_up(answer);
    if (!err) {
        list_remove(&answer->link);
        err = worker_run(parse_answer, parse, NULL);
    }
    if (turns)
        semaphore_give(turns);
    return err;
}

struct error *answer_read_json(struct answer *answer, struct json_doc **ret_doc)
{
    TRY(check_given_up(answer));
    struct parse parse = {
        .text = buf_str(&answer->text),
        .values_max = answer->pool ? answer->pool->values_max : SIZE_MAX,
    };
    if (parse.text.len >= WORKER_FROM)
        TRY(parse_on_worker(answer, &parse));
    else
        parse_answer(&parse);
    answer_done(answer);
    *ret_doc = parse.doc;
    return parse.err;
}
