/*
 * Controllers of pods, and what scales and guards them.
 */
#include "apimachinery/selector.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "json/compare.h"
#include "json/edit.h"

#define MISMATCH "`selector` does not match template `labels`"

static bool is_empty_selector(const struct json_value *selector)
{
    return json_count(json_path(selector, "matchLabels")) == 0 &&
           json_count(json_path(selector, "matchExpressions")) == 0;
}

static bool selects(struct judge *judge, const struct json_value *selector,
                    const struct json_value *labels)
{
    struct selector read;
    struct error *err = selector_from_value(judge->arena, selector, &read);
    error_free(err); /* was said by the selector's own rules */
    return err || selector_matches(&read, labels);
}

/* No selector selects nothing, an empty one everything. */
static void judge_match(struct judge *judge, const struct json_value *spec, struct str path)
{
    const struct json_value *selector = json_path(spec, "selector");
    const struct json_value *labels = json_path(spec, "template.metadata.labels");
    if (!selects(judge, selector, labels))
        judge_invalid(judge, path, "template.metadata.labels", labels, MISMATCH);
}

static void judge_always(struct judge *judge, const struct json_value *spec, struct str path)
{
    judge_one_of(judge, path, "template.spec.restartPolicy",
                 json_path_str(spec, "template.spec.restartPolicy"), "Always");
}

static void judge_selector(struct judge *judge, const struct json_value *spec, struct str path,
                           const char *if_empty)
{
    const struct json_value *selector = json_path(spec, "selector");
    if (!selector)
        judge_required(judge, path, "selector", "");
    else if (is_empty_selector(selector))
        judge_invalid(judge, path, "selector", selector, if_empty);
    judge_match(judge, spec, path);
    judge_always(judge, spec, path);
    if (json_path(spec, "template.spec.activeDeadlineSeconds"))
        judge_forbidden(judge, path, "template.spec.activeDeadlineSeconds",
                        "activeDeadlineSeconds in ReplicaSet is not Supported");
}

static bool is_nothing(const struct json_value *value)
{
    int64_t number;
    return json_to_int64(value, &number) ? number == 0 : str_eq(json_to_str(value), STR("0%"));
}

static void judge_rollout(struct judge *judge, const struct json_value *strategy, struct str path)
{
    const struct json_value *rolling = json_path(strategy, "rollingUpdate");
    const struct json_value *down = json_path(rolling, "maxUnavailable");
    const struct json_value *up = json_path(rolling, "maxSurge");
    const struct str type = json_path_str(strategy, "type");
    judge_one_of(judge, path, "type", type, "Recreate|RollingUpdate");
    if (str_eq(type, STR("Recreate")) && rolling)
        judge_forbidden(judge, path, "rollingUpdate",
                        "may not be specified when strategy `type` is 'Recreate'");
    if (!str_eq(type, STR("RollingUpdate")))
        return;
    judge_int_or_percent(judge, path, "rollingUpdate.maxUnavailable", down);
    judge_int_or_percent(judge, path, "rollingUpdate.maxSurge", up);
    if (is_nothing(down) && is_nothing(up))
        judge_invalid(judge, path, "rollingUpdate.maxUnavailable", down,
                      "may not be 0 when `maxSurge` is 0");
}

void judge_deployment_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *deadline = json_path(object, "progressDeadlineSeconds");
    int64_t seconds, ready = 0;
    judge_selector(judge, object, path, "empty selector is invalid for deployment");
    judge_rollout(judge, json_path(object, "strategy"), judge_path(judge, path, "strategy"));
    (void)json_to_int64(json_path(object, "minReadySeconds"), &ready);
    if (json_to_int64(deadline, &seconds) && seconds <= ready)
        judge_invalid(judge, path, "progressDeadlineSeconds", deadline,
                      "must be greater than minReadySeconds");
}

static int64_t number_at(const struct json_value *object, const char *member)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, member), &number);
    return number;
}

void judge_deployment_status(struct judge *judge, const struct json_value *object, struct str path)
{
    /* Columns: which, not greater than which. */
    static const struct {
        const char *less, *more;
    } orders[] = {
        {"updatedReplicas",   "replicas"     },
        {"readyReplicas",     "replicas"     },
        {"availableReplicas", "replicas"     },
        {"availableReplicas", "readyReplicas"},
    };
    for (size_t i = 0; i < COUNT(orders); i++) {
        if (number_at(object, orders[i].less) <= number_at(object, orders[i].more))
            continue;
        judge_invalid(judge, path, orders[i].less, json_path(object, orders[i].less),
                      str_eq(str_from_c(orders[i].more), STR("replicas"))
                          ? "cannot be greater than status.replicas"
                          : "cannot be greater than readyReplicas");
    }
}

void judge_replica_set_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    judge_selector(judge, object, path, "empty selector is invalid for deployment");
}

void judge_rc_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *labels = json_path(object, "template.metadata.labels"), *value;
    bool matches = true;
    if (!json_path(object, "template"))
        return;
    JSON_FOREACH (key, value, json_path(object, "selector"))
        matches = matches && json_equal(value, json_get(labels, key));
    if (!matches)
        judge_invalid(judge, path, "template.metadata.labels", labels, MISMATCH);
    judge_always(judge, object, path);
}

void judge_daemon_set_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *selector = json_path(object, "selector");
    const struct json_value *strategy = json_path(object, "updateStrategy");
    const struct str place = judge_path(judge, path, "updateStrategy");
    judge_match(judge, object, path);
    if (selector && is_empty_selector(selector))
        judge_invalid(judge, path, "selector", selector, "empty selector is invalid for daemonset");
    judge_always(judge, object, path);
    judge_one_of(judge, place, "type", json_path_str(strategy, "type"), "RollingUpdate|OnDelete");
    judge_int_or_percent(judge, place, "rollingUpdate.maxUnavailable",
                         json_path(strategy, "rollingUpdate.maxUnavailable"));
    judge_int_or_percent(judge, place, "rollingUpdate.maxSurge",
                         json_path(strategy, "rollingUpdate.maxSurge"));
}

static void judge_either(struct judge *judge, struct str path, const char *member,
                         const struct json_value *value, const char *first, const char *second)
{
    const struct str text = json_to_str(value);
    if (text.len == 0)
        judge_required(judge, path, member, "");
    else if (!str_eq(text, str_from_c(first)) && !str_eq(text, str_from_c(second)))
        judge_invalid(judge, path, member, value,
                      arena_print(judge->arena, "must be '%s' or '%s'", first, second).ptr);
}

void judge_stateful_set_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *selector = json_path(object, "selector");
    judge_either(judge, path, "podManagementPolicy", json_path(object, "podManagementPolicy"),
                 "OrderedReady", "Parallel");
    judge_either(judge, path, "updateStrategy.type", json_path(object, "updateStrategy.type"),
                 "RollingUpdate", "OnDelete");
    if (!selector)
        judge_required(judge, path, "selector", "");
    else if (is_empty_selector(selector))
        judge_invalid(judge, path, "selector", selector,
                      "empty selector is invalid for statefulset");
    judge_match(judge, object, path);
    judge_always(judge, object, path);
    if (number_at(object, "updateStrategy.rollingUpdate.partition") < 0)
        judge_invalid(judge, path, "updateStrategy.rollingUpdate.partition",
                      json_path(object, "updateStrategy.rollingUpdate.partition"),
                      "must be greater than or equal to 0");
}

/* Whether two specs differ in other members than these. */
static bool differ_besides(const struct json_value *a, const struct json_value *b,
                           const char *const *members, size_t count)
{
    const struct json_value *sides[] = {a, b}, *value;
    for (size_t side = 0; side < 2; side++) {
        JSON_FOREACH (key, value, sides[side]) {
            bool may_change = false;
            for (size_t i = 0; i < count; i++)
                may_change = may_change || str_eq(key, str_from_c(members[i]));
            if (!may_change && !json_equal(value, json_get(sides[1 - side], key)))
                return true;
        }
    }
    return false;
}

void judge_stateful_set_update(struct judge *judge, const struct json_value *object,
                               struct str path)
{
    static const char *const free_members[] = {
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    };
    (void)path;
    if (differ_besides(json_path(judge->old, "spec"), json_path(object, "spec"), free_members,
                       COUNT(free_members)))
        judge_forbidden(judge, STR(""), "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                        "'template', 'updateStrategy', 'revisionHistoryLimit', "
                        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
                        "forbidden");
}

static void judge_job_template(struct judge *judge, const struct json_value *spec, struct str path)
{
    if (str_eq(json_path_str(spec, "template.spec.restartPolicy"), STR("Always")))
        judge_required(judge, path, "template.spec.restartPolicy",
                       "valid values: \"OnFailure\", \"Never\"");
    if (str_eq(json_path_str(spec, "completionMode"), STR("Indexed")) &&
        !json_path(spec, "completions"))
        judge_required(judge, path, "completions", "when completion mode is Indexed");
}

/* Templates of CronJobs have no selector yet. */
void judge_job_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    judge_job_template(judge, object, path);
    if (judge->kind->type != &type_job)
        return;
    if (!json_path(object, "selector"))
        judge_required(judge, path, "selector", "");
    else
        judge_match(judge, object, path);
}

static bool is_true(const struct json_value *value)
{
    bool truth = false;
    return json_to_bool(value, &truth) && truth;
}

/* A Job that is suspended and has not begun may still get another template. */
void judge_job_update(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *old = judge->old;
    const bool may_change =
        is_true(json_path(old, "spec.suspend")) && !json_path(old, "status.startTime");
    const bool is_indexed = str_eq(json_path_str(object, "spec.completionMode"), STR("Indexed"));
    (void)path;
    if (!may_change &&
        !json_equal(json_path(old, "spec.template"), json_path(object, "spec.template")))
        judge_invalid(judge, STR(""), "spec.template", json_path(object, "spec.template"),
                      "field is immutable");
    if (!is_indexed &&
        !json_equal(json_path(old, "spec.completions"), json_path(object, "spec.completions")))
        judge_invalid(judge, STR(""), "spec.completions", json_path(object, "spec.completions"),
                      "field is immutable");
}

void judge_cron_job(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *name = json_path(object, "metadata.name");
    (void)path;
    if (!judge->old && json_to_str(name).len > 52)
        judge_invalid(judge, STR(""), "metadata.name", name, "must be no more than 52 characters");
}

void judge_cron_job_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str schedule = json_path_str(object, "schedule");
    if (schedule.len > 0)
        judge_syntax(judge, path, "schedule", schedule, syntax_schedule(judge->arena, schedule));
    if (json_path(object, "timeZone") && json_path_str(object, "timeZone").len == 0)
        judge_invalid(judge, path, "timeZone", json_path(object, "timeZone"),
                      "timeZone must be nil or non-empty string");
}

void judge_pdb_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *least = json_path(object, "minAvailable");
    const struct json_value *most = json_path(object, "maxUnavailable");
    if (least && most)
        judge_invalid(judge, path, NULL, object,
                      "minAvailable and maxUnavailable cannot be both set");
    judge_int_or_percent(judge, path, "minAvailable", least);
    judge_int_or_percent(judge, path, "maxUnavailable", most);
}

void judge_hpa_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *least = json_path(object, "minReplicas");
    if (least && number_at(object, "maxReplicas") < number_at(object, "minReplicas"))
        judge_invalid(judge, path, "maxReplicas", json_path(object, "maxReplicas"),
                      "must be greater than or equal to `minReplicas`");
}
