/* The state of sets and of their clusters; see resourceset_internal.h. */
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/resourceset_internal.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/cache_version.h"

#define FAULT_TEXT_MAX ((size_t)1024)

struct key member_key(const struct member_set *set)
{
    return (struct key){str_from_c(set->namespace), str_from_c(set->name)};
}

struct owner_reference member_owner(const struct member_set *set)
{
    return resource_set_owner(str_from_c(set->name), str_from_c(set->uid));
}

struct member_set *member_find(struct resourceset *resourceset, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, key);
    return map_find(&resourceset->members, buf_str(&text));
}

struct member_set *member_open(struct resourceset *resourceset, struct key key)
{
    SCOPED(buf) text = {.limit = 0};
    struct member_set *set = member_find(resourceset, key);
    if (set)
        return set;
    set = NEW(struct member_set);
    set->resourceset = resourceset;
    set->namespace = mem_dup(key.namespace.ptr, key.namespace.len);
    set->name = mem_dup(key.name.ptr, key.name.len);
    key_write(&text, key);
    map_put(&resourceset->members, buf_str(&text), set);
    return set;
}

struct error *member_close(struct member_set *set)
{
    set->is_open = false;
    MAP_FOREACH (entry, &set->units) {
        struct unit *unit = entry->value;
        unit->round = 0; /* what happens meanwhile, a connection say, is nobody's concern */
        if (!unit->runs)
            unit_set_pending(unit, false);
        if (unit->work)
            scope_cancel(unit->work);
    }
    while (set->running)
        TRY(event_wait(&set->has_stopped, "the clusters of a set"));
    return NULL;
}

static void free_unit(struct unit *unit)
{
    mem_free(unit->cluster);
    mem_free(unit->version);
    mem_free(unit->fault.resource);
    mem_free(unit->fault.name);
    mem_free(unit->fault.text);
    mem_free(unit);
}

void member_drop(struct member_set *set)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, member_key(set));
    map_take(&set->resourceset->members, buf_str(&text));
    MAP_FOREACH (entry, &set->units)
        free_unit(entry->value);
    map_done(&set->units);
    plan_free(set->plan);
    object_free(set->object);
    mem_free(set->namespace);
    mem_free(set->name);
    mem_free(set->uid);
    mem_free(set);
}

void member_put_object(struct member_set *set, struct object *object)
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
    for (size_t i = 0; i < plan->supply_count; i++)
        supply_free(plan->supplies[i]);
    mem_free(plan->supplies);
    resource_set_done(&plan->spec);
    mem_free(plan);
}

/* A resource that is not there, or not for us, wants nothing of a binding. */
static bool is_recorded(const struct plan *plan, size_t index, const struct object *binding,
                        struct str set)
{
    const struct supply *supply = plan->supplies[index];
    const enum trouble trouble = supply_trouble(supply);
    struct binding_resource found;
    if (trouble && trouble != TROUBLE_NOT_APPLIED)
        return true;
    const bool is_there = binding_find_resource(binding, set, plan->spec.refs[index], &found);
    return !binding_needs(plan->spec.strategy, is_there ? &found : NULL, supply_hash(supply));
}

bool plan_is_recorded(const struct plan *plan, const struct object *binding,
                      struct owner_reference owner)
{
    if (!binding || !binding_has_entry(binding, owner.name))
        return false;
    for (size_t i = 0; i < plan->supply_count; i++)
        if (!is_recorded(plan, i, binding, owner.name))
            return false;
    return true;
}

bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner)
{
    return plan_is_recorded(plan, binding, owner) && binding_is_owned(binding, owner);
}

struct unit *unit_find(const struct member_set *set, struct str cluster)
{
    return map_find(&set->units, cluster);
}

struct unit *unit_open(struct member_set *set, struct str cluster)
{
    struct unit *unit = unit_find(set, cluster);
    if (unit)
        return unit;
    unit = NEW(struct unit);
    unit->set = set;
    unit->cluster = mem_dup(cluster.ptr, cluster.len);
    map_put(&set->units, cluster, unit);
    return unit;
}

void unit_set_pending(struct unit *unit, bool is_pending)
{
    if (unit->is_pending == is_pending)
        return;
    unit->is_pending = is_pending;
    if (is_pending)
        unit->set->pending++;
    else
        unit->set->pending--;
}

void unit_drop(struct unit *unit)
{
    if (!unit->is_dropped) {
        unit_set_pending(unit, false);
        map_take(&unit->set->units, str_from_c(unit->cluster));
        unit->is_dropped = true;
    }
    if (unit->work)
        scope_cancel(unit->work);
    if (!unit->runs)
        free_unit(unit);
}

static char *copy(struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    report_shorten(&copy, text, FAULT_TEXT_MAX);
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

bool unit_set_fault(struct unit *unit, enum trouble trouble, struct str resource, struct str name,
                    struct str text)
{
    bool changed = unit->fault.trouble != trouble;
    unit->fault.trouble = trouble;
    changed |= replace(&unit->fault.resource, resource);
    changed |= replace(&unit->fault.name, name);
    changed |= replace(&unit->fault.text, text);
    return changed;
}

void unit_enqueue(struct member_set *set, struct str cluster, int priority)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%s/%.*s", set->name, STR_ARG(cluster));
    queue_add(set->resourceset->queues[RESOURCESET_CLUSTERS],
              (struct key){str_from_c(set->namespace), buf_str(&name)}, priority);
}

bool unit_split_key(struct str name, struct str *ret_set, struct str *ret_cluster)
{
    *ret_cluster = name;
    return str_cut(ret_cluster, '/', ret_set);
}

bool plan_is_complete(const struct plan *plan)
{
    return plan->supply_count == plan->spec.ref_count;
}
