/*
 * Whether a write is let through: before the store is asked, and inside of it, once the draft is
 * made.
 */
#pragma once

#include "apiserver/endpoints/write_draft.h"

/*
 * The permission to change objects does not include creating them. An apply or update that creates
 * needs both.
 */
MUST_USE struct error *write_check_may_create(const struct write *write);

/* Whether the store does not have the object. */
bool write_is_absent(const struct write *write);

/* The admission of the request, right before the store is asked. */
MUST_USE struct error *write_check_request(void *write);

/* The permission to create, the admission of the object, and whether a create is free to be one. */
MUST_USE struct error *write_accept(void *write, struct store_edit *edit);
