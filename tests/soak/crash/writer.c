#include "soak/crash/writer.h"

#include <inttypes.h>

#include "base/buf.h"

void writer_init(struct writer *writer, struct crash_fixture *fixture, unsigned number)
{
    SCOPED(buf) name = {0};
    writer->fixture = fixture;
    for (unsigned i = 0; i < WRITER_OBJECTS; i++) {
        buf_clear(&name);
        buf_print(&name, "w%u-%u", number, i);
        const enum ledger_resource resource = i % 3 == 2 ? LEDGER_WIDGETS : LEDGER_CONFIG_MAPS;
        writer->objects[i] =
            ledger_add(&fixture->ledger, resource, buf_str(&name), STR("value"), false);
    }
    buf_clear(&name);
    buf_print(&name, "w%u", number);
    const enum ledger_resource resource = number % 2 ? LEDGER_WIDGETS : LEDGER_CONFIG_MAPS;
    writer->share = ledger_add(&fixture->ledger, resource, STR("shared"), buf_str(&name), true);
}

static struct key key_of(const struct ledger_object *object)
{
    return (struct key){CRASH_FIXTURE_NAMESPACE, object->name};
}

/* What came of a request: only an acknowledgement changes what is known. */
static struct error *conclude(struct crash_fixture *fixture, struct ledger_object *object,
                              int64_t floor, struct error *err, const struct object *answer)
{
    int64_t revision;
    TRY(err, "write %.*s", STR_ARG(object->name));
    TRY(ledger_revision(answer, &revision));
    return ledger_acknowledge(&fixture->ledger, object, revision, floor);
}

static struct error *create(struct crash_fixture *fixture, struct ledger_object *object)
{
    OWNED(object) wanted = NULL;
    OWNED(object) answer = NULL;
    const int64_t floor = fixture->ledger.newest;
    uint64_t value;
    ledger_begin(&fixture->ledger, object, true, &value);
    TRY(crash_fixture_make(object, value, 0, &wanted));
    struct error *err =
        client_create(fixture->client, crash_fixture_gvr(object->resource), wanted, NULL, &answer);
    return conclude(fixture, object, floor, err, answer);
}

static struct error *update(struct crash_fixture *fixture, struct ledger_object *object)
{
    OWNED(object) wanted = NULL;
    OWNED(object) answer = NULL;
    const int64_t floor = fixture->ledger.newest;
    uint64_t value;
    ledger_begin(&fixture->ledger, object, true, &value);
    TRY(crash_fixture_make(object, value, object->acknowledged.revision, &wanted));
    struct error *err =
        client_update(fixture->client, crash_fixture_gvr(object->resource), wanted, NULL, &answer);
    return conclude(fixture, object, floor, err, answer);
}

static struct error *patch(struct crash_fixture *fixture, struct ledger_object *object,
                           enum client_patch_type type)
{
    SCOPED(buf) body = {0};
    OWNED(object) answer = NULL;
    const int64_t floor = fixture->ledger.newest;
    uint64_t value;
    ledger_begin(&fixture->ledger, object, true, &value);
    if (type == CLIENT_PATCH_JSON)
        buf_print(&body, "[{\"op\":\"add\",\"path\":\"/data/%.*s\",\"value\":\"%" PRIu64 "\"}]",
                  STR_ARG(object->field), value);
    else
        buf_print(&body, "{\"data\":{\"%.*s\":\"%" PRIu64 "\"}}", STR_ARG(object->field), value);
    struct error *err = client_patch(fixture->client, crash_fixture_gvr(object->resource),
                                     key_of(object), type, buf_str(&body), NULL, &answer);
    return conclude(fixture, object, floor, err, answer);
}

static struct error *erase(struct crash_fixture *fixture, struct ledger_object *object)
{
    uint64_t value;
    ledger_begin(&fixture->ledger, object, false, &value);
    TRY(client_delete(fixture->client, crash_fixture_gvr(object->resource), key_of(object), NULL,
                      NULL),
        "delete %.*s", STR_ARG(object->name));
    return ledger_acknowledge(&fixture->ledger, object, 0, 0);
}

struct error *writer_put(struct crash_fixture *fixture, struct ledger_object *object)
{
    return object->acknowledged.exists ? patch(fixture, object, CLIENT_PATCH_MERGE)
                                       : create(fixture, object);
}

static struct error *act(struct writer *writer)
{
    struct crash_fixture *fixture = writer->fixture;
    struct random *random = &fixture->random;
    if (random_below(random, 8) == 0)
        return patch(fixture, writer->share, CLIENT_PATCH_MERGE);
    struct ledger_object *object = writer->objects[random_below(random, WRITER_OBJECTS)];
    if (!object->acknowledged.exists)
        return create(fixture, object);
    const uint64_t choice = random_below(random, 10);
    if (choice < 4)
        return update(fixture, object);
    if (choice < 7)
        return patch(fixture, object, choice < 5 ? CLIENT_PATCH_JSON : CLIENT_PATCH_MERGE);
    return erase(fixture, object);
}

struct error *writer_run(void *data)
{
    struct writer *writer = data;
    for (;;) {
        struct error *err = act(writer);
        if (err && !writer->fixture->is_killed)
            return err;
        error_free(err);
        if (writer->fixture->is_killed)
            return NULL;
    }
}
