/*
 * An object for keeping: its JSON text at exact size and, readable at once, what caches and stores
 * ask for most. A parsed document takes about four times the memory of its text, so whatever holds
 * many objects holds these and parses when needed.
 *
 * Immutable and shared by reference, one allocation each. The text of a Secret is wiped on release.
 * References are counted on one thread.
 */
#pragma once

#include "apimachinery/key.h"
#include "apimachinery/object.h"

struct object_text;

struct object_text *object_text_new(const struct object *object);

/* Keeps the text as it is. ERROR_PARSE or ERROR_INVALID when it holds no object. */
MUST_USE struct error *object_text_from_json(struct str json, struct object_text **ret_text);

struct object_text *object_text_ref(struct object_text *text);
void object_text_free(struct object_text *text); /* gives one reference back */
DEFINE_OWNED(object_text)

/* Borrowed. */
struct str object_text_json(const struct object_text *text);
struct key object_text_key(const struct object_text *text);
struct str object_text_uid(const struct object_text *text);
struct str object_text_resource_version(const struct object_text *text);

/* Bytes it takes. */
size_t object_text_size(const struct object_text *text);

/* Parses it anew each time. */
MUST_USE struct error *object_text_read(const struct object_text *text, struct object **ret_object);
