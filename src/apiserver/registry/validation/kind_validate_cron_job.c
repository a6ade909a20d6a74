/*
 * Validation of CronJobs.
 *
 * The template of the Jobs is validated in kind_validate_job.c, the schedule in
 * kind_validate_schedule.c. Whether a time zone of a right name exists is not looked up. Upstream:
 * ValidateCronJobCreate() and ValidateCronJobUpdate() in
 * k8s.io/kubernetes/pkg/apis/batch/validation.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"
#include "json/compare.h"

/* Names of Jobs are that of the CronJob with 11 characters added, and have at most 63. */
#define CRON_JOB_NAME_MAX 52

#define TIME_ZONE_PART_MAX 14

/* An object with a longer name may be updated. */
void validate_cron_job(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *name = json_path(object, "metadata.name");
    (void)path;
    if (!v->old && json_to_str(name).len > CRON_JOB_NAME_MAX)
        field_invalid(v, STR(""), "metadata.name", name, "must be no more than 52 characters");
}

/* A schedule may have a time zone if it had one before, but not beside the field timeZone. */
static void validate_schedule(struct kind_validator *v, const struct json_value *spec,
                              struct str path)
{
    const struct json_value *schedule = json_path(spec, "schedule");
    const struct str text = json_to_str(schedule);
    const bool had_zone = str_contains(json_path_str(v->old, "spec.schedule"), STR("TZ"));
    if (text.len == 0)
        return;
    field_syntax(v, path, "schedule", text, syntax_schedule(v->arena, text));
    if (!str_contains(text, STR("TZ")))
        return;
    if (!had_zone)
        field_invalid(v, path, "schedule", schedule,
                      "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    else if (json_path(spec, "timeZone"))
        field_invalid(v, path, "schedule", schedule,
                      "cannot use both timeZone field and TZ or CRON_TZ in schedule");
}

static bool is_time_zone_part(struct str part)
{
    if (part.len == 0 || part.len > TIME_ZONE_PART_MAX || part.ptr[0] == '-' ||
        str_eq(part, STR(".")) || str_eq(part, STR("..")))
        return false;
    for (size_t i = 0; i < part.len; i++)
        if (!ascii_is_alphanumeric(part.ptr[i]) &&
            str_find_char(STR(".-_+"), part.ptr[i]) == STR_NONE)
            return false;
    return true;
}

/* Parts that slashes separate, as the IANA names time zones. */
static bool is_time_zone(struct str name)
{
    struct str part;
    bool more = true;
    while (more) {
        more = str_cut(&name, '/', &part);
        if (!is_time_zone_part(part))
            return false;
    }
    return true;
}

/* Only the very name Local is also known as a time zone, which is that of the machine. */
static void validate_time_zone(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    const struct json_value *zone = json_path(spec, "timeZone");
    const struct str name = json_to_str(zone);
    const bool is_local = str_eq_nocase(name, STR("Local"));
    if (!zone || (v->old && json_equal(zone, json_path(v->old, "spec.timeZone"))))
        return;
    if (name.len == 0) {
        field_invalid(v, path, "timeZone", zone, "timeZone must be nil or non-empty string");
        return;
    }
    if (is_local)
        field_invalid(v, path, "timeZone", zone,
                      "timeZone must be an explicit time zone as defined in "
                      "https://www.iana.org/time-zones");
    if (!is_time_zone(name) || (is_local && !str_eq(name, STR("Local"))))
        field_errors_add_value(v->errors, FIELD_INVALID, field_path(v, path, "timeZone"), zone,
                               ARENA_JOIN(v->arena, STR("unknown time zone "), name));
}

void validate_cron_job_spec(struct kind_validator *v, const struct json_value *object,
                            struct str path)
{
    validate_schedule(v, object, path);
    validate_time_zone(v, object, path);
}
