/*
 * An object in the form that caches and stores keep: its JSON text at exact size and, readable
 * without parsing, its key, uid and resourceVersion. A parsed document takes about four times the
 * memory of its text, so holders of many objects keep texts and parse them when needed.
 *
 * Immutable and shared by reference; one allocation each. The text of a Secret is wiped on release.
 * References are counted without atomics: a text belongs to one thread.
 */
#pragma once

#include "apimachinery/key.h"
#include "apimachinery/object.h"

struct object_text;

struct object_text *object_text_new(const struct object *object);

/* Keeps the text unchanged. ERROR_PARSE or ERROR_INVALID when the text is no object. */
MUST_USE struct error *object_text_from_json(struct str json, struct object_text **ret_text);

struct object_text *object_text_ref(struct object_text *text);
void object_text_free(struct object_text *text); /* gives one reference back */
DEFINE_OWNED(object_text)

/* What these return is borrowed and lives as long as the text. */
struct str object_text_json(const struct object_text *text);
struct key object_text_key(const struct object_text *text);
struct str object_text_uid(const struct object_text *text);
struct str object_text_resource_version(const struct object_text *text);

/*
 * Where the value of metadata.resourceVersion stands in the JSON text; STR_NONE if the same string
 * stands in other places, too.
 */
size_t object_text_find_version(const struct object_text *text);

/* The same object with another resourceVersion, at the place that was found. Copies, no more. */
struct object_text *object_text_with_version(const struct object_text *text, size_t place,
                                             struct str version);

/* As object_is_deleting(). */
bool object_text_is_deleting(const struct object_text *text);

/* The number of bytes that the text takes in memory. */
size_t object_text_size(const struct object_text *text);

/* Parses the text anew on each call. */
MUST_USE struct error *object_text_read(const struct object_text *text, struct object **ret_object);
