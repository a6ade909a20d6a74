#include "apiserver/api.h"
#include "apiserver/crd_registry.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/gc/collector_internal.h"
#include "async/fiber.h"
#include "base/log.h"
#include "base/memory.h"
#include "json/path.h"

#define RETRY_AFTER (1 * SECOND)

static void release_ids(void *ids)
{
    map_done(ids);
    mem_free(ids);
}

struct collector *collector_new(struct api *api)
{
    struct collector *collector = NEW(struct collector);
    collector->api = api;
    collector->dependents.release = release_ids;
    return collector;
}

void collector_free(struct collector *collector)
{
    if (!collector)
        return;
    scope_done(&collector->scope);
    map_done(&collector->dependents);
    map_done(&collector->going);
    map_done(&collector->queue);
    mem_free(collector);
}

/* Resource, namespace and name hold no blank. */
struct str collector_id_write(struct arena *arena, struct store_id id)
{
    return arena_print(arena, "%.*s %.*s %.*s", STR_ARG(id.resource), STR_ARG(id.key.namespace),
                       STR_ARG(id.key.name));
}

struct store_id collector_id_read(struct str text)
{
    struct store_id id = {0};
    str_cut(&text, ' ', &id.resource);
    str_cut(&text, ' ', &id.key.namespace);
    id.key.name = text;
    return id;
}

const struct map *collector_dependents(const struct collector *collector, struct str uid)
{
    return map_find(&collector->dependents, uid);
}

static struct error *do_chore(struct collector *collector, enum chore chore, struct store_id id)
{
    switch (chore) {
    case CHORE_OWNED:
        return collector_check_owned(collector, id);
    case CHORE_FOREGROUND:
        return collector_foreground(collector, id);
    case CHORE_ORPHAN:
        return collector_orphan(collector, id);
    case CHORE_NAMESPACE:
        return collector_empty_namespace(collector, id.key.name);
    case CHORE_DEFINITION:
        return collector_empty_definition(collector, id.key.name);
    }
    return NULL;
}

/* Until nothing is left. What fails is tried again a little later: disks come back. */
static struct error *run(void *data)
{
    struct collector *collector = data;
    struct map_entry *entry;
    while ((entry = map_first(&collector->queue))) {
        SCOPED(arena) arena = {0};
        const struct str text = arena_str(&arena, map_key(entry));
        const enum chore chore = (enum chore)(text.ptr[0] - '0');
        const struct store_id id = collector_id_read(str_skip(text, 1));
        map_remove(&collector->queue, text);
        struct error *err = do_chore(collector, chore, id);
        if (!err)
            err = fiber_yield(); /* many chores are done without a wait; others want their turn */
        if (!err)
            continue;
        if (err->code == ERROR_CANCELED)
            return err;
        log_error("cannot clean up, trying again", LOG_STR("resource", id.resource),
                  LOG_KEY("object", id.key.namespace, id.key.name), LOG_ERROR(err));
        error_free(err);
        collector_queue(collector, chore, id);
        TRY(fiber_sleep(RETRY_AFTER));
    }
    collector->is_running = false;
    return NULL;
}

void collector_queue(struct collector *collector, enum chore chore, struct store_id id)
{
    SCOPED(arena) arena = {0};
    const struct str key =
        arena_print(&arena, "%c%.*s", '0' + (int)chore, STR_ARG(collector_id_write(&arena, id)));
    if (!map_has(&collector->queue, key))
        map_put(&collector->queue, key, NULL);
    if (collector->is_running)
        return;
    collector->is_running = true;
    scope_start(&collector->scope, "collector", run, collector);
}

static void index_owner(struct collector *collector, struct str uid, struct str id, bool add)
{
    struct map *ids = map_find(&collector->dependents, uid);
    if (add) {
        if (!ids) {
            ids = NEW(struct map);
            map_put(&collector->dependents, uid, ids);
        }
        map_put(ids, id, NULL);
    } else if (ids) {
        map_remove(ids, id);
        if (map_count(ids) == 0)
            map_remove(&collector->dependents, uid);
    }
}

static void index_object(struct collector *collector, struct store_id id,
                         const struct json_value *object, bool add)
{
    SCOPED(arena) arena = {0};
    const struct str text = collector_id_write(&arena, id);
    const struct json_value *owner;
    JSON_FOREACH (key, owner, json_path(object, "metadata.ownerReferences")) {
        const struct str uid = json_path_str(owner, "uid");
        if (uid.len)
            index_owner(collector, uid, text, add);
    }
}

/* Most objects have no owner, no finalizer and are not going: their text tells, unread. */
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

static bool has_finalizer(const struct json_value *object, struct str name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(object, "metadata.finalizers"))
        if (str_eq(json_to_str(item), name))
            return true;
    return false;
}

static void queue_going(struct collector *collector, struct store_id id,
                        const struct json_value *object)
{
    if (!metadata_is_deleting(object))
        return;
    if (has_finalizer(object, STR("foregroundDeletion")))
        collector_queue(collector, CHORE_FOREGROUND, id);
    if (has_finalizer(object, STR("orphan")))
        collector_queue(collector, CHORE_ORPHAN, id);
    if (str_eq(id.resource, STR("namespaces")))
        collector_queue(collector, CHORE_NAMESPACE, id);
    if (str_eq(id.resource, CRD_RESOURCE))
        collector_queue(collector, CHORE_DEFINITION, id);
}

static void queue_dependents(struct collector *collector, struct str uid)
{
    const struct map *ids = collector_dependents(collector, uid);
    if (ids)
        MAP_FOREACH (entry, ids)
            collector_queue(collector, CHORE_OWNED, collector_id_read(map_key(entry)));
}

/* Owners that wait in the foreground hear of every dependent that is gone or free. */
static void queue_owners(struct collector *collector, struct store_id id,
                         const struct json_value *object)
{
    SCOPED(arena) arena = {0};
    const struct json_value *reference;
    JSON_FOREACH (key, reference, json_path(object, "metadata.ownerReferences")) {
        struct store_id owner;
        if (collector_owner(collector, &arena, reference, id.key.namespace, &owner))
            collector_queue(collector, CHORE_FOREGROUND, owner);
    }
}

/* Whoever waited for its content to go. */
static void queue_containers(struct collector *collector, struct store_id id)
{
    const struct api_definition *definition = map_find(&collector->api->definitions, id.resource);
    if (id.key.namespace.len && map_has(&collector->going, id.key.namespace))
        collector_queue(collector, CHORE_NAMESPACE,
                        (struct store_id){STR("namespaces"), {.name = id.key.namespace}});
    if (definition && definition->is_terminating)
        collector_queue(collector, CHORE_DEFINITION,
                        (struct store_id){CRD_RESOURCE, {.name = id.resource}});
    if (str_eq(id.resource, STR("namespaces")))
        map_remove(&collector->going, id.key.name);
}

/* Writers come here in any order, and each leaves the index as the newest state wants it. */
static void index_again(struct collector *collector, struct store_id id, const struct json_doc *was,
                        const struct json_doc *is)
{
    SCOPED(store_object) newest = {0};
    if (was)
        index_object(collector, id, json_doc_root(was), false);
    if (is)
        index_object(collector, id, json_doc_root(is), false);
    OWNED(error) gone = store_get(collector->api->store, id, &newest);
    OWNED(json_doc) now = read_if_of_interest(newest.text);
    if (now)
        index_object(collector, id, json_doc_root(now), true);
}

void collector_note(struct collector *collector, struct store_id id,
                    const struct object_text *before, const struct object_text *after)
{
    OWNED(json_doc) was = read_if_of_interest(before);
    OWNED(json_doc) is = read_if_of_interest(after);
    if (was || is)
        index_again(collector, id, was, is);
    if (is) {
        if (json_count(json_path(json_doc_root(is), "metadata.ownerReferences")))
            collector_queue(collector, CHORE_OWNED, id);
        queue_going(collector, id, json_doc_root(is));
    }
    if (was)
        queue_owners(collector, id, json_doc_root(was));
    if (after)
        return;
    queue_dependents(collector, object_text_uid(before));
    queue_containers(collector, id);
}

struct load {
    struct collector *collector;
    struct str resource;
};

static bool load_one(void *data, struct key key, struct object_text *text)
{
    const struct load *load = data;
    collector_note(load->collector, (struct store_id){load->resource, key}, NULL, text);
    return true;
}

struct error *collector_load(struct collector *collector)
{
    SCOPED(arena) arena = {0};
    const struct kind_list kinds = api_kinds(collector->api, &arena);
    struct str last = {0};
    for (size_t i = 0; i < kinds.count; i++) {
        struct load load = {collector, kinds.items[i]->stored_as};
        const struct store_range range = {.resource = load.resource};
        struct store_page page;
        if (str_eq(load.resource, last))
            continue;
        last = load.resource;
        TRY(store_scan(collector->api->store, &range, load_one, &load, &page));
    }
    return NULL;
}
