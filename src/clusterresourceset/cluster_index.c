/*
 * One map of Clusters for each namespace: a set looks at the Clusters of its own namespace alone.
 * Of a Cluster the labels are kept as a parsed document, because selectors are evaluated far more
 * often than labels change.
 */
#include "clusterresourceset/cluster_index.h"

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "clusterresourceset/types/crs_spec.h"
#include "controller/cache/cache.h"
#include "json/path.h"

struct indexed_cluster {
    struct json_doc *labels; /* NULL: none */
    bool is_excluded;        /* being deleted, or without a control plane that is needed */
    bool is_paused;
    bool is_in_doubt; /* stays with the Cluster when the object changes */
};

struct cluster_index {
    struct cache *clusters;
    struct cache_handler handler;
    bool needs_control_plane;
    struct map namespaces; /* namespace -> struct map of name -> struct indexed_cluster */
};

static void release_indexed_cluster(void *value)
{
    struct indexed_cluster *indexed_cluster = value;
    json_doc_free(indexed_cluster->labels);
    mem_free(indexed_cluster);
}

static void release_namespace(void *value)
{
    map_done(value);
    mem_free(value);
}

static struct map *open_namespace(struct cluster_index *cluster_index, struct str name)
{
    struct map *found = map_find(&cluster_index->namespaces, name);
    if (found)
        return found;
    found = NEW(struct map);
    found->release = release_indexed_cluster;
    map_put(&cluster_index->namespaces, name, found);
    return found;
}

/* A Cluster that is being deleted gets nothing new; its objects go with it. */
static bool is_excluded(const struct cluster_index *cluster_index, const struct object *cluster)
{
    bool is_initialized = false;
    if (object_is_deleting(cluster) || !cluster_index->needs_control_plane)
        return object_is_deleting(cluster);
    json_to_bool(object_path(cluster, "status.initialization.controlPlaneInitialized"),
                 &is_initialized);
    return !is_initialized;
}

/* A Cluster that cannot be read is not selected. */
static void put_cluster(struct cluster_index *cluster_index, const struct object_text *text)
{
    OWNED(object) cluster = NULL;
    OWNED(error) err = object_text_read(text, &cluster);
    const struct key key = object_text_key(text);
    struct map *there = open_namespace(cluster_index, key.namespace);
    if (err) {
        map_remove(there, key.name);
        return;
    }
    struct indexed_cluster *indexed_cluster = NEW(struct indexed_cluster);
    const struct json_value *labels = object_labels(cluster);
    indexed_cluster->labels = json_count(labels) ? json_doc_copy(labels) : NULL;
    indexed_cluster->is_excluded = is_excluded(cluster_index, cluster);
    indexed_cluster->is_paused = crs_cluster_is_paused(cluster);
    struct indexed_cluster *before = map_put(there, key.name, indexed_cluster);
    if (!before)
        return;
    indexed_cluster->is_in_doubt = before->is_in_doubt;
    release_indexed_cluster(before);
}

/* A namespace without Clusters is removed. */
static void forget_cluster(struct cluster_index *cluster_index, struct key key)
{
    struct map *there = map_find(&cluster_index->namespaces, key.namespace);
    if (!there)
        return;
    map_remove(there, key.name);
    if (!map_count(there))
        map_remove(&cluster_index->namespaces, key.namespace);
}

static void on_change(void *data, const struct cache_event *event)
{
    if (event->now)
        put_cluster(data, event->now);
    else
        forget_cluster(data, object_text_key(event->old));
}

struct cluster_index *cluster_index_new(struct cache *clusters, bool needs_control_plane)
{
    struct cluster_index *cluster_index = NEW(struct cluster_index);
    cluster_index->clusters = clusters;
    cluster_index->needs_control_plane = needs_control_plane;
    cluster_index->namespaces.release = release_namespace;
    cluster_index->handler = (struct cache_handler){.changed = on_change, .data = cluster_index};
    cache_add_handler(clusters, &cluster_index->handler);
    return cluster_index;
}

void cluster_index_free(struct cluster_index *cluster_index)
{
    if (!cluster_index)
        return;
    cache_remove_handler(cluster_index->clusters, &cluster_index->handler);
    map_done(&cluster_index->namespaces);
    mem_free(cluster_index);
}

static bool is_selected(const struct selector *selector,
                        const struct indexed_cluster *indexed_cluster)
{
    return !indexed_cluster->is_excluded &&
           selector_matches(
               selector, indexed_cluster->labels ? json_doc_root(indexed_cluster->labels) : NULL);
}

void cluster_index_each(const struct cluster_index *cluster_index, struct str namespace,
                        const struct selector *selector, cluster_index_visit_fn *each, void *data)
{
    const struct map *there = map_find(&cluster_index->namespaces, namespace);
    if (!there || selector->nothing)
        return;
    MAP_FOREACH (entry, there)
        if (is_selected(selector, entry->value))
            each(data, map_key(entry));
}

static struct indexed_cluster *find_cluster(const struct cluster_index *cluster_index,
                                            struct key cluster)
{
    const struct map *there = map_find(&cluster_index->namespaces, cluster.namespace);
    return there ? map_find(there, cluster.name) : NULL;
}

bool cluster_index_selects(const struct cluster_index *cluster_index, struct key cluster,
                           const struct selector *selector)
{
    const struct indexed_cluster *found = find_cluster(cluster_index, cluster);
    return found && is_selected(selector, found);
}

const struct json_value *cluster_index_labels(const struct cluster_index *cluster_index,
                                              struct key cluster)
{
    const struct indexed_cluster *found = find_cluster(cluster_index, cluster);
    return found && found->labels ? json_doc_root(found->labels) : NULL;
}

void cluster_index_set_doubt(struct cluster_index *cluster_index, struct key cluster,
                             bool is_in_doubt)
{
    struct indexed_cluster *found = find_cluster(cluster_index, cluster);
    if (found)
        found->is_in_doubt = is_in_doubt;
}

bool cluster_index_is_in_doubt(const struct cluster_index *cluster_index, struct key cluster)
{
    const struct indexed_cluster *found = find_cluster(cluster_index, cluster);
    return found && found->is_in_doubt;
}

bool cluster_index_is_paused(const struct cluster_index *cluster_index, struct key cluster)
{
    const struct indexed_cluster *found = find_cluster(cluster_index, cluster);
    return found && found->is_paused;
}
