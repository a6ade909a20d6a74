#include "controller/recorder.h"

#include "client/stage_test.h"

#define CREATED "POST /prefix/apis/events.k8s.io/v1/namespaces/ns/events?timeout=30s\n"

static const struct recorder_reference web = {
    STR_INIT("x.dev/v1"), STR_INIT("Web"), STR_INIT("ns"),
    STR_INIT("web"),      STR_INIT("u-1"), STR_INIT("7"),
};

struct rig {
    struct stage stage;
    struct recorder *recorder;
    struct scope scope;
};

static struct error *run(void *data)
{
    return error_ignore(recorder_run(data), ERROR_CANCELED);
}

static void rig_init(struct rig *rig, size_t events)
{
    *rig = (struct rig){0};
    stage_init(&rig->stage, false);
    stage_start(&rig->stage);
    static const struct scripted created = {201, NULL, NULL, "{}"};
    stage_script(&rig->stage, &created, 1);
    rig->recorder =
        recorder_new(loop_current(), &(struct recorder_options){.client = rig->stage.client,
                                                                .controller = STR("corset.dev/web"),
                                                                .events = events,
                                                                .metrics = rig->stage.metrics});
}

static void rig_start(struct rig *rig)
{
    scope_start(&rig->scope, "events", run, rig->recorder);
}

static void rig_done(struct rig *rig)
{
    scope_done(&rig->scope);
    recorder_free(rig->recorder);
    stage_done(&rig->stage);
}

static void note(struct rig *rig, const char *text)
{
    recorder_event(rig->recorder, &web, RECORDER_NORMAL, "Created", "Create", "%s", text);
}

static void pass(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

SIM_TEST(an_event_says_what_happened_to_whom)
{
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    rig_start(&rig);
    note(&rig, "made it");
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.stage.seen), STR(CREATED));
    const struct str body = buf_str(&rig.stage.last_body);
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
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    rig_start(&rig);
    note(&rig, "again");
    pass(SECOND);
    buf_clear(&rig.stage.seen);
    note(&rig, "again");
    pass(SECOND);
    CHECK_CONTAINS(buf_str(&rig.stage.seen),
                   STR("PATCH /prefix/apis/events.k8s.io/v1/namespaces/ns/events/web."));
    CHECK_EQ(
        buf_str(&rig.stage.last_body),
        STR("{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-01-01T01:00:01.000000Z\"}}"));
    buf_clear(&rig.stage.seen);
    for (int i = 0; i < 8; i++) {
        note(&rig, "again");
        pass(SECOND);
    }
    CHECK_EQ(buf_str(&rig.stage.seen), STR(""));
    pass(MINUTE);
    CHECK_EQ(rig.stage.requests, (size_t)3);
    CHECK_CONTAINS(buf_str(&rig.stage.last_body), STR("\"count\":10,"));

    /* Another note is another event, and so is the same after six quiet minutes. */
    buf_clear(&rig.stage.seen);
    note(&rig, "other");
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.stage.seen), STR(CREATED));
    pass(6 * MINUTE);
    buf_clear(&rig.stage.seen);
    note(&rig, "again");
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.stage.seen), STR(CREATED));
}

SIM_TEST(what_does_not_fit_is_dropped_and_counted)
{
    SCOPED(rig) rig;
    rig_init(&rig, 3);
    static const char *const texts[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < COUNT(texts); i++)
        note(&rig, texts[i]);
    note(&rig, "a"); /* counts on */
    CHECK_EQ(recorder_dropped(rig.recorder), (size_t)2);
    rig_start(&rig);
    pass(SECOND);
    CHECK_EQ(rig.stage.requests, (size_t)3);
    note(&rig, "f"); /* in place of one that was sent */
    pass(SECOND);
    CHECK_EQ(rig.stage.requests, (size_t)4);
    CHECK_EQ(recorder_dropped(rig.recorder), (size_t)2);
}

SIM_TEST(long_notes_are_cut_and_objects_without_namespace_go_to_default)
{
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    rig_start(&rig);
    SCOPED(buf) text = {0};
    for (int i = 0; i < 1000; i++)
        buf_add(&text, STR("ä"));
    recorder_event(rig.recorder,
                   &(struct recorder_reference){STR("v1"), STR("Node"), {0}, STR("n"), {0}, {0}},
                   RECORDER_WARNING, "Bad", "Watch", "%s", buf_c(&text));
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.stage.seen),
             STR("POST /prefix/apis/events.k8s.io/v1/namespaces/default/events?timeout=30s\n"));
    OWNED(object) event = NULL;
    CHECK_OK(object_read(buf_str(&rig.stage.last_body), &event));
    const struct str cut = json_to_str(object_path(event, "note"));
    CHECK(cut.len <= RECORDER_NOTE_MAX && cut.len > RECORDER_NOTE_MAX - 8);
    CHECK(str_ends_with(cut, STR("ä...")));
    CHECK_EQ(json_to_str(object_path(event, "type")), STR("Warning"));
}

SIM_TEST(failures_are_repeated_or_given_up)
{
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    rig_start(&rig);
    SCRIPT(&rig.stage, {500, NULL, NULL, ""}, {201, NULL, NULL, "{}"}, {404, NULL, NULL, ""},
           {201, NULL, NULL, "{}"}, {403, NULL, NULL, ""}, {201, NULL, NULL, "{}"});
    note(&rig, "a");
    pass(SECOND);
    CHECK_EQ(rig.stage.requests, (size_t)1);
    pass(10 * SECOND);
    CHECK_EQ(rig.stage.requests, (size_t)2);
    note(&rig, "a"); /* the server has forgotten it: created anew, as a series */
    pass(SECOND);
    CHECK_EQ(rig.stage.requests, (size_t)4);
    CHECK_CONTAINS(buf_str(&rig.stage.last_body), STR("\"series\":{\"count\":2,"));
    note(&rig, "b"); /* forbidden */
    pass(MINUTE);
    CHECK_EQ(rig.stage.requests, (size_t)5);
    CHECK_EQ(recorder_dropped(rig.recorder), (size_t)1);
}

SIM_TEST(what_is_left_is_told_before_the_end)
{
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    rig_start(&rig);
    note(&rig, "a");
    pass(SECOND);
    note(&rig, "a");
    pass(SECOND);
    note(&rig, "a");
    note(&rig, "b");
    scope_cancel(&rig.scope);
    CHECK_OK(scope_wait(&rig.scope));
    CHECK_EQ(rig.stage.requests, (size_t)4);
}

static struct error *recorded_once(struct rig *rig)
{
    rig_start(rig);
    note(rig, "a");
    TRY(fiber_sleep(SECOND));
    note(rig, "a");
    TRY(fiber_sleep(SECOND));
    scope_cancel(&rig->scope);
    return scope_wait(&rig->scope);
}

TORTURE_TEST(a_recorder_survives_every_interruption)
{
    SCOPED(rig) rig;
    rig_init(&rig, 0);
    return recorded_once(&rig);
}
