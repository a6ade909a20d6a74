/*
 * Conversion of HorizontalPodAutoscalers between autoscaling/v1 and autoscaling/v2.
 *
 * v1 knows the utilization of the CPU alone. Other metrics, the behaviour and most of the status
 * are JSON in four annotations, in forms of their own: metrics have the members of tables below,
 * the behaviour has the names of upstream's internal type. Annotations that cannot be read are
 * dropped. Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
 */
#include "apiserver/registry/kind_autoscaler.h"

#include "apiserver/registry/kind_builtin.h"
#include "apiserver/registry/kind_default_internal.h"
#include "apiserver/types/go_types.h"
#include "base/ascii.h"
#include "json/builder.h"
#include "json/path.h"

#define PREFIX "autoscaling.alpha.kubernetes.io/"

static const struct str metrics_annotation = STR_INIT(PREFIX "metrics");
static const struct str behavior_annotation = STR_INIT(PREFIX "behavior");
static const struct str statuses_annotation = STR_INIT(PREFIX "current-metrics");
static const struct str conditions_annotation = STR_INIT(PREFIX "conditions");

/* A member of a metric: its name in v1, its object and name in v2, and whether v1 always has it. */
struct metric_member {
    const char *v1, *object, *v2;
    bool is_required;
};

/* The forms of a metric, of specs and of statuses. Members have the order of v1. */
struct metric_form {
    const char *name;
    struct metric_member members[6];
};

#define NAME(name)                    \
    {                                 \
        name, "metric", "name", false \
    }
#define SELECTOR(name)                    \
    {                                     \
        name, "metric", "selector", false \
    }
#define PLAIN(name)             \
    {                           \
        name, NULL, name, false \
    }
#define VALUE(name, object, v2, required) \
    {                                     \
        name, object, v2, required        \
    }

#define FORMS 5

static const struct metric_form specs[FORMS] = {
    {"object",
     {{"target", NULL, "describedObject", false},
      NAME("metricName"),
      VALUE("targetValue", "target", "value", true),
      SELECTOR("selector"),
      VALUE("averageValue", "target", "averageValue", false)}                          },
    {"pods",
     {NAME("metricName"), VALUE("targetAverageValue", "target", "averageValue", true),
      SELECTOR("selector")}                                                            },
    {"resource",
     {PLAIN("name"), VALUE("targetAverageUtilization", "target", "averageUtilization", false),
      VALUE("targetAverageValue", "target", "averageValue", false)}                    },
    {"containerResource",
     {PLAIN("name"), VALUE("targetAverageUtilization", "target", "averageUtilization", false),
      VALUE("targetAverageValue", "target", "averageValue", false), PLAIN("container")}},
    {"external",
     {NAME("metricName"), SELECTOR("metricSelector"),
      VALUE("targetValue", "target", "value", false),
      VALUE("targetAverageValue", "target", "averageValue", false)}                    },
};

static const struct metric_form statuses[FORMS] = {
    {"object",
     {{"target", NULL, "describedObject", false},
      NAME("metricName"),
      VALUE("currentValue", "current", "value", true),
      SELECTOR("selector"),
      VALUE("averageValue", "current", "averageValue", false)}                          },
    {"pods",
     {NAME("metricName"), VALUE("currentAverageValue", "current", "averageValue", true),
      SELECTOR("selector")}                                                             },
    {"resource",
     {PLAIN("name"), VALUE("currentAverageUtilization", "current", "averageUtilization", false),
      VALUE("currentAverageValue", "current", "averageValue", true)}                    },
    {"containerResource",
     {PLAIN("name"), VALUE("currentAverageUtilization", "current", "averageUtilization", false),
      VALUE("currentAverageValue", "current", "averageValue", true), PLAIN("container")}},
    {"external",
     {NAME("metricName"), SELECTOR("metricSelector"),
      VALUE("currentValue", "current", "value", true),
      VALUE("currentAverageValue", "current", "averageValue", false)}                   },
};

#undef NAME
#undef SELECTOR
#undef PLAIN
#undef VALUE

/* The members of the behaviour. In the annotation they begin with a capital. */
static const char *const rule_names[] = {"stabilizationWindowSeconds", "selectPolicy", "policies",
                                         "tolerance"};
static const char *const policy_names[] = {"type", "value", "periodSeconds"};

bool kind_autoscaler_is_v1(const struct kind *kind)
{
    return kind->type == &type_autoscaling_v1_horizontal_pod_autoscaler;
}

bool kind_autoscaler_is_any(const struct kind *kind)
{
    return kind_autoscaler_is_v1(kind) ||
           kind->type == &type_autoscaling_v2_horizontal_pod_autoscaler;
}

static const struct json_value *root_of(const struct json_doc *doc)
{
    return doc ? json_doc_root(doc) : NULL;
}

static const struct kind *find_version(const char *version)
{
    return kinds_find(
        (struct gvr){STR("autoscaling"), str_from_c(version), STR("horizontalpodautoscalers")});
}

static bool is_annotation(struct str key)
{
    return str_eq(key, metrics_annotation) || str_eq(key, behavior_annotation) ||
           str_eq(key, statuses_annotation) || str_eq(key, conditions_annotation);
}

/* A metric of the CPU with a utilization, which v1 has a member for. */
static bool is_cpu(const struct json_value *metric, const char *utilization)
{
    return str_eq(json_path_str(metric, "type"), STR("Resource")) &&
           str_eq(json_path_str(metric, "resource.name"), STR("cpu")) &&
           json_path(metric, utilization);
}

static const struct json_value *find_cpu(const struct json_value *metrics, const char *utilization)
{
    const struct json_value *metric;
    JSON_FOREACH (key, metric, metrics)
        if (is_cpu(metric, utilization))
            return json_path(metric, utilization);
    return NULL;
}

static void copy_member(struct json_builder *out, const struct json_value *from, const char *name)
{
    const struct json_value *value = json_get(from, str_from_c(name));
    if (value)
        json_builder_add_value(out, name, value);
}

/* --- to v1 --- */

static void write_source(struct json_builder *out, const struct metric_form *form,
                         const struct json_value *source)
{
    if (!source)
        return;
    json_builder_add_object(out, form->name);
    for (const struct metric_member *member = form->members; member->v1; member++) {
        const struct json_value *from =
            member->object ? json_get(source, str_from_c(member->object)) : source;
        const struct json_value *value = json_get(from, str_from_c(member->v2));
        if (value)
            json_builder_add_value(out, member->v1, value);
        else if (member->is_required)
            json_builder_add_str(out, member->v1, STR("0"));
    }
    json_builder_end(out);
}

/* Metrics of v2 in the form that the annotation has; those of the CPU are left out of a spec. */
static bool write_metrics(struct json_builder *out, const struct json_value *metrics,
                          const struct metric_form *forms, bool is_spec)
{
    const struct json_value *metric;
    size_t written = 0;
    json_builder_array(out);
    JSON_FOREACH (key, metric, metrics) {
        if (is_spec && is_cpu(metric, "resource.target.averageUtilization"))
            continue;
        written++;
        json_builder_object(out);
        json_builder_add_str(out, "type", json_path_str(metric, "type"));
        for (size_t i = 0; i < FORMS; i++)
            write_source(out, &forms[i], json_get(metric, str_from_c(forms[i].name)));
        json_builder_end(out);
    }
    json_builder_end(out);
    return written > 0;
}

static void add_capital_key(struct json_builder *out, const char *name)
{
    char text[32] = {0};
    const size_t len = strlen(name);
    memcpy(text, name, len);
    text[0] = (char)(text[0] - 'a' + 'A');
    json_builder_key(out, str_from(text, len));
}

static void add_capital(struct json_builder *out, const struct json_value *object, const char *name)
{
    const struct json_value *value = json_get(object, str_from_c(name));
    add_capital_key(out, name);
    if (value)
        json_builder_value(out, value);
    else
        json_builder_null(out);
}

static void write_policies(struct json_builder *out, const struct json_value *policies)
{
    const struct json_value *policy;
    json_builder_array(out);
    JSON_FOREACH (key, policy, policies) {
        json_builder_object(out);
        for (size_t i = 0; i < COUNT(policy_names); i++)
            add_capital(out, policy, policy_names[i]);
        json_builder_end(out);
    }
    json_builder_end(out);
}

static void write_rules(struct json_builder *out, const struct json_value *rules)
{
    if (!rules) {
        json_builder_null(out);
        return;
    }
    json_builder_object(out);
    for (size_t i = 0; i < COUNT(rule_names); i++) {
        const struct json_value *value = json_get(rules, str_from_c(rule_names[i]));
        if (json_type(value) != JSON_ARRAY) {
            add_capital(out, rules, rule_names[i]);
            continue;
        }
        add_capital_key(out, rule_names[i]);
        write_policies(out, value);
    }
    json_builder_end(out);
}

static void write_behavior(struct json_builder *out, const struct json_value *behavior)
{
    json_builder_object(out);
    add_capital_key(out, "scaleUp");
    write_rules(out, json_get(behavior, STR("scaleUp")));
    add_capital_key(out, "scaleDown");
    write_rules(out, json_get(behavior, STR("scaleDown")));
    json_builder_end(out);
}

/* A document as the text of an annotation. */
static struct error *add_annotation(struct json_builder *out, struct str key,
                                    struct json_builder *value)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    TRY(json_builder_finish(value, &doc));
    json_write_with(&text, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    TRY(buf_check(&text));
    json_builder_key(out, key);
    json_builder_str(out, buf_str(&text));
    return NULL;
}

static struct error *add_metrics_annotation(struct json_builder *out, struct str key,
                                            const struct json_value *metrics,
                                            const struct metric_form *forms, bool is_spec)
{
    SCOPED(json_builder) value = {.limit = 0};
    return write_metrics(&value, metrics, forms, is_spec) ? add_annotation(out, key, &value) : NULL;
}

/* The annotations of the object besides those that hold metrics, and these anew. */
static struct error *write_annotations(struct json_builder *out, const struct json_value *object)
{
    const struct json_value *behavior = json_path(object, "spec.behavior"), *value;
    const struct json_value *conditions = json_path(object, "status.conditions");
    SCOPED(json_builder) text = {.limit = 0};
    json_builder_add_object(out, "annotations");
    JSON_FOREACH (key, value, json_path(object, "metadata.annotations")) {
        if (is_annotation(key))
            continue;
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
    TRY(add_metrics_annotation(out, metrics_annotation, json_path(object, "spec.metrics"), specs,
                               true));
    TRY(add_metrics_annotation(out, statuses_annotation, json_path(object, "status.currentMetrics"),
                               statuses, false));
    if (behavior) {
        SCOPED(json_builder) written = {.limit = 0};
        write_behavior(&written, behavior);
        TRY(add_annotation(out, behavior_annotation, &written));
    }
    if (json_count(conditions) > 0) {
        json_builder_value(&text, conditions);
        TRY(add_annotation(out, conditions_annotation, &text));
    }
    json_builder_end(out);
    return NULL;
}

/* Members of the metadata besides the annotations. */
static void copy_metadata(struct json_builder *out, const struct json_value *object)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_get(object, STR("metadata"))) {
        if (str_eq(key, STR("annotations")))
            continue;
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
}

/* The members of spec and status that both versions have. */
static void copy_members(struct json_builder *out, const struct json_value *from,
                         const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        copy_member(out, from, names[i]);
}

static const char *const spec_names[] = {"scaleTargetRef", "minReplicas", "maxReplicas"};
static const char *const status_names[] = {"observedGeneration", "lastScaleTime", "currentReplicas",
                                           "desiredReplicas"};

struct error *kind_autoscaler_to_v1(const struct json_value *object, struct json_doc **ret_doc)
{
    const struct json_value *spec = json_get(object, STR("spec"));
    const struct json_value *status = json_get(object, STR("status"));
    const struct json_value *wanted =
        find_cpu(json_get(spec, STR("metrics")), "resource.target.averageUtilization");
    const struct json_value *seen =
        find_cpu(json_get(status, STR("currentMetrics")), "resource.current.averageUtilization");
    OWNED(json_doc) doc = NULL;
    SCOPED(json_builder) out = {.limit = 0};
    json_builder_object(&out);
    json_builder_add_object(&out, "metadata");
    copy_metadata(&out, object);
    TRY(write_annotations(&out, object));
    json_builder_end(&out);
    json_builder_add_object(&out, "spec");
    copy_members(&out, spec, spec_names, COUNT(spec_names));
    if (wanted)
        json_builder_add_value(&out, "targetCPUUtilizationPercentage", wanted);
    json_builder_end(&out);
    json_builder_add_object(&out, "status");
    copy_members(&out, status, status_names, COUNT(status_names));
    if (seen)
        json_builder_add_value(&out, "currentCPUUtilizationPercentage", seen);
    json_builder_end(&out);
    json_builder_end(&out);
    TRY(json_builder_finish(&out, &doc));
    return kind_builtin_decode(find_version("v1"), doc, NULL, ret_doc);
}

/* --- to v2 --- */

/* A member whose name begins with a capital or does not, as Go's decoder takes both. */
static const struct json_value *get_any_case(const struct json_value *object, const char *name)
{
    const struct str wanted = str_from_c(name);
    const struct json_value *value;
    JSON_FOREACH (key, value, object)
        if (key.len == wanted.len && ascii_to_lower(key.ptr[0]) == wanted.ptr[0] &&
            str_eq(str_slice(key, 1, key.len), str_slice(wanted, 1, wanted.len)) &&
            json_type(value) != JSON_NULL)
            return value;
    return NULL;
}

static void read_policies(struct json_builder *out, const struct json_value *policies)
{
    const struct json_value *policy, *value;
    json_builder_array(out);
    JSON_FOREACH (key, policy, policies) {
        json_builder_object(out);
        for (size_t i = 0; i < COUNT(policy_names); i++) {
            value = get_any_case(policy, policy_names[i]);
            if (value)
                json_builder_add_value(out, policy_names[i], value);
        }
        json_builder_end(out);
    }
    json_builder_end(out);
}

static void read_rules(struct json_builder *out, const char *name,
                       const struct json_value *behavior)
{
    const struct json_value *rules = get_any_case(behavior, name);
    if (!rules)
        return;
    json_builder_add_object(out, name);
    for (size_t i = 0; i < COUNT(rule_names); i++) {
        const struct json_value *value = get_any_case(rules, rule_names[i]);
        if (json_type(value) == JSON_ARRAY) {
            json_builder_key(out, str_from_c(rule_names[i]));
            read_policies(out, value);
        } else if (value) {
            json_builder_add_value(out, rule_names[i], value);
        }
    }
    json_builder_end(out);
}

/* The kind of a target follows from the values that are there. */
static struct str target_type(const struct metric_form *form, const struct json_value *source)
{
    const bool is_object = strcmp(form->name, "object") == 0;
    if (json_path(source, "targetAverageUtilization"))
        return STR("Utilization");
    if (is_object && !json_path(source, "averageValue"))
        return STR("Value");
    return !is_object && json_path(source, "targetValue") ? STR("Value") : STR("AverageValue");
}

/* v1 writes "0" for a value of an object that is not wanted. */
static bool is_filler(const struct metric_member *member, const struct json_value *source)
{
    return strcmp(member->v1, "targetValue") == 0 && member->is_required &&
           json_path(source, "averageValue") &&
           str_eq(json_path_str(source, "targetValue"), STR("0"));
}

/* The members of one object of a source in v2, "" for the source itself. */
static void read_members(struct json_builder *out, const struct metric_form *form,
                         const struct json_value *source, const char *object)
{
    for (const struct metric_member *member = form->members; member->v1; member++) {
        const struct json_value *value = json_get(source, str_from_c(member->v1));
        if (strcmp(member->object ? member->object : "", object) == 0 && value &&
            !is_filler(member, source))
            json_builder_add_value(out, member->v2, value);
    }
}

static void read_source(struct json_builder *out, const struct metric_form *form,
                        const struct json_value *source, const char *values)
{
    json_builder_add_object(out, form->name);
    read_members(out, form, source, "");
    if (strcmp(form->members[0].v1, "name") != 0) {
        json_builder_add_object(out, "metric");
        read_members(out, form, source, "metric");
        json_builder_end(out);
    }
    json_builder_add_object(out, values);
    if (strcmp(values, "target") == 0)
        json_builder_add_str(out, "type", target_type(form, source));
    read_members(out, form, source, values);
    json_builder_end(out);
    json_builder_end(out);
}

/* Metrics of an annotation, added to the open array. */
static void read_metrics(struct json_builder *out, const struct json_value *metrics,
                         const struct metric_form *forms, const char *values)
{
    const struct json_value *metric;
    JSON_FOREACH (key, metric, metrics) {
        json_builder_object(out);
        copy_member(out, metric, "type");
        for (size_t i = 0; i < FORMS; i++) {
            const struct json_value *source = json_get(metric, str_from_c(forms[i].name));
            if (json_type(source) == JSON_OBJECT)
                read_source(out, &forms[i], source, values);
        }
        json_builder_end(out);
    }
}

static void add_cpu(struct json_builder *out, const char *values, const struct json_value *percent)
{
    json_builder_object(out);
    json_builder_add_str(out, "type", STR("Resource"));
    json_builder_add_object(out, "resource");
    json_builder_add_str(out, "name", STR("cpu"));
    json_builder_add_object(out, values);
    if (strcmp(values, "target") == 0)
        json_builder_add_str(out, "type", STR("Utilization"));
    json_builder_add_value(out, "averageUtilization", percent);
    json_builder_end(out);
    json_builder_end(out);
    json_builder_end(out);
}

/* The document in an annotation; NULL when there is none, or none of this type. */
static struct json_doc *read_annotation(const struct json_value *object, struct str name,
                                        enum json_type type)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *text = json_get(json_path(object, "metadata.annotations"), name);
    if (!text)
        return NULL;
    struct error *err = json_read(json_to_str(text), &doc);
    error_free(err);
    return doc && json_type(json_doc_root(doc)) == type ? TAKE(doc) : NULL;
}

static void write_v2_metadata(struct json_builder *out, const struct json_value *object)
{
    const struct json_value *value;
    json_builder_add_object(out, "metadata");
    copy_metadata(out, object);
    json_builder_add_object(out, "annotations");
    JSON_FOREACH (key, value, json_path(object, "metadata.annotations")) {
        if (is_annotation(key))
            continue;
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
    json_builder_end(out);
    json_builder_end(out);
}

static void write_v2_spec(struct json_builder *out, const struct json_value *object,
                          const struct json_value *metrics, const struct json_value *behavior)
{
    const struct json_value *spec = json_get(object, STR("spec"));
    const struct json_value *percent = json_get(spec, STR("targetCPUUtilizationPercentage"));
    json_builder_add_object(out, "spec");
    copy_members(out, spec, spec_names, COUNT(spec_names));
    json_builder_add_array(out, "metrics");
    read_metrics(out, metrics, specs, "target");
    if (percent)
        add_cpu(out, "target", percent);
    else if (json_count(metrics) == 0)
        (void)default_metric(NULL, NULL, out);
    json_builder_end(out);
    if (get_any_case(behavior, "scaleUp") || get_any_case(behavior, "scaleDown")) {
        json_builder_add_object(out, "behavior");
        read_rules(out, "scaleUp", behavior);
        read_rules(out, "scaleDown", behavior);
        json_builder_end(out);
    }
    json_builder_end(out);
}

static void write_v2_status(struct json_builder *out, const struct json_value *object,
                            const struct json_value *metrics, const struct json_value *conditions)
{
    const struct json_value *status = json_get(object, STR("status"));
    const struct json_value *percent = json_get(status, STR("currentCPUUtilizationPercentage"));
    json_builder_add_object(out, "status");
    copy_members(out, status, status_names, COUNT(status_names));
    json_builder_add_array(out, "currentMetrics");
    if (metrics)
        read_metrics(out, metrics, statuses, "current");
    else if (percent)
        add_cpu(out, "current", percent);
    json_builder_end(out);
    if (conditions)
        json_builder_add_value(out, "conditions", conditions);
    json_builder_end(out);
}

static struct error *convert_to_v2(const struct json_value *object, bool with_annotations,
                                   struct json_doc **ret_doc)
{
    OWNED(json_doc) metrics = NULL;
    OWNED(json_doc) behavior = NULL;
    OWNED(json_doc) current = NULL;
    OWNED(json_doc) conditions = NULL;
    OWNED(json_doc) doc = NULL;
    SCOPED(json_builder) out = {.limit = 0};
    if (with_annotations) {
        metrics = read_annotation(object, metrics_annotation, JSON_ARRAY);
        behavior = read_annotation(object, behavior_annotation, JSON_OBJECT);
        current = read_annotation(object, statuses_annotation, JSON_ARRAY);
        conditions = read_annotation(object, conditions_annotation, JSON_ARRAY);
    }
    json_builder_object(&out);
    write_v2_metadata(&out, object);
    write_v2_spec(&out, object, root_of(metrics), root_of(behavior));
    write_v2_status(&out, object, root_of(current), root_of(conditions));
    json_builder_end(&out);
    TRY(json_builder_finish(&out, &doc));
    return kind_builtin_decode(find_version("v2"), doc, NULL, ret_doc);
}

struct error *kind_autoscaler_to_v2(const struct json_value *object, struct json_doc **ret_doc)
{
    struct error *err = convert_to_v2(object, true, ret_doc);
    if (!err)
        return NULL;
    error_free(err);
    return convert_to_v2(object, false, ret_doc);
}

struct error *kind_autoscaler_to_storage(const struct json_value *object, struct json_doc **ret_doc)
{
    OWNED(json_doc) doc = NULL;
    TRY(kind_autoscaler_to_v2(object, &doc));
    return kind_builtin_default(find_version("v2"), doc, ret_doc);
}
