/*
 * The registry as text: https://prometheus.io/docs/instrumenting/exposition_formats/, version
 * 0.0.4.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/metrics_internal.h"

#define NUMBER_MAX 32

/*
 * The shortest digits that read back as the same number, in the spelling of Go's Prometheus client:
 * exponents from a million up and below a ten-thousandth, with at least two digits. (For a few
 * powers of two, 2^-24 among them, Go finds a number that is one digit shorter.)
 */
static void write_number(struct buf *buf, double value)
{
    char text[NUMBER_MAX];
    int digits = 1;
    if (isnan(value) || isinf(value)) {
        buf_add(buf, isnan(value) ? STR("NaN") : value > 0 ? STR("+Inf") : STR("-Inf"));
        return;
    }
    if (value > -1e6 && value < 1e6 && value == floor(value)) {
        buf_print(buf, "%d", (int)value);
        return;
    }
    do
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    while (strtod(text, NULL) != value && digits++ < 17);
    const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 6)
        snprintf(text, sizeof(text), "%.*f", digits > exponent + 1 ? digits - 1 - exponent : 0,
                 value);
    buf_add(buf, str_from_c(text));
}

void metrics_escape(struct buf *buf, struct str text, bool quotes)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '\n')
            buf_add(buf, STR("\\n"));
        else if (c == '\\' || (c == '"' && quotes))
            buf_add(buf, c == '"' ? STR("\\\"") : STR("\\\\"));
        else
            buf_add_char(buf, c);
    }
}

/* The name with its suffix, and the labels, with the bound of a bucket where bound is not NULL. */
static void write_sample_name(struct buf *buf, const struct metrics_series *series,
                              struct str suffix, const double *bound)
{
    buf_add(buf, str_from_c(series->family->name));
    buf_add(buf, suffix);
    if (series->labels_len || bound)
        buf_add_char(buf, '{');
    buf_add(buf, str_from(series->labels, series->labels_len));
    if (bound) {
        buf_add(buf, series->labels_len ? STR(",le=\"") : STR("le=\""));
        write_number(buf, *bound);
        buf_add_char(buf, '"');
    }
    if (series->labels_len || bound)
        buf_add_char(buf, '}');
    buf_add_char(buf, ' ');
}

static void write_sample(struct buf *buf, const struct metrics_series *series, struct str suffix,
                         const double *bound, double value)
{
    write_sample_name(buf, series, suffix, bound);
    write_number(buf, value);
    buf_add_char(buf, '\n');
}

/*
 * Buckets are counted singly and shown cumulatively. The bucket +Inf equals the number of
 * observations.
 */
static void write_histogram(struct buf *buf, const struct metrics_series *series)
{
    static const double infinite = (double)INFINITY;
    const struct metrics_family *family = series->family;
    const uint64_t *counts = series->foreign_counts ? series->foreign_counts : series->counts;
    uint64_t below = 0;
    for (size_t i = 0; i <= family->bucket_count; i++) {
        below += counts[i];
        write_sample(buf, series, STR("_bucket"),
                     i < family->bucket_count ? &family->buckets[i] : &infinite, (double)below);
    }
    write_sample(buf, series, STR("_sum"), NULL, metrics_value(series));
    write_sample(buf, series, STR("_count"), NULL, (double)below);
}

static void write_head(struct buf *buf, const struct metrics_family *family)
{
    static const char *const kinds[] = {
        [METRICS_KIND_COUNTER] = "counter",
        [METRICS_KIND_GAUGE] = "gauge",
        [METRICS_KIND_HISTOGRAM] = "histogram",
    };
    buf_print(buf, "# HELP %s ", family->name);
    metrics_escape(buf, str_from_c(family->help), false);
    buf_print(buf, "\n# TYPE %s %s\n", family->name, kinds[family->kind]);
}

/* A family without series shows neither help nor type. */
static void write_group(struct buf *buf, const struct metrics_group *group)
{
    if (tree_count(&group->series) == 0)
        return;
    write_head(buf, group->family);
    TREE_FOREACH (node, &group->series) {
        const struct metrics_series *series = node->value;
        if (group->family->kind == METRICS_KIND_HISTOGRAM)
            write_histogram(buf, series);
        else
            write_sample(buf, series, STR(""), NULL, metrics_value(series));
    }
}

void metrics_write(const struct metrics *metrics, struct buf *buf)
{
    LIST_FOREACH (struct metrics_collector, collector, &metrics->collectors, link)
        collector->collect(collector->data);
    TREE_FOREACH (node, &metrics->groups)
        write_group(buf, node->value);
}
