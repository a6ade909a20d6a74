#include "clusterresourceset/prune_wanted.h"

#include "clusterresourceset/drift_objects.h"

bool prune_wanted_is_sound(const struct plan *plan)
{
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(plan, i));
        if (!content || !content_count(content))
            return false;
    }
    return plan_resource_count(plan) > 0;
}

static bool leaves_out_nothing(const struct object *manifest)
{
    (void)manifest;
    return false;
}

struct error *prune_wanted_read(const struct plan *plan, struct discovery *discovery,
                                struct arena *arena, struct map *wanted)
{
    struct drift_objects objects;
    TRY(drift_objects_read(plan, leaves_out_nothing, discovery, arena, &objects));
    for (size_t i = 0; i < objects.count; i++) {
        map_put(wanted, objects.items[i].id, NULL);
        map_put(wanted, objects.items[i].kind, NULL);
    }
    return NULL;
}
