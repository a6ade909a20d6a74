#include "clusterresourceset/prune_judge.h"

#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/apply/field_manager.h"
#include "clusterresourceset/apply/ownership.h"
#include "json/path.h"

/* Whether another set has applied fields of the object. */
static bool is_shared(const struct object *live, struct str manager)
{
    const struct json_value *entry;
    struct str set;
    JSON_FOREACH (key, entry, json_get(object_metadata(live), STR("managedFields"))) {
        const struct str other = json_path_str(entry, "manager");
        if (!str_eq(other, manager) && field_manager_set(other, &set) &&
            str_eq(json_path_str(entry, "operation"), STR("Apply")))
            return true;
    }
    return false;
}

static bool may_delete_kind(struct str group, struct str kind, const struct delivery_policy *policy)
{
    if (!delivery_policy_protects(group, kind))
        return true;
    for (size_t i = 0; i < policy->prune_kinds.count; i++)
        if (str_eq(policy->prune_kinds.items[i], kind))
            return true;
    return false;
}

enum prune_verdict prune_judge(const struct object *live, struct str group, struct str kind,
                               struct str manager, bool is_wanted,
                               const struct delivery_policy *policy)
{
    struct str value;
    if (!ownership_fields(live, manager))
        return PRUNE_FOREIGN;
    if (is_wanted)
        return PRUNE_WANTED;
    if (is_shared(live, manager))
        return PRUNE_SHARED;
    if (object_find_annotation(live, STR(APPLY_KEEP_ANNOTATION), &value) ||
        !may_delete_kind(group, kind, policy))
        return PRUNE_KEPT;
    return PRUNE_DOOMED;
}
