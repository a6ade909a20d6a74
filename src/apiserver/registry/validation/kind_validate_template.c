/*
 * Validation of the metadata of Pods and pod templates, and of what a controller selects.
 *
 * Upstream: ValidatePodTemplateSpec() and ValidatePodSpecificAnnotations() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go, and LabelSelectorAsSelector() in the
 * functions of pkg/apis/apps/validation.
 */
#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_pod_internal.h"
#include "base/ascii.h"

#define MIRROR STR("kubernetes.io/config.mirror")
#define COST   STR("controller.kubernetes.io/pod-deletion-cost")

#define TOLERATIONS STR("scheduler.alpha.kubernetes.io/tolerations")

/* A number of 32 bits without a plus or zeros in front. */
static bool is_cost(struct str text)
{
    int64_t number;
    const bool begins_well = text.len > 0 && (text.ptr[0] == '-' || ascii_is_digit(text.ptr[0])) &&
                             (text.ptr[0] != '0' || text.len == 1);
    return begins_well && str_to_int64(text, &number) && number >= INT32_MIN && number <= INT32_MAX;
}

/* Tolerations, as JSON in a text. What is no list of them upstream refuses in the words of Go. */
static void validate_toleration_text(struct kind_validator *v, struct str text, struct str path)
{
    const struct str list = ARENA_JOIN(v->arena, path, STR("."), TOLERATIONS);
    OWNED(json_doc) doc = NULL;
    const struct json_value *toleration;
    size_t index = 0;
    struct error *err = json_read(text, &doc);
    if (err || json_type(json_doc_root(doc)) != JSON_ARRAY)
        field_invalid_text(v, path, NULL, TOLERATIONS, "must be a list of tolerations");
    else
        JSON_FOREACH (key, toleration, json_doc_root(doc))
            validate_toleration(v, toleration, field_path_index(v, list, index++));
    error_free(err);
}

/* Annotations that Kubernetes itself reads. */
void validate_pod_annotations(struct kind_validator *v, const struct json_value *annotations,
                              const struct json_value *spec, struct str path)
{
    const struct json_value *mirror = json_get(annotations, MIRROR);
    const struct json_value *cost = json_get(annotations, COST);
    const struct str tolerations = json_to_str(json_get(annotations, TOLERATIONS));
    if (mirror && json_path_str(spec, "nodeName").len == 0)
        field_invalid(v, field_path_key(v, path, MIRROR), NULL, mirror,
                      "must set spec.nodeName if mirror pod annotation is set");
    if (tolerations.len)
        validate_toleration_text(v, tolerations, path);
    if (cost && !is_cost(json_to_str(cost)))
        field_invalid(v, field_path_key(v, path, COST), NULL, cost, "must be a 32bit integer");
    validate_profile_annotations(v, annotations, spec, path);
}

bool validate_selector_is_readable(struct kind_validator *v, const struct json_value *spec)
{
    struct field_errors found = {.arena = v->arena};
    struct kind_validator other = *v;
    other.errors = &found;
    validate_pod_selector(&other, spec, STR(""), "selector");
    return found.count == 0;
}

/* Paths of labels and annotations of a template lack "metadata", as upstream. */
void validate_pod_template(struct kind_validator *v, const struct json_value *object,
                           struct str path)
{
    const struct json_value *annotations = json_path(object, "metadata.annotations");
    metadata_check_labels(v->errors, field_path(v, path, "labels"),
                          json_path(object, "metadata.labels"));
    metadata_check_annotations(v->errors, field_path(v, path, "annotations"), annotations);
    validate_pod_annotations(v, annotations, json_path(object, "spec"),
                             field_path(v, path, "annotations"));
    if (json_count(json_path(object, "spec.ephemeralContainers")))
        field_forbidden(v, path, "spec.ephemeralContainers",
                        "ephemeral containers not allowed in pod template");
}
