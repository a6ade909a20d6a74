/* The state of sets and of their clusters; see crs_internal.h. */
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/crs_internal.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/cache_version.h"

#define FAULT_TEXT_MAX ((size_t)1024)

struct key set_key(const struct crs_set *set)
{
    return (struct key){str_from_c(set->namespace), str_from_c(set->name)};
}

struct owner_reference set_owner_reference(const struct crs_set *set)
{
    return crs_owner_reference(str_from_c(set->name), str_from_c(set->uid));
}

struct crs_set *set_find(struct crs_controllers *controllers, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, key);
    return map_find(&controllers->sets_by_key, buf_str(&text));
}

struct crs_set *set_open(struct crs_controllers *controllers, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    struct crs_set *set = set_find(controllers, key);
    if (set)
        return set;
    set = NEW(struct crs_set);
    set->controllers = controllers;
    set->namespace = mem_dup(key.namespace.ptr, key.namespace.len);
    set->name = mem_dup(key.name.ptr, key.name.len);
    key_write(&text, key);
    map_put(&controllers->sets_by_key, buf_str(&text), set);
    return set;
}

struct error *set_close(struct crs_set *set)
{
    set->is_open = false;
    MAP_FOREACH (entry, &set->placements) {
        struct placement *placement = entry->value;
        placement->round = 0; /* what happens meanwhile, a connection say, is nobody's concern */
        if (!placement->runs)
            placement_set_pending(placement, false);
        if (placement->work)
            scope_cancel(placement->work);
    }
    while (set->running)
        TRY(event_wait(&set->has_stopped, "the clusters of a set"));
    return NULL;
}

static void free_unit(struct placement *placement)
{
    mem_free(placement->cluster);
    mem_free(placement->version);
    mem_free(placement->fault.resource);
    mem_free(placement->fault.name);
    mem_free(placement->fault.text);
    mem_free(placement);
}

void set_drop(struct crs_set *set)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, set_key(set));
    map_take(&set->controllers->sets_by_key, buf_str(&text));
    MAP_FOREACH (entry, &set->placements)
        free_unit(entry->value);
    map_done(&set->placements);
    plan_free(set->plan);
    object_free(set->object);
    mem_free(set->namespace);
    mem_free(set->name);
    mem_free(set->uid);
    mem_free(set);
}

void set_put_object(struct crs_set *set, struct object *object)
{
    if (set->object && str_eq(object_uid(set->object), object_uid(object)) &&
        cache_version_is_older(object_resource_version(object),
                               object_resource_version(set->object)))
        return;
    const struct str uid = object_uid(object);
    if (!set->uid)
        set->uid = mem_dup(uid.ptr, uid.len);
    object_ref(object);
    object_free(set->object);
    set->object = object;
}

struct plan *plan_ref(struct plan *plan)
{
    plan->references++;
    return plan;
}

void plan_free(struct plan *plan)
{
    if (!plan || --plan->references)
        return;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        resource_snapshot_free(plan->snapshots[i]);
    mem_free(plan->snapshots);
    crs_spec_done(&plan->spec);
    mem_free(plan);
}

/* A resource that is not there, or not for us, wants nothing of a binding. */
static bool is_recorded(const struct plan *plan, size_t index, const struct object *binding,
                        struct str set)
{
    const struct resource_snapshot *snapshot = plan->snapshots[index];
    const enum fault_type fault = resource_snapshot_fault(snapshot);
    struct binding_resource found;
    if (fault && fault != FAULT_NOT_APPLIED)
        return true;
    const bool is_there = binding_find_resource(binding, set, plan->spec.refs[index], &found);
    return !binding_needs(plan->spec.strategy, is_there ? &found : NULL,
                          resource_snapshot_hash(snapshot));
}

bool plan_is_recorded(const struct plan *plan, const struct object *binding,
                      struct owner_reference owner)
{
    if (!binding || !binding_has_entry(binding, owner.name))
        return false;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (!is_recorded(plan, i, binding, owner.name))
            return false;
    return true;
}

bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner)
{
    return plan_is_recorded(plan, binding, owner) && binding_is_owned(binding, owner);
}

struct placement *placement_find(const struct crs_set *set, struct str cluster)
{
    return map_find(&set->placements, cluster);
}

struct placement *placement_open(struct crs_set *set, struct str cluster)
{
    struct placement *placement = placement_find(set, cluster);
    if (placement)
        return placement;
    placement = NEW(struct placement);
    placement->set = set;
    placement->cluster = mem_dup(cluster.ptr, cluster.len);
    map_put(&set->placements, cluster, placement);
    return placement;
}

void placement_set_pending(struct placement *placement, bool is_pending)
{
    if (placement->is_pending == is_pending)
        return;
    placement->is_pending = is_pending;
    if (is_pending)
        placement->set->pending++;
    else
        placement->set->pending--;
}

void placement_drop(struct placement *placement)
{
    if (!placement->is_dropped) {
        placement_set_pending(placement, false);
        map_take(&placement->set->placements, str_from_c(placement->cluster));
        placement->is_dropped = true;
    }
    if (placement->work)
        scope_cancel(placement->work);
    if (!placement->runs)
        free_unit(placement);
}

static char *copy(struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    conditions_shorten_text(&copy, text, FAULT_TEXT_MAX);
    return buf_take(&copy);
}

static bool replace(char **place, struct str text)
{
    char *now = text.len ? copy(text) : NULL;
    const bool is_same = str_eq(str_from_c(*place), str_from_c(now));
    mem_free(*place);
    *place = now;
    return !is_same;
}

bool placement_set_fault(struct placement *placement, enum fault_type fault, struct str resource,
                         struct str name, struct str text)
{
    bool changed = placement->fault.type != fault;
    placement->fault.type = fault;
    changed |= replace(&placement->fault.resource, resource);
    changed |= replace(&placement->fault.name, name);
    changed |= replace(&placement->fault.text, text);
    return changed;
}

void placement_enqueue(struct crs_set *set, struct str cluster, int priority)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%s/%.*s", set->name, STR_ARG(cluster));
    queue_add(set->controllers->queues[CRS_CONTROLLER_PLACEMENTS],
              (struct key){str_from_c(set->namespace), buf_str(&name)}, priority);
}

bool placement_split_key(struct str name, struct str *ret_set, struct str *ret_cluster)
{
    *ret_cluster = name;
    return str_cut(ret_cluster, '/', ret_set);
}

bool plan_is_complete(const struct plan *plan)
{
    return plan->snapshot_count == plan->spec.ref_count;
}
