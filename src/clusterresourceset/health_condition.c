#include "clusterresourceset/health_condition.h"

#include "base/buf.h"

/* "2 of 3 clusters are not ready, 1 of them not in time: c1: apps/v1 Deployment ns/x: …; c2: …" */
static struct str make_message(const struct condition_cluster *unready, size_t count,
                               size_t clusters, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    const size_t failed = condition_clusters_count(unready, count, HEALTH_CONDITION_FAILED);
    const size_t unapplied = condition_clusters_count(unready, count, HEALTH_CONDITION_UNAPPLIED);
    buf_print(&text, "%zu of %zu clusters %s not ready", count, clusters,
              count == 1 ? "is" : "are");
    if (failed)
        buf_print(&text, ", %zu of them not in time", failed);
    if (unapplied)
        buf_print(&text, ", %zu of them not applied", unapplied);
    condition_clusters_write(unready, count, &text);
    return arena_str(arena, buf_str(&text));
}

struct condition health_condition_make(struct condition_cluster *unready, size_t count,
                                       size_t clusters, int64_t generation, struct arena *arena)
{
    struct condition condition = {
        .type = STR(HEALTH_CONDITION),
        .status = CONDITION_TRUE,
        .reason = STR("AllReady"),
        .observed_generation = generation,
    };
    if (!count)
        return condition;
    condition_clusters_sort(unready, count);
    condition.status = CONDITION_FALSE;
    condition.reason = STR("NotReady");
    condition.message = make_message(unready, count, clusters, arena);
    return condition;
}
