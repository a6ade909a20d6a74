#include "support/simulation/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "testing/test.h"

struct plan {
    seeds_run_fn *run;
    uint64_t first, count, step;
    bool points, repeat, verbose;
};

/* Shared with the child. */
struct progress {
    uint64_t seed;
    bool is_running;
};

struct totals {
    uint64_t runs, requests, lives;
    duration slowest;
};

static struct seeds_result run_one(const struct plan *plan, const struct front_shared *shared,
                                   uint64_t number)
{
    struct seeds_result result;
    const struct seeds_options options = {.shared = shared,
                                          .seed = plan->points ? 1 : number,
                                          .restart_at = plan->points ? number : 0,
                                          .verbose = plan->verbose};
    test_case("seed %" PRIu64, number);
    plan->run(&options, &result);
    return result;
}

static void check_same_run(const struct plan *plan, const struct front_shared *shared,
                           uint64_t number, const struct seeds_result *first)
{
    struct seeds_result second = run_one(plan, shared, number);
    if (first->hash != second.hash)
        test_fail(TEST_PLACE("trace"), "is another one the second time");
    buf_done(&second.state);
}

static void check_same_end(const struct buf *seen, struct buf *expected)
{
    struct str left = buf_str(seen), right, a, b;
    if (!expected->len)
        buf_add(expected, left);
    right = buf_str(expected);
    while (left.len || right.len) {
        (void)str_cut(&left, '\n', &a);
        (void)str_cut(&right, '\n', &b);
        CHECK_EQ(a, b);
    }
}

static int run_all(const struct plan *plan, struct progress *progress)
{
    struct front_shared shared;
    struct totals totals = {0};
    SCOPED(buf) state = {.limit = 0};
    const clock_t begun = clock();
    front_shared_init(&shared);
    for (uint64_t i = 0; i < plan->count; i++) {
        const uint64_t number = plan->first + i * plan->step;
        progress->seed = number;
        progress->is_running = true;
        struct seeds_result result = run_one(plan, &shared, number);
        if (plan->repeat)
            check_same_run(plan, &shared, number, &result);
        check_same_end(&result.state, &state);
        totals.runs++;
        totals.requests += result.requests;
        totals.lives += result.lives;
        if (totals.slowest < result.took)
            totals.slowest = result.took;
        if (plan->verbose)
            printf("seed %" PRIu64 ": %" PRIu64 " suspensions, trace %016" PRIx64 "\n", number,
                   result.parks, result.hash);
        buf_done(&result.state);
        /* Past the last suspension of a run without trouble there is nothing to disturb. */
        if (plan->points && result.lives == 1)
            break;
    }
    progress->is_running = false;
    front_shared_done(&shared);
    printf("%" PRIu64 " runs, %" PRIu64 " requests, %" PRIu64 " lives of a controller; "
           "at most %.0f s until all was well; %.1f s of processor time\n",
           totals.runs, totals.requests, totals.lives, (double)totals.slowest / (double)SECOND,
           (double)(clock() - begun) / CLOCKS_PER_SEC);
    return 0;
}

static void report(const struct plan *plan, const char *program, const struct progress *progress)
{
    if (progress->is_running)
        fprintf(stderr, "FAILED. Again: %s%s --seed %" PRIu64 " --seeds 1 -v\n", program,
                plan->points ? " --points" : "", progress->seed);
    else
        fprintf(stderr,
                "FAILED after the last run: something was left behind. Again, with halves "
                "of the seeds: %s --seed %" PRIu64 " --seeds %" PRIu64 "\n",
                program, plan->first, plan->count);
}

static int watch_over(const struct plan *plan, const char *program)
{
    int status = 0;
    struct progress *progress = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED)
        return 1;
    const pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0)
        exit(run_all(plan, progress)); /* NOLINT(concurrency-mt-unsafe) */
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    report(plan, program, progress);
    return 1;
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--seed N] [--seeds N] [--step N] [--points] [--repeat] [-v]\n",
            program);
    return 2;
}

/* The number that a flag wants, if it wants one. */
static uint64_t *find_number(struct plan *plan, struct str flag)
{
    if (str_eq(flag, STR("--seed")))
        return &plan->first;
    if (str_eq(flag, STR("--seeds")))
        return &plan->count;
    return str_eq(flag, STR("--step")) ? &plan->step : NULL;
}

static bool *find_switch(struct plan *plan, struct str flag)
{
    if (str_eq(flag, STR("--points")))
        return &plan->points;
    if (str_eq(flag, STR("--repeat")))
        return &plan->repeat;
    return str_eq(flag, STR("-v")) ? &plan->verbose : NULL;
}

int seeds_main(seeds_run_fn *run, int argc, char **argv)
{
    struct plan plan = {.run = run, .first = 1, .count = 1, .step = 1};
    for (int i = 1; i < argc; i++) {
        const struct str flag = str_from_c(argv[i]);
        uint64_t *number = find_number(&plan, flag);
        bool *on = find_switch(&plan, flag);
        if (on)
            *on = true;
        else if (!number || ++i == argc || !str_to_uint64(str_from_c(argv[i]), number))
            return usage(argv[0]);
    }
    return watch_over(&plan, argv[0]);
}
