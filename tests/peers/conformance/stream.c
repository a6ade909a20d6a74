#include "peers/conformance/stream.h"

#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/memory.h"
#include "json/builder.h"
#include "json/path.h"

/* So many events too many make the point. */
#define SURPLUS_MAX 5

struct stream {
    struct http_response *response;
    struct scope scope;
    struct answer_events came; /* those from next on were not asked for yet */
    size_t next;
    bool ended;
    struct event changed;
};

/* An event that no recording has: it shows among the differences. */
static struct json_doc *broken(const struct error *err)
{
    SCOPED(json_builder) builder = {0};
    struct json_doc *doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "type", STR("BROKEN STREAM"));
    json_builder_add_str(&builder, "error", str_from_c(err->message));
    json_builder_end(&builder);
    error_free(json_builder_finish(&builder, &doc));
    return doc;
}

static struct error *read_events(struct stream *stream)
{
    for (;;) {
        struct str line;
        struct json_doc *event;
        TRY(http_response_read_line(stream->response, &line));
        if (!line.ptr)
            return NULL;
        if (!str_trim(line).len)
            continue;
        TRY(json_read(line, &event));
        answer_events_add(&stream->came, event);
        event_wake_all(&stream->changed);
    }
}

static struct error *pump(void *data)
{
    struct stream *stream = data;
    OWNED(error) err = read_events(stream);
    if (err && !error_is(err, ERROR_CANCELED)) {
        struct json_doc *event = broken(err);
        if (event)
            answer_events_add(&stream->came, event);
    }
    stream->ended = true;
    event_wake_all(&stream->changed);
    return NULL;
}

struct stream *stream_new(struct http_response *response)
{
    struct stream *stream = NEW(struct stream);
    stream->response = response;
    scope_start(&stream->scope, "watch", pump, stream);
    return stream;
}

void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    scope_done(&stream->scope);
    http_response_free(stream->response);
    answer_events_done(&stream->came);
    mem_free(stream);
}

static struct json_doc *take_next(struct stream *stream)
{
    struct json_doc **place = &stream->came.items[stream->next++];
    return TAKE(*place);
}

/* One that only tells a version. The one that ends the initial events counts as an event. */
static bool is_plain_bookmark(const struct json_value *event)
{
    const struct json_value *annotations = json_path(event, "object.metadata.annotations");
    return str_eq(json_path_str(event, "type"), STR("BOOKMARK")) &&
           !json_get(annotations, STR("k8s.io/initial-events-end"));
}

static void sort_in(struct stream *stream, struct answer_events *events)
{
    OWNED(json_doc) event = take_next(stream);
    if (is_plain_bookmark(json_doc_root(event)))
        events->bookmarks++;
    else
        answer_events_add(events, TAKE(event));
}

/* Suspends until there is an event; false when the stream has ended or the time is over. */
static struct error *wait_next(struct stream *stream, int64_t until, bool *ret_there)
{
    const int64_t now = loop_now(loop_current());
    FIBER_TIMEOUT(until > now ? until - now : 0);
    struct error *err = NULL;
    while (!err && stream->next == stream->came.count && !stream->ended)
        err = event_wait(&stream->changed, "an event");
    *ret_there = stream->next < stream->came.count;
    return error_ignore(err, ERROR_DEADLINE);
}

struct error *stream_collect(struct stream *stream, const struct stream_want *want,
                             struct answer_events *events)
{
    const size_t most = want->to_the_end ? SIZE_MAX : want->events;
    int64_t until = loop_now(loop_current()) + want->timeout;
    bool silence = false;
    for (;;) {
        if (!silence && events->count >= most) {
            silence = true;
            until = loop_now(loop_current()) + want->silence;
        }
        bool there;
        TRY(wait_next(stream, until, &there));
        if (!there)
            break;
        sort_in(stream, events);
        if (silence && events->count - most > SURPLUS_MAX)
            break;
    }
    events->ended = stream->ended && stream->next == stream->came.count;
    return NULL;
}
