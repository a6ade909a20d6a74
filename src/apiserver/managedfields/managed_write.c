/*
 * A write to an object whose fields are owned: the steps that update and apply share.
 *
 * Entries may name other versions of the API than the request. Ownership is compared in the
 * version of each entry: managed_write_at() converts the object, managed_write_version() knows the
 * type. Both are done once for each version and remembered.
 */
#include "apiserver/managedfields/managed_fields_internal.h"
#include "base/memory.h"
#include "json/edit.h"
#include "json/path.h"

/* Fields that every object has, or that the server sets. No manager owns them. */
static const char *const untracked_paths[] = {
    "apiVersion",
    "kind",
    "metadata",
    "metadata.name",
    "metadata.namespace",
    "metadata.creationTimestamp",
    "metadata.selfLink",
    "metadata.uid",
    "metadata.clusterName",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.resourceVersion",
};

void managed_write_init(struct managed_write *write, const struct managed_fields_write *request)
{
    *write = (struct managed_write){.request = request, .arena = {.limit = MANAGED_MEMORY_MAX}};
    write->entries.arena = &write->arena;
    field_walk_init(&write->walk, &write->arena);
    write->reset = field_set_of_paths(&write->arena, request->reset, request->reset_count);
    write->untracked = field_set_of_paths(&write->arena, untracked_paths, COUNT(untracked_paths));
}

void managed_write_done(struct managed_write *write)
{
    json_builder_done(&write->builder);
    managed_entries_done(&write->entries);
    map_done(&write->versions);
    arena_done(&write->arena);
}

/*
 * A version that is not served any more has no type. Its entries are dropped by
 * managed_write_reconcile().
 */
struct managed_version *managed_write_version(struct managed_write *write, struct str api_version)
{
    const struct managed_fields_write *request = write->request;
    struct managed_version *version = map_find(&write->versions, api_version);
    if (version)
        return version;
    version = ARENA_NEW(&write->arena, struct managed_version);
    if (str_eq(api_version, request->api_version)) {
        version->is_served = true;
        version->type = request->type;
    } else if (request->find_type) {
        version->is_served = request->find_type(request->data, api_version, &version->type);
    }
    map_put(&write->versions, api_version, version);
    return version;
}

/* The object itself when it has that version already, or when all versions have the same fields. */
struct error *managed_write_at(struct managed_write *write, struct str api_version,
                               const struct json_value *object,
                               const struct json_value **ret_object)
{
    struct json_doc *doc = NULL;
    const struct str own = json_path_str(object, "apiVersion");
    *ret_object = object;
    if (!write->request->convert || own.len == 0 || str_eq(own, api_version))
        return NULL;
    TRY(write->request->convert(write->request->data, api_version, object, &doc));
    json_doc_hold(&write->arena, doc);
    *ret_object = json_doc_root(doc);
    return NULL;
}

/* Objects of the request's own version have been checked. */
static struct error *check_at(struct managed_write *write, struct str api_version,
                              const struct json_value *object)
{
    const struct managed_version *version = managed_write_version(write, api_version);
    const struct json_value *there = NULL;
    if (str_eq(api_version, write->request->api_version))
        return NULL;
    TRY(managed_write_at(write, api_version, object, &there));
    return field_walk_check(&write->walk, version->type, there, true);
}

/*
 * Brings entries up to date with the types of today. A list or map that has become atomic since is
 * owned as a whole by those who owned parts of it.
 */
struct error *managed_write_reconcile(struct managed_write *write, const struct json_value *live)
{
    for (size_t i = 0; i < write->entries.count; i++) {
        struct managed_entry *entry = &write->entries.items[i];
        struct managed_version *version = managed_write_version(write, entry->api_version);
        entry->gone |= !version->is_served;
        if (entry->gone)
            continue;
        if (!version->is_checked)
            TRY(check_at(write, entry->api_version, live));
        version->is_checked = true;
        entry->set = field_walk_fold_atomic(&write->walk, version->type, entry->set);
    }
    return NULL;
}

/*
 * Ownership is computed on objects without managedFields; otherwise every write would change them.
 */
struct error *managed_write_bare(struct managed_write *write, const struct json_value *object,
                                 const struct json_value **ret_bare)
{
    *ret_bare = object ? object : write->walk.zeros[FIELD_ABSENT_OBJECT];
    if (!json_path(object, "metadata.managedFields"))
        return NULL;
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    TRY(json_edit_finish(&edit, &doc));
    json_doc_hold(&write->arena, doc);
    *ret_bare = json_doc_root(doc);
    return NULL;
}

/* What the write changes, in one version. Fields that the request cannot change do not count. */
static struct error *compare_at(struct managed_write *write, struct str api_version,
                                const struct json_value *before, const struct json_value *after)
{
    struct arena *arena = &write->arena;
    struct managed_version *version = managed_write_version(write, api_version);
    if (version->is_compared)
        return NULL;
    TRY(managed_write_at(write, api_version, before, &before));
    TRY(managed_write_at(write, api_version, after, &after));
    struct field_changes changes = field_walk_compare(&write->walk, version->type, before, after);
    changes.added = field_set_without_below(arena, changes.added, write->reset);
    changes.modified = field_set_without_below(arena, changes.modified, write->reset);
    changes.removed = field_set_without_below(arena, changes.removed, write->reset);
    version->changes = changes;
    version->taken = field_set_union(arena, changes.added, changes.modified);
    version->is_compared = true;
    return NULL;
}

/* A conflict is a field that the write adds or modifies and another entry owns. */
struct error *managed_write_find_conflicts(struct managed_write *write,
                                           const struct json_value *before,
                                           const struct json_value *after, struct str except,
                                           bool *ret_any)
{
    bool any = false;
    MAP_FOREACH (known, &write->versions)
        ((struct managed_version *)known->value)->is_compared = false;
    for (size_t i = 0; i < write->entries.count; i++) {
        struct managed_entry *entry = &write->entries.items[i];
        struct managed_version *version = managed_write_version(write, entry->api_version);
        entry->conflict = (struct field_set){.count = 0};
        if (entry->gone || str_eq(entry->id, except))
            continue;
        if (!version->is_compared)
            TRY(check_at(write, entry->api_version, after), "failed to convert new object");
        TRY(compare_at(write, entry->api_version, before, after));
        entry->conflict = field_set_common(&write->arena, entry->set, version->taken);
        any |= !field_set_is_empty(&entry->conflict);
    }
    *ret_any = any;
    return NULL;
}

/*
 * Other entries lose what the write took over and what it removed. An entry without fields
 * vanishes.
 */
void managed_write_take(struct managed_write *write, struct str except)
{
    for (size_t i = 0; i < write->entries.count; i++) {
        struct managed_entry *entry = &write->entries.items[i];
        if (entry->gone)
            continue;
        if (!str_eq(entry->id, except)) {
            const struct managed_version *version =
                managed_write_version(write, entry->api_version);
            entry->set = field_set_without(&write->arena, entry->set, entry->conflict);
            entry->set = field_set_without(&write->arena, entry->set, version->changes.removed);
        }
        entry->gone = field_set_is_empty(&entry->set);
    }
}

/*
 * An ordinary write takes what it changes without asking, and adds it to what its manager owned
 * before.
 */
struct error *managed_write_update(struct managed_write *write, const struct json_value *before,
                                   const struct json_value *after, struct str manager)
{
    bool any;
    TRY(managed_write_reconcile(write, before));
    TRY(managed_write_find_conflicts(write, before, after, STR(""), &any));
    managed_write_take(write, STR(""));

    struct managed_version *version = managed_write_version(write, write->request->api_version);
    TRY(compare_at(write, write->request->api_version, before, after));
    struct managed_entry entry = {
        .manager = manager,
        .api_version = write->request->api_version,
        .subresource = write->request->subresource,
        .has_time = true,
        .time = write->request->now,
        .set = field_set_without(&write->arena, version->taken, write->untracked),
    };
    if (field_set_is_empty(&entry.set))
        return NULL;
    const struct managed_entry *previous = managed_entries_find(&write->entries, &entry);
    if (previous)
        entry.set = field_set_union(&write->arena, entry.set, previous->set);
    managed_entries_put(&write->entries, entry);
    return NULL;
}

/* The arena is checked here, once: all of the work above allocates in it. */
struct error *managed_write_finish(struct managed_write *write, const struct json_value *object,
                                   struct json_doc **ret_doc)
{
    OWNED(json_doc) list = NULL;
    TRY(arena_check(&write->arena));
    managed_entries_write(&write->entries, &write->builder);
    TRY(json_builder_finish(&write->builder, &list));
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    if (json_count(json_doc_root(list)) == 0)
        json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    else
        json_edit_set(&edit, JSON_PLACE("metadata.managedFields"), json_doc_root(list));
    return json_edit_finish(&edit, ret_doc);
}
