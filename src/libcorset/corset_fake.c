/*
 * The fake world of corset/fake.h.
 *
 * A world is its stores (fake_store.h). A run makes everything else anew and takes it down again:
 * a loop, a network inside the process (fake_network.h), a server for each store (fake_api.h), and
 * what corset_manager.c makes for a process: client, discovery, caches, the controller, and a
 * ClusterCache whose connections are given (clustercache/clustercache_static.h). So nothing of a
 * run is left but what it has written, and no cache is ever behind.
 */
#include <corset/fake.h>
#include <errno.h>
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache.h"
#include "clustercache/clustercache_static.h"
#include "controller/queue.h"
#include "controller/recorder.h"
#include "http/server.h"
#include "json/yaml/manifest.h"
#include "libcorset/fake_api.h"
#include "libcorset/fake_network.h"
#include "libcorset/fake_store.h"
#include "libcorset/library_internal.h"
#include "net/network.h"
#include "net/tls.h"

#define RUN_TIMEOUT MINUTE /* as controller.c has it */
#define FILE_MAX    (64 * MEGABYTE)

struct corset_fake_api {
    struct corset_fake *fake;
    struct key cluster; /* empty: the API server of the manager */
    struct str host;
    enum corset_fake_link link;
    struct corset_cluster_health health;
    bool has_health;
    struct fake_store store;
    struct http_server *server; /* during a run */
};

/* A watch that a run has asked for. */
struct asked_watch {
    const struct corset_controller *controller;
    const struct corset_cluster_watch *watch;
};

struct corset_fake {
    struct arena arena;
    const struct corset_clusters_options *options;
    struct corset_fake_api management;
    struct map clusters; /* "namespace/name" -> struct corset_fake_api */
    struct asked_watch *asked;
    size_t asked_count, asked_capacity;
};

struct corset_fake *corset_fake_new(const struct corset_clusters_options *options)
{
    struct corset_fake *fake = NEW(struct corset_fake);
    fake->options = options;
    fake->management = (struct corset_fake_api){.fake = fake, .host = STR("management.invalid")};
    return fake;
}

void corset_fake_free(struct corset_fake *fake)
{
    if (!fake)
        return;
    MAP_FOREACH (entry, &fake->clusters) {
        struct corset_fake_api *api = entry->value;
        fake_store_done(&api->store);
        mem_free(api);
    }
    fake_store_done(&fake->management.store);
    map_done(&fake->clusters);
    mem_free(fake->asked);
    arena_done(&fake->arena);
    mem_free(fake);
}

struct corset_fake_api *corset_fake_management(struct corset_fake *fake)
{
    return &fake->management;
}

struct corset_fake_api *corset_fake_cluster(struct corset_fake *fake, const char *name_space,
                                            const char *name)
{
    SCOPED(arena) arena = {0};
    const struct key key = {str_from_c(name_space), str_from_c(name)};
    const struct str text = key_text(&arena, key);
    struct corset_fake_api *api = map_find(&fake->clusters, text);
    if (api)
        return api;
    api = NEW(struct corset_fake_api);
    *api = (struct corset_fake_api){
        .fake = fake,
        .cluster = key_copy(&fake->arena, key),
        .host = arena_print(&fake->arena, "cluster-%zu.invalid", map_count(&fake->clusters) + 1),
    };
    map_put(&fake->clusters, text, api);
    return api;
}

void corset_fake_set_link(struct corset_fake_api *cluster, enum corset_fake_link link)
{
    cluster->link = link;
}

void corset_fake_set_health(struct corset_fake_api *cluster,
                            const struct corset_cluster_health *health)
{
    cluster->health = *health;
    cluster->has_health = true;
}

/* ---- Objects. ---- */

struct corset_error *corset_fake_put(struct corset_fake_api *api,
                                     const struct corset_object *object)
{
    struct object *inner = NULL;
    struct error *err = library_use(object, &inner);
    if (!err)
        err = fake_store_put(&api->store, inner);
    return library_error_out(err);
}

static struct error *put_text(struct corset_fake_api *api, struct str text)
{
    SCOPED(manifest_list) list = {0};
    TRY(manifest_read_stream(text, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        OWNED(object) object = NULL;
        TRY(object_from_doc(list.docs[i], &object), "document %zu", i + 1);
        TRY(fake_store_put(&api->store, object), "document %zu", i + 1);
    }
    return NULL;
}

struct corset_error *corset_fake_put_yaml(struct corset_fake_api *api, const char *text)
{
    return library_error_out(put_text(api, str_from_c(text)));
}

static struct error *read_file(FILE *file, struct buf *text)
{
    char piece[4096];
    size_t count;
    while ((count = fread(piece, 1, sizeof(piece), file)) > 0)
        buf_add(text, str_from(piece, count));
    if (ferror(file))
        return error_new(ERROR_IO, "it cannot be read");
    return buf_check(text);
}

static struct error *put_file(struct corset_fake_api *api, const char *path)
{
    SCOPED(buf) text = {.limit = FILE_MAX, .secret = true};
    FILE *file = fopen(path, "re");
    if (!file)
        return error_from_errno(errno, "open");
    struct error *err = read_file(file, &text);
    (void)fclose(file);
    return err ? err : put_text(api, buf_str(&text));
}

struct corset_error *corset_fake_put_file(struct corset_fake_api *api, const char *path)
{
    return library_error_out(error_wrap(put_file(api, path), "%s", path));
}

static struct error *find_place(const struct corset_fake_api *api, const struct corset_id *id,
                                struct fake_place *ret_place)
{
    struct gvk gvk;
    TRY(library_read_kind(id->api_version, id->kind, &gvk));
    *ret_place =
        (struct fake_place){.kind = fake_store_find_kind(&api->store, gvk), .key = library_key(id)};
    if (ret_place->kind)
        return NULL;
    return error_new(ERROR_NOT_FOUND, "the fake does not serve kind %s of %s", id->kind,
                     id->api_version);
}

struct corset_error *corset_fake_delete(struct corset_fake_api *api, const struct corset_id *id)
{
    OWNED(object) left = NULL;
    struct fake_place place;
    struct error *err = find_place(api, id, &place);
    if (!err)
        err = fake_store_delete(&api->store, &place, STR(""), STR(""), &left);
    return library_error_out(err);
}

/* In the version of the id. */
static const struct corset_object *hand_out(struct corset_fake_api *api, struct object *object,
                                            const struct corset_id *id)
{
    struct corset_object *wrapped = library_wrap(&api->fake->arena, object);
    corset_object_set_string(wrapped, "apiVersion", id->api_version);
    return wrapped;
}

const struct corset_object *corset_fake_get(struct corset_fake_api *api, const struct corset_id *id)
{
    struct fake_place place;
    OWNED(error) unknown = find_place(api, id, &place);
    struct object *object = unknown ? NULL : fake_store_find(&api->store, &place);
    return object ? hand_out(api, object, id) : NULL;
}

/* The object with this index, and the number of those that were passed before the end. */
static struct object *walk_kind(struct corset_fake_api *api, const struct corset_id *id,
                                size_t index, size_t *ret_count)
{
    SCOPED(arena) arena = {0};
    struct fake_place place;
    OWNED(error) unknown = find_place(api, id, &place);
    *ret_count = 0;
    if (unknown)
        return NULL;
    const struct str kind = fake_kind_path(&arena, place.kind);
    const struct str prefix =
        place.key.namespace.len ? ARENA_JOIN(&arena, kind, STR("/"), place.key.namespace, STR("/"))
                                : ARENA_JOIN(&arena, kind, STR("/"));
    for (struct tree_node *node = tree_seek(&api->store.objects, prefix);
         node && str_starts_with(tree_key(node), prefix); node = tree_next(node))
        if ((*ret_count)++ == index)
            return node->value;
    return NULL;
}

size_t corset_fake_count(struct corset_fake_api *api, const struct corset_id *id)
{
    size_t count;
    (void)walk_kind(api, id, SIZE_MAX, &count);
    return count;
}

const struct corset_object *corset_fake_at(struct corset_fake_api *api, const struct corset_id *id,
                                           size_t index)
{
    size_t count;
    struct object *object = walk_kind(api, id, index, &count);
    return object ? hand_out(api, object, id) : NULL;
}

size_t corset_fake_writes(const struct corset_fake_api *api)
{
    return api->store.writes;
}

/* ---- A run. ---- */

/* Members are made in this order and released in the opposite order, by end_run(). */
struct run {
    struct corset_fake *fake;
    struct key owner;
    struct reconcile_result result;
    struct loop *loop;
    struct arena arena;
    struct network *network;
    struct tls_context *tls;
    struct metrics *metrics;
    struct rest_config config; /* of the API server */
    struct client *client;
    struct discovery_pool *pool;
    struct discovery *discovery;
    struct cache_set *caches;
    struct library_controller controller;
    struct clustercache *clusters;
};

/* What a run asked for is remembered, for corset_fake_owners(). */
static void keep_watches(struct corset_fake *fake, const struct library_controller *controller)
{
    for (const struct library_cluster_watch *own = controller->cluster_watches; own;
         own = own->next) {
        bool is_known = false;
        for (size_t i = 0; i < fake->asked_count; i++)
            is_known |= fake->asked[i].watch == own->watch;
        const struct asked_watch asked = {controller->description, own->watch};
        if (!is_known)
            ARRAY_PUSH(fake->asked, fake->asked_count, fake->asked_capacity, asked);
    }
}

static void stop_server(struct corset_fake_api *api)
{
    http_server_free(TAKE(api->server));
}

static void end_run(struct run *run)
{
    clustercache_static_free(run->clusters);
    keep_watches(run->fake, &run->controller);
    library_clusters_remove_controller(&run->controller);
    library_controller_close(&run->controller);
    recorder_free(run->controller.recorder);
    cache_set_free(run->caches);
    discovery_free(run->discovery);
    discovery_pool_free(run->pool);
    client_free(run->client);
    rest_config_done(&run->config);
    MAP_FOREACH (entry, &run->fake->clusters)
        stop_server(entry->value);
    stop_server(&run->fake->management);
    metrics_free(run->metrics);
    tls_context_free(run->tls);
    network_free(run->network);
    arena_done(&run->arena);
}

static struct rest_config make_config(const struct corset_fake_api *api)
{
    struct rest_config config = {
        .server = {.scheme = URL_HTTP, .port = FAKE_API_PORT},
    };
    config.server.host = arena_str(&config.arena, api->host);
    config.host = arena_print(&config.arena, "http://%.*s", STR_ARG(api->host));
    return config;
}

static struct error *start_server(struct run *run, struct corset_fake_api *api)
{
    return fake_api_serve(run->loop, run->network, api->host, &api->store, &api->server);
}

static struct error *start_servers(struct run *run)
{
    TRY(start_server(run, &run->fake->management));
    MAP_FOREACH (entry, &run->fake->clusters) {
        struct corset_fake_api *api = entry->value;
        if (api->link == CORSET_FAKE_CONNECTED)
            TRY(start_server(run, api));
    }
    return NULL;
}

static void open_client(struct run *run)
{
    run->config = make_config(&run->fake->management);
    const struct client_options options = {
        .config = &run->config, .network = run->network, .tls = run->tls, .qps = -1};
    run->client = client_new(run->loop, &options);
    run->pool = discovery_pool_new();
    run->discovery = discovery_new(run->client, run->pool, NULL);
    run->caches = cache_set_new(run->loop, run->client);
}

static struct error *open_controller(struct run *run)
{
    struct library_controller *controller = &run->controller;
    const struct corset_controller *description = controller->description;
    if (!description->name)
        return error_new(ERROR_INVALID, "the controller has no name");
    const struct recorder_options events = {
        .client = run->client,
        .controller = arena_print(&run->arena, "%s/%s",
                                  description->domain ? description->domain : "corset.dev",
                                  description->name),
        .metrics = run->metrics,
    };
    controller->client = run->client;
    controller->discovery = run->discovery;
    controller->caches = run->caches;
    controller->metrics = run->metrics;
    controller->recorder = recorder_new(run->loop, &events);
    return library_controller_open(controller, run->loop);
}

static void set_health(struct run *run, const struct corset_fake_api *api)
{
    const bool is_connected = api->link == CORSET_FAKE_CONNECTED;
    const timestamp now = loop_wall(run->loop);
    struct clustercache_health health = {
        .last_probe_wall = now,
        .last_success_wall = is_connected ? now : 0,
        .failures = is_connected ? 0 : 1,
    };
    if (api->has_health) {
        health.last_probe_wall = api->health.last_probe_ms * MILLISECOND;
        health.last_success_wall = api->health.last_success_ms * MILLISECOND;
        health.failures = api->health.failures;
    }
    clustercache_static_set_health(run->clusters, api->cluster, &health);
}

/* A cluster as a connect would leave it, or as the end of its connection has left it. */
static struct error *add_cluster(struct run *run, const struct corset_fake_api *api)
{
    struct rest_config config = make_config(api);
    if (api->link == CORSET_FAKE_CONNECTED) {
        clustercache_static_add(run->clusters, api->cluster, &config);
        TRY(clustercache_static_begin_caches(run->clusters, api->cluster));
    } else {
        OWNED(error) why = error_new(ERROR_UNREACHABLE, "the fake says that it is not connected");
        rest_config_done(&config);
        clustercache_static_add_lost(run->clusters, api->cluster, why);
    }
    set_health(run, api);
    return NULL;
}

/* The library asks for these in every cluster that is connected. */
static struct error *start_watches(struct run *run, const struct corset_fake_api *api)
{
    const struct corset_controller *description = run->controller.description;
    if (api->link != CORSET_FAKE_CONNECTED)
        return NULL;
    for (size_t i = 0; i < description->cluster_watch_count; i++)
        TRY(library_clusters_watch(&run->controller, api->cluster,
                                   &description->cluster_watches[i]));
    return NULL;
}

static struct error *open_clusters(struct run *run)
{
    struct clustercache_options environment = {
        .network = run->network,
        .tls = run->tls,
        .metrics = run->metrics,
        .user_agent = str_from_c(run->controller.description->name),
    };
    if (!run->fake->options && !library_clusters_are_wanted(run->controller.description))
        return NULL;
    TRY(library_clusters_read(&run->arena, run->fake->options, &environment));
    if (environment.private_keys)
        return error_new(ERROR_INVALID, "the fake makes no private keys");
    environment.qps = -1; /* a test need not wait */
    run->clusters = clustercache_static_new(run->loop, &environment);
    run->controller.clusters = run->clusters;
    MAP_FOREACH (entry, &run->fake->clusters) {
        const struct corset_fake_api *api = entry->value;
        if (api->link == CORSET_FAKE_UNKNOWN)
            continue;
        TRY(add_cluster(run, api), "Cluster %.*s/%.*s", STR_ARG(api->cluster.namespace),
            STR_ARG(api->cluster.name));
        TRY(start_watches(run, api));
    }
    return NULL;
}

/* Events of the controller are sent when the scope ends, at the latest. */
static struct error *run_once(struct run *run)
{
    SCOPED(scope) scope = {0};
    FIBER_TIMEOUT(RUN_TIMEOUT);
    run->network = fake_network_new(run->loop);
    run->tls = tls_context_new();
    run->metrics = metrics_new();
    TRY(start_servers(run));
    open_client(run);
    TRY(open_controller(run));
    TRY(open_clusters(run));
    TRY(cache_set_wait_synced(run->caches));
    scope_start(&scope, "events", recorder_run, run->controller.recorder);
    return framework_reconcile(run->controller.framework, run->owner, &run->result);
}

static struct error *begin_run(void *data)
{
    struct run *run = data;
    run->loop = loop_current();
    struct error *err = run_once(run);
    end_run(run);
    return err;
}

struct corset_error *corset_fake_run(struct corset_fake *fake,
                                     const struct corset_controller *controller,
                                     const char *name_space, const char *name,
                                     struct corset_fake_result *ret_result)
{
    OWNED(loop) loop = loop_new();
    struct run run = {
        .fake = fake,
        .owner = {str_from_c(name_space), str_from_c(name)},
        .controller = {.description = controller                     },
    };
    struct error *err = loop_run(loop, begin_run, &run);
    if (ret_result)
        *ret_result = (struct corset_fake_result){
            .is_again =
                run.result.requeue || run.result.requeue_after || (err && !run.result.is_terminal),
            .after_ms = run.result.requeue_after / MILLISECOND,
        };
    return library_error_out(err);
}

/* ---- Events. ---- */

struct question {
    struct corset_fake *fake;
    const struct corset_controller *controller;
    const struct corset_fake_event *event;
    bool is_heard;
    struct buf owners;
};

static bool is_kind(const struct corset_cluster_watch *watch, const struct object *object)
{
    struct gvk gvk;
    OWNED(error) wrong = library_read_kind(watch->api_version, watch->kind, &gvk);
    return !wrong && gvk_eq(gvk, object_gvk(object));
}

static void ask_watch(struct question *question, const struct corset_cluster_watch *watch,
                      struct queue *queue)
{
    const struct corset_fake_event *event = question->event;
    const struct key cluster = {str_from_c(event->cluster_namespace),
                                str_from_c(event->cluster_name)};
    struct object *some = library_settle(event->now ? event->now : event->old);
    if (!is_kind(watch, some))
        return;
    OWNED(object_text) old = event->old ? object_text_new(library_settle(event->old)) : NULL;
    OWNED(object_text) now = event->now ? object_text_new(library_settle(event->now)) : NULL;
    const struct cache_event inner = {.type = !old  ? CACHE_ADDED
                                              : now ? CACHE_UPDATED
                                                    : CACHE_DELETED,
                                      .old = old,
                                      .now = now};
    question->is_heard = true;
    library_clusters_map_event(watch, cluster, &inner, queue);
}

static void ask_watches(struct question *question, struct queue *queue)
{
    const struct corset_fake *fake = question->fake;
    const struct corset_controller *controller = question->controller;
    for (size_t i = 0; i < controller->cluster_watch_count; i++)
        ask_watch(question, &controller->cluster_watches[i], queue);
    for (size_t i = 0; i < fake->asked_count; i++) {
        const struct corset_cluster_watch *watch = fake->asked[i].watch;
        const bool is_described =
            watch >= controller->cluster_watches &&
            watch < controller->cluster_watches + controller->cluster_watch_count;
        if (fake->asked[i].controller == controller && !is_described)
            ask_watch(question, watch, queue);
    }
}

static void ask_source(struct question *question, struct queue *queue)
{
    const struct corset_controller *controller = question->controller;
    const struct corset_id id = {"cluster.x-k8s.io/v1beta2", "Cluster",
                                 question->event->cluster_namespace, question->event->cluster_name};
    struct corset_keys keys = {queue, QUEUE_NORMAL};
    struct gvk owner;
    struct fake_place place;
    OWNED(error) wrong = library_read_kind(controller->api_version, controller->kind, &owner);
    if (!wrong)
        wrong = find_place(&question->fake->management, &id, &place);
    if (wrong || !library_clusters_are_wanted(controller))
        return;
    const bool owns_clusters = gvk_eq(owner, GVK_CLUSTER);
    const struct object *cluster = fake_store_find(&question->fake->management.store, &place);
    if (!cluster || (!controller->cluster_source && !owns_clusters))
        return;
    question->is_heard = true;
    library_clusters_map_cluster(controller, owns_clusters, cluster, &keys);
}

static struct error *ask_owners(void *data)
{
    struct question *question = data;
    const struct queue_options options = {.name = STR("fake")};
    OWNED(queue) queue = queue_new(loop_current(), &options);
    if (question->event->old || question->event->now)
        ask_watches(question, queue);
    else
        ask_source(question, queue);
    while (queue_ready(queue) > 0) {
        struct queue_item item;
        TRY(queue_take(queue, &item));
        if (question->owners.len)
            buf_add_char(&question->owners, ' ');
        key_write(&question->owners, item.key);
        queue_done(queue, &item);
    }
    return NULL;
}

const char *corset_fake_owners(struct corset_fake *fake, const struct corset_controller *controller,
                               const struct corset_fake_event *event)
{
    OWNED(loop) loop = loop_new();
    struct question question = {.fake = fake, .controller = controller, .event = event};
    OWNED(error) err = loop_run(loop, ask_owners, &question);
    const char *owners =
        question.is_heard && !err ? arena_c(&fake->arena, buf_str(&question.owners)) : NULL;
    buf_done(&question.owners);
    return owners;
}
