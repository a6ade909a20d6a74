#include "clusterresourceset/drift_condition.h"

#include "base/buf.h"
#include "clusterresourceset/types/delivery.h"

/* "2 of 3 clusters drifted, 1 of them is contested: c1: apps/v1 Deployment ns/x: …; c2: …" */
static struct str make_message(const struct condition_cluster *drifted, size_t count,
                               size_t clusters, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    const size_t contested = condition_clusters_count(drifted, count, DELIVERY_CONTESTED);
    buf_print(&text, "%zu of %zu clusters drifted", count, clusters);
    if (contested)
        buf_print(&text, ", %zu of them %s contested", contested, contested == 1 ? "is" : "are");
    condition_clusters_write(drifted, count, &text);
    return arena_str(arena, buf_str(&text));
}

/* What is contested needs a person, and comes first. */
struct condition drift_condition_make(struct condition_cluster *drifted, size_t count,
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
    condition_clusters_sort(drifted, count);
    condition.status = CONDITION_FALSE;
    condition.reason = drifted[0].rank == DELIVERY_CONTESTED ? STR("Contested") : STR("Drifted");
    condition.message = make_message(drifted, count, clusters, arena);
    return condition;
}
