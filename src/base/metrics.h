/*
 * Metrics, exposed in the Prometheus text format 0.0.4.
 *
 * A module declares its families in a static table and registers the table with the registry of the
 * process. A family has one series for every combination of label values that was used.
 *
 *     static const struct metrics_family families[] = {
 *         METRICS_GAUGE("app_up", "Whether it is up.", "name"),
 *         METRICS_HISTOGRAM("app_seconds", "How long it took.", seconds_buckets),
 *     };
 *     metrics_register(metrics, families, COUNT(families));
 *     metrics_set(METRICS_SERIES(metrics, &families[0], STR("a")), 1);
 *
 * The pointer to a series may be kept: an update through it needs no search. The pointer is valid
 * until the series is removed. With metrics_series_ref() it is valid until metrics_series_unref():
 * updates of a removed series have no effect then and do not bring it back.
 *
 * A family holds at most series_max series. Past that, METRICS_SERIES() returns a series that takes
 * updates but is never shown, and metrics_series_dropped_total{metric="…"} counts how often that
 * happened.
 *
 * A family without labels shows from its registration on, one with labels when it has a series.
 * Families are sorted by name and series by label values, so equal states give equal text. All
 * calls are made on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/owned.h"
#include "base/str.h"

#define METRICS_CONTENT_TYPE       "text/plain; version=0.0.4; charset=utf-8"
#define METRICS_LABELS_MAX         8
#define METRICS_SERIES_MAX_DEFAULT ((size_t)100000)

struct metrics;
struct metrics_series;

enum metrics_kind { METRICS_KIND_COUNTER, METRICS_KIND_GAUGE, METRICS_KIND_HISTOGRAM };

/* Lives as long as the registry. Names must follow the rules of Prometheus; this is asserted. */
struct metrics_family {
    const char *name, *help;
    enum metrics_kind kind;
    const char *labels[METRICS_LABELS_MAX]; /* shown in this order; NULL ends them */
    const double *buckets; /* upper bounds, ascending and finite; +Inf is implied */
    size_t bucket_count;
    size_t series_max; /* 0 means METRICS_SERIES_MAX_DEFAULT */
};

/* Rows of a table: name, help, (an array of buckets,) labels. */
#define METRICS_COUNTER(name_, help_, ...) METRICS_ROW_(COUNTER, name_, help_, NULL, 0, __VA_ARGS__)
#define METRICS_GAUGE(name_, help_, ...)   METRICS_ROW_(GAUGE, name_, help_, NULL, 0, __VA_ARGS__)
#define METRICS_HISTOGRAM(name_, help_, buckets_, ...) \
    METRICS_ROW_(HISTOGRAM, name_, help_, buckets_, COUNT(buckets_), __VA_ARGS__)

#define METRICS_ROW_(kind_, name_, help_, buckets_, count_, ...)                                 \
    {                                                                                            \
        .name = (name_), .help = (help_), .kind = METRICS_KIND_##kind_, .labels = {__VA_ARGS__}, \
        .buckets = (buckets_), .bucket_count = (count_)                                          \
    }

struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);
DEFINE_OWNED(metrics)

/*
 * Registering a table again changes nothing. Another family of the same name is a programming
 * error.
 */
void metrics_register(struct metrics *metrics, const struct metrics_family *families, size_t count);

/* The series with these label values; a new one starts at 0. There are as many values as labels. */
struct metrics_series *metrics_series(struct metrics *metrics, const struct metrics_family *family,
                                      const struct str *values, size_t count);
#define METRICS_SERIES(metrics, family, ...) \
    metrics_series(metrics, family, METRICS_VALUES_(__VA_ARGS__))

#define METRICS_VALUES_(...)           \
    (const struct str[]){__VA_ARGS__}, \
        sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str)

/* Keeps a series usable after its removal, even after the registry is freed. */
struct metrics_series *metrics_series_ref(struct metrics_series *series);
void metrics_series_unref(struct metrics_series *series);

/* Counters take amounts that are not negative, gauges take any. */
void metrics_add(struct metrics_series *series, double amount);
void metrics_set(struct metrics_series *series, double value);
void metrics_observe(struct metrics_series *series, double value);

static inline void metrics_inc(struct metrics_series *series)
{
    metrics_add(series, 1);
}

/* From now on read() gives the value whenever it is shown. Not for histograms. */
typedef double metrics_read_fn(void *data);
void metrics_set_source(struct metrics_series *series, metrics_read_fn *read, void *data);

/*
 * From now on a histogram shows what is counted elsewhere: a count for each of its buckets and one
 * for the rest, and the sum. Both are borrowed.
 */
void metrics_set_histogram(struct metrics_series *series, const uint64_t *counts,
                           const double *sum);

/* The value of a counter or gauge, the sum of a histogram. */
double metrics_value(const struct metrics_series *series);

/*
 * Removes one series. False when there was none. A later series with the same labels starts at 0.
 */
bool metrics_remove(struct metrics *metrics, const struct metrics_family *family,
                    const struct str *values, size_t count);
#define METRICS_REMOVE(metrics, family, ...) \
    metrics_remove(metrics, family, METRICS_VALUES_(__VA_ARGS__))

/* Removes all series of a family. */
void metrics_clear(struct metrics *metrics, const struct metrics_family *family);

/*
 * A collector is called before the registry is shown, to bring series up to date that are counted
 * then and not at every change. It must not suspend. The registry borrows it until it is removed.
 */
struct metrics_collector {
    void (*collect)(void *data);
    void *data;
    /* private */
    struct list_link link;
};
void metrics_add_collector(struct metrics *metrics, struct metrics_collector *collector);
void metrics_remove_collector(struct metrics_collector *collector); /* a zeroed one: no-op */

/* Appends all families. buf_check() reports when the text passes the limit of the buffer. */
void metrics_write(const struct metrics *metrics, struct buf *buf);
