/*
 * Order of a start: lock the data directory, open the store, open or make certificates and keys,
 * load the API, then listen. The keys are made after the store, so that keys without a store tell
 * that the store was lost. apiserver_free() goes back in the opposite order; requests are ended
 * first, because they use everything else.
 */
#include "apiserver/apiserver.h"

#include <sys/resource.h>

#include "apiserver/api.h"
#include "apiserver/backup_keeper.h"
#include "apiserver/bootstrap.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/credential_keeper.h"
#include "apiserver/data_dir.h"
#include "apiserver/default_objects.h"
#include "apiserver/endpoints/handler.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/endpoints/request_metrics.h"
#include "apiserver/ensure_object.h"
#include "apiserver/folder_restore.h"
#include "apiserver/openapi_cache.h"
#include "apiserver/server_health.h"
#include "apiserver/storage/store_budget.h"
#include "apiserver/virtual/virtual_clusters.h"
#include "apiserver/webhooks/webhook_call.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/loop_turns.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/process_metrics.h"
#include "base/system_memory.h"
#include "http/server.h"
#include "net/tls.h"

#define CONNECTIONS_DEFAULT 20000
#define STRANGERS_MAX       2000 /* an idle one takes 16 KiB */
#define DESCRIPTORS_KEPT    ((size_t)64)

#define STORAGE_MAX          ((int64_t)2 << 30)
#define SHARE_OF_CLUSTERS    2  /* a half, for all virtual clusters together */
#define SHARE_OF_ONE_CLUSTER 10 /* a tenth */

#define TOKEN_LIFETIME_DEFAULT (24 * HOUR)

struct apiserver {
    struct loop *loop;
    struct store_budget storage, cluster_storage; /* of all stores; of those of virtual clusters */
    struct metrics *metrics;
    struct server_health *health;
    struct data_dir *folder;
    struct credential_keeper keeper;
    struct backup_keeper backups;
    struct crd_pool *pool;
    struct openapi_cache *openapi;
    struct rbac *base_rbac;
    struct default_objects defaults;
    struct tls_context *webhook_tls;
    struct webhook_caller webhooks, cluster_webhooks; /* of the main API; of virtual clusters */
    struct api *api;
    struct virtual_clusters *clusters;
    struct handler handler;
    struct http_server *http;
};

/* In memory without a folder, else in the file corset.db. */
static struct error *open_store(struct apiserver *server, const struct apiserver_options *options,
                                struct store **ret_store)
{
    SCOPED(buf) path = {.limit = 0};
    struct store_options store = {
        .history_events = options->history_events,
        .history_age = options->history_age,
        .compaction = options->history_age,
        .budget = &server->storage,
    };
    if (!options->folder) {
        *ret_store = store_new(server->loop, &store);
        return NULL;
    }
    SCOPED(buf) pki = {.limit = 0};
    buf_print(&path, "%s/corset.db", options->folder);
    buf_print(&pki, "%s/pki", options->folder);
    store.path = buf_c(&path);
    store.was_used = credentials_exist(buf_c(&pki));
    store.accept_loss = options->accept_loss;
    TRY(store_open(server->loop, &store, ret_store));
    if (store_accepted_loss(*ret_store))
        log_error("Went on without acknowledged writes, as --accept-data-loss says",
                  LOG_STR("loss", str_from_c(store_accepted_loss(*ret_store))),
                  LOG_INT("resourceVersion", store_revision(*ret_store)));
    return NULL;
}

static void on_store_trouble(void *data)
{
    const struct apiserver *server = data;
    server_health_set(server->health, SERVER_HEALTH_STORE, store_trouble(server->api->store));
}

/* The data is that of the handler. */
static void on_accept(void *data, const struct error *err)
{
    const struct apiserver *server = CONTAINER_OF(data, struct apiserver, handler);
    server_health_set(server->health, SERVER_HEALTH_CONNECTIONS, err ? err->message : NULL);
}

/*
 * Each connection takes a file descriptor. Some are kept for files, for the sockets of controllers
 * in this process, and to accept connections only to end them.
 */
static size_t connections_max(const struct apiserver_options *options)
{
    const size_t wanted = options->connections ? options->connections : CONNECTIONS_DEFAULT;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return wanted;
    const size_t descriptors = (size_t)limit.rlim_cur;
    const size_t possible =
        descriptors > 2 * DESCRIPTORS_KEPT ? descriptors - DESCRIPTORS_KEPT : descriptors / 2;
    return wanted < possible ? wanted : possible;
}

static void divide_storage(struct apiserver *server, int64_t wanted)
{
    const int64_t half = system_memory() / 2;
    server->storage.limit = wanted ? wanted : half < STORAGE_MAX ? half : STORAGE_MAX;
    server->cluster_storage.limit = server->storage.limit / SHARE_OF_CLUSTERS;
    server->cluster_storage.parent = &server->storage;
}

static void prepare_webhooks(struct apiserver *server, const struct apiserver_options *options)
{
    server->webhook_tls = tls_context_new();
    server->webhooks = (struct webhook_caller){
        .loop = server->loop, .network = options->webhook_network, .tls = server->webhook_tls};
    server->cluster_webhooks = server->webhooks;
    server->cluster_webhooks.network = options->cluster_webhook_network;
}

/* Takes the store. */
static struct error *open_api(struct apiserver *server, const struct apiserver_options *options,
                              struct store *store)
{
    server->defaults.authority = &server->keeper.credentials->authority;
    const duration lifetime =
        options->max_token_lifetime ? options->max_token_lifetime : TOKEN_LIFETIME_DEFAULT;
    const struct api_options api = {
        .loop = server->loop,
        .store = store,
        .keys = server->keeper.credentials->keys,
        .max_token_lifetime = lifetime,
        .authority = apiserver_authority(server),
        .defaults = &server->defaults,
        .pool = server->pool,
        .openapi = server->openapi,
        .webhooks = options->webhooks,
        .webhook_caller = options->webhook_network ? &server->webhooks : NULL,
        .definitions = options->definitions,
        .definition_count = options->definition_count,
    };
    TRY(api_new(&api, &server->api));
    store_add_metrics(server->api->store, server->metrics);
    server->api->health = server->health;
    store_on_trouble(server->api->store, on_store_trouble, server);
    const struct virtual_clusters_options clusters = {
        .loop = server->loop,
        .keys = server->keeper.credentials->keys,
        .max_token_lifetime = lifetime,
        .pool = server->pool,
        .openapi = server->openapi,
        .base_rbac = server->base_rbac,
        .defaults = &server->defaults,
        .webhook_caller = options->cluster_webhook_network ? &server->cluster_webhooks : NULL,
        .count = options->virtual_clusters,
        .faults = options->faults,
        .limits = &server->handler.limits,
        .storage = &server->cluster_storage,
        .storage_of_one = server->storage.limit / SHARE_OF_ONE_CLUSTER,
    };
    server->clusters = virtual_clusters_new(&clusters);
    return NULL;
}

/*
 * Virtual clusters are independent of each other and may all be asked at once, so each of them
 * raises the limit of requests.
 */
static struct error *listen_http(struct apiserver *server, const struct apiserver_options *options)
{
    const size_t requests = options->requests ? options->requests : INFLIGHT_LIMITS_REQUESTS;
    inflight_limits_init(&server->handler.limits, requests + 2 * options->virtual_clusters,
                         options->watches_per_user);
    parties_init(&server->handler.parties, server->loop);
    parties_register(&server->handler.parties, server->metrics);
    request_metrics_register(server->metrics);
    server->handler.metrics = server->metrics;
    server->handler.loop = server->loop;
    server->handler.api = server->api;
    server->handler.clusters = server->clusters;
    const struct http_server_options http = {
        .network = options->network,
        .host = options->host,
        .port = options->port,
        .tls = server->keeper.credentials->tls,
        .handler = handler_serve,
        .data = &server->handler,
        .connections = connections_max(options),
        .strangers = STRANGERS_MAX,
        .on_accept = on_accept,
    };
    TRY(http_server_new(server->loop, &http, &server->http));
    server->defaults.port = http_server_port(server->http);
    return NULL;
}

struct error *apiserver_new(struct loop *loop, const struct apiserver_options *options,
                            struct apiserver **ret_server)
{
    OWNED(apiserver) server = NEW(struct apiserver);
    server->loop = loop;
    divide_storage(server, options->storage);
    server->metrics = metrics_new();
    server->health = server_health_new(loop);
    process_metrics_register(server->metrics);
    loop_turns_register(loop, server->metrics);
    server->pool = crd_pool_new();
    server->openapi = openapi_cache_new(OPENAPI_CACHE_MAX);
    server->base_rbac = bootstrap_policy_rbac();
    if (options->folder) {
        TRY(data_dir_open(options->folder, &server->folder));
        TRY(folder_restore_check(options->folder));
    }
    OWNED(store) store = NULL;
    TRY(open_store(server, options, &store));
    TRY(credential_keeper_open(&server->keeper, loop, options->folder, options->host,
                               store_revision(store) > STORE_FIRST_REVISION));
    prepare_webhooks(server, options);
    TRY(open_api(server, options, TAKE(store)));
    TRY(listen_http(server, options));
    if (options->folder)
        backup_keeper_init(&server->backups, options->folder, server->api->store, &server->keeper);
    *ret_server = TAKE(server);
    return NULL;
}

struct error *apiserver_drain(struct apiserver *server)
{
    inflight_limits_close(&server->handler.limits);
    api_end_watches(server->api);
    virtual_clusters_end_watches(server->clusters);
    return http_server_drain(server->http);
}

void apiserver_free(struct apiserver *server)
{
    if (!server)
        return;
    backup_keeper_done(&server->backups);
    credential_keeper_stop(&server->keeper);
    http_server_free(server->http);
    inflight_limits_done(&server->handler.limits);
    parties_done(&server->handler.parties);
    virtual_clusters_free(server->clusters);
    api_free(server->api);
    rbac_free(server->base_rbac);
    openapi_cache_free(server->openapi);
    crd_pool_free(server->pool);
    tls_context_free(server->webhook_tls);
    credential_keeper_done(&server->keeper);
    data_dir_free(server->folder);
    server_health_free(server->health);
    metrics_free(server->metrics);
    mem_free(server);
}

/* Watches that were begun with an old credential end; the client has to come again. */
static struct error *refuse_old_credentials(void *data)
{
    struct apiserver *server = data;
    api_interrupt_watches(server->api);
    virtual_clusters_interrupt_watches(server->clusters);
    return bootstrap_publish_authority(server->api, apiserver_authority(server));
}

void apiserver_keep_credentials(struct apiserver *server, credentials_changed_fn *changed,
                                void *data)
{
    const struct credential_keeper_ops ops = {.rotated = refuse_old_credentials,
                                              .rotated_data = server,
                                              .changed = changed,
                                              .changed_data = data};
    credential_keeper_start(&server->keeper, &ops);
    backup_keeper_start(&server->backups);
}

void apiserver_extend(struct apiserver *server, const struct extension *extension)
{
    server->handler.extension = extension ? *extension : (struct extension){0};
}

struct error *apiserver_put(struct apiserver *server, struct json_doc *doc)
{
    return ensure_object(server->api, doc, ENSURE_MERGE);
}

struct error *apiserver_amend(struct apiserver *server, struct json_doc *doc)
{
    return ensure_object(server->api, doc, ENSURE_AMEND);
}

uint16_t apiserver_port(const struct apiserver *server)
{
    return http_server_port(server->http);
}

struct str apiserver_authority(const struct apiserver *server)
{
    return buf_str(&server->keeper.credentials->authority);
}

struct str apiserver_admin_certificate(const struct apiserver *server)
{
    return buf_str(&server->keeper.credentials->admin.certificate);
}

struct str apiserver_admin_key(const struct apiserver *server)
{
    return buf_str(&server->keeper.credentials->admin.key);
}

size_t apiserver_cluster_count(const struct apiserver *server)
{
    return virtual_clusters_count(server->clusters);
}

struct str apiserver_cluster_name(const struct apiserver *server, size_t index)
{
    return virtual_clusters_name(server->clusters, index);
}

void apiserver_cluster_token(const struct apiserver *server, size_t index, struct buf *out)
{
    auth_admin_token(server->keeper.credentials->keys,
                     virtual_clusters_name(server->clusters, index), out);
}
