/*
 * The body of a response, from its first byte until it is parsed.
 *
 * Each answer has a limit of its own. With thousands of servers that alone bounds nothing, and a
 * server may send its answer as slowly as the deadline allows. So the clients of one owner may
 * share a pool: the first bytes of every answer are free, the memory beyond counts against the
 * pool, and when the pool is full the answer that began first gives its bytes up and fails. Nobody
 * waits for memory, and whoever is slow pays for it instead of the next one.
 *
 * The bytes cost time of the loop as well. A server has an allowance for large answers that are of
 * no use, such as one that exceeds its limit. Servers that have used it up share one slow lane, so
 * that all of them together take a small part of the loop's time, however much they send. An answer
 * that is of use gives back what it took: a server with large objects or long lists is never slow.
 *
 *     SCOPED(answer) answer = {0};
 *     TRY(client_exchange(client, &request, &arena, &answer, NULL));
 *     TRY(answer_read_json(&answer, &doc));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "async/cpu_turn.h"
#include "async/semaphore.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/list.h"
#include "base/owned.h"
#include "client/rate_limit.h"

struct json_doc;

/* Bytes of an answer that do not count. Most answers are smaller. */
#define ANSWER_FREE_BYTES (64 * KILOBYTE)

struct answer_pool {
    size_t limit;      /* bytes of all answers together */
    size_t values_max; /* JSON values of one answer; a parsed value takes sixteen bytes */
    size_t used;
    struct list holders;     /* answers that count, the first to begin in front */
    struct semaphore parses; /* one large answer is parsed at a time */
    struct cpu_gate gate;    /* in front of the next bytes of a large answer */
    struct rate_limit slow;  /* pieces of servers whose allowance is used up */
};

void answer_pool_init(struct answer_pool *pool, size_t limit, size_t values_max);
void answer_pool_done(struct answer_pool *pool); /* no answer may be left */

/* Of one server; the tokens are pieces of ANSWER_FREE_BYTES. */
void answer_allowance_init(struct rate_limit *allowance);

/* The zero value is an empty answer. It stays at its place in memory until answer_done(). */
struct answer {
    struct buf text; /* the limit may be set; 0: that of the client */

    struct answer_pool *pool;     /* set by the client; NULL: nothing is counted */
    struct rate_limit *allowance; /* of the server; NULL: no limit */
    struct list_link link;
    size_t counted;
    size_t charged; /* tokens of the allowance that were taken */
    size_t passed;  /* bytes that there were when the gate was passed last */
    bool is_given_up;
};

/* Releases the text. The limit stays, so that the answer can be read again. */
void answer_done(struct answer *answer);

/*
 * Appends a piece. ERROR_TOO_LARGE past the limit; ERROR_SERVICE_UNAVAILABLE if this answer had to
 * give its bytes up, now or earlier: the server may be asked again.
 */
MUST_USE struct error *answer_add(struct answer *answer, struct str piece);

/*
 * Waits until more of the answer may be read. A large answer waits once for every ANSWER_FREE_BYTES
 * of it, and one answer of the pool goes on in each iteration of the loop, behind everything that
 * is ready. However many large answers arrive at once, an iteration copies the bytes of one of
 * them, and small answers do not wait for the others. When the allowance of the server is used up
 * the answer waits in the slow lane, too. Suspends.
 */
MUST_USE struct error *answer_wait_turn(struct answer *answer);

/* The answer was of use: what it took of the allowance of its server is given back. */
void answer_give_back(struct answer *answer);

/*
 * Parses the text and releases it. A large text is parsed on a worker thread, meanwhile the fiber
 * suspends. ERROR_TOO_LARGE if it has more values than the pool allows.
 */
MUST_USE struct error *answer_read_json(struct answer *answer, struct json_doc **ret_doc);
