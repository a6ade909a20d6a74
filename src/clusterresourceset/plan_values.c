#include "clusterresourceset/plan_values.h"

/* Adds one resource to the plan of the cluster; as it is written if it failed. */
static void fill_resource(struct values_fill *fill, const struct plan *plan, size_t index,
                          struct plan *filled)
{
    SCOPED(buf) name = {.limit = 0};
    const struct resource_ref ref = plan_resource(plan, index);
    const struct values_use *use = plan_value_use(plan, index);
    if (!use || !use->names.count) {
        plan_add_derived(filled, NULL);
        return;
    }
    buf_print(&name, "%.*s %.*s", STR_ARG(resource_kind_name(ref.kind)), STR_ARG(ref.name));
    fill->resource = buf_str(&name);
    const struct content *written = resource_snapshot_content(plan_snapshot(plan, index));
    plan_add_derived(filled, values_fill_content(fill, written, use));
}

struct plan *plan_values_fill(struct plan *plan, struct key cluster, const struct values *values,
                              struct failures *failures)
{
    char digest[VALUES_DIGEST_LEN + 1];
    const struct values *names = plan_value_names(plan);
    struct values_fill fill = {.values = values, .cluster = cluster, .failures = failures};
    if (!names->count || plan_values(plan).len)
        return plan_ref(plan);
    OWNED(plan) filled = plan_derive(plan, values_digest(values, names, digest));
    for (size_t i = 0; i < plan_resource_count(plan); i++)
        fill_resource(&fill, plan, i, filled);
    return failures_is_empty(failures) ? TAKE(filled) : NULL;
}

struct plan *plan_values_fill_from(struct plan *plan, const struct object *cluster,
                                   struct failures *failures)
{
    SCOPED(values) values = {0};
    values_read(plan_value_names(plan), cluster, &values);
    return plan_values_fill(plan, object_key(cluster), &values, failures);
}
