/*
 * Knocking: a new cluster whose address refused the last attempt to connect is asked every second
 * whether somebody listens there now, by a TCP connection that is closed again. The attempts
 * themselves, with credentials, handshake and discovery, keep their pauses, which reach 15 s; but a
 * control plane that comes up must not wait that long for its CNI.
 *
 * Whoever cannot be asked cheaply is not asked: behind a proxy a connection says nothing of the
 * server, and an address that does not answer at all would keep connections waiting. For these the
 * next attempt follows after its pause.
 */
#include "async/fiber.h"
#include "async/loop.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/clustercache_log.h"
#include "net/network.h"
#include "net/transport.h"

#define INTERVAL SECOND
#define JITTER   0.1

/* One second of patience: what takes longer to connect is no cluster that begins to listen. */
static struct error *knock_once(const struct accessor *accessor, const struct url *server)
{
    OWNED(transport) transport = NULL;
    FIBER_TIMEOUT(INTERVAL);
    return network_connect(accessor->cache->config->options.network, server->host, server->port,
                           &transport);
}

static bool is_behind_proxy(const struct accessor *accessor, const struct rest_config *rest)
{
    const struct proxy_environment *proxies = accessor->cache->config->options.proxies;
    struct proxy_choice choice = {0};
    if (rest->has_proxy || !proxies)
        return rest->has_proxy;
    OWNED(error) err = proxy_environment_choose(proxies, &rest->server, &choice);
    return err || choice.has_proxy;
}

/* True as long as the attempt that was refused is the last thing that happened. */
static bool is_waiting(const struct accessor *accessor, int64_t refused)
{
    return !accessor->is_gone && !accessor->is_connecting && !accessor->connection &&
           accessor->health.last_connect_error == refused;
}

/* Ends when somebody listens, when there is no use in asking, and when the pause is over. */
static struct error *knock_until_open(struct accessor *accessor, const struct url *server)
{
    struct loop *loop = accessor->cache->config->loop;
    const int64_t refused = accessor->health.last_connect_error;
    const int64_t end = refused + accessor->retry;
    struct error *err = NULL;
    do {
        error_free(err);
        TRY(fiber_sleep(requeue_spread(loop_random(loop), INTERVAL, JITTER)));
        if (!is_waiting(accessor, refused) || loop_now(loop) >= end)
            return NULL;
        err = knock_once(accessor, server);
    } while (err && error_is(err, ERROR_UNREACHABLE));
    if (!err && is_waiting(accessor, refused)) {
        clustercache_log(6, "Somebody listens at the address of the cluster now, connecting");
        accessor->retry = 0;
        clustercache_wake(accessor);
    }
    return err;
}

static struct error *run_knock(void *data)
{
    struct accessor *accessor = data;
    SCOPED(kubeconfig_secret_mark) mark = {0};
    SCOPED(rest_config) rest = {0};
    TRY(kubeconfig_secret_read(accessor, &mark, &rest));
    return is_behind_proxy(accessor, &rest) ? NULL : knock_until_open(accessor, &rest.server);
}

/* How knocking ends is no news: the attempt that follows says what is wrong. */
static struct error *run_knock_quietly(void *data)
{
    OWNED(error) err = run_knock(data);
    return NULL;
}

void accessor_start_knock(struct accessor *accessor)
{
    scope_start(&accessor->operations, "knock", run_knock_quietly, accessor);
}
