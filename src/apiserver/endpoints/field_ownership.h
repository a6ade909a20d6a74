/*
 * Managed fields, with what the server knows: the type of the kind and the manager of the request.
 * Nothing here uses the API that the object is of, so a worker thread may do it.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "json/json.h"

struct kind;

struct field_ownership {
    struct arena *arena;
    const struct kind *kind;
    struct str manager, subresource;
    timestamp now;
};

/* See managedfields/managed_scale.h: the entries of the object's Scale, and the object's own after
 * the Scale got others. */
MUST_USE struct error *field_ownership_to_scale(const struct field_ownership *ownership,
                                                const struct json_value *object,
                                                struct json_doc **ret_entries);
MUST_USE struct error *field_ownership_from_scale(const struct field_ownership *ownership,
                                                  const struct json_value *object,
                                                  const struct json_value *entries,
                                                  struct json_doc **ret_entries);

/* See managedfields/managed_fields.h. live is NULL when there is no object yet. */
MUST_USE struct error *field_ownership_update(const struct field_ownership *ownership,
                                              const struct json_value *live,
                                              const struct json_value *object,
                                              struct json_doc **ret_doc);
MUST_USE struct error *field_ownership_apply(const struct field_ownership *ownership, bool force,
                                             const struct json_value *live,
                                             const struct json_value *patch,
                                             struct json_doc **ret_doc);
