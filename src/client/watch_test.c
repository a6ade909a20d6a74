#include "client/watch.h"

#include "apimachinery/wellknown.h"
#include "async/event.h"
#include "client/client_fixture_test.h"

/* Of a history that does not say otherwise. */
#define EVENTS 40

/*
 * A server with a history: event n makes version n. What goes wrong with a stream is decided by its
 * number; whatever happens, the client must see every event once, in order.
 */
struct history {
    int64_t head;   /* newest version */
    int64_t oldest; /* older ones are forgotten */
    int streams;
    enum { CALM, RESETS_MID_EVENT, ENDS_AFTER_60S, GOES_SILENT, ANSWERS_429 } trouble;
    size_t padding;    /* bytes of each object */
    duration interval; /* between events; 0: 20 s */
    int64_t last;      /* version of the last event; 0: EVENTS */
    struct event grown;
    int active;
};

static void write_event(struct buf *out, const char *type, int64_t version, size_t padding)
{
    buf_print(
        out,
        "{\"type\":\"%s\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":"
        "{\"name\":\"o\",\"resourceVersion\":\"%lld\"},\"data\":{\"p\":\"",
        type, (long long)version);
    char *room = buf_reserve(out, padding);
    memset(room, 'x', padding);
    buf_grow(out, padding);
    buf_add(out, STR("\"}}}\n"));
}

static int64_t query_number(struct str target, const char *name)
{
    SCOPED(buf) key = {0};
    buf_print(&key, "%s=", name);
    const size_t at = str_find(target, buf_str(&key));
    if (at == STR_NONE)
        return 0;
    struct str rest = str_skip(target, at + key.len), value;
    str_cut(&rest, '&', &value);
    int64_t number = 0;
    CHECK(str_to_int64(value, &number));
    return number;
}

static struct error *send_too_old(struct http_request *request)
{
    return http_request_write(
        request, STR("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                     "\"status\":\"Failure\",\"message\":\"too old resource version: 1 (20)\","
                     "\"reason\":\"Expired\",\"code\":410}}\n"));
}

static struct error *send_one(struct history *history, struct http_request *request,
                              int64_t version)
{
    SCOPED(buf) line = {0};
    write_event(&line, "MODIFIED", version, history->padding);
    if (history->trouble == RESETS_MID_EVENT && version % 7 == 3 && history->streams % 2 == 1) {
        TRY(http_request_write(request, str_slice(buf_str(&line), 0, line.len / 2)));
        TRY(fiber_sleep(MILLISECOND));
        return error_new(ERROR_INTERNAL, "reset");
    }
    return http_request_write(request, buf_str(&line));
}

static struct error *stream_events(struct history *history, struct http_request *request,
                                   int64_t version, int64_t ends)
{
    const int64_t begun = loop_now(loop_current());
    while (loop_now(loop_current()) < ends) {
        if (history->trouble == ENDS_AFTER_60S && loop_now(loop_current()) - begun > MINUTE)
            return NULL;
        if (history->trouble == GOES_SILENT && history->streams % 2 == 1 && version % 5 == 4)
            return fiber_sleep(24 * HOUR);
        if (version < history->head) {
            TRY(send_one(history, request, ++version));
            continue;
        }
        FIBER_TIMEOUT(SECOND);
        error_free(error_ignore(event_wait(&history->grown, "an event"), ERROR_DEADLINE));
        if (fiber_is_canceled(fiber_current()))
            return error_new(ERROR_CANCELED, "stopped");
    }
    return NULL;
}

static struct error *watches(void *data, struct http_request *request)
{
    struct history *history = data;
    const struct str target = http_request_target(request);
    const int64_t version = query_number(target, "resourceVersion");
    const int64_t seconds = query_number(target, "timeoutSeconds");
    history->streams++;
    if (history->trouble == ANSWERS_429 && history->streams % 2 == 0)
        return http_request_answer(request, 429, STR("text/plain"), STR("Too many requests"));
    TRY(http_request_respond(request, 200, NULL));
    if (version < history->oldest)
        return send_too_old(request);
    history->active++;
    struct error *err =
        stream_events(history, request, version, loop_now(loop_current()) + seconds * SECOND);
    history->active--;
    return err;
}

static int64_t last_of(const struct history *history)
{
    return history->last ? history->last : EVENTS;
}

static struct error *grows(void *data)
{
    struct history *history = data;
    while (history->head < last_of(history)) {
        TRY(fiber_sleep(history->interval ? history->interval : 20 * SECOND));
        history->head++;
        event_wake_all(&history->grown);
    }
    return NULL;
}

/* Follows the history to its end; every event exactly once. */
static struct error *follow(struct client_fixture *fixture, const struct watch_options *options)
{
    OWNED(watch) watch = NULL;
    TRY(watch_open(fixture->client, GVR_CONFIG_MAPS, STR(""), options, &watch));
    for (int64_t expected = 1; expected <= last_of(fixture->data); expected++) {
        struct watch_event event;
        TRY(watch_next(watch, &event));
        CHECK_EQ((int)event.type, (int)WATCH_MODIFIED);
        int64_t seen = 0;
        CHECK(str_to_int64(object_resource_version(event.object), &seen));
        CHECK_EQ(seen, expected);
    }
    return NULL;
}

static void follow_over(bool real, struct history *history, const struct watch_options *options)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, real);
    fixture.handler = watches;
    fixture.data = history;
    client_fixture_start(&fixture);
    SCOPED(scope) scope = {0};
    scope_start(&scope, "grows", grows, history);
    CHECK_OK(follow(&fixture, options));
    CHECK_OK(scope_wait(&scope));
}

static void follow_in_trouble(struct history *history, const struct watch_options *options)
{
    follow_over(false, history, options);
}

LOOP_TEST(a_watch_survives_resets_on_real_sockets)
{
    struct history history = {.trouble = RESETS_MID_EVENT, .interval = MILLISECOND};
    follow_over(true, &history, &(struct watch_options){0});
    CHECK_EQ(history.streams, 2); /* the first one is reset */
}

LOOP_TEST(a_watch_takes_large_events_on_real_sockets)
{
    struct history history = {.padding = 1500000, .interval = MILLISECOND, .last = 5};
    follow_over(true, &history, &(struct watch_options){0});
}

SIM_TEST(a_watch_goes_on_when_the_server_ends_it)
{
    struct history history = {0};
    follow_in_trouble(&history, &(struct watch_options){.timeout = 2 * MINUTE});
    CHECK(history.streams > 5);
}

SIM_TEST(a_watch_survives_a_reset_in_the_middle_of_an_event)
{
    struct history history = {.trouble = RESETS_MID_EVENT};
    follow_in_trouble(&history, &(struct watch_options){0});
    CHECK(history.streams > 3);
}

SIM_TEST(a_watch_survives_a_proxy_that_closes_after_a_minute)
{
    struct history history = {.trouble = ENDS_AFTER_60S};
    follow_in_trouble(&history, &(struct watch_options){0});
    CHECK(history.streams > 10);
}

SIM_TEST(a_watch_that_falls_silent_is_noticed_within_its_timeout)
{
    struct history history = {.trouble = GOES_SILENT};
    follow_in_trouble(&history, &(struct watch_options){.timeout = MINUTE, .silence = 5 * SECOND});
    CHECK(history.streams > 5);
}

SIM_TEST(a_watch_survives_a_server_that_is_busy)
{
    struct history history = {.trouble = ANSWERS_429};
    follow_in_trouble(&history, &(struct watch_options){.timeout = MINUTE});
    CHECK(history.streams > 5);
}

SIM_TEST(a_watch_takes_events_of_a_megabyte_and_a_half)
{
    struct history history = {.padding = 1500000, .last = 5};
    follow_in_trouble(&history, &(struct watch_options){0});
}

static struct error *restarts_often(void *data)
{
    struct client_fixture *fixture = data;
    for (int i = 0; i < 5; i++) {
        TRY(fiber_sleep(2 * MINUTE));
        http_server_free(TAKE(fixture->server));
        TRY(fiber_sleep(15 * SECOND));
        TRY(client_fixture_serve(fixture));
    }
    return NULL;
}

SIM_TEST(a_watch_survives_server_restarts)
{
    struct history history = {0};
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    fixture.handler = watches;
    fixture.data = &history;
    client_fixture_start(&fixture);
    SCOPED(scope) scope = {0};
    scope_start(&scope, "grows", grows, &history);
    scope_start(&scope, "restarts", restarts_often, &fixture);
    CHECK_OK(follow(&fixture, &(struct watch_options){0}));
    CHECK(history.streams >= 5);
    CHECK_OK(scope_wait(&scope));
}

LOOP_TEST(a_watch_from_a_forgotten_version_says_so)
{
    struct history history = {.head = 20, .oldest = 10};
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    fixture.handler = watches;
    fixture.data = &history;
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    struct watch_event event;
    CHECK_OK(watch_open(fixture.client, GVR_CONFIG_MAPS, STR(""),
                        &(struct watch_options){.resource_version = STR("1")}, &watch));
    CHECK_FAILS(watch_next(watch, &event), ERROR_EXPIRED, "too old resource version");
    watch_free(TAKE(watch));
    /* After a list the watch goes on from its version. */
    CHECK_OK(watch_open(fixture.client, GVR_CONFIG_MAPS, STR(""),
                        &(struct watch_options){.resource_version = STR("15")}, &watch));
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ(object_resource_version(event.object), STR("16"));
}

LOOP_TEST(a_watch_that_is_refused_is_an_error)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    SCRIPT(
        &fixture,
        {403, NULL, NULL,
         "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"Forbidden\","
         "\"message\":\"no\",\"code\":403}"});
    CHECK_FAILS(watch_open(fixture.client, GVR_CONFIG_MAPS, STR("ns"),
                           &(struct watch_options){.label_selector = STR("a=b"),
                                                   .field_selector = STR("metadata.name=x"),
                                                   .timeout = 300 * SECOND},
                           &watch),
                ERROR_FORBIDDEN, "no");
    CHECK_EQ(buf_str(&fixture.seen),
             STR("GET /prefix/api/v1/namespaces/ns/configmaps?watch=true&labelSelector=a%3Db&"
                 "fieldSelector=metadata.name%3Dx&allowWatchBookmarks=true&timeoutSeconds=300&"
                 "timeout=11m0s\n"));
}

#define OBJECT(version, more)                                                                         \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"o\",\"resourceVersion\":" \
    "\"" version "\"" more "}}"

LOOP_TEST(initial_events_end_with_a_bookmark)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    SCRIPT(
        &fixture,
        {200, NULL, NULL,
         "{\"type\":\"ADDED\",\"object\":" OBJECT(
             "5",
             "") "}\n"
                 "{\"type\":\"NEWTYPE\",\"object\":{}}\n"
                 "{\"type\":\"BOOKMARK\",\"object\":" OBJECT(
                     "9",
                     ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}") "}\n"
                                                                                  "{\"type\":\"DELETED\",\"object\":" OBJECT(
                                                                                      "10",
                                                                                      "") "}\n"});
    CHECK_OK(watch_open(
        fixture.client, GVR_CONFIG_MAPS, STR(""),
        &(struct watch_options){.send_initial_events = true, .once = true, .timeout = 300 * SECOND},
        &watch));
    CHECK_CONTAINS(buf_str(&fixture.seen),
                   STR("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
    struct watch_event event;
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_ADDED);
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_BOOKMARK);
    CHECK(event.initial_end);
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_DELETED);
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_ENDED);
}

/* The versions of initial events say nothing about those that have not come yet. */
SIM_TEST(a_watch_does_not_go_on_from_the_middle_of_initial_events)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    SCRIPT(&fixture, {200, NULL, NULL, "{\"type\":\"ADDED\",\"object\":" OBJECT("5", "") "}\n"},
           {200, NULL, NULL,
            "{\"type\":\"BOOKMARK\",\"object\":" OBJECT(
                "9", ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}") "}\n"},
           {200, NULL, NULL, "{\"type\":\"DELETED\",\"object\":" OBJECT("10", "") "}\n"});
    const struct watch_options options = {.send_initial_events = true, .timeout = 300 * SECOND};
    CHECK_OK(watch_open(fixture.client, GVR_CONFIG_MAPS, STR("ns"), &options, &watch));
    for (int i = 0; i < 3; i++) {
        struct watch_event event;
        CHECK_OK(watch_next(watch, &event));
    }
#define WATCHED "GET /prefix/api/v1/namespaces/ns/configmaps?watch=true&"
#define INITIAL "allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
#define LIMITED "timeoutSeconds=300&timeout=11m0s\n"
    CHECK_EQ(buf_str(&fixture.seen), STR(WATCHED INITIAL LIMITED WATCHED INITIAL LIMITED WATCHED
                                         "resourceVersion=9&allowWatchBookmarks=true&" LIMITED));
}

LOOP_TEST(an_event_that_is_no_json_is_an_error)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, true);
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    SCRIPT(&fixture, {200, NULL, NULL, "{\"type\":\"ADDED\",\"object\":{]}\n"});
    CHECK_OK(
        watch_open(fixture.client, GVR_CONFIG_MAPS, STR(""), &(struct watch_options){0}, &watch));
    struct watch_event event;
    CHECK_ERROR(watch_next(watch, &event), ERROR_PARSE);
}

SIM_TEST(a_watch_that_runs_once_says_at_once_that_it_ended)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    client_fixture_start(&fixture);
    OWNED(watch) watch = NULL;
    SCRIPT(&fixture, {200, NULL, NULL, ""});
    CHECK_OK(watch_open(fixture.client, GVR_CONFIG_MAPS, STR(""),
                        &(struct watch_options){.once = true}, &watch));
    struct watch_event event;
    const int64_t before = loop_now(loop_current());
    CHECK_OK(watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)WATCH_ENDED);
    CHECK(loop_now(loop_current()) - before < 500 * MILLISECOND);
}
