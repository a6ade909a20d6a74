/*
 * Sends recorded requests to a server, one after the other, and judges what it answers.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/owned.h"
#include "peers/conformance/answer.h"
#include "peers/conformance/caller.h"
#include "peers/conformance/compare.h"
#include "peers/conformance/difference.h"
#include "peers/conformance/exchange.h"

struct loop;
struct replay;

struct replay_options {
    struct caller_options caller;
    const struct exchange_list *list; /* borrowed */
    struct compare_options compare;
};

struct replay *replay_new(struct loop *loop, const struct replay_options *options);
void replay_free(struct replay *replay); /* Suspends while streams are closed */
DEFINE_OWNED(replay)

/*
 * Suspends. The exchanges of a group are given in their order, as far as they are given at all. A
 * server that does not answer is a difference; an error means that the fiber was interrupted. The
 * answer is zeroed, and stays empty when there was none.
 */
MUST_USE struct error *replay_exchange(struct replay *replay, const struct exchange *exchange,
                                       struct answer *answer, struct differences *differences);
