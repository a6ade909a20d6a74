#include "clusterresourceset/drift.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Who chooses the names of a set's objects can do all that the set can: no secret is needed. */
#define SEED 0

/* A check that fails is made again soon; several have to fail before that is told. */
#define PATIENCE MINUTE

bool drift_is_unchecked(duration unchecked, duration interval)
{
    return unchecked > PATIENCE && unchecked > 2 * interval;
}

void drift_memory_done(struct drift_memory *memory)
{
    mem_free(memory->notes);
    *memory = (struct drift_memory){0};
}

static struct drift_note make_note(struct str id, struct str uid, struct str ownership)
{
    return (struct drift_note){.id = str_hash(id, SEED),
                               .state = str_hash(ownership, str_hash(uid, SEED)) & INT64_MAX};
}

/* The index of the first note whose id is not below this one; notes are in this order. */
static size_t find_place(const struct drift_memory *memory, uint64_t id)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (memory->notes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct drift_note *find_note(const struct drift_memory *memory, uint64_t id)
{
    const size_t place = find_place(memory, id);
    return place < memory->count && memory->notes[place].id == id ? &memory->notes[place] : NULL;
}

void drift_memory_put(struct drift_memory *memory, struct str id, struct str uid,
                      struct str ownership)
{
    const struct drift_note note = make_note(id, uid, ownership);
    const size_t place = find_place(memory, note.id);
    if (!find_note(memory, note.id)) {
        ARRAY_PUSH(memory->notes, memory->count, memory->capacity, note);
        memmove(&memory->notes[place + 1], &memory->notes[place],
                (memory->count - 1 - place) * sizeof(note));
    }
    memory->notes[place] = note;
}

static int compare_notes(const void *a, const void *b)
{
    const struct drift_note *one = a, *other = b;
    return one->id < other->id ? -1 : one->id > other->id;
}

void drift_memory_put_all(struct drift_memory *memory, const struct apply_ledger *ledger)
{
    memory->count = 0;
    if (memory->capacity < map_count(&ledger->objects)) { /* room for these, and no more */
        memory->capacity = map_count(&ledger->objects);
        memory->notes = mem_realloc_array(memory->notes, memory->capacity, sizeof(*memory->notes));
    }
    MAP_FOREACH (entry, &ledger->objects) {
        const struct apply_receipt receipt = apply_ledger_receipt(entry);
        ARRAY_PUSH(memory->notes, memory->count, memory->capacity,
                   make_note(map_key(entry), receipt.uid, receipt.ownership));
    }
    if (memory->count)
        qsort(memory->notes, memory->count, sizeof(*memory->notes), compare_notes);
}

bool drift_memory_note(struct drift_memory *memory, struct str id, bool has_drifted)
{
    struct drift_note *note = find_note(memory, str_hash(id, SEED));
    const bool is_news = has_drifted && note && !note->has_drifted;
    if (note)
        note->has_drifted = has_drifted;
    return is_news;
}

bool drift_memory_has_drifted(const struct drift_memory *memory, struct str id)
{
    const struct drift_note *note = find_note(memory, str_hash(id, SEED));
    return note && note->has_drifted;
}

enum drift drift_memory_judge(const struct drift_memory *memory, struct str id, struct str uid,
                              struct str ownership)
{
    const struct drift_note now = make_note(id, uid, ownership);
    const struct drift_note *then = find_note(memory, now.id);
    if (!then)
        return DRIFT_UNKNOWN;
    if (!uid.len)
        return DRIFT_GONE;
    if (!ownership.len)
        return DRIFT_TAKEN;
    return now.state != then->state ? DRIFT_CHANGED : DRIFT_NONE;
}
