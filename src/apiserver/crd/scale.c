/*
 * The subresource /scale, in three parts: access to a field by the path of a definition, validation
 * of these fields, and conversion between an object and its autoscaling/v1 Scale.
 *
 * Paths are plain: ".spec.replicas" is split at its dots. Errors about values of the wrong type are
 * those of Go's unstructured.NestedInt64() and NestedString(). Upstream:
 * k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go (ScaleREST,
 * scaleFromCustomResource) and validator.go (ValidateScaleSpec, ValidateScaleStatus).
 */
#include "apiserver/crd/scale.h"

#include "apimachinery/selector.h"
#include "apimachinery/status.h"
#include "apiserver/crd/crd_internal.h"
#include "apiserver/crd/scale_internal.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/strategicpatch/strategic_print.h"
#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"

static struct str without_dot(struct str path)
{
    return str_starts_with(path, STR(".")) ? str_skip(path, 1) : path;
}

struct kind scale_kind(void)
{
    return (struct kind){
        .gvk = GVK("autoscaling", "v1", "Scale"),
        .type = go_type_find(GVK("autoscaling", "v1", "Scale")),
        .namespaced = true,
        .ops = &kind_builtin_ops,
    };
}

struct str scale_replicas_path(const struct kind *kind)
{
    struct crd_scale_paths paths;
    if (!kind->is_custom)
        return kind_subresource(kind, STR("scale")) ? STR("spec.replicas") : STR("");
    return crd_scale_paths(kind, &paths) ? without_dot(paths.spec_replicas) : STR("");
}

/* The error of Go's accessors for a value of the wrong type at the part of a path before `end`. */
static struct str accessor_error(struct arena *arena, struct str path, size_t end,
                                 const struct json_value *found, const char *expected)
{
    SCOPED(buf) text = {.limit = 0};
    const enum go_kind type = go_kind(found);
    buf_print(&text, ".%.*s accessor error: ", STR_ARG(str_slice(path, 0, end)));
    strategic_print(&text, found);
    buf_print(&text, " is of the type %s, expected %s",
              type == GO_KIND_NIL ? "<nil>" : go_kind_name(type), expected);
    return arena_str(arena, buf_str(&text));
}

/*
 * The value at a dotted path; NULL when it is absent. A value on the way that is no object is an
 * error, except null.
 */
static const struct json_value *find_nested(struct arena *arena, const struct json_value *value,
                                            struct str path, struct str *ret_error)
{
    struct str rest = path, name;
    for (bool more = true; more && value && json_type(value) != JSON_NULL;) {
        more = str_cut(&rest, '.', &name);
        if (json_type(value) != JSON_OBJECT) {
            const size_t end = (size_t)(name.ptr - path.ptr) + name.len;
            *ret_error = accessor_error(arena, path, end, value, "map[string]interface{}");
            return NULL;
        }
        value = json_get(value, name);
        if (!more)
            return value;
    }
    return NULL;
}

/*
 * Reads an integer; an absent one is 0. False with an error text when the value is something else.
 */
static bool read_int(struct arena *arena, const struct json_value *object, struct str path,
                     int64_t *ret_number, bool *ret_found, struct str *ret_error)
{
    *ret_number = 0;
    *ret_error = STR("");
    path = without_dot(path);
    const struct json_value *value = find_nested(arena, object, path, ret_error);
    *ret_found = value != NULL;
    if (value && !json_to_int64(value, ret_number))
        *ret_error = accessor_error(arena, path, path.len, value, "int64");
    return str_is_empty(*ret_error);
}

static bool read_text(struct arena *arena, const struct json_value *object, struct str path,
                      struct str *ret_text, struct str *ret_error)
{
    *ret_error = STR("");
    path = without_dot(path);
    const struct json_value *value = find_nested(arena, object, path, ret_error);
    *ret_text = json_to_str(value);
    if (value && json_type(value) != JSON_STRING)
        *ret_error = accessor_error(arena, path, path.len, value, "string");
    return str_is_empty(*ret_error);
}

/* Replicas are int32 and not negative. */
static void validate_replicas(struct str path, const struct json_value *object,
                              struct field_errors *errors)
{
    struct str problem;
    int64_t number;
    bool found;
    if (!read_int(errors->arena, object, path, &number, &found, &problem))
        field_errors_add_int(errors, FIELD_INVALID, path, 0, problem);
    else if (number < 0)
        field_errors_add_int(errors, FIELD_INVALID, path, number,
                             STR("should be a non-negative integer"));
    else if (number > INT32_MAX)
        field_errors_add_int(errors, FIELD_INVALID, path, number,
                             STR("should be less than or equal to 2147483647"));
}

void scale_validate(const struct crd_scale_paths *scale, const struct json_value *object,
                    bool is_status, struct field_errors *errors)
{
    struct str text, problem;
    if (!is_status)
        validate_replicas(scale->spec_replicas, object, errors);
    validate_replicas(scale->status_replicas, object, errors);
    if (scale->selector.len > 0 &&
        !read_text(errors->arena, object, scale->selector, &text, &problem))
        field_errors_add_str(errors, FIELD_INVALID, scale->selector, STR(""), problem);
}

/* The content of a Scale. */
struct numbers {
    int64_t spec, status;
    struct str selector;
};

/* The replicas of a Scale that is written, as long as they are not set. */
#define UNSET ((int64_t)INT32_MIN)

static struct error *read_custom(const struct crd_scale_paths *scale, struct arena *arena,
                                 const struct json_value *object, bool may_lack,
                                 struct numbers *ret_numbers)
{
    struct str problem;
    bool has_spec = false, has_status;
    if (!read_int(arena, object, scale->spec_replicas, &ret_numbers->spec, &has_spec, &problem) ||
        !read_int(arena, object, scale->status_replicas, &ret_numbers->status, &has_status,
                  &problem) ||
        (scale->selector.len > 0 &&
         !read_text(arena, object, scale->selector, &ret_numbers->selector, &problem)))
        return status_internal("%.*s", STR_ARG(problem));
    if (!has_spec && may_lack)
        ret_numbers->spec = UNSET;
    if (has_spec || may_lack)
        return NULL;
    return status_internal("the spec replicas field \"%.*s\" does not exist",
                           STR_ARG(without_dot(scale->spec_replicas)));
}

/*
 * The selector of a ReplicationController is a map of labels, that of other kinds a LabelSelector.
 * A Scale shows both in the text form of selectors.
 */
static struct error *read_builtin(struct arena *arena, const struct json_value *object,
                                  struct numbers *ret_numbers)
{
    const struct json_value *json = json_path(object, "spec.selector"), *value;
    SCOPED(buf) text = {.limit = 0};
    struct selector selector = {.items = NULL};
    ret_numbers->spec = 1; /* the default of all built-in kinds */
    json_to_int64(json_path(object, "spec.replicas"), &ret_numbers->spec);
    json_to_int64(json_path(object, "status.replicas"), &ret_numbers->status);
    bool is_plain = false;
    JSON_FOREACH (key, value, json)
        is_plain = is_plain || json_type(value) == JSON_STRING;
    if (is_plain) {
        SCOPED(json_builder) builder = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        json_builder_object(&builder);
        json_builder_add_value(&builder, "matchLabels", json);
        json_builder_end(&builder);
        TRY(json_builder_finish(&builder, &doc));
        TRY(selector_from_value(arena, json_doc_root(doc), &selector));
        selector_write(&text, &selector);
    } else if (json) {
        TRY(selector_from_value(arena, json, &selector));
        selector_write(&text, &selector);
    }
    ret_numbers->selector = arena_str(arena, buf_str(&text));
    return NULL;
}

static void add_metadata(struct json_builder *out, const struct json_value *object)
{
    static const char *const names[] = {"name", "namespace", "uid", "resourceVersion",
                                        "creationTimestamp"};
    json_builder_add_object(out, "metadata");
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json_value *value =
            json_get(json_get(object, STR("metadata")), str_from_c(names[i]));
        if (json_type(value) == JSON_STRING)
            json_builder_add_value(out, names[i], value);
    }
    json_builder_end(out);
}

static struct error *make_scale(const struct kind *kind, const struct json_value *object,
                                bool may_lack, struct json_doc **ret_scale)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_builder) out = {.limit = 0};
    struct crd_scale_paths scale;
    struct numbers numbers = {.spec = 0};
    if (kind->is_custom && crd_scale_paths(kind, &scale))
        TRY(read_custom(&scale, &arena, object, may_lack, &numbers));
    else
        TRY(read_builtin(&arena, object, &numbers));
    json_builder_object(&out);
    json_builder_add_str(&out, "kind", STR("Scale"));
    json_builder_add_str(&out, "apiVersion", STR("autoscaling/v1"));
    add_metadata(&out, object);
    json_builder_add_object(&out, "spec");
    if (numbers.spec != 0)
        json_builder_add_int(&out, "replicas", numbers.spec);
    json_builder_end(&out);
    json_builder_add_object(&out, "status");
    json_builder_add_int(&out, "replicas", numbers.status);
    if (numbers.selector.len > 0)
        json_builder_add_str(&out, "selector", numbers.selector);
    json_builder_end(&out);
    json_builder_end(&out);
    return json_builder_finish(&out, ret_scale);
}

struct error *scale_read(const struct kind *kind, const struct json_value *object,
                         struct json_doc **ret_scale)
{
    return make_scale(kind, object, false, ret_scale);
}

struct error *scale_read_to_write(const struct kind *kind, const struct json_value *object,
                                  struct json_doc **ret_scale)
{
    return make_scale(kind, object, true, ret_scale);
}

/* The replicas that a Scale asks for; absent means 0. They must fit into int32. */
static struct error *wanted_replicas(const struct json_value *scale, int64_t *ret_number)
{
    const struct json_value *value = json_path(scale, "spec.replicas");
    SCOPED(buf) number = {.limit = 0};
    *ret_number = 0;
    if (!value || json_type(value) == JSON_NULL)
        return NULL;
    if (json_to_int64(value, ret_number) && *ret_number == (int32_t)*ret_number)
        return NULL;
    if (json_type(value) == JSON_NUMBER) {
        buf_add_char(&number, ' ');
        json_write_with(&number, value, JSON_WRITE_NUMBERS_AS_READ);
    }
    return error_new(ERROR_BAD_REQUEST,
                     "json: cannot unmarshal %s%.*s into Go struct field ScaleSpec.spec.replicas "
                     "of type int32",
                     crd_go_type(json_type(value)), STR_ARG(buf_str(&number)));
}

static struct error *refuse_negative(const struct json_value *scale, int64_t replicas)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    if (replicas >= 0)
        return NULL;
    field_errors_add_int(&errors, FIELD_INVALID, STR("spec.replicas"), replicas,
                         STR("must be greater than or equal to 0"));
    return status_invalid(GVK("autoscaling", "v1", "Scale"), json_path_str(scale, "metadata.name"),
                          &errors);
}

/* The Scale is that of another object of the same name. */
static struct error *check_uid(const struct kind *kind, const struct json_value *object,
                               const struct json_value *scale)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct str uid = json_path_str(scale, "metadata.uid");
    const struct str own = json_path_str(object, "metadata.uid");
    struct gvr gvr = kind_gvr(kind);
    if (uid.len == 0 || str_eq(uid, own))
        return NULL;
    gvr.resource = arena_print(&arena, "%.*s/scale", STR_ARG(gvr.resource));
    return status_conflict(gvr, json_path_str(object, "metadata.name"),
                           arena_print(&arena,
                                       "Precondition failed: UID in precondition: %.*s, UID in "
                                       "object meta: %.*s",
                                       STR_ARG(uid), STR_ARG(own)));
}

/* An absent path in the object is created by the edit. */
struct error *scale_write(const struct kind *kind, const struct json_value *object,
                          const struct json_value *scale, struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_edit) edit;
    struct crd_scale_paths paths = {.spec_replicas = STR("spec.replicas")};
    const struct str version = json_path_str(scale, "metadata.resourceVersion");
    int64_t replicas;
    json_edit_init(&edit, object);
    TRY(wanted_replicas(scale, &replicas));
    if (!kind->is_custom || !crd_scale_paths(kind, &paths))
        TRY(refuse_negative(scale, replicas));
    TRY(check_uid(kind, object, scale));
    if (replicas == UNSET)
        return status_bad_request("the spec replicas field \"%.*s\" cannot be empty",
                                  STR_ARG(without_dot(paths.spec_replicas)));
    const struct json_place place = {.path = arena_c(&arena, without_dot(paths.spec_replicas))};
    json_edit_set_int(&edit, place, replicas);
    if (version.len > 0)
        json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"), version);
    return json_edit_finish(&edit, ret_doc);
}
