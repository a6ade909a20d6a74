/*
 * One step for one cluster: what is so, what follows from it, when to look again.
 *
 * Connecting and probing are waits, so they do not happen here: a reconcile starts them and is
 * over. When they have ended the key is queued at once, and the reconcile that follows finds what
 * came of them in the accessor. Nothing here suspends, and there are no errors.
 */
#include "async/loop.h"
#include "base/log.h"
#include "clustercache/cluster_source.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/clustercache_log.h"
#include "clustercache/kubeconfig_secret.h"
#include "json/json.h"

/* The Cluster, or NULL when there is none. */
static struct error *find_cluster(const struct clustercache *cache, struct key key,
                                  struct object **ret_cluster)
{
    struct cache *clusters = cache->config->options.clusters;
    if (!cache_is_synced(clusters)) /* what is not there yet is not gone */
        return error_new(ERROR_SERVICE_UNAVAILABLE, "the cache of Clusters is not synced");
    OWNED(object_text) text = cache_get_text(clusters, key);
    *ret_cluster = NULL;
    return text ? object_text_read(text, ret_cluster) : NULL;
}

static bool is_provisioned(const struct object *cluster)
{
    bool is = false;
    const struct json_value *value =
        object_path(cluster, "status.initialization.infrastructureProvisioned");
    return json_to_bool(value, &is) && is;
}

/* Another Cluster of the same name is another cluster. */
static struct accessor *get_accessor(struct clustercache *cache, const struct object *cluster)
{
    const struct key key = object_key(cluster);
    const struct str uid = object_uid(cluster);
    struct accessor *accessor = clustercache_find(cache, key);
    if (accessor && !str_eq(str_from_c(accessor->uid), uid)) {
        log_info("Cluster has been replaced by another one, disconnecting");
        clustercache_forget(cache, accessor);
        accessor = NULL;
    }
    if (!accessor) {
        accessor = accessor_new(cache, key, uid);
        map_put(&cache->accessors, str_from_c(accessor->text), accessor);
    }
    return accessor;
}

/* Cut to tenths, as people read it. */
static struct str shown(duration span, char text[static DURATION_TEXT_MAX])
{
    const duration tenth = 100 * MILLISECOND;
    return duration_write(span > tenth ? span / tenth * tenth : span, text);
}

static duration log_requeue(duration delay, const char *why)
{
    char text[DURATION_TEXT_MAX];
    const struct str after = shown(delay, text);
    clustercache_log(6, "Requeuing after %.*s (%s)", STR_ARG(after), why);
    return delay;
}

static duration log_requeue_as(duration delay, const char *what, duration interval)
{
    char first[DURATION_TEXT_MAX], second[DURATION_TEXT_MAX];
    const struct str after = shown(delay, first), within = shown(interval, second);
    clustercache_log(6, "Requeuing after %.*s as %s within the last %.*s", STR_ARG(after), what,
                     STR_ARG(within));
    return delay;
}

/* Not connected: when to look again, or 0 when an attempt is under way. */
static duration reconcile_connection(struct accessor *accessor, enum accessor_result result)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    const int64_t now = accessor_now(accessor).now;
    duration remaining;
    if (accessor->is_connecting)
        return 0;
    if (result == ACCESSOR_UNAUTHORIZED) {
        log_v(6, "Requeuing immediately (disconnected after unauthorized error occurred)");
        return timing->unauthorized;
    }
    if (result == ACCESSOR_TOO_MANY)
        return log_requeue(timing->retry, "disconnected after consecutive failure threshold met");
    if (requeue_should_wait(now, accessor->health.last_connect_error, timing->retry, &remaining))
        return result == ACCESSOR_CONNECT_FAILED
                   ? log_requeue(remaining, "connection creation failed")
                   : log_requeue_as(remaining, "connection creation already failed", timing->retry);
    accessor_start_connect(accessor);
    return 0;
}

/*
 * New credentials are tried at once, and those that failed are left alone for a while: how long
 * still, or FOREVER.
 */
static duration reconcile_credentials(struct accessor *accessor)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    duration remaining;
    if (accessor->is_connecting || !kubeconfig_secret_has_changed(accessor))
        return FOREVER;
    if (requeue_should_wait(accessor_now(accessor).now, accessor->last_change_error, timing->retry,
                            &remaining))
        return remaining;
    log_v(4, "Credentials have changed");
    accessor_start_connect(accessor);
    return FOREVER;
}

/* Connected: when to look again, or 0 when a probe is under way. */
static duration reconcile_probe(struct accessor *accessor, enum accessor_result result)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    const int64_t now = accessor_now(accessor).now;
    duration remaining;
    const duration change = reconcile_credentials(accessor);
    if (accessor->is_probing)
        return 0;
    if (requeue_should_wait(now, accessor->health.last_probe, timing->probe, &remaining)) {
        if (change < remaining)
            return log_requeue(change, "changed credentials were of no use");
        if (result != ACCESSOR_PROBED)
            return log_requeue_as(remaining, "health probe was already run", timing->probe);
        return log_requeue(remaining, accessor->health.failures ? "health probe failed"
                                                                : "health probe succeeded");
    }
    accessor_start_probe(accessor);
    return 0;
}

static duration step(struct accessor *accessor, const struct object *cluster)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    const enum accessor_result result = accessor->result;
    accessor->result = ACCESSOR_NO_RESULT;
    const duration delay = accessor->connection ? reconcile_probe(accessor, result)
                                                : reconcile_connection(accessor, result);
    if (!delay)
        return 0; /* whatever is under way brings the key back */
    cluster_source_tell_all(accessor, cluster);
    /* Attempts that hang are spread by their own time as well, so half the share will do. */
    const double share = accessor->connection ? timing->jitter : timing->jitter / 2;
    const duration after =
        requeue_spread(loop_random(accessor->cache->config->loop),
                       requeue_min_or_default(&delay, 1, timing->fallback), share);
    accessor->probe_due = accessor_now(accessor).now + after;
    return after;
}

/* Forgets a cluster that is gone or not cared for. */
static void forget(struct clustercache *cache, struct key key)
{
    struct accessor *accessor = clustercache_find(cache, key);
    if (accessor)
        clustercache_forget(cache, accessor);
}

struct error *clustercache_reconcile(void *data, struct key key,
                                     struct reconcile_result *ret_result)
{
    struct clustercache *cache = data;
    const struct clustercache_options *options = &cache->config->options;
    LOG_CONTEXT(LOG_STR("controllerGroup", STR("cluster.x-k8s.io")),
                LOG_STR("controllerKind", STR("Cluster")),
                LOG_KEY("Cluster", key.namespace, key.name));
    OWNED(object) cluster = NULL;
    OWNED(error) err = find_cluster(cache, key, &cluster);
    if (err) {
        log_error("Requeuing after 10s (error getting Cluster object)", LOG_ERROR(err));
        ret_result->requeue_after = options->timing.fallback;
        return NULL;
    }
    if (!cluster) {
        log_info("Cluster has been deleted, disconnecting");
        forget(cache, key);
        return NULL;
    }
    if (options->filter && !options->filter(options->filter_data, cluster)) {
        log_v(6, "Cluster filtered out by ClusterFilter, not connecting");
        forget(cache, key);
        return NULL;
    }
    struct accessor *accessor = get_accessor(cache, cluster);
    if (!is_provisioned(cluster))
        log_v(6, "Can't connect yet, Cluster infrastructure is not provisioned");
    else
        ret_result->requeue_after = step(accessor, cluster);
    return NULL;
}
