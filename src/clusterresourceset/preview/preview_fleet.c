/*
 * A number of fibers take one cluster after the other from a common list. A connection is for one
 * cluster and is made with HTTP/1.1, because its requests follow each other.
 */
#include "clusterresourceset/preview/preview_fleet.h"

#include "apimachinery/wellknown.h"
#include "async/cpu_turn.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "clustercache/kubeconfig_secret.h"
#include "clusterresourceset/preview/preview_values.h"

#define CONCURRENCY_DEFAULT 256
#define OBJECT_TIME         (500 * MILLISECOND) /* for each object, beyond the timeout */
#define ANSWER_MAX          (64 * MEGABYTE)

struct fleet_run {
    const struct preview_fleet *fleet;
    const struct preview_fleet_cluster *clusters;
    size_t count, next;
    struct preview *preview;
    struct discovery_pool *pool;
    const struct preview_subject *subject; /* the one object that is asked for; NULL: all */
    struct object **ret_live;              /* the same */
};

static bool is_selected(const struct preview_set *set, const struct object *cluster)
{
    return str_eq(set->key.namespace, object_namespace(cluster)) && !object_is_deleting(cluster) &&
           selector_matches(&plan_spec(set->plan)->selector, object_labels(cluster));
}

bool preview_fleet_selects(const struct preview_fleet *fleet, const struct object *cluster)
{
    for (size_t i = 0; i < fleet->set_count; i++)
        if (is_selected(&fleet->sets[i], cluster))
            return true;
    return false;
}

/* The kubeconfig of a cluster, or a sentence about what is in the way. Suspends. */
static struct error *read_kubeconfig(const struct fleet_run *run, const struct object *cluster,
                                     struct rest_config *ret_config)
{
    SCOPED(buf) name = {.limit = 0};
    OWNED(object) secret = NULL;
    bool is_provisioned = false;
    json_to_bool(object_path(cluster, "status.initialization.infrastructureProvisioned"),
                 &is_provisioned);
    if (!is_provisioned)
        return error_new(ERROR_NOT_CONNECTED, "the infrastructure of the Cluster is not "
                                              "provisioned yet, so that nothing is sent to it");
    buf_print(&name, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(object_name(cluster)));
    const struct key key = {object_namespace(cluster), buf_str(&name)};
    TRY(client_get(run->fleet->management, GVR_SECRETS, key, NULL, &secret), "Secret %s",
        buf_c(&name));
    TRY(cpu_turn_take()); /* parsing YAML and certificates takes as long as a handshake */
    return kubeconfig_secret_parse(secret, ret_config);
}

/* What a server warns of may quote a Secret. */
static void drop_warning(void *data, struct str text)
{
    (void)data;
    (void)text;
}

/* Connects, and makes sure that an API server answers. Suspends. */
static struct error *reach_server(const struct preview_cluster *cluster)
{
    SCOPED(arena) arena = {0};
    struct discovery_mapping mapping;
    struct error *err = discovery_find_kind(cluster->discovery, &arena, GVK_NAMESPACE, &mapping);
    if (!error_is(err, ERROR_NOT_FOUND))
        return err;
    error_free(err);
    return error_new(ERROR_PROTOCOL, "what answers at its address is no Kubernetes API server");
}

static struct error *connect_and_ask(const struct fleet_run *run, const struct rest_config *config,
                                     struct preview_cluster *cluster, struct preview_result *result)
{
    const struct preview_fleet *fleet = run->fleet;
    const duration most = fleet->timeout + (duration)preview_cluster_count(cluster) * OBJECT_TIME;
    OWNED(client)
    client = client_new(loop_current(), &(struct client_options){.config = config,
                                                                 .network = fleet->network,
                                                                 .tls = fleet->tls,
                                                                 .proxies = fleet->proxies,
                                                                 .user_agent = fleet->user_agent,
                                                                 .qps = -1,
                                                                 .timeout = fleet->timeout,
                                                                 .answer_max = ANSWER_MAX,
                                                                 .warn = drop_warning,
                                                                 .no_http2 = true});
    OWNED(discovery)
    discovery =
        discovery_new(client, run->pool, &(struct discovery_options){.qps = -1, .burst = 1});
    cluster->client = client;
    cluster->discovery = discovery;
    {
        FIBER_TIMEOUT(fleet->timeout);
        TRY(reach_server(cluster));
    }
    FIBER_TIMEOUT(most);
    return run->subject ? preview_cluster_ask_object(cluster, run->subject, result, run->ret_live)
                        : preview_cluster_ask(cluster, result);
}

static struct error *ask_cluster(const struct fleet_run *run,
                                 const struct preview_fleet_cluster *about,
                                 struct preview_result *result)
{
    const struct preview_fleet *fleet = run->fleet;
    SCOPED(arena) arena = {0};
    SCOPED(rest_config) config = {0};
    const struct preview_set **sets = arena_alloc_array(&arena, fleet->set_count, sizeof(*sets));
    struct preview_cluster cluster = {
        .sets = sets,
        .binding = about->binding,
        .reconcile_with = fleet->reconcile_with,
        .secrets = fleet->secrets,
    };
    for (size_t i = 0; i < fleet->set_count; i++)
        if (is_selected(&fleet->sets[i], about->object))
            sets[cluster.set_count++] = preview_values_fill(&fleet->sets[i], about->object, &arena);
    if (!run->subject && !preview_cluster_count(&cluster))
        return preview_cluster_ask(&cluster, result);
    TRY(read_kubeconfig(run, about->object, &config));
    return connect_and_ask(run, &config, &cluster, result);
}

/* A preview that is full ends the run of all fibers. */
static struct error *ask_in_turn(void *data)
{
    struct fleet_run *run = data;
    while (run->next < run->count) {
        const struct preview_fleet_cluster *about = &run->clusters[run->next++];
        const struct key key = object_key(about->object);
        OWNED(preview_result) result = preview_result_new();
        OWNED(error) silence = ask_cluster(run, about, result);
        if (silence && fiber_is_canceled(fiber_current()))
            return TAKE(silence);
        struct error *full = NULL;
        if (silence)
            preview_add_silence(run->preview, key, silence);
        else
            full = preview_add(run->preview, key, TAKE(result));
        if (full) {
            run->next = run->count;
            return full;
        }
    }
    return NULL;
}

struct error *preview_fleet_ask(const struct preview_fleet *fleet,
                                const struct preview_fleet_cluster *clusters, size_t count,
                                struct preview *preview)
{
    OWNED(discovery_pool) pool = discovery_pool_new();
    struct fleet_run run = {
        .fleet = fleet, .clusters = clusters, .count = count, .preview = preview, .pool = pool};
    const size_t most = fleet->concurrency ? fleet->concurrency : CONCURRENCY_DEFAULT;
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < most && i < count; i++)
        scope_start(&scope, "ask cluster", ask_in_turn, &run);
    TRY(scope_wait(&scope));
    preview_sort(preview);
    return NULL;
}

struct error *preview_fleet_ask_object(const struct preview_fleet *fleet,
                                       const struct preview_fleet_cluster *cluster,
                                       const struct preview_subject *subject,
                                       struct preview_result *result, struct object **ret_live)
{
    OWNED(discovery_pool) pool = discovery_pool_new();
    const struct fleet_run run = {
        .fleet = fleet, .pool = pool, .subject = subject, .ret_live = ret_live};
    return ask_cluster(&run, cluster, result);
}
