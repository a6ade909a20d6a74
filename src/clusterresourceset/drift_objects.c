#include "clusterresourceset/drift_objects.h"

#include "clustercache/clustercache.h"
#include "clusterresourceset/apply/apply_object.h"
#include "clusterresourceset/apply/ignored.h"

/*
 * Objects of one kind stand together: the last mapping is most often the one that is wanted. A
 * version that is not served is replaced by one that is.
 */
static struct error *find_mapping(struct discovery *discovery, struct arena *arena, struct gvk gvk,
                                  const struct discovery_mapping **mapping)
{
    if (*mapping && gvk_eq((*mapping)->gvk, gvk))
        return NULL;
    struct discovery_mapping *found = ARENA_NEW(arena, struct discovery_mapping);
    struct error *err = discovery_find_kind(discovery, arena, gvk, found);
    if (discovery_is_no_match(err)) {
        error_free(err);
        err = discovery_find_group_kind(discovery, arena, gvk.group, gvk.kind, found);
    }
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

/* After a 404: fails unless the cluster says once more that it serves the kind. Suspends. */
static struct error *confirm_kind(struct cluster_connection *connection,
                                  const struct discovery_mapping *mapping)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping found;
    struct discovery *discovery = cluster_connection_discovery(connection);
    discovery_forget(discovery, mapping->gvk.group, mapping->gvk.version);
    return discovery_find_kind(discovery, &arena, mapping->gvk, &found);
}

struct error *drift_objects_list(struct cluster_connection *connection,
                                 const struct discovery_mapping *mapping,
                                 const struct client_list_options *options,
                                 const struct client_list_sink *sink, struct buf *ret_version)
{
    struct error *err = client_list_each(cluster_connection_client(connection), mapping->gvr,
                                         STR(""), options, sink, ret_version);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        err = confirm_kind(connection, mapping);
    }
    return error_ignore(err, ERROR_FORBIDDEN);
}

struct error *drift_object_read(struct cluster_connection *connection,
                                const struct drift_object *object,
                                const struct client_get_options *options, struct object **ret_live)
{
    struct error *err = client_get(cluster_connection_client(connection), object->mapping->gvr,
                                   object->key, options, ret_live);
    if (apply_object_is_resource_missing(err)) {
        error_free(err);
        return confirm_kind(connection, object->mapping);
    }
    return error_ignore(err, ERROR_NOT_FOUND);
}
