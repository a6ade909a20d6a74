#include "clusterresourceset/preview/preview_values.h"

#include "clusterresourceset/plan_values.h"

#define PROBLEM_MAX ((size_t)2000) /* bytes, about */

static void release_plan(void *plan)
{
    plan_free(plan);
}

/* With the place of the only object that failed, or of some. */
static struct str explain_failures(const struct failures *failures, struct arena *arena)
{
    SCOPED(buf) text = {.limit = 0};
    const struct failed_object *single = failures_find_single(failures);
    if (single) {
        failed_object_write_place(single, &text);
        buf_add_char(&text, ' ');
    }
    failures_write(failures, &text, PROBLEM_MAX);
    return arena_str(arena, buf_str(&text));
}

const struct preview_set *preview_values_fill(const struct preview_set *set,
                                              const struct object *cluster, struct arena *arena)
{
    if (set->problem.len || !plan_value_names(set->plan)->count)
        return set;
    SCOPED(failures) failures = {.arena = arena, .objects = plan_object_count(set->plan)};
    struct preview_set *filled = ARENA_NEW(arena, struct preview_set);
    struct plan *plan = plan_values_fill_from(set->plan, cluster, &failures);
    *filled = *set;
    if (plan) {
        arena_hold(arena, release_plan, plan);
        filled->plan = plan;
    } else {
        filled->problem = explain_failures(&failures, arena);
    }
    return filled;
}
