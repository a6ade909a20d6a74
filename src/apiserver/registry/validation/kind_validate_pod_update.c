/*
 * Validation of updates of Pods.
 *
 * Upstream: ValidatePodUpdate() in k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"
#include "json/edit.h"

#define SPEC STR("spec")

static bool number_at(const struct json_value *object, const char *path, int64_t *ret_number)
{
    return json_to_int64(json_path(object, path), ret_number);
}

/* Annotations of AppArmor and of mirrors are set once. */
static void validate_fixed_annotation(struct kind_validator *v, struct str name, const char *verb)
{
    const bool is_profile =
        str_starts_with(name, STR("container.apparmor.security.beta.kubernetes.io/"));
    if (!is_profile && !str_eq(name, STR("kubernetes.io/config.mirror")))
        return;
    field_forbidden(v, field_path_key(v, STR("metadata.annotations"), name), NULL,
                    arena_print(v->arena, "may not %s %s", verb,
                                is_profile ? "AppArmor annotations" : "mirror pod annotation")
                        .ptr);
}

static void validate_fixed_annotations(struct kind_validator *v, const struct json_value *object)
{
    const struct json_value *before = json_path(v->old, "metadata.annotations"), *value;
    const struct json_value *after = json_path(object, "metadata.annotations");
    JSON_FOREACH (key, value, before)
        if (!json_equal(value, json_get(after, key)))
            validate_fixed_annotation(v, key, "remove or update");
    JSON_FOREACH (key, value, after)
        if (!json_get(before, key))
            validate_fixed_annotation(v, key, "add");
}

static void validate_new_image(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const struct str image = json_path_str(object, "image");
    if (image.len == 0)
        field_required(v, path, "image", "");
    if (str_trim(image).len != image.len)
        field_invalid_text(v, path, "image", image, "must not have leading or trailing whitespace");
}

/* False when containers came or went, which ends the comparison. */
static bool are_containers_kept(struct kind_validator *v, const struct json_value *object,
                                const char *list)
{
    const struct json_value *before = json_path(json_path(v->old, "spec"), list);
    const struct json_value *spec = json_path(object, "spec");
    if (json_count(before) != json_count(json_path(spec, list))) {
        field_forbidden(v, SPEC, list, "pod updates may not add or remove containers");
        return false;
    }
    field_apply_each(v, spec, SPEC, list, validate_new_image);
    return true;
}

/* A deadline may be set and come nearer. False when one that is wrong ends the comparison. */
static bool is_deadline_fine(struct kind_validator *v, const struct json_value *object)
{
    static const char member[] = "activeDeadlineSeconds", path[] = "spec.activeDeadlineSeconds";
    const struct json_value *value = json_path(object, path);
    int64_t before = 0, after = 0;
    const bool had_one = number_at(v->old, path, &before);
    if (!number_at(object, path, &after)) {
        if (had_one)
            field_invalid(v, SPEC, member, NULL,
                          "must not update from a positive integer to nil value");
        return true;
    }
    if (after < 0 || after > INT32_MAX)
        field_invalid(v, SPEC, member, value, "must be between 0 and 2147483647, inclusive");
    else if (had_one && before < after)
        field_invalid(v, SPEC, member, value, "must be less than or equal to previous value");
    else
        return true;
    return false;
}

/* Whether there is a toleration that differs in its period alone. */
static bool has_toleration(const struct json_value *list, const struct json_value *wanted)
{
    static const char *const may_change[] = {"tolerationSeconds"};
    const struct json_value *one;
    JSON_FOREACH (key, one, list)
        if (!field_differs_besides(one, wanted, may_change, COUNT(may_change)))
            return true;
    return false;
}

/* Upstream looks into the others twice: with the spec, and here. */
static void validate_kept_tolerations(struct kind_validator *v, const struct json_value *object)
{
    const struct json_value *one;
    JSON_FOREACH (key, one, json_path(v->old, "spec.tolerations"))
        if (!has_toleration(json_path(object, "spec.tolerations"), one)) {
            field_forbidden(v, SPEC, "tolerations",
                            "existing toleration can not be modified except its "
                            "tolerationSeconds");
            return;
        }
    field_apply_each(v, json_path(object, "spec"), SPEC, "tolerations", validate_toleration);
}

/* Gates go; none comes. One that comes twice is told of at its last place. */
static void validate_kept_gates(struct kind_validator *v, const struct json_value *object)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *gates = json_path(object, "spec.schedulingGates"), *gate;
    size_t index = 0;
    JSON_FOREACH (key, gate, json_path(v->old, "spec.schedulingGates"))
        map_put(&seen, json_path_str(gate, "name"), NULL);
    JSON_FOREACH (key, gate, gates) {
        const struct str name = json_path_str(gate, "name");
        struct str *place = map_find(&seen, name);
        if (!place && !map_has(&seen, name)) {
            place = ARENA_NEW(v->arena, struct str);
            map_put(&seen, name, place);
        }
        if (place)
            *place = field_path_index(v, STR("spec.schedulingGates"), index);
        index++;
    }
    MAP_FOREACH (entry, &seen) {
        const struct str *place = entry->value;
        if (place)
            field_forbidden(v, *place, "name",
                            arena_print(v->arena,
                                        "only deletion is allowed, but found new scheduling gate "
                                        "'%.*s'",
                                        STR_ARG(map_key(entry)))
                                .ptr);
    }
}

/* The labels of Nodes that the Pod selects may become more. */
static void validate_kept_selector(struct kind_validator *v, const struct json_value *object)
{
    const struct json_value *selector = json_path(object, "spec.nodeSelector"), *value;
    JSON_FOREACH (key, value, json_path(v->old, "spec.nodeSelector"))
        if (!json_equal(value, json_get(selector, key))) {
            field_invalid(v, SPEC, "nodeSelector", selector,
                          "only additions to spec.nodeSelector are allowed (no mutations or "
                          "deletions)");
            return;
        }
}

/* Whether a list begins with another one. */
static bool begins_with(const struct json_value *list, const struct json_value *start)
{
    const struct json_value *one;
    size_t index = 0;
    JSON_FOREACH (key, one, start)
        if (!json_equal(one, json_at(list, index++)))
            return false;
    return true;
}

static bool has_only_additions(const struct json_value *old, const struct json_value *new)
{
    const bool was_empty = json_count(json_path(old, "matchExpressions")) == 0 &&
                           json_count(json_path(old, "matchFields")) == 0;
    const bool is_empty = json_count(json_path(new, "matchExpressions")) == 0 &&
                          json_count(json_path(new, "matchFields")) == 0;
    return (!was_empty || is_empty) &&
           begins_with(json_path(new, "matchExpressions"), json_path(old, "matchExpressions")) &&
           begins_with(json_path(new, "matchFields"), json_path(old, "matchFields"));
}

#define TERMS                                                            \
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringEx" \
    "ecution.nodeSelectorTerms"

/* Terms for Nodes may become narrower, not more. */
static void validate_kept_terms(struct kind_validator *v, const struct json_value *object)
{
    const struct json_value *old = json_path(v->old, TERMS), *new = json_path(object, TERMS);
    const struct go_type *type = field_type_at(&type_pod, TERMS);
    const struct json_value *term;
    size_t index = 0;
    if (json_count(old) && json_count(old) != json_count(new)) {
        field_invalid_struct(v, STR(TERMS), type, new,
                             "no additions/deletions to non-empty NodeSelectorTerms list are "
                             "allowed");
        return;
    }
    JSON_FOREACH (key, term, old) {
        const struct json_value *other = json_at(new, index);
        if (!has_only_additions(term, other))
            field_invalid_struct(v, field_path_index(v, STR(TERMS), index), type, other,
                                 "only additions are allowed (no mutations or deletions)");
        index++;
    }
}

static void forget_images(struct json_edit *edit, const struct json_value *pod, const char *list,
                          struct arena *arena)
{
    const size_t count = json_count(json_path(json_path(pod, "spec"), list));
    for (size_t i = 0; i < count; i++) {
        const struct str path = arena_print(arena, "spec.%s.%zu", list, i);
        json_edit_remove(
            edit, (struct json_place){.path = path.ptr, .key = STR("image"), .has_key = true});
    }
}

/* Affinity to Nodes may be the only one. */
static void forget_nodes(struct json_edit *edit, const struct json_value *pod)
{
    const struct json_value *affinity = json_path(pod, "spec.affinity");
    json_edit_remove(edit, JSON_PLACE("spec.nodeSelector"));
    if (!json_path(affinity, "podAffinity") && !json_path(affinity, "podAntiAffinity"))
        json_edit_remove(edit, JSON_PLACE("spec.affinity"));
    else
        json_edit_remove(edit, JSON_PLACE("spec.affinity.nodeAffinity"));
}

/* The spec of a Pod without the members that an update may change. */
static struct json_doc *fixed_part(struct kind_validator *v, const struct json_value *pod,
                                   bool is_gated, bool may_end_sooner)
{
    SCOPED(json_edit) edit;
    struct json_doc *doc = NULL;
    json_edit_init(&edit, pod);
    forget_images(&edit, pod, "containers", v->arena);
    forget_images(&edit, pod, "initContainers", v->arena);
    json_edit_remove(&edit, JSON_PLACE("spec.activeDeadlineSeconds"));
    json_edit_remove(&edit, JSON_PLACE("spec.tolerations"));
    json_edit_remove(&edit, JSON_PLACE("spec.schedulingGates"));
    if (may_end_sooner)
        json_edit_remove(&edit, JSON_PLACE("spec.terminationGracePeriodSeconds"));
    if (is_gated)
        forget_nodes(&edit, pod);
    struct error *err = json_edit_finish(&edit, &doc);
    error_free(err);
    return doc;
}

/* terminationGracePeriodSeconds may change only from a negative value, which is invalid, to 1. */
static bool becomes_one(const struct json_value *old, const struct json_value *new)
{
    int64_t before = 0, after = 0;
    return number_at(old, "spec.terminationGracePeriodSeconds", &before) && before < 0 &&
           number_at(new, "spec.terminationGracePeriodSeconds", &after) && after == 1;
}

/* All other members are fixed. Upstream adds how they differ. */
static void validate_fixed_part(struct kind_validator *v, const struct json_value *object)
{
    const bool is_gated = json_count(json_path(v->old, "spec.schedulingGates")) > 0;
    const bool may_end_sooner = becomes_one(v->old, object);
    OWNED(json_doc) before = fixed_part(v, v->old, is_gated, may_end_sooner);
    OWNED(json_doc) after = fixed_part(v, object, is_gated, may_end_sooner);
    if (is_gated) {
        validate_kept_selector(v, object);
        validate_kept_terms(v, object);
    }
    if (before && after &&
        json_equal(json_path(json_doc_root(before), "spec"),
                   json_path(json_doc_root(after), "spec")))
        return;
    field_forbidden(v, SPEC, NULL,
                    "pod updates may not change fields other than `spec.containers[*].image`,"
                    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                    "`spec.tolerations` (only additions to existing tolerations),"
                    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                    "previously negative)\n");
}

/* A Pod whose scheduling waits for gates may be told more of the Nodes that it wants. */
void validate_pod_update(struct kind_validator *v, const struct json_value *object, struct str path)
{
    (void)path;
    validate_fixed_annotations(v, object);
    if (!are_containers_kept(v, object, "containers") ||
        !are_containers_kept(v, object, "initContainers") || !is_deadline_fine(v, object))
        return;
    validate_kept_tolerations(v, object);
    validate_kept_gates(v, object);
    validate_fixed_part(v, object);
}
