#include "clusterresourceset/condition_clusters.h"

#include <stdlib.h>

#include "base/shorten.h"

#define CLUSTERS_SHOWN ((size_t)5)
#define TEXT_SHOWN     300

static int compare_clusters(const void *a, const void *b)
{
    const struct condition_cluster *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank > other->rank ? -1 : 1;
    return str_cmp(one->name, other->name);
}

void condition_clusters_sort(struct condition_cluster *clusters, size_t count)
{
    if (count)
        qsort(clusters, count, sizeof(*clusters), compare_clusters);
}

size_t condition_clusters_count(const struct condition_cluster *clusters, size_t count, int rank)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += clusters[i].rank == rank;
    return found;
}

void condition_clusters_write(const struct condition_cluster *clusters, size_t count,
                              struct buf *out)
{
    for (size_t i = 0; i < count && i < CLUSTERS_SHOWN; i++) {
        buf_print(out, "%s%.*s: ", i ? "; " : ": ", STR_ARG(clusters[i].name));
        shorten_text(out, clusters[i].text, TEXT_SHOWN);
    }
    if (count > CLUSTERS_SHOWN)
        buf_print(out, "; and %zu more", count - CLUSTERS_SHOWN);
}
