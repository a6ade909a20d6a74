/*
 * A watch is a GET whose response does not end: one JSON event per line. watch_next() reads a line
 * and opens the stream again when it has ended, from the resourceVersion of the last event.
 *
 * Three limits keep a dead connection from going unnoticed: opening has a time limit, the server
 * ends the stream after the timeout that the query names, and the client gives the stream up when
 * it is still open "silence" later. The timeout is random, so that the watches of many clients do
 * not end at the same time, as client-go's reflector does it.
 */
#include "client/watch.h"

#include "apimachinery/resource_path.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client_internal.h"
#include "client/watch_line.h"
#include "client/watch_request.h"

#define TIMEOUT_MIN   (5 * MINUTE)
#define BACKOFF_FIRST (800 * MILLISECOND)
#define BACKOFF_MAX   (30 * SECOND)
/* A stream that ends sooner than this without an event is opened again after a pause only. */
#define STREAM_MIN SECOND

struct watch {
    struct client *client;
    struct gvr gvr;
    struct watch_options options;
    struct str path;
    struct arena texts;
    struct buf version;
    struct http_response *response; /* NULL: the stream must be opened again */
    struct object *object;          /* of the last event */
    int64_t opened, ends;
    size_t events; /* of this stream */
    duration backoff;
    bool initial_done; /* the initial events are complete, or were not asked for */
};

static duration draw_timeout(struct watch *watch)
{
    if (watch->options.timeout)
        return watch->options.timeout;
    struct random *random = loop_random(client_loop(watch->client));
    return TIMEOUT_MIN + (duration)random_below(random, TIMEOUT_MIN / SECOND) * SECOND;
}

/* sendInitialEvents is repeated until the initial events are complete. Suspends. */
static struct error *open_stream(struct watch *watch)
{
    const struct watch_request request = {
        .client = watch->client,
        .path = watch->path,
        .options = &watch->options,
        .version = buf_str(&watch->version),
        .timeout = draw_timeout(watch),
        .asks_initial = watch->options.send_initial_events && !watch->initial_done,
    };
    TRY(watch_request_send(&request, &watch->response));
    watch->opened = loop_now(client_loop(watch->client));
    watch->ends = watch->opened + watch_request_longest(&request);
    watch->events = 0;
    http_response_limit_lines(watch->response, client_options_of(watch->client)->answer_max);
    return NULL;
}

struct error *watch_open(struct client *client, struct gvr gvr, struct str namespace,
                         const struct watch_options *options, struct watch **ret_watch)
{
    OWNED(watch) watch = NEW(struct watch);
    struct arena *texts = &watch->texts;
    watch->client = client;
    watch->options = *options;
    watch->options.label_selector = arena_str(texts, options->label_selector);
    watch->options.field_selector = arena_str(texts, options->field_selector);
    watch->gvr = gvr_copy(texts, gvr);
    const struct resource_path path = {.gvr = gvr, .namespace = namespace};
    watch->path = resource_path_write(texts, &path);
    buf_add(&watch->version, options->resource_version);
    watch->initial_done = !options->send_initial_events;
    TRY(open_stream(watch));
    *ret_watch = TAKE(watch);
    return NULL;
}

void watch_free(struct watch *watch)
{
    if (!watch)
        return;
    http_response_free(watch->response);
    object_free(watch->object);
    buf_done(&watch->version);
    arena_done(&watch->texts);
    mem_free(watch);
}

/*
 * Remembers the version from which the watch continues after a break. Initial events need not come
 * in the order of versions: before the last of them a version says nothing about the objects that
 * are still missing.
 */
static void advance_version(struct watch *watch, const struct watch_event *event)
{
    const struct str version = object_resource_version(event->object);
    if (event->initial_end)
        watch->initial_done = true;
    if (!version.len || !watch->initial_done)
        return;
    buf_clear(&watch->version);
    buf_add(&watch->version, version);
}

static struct error *read_event(struct watch *watch, struct str line, struct watch_event *ret_event,
                                bool *ret_known)
{
    object_free(TAKE(watch->object));
    TRY(watch_line_read(line, ret_event, ret_known));
    watch->object = ret_event->object;
    if (*ret_known)
        advance_version(watch, ret_event);
    return NULL;
}

/*
 * Suspends until the next line. *ret_ended is true if the stream is over, with an error if it did
 * not end cleanly. Other errors, such as the end of the fiber, leave *ret_ended false.
 */
static struct error *read_line(struct watch *watch, struct str *ret_line, bool *ret_ended)
{
    const int64_t now = loop_now(client_loop(watch->client));
    const int64_t outer = fiber_deadline();
    struct error *err;
    {
        FIBER_TIMEOUT(watch->ends > now ? watch->ends - now : 0);
        err = http_response_read_line(watch->response, ret_line);
    }
    /* A deadline may be that of the fiber, which ends the call, or that of the stream. */
    const bool ours = error_is(err, ERROR_DEADLINE) && watch->ends < outer;
    *ret_ended = err ? ours || error_is(err, ERROR_CONNECTION) || error_is(err, ERROR_PROTOCOL)
                     : !ret_line->ptr;
    if (ours)
        log_v(4, "Watch fell silent", LOG_STR("path", watch->path));
    return err;
}

/* Suspends for a random time that doubles with each failure, up to BACKOFF_MAX. */
static struct error *back_off(struct watch *watch)
{
    struct random *random = loop_random(client_loop(watch->client));
    const duration base = watch->backoff ? watch->backoff : BACKOFF_FIRST;
    watch->backoff = base * 2 < BACKOFF_MAX ? base * 2 : BACKOFF_MAX;
    return fiber_sleep(random_jitter(random, base, 1));
}

/* Errors after which opening the stream again may succeed. */
static bool is_transient(const struct error *err)
{
    return error_is(err, ERROR_CONNECTION) || error_is(err, ERROR_UNREACHABLE) ||
           error_is(err, ERROR_TOO_MANY_REQUESTS) || error_is(err, ERROR_SERVICE_UNAVAILABLE) ||
           error_is(err, ERROR_DEADLINE);
}

/* Suspends until the stream is open again. Fails at the deadline of the fiber. */
static struct error *reopen_stream(struct watch *watch)
{
    for (;;) {
        const int64_t outer = fiber_deadline();
        struct error *err = open_stream(watch);
        if (!err)
            return NULL;
        const bool late = outer != FOREVER && outer <= loop_now(client_loop(watch->client));
        if (late || !is_transient(err))
            return err;
        log_v(4, "Watch is opened again", LOG_STR("path", watch->path), LOG_ERROR(err));
        error_free(err);
        TRY(back_off(watch));
    }
}

/* Closes the stream. Suspends for a pause if it was too short to be of use. */
static struct error *close_stream(struct watch *watch)
{
    const int64_t lasted = loop_now(client_loop(watch->client)) - watch->opened;
    const bool was_useful = watch->events > 0 || lasted >= STREAM_MIN;
    http_response_free(TAKE(watch->response));
    if (was_useful)
        watch->backoff = 0;
    else
        TRY(back_off(watch));
    return NULL;
}

struct error *watch_next(struct watch *watch, struct watch_event *ret_event)
{
    *ret_event = (struct watch_event){0};
    for (;;) {
        struct str line;
        bool ended, known = false;
        if (!watch->response)
            TRY(reopen_stream(watch), "watch %.*s", STR_ARG(watch->gvr.resource));
        struct error *err = read_line(watch, &line, &ended);
        if (ended)
            error_free(err);
        if (ended && watch->options.once) {
            http_response_free(TAKE(watch->response));
            ret_event->type = WATCH_ENDED;
            return NULL;
        }
        if (ended) {
            TRY(close_stream(watch));
            continue;
        }
        TRY(err, "watch %.*s", STR_ARG(watch->gvr.resource));
        TRY(read_event(watch, line, ret_event, &known));
        watch->events++;
        if (known)
            return NULL;
    }
}
