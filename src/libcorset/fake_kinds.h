/* The kinds that a fake server serves, and its answers to discovery. See fake_store.h. */
#pragma once

#include "base/buf.h"
#include "libcorset/fake_store.h"

/* Reads the CustomResourceDefinitions of the store. Called after each change of one. */
void fake_kinds_read(struct fake_store *store);

/* The document of discovery at a path; false if it has none. */
bool fake_kinds_write(const struct fake_store *store, struct str path, struct buf *out);
