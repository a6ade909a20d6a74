/*
 * Objects of a fake server. Every write ends in store_object(), which fills in what a server fills
 * in, finds out whether anything has changed, and keeps the event. Deletions end in drop_object().
 *
 * An apply is a merge patch with the applied object in which the members that the same manager has
 * applied before, and does not any more, are null: see write_apply(). That is what server-side
 * apply does to an object whose lists are atomic and whose fields have one manager each.
 */
#include "libcorset/fake_store.h"

#include "apimachinery/object_edit.h"
#include "apimachinery/status.h"
#include "apimachinery/wellknown.h"
#include "base/array.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/json_patch.h"
#include "json/merge_patch.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "libcorset/fake_kinds.h"

static void release_object(void *value)
{
    object_free(value);
}

static void release_doc(void *value)
{
    json_doc_free(value);
}

static void release_event(struct fake_event *event)
{
    object_free(event->old);
    object_free(event->now);
}

void fake_store_done(struct fake_store *store)
{
    store->objects.release = release_object;
    store->applied.release = release_doc;
    tree_done(&store->objects);
    map_done(&store->applied);
    for (size_t i = 0; i < store->event_count; i++)
        release_event(&store->events[i]);
    mem_free(store->events);
    mem_free(store->custom);
    arena_done(&store->texts);
}

static struct gvr gvr_of(const struct fake_place *place)
{
    return (struct gvr){place->kind->group, place->kind->version, place->kind->resource};
}

static struct str key_of(struct arena *arena, const struct fake_place *place)
{
    return ARENA_JOIN(arena, place->kind->group, STR("/"), place->kind->resource, STR("/"),
                      place->key.namespace, STR("/"), place->key.name);
}

struct object *fake_store_find(const struct fake_store *store, const struct fake_place *place)
{
    SCOPED(arena) arena = {0};
    return tree_find(&store->objects, key_of(&arena, place));
}

static struct error *get_object(const struct fake_store *store, const struct fake_place *place,
                                struct object **ret_object)
{
    *ret_object = fake_store_find(store, place);
    return *ret_object ? NULL : status_not_found(gvr_of(place), place->key.name);
}

static bool is_crd(const struct fake_kind *kind)
{
    return str_eq(kind->group, GVR_CRDS.group) && str_eq(kind->resource, GVR_CRDS.resource);
}

/* Keeps an event, wakes watches, and reads the kinds again if one of them changed. */
static void note_event(struct fake_store *store, const struct fake_kind *kind, struct object *old,
                       struct object *now)
{
    const struct fake_event event = {
        .version = store->version,
        .resource = fake_kind_path(&store->texts, kind),
        .old = old ? object_ref(old) : NULL,
        .now = now ? object_ref(now) : NULL,
    };
    ARRAY_PUSH(store->events, store->event_count, store->event_capacity, event);
    event_wake_all(&store->changed);
    if (is_crd(kind))
        fake_kinds_read(store);
}

/* The object with another resourceVersion. */
static struct error *with_version(struct fake_store *store, const struct object *object,
                                  struct object **ret_object)
{
    char digits[STR_NUMBER_MAX];
    SCOPED(object_edit) edit;
    object_edit_init(&edit, object);
    json_edit_set_str(&edit.json, JSON_PLACE("metadata.resourceVersion"),
                      str_number((uint64_t)++store->version, digits));
    return object_edit_finish(&edit, ret_object);
}

/* Forgets an object and what was applied to it. The event has a version of its own. */
static struct error *drop_object(struct fake_store *store, const struct fake_place *place,
                                 const struct object *object)
{
    SCOPED(arena) arena = {0};
    OWNED(object) last = NULL;
    const struct str key = key_of(&arena, place);
    const struct str prefix = ARENA_JOIN(&arena, key, STR("\n"));
    TRY(with_version(store, object, &last));
    MAP_FOREACH (entry, &store->applied)
        if (str_starts_with(map_key(entry), prefix))
            json_doc_free(map_take(&store->applied, map_key(entry)));
    object_free(tree_take(&store->objects, key));
    note_event(store, place->kind, last, NULL);
    return NULL;
}

/* True if the two differ outside of metadata and status. */
static bool is_spec_changed(const struct object *before, const struct object *after)
{
    static const struct str ignored[] = {STR_INIT("metadata"), STR_INIT("status"),
                                         STR_INIT("apiVersion")};
    const struct object *sides[] = {before, after};
    for (size_t side = 0; side < 2; side++) {
        const struct json_value *value;
        JSON_FOREACH (key, value, object_root(sides[side])) {
            bool is_ignored = false;
            for (size_t i = 0; i < COUNT(ignored); i++)
                is_ignored |= str_eq(key, ignored[i]);
            if (!is_ignored && !json_equal(value, json_get(object_root(sides[1 - side]), key)))
                return true;
        }
    }
    return false;
}

/* Who writes: the author of a test may set everything, a request may not. */
enum writer {
    WRITER_AUTHOR,
    WRITER_REQUEST,
};

/* What a server sets itself. before is NULL for a new object. */
static void set_identity(struct fake_store *store, struct json_edit *edit,
                         const struct object *before, const struct object *after,
                         enum writer writer)
{
    char text[TIMESTAMP_TEXT_MAX];
    SCOPED(arena) arena = {0};
    timestamp created;
    const bool is_kept = writer == WRITER_AUTHOR;
    if (before)
        json_edit_set_str(edit, JSON_PLACE("metadata.uid"), object_uid(before));
    else if (!is_kept || !object_uid(after).len)
        json_edit_set_str(
            edit, JSON_PLACE("metadata.uid"),
            arena_print(&arena, "00000000-0000-4000-8000-%012llx",
                        (unsigned long long)++store->names)); /* the form of a random UUID */
    if (before)
        json_edit_set(edit, JSON_PLACE("metadata.creationTimestamp"),
                      object_path(before, "metadata.creationTimestamp"));
    else if (!is_kept || !object_creation_timestamp(after, &created))
        json_edit_set_str(edit, JSON_PLACE("metadata.creationTimestamp"),
                          timestamp_write(timestamp_now(), text));
}

/*
 * The generation counts the changes outside of metadata and status. An author may set it: to
 * another one than the object has, because that of an object which was read and changed means
 * nothing.
 */
static void set_generation(struct json_edit *edit, const struct object *before,
                           const struct object *after, enum writer writer)
{
    const int64_t given = object_generation(after);
    const int64_t known = before ? object_generation(before) : 0;
    if (writer == WRITER_AUTHOR && given && given != known)
        return;
    json_edit_set_int(edit, JSON_PLACE("metadata.generation"),
                      before ? known + is_spec_changed(before, after) : 1);
}

/*
 * A request writes either the status or everything else, if the kind has the subresource. It can
 * neither begin nor end a deletion.
 */
static void set_sides(struct json_edit *edit, const struct fake_place *place,
                      const struct object *before)
{
    const struct json_value *status = before ? object_status(before) : NULL;
    const struct json_value *deletion =
        before ? object_path(before, "metadata.deletionTimestamp") : NULL;
    if (deletion)
        json_edit_set(edit, JSON_PLACE("metadata.deletionTimestamp"), deletion);
    else
        json_edit_remove(edit, JSON_PLACE("metadata.deletionTimestamp"));
    if (!place->kind->has_status || place->is_status)
        return;
    if (status)
        json_edit_set(edit, JSON_PLACE("status"), status);
    else
        json_edit_remove(edit, JSON_PLACE("status"));
}

static void set_place(struct json_edit *edit, const struct fake_place *place)
{
    json_edit_set_str(edit, JSON_PLACE("metadata.name"), place->key.name);
    if (place->key.namespace.len)
        json_edit_set_str(edit, JSON_PLACE("metadata.namespace"), place->key.namespace);
    else
        json_edit_remove(edit, JSON_PLACE("metadata.namespace"));
    json_edit_remove(edit, JSON_PLACE("metadata.managedFields"));
}

static struct error *fill_object(struct fake_store *store, const struct fake_place *place,
                                 const struct object *before, const struct object *after,
                                 enum writer writer, struct object **ret_object)
{
    SCOPED(json_edit) edit;
    OWNED(json_doc) doc = NULL;
    json_edit_init(&edit, object_root(after));
    set_place(&edit, place);
    set_identity(store, &edit, before, after, writer);
    set_generation(&edit, before, after, writer);
    if (writer == WRITER_REQUEST)
        set_sides(&edit, place, before);
    json_edit_set_str(&edit, JSON_PLACE("metadata.resourceVersion"),
                      before ? object_resource_version(before) : STR(""));
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

/*
 * Keeps an object. The last finalizer that goes from an object that is being deleted takes the
 * object along.
 */
static struct error *store_object(struct fake_store *store, const struct fake_place *place,
                                  const struct object *after, enum writer writer,
                                  struct object **ret_object)
{
    SCOPED(arena) arena = {0};
    OWNED(object) filled = NULL;
    OWNED(object) written = NULL;
    OWNED(object) replaced = NULL;
    const struct object *before = fake_store_find(store, place);
    TRY(fill_object(store, place, before, after, writer, &filled));
    const bool is_done = object_is_deleting(filled) && json_count(object_finalizers(filled)) == 0;
    if (before && is_done && writer == WRITER_REQUEST) {
        TRY(drop_object(store, place, filled));
        *ret_object = TAKE(filled);
        return NULL;
    }
    if (before && json_equal(object_root(before), object_root(filled))) {
        *ret_object = object_ref((struct object *)before);
        return NULL;
    }
    TRY(with_version(store, filled, &written));
    replaced = tree_put(&store->objects, key_of(&arena, place), object_ref(written));
    note_event(store, place->kind, replaced, written);
    *ret_object = TAKE(written);
    return NULL;
}

/* An object is written where its kind belongs: in a namespace, or in none. */
static struct error *check_place(const struct fake_place *place)
{
    if (!place->key.name.len)
        return status_bad_request("%.*s: metadata.name is required", STR_ARG(place->kind->kind));
    if (place->kind->is_namespaced == (place->key.namespace.len > 0))
        return NULL;
    return status_bad_request("%.*s %.*s %s", STR_ARG(place->kind->kind), STR_ARG(place->key.name),
                              place->kind->is_namespaced
                                  ? "has no namespace, and its kind needs one"
                                  : "has a namespace, and its kind has none");
}

struct error *fake_store_put(struct fake_store *store, const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    const struct fake_place place = {.kind = fake_store_find_kind(store, gvk),
                                     .key = object_key(object)};
    OWNED(object) kept = NULL;
    if (!place.kind)
        return error_new(ERROR_NOT_FOUND,
                         "the fake does not serve kind %.*s of %.*s: put its "
                         "CustomResourceDefinition first",
                         STR_ARG(gvk.kind), STR_ARG(object_api_version(object)));
    TRY(check_place(&place));
    return store_object(store, &place, object, WRITER_AUTHOR, &kept);
}

/* The body of a request says the kind and the name that its path says, if it says any. */
static struct error *check_body(const struct fake_place *place, const struct object *object)
{
    const struct gvk gvk = object_gvk(object);
    if (!str_eq(gvk.group, place->kind->group) || !str_eq(gvk.kind, place->kind->kind))
        return status_bad_request("the object is a %.*s of %.*s, and the path is of %.*s",
                                  STR_ARG(gvk.kind), STR_ARG(object_api_version(object)),
                                  STR_ARG(place->kind->resource));
    if (!str_eq(object_name(object), place->key.name))
        return status_bad_request("the name of the object (%.*s) is not that of the path (%.*s)",
                                  STR_ARG(object_name(object)), STR_ARG(place->key.name));
    return check_place(place);
}

/* A request that names a resourceVersion or uid is for the object that has it. */
static struct error *check_identity(const struct fake_place *place, const struct object *before,
                                    struct str uid, struct str version)
{
    if (uid.len && !str_eq(uid, object_uid(before)))
        return status_conflict(gvr_of(place), place->key.name,
                               STR("Precondition failed: the object has another uid"));
    if (version.len && !str_eq(version, object_resource_version(before)))
        return status_conflict_modified(gvr_of(place), place->key.name);
    return NULL;
}

struct error *fake_store_create(struct fake_store *store, const struct fake_place *place,
                                const struct object *object, struct object **ret_object)
{
    SCOPED(arena) arena = {0};
    struct fake_place own = *place;
    OWNED(object) named = NULL;
    own.key.name = object_name(object);
    if (!own.key.name.len && object_generate_name(object).len) {
        SCOPED(object_edit) edit;
        own.key.name = arena_print(&arena, "%.*s%05llu", STR_ARG(object_generate_name(object)),
                                   (unsigned long long)++store->names);
        object_edit_init(&edit, object);
        json_edit_set_str(&edit.json, JSON_PLACE("metadata.name"), own.key.name);
        TRY(object_edit_finish(&edit, &named));
        object = named;
    }
    TRY(check_body(&own, object));
    if (object_resource_version(object).len)
        return status_bad_request("resourceVersion should not be set on objects to be created");
    if (fake_store_find(store, &own))
        return status_already_exists(gvr_of(&own), own.key.name);
    return store_object(store, &own, object, WRITER_REQUEST, ret_object);
}

/* Of the object in a request for the status, only the status counts. */
static struct error *take_status(const struct object *before, const struct object *after,
                                 struct object **ret_object)
{
    SCOPED(object_edit) edit;
    object_edit_init(&edit, before);
    if (object_status(after))
        json_edit_set(&edit.json, JSON_PLACE("status"), object_status(after));
    else
        json_edit_remove(&edit.json, JSON_PLACE("status"));
    return object_edit_finish(&edit, ret_object);
}

struct error *fake_store_update(struct fake_store *store, const struct fake_place *place,
                                const struct object *object, struct object **ret_object)
{
    struct object *before;
    OWNED(object) mixed = NULL;
    TRY(get_object(store, place, &before));
    TRY(check_body(place, object));
    TRY(check_identity(place, before, object_uid(object), object_resource_version(object)));
    if (place->is_status)
        TRY(take_status(before, object, &mixed));
    return store_object(store, place, mixed ? mixed : object, WRITER_REQUEST, ret_object);
}

/* Members below this depth are replaced as a whole, because stacks are small. */
#define APPLY_DEPTH_MAX 32

/* An object that is applied now, over the one that the same manager applied before. */
static void write_apply(struct json_builder *builder, const struct json_value *last,
                        const struct json_value *now, size_t depth)
{
    const struct json_value *value;
    json_builder_object(builder);
    JSON_FOREACH (key, value, now) {
        json_builder_key(builder, key);
        if (json_type(value) == JSON_OBJECT && json_type(json_get(last, key)) == JSON_OBJECT &&
            depth < APPLY_DEPTH_MAX)
            write_apply(builder, json_get(last, key), value, depth + 1);
        else
            json_builder_value(builder, value);
    }
    JSON_FOREACH (gone, value, last)
        if (!json_get(now, gone)) {
            json_builder_key(builder, gone);
            json_builder_null(builder);
        }
    json_builder_end(builder);
}

static struct str applied_name(struct arena *arena, const struct fake_place *place,
                               const struct fake_patch *patch)
{
    return ARENA_JOIN(arena, key_of(arena, place), STR("\n"), patch->manager,
                      place->is_status ? STR("/status") : STR(""));
}

/* before is NULL if the object does not exist yet. *ret_applied is to be remembered. */
static struct error *apply_text(struct fake_store *store, const struct fake_place *place,
                                const struct fake_patch *patch, struct json_doc **ret_applied,
                                struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) merge = NULL;
    OWNED(object) applied = NULL;
    const struct object *before = fake_store_find(store, place);
    const struct json_doc *last = map_find(&store->applied, applied_name(&arena, place, patch));
    if (!patch->manager.len)
        return status_bad_request("fieldManager is required for apply patch");
    TRY(manifest_read_one(patch->text, NULL, ret_applied, NULL));
    TRY(object_from_doc(*ret_applied, &applied));
    TRY(check_body(place, applied));
    write_apply(&builder, last ? json_doc_root(last) : NULL, object_root(applied), 0);
    TRY(json_builder_finish(&builder, &merge));
    return merge_patch_apply(before ? object_root(before) : NULL, json_doc_root(merge), ret_doc);
}

static struct error *patch_text(const struct object *before, const struct fake_patch *patch,
                                struct json_doc **ret_doc)
{
    OWNED(json_doc) merge = NULL;
    OWNED(json_patch) operations = NULL;
    if (patch->type == FAKE_PATCH_MERGE) {
        TRY(merge_patch_read(patch->text, NULL, &merge));
        return merge_patch_apply(object_root(before), json_doc_root(merge), ret_doc);
    }
    TRY(json_patch_read(patch->text, NULL, &operations));
    return json_patch_apply(operations, object_root(before), ret_doc);
}

struct error *fake_store_patch(struct fake_store *store, const struct fake_place *place,
                               const struct fake_patch *patch, struct object **ret_object)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) applied = NULL;
    OWNED(json_doc) doc = NULL;
    OWNED(object) after = NULL;
    const struct object *before = fake_store_find(store, place);
    if (!before && (patch->type != FAKE_PATCH_APPLY || place->is_status))
        return status_not_found(gvr_of(place), place->key.name);
    if (patch->type == FAKE_PATCH_APPLY)
        TRY(apply_text(store, place, patch, &applied, &doc));
    else
        TRY(patch_text(before, patch, &doc));
    TRY(object_from_doc(doc, &after));
    TRY(before ? fake_store_update(store, place, after, ret_object)
               : store_object(store, place, after, WRITER_REQUEST, ret_object));
    if (applied)
        json_doc_free(map_put(&store->applied, applied_name(&arena, place, patch), TAKE(applied)));
    return NULL;
}

/* Marks an object that has finalizers; each of them is removed by its controller. */
static struct error *begin_deletion(struct fake_store *store, const struct fake_place *place,
                                    const struct object *before, struct object **ret_object)
{
    char text[TIMESTAMP_TEXT_MAX];
    OWNED(object) marked = NULL;
    SCOPED(object_edit) edit;
    object_edit_init(&edit, before);
    json_edit_set_str(&edit.json, JSON_PLACE("metadata.deletionTimestamp"),
                      timestamp_write(timestamp_now(), text));
    json_edit_set_int(&edit.json, JSON_PLACE("metadata.generation"), object_generation(before) + 1);
    TRY(object_edit_finish(&edit, &marked));
    return store_object(store, place, marked, WRITER_AUTHOR, ret_object);
}

struct error *fake_store_delete(struct fake_store *store, const struct fake_place *place,
                                struct str uid, struct str version, struct object **ret_object)
{
    struct object *before;
    TRY(get_object(store, place, &before));
    TRY(check_identity(place, before, uid, version));
    if (json_count(object_finalizers(before)) == 0)
        return drop_object(store, place, before);
    if (!object_is_deleting(before))
        return begin_deletion(store, place, before, ret_object);
    *ret_object = object_ref(before);
    return NULL;
}
