/*
 * The life of a key: queue_turns_add() puts it into its group. queue_turns_take() takes it out of
 * the group when its turn has come; it is held then, or set aside if its target is busy. When a key
 * of that target is no longer held, the first of those set aside gets the place, which counts as
 * busy from then on, and waits among the admitted of its tenant.
 *
 * Groups, targets and tenants exist as long as a key refers to them.
 */
#include "controller/queue_turns.h"

#include "base/memory.h"

/* Of the workers one in RESERVE is for tenants that hold fewer than one in RESERVE * RESERVED_FOR.
 */
#define RESERVE      16
#define RESERVED_FOR 8
#define WORKERS_MIN  8 /* with fewer, none is kept */

struct queue_tenant {
    struct list_link link; /* in turns.round while it has keys to take */
    char *name;
    struct queue_heap groups; /* that have keys; by priority, then whose turn is the longest ago */
    struct list admitted;     /* keys that have a place at their target */
    struct map groups_by_name, targets_by_name;
    size_t held;
};

struct queue_group {
    struct queue_heap_node node; /* in tenant.groups */
    char *name;
    struct queue_heap keys;
};

struct queue_target {
    char *name;
    size_t busy; /* keys that are held or have a place */
    size_t refs; /* keys, from queue_turns_add() to queue_turns_end() */
    struct queue_heap aside;
};

void queue_turns_init(struct queue_turns *turns, size_t workers, size_t target_max)
{
    *turns = (struct queue_turns){.workers = workers, .target_max = target_max};
    list_init(&turns->round);
}

static void free_group(struct queue_group *group)
{
    queue_heap_done(&group->keys);
    mem_free(group->name);
    mem_free(group);
}

static void free_target(struct queue_target *target)
{
    queue_heap_done(&target->aside);
    mem_free(target->name);
    mem_free(target);
}

static void free_tenant(struct queue_tenant *tenant)
{
    MAP_FOREACH (entry, &tenant->groups_by_name)
        free_group(entry->value);
    MAP_FOREACH (entry, &tenant->targets_by_name)
        free_target(entry->value);
    map_done(&tenant->groups_by_name);
    map_done(&tenant->targets_by_name);
    queue_heap_done(&tenant->groups);
    mem_free(tenant->name);
    mem_free(tenant);
}

void queue_turns_done(struct queue_turns *turns)
{
    MAP_FOREACH (entry, &turns->tenants)
        free_tenant(entry->value);
    map_done(&turns->tenants);
}

static struct queue_tenant *get_tenant(struct queue_turns *turns, struct str name)
{
    struct queue_tenant *tenant = map_find(&turns->tenants, name);
    if (tenant)
        return tenant;
    tenant = NEW(struct queue_tenant);
    tenant->name = mem_dup(name.ptr, name.len);
    list_init(&tenant->admitted);
    map_put(&turns->tenants, name, tenant);
    return tenant;
}

static struct queue_group *get_group(struct queue_tenant *tenant, struct str name)
{
    struct queue_group *group = map_find(&tenant->groups_by_name, name);
    if (group)
        return group;
    group = NEW(struct queue_group);
    group->name = mem_dup(name.ptr, name.len);
    map_put(&tenant->groups_by_name, name, group);
    return group;
}

static struct queue_target *ref_target(struct queue_tenant *tenant, struct str name)
{
    if (!name.len)
        return NULL;
    struct queue_target *target = map_find(&tenant->targets_by_name, name);
    if (!target) {
        target = NEW(struct queue_target);
        target->name = mem_dup(name.ptr, name.len);
        map_put(&tenant->targets_by_name, name, target);
    }
    target->refs++;
    return target;
}

static void unref_target(struct queue_tenant *tenant, struct queue_target *target)
{
    if (!target || --target->refs)
        return;
    map_take(&tenant->targets_by_name, str_from_c(target->name));
    free_target(target);
}

/* Frees a tenant that nothing refers to any more. */
static void retire_tenant(struct queue_turns *turns, struct queue_tenant *tenant)
{
    if (tenant->held || map_count(&tenant->groups_by_name) || map_count(&tenant->targets_by_name))
        return;
    list_remove(&tenant->link);
    map_take(&turns->tenants, str_from_c(tenant->name));
    free_tenant(tenant);
}

static bool has_keys(const struct queue_tenant *tenant)
{
    return tenant->groups.count || !list_is_empty(&tenant->admitted);
}

/* A tenant that was not in the round goes to its end. */
static void join_round(struct queue_turns *turns, struct queue_tenant *tenant)
{
    if (!list_link_is_in(&tenant->link))
        list_append(&turns->round, &tenant->link);
}

/* Ranks a group by its first key, behind all others of that priority; frees an empty one. */
static void rank_group(struct queue_tenant *tenant, struct queue_group *group)
{
    const struct queue_heap_node *first = queue_heap_first(&group->keys);
    queue_heap_remove(&tenant->groups, &group->node);
    if (first) {
        queue_heap_add(&tenant->groups, &group->node, first->rank);
        return;
    }
    map_take(&tenant->groups_by_name, str_from_c(group->name));
    free_group(group);
}

/* A group keeps its place among the others unless its priority has changed. */
static void put_key(struct queue_turn *turn, int priority)
{
    struct queue_group *group = turn->group;
    turn->priority = priority;
    queue_heap_add(&group->keys, &turn->node, -(int64_t)priority);
    const struct queue_heap_node *first = queue_heap_first(&group->keys);
    if (!group->node.slot || (first && first->rank != group->node.rank))
        rank_group(turn->tenant, group);
}

void queue_turns_add(struct queue_turns *turns, struct queue_turn *turn,
                     struct queue_parties parties, int priority)
{
    turn->tenant = get_tenant(turns, parties.tenant);
    turn->group = get_group(turn->tenant, parties.group);
    turn->target = ref_target(turn->tenant, parties.target);
    turn->is_aside = false;
    put_key(turn, priority);
    turns->waiting++;
    join_round(turns, turn->tenant);
}

void queue_turns_raise(struct queue_turn *turn, int priority)
{
    if (turn->group) {
        queue_heap_remove(&turn->group->keys, &turn->node);
        put_key(turn, priority);
    } else if (turn->is_aside) {
        queue_heap_remove(&turn->target->aside, &turn->node);
        queue_heap_add(&turn->target->aside, &turn->node, -(int64_t)priority);
    }
    turn->priority = priority;
}

static bool is_busy(const struct queue_turns *turns, const struct queue_target *target)
{
    return target && turns->target_max && target->busy >= turns->target_max;
}

/* The next key of the group whose turn it is; NULL if no group has keys. */
static struct queue_turn *take_of_groups(struct queue_tenant *tenant)
{
    struct queue_heap_node *first = queue_heap_first(&tenant->groups);
    struct queue_group *group = first ? CONTAINER_OF(first, struct queue_group, node) : NULL;
    struct queue_heap_node *key = group ? queue_heap_first(&group->keys) : NULL;
    if (!key)
        return NULL;
    queue_heap_remove(&group->keys, key);
    rank_group(tenant, group);
    struct queue_turn *turn = CONTAINER_OF(key, struct queue_turn, node);
    turn->group = NULL;
    return turn;
}

/* The next key of a tenant; NULL if the targets of all its keys are busy. */
static struct queue_turn *take_of_tenant(struct queue_turns *turns, struct queue_tenant *tenant)
{
    struct list_link *admitted = list_take_first(&tenant->admitted);
    if (admitted)
        return LIST_ENTRY(admitted, struct queue_turn, link);
    for (struct queue_turn *turn; (turn = take_of_groups(tenant));) {
        if (!is_busy(turns, turn->target)) {
            if (turn->target)
                turn->target->busy++;
            return turn;
        }
        queue_heap_add(&turn->target->aside, &turn->node, -(int64_t)turn->priority);
        turn->is_aside = true;
        turns->aside++;
    }
    return NULL;
}

static size_t at_least_one(size_t number)
{
    return number ? number : 1;
}

/* How many of so many workers are kept for tenants that hold few. */
static size_t reserve_of(size_t workers)
{
    return workers >= WORKERS_MIN ? at_least_one(workers / RESERVE) : 0;
}

size_t queue_turns_workers_for(size_t tenant_max)
{
    size_t workers = tenant_max;
    while (workers - reserve_of(workers) < tenant_max)
        workers++;
    return workers;
}

static bool may_take(const struct queue_turns *turns, const struct queue_tenant *tenant)
{
    const size_t reserve = reserve_of(turns->workers);
    return !reserve || turns->held < turns->workers - reserve ||
           tenant->held < at_least_one(reserve / RESERVED_FOR);
}

struct queue_turn *queue_turns_take(struct queue_turns *turns)
{
    LIST_FOREACH (struct queue_tenant, tenant, &turns->round, link) {
        if (!may_take(turns, tenant))
            continue;
        struct queue_turn *turn = take_of_tenant(turns, tenant);
        list_remove(&tenant->link);
        if (has_keys(tenant))
            list_append(&turns->round, &tenant->link);
        if (!turn)
            continue;
        tenant->held++;
        turns->held++;
        turns->waiting--;
        return turn;
    }
    return NULL;
}

/* The first key that was set aside gets the place that has become free. */
static void admit_next(struct queue_turns *turns, struct queue_tenant *tenant,
                       struct queue_target *target)
{
    struct queue_heap_node *first = queue_heap_first(&target->aside);
    target->busy--;
    if (!first)
        return;
    struct queue_turn *turn = CONTAINER_OF(first, struct queue_turn, node);
    queue_heap_remove(&target->aside, first);
    turn->is_aside = false;
    turns->aside--;
    target->busy++;
    list_append(&tenant->admitted, &turn->link);
    join_round(turns, tenant);
}

void queue_turns_end(struct queue_turns *turns, struct queue_turn *turn)
{
    struct queue_tenant *tenant = turn->tenant;
    tenant->held--;
    turns->held--;
    if (turn->target)
        admit_next(turns, tenant, turn->target);
    unref_target(tenant, turn->target);
    *turn = (struct queue_turn){0};
    retire_tenant(turns, tenant);
}

size_t queue_turns_ready(const struct queue_turns *turns)
{
    return turns->waiting - turns->aside;
}
