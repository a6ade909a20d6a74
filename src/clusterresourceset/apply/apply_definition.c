#include "clusterresourceset/apply/apply_definition.h"

#include "apimachinery/condition.h"

bool apply_definition_is(const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    return str_eq(gvk.group, STR("apiextensions.k8s.io")) &&
           str_eq(gvk.kind, STR("CustomResourceDefinition"));
}

static bool serves(const struct json_value *version, struct str name)
{
    bool served = false;
    return str_eq(json_to_str(json_get(version, STR("name"))), name) &&
           json_to_bool(json_get(version, STR("served")), &served) && served;
}

bool apply_definition_brings(const struct object *object, struct gvk gvk)
{
    const struct json_value *version;
    if (!apply_definition_is(object) ||
        !str_eq(json_to_str(object_path(object, "spec.group")), gvk.group) ||
        !str_eq(json_to_str(object_path(object, "spec.names.kind")), gvk.kind))
        return false;
    JSON_FOREACH (name, version, object_path(object, "spec.versions")) {
        if (serves(version, gvk.version))
            return true;
    }
    return false;
}

/* The live definition is checked as well: an older one of the same name may lack the version. */
enum apply_definition_state apply_definition_state(const struct object *live, struct gvk gvk)
{
    const struct json_value *conditions = object_path(live, "status.conditions");
    struct condition names;
    if (!apply_definition_brings(live, gvk) || object_is_deleting(live))
        return APPLY_DEFINITION_REFUSED;
    if (condition_is_true(conditions, STR("Established")))
        return APPLY_DEFINITION_ESTABLISHED;
    if (condition_find(conditions, STR("NamesAccepted"), &names) && names.status == CONDITION_FALSE)
        return APPLY_DEFINITION_REFUSED;
    return APPLY_DEFINITION_PENDING;
}
