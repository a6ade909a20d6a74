/*
 * recorder_event() finds the struct recorded of equal events, or makes one, and counts the
 * occurrence. recorder_run() sends what is due: a create for a new event, a patch of its series for
 * further occurrences. The scheme is that of client-go's tools/events.
 *
 * "count" is the number of occurrences and "sent" the number that the server knows. An event with
 * sent < count waits to be sent at "due". All end six minutes after their last occurrence.
 *
 * Namespaces are tenants, and none may keep the events of another back: they take turns in being
 * sent. To make room, events that are sent are removed, the oldest first; when all of them wait,
 * the newest of the namespace that has most of them goes.
 */
#include "controller/recorder.h"

#include <inttypes.h>

#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/timer.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/timestamp.h"
#include "client/client.h"
#include "client/rate_limit.h"
#include "json/builder.h"

#define EVENTS_DEFAULT 1000
#define QPS_DEFAULT    10
#define BURST_DEFAULT  25
#define SERIES_END     (6 * MINUTE)
#define SERIES_PERIOD  (30 * SECOND)
#define RETRY_DELAY    (10 * SECOND)
#define TRIES_MAX      12
#define SHUTDOWN_GRACE (5 * SECOND)
#define NAME_PART_MAX  230 /* bytes of the object's name in the name of the Event */
#define NOTE_ELLIPSIS  "..."

enum { DROPPED, SENT };

static const struct metrics_family families[] = {
    [DROPPED] = METRICS_COUNTER("corset_events_dropped_total",
                                "Events that were not sent, because too many were waiting or the "
                                "server would not take them."),
    [SENT] = METRICS_COUNTER("corset_events_sent_total", "Requests that told the server of events.",
                             "verb"),
};

/* Of events: they take turns. */
struct event_namespace {
    char *name;
    size_t events;  /* recorded ones; without any it is forgotten */
    size_t waiting; /* of these, at the last count_waiting() */
    uint64_t turn;  /* its last one; the least is next */
};

/* One event, or a series of equal ones. */
struct recorded {
    struct list_link link; /* in recorder->all, in the order of last occurrences */
    struct event_namespace *namespace;
    struct arena texts;
    struct str id;                                /* its key in recorder->by_id */
    struct key key;                               /* of the Event */
    struct recorder_reference regarding, related; /* related: without a kind if there is none */
    enum recorder_type type;
    struct str reason, action, note;
    timestamp first, last; /* wall clock, for the Event */
    int64_t seen;          /* the last occurrence, by the clock of the loop */
    int64_t count, sent;   /* occurrences; those the server knows of */
    bool is_created;       /* on the server */
    int64_t due;           /* when it may be sent */
    int tries;
    bool is_sending; /* a request is under way: it must stay */
};

struct recorder {
    struct loop *loop;
    struct recorder_options options;
    struct arena texts;
    struct metrics *own_metrics;
    struct metrics_series *dropped, *created, *patched;
    struct map by_id;
    struct map namespaces; /* struct event_namespace by name */
    uint64_t turn;         /* the last one that was taken */
    struct list all;
    struct rate_limit limit;
    struct event changed;
    struct timer timer;
    timestamp named; /* the timestamp in the last name */
};

struct recorder *recorder_new(struct loop *loop, const struct recorder_options *options)
{
    struct recorder *recorder = NEW(struct recorder);
    recorder->loop = loop;
    recorder->options = *options;
    recorder->options.controller = arena_str(&recorder->texts, options->controller);
    recorder->options.instance = arena_str(
        &recorder->texts, options->instance.len ? options->instance : options->controller);
    if (!recorder->options.events)
        recorder->options.events = EVENTS_DEFAULT;
    rate_limit_init(&recorder->limit, options->qps != 0 ? options->qps : QPS_DEFAULT,
                    options->burst != 0 ? options->burst : BURST_DEFAULT);
    struct metrics *metrics = options->metrics;
    if (!metrics)
        metrics = recorder->own_metrics = metrics_new();
    metrics_register(metrics, families, COUNT(families));
    recorder->dropped = metrics_series_ref(metrics_series(metrics, &families[DROPPED], NULL, 0));
    recorder->created = metrics_series_ref(METRICS_SERIES(metrics, &families[SENT], STR("create")));
    recorder->patched = metrics_series_ref(METRICS_SERIES(metrics, &families[SENT], STR("patch")));
    list_init(&recorder->all);
    return recorder;
}

static struct event_namespace *open_namespace(struct recorder *recorder, struct str name)
{
    struct event_namespace *namespace = map_find(&recorder->namespaces, name);
    if (namespace)
        return namespace;
    namespace = NEW(struct event_namespace);
    namespace->name = mem_dup(name.ptr, name.len);
    map_put(&recorder->namespaces, name, namespace);
    return namespace;
}

static void leave_namespace(struct recorder *recorder, struct event_namespace *namespace)
{
    if (--namespace->events)
        return;
    map_remove(&recorder->namespaces, str_from_c(namespace->name));
    mem_free(namespace->name);
    mem_free(namespace);
}

static void forget_event(struct recorder *recorder, struct recorded *recorded)
{
    leave_namespace(recorder, recorded->namespace);
    map_remove(&recorder->by_id, recorded->id);
    list_remove(&recorded->link);
    arena_done(&recorded->texts);
    mem_free(recorded);
}

void recorder_free(struct recorder *recorder)
{
    if (!recorder)
        return;
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link)
        forget_event(recorder, recorded);
    map_done(&recorder->by_id);
    map_done(&recorder->namespaces);
    metrics_series_unref(recorder->dropped);
    metrics_series_unref(recorder->created);
    metrics_series_unref(recorder->patched);
    metrics_free(recorder->own_metrics);
    arena_done(&recorder->texts);
    mem_free(recorder);
}

struct recorder_reference recorder_reference(const struct object *object)
{
    return (struct recorder_reference){
        .api_version = object_api_version(object),
        .kind = object_kind(object),
        .namespace = object_namespace(object),
        .name = object_name(object),
        .uid = object_uid(object),
        .resource_version = object_resource_version(object),
    };
}

/* Cuts at a character boundary of UTF-8. */
static struct str cut_note(struct arena *arena, struct str note)
{
    if (note.len <= RECORDER_NOTE_MAX)
        return note;
    size_t end = RECORDER_NOTE_MAX - (sizeof(NOTE_ELLIPSIS) - 1);
    while (end > 0 && ((unsigned char)note.ptr[end] & 0xC0) == 0x80)
        end--;
    return arena_print(arena, "%.*s" NOTE_ELLIPSIS, (int)end, note.ptr);
}

/* "web.17a3…", as client-go names Events. The timestamp makes the name unique. */
static struct key name_event(struct recorder *recorder, struct arena *arena,
                             const struct recorder_reference *regarding)
{
    const timestamp wall = loop_wall(recorder->loop);
    recorder->named = wall > recorder->named ? wall : recorder->named + 1;
    const struct str name = str_slice(regarding->name, 0, NAME_PART_MAX);
    const struct str namespace = regarding->namespace.len ? regarding->namespace : STR("default");
    return (struct key){
        arena_str(arena, namespace),
        arena_print(arena, "%.*s.%" PRIx64, STR_ARG(name), (uint64_t)recorder->named)};
}

/* The event outlives the object that the reference was made from. */
static struct recorder_reference copy_reference(struct arena *arena,
                                                const struct recorder_reference *reference)
{
    return (struct recorder_reference){
        .api_version = arena_str(arena, reference->api_version),
        .kind = arena_str(arena, reference->kind),
        .namespace = arena_str(arena, reference->namespace),
        .name = arena_str(arena, reference->name),
        .uid = arena_str(arena, reference->uid),
        .resource_version = arena_str(arena, reference->resource_version),
    };
}

static bool is_unsent(const struct recorded *recorded)
{
    return recorded->sent < recorded->count;
}

static void count_waiting(struct recorder *recorder)
{
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link)
        recorded->namespace->waiting = 0;
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link)
        recorded->namespace->waiting += is_unsent(recorded);
}

/* The newest event of the namespace with most of those that wait; NULL if none has more than
 * `than`.
 */
static struct recorded *find_excess(struct recorder *recorder, size_t than)
{
    struct recorded *found = NULL;
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link) {
        const size_t most = found ? found->namespace->waiting : than + 1;
        if (is_unsent(recorded) && !recorded->is_sending && recorded->namespace->waiting >= most)
            found = recorded;
    }
    return found;
}

/*
 * Makes room for one more event of the namespace, as the comment above says. False if it is the
 * namespace itself that has most of those that wait: its new event is dropped then.
 */
static bool make_room(struct recorder *recorder, struct str namespace)
{
    if (map_count(&recorder->by_id) < recorder->options.events)
        return true;
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link)
        if (!is_unsent(recorded)) {
            forget_event(recorder, recorded);
            return true;
        }
    metrics_inc(recorder->dropped); /* the new one, or one in its place */
    count_waiting(recorder);
    const struct event_namespace *own = map_find(&recorder->namespaces, namespace);
    struct recorded *excess = find_excess(recorder, own ? own->waiting + 1 : 1);
    if (excess)
        forget_event(recorder, excess);
    return excess;
}

/* Moves the event to the end of recorder->all, which is ordered by last occurrence. */
static void count_occurrence(struct recorder *recorder, struct recorded *recorded)
{
    recorded->count++;
    recorded->last = loop_wall(recorder->loop);
    recorded->seen = loop_now(recorder->loop);
    list_remove(&recorded->link);
    list_append(&recorder->all, &recorded->link);
    event_wake_all(&recorder->changed);
}

/*
 * The id of an event is the text of everything that must be equal, with NULs between. A series ends
 * SERIES_END after its last occurrence; then an equal event becomes a new Event, unless the old one
 * still waits to be sent.
 */
void recorder_event(struct recorder *recorder, const struct recorder_reference *regarding,
                    enum recorder_type type, const char *reason, const char *action,
                    const char *note, ...)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {0};
    va_list args;
    va_start(args, note);
    OWNED(error)
    words = error_new_va(ERROR_NONE, note, args); /* formats with a bounded length */
    va_end(args);
    const struct str cut = cut_note(&arena, str_from_c(words->message));
    const struct str parts[] = {regarding->api_version,
                                regarding->kind,
                                regarding->namespace,
                                regarding->name,
                                regarding->uid,
                                str_from_c(reason),
                                str_from_c(action),
                                cut,
                                regarding->related ? regarding->related->uid : STR("")};
    buf_print(&text, "%d", type);
    for (size_t i = 0; i < COUNT(parts); i++) {
        buf_add_char(&text, '\0');
        buf_add(&text, parts[i]);
    }
    struct recorded *recorded = map_find(&recorder->by_id, buf_str(&text));
    if (recorded && recorded->seen + SERIES_END <= loop_now(recorder->loop) &&
        !is_unsent(recorded)) {
        forget_event(recorder, recorded);
        recorded = NULL;
    }
    if (!recorded) {
        if (!make_room(recorder, regarding->namespace))
            return;
        recorded = NEW(struct recorded);
        recorded->namespace = open_namespace(recorder, regarding->namespace);
        recorded->namespace->events++;
        struct arena *texts = &recorded->texts;
        recorded->id = arena_str(texts, buf_str(&text));
        recorded->key = name_event(recorder, texts, regarding);
        recorded->regarding = copy_reference(texts, regarding);
        if (regarding->related)
            recorded->related = copy_reference(texts, regarding->related);
        recorded->type = type;
        recorded->reason = arena_str(texts, str_from_c(reason));
        recorded->action = arena_str(texts, str_from_c(action));
        recorded->note = arena_str(texts, cut);
        recorded->first = loop_wall(recorder->loop);
        map_put(&recorder->by_id, recorded->id, recorded);
    }
    count_occurrence(recorder, recorded);
}

static void add_reference(struct json_builder *builder, const char *name,
                          const struct recorder_reference *reference)
{
    json_builder_add_object(builder, name);
    const struct {
        const char *field;
        struct str value;
    } fields[] = {
        {"apiVersion",      reference->api_version     },
        {"kind",            reference->kind            },
        {"namespace",       reference->namespace       },
        {"name",            reference->name            },
        {"uid",             reference->uid             },
        {"resourceVersion", reference->resource_version},
    };
    for (size_t i = 0; i < COUNT(fields); i++)
        if (fields[i].value.len)
            json_builder_add_str(builder, fields[i].field, fields[i].value);
    json_builder_end(builder);
}

static void add_series(struct json_builder *builder, const struct recorded *recorded)
{
    char text[TIMESTAMP_TEXT_MAX];
    json_builder_add_object(builder, "series");
    json_builder_add_int(builder, "count", recorded->count);
    json_builder_add_str(builder, "lastObservedTime", timestamp_write_micro(recorded->last, text));
    json_builder_end(builder);
}

/* An Event of events.k8s.io/v1. The deprecated* fields of core/v1 stay empty. */
static struct error *make_event(const struct recorder *recorder, const struct recorded *recorded,
                                struct object **ret_object)
{
    char text[TIMESTAMP_TEXT_MAX];
    OWNED(json_doc) doc = NULL;
    SCOPED(json_builder) builder = {0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("events.k8s.io/v1"));
    json_builder_add_str(&builder, "kind", STR("Event"));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "name", recorded->key.name);
    json_builder_add_str(&builder, "namespace", recorded->key.namespace);
    json_builder_end(&builder);
    json_builder_add_str(&builder, "eventTime", timestamp_write_micro(recorded->first, text));
    if (recorded->count > 1)
        add_series(&builder, recorded);
    json_builder_add_str(&builder, "reportingController", recorder->options.controller);
    json_builder_add_str(&builder, "reportingInstance", recorder->options.instance);
    json_builder_add_str(&builder, "action", recorded->action);
    json_builder_add_str(&builder, "reason", recorded->reason);
    add_reference(&builder, "regarding", &recorded->regarding);
    if (recorded->related.kind.len)
        add_reference(&builder, "related", &recorded->related);
    json_builder_add_str(&builder, "note", recorded->note);
    json_builder_add_str(&builder, "type",
                         recorded->type == RECORDER_WARNING ? STR("Warning") : STR("Normal"));
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_object);
}

/* Writes the Event with its current count: it may have occurred again before. Suspends. */
static struct error *create_event(struct recorder *recorder, struct recorded *recorded)
{
    OWNED(object) event = NULL;
    TRY(make_event(recorder, recorded, &event));
    TRY(client_create(recorder->options.client, GVR_EVENTS, event, NULL, NULL));
    metrics_inc(recorder->created);
    return NULL;
}

/* Writes count and lastObservedTime of an Event that exists. Suspends. */
static struct error *patch_series(struct recorder *recorder, struct recorded *recorded)
{
    SCOPED(buf) body = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(json_builder) builder = {0};
    json_builder_object(&builder);
    add_series(&builder, recorded);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(&body, json_doc_root(doc));
    TRY(client_patch(recorder->options.client, GVR_EVENTS, recorded->key, CLIENT_PATCH_MERGE,
                     buf_str(&body), NULL, NULL));
    metrics_inc(recorder->patched);
    return NULL;
}

/* True if the same request may succeed later. */
static bool may_retry(const struct error *err)
{
    return err->http_status == 429 || err->http_status >= 500 || !err->http_status;
}

/*
 * Sends one event and decides when it is sent again. Errors of the server are handled here; the
 * returned error concerns this fiber only. The event cannot disappear meanwhile, as it is unsent.
 * Suspends.
 */
static struct error *send_event(struct recorder *recorder, struct recorded *recorded)
{
    TRY(rate_limit_wait(&recorder->limit));
    const int64_t count = recorded->count;
    recorded->namespace->turn = ++recorder->turn;
    recorded->is_sending = true;
    OWNED(error)
    err =
        recorded->is_created ? patch_series(recorder, recorded) : create_event(recorder, recorded);
    recorded->is_sending = false;
    if (err && fiber_is_canceled(fiber_current()))
        return TAKE(err);
    const int64_t now = loop_now(recorder->loop);
    if (error_is(err, ERROR_NOT_FOUND) && recorded->is_created) {
        recorded->is_created = false; /* the Event has expired on the server: create a new one */
        recorded->key = name_event(recorder, &recorded->texts, &recorded->regarding);
        return NULL;
    }
    if (err && may_retry(err) && ++recorded->tries < TRIES_MAX) {
        recorded->due = now + RETRY_DELAY;
        return NULL;
    }
    if (err) {
        log_v(2, "Server rejected an event", LOG_STR("reason", recorded->reason), LOG_ERROR(err));
        metrics_inc(recorder->dropped);
        forget_event(recorder, recorded);
        return NULL;
    }
    /* The first repetition is sent at once, so that people see that it continues. */
    recorded->due = recorded->is_created ? now + SERIES_PERIOD : now;
    recorded->is_created = true;
    recorded->sent = count;
    recorded->tries = 0;
    return NULL;
}

static void on_timer(void *data)
{
    event_wake_all(data);
}

/*
 * The next event to send, or NULL; then *ret_next is when to look again. Of those that are due it
 * is the first of the namespace whose turn is the longest ago. "at_once" ignores due times. Removes
 * events whose series has ended.
 */
static struct recorded *find_due(struct recorder *recorder, bool at_once, int64_t *ret_next)
{
    const int64_t now = loop_now(recorder->loop);
    struct recorded *found = NULL;
    *ret_next = FOREVER;
    LIST_FOREACH (struct recorded, recorded, &recorder->all, link) {
        const bool waits = is_unsent(recorded);
        const int64_t at = waits ? recorded->due : recorded->seen + SERIES_END;
        if (waits && (at <= now || at_once)) {
            if (!found || recorded->namespace->turn < found->namespace->turn)
                found = recorded;
        } else if (at <= now)
            forget_event(recorder, recorded);
        else if (at < *ret_next)
            *ret_next = at;
    }
    return found;
}

/* Suspends until the fiber is cancelled. */
static struct error *send_events(struct recorder *recorder)
{
    for (;;) {
        int64_t next;
        struct recorded *recorded = find_due(recorder, false, &next);
        if (recorded) {
            TRY(send_event(recorder, recorded));
            continue;
        }
        if (next != FOREVER)
            timer_start(recorder->loop, &recorder->timer, next, on_timer, &recorder->changed);
        struct error *err = event_wait(&recorder->changed, "an event");
        timer_stop(recorder->loop, &recorder->timer);
        TRY(err);
    }
}

/* After the cancellation each remaining event gets one attempt, within SHUTDOWN_GRACE in total. */
struct error *recorder_run(void *data)
{
    struct recorder *recorder = data;
    struct error *err = send_events(recorder);
    FIBER_SHIELD(SHUTDOWN_GRACE);
    int64_t next;
    for (struct recorded *left; (left = find_due(recorder, true, &next)) != NULL;) {
        left->tries = TRIES_MAX; /* one attempt each */
        OWNED(error) failed = send_event(recorder, left);
        if (failed)
            break;
    }
    return err;
}
