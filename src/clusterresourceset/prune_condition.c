#include "clusterresourceset/prune_condition.h"

#include "base/buf.h"

/* "2 clusters held, 1 failed: c1: needs approval prune/…: …; c2: …" */
static struct str make_message(const struct prune_condition *prune, struct arena *arena)
{
    static const struct {
        int rank;
        const char *word;
    } rows[] = {
        {PRUNE_CONDITION_HELD,    "held"   },
        {PRUNE_CONDITION_FAILED,  "failed" },
        {PRUNE_CONDITION_PRUNING, "pruning"},
    };
    SCOPED(buf) text = {.limit = 0};
    bool is_first = true;
    if (prune->held.len)
        return arena_str(arena, prune->held);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const size_t count = condition_clusters_count(prune->clusters, prune->count, rows[i].rank);
        if (!count)
            continue;
        if (is_first)
            buf_print(&text, "%zu cluster%s %s", count, count == 1 ? "" : "s", rows[i].word);
        else
            buf_print(&text, ", %zu %s", count, rows[i].word);
        is_first = false;
    }
    condition_clusters_write(prune->clusters, prune->count, &text);
    return arena_str(arena, buf_str(&text));
}

/* What is held needs a person, and comes first. */
struct condition prune_condition_make(const struct prune_condition *prune, struct arena *arena)
{
    static const struct str reasons[] = {
        [PRUNE_CONDITION_PRUNING] = STR_INIT("Pruning"),
        [PRUNE_CONDITION_FAILED] = STR_INIT("PruneFailed"),
        [PRUNE_CONDITION_HELD] = STR_INIT("Held"),
    };
    struct condition condition = {
        .type = STR(PRUNE_CONDITION),
        .status = CONDITION_TRUE,
        .reason = STR("NothingLeft"),
        .observed_generation = prune->generation,
    };
    if (prune->count || prune->held.len) {
        condition_clusters_sort(prune->clusters, prune->count);
        condition.status = CONDITION_FALSE;
        condition.reason =
            prune->held.len ? reasons[PRUNE_CONDITION_HELD] : reasons[prune->clusters[0].rank];
        condition.message = make_message(prune, arena);
    } else if (prune->kept) {
        condition.message = arena_print(arena, "%zu object%s kept", prune->kept,
                                        prune->kept == 1 ? " is" : "s are");
    }
    return condition;
}
