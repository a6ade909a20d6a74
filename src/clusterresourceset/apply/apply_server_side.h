/*
 * Server-side apply of one object: a PATCH with the manifest, under the field manager of the set.
 *
 * The server sets the fields that the manifest names, removes those that left it and that nobody
 * else has, and leaves all others alone. The first request does not take fields from anybody, so
 * that the server says who has them; the second one takes them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/error.h"

struct apply_object;
struct discovery_mapping;

/* Suspends. Fills in apply->taken_from and apply->conflict. */
MUST_USE struct error *apply_server_side(struct apply_object *apply,
                                         const struct discovery_mapping *mapping);

/* True for a server that knows no server-side apply. */
bool apply_server_side_is_unknown(const struct error *err);

/*
 * True for an object that server-side apply cannot take as it is written: a keyed list with a key
 * twice, a field that the schema does not have.
 */
bool apply_server_side_is_untyped(const struct error *err);

/*
 * The manifest without what only a server writes, as exported manifests have it, and without a
 * namespace if it may have none. *ret_object stays NULL if there is nothing to leave out. Pure.
 */
MUST_USE struct error *apply_server_side_trim(const struct object *manifest,
                                              const struct discovery_mapping *mapping,
                                              struct object **ret_object);

/*
 * Adds "metadata.uid, status" to out: what is left out although somebody has filled it in. Returns
 * how many there are. has_status: the status is a subresource. Pure.
 */
size_t apply_server_side_name_server_fields(const struct object *manifest, bool has_status,
                                            struct buf *out);

/*
 * Takes the error of an apply, and returns it with the right that was missing, if the server does
 * not say which: that is `create`, which it asks for when the object is not there.
 */
MUST_USE struct error *apply_server_side_explain_create(struct error *err);
