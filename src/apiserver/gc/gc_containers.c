/*
 * Namespaces and CustomResourceDefinitions that are being deleted: their content is deleted first.
 *
 * Deleting an object may leave it waiting for finalizers. Such objects are counted (struct rest),
 * and the container waits. gc.c queues the container again whenever an object in it is gone.
 * Conditions of a namespace tell what it is waiting for, in the words of the namespace controller.
 * They name NAMED_MAX finalizers and resources; those of the others are counted together.
 */
#include "apiserver/api.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/handle_delete.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/gc/gc_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"

#define SLICE     100
#define NAMED_MAX 50

/* How many objects have each name. */
struct tally {
    struct map named; /* name -> how many; the first NAMED_MAX names */
    size_t others;    /* objects that have other names */
};

/* What is left of a container after an attempt to empty it. */
struct rest {
    size_t objects;
    struct tally finalizers, resources;
};

static void rest_done(struct rest *rest)
{
    map_done(&rest->finalizers.named);
    map_done(&rest->resources.named);
}

/* The counter is kept in place of the map's pointer. False if there is no room for the name. */
static bool count_named(struct tally *tally, struct str name)
{
    const struct map_entry *entry = map_find_entry(&tally->named, name);
    const size_t before = entry ? (size_t)entry->value : 0;
    if (!entry && map_count(&tally->named) >= NAMED_MAX)
        return false;
    map_put(&tally->named, name, (void *)(before + 1)); /* NOLINT: a number, no address */
    return true;
}

static void count_object(struct rest *rest, struct str resource, const struct json_value *object)
{
    const struct json_value *finalizer;
    bool are_named = true;
    rest->objects++;
    rest->resources.others += !count_named(&rest->resources, resource);
    JSON_FOREACH (ignored, finalizer, json_path(object, "metadata.finalizers"))
        are_named = count_named(&rest->finalizers, json_to_str(finalizer)) && are_named;
    rest->finalizers.others += !are_named;
}

/* Keys are copied out of a scan, because deleting changes the store. */
struct batch {
    struct arena arena;
    struct key keys[SLICE];
    size_t count;
};

static bool take_key(void *data, struct key key, struct object_text *text)
{
    struct batch *batch = data;
    (void)text;
    batch->keys[batch->count++] =
        (struct key){arena_str(&batch->arena, key.namespace), arena_str(&batch->arena, key.name)};
    return batch->count < SLICE;
}

/* Deletes one object and counts it if something holds it. */
static struct error *remove_one(struct gc *gc, const struct kind *kind, struct key key,
                                struct rest *rest)
{
    SCOPED(delete_result) result = {0};
    const struct delete_options options = {.propagation = PROPAGATION_UNSET};
    struct error *err = gc_delete(gc, kind, key, options, &result);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    if (!result.is_gone)
        count_object(rest, kind->stored_as, json_doc_root(result.object));
    return fiber_yield_in_time(); /* nothing was written if it was being deleted already */
}

/* Deletes all objects of a kind, in one namespace or in all. Objects that are held are counted. */
static struct error *empty_resource(struct gc *gc, const struct kind *kind, struct str namespace,
                                    struct rest *rest)
{
    OWNED_PTR struct batch *batch = NEW(struct batch);
    struct store_range range = {.resource = kind->stored_as, .namespace = namespace};
    struct store_page page;
    struct error *err = NULL;
    do {
        batch->count = 0;
        err = store_scan(gc->api->store, &range, take_key, batch, &page);
        for (size_t i = 0; i < batch->count && !err; i++)
            err = remove_one(gc, kind, batch->keys[i], rest);
        if (!err && batch->count)
            range.after = batch->keys[batch->count - 1];
        if (!err)
            err = fiber_yield();
    } while (!err && page.has_more);
    arena_done(&batch->arena);
    return err;
}

/* Deletes the objects of all namespaced kinds in a namespace. */
static struct error *empty_all(struct gc *gc, struct str namespace, struct rest *rest)
{
    SCOPED(arena) arena = {0};
    struct str last = {0};
    const struct kind_list kinds = api_kinds(gc->api, &arena);
    for (size_t i = 0; i < kinds.count; i++) {
        const struct kind *kind = kinds.items[i];
        if (!kind->namespaced || !(kind->verbs & KIND_DELETE) || str_eq(kind->stored_as, last))
            continue;
        last = kind->stored_as;
        TRY(empty_resource(gc, kind, namespace, rest));
    }
    return NULL;
}

struct report {
    const struct rest *rest;
    timestamp now;
};

/* One condition of a namespace. */
struct statement {
    const char *type;
    bool is_true;
    const char *reason;
    struct str message;
};

/* lastTransitionTime is kept while the status of the condition stays the same. */
static void add_condition(struct json_builder *builder, const struct json_value *old,
                          const struct statement *statement, timestamp now)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct str type = str_from_c(statement->type);
    const struct str status = statement->is_true ? STR("True") : STR("False");
    const struct json_value *condition, *same = NULL;
    JSON_FOREACH (key, condition, json_path(old, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), type) &&
            str_eq(json_path_str(condition, "status"), status))
            same = condition;
    json_builder_object(builder);
    json_builder_add_str(builder, "type", type);
    json_builder_add_str(builder, "status", status);
    json_builder_add_str(builder, "lastTransitionTime",
                         same ? json_path_str(same, "lastTransitionTime")
                              : timestamp_write(now, text));
    json_builder_add_str(builder, "reason", str_from_c(statement->reason));
    json_builder_add_str(builder, "message", statement->message);
    json_builder_end(builder);
}

/*
 * "<name> has <n> resource instances, ...", as the namespace controller writes it. What comes last,
 * about others, is our own.
 */
static void list_counts(struct buf *out, const char *prefix, const struct tally *tally,
                        const char *format, const char *others)
{
    buf_add(out, str_from_c(prefix));
    bool first = true;
    MAP_FOREACH (entry, &tally->named) {
        buf_print(out, "%s%.*s", first ? "" : ", ", STR_ARG(map_key(entry)));
        buf_print(out, " %s %zu resource instances", format, (size_t)entry->value);
        first = false;
    }
    if (tally->others)
        buf_print(out, ", %s %zu resource instances", others, tally->others);
}

/* The gc_edit_fn that writes the conditions of a namespace. */
static struct error *say_what_remains(void *data, const struct json_value *object,
                                      struct json_doc **ret_doc)
{
    const struct report *report = data;
    const struct rest *rest = report->rest;
    SCOPED(json_builder) builder = {0};
    SCOPED(buf) content = {.limit = 0};
    SCOPED(buf) held = {.limit = 0};
    OWNED(json_doc) conditions = NULL;
    SCOPED(json_edit) edit = {0};
    const bool remains = rest->objects > 0;
    const bool waits = map_count(&rest->finalizers.named) > 0;
    if (!metadata_is_deleting(object))
        return NULL;
    list_counts(&content, "Some resources are remaining: ", &rest->resources, "has",
                "other resources have");
    list_counts(&held,
                "Some content in the namespace has finalizers remaining: ", &rest->finalizers, "in",
                "other finalizers in");
    const char *content_reason = remains ? "SomeResourcesRemain" : "ContentRemoved";
    const char *held_reason = waits ? "SomeFinalizersRemain" : "ContentHasNoFinalizers";
    const struct statement statements[] = {
        {"NamespaceDeletionDiscoveryFailure",           false,   "ResourcesDiscovered",
         STR("All resources successfully discovered")                              },
        {"NamespaceDeletionGroupVersionParsingFailure", false,   "ParsedGroupVersions",
         STR("All legacy kube types successfully parsed")                          },
        {"NamespaceDeletionContentFailure",             false,   "ContentDeleted",
         STR("All content successfully deleted, may be waiting on finalization")   },
        {"NamespaceContentRemaining",                   remains, content_reason,
         remains ? buf_str(&content) : STR("All content successfully removed")     },
        {"NamespaceFinalizersRemaining",                waits,   held_reason,
         waits ? buf_str(&held) : STR("All content-preserving finalizers finished")},
    };
    json_builder_array(&builder);
    for (size_t i = 0; i < COUNT(statements); i++)
        add_condition(&builder, object, &statements[i], report->now);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &conditions));
    json_edit_init(&edit, object);
    json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(conditions));
    return json_edit_finish(&edit, ret_doc);
}

/* The gc_edit_fn that removes "kubernetes" from spec.finalizers; the namespace is then deleted. */
static struct error *finalize_namespace(void *data, const struct json_value *object,
                                        struct json_doc **ret_doc)
{
    const struct json_value *item;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) left = NULL;
    SCOPED(json_edit) edit = {0};
    (void)data;
    if (!metadata_is_deleting(object))
        return NULL;
    json_builder_array(&builder);
    JSON_FOREACH (key, item, json_path(object, "spec.finalizers"))
        if (!str_eq(json_to_str(item), STR("kubernetes")))
            json_builder_value(&builder, item);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &left));
    json_edit_init(&edit, object);
    json_edit_set_unless_empty(&edit, JSON_PLACE("spec.finalizers"), json_doc_root(left));
    return json_edit_finish(&edit, ret_doc);
}

/*
 * The conditions are written between two attempts to empty the namespace. Objects whose creation
 * was admitted before deletion began were accepted by the store before that write, so they are
 * visible when it returns, and the second attempt finds them. Later creations are refused by
 * admission.
 */
struct error *gc_empty_namespace(struct gc *gc, struct str name)
{
    const struct kind *kind = kinds_find(GVR("", "v1", "namespaces"));
    const struct store_id id = {STR("namespaces"), {.name = name}};
    SCOPED(rest) first = {0};
    SCOPED(rest) rest = {0};
    SCOPED(store_object) found = {0};
    OWNED(object) namespace = NULL;
    struct error *err = store_get(gc->api->store, id, &found);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    TRY(object_text_read(found.text, &namespace));
    if (!object_is_deleting(namespace))
        return NULL;
    map_put(&gc->going, name, NULL);
    TRY(empty_all(gc, name, &first));
    struct report report = {&first, loop_wall(gc->api->loop)};
    TRY(gc_change(gc, kind, id, say_what_remains, &report));
    TRY(empty_all(gc, name, &rest));
    return rest.objects ? NULL : gc_change(gc, kind, id, finalize_namespace, NULL);
}

/* Admission refuses new objects once is_terminating is set, so one attempt finds everything. */
struct error *gc_empty_definition(struct gc *gc, struct str name)
{
    SCOPED(arena) arena = {0};
    SCOPED(rest) rest = {0};
    const struct store_id id = {CRD_RESOURCE, {.name = name}};
    const struct api_definition *definition = map_find(&gc->api->definitions, name);
    const struct kind *kind = gc_kind(gc, &arena, name);
    const struct kind *definitions =
        kinds_find(GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions"));
    if (!definition || !definition->is_terminating)
        return NULL;
    if (kind)
        TRY(empty_resource(gc, kind, (struct str){0}, &rest));
    return rest.objects ? NULL : gc_release(gc, definitions, id, CRD_FINALIZER);
}
