/*
 * The APIs of virtual clusters live in memory and share what does not change: the signing keys, the
 * bootstrap policy (as the base of each rbac index) and compiled definitions (crd_pool). A
 * cluster is never removed while the server runs.
 *
 * Faults are drawn per request from the seed, the cluster's name and the number of the request, so
 * a test that repeats its requests meets the same faults.
 */
#include "apiserver/virtual/virtual_clusters.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "async/event.h"
#include "async/fiber.h"
#include "base/map.h"
#include "base/memory.h"
#include "http/server.h"

#define NAME_SIZE 24

/*
 * Fibers wait for an API that is being made at one of several events, so that making one API does
 * not wake the waiters of all others.
 */
#define PLACES 64

struct virtual_cluster {
    char name[NAME_SIZE];
    uint32_t running;                   /* requests in flight */
    bool is_being_made;                 /* a request is making the API */
    uint64_t requests;                  /* since the faults were set */
    struct api *api;                    /* NULL until the first request */
    struct fault_injection *own_faults; /* NULL: the faults of all clusters */
};

struct virtual_clusters {
    struct virtual_clusters_options options;
    struct virtual_cluster *items;
    struct map by_name;
    struct event made[PLACES];
};

struct virtual_clusters *virtual_clusters_new(const struct virtual_clusters_options *options)
{
    struct virtual_clusters *clusters = NEW(struct virtual_clusters);
    clusters->options = *options;
    if (options->count)
        clusters->items = mem_alloc_zero(options->count * sizeof(struct virtual_cluster));
    for (size_t i = 0; i < options->count; i++) {
        struct virtual_cluster *cluster = &clusters->items[i];
        snprintf(cluster->name, sizeof(cluster->name), "vc-%04zu", i + 1);
        map_put(&clusters->by_name, str_from_c(cluster->name), cluster);
    }
    return clusters;
}

void virtual_clusters_free(struct virtual_clusters *clusters)
{
    if (!clusters)
        return;
    for (size_t i = 0; i < clusters->options.count; i++) {
        api_free(clusters->items[i].api);
        mem_free(clusters->items[i].own_faults);
    }
    map_done(&clusters->by_name);
    mem_free(clusters->items);
    mem_free(clusters);
}

size_t virtual_clusters_count(const struct virtual_clusters *clusters)
{
    return clusters->options.count;
}

struct str virtual_clusters_name(const struct virtual_clusters *clusters, size_t index)
{
    return str_from_c(clusters->items[index].name);
}

struct virtual_cluster *virtual_clusters_find(struct virtual_clusters *clusters, struct str name)
{
    return map_find(&clusters->by_name, name);
}

static const struct fault_injection *faults_of_cluster(const struct virtual_clusters *clusters,
                                                       const struct virtual_cluster *cluster)
{
    return cluster->own_faults ? cluster->own_faults : &clusters->options.faults;
}

const struct fault_injection *virtual_clusters_faults(const struct virtual_clusters *clusters,
                                                      const struct virtual_cluster *cluster)
{
    return cluster ? faults_of_cluster(clusters, cluster) : &clusters->options.faults;
}

/* Clusters without their own faults meet the new common faults from the first request on. */
static void restart_others(struct virtual_clusters *clusters)
{
    for (size_t i = 0; i < clusters->options.count; i++)
        if (!clusters->items[i].own_faults)
            clusters->items[i].requests = 0;
}

void virtual_clusters_set_faults(struct virtual_clusters *clusters, struct virtual_cluster *cluster,
                                 const struct fault_injection *faults)
{
    if (!cluster) {
        clusters->options.faults = *faults;
        restart_others(clusters);
        return;
    }
    if (!cluster->own_faults)
        cluster->own_faults = NEW(struct fault_injection);
    *cluster->own_faults = *faults;
    cluster->requests = 0;
}

static void remove_own(struct virtual_cluster *cluster)
{
    mem_free(TAKE(cluster->own_faults));
    cluster->requests = 0;
}

void virtual_clusters_remove_faults(struct virtual_clusters *clusters,
                                    struct virtual_cluster *cluster)
{
    if (cluster) {
        remove_own(cluster);
        return;
    }
    clusters->options.faults = (struct fault_injection){0};
    for (size_t i = 0; i < clusters->options.count; i++)
        remove_own(&clusters->items[i]);
}

/* The error ends the request; the client sees its connection closed. */
static struct error *drop_connection(struct http_request *http)
{
    http_request_break(http);
    return error_new(ERROR_CONNECTION, "dropped on purpose");
}

/*
 * Hangs until the client leaves or inflight_limits are closed. In the second case the connection is
 * closed without a response.
 */
static struct error *fall_silent(struct virtual_clusters *clusters, struct http_request *http)
{
    struct inflight_limits_hang hang;
    inflight_limits_hang_begin(clusters->options.limits, &hang);
    struct error *err = fiber_sleep(FOREVER);
    inflight_limits_hang_end(&hang);
    if (clusters->options.limits->is_closed)
        http_request_break(http);
    return err;
}

/* A 500 that says it was injected. */
static struct error *answer_fault(struct http_request *http)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(error) err = status_internal("injected fault");
    status_write(&body, err);
    return http_request_answer(http, 500, STR("application/json"), buf_str(&body));
}

struct error *virtual_cluster_misbehave(struct virtual_cluster_visit *visit,
                                        struct http_request *http, bool *ret_is_done)
{
    duration wait;
    struct virtual_cluster *cluster = visit->cluster;
    const struct fault_injection *faults = faults_of_cluster(visit->clusters, cluster);
    visit->number = cluster->requests++;
    const enum injected_fault fault =
        fault_injection_decide(faults, str_from_c(cluster->name), visit->number, &wait);
    *ret_is_done = fault == INJECTED_ERROR;
    if (wait > 0)
        TRY(fiber_sleep(wait));
    switch (fault) {
    case INJECTED_NONE:
        return NULL;
    case INJECTED_ERROR:
        return answer_fault(http);
    case INJECTED_DROP:
        return drop_connection(http);
    case INJECTED_HOLE:
        return fall_silent(visit->clusters, http);
    }
    return NULL;
}

struct error *virtual_cluster_misbehave_watch(struct virtual_cluster_visit *visit,
                                              struct http_request *http, bool *ret_is_silent)
{
    const struct fault_injection *faults = faults_of_cluster(visit->clusters, visit->cluster);
    const enum injected_fault fault = fault_injection_decide_watch(
        faults, str_from_c(visit->cluster->name), visit->number, ++visit->draws);
    *ret_is_silent = fault == INJECTED_HOLE;
    return fault == INJECTED_DROP ? drop_connection(http) : NULL;
}

/* Histories are small, because there may be thousands of clusters. */
static struct error *make_api(struct virtual_clusters *clusters, struct virtual_cluster *cluster)
{
    const struct store_options small = {.history_events = 1000,
                                        .history_bytes = 4 * MEGABYTE,
                                        .limit = clusters->options.storage_of_one,
                                        .budget = clusters->options.storage};
    const struct api_options options = {
        .loop = clusters->options.loop,
        .store = store_new(clusters->options.loop, &small),
        .keys = clusters->options.keys,
        .max_token_lifetime = clusters->options.max_token_lifetime,
        .base_rbac = clusters->options.base_rbac,
        .pool = clusters->options.pool,
        .openapi = clusters->options.openapi,
        .defaults = clusters->options.defaults,
        .webhook_caller = clusters->options.webhook_caller,
        .cluster = str_from_c(cluster->name),
    };
    struct api *api;
    TRY(api_new(&options, &api), "make cluster %s", cluster->name);
    cluster->api = api;
    return NULL;
}

/*
 * The first request makes the API. Requests that arrive meanwhile wait for it, and try again if
 * making it failed.
 */
static struct error *make_once(struct virtual_clusters *clusters, struct virtual_cluster *cluster)
{
    struct event *made = &clusters->made[(size_t)(cluster - clusters->items) % PLACES];
    while (cluster->is_being_made)
        TRY(event_wait(made, "a virtual cluster"));
    if (cluster->api)
        return NULL;
    cluster->is_being_made = true;
    struct error *err = make_api(clusters, cluster);
    cluster->is_being_made = false;
    event_wake_all(made);
    return err;
}

struct error *virtual_clusters_enter(struct virtual_clusters *clusters,
                                     struct virtual_cluster *cluster, struct api **ret_api)
{
    if (!cluster->api)
        TRY(make_once(clusters, cluster));
    cluster->running++;
    *ret_api = cluster->api;
    return NULL;
}

void virtual_clusters_end_watches(struct virtual_clusters *clusters)
{
    for (size_t i = 0; i < clusters->options.count; i++)
        if (clusters->items[i].api)
            api_end_watches(clusters->items[i].api);
}

void virtual_clusters_interrupt_watches(struct virtual_clusters *clusters)
{
    for (size_t i = 0; i < clusters->options.count; i++)
        if (clusters->items[i].api)
            api_interrupt_watches(clusters->items[i].api);
}

void virtual_cluster_leave(struct virtual_cluster *cluster)
{
    cluster->running--;
}
