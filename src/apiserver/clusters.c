#include "apiserver/clusters.h"

#include "api/status.h"
#include "apiserver/api.h"
#include "async/event.h"
#include "async/fiber.h"
#include "base/map.h"
#include "base/memory.h"
#include "http/server.h"

#define NAME_SIZE 24

struct cluster {
    char name[NAME_SIZE];
    uint32_t running;          /* requests */
    uint64_t requests;         /* that came so far */
    bool is_making;            /* the API, for the first who asked; others wait */
    struct api *api;           /* NULL until somebody asks */
    struct inject *own_inject; /* NULL: that of all */
};

struct clusters {
    struct clusters_options options;
    struct cluster *items;
    struct map by_name;
    struct event made; /* an API, or not */
};

struct clusters *clusters_new(const struct clusters_options *options)
{
    struct clusters *clusters = NEW(struct clusters);
    clusters->options = *options;
    if (options->count)
        clusters->items = mem_alloc_zero(options->count * sizeof(struct cluster));
    for (size_t i = 0; i < options->count; i++) {
        struct cluster *cluster = &clusters->items[i];
        snprintf(cluster->name, sizeof(cluster->name), "vc-%04zu", i + 1);
        map_put(&clusters->by_name, str_from_c(cluster->name), cluster);
    }
    return clusters;
}

void clusters_free(struct clusters *clusters)
{
    if (!clusters)
        return;
    for (size_t i = 0; i < clusters->options.count; i++) {
        api_free(clusters->items[i].api);
        mem_free(clusters->items[i].own_inject);
    }
    map_done(&clusters->by_name);
    mem_free(clusters->items);
    mem_free(clusters);
}

size_t clusters_count(const struct clusters *clusters)
{
    return clusters->options.count;
}

struct str clusters_name(const struct clusters *clusters, size_t index)
{
    return str_from_c(clusters->items[index].name);
}

struct cluster *clusters_find(struct clusters *clusters, struct str name)
{
    return map_find(&clusters->by_name, name);
}

const struct inject *clusters_inject(const struct clusters *clusters, const struct cluster *cluster)
{
    return cluster && cluster->own_inject ? cluster->own_inject : &clusters->options.inject;
}

void clusters_set_inject(struct clusters *clusters, struct cluster *cluster,
                         const struct inject *inject)
{
    if (!cluster) {
        clusters->options.inject = *inject;
        return;
    }
    if (!cluster->own_inject)
        cluster->own_inject = NEW(struct inject);
    *cluster->own_inject = *inject;
}

struct error *clusters_misbehave(struct clusters *clusters, struct cluster *cluster,
                                 struct http_request *http, bool *ret_is_done)
{
    duration wait;
    const uint64_t number = cluster->requests++;
    const enum inject_fault fault =
        inject_decide(clusters_inject(clusters, cluster), str_from_c(cluster->name), number, &wait);
    *ret_is_done = fault != INJECT_NONE;
    if (wait > 0)
        TRY(fiber_sleep(wait));
    switch (fault) {
    case INJECT_NONE:
        return NULL;
    case INJECT_HOLE:
        return fiber_sleep(FOREVER);
    case INJECT_DROP:
        return error_new(ERROR_CONNECTION, "dropped on purpose");
    case INJECT_ERROR:
        break;
    }
    SCOPED(buf) body = {.limit = 0};
    OWNED(error) err = status_internal("Internal error occurred: injected fault");
    status_write(&body, err);
    return http_request_answer(http, 500, STR("application/json"), buf_str(&body));
}

static struct error *make_api(struct clusters *clusters, struct cluster *cluster)
{
    const struct store_options small = {.history_events = 1000, .history_bytes = 4 * MEGABYTE};
    const struct api_options options = {
        .loop = clusters->options.loop,
        .store = store_new(clusters->options.loop, &small),
        .keys = clusters->options.keys,
        .base_rbac = clusters->options.base_rbac,
        .pool = clusters->options.pool,
        .cluster = str_from_c(cluster->name),
    };
    struct api *api;
    TRY(api_new(&options, &api), "make cluster %s", cluster->name);
    cluster->api = api;
    return NULL;
}

struct error *clusters_enter(struct clusters *clusters, struct cluster *cluster,
                             struct api **ret_api)
{
    while (!cluster->api && cluster->is_making)
        TRY(event_wait(&clusters->made, "a cluster to be made"));
    if (!cluster->api) {
        cluster->is_making = true;
        struct error *err = make_api(clusters, cluster);
        cluster->is_making = false;
        event_wake_all(&clusters->made);
        TRY(err);
    }
    cluster->running++;
    *ret_api = cluster->api;
    return NULL;
}

void clusters_end_watches(struct clusters *clusters)
{
    for (size_t i = 0; i < clusters->options.count; i++)
        if (clusters->items[i].api)
            api_end_watches(clusters->items[i].api);
}

void clusters_leave(struct cluster *cluster)
{
    cluster->running--;
}
