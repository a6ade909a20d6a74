/*
 * A Kubernetes object: a JSON document that is shared by reference and never changes.
 *
 *     OWNED(object) object = NULL;
 *     TRY(object_read(text, &object), "read object");
 *     if (object_is_deleting(object) && !object_has_finalizer(object, FINALIZER)) ...
 *
 * What accessors return is borrowed and lives as long as the object. Absent strings are empty,
 * absent values NULL, absent numbers 0; fields of a wrong type count as absent. A change is a new
 * object, see api/object_edit.h. For long keeping there is api/object_text.h.
 *
 * References are counted on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/owner_reference.h"
#include "base/timestamp.h"
#include "json/json.h"

struct object;

/* ERROR_INVALID when the root is no object. */
MUST_USE struct error *object_read(struct str text, struct object **ret_object);

/* The object holds a reference of its own to the document. */
MUST_USE struct error *object_from_doc(struct json_doc *doc, struct object **ret_object);

/*
 * One inside a larger document, which it keeps alive: an item of a list. The type is used where the
 * value names none itself, as items of typed lists do not; borrowed from the document too.
 */
MUST_USE struct error *object_from_part(struct json_doc *doc, const struct json_value *value,
                                        struct str api_version, struct str kind,
                                        struct object **ret_object);

struct object *object_ref(struct object *object);
void object_free(struct object *object); /* gives one reference back */
DEFINE_OWNED(object)

/* The arena holds a reference until it is cleared. Returns the object. */
struct object *object_hold(struct arena *arena, struct object *object);

/* Compact JSON text, apiVersion and kind included even if only the list around it named them. */
void object_write(struct buf *out, const struct object *object);

/* The whole, and its parts. */
const struct json_value *object_root(const struct object *object);
const struct json_value *object_metadata(const struct object *object);
const struct json_value *object_spec(const struct object *object);
const struct json_value *object_status(const struct object *object);

/* By dotted path: "spec.paused". See json_path(). */
const struct json_value *object_path(const struct object *object, const char *path);

struct str object_api_version(const struct object *object);
struct str object_kind(const struct object *object);
struct gvk object_gvk(const struct object *object); /* a malformed apiVersion is all version */

struct str object_name(const struct object *object);
struct str object_namespace(const struct object *object);
struct str object_generate_name(const struct object *object);
struct str object_uid(const struct object *object);
struct str object_resource_version(const struct object *object);
struct key object_key(const struct object *object);
int64_t object_generation(const struct object *object);

/* False when absent or not a time. */
bool object_creation_timestamp(const struct object *object, timestamp *ret_time);

/* Deletion has begun: metadata.deletionTimestamp is there, whatever it says. */
bool object_is_deleting(const struct object *object);

/* All of them as an object or NULL, for JSON_FOREACH; one of them, false when absent. */
const struct json_value *object_labels(const struct object *object);
const struct json_value *object_annotations(const struct object *object);
bool object_find_label(const struct object *object, struct str key, struct str *ret_value);
bool object_find_annotation(const struct object *object, struct str key, struct str *ret_value);

/* Arrays or NULL. */
const struct json_value *object_finalizers(const struct object *object);
const struct json_value *object_owner_references(const struct object *object);

bool object_has_finalizer(const struct object *object, struct str finalizer);

/* The owner with "controller": true, of which there is one at most. */
bool object_find_controller(const struct object *object, struct owner_reference *ret_owner);

/* A reference to the object, for those it owns. */
struct owner_reference object_to_owner_reference(const struct object *object);
