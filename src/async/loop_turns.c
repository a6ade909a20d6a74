/*
 * One reading of the clock for each turn: a turn ends when the next one begins (loop_turns_end()).
 * Only the wait for the outside, between two iterations, belongs to no turn (loop_turns_begin()).
 *
 * The CPU time of the thread costs a system call. It is read when SAMPLE has passed since the last
 * reading, at most 200 times in a second. Before a turn began, up to SAMPLE may have passed since
 * the last reading. All of that time is taken to have been used, so the CPU time of a turn is never
 * overstated, and understated by SAMPLE at most.
 */
#include "async/loop_turns.h"

#include "async/loop_internal.h"
#include "base/log.h"
#include "base/metrics.h"

#define SAMPLE   (5 * MILLISECOND)
#define TOLD_FOR MINUTE

enum { TURN, LONGEST, LONGEST_CPU };

static const double seconds_bounds[] = {0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1};
static const duration bounds[] = {
    100 * MICROSECOND, MILLISECOND,       5 * MILLISECOND,   10 * MILLISECOND, 20 * MILLISECOND,
    50 * MILLISECOND,  100 * MILLISECOND, 500 * MILLISECOND, SECOND,
};
_Static_assert(COUNT(bounds) == LOOP_TURNS_BUCKETS - 1, "the last bucket has no bound");
_Static_assert(COUNT(bounds) == COUNT(seconds_bounds), "the same bounds, in two units");

static const struct metrics_family families[] = {
    [TURN] =
        METRICS_HISTOGRAM("corset_loop_turn_seconds",
                          "How long one fiber kept the thread from all others.", seconds_bounds),
    [LONGEST] = METRICS_GAUGE("corset_loop_longest_turn_seconds",
                              "The longest of these times since the process began."),
    [LONGEST_CPU] = METRICS_GAUGE("corset_loop_longest_turn_cpu_seconds",
                                  "The most CPU time that one fiber used in such a time."),
};

/* How much the CPU time can have grown by at least since this moment; see the top of this file. */
static duration sample_cpu(struct loop *loop, int64_t since, int64_t now)
{
    struct loop_turns *turns = &loop->turns;
    if (!loop->backend->ops->cpu)
        return now - since;
    const duration cpu = loop->backend->ops->cpu(loop->backend);
    const duration used = cpu - turns->sampled_cpu - (since - turns->sampled);
    turns->sampled = now;
    turns->sampled_cpu = cpu;
    return used > 0 ? used : 0;
}

void loop_turns_begin(struct loop *loop, int64_t now)
{
    loop->turns.begun = now;
    if (now - loop->turns.sampled >= SAMPLE)
        sample_cpu(loop, now, now);
}

/* A turn of at least SAMPLE. Returns its CPU time. */
static duration note_long(struct loop *loop, int64_t now, const char *name, const char *waits_for)
{
    struct loop_turns *turns = &loop->turns;
    const duration took = now - turns->begun, cpu = sample_cpu(loop, turns->begun, now);
    if (took > turns->longest)
        turns->longest = took;
    if (cpu > turns->longest_cpu)
        turns->longest_cpu = cpu;
    if (took <= LOOP_TURNS_LONG || !log_is_on(2) || (turns->told && now - turns->told < TOLD_FOR))
        return cpu;
    turns->told = now;
    log_v(2, "A fiber kept the thread for long", LOG_STR("fiber", str_from_c(name)),
          LOG_STR("waitsFor", str_from_c(waits_for ? waits_for : "")),
          LOG_DURATION("duration", took), LOG_DURATION("cpu", cpu));
    return cpu;
}

duration loop_turns_end(struct loop *loop, const char *name, const char *waits_for)
{
    struct loop_turns *turns = &loop->turns;
    const int64_t now = loop_now(loop);
    const duration took = now - turns->begun;
    duration cpu = took;
    size_t bucket = 0;
    while (bucket < COUNT(bounds) && took > bounds[bucket])
        bucket++;
    turns->counts[bucket]++;
    turns->seconds += (double)took / (double)SECOND;
    if (took >= SAMPLE)
        cpu = note_long(loop, now, name, waits_for);
    else if (took > turns->longest)
        turns->longest = took;
    turns->begun = now;
    return cpu;
}

static double read_longest(void *data)
{
    const struct loop_turns *turns = data;
    return (double)turns->longest / (double)SECOND;
}

static double read_longest_cpu(void *data)
{
    const struct loop_turns *turns = data;
    return (double)turns->longest_cpu / (double)SECOND;
}

void loop_turns_register(struct loop *loop, struct metrics *metrics)
{
    struct loop_turns *turns = &loop->turns;
    metrics_register(metrics, families, COUNT(families));
    metrics_set_histogram(metrics_series(metrics, &families[TURN], NULL, 0), turns->counts,
                          &turns->seconds);
    metrics_set_source(metrics_series(metrics, &families[LONGEST], NULL, 0), read_longest, turns);
    metrics_set_source(metrics_series(metrics, &families[LONGEST_CPU], NULL, 0), read_longest_cpu,
                       turns);
}
