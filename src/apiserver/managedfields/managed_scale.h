/*
 * Managed fields of an object as its Scale has them, and back.
 *
 * A Scale is not stored: the owners of its spec.replicas are those of the field of the object that
 * /scale changes. An apply of a Scale is an apply to a Scale with these entries; what becomes of
 * them is then written into the entries of the object.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "json/json.h"

/*
 * Where the replicas are in this version of the object: "spec.replicas"; empty when the version has
 * no /scale. False when the version is not served any more.
 */
typedef bool managed_scale_path_fn(void *data, struct str api_version, struct str *ret_path);

struct managed_scale {
    struct str api_version; /* of the object in the request */
    managed_scale_path_fn *find_path;
    void *data;
};

/* The managedFields of the Scale: one entry for each entry of the object that owns its replicas. */
MUST_USE struct error *managed_scale_from_object(const struct managed_scale *scale,
                                                 const struct json_value *object,
                                                 struct json_doc **ret_entries);

/*
 * The managedFields of the object after the Scale got these: who does not own the replicas of the
 * Scale any more loses those of the object, who is new gets an entry.
 */
MUST_USE struct error *managed_scale_to_object(const struct managed_scale *scale,
                                               const struct json_value *object,
                                               const struct json_value *entries,
                                               struct json_doc **ret_entries);
