/*
 * Dependents and their owners, as the garbage collector of kube-controller-manager treats them
 * (pkg/controller/garbagecollector):
 *
 *     background   an object all of whose owners are gone is deleted; references to owners that
 *                  are gone are removed if other owners remain
 *     foreground   the owner waits (finalizer foregroundDeletion) until no dependent with
 *                  blockOwnerDeletion is left
 *     orphan       the references of all dependents are removed, then the owner is released
 *
 * Edits run inside of the store, or on a worker thread, and must not read it, so everything that
 * depends on other objects is found out before gc_change() is called.
 */
#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/endpoints/handle_delete.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/gc/gc_internal.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define MANAGER STR("corset-gc")

static void release_custom(void *custom)
{
    crd_free(custom);
}

/* Of several kinds the one that discovery names first. The definition has the resource's name. */
const struct kind *gc_kind(struct gc *gc, struct arena *arena, struct str resource)
{
    size_t count;
    const struct kind *builtin = kinds_all(&count);
    const struct api_definition *definition = map_find(&gc->api->definitions, resource);
    for (size_t i = 0; i < count; i++)
        if (str_eq(builtin[i].stored_as, resource))
            return &builtin[i];
    if (!definition || !definition->custom || !crd_kind_count(definition->custom))
        return NULL;
    arena_hold(arena, release_custom, crd_ref(definition->custom));
    return crd_kind(definition->custom, 0);
}

/*
 * The kind that the server has for a gvk. NULL if no built-in kind and no definition has it. A
 * definition, and its kinds with it, may be replaced while the caller is suspended.
 */
static const struct kind *find_kind(const struct gc *gc, struct gvk gvk)
{
    const struct kind *builtin = kinds_find_kind(gvk);
    return builtin ? builtin : api_find_custom(gc->api, gvk);
}

/*
 * An object may have thousands of owners, so no list of all kinds is made here. The resource of a
 * custom kind is copied, because its definition may go before *ret_id is used.
 */
bool gc_owner(struct gc *gc, struct arena *arena, const struct json_value *reference,
              struct str namespace, struct store_id *ret_id)
{
    struct gvk gvk;
    OWNED(error)
    malformed = gvk_from_api_version(json_path_str(reference, "apiVersion"),
                                     json_path_str(reference, "kind"), &gvk);
    if (malformed)
        return false;
    const struct kind *kind = find_kind(gc, gvk);
    if (!kind || (kind->namespaced && namespace.len == 0))
        return false;
    *ret_id = (struct store_id){
        kind->is_custom ? arena_str(arena, kind->stored_as) : kind->stored_as,
        {kind->namespaced ? namespace : (struct str){0}, json_path_str(reference, "name")},
    };
    return true;
}

struct change {
    timestamp now;
    const struct kind *kind;
    gc_edit_fn *edit;
    void *data;
};

/*
 * The draft of gc_change(). Managed fields are updated with the collector as the manager.
 */
static struct error *draft_change(void *data, struct store_edit *edit)
{
    const struct change *change = data;
    SCOPED(arena) arena = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) changed = NULL;
    OWNED(json_doc) owned = NULL;
    if (!edit->previous)
        return NULL;
    TRY(codec_read_stored(change->kind, edit->previous, &old));
    TRY(change->edit(change->data, json_doc_root(old), &changed));
    if (!changed || json_equal(json_doc_root(old), json_doc_root(changed)))
        return NULL;
    const struct field_ownership ownership = {&arena, change->kind, MANAGER, (struct str){0},
                                              change->now};
    TRY(field_ownership_update(&ownership, json_doc_root(old), json_doc_root(changed), &owned));
    const bool gone = metadata_is_finished(json_doc_root(owned));
    return codec_write_edit(change->kind, gone ? old : owned, gone ? STORE_DELETE : STORE_PUT, edit,
                            NULL);
}

struct error *gc_change(struct gc *gc, const struct kind *kind, struct store_id id,
                        gc_edit_fn *edit, void *data)
{
    struct change change = {loop_wall(gc->api->loop), kind, edit, data};
    const struct store_decision decision = {.draft = draft_change, .data = &change};
    return api_decide(gc->api, id, STORE_ANY, &decision, NULL);
}

/* The gc_edit_fn of gc_release(). */
static struct error *without_finalizer(void *data, const struct json_value *object,
                                       struct json_doc **ret_doc)
{
    const struct str *finalizer = data;
    const struct json_value *item;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) left = NULL;
    SCOPED(json_edit) edit = {0};
    json_builder_array(&builder);
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers"))
        if (!str_eq(json_to_str(item), *finalizer))
            json_builder_value(&builder, item);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &left));
    json_edit_init(&edit, object);
    json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.finalizers"), json_doc_root(left));
    return json_edit_finish(&edit, ret_doc);
}

struct error *gc_release(struct gc *gc, const struct kind *kind, struct store_id id,
                         struct str finalizer)
{
    return gc_change(gc, kind, id, without_finalizer, &finalizer);
}

enum owner_state {
    OWNER_SOLID,
    OWNER_WAITING, /* deleted in the foreground; waits for this dependent */
    OWNER_GONE,
};

static bool waits_in_foreground(const struct object_text *text)
{
    OWNED(object) object = NULL;
    if (!object_text_is_deleting(text))
        return false;
    OWNED(error) unreadable = object_text_read(text, &object);
    return !unreadable && object_has_finalizer(object, STR("foregroundDeletion"));
}

/*
 * An owner counts as gone when there is no object of its name or when that object has another uid.
 */
static enum owner_state state_of(struct gc *gc, const struct json_value *reference,
                                 struct str namespace)
{
    SCOPED(arena) arena = {0};
    SCOPED(store_object) found = {0};
    struct store_id id;
    if (!gc_owner(gc, &arena, reference, namespace, &id))
        return OWNER_SOLID; /* the kind is unknown, so nothing is deleted */
    OWNED(error) missing = store_get(gc->api->store, id, &found);
    if (missing || !str_eq(object_text_uid(found.text), json_path_str(reference, "uid")))
        return OWNER_GONE;
    return waits_in_foreground(found.text) ? OWNER_WAITING : OWNER_SOLID;
}

/* The owners of an object. */
struct owners {
    size_t states[OWNER_GONE + 1]; /* how many there are of each */
    struct map lost;               /* uids of those that are gone or wait in the foreground */
};

static void owners_done(struct owners *owners)
{
    map_done(&owners->lost);
}

/* Suspends now and then: there may be thousands, and each may be large. */
static struct error *examine_owners(struct gc *gc, const struct json_value *object,
                                    struct str namespace, struct owners *owners)
{
    const struct json_value *reference;
    size_t seen = 0;
    JSON_FOREACH (key, reference, json_path(object, "metadata.ownerReferences")) {
        const enum owner_state state = state_of(gc, reference, namespace);
        owners->states[state]++;
        if (state != OWNER_SOLID)
            map_put(&owners->lost, json_path_str(reference, "uid"), NULL);
        if (state == OWNER_WAITING || ++seen % GC_OWNERS_AT_ONCE == 0)
            TRY(fiber_yield());
    }
    return NULL;
}

/* Removes the references to the owners in data, a map of uids. */
static struct error *without_lost(void *data, const struct json_value *object,
                                  struct json_doc **ret_doc)
{
    const struct map *lost = data;
    const struct json_value *reference;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) left = NULL;
    SCOPED(json_edit) edit = {0};
    json_builder_array(&builder);
    JSON_FOREACH (key, reference, json_path(object, "metadata.ownerReferences"))
        if (!map_has(lost, json_path_str(reference, "uid")))
            json_builder_value(&builder, reference);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &left));
    json_edit_init(&edit, object);
    json_edit_set_unless_empty(&edit, JSON_PLACE("metadata.ownerReferences"), json_doc_root(left));
    return json_edit_finish(&edit, ret_doc);
}

/*
 * Deletes the object on the condition that it has not changed since its owners were examined; on a
 * conflict it is examined again. Foreground deletion is passed on to its own dependents.
 */
static struct error *remove_dependent(struct gc *gc, const struct kind *kind, struct store_id id,
                                      const struct json_value *object, bool foreground)
{
    SCOPED(delete_result) result = {0};
    const struct delete_options options = {
        .propagation = foreground ? PROPAGATION_FOREGROUND : PROPAGATION_UNSET,
        .uid = json_path_str(object, "metadata.uid"),
        .resource_version = json_path_str(object, "metadata.resourceVersion"),
    };
    struct error *err = gc_delete(gc, kind, id.key, options, &result);
    if (error_is(err, ERROR_CONFLICT)) {
        error_free(err); /* it changed meanwhile and has to be checked again */
        gc_queue(gc, GC_TASK_OWNED, id);
        return NULL;
    }
    return error_ignore(err, ERROR_NOT_FOUND);
}

/* A copy of the reference with blockOwnerDeletion set to false. */
static void add_without_block(struct json_builder *builder, const struct json_value *reference)
{
    const struct json_value *value;
    json_builder_object(builder);
    JSON_FOREACH (key, value, reference) {
        json_builder_key(builder, key);
        if (str_eq(key, STR("blockOwnerDeletion")))
            json_builder_bool(builder, false);
        else
            json_builder_value(builder, value);
    }
    json_builder_end(builder);
}

/* Owners do not wait for this object any more. */
static struct error *without_blocks(void *data, const struct json_value *object,
                                    struct json_doc **ret_doc)
{
    const struct json_value *reference;
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) references = NULL;
    SCOPED(json_edit) edit = {0};
    (void)data;
    json_builder_array(&builder);
    JSON_FOREACH (key, reference, json_path(object, "metadata.ownerReferences"))
        add_without_block(&builder, reference);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &references));
    json_edit_init(&edit, object);
    json_edit_set(&edit, JSON_PLACE("metadata.ownerReferences"), json_doc_root(references));
    return json_edit_finish(&edit, ret_doc);
}

/* Dependents may be large, and so many that even small ones take long. */
static struct error *pause_between(size_t seen)
{
    return seen % GC_OWNERS_AT_ONCE == 0 ? fiber_yield() : fiber_yield_in_time();
}

/*
 * Whether a dependent of this object is waiting in the foreground already. Objects that own each
 * other would wait for each other for ever, so the circle is cut here. Suspends now and then.
 */
static struct error *closes_circle(struct gc *gc, struct str uid, bool *ret_closes)
{
    SCOPED(arena) arena = {0};
    size_t count;
    const struct store_id *ids = gc_copy_dependents(gc, &arena, uid, &count);
    *ret_closes = false;
    for (size_t i = 0; i < count && !*ret_closes; i++) {
        SCOPED(store_object) found = {0};
        OWNED(error) missing = store_get(gc->api->store, ids[i], &found);
        *ret_closes = !missing && waits_in_foreground(found.text);
        TRY(pause_between(i + 1));
    }
    return NULL;
}

/* Owners that remain keep the object; only the references to the others are removed. */
struct error *gc_check_owned(struct gc *gc, struct store_id id)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(owners) owners = {0};
    bool is_circle = false;
    const struct kind *kind = gc_kind(gc, &arena, id.resource);
    if (!kind)
        return NULL;
    struct error *err = api_get(gc->api, kind, id.key, &doc);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    const struct json_value *object = json_doc_root(doc);
    TRY(examine_owners(gc, object, id.key.namespace, &owners));
    const size_t *states = owners.states;
    if (states[OWNER_GONE] + states[OWNER_WAITING] == 0 || metadata_is_deleting(object))
        return NULL;
    /* Edits must not read the store, so the owners were examined before. */
    if (states[OWNER_SOLID])
        return gc_change(gc, kind, id, without_lost, &owners.lost);
    const struct str uid = json_path_str(object, "metadata.uid");
    const bool has_dependents = gc_dependents(gc, uid) != NULL;
    if (states[OWNER_WAITING])
        TRY(closes_circle(gc, uid, &is_circle));
    if (is_circle)
        TRY(gc_change(gc, kind, id, without_blocks, NULL));
    return remove_dependent(gc, kind, id, object, states[OWNER_WAITING] > 0 && has_dependents);
}

/*
 * Whether a dependent holds up the deletion of its owner. Most do not, and searching their text for
 * the member is much cheaper than parsing it.
 */
static bool blocks(struct gc *gc, struct store_id id, struct str uid)
{
    SCOPED(store_object) found = {0};
    OWNED(json_doc) doc = NULL;
    const struct json_value *reference;
    OWNED(error) missing = store_get(gc->api->store, id, &found);
    if (missing || !str_contains(object_text_json(found.text), STR("\"blockOwnerDeletion\":true")))
        return false;
    OWNED(error) unreadable = json_read(object_text_json(found.text), &doc);
    JSON_FOREACH (key, reference, json_path(json_doc_root(doc), "metadata.ownerReferences")) {
        bool block = false;
        if (str_eq(json_path_str(reference, "uid"), uid) &&
            json_to_bool(json_get(reference, STR("blockOwnerDeletion")), &block) && block)
            return true;
    }
    return false;
}

/*
 * Queues all dependents. Releases the owner when none of them blocks it; the first one that does is
 * enough to know. A dependent that changes meanwhile queues this task again.
 */
struct error *gc_foreground(struct gc *gc, struct store_id id)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    const struct kind *kind = gc_kind(gc, &arena, id.resource);
    bool is_held = false;
    size_t count;
    if (!kind)
        return NULL;
    struct error *err = api_get(gc->api, kind, id.key, &doc);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    const struct json_value *object = json_doc_root(doc);
    if (!metadata_is_deleting(object))
        return NULL;
    const struct str uid = json_path_str(object, "metadata.uid");
    const struct store_id *ids = gc_copy_dependents(gc, &arena, uid, &count);
    for (size_t i = 0; i < count; i++) {
        gc_queue(gc, GC_TASK_OWNED, ids[i]);
        const bool is_itself = key_eq(ids[i].key, id.key) && str_eq(ids[i].resource, id.resource);
        is_held = is_held || (!is_itself && blocks(gc, ids[i], uid));
        TRY(pause_between(i + 1));
    }
    return is_held ? NULL : gc_release(gc, kind, id, STR("foregroundDeletion"));
}

/*
 * Dependents first: an owner that went before them would take them along. Nothing is done if a
 * client has chosen another policy since the task was queued.
 */
struct error *gc_orphan(struct gc *gc, struct store_id id)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    size_t count;
    const struct kind *kind = gc_kind(gc, &arena, id.resource);
    if (!kind)
        return NULL;
    struct error *err = api_get(gc->api, kind, id.key, &doc);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    if (!gc_has_finalizer(json_doc_root(doc), STR("orphan")))
        return NULL;
    const struct str uid = json_path_str(json_doc_root(doc), "metadata.uid");
    const struct store_id *ids = gc_copy_dependents(gc, &arena, uid, &count);
    SCOPED(map) owner = {0};
    map_put(&owner, uid, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct kind *dependent = gc_kind(gc, &arena, ids[i].resource);
        if (dependent)
            TRY(gc_change(gc, dependent, ids[i], without_lost, &owner));
    }
    return gc_release(gc, kind, id, STR("orphan"));
}
