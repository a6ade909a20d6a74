#include "apiserver/storage/store_watch.h"

#include "apiserver/storage/store_fixture_test.h"

#define A KEY("one", "a")
#define B KEY("two", "b")

static const struct store_options defaults;
static const struct store_watch_filter all = {.resource = STR_INIT("configmaps")};

static struct store_watch *watch_from(struct store *store, int64_t revision, struct key key)
{
    const struct store_watch_filter filter = {STR("configmaps"), key};
    struct store_watch *watch = NULL;
    CHECK_OK(store_watch_open(store, &filter, revision, &watch));
    return watch;
}

static void check_next(struct store_watch *watch, enum store_event_type type, int64_t revision,
                       int64_t value)
{
    SCOPED(store_event) event = {0};
    CHECK_OK(store_watch_next(watch, &event));
    CHECK_EQ((int)event.type, (int)type);
    CHECK_EQ(event.revision, revision);
    CHECK_EQ(sample_value(event.text), value);
    CHECK_EQ(event.previous == NULL, type == STORE_ADDED);
}

/* Nothing comes within a minute. */
static void check_silence(struct store_watch *watch)
{
    SCOPED(store_event) event = {0};
    FIBER_TIMEOUT(MINUTE);
    CHECK_ERROR(store_watch_next(watch, &event), ERROR_DEADLINE);
}

SIM_TEST(store_watch_tells_changes_in_order)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    OWNED(store_watch) now = watch_from(store, 0, (struct key){0});
    OWNED(store_watch) first = watch_from(store, 1, (struct key){0});
    CHECK_OK(sample_put(store, A, 2, STORE_ANY, NULL));
    CHECK_OK(sample_delete(store, A, STORE_ANY));
    CHECK_OK(sample_put(store, A, 3, STORE_NEW, NULL));

    check_next(first, STORE_ADDED, 2, 1);
    CHECK_EQ(store_watch_revision(first), 2);
    for (size_t i = 0; i < 2; i++) {
        struct store_watch *watch = i ? first : now;
        check_next(watch, STORE_MODIFIED, 3, 2);
        check_next(watch, STORE_DELETED, 4, 0);
        check_next(watch, STORE_ADDED, 5, 3);
        check_silence(watch);
        CHECK_EQ(store_watch_revision(watch), 5);
    }
    CHECK_EQ(store->watches, (size_t)2);
}

SIM_TEST(store_watch_filters)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    OWNED(store_watch) space = watch_from(store, 0, KEY("two", ""));
    OWNED(store_watch) name = watch_from(store, 0, KEY("one", "a"));
    OWNED(store_watch) other = NULL;
    const struct store_watch_filter secrets = {.resource = STR("secrets")};
    CHECK_OK(store_watch_open(store, &secrets, 0, &other));
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    CHECK_OK(sample_put(store, B, 2, STORE_NEW, NULL));
    CHECK_OK(sample_put(store, KEY("one", "b"), 3, STORE_NEW, NULL));
    check_next(space, STORE_ADDED, 3, 2);
    check_next(name, STORE_ADDED, 2, 1);
    check_silence(space);
    check_silence(name);
    check_silence(other);
    CHECK_EQ(store_watch_revision(space), 4);
}

SIM_TEST(store_watch_waits_for_what_is_to_come)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    OWNED(store_watch) watch = watch_from(store, 3, (struct key){0});
    for (int64_t i = 1; i <= 3; i++)
        CHECK_OK(sample_put(store, A, i, STORE_ANY, NULL));
    check_next(watch, STORE_MODIFIED, 4, 3);
}

SIM_TEST(store_watch_left_behind_is_told)
{
    OWNED(store)
    store =
        store_new(loop_current(), &(struct store_options){.history_events = 4, .history_age = 1});
    OWNED(store_watch) slow = watch_from(store, 0, (struct key){0});
    OWNED(store_watch) quiet = watch_from(store, 0, KEY("two", ""));
    check_silence(quiet);
    for (int64_t i = 1; i <= 10; i++) {
        CHECK_OK(sample_put(store, A, i, STORE_ANY, NULL));
        CHECK_OK(fiber_sleep(SECOND));
    }
    SCOPED(store_event) event = {0};
    CHECK_FAILS(store_watch_next(slow, &event), ERROR_EXPIRED, "too old resource version: 1 (7)");
    CHECK_ERROR(store_watch_next(slow, &event), ERROR_EXPIRED);
    struct store_watch *none = NULL;
    CHECK_ERROR(store_watch_open(store, &all, 6, &none), ERROR_EXPIRED);
    OWNED(store_watch) watch = watch_from(store, 7, (struct key){0});
    check_next(watch, STORE_MODIFIED, 8, 7);

    CHECK_OK(sample_put(store, B, 5, STORE_NEW, NULL));
    check_next(quiet, STORE_ADDED, 12, 5); /* what passed did not concern it */
}

SIM_TEST(store_watch_of_a_quiet_resource_outlives_the_others_history)
{
    OWNED(store)
    store =
        store_new(loop_current(), &(struct store_options){.history_events = 4, .history_age = 1});
    const struct store_watch_filter secrets = {.resource = STR("secrets")};
    OWNED(store_watch) watch = NULL;
    CHECK_OK(store_watch_open(store, &secrets, 1, &watch));
    for (int64_t i = 1; i <= 10; i++) {
        CHECK_OK(sample_put(store, A, i, STORE_ANY, NULL));
        CHECK_OK(fiber_sleep(SECOND));
    }
    struct sample sample = {B, 7, 0};
    const struct store_id id = {STR("secrets"), B};
    CHECK_OK(sample_store(store, id, STORE_NEW, &sample, NULL));
    check_next(watch, STORE_ADDED, 12, 7);
}

SIM_TEST(store_watch_of_a_new_resource_begins_with_it)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    const struct store_watch_filter secrets = {.resource = STR("secrets")};
    struct store_watch *none = NULL;
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    store_begin_resource(store, STR("secrets"));
    CHECK_FAILS(store_watch_open(store, &secrets, 1, &none), ERROR_EXPIRED,
                "too old resource version: 1 (2)");
    OWNED(store_watch) watch = NULL;
    CHECK_OK(store_watch_open(store, &secrets, 2, &watch));
    CHECK_OK(sample_put(store, A, 2, STORE_ANY, NULL));
    store_begin_resource(store, STR("secrets")); /* it is known */
    OWNED(store_watch) other = NULL;
    CHECK_OK(store_watch_open(store, &secrets, 2, &other));
}

/* Writes this often and returns how many events the history holds. */
static size_t history_after(struct store_options options, size_t writes, duration pause,
                            size_t padding)
{
    OWNED(store) store = store_new(loop_current(), &options);
    for (size_t i = 0; i < writes; i++) {
        struct sample sample = {A, (int64_t)i, padding};
        CHECK_OK(sample_store(store, sample_id(A), STORE_ANY, &sample, NULL));
        CHECK_OK(fiber_sleep(pause));
    }
    return store->history.count;
}

SIM_TEST(store_history_has_limits)
{
    const struct {
        const char *name;
        struct store_options options;
        size_t writes;
        duration pause;
        size_t padding, events;
    } cases[] = {
        {"old ones stay while few",  {.history_age = MINUTE, .history_events = 10},     10, HOUR,   0, 10},
        {"old ones go",              {.history_age = MINUTE, .history_events = 10},     20, HOUR,   0, 10},
        {"young ones stay",          {.history_age = MINUTE, .history_events = 10},     40, SECOND, 0, 40},
        {"young ones go when large",
         {.history_age = MINUTE, .history_events = 10, .history_bytes = 20 * KILOBYTE},
         40,                                                                                SECOND,
         2048,                                                                                         8 },
        {"the newest one stays",
         {.history_age = MINUTE, .history_events = 10, .history_bytes = KILOBYTE},
         5,                                                                                 SECOND,
         2048,                                                                                         1 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(history_after(cases[i].options, cases[i].writes, cases[i].pause, cases[i].padding),
                 cases[i].events);
    }
}

struct reader {
    struct store_watch *watch;
    size_t events;
    int64_t revision;
};

static struct error *reader_run(void *data)
{
    struct reader *reader = data;
    while (reader->events < 6) {
        SCOPED(store_event) event = {0};
        TRY(store_watch_next(reader->watch, &event));
        CHECK_EQ(event.revision, reader->revision + 1); /* in order, each once */
        reader->revision = event.revision;
        reader->events++;
    }
    return NULL;
}

/* A wait that was interrupted loses no event: the next one goes on where it was. */
TORTURE_TEST(store_watch_survives_interruptions)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    OWNED(store_watch) first = watch_from(store, 0, (struct key){0});
    OWNED(store_watch) second = watch_from(store, 0, (struct key){0});
    struct reader readers[] = {
        {first,  0, 1},
        {second, 0, 1}
    };
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(readers); i++)
        scope_start(&scope, "reader", reader_run, &readers[i]);
    struct error *err = NULL;
    while (store_revision(store) < 7) {
        err = error_join(err, sample_put(store, A, 1, STORE_ANY, NULL));
        if (fiber_is_canceled(fiber_current()))
            return err;
    }
    err = error_join(err, scope_wait(&scope));
    if (scope_running(&scope) > 0)
        return err;
    for (size_t i = 0; i < COUNT(readers); i++)
        CHECK_OK(reader_run(&readers[i])); /* what was missed is there without a wait */
    return err;
}
