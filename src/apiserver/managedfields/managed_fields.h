/*
 * Who owns which field: metadata.managedFields, and server-side apply on top of it.
 *
 * Pure functions over documents. Results carry managedFields as an API server writes them, sorted,
 * with times in whole seconds; an entry's time changes only with its fields.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apiserver/managedfields/field_type.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

/* The type of an object in another version ("apps/v1"); false when it is not served any more. */
typedef bool managed_fields_type_fn(void *data, struct str api_version,
                                    struct field_type *ret_type);

/* An object, of any version, in this one. */
typedef struct error *managed_fields_convert_fn(void *data, struct str api_version,
                                                const struct json_value *object,
                                                struct json_doc **ret_doc);

struct managed_fields_write {
    struct field_type type; /* in the version of the request */
    struct str api_version; /* of the request */
    struct str kind;        /* of the request, for apply; empty: not checked */
    struct str manager;     /* checked by the caller */
    struct str subresource; /* "" or "status" ... */
    timestamp now;
    managed_fields_type_fn *find_type;  /* for entries of other versions; NULL: there are none */
    managed_fields_convert_fn *convert; /* NULL: an object has the same fields in all versions */
    void *data;

    /* Dotted paths that this request cannot change and hence not own: {"status"}, or, through
     * the status of a custom resource, {"metadata", "spec"} and all else. */
    const char *const *reset;
    size_t reset_count;
};

/*
 * An ordinary write. The object is what will be stored otherwise; what the server itself is going
 * to add, other than defaults, and nobody shall own, comes in later. The managedFields in it are
 * the client's wish: absent, null, empty or unreadable ones count as those of the live object, [{}]
 * clears them, and through subresources they never count. live is NULL on create. An object that
 * is not tracked stays so. When the only difference to live is the time of an entry, and the
 * resourceVersion, the times are those of live.
 */
MUST_USE struct error *managed_fields_update(const struct managed_fields_write *write,
                                             const struct json_value *live,
                                             const struct json_value *object,
                                             struct json_doc **ret_doc);

/*
 * Server-side apply. The patch is the body, already read; live is NULL when there is no object yet.
 * The result is the merged object with its managedFields, still to be defaulted and validated. It
 * has a null where the patch says so or a container lost all it had; and fields of reset as the
 * patch wants them, which the caller sets back. When nothing changes the result equals live.
 *
 * ERROR_CONFLICT lists what others own (a Status with causes FieldManagerConflict), ERROR_UNKNOWN
 * (500 without a reason) and ERROR_BAD_REQUEST are the API server's words for a patch that does not
 * fit its type.
 */
MUST_USE struct error *managed_fields_apply(const struct managed_fields_write *write, bool force,
                                            const struct json_value *live,
                                            const struct json_value *patch,
                                            struct json_doc **ret_doc);

/*
 * The last step before an object is stored: when it differs from live in nothing but the times of
 * entries, and the resourceVersion, it gets the times of live, so that nothing changes. Defaulting
 * may bring that about after an apply.
 */
MUST_USE struct error *managed_fields_settle(const struct json_value *live, struct json_doc *doc,
                                             struct json_doc **ret_doc);
