/*
 * A store: the objects of a cache as texts, sorted by key, with the indexes over them. A list is
 * loaded into a second store, which then replaces the first one as a whole.
 *
 * A NUL separates namespace and name in a key of the tree, so neither may contain one: see
 * cache_store_accepts().
 */
#pragma once

#include "base/tree.h"
#include "controller/cache/cache.h"

struct cache_index;

struct cache_store {
    struct tree texts; /* owns a reference to each text */
    size_t bytes;      /* of the JSON of all texts */
    struct cache_index *indexes;
    size_t index_count;
};

/* An empty store with the index functions of another one. */
void cache_store_init_like(struct cache_store *store, const struct cache_store *other);
void cache_store_done(struct cache_store *store);

/* False for keys without a name and for keys with a NUL. */
bool cache_store_accepts(struct key key);

/* Borrowed, or NULL. */
struct object_text *cache_store_find(const struct cache_store *store, struct key key);

/*
 * Adds or replaces a text, with a new reference to it. The object is the parsed text, for the
 * indexes; NULL: the text is parsed if there are indexes. *ret_old is the reference to the former
 * text, or NULL.
 */
void cache_store_put(struct cache_store *store, struct object_text *text,
                     const struct object *object, struct object_text **ret_old);

/* Removes a text and returns its reference, or NULL. */
struct object_text *cache_store_take(struct cache_store *store, struct key key);

void cache_store_each(const struct cache_store *store, struct str namespace, cache_visit_fn *visit,
                      void *data);

/* Adds an index over all texts, at position store->index_count. */
void cache_store_add_index(struct cache_store *store, cache_index_fn *fn, void *data);

/* The texts of one key in two stores; one of them may be NULL. */
struct cache_store_pair {
    struct object_text *old, *now;
};

/* Walks through two stores in the order of keys, beginning with a zeroed walk. False at the end. */
struct cache_store_walk {
    const struct tree_node *old, *now;
    bool begun;
};
bool cache_store_next_pair(struct cache_store_walk *walk, const struct cache_store *old,
                           const struct cache_store *now, struct cache_store_pair *ret_pair);
