/*
 * Validation of Deployments, ReplicaSets, DaemonSets, StatefulSets, ReplicationControllers and
 * PodDisruptionBudgets.
 *
 * Upstream: validation.go in k8s.io/kubernetes/pkg/apis/apps and policy. Pod
 * templates are validated by the rows of their own types. The functions here check what connects a
 * controller with its template: the selector, and the restart policy.
 */
#include "apimachinery/selector.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"
#include "json/edit.h"

#define MISMATCH "`selector` does not match template `labels`"

/* An empty selector selects every pod, which most controllers refuse. */
static bool is_empty_selector(const struct json_value *selector)
{
    return json_count(json_path(selector, "matchLabels")) == 0 &&
           json_count(json_path(selector, "matchExpressions")) == 0;
}

/* A selector that cannot be read counts as a match: the rules of LabelSelector have reported it. */
static bool selects(struct kind_validator *v, const struct json_value *selector,
                    const struct json_value *labels)
{
    struct selector read;
    struct error *err = selector_from_value(v->arena, selector, &read);
    error_free(err);
    return err || selector_matches(&read, labels);
}

void validate_selector_match(struct kind_validator *v, const struct json_value *spec,
                             struct str path)
{
    const struct json_value *selector = json_path(spec, "selector");
    const struct json_value *labels = json_path(spec, "template.metadata.labels");
    if (!selects(v, selector, labels))
        field_invalid_map(v, path, "template.metadata.labels", labels, STR(MISMATCH));
}

/* Pods of controllers that run for ever must restart. */
static void validate_restart_always(struct kind_validator *v, const struct json_value *spec,
                                    struct str path)
{
    field_one_of(v, path, "template.spec.restartPolicy",
                 json_path_str(spec, "template.spec.restartPolicy"), "Always");
}

/* Pods that are replaced when they end have no deadline. */
static void validate_no_deadline(struct kind_validator *v, const struct json_value *spec,
                                 struct str path, const char *kind)
{
    if (json_path(spec, "template.spec.activeDeadlineSeconds"))
        field_forbidden(
            v, path, "template.spec.activeDeadlineSeconds",
            arena_print(v->arena, "activeDeadlineSeconds in %s is not Supported", kind).ptr);
}

/*
 * Shared by Deployments and ReplicaSets. The last message names ReplicaSet for both, as upstream.
 * Where the selector cannot be read, the template is not looked into.
 */
static void validate_selector(struct kind_validator *v, const struct json_value *spec,
                              struct str path, const char *if_empty)
{
    const struct json_value *selector = json_path(spec, "selector");
    if (!selector)
        field_required(v, path, "selector", "");
    else if (is_empty_selector(selector))
        field_invalid(v, path, "selector", selector, if_empty);
    if (!validate_selector_is_readable(v, spec)) {
        field_invalid(v, path, "selector", selector, "invalid label selector");
        return;
    }
    validate_selector_match(v, spec, path);
    validate_restart_always(v, spec, path);
    validate_no_deadline(v, spec, path, "ReplicaSet");
}

/* 0 or "0%", or what is no number at all. */
static bool is_nothing(const struct json_value *value)
{
    struct str text = json_to_str(value);
    int64_t number;
    if (str_ends_with(text, STR("%")))
        text.len--;
    return (!json_to_int64(value, &number) && !str_to_int64(text, &number)) || number == 0;
}

/* A rolling update needs maxUnavailable or maxSurge above 0 to make progress. */
static void validate_deployment_strategy(struct kind_validator *v,
                                         const struct json_value *strategy, struct str path)
{
    const struct json_value *rolling = json_path(strategy, "rollingUpdate");
    const struct json_value *down = json_path(rolling, "maxUnavailable");
    const struct json_value *up = json_path(rolling, "maxSurge");
    const struct str type = json_path_str(strategy, "type");
    if (!field_is_one_of(type, "Recreate|RollingUpdate"))
        field_errors_add_value(v->errors, FIELD_NOT_SUPPORTED, path, strategy,
                               STR("supported values: \"Recreate\", \"RollingUpdate\""));
    if (str_eq(type, STR("Recreate")) && rolling)
        field_forbidden(v, path, "rollingUpdate",
                        "may not be specified when strategy `type` is 'Recreate'");
    if (!str_eq(type, STR("RollingUpdate")))
        return;
    validate_int_or_percent(v, path, "rollingUpdate.maxUnavailable", down);
    validate_not_more_than_all(v, path, "rollingUpdate.maxUnavailable", down);
    validate_int_or_percent(v, path, "rollingUpdate.maxSurge", up);
    if (is_nothing(down) && is_nothing(up))
        field_invalid(v, path, "rollingUpdate.maxUnavailable", down,
                      "may not be 0 when `maxSurge` is 0");
}

void validate_deployment_spec(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct json_value *deadline = json_path(object, "progressDeadlineSeconds");
    int64_t seconds, ready = 0;
    validate_selector(v, object, path, "empty selector is invalid for deployment");
    validate_deployment_strategy(v, json_path(object, "strategy"), field_path(v, path, "strategy"));
    (void)json_to_int64(json_path(object, "minReadySeconds"), &ready);
    if (json_to_int64(deadline, &seconds) && seconds <= ready)
        field_invalid(v, path, "progressDeadlineSeconds", deadline,
                      "must be greater than minReadySeconds");
}

/* An absent number is 0. */
static int64_t number_at(const struct json_value *object, const char *member)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, member), &number);
    return number;
}

/* The numbers of a status, of which `less` must not be greater than `more`, which has a name. */
struct order {
    const char *less, *more, *name;
};

static void validate_orders(struct kind_validator *v, const struct json_value *object,
                            struct str path, const struct order *orders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (number_at(object, orders[i].less) > number_at(object, orders[i].more))
            field_errors_add_int(
                v->errors, FIELD_INVALID, field_path(v, path, orders[i].less),
                number_at(object, orders[i].less),
                arena_print(v->arena, "cannot be greater than %s", orders[i].name));
}

/* How often names of what a controller makes were taken already; it only grows. */
static void validate_collisions(struct kind_validator *v, const struct json_value *status,
                                struct str path)
{
    const struct json_value *old = json_path(v->old, "status.collisionCount");
    const int64_t count = number_at(status, "collisionCount");
    int64_t was;
    if (json_to_int64(old, &was) && (!json_path(status, "collisionCount") || count < was))
        field_errors_add_int(v->errors, FIELD_INVALID, field_path(v, path, "collisionCount"), count,
                             STR("cannot be decremented"));
}

void validate_deployment_status(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    static const struct order orders[] = {
        {"updatedReplicas",   "replicas",      "status.replicas"},
        {"readyReplicas",     "replicas",      "status.replicas"},
        {"availableReplicas", "replicas",      "status.replicas"},
        {"availableReplicas", "readyReplicas", "readyReplicas"  },
    };
    validate_orders(v, object, path, orders, COUNT(orders));
    validate_collisions(v, object, path);
}

void validate_daemon_set_status(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    validate_collisions(v, object, path);
}

/* Of a ReplicationController, too. */
void validate_replica_set_status(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    static const struct order orders[] = {
        {"fullyLabeledReplicas", "replicas",      "status.replicas"},
        {"readyReplicas",        "replicas",      "status.replicas"},
        {"availableReplicas",    "replicas",      "status.replicas"},
        {"availableReplicas",    "readyReplicas", "readyReplicas"  },
    };
    validate_orders(v, object, path, orders, COUNT(orders));
}

void validate_stateful_set_status(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    static const struct order orders[] = {
        {"readyReplicas",     "replicas",      "status.replicas"     },
        {"currentReplicas",   "replicas",      "status.replicas"     },
        {"updatedReplicas",   "replicas",      "status.replicas"     },
        {"availableReplicas", "replicas",      "status.replicas"     },
        {"availableReplicas", "readyReplicas", "status.readyReplicas"},
    };
    validate_orders(v, object, path, orders, COUNT(orders));
    validate_collisions(v, object, path);
}

/* The message says deployment, as upstream. */
void validate_replica_set_spec(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    validate_selector(v, object, path, "empty selector is invalid for deployment");
}

/* The selector of a ReplicationController is a map of labels. */
void validate_replication_controller_spec(struct kind_validator *v, const struct json_value *object,
                                          struct str path)
{
    const struct json_value *labels = json_path(object, "template.metadata.labels"), *value;
    bool matches = true;
    if (!json_path(object, "template"))
        return;
    JSON_FOREACH (key, value, json_path(object, "selector"))
        matches = matches && json_equal(value, json_get(labels, key));
    if (!matches)
        field_invalid_map(v, path, "template.metadata.labels", labels, STR(MISMATCH));
    validate_restart_always(v, object, path);
    validate_no_deadline(v, object, path, "ReplicationController");
}

/* Either the old Pod goes first or the new one comes first. */
static void validate_daemon_rollout(struct kind_validator *v, const struct json_value *rollout,
                                    struct str path)
{
    const struct json_value *surge = json_path(rollout, "maxSurge");
    const bool has_gap = !is_nothing(json_path(rollout, "maxUnavailable"));
    validate_int_or_percent(v, path, "maxUnavailable", json_path(rollout, "maxUnavailable"));
    validate_not_more_than_all(v, path, "maxUnavailable", json_path(rollout, "maxUnavailable"));
    validate_int_or_percent(v, path, "maxSurge", surge);
    validate_not_more_than_all(v, path, "maxSurge", surge);
    if (has_gap && !is_nothing(surge))
        field_invalid(v, path, "maxSurge", surge, "may not be set when maxUnavailable is non-zero");
    else if (!has_gap && is_nothing(surge))
        field_required(v, path, "maxUnavailable", "cannot be 0 when maxSurge is 0");
}

void validate_daemon_set_spec(struct kind_validator *v, const struct json_value *object,
                              struct str path)
{
    const struct json_value *selector = json_path(object, "selector");
    const struct json_value *strategy = json_path(object, "updateStrategy");
    const struct str place = field_path(v, path, "updateStrategy");
    const struct str type = json_path_str(strategy, "type");
    validate_selector_match(v, object, path);
    if (selector && is_empty_selector(selector))
        field_invalid(v, path, "selector", selector, "empty selector is invalid for daemonset");
    validate_restart_always(v, object, path);
    validate_no_deadline(v, object, path, "DaemonSet");
    if (!field_is_one_of(type, "RollingUpdate|OnDelete"))
        field_errors_add_value(v->errors, FIELD_NOT_SUPPORTED, place, strategy,
                               STR("supported values: \"RollingUpdate\", \"OnDelete\""));
    if (str_eq(type, STR("RollingUpdate")) && json_path(strategy, "rollingUpdate"))
        validate_daemon_rollout(v, json_path(strategy, "rollingUpdate"),
                                field_path(v, place, "rollingUpdate"));
}

/* A required text that is one of two. */
static void validate_either(struct kind_validator *v, struct str path, const char *member,
                            const struct json_value *value, const char *first, const char *second)
{
    const struct str text = json_to_str(value);
    if (text.len == 0)
        field_required(v, path, member, "");
    else if (!str_eq(text, str_from_c(first)) && !str_eq(text, str_from_c(second)))
        field_invalid(v, path, member, value,
                      arena_print(v->arena, "must be '%s' or '%s'", first, second).ptr);
}

/* A rolling update has a partition, and members that an update on delete must not have. */
static void validate_stateful_strategy(struct kind_validator *v, const struct json_value *strategy,
                                       struct str path)
{
    const struct json_value *rolling = json_path(strategy, "rollingUpdate");
    const struct str type = json_path_str(strategy, "type");
    if (type.len == 0)
        field_required(v, path, NULL, "");
    else if (!field_is_one_of(type, "RollingUpdate|OnDelete"))
        field_invalid(v, path, NULL, strategy, "must be 'RollingUpdate' or 'OnDelete'");
    if (str_eq(type, STR("OnDelete")) && rolling)
        field_invalid(v, path, "rollingUpdate", rolling,
                      "only allowed for updateStrategy 'RollingUpdate'");
    if (str_eq(type, STR("RollingUpdate")) && number_at(rolling, "partition") < 0)
        field_invalid(v, path, "rollingUpdate.partition", json_path(rolling, "partition"),
                      "must be greater than or equal to 0");
}

/* An empty selector selects every pod, one that cannot be read none. */
static void validate_stateful_selector(struct kind_validator *v, const struct json_value *spec,
                                       struct str path)
{
    const struct json_value *selector = json_path(spec, "selector");
    if (!selector)
        field_required(v, path, "selector", "");
    else if (is_empty_selector(selector))
        field_invalid(v, path, "selector", selector, "empty selector is invalid for statefulset");
    if (!validate_selector_is_readable(v, spec))
        field_invalid(v, path, "selector", selector, "");
    validate_selector_match(v, spec, path);
}

void validate_stateful_set_spec(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct str service = json_path_str(object, "serviceName");
    validate_either(v, path, "podManagementPolicy", json_path(object, "podManagementPolicy"),
                    "OrderedReady", "Parallel");
    validate_stateful_strategy(v, json_path(object, "updateStrategy"),
                               field_path(v, path, "updateStrategy"));
    if (service.len && !v->old)
        field_syntax(v, path, "serviceName", service, validation_dns1123_label(service));
    validate_stateful_selector(v, object, path);
    validate_restart_always(v, object, path);
    validate_no_deadline(v, object, path, "StatefulSet");
}

/* Most of the spec of a StatefulSet is immutable. */
void validate_stateful_set_update(struct kind_validator *v, const struct json_value *object,
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
    if (field_differs_besides(json_path(v->old, "spec"), json_path(object, "spec"), free_members,
                              COUNT(free_members)))
        field_forbidden(v, STR(""), "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                        "'template', 'updateStrategy', 'revisionHistoryLimit', "
                        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are "
                        "forbidden");
}

/* minAvailable and maxUnavailable exclude each other. */
void validate_pod_disruption_budget_spec(struct kind_validator *v, const struct json_value *object,
                                         struct str path)
{
    const struct json_value *least = json_path(object, "minAvailable");
    const struct json_value *most = json_path(object, "maxUnavailable");
    if (least && most)
        field_invalid(v, path, NULL, object, "minAvailable and maxUnavailable cannot be both set");
    validate_int_or_percent(v, path, "minAvailable", least);
    validate_not_more_than_all(v, path, "minAvailable", least);
    validate_int_or_percent(v, path, "maxUnavailable", most);
    validate_not_more_than_all(v, path, "maxUnavailable", most);
}

/* data is an object. An update cannot change data and does not look at it. */
void validate_controller_revision(struct kind_validator *v, const struct json_value *object,
                                  struct str path)
{
    const enum json_type type = json_type(json_path(object, "data"));
    if (v->old)
        return;
    if (type == JSON_ABSENT || type == JSON_NULL)
        field_required(v, path, "data", "data is mandatory");
    else if (type != JSON_OBJECT)
        field_required(v, path, "data", "data must be a valid JSON object");
}
