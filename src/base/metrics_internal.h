/*
 * What the registry and the writer of its text share. Private to metrics*.c.
 */
#pragma once

#include "base/metrics.h"
#include "base/tree.h"

struct metrics_series {
    const struct metrics_family *family;
    size_t refs;  /* the registry's is one of them */
    char *labels; /* a="x",b="y", as it is shown */
    size_t labels_len;
    double value; /* a histogram's sum */
    metrics_read_fn *read;
    void *data;
    const uint64_t *foreign_counts; /* of a histogram that is counted elsewhere, or NULL */
    const double *foreign_sum;
    uint64_t counts[]; /* a histogram's buckets, not cumulative; the last one is +Inf */
};

/* A registered family. */
struct metrics_group {
    const struct metrics_family *family;
    size_t label_count;
    struct tree series;               /* by label values, see key_write() */
    struct metrics_series *discarded; /* takes updates once the family is full, or NULL */
};

struct metrics {
    struct tree groups;     /* by name */
    struct list collectors; /* of struct metrics_collector */
};

/* Escapes text for the quotes of a label or, without quotes, for a help text, where quotes stay. */
void metrics_escape(struct buf *buf, struct str text, bool quotes);
