/*
 * A map from strings to pointers that remembers the order of insertion.
 *
 *     SCOPED(map) users = {.release = user_release};
 *     map_put(&users, STR("ann"), ann);
 *     MAP_FOREACH (entry, &users)
 *         use(map_key(entry), entry->value);
 *
 * Keys are copied. Values belong to the caller, unless a release function is given: then to the
 * map, which calls it for values it still holds when it is cleared or an element removed. NULL is a
 * value like any other; map_has() tells it from absence.
 *
 * The zero value is an empty map. It allocates nothing; up to eight elements are an array that is
 * searched in line, and only larger maps carry an index. Visiting follows the order of insertion,
 * whatever the hash: a run repeats exactly, although the hash is seeded anew in every process so
 * that nobody can choose keys that collide.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/owned.h"
#include "base/str.h"

struct map_entry {
    void *value; /* may be changed in place */
    char *key;   /* NULL once removed */
    uint32_t key_len;
    uint32_t hash; /* in use once there is an index */
};

struct map {
    void (*release)(void *value); /* NULL: values are not the map's */
    struct map_entry *entries;    /* in order of insertion, with gaps */
    uint32_t *index;              /* positions in entries plus 1; 0 is free */
    uint32_t count;
    uint32_t used, capacity; /* of entries, gaps included */
};

void map_done(struct map *map);

/* Removes every element; the map is as new. */
void map_clear(struct map *map);

/* Sets the value of a key. The former value is returned and not released; NULL if there was none.
 */
void *map_put(struct map *map, struct str key, void *value);

/* The value of a key, or NULL when the map does not have the key. */
void *map_find(const struct map *map, struct str key);

/* The element itself, or NULL. Putting a new key moves elements. */
struct map_entry *map_find_entry(const struct map *map, struct str key);

/* Removes a key and hands its value over, or NULL. */
void *map_take(struct map *map, struct str key);

/* Removes a key and releases its value; false when it was not there. */
bool map_remove(struct map *map, struct str key);

/* The elements in order of insertion: the first one, and the one behind another, or NULL. */
struct map_entry *map_first(const struct map *map);
struct map_entry *map_next(const struct map *map, const struct map_entry *entry);

static inline size_t map_count(const struct map *map)
{
    return map->count;
}

static inline bool map_has(const struct map *map, struct str key)
{
    return map_find_entry(map, key) != NULL;
}

static inline struct str map_key(const struct map_entry *entry)
{
    return str_from(entry->key, entry->key_len);
}

/* The body may remove any element and change values; it must not put new keys. */
#define MAP_FOREACH(var, map_ptr) \
    for (struct map_entry *var = map_first(map_ptr); var; var = map_next(map_ptr, var))
