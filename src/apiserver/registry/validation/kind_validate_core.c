/*
 * Validation of ConfigMaps, Secrets and Namespaces, and of label selectors wherever they occur.
 *
 * Upstream: ValidateConfigMap(), ValidateSecret() and so on in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go, and
 * k8s.io/apimachinery/pkg/apis/meta/v1/validation for label selectors.
 */
#include "apimachinery/metadata_validation.h"
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/base64.h"
#include "json/compare.h"

/* The total size of the values of a ConfigMap or Secret, decoded. */
#define DATA_MAX MEGABYTE

/* Once immutable is true it stays true, and data and binaryData cannot change. */
static void validate_immutable(struct kind_validator *v, const struct json_value *object)
{
    static const char *const members[] = {"immutable", "data", "binaryData"};
    if (!v->old || !field_is_true(json_path(v->old, "immutable")))
        return;
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json_value *value = json_path(object, members[i]);
        const bool is_same =
            i == 0 ? field_is_true(value) : json_equal(value, json_path(v->old, members[i]));
        if (!is_same)
            field_forbidden(v, STR(""), members[i], "field is immutable when `immutable` is set");
    }
}

/* The text is valid base64: decoding has checked it. */
static size_t decoded_size(struct str text)
{
    SCOPED(buf) bytes = {.secret = true};
    error_free(base64_decode(&bytes, text));
    return bytes.len;
}

/* Checks the keys of a map and returns the total size of its values. */
static size_t validate_data(struct kind_validator *v, const struct json_value *object,
                            const char *member, bool is_base64)
{
    const struct json_value *value;
    size_t size = 0;
    JSON_FOREACH (key, value, json_path(object, member)) {
        field_syntax(v, field_path_key(v, str_from_c(member), key), NULL, key,
                     validation_config_map_key(key));
        size += is_base64 ? decoded_size(json_to_str(value)) : json_to_str(value).len;
    }
    return size;
}

void validate_config_map(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *binary = json_path(object, "binaryData"), *value;
    const size_t size =
        validate_data(v, object, "data", false) + validate_data(v, object, "binaryData", true);
    (void)path;
    JSON_FOREACH (key, value, json_path(object, "data"))
        if (json_get(binary, key))
            field_errors_add_str(v->errors, FIELD_INVALID, field_path_key(v, STR("data"), key), key,
                                 STR("duplicate of key present in binaryData"));
    if (size > DATA_MAX)
        field_errors_add_too_long(v->errors, STR("[]"), DATA_MAX); /* upstream's path is empty */
    validate_immutable(v, object);
}

/* The value must be a JSON object. The message never shows the content of a Secret. */
static void validate_docker_config(struct kind_validator *v, struct str path, struct str text)
{
    SCOPED(buf) bytes = {.secret = true};
    OWNED(json_doc) doc = NULL;
    error_free(base64_decode(&bytes, text));
    struct error *err = json_read(buf_str(&bytes), &doc);
    if (!err && json_type(json_doc_root(doc)) == JSON_OBJECT)
        return;
    error_free(err); /* its message quotes the content */
    field_errors_add_str(v->errors, FIELD_INVALID, path, STR("<secret contents redacted>"),
                         STR("must be a JSON object"));
}

/* Keys that the types of Secrets need: all of them, or one of two. */
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

/* Checks that the keys of a type are there: all of them, or one of two. */
static void validate_secret_type(struct kind_validator *v, const struct json_value *data,
                                 size_t row)
{
    const char *const keys[] = {secret_types[row].first, secret_types[row].second};
    const bool has_one =
        json_get(data, str_from_c(keys[0])) || (keys[1] && json_get(data, str_from_c(keys[1])));
    for (size_t i = 0; i < COUNT(keys) && keys[i]; i++) {
        const struct json_value *value = json_get(data, str_from_c(keys[i]));
        const struct str path = field_path_key(v, STR("data"), str_from_c(keys[i]));
        if (!value && !(secret_types[row].one_is_enough && has_one))
            field_required(v, path, NULL, "");
        if (value && secret_types[row].is_docker)
            validate_docker_config(v, path, json_to_str(value));
    }
}

void validate_secret(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct str type = json_path_str(object, "type");
    const struct str account = STR("kubernetes.io/service-account.name");
    (void)path;
    if (validate_data(v, object, "data", true) > DATA_MAX)
        field_errors_add_too_long(v->errors, STR("data"), DATA_MAX);
    for (size_t i = 0; i < COUNT(secret_types); i++)
        if (str_eq(type, str_from_c(secret_types[i].type)))
            validate_secret_type(v, json_path(object, "data"), i);
    if (str_eq(type, STR("kubernetes.io/service-account-token")) &&
        json_to_str(json_get(json_path(object, "metadata.annotations"), account)).len == 0)
        field_required(v, field_path_key(v, STR("metadata.annotations"), account), NULL, "");
    validate_immutable(v, object);
}

/* A finalizer without a domain is one of Kubernetes itself. */
static void validate_namespace_finalizer(struct kind_validator *v, struct str path, struct str name)
{
    field_syntax(v, path, NULL, name, validation_label_key(name));
    if (str_find_char(name, '/') == STR_NONE &&
        !field_is_one_of(name, "kubernetes|orphan|foregroundDeletion"))
        field_errors_add_str(
            v->errors, FIELD_INVALID, path, name,
            STR("name is neither a standard finalizer name nor is it fully qualified"));
}

/* A write to /finalize says which one is wrong; a create does not. */
void validate_namespace_spec(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct str place = field_path(v, path, "finalizers");
    const struct json_value *name;
    size_t index = 0;
    JSON_FOREACH (key, name, json_path(object, "finalizers")) {
        const struct str at = v->old ? field_path_index(v, place, index++) : place;
        validate_namespace_finalizer(v, at, json_to_str(name));
    }
}

/* The phase follows deletionTimestamp. The field is called Phase, as upstream. */
void validate_namespace_status(struct kind_validator *v, const struct json_value *object,
                               struct str path)
{
    const bool is_going = json_path(v->object, "metadata.deletionTimestamp") != NULL;
    const struct json_value *phase = json_path(object, "phase");
    (void)path;
    if (str_eq(json_to_str(phase), is_going ? STR("Terminating") : STR("Active")))
        return;
    field_invalid(v, STR("status"), "Phase", phase,
                  is_going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                           : "may only be 'Active' if `deletionTimestamp` is empty");
}

void validate_label_selector(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *labels = json_path(object, "matchLabels");
    if (labels)
        metadata_check_labels(v->errors, field_path(v, path, "matchLabels"), labels);
}

static void validate_label_text(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    field_syntax(v, path, NULL, json_to_str(object), validation_label_value(json_to_str(object)));
}

/* values must fit the operator. */
void validate_label_requirement(struct kind_validator *v, const struct json_value *object,
                                struct str path)
{
    const struct str op = json_path_str(object, "operator"), key = json_path_str(object, "key");
    const bool has_values = json_count(json_path(object, "values")) > 0;
    if (str_eq(op, STR("In")) || str_eq(op, STR("NotIn"))) {
        if (!has_values)
            field_required(v, path, "values",
                           "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (str_eq(op, STR("Exists")) || str_eq(op, STR("DoesNotExist"))) {
        if (has_values)
            field_forbidden(v, path, "values",
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else {
        field_invalid(v, path, "operator", json_path(object, "operator"),
                      "not a valid selector operator");
    }
    field_syntax(v, path, "key", key, validation_label_key(key));
    field_apply_each(v, object, path, "values", validate_label_text);
}
