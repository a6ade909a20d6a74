/*
 * Create, update and patch: a body becomes a stored object, or a reason why not.
 *
 * Everything between the body and the store is decided in one go, on the newest state, and decided
 * again when that state did not last; so a patch never meets a conflict it did not ask for.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Serve a request whose kind is known and which is allowed. They suspend. */
MUST_USE struct error *handle_create(struct request *request);
MUST_USE struct error *handle_update(struct request *request);
MUST_USE struct error *handle_patch(struct request *request);
