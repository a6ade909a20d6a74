/*
 * A connection: making the client, the probe, and handing caches from one connection to the next.
 *
 * The steps of a connection's life, all called by connect.c and accessor.c:
 *
 *     cluster_connection_new            from a rest_config
 *     cluster_connection_open           client and discovery; twice if this process is self-hosted
 *     cluster_connection_begin_caches   for a new connection, or
 *     cluster_connection_take_over      for changed credentials on the same server
 *     cluster_connection_end            disconnect; references may stay
 *     cluster_connection_free           the last reference
 *
 * Reads from caches are in cluster_connection_read.c.
 */
#include "clustercache/cluster_connection.h"

#include <assert.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "clustercache/cluster_callers.h"
#include "clustercache/cluster_connection_caches.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"
#include "net/tls.h"

#define PROBE_BODY_MAX (64 * KILOBYTE)

/* The label "host" of the requests to all workload clusters together: see decision 0017. */
#define METRICS_HOST STR("workload-clusters")

/*
 * Bounds of what a workload cluster may send, as its administrator may be a stranger. An object of
 * a real cluster has at most 1.5 MiB in etcd; a page of a list that is larger is asked for again
 * with fewer objects.
 */
#define ANSWER_MAX (4 * MEGABYTE)
#define PAGE_MAX   (16 * MEGABYTE)

struct cluster_connection *cluster_connection_new(struct clustercache_config *config,
                                                  struct key cluster, struct rest_config *rest)
{
    struct cluster_connection *connection = NEW(struct cluster_connection);
    connection->references = 1;
    connection->config = clustercache_config_ref(config);
    connection->rest = *rest;
    *rest = (struct rest_config){0};
    connection->cluster = key_copy(&connection->rest.arena, cluster);
    connection->uid_turn.permits = 1;
    rate_limit_init(&connection->probes, config->options.qps, config->options.burst);
    return connection;
}

void cluster_connection_open(struct cluster_connection *connection)
{
    const struct clustercache_options *options = &connection->config->options;
    discovery_free(TAKE(connection->discovery));
    client_free(TAKE(connection->client));
    const struct client_options client = {
        .config = &connection->rest,
        .network = options->network,
        .tls = options->tls,
        .proxies = options->proxies,
        .user_agent = options->user_agent,
        .qps = options->qps,
        .burst = options->burst,
        .timeout = options->timeout,
        .metrics = options->metrics,
        .metrics_host = METRICS_HOST,
        .answer_max = ANSWER_MAX,
        .page_max = PAGE_MAX,
        .answers = &connection->config->answers,
        .may_write = options->may_write,
        .may_write_data = options->may_write_data,
        .no_http2 = true, /* until the first cache: see client_offer_http2() */
    };
    connection->client = client_new(connection->config->loop, &client);
    connection->discovery =
        discovery_new(connection->client, connection->config->pool,
                      &(struct discovery_options){.qps = options->qps, .burst = options->burst});
}

struct cluster_connection *cluster_connection_ref(struct cluster_connection *connection)
{
    connection->references++;
    return connection;
}

void cluster_connection_free(struct cluster_connection *connection)
{
    if (!connection || --connection->references > 0)
        return;
    discovery_free(connection->discovery);
    client_free(connection->client);
    cluster_connection_caches_free(connection->caches);
    cluster_callers_free(connection->callers);
    rest_config_done(&connection->rest);
    clustercache_config_free(connection->config);
    mem_free(connection);
}

struct key cluster_connection_cluster(const struct cluster_connection *connection)
{
    return connection->cluster;
}

bool cluster_connection_is_connected(const struct cluster_connection *connection)
{
    return connection->caches && !connection->caches->is_ended;
}

struct client *cluster_connection_client(struct cluster_connection *connection)
{
    return connection->client;
}

struct discovery *cluster_connection_discovery(struct cluster_connection *connection)
{
    return connection->discovery;
}

const struct rest_config *cluster_connection_config(const struct cluster_connection *connection)
{
    return &connection->rest;
}

/* The version is asked for at first use, because most connections never need it. */
struct error *cluster_connection_least_version(struct cluster_connection *connection,
                                               struct str *ret_version)
{
    *ret_version = discovery_least_version(connection->discovery);
    if (ret_version->len)
        return NULL;
    if (!connection->server_version.len) {
        SCOPED(arena) arena = {0};
        struct str version;
        FIBER_TIMEOUT(connection->config->options.timeout);
        TRY(discovery_server_version(connection->client, &arena, &version));
        if (!connection->server_version.len) /* not set by another fiber meanwhile */
            connection->server_version = arena_str(&connection->rest.arena, version);
    }
    *ret_version = connection->server_version;
    return NULL;
}

static struct error *get_kube_system(struct cluster_connection *connection,
                                     struct object **ret_namespace)
{
    FIBER_TIMEOUT(connection->config->options.timeout);
    return client_get(connection->client, GVR_NAMESPACES, KEY("", "kube-system"), NULL,
                      ret_namespace);
}

/* An account that may not read it is told of once: nothing else changes for its cluster. */
static struct error *read_cluster_uid(struct cluster_connection *connection)
{
    OWNED(object) namespace = NULL;
    const uint64_t dials = client_dial_count(connection->client);
    struct error *err = get_kube_system(connection, &namespace);
    if (error_is(err, ERROR_FORBIDDEN) || error_is(err, ERROR_NOT_FOUND)) {
        log_info("Cannot read Namespace kube-system, so that a cluster which is rebuilt under its "
                 "name goes unnoticed; allow its kubeconfig to get that Namespace",
                 LOG_KEY("Cluster", connection->cluster.namespace, connection->cluster.name),
                 LOG_ERROR(err));
        error_free(err);
        err = NULL;
    }
    if (err)
        return err;
    connection->is_uid_known = true;
    connection->uid_dials = dials;
    if (namespace)
        connection->uid = arena_str(&connection->rest.arena, object_uid(namespace));
    return NULL;
}

/* Who waited while another fiber asked in vain does not ask again: the cluster may hang. */
struct error *cluster_connection_cluster_uid(struct cluster_connection *connection,
                                             struct str *ret_uid)
{
    if (!connection->is_uid_known) {
        struct loop *loop = connection->config->loop;
        const int64_t begun = loop_now(loop);
        struct error *err = NULL;
        TRY(semaphore_take(&connection->uid_turn));
        if (connection->uid_failed_at > begun)
            err =
                error_new(ERROR_NOT_CONNECTED, "Namespace kube-system could not be read just now");
        else if (!connection->is_uid_known)
            err = read_cluster_uid(connection);
        if (err)
            connection->uid_failed_at = loop_now(loop);
        semaphore_give(&connection->uid_turn);
        TRY(err);
    }
    *ret_uid = connection->uid;
    return NULL;
}

struct str cluster_connection_known_uid(const struct cluster_connection *connection)
{
    return connection->is_uid_known ? connection->uid : STR("");
}

/* One more connection, made while the UID is read, is looked at the next time. */
struct error *cluster_connection_is_other_cluster(struct cluster_connection *connection,
                                                  bool *ret_is_other)
{
    OWNED(object) namespace = NULL;
    const uint64_t dials = client_dial_count(connection->client);
    *ret_is_other = false;
    if (!connection->uid.len || dials == connection->uid_dials)
        return NULL;
    TRY(get_kube_system(connection, &namespace));
    connection->uid_dials = dials;
    *ret_is_other = !str_eq(object_uid(namespace), connection->uid);
    return NULL;
}

/*
 * The error of a probe by its status alone: the body comes from a server that may not be an API
 * server at all. The texts are those of client-go (NewGenericServerResponse).
 */
static struct error *from_status(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {400, "the server rejected our request for an unknown reason"                        },
        {401, "the server has asked for the client to provide credentials"                   },
        {403, "unknown"                                                                      },
        {404, "the server could not find the requested resource"                             },
        {405, "the server does not allow this method on the requested resource"              },
        {409, "the server reported a conflict"                                               },
        {429, "the server has received too many requests and has asked us to try again later"},
        {503, "the server is currently unable to handle the request"                         },
        {504, "the server was unable to return a response in the time allotted, but may still be "
              "processing the request"                                          },
    };
    const enum error_code code = error_code_from_http_status(status);
    struct error *err = NULL;
    for (size_t i = 0; !err && i < COUNT(texts); i++)
        if (texts[i].status == status)
            err = error_new(code, "%s", texts[i].text);
    if (!err)
        err = status >= 500 ? error_new(code,
                                        "an error on the server has prevented the request "
                                        "from succeeding (HTTP status %d)",
                                        status)
                            : error_new(code,
                                        "the server responded with the status code %d but "
                                        "did not return more information",
                                        status);
    err->http_status = status;
    return err;
}

/* The request has its own rate limit and timeout: a probe must not queue behind other requests. */
struct error *cluster_connection_probe(struct cluster_connection *connection, duration timeout)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = PROBE_BODY_MAX};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {
        .path = STR("/"),
        .accept = STR("application/json, */*"),
        .rate_limit = &connection->probes,
        .timeout = timeout,
    };
    FIBER_TIMEOUT(timeout);
    struct error *err = client_raw(connection->client, &request, &arena, &body, &answer);
    if (error_is(err, ERROR_TOO_LARGE) && answer.status)
        err = error_ignore(err, ERROR_TOO_LARGE); /* the status counts, however long the body is */
    const int status = err ? err->http_status : answer.status;
    if (!status || (status >= 200 && status <= 206))
        return err;
    error_free(err);
    return from_status(status);
}

/* Caches may be moved between such connections: their objects and versions are the same. */
bool cluster_connection_is_same_server(const struct cluster_connection *a,
                                       const struct cluster_connection *b)
{
    return str_eq(a->rest.host, b->rest.host) &&
           str_eq(a->rest.tls.server_name, b->rest.tls.server_name) &&
           a->rest.tls.skip_verify == b->rest.tls.skip_verify &&
           tls_trust_eq(a->rest.tls.trust, b->rest.tls.trust);
}

struct error *cluster_connection_begin_caches(struct cluster_connection *connection)
{
    assert(!connection->caches);
    connection->caches = cluster_connection_caches_new(connection);
    return cluster_connection_caches_begin_indexes(connection->caches);
}

void cluster_connection_take_over(struct cluster_connection *connection,
                                  struct cluster_connection *old)
{
    assert(!connection->caches);
    connection->caches = cluster_connection_caches_ref(old->caches);
    cluster_connection_caches_move(connection->caches, connection);
}

void cluster_connection_end(struct cluster_connection *connection, struct scope *endings)
{
    if (connection->caches)
        cluster_connection_caches_end(connection->caches, endings);
}
