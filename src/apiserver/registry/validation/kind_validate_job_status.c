/*
 * Validation of writes to the status of a Job.
 *
 * Most rules hold only for what the write changes: a Job whose status breaks a rule already, or
 * whose spec has changed since, can still be updated otherwise. Conditions count when their status
 * is True. Upstream: ValidateJobStatusUpdate() in k8s.io/kubernetes/pkg/apis/batch/validation, and
 * getStatusValidationOptions() in pkg/registry/batch/job/strategy.go.
 */
#include "apiserver/registry/validation/kind_validate_job_internal.h"
#include "base/timestamp.h"
#include "json/compare.h"

#define COMPLETE  "Complete"
#define FAILED    "Failed"
#define TARGET    "FailureTarget"
#define SUCCESS   "SuccessCriteriaMet"
#define SUSPENDED "Suspended"

/* A write: the spec of the Job, its status, and the status before. */
struct status_write {
    struct kind_validator *v;
    const struct json_value *spec, *status, *old;
};

static bool is_true(const struct json_value *status, const char *type)
{
    return job_has_condition(status, type, "True");
}

static bool is_finished(const struct json_value *status)
{
    return is_true(status, COMPLETE) || is_true(status, FAILED);
}

static bool condition_changes(const struct status_write *write, const char *type)
{
    return is_true(write->status, type) != is_true(write->old, type);
}

static bool finish_changes(const struct status_write *write)
{
    return is_finished(write->status) != is_finished(write->old);
}

/* Of members that Go has pointers to: absent and zero differ. */
static bool member_changes(const struct status_write *write, const char *member)
{
    return !json_equal(json_path(write->status, member), json_path(write->old, member));
}

static bool number_changes(const struct status_write *write, const char *member)
{
    return job_number(write->status, member) != job_number(write->old, member);
}

static void refuse_member(const struct status_write *write, const char *member, const char *detail)
{
    field_invalid(write->v, STR("status"), member, json_path(write->status, member), detail);
}

static void refuse_number(const struct status_write *write, const char *member, const char *detail)
{
    field_errors_add_int(write->v->errors, FIELD_INVALID,
                         field_path(write->v, STR("status"), member),
                         job_number(write->status, member), str_from_c(detail));
}

static void refuse_conditions(const struct status_write *write, const char *detail)
{
    field_errors_add(write->v->errors, FIELD_INVALID, STR("status.conditions"), str_from_c(detail));
}

/* Pods are counted once, be it as succeeded or as failed. */
static void validate_uncounted_pods(const struct status_write *write)
{
    static const char *const lists[] = {"succeeded", "failed"};
    const struct json_value *pods = json_path(write->status, "uncountedTerminatedPods"), *uid;
    const struct str path = STR("status.uncountedTerminatedPods");
    SCOPED(map) seen = {.release = NULL};
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct str list = field_path(write->v, path, lists[i]);
        size_t index = 0;
        JSON_FOREACH (key, uid, json_path(pods, lists[i])) {
            const struct str place = field_path_index(write->v, list, index++);
            if (json_to_str(uid).len == 0)
                field_invalid(write->v, place, NULL, uid, "must not be empty");
            else
                (void)field_unique(write->v, &seen, place, NULL, json_to_str(uid));
        }
    }
}

/* Two conditions that exclude each other, or the first of which needs the second. */
static const struct {
    const char *condition, *other;
    bool needs_other;
    bool is_checked_always; /* not only when one of the conditions changes */
    const char *text;
} pairs[] = {
    {COMPLETE, FAILED,  false, false, "cannot set Complete=True and Failed=true conditions"          },
    {COMPLETE, TARGET,  false, false, "cannot set Complete=True and FailureTarget=true conditions"   },
    {COMPLETE, SUCCESS, true,  false,
     "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"              },
    {SUCCESS,  FAILED,  false, true,  "cannot set SuccessCriteriaMet=True and Failed=true conditions"},
    {SUCCESS,  TARGET,  false, true,
     "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"                          },
};

static void validate_condition_pairs(const struct status_write *write)
{
    const struct json_value *status = write->status;
    for (size_t i = 0; i < COUNT(pairs); i++)
        if ((pairs[i].is_checked_always || condition_changes(write, pairs[i].condition) ||
             condition_changes(write, pairs[i].other)) &&
            is_true(status, pairs[i].condition) &&
            is_true(status, pairs[i].other) != pairs[i].needs_other)
            refuse_conditions(write, pairs[i].text);
    if ((condition_changes(write, FAILED) || member_changes(write, "failedIndexes")) &&
        is_true(status, FAILED) && !is_true(status, TARGET))
        refuse_conditions(write, "cannot set Failed=True condition without the FailureTarget=true "
                                 "condition");
    if (json_path(write->spec, "successPolicy") && !is_true(status, SUCCESS) &&
        is_true(status, COMPLETE))
        refuse_conditions(write, "cannot set Complete=True for Job with SuccessPolicy unless "
                                 "SuccessCriteriaMet=True");
}

/* What was decided stays. */
static void validate_kept_job_conditions(const struct status_write *write)
{
    static const char *const terminal[] = {FAILED, COMPLETE, TARGET};
    const struct json_value *old = write->old, *status = write->status;
    for (size_t i = 0; i < COUNT(terminal); i++)
        if (is_true(old, terminal[i]) && !is_true(status, terminal[i]))
            refuse_conditions(write, arena_print(write->v->arena,
                                                 "cannot disable the terminal %s=True condition",
                                                 terminal[i])
                                         .ptr);
    if (is_true(old, SUCCESS) && !is_true(status, SUCCESS))
        refuse_conditions(write, "cannot disable the SuccessCriteriaMet=True condition");
    if (is_true(old, COMPLETE) && !is_true(old, SUCCESS) && is_true(status, SUCCESS))
        refuse_conditions(write, "cannot set SuccessCriteriaMet=True for Job already has "
                                 "Complete=true conditions");
}

static bool is_before(const struct json_value *time, const struct json_value *other)
{
    timestamp a, b;
    return timestamp_read(json_to_str(time), &a) && timestamp_read(json_to_str(other), &b) && a < b;
}

/* A Job has a completionTime if it is complete, and keeps it. */
static void validate_completion_time(const struct status_write *write)
{
    const struct json_value *time = json_path(write->status, "completionTime");
    const struct json_value *start = json_path(write->status, "startTime");
    const bool is_changed = member_changes(write, "completionTime");
    const bool is_complete = is_true(write->status, COMPLETE);
    if (is_changed || condition_changes(write, COMPLETE)) {
        if (time && !is_complete)
            refuse_member(write, "completionTime",
                          "cannot set completionTime when there is no Complete=True condition");
        if (!time && is_complete)
            field_required(write->v, STR("status"), "completionTime",
                           "completionTime is required for Complete jobs");
    }
    if ((is_changed || member_changes(write, "startTime")) && is_before(time, start))
        refuse_member(write, "completionTime", "must be equal to or after `startTime`");
    if (is_changed && time && json_path(write->old, "completionTime"))
        refuse_member(write, "completionTime", "field is immutable");
}

/* Suspended Jobs start again. One that has nothing to do may end without a start. */
static void validate_start_time(const struct status_write *write)
{
    const struct json_value *time = json_path(write->status, "startTime");
    const struct json_value *completions = json_path(write->spec, "completions");
    const bool is_changed = member_changes(write, "startTime");
    const bool is_suspended = field_is_true(json_path(write->spec, "suspend"));
    const bool is_nothing = completions && job_number(write->spec, "completions") == 0;
    const bool is_resuming =
        is_true(write->old, SUSPENDED) && job_has_condition(write->status, SUSPENDED, "False");
    if ((finish_changes(write) || is_changed) && !(is_suspended && is_nothing) && !time &&
        is_finished(write->status))
        field_required(write->v, STR("status"), "startTime",
                       "startTime is required for finished job");
    if (is_changed && !is_resuming && json_path(write->old, "startTime") && !is_suspended)
        refuse_member(write, "startTime", "field is immutable for unsuspended job once set");
}

/* A Job that has ended has no Pods that run. */
static void validate_finished_job(const struct status_write *write)
{
    const struct json_value *pods = json_path(write->status, "uncountedTerminatedPods");
    const bool is_changed = finish_changes(write);
    if (!is_finished(write->status))
        return;
    if ((is_changed || number_changes(write, "active")) && job_number(write->status, "active") > 0)
        refuse_number(write, "active", "active>0 is invalid for finished job");
    if ((is_changed || member_changes(write, "terminating")) &&
        job_number(write->status, "terminating") > 0)
        refuse_number(write, "terminating", "terminating>0 is invalid for finished job");
    if ((is_changed || member_changes(write, "uncountedTerminatedPods")) &&
        (json_count(json_path(pods, "succeeded")) || json_count(json_path(pods, "failed"))))
        refuse_member(write, "uncountedTerminatedPods", "must be empty for finished job");
}

/* A Job with indexes that is scaled down loses Pods that have succeeded. */
static void validate_job_counters(const struct status_write *write)
{
    const struct json_value *spec = write->spec;
    const bool may_scale = job_is_indexed(spec) && json_equal(json_path(spec, "completions"),
                                                              json_path(spec, "parallelism"));
    if ((member_changes(write, "ready") || number_changes(write, "active")) &&
        json_path(write->status, "ready") &&
        job_number(write->status, "ready") > job_number(write->status, "active"))
        refuse_number(write, "ready", "cannot set more ready pods than active");
    if (job_number(write->status, "failed") < job_number(write->old, "failed"))
        refuse_number(write, "failed", "cannot decrease the failed counter");
    if (!may_scale && job_number(write->status, "succeeded") < job_number(write->old, "succeeded"))
        refuse_number(write, "succeeded", "cannot decrease the succeeded counter");
}

/* Without completions the number of indexes is not known. */
static void validate_index_format(const struct status_write *write, const char *member)
{
    struct kind_validator *v = write->v;
    int64_t total;
    if (!json_path(write->spec, "completions"))
        return;
    const struct str wrong = job_indexes_check(v->arena, json_path_str(write->status, member),
                                               job_number(write->spec, "completions"), &total);
    if (wrong.len)
        refuse_member(write, member,
                      arena_print(v->arena, "error parsing %s: %.*s", member, STR_ARG(wrong)).ptr);
}

static void validate_completed_indexes(const struct status_write *write)
{
    if (str_eq(json_path_str(write->status, "completedIndexes"),
               json_path_str(write->old, "completedIndexes")))
        return;
    validate_index_format(write, "completedIndexes");
    if (json_path_str(write->status, "completedIndexes").len && !job_is_indexed(write->spec))
        refuse_member(write, "completedIndexes",
                      "cannot set non-empty completedIndexes when non-indexed completion mode");
}

static void validate_failed_job_indexes(const struct status_write *write)
{
    if (!member_changes(write, "failedIndexes") || !json_path(write->status, "failedIndexes"))
        return;
    if (json_path(write->spec, "backoffLimitPerIndex"))
        validate_index_format(write, "failedIndexes");
    else
        refuse_member(write, "failedIndexes",
                      "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
}

/* An index that is completed has not failed. */
static void validate_index_overlap(const struct status_write *write)
{
    if (!json_path(write->spec, "completions") ||
        (!member_changes(write, "failedIndexes") && !member_changes(write, "completedIndexes")))
        return;
    const int64_t index = job_indexes_overlap(json_path_str(write->status, "completedIndexes"),
                                              json_path_str(write->status, "failedIndexes"),
                                              job_number(write->spec, "completions"));
    if (index >= 0)
        refuse_member(write, "failedIndexes",
                      arena_print(write->v->arena,
                                  "failedIndexes and completedIndexes overlap at index: %lld",
                                  (long long)index)
                          .ptr);
}

void validate_job_status_update(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct status_write write = {
        .v = v,
        .spec = json_path(object, "spec"),
        .status = json_path(object, "status"),
        .old = json_path(v->old, "status"),
    };
    (void)path;
    validate_uncounted_pods(&write);
    validate_condition_pairs(&write);
    validate_completion_time(&write);
    validate_start_time(&write);
    validate_finished_job(&write);
    validate_completed_indexes(&write);
    validate_failed_job_indexes(&write);
    validate_index_overlap(&write);
    validate_job_counters(&write);
    validate_kept_job_conditions(&write);
}
