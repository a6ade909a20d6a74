#include "framework/source.h"

#include "base/buf.h"
#include "base/memory.h"
#include "client/discovery.h"
#include "framework/framework_internal.h"
#include "json/compare.h"
#include "json/path.h"

struct framework_source {
    struct framework *framework;
    struct framework_watch watch;
};

bool source_has_class(const struct framework *framework, const struct json_value *object)
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
    return !unreadable && source_has_class(framework, json_doc_root(doc));
}

/* An update counts if either side is ours. */
static bool event_has_class(const struct framework *framework, const struct cache_event *event)
{
    return text_has_class(framework, event->now) || text_has_class(framework, event->old);
}

/* Members that are the server's or our own account do not count. */
static bool is_counted(struct str key, bool in_metadata)
{
    return in_metadata ? !str_eq(key, STR("managedFields")) && !str_eq(key, STR("resourceVersion"))
                       : !str_eq(key, STR("status")) && !str_eq(key, STR("metadata"));
}

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

static bool filter_owner(void *data, const struct cache_event *event)
{
    const struct framework_source *source = data;
    if (!event_has_class(source->framework, event))
        return false;
    return event->type != CACHE_UPDATED || event->is_unchanged ||
           !is_same_but_status(event->old, event->now);
}

static bool filter_owned(void *data, const struct cache_event *event)
{
    const struct framework_source *source = data;
    const struct framework_watch *watch = &source->watch;
    if (!watch->map && !event_has_class(source->framework, event))
        return false;
    return !watch->filter || watch->filter(watch->data, event);
}

/* The owner that the controller reference of an object names, if it is of our kind. */
static void add_controller(const struct framework *framework, const struct object_text *text,
                           struct queue *queue, int priority)
{
    OWNED(object) object = NULL;
    const struct json_value *reference;
    if (!text)
        return;
    OWNED(error) unreadable = object_text_read(text, &object);
    if (unreadable)
        return;
    JSON_FOREACH (key, reference, object_owner_references(object)) {
        bool controller = false;
        struct gvk gvk;
        if (!json_to_bool(json_get(reference, STR("controller")), &controller) || !controller)
            continue;
        OWNED(error)
        malformed = gvk_from_api_version(json_path_str(reference, "apiVersion"),
                                         json_path_str(reference, "kind"), &gvk);
        if (malformed || !str_eq(gvk.group, framework->options.owner.group) ||
            !str_eq(gvk.kind, framework->options.owner.kind))
            continue;
        const struct key owner = {framework->owner_is_namespaced ? object_namespace(object)
                                                                 : (struct str){0},
                                  json_path_str(reference, "name")};
        queue_add(queue, owner, priority);
    }
}

static void map_owned(void *data, const struct cache_event *event, struct queue *queue,
                      int priority)
{
    const struct framework_source *source = data;
    const struct framework_watch *watch = &source->watch;
    if (watch->map) {
        watch->map(watch->data, event, queue, priority);
        return;
    }
    add_controller(source->framework, event->now, queue, priority);
    add_controller(source->framework, event->old, queue, priority);
}

static struct error *open_cache(struct framework *framework, struct gvk gvk,
                                struct discovery_mapping *ret_mapping, struct cache **ret_cache)
{
    SCOPED(arena) arena = {0};
    TRY(discovery_find_kind(framework->options.discovery, &arena, gvk, ret_mapping));
    const struct cache_options options = {.gvr = ret_mapping->gvr};
    *ret_cache = cache_set_get(framework->options.caches, &options);
    const struct str name = arena_print(&arena, "%.*s %.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    map_put(&framework->caches, name, *ret_cache);
    return NULL;
}

static struct error *open_owners(struct framework *framework)
{
    struct discovery_mapping mapping;
    SCOPED(arena) arena = {0};
    const struct gvk gvk = framework->options.owner;
    TRY(discovery_find_kind(framework->options.discovery, &arena, gvk, &mapping));
    framework->owner_gvr =
        (struct gvr){gvk.group, gvk.version,
                     str_from(mem_dup(mapping.gvr.resource.ptr, mapping.gvr.resource.len),
                              mapping.gvr.resource.len)};
    framework->owner_is_namespaced = mapping.namespaced;
    const struct cache_options options = {.gvr = framework->owner_gvr};
    framework->owners = cache_set_get(framework->options.caches, &options);
    const struct str name = arena_print(&arena, "%.*s %.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    map_put(&framework->caches, name, framework->owners);
    framework->source_data[0] = (struct framework_source){.framework = framework};
    const struct controller_source source = {.filter = filter_owner,
                                             .data = &framework->source_data[0]};
    controller_watch(framework->controller, framework->owners, &source);
    return NULL;
}

struct error *source_open(struct framework *framework)
{
    const struct framework_options *options = &framework->options;
    framework->source_data =
        mem_alloc_zero((options->watch_count + 1) * sizeof(struct framework_source));
    TRY(open_owners(framework));
    for (size_t i = 0; i < options->watch_count; i++) {
        struct discovery_mapping mapping;
        struct cache *cache;
        struct framework_source *data = &framework->source_data[i + 1];
        *data = (struct framework_source){framework, options->watches[i]};
        TRY(open_cache(framework, options->watches[i].gvk, &mapping, &cache));
        const struct controller_source source = {filter_owned, map_owned, data};
        controller_watch(framework->controller, cache, &source);
    }
    return NULL;
}

void source_close(struct framework *framework)
{
    mem_free((char *)framework->owner_gvr.resource.ptr);
    mem_free(framework->source_data);
}
