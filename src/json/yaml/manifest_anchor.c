/*
 * Anchors in a chained hash table with a random seed, since names are input. Everything is
 * allocated in the arena of the document and released with it.
 */
#include "json/yaml/manifest_anchor.h"

#include "base/random.h"

#define SLOTS_FIRST 16

struct manifest_anchor {
    struct manifest_anchor *next;
    struct str name;
    struct manifest_node *node;
};

void manifest_anchors_init(struct manifest_anchors *anchors, struct arena *arena)
{
    *anchors = (struct manifest_anchors){.arena = arena};
}

static struct manifest_anchor **slot_of(const struct manifest_anchors *anchors, struct str name)
{
    return &anchors->slots[str_hash(name, anchors->seed) & (anchors->slot_count - 1)];
}

/* The old slots stay in the arena; together they are fewer than the new ones. */
static void grow_slots(struct manifest_anchors *anchors)
{
    struct manifest_anchor **old = anchors->slots;
    const size_t old_count = old ? anchors->slot_count : 0;
    if (!old)
        random_bytes_secure(&anchors->seed, sizeof(anchors->seed));
    anchors->slot_count = old ? old_count * 2 : SLOTS_FIRST;
    anchors->slots = arena_alloc_array(anchors->arena, anchors->slot_count, sizeof(*old));
    for (size_t i = 0; i < old_count; i++) {
        for (struct manifest_anchor *entry = old[i], *next; entry; entry = next) {
            next = entry->next;
            struct manifest_anchor **slot = slot_of(anchors, entry->name);
            entry->next = *slot;
            *slot = entry;
        }
    }
}

static struct manifest_anchor *find_anchor(const struct manifest_anchors *anchors, struct str name)
{
    if (!anchors->slots)
        return NULL;
    struct manifest_anchor *entry = *slot_of(anchors, name);
    while (entry && !str_eq(entry->name, name))
        entry = entry->next;
    return entry;
}

/* Later aliases see the new node; aliases that were resolved before keep the old one. */
void manifest_anchors_set(struct manifest_anchors *anchors, struct str name,
                          struct manifest_node *node)
{
    struct manifest_anchor *entry = find_anchor(anchors, name);
    if (entry) {
        entry->node = node;
        return;
    }
    if (anchors->count >= anchors->slot_count)
        grow_slots(anchors);
    anchors->count++;
    struct manifest_anchor **slot = slot_of(anchors, name);
    entry = ARENA_NEW(anchors->arena, struct manifest_anchor);
    *entry = (struct manifest_anchor){*slot, arena_str(anchors->arena, name), node};
    *slot = entry;
}

struct manifest_node *manifest_anchors_find(const struct manifest_anchors *anchors, struct str name)
{
    const struct manifest_anchor *entry = find_anchor(anchors, name);
    return entry ? entry->node : NULL;
}
