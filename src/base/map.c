#include "base/map.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/random.h"

#define CAPACITY_FIRST   4
#define CAPACITY_INDEXED 16 /* from here on there is an index; below, a search is a walk */
#define COUNT_MAX        (UINT32_MAX / 4)

/* Drawn once per process. Threads that come at once agree on the first one's. */
static uint64_t hash_seed(void)
{
    static _Atomic uint64_t shared;
    uint64_t value = atomic_load_explicit(&shared, memory_order_relaxed);
    if (value)
        return value;
    uint64_t drawn;
    random_bytes_secure(&drawn, sizeof(drawn));
    drawn |= 1;
    return atomic_compare_exchange_strong(&shared, &value, drawn) ? drawn : value;
}

static uint32_t hash_of(struct str key)
{
    return (uint32_t)str_hash(key, hash_seed());
}

/* Twice as many places as elements at most, so that a walk in the index is short. */
static uint32_t index_mask(const struct map *map)
{
    return map->capacity * 2 - 1;
}

static void index_add(struct map *map, uint32_t position)
{
    const uint32_t mask = index_mask(map);
    uint32_t place = map->entries[position].hash & mask;
    while (map->index[place])
        place = (place + 1) & mask;
    map->index[place] = position + 1;
}

/* The place of the index that shows this position. */
static uint32_t index_find(const struct map *map, uint32_t position)
{
    const uint32_t mask = index_mask(map);
    uint32_t place = map->entries[position].hash & mask;
    while (map->index[place] != position + 1)
        place = (place + 1) & mask;
    return place;
}

/* Closes the gap by moving back what would no longer be found behind it. */
static void index_remove(struct map *map, uint32_t position)
{
    const uint32_t mask = index_mask(map);
    uint32_t gap = index_find(map, position);
    for (uint32_t place = (gap + 1) & mask; map->index[place]; place = (place + 1) & mask) {
        const uint32_t home = map->entries[map->index[place] - 1].hash & mask;
        if (((place - home) & mask) < ((place - gap) & mask))
            continue; /* its home lies behind the gap */
        map->index[gap] = map->index[place];
        gap = place;
    }
    map->index[gap] = 0;
}

static void rebuild_index(struct map *map, bool hashed)
{
    mem_free(map->index);
    map->index = NULL;
    if (map->capacity < CAPACITY_INDEXED)
        return;
    map->index = mem_alloc_zero((size_t)map->capacity * 2 * sizeof(*map->index));
    for (uint32_t i = 0; i < map->used; i++) {
        if (!hashed)
            map->entries[i].hash = hash_of(map_key(&map->entries[i]));
        index_add(map, i);
    }
}

/* Removes the gaps and grows or shrinks to fit one more, with room for as many again. */
static void make_room(struct map *map)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map->used; i++)
        if (map->entries[i].key)
            map->entries[kept++] = map->entries[i];
    map->used = kept;
    uint32_t capacity = CAPACITY_FIRST;
    while (capacity < kept + kept / 2 + 1)
        capacity *= 2;
    if (capacity != map->capacity) {
        map->entries = mem_realloc_array(map->entries, capacity, sizeof(*map->entries));
        map->capacity = capacity;
    }
    rebuild_index(map, map->index != NULL);
}

static struct map_entry *find_in_line(const struct map *map, struct str key)
{
    for (uint32_t i = 0; i < map->used; i++) {
        struct map_entry *entry = &map->entries[i];
        if (entry->key && str_eq(map_key(entry), key))
            return entry;
    }
    return NULL;
}

static struct map_entry *find_indexed(const struct map *map, struct str key, uint32_t hash)
{
    const uint32_t mask = index_mask(map);
    for (uint32_t place = hash & mask; map->index[place]; place = (place + 1) & mask) {
        struct map_entry *entry = &map->entries[map->index[place] - 1];
        if (entry->hash == hash && str_eq(map_key(entry), key))
            return entry;
    }
    return NULL;
}

struct map_entry *map_find_entry(const struct map *map, struct str key)
{
    return map->index ? find_indexed(map, key, hash_of(key)) : find_in_line(map, key);
}

void *map_find(const struct map *map, struct str key)
{
    const struct map_entry *entry = map_find_entry(map, key);
    return entry ? entry->value : NULL;
}

void *map_put(struct map *map, struct str key, void *value)
{
    struct map_entry *entry = map_find_entry(map, key);
    if (entry) {
        void *former = entry->value;
        entry->value = value;
        return former;
    }
    assert(map->count < COUNT_MAX && key.len <= UINT32_MAX);
    if (map->used == map->capacity)
        make_room(map);
    entry = &map->entries[map->used];
    *entry = (struct map_entry){.value = value,
                                .key = mem_dup(key.ptr, key.len),
                                .key_len = (uint32_t)key.len,
                                .hash = map->index ? hash_of(key) : 0};
    if (map->index)
        index_add(map, map->used);
    map->used++;
    map->count++;
    return NULL;
}

/* Frees the memory of a map whose last element is gone. What release says stays. */
static void free_memory(struct map *map)
{
    mem_free(map->entries);
    mem_free(map->index);
    *map = (struct map){.release = map->release};
}

static void *take_entry(struct map *map, struct map_entry *entry)
{
    void *value = entry->value;
    if (map->index)
        index_remove(map, (uint32_t)(entry - map->entries));
    mem_free(entry->key);
    *entry = (struct map_entry){0};
    map->count--;
    if (map->count == 0)
        free_memory(map);
    return value;
}

void *map_take(struct map *map, struct str key)
{
    struct map_entry *entry = map_find_entry(map, key);
    return entry ? take_entry(map, entry) : NULL;
}

bool map_remove(struct map *map, struct str key)
{
    struct map_entry *entry = map_find_entry(map, key);
    if (!entry)
        return false;
    void *value = take_entry(map, entry);
    if (map->release)
        map->release(value);
    return true;
}

void map_clear(struct map *map)
{
    /* Taken out first: a release function may look at the map. */
    struct map old = *map;
    *map = (struct map){.release = old.release};
    for (uint32_t i = 0; i < old.used; i++) {
        if (!old.entries[i].key)
            continue;
        mem_free(old.entries[i].key);
        if (old.release)
            old.release(old.entries[i].value);
    }
    free_memory(&old);
}

void map_done(struct map *map)
{
    map_clear(map);
}

static struct map_entry *entry_from(const struct map *map, size_t position)
{
    while (position < map->used && !map->entries[position].key)
        position++;
    return position < map->used ? &map->entries[position] : NULL;
}

struct map_entry *map_first(const struct map *map)
{
    return entry_from(map, 0);
}

struct map_entry *map_next(const struct map *map, const struct map_entry *entry)
{
    if (map->count == 0)
        return NULL; /* the body removed the last element, and its memory with it */
    return entry_from(map, (size_t)(entry - map->entries) + 1);
}
