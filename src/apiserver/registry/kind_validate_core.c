/*
 * ConfigMaps, Secrets, Namespaces, Events, quotas; and selectors, wherever they are.
 */
#include "apimachinery/metadata_validation.h"
#include "apimachinery/quantity.h"
#include "apiserver/registry/kind_validate_internal.h"
#include "base/base64.h"
#include "base/timestamp.h"
#include "json/compare.h"

#define DATA_MAX MEGABYTE

static bool is_true(const struct json_value *value)
{
    bool truth = false;
    return json_to_bool(value, &truth) && truth;
}

/* Once set, immutable stays, and so does what the object holds. */
static void judge_immutable(struct judge *judge, const struct json_value *object)
{
    static const char *const members[] = {"immutable", "data", "binaryData"};
    if (!judge->old || !is_true(json_path(judge->old, "immutable")))
        return;
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json_value *value = json_path(object, members[i]);
        const bool is_same =
            i == 0 ? is_true(value) : json_equal(value, json_path(judge->old, members[i]));
        if (!is_same)
            judge_forbidden(judge, STR(""), members[i],
                            "field is immutable when `immutable` is set");
    }
}

static size_t decoded_size(struct str text)
{
    SCOPED(buf) bytes = {.secret = true};
    error_free(base64_decode(&bytes, text)); /* was decoded before */
    return bytes.len;
}

/* The size of all values; keys are checked on the way. */
static size_t judge_data(struct judge *judge, const struct json_value *object, const char *member,
                         bool is_base64)
{
    const struct json_value *value;
    size_t size = 0;
    JSON_FOREACH (key, value, json_path(object, member)) {
        judge_syntax(judge, judge_key(judge, str_from_c(member), key), NULL, key,
                     validation_config_map_key(key));
        size += is_base64 ? decoded_size(json_to_str(value)) : json_to_str(value).len;
    }
    return size;
}

void judge_config_map(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *binary = json_path(object, "binaryData"), *value;
    const size_t size =
        judge_data(judge, object, "data", false) + judge_data(judge, object, "binaryData", true);
    (void)path;
    JSON_FOREACH (key, value, json_path(object, "data"))
        if (json_get(binary, key))
            field_errors_add_str(judge->errors, FIELD_INVALID, judge_key(judge, STR("data"), key),
                                 key, STR("duplicate of key present in binaryData"));
    if (size > DATA_MAX)
        field_errors_add_too_long(judge->errors, STR("[]"), DATA_MAX); /* upstream's empty path */
    judge_immutable(judge, object);
}

static void judge_docker_config(struct judge *judge, struct str path, struct str text)
{
    SCOPED(buf) bytes = {.secret = true};
    OWNED(json_doc) doc = NULL;
    error_free(base64_decode(&bytes, text));
    struct error *err = json_read(buf_str(&bytes), &doc);
    if (!err && json_type(json_doc_root(doc)) == JSON_OBJECT)
        return;
    error_free(err); /* quotes the content */
    field_errors_add_str(judge->errors, FIELD_INVALID, path, STR("<secret contents redacted>"),
                         STR("must be a JSON object"));
}

/* Keys that a type needs: all of them, or one of two. */
static const struct {
    const char *type, *first, *second;
    bool is_docker, one_is_enough;
} secret_types[] = {
    {"kubernetes.io/tls",              "tls.crt",           "tls.key",  false, false},
    {"kubernetes.io/ssh-auth",         "ssh-privatekey",    NULL,       false, false},
    {"kubernetes.io/basic-auth",       "username",          "password", false, true },
    {"kubernetes.io/dockercfg",        ".dockercfg",        NULL,       true,  false},
    {"kubernetes.io/dockerconfigjson", ".dockerconfigjson", NULL,       true,  false},
};

static void judge_secret_type(struct judge *judge, const struct json_value *data, size_t row)
{
    const char *const keys[] = {secret_types[row].first, secret_types[row].second};
    const bool has_one =
        json_get(data, str_from_c(keys[0])) || (keys[1] && json_get(data, str_from_c(keys[1])));
    for (size_t i = 0; i < COUNT(keys) && keys[i]; i++) {
        const struct json_value *value = json_get(data, str_from_c(keys[i]));
        const struct str path = judge_key(judge, STR("data"), str_from_c(keys[i]));
        if (!value && !(secret_types[row].one_is_enough && has_one))
            judge_required(judge, path, NULL, "");
        if (value && secret_types[row].is_docker)
            judge_docker_config(judge, path, json_to_str(value));
    }
}

void judge_secret(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str type = json_path_str(object, "type");
    const struct str account = STR("kubernetes.io/service-account.name");
    (void)path;
    if (judge_data(judge, object, "data", true) > DATA_MAX)
        field_errors_add_too_long(judge->errors, STR("data"), DATA_MAX);
    for (size_t i = 0; i < COUNT(secret_types); i++)
        if (str_eq(type, str_from_c(secret_types[i].type)))
            judge_secret_type(judge, json_path(object, "data"), i);
    if (str_eq(type, STR("kubernetes.io/service-account-token")) &&
        json_to_str(json_get(json_path(object, "metadata.annotations"), account)).len == 0)
        judge_required(judge, judge_key(judge, STR("metadata.annotations"), account), NULL, "");
    judge_immutable(judge, object);
}

void judge_namespace_spec(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str place = judge_path(judge, path, "finalizers");
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(object, "finalizers")) {
        const struct str name = json_to_str(value);
        const struct validation found = validation_label_key(name);
        judge_syntax(judge, place, NULL, name, found);
        if (found.count == 0 && !str_eq(name, STR("kubernetes")) &&
            str_find_char(name, '/') == STR_NONE)
            field_errors_add_str(
                judge->errors, FIELD_INVALID, place, name,
                STR("name is neither a standard finalizer name nor is it fully qualified"));
    }
}

void judge_namespace_status(struct judge *judge, const struct json_value *object, struct str path)
{
    const bool is_going = json_path(judge->object, "metadata.deletionTimestamp") != NULL;
    const struct json_value *phase = json_path(object, "phase");
    (void)path;
    if (str_eq(json_to_str(phase), is_going ? STR("Terminating") : STR("Active")))
        return;
    judge_invalid(judge, STR("status"), "Phase", phase,
                  is_going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                           : "may only be 'Active' if `deletionTimestamp` is empty");
}

static void judge_text_of_event(struct judge *judge, const struct json_value *object,
                                const char *member)
{
    const struct str text = json_path_str(object, member);
    if (text.len == 0)
        judge_required(judge, STR(""), member, "");
    if (text.len > 128)
        field_errors_add_str(judge->errors, FIELD_INVALID, str_from_c(member), STR(""),
                             STR("can have at most 128 characters"));
}

/* Events of the newer kind tell when and by whom they were made. */
static void judge_reporter(struct judge *judge, const struct json_value *object,
                           const char *controller, const char *note)
{
    const struct str name = json_path_str(object, controller);
    if (name.len == 0)
        judge_required(judge, STR(""), controller, "");
    judge_syntax(judge, STR(""), controller, name, validation_label_key(name));
    judge_text_of_event(judge, object, "reportingInstance");
    judge_text_of_event(judge, object, "action");
    judge_text_of_event(judge, object, "reason");
    if (json_path_str(object, note).len > 1024)
        field_errors_add_str(judge->errors, FIELD_INVALID, str_from_c(note), STR(""),
                             STR("can have at most 1024 bytes"));
}

/* Events on objects without a namespace are kept in default; the system's own in kube-system. */
static void judge_place_of_event(struct judge *judge, const struct json_value *object,
                                 const char *reference)
{
    const struct str given = json_path_str(object, "metadata.namespace");
    const struct str here = given.len > 0 ? given : judge->write->namespace;
    const struct str there = json_path_str(json_path(object, reference), "namespace");
    const bool is_fine = there.len > 0 ? str_eq(here, there)
                                       : here.len == 0 || str_eq(here, STR("default")) ||
                                             str_eq(here, STR("kube-system"));
    if (!is_fine)
        field_errors_add_str(judge->errors, FIELD_INVALID, STR("involvedObject.namespace"), there,
                             STR("does not match event.namespace"));
}

static void judge_events_event(struct judge *judge, const struct json_value *object)
{
    const struct str type = json_path_str(object, "type");
    judge_place_of_event(judge, object, "regarding");
    if (judge->old)
        return;
    if (!json_path(object, "eventTime")) {
        judge_required(judge, STR(""), "eventTime", "");
        return;
    }
    judge_reporter(judge, object, "reportingController", "note");
    if (!str_eq(type, STR("Normal")) && !str_eq(type, STR("Warning")))
        field_errors_add_str(judge->errors, FIELD_INVALID, STR("type"), STR(""),
                             arena_print(judge->arena, "has invalid value: %.*s", STR_ARG(type)));
}

/* Both kinds have this name; the one of events.k8s.io is stricter, but only when it is made. */
void judge_event(struct judge *judge, const struct json_value *object, struct str path)
{
    (void)path;
    if (judge->kind->type == &type_events_event) {
        judge_events_event(judge, object);
        return;
    }
    judge_place_of_event(judge, object, "involvedObject");
    if (json_path(object, "eventTime"))
        judge_reporter(judge, object, "reportingComponent", "message");
}

void judge_label_selector(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct json_value *labels = json_path(object, "matchLabels");
    if (labels)
        metadata_check_labels(judge->errors, judge_path(judge, path, "matchLabels"), labels);
}

void judge_label_requirement(struct judge *judge, const struct json_value *object, struct str path)
{
    const struct str op = json_path_str(object, "operator"), key = json_path_str(object, "key");
    const bool has_values = json_count(json_path(object, "values")) > 0;
    if (str_eq(op, STR("In")) || str_eq(op, STR("NotIn"))) {
        if (!has_values)
            judge_required(judge, path, "values",
                           "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (str_eq(op, STR("Exists")) || str_eq(op, STR("DoesNotExist"))) {
        if (has_values)
            judge_forbidden(judge, path, "values",
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else {
        judge_invalid(judge, path, "operator", json_path(object, "operator"),
                      "not a valid selector operator");
    }
    judge_syntax(judge, path, "key", key, validation_label_key(key));
}

static bool is_counted(struct str resource)
{
    static const char *const names[] = {
        "pods",
        "services",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(resource, str_from_c(names[i])))
            return true;
    return str_starts_with(resource, STR("count/"));
}

void judge_resource_quota_spec(struct judge *judge, const struct json_value *object,
                               struct str path)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(object, "hard")) {
        struct quantity quantity;
        int64_t milli = 0;
        struct error *err = quantity_read(json_to_str(value), &quantity);
        if (!err && is_counted(key) && quantity_milli(&quantity, &milli) && milli % 1000 != 0)
            judge_invalid(judge, judge_key(judge, judge_path(judge, path, "hard"), key), NULL,
                          value, "must be an integer");
        error_free(err);
    }
}
