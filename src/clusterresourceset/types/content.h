/*
 * What a ConfigMap or Secret holds for clusters: objects in the order to be applied, and a hash.
 *
 * Reading never fails: a resource that cannot be used is a content with an error. It is read once
 * and shared by all clusters it goes to.
 *
 * References are counted on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct content;

#define CONTENT_SECRET_TYPE "addons.cluster.x-k8s.io/resource-set"

/*
 * From a whole ConfigMap or Secret, its data as a server gives it. Objects of a list take the
 * list's place, see content_items_expand(); content_read_as_written() keeps lists whole, which is
 * how "corset render" shows them.
 */
struct content *content_read(const struct object *resource);
struct content *content_read_as_written(const struct object *resource);
struct content *content_ref(struct content *content);
void content_free(struct content *content); /* gives one reference back */
DEFINE_OWNED(content)

/* "sha256:…" over the values in the order of their keys; empty without data or with a wrong type.
 */
struct str content_hash(const struct content *content);

/*
 * Why it is of no use; NULL: it is fine. A value's key is named where there are several, then line
 * and column where they are known, all behind the text that Cluster API has.
 *
 * content_error() is for conditions, events and logs: a quoted document is cut, and nothing that a
 * Secret holds is shown. content_error_whole() quotes documents (up to some 28 KB) whatever they
 * come from: it is for the terminal of the person who has the resource in hand, and must go nowhere
 * else.
 *
 * The class is a word of reports: "syntax" and the others of manifest_error_name(), "no-data",
 * "secret-type".
 */
const struct error *content_error(const struct content *content);
const struct error *content_error_whole(const struct content *content);
struct str content_error_class(const struct content *content);
bool content_has_wrong_type(const struct content *content); /* a Secret of another type */

/* The objects; none when there is an error. */
size_t content_count(const struct content *content);
struct object *content_object(const struct content *content, size_t index); /* borrowed */

/*
 * Where an object comes from: the key of the value, and its place among the value's documents that
 * are not empty, from 1; that of the list for what was in one.
 */
struct str content_key(const struct content *content, size_t index);
size_t content_document(const struct content *content, size_t index);

size_t content_bytes(const struct content *content); /* that it takes, about */
