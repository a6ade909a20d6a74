/*
 * A plan is filled in three steps: begin_fill() on the loop, fill_all(), which may run on a worker
 * thread, and finish_fill() on the loop, which shares with the plan what has no values in it.
 */
#include "clusterresourceset/plan_values.h"

#include "async/compute.h"
#include "base/memory.h"

struct plan_fill {
    struct plan *plan; /* borrowed */
    struct values_fill fill;
    struct values_filled *filled; /* one for each resource */
    size_t count;
};

static void plan_fill_done(struct plan_fill *fill)
{
    for (size_t i = 0; i < fill->count; i++)
        values_filled_done(&fill->filled[i]);
    mem_free(fill->filled);
}

/* NULL: clusters get the resource as it is written, or it cannot be used. */
static const struct values_use *find_use(const struct plan *plan, size_t index)
{
    const struct values_use *use = plan_value_use(plan, index);
    return use && use->names.count ? use : NULL;
}

static bool is_needed(const struct plan *plan)
{
    return plan_value_names(plan)->count && !plan_values(plan).len;
}

static void begin_fill(struct plan_fill *fill)
{
    fill->count = plan_resource_count(fill->plan);
    fill->filled = mem_realloc_array(NULL, fill->count + 1, sizeof(*fill->filled));
    for (size_t i = 0; i < fill->count; i++)
        fill->filled[i] = (struct values_filled){0};
}

static void fill_resource(struct plan_fill *fill, size_t index)
{
    SCOPED(buf) name = {.limit = 0};
    const struct resource_ref ref = plan_resource(fill->plan, index);
    const struct values_use *use = find_use(fill->plan, index);
    if (!use)
        return;
    buf_print(&name, "%.*s %.*s", STR_ARG(resource_kind_name(ref.kind)), STR_ARG(ref.name));
    fill->fill.resource = buf_str(&name);
    const struct content *written = resource_snapshot_content(plan_snapshot(fill->plan, index));
    values_fill_objects(&fill->fill, written, use, &fill->filled[index]);
}

static struct error *fill_all(void *data)
{
    struct plan_fill *fill = data;
    for (size_t i = 0; i < fill->count; i++)
        fill_resource(fill, i);
    return NULL;
}

/* NULL: an object has failed. */
static struct plan *finish_fill(struct plan_fill *fill)
{
    char digest[VALUES_DIGEST_LEN + 1];
    struct plan *plan = fill->plan;
    if (!failures_is_empty(fill->fill.failures))
        return NULL;
    struct plan *filled =
        plan_derive(plan, values_digest(fill->fill.values, plan_value_names(plan), digest));
    for (size_t i = 0; i < fill->count; i++) {
        const struct content *written = resource_snapshot_content(plan_snapshot(plan, i));
        plan_add_derived(
            filled, find_use(plan, i) ? content_replace(written, fill->filled[i].objects) : NULL);
    }
    return filled;
}

struct plan *plan_values_fill(struct plan *plan, struct key cluster, const struct values *values,
                              struct failures *failures)
{
    SCOPED(plan_fill)
    fill = {
        .plan = plan, .fill = {.values = values, .cluster = cluster, .failures = failures}
    };
    if (!is_needed(plan))
        return plan_ref(plan);
    begin_fill(&fill);
    error_free(fill_all(&fill));
    return finish_fill(&fill);
}

struct error *plan_values_fill_large(struct plan *plan, struct key cluster,
                                     const struct values *values, struct failures *failures,
                                     struct plan **ret_plan)
{
    SCOPED(plan_fill)
    fill = {
        .plan = plan, .fill = {.values = values, .cluster = cluster, .failures = failures}
    };
    if (!is_needed(plan)) {
        *ret_plan = plan_ref(plan);
        return NULL;
    }
    begin_fill(&fill);
    TRY(compute_sized(plan_values_bound(plan, values), fill_all, &fill));
    *ret_plan = finish_fill(&fill);
    return NULL;
}

size_t plan_values_bound(const struct plan *plan, const struct values *values)
{
    size_t bytes = 0;
    for (size_t i = 0; is_needed(plan) && i < plan_resource_count(plan); i++) {
        const struct values_use *use = find_use(plan, i);
        if (use)
            bytes +=
                values_fill_bound(resource_snapshot_content(plan_snapshot(plan, i)), use, values);
    }
    return bytes < PLAN_VALUES_BOUND_MAX ? bytes : PLAN_VALUES_BOUND_MAX;
}

struct plan *plan_values_fill_from(struct plan *plan, const struct object *cluster,
                                   struct failures *failures)
{
    SCOPED(values) values = {0};
    values_read(plan_value_names(plan), cluster, &values);
    return plan_values_fill(plan, object_key(cluster), &values, failures);
}
