/*
 * Admission: the checks that stand between an authorized request and the store.
 *
 * A check looks at the request before anything is decided, and may read the store; or at the object
 * that is about to be written, inside of the store's decision, and must not. New checks are new
 * rows of the table in admission.c.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"
#include "json/json.h"

#define ADMISSION_PROTECT "corset.dev/protect"

/*
 * Deletion protection: 403 for an object whose annotation ADMISSION_PROTECT is "true", of the kinds
 * that a fleet is made of. For deletions that a client asks for, inside of the decision. What was
 * marked as deleted before is not protected any more.
 */
MUST_USE struct error *admission_check_deletion(const struct kind *kind,
                                                const struct json_value *object);

/* Called right before the store decides; the caller must not suspend in between. */
MUST_USE struct error *admission_check_request(const struct request *request, enum verb verb,
                                               struct str name);

/* Called with the object as it would be stored, inside of the decision. old is NULL on create. */
MUST_USE struct error *admission_check_object(const struct request *request,
                                              const struct json_value *old,
                                              const struct json_value *object);
