/*
 * Decorates managed objects and strips them for the wire.
 *
 * object_decoration_apply() adds, in this order: the class annotation, a warning for people, the
 * labels of the controller, the owner reference, the annotation of immutable Secrets, the same
 * labels and the versions of resources in pod templates, and the checksum annotations.
 */
#include "framework/object_decoration.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "json/builder.h"
#include "json/edit.h"
#include "json/merge_patch.h"
#include "json/path.h"

/* Limit of Kubernetes for the prefix of an annotation key. */
#define PREFIX_MAX 253

static struct str key_of(struct arena *arena, const struct object_decoration *decoration,
                         const char *name)
{
    return arena_print(arena, "%.*s/%s", STR_ARG(decoration->domain), name);
}

static struct str warning_of(struct arena *arena, const struct object_decoration *decoration)
{
    return arena_print(arena, "⚠️ This Resource is managed by *%.*s* ⚠️",
                       STR_ARG(decoration->controller));
}

/*
 * The rules of the garbage collector: one controller per object, and an owner with a namespace
 * owns only objects of that namespace.
 */
static struct error *check_owner(const struct object_decoration *decoration,
                                 const struct object *desired)
{
    struct owner_reference controller;
    if (object_find_controller(desired, &controller) &&
        !owner_reference_same_owner(controller, object_to_owner_reference(decoration->owner)))
        return error_new(ERROR_INVALID, "another controller owns it: %.*s %.*s",
                         STR_ARG(controller.kind), STR_ARG(controller.name));
    if (!decoration->owner_is_namespaced)
        return NULL;
    if (!decoration->object_is_namespaced)
        return error_new(ERROR_INVALID, "an owner in a namespace cannot own what is in none");
    if (!str_eq(object_namespace(desired), object_namespace(decoration->owner)))
        return error_new(ERROR_INVALID, "owner and object are in different namespaces");
    return NULL;
}

/*
 * The owner references of the object with ours. Ours replaces a reference of the same group, kind
 * and name; references of others stay in place.
 */
static struct error *owner_references(const struct object_decoration *decoration,
                                      const struct object *desired, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *value;
    struct owner_reference ours = object_to_owner_reference(decoration->owner);
    bool is_there = false;
    ours.controller = ours.block_owner_deletion = true;
    json_builder_array(&builder);
    JSON_FOREACH (key, value, object_owner_references(desired)) {
        if (!owner_reference_same_owner(owner_reference_from_value(value), ours)) {
            json_builder_value(&builder, value);
        } else if (!is_there) {
            is_there = true;
            owner_reference_build(ours, &builder);
        }
    }
    if (!is_there)
        owner_reference_build(ours, &builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* True for workloads whose Pods are made from spec.template. */
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
        buf_add_char(out, ascii_to_lower(text.ptr[i]));
}

/* Prefixes of annotation keys are lower case, but some kinds allow upper case letters in names. */
static bool is_subdomain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!ascii_is_lower(c) && !ascii_is_digit(c) && c != '-' && c != '.')
            return false;
    }
    return true;
}

/* "<name>.<namespace>.<kind>.<controller>.<domain>" */
static struct str resource_prefix(struct arena *arena, const struct object_decoration *decoration,
                                  const struct object *resource)
{
    SCOPED(buf) rest = {.limit = 0};
    buf_print(
        &rest, ".%.*s.",
        STR_ARG(object_namespace(resource).len ? object_namespace(resource) : STR("unknown")));
    add_lower(&rest, object_kind(resource));
    buf_print(&rest, ".%.*s.%.*s", STR_ARG(decoration->controller), STR_ARG(decoration->domain));
    struct str name = object_name(resource);
    if (name.len + rest.len > PREFIX_MAX || !is_subdomain(name))
        name = checksum_annotation_short_name(arena, name);
    return arena_print(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(buf_str(&rest)));
}

#define TEMPLATE_ANNOTATIONS "spec.template.metadata.annotations"
#define TEMPLATE_LABELS      "spec.template.metadata.labels"

/*
 * Pods change when their template changes: the uid and version of each resource make a workload
 * replace its Pods when a resource it uses was changed or replaced.
 */
static void decorate_template(struct arena *arena, const struct object_decoration *decoration,
                              struct json_edit *edit)
{
    json_edit_set_str(edit,
                      JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, key_of(arena, decoration, "warning")),
                      warning_of(arena, decoration));
    json_edit_set_str(
        edit, JSON_PLACE_KEY(TEMPLATE_LABELS, key_of(arena, decoration, "operator-controller")),
        decoration->controller);
    json_edit_set_str(
        edit, JSON_PLACE_KEY(TEMPLATE_LABELS, key_of(arena, decoration, "operator-version")),
        decoration->version);
    for (size_t i = 0; i < decoration->resource_count; i++) {
        const struct object *resource = decoration->resources[i];
        const struct str prefix = resource_prefix(arena, decoration, resource);
        const struct str uuid = arena_print(arena, "%.*s/uuid", STR_ARG(prefix));
        const struct str version = arena_print(arena, "%.*s/version", STR_ARG(prefix));
        json_edit_set_str(edit, JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, uuid), object_uid(resource));
        json_edit_set_str(edit, JSON_PLACE_KEY(TEMPLATE_ANNOTATIONS, version),
                          object_resource_version(resource));
    }
}

/* The API server refuses changes of such a Secret, so node.c must not try. */
static bool is_immutable_secret(const struct object *object)
{
    bool immutable = false;
    const struct gvk gvk = object_gvk(object);
    return gvk.group.len == 0 && str_eq(gvk.kind, STR("Secret")) &&
           json_to_bool(object_path(object, "immutable"), &immutable) && immutable;
}

struct error *object_decoration_apply(struct arena *arena,
                                      const struct object_decoration *decoration,
                                      const struct object *desired, struct object **ret_object)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) owners = NULL;
    OWNED(json_doc) doc = NULL;
    TRY(check_owner(decoration, desired));
    TRY(owner_references(decoration, desired, &owners));
    json_edit_init(&edit, object_root(desired));
    if (decoration->class_name.len)
        json_edit_set_str(
            &edit, JSON_PLACE_KEY("metadata.annotations", key_of(arena, decoration, "class")),
            decoration->class_name);
    json_edit_set_str(&edit,
                      JSON_PLACE_KEY("metadata.annotations", key_of(arena, decoration, "warning")),
                      warning_of(arena, decoration));
    json_edit_set_str(
        &edit, JSON_PLACE_KEY("metadata.labels", key_of(arena, decoration, "operator-controller")),
        decoration->controller);
    json_edit_set_str(
        &edit, JSON_PLACE_KEY("metadata.labels", key_of(arena, decoration, "operator-version")),
        decoration->version);
    json_edit_set(&edit, JSON_PLACE("metadata.ownerReferences"), json_doc_root(owners));
    if (is_immutable_secret(desired))
        json_edit_set_str(
            &edit, JSON_PLACE_KEY("metadata.annotations", key_of(arena, decoration, "immutable")),
            STR("true"));
    if (has_template(desired))
        decorate_template(arena, decoration, &edit);
    if (decoration->annotations)
        checksum_annotation_write(arena, decoration->annotations, desired, &edit);
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

struct error *object_decoration_for_wire(const struct object *object, struct object **ret_object)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) full = NULL;
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
    TRY(merge_patch_apply(NULL, json_doc_root(doc), &full)); /* a merge leaves no nulls */
    return object_from_doc(full, ret_object);
}
