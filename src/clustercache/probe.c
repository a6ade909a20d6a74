/*
 * The probe operation: GET / through the connection of an accessor. If the connection had to be
 * made anew, another cluster may answer there: its UID is compared, too.
 *
 * While a probe waits, the connection may be replaced (changed credentials) or ended. The result of
 * such a probe says nothing about the current connection and is dropped; the key is queued anyway,
 * because the reconcile counts on it.
 */
#include "async/fiber.h"
#include "base/log.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/clustercache_log.h"

/* ERROR_UNAUTHORIZED without the status 401 did not come from the server. */
static enum accessor_probe classify_probe(const struct error *err)
{
    if (!err)
        return ACCESSOR_PROBE_SUCCEEDED;
    return error_is(err, ERROR_UNAUTHORIZED) && err->http_status == 401
               ? ACCESSOR_PROBE_UNAUTHORIZED
               : ACCESSOR_PROBE_FAILED;
}

static void log_probe(const struct accessor *accessor, enum accessor_probe probe,
                      const struct error *err)
{
    const uint32_t most = accessor->cache->config->options.timing.threshold;
    if (probe == ACCESSOR_PROBE_SUCCEEDED)
        log_v(6, "Health probe succeeded");
    else if (probe == ACCESSOR_PROBE_UNAUTHORIZED)
        clustercache_log(6, "Health probe failed (unauthorized error occurred): %s", err->message);
    else
        clustercache_log(6, "Health probe failed (%u/%u): %s", accessor->health.failures, most,
                         err->message);
}

/* Everything that is known of it is of the one before: discovery, caches, versions of objects. */
static void leave_other_cluster(struct accessor *accessor)
{
    log_info(
        "Another cluster answers at this address (UID of Namespace kube-system), reconnecting");
    accessor_disconnect(accessor);
    accessor->did_disconnect = true;
    accessor->result = ACCESSOR_NO_RESULT;
}

/* Takes the result over into health, metrics and accessor, and disconnects if the probe says so. */
static void conclude_probe(struct accessor *accessor, const struct error *err)
{
    const enum accessor_probe probe = classify_probe(err);
    const struct probe_consequence consequence = accessor_health_probed(
        &accessor->health, probe, accessor->cache->config->options.timing.threshold,
        accessor_now(accessor));
    clustercache_series_probed(accessor, probe == ACCESSOR_PROBE_SUCCEEDED);
    log_probe(accessor, probe, err);
    accessor_set_problem(accessor, err);
    accessor->result = ACCESSOR_PROBED;
    if (!consequence.too_many_failures && !consequence.unauthorized)
        return;
    accessor_disconnect(accessor);
    accessor->did_disconnect = true;
    accessor->result = consequence.unauthorized ? ACCESSOR_UNAUTHORIZED : ACCESSOR_TOO_MANY;
}

static struct error *run_probe(void *data)
{
    struct accessor *accessor = data;
    LOG_CONTEXT(LOG_STR("controller", STR("clustercache")),
                LOG_KEY("Cluster", accessor->key.namespace, accessor->key.name));
    OWNED(cluster_connection) connection = cluster_connection_ref(accessor->connection);
    const struct clustercache *cache = accessor->cache;
    clustercache_series_probe_began(accessor, accessor_now(accessor).now - accessor->probe_due);
    if (cache->on_probe)
        cache->on_probe(cache->on_probe_data, accessor->key, accessor->probe_due);
    log_v(6, "Run health probe");
    OWNED(error)
    err = cluster_connection_probe(connection, cache->config->options.timing.probe_timeout);
    bool is_other = false;
    if (!err) /* a UID that cannot be read is asked for again with the next probe */
        error_free(cluster_connection_is_other_cluster(connection, &is_other));
    accessor->is_probing = false;
    if (accessor->connection == connection && !fiber_is_canceled(fiber_current())) {
        conclude_probe(accessor, err);
        if (is_other)
            leave_other_cluster(accessor);
    }
    clustercache_wake(accessor);
    return NULL;
}

void accessor_start_probe(struct accessor *accessor)
{
    if (!accessor->connection) {
        log_v(6, "Skipping health check, not connected");
        return;
    }
    accessor->is_probing = true;
    scope_start(&accessor->operations, "probe", run_probe, accessor);
}
