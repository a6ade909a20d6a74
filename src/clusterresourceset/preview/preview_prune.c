#include "clusterresourceset/preview/preview_prune.h"

#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/prune_run.h"
#include "clusterresourceset/prune_wanted.h"

/* Without a record the set has nothing there that could be left. */
bool preview_prune_is_due(const struct preview_set *set, const struct object *binding)
{
    const struct delivery_policy *policy = set->problem.len ? NULL : plan_policy(set->plan);
    struct delivery_mark mark;
    if (!policy || !(policy->prune_when & DELIVERY_POLICY_PRUNE_REMOVED) ||
        !plan_is_whole(set->plan) || !prune_wanted_is_sound(set->plan) ||
        !delivery_find_mark(binding, set->key.name, &mark))
        return false;
    return mark.prune > DELIVERY_PRUNE_DONE || !plan_is_recorded(set->plan, binding, set->key.name);
}

static void add_doomed(const struct preview_set *set, const struct prune_run *run,
                       struct preview_result *result)
{
    struct arena *arena = &result->arena;
    const size_t max = (size_t)run->policy->prune_max_objects;
    const struct str text =
        run->doomed.count > max
            ? arena_print(arena,
                          "would be deleted once it is approved: %zu objects are more than "
                          "maxObjects (%zu)",
                          run->doomed.count, max)
            : STR("would be deleted");
    for (size_t i = 0; i < run->doomed.count; i++) {
        const struct prune_object *object = &run->doomed.items[i];
        const struct preview_object told = {
            .set = arena_str(arena, set->key.name),
            .resource = STR("no resource of the set"),
            .api_version = prune_object_api_version(object, arena),
            .kind = prune_object_kind(object, arena),
            .namespace = arena_str(arena, object->key.namespace),
            .name = arena_str(arena, object->key.name),
            .sign = PREVIEW_PRUNED,
            .text = text,
        };
        preview_result_add(result, &told);
    }
}

static bool writes_nothing(void *data)
{
    (void)data;
    return false;
}

struct error *preview_prune_ask(const struct preview_cluster *cluster,
                                const struct preview_set *set, const struct object *binding,
                                struct preview_result *result)
{
    SCOPED(arena) arena = {0};
    SCOPED(map) wanted = {.release = NULL};
    SCOPED(prune_run)
    run = {
        .client = cluster->client,
        .discovery = cluster->discovery,
        .arena = &arena,
        .manager = field_manager_of_set(&arena, set->key),
        .policy = plan_policy(set->plan),
        .kinds = delivery_read_kinds(binding, set->key.name, &arena),
        .wanted = &wanted,
        .may_go_on = writes_nothing,
    };
    TRY(prune_wanted_read(set->plan, cluster->discovery, &arena, &wanted));
    TRY(prune_run_look(&run));
    add_doomed(set, &run, result);
    return arena_check(&result->arena);
}
