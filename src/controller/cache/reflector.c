/*
 * The loop of a reflector: run_phase() runs the current phase, asks reflector_next() for the next
 * one and pauses if it says so. Phases are functions in a table: load_by_stream(), load_by_list()
 * and follow_watch(). A streaming list continues as the watch of the same response.
 *
 * All progress is in cache->place, so that a cancelled reflector can be replaced by one with
 * another client (cache_set_use()) without a new list. The behaviour follows client-go's Reflector.
 */
#include "controller/cache/reflector.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "async/timer.h"
#include "base/log.h"
#include "base/random.h"
#include "client/client.h"
#include "client/watch.h"
#include "controller/cache/cache_internal.h"
#include "controller/cache/reflector_next.h"

#define BOOKMARK_WARNING (10 * SECOND)

/* The page size of the first list, and of a list without a version. */
#define LIST_LIMIT    500
#define LIST_NO_LIMIT (-1)
/* As long as a watch: a large list over a slow connection must not fail. */
#define LIST_TIMEOUT (11 * MINUTE)

struct reflector {
    struct cache *cache;
    struct reflector_place *place; /* cache->place */
    struct watch *watch;           /* NULL: not open */
    int64_t opened;                /* when the watch was opened */
    size_t events;                 /* of this watch */
    struct cache_store loading;    /* during a list */
    struct timer warning;          /* until the bookmark that ends a streaming list has come */
    int64_t waiting_since;
};

static int64_t now(const struct reflector *reflector)
{
    return loop_now(reflector->cache->loop);
}

static enum client_form form_of(const struct cache *cache)
{
    return cache->options.metadata_only ? CLIENT_METADATA : CLIENT_OBJECTS;
}

/* The version to load from; empty: any. */
static struct str known_version(const struct reflector *reflector)
{
    return reflector->place->forgot ? STR("") : buf_str(&reflector->cache->version);
}

/* Drops what an interrupted load has left. */
static void begin_loading(struct reflector *reflector)
{
    cache_store_done(&reflector->loading);
    cache_store_init_like(&reflector->loading, &reflector->cache->store);
}

static void end_loading(struct reflector *reflector, struct str version)
{
    cache_replace(reflector->cache, &reflector->loading, version);
    cache_store_done(&reflector->loading);
    cache_set_problem(reflector->cache, STR(""));
    reflector->place->forgot = false;
}

static void close_watch(struct reflector *reflector)
{
    watch_free(TAKE(reflector->watch));
}

/* A streaming list may begin from any version; a watch must continue from the version of the cache.
 */
static struct error *open_watch(struct reflector *reflector, bool send_initial_events)
{
    const struct cache *cache = reflector->cache;
    const struct watch_options options = {
        .label_selector = cache->options.label_selector,
        .field_selector = cache->options.field_selector,
        .resource_version =
            send_initial_events ? known_version(reflector) : buf_str(&cache->version),
        .send_initial_events = send_initial_events,
        .form = form_of(cache),
        .once = true, /* reflector_next() decides what follows */
    };
    TRY(watch_open(cache->client, cache->options.gvr, cache->options.namespace, &options,
                   &reflector->watch));
    reflector->opened = now(reflector);
    reflector->events = 0;
    return NULL;
}

static struct error *next_event(struct reflector *reflector, struct watch_event *event)
{
    TRY(watch_next(reflector->watch, event));
    reflector->events += event->type != WATCH_ENDED;
    return NULL;
}

static enum reflector_end stream_ended(const struct reflector *reflector)
{
    return reflector_end_of_stream(now(reflector) - reflector->opened, reflector->events);
}

static struct log_context owner_of(const struct cache *cache)
{
    return (struct log_context){.fields = cache->owner, .count = cache->owner ? 1 : 0};
}

/* A server that does not support bookmarks would let a streaming list wait without a trace. */
static void on_warning(void *data)
{
    struct reflector *reflector = data;
    SCOPED(log_context) owner = owner_of(reflector->cache);
    log_context_push(&owner);
    const struct cache_options *options = &reflector->cache->options;
    log_info("The bookmark that ends the initial events has not come yet",
             LOG_STR("resource", options->gvr.resource), LOG_STR("namespace", options->namespace),
             LOG_DURATION("waited", now(reflector) - reflector->waiting_since));
    cache_set_problem(reflector->cache, STR("the server has not ended the initial events yet"));
    timer_start(reflector->cache->loop, &reflector->warning, now(reflector) + BOOKMARK_WARNING,
                on_warning, reflector);
}

/* Suspends until the initial events are complete or the stream has ended. */
static struct error *receive_initial_events(struct reflector *reflector,
                                            enum reflector_end *ret_end)
{
    struct watch_event event;
    for (;;) {
        TRY(next_event(reflector, &event));
        if (event.type == WATCH_ENDED) {
            *ret_end = stream_ended(reflector);
            return NULL;
        }
        if (event.initial_end)
            break;
        if (event.type == WATCH_DELETED)
            cache_unload(&reflector->loading, event.object);
        else if (event.type != WATCH_BOOKMARK)
            (void)cache_load(reflector->cache, &reflector->loading, event.object);
    }
    end_loading(reflector, object_resource_version(event.object));
    *ret_end = REFLECTOR_LOADED;
    return NULL;
}

/* Deletions during the initial events are applied to the loading store. Suspends. */
static struct error *load_by_stream(struct reflector *reflector, enum reflector_end *ret_end)
{
    begin_loading(reflector);
    reflector->waiting_since = now(reflector);
    timer_start(reflector->cache->loop, &reflector->warning, now(reflector) + BOOKMARK_WARNING,
                on_warning, reflector);
    struct error *err = open_watch(reflector, true);
    if (!err)
        err = receive_initial_events(reflector, ret_end);
    timer_stop(reflector->cache->loop, &reflector->warning);
    return err;
}

static struct error *load_item(void *data, struct object *object)
{
    struct reflector *reflector = data;
    (void)cache_load(reflector->cache, &reflector->loading, object);
    return NULL;
}

static void restart_load(void *data)
{
    begin_loading(data);
}

/*
 * The first list asks for version "0", any state that the server has in its watch cache. A later
 * list asks for a version not older than the known one, unless the server no longer has it.
 * Suspends.
 */
static struct error *load_by_list(struct reflector *reflector, enum reflector_end *ret_end)
{
    const struct cache *cache = reflector->cache;
    SCOPED(buf) version = {0};
    const struct str known = known_version(reflector);
    const struct client_list_options options = {
        .label_selector = cache->options.label_selector,
        .field_selector = cache->options.field_selector,
        .resource_version = known.len || reflector->place->forgot ? known : STR("0"),
        /* With a limit, servers take the version for "exactly this version". */
        .limit = known.len ? LIST_NO_LIMIT : LIST_LIMIT,
        .form = form_of(cache),
        .timeout = LIST_TIMEOUT,
    };
    const struct client_list_sink sink = {load_item, restart_load, reflector};
    begin_loading(reflector);
    TRY(client_list_each(cache->client, cache->options.gvr, cache->options.namespace, &options,
                         &sink, &version));
    end_loading(reflector, buf_str(&version));
    *ret_end = REFLECTOR_LOADED;
    return NULL;
}

/* The version advances with every event, so that a break continues behind it. */
static void apply_event(struct reflector *reflector, const struct watch_event *event)
{
    struct cache *cache = reflector->cache;
    if (event->type != WATCH_BOOKMARK)
        cache_apply(cache, event->object, event->type == WATCH_DELETED);
    cache_advance(cache, object_resource_version(event->object));
}

/* Opens the watch unless a streaming list has done so. Suspends until the stream has ended. */
static struct error *follow_watch(struct reflector *reflector, enum reflector_end *ret_end)
{
    struct watch_event event;
    if (!reflector->watch)
        TRY(open_watch(reflector, false));
    cache_set_current(reflector->cache);
    reflector->place->hurried = false;
    for (;;) {
        TRY(next_event(reflector, &event));
        if (event.type == WATCH_ENDED)
            break;
        apply_event(reflector, &event);
    }
    *ret_end = stream_ended(reflector);
    return NULL;
}

static struct error *(*const phases[REFLECTOR_PHASES])(struct reflector *, enum reflector_end *) = {
    [REFLECTOR_STREAM] = load_by_stream,
    [REFLECTOR_LIST] = load_by_list,
    [REFLECTOR_WATCH] = follow_watch,
};

/* The problem is shown by cache_problem() until the cache is current again. */
static void report_problem(struct reflector *reflector, const struct error *err, bool is_trouble)
{
    const struct cache_options *options = &reflector->cache->options;
    cache_set_problem(reflector->cache,
                      err ? str_from_c(err->message) : STR("the server ended the watch too soon"));
    if (is_trouble)
        log_error("Cache cannot follow the server", LOG_ERROR(err),
                  LOG_STR("resource", options->gvr.resource),
                  LOG_STR("namespace", options->namespace));
    else
        log_v(4, "Cache goes on", LOG_ERROR(err), LOG_STR("resource", options->gvr.resource),
              LOG_STR("namespace", options->namespace));
}

/* reflector_run() checks for cancellation. Suspends. */
static void sleep_backoff(struct reflector *reflector, const struct error *err)
{
    struct reflector_place *place = reflector->place;
    struct random *random = loop_random(reflector->cache->loop);
    const duration span = reflector_backoff_next(&place->backoff, now(reflector), random);
    if (!reflector_may_hurry(err, place->hurried)) {
        error_free(fiber_sleep(span));
        place->hurried = false;
        return;
    }
    OWNED(error) waited = client_wait_answer(reflector->cache->client, span);
    place->hurried = !waited;
}

/*
 * Runs one phase and the pause behind it. If the phase is cancelled, cache->place stays and the
 * next reflector repeats the phase. If the pause is cancelled, the next reflector does not repeat
 * it. A load without a version that fails for its version ("is_futile") would repeat without end,
 * so there is a pause even if the table asks for none. Suspends.
 */
static void run_phase(struct reflector *reflector)
{
    struct reflector_place *place = reflector->place;
    enum reflector_end end = REFLECTOR_FAILED;
    OWNED(error) err = phases[place->phase](reflector, &end);
    if (place->phase == REFLECTOR_WATCH)
        cache_set_behind(reflector->cache, now(reflector));
    if (err)
        end = reflector_end_of_error(err);
    if (end != REFLECTOR_LOADED && fiber_is_canceled(fiber_current()))
        return;
    const struct reflector_step step = reflector_next(place->phase, end);
    place->phase = step.phase;
    if (end == REFLECTOR_LOADED)
        return;
    close_watch(reflector);
    cache_store_done(&reflector->loading); /* an incomplete list only takes memory */
    const bool is_futile = step.forget && place->forgot;
    place->forgot |= step.forget;
    if (step.back_off || is_futile) {
        report_problem(reflector, err, step.is_trouble);
        sleep_backoff(reflector, err);
    } else if (err) {
        log_v(2, "Cache is loaded in another way", LOG_ERROR(err),
              LOG_STR("resource", reflector->cache->options.gvr.resource));
    }
}

struct error *reflector_run(void *data)
{
    struct cache *cache = data;
    struct reflector reflector = {.cache = cache, .place = &cache->place};
    SCOPED(log_context) owner = owner_of(cache);
    log_context_push(&owner);
    while (!fiber_is_canceled(fiber_current())) {
        if (cache->place.phase == REFLECTOR_STREAM && cache->options.no_streaming_list)
            cache->place.phase = REFLECTOR_LIST;
        run_phase(&reflector);
    }
    close_watch(&reflector);
    cache_store_done(&reflector.loading);
    cache->is_followed = false;
    return NULL;
}
