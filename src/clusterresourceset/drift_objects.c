#include "clusterresourceset/drift_objects.h"

#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/ignored.h"

/* Objects of one kind stand together: the last mapping is most often the one that is wanted. */
static struct error *find_mapping(struct discovery *discovery, struct arena *arena, struct gvk gvk,
                                  const struct discovery_mapping **mapping)
{
    if (*mapping && gvk_eq((*mapping)->gvk, gvk))
        return NULL;
    struct discovery_mapping *found = ARENA_NEW(arena, struct discovery_mapping);
    struct error *err = discovery_find_kind(discovery, arena, gvk, found);
    *mapping = err ? NULL : found;
    if (!discovery_is_no_match(err))
        return err;
    error_free(err);
    return NULL;
}

static struct drift_object describe_object(struct arena *arena, const struct apply_item *item,
                                           const struct discovery_mapping *mapping,
                                           const struct delivery_policy *policy)
{
    const struct gvk gvk = apply_object_gvk(item->object);
    const struct str own = object_namespace(item->object);
    const bool has_namespace = !mapping || mapping->namespaced;
    const struct str namespace = !has_namespace ? STR("") : own.len ? own : item->default_namespace;
    const struct key key = {namespace, object_name(item->object)};
    return (struct drift_object){
        .id = arena_print(arena, "%.*s/%.*s %.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind),
                          STR_ARG(key.namespace), STR_ARG(key.name)),
        .kind = arena_print(arena, "%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind)),
        .key = key,
        .mapping = mapping,
        .ignored = ignored_paths(policy, gvk, key, arena),
    };
}

struct error *drift_objects_read(const struct plan *plan, drift_objects_leave_out_fn *leaves_out,
                                 struct discovery *discovery, struct arena *arena,
                                 struct drift_objects *ret_objects)
{
    const struct discovery_mapping *mapping = NULL;
    *ret_objects =
        (struct drift_objects){.items = arena_alloc_array(arena, plan_object_count(plan) + 1,
                                                          sizeof(struct drift_object))};
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(plan, i));
        const struct apply_item *items = content ? apply_items_read(content, arena) : NULL;
        for (size_t j = 0; content && j < content_count(content); j++) {
            if (leaves_out(items[j].object))
                continue;
            TRY(find_mapping(discovery, arena, apply_object_gvk(items[j].object), &mapping));
            struct drift_object *object = &ret_objects->items[ret_objects->count++];
            *object = describe_object(arena, &items[j], mapping, plan_policy(plan));
            object->resource = i;
            object->item = j;
            object->manifest = &items[j];
        }
    }
    return NULL;
}
