/*
 * The numbers of a store as metrics. All but the duration are counted anyway and read when they are
 * shown.
 */
#include "apiserver/storage/store_internal.h"
#include "base/metrics.h"

enum { COMMITS, COMMIT_SECONDS, WRITES, OBJECTS, WATCHERS, WRITABLE, BYTES, LIMIT };

static const double seconds_buckets[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                         0.1,    0.25,  0.5,    1,     2.5,  5,     10};

static const struct metrics_family families[] = {
    [COMMITS] =
        METRICS_COUNTER("corset_store_commits_total",
                        "Number of commits of the store, each of one or more writes.", "result"),
    [COMMIT_SECONDS] =
        METRICS_HISTOGRAM("corset_store_commit_duration_seconds",
                          "How long a commit takes, until it is on the disk.", seconds_buckets),
    [WRITES] = METRICS_COUNTER("corset_store_writes_total", "Number of writes of objects."),
    [OBJECTS] = METRICS_GAUGE("corset_store_objects", "Number of objects in the store."),
    [WATCHERS] = METRICS_GAUGE("corset_store_watchers", "Number of watches on the store."),
    [WRITABLE] = METRICS_GAUGE("corset_store_writable",
                               "0 while writes fail, or none but deletes are accepted."),
    [BYTES] = METRICS_GAUGE("corset_store_bytes",
                            "Bytes of stored objects, those of virtual clusters included."),
    [LIMIT] = METRICS_GAUGE("corset_store_limit_bytes",
                            "How many bytes of objects may be stored; 0 without a limit."),
};

static double read_commits(void *data)
{
    return (double)((const struct store *)data)->commits;
}

static double read_failed_commits(void *data)
{
    return (double)((const struct store *)data)->failed_commits;
}

static double read_writes(void *data)
{
    return (double)((const struct store *)data)->writes;
}

static double read_objects(void *data)
{
    return (double)((const struct store *)data)->objects;
}

static double read_watchers(void *data)
{
    return (double)((const struct store *)data)->watches;
}

static double read_writable(void *data)
{
    return store_trouble(data) ? 0 : 1;
}

/* The budget that all others are a part of. */
static const struct store_budget *whole_budget(const struct store *store)
{
    const struct store_budget *budget = &store->budget;
    while (budget->parent)
        budget = budget->parent;
    return budget;
}

static double read_bytes(void *data)
{
    return (double)whole_budget(data)->used;
}

static double read_limit(void *data)
{
    return (double)whole_budget(data)->limit;
}

void store_add_metrics(struct store *store, struct metrics *metrics)
{
    metrics_register(metrics, families, COUNT(families));
    metrics_set_source(METRICS_SERIES(metrics, &families[COMMITS], STR("success")), read_commits,
                       store);
    metrics_set_source(METRICS_SERIES(metrics, &families[COMMITS], STR("error")),
                       read_failed_commits, store);
    metrics_set_source(metrics_series(metrics, &families[WRITES], NULL, 0), read_writes, store);
    metrics_set_source(metrics_series(metrics, &families[OBJECTS], NULL, 0), read_objects, store);
    metrics_set_source(metrics_series(metrics, &families[WATCHERS], NULL, 0), read_watchers, store);
    metrics_set_source(metrics_series(metrics, &families[WRITABLE], NULL, 0), read_writable, store);
    metrics_set_source(metrics_series(metrics, &families[BYTES], NULL, 0), read_bytes, store);
    metrics_set_source(metrics_series(metrics, &families[LIMIT], NULL, 0), read_limit, store);
    store->commit_seconds = metrics_series(metrics, &families[COMMIT_SECONDS], NULL, 0);
}
