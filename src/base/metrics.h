/*
 * Metrics, exposed in the Prometheus text format 0.0.4.
 *
 * A module declares its families in a static table and registers that with the process's registry.
 * A family has one series for every combination of label values that was asked for.
 *
 *     static const struct metrics_family families[] = {
 *         METRICS_GAUGE("app_up", "Whether it is up.", "name"),
 *         METRICS_HISTOGRAM("app_seconds", "How long it took.", seconds_buckets),
 *     };
 *     metrics_register(metrics, families, COUNT(families));
 *     metrics_set(METRICS_SERIES(metrics, &families[0], STR("a")), 1);
 *
 * The pointer to a series may be kept: updating it costs no search. It is valid until the series is
 * removed, or, with metrics_series_ref(), until it is given back: updates of a removed series then
 * go nowhere and do not bring it back.
 *
 * A family holds at most series_max series. Past that, METRICS_SERIES() gives one that takes
 * updates but is never shown, and metrics_series_dropped_total{metric="…"} counts how often that
 * happened.
 *
 * A family without labels shows from its registration on, one with labels once it has a series.
 * Families come in the order of their names, series in that of their label values, so equal states
 * give equal text. All calls are made on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/owned.h"
#include "base/str.h"

#define METRICS_CONTENT_TYPE       "text/plain; version=0.0.4; charset=utf-8"
#define METRICS_LABELS_MAX         8
#define METRICS_SERIES_MAX_DEFAULT ((size_t)100000)

struct metrics;
struct metrics_series;

enum metrics_kind { METRICS_KIND_COUNTER, METRICS_KIND_GAUGE, METRICS_KIND_HISTOGRAM };

/* Lives as long as the registry. Names follow Prometheus' rules; that is asserted. */
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

/* Registering a table again changes nothing; another family of the same name is a mistake. */
void metrics_register(struct metrics *metrics, const struct metrics_family *families, size_t count);

/* The series with these label values, new ones starting at 0. As many values as labels. */
struct metrics_series *metrics_series(struct metrics *metrics, const struct metrics_family *family,
                                      const struct str *values, size_t count);
#define METRICS_SERIES(metrics, family, ...) \
    metrics_series(metrics, family, METRICS_VALUES_(__VA_ARGS__))

#define METRICS_VALUES_(...)           \
    (const struct str[]){__VA_ARGS__}, \
        sizeof((const struct str[]){__VA_ARGS__}) / sizeof(struct str)

/* Keeps a series usable after its removal, even after the registry's end. */
struct metrics_series *metrics_series_ref(struct metrics_series *series);
void metrics_series_unref(struct metrics_series *series);

/* Counters take what is not negative; gauges anything. */
void metrics_add(struct metrics_series *series, double amount);
void metrics_set(struct metrics_series *series, double value);
void metrics_observe(struct metrics_series *series, double value);

static inline void metrics_inc(struct metrics_series *series)
{
    metrics_add(series, 1);
}

/* From now on the value is asked for whenever it is shown. Not for histograms. */
typedef double metrics_read_fn(void *data);
void metrics_set_source(struct metrics_series *series, metrics_read_fn *read, void *data);

/* The value of a counter or gauge, the sum of a histogram. */
double metrics_value(const struct metrics_series *series);

/* Removes exactly one series; false when there was none. A later one of its name starts at 0. */
bool metrics_remove(struct metrics *metrics, const struct metrics_family *family,
                    const struct str *values, size_t count);
#define METRICS_REMOVE(metrics, family, ...) \
    metrics_remove(metrics, family, METRICS_VALUES_(__VA_ARGS__))

/* Appends everything. What exceeds the buffer's limit is noticed by buf_check(). */
void metrics_write(const struct metrics *metrics, struct buf *buf);
