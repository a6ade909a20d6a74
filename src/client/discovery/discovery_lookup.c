/*
 * The course of a lookup: plan_lookup() decides, run_plans() does it and asks again.
 *
 * plan_lookup() is a pure function of the surface, the marks and the lookup. A lookup fetches the
 * same target at most once, because a target that was fetched since fresh_from is never wanted
 * again; so run_plans() ends after a bounded number of requests.
 */
#include "client/discovery/discovery_lookup.h"

#include "async/loop.h"
#include "client/discovery/discovery_read.h"

enum step {
    NO_MATCH, /* nothing is left that could be fetched */
    FOUND,
    FETCH,
    FAILED, /* the target was fetched within retry_after, and that failed */
};

/* The next step of a lookup. */
struct plan {
    enum step step;
    struct discovery_table *table;             /* for FOUND; borrowed */
    const struct discovery_resource *resource; /* for FOUND; in the table */
    struct discovery_target target;            /* for FETCH; texts of the surface or the lookup */
    const struct error *err;                   /* for FAILED; borrowed */
};

/* FETCH, FAILED, or NO_MATCH if the target was fetched since fresh_from. */
static struct plan want_target(const struct discovery *discovery,
                               const struct discovery_lookup *lookup,
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

/* A version of which only the name is known must be fetched before it can be searched. */
static struct plan want_listed(const struct discovery *discovery,
                               const struct discovery_lookup *lookup,
                               const struct discovery_version *version)
{
    struct plan plan =
        want_target(discovery, lookup,
                    (struct discovery_target){DISCOVERY_VERSION, version->group, version->version});
    if (plan.step == NO_MATCH)
        plan.step = FETCH; /* discovery_forget() was called since it was fetched */
    return plan;
}

static bool in_scope(const struct discovery_lookup *lookup, const struct discovery_version *version)
{
    return str_eq(version->group, lookup->group) &&
           (lookup->version.len == 0 || str_eq(version->version, lookup->version));
}

/* Goes through the versions in the order of preference, so the first match is the preferred one. */
static struct plan search_surface(const struct discovery *discovery,
                                  const struct discovery_lookup *lookup)
{
    const struct discovery_surface *surface = discovery->surface;
    for (size_t i = 0; i < surface->count; i++) {
        const struct discovery_version *version = &surface->tables[i]->is;
        if (!in_scope(lookup, version))
            continue;
        if (version->state == DISCOVERY_LISTED) {
            const struct plan plan = want_listed(discovery, lookup, version);
            if (plan.step != NO_MATCH)
                return plan;
        }
        const struct discovery_resource *resource = discovery_version_find(version, lookup->kind);
        if (resource)
            return (struct plan){.step = FOUND, .table = surface->tables[i], .resource = resource};
    }
    return (struct plan){.step = NO_MATCH};
}

/*
 * The surface has no match. It may be out of date: the group/version of the lookup is fetched again
 * or, if the lookup has no version, first the list of the group's versions and then each of them.
 */
static struct plan plan_after_miss(const struct discovery *discovery,
                                   const struct discovery_lookup *lookup)
{
    if (lookup->version.len > 0)
        return want_target(
            discovery, lookup,
            (struct discovery_target){DISCOVERY_VERSION, lookup->group, lookup->version});
    struct plan plan =
        want_target(discovery, lookup,
                    (struct discovery_target){.what = DISCOVERY_GROUP, .group = lookup->group});
    for (size_t i = 0; plan.step == NO_MATCH && i < discovery->surface->count; i++) {
        const struct discovery_version *version = &discovery->surface->tables[i]->is;
        if (in_scope(lookup, version))
            plan = want_target(
                discovery, lookup,
                (struct discovery_target){DISCOVERY_VERSION, version->group, version->version});
    }
    return plan;
}

static struct plan plan_lookup(const struct discovery *discovery,
                               const struct discovery_lookup *lookup)
{
    if (!discovery->surface)
        return want_target(discovery, lookup, (struct discovery_target){.what = DISCOVERY_LISTS});
    const struct plan plan = search_surface(discovery, lookup);
    return plan.step != NO_MATCH ? plan : plan_after_miss(discovery, lookup);
}

static void begin_lookup(struct discovery *discovery, struct discovery_lookup *lookup)
{
    lookup->fresh_from = loop_now(loop_current()) - discovery->retry_after;
    list_append(&discovery->running, &lookup->link);
}

/* Removes marks that are older than what the oldest running lookup may still need. */
static void end_lookup(struct discovery *discovery, struct discovery_lookup *lookup)
{
    list_remove(&lookup->link);
    struct list_link *oldest = list_first(&discovery->running);
    const int64_t before = oldest ? LIST_ENTRY(oldest, struct discovery_lookup, link)->fresh_from
                                  : loop_now(loop_current()) - discovery->retry_after;
    discovery_prune_marks(discovery, before);
}

/* Suspends. *ret_plan is FOUND or NO_MATCH. Its pointers are valid until the next suspension. */
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
        /* Another fiber may replace the surface, which holds the names of the target. */
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

/* The texts of the mapping are those of the table, so the arena holds a reference to the table. */
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

/* Names that cannot be part of a path are never sent: no server has such a group or version. */
static bool can_exist(const struct discovery_lookup *lookup)
{
    return lookup->kind.len > 0 && discovery_is_group(lookup->group) &&
           (lookup->version.len == 0 || discovery_is_version(lookup->version));
}

struct error *discovery_lookup_run(struct discovery *discovery, struct arena *arena,
                                   struct discovery_lookup *lookup,
                                   struct discovery_mapping *ret_mapping, bool *ret_found)
{
    struct plan plan = {.step = NO_MATCH};
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
