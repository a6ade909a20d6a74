#include "clusterresourceset/drift_condition.h"

#include "base/buf.h"
#include "clusterresourceset/types/delivery.h"

/*
 * "2 of 3 clusters drifted, 1 of them is contested: c1: apps/v1 Deployment ns/x: …; c2: …", or "1
 * of 3 clusters not checked: c1: drift not checked since …".
 */
static struct str make_message(const struct condition_cluster *told, size_t count, size_t clusters,
                               struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    const size_t unchecked = condition_clusters_count(told, count, DELIVERY_UNDRIFTED);
    const size_t contested = condition_clusters_count(told, count, DELIVERY_CONTESTED);
    if (unchecked == count)
        buf_print(&text, "%zu of %zu clusters not checked", unchecked, clusters);
    else
        buf_print(&text, "%zu of %zu clusters drifted", count - unchecked, clusters);
    if (contested)
        buf_print(&text, ", %zu of them %s contested", contested, contested == 1 ? "is" : "are");
    if (unchecked && unchecked < count)
        buf_print(&text, ", %zu not checked", unchecked);
    condition_clusters_write(told, count, &text);
    return arena_str(arena, buf_str(&text));
}

/* What is contested needs a person, and comes first. */
struct condition drift_condition_make(struct condition_cluster *told, size_t count, size_t clusters,
                                      int64_t generation, struct arena *arena)
{
    static const struct {
        enum condition_status status;
        struct str reason;
    } rows[] = {
        [DELIVERY_UNDRIFTED] = {CONDITION_UNKNOWN, STR_INIT("NotChecked")},
        [DELIVERY_DRIFTED] = {CONDITION_FALSE,   STR_INIT("Drifted")   },
        [DELIVERY_CONTESTED] = {CONDITION_FALSE,   STR_INIT("Contested") },
    };
    struct condition condition = {
        .type = STR(DRIFT_CONDITION),
        .status = CONDITION_TRUE,
        .reason = STR("NoDrift"),
        .observed_generation = generation,
    };
    if (!count)
        return condition;
    condition_clusters_sort(told, count);
    condition.status = rows[told[0].rank].status;
    condition.reason = rows[told[0].rank].reason;
    condition.message = make_message(told, count, clusters, arena);
    return condition;
}
