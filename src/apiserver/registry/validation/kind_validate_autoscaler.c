/*
 * Validation of HorizontalPodAutoscalers.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/validation. validate_autoscaler_spec() does all
 * of a spec: the walk of kind_validate.c does not enter it, because upstream does not look into
 * every member of it, such as the selectors of metrics.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/validation/kind_validate_internal.h"

#define PERIOD_SECONDS_MAX 1800
#define WINDOW_SECONDS_MAX 3600

#define METRIC_TYPES "ContainerResource|External|Object|Pods|Resource"

/* An absent number is 0. */
static int64_t number_at(const struct json_value *object, const char *member)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, member), &number);
    return number;
}

/* Adds an error about a number; one that is absent is shown as 0. */
static void add_number_error(struct kind_validator *v, struct str path, const char *member,
                             const struct json_value *object, struct str words)
{
    field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, path, member),
                         number_at(object, member), words);
}

/* A name that is required and that may stand in a path. */
static void validate_segment(struct kind_validator *v, const struct json_value *object,
                             struct str path, const char *member, const char *detail)
{
    const struct str name = json_path_str(object, member);
    if (name.len == 0)
        field_required(v, path, member, detail);
    else
        field_syntax(v, path, member, name, validation_path_segment(name));
}

/* "v1" and "" are of the core group, as is what begins with a slash. */
static void validate_api_version(struct kind_validator *v, struct str path, struct str text,
                                 bool allows_core)
{
    const size_t slash = str_find_char(text, '/');
    if (slash != str_find_last_char(text, '/'))
        field_errors_add_str(
            v->errors, FIELD_INVALID, path, text,
            arena_print(v->arena, "unexpected GroupVersion string: %.*s", STR_ARG(text)));
    else if (!allows_core && (slash == STR_NONE || slash == 0))
        field_errors_add_str(v->errors, FIELD_INVALID, path, text,
                             STR("apiVersion must specify API group"));
}

/* What is scaled. A reference that stays as it was is not looked at again. */
static void validate_scale_target(struct kind_validator *v, const struct json_value *target,
                                  struct str path)
{
    const struct json_value *old = json_path(v->old, "spec.scaleTargetRef");
    const struct str kind = json_path_str(target, "kind");
    const struct str version = json_path_str(target, "apiVersion");
    validate_segment(v, target, path, "kind", "");
    validate_segment(v, target, path, "name", "");
    if (v->old && str_eq(version, json_path_str(old, "apiVersion")) &&
        str_eq(kind, json_path_str(old, "kind")))
        return;
    validate_api_version(v, field_path(v, path, "apiVersion"), version,
                         str_eq(kind, STR("ReplicationController")));
}

static void validate_described_object(struct kind_validator *v, const struct json_value *object,
                                      struct str path)
{
    validate_segment(v, object, path, "kind", "");
    validate_segment(v, object, path, "name", "");
    validate_api_version(v, field_path(v, path, "apiVersion"), json_path_str(object, "apiVersion"),
                         true);
}

static bool is_positive(const struct json_value *value)
{
    struct quantity quantity;
    return !field_quantity(value, &quantity) || quantity_sign(&quantity) > 0;
}

static void validate_metric_target(struct kind_validator *v, const struct json_value *target,
                                   struct str path)
{
    static const char *const quantities[] = {"value", "averageValue"};
    const struct str type = json_path_str(target, "type");
    if (type.len == 0)
        field_required(v, path, "type", "must specify a metric target type");
    if (!str_eq(type, STR("Utilization")) && !str_eq(type, STR("Value")) &&
        !str_eq(type, STR("AverageValue")))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "type"), type,
                             STR("must be either Utilization, Value, or AverageValue"));
    for (size_t i = 0; i < COUNT(quantities); i++) {
        const struct json_value *value = json_path(target, quantities[i]);
        if (value && !is_positive(value))
            field_invalid(v, path, quantities[i], value, "must be positive");
    }
    if (json_path(target, "averageUtilization") && number_at(target, "averageUtilization") < 1)
        add_number_error(v, path, "averageUtilization", target, STR("must be greater than 0"));
}

/* Which members of a target a source needs, and the words where they are missing or too many. */
struct target_rule {
    const char *one, *other; /* other is NULL where one is required */
    const char *missing_at, *missing;
    const char *both_at, *both; /* NULL where both may be given */
};

static void validate_target_values(struct kind_validator *v, const struct json_value *target,
                                   struct str path, const struct target_rule *rule)
{
    const bool has_one = json_path(target, rule->one) != NULL;
    const bool has_other = rule->other && json_path(target, rule->other) != NULL;
    if (!has_one && !has_other)
        field_required(v, path, rule->missing_at, rule->missing);
    if (has_one && has_other && rule->both)
        field_forbidden(v, path, rule->both_at, rule->both);
}

static void validate_container_name(struct kind_validator *v, const struct json_value *source,
                                    struct str path)
{
    const struct str container = json_path_str(source, "container");
    if (container.len == 0)
        field_required(v, path, "container", "must specify a container");
    else
        field_syntax(v, path, "container", container, validation_dns1123_label(container));
}

static void validate_metric_resource(struct kind_validator *v, const struct json_value *source,
                                     struct str path, bool is_container)
{
    const struct str name = json_path_str(source, "name");
    if (name.len == 0)
        field_required(v, path, "name", "must specify a resource name");
    else if (is_container)
        validate_resource_name(v, field_path(v, path, "name"), name, USE_CONTAINER);
    if (is_container)
        validate_container_name(v, source, path);
}

#define UTILIZATION                                                                       \
    {                                                                                     \
        "averageUtilization", "averageValue", "averageUtilization",                       \
            "must set either a target raw value or a target utilization", "averageValue", \
            "may not set both a target raw value and a target utilization"                \
    }

/* The sources of a metric, in the order in which upstream looks for them. */
static const struct metric_source {
    const char *type, *member;
    bool has_metric, has_resource;
    struct target_rule target;
} sources[] = {
    {"Object",
     "object",                                 true,
     false,                                                 {"value", "averageValue", "averageValue", "must set either a target value or averageValue",
      NULL, NULL}                                                       },
    {"External",
     "external",                               true,
     false,                                                 {"value", "averageValue", "averageValue",
      "must set either a target value for metric or a per-pod target", "value",
      "may not set both a target value for metric and a per-pod target"}},
    {"Pods",
     "pods",                                   true,
     false,                                                 {"averageValue", NULL, "averageValue", "must specify a positive target averageValue", NULL,
      NULL}                                                             },
    {"Resource",          "resource",          false, true, UTILIZATION            },
    {"ContainerResource", "containerResource", false, true, UTILIZATION            },
};

static void validate_metric_source(struct kind_validator *v, const struct json_value *source,
                                   struct str path, const struct metric_source *kind)
{
    const struct json_value *target = json_path(source, "target");
    const struct str place = field_path(v, path, "target");
    if (str_eq(str_from_c(kind->type), STR("Object")))
        validate_described_object(v, json_path(source, "describedObject"),
                                  field_path(v, path, "describedObject"));
    if (kind->has_metric)
        validate_segment(v, json_path(source, "metric"), field_path(v, path, "metric"), "name",
                         "must specify a metric name");
    if (kind->has_resource)
        validate_metric_resource(v, source, path,
                                 str_eq(str_from_c(kind->type), STR("ContainerResource")));
    validate_metric_target(v, target, place);
    validate_target_values(v, target, place, &kind->target);
}

/* The type says which of the sources there is. The first one is looked into. */
static void validate_metric(struct kind_validator *v, const struct json_value *metric,
                            struct str path)
{
    const struct str type = json_path_str(metric, "type");
    const char *expected = NULL;
    size_t present = 0;
    if (type.len == 0)
        field_required(v, path, "type", "must specify a metric source type");
    field_one_of(v, path, "type", type, METRIC_TYPES);
    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct json_value *source = json_path(metric, sources[i].member);
        if (str_eq(type, str_from_c(sources[i].type)))
            expected = sources[i].member;
        if (source && present++ == 0)
            validate_metric_source(v, source, field_path(v, path, sources[i].member), &sources[i]);
    }
    if (!expected)
        field_one_of(v, path, "type", type, METRIC_TYPES);
    else if (!json_path(metric, expected))
        field_required(v, path, expected, "must populate information for the given metric source");
    for (size_t i = 0; i < COUNT(sources) && present != 1; i++)
        if (sources[i].member != expected && json_path(metric, sources[i].member))
            field_forbidden(v, path, sources[i].member,
                            "must populate the given metric source only");
}

static void validate_scaling_policy(struct kind_validator *v, const struct json_value *policy,
                                    struct str path)
{
    const int64_t period = number_at(policy, "periodSeconds");
    field_one_of(v, path, "type", json_path_str(policy, "type"), "Percent|Pods");
    if (number_at(policy, "value") <= 0)
        add_number_error(v, path, "value", policy, STR("must be greater than zero"));
    if (period <= 0)
        add_number_error(v, path, "periodSeconds", policy, STR("must be greater than zero"));
    if (period > PERIOD_SECONDS_MAX)
        add_number_error(
            v, path, "periodSeconds", policy,
            arena_print(v->arena, "must be less than or equal to %d", PERIOD_SECONDS_MAX));
}

static void validate_scaling_rules(struct kind_validator *v, const struct json_value *rules,
                                   struct str path)
{
    const struct json_value *policies = json_path(rules, "policies"), *policy;
    const struct json_value *tolerance = json_path(rules, "tolerance");
    const int64_t window = number_at(rules, "stabilizationWindowSeconds");
    struct quantity quantity;
    size_t index = 0;
    if (window < 0)
        add_number_error(v, path, "stabilizationWindowSeconds", rules,
                         STR("must be greater than or equal to zero"));
    if (window > WINDOW_SECONDS_MAX)
        add_number_error(
            v, path, "stabilizationWindowSeconds", rules,
            arena_print(v->arena, "must be less than or equal to %d", WINDOW_SECONDS_MAX));
    if (json_path(rules, "selectPolicy"))
        field_one_of(v, path, "selectPolicy", json_path_str(rules, "selectPolicy"),
                     "Disabled|Max|Min");
    if (json_count(policies) == 0)
        field_required(v, path, "policies", "must specify at least one Policy");
    JSON_FOREACH (key, policy, policies)
        validate_scaling_policy(v, policy,
                                field_path_index(v, field_path(v, path, "policies"), index++));
    if (field_quantity(tolerance, &quantity) && quantity_sign(&quantity) < 0)
        field_invalid(v, path, "tolerance", tolerance, "must be greater than or equal to 0");
}

/* minReplicas is 1 at least, maxReplicas is required and no less than that. */
static void validate_replicas(struct kind_validator *v, const struct json_value *spec,
                              struct str path)
{
    const int64_t least = number_at(spec, "minReplicas"), most = number_at(spec, "maxReplicas");
    const bool has_least = json_path(spec, "minReplicas") != NULL;
    if (has_least && least < 1)
        add_number_error(v, path, "minReplicas", spec, STR("must be greater than or equal to 1"));
    if (most == 0)
        field_required(v, path, "maxReplicas", "must be set and greater than 0");
    else if (most < 0)
        add_number_error(v, path, "maxReplicas", spec, STR("must be greater than or equal to 1"));
    if (has_least && most < least)
        add_number_error(v, path, "maxReplicas", spec,
                         STR("must be greater than or equal to `minReplicas`"));
}

/* In autoscaling/v1, targetCPUUtilizationPercentage stands for the first of the metrics. */
void validate_autoscaler_spec(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    static const char *const directions[] = {"behavior.scaleUp", "behavior.scaleDown"};
    const struct json_value *percentage = json_path(object, "targetCPUUtilizationPercentage");
    const struct str metrics = field_path(v, path, "metrics");
    const struct json_value *metric;
    bool can_be_none = false;
    size_t index = 0;
    validate_replicas(v, object, path);
    validate_scale_target(v, json_path(object, "scaleTargetRef"),
                          field_path(v, path, "scaleTargetRef"));
    if (percentage && number_at(object, "targetCPUUtilizationPercentage") < 1)
        field_invalid(v, field_path_index(v, metrics, 0), "resource.target.averageUtilization",
                      percentage, "must be greater than 0");
    JSON_FOREACH (key, metric, json_path(object, "metrics")) {
        const struct str type = json_path_str(metric, "type");
        validate_metric(v, metric, field_path_index(v, metrics, index++));
        can_be_none = can_be_none || str_eq(type, STR("Object")) || str_eq(type, STR("External"));
    }
    if (json_path(object, "minReplicas") && number_at(object, "minReplicas") == 0 && !can_be_none)
        field_forbidden(v, metrics, NULL,
                        "must specify at least one Object or External metric to support scaling to "
                        "zero replicas");
    for (size_t i = 0; i < COUNT(directions); i++)
        if (json_path(object, directions[i]))
            validate_scaling_rules(v, json_path(object, directions[i]),
                                   field_path(v, path, directions[i]));
}
