/*
 * Validation of Nodes and of terms that select Nodes. Upstream: ValidateNode(),
 * ValidateNodeUpdate() and ValidateNodeSelectorTerm() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"
#include "base/quote.h"
#include "json/builder.h"
#include "json/compare.h"

/* Of the name of a feature that a Node declares. */
#define FEATURE_NAME_MAX DNS1123_SUBDOMAIN_MAX

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

static bool is_v6_range(const struct json_value *range)
{
    return str_find_char(json_to_str(range), ':') != STR_NONE;
}

/* Two ranges or more are one of each family. A range that cannot be read is told once more. */
static void validate_range_families(struct kind_validator *v, const struct json_value *ranges,
                                    struct str path)
{
    const struct json_value *range;
    size_t index = 0, families[2] = {0, 0};
    bool is_readable = true;
    JSON_FOREACH (key, range, ranges) {
        const struct str text = json_to_str(range);
        if (is_readable && !validation_is_ok(syntax_cidr(text))) {
            is_readable = false;
            field_errors_add(v->errors, FIELD_INTERNAL, path,
                             arena_print(v->arena,
                                         "invalid PodCIDRs. failed to check with dual stack with "
                                         "error:invalid CIDR[%zu]: <nil> (invalid CIDR address: "
                                         "%.*s)",
                                         index, STR_ARG(text)));
        }
        families[is_v6_range(range)]++;
        index++;
    }
    if (!is_readable || families[0] != 1 || families[1] != 1)
        field_invalid(v, path, NULL, ranges,
                      "may specify no more than one CIDR for each IP family");
}

static void validate_pod_ranges(struct kind_validator *v, const struct json_value *spec,
                                struct str path)
{
    const struct str place = field_path(v, path, "podCIDRs");
    const struct json_value *ranges = json_path(spec, "podCIDRs"), *range;
    size_t index = 0;
    JSON_FOREACH (key, range, ranges)
        field_syntax(v, field_path_index(v, place, index++), NULL, json_to_str(range),
                     syntax_cidr(json_to_str(range)));
    if (index > 1)
        validate_range_families(v, ranges, place);
}

/* Upstream's paths of these quantities have dots where others have brackets. */
static void validate_node_resources(struct kind_validator *v, const struct json_value *status)
{
    static const char *const members[] = {"capacity", "allocatable"};
    const struct json_value *value;
    for (size_t i = 0; i < COUNT(members); i++)
        JSON_FOREACH (key, value, json_path(status, members[i]))
            validate_resource_quantity(
                v, arena_print(v->arena, "status.%s.%.*s", members[i], STR_ARG(key)), key, value);
}

/* Segments of letters and digits with slashes between them. The first letter is a capital one. */
static bool is_feature_name(struct str name)
{
    bool starts = true;
    if (name.len == 0 || !ascii_is_upper(name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (starts ? !ascii_is_letter(c) : !ascii_is_alphanumeric(c) && c != '/')
            return false;
        starts = c == '/';
    }
    return !starts;
}

static void validate_feature_name(struct kind_validator *v, struct str path, struct str name)
{
    SCOPED(buf) quoted = {.limit = 0};
    struct str words = STR("must start with an UpperCamelCase segment, with subsequent segments "
                           "separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and "
                           "contain only alphanumeric characters and slashes");
    if (name.len > FEATURE_NAME_MAX)
        words = arena_print(v->arena, "must be no more than %d characters", FEATURE_NAME_MAX);
    else if (is_feature_name(name))
        return;
    str_quote_go(&quoted, name);
    field_errors_add_str(v->errors, FIELD_INVALID, path, name,
                         arena_print(v->arena, "invalid feature name %.*s: %.*s",
                                     STR_ARG(buf_str(&quoted)), STR_ARG(words)));
}

/* Features are sorted, each once. */
static void validate_declared_features(struct kind_validator *v, const struct json_value *features)
{
    const struct str path = STR("status.declaredFeatures");
    const size_t count = json_count(features);
    for (size_t i = 0; i < count; i++) {
        const struct str name = json_to_str(json_at(features, i));
        const struct str next = json_to_str(json_at(features, i + 1));
        validate_feature_name(v, field_path_index(v, path, i), name);
        if (i + 1 == count)
            break;
        const int order = str_cmp(name, next);
        if (order == 0)
            field_errors_add_str(v->errors, FIELD_DUPLICATE, field_path_index(v, path, i + 1), next,
                                 STR(""));
        else if (order > 0)
            field_errors_add_str(v->errors, FIELD_INVALID, field_path_index(v, path, i + 1), next,
                                 STR("list must be sorted alphabetically"));
    }
}

/* The error quotes an address as upstream's own type, whose members have capital letters. */
static void add_duplicate_address(struct kind_validator *v, struct str path,
                                  const struct json_value *address)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "Type", json_path_str(address, "type"));
    json_builder_add_str(&builder, "Address", json_path_str(address, "address"));
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &doc);
    error_free(err);
    field_errors_add_value(v->errors, FIELD_DUPLICATE, path, doc ? json_doc_root(doc) : NULL,
                           STR(""));
}

static void validate_node_addresses(struct kind_validator *v, const struct json_value *addresses)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *address;
    size_t index = 0;
    JSON_FOREACH (key, address, addresses) {
        const struct str path = field_path_index(v, STR("status.addresses"), index++);
        const struct str both =
            arena_print(v->arena, "%.*s %.*s", STR_ARG(json_path_str(address, "type")),
                        STR_ARG(json_path_str(address, "address")));
        if (map_has(&seen, both))
            add_duplicate_address(v, path, address);
        map_put(&seen, both, NULL);
    }
}

/* A Node is made with its status, and keeps it when it is updated. */
void validate_node(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *status = json_path(object, "status");
    const struct json_value *swap = json_path(status, "nodeInfo.swap.capacity");
    int64_t bytes;
    validate_taints(v, json_path(object, "spec.taints"));
    validate_node_resources(v, status);
    if (json_to_int64(swap, &bytes) && bytes <= 0)
        field_invalid(v, STR("metadata.nodeSwapStatus"), "capacity", swap,
                      "must be greater than zero");
    validate_declared_features(v, json_path(status, "declaredFeatures"));
    validate_pod_ranges(v, json_path(object, "spec"), field_path(v, path, "spec"));
}

void validate_node_status(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    (void)path;
    validate_node_resources(v, object);
    validate_declared_features(v, json_path(object, "declaredFeatures"));
    validate_node_addresses(v, json_path(object, "addresses"));
}

/* What a Node was given once stays. */
void validate_node_update(struct kind_validator *v, const struct json_value *object,
                          struct str path)
{
    const struct json_value *old = json_path(v->old, "spec"), *spec = json_path(object, "spec");
    const struct str provider = json_path_str(old, "providerID");
    (void)path;
    validate_node_addresses(v, json_path(object, "status.addresses"));
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

static void validate_values_count(struct kind_validator *v, const struct json_value *requirement,
                                  struct str path)
{
    const struct str op = json_path_str(requirement, "operator");
    const size_t count = json_count(json_path(requirement, "values"));
    if (field_is_one_of(op, "In|NotIn")) {
        if (count == 0)
            field_required(v, path, "values",
                           "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (field_is_one_of(op, "Exists|DoesNotExist")) {
        if (count > 0)
            field_forbidden(v, path, "values",
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (field_is_one_of(op, "Gt|Lt")) {
        if (count != 1)
            field_required(v, path, "values",
                           "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "operator"), op,
                             STR("not a valid selector operator"));
    }
}

/* Values of a preference need not be values of labels: it then prefers no node. */
static void validate_expression(struct kind_validator *v, const struct json_value *requirement,
                                struct str path, bool is_preference)
{
    const struct str label = json_path_str(requirement, "key");
    const struct json_value *value;
    size_t index = 0;
    validate_values_count(v, requirement, path);
    field_syntax(v, path, "key", label, validation_label_key(label));
    JSON_FOREACH (key, value, json_path(requirement, "values")) {
        const struct str place = field_path_index(v, field_path(v, path, "values"), index++);
        if (!is_preference)
            field_syntax(v, place, NULL, json_to_str(value),
                         validation_label_value(json_to_str(value)));
    }
}

/* The only field that Nodes are selected by is their name. */
static void validate_node_field(struct kind_validator *v, const struct json_value *requirement,
                                struct str path)
{
    const struct str op = json_path_str(requirement, "operator");
    const struct str name = json_path_str(requirement, "key");
    const struct json_value *values = json_path(requirement, "values"), *value;
    size_t index = 0;
    if (!field_is_one_of(op, "In|NotIn"))
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "operator"), op,
                             STR("not a valid selector operator"));
    else if (json_count(values) != 1)
        field_required(v, path, "values",
                       "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                       "selector");
    if (!str_eq(name, STR("metadata.name"))) {
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "key"), name,
                             STR("not a valid field selector key"));
        return;
    }
    JSON_FOREACH (key, value, values)
        field_syntax(v, field_path_index(v, field_path(v, path, "values"), index++), NULL,
                     json_to_str(value), validation_dns1123_subdomain(json_to_str(value)));
}

void validate_node_selector_term(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const bool is_preference = str_ends_with(path, STR(".preference"));
    const struct str expressions = field_path(v, path, "matchExpressions");
    const struct str fields = field_path(v, path, "matchFields");
    const struct json_value *requirement;
    size_t index = 0;
    JSON_FOREACH (key, requirement, json_path(object, "matchExpressions"))
        validate_expression(v, requirement, field_path_index(v, expressions, index++),
                            is_preference);
    index = 0;
    JSON_FOREACH (key, requirement, json_path(object, "matchFields"))
        validate_node_field(v, requirement, field_path_index(v, fields, index++));
}
