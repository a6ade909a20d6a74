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

/* Called right before the store decides; the caller must not suspend in between. */
MUST_USE struct error *admission_check_request(const struct request *request, enum verb verb,
                                               struct str name);

/* Called with the object as it would be stored, inside of the decision. old is NULL on create. */
MUST_USE struct error *admission_check_object(const struct request *request,
                                              const struct json_value *old,
                                              const struct json_value *object);
