/*
 * Connects caches with the controller's queue.
 *
 * framework->owner_watches[0] is the kind of the owners; the others follow options.watches.
 * Caches deliver objects as texts, which the filters parse. The rules
 * are tested by the scenarios FW-90 to FW-95.
 */
#include "framework/owner_watches.h"

#include "client/discovery/discovery.h"
#include "framework/framework_internal.h"
#include "json/compare.h"
#include "json/path.h"

#define DELETABLE (DISCOVERY_DELETE | DISCOVERY_LIST | DISCOVERY_CREATE)

bool owner_watches_has_class(const struct framework *framework, const struct json_value *object)
{
    SCOPED(arena) arena = {0};
    const struct str key = arena_print(&arena, "%.*s/class", STR_ARG(framework->options.domain));
    const struct str class = json_to_str(json_get(json_path(object, "metadata.annotations"), key));
    return str_eq(class, framework->options.class_name);
}

static bool text_has_class(const struct framework *framework, const struct object_text *text)
{
    OWNED(json_doc) doc = NULL;
    if (!text)
        return false;
    OWNED(error) unreadable = json_read(object_text_json(text), &doc);
    return !unreadable && owner_watches_has_class(framework, json_doc_root(doc));
}

/*
 * An update counts if the object had our class before or has it now. So the run that follows a
 * change of class sees it and ends.
 */
static bool event_has_class(const struct framework *framework, const struct cache_event *event)
{
    return text_has_class(framework, event->now) || text_has_class(framework, event->old);
}

/*
 * True for members whose change leads to a run. The framework itself writes the status, and the
 * server changes managedFields and resourceVersion with every write.
 */
static bool is_counted(struct str key, bool in_metadata)
{
    return in_metadata ? !str_eq(key, STR("managedFields")) && !str_eq(key, STR("resourceVersion"))
                       : !str_eq(key, STR("status")) && !str_eq(key, STR("metadata"));
}

/* Compares the counted members of a with those of b; call it both ways to find new members of b. */
static bool members_equal(const struct json_value *a, const struct json_value *b, bool in_metadata)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, a)
        if (is_counted(key, in_metadata) && !json_equal(value, json_get(b, key)))
            return false;
    return true;
}

static bool is_same_but_status(const struct object_text *old, const struct object_text *now)
{
    OWNED(json_doc) a = NULL;
    OWNED(json_doc) b = NULL;
    OWNED(error) first = json_read(object_text_json(old), &a);
    OWNED(error) second = json_read(object_text_json(now), &b);
    if (first || second)
        return false;
    const struct json_value *left = json_doc_root(a), *right = json_doc_root(b);
    const struct json_value *left_meta = json_get(left, STR("metadata"));
    const struct json_value *right_meta = json_get(right, STR("metadata"));
    return members_equal(left, right, false) && members_equal(right, left, false) &&
           members_equal(left_meta, right_meta, true) && members_equal(right_meta, left_meta, true);
}

/* Drops updates that change the status alone. Resyncs (is_unchanged) pass. */
bool owner_watches_filter_owner(void *data, const struct cache_event *event)
{
    const struct owner_watch *owner_watch = data;
    if (!event_has_class(owner_watch->framework, event))
        return false;
    return event->type != CACHE_UPDATED || event->is_unchanged ||
           !is_same_but_status(event->old, event->now);
}

/* Mapped kinds do not carry our class, so only owned kinds are filtered by it. */
bool owner_watches_filter_watched(void *data, const struct cache_event *event)
{
    const struct owner_watch *owner_watch = data;
    const struct framework_watch *watch = &owner_watch->watch;
    if (!watch->map && !event_has_class(owner_watch->framework, event))
        return false;
    return !watch->filter || watch->filter(watch->data, event);
}

/* Without a map function an event leads to the owner in the object's controller reference. */
static void map_owned(void *data, const struct cache_event *event, struct queue *queue,
                      int priority)
{
    const struct owner_watch *owner_watch = data;
    const struct framework_watch *watch = &owner_watch->watch;
    const struct framework *framework = owner_watch->framework;
    struct controller_owner owner = {framework->options.owner.group, framework->options.owner.kind,
                                     !framework->owner_is_namespaced};
    if (watch->map)
        watch->map(watch->data, event, queue, priority);
    else
        controller_map_owner(&owner, event, queue, priority);
}

/* Opens the cache of a kind and registers it for live_reader_find(). */
static struct error *open_cache(struct framework *framework, struct gvk gvk,
                                struct discovery_mapping *ret_mapping, struct cache **ret_cache)
{
    struct arena *arena = &framework->arena;
    TRY(discovery_find_kind(framework->options.discovery, arena, gvk, ret_mapping));
    const struct cache_options options = {.gvr = ret_mapping->gvr};
    *ret_cache = cache_set_get(framework->options.caches, &options);
    map_put(&framework->caches, framework_kind_name(arena, gvk), *ret_cache);
    return NULL;
}

/*
 * Without a status subresource every write of the status would be answered with 404, which looks
 * as if the owner were gone.
 */
static struct error *open_owners(struct framework *framework)
{
    struct discovery_mapping mapping;
    TRY(open_cache(framework, framework->options.owner, &mapping, &framework->owners));
    if (!mapping.has_status) /* its 404 would look as if owners were gone */
        return error_new(ERROR_INVALID, "kind %.*s has no status subresource",
                         STR_ARG(framework->options.owner.kind));
    framework->owner_gvr = mapping.gvr;
    framework->owner_is_namespaced = mapping.namespaced;
    framework->owner_watches[0] = (struct owner_watch){.framework = framework};
    const struct controller_source source = {.filter = owner_watches_filter_owner,
                                             .data = &framework->owner_watches[0]};
    controller_watch(framework->controller, framework->owners, &source);
    return NULL;
}

/* The owner that controls an object, by its uid. */
static void index_controller(void *data, const struct object *object, cache_emit_fn *emit,
                             void *emit_data)
{
    (void)data;
    struct owner_reference controller;
    if (object_find_controller(object, &controller))
        emit(emit_data, controller.uid);
}

/* Objects can be pruned only if their kind can be listed, created and deleted. */
static struct error *open_watch(struct framework *framework, const struct framework_watch *watch,
                                struct owner_watch *owner_watch)
{
    struct discovery_mapping mapping;
    TRY(open_cache(framework, watch->gvk, &mapping, &owner_watch->cache));
    owner_watch->framework = framework;
    owner_watch->watch = *watch;
    owner_watch->gvr = mapping.gvr;
    owner_watch->namespaced = mapping.namespaced;
    owner_watch->is_deletable = (mapping.verbs & DELETABLE) == DELETABLE;
    if ((framework->options.flags & FRAMEWORK_PRUNE) && !watch->map)
        cache_add_index(owner_watch->cache, OWNER_WATCHES_INDEX, index_controller, NULL);
    const struct controller_source handler = {owner_watches_filter_watched, map_owned, owner_watch};
    controller_watch(framework->controller, owner_watch->cache, &handler);
    return NULL;
}

struct error *owner_watches_open(struct framework *framework)
{
    const struct framework_options *options = &framework->options;
    framework->owner_watches =
        arena_alloc_array(&framework->arena, options->watch_count + 1, sizeof(struct owner_watch));
    TRY(open_owners(framework));
    for (size_t i = 0; i < options->watch_count; i++)
        TRY(open_watch(framework, &options->watches[i], &framework->owner_watches[i + 1]));
    return NULL;
}
