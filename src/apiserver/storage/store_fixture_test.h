/* Objects for tests of the store: ConfigMaps with one value. Tests read counters of struct store.
 */
#pragma once

#include <inttypes.h>

#include "apiserver/storage/store_internal.h"
#include "apiserver/storage/store_watch.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "testing/sim.h"

struct sample {
    struct key key;
    int64_t value;
    size_t padding; /* makes it larger */
};

static inline struct error *sample_write(void *data, int64_t revision,
                                         struct object_text **ret_text)
{
    const struct sample *sample = data;
    SCOPED(buf) json = {0};
    buf_print(&json,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"%.*s\","
              "\"name\":\"%.*s\",\"resourceVersion\":\"%" PRId64 "\"},\"data\":{\"value\":\"",
              STR_ARG(sample->key.namespace), STR_ARG(sample->key.name), revision);
    for (size_t i = 0; i < sample->padding; i++)
        buf_add_char(&json, 'x');
    buf_print(&json, "=%" PRId64 "\"}}", sample->value);
    return object_text_from_json(buf_str(&json), ret_text);
}

/* The number behind the "=". */
static inline int64_t sample_value(const struct object_text *text)
{
    struct str json = object_text_json(text);
    json = str_slice(json, str_find_last_char(json, '=') + 1, json.len - 3);
    int64_t value = -1;
    CHECK(str_to_int64(json, &value));
    return value;
}

static inline struct store_id sample_id(struct key key)
{
    return (struct store_id){STR("configmaps"), key};
}

struct sample_change {
    struct store_id id;
    struct sample *sample;
    enum store_action action;
};

static inline struct error *sample_edit(void *data, struct store_edit *edit)
{
    const struct sample_change *change = data;
    if (change->action == STORE_DELETE && !edit->previous)
        return error_new(ERROR_NOT_FOUND, "%.*s not found", STR_ARG(change->id.key.name));
    edit->action = change->action;
    return sample_write(change->sample, edit->revision, &edit->text);
}

/* A sample under any id. */
MUST_USE static inline struct error *sample_store(struct store *store, struct store_id id,
                                                  int64_t expected, struct sample *sample,
                                                  struct store_object *ret_object)
{
    struct sample_change change = {id, sample, STORE_PUT};
    return store_change(store, id, expected, sample_edit, &change, ret_object);
}

/* ERROR_NOT_FOUND when nothing is stored under the id. */
MUST_USE static inline struct error *sample_remove(struct store *store, struct store_id id,
                                                   int64_t expected, struct sample *sample,
                                                   struct store_object *ret_object)
{
    struct sample_change change = {id, sample, STORE_DELETE};
    return store_change(store, id, expected, sample_edit, &change, ret_object);
}

MUST_USE static inline struct error *sample_put(struct store *store, struct key key, int64_t value,
                                                int64_t expected, struct store_object *ret_object)
{
    struct sample sample = {key, value, 0};
    return sample_store(store, sample_id(key), expected, &sample, ret_object);
}

MUST_USE static inline struct error *sample_delete(struct store *store, struct key key,
                                                   int64_t expected)
{
    struct sample sample = {key, 0, 0};
    return sample_remove(store, sample_id(key), expected, &sample, NULL);
}

/* The value stored under a key, or -1. */
static inline int64_t sample_get(struct store *store, struct key key)
{
    SCOPED(store_object) object = {0};
    struct error *err = store_get(store, sample_id(key), &object);
    if (err) {
        CHECK_ERROR(err, ERROR_NOT_FOUND);
        return -1;
    }
    char revision[32];
    snprintf(revision, sizeof(revision), "%" PRId64, object.revision);
    CHECK_EQ(object_text_resource_version(object.text), str_from_c(revision));
    return sample_value(object.text);
}
