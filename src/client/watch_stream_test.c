#include "client/watch_stream.h"

#include "apimachinery/wellknown.h"
#include "client/client_fixture_test.h"

#define OBJECT(version)                                                                               \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"o\",\"resourceVersion\":" \
    "\"" version "\"}}"
#define EVENT(type, version) "{\"type\":\"" type "\",\"object\":" OBJECT(version) "}\n"
#define EXPIRED                                                                                         \
    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\"," \
    "\"message\":\"too old resource version: 1 (20)\",\"reason\":\"Expired\",\"code\":410}}\n"
#define TIMEOUT (10 * MINUTE)
#define ROOM    (128 * KILOBYTE)

/* A stream and what its handler was told. */
struct watched {
    struct client_fixture fixture;
    struct watch_stream_room room;
    struct watch_stream *stream;
    struct buf seen; /* "MODIFIED 5\n" */
    size_t missed, ended;
    enum error_code code; /* of the last end; 0: none */
};

static void watched_done(struct watched *watched)
{
    watch_stream_free(watched->stream);
    client_fixture_done(&watched->fixture);
    buf_done(&watched->seen);
}

static void note_change(void *data, const struct watch_event *event)
{
    struct watched *watched = data;
    static const char *const names[] = {"ADDED", "MODIFIED", "DELETED"};
    buf_print(&watched->seen, "%s %.*s\n", names[event->type],
              STR_ARG(object_resource_version(event->object)));
}

static void note_missed(void *data)
{
    struct watched *watched = data;
    watched->missed++;
}

static void note_end(void *data, const struct error *err)
{
    struct watched *watched = data;
    watched->ended++;
    watched->code = err ? err->code : 0;
}

static const struct watch_stream_handler handler = {note_change, note_missed, note_end};

static void watched_begin(struct watched *watched, http_handler_fn serve)
{
    *watched = (struct watched){.room.limit = ROOM};
    client_fixture_init(&watched->fixture, false);
    watched->fixture.handler = serve;
    client_fixture_start(&watched->fixture);
    watched->stream = watch_stream_new(watched->fixture.client, GVR_CONFIG_MAPS,
                                       &(struct watch_stream_options){
                                           .label_selector = STR("a"),
                                           .form = CLIENT_METADATA,
                                           .timeout = TIMEOUT,
                                           .room = &watched->room,
                                           .handler = &handler,
                                           .data = watched,
                                       });
    watch_stream_set_version(watched->stream, STR("4"));
    CHECK_OK(watch_stream_open(watched->stream));
}

/* In pieces that have nothing to do with the lines, and it ends after an hour. */
static struct error *tells(void *data, struct http_request *request)
{
    static const char text[] =
        EVENT("MODIFIED", "5") EVENT("STRANGE", "6") EVENT("DELETED", "7") EVENT("BOOKMARK", "9");
    (void)data;
    CHECK_EQ(http_headers_find(http_request_headers(request), STR("accept-encoding")),
             STR("identity"));
    TRY(http_request_respond(request, 200, NULL));
    for (size_t at = 0; at < sizeof(text) - 1; at += 50) {
        TRY(http_request_write(request, str_slice(str_from_c(text), at, at + 50)));
        TRY(fiber_sleep(SECOND));
    }
    return fiber_sleep(5 * MINUTE);
}

SIM_TEST(events_of_a_stream_come_to_its_handler)
{
    SCOPED(watched) watched;
    watched_begin(&watched, tells);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(buf_str(&watched.seen), STR("MODIFIED 5\nDELETED 7\n"));
    CHECK_EQ(watched.room.used, (size_t)0);
    CHECK(watch_stream_is_open(watched.stream) && !watched.ended);

    TEST_CASE("it ends, and goes on from the version of the bookmark");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(watched.ended, (size_t)1);
    CHECK_EQ((int)watched.code, 0);
    CHECK(!watch_stream_is_open(watched.stream));
    buf_clear(&watched.fixture.seen);
    CHECK_OK(watch_stream_open(watched.stream));
    CHECK_CONTAINS(buf_str(&watched.fixture.seen),
                   STR("/configmaps?watch=true&labelSelector=a&resourceVersion=9&"
                       "allowWatchBookmarks=true&timeoutSeconds="));
}

/* Writes a line of so many bytes, with another event behind it. */
static struct error *write_long(struct http_request *request, size_t size)
{
    SCOPED(buf) line = {.limit = 0};
    memset(buf_reserve(&line, size), ' ', size);
    buf_grow(&line, size);
    buf_add(&line, STR("\n" EVENT("MODIFIED", "8")));
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, buf_str(&line)));
    return fiber_sleep(HOUR);
}

static struct error *tells_at_length(void *data, struct http_request *request)
{
    (void)data;
    return write_long(request, 3 * MEGABYTE);
}

SIM_TEST(a_line_that_is_too_long_is_skipped_and_told)
{
    SCOPED(watched) watched;
    watched_begin(&watched, tells_at_length);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(watched.missed, (size_t)1);
    CHECK_EQ(buf_str(&watched.seen), STR("MODIFIED 8\n"));
    CHECK_EQ(watched.room.used, (size_t)0);
}

/* An event that arrives in two parts. */
static struct error *tells_in_two_parts(void *data, struct http_request *request)
{
    (void)data;
    const struct str event = STR(EVENT("MODIFIED", "5"));
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, str_slice(event, 0, 20)));
    TRY(fiber_sleep(10 * SECOND));
    TRY(http_request_write(request, str_skip(event, 20)));
    TRY(http_request_write(request, STR(EVENT("MODIFIED", "6"))));
    return fiber_sleep(HOUR);
}

SIM_TEST(without_room_for_the_beginning_of_a_line_it_is_skipped)
{
    SCOPED(watched) watched;
    watched_begin(&watched, tells_in_two_parts);
    watched.room.used = ROOM - 10; /* by others */
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(watched.missed, (size_t)1);
    CHECK_EQ(buf_str(&watched.seen), STR("MODIFIED 6\n"));
    CHECK_EQ(watched.room.used, (size_t)ROOM - 10);
}

SIM_TEST(a_stream_that_is_freed_gives_its_room_back_and_tells_nothing)
{
    SCOPED(watched) watched;
    watched_begin(&watched, tells_in_two_parts);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(watched.room.used, (size_t)20);
    watch_stream_free(TAKE(watched.stream));
    CHECK_EQ(watched.room.used, (size_t)0);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(watched.ended + watched.seen.len, (size_t)0);
}

static struct error *writes_text(struct http_request *request, struct str text)
{
    TRY(http_request_respond(request, 200, NULL));
    return http_request_write(request, text);
}

static struct error *tells_garbage(void *data, struct http_request *request)
{
    (void)data;
    return writes_text(request, STR("{\"type\":\"ADDED\",\"object\":{]}\n"));
}

static struct error *tells_nothing_of_an_object(void *data, struct http_request *request)
{
    (void)data;
    return writes_text(request, STR("{\"type\":\"ADDED\"}\n"));
}

static struct error *forgets_versions(void *data, struct http_request *request)
{
    (void)data;
    return writes_text(request, STR(EXPIRED));
}

static struct error *stops_in_a_line(void *data, struct http_request *request)
{
    (void)data;
    return writes_text(request, STR("{\"type\":"));
}

static struct error *breaks(void *data, struct http_request *request)
{
    (void)data;
    TRY(writes_text(request, STR("{\"type\":")));
    TRY(fiber_sleep(SECOND));
    return error_new(ERROR_INTERNAL, "reset");
}

static struct error *never_ends(void *data, struct http_request *request)
{
    (void)data;
    TRY(http_request_respond(request, 200, NULL));
    return fiber_sleep(24 * HOUR);
}

static struct error *tells_a_long_version(void *data, struct http_request *request)
{
    (void)data;
    return writes_text(
        request, STR(EVENT("MODIFIED", "10000000000000000000000000000000000000000000000000000000000"
                                       "0000000000")));
}

SIM_TEST(whatever_ends_a_stream_is_told_once)
{
    static const struct {
        const char *name;
        http_handler_fn serve;
        enum error_code code;
    } cases[] = {
        {"no JSON",            tells_garbage,              ERROR_PARSE     },
        {"no object",          tells_nothing_of_an_object, ERROR_INVALID   },
        {"410",                forgets_versions,           ERROR_EXPIRED   },
        {"cut",                stops_in_a_line,            ERROR_PROTOCOL  },
        {"reset",              breaks,                     ERROR_PROTOCOL  },
        {"silence",            never_ends,                 ERROR_CONNECTION},
        {"a version too long", tells_a_long_version,       ERROR_PROTOCOL  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(watched) watched;
        watched_begin(&watched, cases[i].serve);
        CHECK_OK(fiber_sleep(2 * TIMEOUT + MINUTE));
        CHECK_EQ(watched.ended, (size_t)1);
        CHECK_EQ((int)watched.code, (int)cases[i].code);
        CHECK_EQ(watched.seen.len + watched.room.used, (size_t)0);
    }
}
