#include "clusterresourceset/census.h"

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "controller/cache/cache.h"
#include "json/path.h"

struct citizen {
    struct json_doc *labels; /* NULL: none */
    bool is_going;           /* or not to be selected yet */
};

struct census {
    struct cache *clusters;
    struct cache_handler handler;
    bool needs_control_plane;
    struct map namespaces; /* -> struct map of name -> struct citizen */
};

static void release_citizen(void *value)
{
    struct citizen *citizen = value;
    json_doc_free(citizen->labels);
    mem_free(citizen);
}

static void release_namespace(void *value)
{
    map_done(value);
    mem_free(value);
}

static struct map *open_namespace(struct census *census, struct str name)
{
    struct map *found = map_find(&census->namespaces, name);
    if (found)
        return found;
    found = NEW(struct map);
    found->release = release_citizen;
    map_put(&census->namespaces, name, found);
    return found;
}

static bool is_going(const struct census *census, const struct object *cluster)
{
    bool is_initialized = false;
    if (object_is_deleting(cluster) || !census->needs_control_plane)
        return object_is_deleting(cluster);
    json_to_bool(object_path(cluster, "status.initialization.controlPlaneInitialized"),
                 &is_initialized);
    return !is_initialized;
}

static void put(struct census *census, const struct object_text *text)
{
    OWNED(object) cluster = NULL;
    OWNED(error) err = object_text_read(text, &cluster);
    const struct key key = object_text_key(text);
    struct map *there = open_namespace(census, key.namespace);
    if (err) {
        map_remove(there, key.name);
        return;
    }
    struct citizen *citizen = NEW(struct citizen);
    const struct json_value *labels = object_labels(cluster);
    citizen->labels = json_count(labels) ? json_doc_copy(labels) : NULL;
    citizen->is_going = is_going(census, cluster);
    struct citizen *before = map_put(there, key.name, citizen);
    if (before)
        release_citizen(before);
}

static void forget(struct census *census, struct key key)
{
    struct map *there = map_find(&census->namespaces, key.namespace);
    if (!there)
        return;
    map_remove(there, key.name);
    if (!map_count(there))
        map_remove(&census->namespaces, key.namespace);
}

static void on_change(void *data, const struct cache_event *event)
{
    if (event->now)
        put(data, event->now);
    else
        forget(data, object_text_key(event->old));
}

struct census *census_new(struct cache *clusters, bool needs_control_plane)
{
    struct census *census = NEW(struct census);
    census->clusters = clusters;
    census->needs_control_plane = needs_control_plane;
    census->namespaces.release = release_namespace;
    census->handler = (struct cache_handler){.changed = on_change, .data = census};
    cache_add_handler(clusters, &census->handler);
    return census;
}

void census_free(struct census *census)
{
    if (!census)
        return;
    cache_remove_handler(census->clusters, &census->handler);
    map_done(&census->namespaces);
    mem_free(census);
}

static bool selects(const struct selector *selector, const struct citizen *citizen)
{
    return !citizen->is_going &&
           selector_matches(selector, citizen->labels ? json_doc_root(citizen->labels) : NULL);
}

void census_each(const struct census *census, struct str namespace, const struct selector *selector,
                 census_visit_fn *each, void *data)
{
    const struct map *there = map_find(&census->namespaces, namespace);
    if (!there || selector->nothing)
        return;
    MAP_FOREACH (entry, there)
        if (selects(selector, entry->value))
            each(data, map_key(entry));
}

bool census_selects(const struct census *census, struct key cluster,
                    const struct selector *selector)
{
    const struct map *there = map_find(&census->namespaces, cluster.namespace);
    const struct citizen *citizen = there ? map_find(there, cluster.name) : NULL;
    return citizen && selects(selector, citizen);
}
