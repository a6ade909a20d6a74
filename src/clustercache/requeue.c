#include "clustercache/requeue.h"

#include "base/owned.h"
#include "base/random.h"

/* Mirrors shouldRequeue() of Cluster API: exactly `interval` ago is long enough. */
bool requeue_should_wait(int64_t now, int64_t last, duration interval, duration *ret_remaining)
{
    if (last <= REQUEUE_NEVER)
        return false;
    const duration elapsed = now - last;
    if (elapsed >= interval)
        return false;
    *ret_remaining = interval - elapsed;
    return true;
}

duration requeue_retry(bool is_new, uint32_t failures, duration retry)
{
    static const duration steps[] = {SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND, 15 * SECOND};
    if (!is_new)
        return retry;
    const size_t step = failures > COUNT(steps) ? COUNT(steps) - 1 : failures - (failures > 0);
    return steps[step] < retry ? steps[step] : retry;
}

duration requeue_min_or_default(const duration *delays, size_t count, duration fallback)
{
    if (!count)
        return fallback;
    duration least = delays[0];
    for (size_t i = 1; i < count; i++)
        least = delays[i] < least ? delays[i] : least;
    return least;
}

duration requeue_spread(struct random *random, duration delay, double share)
{
    return share > 0 ? random_jitter(random, delay, share) : delay;
}
