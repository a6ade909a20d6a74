#include "apiserver/storage/store.h"

#include <stdio.h>

#include "apiserver/storage/store_fixture_test.h"
#include "apiserver/storage/store_internal.h"
#include "async/cpu_share.h"

#define A KEY("ns", "a")
#define B KEY("ns", "b")

static const struct store_options defaults;

SIM_TEST(store_writes_are_conditional)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    CHECK_EQ(store_revision(store), 1);
    CHECK_ERROR(sample_put(store, A, 1, 7, NULL), ERROR_NOT_FOUND);
    CHECK_ERROR(sample_delete(store, A, STORE_ANY), ERROR_NOT_FOUND);
    CHECK_ERROR(sample_delete(store, A, 7), ERROR_NOT_FOUND);

    SCOPED(store_object) first = {0};
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, &first));
    CHECK_EQ(first.revision, 2);
    CHECK_EQ(object_text_resource_version(first.text), STR("2"));
    CHECK_ERROR(sample_put(store, A, 2, STORE_NEW, NULL), ERROR_ALREADY_EXISTS);
    CHECK_ERROR(sample_put(store, A, 2, 1, NULL), ERROR_CONFLICT);
    CHECK_OK(sample_put(store, A, 3, 2, NULL));
    CHECK_OK(sample_put(store, A, 4, STORE_ANY, NULL));
    CHECK_EQ(store_revision(store), 4); /* refusals take no revision */
    CHECK_EQ(sample_get(store, A), 4);
    CHECK_EQ(sample_get(store, B), -1);

    CHECK_ERROR(sample_delete(store, A, 3), ERROR_CONFLICT);
    CHECK_OK(sample_delete(store, A, 4));
    CHECK_EQ(sample_get(store, A), -1);
    CHECK_EQ(store_revision(store), 5);
    CHECK_EQ(store->objects, (size_t)0);
}

/* One fiber's write and how it ended. */
struct writer {
    struct store *store;
    struct key key;
    int64_t value, expected;
    bool del;
    enum error_code code;
    int64_t revision;
};

static struct error *writer_run(void *data)
{
    struct writer *writer = data;
    SCOPED(store_object) object = {0};
    struct error *err = writer->del ? sample_delete(writer->store, writer->key, writer->expected)
                                    : sample_put(writer->store, writer->key, writer->value,
                                                 writer->expected, &object);
    writer->code = err ? err->code : ERROR_NONE;
    writer->revision = object.revision;
    error_free(err);
    return NULL;
}

SIM_TEST(store_reads_see_what_is_durable)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct writer writer = {.store = store, .key = A, .value = 1};
    SCOPED(scope) scope = {0};
    scope_start(&scope, "writer", writer_run, &writer);
    while (store->writes == 0)
        CHECK_OK(fiber_yield());
    if (store->commits == 0) { /* accepted, not committed */
        CHECK_EQ(sample_get(store, A), -1);
        CHECK_EQ(store_revision(store), 1);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(sample_get(store, A), 1);
}

struct party_writer {
    struct writer writer;
    struct cpu_share *share;
    char name[8];
};

static struct error *write_for_party(void *data)
{
    struct party_writer *party = data;
    TRY(cpu_share_join(party->share));
    sim_stall(loop_current(), MILLISECOND);
    return writer_run(&party->writer);
}

/* Many parties take the CPU in turns. Their writes wait a little, so that one sync serves several.
 */
SIM_TEST(store_writes_of_many_parties_share_commits)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    static struct party_writer parties[100];
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(parties); i++) {
        struct party_writer *party = &parties[i];
        *party = (struct party_writer){.share = cpu_share_new(loop_current(), false, NULL)};
        snprintf(party->name, sizeof(party->name), "p%zu", i);
        party->writer = (struct writer){
            .store = store, .key = {STR("ns"), str_from_c(party->name)}
        };
        scope_start(&scope, "writer", write_for_party, party);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(store->writes, (uint64_t)COUNT(parties));
    CHECK(store->commits <= COUNT(parties) / 4);
    for (size_t i = 0; i < COUNT(parties); i++)
        cpu_share_free(parties[i].share);
}

SIM_TEST(store_writers_of_one_name_agree_who_was_first)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct writer writers[20];
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(writers); i++) {
        writers[i] = (struct writer){.store = store, .key = A, .value = (int64_t)i};
        scope_start(&scope, "writer", writer_run, &writers[i]);
    }
    CHECK_OK(scope_wait(&scope));
    size_t winners = 0;
    for (size_t i = 0; i < COUNT(writers); i++) {
        CHECK(writers[i].code == ERROR_NONE || writers[i].code == ERROR_ALREADY_EXISTS);
        if (writers[i].code == ERROR_NONE)
            CHECK_EQ(sample_get(store, A), (int64_t)i);
        winners += writers[i].code == ERROR_NONE;
    }
    CHECK_EQ(winners, (size_t)1);
    CHECK_EQ(store_revision(store), 2);
}

static struct error *increment(void *data, struct store_edit *edit)
{
    struct sample *sample = data;
    sample->value = edit->previous ? sample_value(edit->previous) + 1 : 1;
    if (sample->value > 30)
        return NULL; /* enough: keep */
    edit->action = STORE_PUT;
    return sample_write(sample, edit->revision, &edit->text);
}

static struct error *increment_run(void *data)
{
    struct sample sample = {.key = A};
    SCOPED(store_object) object = {0};
    TRY(store_change(data, sample_id(A), STORE_ANY, increment, &sample, &object));
    CHECK(object.text != NULL);
    return NULL;
}

SIM_TEST(store_edits_build_on_those_before_them)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < 40; i++)
        scope_start(&scope, "increment", increment_run, store);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(sample_get(store, A), 30);
    CHECK_EQ(store_revision(store), 31); /* what was kept took no revision */
    CHECK_EQ(store->writes, (uint64_t)30);
    CHECK(store->commits < 20);
}

static struct error *fail(void *data, struct store_edit *edit)
{
    edit->action = STORE_PUT;
    CHECK_OK(sample_write(data, edit->revision, &edit->text));
    return error_new(ERROR_INVALID, "no");
}

SIM_TEST(store_edits_may_refuse)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct sample sample = {.key = A};
    CHECK_ERROR(store_change(store, sample_id(A), STORE_ANY, fail, &sample, NULL), ERROR_INVALID);
    CHECK_EQ(store_revision(store), 1);
}

static struct error *wait_for_three(void *data)
{
    TRY(store_wait_revision(data, 3));
    CHECK_EQ(store_revision(data), 3);
    return NULL;
}

SIM_TEST(store_revisions_can_be_waited_for)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    SCOPED(scope) scope = {0};
    scope_start(&scope, "waiter", wait_for_three, store);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    CHECK_OK(sample_put(store, A, 2, 2, NULL));
    CHECK_OK(scope_wait(&scope));
}

TEST(store_empty_ones_are_small)
{
    CHECK(sizeof(struct store) <= 640); /* an empty one has nothing else */
    struct store *store = store_make(&defaults);
    CHECK_EQ(store->resources.capacity + store->pending.capacity, 0u);
    store_release(store);
}

static void writers_start(struct scope *scope, struct store *store, struct writer *writers,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        writers[i] = (struct writer){.store = store,
                                     .key = i % 2 ? A : B,
                                     .value = (int64_t)i,
                                     .expected = STORE_ANY,
                                     .del = i % 5 == 4,
                                     .code = ERROR_CODES};
        scope_start(scope, "writer", writer_run, &writers[i]);
    }
}

/* Whatever is interrupted: the events, replayed, are the state, and what succeeded is in them. */
static void check_events_lead_to(struct store *store, const struct writer *writers, size_t count)
{
    const struct store_resource *resource = store_find_resource(store, STR("configmaps"));
    const struct store_events none = {0}, *events = resource ? &resource->events : &none;
    int64_t values[2] = {-1, -1}, revision = 1;
    for (size_t i = 0; i < events->count; i++) {
        const struct store_event *event = &store_events_at(events, i)->event;
        int64_t *value = &values[key_eq(object_text_key(event->text), A)];
        CHECK_EQ(event->type == STORE_ADDED, *value < 0);
        if (event->previous)
            CHECK_EQ(sample_value(event->previous), *value);
        CHECK(event->revision > revision);
        revision = event->revision;
        *value = event->type == STORE_DELETED ? -1 : sample_value(event->text);
    }
    CHECK_EQ(sample_get(store, B), values[0]);
    CHECK_EQ(sample_get(store, A), values[1]);
    CHECK_EQ(store_revision(store), revision);
    for (size_t i = 0; i < count; i++)
        if (writers[i].code == ERROR_NONE && !writers[i].del) {
            const size_t place = store_events_after(events, writers[i].revision - 1);
            CHECK(place < events->count);
            CHECK_EQ(sample_value(store_events_at(events, place)->event.text), writers[i].value);
        }
}

TORTURE_TEST(store_writes_are_whole_or_not_at_all)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    struct writer writers[10] = {0};
    struct error *err;
    {
        SCOPED(scope) scope = {0};
        writers_start(&scope, store, writers, COUNT(writers));
        err = scope_wait(&scope);
    }
    /* Writes whose writers were interrupted are decided in the turns that follow. */
    while (!list_is_empty(&store->queue) || !list_is_empty(&store->group)) {
        struct error *late = fiber_yield();
        if (late)
            return error_join(err, late);
    }
    check_events_lead_to(store, writers, COUNT(writers));
    CHECK_EQ(map_count(&store->pending), (size_t)0);
    return err;
}
