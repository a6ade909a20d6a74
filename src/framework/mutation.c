#include "framework/mutation.h"

#include "base/buf.h"
#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"

#define PREFIX_MAX 253

static struct str key_of(struct arena *arena, const struct mutation *mutation, const char *name)
{
    return arena_print(arena, "%.*s/%s", STR_ARG(mutation->domain), name);
}

static struct str warning_of(struct arena *arena, const struct mutation *mutation)
{
    return arena_print(arena, "⚠️ This Resource is managed by *%.*s* ⚠️",
                       STR_ARG(mutation->controller));
}

static bool is_same_owner(const struct mutation *mutation, const struct json_value *reference)
{
    struct gvk gvk;
    const struct gvk owner = object_gvk(mutation->owner);
    OWNED(error)
    malformed = gvk_from_api_version(json_path_str(reference, "apiVersion"),
                                     json_path_str(reference, "kind"), &gvk);
    return !malformed && str_eq(gvk.group, owner.group) && str_eq(gvk.kind, owner.kind) &&
           str_eq(json_path_str(reference, "name"), object_name(mutation->owner));
}

static struct error *check_owner(const struct mutation *mutation, const struct object *desired)
{
    const struct json_value *reference;
    JSON_FOREACH (key, reference, object_owner_references(desired)) {
        bool controller = false;
        (void)json_to_bool(json_get(reference, STR("controller")), &controller);
        if (controller && !is_same_owner(mutation, reference))
            return error_new(ERROR_INVALID, "another controller owns it: %.*s %.*s",
                             STR_ARG(json_path_str(reference, "kind")),
                             STR_ARG(json_path_str(reference, "name")));
    }
    if (!mutation->owner_is_namespaced)
        return NULL;
    if (object_namespace(desired).len == 0)
        return error_new(ERROR_INVALID, "an owner in a namespace cannot own what has none");
    if (!str_eq(object_namespace(desired), object_namespace(mutation->owner)))
        return error_new(ERROR_INVALID, "owner and object are in different namespaces");
    return NULL;
}

static struct error *owner_references(const struct mutation *mutation, const struct object *desired,
                                      struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *reference;
    json_builder_array(&builder);
    JSON_FOREACH (key, reference, object_owner_references(desired))
        if (!is_same_owner(mutation, reference))
            json_builder_value(&builder, reference);
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", object_api_version(mutation->owner));
    json_builder_add_str(&builder, "kind", object_kind(mutation->owner));
    json_builder_add_str(&builder, "name", object_name(mutation->owner));
    json_builder_add_str(&builder, "uid", object_uid(mutation->owner));
    json_builder_add_bool(&builder, "controller", true);
    json_builder_add_bool(&builder, "blockOwnerDeletion", true);
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

static bool has_template(const struct object *object)
{
    static const struct str kinds[] = {STR_INIT("Deployment"), STR_INIT("StatefulSet"),
                                       STR_INIT("DaemonSet")};
    const struct gvk gvk = object_gvk(object);
    for (size_t i = 0; str_eq(gvk.group, STR("apps")) && i < COUNT(kinds); i++)
        if (str_eq(gvk.kind, kinds[i]))
            return true;
    return false;
}

static void add_lower(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_add_char(out, text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] - 'A' + 'a')
                                                                   : text.ptr[i]);
}

/* "<name>.<namespace>.<kind>.<controller>.<domain>" */
static struct str resource_prefix(struct arena *arena, const struct mutation *mutation,
                                  const struct object *resource)
{
    SCOPED(buf) rest = {.limit = 0};
    buf_print(
        &rest, ".%.*s.",
        STR_ARG(object_namespace(resource).len ? object_namespace(resource) : STR("unknown")));
    add_lower(&rest, object_kind(resource));
    buf_print(&rest, ".%.*s.%.*s", STR_ARG(mutation->controller), STR_ARG(mutation->domain));
    struct str name = object_name(resource);
    if (name.len + rest.len > PREFIX_MAX)
        name = marker_fit_name(arena, name);
    return arena_print(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(buf_str(&rest)));
}

#define TEMPLATE_ANNOTATIONS "spec.template.metadata.annotations"
#define TEMPLATE_LABELS      "spec.template.metadata.labels"

static void mutate_template(struct arena *arena, const struct mutation *mutation,
                            struct json_edit *edit)
{
    json_edit_set_str(edit,
                      JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, key_of(arena, mutation, "warning")),
                      warning_of(arena, mutation));
    json_edit_set_str(
        edit, JSON_PLACE_KEY(TEMPLATE_LABELS, key_of(arena, mutation, "operator-controller")),
        mutation->controller);
    json_edit_set_str(edit,
                      JSON_PLACE_KEY(TEMPLATE_LABELS, key_of(arena, mutation, "operator-version")),
                      mutation->version);
    for (size_t i = 0; i < mutation->resource_count; i++) {
        const struct object *resource = mutation->resources[i];
        const struct str prefix = resource_prefix(arena, mutation, resource);
        const struct str uuid = arena_print(arena, "%.*s/uuid", STR_ARG(prefix));
        const struct str version = arena_print(arena, "%.*s/version", STR_ARG(prefix));
        json_edit_set_str(edit, JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, uuid), object_uid(resource));
        json_edit_set_str(edit, JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, version),
                          object_resource_version(resource));
    }
}

static bool is_immutable_secret(const struct object *object)
{
    bool immutable = false;
    const struct gvk gvk = object_gvk(object);
    return gvk.group.len == 0 && str_eq(gvk.kind, STR("Secret")) &&
           json_to_bool(object_path(object, "immutable"), &immutable) && immutable;
}

struct error *mutation_apply(struct arena *arena, const struct mutation *mutation,
                             const struct object *desired, struct object **ret_object)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) owners = NULL;
    OWNED(json_doc) doc = NULL;
    TRY(check_owner(mutation, desired));
    TRY(owner_references(mutation, desired, &owners));
    json_edit_init(&edit, object_root(desired));
    if (mutation->class_name.len)
        json_edit_set_str(&edit,
                          JSON_PLACE_KEY("metadata.annotations", key_of(arena, mutation, "class")),
                          mutation->class_name);
    json_edit_set_str(&edit,
                      JSON_PLACE_KEY("metadata.annotations", key_of(arena, mutation, "warning")),
                      warning_of(arena, mutation));
    json_edit_set_str(
        &edit, JSON_PLACE_KEY("metadata.labels", key_of(arena, mutation, "operator-controller")),
        mutation->controller);
    json_edit_set_str(
        &edit, JSON_PLACE_KEY("metadata.labels", key_of(arena, mutation, "operator-version")),
        mutation->version);
    json_edit_set(&edit, JSON_PLACE("metadata.ownerReferences"), json_doc_root(owners));
    if (is_immutable_secret(desired))
        json_edit_set_str(
            &edit, JSON_PLACE_KEY("metadata.annotations", key_of(arena, mutation, "immutable")),
            STR("true"));
    if (has_template(desired))
        mutate_template(arena, mutation, &edit);
    if (mutation->markers)
        marker_write(arena, mutation->markers, desired, &edit);
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

struct error *mutation_for_wire(const struct object *object, struct object **ret_object)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) doc = NULL;
    json_edit_init(&edit, object_root(object));
    json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    json_edit_remove(&edit, JSON_PLACE("metadata.resourceVersion"));
    json_edit_remove(&edit, JSON_PLACE("metadata.uid"));
    json_edit_remove(&edit, JSON_PLACE("metadata.generation"));
    json_edit_remove(&edit, JSON_PLACE("metadata.creationTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.selfLink"));
    json_edit_remove(&edit, JSON_PLACE("status"));
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}
