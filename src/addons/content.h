/*
 * What a ConfigMap or Secret holds for clusters: objects in the order to be applied, and a hash.
 *
 * Reading never fails: a resource that cannot be used is a content with an error. It is read once
 * and shared by all clusters it goes to.
 *
 * References are counted on one thread.
 */
#pragma once

#include <stddef.h>

#include "api/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct content;

#define CONTENT_SECRET_TYPE "addons.cluster.x-k8s.io/resource-set"

/* From a whole ConfigMap or Secret, its data as a server gives it. */
struct content *content_read(const struct object *resource);
struct content *content_ref(struct content *content);
void content_free(struct content *content); /* gives one reference back */
DEFINE_OWNED(content)

/* "sha256:…" over the values in the order of their keys; empty without data or with a wrong type.
 */
struct str content_hash(const struct content *content);

/*
 * Why it is of no use; NULL: it is fine. The text is the one that conditions show and names the
 * resource; it never shows what a Secret holds. The class is a word of reports: "syntax",
 * "json-list", "no-data", "secret-type".
 */
const struct error *content_error(const struct content *content);
struct str content_error_class(const struct content *content);
bool content_has_wrong_type(const struct content *content); /* a Secret of another type */

/* The objects; none when there is an error. */
size_t content_count(const struct content *content);
struct object *content_object(const struct content *content, size_t index); /* borrowed */

/* Where an object comes from: the key of the value, and its place among the documents, from 1. */
struct str content_key(const struct content *content, size_t index);
size_t content_document(const struct content *content, size_t index);

size_t content_bytes(const struct content *content); /* that it takes, about */
