/*
 * A hash table of borrowed texts, filled once and thrown away with its arena.
 *
 * struct map of base copies its keys and frees them one by one. Here one object of a request may
 * have 100,000 members that are looked up once, so that the copies would cost more than the
 * search. Open addressing with linear probing; the table is at most half full, so that a probe
 * ends soon.
 */
#include "apiserver/managedfields/field_index.h"

#include <stdatomic.h>

#include "base/random.h"

struct field_index_slot {
    uint32_t hash;
    uint32_t place; /* the position plus one; 0 is free */
};

/*
 * Drawn once per process, so that a client cannot choose texts that collide. Worker threads may
 * ask at the same time.
 */
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

void field_index_init(struct field_index *index, struct arena *arena, size_t most)
{
    size_t slots = 8;
    while (slots < 2 * most)
        slots *= 2;
    index->slots = arena_alloc_array(arena, slots, sizeof(*index->slots));
    index->mask = slots - 1;
    index->texts = arena_alloc_array(arena, most, sizeof(*index->texts));
}

/* The slot of a text, or the free one where it belongs. */
static struct field_index_slot *find_slot(const struct field_index *index, struct str text,
                                          uint32_t hash)
{
    for (size_t at = hash & index->mask;; at = (at + 1) & index->mask) {
        struct field_index_slot *slot = &index->slots[at];
        if (!slot->place || (slot->hash == hash && str_eq(index->texts[slot->place - 1], text)))
            return slot;
    }
}

size_t field_index_put(struct field_index *index, struct str text, size_t position)
{
    const uint32_t hash = (uint32_t)str_hash(text, hash_seed());
    struct field_index_slot *slot = find_slot(index, text, hash);
    if (slot->place)
        return slot->place - 1;
    *slot = (struct field_index_slot){hash, (uint32_t)position + 1};
    index->texts[position] = text;
    return STR_NONE;
}

size_t field_index_find(const struct field_index *index, struct str text)
{
    if (!index->slots)
        return STR_NONE;
    const struct field_index_slot *slot =
        find_slot(index, text, (uint32_t)str_hash(text, hash_seed()));
    return slot->place ? slot->place - 1 : STR_NONE;
}
