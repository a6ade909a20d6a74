/*
 * An index: texts by the values that an index function finds in their objects, sorted by value,
 * namespace and name. The index borrows the texts; cache_store.c keeps it in step with the store.
 *
 * A NUL separates namespace and name in a key of the tree, so neither may contain one. Values may
 * contain any byte.
 */
#pragma once

#include "base/tree.h"
#include "controller/cache/cache.h"

struct cache_index {
    cache_index_fn *fn;
    void *data; /* of the function */
    struct tree texts;
};

void cache_index_done(struct cache_index *index);

/* Adds the text under every value of the object. The object is the parsed text. */
void cache_index_put(struct cache_index *index, const struct object *object,
                     struct object_text *text);
void cache_index_remove(struct cache_index *index, const struct object *object);

/* Returns false if visit() returned false. */
bool cache_index_each(const struct cache_index *index, struct str namespace, struct str value,
                      cache_visit_fn *visit, void *data);
