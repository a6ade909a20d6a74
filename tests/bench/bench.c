#include "bench.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

#define WATCHED_CLUSTERS 1000

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double bench_cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_clock(void)
{
    return seconds(CLOCK_MONOTONIC);
}

size_t bench_resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long size, resident = 0;
    if (file && fscanf(file, "%lu %lu", &size, &resident) != 2) /* NOLINT(cert-err34-c) */
        resident = 0;
    if (file)
        fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

void bench_trim(void)
{
    malloc_trim(0);
}

void bench_raise_files(size_t files)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        if (limit.rlim_cur >= files)
            return;
        limit.rlim_cur = files;
        if (limit.rlim_max < files)
            limit.rlim_max = files;
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return;
    }
    fprintf(stderr, "bench: cannot raise the limit of open files to %zu\n", files);
}

void bench_heading(const char *text)
{
    printf("\n%s\n", text);
    fflush(stdout);
}

void bench_row(const char *what, double figure, const char *unit, const char *remark, ...)
{
    va_list args;
    va_start(args, remark);
    printf("  %-52s %12.1f %-10s ", what, figure, unit);
    vprintf(remark, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "all";
    const char *detail = argc > 2 ? argv[2] : NULL;
    const bool is_counted = strcmp(part, "connections") == 0 || strcmp(part, "watches") == 0;
    uint64_t count = strcmp(part, "watches") == 0 ? WATCHED_CLUSTERS : 5000;
    if (is_counted && detail && !str_to_uint64(str_from_c(detail), &count)) {
        fprintf(
            stderr,
            "usage: bench [all|apiserver [writes|reads|fan-out|watches|start|clusters]|"
            "cache|client|clusters [turns|sick|many|most]|connections [COUNT]|drift [repair|checks]|fibers|fleet [nodes|many|pods|silent|overhead|lateness]|framework|json|manifest|queue|rollout|sets [rollout|spread|plan|requests|many|most]|watches [CLUSTERS]|web]\n");
        return 2;
    }
    const int all = strcmp(part, "all") == 0;
    if (all || strcmp(part, "apiserver") == 0)
        bench_apiserver(detail);
    if (all || strcmp(part, "cache") == 0)
        bench_cache();
    if (all || strcmp(part, "fleet") == 0)
        bench_fleet(detail);
    if (all || strcmp(part, "clusters") == 0)
        bench_clusters(detail);
    if (all || strcmp(part, "connections") == 0)
        bench_connections((size_t)count);
    if (all || strcmp(part, "client") == 0)
        bench_client();
    if (all || strcmp(part, "drift") == 0)
        bench_drift(detail);
    if (all || strcmp(part, "fibers") == 0)
        bench_fibers();
    if (all || strcmp(part, "framework") == 0)
        bench_framework();
    if (all || strcmp(part, "json") == 0)
        bench_json();
    if (all || strcmp(part, "manifest") == 0)
        bench_manifest();
    if (all || strcmp(part, "queue") == 0)
        bench_queue();
    if (all || strcmp(part, "rollout") == 0)
        bench_rollout();
    if (all || strcmp(part, "sets") == 0)
        bench_sets(detail);
    if (all || strcmp(part, "watches") == 0)
        bench_watches(all ? WATCHED_CLUSTERS : (size_t)count);
    if (all || strcmp(part, "web") == 0)
        bench_web();
    return 0;
}
