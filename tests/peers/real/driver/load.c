#include <time.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/random.h"
#include "driver.h"

#define CONSUMERS     ((size_t)100)
#define PAUSE         (10 * MILLISECOND)
#define SICK_EVERY    ((size_t)5)
#define SUCCESS_LIMIT (12 * SECOND)
#define ATTEMPT_LIMIT (36 * SECOND)
#define SLOW          (5 * MILLISECOND)

struct load {
    struct driver *driver;
    int64_t until;
    size_t clusters;
    size_t good, bad;
    /* Calls of the cache, by time of the processor: others are busy as well. */
    duration longest;
    size_t slow; /* that took longer than SLOW */
};

static int64_t time_used(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static bool visit(void *data, struct object *object)
{
    (void)data;
    (void)object;
    return true;
}

static struct error *check_sick(struct load *load, struct key key, duration since_probe,
                                struct error *got)
{
    if (!error_is(got, ERROR_NOT_CONNECTED))
        return error_new(ERROR_INTERNAL, "%.*s: a client of a sick cluster", STR_ARG(key.name));
    if (since_probe > ATTEMPT_LIMIT)
        return error_new(ERROR_INTERNAL, "%.*s was last tried %lld ms ago", STR_ARG(key.name),
                         (long long)(since_probe / MILLISECOND));
    load->bad++;
    return NULL;
}

static struct error *call_one(struct load *load, size_t index)
{
    char name[32];
    const int len = snprintf(name, sizeof(name), "c%zu", index);
    const struct key key = {load->driver->settings.namespace, str_from(name, (size_t)len)};
    OWNED(cluster_connection) connection = NULL;
    const int64_t begun = time_used();
    OWNED(error) err = clustercache_get_client(load->driver->cache, key, &connection);
    const struct clustercache_health health = clustercache_get_health(load->driver->cache, key);
    const duration took = time_used() - begun;
    const int64_t now = loop_now(loop_current());
    load->longest = took > load->longest ? took : load->longest;
    load->slow += took > SLOW;
    if (index % SICK_EVERY == SICK_EVERY - 1)
        return check_sick(load, key, now - health.last_probe, err);
    if (err)
        return error_wrap(TAKE(err), "%s", name);
    if (now - health.last_success > SUCCESS_LIMIT)
        return error_new(ERROR_INTERNAL, "%s last answered %lld ms ago", name,
                         (long long)((now - health.last_success) / MILLISECOND));
    TRY(cluster_connection_list(connection, GVK("", "v1", "Node"), STR(""), visit, NULL), "%s",
        name);
    load->good++;
    return NULL;
}

static struct error *consume(void *data)
{
    struct load *load = data;
    struct random *random = loop_random(loop_current());
    while (loop_now(loop_current()) < load->until) {
        TRY(call_one(load, random_below(random, load->clusters)));
        TRY(fiber_sleep(PAUSE));
    }
    return NULL;
}

struct error *driver_load(struct driver *driver, duration span, size_t clusters, struct buf *answer)
{
    struct load load = {
        .driver = driver, .until = loop_now(loop_current()) + span, .clusters = clusters};
    SCOPED(scope) consumers = {0};
    for (size_t i = 0; i < CONSUMERS; i++)
        scope_start(&consumers, "consumer", consume, &load);
    TRY(scope_wait(&consumers));
    buf_print(answer, "%zu %zu %lld %zu", load.good, load.bad,
              (long long)(load.longest / MICROSECOND), load.slow);
    return NULL;
}
