/*
 * The objects of a cache: texts by key, and the indexes over them. It is filled while objects
 * arrive and takes the place of another one as a whole.
 *
 * Zero bytes part namespace from name, so neither may hold one: see cache_store_accepts().
 */
#pragma once

#include "base/tree.h"
#include "controller/cache/cache.h"

struct cache_index;

struct cache_store {
    struct tree texts; /* holds a reference to each */
    size_t bytes;      /* of their JSON */
    struct cache_index *indexes;
    size_t index_count;
};

/* An empty one with the same indexes. */
void cache_store_init_like(struct cache_store *store, const struct cache_store *other);
void cache_store_done(struct cache_store *store);

bool cache_store_accepts(struct key key);

/* Borrowed, or NULL. */
struct object_text *cache_store_find(const struct cache_store *store, struct key key);

/*
 * Takes a reference. The object is what the text says, for the indexes; NULL: it is read when there
 * are any. The former text is handed over in *ret_old, or NULL.
 */
void cache_store_put(struct cache_store *store, struct object_text *text,
                     const struct object *object, struct object_text **ret_old);

/* Hands the text over, or NULL. */
struct object_text *cache_store_take(struct cache_store *store, struct key key);

void cache_store_each(const struct cache_store *store, struct str namespace, cache_visit_fn *visit,
                      void *data);

/* Over what is there as well. Its number is the count before. */
void cache_store_add_index(struct cache_store *store, cache_index_fn *fn);

/* What two stores say of one key; either may be NULL. */
struct cache_store_pair {
    struct object_text *old, *now;
};

/* Goes through two stores in the order of keys. Zero begins. False at the end. */
struct cache_store_walk {
    const struct tree_node *old, *now;
    bool begun;
};
bool cache_store_next_pair(struct cache_store_walk *walk, const struct cache_store *old,
                           const struct cache_store *now, struct cache_store_pair *ret_pair);
