/* The clusters that a condition of a set names, with what is wrong on each of them. Pure. */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

struct condition_cluster {
    struct str name, text;
    int rank; /* what is graver has a higher one */
};

/* Those with the highest rank first, then by name. */
void condition_clusters_sort(struct condition_cluster *clusters, size_t count);

/* Those that have this rank. */
size_t condition_clusters_count(const struct condition_cluster *clusters, size_t count, int rank);

/* ": c1: text; c2: text; and 3 more" */
void condition_clusters_write(const struct condition_cluster *clusters, size_t count,
                              struct buf *out);
