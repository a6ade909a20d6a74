#include "controller/recorder.h"

#include "client/client_fixture_test.h"

#define CREATED "POST /prefix/apis/events.k8s.io/v1/namespaces/ns/events?timeout=30s\n"

static const struct recorder_reference web = {
    STR_INIT("x.dev/v1"), STR_INIT("Web"), STR_INIT("ns"), STR_INIT("web"),
    STR_INIT("u-1"),      STR_INIT("7"),   NULL,
};

struct recorder_fixture {
    struct client_fixture api;
    struct recorder *recorder;
    struct scope scope;
};

static struct error *run(void *data)
{
    return error_ignore(recorder_run(data), ERROR_CANCELED);
}

static void recorder_fixture_init(struct recorder_fixture *fixture, size_t events)
{
    *fixture = (struct recorder_fixture){0};
    client_fixture_init(&fixture->api, false);
    client_fixture_start(&fixture->api);
    static const struct scripted created = {201, NULL, NULL, "{}"};
    client_fixture_script(&fixture->api, &created, 1);
    fixture->recorder =
        recorder_new(loop_current(), &(struct recorder_options){.client = fixture->api.client,
                                                                .controller = STR("corset.dev/web"),
                                                                .events = events,
                                                                .metrics = fixture->api.metrics});
}

static void recorder_fixture_start(struct recorder_fixture *fixture)
{
    scope_start(&fixture->scope, "events", run, fixture->recorder);
}

static void recorder_fixture_done(struct recorder_fixture *fixture)
{
    scope_done(&fixture->scope);
    recorder_free(fixture->recorder);
    client_fixture_done(&fixture->api);
}

static void check_dropped(struct recorder_fixture *fixture, const char *count)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) line = {0};
    metrics_write(fixture->api.metrics, &text);
    buf_print(&line, "corset_events_dropped_total %s\n", count);
    CHECK_CONTAINS(buf_str(&text), buf_str(&line));
}

static void note(struct recorder_fixture *fixture, const char *text)
{
    recorder_event(fixture->recorder, &web, RECORDER_NORMAL, "Created", "Create", "%s", text);
}

static void pass(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

SIM_TEST(an_event_says_what_happened_to_whom)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    recorder_fixture_start(&fixture);
    note(&fixture, "made it");
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.api.seen), STR(CREATED));
    const struct str body = buf_str(&fixture.api.last_body);
    CHECK_CONTAINS(body, STR("\"metadata\":{\"name\":\"web."));
    CHECK_CONTAINS(body,
                   STR("\"namespace\":\"ns\"},\"eventTime\":\"2026-01-01T01:00:00.000000Z\","
                       "\"reportingController\":\"corset.dev/web\","
                       "\"reportingInstance\":\"corset.dev/web\",\"action\":\"Create\","
                       "\"reason\":\"Created\",\"regarding\":{\"apiVersion\":\"x.dev/v1\","
                       "\"kind\":\"Web\",\"namespace\":\"ns\",\"name\":\"web\",\"uid\":\"u-1\","
                       "\"resourceVersion\":\"7\"},\"note\":\"made it\",\"type\":\"Normal\"}"));
}

SIM_TEST(repetitions_are_a_series_that_is_told_now_and_then)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    recorder_fixture_start(&fixture);
    note(&fixture, "again");
    pass(SECOND);
    buf_clear(&fixture.api.seen);
    note(&fixture, "again");
    pass(SECOND);
    CHECK_CONTAINS(buf_str(&fixture.api.seen),
                   STR("PATCH /prefix/apis/events.k8s.io/v1/namespaces/ns/events/web."));
    CHECK_EQ(
        buf_str(&fixture.api.last_body),
        STR("{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-01-01T01:00:01.000000Z\"}}"));
    buf_clear(&fixture.api.seen);
    for (int i = 0; i < 8; i++) {
        note(&fixture, "again");
        pass(SECOND);
    }
    CHECK_EQ(buf_str(&fixture.api.seen), STR(""));
    pass(MINUTE);
    CHECK_EQ(fixture.api.requests, (size_t)3);
    CHECK_CONTAINS(buf_str(&fixture.api.last_body), STR("\"count\":10,"));

    /* Another note is another event, and so is the same after six quiet minutes. */
    buf_clear(&fixture.api.seen);
    note(&fixture, "other");
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.api.seen), STR(CREATED));
    pass(6 * MINUTE);
    buf_clear(&fixture.api.seen);
    note(&fixture, "again");
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.api.seen), STR(CREATED));
}

SIM_TEST(what_does_not_fit_is_dropped_and_counted)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 3);
    static const char *const texts[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < COUNT(texts); i++)
        note(&fixture, texts[i]);
    note(&fixture, "a"); /* counts on */
    check_dropped(&fixture, "2");
    recorder_fixture_start(&fixture);
    pass(SECOND);
    CHECK_EQ(fixture.api.requests, (size_t)3);
    note(&fixture, "f"); /* in place of one that was sent */
    pass(SECOND);
    CHECK_EQ(fixture.api.requests, (size_t)4);
    check_dropped(&fixture, "2");
}

static void note_in(struct recorder_fixture *fixture, const char *namespace, int number)
{
    struct recorder_reference about = web;
    about.namespace = str_from_c(namespace);
    recorder_event(fixture->recorder, &about, RECORDER_NORMAL, "Created", "Create", "%d", number);
}

/* How many requests have been for the namespace. */
static size_t count_seen(const struct recorder_fixture *fixture, const char *namespace)
{
    SCOPED(buf) part = {0};
    size_t count = 0, at;
    struct str rest = buf_str(&fixture->api.seen);
    buf_print(&part, "/namespaces/%s/", namespace);
    for (; (at = str_find(rest, buf_str(&part))) != STR_NONE; count++)
        rest = str_skip(rest, at + part.len);
    return count;
}

/* Ten a second, after the first 25: the hundred of the loud one alone take seven seconds. */
SIM_TEST(namespaces_take_turns)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    for (int i = 0; i < 100; i++)
        note_in(&fixture, "loud", i);
    recorder_fixture_start(&fixture);
    pass(SECOND);
    for (int i = 0; i < 3; i++)
        note_in(&fixture, "quiet", i);
    pass(SECOND);
    CHECK_EQ(count_seen(&fixture, "quiet"), (size_t)3);
    CHECK(count_seen(&fixture, "loud") >= 30);
}

SIM_TEST(a_namespace_that_has_most_makes_room)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 10);
    for (int i = 0; i < 20; i++)
        note_in(&fixture, "loud", i);
    check_dropped(&fixture, "10");
    for (int i = 0; i < 20; i++)
        note_in(&fixture, "quiet", i);
    check_dropped(&fixture, "30");
    recorder_fixture_start(&fixture);
    pass(MINUTE);
    CHECK_EQ(count_seen(&fixture, "loud"), (size_t)5);
    CHECK_EQ(count_seen(&fixture, "quiet"), (size_t)5);
}

SIM_TEST(long_notes_are_cut_and_objects_without_namespace_go_to_default)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    recorder_fixture_start(&fixture);
    SCOPED(buf) text = {0};
    for (int i = 0; i < 1000; i++)
        buf_add(&text, STR("ä"));
    recorder_event(fixture.recorder,
                   &(struct recorder_reference){
                       .api_version = STR("v1"), .kind = STR("Node"), .name = STR("n")},
                   RECORDER_WARNING, "Bad", "Watch", "%s", buf_c(&text));
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.api.seen),
             STR("POST /prefix/apis/events.k8s.io/v1/namespaces/default/events?timeout=30s\n"));
    OWNED(object) event = NULL;
    CHECK_OK(object_read(buf_str(&fixture.api.last_body), &event));
    const struct str cut = json_to_str(object_path(event, "note"));
    CHECK(cut.len <= RECORDER_NOTE_MAX && cut.len > RECORDER_NOTE_MAX - 8);
    CHECK(str_ends_with(cut, STR("ä...")));
    CHECK_EQ(json_to_str(object_path(event, "type")), STR("Warning"));
}

SIM_TEST(failures_are_repeated_or_given_up)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    recorder_fixture_start(&fixture);
    SCRIPT(&fixture.api, {500, NULL, NULL, ""}, {201, NULL, NULL, "{}"}, {404, NULL, NULL, ""},
           {201, NULL, NULL, "{}"}, {403, NULL, NULL, ""}, {201, NULL, NULL, "{}"});
    note(&fixture, "a");
    pass(SECOND);
    CHECK_EQ(fixture.api.requests, (size_t)1);
    pass(10 * SECOND);
    CHECK_EQ(fixture.api.requests, (size_t)2);
    note(&fixture, "a"); /* the server has forgotten it: created anew, as a series */
    pass(SECOND);
    CHECK_EQ(fixture.api.requests, (size_t)4);
    CHECK_CONTAINS(buf_str(&fixture.api.last_body), STR("\"series\":{\"count\":2,"));
    note(&fixture, "b"); /* forbidden */
    pass(MINUTE);
    CHECK_EQ(fixture.api.requests, (size_t)5);
    check_dropped(&fixture, "1");
}

SIM_TEST(what_is_left_is_told_before_the_end)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    recorder_fixture_start(&fixture);
    note(&fixture, "a");
    pass(SECOND);
    note(&fixture, "a");
    pass(SECOND);
    note(&fixture, "a");
    note(&fixture, "b");
    scope_cancel(&fixture.scope);
    CHECK_OK(scope_wait(&fixture.scope));
    CHECK_EQ(fixture.api.requests, (size_t)4);
}

static struct error *recorded_once(struct recorder_fixture *fixture)
{
    recorder_fixture_start(fixture);
    note(fixture, "a");
    TRY(fiber_sleep(SECOND));
    note(fixture, "a");
    TRY(fiber_sleep(SECOND));
    scope_cancel(&fixture->scope);
    return scope_wait(&fixture->scope);
}

TORTURE_TEST(a_recorder_survives_every_interruption)
{
    SCOPED(recorder_fixture) fixture;
    recorder_fixture_init(&fixture, 0);
    return recorded_once(&fixture);
}
