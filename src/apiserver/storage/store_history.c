/*
 * Events are appended when a write is published and dropped from the oldest end. The queue over all
 * resources decides what is dropped (age, number, bytes); the ring of each resource is what watches
 * read. Every event is in both, and the oldest event of the queue is the first one of its ring.
 */
#include "apiserver/storage/store_history.h"

#include "apiserver/storage/store_internal.h"
#include "base/memory.h"

#define CAPACITY_FIRST 8

/*
 * Bytes that only the history keeps alive. The new text of an object is also held by the store or
 * is the previous text of a later event, which counts it.
 */
static size_t entry_size(const struct store_entry *entry)
{
    size_t size = sizeof(*entry) + sizeof(entry);
    if (entry->event.previous)
        size += object_text_size(entry->event.previous);
    if (entry->event.type == STORE_DELETED)
        size += object_text_size(entry->event.text);
    return size;
}

/* Moves the entries into an array of another capacity, the first entry to position 0. */
static void resize(struct store_events *events, size_t capacity)
{
    struct store_entry **entries = mem_realloc_array(NULL, capacity, sizeof(struct store_entry *));
    for (size_t i = 0; i < events->count; i++)
        entries[i] = store_events_at(events, i);
    mem_free(events->entries);
    events->entries = entries;
    events->first = 0;
    events->capacity = capacity;
}

static void append(struct store_events *events, struct store_entry *entry)
{
    if (events->count == events->capacity)
        resize(events, events->capacity ? 2 * events->capacity : CAPACITY_FIRST);
    const size_t place = (events->first + events->count++) & (events->capacity - 1);
    events->entries[place] = entry;
}

/* A ring that is mostly empty shrinks, so that a burst of changes does not cost memory for ever. */
static void drop_first(struct store_events *events)
{
    events->dropped = store_events_at(events, 0)->event.revision;
    events->first = (events->first + 1) & (events->capacity - 1);
    events->count--;
    if (events->capacity > CAPACITY_FIRST && events->count * 8 <= events->capacity)
        resize(events, events->capacity / 2);
}

static void drop_oldest(struct store_history *history)
{
    struct store_entry *entry = history->oldest;
    drop_first(&entry->resource->events);
    store_hold_dropped(history, entry->resource);
    history->oldest = entry->newer;
    if (!history->oldest)
        history->newest = NULL;
    history->count--;
    history->bytes -= entry_size(entry);
    store_event_done(&entry->event);
    mem_free(entry);
}

void store_history_done(struct store_history *history)
{
    while (history->oldest)
        drop_oldest(history);
}

struct store_entry *store_history_add(struct store_history *history, struct store_entry entry)
{
    struct store_entry *added = NEW(struct store_entry);
    *added = entry;
    added->newer = NULL;
    if (history->newest)
        history->newest->newer = added;
    else
        history->oldest = added;
    history->newest = added;
    history->count++;
    history->bytes += entry_size(added);
    append(&added->resource->events, added);
    return added;
}

/* An event goes when it is old and enough newer events remain, or when there are too many bytes. */
static bool may_go(const struct store_history *history, const struct store_entry *entry,
                   int64_t now)
{
    if (history->bytes > history->bytes_max)
        return true;
    return history->count > history->events_min && now - entry->time >= history->age;
}

void store_history_trim(struct store_history *history, int64_t now)
{
    while (history->count > 1 && may_go(history, history->oldest, now))
        drop_oldest(history);
}

/* Binary search: revisions ascend within a ring. */
size_t store_events_after(const struct store_events *events, int64_t revision)
{
    size_t low = 0, high = events->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (store_events_at(events, middle)->event.revision > revision)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
