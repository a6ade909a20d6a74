/*
 * The entries of metadata.managedFields: read, found by who they belong to, written in order.
 *
 * An entry is identified by manager, operation, subresource and, for updates, version. Everything
 * borrowed or made lives in the arena, which outlives the list.
 */
#pragma once

#include "apiserver/managedfields/field_set.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "json/json.h"

struct managed_entry {
    struct str manager, api_version, subresource;
    bool is_apply;
    bool has_time;
    bool gone; /* removed; the place stays */
    timestamp time;
    struct field_set set;
    struct field_set conflict; /* what a write is about to take away */
    struct str id;             /* made by managed_entries_put() */
};

struct managed_entries {
    struct arena *arena;
    struct managed_entry *items;
    size_t count, capacity;
    struct map index; /* position plus one, by id */
};

void managed_entries_done(struct managed_entries *entries);
void managed_entries_clear(struct managed_entries *entries);

/* Replaces what is there; ERROR_INVALID for what is no list of entries. NULL and null are empty. */
MUST_USE struct error *managed_entries_read(struct managed_entries *entries,
                                            const struct json_value *list);

/* True for [] and [{}], by which clients ask to forget all. */
bool managed_entries_is_reset(const struct json_value *list);

/* An entry that is not gone, or NULL; the entry only says who. Puts move entries. */
struct managed_entry *managed_entries_find(const struct managed_entries *entries,
                                           const struct managed_entry *who);

/* Adds an entry, or replaces the one that belongs to the same. */
struct managed_entry *managed_entries_put(struct managed_entries *entries,
                                          struct managed_entry entry);

/* Merges the oldest updates until there are no more than this many. */
void managed_entries_cap(struct managed_entries *entries, size_t most);

bool managed_entries_is_empty(const struct managed_entries *entries);

/* Sorted as API servers do: appliers first, then by second, manager, version, subresource. */
void managed_entries_write(const struct managed_entries *entries, struct json_builder *builder);
