/*
 * Admission: the chain of checks that stand between a valid request and the store.
 *
 * A link looks at a request before anything is decided (and may read the store), at the object that
 * is about to be written (and must not), or both. New kinds of checks are new rows of one table.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"
#include "json/json.h"

/* Asked right before the store decides, with nothing in between. */
MUST_USE struct error *admission_check_request(const struct request *request, enum verb verb,
                                               struct str name);

/* Asked with the object as it would be stored, inside of the decision. old is NULL on create. */
MUST_USE struct error *admission_check_object(const struct request *request,
                                              const struct json_value *old,
                                              const struct json_value *object);
