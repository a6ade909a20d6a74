/*
 * chaos [--seed N] [--seeds N] [--clusters N] [--rotation] [--repeat] [-v]
 *
 * Runs seeds N, N+1, … With --repeat every run is made twice and has to be the same both times. The
 * runs are made by a child, so that whatever kills it, the seed is known.
 */
#include "soak/clusters/chaos.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct plan {
    uint64_t first, count, clusters;
    bool rotates, repeats, verbose;
};

static uint64_t run_one(const struct plan *plan, uint64_t seed)
{
    test_case("seed %" PRIu64, seed);
    return chaos_run(&(struct chaos_options){.seed = seed,
                                             .clusters = (size_t)plan->clusters,
                                             .rotates = plan->rotates,
                                             .verbose = plan->verbose});
}

static int run_all(const struct plan *plan, uint64_t *seed)
{
    const clock_t begun = clock();
    for (uint64_t i = 0; i < plan->count; i++) {
        *seed = plan->first + i;
        const uint64_t hash = run_one(plan, *seed);
        if (plan->repeats && run_one(plan, *seed) != hash)
            test_fail(TEST_PLACE("trace"), "is another one the second time");
        if (plan->verbose)
            printf("seed %" PRIu64 ": trace %016" PRIx64 "\n", *seed, hash);
    }
    printf("%" PRIu64 " runs, %.1f s of processor time\n", plan->count,
           (double)(clock() - begun) / CLOCKS_PER_SEC);
    return 0;
}

/* The seed is in shared memory, so that the parent can name it after a crash of the child. */
static int watch_over(const struct plan *plan, const char *program)
{
    int status = 0;
    uint64_t *seed =
        mmap(NULL, sizeof(*seed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seed == MAP_FAILED)
        return 1;
    const pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0)
        exit(run_all(plan, seed)); /* NOLINT(concurrency-mt-unsafe) */
    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    fprintf(stderr, "FAILED. Again: %s --seed %" PRIu64 " --clusters %" PRIu64 "%s -v\n", program,
            *seed, plan->clusters, plan->rotates ? " --rotation" : "");
    return 1;
}

static int usage(void)
{
    fprintf(stderr, "usage: chaos [--seed N] [--seeds N] [--clusters N] [--rotation] [--repeat] "
                    "[-v]\n");
    return 2;
}

static bool read_flag(struct plan *plan, struct str flag)
{
    const struct {
        struct str name;
        bool *value;
    } flags[] = {
        {STR("--rotation"), &plan->rotates},
        {STR("--repeat"),   &plan->repeats},
        {STR("-v"),         &plan->verbose},
    };
    for (size_t i = 0; i < COUNT(flags); i++)
        if (str_eq(flag, flags[i].name))
            return *flags[i].value = true;
    return false;
}

static uint64_t *find_number(struct plan *plan, struct str flag)
{
    if (str_eq(flag, STR("--seed")))
        return &plan->first;
    if (str_eq(flag, STR("--seeds")))
        return &plan->count;
    return str_eq(flag, STR("--clusters")) ? &plan->clusters : NULL;
}

int main(int argc, char **argv)
{
    struct plan plan = {.first = 1, .count = 1, .clusters = 3};
    for (int i = 1; i < argc; i++) {
        const struct str flag = str_from_c(argv[i]);
        uint64_t *number = find_number(&plan, flag);
        if (number ? ++i == argc || !str_to_uint64(str_from_c(argv[i]), number)
                   : !read_flag(&plan, flag))
            return usage();
    }
    return watch_over(&plan, argv[0]);
}
