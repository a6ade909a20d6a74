/*
 * Workload clusters of the process: the options of corset/clusters.h become those of the
 * ClusterCache, and controllers become its sources and watches.
 *
 * Functions of authors are called through the static functions below, which translate the
 * arguments. Their data are the descriptions themselves, which live as long as the process.
 */
#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "clustercache/clustercache.h"
#include "libcorset/library_internal.h"

/* The index that a function of the author adds values to. */
struct corset_values {
    cache_emit_fn *emit;
    void *emit_data;
};

void corset_values_add(struct corset_values *values, const char *value)
{
    values->emit(values->emit_data, str_from_c(value));
}

static void index_object(void *data, const struct object *object, cache_emit_fn *emit,
                         void *emit_data)
{
    const struct corset_cluster_index *index = data;
    SCOPED(arena) arena = {0};
    struct corset_values values = {emit, emit_data};
    index->values(index->data, library_wrap(&arena, (struct object *)object), &values);
}

static struct error *transform_object(corset_transform_fn *transform, void *data,
                                      struct object *object, struct object **ret_object)
{
    SCOPED(arena) arena = {0};
    OWNED(object) lean = NULL;
    struct object *changed;
    TRY(cache_drop_managed_fields(NULL, object, &lean));
    struct corset_object *wrapped = library_wrap(&arena, lean);
    transform(data, wrapped);
    TRY(library_use(wrapped, &changed));
    *ret_object = object_ref(changed);
    return NULL;
}

static struct error *transform_kind(void *data, struct object *object, struct object **ret_object)
{
    const struct corset_cluster_cache *cache = data;
    return transform_object(cache->transform, cache->data, object, ret_object);
}

static struct error *transform_any(void *data, struct object *object, struct object **ret_object)
{
    const struct corset_clusters_options *options = data;
    return transform_object(options->transform, options->transform_data, object, ret_object);
}

static bool filter_cluster(void *data, const struct object *cluster)
{
    const struct corset_clusters_options *options = data;
    SCOPED(arena) arena = {0};
    return options->filter(options->filter_data, library_wrap(&arena, (struct object *)cluster));
}

static void on_probe(void *data, struct key cluster, int64_t due)
{
    const struct corset_clusters_options *options = data;
    SCOPED(arena) arena = {0};
    options->on_probe(options->on_probe_data, arena_c(&arena, cluster.namespace),
                      arena_c(&arena, cluster.name),
                      (loop_now(loop_current()) - due) / MILLISECOND);
}

static struct error *read_uncached(const struct corset_clusters_options *from, struct arena *arena,
                                   struct clustercache_options *to)
{
    struct gvk *kinds = arena_alloc_array(arena, from->uncached_count, sizeof(*kinds));
    for (size_t i = 0; i < from->uncached_count; i++)
        TRY(library_read_kind(from->uncached[i].api_version, from->uncached[i].kind, &kinds[i]),
            "clusters.uncached %zu", i);
    to->uncached = kinds;
    to->uncached_count = from->uncached_count;
    return NULL;
}

static struct error *read_caches(const struct corset_clusters_options *from, struct arena *arena,
                                 struct clustercache_options *to)
{
    struct clustercache_kind *kinds = arena_alloc_array(arena, from->cache_count, sizeof(*kinds));
    for (size_t i = 0; i < from->cache_count; i++) {
        const struct corset_cluster_cache *cache = &from->caches[i];
        TRY(library_read_kind(cache->api_version, cache->kind, &kinds[i].gvk),
            "clusters.caches %zu", i);
        kinds[i].options = (struct cache_options){
            .namespace = str_from_c(cache->name_space),
            .label_selector = str_from_c(cache->label_selector),
            .field_selector = str_from_c(cache->field_selector),
            .transform = cache->transform ? transform_kind : NULL,
            .transform_data = (void *)cache,
        };
    }
    to->kinds = kinds;
    to->kind_count = from->cache_count;
    return NULL;
}

static struct error *read_indexes(const struct corset_clusters_options *from, struct arena *arena,
                                  struct clustercache_options *to)
{
    struct clustercache_index *indexes =
        arena_alloc_array(arena, from->index_count, sizeof(*indexes));
    for (size_t i = 0; i < from->index_count; i++) {
        const struct corset_cluster_index *index = &from->indexes[i];
        TRY(library_read_kind(index->api_version, index->kind, &indexes[i].gvk),
            "clusters.indexes %zu", i);
        if (!index->name || !index->name[0] || !index->values)
            return error_new(ERROR_INVALID, "clusters.indexes %zu: name and values are required",
                             i);
        indexes[i].name = str_from_c(index->name);
        indexes[i].fn = index_object;
        indexes[i].data = (void *)index;
    }
    to->indexes = indexes;
    to->index_count = from->index_count;
    return NULL;
}

static void read_numbers(const struct corset_clusters_options *from,
                         struct clustercache_options *to)
{
    to->timeout = from->timeout_ms * MILLISECOND;
    to->qps = from->qps;
    to->burst = from->burst;
    to->concurrency = from->concurrency;
    to->handshakes = from->handshakes;
    to->resync = from->resync_ms * MILLISECOND;
    to->sync_period = from->sync_period_ms * MILLISECOND;
    to->timing = (struct clustercache_timing){
        .retry = from->retry_ms * MILLISECOND,
        .probe = from->probe_ms * MILLISECOND,
        .probe_timeout = from->probe_timeout_ms * MILLISECOND,
        .threshold = from->failure_threshold,
        .sync_timeout = from->sync_timeout_ms * MILLISECOND,
        .fallback = from->fallback_ms * MILLISECOND,
    };
}

static const struct corset_clusters_options defaults = {0};

struct error *library_clusters_read(struct arena *arena,
                                    const struct corset_clusters_options *options,
                                    struct clustercache_options *environment)
{
    options = options ? options : &defaults;
    TRY(read_uncached(options, arena, environment));
    TRY(read_caches(options, arena, environment));
    TRY(read_indexes(options, arena, environment));
    read_numbers(options, environment);
    environment->watch_filter = str_from_c(options->watch_filter);
    environment->filter = options->filter ? filter_cluster : NULL;
    environment->filter_data = (void *)options;
    environment->transform = options->transform ? transform_any : NULL;
    environment->transform_data = (void *)options;
    environment->private_keys = options->private_keys;
    environment->keep_pem = options->rest_configs;
    return NULL;
}

struct error *library_clusters_new(struct loop *loop, struct arena *arena,
                                   const struct corset_clusters_options *options,
                                   struct clustercache_options *environment,
                                   struct clustercache **ret_clusters)
{
    options = options ? options : &defaults;
    TRY(library_clusters_read(arena, options, environment));
    TRY(clustercache_new(loop, environment, ret_clusters));
    if (options->on_probe)
        clustercache_on_probe(*ret_clusters, on_probe, (void *)options);
    return NULL;
}

/* Both sides are mapped, as by map_event() of corset_controller.c. */
static void map_sides(const struct corset_cluster_watch *watch, struct key cluster,
                      const struct corset_object *const *sides, struct corset_keys *keys)
{
    SCOPED(arena) arena = {0};
    const char *name_space = arena_c(&arena, cluster.namespace);
    const char *name = arena_c(&arena, cluster.name);
    for (size_t i = 0; i < 2; i++)
        if (sides[i])
            watch->map(watch->data, name_space, name, sides[i], keys);
}

/* Objects that were there before, and resyncs, do not hold up changes: as in controller.c. */
static int priority_of(const struct cache_event *event)
{
    const bool is_old_news = (event->type == CACHE_ADDED && event->is_initial) ||
                             (event->type == CACHE_UPDATED && event->is_unchanged);
    return is_old_news ? QUEUE_LOW : QUEUE_NORMAL;
}

void library_clusters_map_event(const struct corset_cluster_watch *watch, struct key cluster,
                                const struct cache_event *event, struct queue *queue)
{
    struct corset_keys keys = {queue, priority_of(event)};
    if (!watch->map && !watch->filter) {
        queue_add(keys.queue, cluster, keys.priority);
        return;
    }
    SCOPED(arena) arena = {0};
    const struct corset_object *sides[] = {library_read_side(&arena, event->old),
                                           library_read_side(&arena, event->now)};
    if (watch->filter && !watch->filter(watch->data, sides[0], sides[1]))
        return;
    if (watch->map)
        map_sides(watch, cluster, sides, &keys);
    else
        queue_add(keys.queue, cluster, keys.priority);
}

/* The caches of connections end after the controllers do: there is no queue any more then. */
static void on_change(void *data, struct key cluster, const struct cache_event *event)
{
    const struct library_cluster_watch *own = data;
    if (own->controller->queue)
        library_clusters_map_event(own->watch, cluster, event, own->controller->queue);
}

/* One for each description, however many clusters it is asked for. */
static struct library_cluster_watch *keep_watch(struct library_controller *controller,
                                                const struct corset_cluster_watch *watch)
{
    struct library_cluster_watch *own = controller->cluster_watches;
    while (own && own->watch != watch)
        own = own->next;
    if (own)
        return own;
    own = NEW(struct library_cluster_watch);
    *own = (struct library_cluster_watch){controller->cluster_watches, controller, watch};
    controller->cluster_watches = own;
    return own;
}

/* Controllers share the names of a cluster, so that of the controller is put in front. */
struct error *library_clusters_watch(struct library_controller *controller, struct key cluster,
                                     const struct corset_cluster_watch *watch)
{
    SCOPED(buf) name = {.limit = 0};
    struct clustercache_watch inner = {.changed = on_change};
    TRY(library_read_kind(watch->api_version, watch->kind, &inner.gvk), "watch %s",
        watch->name ? watch->name : "");
    if (watch->name && watch->name[0])
        buf_print(&name, "%s/%s", controller->description->name, watch->name);
    inner.name = buf_str(&name);
    inner.data = keep_watch(controller, watch);
    return error_wrap(clustercache_watch(controller->clusters, cluster, &inner),
                      "Cluster %.*s/%.*s", STR_ARG(cluster.namespace), STR_ARG(cluster.name));
}

bool library_clusters_are_wanted(const struct corset_controller *description)
{
    return description->cluster_source || description->cluster_watch_count > 0;
}

/* After a disconnect there is nothing to watch, which is fine: a connect follows. */
static void start_watches(struct library_controller *controller, struct key cluster)
{
    const struct corset_controller *description = controller->description;
    for (size_t i = 0; i < description->cluster_watch_count; i++) {
        OWNED(error)
        err = library_clusters_watch(controller, cluster, &description->cluster_watches[i]);
        if (err && !error_is(err, ERROR_NOT_CONNECTED))
            log_error("A watch in a workload cluster cannot be started",
                      LOG_KEY("Cluster", cluster.namespace, cluster.name),
                      LOG_STR("controller", str_from_c(description->name)), LOG_ERROR(err));
    }
}

void library_clusters_map_cluster(const struct corset_controller *description, bool owns_clusters,
                                  const struct object *cluster, struct corset_keys *keys)
{
    const struct corset_cluster_source *source = description->cluster_source;
    SCOPED(arena) arena = {0};
    if (source && source->map)
        source->map(source->data, library_wrap(&arena, (struct object *)cluster), keys);
    else if (source || owns_clusters)
        queue_add(keys->queue, object_key(cluster), keys->priority);
}

static void on_cluster(void *data, const struct object *cluster, struct queue *queue, int priority)
{
    struct library_controller *controller = data;
    struct corset_keys keys = {queue, priority};
    start_watches(controller, object_key(cluster));
    library_clusters_map_cluster(controller->description, gvk_eq(controller->owner, GVK_CLUSTER),
                                 cluster, &keys);
}

void library_clusters_add_controller(struct library_controller *controller)
{
    const struct corset_cluster_source *from = controller->description->cluster_source;
    SCOPED(arena) arena = {0};
    const size_t count = from ? from->probe_failure_count : 0;
    duration *failures = arena_alloc_array(&arena, count, sizeof(*failures));
    for (size_t i = 0; i < count; i++)
        failures[i] = from->probe_failures_ms[i] * MILLISECOND;
    const struct clustercache_source source = {
        .controller = str_from_c(controller->description->name),
        .queue = controller->queue,
        .map = on_cluster,
        .data = controller,
        .probe_failures = failures,
        .probe_failure_count = count,
    };
    if (library_clusters_are_wanted(controller->description))
        clustercache_add_source(controller->clusters, &source);
}

void library_clusters_remove_controller(struct library_controller *controller)
{
    while (controller->cluster_watches) {
        struct library_cluster_watch *own = controller->cluster_watches;
        controller->cluster_watches = own->next;
        mem_free(own);
    }
}
