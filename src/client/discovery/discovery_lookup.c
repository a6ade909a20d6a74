#include "client/discovery/discovery_lookup.h"

#include "async/loop.h"
#include "client/discovery/discovery_read.h"

/* What to do next for a lookup. */
enum step {
    NOTHING_MORE, /* to learn: there is no match */
    FOUND,
    FETCH,
    FAILED,
};

struct plan {
    enum step step;
    struct discovery_table *table;
    const struct discovery_resource *resource;
    struct discovery_target target;
    const struct error *err;
};

/* Whether the target is to be fetched, could not be, or would tell nothing new. */
static struct plan want(const struct discovery *discovery, const struct discovery_lookup *lookup,
                        struct discovery_target target)
{
    struct plan plan = {.target = target};
    plan.err = discovery_failure(discovery, &target, lookup->fresh_from);
    if (plan.err)
        plan.step = FAILED;
    else if (discovery_as_of(discovery, &target) < lookup->fresh_from)
        plan.step = FETCH;
    return plan;
}

/* The resources of a version of which only the name is known. */
static struct plan want_listed(const struct discovery *discovery,
                               const struct discovery_lookup *lookup,
                               const struct discovery_version *version)
{
    struct plan plan =
        want(discovery, lookup,
             (struct discovery_target){DISCOVERY_VERSION, version->group, version->version});
    if (plan.step == NOTHING_MORE)
        plan.step = FETCH; /* it was forgotten since */
    /* A search through all groups goes on without those whose server is broken. */
    if (plan.step == FAILED && lookup->any_group && plan.err->http_status != 0)
        plan.step = NOTHING_MORE;
    return plan;
}

static bool in_scope(const struct discovery_lookup *lookup, const struct discovery_version *version)
{
    return (lookup->any_group || str_eq(version->group, lookup->group)) &&
           (lookup->version.len == 0 || str_eq(version->version, lookup->version));
}

static struct plan search(const struct discovery *discovery, const struct discovery_lookup *lookup,
                          size_t rank)
{
    const struct discovery_surface *surface = discovery->surface;
    for (size_t i = 0; i < surface->count; i++) {
        const struct discovery_version *version = &surface->tables[i]->is;
        if (!in_scope(lookup, version))
            continue;
        if (version->state == DISCOVERY_LISTED) {
            const struct plan plan = want_listed(discovery, lookup, version);
            if (plan.step != NOTHING_MORE)
                return plan;
        }
        const struct discovery_resource *resource =
            discovery_version_find(version, lookup->by[rank], lookup->texts[rank]);
        if (resource)
            return (struct plan){.step = FOUND, .table = surface->tables[i], .resource = resource};
    }
    return (struct plan){.step = NOTHING_MORE};
}

/* Nothing that is known fits: what could have changed since it was fetched. */
static struct plan plan_after_miss(const struct discovery *discovery,
                                   const struct discovery_lookup *lookup)
{
    if (lookup->any_group)
        return want(discovery, lookup, (struct discovery_target){.what = DISCOVERY_LISTS});
    if (lookup->version.len > 0)
        return want(discovery, lookup,
                    (struct discovery_target){DISCOVERY_VERSION, lookup->group, lookup->version});
    struct plan plan =
        want(discovery, lookup,
             (struct discovery_target){.what = DISCOVERY_GROUP, .group = lookup->group});
    for (size_t i = 0; plan.step == NOTHING_MORE && i < discovery->surface->count; i++) {
        const struct discovery_version *version = &discovery->surface->tables[i]->is;
        if (in_scope(lookup, version))
            plan = want(
                discovery, lookup,
                (struct discovery_target){DISCOVERY_VERSION, version->group, version->version});
    }
    return plan;
}

static struct plan plan_lookup(const struct discovery *discovery,
                               const struct discovery_lookup *lookup)
{
    if (!discovery->surface)
        return want(discovery, lookup, (struct discovery_target){.what = DISCOVERY_LISTS});
    for (size_t rank = 0; rank < lookup->ranks; rank++) {
        const struct plan plan = search(discovery, lookup, rank);
        if (plan.step != NOTHING_MORE)
            return plan;
    }
    return plan_after_miss(discovery, lookup);
}

static void begin_lookup(struct discovery *discovery, struct discovery_lookup *lookup)
{
    lookup->fresh_from = loop_now(loop_current()) - discovery->retry_after;
    list_append(&discovery->running, &lookup->link);
}

/* Marks stay for as long as a lookup that began earlier may go by them. */
static void end_lookup(struct discovery *discovery, struct discovery_lookup *lookup)
{
    list_remove(&lookup->link);
    struct list_link *oldest = list_first(&discovery->running);
    const int64_t before = oldest ? LIST_ENTRY(oldest, struct discovery_lookup, link)->fresh_from
                                  : loop_now(loop_current()) - discovery->retry_after;
    discovery_prune_marks(discovery, before);
}

/* The table stays for as long as the arena; *ret_plan says FOUND or NOTHING_MORE. */
static struct error *run_plans(struct discovery *discovery, const struct discovery_lookup *lookup,
                               struct plan *ret_plan)
{
    for (;;) {
        const struct plan plan = plan_lookup(discovery, lookup);
        if (plan.step == FAILED)
            return error_copy(plan.err);
        if (plan.step != FETCH) {
            *ret_plan = plan;
            return NULL;
        }
        /* The surface, and with it the names of the target, may go while others run. */
        SCOPED(arena) arena = {0};
        struct discovery_target target = plan.target;
        target.group = arena_str(&arena, target.group);
        target.version = arena_str(&arena, target.version);
        TRY(discovery_fetch(discovery, &target));
    }
}

static void release_table(void *ptr)
{
    discovery_table_free(ptr);
}

static struct discovery_mapping hold_mapping(struct arena *arena, const struct plan *plan)
{
    const struct discovery_version *version = &plan->table->is;
    const struct discovery_resource *resource = plan->resource;
    arena_hold(arena, release_table, discovery_table_ref(plan->table));
    return (struct discovery_mapping){
        .gvk = {version->group, version->version, resource->kind    },
        .gvr = {version->group, version->version, resource->resource},
        .verbs = resource->verbs,
        .namespaced = resource->namespaced,
        .has_status = resource->has_status,
        .has_scale = resource->has_scale,
    };
}

/* Names that can stand in no path are not asked for: the server has nothing of that name. */
static bool can_exist(const struct discovery_lookup *lookup)
{
    return lookup->texts[0].len > 0 && discovery_is_group(lookup->group) &&
           (lookup->version.len == 0 || discovery_is_version(lookup->version));
}

struct error *discovery_lookup_run(struct discovery *discovery, struct arena *arena,
                                   struct discovery_lookup *lookup,
                                   struct discovery_mapping *ret_mapping, bool *ret_found)
{
    struct plan plan = {.step = NOTHING_MORE};
    if (can_exist(lookup)) {
        begin_lookup(discovery, lookup);
        struct error *err = run_plans(discovery, lookup, &plan);
        end_lookup(discovery, lookup);
        TRY(err);
    }
    *ret_found = plan.step == FOUND;
    if (*ret_found)
        *ret_mapping = hold_mapping(arena, &plan);
    return NULL;
}
