/*
 * A watch begins with the objects that exist (if it asked for them, or named no resourceVersion),
 * sent as ADDED, and continues with the events after the revision of that list. The list is
 * collected before the response begins, so its errors can still be sent as a Status. Later errors
 * are ERROR events, among them those of a conversion webhook.
 *
 * follow_events() waits for the next event or for the next point in time, whichever comes first: a
 * bookmark every minute, one more shortly before the end, and the end itself. A watch without
 * timeoutSeconds ends after 30 to 60 minutes, at random, so that not all clients come back at once.
 *
 * A client that asked for a WebSocket gets one, with a text message per event. Everything else is
 * the same: only send_line() and the ends of handle_watch() know the difference.
 */
#include "apiserver/endpoints/handle_watch.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/handle_list.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/endpoints/metadata.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/storage/store_hold.h"
#include "apiserver/storage/store_watch.h"
#include "apiserver/virtual/virtual_clusters.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/random.h"
#include "http/server.h"
#include "http/websocket.h"

#define BOOKMARK_EVERY (60 * SECOND)
#define BOOKMARK_LEAD  (2 * SECOND) /* before the end of the stream */
#define TIMEOUT_MIN    (30 * MINUTE)
#define YIELD_EVERY    64 /* objects, or this many bytes of them */
#define YIELD_BYTES    (256 * KILOBYTE)
#define STALL_MAX      (30 * SECOND)

struct watch_stream {
    struct request *request;
    struct list_options options;
    struct codec codec;
    struct store_watch *watch;
    struct store_hold initial;   /* the list that is being sent */
    int64_t ends, next_bookmark; /* times of the loop's clock */
    int64_t shown;               /* the newest revision the client knows of */
    size_t ready; /* initial objects whose conversion is known; all if there is none */
    bool columns_shown;
    bool is_silent; /* an injected fault; see fault_injection.h */
    bool has_socket;
    struct websocket socket;
    struct buf line;
};

static void watch_stream_done(struct watch_stream *stream)
{
    store_hold_end(&stream->initial);
    store_watch_free(stream->watch);
    websocket_done(&stream->socket);
    buf_done(&stream->line);
}

/* Injected faults concern open watches, too; see fault_injection.h. Silent streams stay silent. */
static struct error *inject_watch_fault(struct watch_stream *stream)
{
    struct virtual_cluster_visit *visit = stream->request->visit;
    if (!visit || stream->is_silent)
        return NULL;
    return virtual_cluster_misbehave_watch(visit, stream->request->http, &stream->is_silent);
}

static struct error *write_line(struct watch_stream *stream)
{
    const struct str line = buf_str(&stream->line);
    return stream->has_socket ? websocket_send_text(&stream->socket, line)
                              : http_request_write(stream->request->http, line);
}

/*
 * A client that does not take its events is cut off after STALL_MAX. It can come again and continue
 * from its last resourceVersion.
 */
static struct error *send_line(struct watch_stream *stream)
{
    buf_add(&stream->line, STR("}\n"));
    TRY(buf_check(&stream->line));
    TRY(inject_watch_fault(stream));
    if (!stream->is_silent) {
        FIBER_TIMEOUT(STALL_MAX);
        TRY(write_line(stream));
    }
    const bool was_large = stream->line.capacity > INFLIGHT_LIMITS_BYTES_MIN;
    buf_clear(&stream->line);
    if (was_large)
        buf_shrink(&stream->line);
    return NULL;
}

static void begin_line(struct watch_stream *stream, const char *type)
{
    buf_clear(&stream->line);
    BUF_ADD_ALL(&stream->line, STR("{\"type\":\""), str_from_c(type), STR("\",\"object\":"));
}

/* What one line of objects says. */
struct announcement {
    const char *type;
    int64_t departed; /* the revision at which the object left the selection; 0: it is in it */
};

/* The last state of an object that was selected. */
struct departure {
    const struct kind *kind;
    const struct object_text *text;
    int64_t revision;
    struct json_doc *doc;
};

static struct error *read_departed(void *data)
{
    struct departure *departure = data;
    OWNED(json_doc) old = NULL;
    TRY(codec_read_stored(departure->kind, departure->text, &old));
    return metadata_set_version(old, departure->revision, &departure->doc);
}

/*
 * The object changed and is no longer selected. The client gets DELETED with the old content and
 * the new resourceVersion.
 */
static struct error *write_departed(struct watch_stream *stream, const struct object_text *text,
                                    int64_t revision)
{
    struct departure departure = {stream->codec.kind, text, revision, NULL};
    TRY(webhook_conversion_run(stream->codec.kind, 0, read_departed, &departure));
    OWNED(json_doc) doc = departure.doc;
    begin_line(stream, "DELETED");
    return codec_write_doc(&stream->line, &stream->codec, doc, !stream->columns_shown);
}

static struct error *write_object(struct watch_stream *stream, const char *type,
                                  const struct object_text *text)
{
    begin_line(stream, type);
    return codec_write(&stream->line, &stream->codec, text, !stream->columns_shown);
}

/*
 * Sends one of the texts of a hold. Large objects count against inflight_limits while they are
 * being sent, and are in the hold while they wait for that. The text is released before the client
 * takes the line, because a slow client would keep a state that has long been replaced.
 */
static struct error *send_object(struct watch_stream *stream, struct announcement say,
                                 struct store_hold *hold, size_t place, size_t size)
{
    OWNED(object_text) text = NULL;
    const size_t held = size > INFLIGHT_LIMITS_BYTES_MIN ? size : 0;
    TRY(inflight_limits_wait(stream->request->pass, held));
    TRY(store_hold_take(hold, place, &text));
    stream->codec.now = loop_wall(stream->request->api->loop);
    TRY(say.departed ? write_departed(stream, text, say.departed)
                     : write_object(stream, say.type, text));
    object_text_free(TAKE(text));
    stream->columns_shown = true;
    TRY(send_line(stream));
    inflight_limits_give(stream->request->pass, held);
    return NULL;
}

static struct error *send_bookmark(struct watch_stream *stream, int64_t revision, bool ends_initial)
{
    begin_line(stream, "BOOKMARK");
    codec_bookmark(&stream->line, &stream->codec, revision, ends_initial);
    stream->shown = revision;
    return send_line(stream);
}

static struct error *send_error(struct watch_stream *stream, struct error *err)
{
    OWNED(error) owned = err;
    begin_line(stream, "ERROR");
    status_write(&stream->line, err);
    return send_line(stream);
}

/* Whether an object was selected before a change, and is now. */
struct selection {
    const struct watch_stream *stream;
    const struct store_event *event;
    bool before, now;
};

static struct error *select_event(void *data)
{
    struct selection *selection = data;
    const struct store_event *event = selection->event;
    const struct kind *kind = selection->stream->codec.kind;
    const struct list_options *options = &selection->stream->options;
    selection->before = event->previous && handle_list_selects(kind, options, event->previous);
    selection->now =
        event->type != STORE_DELETED && handle_list_selects(kind, options, event->text);
    return NULL;
}

/*
 * Sends the text of an event, the former one if the object departs, and releases the other. The
 * watch itself is as old as the event, so that the hold is over when the watch has fallen behind.
 */
static struct error *send_text(struct watch_stream *stream, struct announcement say,
                               struct store_event *event)
{
    OWNED(object_text) text = say.departed ? TAKE(event->previous) : TAKE(event->text);
    SCOPED(store_hold) hold = {.items = &text, .count = 1, .revision = event->revision};
    store_event_done(event);
    store_hold_begin(stream->request->api->store, stream->request->kind->stored_as, &hold);
    return send_object(stream, say, &hold, 0, object_text_size(text));
}

/*
 * Translates a change of an object into an event of the selection: an object may enter or leave the
 * selection without being created or deleted. The texts of the event are released.
 */
static struct error *send_event(struct watch_stream *stream, struct store_event *event)
{
    struct selection selection = {stream, event, false, false};
    const size_t size = event->previous ? object_text_size(event->previous) : 0;
    const bool has_selector = stream->options.has_labels || stream->options.has_fields;
    TRY(webhook_conversion_run(stream->codec.kind,
                               has_selector ? size + object_text_size(event->text) : 0,
                               select_event, &selection));
    const bool before = selection.before;
    if (event->type == STORE_DELETED)
        return before ? send_text(stream, (struct announcement){"DELETED", 0}, event) : NULL;
    if (selection.now)
        return send_text(stream, (struct announcement){before ? "MODIFIED" : "ADDED", 0}, event);
    return before ? send_text(stream, (struct announcement){"DELETED", event->revision}, event)
                  : NULL;
}

static bool wants_initial(const struct list_options *options)
{
    return options->has_initial_events ? options->initial_events : options->revision == 0;
}

/*
 * Before the response begins, so that an error is sent as a Status. A watch from a revision that
 * does not come is refused as a list of it is: its client knows more than this server does.
 */
static struct error *collect_initial(const struct watch_stream *stream, struct list_result *list)
{
    struct list_options options = stream->options;
    options.limit = 0;
    options.continue_token = (struct str){0};
    options.match = MATCH_NOT_OLDER_THAN;
    return wants_initial(&options) ? handle_list_collect(stream->request, &options, list)
                                   : api_wait_revision(stream->request->api, options.revision);
}

/* What has been collected is kept for as long as a watch of its revision could be opened. */
static void hold_initial(struct watch_stream *stream, const struct list_result *list)
{
    stream->initial =
        (struct store_hold){.items = list->items, .count = list->count, .revision = list->revision};
    if (list->count)
        store_hold_begin(stream->request->api->store, stream->request->kind->stored_as,
                         &stream->initial);
}

/* Each item is released when it is sent, and the list when all are, because streams last long. */
static struct error *send_initial(struct watch_stream *stream, struct list_result *list)
{
    size_t sent = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i == stream->ready)
            TRY(handle_list_prepare(stream->codec.kind, &stream->initial, &stream->ready));
        size_t size;
        TRY(store_hold_size(&stream->initial, i, &size));
        TRY(send_object(stream, (struct announcement){"ADDED", 0}, &stream->initial, i, size));
        sent += size;
        if (sent < YIELD_BYTES && i % YIELD_EVERY != YIELD_EVERY - 1)
            continue;
        TRY(fiber_yield());
        sent = 0;
    }
    webhook_conversion_forget(stream->codec.kind);
    store_hold_end(&stream->initial);
    list_result_done(list);
    *list = (struct list_result){0};
    return NULL;
}

/* The store filters by namespace and name; send_event() applies the remaining selectors. */
static struct error *open_watch(struct watch_stream *stream, int64_t revision)
{
    const struct request *request = stream->request;
    struct str name = {0};
    field_selector_find_exact(&stream->options.fields, STR("metadata.name"), &name);
    const struct store_watch_filter filter = {
        request->kind->stored_as,
        {request->namespace, name},
    };
    return store_watch_open(request->api->store, &filter, revision, &stream->watch);
}

static struct error *too_old(const struct watch_stream *stream, int64_t revision)
{
    SCOPED(arena) arena = {0};
    return status_expired(arena_print(&arena, "too old resource version: %lld (%lld)",
                                      (long long)revision,
                                      (long long)store_revision(stream->request->api->store)));
}

/* Whether the history has dropped what the stream needs. A webhook may fail with the same code. */
static bool is_expired(const struct watch_stream *stream, const struct error *err)
{
    return error_is(err, ERROR_EXPIRED) && !webhook_conversion_has_failed(stream->codec.kind);
}

/* Waits for the next event, at most until the given time; *ret_event stays empty then. */
static struct error *next_event(struct watch_stream *stream, int64_t until,
                                struct store_event *ret_event)
{
    const int64_t now = loop_now(stream->request->api->loop);
    FIBER_TIMEOUT(until > now ? until - now : 0);
    struct error *err = store_watch_next(stream->watch, ret_event);
    return error_ignore(err, ERROR_DEADLINE);
}

/* Also the point at which an idle watch draws its fault. */
static struct error *send_bookmark_if_due(struct watch_stream *stream)
{
    const int64_t now = loop_now(stream->request->api->loop);
    const int64_t revision = store_watch_revision(stream->watch);
    if (now < stream->next_bookmark)
        return NULL;
    stream->next_bookmark = now + BOOKMARK_EVERY;
    fiber_trim_stack(); /* events may have used more of it meanwhile */
    if (stream->ends - BOOKMARK_LEAD > now && stream->next_bookmark > stream->ends - BOOKMARK_LEAD)
        stream->next_bookmark = stream->ends - BOOKMARK_LEAD;
    return stream->options.bookmarks && revision > stream->shown
               ? send_bookmark(stream, revision, false)
               : inject_watch_fault(stream);
}

/* One user may have 20,000 watches, which mostly wait: each keeps as little as it can. */
static struct error *follow_events(struct watch_stream *stream)
{
    struct loop *loop = stream->request->api->loop;
    fiber_trim_stack();
    for (size_t i = 0;; i++) {
        struct store_event event = {0};
        const int64_t until =
            stream->next_bookmark < stream->ends ? stream->next_bookmark : stream->ends;
        struct error *err = next_event(stream, until, &event);
        if (error_is(err, ERROR_GONE))
            return error_ignore(err,
                                ERROR_GONE); /* the definition was deleted, or the server stops */
        if (!err && event.text) {
            const int64_t revision = event.revision;
            err = send_event(stream, &event);
            stream->shown = revision;
            store_event_done(&event);
            webhook_conversion_forget(stream->codec.kind);
        }
        if (is_expired(stream, err)) {
            error_free(err);
            return send_error(stream, too_old(stream, stream->shown));
        }
        TRY(err);
        if (loop_now(loop) >= stream->ends)
            return NULL;
        TRY(send_bookmark_if_due(stream));
        if (i % YIELD_EVERY == YIELD_EVERY - 1)
            TRY(fiber_yield());
    }
}

/*
 * The watch is opened at the revision of the list, so no event is lost or sent twice. A client that
 * takes the list so slowly that the watch could not be opened any more is told so at once.
 */
static struct error *send_all(struct watch_stream *stream, struct list_result *list)
{
    const struct list_options *options = &stream->options;
    const bool initial = wants_initial(options);
    stream->shown = initial             ? list->revision
                    : options->revision ? options->revision
                                        : store_revision(stream->request->api->store);
    struct error *err = initial ? send_initial(stream, list) : NULL;
    if (!err)
        err = open_watch(stream, stream->shown);
    if (is_expired(stream, err)) {
        error_free(err);
        return send_error(stream, too_old(stream, stream->shown));
    }
    TRY(err);
    if (initial && options->bookmarks && (options->has_initial_events || options->version.len))
        TRY(send_bookmark(stream, stream->shown, true));
    const struct api *api = stream->request->api;
    const bool is_over = api->is_ending || api->interruptions != stream->request->interruptions;
    return is_over ? NULL : follow_events(stream);
}

/* A conversion that fails ends the watch with an event, as kube-apiserver ends it. */
static struct error *run_watch(struct watch_stream *stream, struct list_result *list)
{
    struct error *err = send_all(stream, list);
    if (!err || !webhook_conversion_has_failed(stream->codec.kind))
        return err;
    OWNED(error) owned = err;
    return send_error(stream, error_is(err, ERROR_UNKNOWN) ? status_internal("%s", err->message)
                                                           : TAKE(owned));
}

static void set_times(struct watch_stream *stream)
{
    struct loop *loop = stream->request->api->loop;
    const int64_t now = loop_now(loop);
    duration span = stream->options.timeout;
    if (span == 0)
        span = TIMEOUT_MIN + (duration)random_below(loop_random(loop), (uint64_t)TIMEOUT_MIN);
    stream->ends = now + span;
    stream->next_bookmark = now + BOOKMARK_EVERY;
    if (stream->next_bookmark > stream->ends - BOOKMARK_LEAD)
        stream->next_bookmark = stream->ends - BOOKMARK_LEAD;
}

/*
 * The client's close cancels this fiber, or ends a message with an error. Either way the close
 * frame is queued already, and the request ends in good order. So does a watch whose time is over.
 */
static struct error *end_socket(struct watch_stream *stream, struct error *err)
{
    if (!websocket_is_open(&stream->socket)) {
        error_free(err);
        return NULL;
    }
    if (!err)
        websocket_close(&stream->socket);
    return err;
}

static struct error *watch_by_socket(struct watch_stream *stream, struct list_result *initial)
{
    stream->has_socket = true;
    TRY(websocket_accept(&stream->socket, stream->request->http, STR(AUTH_WEBSOCKET_TOKEN)));
    if (!websocket_is_open(&stream->socket))
        return NULL; /* the handshake was refused, and answered */
    return end_socket(stream, run_watch(stream, initial));
}

struct error *handle_watch(struct request *request)
{
    SCOPED(list_result) initial = {0};
    SCOPED(watch_stream) stream = {.request = request, .codec = {.kind = request->kind}};
    TRY(negotiate(request, &stream.codec.format));
    TRY(list_options_read(request, &stream.options));
    set_times(&stream);
    TRY(collect_initial(&stream, &initial));
    hold_initial(&stream, &initial);
    struct error *err = handle_list_prepare(stream.codec.kind, &stream.initial, &stream.ready);
    if (is_expired(&stream, err)) {
        error_free(err);
        return too_old(&stream, initial.revision);
    }
    TRY(err);
    if (http_request_wants_websocket(request->http))
        return watch_by_socket(&stream, &initial);
    TRY(response_begin_stream(request, STR("application/json")));
    return run_watch(&stream, &initial);
}
