/*
 * An index: texts by a value that a function finds in their objects, in the order of value,
 * namespace and name. It borrows the texts, and holds what it was told to.
 *
 * Zero bytes part namespace from name, so neither may hold one; values may hold anything.
 */
#pragma once

#include "base/tree.h"
#include "controller/cache/cache.h"

struct cache_index {
    cache_index_fn *fn;
    struct tree texts;
};

void cache_index_done(struct cache_index *index);

/* Under every value of the object, whose text this is; the object is the text, parsed. */
void cache_index_put(struct cache_index *index, const struct object *object,
                     struct object_text *text);
void cache_index_remove(struct cache_index *index, const struct object *object);

/* False when the visitor ended it. */
bool cache_index_each(const struct cache_index *index, struct str namespace, struct str value,
                      cache_visit_fn *visit, void *data);
