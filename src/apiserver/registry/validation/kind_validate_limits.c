/*
 * Validation of LimitRanges and ResourceQuotas. The names of resources in them are validated by
 * kind_validate_resources.c.
 *
 * Upstream: ValidateLimitRange() and ValidateResourceQuotaSpec() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
 */
#include "apimachinery/quantity.h"
#include "apiserver/registry/quota_resource.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"

/* The quantities of one resource in a LimitRangeItem; one that is absent has no value. */
enum limit { LIMIT_MAX, LIMIT_MIN, LIMIT_DEFAULT, LIMIT_REQUEST, LIMIT_RATIO, LIMITS };

static const char *const limit_members[LIMITS] = {"max", "min", "default", "defaultRequest",
                                                  "maxLimitRequestRatio"};

struct limits {
    struct str resource;
    const struct json_value *values[LIMITS];
    struct quantity quantities[LIMITS];
    struct str path; /* of the item */
};

/* The error stands at the member `at`, with the value of `shown`. */
static void add_limit_error(struct kind_validator *v, const struct limits *limits, enum limit at,
                            enum limit shown, struct str words)
{
    const struct str path = field_path(v, limits->path, limit_members[at]);
    field_errors_add_value(v->errors, FIELD_INVALID, field_path_key(v, path, limits->resource),
                           limits->values[shown], words);
}

/* No value of a pair is greater than the other. */
static void compare_limits(struct kind_validator *v, const struct limits *limits)
{
    static const struct {
        enum limit low, high, at, shown;
        const char *low_name, *high_name;
    } pairs[] = {
        {LIMIT_MIN,     LIMIT_MAX,     LIMIT_MIN,     LIMIT_MIN,     "min",             "max"            },
        {LIMIT_MIN,     LIMIT_REQUEST, LIMIT_REQUEST, LIMIT_REQUEST, "min",             "default request"},
        {LIMIT_REQUEST, LIMIT_MAX,     LIMIT_REQUEST, LIMIT_REQUEST, "default request", "max"            },
        {LIMIT_REQUEST, LIMIT_DEFAULT, LIMIT_REQUEST, LIMIT_REQUEST, "default request",
         "default limit"                                                                                 },
        {LIMIT_MIN,     LIMIT_DEFAULT, LIMIT_DEFAULT, LIMIT_MIN,     "min",             "default"        },
        {LIMIT_DEFAULT, LIMIT_MAX,     LIMIT_DEFAULT, LIMIT_MAX,     "default",         "max"            },
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const enum limit low = pairs[i].low, high = pairs[i].high;
        if (limits->values[low] && limits->values[high] &&
            quantity_cmp(&limits->quantities[low], &limits->quantities[high]) > 0)
            add_limit_error(
                v, limits, pairs[i].at, pairs[i].shown,
                arena_print(v->arena, "%s value %.*s is greater than %s value %.*s",
                            pairs[i].low_name, STR_ARG(json_to_str(limits->values[low])),
                            pairs[i].high_name, STR_ARG(json_to_str(limits->values[high]))));
    }
}

/* How many times its request the limit of a container may be. */
static void validate_ratio(struct kind_validator *v, const struct limits *limits)
{
    const struct str text = json_to_str(limits->values[LIMIT_RATIO]);
    int64_t ratio, min, max;
    if (!limits->values[LIMIT_RATIO] || !quantity_milli(&limits->quantities[LIMIT_RATIO], &ratio))
        return;
    if (ratio < 1000)
        add_limit_error(v, limits, LIMIT_RATIO, LIMIT_RATIO,
                        arena_print(v->arena, "ratio %.*s is less than 1", STR_ARG(text)));
    if (!limits->values[LIMIT_MIN] || !limits->values[LIMIT_MAX] ||
        !quantity_milli(&limits->quantities[LIMIT_MIN], &min) || min == 0 ||
        !quantity_milli(&limits->quantities[LIMIT_MAX], &max))
        return;
    const double most = (double)max / (double)min;
    if ((double)ratio / 1000 > most)
        add_limit_error(
            v, limits, LIMIT_RATIO, LIMIT_RATIO,
            arena_print(v->arena, "ratio %.*s is greater than max/min = %f", STR_ARG(text), most));
}

/* Devices and huge pages are not shared, so that a limit is what is requested. */
static void validate_unshared(struct kind_validator *v, const struct limits *limits)
{
    const bool is_shared = resource_is_native(limits->resource) &&
                           !str_starts_with(limits->resource, STR("hugepages-"));
    if (is_shared || !limits->values[LIMIT_DEFAULT] || !limits->values[LIMIT_REQUEST] ||
        quantity_cmp(&limits->quantities[LIMIT_DEFAULT], &limits->quantities[LIMIT_REQUEST]) == 0)
        return;
    add_limit_error(
        v, limits, LIMIT_REQUEST, LIMIT_REQUEST,
        arena_print(v->arena, "default value %.*s must equal to defaultRequest value %.*s in %.*s",
                    STR_ARG(json_to_str(limits->values[LIMIT_DEFAULT])),
                    STR_ARG(json_to_str(limits->values[LIMIT_REQUEST])),
                    STR_ARG(limits->resource)));
}

/* Members that count for the type of the item: a Pod has no defaults. */
static bool is_member_of(struct str type, enum limit limit)
{
    return !str_eq(type, STR("Pod")) || (limit != LIMIT_DEFAULT && limit != LIMIT_REQUEST);
}

static void validate_limits_of(struct kind_validator *v, const struct json_value *item,
                               struct str path, struct str type, struct str resource)
{
    struct limits limits = {.resource = resource, .path = path};
    for (enum limit i = 0; i < LIMITS; i++) {
        const struct json_value *value = json_get(json_path(item, limit_members[i]), resource);
        if (is_member_of(type, i) && field_quantity(value, &limits.quantities[i]))
            limits.values[i] = value;
    }
    compare_limits(v, &limits);
    validate_ratio(v, &limits);
    validate_unshared(v, &limits);
}

static void validate_limit_names(struct kind_validator *v, const struct json_value *item,
                                 struct str path, struct str type)
{
    const bool is_container = str_eq(type, STR("Pod")) || str_eq(type, STR("Container"));
    for (enum limit i = 0; i < LIMITS; i++) {
        const struct json_value *map = json_path(item, limit_members[i]), *value;
        const struct str place = field_path(v, path, limit_members[i]);
        if (!is_member_of(type, i) && json_count(map))
            field_forbidden(v, place, NULL, "may not be specified when `type` is 'Pod'");
        if (!is_member_of(type, i))
            continue;
        JSON_FOREACH (key, value, map)
            validate_resource_name(v, field_path_key(v, place, key), key,
                                   is_container ? USE_CONTAINER : 0);
    }
}

static void validate_limit_type(struct kind_validator *v, struct str path, struct str type)
{
    static const char *const types[] = {"Pod", "Container", "PersistentVolumeClaim"};
    const struct validation found = validation_label_key(type);
    field_syntax(v, path, "type", type, found);
    if (found.count || str_find_char(type, '/') != STR_NONE)
        return;
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(type, str_from_c(types[i])))
            return;
    field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "type"), type,
                         STR("must be a standard limit type or fully qualified"));
}

static void validate_limit_item(struct kind_validator *v, const struct json_value *item,
                                struct str path, struct str type)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *value;
    validate_limit_names(v, item, path, type);
    if (str_eq(type, STR("PersistentVolumeClaim")) && !json_path(item, "min.storage") &&
        !json_path(item, "max.storage"))
        field_required(v, path, "limits",
                       "either minimum or maximum storage value is required, but neither was "
                       "provided");
    for (enum limit i = 0; i < LIMITS; i++) {
        JSON_FOREACH (key, value, json_path(item, limit_members[i])) {
            if (map_has(&seen, key))
                continue;
            map_put(&seen, key, NULL);
            validate_limits_of(v, item, path, type, key);
        }
    }
}

/* One item for each type. */
void validate_limit_range_spec(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    SCOPED(map) types = {.release = NULL};
    const struct str limits = field_path(v, path, "limits");
    const struct json_value *item;
    size_t index = 0;
    JSON_FOREACH (key, item, json_path(object, "limits")) {
        const struct str place = field_path_index(v, limits, index++);
        const struct str type = json_path_str(item, "type");
        validate_limit_type(v, place, type);
        (void)field_unique(v, &types, place, "type", type);
        validate_limit_item(v, item, place, type);
    }
}

/* The scopes of a quota, and which resources they go with. */
static const struct {
    const char *name;
    unsigned uses;
    bool exists_only; /* in a selector: it has no values to choose from */
} scopes[] = {
    {"Terminating",               USE_POD,   true },
    {"NotTerminating",            USE_POD,   true },
    {"BestEffort",                USE_COUNT, true },
    {"NotBestEffort",             USE_POD,   true },
    {"PriorityClass",             USE_POD,   false},
    {"VolumeAttributesClass",     USE_CLAIM, false},
    {"CrossNamespacePodAffinity", USE_POD,   true },
};

/* The index of a scope; COUNT(scopes) when there is none of the name. */
static size_t find_scope(struct str name)
{
    size_t i = 0;
    while (i < COUNT(scopes) && !str_eq(name, str_from_c(scopes[i].name)))
        i++;
    return i;
}

/* One error for each standard resource that does not go with the scope. */
static void validate_scope(struct kind_validator *v, const struct json_value *spec, size_t scope,
                           struct str path, const struct json_value *shown)
{
    const struct json_value *value;
    if (scope == COUNT(scopes))
        return;
    JSON_FOREACH (key, value, json_path(spec, "hard")) {
        unsigned uses;
        if (resource_find_uses(key, &uses) && uses & USE_QUOTA && !(uses & scopes[scope].uses))
            field_invalid(v, path, NULL, shown, "unsupported scope applied to resource");
    }
}

/* A scope and its opposite select nothing. */
static void validate_opposites(struct kind_validator *v, struct str path, const bool *has,
                               const struct json_value *shown)
{
    static const char *const pairs[][2] = {
        {"BestEffort",  "NotBestEffort" },
        {"Terminating", "NotTerminating"},
    };
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (has[find_scope(str_from_c(pairs[i][0]))] && has[find_scope(str_from_c(pairs[i][1]))])
            field_invalid(v, path, NULL, shown, "conflicting scopes");
}

static void validate_scopes(struct kind_validator *v, const struct json_value *spec,
                            struct str path)
{
    const struct json_value *list = json_path(spec, "scopes"), *value;
    const struct str place = field_path(v, path, "scopes");
    bool has[COUNT(scopes) + 1] = {false};
    JSON_FOREACH (key, value, list) {
        const size_t scope = find_scope(json_to_str(value));
        has[scope] = true;
        if (scope == COUNT(scopes))
            field_invalid(v, place, NULL, list, "unsupported scope");
        validate_scope(v, spec, scope, place, list);
    }
    validate_opposites(v, place, has, list);
}

static void validate_scope_values(struct kind_validator *v, const struct json_value *requirement,
                                  struct str path)
{
    const struct str op = json_path_str(requirement, "operator");
    const struct json_value *values = json_path(requirement, "values");
    if (str_eq(op, STR("In")) || str_eq(op, STR("NotIn"))) {
        if (json_count(values) == 0)
            field_required(v, path, "values",
                           "must be at least one value when `operator` is 'In' or 'NotIn' for "
                           "scope selector");
    } else if (str_eq(op, STR("Exists")) || str_eq(op, STR("DoesNotExist"))) {
        if (json_count(values))
            field_invalid(v, path, "values", values,
                          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                          "selector");
    } else {
        field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, path, "operator"), op,
                             STR("not a valid selector operator"));
    }
}

/* Upstream's paths have no indices here. */
static void validate_scope_selector(struct kind_validator *v, const struct json_value *spec,
                                    struct str path)
{
    const struct str place = field_path(v, path, "scopeSelector.matchExpressions");
    const struct json_value *selector = json_path(spec, "scopeSelector"), *requirement;
    bool has[COUNT(scopes) + 1] = {false};
    JSON_FOREACH (key, requirement, json_path(selector, "matchExpressions")) {
        const struct str name = json_path_str(requirement, "scopeName");
        const struct str op = json_path_str(requirement, "operator");
        const size_t scope = find_scope(name);
        has[scope] = true;
        if (scope == COUNT(scopes))
            field_errors_add_str(v->errors, FIELD_INVALID, field_path(v, place, "scopeName"), name,
                                 STR("unsupported scope"));
        validate_scope(v, spec, scope, place, selector);
        if (scope < COUNT(scopes) && scopes[scope].exists_only && !str_eq(op, STR("Exists")))
            field_errors_add_str(
                v->errors, FIELD_INVALID, field_path(v, place, "operator"), op,
                STR("must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                    "ResourceQuotaScopeNotBestEffort or "
                    "ResourceQuotaScopeCrossNamespacePodAffinity"));
        validate_scope_values(v, requirement, place);
    }
    validate_opposites(v, place, has, json_path(spec, "scopes"));
}

/* Of one quota. Each write of the namespace reads them all; upstream knows a few dozen resources.
 */
#define QUOTA_LIMITS_MAX 1000

void validate_resource_quota_spec(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const struct json_value *value, *hard = json_path(object, "hard");
    if (json_count(hard) > QUOTA_LIMITS_MAX) {
        field_errors_add_too_many(v->errors, field_path(v, path, "hard"), json_count(hard),
                                  QUOTA_LIMITS_MAX);
        return;
    }
    JSON_FOREACH (key, value, hard) {
        const struct str place = field_path_key(v, field_path(v, path, "hard"), key);
        validate_resource_name(v, place, key, USE_QUOTA);
        validate_resource_quantity(v, place, key, value);
    }
    validate_scopes(v, object, path);
    validate_scope_selector(v, object, path);
}

static bool has_same_scopes(const struct json_value *a, const struct json_value *b)
{
    bool of_a[COUNT(scopes) + 1] = {false}, of_b[COUNT(scopes) + 1] = {false};
    const struct json_value *value;
    JSON_FOREACH (key, value, a)
        of_a[find_scope(json_to_str(value))] = true;
    JSON_FOREACH (key, value, b)
        of_b[find_scope(json_to_str(value))] = true;
    return memcmp(of_a, of_b, sizeof(of_a)) == 0;
}

void validate_resource_quota_update(struct kind_validator *v, const struct json_value *object,
                                    struct str path)
{
    const struct json_value *list = json_path(object, "spec.scopes");
    if (!has_same_scopes(list, json_path(v->old, "spec.scopes")))
        field_invalid(v, path, "spec.scopes", list, "field is immutable");
}
