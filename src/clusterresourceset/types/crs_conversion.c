/*
 * The conversion webhook of Cluster API, hand-written: it mirrors the functions Convert_v1beta1_*
 * and Convert_v1beta2_* for the two kinds. A set needs its conditions moved; a binding needs its
 * records completed, because v1beta2 requires "applied" and knows no null.
 */
#include "clusterresourceset/types/crs_conversion.h"

#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"

static const struct str group = STR_INIT("addons.cluster.x-k8s.io/");

enum version {
    V1BETA1,
    V1BETA2,
};

static struct error *read_version(struct str name, enum version *ret_version)
{
    if (str_eq(name, STR("v1beta1")))
        *ret_version = V1BETA1;
    else if (str_eq(name, STR("v1beta2")))
        *ret_version = V1BETA2;
    else
        return error_new(ERROR_INVALID, "there is no version %.*s", STR_ARG(name));
    return NULL;
}

/* *ret_from and *ret_to are the same if there is nothing to convert. */
static struct error *read_versions(const struct json_value *object, struct str to,
                                   enum version *ret_from, enum version *ret_to)
{
    const struct str api_version = json_path_str(object, "apiVersion");
    if (!str_starts_with(api_version, group))
        return error_new(ERROR_INVALID, "cannot convert what is of %.*s", STR_ARG(api_version));
    TRY(read_version(str_skip(api_version, group.len), ret_from));
    return read_version(to, ret_to);
}

static void set_version(struct json_edit *edit, enum version to)
{
    json_edit_set_str(edit, JSON_PLACE("apiVersion"),
                      to == V1BETA1 ? STR("addons.cluster.x-k8s.io/v1beta1")
                                    : STR("addons.cluster.x-k8s.io/v1beta2"));
}

/* Where each version keeps its conditions and those of the other version. */
static const struct {
    struct json_place old_place, new_place; /* deprecated conditions, and those of metav1 */
    struct json_place wrapper;              /* that holds the other version's */
} places[] = {
    [V1BETA1] = {{.path = "status.conditions"},
                 {.path = "status.v1beta2.conditions"},
                 {.path = "status.v1beta2"}   },
    [V1BETA2] = {{.path = "status.deprecated.v1beta1.conditions"},
                 {.path = "status.conditions"},
                 {.path = "status.deprecated"}},
};

/* NULL if the list is absent or null. */
static const struct json_value *list_at(const struct json_value *object, struct json_place place)
{
    const struct json_value *list = json_path(object, place.path);
    return json_type(list) > JSON_NULL ? list : NULL;
}

/* True if the status has members besides its conditions. */
static bool has_more(const struct json_value *status)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, status)
        if (!str_eq(key, STR("conditions")) && !str_eq(key, STR("v1beta2")) &&
            !str_eq(key, STR("deprecated")))
            return true;
    return false;
}

/* A status that would become empty is removed: v1beta2 refuses an empty one. */
static void move_conditions(const struct json_value *object, struct json_edit *edit,
                            enum version from, enum version to)
{
    const struct json_value *olds = list_at(object, places[from].old_place);
    const struct json_value *news = list_at(object, places[from].new_place);
    if (!olds && !news && !has_more(json_get(object, STR("status")))) {
        json_edit_remove(edit, JSON_PLACE("status"));
        return;
    }
    json_edit_remove(edit, JSON_PLACE("status.conditions"));
    json_edit_remove(edit, places[from].wrapper);
    if (olds)
        json_edit_set(edit, places[to].old_place, olds);
    if (news)
        json_edit_set(edit, places[to].new_place, news);
}

struct error *crs_convert_set(struct json_doc *doc, struct str to_version,
                              struct json_doc **ret_doc)
{
    const struct json_value *object = json_doc_root(doc);
    SCOPED(json_edit) edit = {0};
    enum version from = V1BETA1, to = V1BETA1;
    TRY(read_versions(object, to_version, &from, &to));
    if (from == to) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    json_edit_init(&edit, object);
    set_version(&edit, to);
    move_conditions(object, &edit, from, to);
    return json_edit_finish(&edit, ret_doc);
}

/* "applied" is required in v1beta2. A member that is null, such as a time, is left out. */
static void add_resource(struct json_builder *out, const struct json_value *resource)
{
    const struct json_value *value;
    bool has_applied = false;
    json_builder_object(out);
    JSON_FOREACH (key, value, resource) {
        if (json_type(value) == JSON_NULL)
            continue;
        has_applied = has_applied || str_eq(key, STR("applied"));
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
    if (!has_applied)
        json_builder_add_bool(out, "applied", false);
    json_builder_end(out);
}

static void add_resources(struct json_builder *out, const struct json_value *resources)
{
    const struct json_value *value;
    json_builder_array(out);
    JSON_FOREACH (key, value, resources) {
        if (json_type(value) == JSON_OBJECT)
            add_resource(out, value);
        else
            json_builder_value(out, value);
    }
    json_builder_end(out);
}

/* An entry is a pointer in v1beta1: null there is an empty entry in v1beta2, and back. */
static void add_entry(struct json_builder *out, const struct json_value *entry, enum version to)
{
    const struct json_value *value;
    if (to == V1BETA1 && json_type(entry) == JSON_OBJECT && json_count(entry) == 0) {
        json_builder_null(out);
        return;
    }
    json_builder_object(out);
    JSON_FOREACH (key, value, entry) {
        json_builder_key(out, key);
        if (str_eq(key, STR("resources")) && json_type(value) == JSON_ARRAY)
            add_resources(out, value);
        else
            json_builder_value(out, value);
    }
    json_builder_end(out);
}

static struct error *convert_entries(const struct json_value *entries, enum version to,
                                     struct json_doc **ret_doc)
{
    SCOPED(json_builder) out = {.limit = 0};
    const struct json_value *entry;
    json_builder_array(&out);
    JSON_FOREACH (key, entry, entries)
        add_entry(&out, entry, to);
    json_builder_end(&out);
    return json_builder_finish(&out, ret_doc);
}

/* A binding without entries needs nothing but its new version. */
struct error *crs_convert_binding(struct json_doc *doc, struct str to_version,
                                  struct json_doc **ret_doc)
{
    const struct json_value *object = json_doc_root(doc);
    const struct json_value *entries = json_path(object, "spec.bindings");
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) converted = NULL;
    enum version from = V1BETA1, to = V1BETA1;
    TRY(read_versions(object, to_version, &from, &to));
    if (from == to) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    json_edit_init(&edit, object);
    set_version(&edit, to);
    if (json_type(entries) == JSON_ARRAY) {
        TRY(convert_entries(entries, to, &converted));
        json_edit_set(&edit, JSON_PLACE("spec.bindings"), json_doc_root(converted));
    }
    return json_edit_finish(&edit, ret_doc);
}
