/*
 * Create, update and patch.
 *
 * Everything between the body and the store is decided in one store_edit_fn, on the newest state of
 * the object, and decided again when that state did not become durable. A patch therefore never
 * conflicts unless it names a resourceVersion.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* These serve a request whose kind is known and which is authorized. They suspend. */
MUST_USE struct error *handle_create(struct request *request);
MUST_USE struct error *handle_update(struct request *request);
MUST_USE struct error *handle_patch(struct request *request);
