/*
 * One workload cluster, as a run uses it: the operations of corset/clusters.h. Connections come
 * from the ClusterCache and are held by the arena of the run; requests that are not answered from
 * memory go through library_send_*() of corset_client.c.
 */
#include <string.h>

#include "apimachinery/gvk.h"
#include "apimachinery/selector.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/clustercache.h"
#include "clustercache/clustercache_each.h"
#include "libcorset/library_internal.h"

struct corset_cluster {
    struct cluster_connection *connection;
    struct library_server server;
    bool is_uncached; /* reads ask the server */
};

static struct key key_from(const char *name_space, const char *name)
{
    return (struct key){str_from_c(name_space), str_from_c(name)};
}

static struct error *find_clusters(struct corset_run *run, struct clustercache **ret_clusters)
{
    *ret_clusters = library_controller(library_run(run))->clusters;
    if (*ret_clusters)
        return NULL;
    return error_new(ERROR_INVALID, "this process has no connections to workload clusters: set "
                                    "corset_manager_options.clusters");
}

typedef struct error *get_connection_fn(struct clustercache *cache, struct key cluster,
                                        struct cluster_connection **ret_connection);

static void release_connection(void *connection)
{
    cluster_connection_free(connection);
}

/* Errors name the cluster: a run may ask several ones. */
static struct error *get_connection(struct corset_run *run, struct key key, get_connection_fn *get,
                                    struct cluster_connection **ret_connection)
{
    struct clustercache *clusters;
    TRY(find_clusters(run, &clusters));
    TRY(get(clusters, key, ret_connection), "Cluster %.*s/%.*s", STR_ARG(key.namespace),
        STR_ARG(key.name));
    arena_hold(framework_arena(library_run(run)), release_connection, *ret_connection);
    return NULL;
}

static struct error *open_cluster(struct corset_run *run, struct key key, get_connection_fn *get,
                                  struct corset_cluster **ret_cluster)
{
    struct arena *arena = framework_arena(library_run(run));
    struct cluster_connection *connection;
    TRY(get_connection(run, key, get, &connection));
    struct corset_cluster *cluster = ARENA_NEW(arena, struct corset_cluster);
    *cluster = (struct corset_cluster){
        .connection = connection,
        .server = {.controller = library_controller(library_run(run)),
                   .arena = arena,
                   .client = cluster_connection_client(connection),
                   .discovery = cluster_connection_discovery(connection)},
        .is_uncached = get == clustercache_get_uncached_client,
    };
    *ret_cluster = cluster;
    return NULL;
}

struct corset_error *corset_cluster_client(struct corset_run *run, const char *name_space,
                                           const char *name, struct corset_cluster **ret_cluster)
{
    return library_error_out(
        open_cluster(run, key_from(name_space, name), clustercache_get_client, ret_cluster));
}

struct corset_error *corset_cluster_reader(struct corset_run *run, const char *name_space,
                                           const char *name,
                                           const struct corset_cluster **ret_cluster)
{
    struct corset_cluster *cluster = NULL;
    struct error *err =
        open_cluster(run, key_from(name_space, name), clustercache_get_reader, &cluster);
    if (!err)
        *ret_cluster = cluster;
    return library_error_out(err);
}

struct corset_error *corset_cluster_uncached_client(struct corset_run *run, const char *name_space,
                                                    const char *name,
                                                    struct corset_cluster **ret_cluster)
{
    return library_error_out(open_cluster(run, key_from(name_space, name),
                                          clustercache_get_uncached_client, ret_cluster));
}

const char *corset_cluster_namespace(const struct corset_cluster *cluster)
{
    return arena_c(cluster->server.arena,
                   cluster_connection_cluster(cluster->connection).namespace);
}

const char *corset_cluster_name(const struct corset_cluster *cluster)
{
    return arena_c(cluster->server.arena, cluster_connection_cluster(cluster->connection).name);
}

bool corset_cluster_is_connected(const struct corset_cluster *cluster)
{
    return cluster_connection_is_connected(cluster->connection);
}

/* Puts the name of the cluster in front of the error of a request. */
static struct corset_error *named(const struct corset_cluster *cluster, struct error *err)
{
    const struct key key = cluster_connection_cluster(cluster->connection);
    return library_error_out(
        error_wrap(err, "Cluster %.*s/%.*s", STR_ARG(key.namespace), STR_ARG(key.name)));
}

static struct error *get_cached(const struct corset_cluster *cluster, const struct corset_id *id,
                                const struct corset_object **ret_object)
{
    struct gvk gvk;
    OWNED(object) object = NULL;
    TRY(library_read_kind(id->api_version, id->kind, &gvk));
    TRY(cluster_connection_get(cluster->connection, gvk, library_key(id), &object));
    if (ret_object)
        *ret_object = library_wrap(cluster->server.arena, object);
    return NULL;
}

struct corset_error *corset_cluster_get(const struct corset_cluster *cluster,
                                        const struct corset_id *id,
                                        const struct corset_object **ret_object)
{
    return named(cluster, cluster->is_uncached ? library_send_get(&cluster->server, id, ret_object)
                                               : get_cached(cluster, id, ret_object));
}

/* The function of the author, and its error, which ends the list. */
struct visitor {
    corset_visit_fn *visit;
    void *data;
    struct error *err;
};

/* An object lives during its visit only: the list of a large cluster takes no memory then. */
static bool visit_cached(void *data, struct object *object)
{
    struct visitor *visitor = data;
    SCOPED(arena) arena = {0};
    visitor->err = library_error(visitor->visit(visitor->data, library_wrap(&arena, object)));
    return !visitor->err;
}

static struct error *visit_sent(void *data, struct object *object)
{
    struct visitor *visitor = data;
    (void)visit_cached(visitor, object);
    return TAKE(visitor->err);
}

static struct error *list_cached(const struct corset_cluster *cluster, const struct corset_id *id,
                                 struct visitor *visitor)
{
    struct gvk gvk;
    TRY(library_read_kind(id->api_version, id->kind, &gvk));
    TRY(cluster_connection_list(cluster->connection, gvk, str_from_c(id->name_space), visit_cached,
                                visitor));
    return visitor->err;
}

struct corset_error *corset_cluster_list(const struct corset_cluster *cluster,
                                         const struct corset_id *id, corset_visit_fn *visit,
                                         void *data)
{
    struct visitor visitor = {visit, data, NULL};
    const struct client_list_sink sink = {.each = visit_sent, .data = &visitor};
    return named(cluster, cluster->is_uncached
                              ? library_send_list(&cluster->server, id, NULL, &sink)
                              : list_cached(cluster, id, &visitor));
}

static struct error *list_indexed(const struct corset_cluster *cluster, const struct corset_id *id,
                                  struct str index, struct str value, struct visitor *visitor)
{
    struct gvk gvk;
    TRY(library_read_kind(id->api_version, id->kind, &gvk));
    TRY(cluster_connection_list_indexed(cluster->connection, gvk, index, value, visit_cached,
                                        visitor));
    return visitor->err;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of a list and of an index */
struct corset_error *corset_cluster_list_indexed(const struct corset_cluster *cluster,
                                                 const struct corset_id *id, const char *index,
                                                 const char *value, corset_visit_fn *visit,
                                                 void *data)
{
    struct visitor visitor = {visit, data, NULL};
    return named(cluster,
                 list_indexed(cluster, id, str_from_c(index), str_from_c(value), &visitor));
}

struct corset_error *corset_cluster_create(struct corset_cluster *cluster,
                                           const struct corset_object *object,
                                           const struct corset_object **ret_object)
{
    return named(cluster, library_send_create(&cluster->server, object, ret_object));
}

struct corset_error *corset_cluster_apply(struct corset_cluster *cluster,
                                          const struct corset_object *object,
                                          const struct corset_object **ret_object)
{
    return named(cluster, library_send_apply(&cluster->server, object, ret_object));
}

struct corset_error *corset_cluster_patch(struct corset_cluster *cluster,
                                          const struct corset_id *id, const char *subresource,
                                          const char *patch,
                                          const struct corset_object **ret_object)
{
    return named(cluster, library_send_patch(&cluster->server, id, subresource, patch, ret_object));
}

struct corset_error *corset_cluster_delete(struct corset_cluster *cluster,
                                           const struct corset_id *id)
{
    return named(cluster, library_send_delete(&cluster->server, id));
}

static void wipe_text(void *text)
{
    mem_wipe(text, strlen(text));
}

/* A copy of credentials that is wiped with the run. */
static const char *keep_secret(struct corset_run *run, struct str text)
{
    struct arena *arena = framework_arena(library_run(run));
    const char *copy = arena_c(arena, text);
    arena_hold(arena, wipe_text, (void *)copy);
    return copy;
}

static struct error *read_rest_config(struct corset_run *run, struct key key,
                                      struct corset_rest_config *ret_config)
{
    SCOPED(buf) text = {.limit = 0, .secret = true};
    struct cluster_connection *connection;
    TRY(get_connection(run, key, clustercache_get_rest_config, &connection));
    const struct rest_config *config = cluster_connection_config(connection);
    kubeconfig_write(&text, key.name, config);
    TRY(buf_check(&text));
    ret_config->host = arena_c(framework_arena(library_run(run)), config->host);
    ret_config->kubeconfig = keep_secret(run, buf_str(&text));
    return NULL;
}

struct corset_error *corset_cluster_rest_config(struct corset_run *run, const char *name_space,
                                                const char *name,
                                                struct corset_rest_config *ret_config)
{
    return library_error_out(read_rest_config(run, key_from(name_space, name), ret_config));
}

struct corset_error *corset_cluster_private_key(struct corset_run *run, const char *name_space,
                                                const char *name, const char **ret_pem)
{
    struct clustercache *clusters;
    struct str pem = {NULL, 0};
    struct error *err = find_clusters(run, &clusters);
    if (!err)
        err = clustercache_get_private_key(clusters, key_from(name_space, name), &pem);
    if (!err)
        *ret_pem = keep_secret(run, pem);
    return library_error_out(err);
}

struct corset_cluster_health corset_cluster_health(struct corset_run *run, const char *name_space,
                                                   const char *name)
{
    const struct clustercache *clusters = library_controller(library_run(run))->clusters;
    if (!clusters)
        return (struct corset_cluster_health){0};
    const struct clustercache_health health =
        clustercache_get_health(clusters, key_from(name_space, name));
    return (struct corset_cluster_health){
        .last_probe_ms = health.last_probe_wall / MILLISECOND,
        .last_success_ms = health.last_success_wall / MILLISECOND,
        .failures = health.failures,
    };
}

#define ANSWER_MAX_DEFAULT (4 * MEGABYTE)

/* The function of the author, and how large an answer may be. */
struct asker {
    corset_answer_fn *each;
    void *data;
    size_t answer_max;
};

/* A cluster whose answer cannot be read has not answered; the author's error ends the whole. */
static struct error *give_answer(void *data, struct clustercache_answer *answer)
{
    const struct asker *asker = data;
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = asker->answer_max};
    struct error *err = clustercache_answer_read_all(answer, &body);
    if (error_is(err, ERROR_CANCELED))
        return err;
    if (err) {
        clustercache_answer_fail(answer, err);
        return NULL;
    }
    const struct corset_answer given = {
        .cluster_namespace = arena_c(&arena, answer->cluster.namespace),
        .cluster_name = arena_c(&arena, answer->cluster.name),
        .status = answer->status,
        .body = buf_c(&body),
        .body_size = body.len,
    };
    return library_error(asker->each(asker->data, &given));
}

static struct corset_summary copy_summary(struct arena *arena,
                                          const struct clustercache_each_summary *summary)
{
    struct corset_unanswered *copies =
        arena_alloc_array(arena, summary->failure_count, sizeof(*copies));
    for (size_t i = 0; i < summary->failure_count; i++) {
        const struct clustercache_each_failure *failure = &summary->failures[i];
        copies[i] = (struct corset_unanswered){arena_c(arena, failure->cluster.namespace),
                                               arena_c(arena, failure->cluster.name),
                                               arena_c(arena, failure->reason)};
    }
    return (struct corset_summary){summary->asked, summary->answered, copies,
                                   summary->failure_count};
}

static struct error *ask_each(struct corset_run *run, const struct corset_question *question,
                              struct asker *asker, struct corset_summary *ret_summary)
{
    SCOPED(clustercache_each_summary) summary = {0};
    struct arena *arena = framework_arena(library_run(run));
    struct clustercache *clusters;
    struct selector selector = {0};
    const duration timeout = question->timeout_ms * MILLISECOND;
    TRY(find_clusters(run, &clusters));
    if (!question->path || question->path[0] != '/')
        return error_new(ERROR_INVALID, "corset_question.path must begin with \"/\"");
    if (question->cluster_selector)
        TRY(selector_read(arena, str_from_c(question->cluster_selector), &selector));
    const struct clustercache_each_options options = {
        .namespace = str_from_c(question->name_space),
        .selector = question->cluster_selector ? &selector : NULL,
        .path = str_from_c(question->path),
        .query = str_from_c(question->query),
        .window = question->window,
        .first_byte = timeout,
        .silence = timeout,
    };
    TRY(clustercache_each(clusters, &options, give_answer, asker, &summary));
    if (ret_summary)
        *ret_summary = copy_summary(arena, &summary);
    return NULL;
}

struct corset_error *corset_clusters_each(struct corset_run *run,
                                          const struct corset_question *question,
                                          corset_answer_fn *each, void *data,
                                          struct corset_summary *ret_summary)
{
    struct asker asker = {each, data, question->answer_max};
    if (!asker.answer_max)
        asker.answer_max = ANSWER_MAX_DEFAULT;
    return library_error_out(ask_each(run, question, &asker, ret_summary));
}

struct corset_error *corset_cluster_watch(struct corset_run *run, const char *name_space,
                                          const char *name,
                                          const struct corset_cluster_watch *watch)
{
    struct clustercache *clusters;
    struct error *err = find_clusters(run, &clusters);
    if (!err)
        err = library_clusters_watch(library_controller(library_run(run)),
                                     key_from(name_space, name), watch);
    return library_error_out(err);
}
