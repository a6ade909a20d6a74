/*
 * One reconcile of one cluster: observe facts, decide by the transition table, act.
 *
 *     clustercache_reconcile
 *       observe_cluster              facts about the Cluster object, once
 *       observe_accessor             facts about the accessor and its connection
 *       transition_next              the row that fits (transition.c)
 *       run_transition               log and act; rows with TRANSITION_AGAIN observe again
 *       requeue                      tell the sources, spread the delay
 *
 * Connecting and probing suspend, so they do not happen here: the reconcile starts a fiber and
 * returns. When the fiber ends it queues the key at once, and the next reconcile finds the result
 * in the accessor. Nothing here suspends, and no error reaches the queue.
 */
#include "async/loop.h"
#include "base/log.h"
#include "clustercache/cluster_source.h"
#include "clustercache/clustercache_internal.h"
#include "clustercache/clustercache_log.h"
#include "clustercache/kubeconfig_secret.h"
#include "clustercache/transition.h"
#include "json/json.h"

/* What is left of each interval that has not passed yet; the facts say which are set. */
struct waits {
    duration retry, change, probe;
    duration interval; /* of which retry is left */
};

/* The Cluster, or NULL when there is none. */
static struct error *find_cluster(const struct clustercache *cache, struct key key,
                                  struct object **ret_cluster)
{
    struct cache *clusters = cache->config->options.clusters;
    if (!cache_is_synced(clusters)) /* a Cluster that is not in the cache yet is not deleted */
        return error_new(ERROR_SERVICE_UNAVAILABLE, "the cache of Clusters is not synced");
    OWNED(object_text) text = cache_get_text(clusters, key);
    *ret_cluster = NULL;
    return text ? object_text_read(text, ret_cluster) : NULL;
}

static uint32_t observe_cluster(const struct clustercache *cache, struct key key,
                                struct object **ret_cluster)
{
    const struct clustercache_options *options = &cache->config->options;
    OWNED(error) err = find_cluster(cache, key, ret_cluster);
    if (err) {
        log_error("Requeuing after 10s (error getting Cluster object)", LOG_ERROR(err));
        return TRANSITION_UNREADABLE;
    }
    if (!*ret_cluster)
        return TRANSITION_ABSENT;
    if (options->filter && !options->filter(options->filter_data, *ret_cluster))
        return TRANSITION_FILTERED_OUT;
    return clustercache_is_provisioned(*ret_cluster) ? TRANSITION_PROVISIONED : 0;
}

static uint32_t observe_result(const struct accessor *accessor)
{
    switch (accessor->result) {
    case ACCESSOR_NO_RESULT:
        break;
    case ACCESSOR_CONNECT_FAILED:
        return TRANSITION_CONNECT_FAILED;
    case ACCESSOR_PROBED:
        return accessor->health.failures ? TRANSITION_PROBE_FAILED : TRANSITION_PROBE_SUCCEEDED;
    case ACCESSOR_TOO_MANY:
        return TRANSITION_TOO_MANY_FAILURES;
    case ACCESSOR_UNAUTHORIZED:
        return TRANSITION_UNAUTHORIZED;
    }
    return 0;
}

static uint32_t observe_waits(const struct accessor *accessor, struct waits *waits)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    const struct accessor_health *health = &accessor->health;
    const int64_t now = accessor_now(accessor).now;
    uint32_t facts = 0;
    waits->interval = accessor->retry;
    if (requeue_should_wait(now, health->last_connect_error, accessor->retry, &waits->retry))
        facts |= TRANSITION_RETRY_WAITS;
    if (requeue_should_wait(now, accessor->last_change_error, timing->retry, &waits->change))
        facts |= TRANSITION_CHANGE_WAITS;
    if (requeue_should_wait(now, health->last_probe, timing->probe, &waits->probe))
        facts |= TRANSITION_PROBE_WAITS;
    if ((facts & TRANSITION_CHANGE_WAITS) && waits->change < waits->probe)
        facts |= TRANSITION_CHANGE_FIRST;
    return facts;
}

/* The Secret is compared only when its kubeconfig could be used: not while connecting. */
static uint32_t observe_news(struct accessor *accessor, const struct object *cluster)
{
    if (accessor->is_connecting)
        return 0;
    const bool has_changed = kubeconfig_secret_has_changed(accessor);
    if (accessor->connection)
        return has_changed ? TRANSITION_CHANGED : 0;
    const bool is_initialized = clustercache_is_initialized(cluster) && !accessor->was_initialized;
    return has_changed || is_initialized ? TRANSITION_NEWS : 0;
}

static uint32_t observe_connection(struct accessor *accessor, const struct object *cluster,
                                   struct waits *waits)
{
    uint32_t facts = observe_result(accessor) | observe_waits(accessor, waits);
    if (accessor->connection)
        facts |= TRANSITION_CONNECTED;
    if (accessor->is_connecting)
        facts |= TRANSITION_CONNECTING;
    if (accessor->is_probing)
        facts |= TRANSITION_PROBING;
    return facts | observe_news(accessor, cluster);
}

/*
 * When the infrastructure was provisioned: now, if that was seen to happen. A Cluster that is
 * provisioned when it is seen first is as old as it says, so that a restart makes none new.
 */
static void note_provisioned(struct accessor *accessor, const struct object *cluster)
{
    const timestamp now = accessor_now(accessor).wall;
    timestamp created;
    if (accessor->provisioned)
        return;
    const bool is_known = !accessor->was_waiting && object_creation_timestamp(cluster, &created);
    accessor->provisioned = is_known && created < now ? created : now;
}

/* Completes the facts about the Cluster. A Cluster with another UID is another cluster. */
static uint32_t observe_accessor(const struct clustercache *cache, const struct object *cluster,
                                 uint32_t facts, struct waits *waits)
{
    if (facts & (TRANSITION_UNREADABLE | TRANSITION_ABSENT | TRANSITION_FILTERED_OUT))
        return facts;
    struct accessor *accessor = clustercache_find(cache, object_key(cluster));
    if (!accessor)
        return facts | TRANSITION_NO_ACCESSOR;
    if (!str_eq(str_from_c(accessor->uid), object_uid(cluster)))
        return facts | TRANSITION_OTHER_UID;
    if (!(facts & TRANSITION_PROVISIONED)) {
        accessor->was_waiting = true;
        return facts;
    }
    note_provisioned(accessor, cluster);
    return facts | observe_connection(accessor, cluster, waits);
}

/* Cut to tenths of a second, for people. */
static struct str shown(duration span, char text[static DURATION_TEXT_MAX])
{
    const duration tenth = 100 * MILLISECOND;
    return duration_write(span > tenth ? span / tenth * tenth : span, text);
}

static void log_requeue(duration delay, const char *why)
{
    char text[DURATION_TEXT_MAX];
    const struct str after = shown(delay, text);
    clustercache_log(6, "Requeuing after %.*s (%s)", STR_ARG(after), why);
}

static void log_requeue_as(duration delay, const char *what, duration interval)
{
    char first[DURATION_TEXT_MAX], second[DURATION_TEXT_MAX];
    const struct str after = shown(delay, first), within = shown(interval, second);
    clustercache_log(6, "Requeuing after %.*s as %s within the last %.*s", STR_ARG(after), what,
                     STR_ARG(within));
}

/* 0 for rows after which something else brings the key back. */
static duration delay_of(const struct transition *row, const struct clustercache_timing *timing,
                         const struct waits *waits)
{
    switch (row->next) {
    case TRANSITION_WITH_EVENT:
    case TRANSITION_AGAIN:
    case TRANSITION_WHEN_ENDED:
        break;
    case TRANSITION_FALLBACK:
        return timing->fallback;
    case TRANSITION_AT_ONCE:
        return timing->unauthorized;
    case TRANSITION_RETRY:
        return timing->retry;
    case TRANSITION_REST_OF_RETRY:
        return waits->retry;
    case TRANSITION_REST_OF_CHANGE:
        return waits->change;
    case TRANSITION_REST_OF_PROBE:
        return waits->probe;
    }
    return 0;
}

static void log_transition(const struct transition *row, const struct clustercache_timing *timing,
                           const struct waits *waits, duration delay)
{
    if (row->message)
        clustercache_log(row->level, "%s", row->message);
    if (row->because)
        log_requeue(delay, row->because);
    if (row->recently)
        log_requeue_as(delay, row->recently,
                       row->next == TRANSITION_REST_OF_PROBE ? timing->probe : waits->interval);
}

/* By this process, or by one before it. */
static bool was_connected(const struct accessor *accessor, const struct object *cluster)
{
    const struct clustercache_options *options = &accessor->cache->config->options;
    return accessor->health.last_success != REQUEUE_NEVER ||
           (options->was_connected && options->was_connected(options->was_connected_data, cluster));
}

/* News begin the sequence of attempts anew: whatever kept them from succeeding may be over. */
static void note_attempt(struct accessor *accessor, const struct object *cluster, uint32_t facts)
{
    if (facts & TRANSITION_NEWS)
        accessor->attempts = 0;
    accessor->was_initialized = clustercache_is_initialized(cluster);
    accessor->is_known = was_connected(accessor, cluster);
}

/* The accessor is NULL for rows that create it, and for a Cluster that never had one. */
static void run_action(struct clustercache *cache, const struct object *cluster,
                       struct accessor *accessor, enum transition_action action, uint32_t facts)
{
    switch (action) {
    case TRANSITION_NOTHING:
        break;
    case TRANSITION_FORGET:
        if (accessor)
            clustercache_forget(cache, accessor);
        break;
    case TRANSITION_CREATE:
        accessor = accessor_new(cache, object_key(cluster), object_uid(cluster));
        map_put(&cache->accessors, str_from_c(accessor->text), accessor);
        break;
    case TRANSITION_CONNECT:
        note_attempt(accessor, cluster, facts);
        accessor_start_connect(accessor);
        break;
    case TRANSITION_PROBE:
        accessor_start_probe(accessor);
        break;
    }
}

/*
 * The end of a reconcile that leaves nothing under way: sources are told, and the delay is spread.
 * Attempts to connect that hang are spread by their own time as well, so clusters that are not
 * connected get half the jitter.
 */
static duration requeue(struct accessor *accessor, const struct object *cluster, duration delay)
{
    const struct clustercache_timing *timing = &accessor->cache->config->options.timing;
    cluster_source_tell_all(accessor, cluster);
    const double share = accessor->connection ? timing->jitter : timing->jitter / 2;
    const duration after =
        requeue_spread(loop_random(accessor->cache->config->loop),
                       requeue_min_or_default(&delay, 1, timing->fallback), share);
    accessor->probe_due = accessor_now(accessor).now + after;
    return after;
}

/* Observes, decides and acts once. Returns the row, and the delay that it asks for. */
static const struct transition *run_transition(struct clustercache *cache, struct key key,
                                               const struct object *cluster, uint32_t facts,
                                               duration *ret_delay)
{
    const struct clustercache_timing *timing = &cache->config->options.timing;
    struct waits waits = {0};
    facts = observe_accessor(cache, cluster, facts, &waits);
    const struct transition *row = transition_next(facts);
    *ret_delay = delay_of(row, timing, &waits);
    log_transition(row, timing, &waits, *ret_delay);
    run_action(cache, cluster, clustercache_find(cache, key), row->action, facts);
    return row;
}

struct error *clustercache_reconcile(void *data, struct key key,
                                     struct reconcile_result *ret_result)
{
    struct clustercache *cache = data;
    LOG_CONTEXT(LOG_STR("controllerGroup", STR("cluster.x-k8s.io")),
                LOG_STR("controllerKind", STR("Cluster")),
                LOG_KEY("Cluster", key.namespace, key.name));
    OWNED(object) cluster = NULL;
    const uint32_t facts = observe_cluster(cache, key, &cluster);
    const struct transition *row;
    duration delay;
    do
        row = run_transition(cache, key, cluster, facts, &delay);
    while (row->next == TRANSITION_AGAIN);
    struct accessor *accessor = clustercache_find(cache, key);
    if (facts & TRANSITION_PROVISIONED)
        accessor->result = ACCESSOR_NO_RESULT; /* one reconcile sees it */
    const bool is_settled = delay && row->next != TRANSITION_FALLBACK;
    ret_result->requeue_after = is_settled ? requeue(accessor, cluster, delay) : delay;
    return NULL;
}
