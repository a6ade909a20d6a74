/*
 * The subresource /scale: a number of replicas as an object of its own, autoscaling/v1 Scale.
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

/* ERROR_INTERNAL when the object does not have what the definition promises. */
MUST_USE struct error *scale_read(const struct kind *kind, const struct json_value *object,
                                  struct json_doc **ret_scale);

/*
 * The object with the scale's replicas, and with its resourceVersion if it names one.
 * ERROR_BAD_REQUEST in the decoder's words for a Scale of wrong types. Of a built-in kind a number
 * below zero is refused here, with a Status about the Scale; of a custom resource by the validation
 * of the object.
 */
MUST_USE struct error *scale_write(const struct kind *kind, const struct json_value *object,
                                   const struct json_value *scale, struct json_doc **ret_doc);
