/*
 * The error texts are those of golang.org/x/time/rate, which users of client-go know.
 */
#include "client/rate_limit.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/duration.h"

#define QPS_DEFAULT   20
#define BURST_DEFAULT 30

void rate_limit_init(struct rate_limit *limit, double qps, double burst)
{
    *limit = (struct rate_limit){
        .qps = qps != 0 ? qps : QPS_DEFAULT, /* NOLINT(clang-diagnostic-float-equal) */
        .burst = burst >= 1 ? burst : BURST_DEFAULT,
    };
}

/* Adds the tokens of the time since the last call. The bucket is full at its first use. */
static void refill_bucket(struct rate_limit *limit, int64_t now)
{
    if (limit->counted == 0)
        limit->tokens = limit->burst;
    else
        limit->tokens += (double)(now - limit->counted) / (double)SECOND * limit->qps;
    if (limit->tokens > limit->burst)
        limit->tokens = limit->burst;
    limit->counted = now;
}

/* A caller that is cancelled while it waits gives its token back to those behind it. */
struct error *rate_limit_wait(struct rate_limit *limit)
{
    if (limit->qps < 0)
        return NULL;
    const int64_t now = loop_now(loop_current());
    refill_bucket(limit, now);
    /* A token is taken before it exists. The debt says how long to wait and keeps the order. */
    const double debt = 1 - limit->tokens;
    const duration wait = debt > 0 ? (duration)(debt / limit->qps * (double)SECOND) : 0;
    if (wait > 0 && fiber_deadline() != FOREVER && fiber_deadline() - now < wait)
        return error_new(ERROR_DEADLINE, "client rate limiter Wait returned an error: rate: "
                                         "Wait(n=1) would exceed context deadline");
    limit->tokens -= 1;
    if (wait == 0)
        return NULL;
    struct error *err = fiber_sleep(wait);
    if (err)
        limit->tokens += 1; /* the token was not used */
    return error_wrap(err, "client rate limiter Wait returned an error");
}

bool rate_limit_try(struct rate_limit *limit)
{
    if (limit->qps < 0)
        return true;
    refill_bucket(limit, loop_now(loop_current()));
    if (limit->tokens < 1)
        return false;
    limit->tokens -= 1;
    return true;
}

void rate_limit_give(struct rate_limit *limit, size_t tokens)
{
    limit->tokens += (double)tokens;
    if (limit->tokens > limit->burst)
        limit->tokens = limit->burst;
}
