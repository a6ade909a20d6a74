/*
 * Feeds the model of corset status. The table `sources` names the four resources in the order in
 * which the model expects them, and the function of the model that takes an object.
 */
#include "cmd/status_source.h"

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/client.h"
#include "cmd/management_client.h"
#include "controller/cache/cache.h"

/* In the order of status_model.h. Without permission for an optional resource the rest is shown. */
static const struct {
    struct gvr gvr;
    struct str field_selector;
    void (*add)(struct status_model *model, const struct object *object);
    bool is_optional; /* without permission to read it, the rest is shown */
} sources[STATUS_SOURCES] = {
    {{STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("v1beta2"), STR_INIT("clusterresourcesets")},
     {0},
     status_model_add_set,     false},
    {{STR_INIT("cluster.x-k8s.io"), STR_INIT("v1beta2"), STR_INIT("clusters")},
     {0},
     status_model_add_cluster, false},
    {{STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("v1beta2"),
      STR_INIT("clusterresourcesetbindings")},
     {0},
     status_model_add_binding, false},
    {{{0}, STR_INIT("v1"), STR_INIT("events")},
     STR_INIT("involvedObject.kind=Cluster,reason=ResourcesNotApplied"),
     status_model_add_event,   true },
};

/* The argument of the functions that take objects: the model, and the row of `sources`. */
struct listing {
    struct status_model *model;
    size_t source;
};

/* Takes an object from a list. Fails when the model has reached its limit of memory. */
static struct error *add_listed(void *data, struct object *object)
{
    const struct listing *listing = data;
    sources[listing->source].add(listing->model, object);
    return arena_check(&listing->model->arena);
}

static struct error *list_kind(struct client *client, struct str namespace,
                               const struct listing *listing)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_options options = {.field_selector =
                                                    sources[listing->source].field_selector};
    const struct client_list_sink sink = {.each = add_listed, .data = (void *)listing};
    return client_list_each(client, sources[listing->source].gvr, namespace, &options, &sink,
                            &version);
}

/* Stops at the first resource that cannot be listed. */
struct error *status_source_list(struct client *client, struct str namespace,
                                 struct status_model *model)
{
    for (size_t i = 0; i < STATUS_SOURCES; i++) {
        const struct listing listing = {model, i};
        struct error *err = list_kind(client, namespace, &listing);
        if (sources[i].is_optional && error_is(err, ERROR_FORBIDDEN))
            err = error_ignore(err, ERROR_FORBIDDEN);
        TRY(management_client_explain(err));
    }
    status_model_finish(model);
    return NULL;
}

/* Handler of all caches. Changes between two frames are joined into one. */
static void note_change(void *data, const struct cache_event *event)
{
    struct status_watch *watch = data;
    (void)event;
    watch->is_changed = true;
    event_wake_all(&watch->changed);
}

/* Optional resources are not waited for, since reading them may be forbidden. */
struct error *status_watch_open(struct status_watch *watch, struct client *client,
                                struct str namespace)
{
    watch->caches = cache_set_new(loop_current(), client);
    watch->handlers = mem_alloc_zero(STATUS_SOURCES * sizeof(*watch->handlers));
    for (size_t i = 0; i < STATUS_SOURCES; i++) {
        watch->sources[i] = cache_set_get(
            watch->caches, &(struct cache_options){.gvr = sources[i].gvr,
                                                   .namespace = namespace,
                                                   .field_selector = sources[i].field_selector});
        watch->handlers[i] = (struct cache_handler){.changed = note_change, .data = watch};
        cache_add_handler(watch->sources[i], &watch->handlers[i]);
    }
    for (size_t i = 0; i < STATUS_SOURCES; i++)
        if (!sources[i].is_optional)
            TRY(cache_wait_synced(watch->sources[i]));
    return NULL;
}

/* Handlers are removed before the caches that call them are freed. */
void status_watch_done(struct status_watch *watch)
{
    for (size_t i = 0; i < STATUS_SOURCES && watch->handlers; i++)
        cache_remove_handler(watch->sources[i], &watch->handlers[i]);
    cache_set_free(watch->caches);
    mem_free(watch->handlers);
}

/* An object that cannot be parsed is skipped. */
static bool add_cached(void *data, struct object_text *text)
{
    const struct listing *listing = data;
    OWNED(object) object = NULL;
    OWNED(error) err = object_text_read(text, &object);
    if (!err)
        sources[listing->source].add(listing->model, object);
    return true;
}

void status_watch_read(struct status_watch *watch, struct status_model *model)
{
    watch->is_changed = false;
    for (size_t i = 0; i < STATUS_SOURCES; i++) {
        struct listing listing = {model, i};
        cache_each(watch->sources[i], STR(""), add_cached, &listing);
    }
    status_model_finish(model);
}

struct str status_watch_problem(const struct status_watch *watch)
{
    for (size_t i = 0; i < STATUS_SOURCES; i++)
        if (!sources[i].is_optional && cache_problem(watch->sources[i]).len)
            return cache_problem(watch->sources[i]);
    return STR("");
}

/* Reaching the deadline is no error. */
struct error *status_watch_wait(struct status_watch *watch, duration most)
{
    FIBER_TIMEOUT(most);
    while (!watch->is_changed) {
        struct error *err = event_wait(&watch->changed, "a change");
        if (error_is(err, ERROR_DEADLINE))
            return error_ignore(err, ERROR_DEADLINE);
        TRY(err);
    }
    return NULL;
}
