/*
 * Validation of Events. Those of events.k8s.io have stricter rules than those of the core group,
 * and change in their series and metadata alone. Both are checked as upstream's internal type,
 * whose names of members stand in the errors.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/core/validation/events.go.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "json/compare.h"

/* A required text of at most 128 characters. */
static void validate_event_text(struct kind_validator *v, const struct json_value *object,
                                const char *member)
{
    const struct str text = json_path_str(object, member);
    if (text.len == 0)
        field_required(v, STR(""), member, "");
    if (text.len > 128)
        field_errors_add_str(v->errors, FIELD_INVALID, str_from_c(member), STR(""),
                             STR("can have at most 128 characters"));
}

/*
 * Members that an Event with an eventTime must have. The two API groups name some of them
 * differently.
 */
static void validate_reporter(struct kind_validator *v, const struct json_value *object,
                              const char *controller, const char *note)
{
    const struct str name = json_path_str(object, controller);
    if (name.len == 0)
        field_required(v, STR(""), controller, "");
    field_syntax(v, STR(""), controller, name, validation_label_key(name));
    validate_event_text(v, object, "reportingInstance");
    validate_event_text(v, object, "action");
    validate_event_text(v, object, "reason");
    if (json_path_str(object, note).len > 1024)
        field_errors_add_str(v->errors, FIELD_INVALID, STR("message"), STR(""),
                             STR("can have at most 1024 characters"));
}

/*
 * An Event is in the namespace of its object, unless it is a new one with an eventTime. Events
 * about objects without a namespace are in default, new ones of the system in kube-system.
 */
static void validate_event_namespace(struct kind_validator *v, const struct json_value *object,
                                     const char *reference)
{
    const struct str given = json_path_str(object, "metadata.namespace");
    const struct str here = given.len > 0 ? given : v->write->namespace;
    const struct str there = json_path_str(json_path(object, reference), "namespace");
    const bool is_new = json_path(object, "eventTime") != NULL;
    const bool is_fine = there.len > 0 ? is_new || str_eq(here, there)
                                       : here.len == 0 || str_eq(here, STR("default")) ||
                                             (is_new && str_eq(here, STR("kube-system")));
    if (!is_fine)
        field_errors_add_str(v->errors, FIELD_INVALID, STR("involvedObject.namespace"), there,
                             STR("does not match event.namespace"));
}

/* A member that is absent or null is none. */
static const struct json_value *member_of(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_path(object, member);
    return json_type(value) == JSON_NULL ? NULL : value;
}

static void validate_series(struct kind_validator *v, const struct json_value *series)
{
    int64_t count = 0;
    if (!series)
        return;
    (void)json_to_int64(json_path(series, "count"), &count);
    if (count < 2)
        field_errors_add_str(v->errors, FIELD_INVALID, STR("series.count"), STR(""),
                             STR("should be at least 2"));
    if (!member_of(series, "lastObservedTime"))
        field_required(v, STR(""), "series.lastObservedTime", "");
}

/* Members that Events of events.k8s.io have only if they were made in the core group. */
static void validate_deprecated(struct kind_validator *v, const struct json_value *object)
{
    static const struct {
        const char *member, *name;
    } deprecated[] = {
        {"deprecatedFirstTimestamp", "firstTimestamp"},
        {"deprecatedLastTimestamp",  "lastTimestamp" },
        {"deprecatedCount",          "count"         },
    };
    const struct json_value *source = json_path(object, "deprecatedSource");
    for (size_t i = 0; i < COUNT(deprecated); i++)
        if (member_of(object, deprecated[i].member))
            field_errors_add_str(v->errors, FIELD_INVALID, str_from_c(deprecated[i].name), STR(""),
                                 STR("needs to be unset"));
    if (json_path_str(source, "component").len || json_path_str(source, "host").len)
        field_errors_add_str(v->errors, FIELD_INVALID, STR("source"), STR(""),
                             STR("needs to be unset"));
}

/* Upstream compares the reason twice, and clients see two causes. */
static void validate_event_change(struct kind_validator *v, const struct json_value *object)
{
    static const struct {
        const char *member, *name;
        bool is_text;
    } kept[] = {
        {"regarding",                "involvedObject",      false},
        {"reason",                   "reason",              true },
        {"note",                     "message",             true },
        {"deprecatedSource",         "source",              false},
        {"deprecatedFirstTimestamp", "firstTimestamp",      false},
        {"deprecatedLastTimestamp",  "lastTimestamp",       false},
        {"deprecatedCount",          "count",               false},
        {"reason",                   "reason",              true },
        {"type",                     "type",                true },
        {"eventTime",                "eventTime",           false},
        {"action",                   "action",              true },
        {"related",                  "related",             false},
        {"reportingController",      "reportingController", true },
        {"reportingInstance",        "reportingInstance",   true },
    };
    const char *immutable = "field is immutable";
    if (!json_equal(member_of(object, "series"), member_of(v->old, "series")))
        validate_series(v, member_of(object, "series"));
    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct json_value *value = member_of(object, kept[i].member);
        const struct json_value *old = member_of(v->old, kept[i].member);
        if (json_equal(value, old) ||
            (kept[i].is_text && str_eq(json_to_str(value), json_to_str(old))))
            continue;
        if (kept[i].is_text)
            field_errors_add_str(v->errors, FIELD_INVALID, str_from_c(kept[i].name),
                                 json_to_str(value), str_from_c(immutable));
        else
            field_invalid(v, STR(""), kept[i].name, value, immutable);
    }
}

static void validate_events_event(struct kind_validator *v, const struct json_value *object)
{
    const struct str type = json_path_str(object, "type");
    const bool has_time = member_of(object, "eventTime") != NULL;
    validate_event_namespace(v, object, "regarding");
    if (has_time)
        validate_reporter(v, object, "reportingController", "note");
    if (v->old) {
        validate_event_change(v, object);
        return;
    }
    validate_series(v, member_of(object, "series"));
    if (!has_time)
        field_required(v, STR(""), "eventTime", "");
    if (!str_eq(type, STR("Normal")) && !str_eq(type, STR("Warning")))
        field_errors_add_str(v->errors, FIELD_INVALID, STR("type"), STR(""),
                             arena_print(v->arena, "has invalid value: %.*s", STR_ARG(type)));
    validate_deprecated(v, object);
}

/* The Event types of both API groups have this name, so that rows cannot tell them apart. */
void validate_event(struct kind_validator *v, const struct json_value *object, struct str path)
{
    (void)path;
    if (v->kind->type == &type_events_event) {
        validate_events_event(v, object);
        return;
    }
    validate_event_namespace(v, object, "involvedObject");
    if (json_path(object, "eventTime"))
        validate_reporter(v, object, "reportingComponent", "message");
}
