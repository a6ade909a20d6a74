/*
 * What we measure. Every figure is printed beside what it is compared with, taken in the same run.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Seconds of processor time this process has used, and of a monotonic clock. */
double bench_cpu(void);
double bench_clock(void);

/* Bytes of memory in use by this process, as the kernel counts them. */
size_t bench_resident(void);

/* Gives unused heap back to the system, so that the next figure shows what is in use. */
void bench_trim(void);

/*
 * Allows this many open files, and says so on standard error if the system does not. Never lowers
 * the limit: the next benchmark of the run may need more.
 */
void bench_raise_files(size_t files);

void bench_heading(const char *text);

/* One row: what, figure, unit, remark. */
void bench_row(const char *what, double figure, const char *unit, const char *remark, ...)
    __attribute__((format(printf, 4, 5)));

void bench_fibers(void);
void bench_json(void);
void bench_manifest(void);
void bench_connections(size_t count);
void bench_watches(size_t clusters);
void bench_client(void);
void bench_drift(const char *which); /* repair or checks; NULL: both */
void bench_cache(void);
void bench_apiserver(const char *which); /* one of its parts; NULL: all */
void bench_queue(void);
void bench_rollout(void);
void bench_sets(const char *which); /* rollout, plan or many; NULL: all */
void bench_framework(void);
void bench_web(void);
void bench_clusters(const char *which); /* turns, sick, many or most; NULL: all but the last */
void bench_fleet(
    const char *which); /* nodes, many, pods, silent, overhead or lateness; NULL: all */
