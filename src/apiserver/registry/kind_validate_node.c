/*
 * Validation of Nodes. Upstream: ValidateNode() and ValidateNodeUpdate() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"

/* Upstream's path is metadata.taints, although taints are in the spec. */
static void validate_taints(struct kind_validator *v, const struct json_value *taints)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *taint;
    size_t index = 0;
    JSON_FOREACH (key, taint, taints) {
        const struct str path = field_path_index(v, STR("metadata.taints"), index++);
        const struct str name = json_path_str(taint, "key"), value = json_path_str(taint, "value");
        const struct str effect = json_path_str(taint, "effect");
        const struct str both = arena_print(v->arena, "%.*s:%.*s", STR_ARG(effect), STR_ARG(name));
        field_syntax(v, path, "key", name, validation_label_key(name));
        field_syntax(v, path, "value", value, validation_label_value(value));
        if (effect.len == 0)
            field_required(v, path, "effect", "");
        else
            field_one_of(v, path, "effect", effect, "NoSchedule|PreferNoSchedule|NoExecute");
        if (map_has(&seen, both))
            field_errors_add_value(v->errors, FIELD_DUPLICATE, path, taint,
                                   STR("taints must be unique by key and effect pair"));
        map_put(&seen, both, NULL);
    }
}

/* podCIDR is the first of podCIDRs, which it makes if there are none. */
static void validate_pod_ranges(struct kind_validator *v, const struct json_value *spec,
                                struct str path)
{
    const struct str first = json_path_str(spec, "podCIDR");
    const struct str place = field_path(v, path, "podCIDRs");
    const struct json_value *range;
    size_t index = 0;
    JSON_FOREACH (key, range, json_path(spec, "podCIDRs"))
        field_syntax(v, field_path_index(v, place, index++), NULL, json_to_str(range),
                     syntax_cidr(json_to_str(range)));
    if (index == 0 && first.len)
        field_syntax(v, field_path_index(v, place, 0), NULL, first, syntax_cidr(first));
}

void validate_node_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_taints(v, json_path(object, "taints"));
    validate_pod_ranges(v, object, path);
}

/* What a Node was given once stays. */
void validate_node_update(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct json_value *old = json_path(v->old, "spec"), *spec = json_path(object, "spec");
    const struct str provider = json_path_str(old, "providerID");
    (void)path;
    if (json_count(json_path(old, "podCIDRs")) &&
        !json_equal(json_path(old, "podCIDRs"), json_path(spec, "podCIDRs")))
        field_forbidden(v, STR("spec"), "podCIDRs",
                        "node updates may not change podCIDR except from \"\" to valid");
    if (provider.len && !str_eq(provider, json_path_str(spec, "providerID")))
        field_forbidden(v, STR("spec"), "providerID",
                        "node updates may not change providerID except from \"\" to valid");
    if (!str_eq(json_path_str(old, "externalID"), json_path_str(spec, "externalID")))
        field_forbidden(v, STR("spec"), "externalID", "may not be updated");
}
