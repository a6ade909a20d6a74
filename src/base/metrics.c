/*
 * The registry of metrics; metrics_write.c shows it as text.
 *
 * Two levels of trees: families by name, and below each family its series by label values. Trees
 * keep both in order, so the text is sorted without further work. A series is found by a key made
 * of its label values (key_write()) and holds its labels ready formatted, because they are shown
 * far more often than a series is made.
 *
 * A series has a reference count. The registry holds one reference, metrics_series_ref() takes
 * another: a series that is removed from the registry stays usable for its holders but no longer
 * shows.
 */
#include "base/metrics.h"

#include <assert.h>
#include <math.h>

#include "base/ascii.h"
#include "base/memory.h"
#include "base/metrics_internal.h"

/*
 * Registered when the first series is dropped, so that it shows only when there is something to
 * show.
 */
static const struct metrics_family dropped_family = METRICS_COUNTER(
    "metrics_series_dropped_total", "Times a metric was at its limit of series.", "metric");

static void series_release(void *series)
{
    metrics_series_unref(series);
}

static void group_release(void *ptr)
{
    struct metrics_group *group = ptr;
    tree_done(&group->series);
    metrics_series_unref(group->discarded);
    mem_free(group);
}

struct metrics *metrics_new(void)
{
    struct metrics *metrics = NEW(struct metrics);
    metrics->groups.release = group_release;
    list_init(&metrics->collectors);
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    while (list_take_first(&metrics->collectors))
        ;
    tree_done(&metrics->groups);
    mem_free(metrics);
}

/* [a-zA-Z_:][a-zA-Z0-9_:]*, without colons for labels: the rule of Prometheus. */
static bool is_name(const char *name, bool colons)
{
    for (const char *c = name; *c; c++) {
        const bool letter = ascii_is_letter(*c) || *c == '_';
        const bool digit = ascii_is_digit(*c) && c > name;
        if (!letter && !digit && !(colons && *c == ':'))
            return false;
    }
    return *name;
}

static size_t label_count(const struct metrics_family *family)
{
    size_t count = 0;
    while (count < METRICS_LABELS_MAX && family->labels[count])
        count++;
    return count;
}

/*
 * Families are constants of the program, so mistakes in them are asserted. Prometheus reserves
 * label names that begin with "__", and "le" is the bound of a histogram's bucket.
 */
static void check_family(const struct metrics_family *family)
{
    const bool histogram = family->kind == METRICS_KIND_HISTOGRAM;
    assert(is_name(family->name, true));
    for (size_t i = 0; i < label_count(family); i++) {
        assert(is_name(family->labels[i], false) && strncmp(family->labels[i], "__", 2) != 0);
        assert(!histogram || strcmp(family->labels[i], "le") != 0);
    }
    assert(histogram || family->bucket_count == 0);
    for (size_t i = 0; i < family->bucket_count; i++)
        assert(isfinite(family->buckets[i]) &&
               (i == 0 || family->buckets[i] > family->buckets[i - 1]));
}

/* The family must have been registered, and by this very table. */
static struct metrics_group *group_get(const struct metrics *metrics,
                                       const struct metrics_family *family)
{
    struct metrics_group *group = tree_get(&metrics->groups, str_from_c(family->name));
    assert(group->family == family);
    return group;
}

/* A family without labels has its one series at once, so that it shows as 0 from the start. */
static void register_one(struct metrics *metrics, const struct metrics_family *family)
{
    const struct metrics_group *former = tree_find(&metrics->groups, str_from_c(family->name));
    assert(!former || former->family == family);
    if (former)
        return;
    check_family(family);
    struct metrics_group *group = NEW(struct metrics_group);
    group->family = family;
    group->label_count = label_count(family);
    group->series.release = series_release;
    tree_put(&metrics->groups, str_from_c(family->name), group);
    if (group->label_count == 0)
        metrics_series(metrics, family, NULL, 0);
}

void metrics_register(struct metrics *metrics, const struct metrics_family *families, size_t count)
{
    for (size_t i = 0; i < count; i++)
        register_one(metrics, &families[i]);
}

/* Bytes that are not UTF-8 would make the whole page invalid. Each of them becomes U+FFFD. */
static void add_valid(struct buf *buf, struct str text)
{
    while (text.len) {
        const size_t len = str_char_len(text);
        buf_add(buf, len ? str_slice(text, 0, len) : STR("\xef\xbf\xbd"));
        text = str_skip(text, len ? len : 1);
    }
}

/* True for nearly every value: it stands in a key as it is. */
static bool is_plain(struct str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] == 0 || value.ptr[i] == 1)
            return false;
    return str_is_utf8(value);
}

static void key_add_escaped(struct buf *key, struct str value)
{
    SCOPED(buf) valid = {0};
    add_valid(&valid, value);
    for (size_t i = 0; i < valid.len; i++) {
        const char c = valid.ptr[i];
        if (c == 0 || c == 1)
            buf_add_char(key, 1);
        buf_add_char(key, (char)(c == 0 || c == 1 ? c + 1 : c));
    }
}

/*
 * The key of a series in the tree. Keys order as their label values do, one after the other: a zero
 * byte ends each value, and the bytes 0 and 1 inside a value are written as 1 1 and 1 2.
 */
static void key_write(struct buf *key, const struct str *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_plain(values[i]))
            buf_add(key, values[i]);
        else
            key_add_escaped(key, values[i]);
        buf_add_char(key, 0);
    }
}

/* name="value", as it is shown. */
static void label_write(struct buf *buf, const char *name, struct str value)
{
    SCOPED(buf) valid = {0};
    add_valid(&valid, value);
    buf_add(buf, str_from_c(name));
    buf_add(buf, STR("=\""));
    metrics_escape(buf, buf_str(&valid), true);
    buf_add_char(buf, '"');
}

/* values is NULL for the series that takes updates past the limit, which has no labels. */
static struct metrics_series *series_new(const struct metrics_group *group,
                                         const struct str *values)
{
    const struct metrics_family *family = group->family;
    const size_t counts = family->kind == METRICS_KIND_HISTOGRAM ? family->bucket_count + 1 : 0;
    struct metrics_series *series =
        mem_alloc_zero(sizeof(*series) + counts * sizeof(series->counts[0]));
    series->family = family;
    series->refs = 1;
    SCOPED(buf) labels = {0};
    for (size_t i = 0; values && i < group->label_count; i++) {
        if (i)
            buf_add_char(&labels, ',');
        label_write(&labels, family->labels[i], values[i]);
    }
    buf_shrink(&labels);
    series->labels_len = labels.len;
    series->labels = buf_take(&labels);
    return series;
}

/*
 * The family is full: its updates go to a series that never shows, and dropped_family counts that.
 */
static struct metrics_series *take_discarded(struct metrics *metrics, struct metrics_group *group)
{
    metrics_register(metrics, &dropped_family, 1);
    const struct str name = str_from_c(group->family->name);
    if (group->family != &dropped_family)
        metrics_inc(metrics_series(metrics, &dropped_family, &name, 1));
    if (!group->discarded)
        group->discarded = series_new(group, NULL);
    return group->discarded;
}

struct metrics_series *metrics_series(struct metrics *metrics, const struct metrics_family *family,
                                      const struct str *values, size_t count)
{
    struct metrics_group *group = group_get(metrics, family);
    assert(count == group->label_count);
    SCOPED(buf) key = {0};
    key_write(&key, values, count);
    struct metrics_series *series = tree_find(&group->series, buf_str(&key));
    if (series)
        return series;
    const size_t series_max = family->series_max ? family->series_max : METRICS_SERIES_MAX_DEFAULT;
    if (tree_count(&group->series) >= series_max)
        return take_discarded(metrics, group);
    series = series_new(group, values);
    tree_put(&group->series, buf_str(&key), series);
    return series;
}

struct metrics_series *metrics_series_ref(struct metrics_series *series)
{
    series->refs++;
    return series;
}

void metrics_series_unref(struct metrics_series *series)
{
    if (!series || --series->refs > 0)
        return;
    mem_free(series->labels);
    mem_free(series);
}

void metrics_add(struct metrics_series *series, double amount)
{
    assert(series->family->kind != METRICS_KIND_HISTOGRAM);
    assert(series->family->kind != METRICS_KIND_COUNTER || amount >= 0);
    series->value += amount;
}

void metrics_set(struct metrics_series *series, double value)
{
    assert(series->family->kind == METRICS_KIND_GAUGE);
    series->value = value;
}

/* NaN compares as greater than every bound and so goes to the last bucket, +Inf. */
void metrics_observe(struct metrics_series *series, double value)
{
    const struct metrics_family *family = series->family;
    assert(family->kind == METRICS_KIND_HISTOGRAM);
    size_t bucket = 0;
    while (bucket < family->bucket_count && !(value <= family->buckets[bucket]))
        bucket++;
    series->counts[bucket]++;
    series->value += value;
}

void metrics_set_source(struct metrics_series *series, metrics_read_fn *read, void *data)
{
    assert(series->family->kind != METRICS_KIND_HISTOGRAM);
    series->read = read;
    series->data = data;
}

void metrics_set_histogram(struct metrics_series *series, const uint64_t *counts, const double *sum)
{
    assert(series->family->kind == METRICS_KIND_HISTOGRAM);
    series->foreign_counts = counts;
    series->foreign_sum = sum;
}

double metrics_value(const struct metrics_series *series)
{
    if (series->foreign_sum)
        return *series->foreign_sum;
    return series->read ? series->read(series->data) : series->value;
}

bool metrics_remove(struct metrics *metrics, const struct metrics_family *family,
                    const struct str *values, size_t count)
{
    struct metrics_group *group = group_get(metrics, family);
    assert(count == group->label_count);
    SCOPED(buf) key = {0};
    key_write(&key, values, count);
    return tree_remove(&group->series, buf_str(&key));
}

void metrics_clear(struct metrics *metrics, const struct metrics_family *family)
{
    tree_done(&group_get(metrics, family)->series);
}

void metrics_add_collector(struct metrics *metrics, struct metrics_collector *collector)
{
    list_append(&metrics->collectors, &collector->link);
}

void metrics_remove_collector(struct metrics_collector *collector)
{
    list_remove(&collector->link);
}
