#include "clusterresourceset/types/delivery.h"

#include "testing/test.h"

#define NOW   STR("2026-11-15T22:10:00Z")
#define LATER STR("2026-11-15T23:00:00Z")
#define ENTRIES \
    "\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"a\"},{\"clusterResourceSetName\":\"b\"}]}"

/* A binding with entries of the sets a and b, and this annotation. */
static struct object *bind(struct str annotation)
{
    SCOPED(buf) text = {.limit = 0};
    struct object *binding = NULL;
    buf_add(&text, STR("{\"apiVersion\":\"v1\",\"kind\":\"B\"," ENTRIES));
    if (annotation.len) {
        buf_add(&text, STR(",\"metadata\":{\"annotations\":{\"" DELIVERY_ANNOTATION "\":"));
        buf_add_json_string(&text, annotation);
        buf_add(&text, STR("}}"));
    }
    buf_add_char(&text, '}');
    CHECK_OK(object_read(buf_str(&text), &binding));
    return binding;
}

static void add(struct failures *failures, struct str name, struct str message)
{
    const struct failed_object object = {
        .verb = STR("creating"),
        .api_version = STR("apps/v1"),
        .kind = STR("Deployment"),
        .namespace = STR("ns"),
        .name = name,
        .resource = STR("ConfigMap cm1"),
        .key = STR("a.yaml"),
        .document = failures->failed + 1,
    };
    failures_add(failures, &object, STR("Invalid"), message);
}

/* The record of a plain set. */
static void write_record(const struct object *binding, struct str set,
                         const struct failures *failures, struct str now, struct buf *out)
{
    const struct delivery_outcome outcome = {.failures = failures, .now = now};
    delivery_write(binding, set, failures ? &outcome : NULL, out);
}

TEST(a_record_has_state_time_objects_and_causes)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 9};
    OWNED(object) binding = bind(STR(""));
    add(&failures, STR("x"), STR("no"));
    add(&failures, STR("y"), STR("no"));
    failures_add(&failures, &(struct failed_object){.resource = STR("Secret s1")}, STR("Invalid"),
                 STR("no data"));
    write_record(binding, STR("a"), &failures, NOW, &text);
    CHECK_EQ(buf_str(&text),
             STR("{\"a\":{\"state\":\"Failed\",\"since\":\"2026-11-15T22:10:00Z\",\"objects\":9,"
                 "\"why\":[{\"count\":2,\"reason\":\"Invalid\",\"message\":\"no\",\"objects\":["
                 "\"apps/v1 Deployment ns/x (ConfigMap cm1, key a.yaml, document 1)\","
                 "\"apps/v1 Deployment ns/y (ConfigMap cm1, key a.yaml, document 2)\"]},"
                 "{\"count\":0,\"reason\":\"Invalid\",\"message\":\"no data\",\"objects\":["
                 "\"Secret s1\"]}]}}"));

    TEST_CASE("it is read back");
    OWNED(object) written = bind(buf_str(&text));
    struct delivery read;
    CHECK(delivery_exists(written, STR("a")) && !delivery_exists(written, STR("b")));
    CHECK(delivery_read(written, STR("a"), &arena, &read));
    CHECK_EQ(read.state, STR("Failed"));
    CHECK_EQ(read.since, NOW);
    CHECK_EQ(read.failures.objects, 9);
    CHECK_EQ(read.failures.failed, 2);
    CHECK_EQ(read.failures.cause_count, 2);
    const struct failed_object *object = read.failures.first->last;
    CHECK_EQ(object->api_version, STR("apps/v1"));
    CHECK_EQ(object->kind, STR("Deployment"));
    CHECK_EQ(object->namespace, STR("ns"));
    CHECK_EQ(object->name, STR("y"));
    CHECK_EQ(object->resource, STR("ConfigMap cm1"));
    CHECK_EQ(object->key, STR("a.yaml"));
    CHECK_EQ(object->document, 2);
    CHECK_EQ(read.failures.last->first->resource, STR("Secret s1"));
    CHECK_EQ(read.failures.last->first->key, STR(""));

    TEST_CASE("the same again is the same text, and the time of the state stays");
    SCOPED(buf) again = {.limit = 0};
    write_record(written, STR("a"), &failures, LATER, &again);
    CHECK_EQ(buf_str(&again), buf_str(&text));
}

/* Records of sets that have no entry any more go with the next change. */
TEST(each_set_has_its_own_record)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 1};
    SCOPED(failures) none = {.arena = &arena};
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) binding = bind(STR("{\"b\":{\"state\":\"Failed\"},\"gone\":{}}"));
    add(&failures, STR("x"), STR("no"));
    write_record(binding, STR("a"), &failures, NOW, &text);
    CHECK(str_starts_with(buf_str(&text), STR("{\"b\":{\"state\":\"Failed\"},\"a\":{")));
    CHECK(!str_contains(buf_str(&text), STR("gone")));

    TEST_CASE("records stay in their places, so that sets that take turns write nothing");
    OWNED(object) both = bind(buf_str(&text));
    for (const char *set = "abab"; *set; set++) {
        SCOPED(buf) first = {.limit = 0};
        write_record(both, str_from(set, 1), &failures, NOW, &first);
        OWNED(object) written = bind(buf_str(&first));
        for (const char *turn = "ab"; *turn; turn++) {
            SCOPED(buf) again = {.limit = 0};
            write_record(written, str_from(turn, 1), &failures, NOW, &again);
            if (*turn == *set)
                CHECK_EQ(buf_str(&again), buf_str(&first));
            CHECK(str_starts_with(buf_str(&again), STR("{\"b\":")));
        }
    }

    TEST_CASE("a record goes");
    buf_clear(&text);
    write_record(binding, STR("a"), &none, NOW, &text);
    CHECK_EQ(buf_str(&text), STR("{\"b\":{\"state\":\"Failed\"}}"));
    buf_clear(&text);
    write_record(binding, STR("b"), NULL, NOW, &text);
    CHECK_EQ(buf_str(&text), STR(""));
}

TEST(what_others_wrote_is_no_record)
{
    static const char *const texts[] = {"", "{", "[]", "7", "{\"a\":7}", "{\"a\":null}"};
    SCOPED(arena) arena = {0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 1};
    add(&failures, STR("x"), STR("no"));
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct delivery read;
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", texts[i]);
        OWNED(object) binding = bind(str_from_c(texts[i]));
        CHECK(!delivery_read(binding, STR("a"), &arena, &read));
        write_record(binding, STR("a"), &failures, NOW, &text);
        CHECK(
            str_starts_with(buf_str(&text), STR("{\"a\":{\"state\":\"Failed\",\"since\":\"2026")));
    }
    CHECK(!delivery_exists(NULL, STR("a")));
}

static void add_many(struct failures *failures, size_t causes, size_t objects, size_t len)
{
    for (size_t i = 0; i < causes; i++)
        for (size_t j = 0; j < objects; j++) {
            SCOPED(buf) message = {.limit = 0};
            SCOPED(buf) name = {.limit = 0};
            buf_print(&message, "cause %zu", i);
            while (message.len < len)
                buf_add(&message, STR(" and more words"));
            buf_print(&name, "n%zu", j);
            add(failures, buf_str(&name), buf_str(&message));
        }
}

/* Whatever fails, a record stays within its size, and what was left out is counted. */
TEST(records_are_bounded_and_count_what_they_leave_out)
{
    static const struct {
        const char *name;
        size_t causes, objects, len;
        bool is_complete;
    } cases[] = {
        {"fifty objects of one cause", 1,   50,   50,   true },
        {"many objects",               1,   1000, 50,   true },
        {"many causes",                100, 1,    50,   false},
        {"causes beyond the limit",    150, 2,    10,   false},
        {"long causes",                20,  3,    2000, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(failures) failures = {.arena = &arena, .objects = 100000};
        SCOPED(buf) text = {.limit = 0};
        struct delivery read;
        size_t named = 0;
        TEST_CASE("%s", cases[i].name);
        add_many(&failures, cases[i].causes, cases[i].objects, cases[i].len);
        OWNED(object) binding = bind(STR(""));
        write_record(binding, STR("a"), &failures, NOW, &text);
        CHECK(text.len <= DELIVERY_RECORD_MAX + 8);
        OWNED(object) written = bind(buf_str(&text));
        CHECK(delivery_read(written, STR("a"), &arena, &read));
        CHECK_EQ(read.failures.failed, failures.failed);
        CHECK_EQ(read.failures.cause_count + read.failures.omitted_causes,
                 failures.cause_count + failures.omitted_causes);
        CHECK_EQ(read.failures.omitted_causes == 0, cases[i].is_complete);
        for (const struct failed_object *o = read.failures.first->first; o; o = o->next)
            named++;
        CHECK(named == cases[i].objects || named == 5);
        CHECK(cases[i].objects != 50 || named == 50);
        CHECK(read.failures.first->message.len <= 1024);
    }
}

TEST(a_binding_that_is_full_of_annotations_gets_no_more)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) large = {.limit = 0};
    for (size_t full = 230; full <= 250; full++) {
        SCOPED(failures) failures = {.arena = &arena, .objects = 100};
        SCOPED(buf) text = {.limit = 0};
        buf_clear(&large);
        buf_add(&large, STR("{\"b\":{\"state\":\""));
        for (size_t i = 0; i < full * 1024; i++)
            buf_add_char(&large, 'x');
        buf_add(&large, STR("\"}}"));
        add_many(&failures, 100, 1, 100);
        OWNED(object) binding = bind(buf_str(&large));
        write_record(binding, STR("a"), &failures, NOW, &text);
        TEST_CASE("%zu KiB", full);
        CHECK(text.len <= large.len || text.len < DELIVERY_ANNOTATIONS_MAX);
        CHECK_EQ(str_contains(buf_str(&text), STR("\"a\":")), full < 240);
    }
}

TEST(the_record_of_a_set_with_a_policy_has_revision_and_kinds)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 3};
    const struct str kinds[] = {STR("v1/ConfigMap"), STR("apps/v1/Deployment")};
    struct delivery_progress progress = {
        .revision = STR("9f2c01aa77de"), .kinds = kinds, .kind_count = 1, .digest = STR("5b1e")};
    struct delivery_outcome outcome = {.failures = &failures, .progress = &progress, .now = NOW};
    struct delivery_mark mark;
    OWNED(object) binding = bind(STR(""));
    CHECK(!delivery_find_mark(binding, STR("a"), &mark));
    delivery_write(binding, STR("a"), &outcome, &text);
    CHECK_EQ(buf_str(&text),
             STR("{\"a\":{\"revision\":\"9f2c01aa77de\",\"state\":\"Ready\",\"since\":"
                 "\"2026-11-15T22:10:00Z\",\"objects\":3,\"ready\":3,\"kinds\":["
                 "\"v1/ConfigMap\"],\"digest\":\"5b1e\"}}"));

    TEST_CASE("it is read back");
    OWNED(object) written = bind(buf_str(&text));
    struct delivery read;
    CHECK(delivery_read(written, STR("a"), &arena, &read));
    CHECK_EQ(read.state, STR("Ready"));
    CHECK_EQ(read.revision, STR("9f2c01aa77de"));
    CHECK(delivery_find_mark(written, STR("a"), &mark));
    CHECK_EQ(str_from_c(mark.revision), STR("9f2c01aa77de"));
    CHECK(mark.is_applied && !mark.is_incomplete);

    TEST_CASE("the same again is the same text");
    SCOPED(buf) again = {.limit = 0};
    outcome.now = LATER;
    delivery_write(written, STR("a"), &outcome, &again);
    CHECK_EQ(buf_str(&again), buf_str(&text));

    TEST_CASE("another revision begins anew, and kinds are added to those before");
    progress = (struct delivery_progress){.revision = STR("000000000001"),
                                          .is_incomplete = true,
                                          .kinds = &kinds[1],
                                          .kind_count = 1,
                                          .digest = STR("77")};
    add(&failures, STR("x"), STR("no"));
    buf_clear(&again);
    delivery_write(written, STR("a"), &outcome, &again);
    CHECK(str_starts_with(
        buf_str(&again),
        STR("{\"a\":{\"revision\":\"000000000001\",\"incomplete\":true,\"state\":\"Failed\","
            "\"since\":\"2026-11-15T23:00:00Z\",\"objects\":3,\"ready\":2,\"kinds\":["
            "\"v1/ConfigMap\",\"apps/v1/Deployment\"],\"digest\":\"77\",\"why\":[{")));
    OWNED(object) failed = bind(buf_str(&again));
    CHECK(delivery_find_mark(failed, STR("a"), &mark));
    CHECK(!mark.is_applied && mark.is_incomplete);

    TEST_CASE("a set that lost its policy and is well has none");
    buf_clear(&again);
    failures_clear(&failures);
    write_record(failed, STR("a"), &failures, NOW, &again);
    CHECK_EQ(buf_str(&again), STR(""));
}

TEST(the_record_of_a_set_with_values_has_their_digest)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 1};
    struct delivery_progress progress = {
        .revision = STR("9f2c01aa77de"), .values = STR("0123456789abcdef"), .digest = STR("5b1e")};
    const struct delivery_outcome outcome = {
        .failures = &failures, .progress = &progress, .now = NOW};
    struct delivery_mark mark;
    OWNED(object) binding = bind(STR(""));
    delivery_write(binding, STR("a"), &outcome, &text);
    CHECK(str_starts_with(buf_str(&text), STR("{\"a\":{\"revision\":\"9f2c01aa77de\",\"values\":"
                                              "\"0123456789abcdef\",\"state\":\"Ready\",")));
    OWNED(object) written = bind(buf_str(&text));
    CHECK(delivery_find_mark(written, STR("a"), &mark));
    CHECK_EQ(str_from_c(mark.values), STR("0123456789abcdef"));

    TEST_CASE("without values it goes");
    buf_clear(&text);
    progress.values = STR("");
    delivery_write(written, STR("a"), &outcome, &text);
    CHECK(!str_contains(buf_str(&text), STR("values")));
}

/* The text of the record of set a with this outcome, in a binding that has this annotation. */
static void write_progress(struct str before, const struct delivery_progress *progress,
                           const struct failures *failures, struct buf *out)
{
    OWNED(object) binding = bind(before);
    const struct delivery_outcome outcome = {
        .failures = failures, .progress = progress, .now = NOW};
    buf_clear(out);
    delivery_write(binding, STR("a"), &outcome, out);
}

static struct delivery_mark read_mark(struct str annotation)
{
    struct delivery_mark mark = {0};
    OWNED(object) binding = bind(annotation);
    CHECK(delivery_find_mark(binding, STR("a"), &mark));
    return mark;
}

TEST(the_record_of_a_set_with_waves_says_what_has_begun)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) begun = {.limit = 0};
    SCOPED(buf) failed = {.limit = 0};
    SCOPED(buf) done = {.limit = 0};
    SCOPED(failures) failures = {.arena = &arena, .objects = 1};
    struct delivery_progress progress = {
        .revision = STR("9f2c01aa77de"), .has_waves = true, .is_applying = true};
    write_progress(STR(""), &progress, &failures, &begun);
    struct delivery_mark mark = read_mark(buf_str(&begun));
    CHECK_CONTAINS(buf_str(&begun), STR("\"state\":\"Applying\""));
    CHECK(!mark.is_applied && !mark.has_failed && !mark.was_done && !mark.attempts);

    TEST_CASE("an attempt failed");
    progress.is_applying = false;
    progress.attempts = 2;
    add(&failures, STR("x"), STR("no"));
    write_progress(buf_str(&begun), &progress, &failures, &failed);
    mark = read_mark(buf_str(&failed));
    CHECK(!mark.is_applied && mark.has_failed && !mark.was_done);
    CHECK_EQ(mark.attempts, (size_t)2);

    TEST_CASE("it was done once, and stays so with this revision");
    failures_clear(&failures);
    progress.attempts = 0;
    write_progress(buf_str(&failed), &progress, &failures, &done);
    mark = read_mark(buf_str(&done));
    CHECK(mark.is_applied && mark.was_done && !mark.attempts);
    progress.is_applying = true;
    write_progress(buf_str(&done), &progress, &failures, &begun);
    CHECK(read_mark(buf_str(&begun)).was_done);
    progress.revision = STR("000000000001");
    write_progress(buf_str(&done), &progress, &failures, &begun);
    CHECK(!read_mark(buf_str(&begun)).was_done);
}

TEST(the_record_of_a_set_with_health_says_what_is_not_ready)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    SCOPED(failures) none = {.arena = &arena, .objects = 3};
    SCOPED(failures) unready = {.arena = &arena, .objects = 3};
    const struct delivery_progress progress = {.revision = STR("9f2c01aa77de"),
                                               .digest = STR("5b1e")};
    struct delivery_unready state = {.why = &unready, .count = 2, .since = NOW};
    struct delivery_outcome outcome = {
        .failures = &none, .progress = &progress, .unready = &state, .now = LATER};
    struct delivery_mark mark;
    struct delivery read;
    OWNED(object) binding = bind(STR(""));

    TEST_CASE("applied, and nobody has looked");
    delivery_write(binding, STR("a"), &outcome, &text);
    CHECK_EQ(buf_str(&text),
             STR("{\"a\":{\"revision\":\"9f2c01aa77de\",\"state\":\"Settling\",\"since\":"
                 "\"2026-11-15T23:00:00Z\",\"settling\":\"2026-11-15T22:10:00Z\",\"objects\":3,"
                 "\"ready\":1,\"kinds\":[],\"digest\":\"5b1e\"}}"));
    OWNED(object) begun = bind(buf_str(&text));
    CHECK(delivery_find_mark(begun, STR("a"), &mark));
    CHECK(mark.is_applied && mark.is_unready && !mark.is_overdue);

    TEST_CASE("not ready in time, and not checked");
    add(&unready, STR("x"), STR("not ready: LessReady"));
    state.count = 1;
    state.is_overdue = true;
    outcome.unchecked = LATER;
    buf_clear(&text);
    delivery_write(begun, STR("a"), &outcome, &text);
    CHECK(str_contains(buf_str(&text),
                       STR("\"state\":\"Failed\",\"since\":\"2026-11-15T23:00:00Z\",\"settling\":"
                           "\"2026-11-15T22:10:00Z\",\"objects\":3,\"ready\":2,")));
    CHECK(str_contains(buf_str(&text),
                       STR("\"why\":[{\"count\":0,\"reason\":\"NotChecked\",\"message\":\"not "
                           "checked since 2026-11-15T23:00:00Z\"},{\"count\":1,")));
    OWNED(object) overdue = bind(buf_str(&text));
    CHECK(delivery_find_mark(overdue, STR("a"), &mark));
    CHECK(mark.is_applied && mark.is_unready && mark.is_overdue && !mark.drift);
    CHECK(delivery_read(overdue, STR("a"), &arena, &read));
    CHECK(failures_is_empty(&read.failures));
    CHECK_EQ(read.unready.failed, (size_t)1);
    CHECK_EQ(read.unready.cause_count, (size_t)1);
    CHECK_EQ(read.unchecked, LATER);
    CHECK(!mark.is_drift_unchecked);

    TEST_CASE("drift is not checked either");
    outcome.drift_unchecked = STR("2026-11-15T22:00:00Z");
    buf_clear(&text);
    delivery_write(overdue, STR("a"), &outcome, &text);
    CHECK(str_contains(
        buf_str(&text),
        STR("\"why\":[{\"count\":0,\"reason\":\"NotChecked\",\"message\":\"not checked since "
            "2026-11-15T23:00:00Z\"},{\"count\":0,\"reason\":\"DriftNotChecked\",\"message\":"
            "\"drift not checked since 2026-11-15T22:00:00Z\"},{\"count\":1,")));
    OWNED(object) unseen = bind(buf_str(&text));
    CHECK(delivery_find_mark(unseen, STR("a"), &mark) && mark.is_drift_unchecked);
    CHECK(delivery_read(unseen, STR("a"), &arena, &read));
    CHECK_EQ(read.unready.cause_count, (size_t)1);
    CHECK_EQ(read.drift_unchecked, STR("2026-11-15T22:00:00Z"));
    outcome.drift_unchecked = STR("");

    TEST_CASE("somebody changed an object as well");
    SCOPED(failures) drifted = {.arena = &arena, .objects = 3};
    add(&drifted, STR("y"), STR("spec.replicas changed by kubectl"));
    outcome.failures = &drifted;
    outcome.drift = DELIVERY_DRIFTED;
    outcome.unchecked = STR("");
    buf_clear(&text);
    delivery_write(overdue, STR("a"), &outcome, &text);
    CHECK(str_contains(buf_str(&text), STR("\"state\":\"Drifted\"")));
    OWNED(object) both = bind(buf_str(&text));
    CHECK(delivery_find_mark(both, STR("a"), &mark));
    CHECK(mark.is_applied && mark.is_unready && mark.drift == DELIVERY_DRIFTED);
    CHECK(mark.is_overdue);
    CHECK(delivery_read(both, STR("a"), &arena, &read));
    CHECK_EQ(read.failures.first->message, STR("spec.replicas changed by kubectl"));
    CHECK_EQ(read.unready.first->message, STR("not ready: LessReady"));
    CHECK_EQ(read.unchecked, STR(""));

    TEST_CASE("what was refused is not applied, ready or not");
    outcome.drift = DELIVERY_UNDRIFTED;
    outcome.unready = NULL;
    buf_clear(&text);
    delivery_write(both, STR("a"), &outcome, &text);
    OWNED(object) refused = bind(buf_str(&text));
    CHECK(delivery_find_mark(refused, STR("a"), &mark));
    CHECK(!mark.is_applied && !mark.is_unready);

    TEST_CASE("many causes of both kinds fit");
    for (size_t i = 0; i < 90; i++) {
        SCOPED(buf) message = {.limit = 0};
        buf_print(&message, "cause %zu %0200d", i, 7);
        add(&unready, STR("x"), buf_str(&message));
        add(&drifted, STR("y"), buf_str(&message));
    }
    outcome.drift = DELIVERY_DRIFTED;
    outcome.unready = &state;
    buf_clear(&text);
    delivery_write(both, STR("a"), &outcome, &text);
    CHECK(text.len <= DELIVERY_RECORD_MAX + DELIVERY_REVISION_LEN);
    OWNED(object) full = bind(buf_str(&text));
    CHECK(delivery_read(full, STR("a"), &arena, &read));
    CHECK_EQ(read.failures.failed, drifted.failed);
    CHECK_EQ(read.unready.failed, unready.failed);
}

/* A record of set a with this in place of what stands between kinds and digest. */
static struct object *bind_prune(const char *state, const char *prune)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(
        &text,
        "{\"a\":{\"revision\":\"9f2c01aa77de\",\"state\":\"%s\",\"since\":\"x\",\"objects\":2,"
        "\"ready\":2,\"kinds\":[\"v1/ConfigMap\",\"v1/Secret\"],\"digest\":\"\"%s}}",
        state, prune);
    return bind(buf_str(&text));
}

TEST(a_record_tells_what_is_left_to_prune)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct delivery_prune read;
    struct delivery_mark mark;
    struct str kinds[] = {STR("v1/Secret")};
    const struct delivery_kinds gone = {kinds, 1};
    OWNED(object) ready = bind_prune("Ready", ",\"prune\":{\"state\":\"Due\"}");
    CHECK(delivery_find_prune(ready, STR("a"), &arena, &read));
    CHECK_EQ(read.state, DELIVERY_PRUNE_DUE);
    const struct delivery_prune held = {
        .state = DELIVERY_PRUNE_HELD,
        .reason = STR("Removed"),
        .objects = 21,
        .token = STR("prune/0123456789ab"),
        .message = STR("too many"),
    };
    delivery_write_prune(ready, STR("a"), &held, gone, NOW, &text);
    CHECK_EQ(
        buf_str(&text),
        STR("{\"a\":{\"revision\":\"9f2c01aa77de\",\"state\":\"Held\",\"since\":"
            "\"2026-11-15T22:10:00Z\",\"objects\":2,\"ready\":2,\"kinds\":[\"v1/ConfigMap\"],"
            "\"digest\":\"\",\"prune\":{\"state\":\"Held\",\"reason\":\"Removed\",\"objects\":21,"
            "\"token\":\"prune/0123456789ab\",\"message\":\"too many\"}}}"));
    OWNED(object) written = bind(buf_str(&text));
    CHECK(delivery_find_mark(written, STR("a"), &mark));
    CHECK(mark.is_applied);
    CHECK_EQ(mark.prune, DELIVERY_PRUNE_HELD);

    TEST_CASE("it is over");
    buf_clear(&text);
    delivery_write_prune(written, STR("a"), &(struct delivery_prune){0}, (struct delivery_kinds){0},
                         LATER, &text);
    CHECK(!str_contains(buf_str(&text), STR("prune")));
    CHECK_CONTAINS(buf_str(&text), STR("\"state\":\"Ready\",\"since\":\"2026-11-15T23:00:00Z\""));

    TEST_CASE("without a record there is nothing to tell");
    OWNED(object) none = bind(STR("{\"b\":{\"state\":\"Failed\"}}"));
    buf_clear(&text);
    delivery_write_prune(none, STR("a"), &held, gone, NOW, &text);
    CHECK_EQ(buf_str(&text), STR("{\"b\":{\"state\":\"Failed\"}}"));
}

TEST(what_is_graver_than_prune_stays_the_state)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) drifted = bind_prune("Drifted", "");
    delivery_write_prune(drifted, STR("a"),
                         &(struct delivery_prune){.state = DELIVERY_PRUNE_PRUNING},
                         (struct delivery_kinds){0}, NOW, &text);
    CHECK_CONTAINS(buf_str(&text), STR("\"state\":\"Drifted\",\"since\":\"x\""));
    CHECK_CONTAINS(buf_str(&text), STR("\"prune\":{\"state\":\"Pruning\"}"));
}

/* Some of its objects may be gone: whoever selects the cluster again has to apply everything. */
TEST(a_cluster_that_loses_a_set_does_not_count_as_applied)
{
    static const struct {
        const char *prune;
        bool is_applied;
    } cases[] = {
        {",\"prune\":{\"state\":\"Pruning\",\"reason\":\"Removed\"}",    true },
        {",\"prune\":{\"state\":\"Held\",\"reason\":\"Unselected\"}",    true },
        {",\"prune\":{\"state\":\"Due\",\"reason\":\"Unselected\"}",     true },
        {",\"prune\":{\"state\":\"Pruning\",\"reason\":\"Unselected\"}", false},
        {",\"prune\":{\"state\":\"Failed\",\"reason\":\"Deleted\"}",     false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct delivery_mark mark;
        TEST_CASE("%s", cases[i].prune);
        OWNED(object) binding = bind_prune("Pruning", cases[i].prune);
        CHECK(delivery_find_mark(binding, STR("a"), &mark));
        CHECK_EQ(mark.is_applied, cases[i].is_applied);
    }
}

TEST(what_is_known_of_prune_lasts_as_long_as_the_revision)
{
    SCOPED(arena) arena = {0};
    SCOPED(failures) none = {.arena = &arena, .objects = 2};
    const struct {
        struct str revision;
        bool is_due, keeps;
        const char *state; /* NULL: nothing is told */
    } cases[] = {
        {STR("9f2c01aa77de"), false, true,  "Held"},
        {STR("9f2c01aa77de"), false, false, NULL  },
        {STR("9f2c01aa77de"), true,  false, "Due" },
        {STR("000000000000"), false, true,  NULL  },
        {STR("000000000000"), true,  false, "Due" },
    };
    OWNED(object) held = bind_prune("Held", ",\"prune\":{\"state\":\"Held\",\"token\":\"t\"}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        struct delivery_prune read;
        TEST_CASE("%zu", i);
        const struct delivery_progress progress = {.revision = cases[i].revision};
        const struct delivery_outcome outcome = {
            .failures = &none,
            .progress = &progress,
            .now = NOW,
            .is_prune_due = cases[i].is_due,
            .keeps_prune = cases[i].keeps,
        };
        delivery_write(held, STR("a"), &outcome, &text);
        OWNED(object) written = bind(buf_str(&text));
        CHECK_EQ(delivery_find_prune(written, STR("a"), &arena, &read), cases[i].state != NULL);
        CHECK_EQ(delivery_prune_state_name(read.state), str_from_c(cases[i].state));
    }
}
