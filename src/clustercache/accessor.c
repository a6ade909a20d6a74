/*
 * The life of an accessor and the arithmetic of its health. The operations are in connect.c and
 * probe.c; clustercache_reconcile.c decides when they run.
 */
#include "clustercache/accessor.h"

#include "async/loop.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/memory.h"
#include "clustercache/cluster_connection_internal.h"
#include "clustercache/clustercache_internal.h"

/* Bytes of an error that are kept for people: the whole is in the log. */
#define PROBLEM_MAX ((size_t)512)

void accessor_health_init(struct accessor_health *health)
{
    *health = (struct accessor_health){
        .last_connect_error = REQUEUE_NEVER,
        .last_probe = REQUEUE_NEVER,
        .last_success = REQUEUE_NEVER,
    };
}

static void note_probe(struct accessor_health *health, struct accessor_moment moment)
{
    health->last_probe = moment.now;
    health->last_probe_wall = moment.wall;
}

static void note_success(struct accessor_health *health, struct accessor_moment moment)
{
    note_probe(health, moment);
    health->last_success = moment.now;
    health->last_success_wall = moment.wall;
    health->failures = 0;
}

/* The count has no ceiling but that of its type: it goes on from the threshold after a disconnect.
 */
static void note_failure(struct accessor_health *health, struct accessor_moment moment)
{
    note_probe(health, moment);
    health->failures += health->failures < UINT32_MAX;
}

void accessor_health_connected(struct accessor_health *health, struct accessor_moment moment)
{
    note_success(health, moment);
}

/* The time of the last success stays, so sources hear how long a cluster has been unreachable. */
void accessor_health_connect_failed(struct accessor_health *health, struct accessor_moment moment)
{
    note_failure(health, moment);
    health->last_connect_error = moment.now;
}

/* A 401 counts as a failure as well; the reconcile lets unauthorized win over too many failures. */
struct probe_consequence accessor_health_probed(struct accessor_health *health,
                                                enum accessor_probe probe, uint32_t threshold,
                                                struct accessor_moment moment)
{
    if (probe == ACCESSOR_PROBE_SUCCEEDED) {
        note_success(health, moment);
        return (struct probe_consequence){0};
    }
    note_failure(health, moment);
    return (struct probe_consequence){
        .too_many_failures = health->failures >= threshold,
        .unauthorized = probe == ACCESSOR_PROBE_UNAUTHORIZED,
    };
}

bool accessor_health_is_lost(const struct accessor_health *health, uint32_t threshold)
{
    return health->failures >= threshold || (health->last_success != REQUEUE_NEVER &&
                                             health->last_connect_error > health->last_success);
}

struct accessor *accessor_new(struct clustercache *cache, struct key key, struct str uid)
{
    struct accessor *accessor = NEW(struct accessor);
    SCOPED(buf) text = {0};
    buf_add(&text, key.namespace);
    buf_add_char(&text, '/');
    buf_add(&text, key.name);
    accessor->cache = cache;
    accessor->text = buf_take(&text);
    accessor->key.namespace = str_from(accessor->text, key.namespace.len);
    accessor->key.name = str_from(accessor->text + key.namespace.len + 1, key.name.len);
    accessor->uid = mem_dup(uid.ptr, uid.len);
    accessor->last_change_error = REQUEUE_NEVER;
    accessor->reported = REQUEUE_NEVER;
    accessor->retry = cache->config->options.timing.retry;
    accessor_health_init(&accessor->health);
    return accessor;
}

void accessor_free(struct accessor *accessor)
{
    if (!accessor)
        return;
    scope_done(&accessor->operations); /* cancels operations and waits until they have ended */
    cluster_connection_free(accessor->connection);
    clustercache_series_done(&accessor->series);
    kubeconfig_secret_mark_done(&accessor->secret);
    mem_free(accessor->last_events);
    mem_free(accessor->problem);
    mem_free(accessor->uid);
    mem_free(accessor->text);
    mem_free(accessor);
}

struct accessor_moment accessor_now(const struct accessor *accessor)
{
    const struct loop *loop = accessor->cache->config->loop;
    return (struct accessor_moment){loop_now(loop), loop_wall(loop)};
}

/* Sources are registered before the start, but accessors do not know how many there will be. */
int64_t *accessor_last_event(struct accessor *accessor, size_t source)
{
    if (source >= accessor->last_event_count) {
        accessor->last_events =
            mem_realloc_array(accessor->last_events, source + 1, sizeof(*accessor->last_events));
        while (accessor->last_event_count <= source)
            accessor->last_events[accessor->last_event_count++] = REQUEUE_NEVER;
    }
    return &accessor->last_events[source];
}

/* Cuts off the words of the steps that only say that this is about connecting. */
static struct str without_steps(struct str message)
{
    static const struct str steps[] = {
        STR_INIT("error creating HTTP client and mapper: "),
        STR_INIT("cluster is not reachable: "),
    };
    for (size_t i = 0; i < COUNT(steps); i++)
        if (str_starts_with(message, steps[i]))
            message = str_skip(message, steps[i].len);
    if (str_starts_with(message, STR("GET ")) && str_find(message, STR(": ")) != STR_NONE)
        message = str_skip(message, str_find(message, STR(": ")) + 2); /* and the URL */
    return message;
}

void accessor_set_problem(struct accessor *accessor, const struct error *err)
{
    mem_free(TAKE(accessor->problem));
    if (!err)
        return;
    struct str message = without_steps(str_from_c(err->message));
    size_t len = message.len < PROBLEM_MAX ? message.len : PROBLEM_MAX;
    while (len < message.len && len && ((unsigned char)message.ptr[len] & 0xC0) == 0x80)
        len--; /* characters stay whole */
    accessor->problem = mem_dup(message.ptr, len);
}

void accessor_disconnect(struct accessor *accessor)
{
    /* Repeats the fields of a reconcile: clustercache_free() disconnects outside of one. */
    LOG_CONTEXT(LOG_STR("controller", STR("clustercache")),
                LOG_KEY("Cluster", accessor->key.namespace, accessor->key.name));
    if (!accessor->connection) {
        log_v(6, "Skipping disconnect, already disconnected");
        return;
    }
    OWNED(cluster_connection) connection = TAKE(accessor->connection);
    log_v(4, "Disconnecting");
    log_v(6, "Stopping cache");
    cluster_connection_end(connection, &accessor->cache->endings);
    accessor->cache->connected--;
    clustercache_series_up(accessor, false);
    log_info("Disconnected");
}
