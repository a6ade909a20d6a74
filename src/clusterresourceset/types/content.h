/*
 * The content of a ConfigMap or Secret: the objects in its data, in the order in which they are to
 * be applied, and a hash of the data.
 *
 * Reading never fails: a resource that cannot be used is a content with an error. A content never
 * changes; it is read once and used for all clusters.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/sha256.h"
#include "base/str.h"

struct content;

#define CONTENT_SECRET_TYPE "addons.cluster.x-k8s.io/resource-set"

/* Annotation of a ConfigMap or Secret: the namespace of its objects that need one and have none. */
#define CONTENT_DEFAULT_NAMESPACE "corset.dev/default-namespace"

/*
 * Reads a whole ConfigMap or Secret, with its data as an API server returns it. Values that are
 * gzip, in binaryData of a ConfigMap or in a Secret, are unpacked, up to 16 MiB a resource. The
 * items of a list take the place of the list, see content_items_expand(). content_read_as_written()
 * keeps lists whole; "corset render" shows them so.
 */
struct content *content_read(const struct object *resource);
struct content *content_read_as_written(const struct object *resource);
void content_free(struct content *content);
DEFINE_OWNED(content)

/*
 * How much reading a resource takes at most, in bytes, as compute_sized() wants to know. What may
 * grow, gzip and YAML with aliases, counts as large.
 */
size_t content_size(const struct object *resource);

/*
 * Resources of one kind and name with the same digest have the same content. It covers what the
 * hash leaves out, the keys for example, and takes a small part of the time of reading.
 */
void content_digest(const struct object *resource, uint8_t ret_digest[static SHA256_LEN]);

/*
 * The same content, with the same hash, but with other objects in their places: objects[i] instead
 * of the object with that index; NULL: it stays. The content has no error. Objects are borrowed.
 */
struct content *content_replace(const struct content *content, struct object *const *objects);

/* A content with this hash that cannot be used, because of an error of this class. Takes it. */
struct content *content_refuse(const struct content *content, struct str error_class,
                               struct error *err);

/*
 * "sha256:…" over the values in the order of their keys, and over the default namespace if there is
 * one. Empty without data or with a wrong type.
 */
struct str content_hash(const struct content *content);

/*
 * Why the content cannot be used; NULL if it can. The text is that of Cluster API, followed by the
 * key of the value, if there are several, and by line and column, if they are known.
 *
 * content_error() is for conditions, events and logs: quoted documents are cut, and nothing from a
 * Secret is shown. content_error_whole() quotes documents (up to some 28 KB), those of a Secret,
 * too. It is for the terminal of the user who has the resource as a file, and must go nowhere else.
 *
 * The class is one word: "syntax" and the others of manifest_error_name(), "no-data", "gzip",
 * "secret-type" or "default-namespace", or the one of content_refuse().
 */
const struct error *content_error(const struct content *content);
const struct error *content_error_whole(const struct content *content);
struct str content_error_class(const struct content *content);
bool content_has_wrong_type(const struct content *content); /* not CONTENT_SECRET_TYPE */
bool content_is_secret(const struct content *content);      /* of a Secret */

/* The objects; none if there is an error. */
size_t content_count(const struct content *content);
struct object *content_object(const struct content *content, size_t index); /* borrowed */

/*
 * Where an object comes from: the key of the value, and the number of the document among those of
 * the value that are not empty, from 1. Items of a list have the number of the list.
 */
struct str content_key(const struct content *content, size_t index);
size_t content_document(const struct content *content, size_t index);

/* Of the annotation; empty without it. The objects are not changed: their scope is not known here.
 */
struct str content_default_namespace(const struct content *content);
