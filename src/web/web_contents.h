/*
 * What the resources of sets bring: hash, size, and the kinds and names of their objects. Of the
 * contents themselves nothing is kept.
 *
 * A resource is read when a page that shows it is asked for, and while the page stays open again
 * every ten seconds at most. Who looks needs the right to get it; without that the page says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "clusterresourceset/types/crs_spec.h"

struct client;
struct loop;
struct web_contents;

#define WEB_CONTENT_OBJECTS_MAX ((size_t)200)

struct web_content_object {
    struct str kind, namespace, name;
};

struct web_content {
    struct str problem; /* why nothing can be told; empty: it can */
    struct str hash;
    size_t size;                        /* bytes of its data */
    size_t count;                       /* of its objects */
    struct web_content_object *objects; /* the first WEB_CONTENT_OBJECTS_MAX of them */
};

/* client NULL: nothing is read, and contents are put. */
struct web_contents *web_contents_new(struct loop *loop, struct client *client);
void web_contents_free(struct web_contents *contents); /* No reader may be left. */
DEFINE_OWNED(web_contents)

/* NULL: it has not been read. Valid until the next suspension. */
const struct web_content *web_contents_find(const struct web_contents *contents,
                                            enum resource_kind kind, struct key key);

/* Keeps what a whole ConfigMap or Secret brings. True: that is something else than before. */
bool web_contents_put(struct web_contents *contents, enum resource_kind kind, struct key key,
                      const struct object *resource);

/*
 * Reads the resources of a set which were not read lately. *ret_changed: something is different. A
 * resource that cannot be read has a problem, which is no error. Suspends.
 */
MUST_USE struct error *web_contents_read(struct web_contents *contents, const struct crs_spec *set,
                                         struct str namespace, bool *ret_changed);
