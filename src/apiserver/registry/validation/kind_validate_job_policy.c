/*
 * Validation of the podFailurePolicy and the successPolicy of a Job.
 *
 * Both look at other members of the spec, and are given the spec with the path of the policy.
 * Upstream: validatePodFailurePolicy() and validateSuccessPolicy() in
 * k8s.io/kubernetes/pkg/apis/batch/validation.
 */
#include "apiserver/registry/validation/kind_validate_job_internal.h"

#define RULES_MAX             20
#define PATTERNS_MAX          20
#define EXIT_CODES_MAX        255
#define SUCCEEDED_INDEXES_MAX ((size_t)64 * 1024)

#define ACTIONS   "Count|FailIndex|FailJob|Ignore"
#define OPERATORS "In|NotIn"
#define STATUSES  "False|True|Unknown"

static void validate_count(struct kind_validator *v, struct str path, const struct json_value *list,
                           size_t max)
{
    if (json_count(list) > max)
        field_errors_add_too_many(v->errors, path, json_count(list), max);
}

/* A text that is required and one of several; the detail names them in Go's form of a list. */
static void validate_choice(struct kind_validator *v, struct str path, const char *member,
                            struct str value, const char *values, const char *detail)
{
    if (value.len == 0)
        field_required(v, path, member, detail);
    else
        field_one_of(v, path, member, value, values);
}

/* A podFailurePolicy, with the spec that it stands in and the names of the template's containers.
 */
struct failure_policy {
    struct kind_validator *v;
    const struct json_value *spec;
    struct map containers;
};

static void failure_policy_done(struct failure_policy *policy)
{
    map_done(&policy->containers);
}

static void find_containers(struct failure_policy *policy)
{
    static const char *const lists[] = {"template.spec.containers", "template.spec.initContainers"};
    const struct json_value *container = NULL;
    for (size_t i = 0; i < COUNT(lists); i++)
        JSON_FOREACH (key, container, json_path(policy->spec, lists[i]))
            map_put(&policy->containers, json_path_str(container, "name"), NULL);
}

/* Exit codes are unique and in order. 0 is no failure. */
static void validate_exit_codes(struct kind_validator *v, const struct json_value *codes,
                                bool is_in, struct str path)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *value;
    int64_t code = 0, previous = INT64_MIN;
    bool is_ordered = true;
    size_t index = 0;
    JSON_FOREACH (key, value, codes) {
        const struct str place = field_path_index(v, path, index++);
        (void)json_to_int64(value, &code);
        const struct str digits = arena_print(v->arena, "%lld", (long long)code);
        if (is_in && code == 0)
            field_invalid(v, place, NULL, value, "must not be 0 for the In operator");
        if (map_has(&seen, digits))
            field_errors_add_int(v->errors, FIELD_DUPLICATE, place, code, STR(""));
        map_put(&seen, digits, NULL);
        is_ordered = is_ordered && previous <= code;
        previous = code;
    }
    if (!is_ordered)
        field_invalid(v, path, NULL, codes, "must be ordered");
}

static void validate_on_exit_codes(const struct failure_policy *policy,
                                   const struct json_value *requirement, struct str path)
{
    struct kind_validator *v = policy->v;
    const struct json_value *container = json_path(requirement, "containerName");
    const struct json_value *codes = json_path(requirement, "values");
    const struct str op = json_path_str(requirement, "operator");
    validate_choice(v, path, "operator", op, OPERATORS, "valid values: [\"In\" \"NotIn\"]");
    if (container && !map_has(&policy->containers, json_to_str(container)))
        field_invalid(v, path, "containerName", container,
                      "must be one of the container or initContainer names in the pod template");
    if (json_count(codes) == 0)
        field_invalid(v, path, "values", codes, "at least one value is required");
    validate_count(v, field_path(v, path, "values"), codes, EXIT_CODES_MAX);
    validate_exit_codes(v, codes, str_eq(op, STR("In")), field_path(v, path, "values"));
}

static void validate_on_pod_conditions(struct kind_validator *v, const struct json_value *patterns,
                                       struct str path)
{
    const struct json_value *pattern;
    size_t index = 0;
    validate_count(v, path, patterns, PATTERNS_MAX);
    JSON_FOREACH (key, pattern, patterns) {
        const struct str place = field_path_index(v, path, index++);
        const struct str type = json_path_str(pattern, "type");
        field_syntax(v, place, "type", type, validation_label_key(type));
        validate_choice(v, place, "status", json_path_str(pattern, "status"), STATUSES,
                        "valid values: [\"False\" \"True\" \"Unknown\"]");
    }
}

static void validate_failure_action(const struct failure_policy *policy,
                                    const struct json_value *rule, struct str path)
{
    struct kind_validator *v = policy->v;
    const struct str action = json_path_str(rule, "action");
    validate_choice(v, path, "action", action, ACTIONS,
                    "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
    if (str_eq(action, STR("FailIndex")) && !json_path(policy->spec, "backoffLimitPerIndex"))
        field_invalid(v, path, "action", json_path(rule, "action"),
                      "requires the backoffLimitPerIndex to be set");
}

/* A rule is about either exit codes or conditions. */
static void validate_failure_rule(const struct failure_policy *policy,
                                  const struct json_value *rule, struct str path)
{
    struct kind_validator *v = policy->v;
    const struct json_value *codes = json_path(rule, "onExitCodes");
    const struct json_value *patterns = json_path(rule, "onPodConditions");
    const bool has_patterns = json_count(patterns) > 0;
    validate_failure_action(policy, rule, path);
    if (codes)
        validate_on_exit_codes(policy, codes, field_path(v, path, "onExitCodes"));
    validate_on_pod_conditions(v, patterns, field_path(v, path, "onPodConditions"));
    if (codes && has_patterns)
        field_errors_add(v->errors, FIELD_INVALID, path,
                         STR("specifying both OnExitCodes and OnPodConditions is not supported"));
    if (!codes && !has_patterns)
        field_errors_add(v->errors, FIELD_INVALID, path,
                         STR("specifying one of OnExitCodes and OnPodConditions is required"));
}

void validate_pod_failure_policy(struct kind_validator *v, const struct json_value *spec,
                                 struct str path)
{
    const struct json_value *rules = json_path(spec, "podFailurePolicy.rules"), *rule;
    const struct str place = field_path(v, path, "rules");
    SCOPED(failure_policy) policy = {.v = v, .spec = spec};
    size_t index = 0;
    find_containers(&policy);
    validate_count(v, place, rules, RULES_MAX);
    JSON_FOREACH (key, rule, rules)
        validate_failure_rule(&policy, rule, field_path_index(v, place, index++));
}

/* The number of indexes that the rule lists. */
static int64_t validate_succeeded_indexes(struct kind_validator *v, const struct json_value *value,
                                          int64_t completions, struct str path)
{
    const struct str text = json_to_str(value);
    int64_t total = 0;
    if (text.len > SUCCEEDED_INDEXES_MAX)
        field_errors_add_too_long(v->errors, path, SUCCEEDED_INDEXES_MAX);
    const struct str wrong = job_indexes_check(v->arena, text, completions, &total);
    if (wrong.len)
        field_errors_add_value(
            v->errors, FIELD_INVALID, path, value,
            ARENA_JOIN(v->arena, STR("error parsing succeededIndexes: "), wrong));
    return total;
}

static void validate_succeeded_count(struct kind_validator *v, const struct json_value *value,
                                     int64_t max, const char *what, struct str path)
{
    int64_t count = 0;
    if (json_to_int64(value, &count) && count > max)
        field_errors_add_int(
            v->errors, FIELD_INVALID, path, count,
            arena_print(v->arena, "must be less than or equal to %lld (%s)", (long long)max, what));
}

/* A Job of indexes has completions; where they are missing, that is the error. */
static void validate_success_rule(struct kind_validator *v, const struct json_value *spec,
                                  const struct json_value *rule, struct str path)
{
    const struct json_value *count = json_path(rule, "succeededCount");
    const struct json_value *indexes = json_path(rule, "succeededIndexes");
    const struct str place = field_path(v, path, "succeededCount");
    const int64_t completions = job_number(spec, "completions");
    int64_t total = 0;
    if (!count && !indexes)
        field_required(v, path, NULL,
                       "at least one of succeededCount or succeededIndexes must be specified");
    if (!json_path(spec, "completions"))
        return;
    if (indexes)
        total = validate_succeeded_indexes(v, indexes, completions,
                                           field_path(v, path, "succeededIndexes"));
    if (job_number(rule, "succeededCount") < 0)
        field_invalid(v, place, NULL, count, "must be greater than or equal to 0");
    validate_succeeded_count(v, count, completions, "the number of specified completions", place);
    if (indexes)
        validate_succeeded_count(v, count, total,
                                 "the number of indexes in the specified succeededIndexes field",
                                 place);
}

void validate_success_policy(struct kind_validator *v, const struct json_value *spec,
                             struct str path)
{
    const struct json_value *rules = json_path(spec, "successPolicy.rules"), *rule;
    const struct str place = field_path(v, path, "rules");
    size_t index = 0;
    if (json_count(rules) == 0)
        field_required(v, place, NULL,
                       "at least one rules must be specified when the successPolicy is specified");
    validate_count(v, place, rules, RULES_MAX);
    JSON_FOREACH (key, rule, rules)
        validate_success_rule(v, spec, rule, field_path_index(v, place, index++));
}
