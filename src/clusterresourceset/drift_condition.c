#include "clusterresourceset/drift_condition.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/shorten.h"

#define CLUSTERS_SHOWN ((size_t)5)
#define TEXT_SHOWN     300

/* What is contested needs a person, and comes first. */
static int compare_clusters(const void *a, const void *b)
{
    const struct drift_condition_cluster *one = a, *other = b;
    if (one->drift != other->drift)
        return one->drift > other->drift ? -1 : 1;
    return str_cmp(one->name, other->name);
}

/* "2 of 3 clusters drifted, 1 of them is contested: c1: apps/v1 Deployment ns/x: …; c2: …" */
static struct str make_message(const struct drift_condition_cluster *drifted, size_t count,
                               size_t clusters, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    size_t contested = 0;
    for (size_t i = 0; i < count; i++)
        contested += drifted[i].drift == DELIVERY_CONTESTED;
    buf_print(&text, "%zu of %zu clusters drifted", count, clusters);
    if (contested)
        buf_print(&text, ", %zu of them %s contested", contested, contested == 1 ? "is" : "are");
    for (size_t i = 0; i < count && i < CLUSTERS_SHOWN; i++) {
        buf_print(&text, "%s%.*s: ", i ? "; " : ": ", STR_ARG(drifted[i].name));
        shorten_text(&text, drifted[i].text, TEXT_SHOWN);
    }
    if (count > CLUSTERS_SHOWN)
        buf_print(&text, "; and %zu more", count - CLUSTERS_SHOWN);
    return arena_str(arena, buf_str(&text));
}

struct condition drift_condition_make(struct drift_condition_cluster *drifted, size_t count,
                                      size_t clusters, int64_t generation, struct arena *arena)
{
    struct condition condition = {
        .type = STR(DRIFT_CONDITION),
        .status = CONDITION_TRUE,
        .reason = STR("NoDrift"),
        .observed_generation = generation,
    };
    if (!count)
        return condition;
    qsort(drifted, count, sizeof(*drifted), compare_clusters);
    condition.status = CONDITION_FALSE;
    condition.reason = drifted[0].drift == DELIVERY_CONTESTED ? STR("Contested") : STR("Drifted");
    condition.message = make_message(drifted, count, clusters, arena);
    return condition;
}
