#include "soak/crash/ledger.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

void ledger_done(struct ledger *ledger)
{
    for (size_t i = 0; i < LEDGER_RESOURCES; i++) {
        map_done(&ledger->shown[i]);
        mem_free(ledger->acknowledged[i]);
    }
    mem_free(ledger->objects);
    arena_done(&ledger->arena);
}

struct ledger_object *ledger_add(struct ledger *ledger, enum ledger_resource resource,
                                 struct str name, struct str field, bool is_shared)
{
    struct ledger_object *object = ARENA_NEW(&ledger->arena, struct ledger_object);
    *object = (struct ledger_object){
        .resource = resource,
        .name = arena_str(&ledger->arena, name),
        .field = arena_str(&ledger->arena, field),
        .is_shared = is_shared,
    };
    ARRAY_PUSH(ledger->objects, ledger->count, ledger->capacity, object);
    return object;
}

void ledger_begin(struct ledger *ledger, struct ledger_object *object, bool exists,
                  uint64_t *ret_value)
{
    *ret_value = ++ledger->values;
    object->is_pending = true;
    object->pending = (struct ledger_state){.exists = exists, .value = *ret_value};
}

static void note(struct ledger *ledger, enum ledger_resource resource, int64_t revision)
{
    ARRAY_PUSH(ledger->acknowledged[resource], ledger->acknowledged_count[resource],
               ledger->acknowledged_capacity[resource], revision);
}

struct error *ledger_acknowledge(struct ledger *ledger, struct ledger_object *object,
                                 int64_t revision, int64_t floor)
{
    object->is_pending = false;
    object->acknowledged = object->pending;
    object->acknowledged.revision = revision;
    ledger->writes++;
    if (!object->pending.exists)
        return NULL;
    if (revision <= floor)
        return error_new(ERROR_INVALID,
                         "%.*s was written at revision %" PRId64 ", though %" PRId64
                         " had been told before",
                         STR_ARG(object->name), revision, floor);
    note(ledger, object->resource, revision);
    ledger_show(ledger, object->resource, object->name, revision);
    return NULL;
}

struct error *ledger_revision(const struct object *object, int64_t *ret_revision)
{
    if (str_to_int64(object_resource_version(object), ret_revision) && *ret_revision > 0)
        return NULL;
    return error_new(ERROR_INVALID, "%.*s has the resourceVersion '%.*s'",
                     STR_ARG(object_name(object)), STR_ARG(object_resource_version(object)));
}

void ledger_show(struct ledger *ledger, enum ledger_resource resource, struct str name,
                 int64_t revision)
{
    if (revision > ledger->newest)
        ledger->newest = revision;
    if (revision > (int64_t)map_find(&ledger->shown[resource], name))
        map_put(&ledger->shown[resource], name,
                (void *)revision); /* NOLINT(performance-no-int-to-ptr): a number, no address */
}

static bool is_state(const struct ledger_object *object, const struct ledger_state *state,
                     const struct ledger_state *found)
{
    if (!state->exists || !found->exists)
        return state->exists == found->exists;
    if (state->value != found->value)
        return false;
    return object->is_shared || !state->revision ? found->revision >= state->revision
                                                 : found->revision == state->revision;
}

static struct error *read_state(const struct ledger_object *object, const struct object *found,
                                struct ledger_state *ret_state)
{
    *ret_state = (struct ledger_state){.exists = found != NULL};
    if (!found)
        return NULL;
    TRY(ledger_revision(found, &ret_state->revision));
    const struct json_value *data = object_path(found, "data");
    const struct str text = json_to_str(json_get(data, object->field));
    if (object->is_shared && !text.len)
        return NULL;
    return str_to_uint64(text, &ret_state->value) ? NULL
                                                  : error_new(ERROR_INVALID, "%.*s holds '%.*s'",
                                                              STR_ARG(object->name), STR_ARG(text));
}

static struct error *mismatch(const struct ledger_object *object, const struct ledger_state *found)
{
    const struct ledger_state *was = &object->acknowledged, *asked = &object->pending;
    return error_new(ERROR_INVALID,
                     "%s %.*s (%.*s): acknowledged %s, value %" PRIu64 ", revision %" PRId64
                     "; %s %s, value %" PRIu64 "; found %s, value %" PRIu64 ", revision %" PRId64,
                     object->resource == LEDGER_WIDGETS ? "widget" : "config map",
                     STR_ARG(object->name), STR_ARG(object->field), was->exists ? "there" : "gone",
                     was->value, was->revision, object->is_pending ? "asked for" : "last asked",
                     asked->exists ? "there" : "gone", asked->value,
                     found->exists ? "there" : "gone", found->value, found->revision);
}

struct error *ledger_settle(struct ledger *ledger, struct ledger_object *object,
                            const struct object *found)
{
    struct ledger_state state;
    TRY(read_state(object, found, &state));
    const bool is_acknowledged = is_state(object, &object->acknowledged, &state);
    const bool is_new = object->is_pending && is_state(object, &object->pending, &state) &&
                        (!state.exists || state.revision > object->acknowledged.revision);
    if (!is_acknowledged && !is_new)
        return mismatch(object, &state);
    const int64_t shown = (int64_t)map_find(&ledger->shown[object->resource], object->name);
    if (state.exists && state.revision < shown)
        return error_wrap(mismatch(object, &state), "revision %" PRId64 " had been shown", shown);
    ledger->lost += object->is_pending && !is_new;
    object->is_pending = false;
    if (!is_acknowledged)
        object->acknowledged = state;
    return NULL;
}

void ledger_forget(struct ledger *ledger)
{
    for (size_t i = 0; i < LEDGER_RESOURCES; i++)
        ledger->acknowledged_count[i] = 0;
}
