/*
 * A write under way. Private to managed_fields*.c.
 */
#pragma once

#include "apiserver/managedfields/field_walk.h"
#include "apiserver/managedfields/managed_entries.h"
#include "apiserver/managedfields/managed_fields.h"

#define MANAGED_MEMORY_MAX (1024 * MEGABYTE)

/* A version of the API, as seen by the entries that name it. */
struct managed_version {
    bool is_served;
    struct field_type type;
    bool is_checked; /* the live object fits */
    bool is_compared;
    struct field_changes changes;
    struct field_set taken; /* added and modified */
};

struct managed_write {
    const struct managed_fields_write *request;
    struct arena arena;
    struct field_walk walk;
    struct managed_entries entries;
    struct map versions; /* struct managed_version in the arena, by name */
    struct field_set reset, untracked;
    struct json_builder builder;
};

void managed_write_init(struct managed_write *write, const struct managed_fields_write *request);
void managed_write_done(struct managed_write *write);

struct managed_version *managed_write_version(struct managed_write *write, struct str api_version);

/*
 * Drops entries of versions that are gone and follows types that became atomic. The live object has
 * to fit the types of all versions, or there is no telling who owns what.
 */
MUST_USE struct error *managed_write_reconcile(struct managed_write *write,
                                               const struct json_value *live);

/* An object without its managedFields; it lives as long as the write. */
MUST_USE struct error *managed_write_bare(struct managed_write *write,
                                          const struct json_value *object,
                                          const struct json_value **ret_bare);

/* An object of any version as another has it; it lives as long as the write. */
MUST_USE struct error *managed_write_at(struct managed_write *write, struct str api_version,
                                        const struct json_value *object,
                                        const struct json_value **ret_object);

/* What entries other than this one lose by a change, as their conflicts. */
MUST_USE struct error *managed_write_find_conflicts(struct managed_write *write,
                                                    const struct json_value *before,
                                                    const struct json_value *after,
                                                    struct str except, bool *ret_any);

/* Takes it away from them, and what was removed. Empty entries vanish. */
void managed_write_take(struct managed_write *write, struct str except);

/* Gives the difference of two objects to an updater. */
MUST_USE struct error *managed_write_update(struct managed_write *write,
                                            const struct json_value *before,
                                            const struct json_value *after, struct str manager);

/* The object with the entries as they are now. */
MUST_USE struct error *managed_write_finish(struct managed_write *write,
                                            const struct json_value *object,
                                            struct json_doc **ret_doc);

/* ERROR_CONFLICT from the conflicts of the entries. */
MUST_USE struct error *managed_conflict_error(const struct managed_entries *entries);

/* kubectl's own record of what was applied. */

/* The fields of that record which the object still has as they were; empty when there is none. */
struct field_set managed_last_applied_fields(struct managed_write *write,
                                             const struct json_value *live);

/* Writes it anew where there is one: the doc, or one that replaces it. */
MUST_USE struct error *managed_last_applied_refresh(struct managed_write *write,
                                                    const struct json_value *patch,
                                                    struct json_doc **doc);
