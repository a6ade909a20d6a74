/*
 * The subresource /scale: the replicas of an object, shown as an autoscaling/v1 Scale.
 *
 *     TRY(scale_read(kind, object, &scale), "read scale");
 *     ... a client changes the scale ...
 *     TRY(scale_write(kind, object, scale, &changed), "scale object");
 *
 * For custom resources whose definition says where the numbers are, and for built-in kinds that
 * have the subresource (.spec.replicas, .status.replicas, .spec.selector).
 */
#pragma once

#include "apiserver/registry/kind.h"
#include "json/json.h"

/* The kind of a Scale, for reading bodies and patches. It has no storage. */
struct kind scale_kind(void);

/* Where the replicas are, "spec.replicas"; empty when the kind has no /scale. */
struct str scale_replicas_path(const struct kind *kind);

/* Makes the Scale of an object. ERROR_INTERNAL when a field at a path of the definition is missing
 * or of the wrong type. */
MUST_USE struct error *scale_read(const struct kind *kind, const struct json_value *object,
                                  struct json_doc **ret_scale);

/*
 * The same for a Scale that is changed and written: an object without replicas may get them.
 * scale_write() refuses a Scale whose replicas are still not set with ERROR_BAD_REQUEST.
 */
MUST_USE struct error *scale_read_to_write(const struct kind *kind, const struct json_value *object,
                                           struct json_doc **ret_scale);

/*
 * Sets the replicas of a Scale in the object, and the Scale's resourceVersion if it has one, so
 * that the store refuses a stale write. A uid that is not the object's is ERROR_CONFLICT. A Scale
 * with values of the wrong type is ERROR_BAD_REQUEST
 * with the message of Go's decoder. For built-in kinds negative replicas are refused here, with a
 * Status about the Scale; for custom resources the validation of the object refuses them.
 */
MUST_USE struct error *scale_write(const struct kind *kind, const struct json_value *object,
                                   const struct json_value *scale, struct json_doc **ret_doc);
