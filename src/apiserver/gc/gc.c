/*
 * Index and queue of the garbage collector.
 *
 * The index maps the uid of an owner to the ids of its dependents. gc_note() maintains it after
 * each write and queues the tasks that the write makes necessary:
 *
 *     an object with owners was written        GC_TASK_OWNED       do the owners exist?
 *     an object is being deleted               GC_TASK_FOREGROUND, GC_TASK_ORPHAN by finalizer,
 *                                              GC_TASK_NAMESPACE, GC_TASK_CRD by resource
 *     a dependent changed or is gone           GC_TASK_FOREGROUND  of its owners
 *     an object is gone                        GC_TASK_OWNED of its dependents; its namespace or
 *                                              definition may be empty now
 *
 * One fiber (run_queue) works on the queue until it is empty and ends. Every task looks at the
 * current state, so tasks may be queued too often and in any order.
 */
#include "apiserver/api.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/gc/gc_internal.h"
#include "async/fiber.h"
#include "base/log.h"
#include "base/memory.h"
#include "json/compare.h"
#include "json/path.h"

#define RETRY_AFTER (1 * SECOND)

static void release_ids(void *ids)
{
    map_done(ids);
    mem_free(ids);
}

struct gc *gc_new(struct api *api)
{
    struct gc *gc = NEW(struct gc);
    gc->api = api;
    gc->dependents.release = release_ids;
    return gc;
}

void gc_free(struct gc *gc)
{
    if (!gc)
        return;
    scope_done(&gc->scope);
    map_done(&gc->dependents);
    map_done(&gc->going);
    map_done(&gc->queue);
    mem_free(gc);
}

/* Resources, namespaces and names contain no blanks. */
struct str gc_id_write(struct arena *arena, struct store_id id)
{
    return arena_print(arena, "%.*s %.*s %.*s", STR_ARG(id.resource), STR_ARG(id.key.namespace),
                       STR_ARG(id.key.name));
}

struct store_id gc_id_read(struct str text)
{
    struct store_id id = {0};
    str_cut(&text, ' ', &id.resource);
    str_cut(&text, ' ', &id.key.namespace);
    id.key.name = text;
    return id;
}

const struct map *gc_dependents(const struct gc *gc, struct str uid)
{
    return map_find(&gc->dependents, uid);
}

struct store_id *gc_copy_dependents(const struct gc *gc, struct arena *arena, struct str uid,
                                    size_t *ret_count)
{
    const struct map *ids = gc_dependents(gc, uid);
    *ret_count = 0;
    if (!ids)
        return NULL;
    struct store_id *copies = arena_alloc_array(arena, map_count(ids), sizeof(struct store_id));
    MAP_FOREACH (entry, ids)
        copies[(*ret_count)++] = gc_id_read(arena_str(arena, map_key(entry)));
    return copies;
}

/* What each task does stands in gc_internal.h. */
static struct error *run_task(struct gc *gc, enum gc_task task, struct store_id id)
{
    switch (task) {
    case GC_TASK_OWNED:
        return gc_check_owned(gc, id);
    case GC_TASK_FOREGROUND:
        return gc_foreground(gc, id);
    case GC_TASK_ORPHAN:
        return gc_orphan(gc, id);
    case GC_TASK_NAMESPACE:
        return gc_empty_namespace(gc, id.key.name);
    case GC_TASK_CRD:
        return gc_empty_definition(gc, id.key.name);
    }
    return NULL;
}

/*
 * A task that fails is queued again and tried after RETRY_AFTER: the disk may have space again by
 * then.
 */
static struct error *run_queue(void *data)
{
    struct gc *gc = data;
    struct map_entry *entry;
    while ((entry = map_first(&gc->queue))) {
        SCOPED(arena) arena = {0};
        const struct str text = arena_str(&arena, map_key(entry));
        const enum gc_task task = (enum gc_task)(text.ptr[0] - '0');
        const struct store_id id = gc_id_read(str_skip(text, 1));
        map_remove(&gc->queue, text);
        struct error *err = run_task(gc, task, id);
        if (!err)
            err = fiber_yield(); /* many tasks end without waiting; other fibers need their turn */
        if (!err)
            continue;
        if (err->code == ERROR_CANCELED)
            return err;
        log_error("cannot clean up, trying again", LOG_STR("resource", id.resource),
                  LOG_KEY("object", id.key.namespace, id.key.name), LOG_ERROR(err));
        error_free(err);
        gc_queue(gc, task, id);
        TRY(fiber_sleep(RETRY_AFTER));
    }
    gc->is_running = false;
    return NULL;
}

/* The key of a task begins with its number. The map keeps the order of insertion. */
void gc_queue(struct gc *gc, enum gc_task task, struct store_id id)
{
    SCOPED(arena) arena = {0};
    const struct str key =
        arena_print(&arena, "%c%.*s", '0' + (int)task, STR_ARG(gc_id_write(&arena, id)));
    if (!map_has(&gc->queue, key))
        map_put(&gc->queue, key, NULL);
    if (gc->is_running)
        return;
    gc->is_running = true;
    scope_start(&gc->scope, "gc", run_queue, gc);
}

/* Adds or removes one pair of owner and dependent. */
static void index_owner(struct gc *gc, struct str uid, struct str id, bool add)
{
    struct map *ids = map_find(&gc->dependents, uid);
    if (add) {
        if (!ids) {
            ids = NEW(struct map);
            map_put(&gc->dependents, uid, ids);
        }
        map_put(ids, id, NULL);
    } else if (ids) {
        map_remove(ids, id);
        if (map_count(ids) == 0)
            map_remove(&gc->dependents, uid);
    }
}

/* Adds or removes an object under all of its owners. */
static void index_object(struct gc *gc, struct store_id id, const struct json_value *object,
                         bool add)
{
    SCOPED(arena) arena = {0};
    const struct str text = gc_id_write(&arena, id);
    const struct json_value *owner;
    JSON_FOREACH (key, owner, json_path(object, "metadata.ownerReferences")) {
        const struct str uid = json_path_str(owner, "uid");
        if (uid.len)
            index_owner(gc, uid, text, add);
    }
}

/*
 * Most objects have no owner and are not being deleted. Searching their text for the two members is
 * much cheaper than parsing it. NULL when there is nothing of interest.
 */
static struct json_doc *read_if_of_interest(const struct object_text *text)
{
    static const struct str signs[] = {STR_INIT("\"ownerReferences\":"),
                                       STR_INIT("\"deletionTimestamp\":")};
    struct json_doc *doc = NULL;
    if (!text)
        return NULL;
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (!str_contains(object_text_json(text), signs[i]))
            continue;
        OWNED(error) unreadable = json_read(object_text_json(text), &doc);
        return doc;
    }
    return NULL;
}

bool gc_has_finalizer(const struct json_value *object, struct str name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers"))
        if (str_eq(json_to_str(item), name))
            return true;
    return false;
}

/* Tasks of an object that is being deleted. */
static void queue_going(struct gc *gc, struct store_id id, const struct json_value *object)
{
    if (!metadata_is_deleting(object))
        return;
    if (gc_has_finalizer(object, STR("foregroundDeletion")))
        gc_queue(gc, GC_TASK_FOREGROUND, id);
    if (gc_has_finalizer(object, STR("orphan")))
        gc_queue(gc, GC_TASK_ORPHAN, id);
    if (str_eq(id.resource, STR("namespaces")))
        gc_queue(gc, GC_TASK_NAMESPACE, id);
    if (str_eq(id.resource, CRD_RESOURCE))
        gc_queue(gc, GC_TASK_CRD, id);
}

/*
 * The owner is gone: its dependents have to be looked at. There may be many, and the writer is
 * shielded.
 */
static void queue_dependents(struct gc *gc, struct str uid)
{
    SCOPED(arena) arena = {0};
    size_t count;
    const struct store_id *ids = gc_copy_dependents(gc, &arena, uid, &count);
    for (size_t i = 0; i < count; i++) {
        gc_queue(gc, GC_TASK_OWNED, ids[i]);
        error_free(fiber_yield_in_time());
    }
}

/*
 * Owners that wait in the foreground are looked at again when a dependent was released or deleted.
 */
static void queue_owners(struct gc *gc, struct store_id id, const struct json_value *object)
{
    SCOPED(arena) arena = {0};
    const struct json_value *reference;
    size_t seen = 0;
    JSON_FOREACH (key, reference, json_path(object, "metadata.ownerReferences")) {
        struct store_id owner;
        if (gc_owner(gc, &arena, reference, id.key.namespace, &owner))
            gc_queue(gc, GC_TASK_FOREGROUND, owner);
        /* The writer is shielded: what follows a write is done. */
        if (++seen % GC_OWNERS_AT_ONCE == 0)
            error_free(fiber_yield());
    }
}

/* A namespace or definition that is being deleted may be empty now. */
static void queue_containers(struct gc *gc, struct store_id id)
{
    const struct api_definition *definition = map_find(&gc->api->definitions, id.resource);
    if (id.key.namespace.len && map_has(&gc->going, id.key.namespace))
        gc_queue(gc, GC_TASK_NAMESPACE,
                 (struct store_id){STR("namespaces"), {.name = id.key.namespace}});
    if (definition && definition->is_terminating)
        gc_queue(gc, GC_TASK_CRD, (struct store_id){CRD_RESOURCE, {.name = id.resource}});
    if (str_eq(id.resource, STR("namespaces")))
        map_remove(&gc->going, id.key.name);
}

static bool have_same_owners(const struct json_doc *was, const struct json_doc *is)
{
    return json_equal(json_path(json_doc_root(was), "metadata.ownerReferences"),
                      json_path(json_doc_root(is), "metadata.ownerReferences"));
}

/*
 * Writers arrive here in any order after their writes became durable. Each removes the pairs of
 * both states it knows and adds those of the newest state, so the index ends up with the newest
 * one. Who arrives with the newest state, and with the owners that were there before, leaves the
 * index to writers who are late.
 */
static void index_again(struct gc *gc, struct store_id id, const struct json_doc *was,
                        const struct json_doc *is, const struct object_text *after)
{
    SCOPED(store_object) newest = {0};
    OWNED(json_doc) now = NULL;
    OWNED(error) gone = store_get(gc->api->store, id, &newest);
    const bool is_newest = is && newest.text == after;
    if (is_newest && was && have_same_owners(was, is))
        return;
    if (was)
        index_object(gc, id, json_doc_root(was), false);
    if (is && !is_newest)
        index_object(gc, id, json_doc_root(is), false);
    if (!is_newest)
        now = read_if_of_interest(newest.text);
    if (is_newest || now)
        index_object(gc, id, json_doc_root(is_newest ? is : now), true);
}

void gc_note(struct gc *gc, struct store_id id, const struct object_text *before,
             const struct object_text *after)
{
    OWNED(json_doc) was = read_if_of_interest(before);
    OWNED(json_doc) is = read_if_of_interest(after);
    if (was || is)
        index_again(gc, id, was, is, after);
    if (is) {
        if (json_count(json_path(json_doc_root(is), "metadata.ownerReferences")))
            gc_queue(gc, GC_TASK_OWNED, id);
        queue_going(gc, id, json_doc_root(is));
    }
    if (was)
        queue_owners(gc, id, json_doc_root(was));
    if (after)
        return;
    queue_dependents(gc, object_text_uid(before));
    queue_containers(gc, id);
}

struct load {
    struct gc *gc;
    struct str resource;
};

static bool load_one(void *data, struct key key, struct object_text *text)
{
    const struct load *load = data;
    gc_note(load->gc, (struct store_id){load->resource, key}, NULL, text);
    return true;
}

/* Kinds that share a resource stand next to each other, so each resource is scanned once. */
struct error *gc_load(struct gc *gc)
{
    SCOPED(arena) arena = {0};
    const struct kind_list kinds = api_kinds(gc->api, &arena);
    struct str last = {0};
    for (size_t i = 0; i < kinds.count; i++) {
        struct load load = {gc, kinds.items[i]->stored_as};
        const struct store_range range = {.resource = load.resource};
        struct store_page page;
        if (str_eq(load.resource, last))
            continue;
        last = load.resource;
        TRY(store_scan(gc->api->store, &range, load_one, &load, &page));
    }
    return NULL;
}
