/* What a driver can be told. Words are separated by single spaces; C is the name of a Cluster. */
#include "async/loop.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache_internal.h"
#include "driver.h"

#define WORDS_MAX ((size_t)5)

/* A watch and what it has told: "+n1! ~n1 -n1", "!" for the first list, "?" for a missed end. */
struct watch {
    struct list_link link;
    char *name;
    struct buf seen;
    size_t starts;
    bool fails;
};

struct call {
    struct driver *driver;
    struct str words[WORDS_MAX]; /* empty behind the last */
    struct buf *answer;
};

static struct key cluster_of(const struct call *call)
{
    return (struct key){call->driver->settings.namespace, call->words[1]};
}

static struct error *find_accessor(const struct call *call, struct accessor **ret_accessor)
{
    *ret_accessor = clustercache_find(call->driver->cache, cluster_of(call));
    if (!*ret_accessor)
        return error_new(ERROR_NOT_FOUND, "there is no accessor of %.*s", STR_ARG(call->words[1]));
    return NULL;
}

/* client|reader|uncached|config C: whether it is handed out, and for which server. */
static struct error *do_getter(struct call *call)
{
    static const struct {
        struct str name;
        struct error *(*get)(struct clustercache *cache, struct key cluster,
                             struct cluster_connection **ret_connection);
    } getters[] = {
        {STR_INIT("client"),   clustercache_get_client         },
        {STR_INIT("reader"),   clustercache_get_reader         },
        {STR_INIT("uncached"), clustercache_get_uncached_client},
        {STR_INIT("config"),   clustercache_get_rest_config    },
    };
    OWNED(cluster_connection) connection = NULL;
    for (size_t i = 0; i < COUNT(getters); i++)
        if (str_eq(getters[i].name, call->words[0]))
            TRY(getters[i].get(call->driver->cache, cluster_of(call), &connection));
    buf_add(call->answer, cluster_connection_config(connection)->host);
    return NULL;
}

static struct error *get_connection(const struct call *call,
                                    struct cluster_connection **ret_connection)
{
    return clustercache_get_client(call->driver->cache, cluster_of(call), ret_connection);
}

static bool add_name(void *data, struct object *object)
{
    struct buf *names = data;
    if (names->len)
        buf_add_char(names, ' ');
    buf_add(names, object_name(object));
    return true;
}

/* get C KIND [NAMESPACE/]NAME: from the cache. */
static struct error *do_get(struct call *call)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) object = NULL;
    struct key key;
    TRY(key_read(call->words[3], &key));
    TRY(get_connection(call, &connection));
    TRY(cluster_connection_get(connection, driver_read_kind(call->words[2]), key, &object));
    object_write(call->answer, object);
    return NULL;
}

/* list C KIND: names, from the cache. */
static struct error *do_list(struct call *call)
{
    OWNED(cluster_connection) connection = NULL;
    TRY(get_connection(call, &connection));
    return cluster_connection_list(connection, driver_read_kind(call->words[2]), STR(""), add_name,
                                   call->answer);
}

/* indexed C VALUE: names of Nodes, by the index. */
static struct error *do_indexed(struct call *call)
{
    OWNED(cluster_connection) connection = NULL;
    TRY(get_connection(call, &connection));
    return cluster_connection_list_indexed(connection, GVK("", "v1", "Node"), DRIVER_INDEX,
                                           call->words[2], add_name, call->answer);
}

/* live C RESOURCE [NAMESPACE/]NAME: from the server. */
static struct error *do_live(struct call *call)
{
    OWNED(cluster_connection) connection = NULL;
    OWNED(object) object = NULL;
    struct key key;
    TRY(key_read(call->words[3], &key));
    TRY(clustercache_get_uncached_client(call->driver->cache, cluster_of(call), &connection));
    TRY(client_get(cluster_connection_client(connection), driver_read_resource(call->words[2]), key,
                   NULL, &object));
    object_write(call->answer, object);
    return NULL;
}

/* live-list C RESOURCE: names, from the server. */
static struct error *do_live_list(struct call *call)
{
    OWNED(cluster_connection) connection = NULL;
    SCOPED(arena) arena = {0};
    struct object_list list;
    TRY(clustercache_get_uncached_client(call->driver->cache, cluster_of(call), &connection));
    TRY(client_list_page(cluster_connection_client(connection),
                         driver_read_resource(call->words[2]), STR(""), NULL, &arena, &list));
    for (size_t i = 0; i < list.count; i++)
        (void)add_name(call->answer, list.items[i]);
    return NULL;
}

static struct watch *find_watch(struct driver *driver, struct str name)
{
    LIST_FOREACH (struct watch, watch, &driver->watches, link)
        if (str_eq(str_from_c(watch->name), name))
            return watch;
    struct watch *watch = NEW(struct watch);
    watch->name = mem_dup(name.ptr, name.len);
    list_append(&driver->watches, &watch->link);
    return watch;
}

void driver_forget_watches(struct driver *driver)
{
    LIST_FOREACH (struct watch, watch, &driver->watches, link) {
        buf_done(&watch->seen);
        mem_free(watch->name);
        mem_free(watch);
    }
}

static void on_change(void *data, struct key cluster, const struct cache_event *event)
{
    struct watch *watch = data;
    const struct object_text *text = event->now ? event->now : event->old;
    (void)cluster;
    if (watch->seen.len)
        buf_add_char(&watch->seen, ' ');
    buf_add_char(&watch->seen, "+~-"[event->type]);
    buf_add(&watch->seen, object_text_key(text).name);
    if (event->is_initial)
        buf_add_char(&watch->seen, '!');
    if (event->final_state_unknown)
        buf_add_char(&watch->seen, '?');
}

static struct error *on_start(void *data, struct cluster_connection *connection)
{
    struct watch *watch = data;
    watch->starts++;
    if (!cluster_connection_is_connected(connection) || watch->fails)
        return error_new(ERROR_INTERNAL, "not now");
    return NULL;
}

/* watch C KIND NAME: NAME may be left out. own C KIND NAME works|fails: with a start of its own. */
static struct error *do_watch(struct call *call)
{
    struct watch *watch = find_watch(call->driver, call->words[3]);
    const bool is_own = str_eq(call->words[0], STR("own"));
    watch->fails = str_eq(call->words[4], STR("fails"));
    return clustercache_watch(call->driver->cache, cluster_of(call),
                              &(struct clustercache_watch){.name = call->words[3],
                                                           .gvk = driver_read_kind(call->words[2]),
                                                           .changed = on_change,
                                                           .data = watch,
                                                           .start = is_own ? on_start : NULL});
}

/* seen NAME: what the watch has told. */
static struct error *do_seen(struct call *call)
{
    buf_add(call->answer, buf_str(&find_watch(call->driver, call->words[1])->seen));
    return NULL;
}

/* starts NAME: how often its own start was called. */
static struct error *do_starts(struct call *call)
{
    buf_print(call->answer, "%zu", find_watch(call->driver, call->words[1])->starts);
    return NULL;
}

/* health C: last probe, last success (nanoseconds of the loop's clock), failures. */
static struct error *do_health(struct call *call)
{
    const struct clustercache_health health =
        clustercache_get_health(call->driver->cache, cluster_of(call));
    buf_print(call->answer, "%lld %lld %u", (long long)health.last_probe,
              (long long)health.last_success, health.failures);
    return NULL;
}

/* count: accessors, and those with a connection. */
static struct error *do_count(struct call *call)
{
    buf_print(call->answer, "%zu %zu", clustercache_count(call->driver->cache),
              clustercache_connected(call->driver->cache));
    return NULL;
}

/* disconnect|probe C: the accessor's own operations, whatever its state. */
static struct error *do_operation(struct call *call)
{
    static const struct {
        struct str name;
        void (*run)(struct accessor *accessor);
    } operations[] = {
        {STR_INIT("disconnect"), accessor_disconnect },
        {STR_INIT("probe"),      accessor_start_probe},
    };
    struct accessor *accessor;
    TRY(find_accessor(call, &accessor));
    for (size_t i = 0; i < COUNT(operations); i++)
        if (str_eq(operations[i].name, call->words[0]))
            operations[i].run(accessor);
    buf_print(call->answer, "%s", accessor->is_probing ? "probing" : "");
    return NULL;
}

/* reconcile C: milliseconds until the next one. */
static struct error *do_reconcile(struct call *call)
{
    struct reconcile_result result = {0};
    TRY(clustercache_reconcile(call->driver->cache, cluster_of(call), &result));
    buf_print(call->answer, "%lld", (long long)(result.requeue_after / MILLISECOND));
    return NULL;
}

/* filter out|in: whether all Clusters are. */
static struct error *do_filter(struct call *call)
{
    call->driver->is_filtered_out = str_eq(call->words[1], STR("out"));
    return NULL;
}

/* told: how often, source by source. */
static struct error *do_told(struct call *call)
{
    for (size_t i = 0; i < call->driver->settings.sources; i++)
        buf_print(call->answer, "%s%zu", i ? " " : "", call->driver->told[i]);
    return NULL;
}

/* metrics: the whole text, as a JSON string. */
static struct error *do_metrics(struct call *call)
{
    SCOPED(buf) text = {0};
    metrics_write(call->driver->metrics, &text);
    buf_add_json_string(call->answer, buf_str(&text));
    return NULL;
}

/* load SPAN CLUSTERS: see driver_load(). */
static struct error *do_load(struct call *call)
{
    duration span;
    uint64_t clusters;
    if (!duration_read(call->words[1], &span) || !str_to_uint64(call->words[2], &clusters))
        return error_new(ERROR_INVALID, "load SPAN CLUSTERS");
    return driver_load(call->driver, span, clusters, call->answer);
}

static const struct {
    struct str name;
    struct error *(*run)(struct call *call);
} commands[] = {
    {STR_INIT("client"),     do_getter   },
    {STR_INIT("reader"),     do_getter   },
    {STR_INIT("uncached"),   do_getter   },
    {STR_INIT("config"),     do_getter   },
    {STR_INIT("get"),        do_get      },
    {STR_INIT("list"),       do_list     },
    {STR_INIT("indexed"),    do_indexed  },
    {STR_INIT("live"),       do_live     },
    {STR_INIT("live-list"),  do_live_list},
    {STR_INIT("watch"),      do_watch    },
    {STR_INIT("own"),        do_watch    },
    {STR_INIT("seen"),       do_seen     },
    {STR_INIT("starts"),     do_starts   },
    {STR_INIT("health"),     do_health   },
    {STR_INIT("count"),      do_count    },
    {STR_INIT("disconnect"), do_operation},
    {STR_INIT("probe"),      do_operation},
    {STR_INIT("reconcile"),  do_reconcile},
    {STR_INIT("filter"),     do_filter   },
    {STR_INIT("told"),       do_told     },
    {STR_INIT("metrics"),    do_metrics  },
    {STR_INIT("load"),       do_load     },
};

struct error *driver_command(struct driver *driver, struct str line, struct buf *answer)
{
    struct call call = {.driver = driver, .answer = answer};
    for (size_t i = 0; i < WORDS_MAX; i++)
        (void)str_cut(&line, ' ', &call.words[i]);
    for (size_t i = 0; i < COUNT(commands); i++)
        if (str_eq(commands[i].name, call.words[0]))
            return commands[i].run(&call);
    return error_new(ERROR_INVALID, "no command %.*s", STR_ARG(call.words[0]));
}
