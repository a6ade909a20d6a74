/*
 * Server-side apply and the bookkeeping of ordinary writes.
 *
 * It mirrors k8s.io/apimachinery/pkg/util/managedfields (which manager does what) and
 * sigs.k8s.io/structured-merge-diff/v4/merge (update.go). Both entry points build a struct
 * managed_write, which holds the entries, the types of all versions and an arena for everything
 * that is made on the way.
 *
 * managed_fields_update()   reads the entries, gives what changed to the manager, takes it from
 * others managed_fields_apply()    merges the patch, prunes what the manager no longer sends, looks
 * for conflicts, then takes ownership managed_fields_settle()   keeps old times where nothing but
 * times would change
 *
 * An ordinary write never fails for the sake of ownership: entries that cannot be kept are
 * dropped. An apply does fail, since its result depends on them.
 */
#include "apiserver/managedfields/managed_fields.h"

#include <stdlib.h>

#include "apiserver/managedfields/managed_fields_internal.h"
#include "base/memory.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

/* Updaters with an entry of their own. */
#define UPDATERS_MAX 10

/* Those an update starts from: the client's, or those of the live object. */
static void read_wish(struct managed_write *write, const struct json_value *live,
                      const struct json_value *object)
{
    const struct json_value *wish = json_path(object, "metadata.managedFields");
    const bool counts = !write->request->subresource.len;
    if (counts && managed_entries_is_reset(wish))
        return;
    OWNED(error) err = counts ? managed_entries_read(&write->entries, wish) : NULL;
    if (!err && !managed_entries_is_empty(&write->entries))
        return;
    /* Those of a live object that cannot be read are none. */
    error_free(managed_entries_read(&write->entries, json_path(live, "metadata.managedFields")));
}

/*
 * An object that does not fit its type has no fields that could be owned. Its entries stay as they
 * are.
 */
static bool object_fits(struct managed_write *write, const struct json_value *object)
{
    OWNED(error) err = field_walk_check(&write->walk, write->request->type, object, true);
    return !err;
}

/*
 * An ordinary write. Objects whose entries were cleared by the client, or that never had any, stay
 * untracked; a new object is tracked.
 */
static struct error *write_update(struct managed_write *write, const struct json_value *live,
                                  const struct json_value *object, struct json_doc **ret_doc)
{
    const struct json_value *before = NULL, *after = NULL;
    read_wish(write, live, object);
    TRY(managed_write_bare(write, live, &before));
    TRY(managed_write_bare(write, object, &after));
    const bool is_tracked = !live || !managed_entries_is_empty(&write->entries);
    if (is_tracked && object_fits(write, before) && object_fits(write, after)) {
        OWNED(error) err = managed_write_update(write, before, after, write->request->manager);
        if (err)
            managed_entries_clear(&write->entries); /* an ordinary write does not fail for this */
        managed_entries_cap(&write->entries, UPDATERS_MAX);
    }
    return managed_write_finish(write, after, ret_doc);
}

struct error *managed_fields_update(const struct managed_fields_write *request,
                                    const struct json_value *live, const struct json_value *object,
                                    struct json_doc **ret_doc)
{
    SCOPED(managed_write) write;
    OWNED(json_doc) doc = NULL;
    managed_write_init(&write, request);
    TRY(write_update(&write, live, object, &doc));
    return managed_fields_settle(live, doc, ret_doc);
}

/* "apps/v1, Kind=Deployment"; the core group is empty in front of its slash. */
static struct str print_gvk(struct arena *arena, const struct json_value *object)
{
    const struct str api_version = json_path_str(object, "apiVersion");
    const struct str kind = json_path_str(object, "kind");
    const bool has_group = str_find_char(api_version, '/') != STR_NONE;
    return ARENA_JOIN(arena, has_group ? STR("") : STR("/"), api_version, STR(", Kind="), kind);
}

/*
 * What an apply may not say: another kind or version, managedFields of its own, or values that do
 * not fit the type.
 */
static struct error *check_patch(struct managed_write *write, const struct json_value *patch)
{
    const struct managed_fields_write *request = write->request;
    const struct str gvk = print_gvk(&write->arena, patch);
    const bool is_other_kind =
        request->kind.len && !str_eq(json_path_str(patch, "kind"), request->kind);
    if (is_other_kind || !str_eq(json_path_str(patch, "apiVersion"), request->api_version))
        return error_new(ERROR_BAD_REQUEST, "invalid object type: %.*s", STR_ARG(gvk));
    if (json_type(json_path(patch, "metadata.managedFields")) > JSON_NULL)
        return error_new(ERROR_BAD_REQUEST, "metadata.managedFields must be nil");
    const struct str namespace = json_path_str(patch, "metadata.namespace");
    const struct str name = json_path_str(patch, "metadata.name");
    return error_wrap(field_walk_check(&write->walk, request->type, patch, false),
                      "failed to create typed patch object (%.*s/%.*s; %.*s)", STR_ARG(namespace),
                      STR_ARG(name), STR_ARG(gvk));
}

/* An apply merges into the live object and therefore needs it to fit, too. */
static struct error *check_live(struct managed_write *write, const struct json_value *live)
{
    const struct str gvk = print_gvk(&write->arena, live);
    const struct str namespace = json_path_str(live, "metadata.namespace");
    const struct str name = json_path_str(live, "metadata.name");
    return error_wrap(field_walk_check(&write->walk, write->request->type, live, true),
                      "failed to create typed live object (%.*s/%.*s; %.*s)", STR_ARG(namespace),
                      STR_ARG(name), STR_ARG(gvk));
}

/* Every field of an object, with the objects and lists that hold them. */
static struct field_set all_fields(struct managed_write *write, struct field_type type,
                                   const struct json_value *object)
{
    return field_walk_with_ancestors(&write->walk, type,
                                     field_walk_set(&write->walk, type, object));
}

/* What entries of a version own, whoever they are. */
static struct field_set owned_at(struct managed_write *write, struct str api_version)
{
    const struct managed_entries *entries = &write->entries;
    struct field_set *sets = arena_alloc_array(&write->arena, entries->count + 1, sizeof(*sets));
    size_t count = 0;
    for (size_t i = 0; i < entries->count; i++)
        if (!entries->items[i].gone && str_eq(entries->items[i].api_version, api_version))
            sets[count++] = entries->items[i].set;
    sets[count++] = write->untracked;
    return field_set_union_all(&write->arena, sets, count);
}

/*
 * Brings back what entries of a version own: a field that another manager owns is not pruned. The
 * comparison is made in that version, since fields may have other names there.
 */
static struct error *add_back(struct managed_write *write, struct str api_version,
                              const struct json_value *merged, const struct json_value **pruned)
{
    struct arena *arena = &write->arena;
    const struct field_type type = managed_write_version(write, api_version)->type;
    TRY(managed_write_at(write, api_version, merged, &merged));
    TRY(managed_write_at(write, api_version, *pruned, pruned));
    const struct field_set owned =
        field_walk_with_ancestors(&write->walk, type, owned_at(write, api_version));
    const struct field_set kept = field_set_union(arena, all_fields(write, type, *pruned), owned);
    const struct field_set lost = field_set_without(arena, all_fields(write, type, merged), kept);
    return field_walk_remove(&write->walk, type, merged, &lost, pruned);
}

/*
 * Takes out what the applier owned, does not send any more, and no other entry owns. All of it
 * goes first; then every version adds back what its entries own; what is lost in the end is
 * removed from the merged object.
 */
static struct error *prune_dropped(struct managed_write *write, struct str last_version,
                                   struct field_set last, const struct json_value *merged,
                                   const struct json_value **ret_pruned)
{
    struct arena *arena = &write->arena;
    const struct field_type type = managed_write_version(write, last_version)->type;
    const struct json_value *pruned = NULL;
    TRY(managed_write_at(write, last_version, merged, &merged));
    const struct field_set all = all_fields(write, type, merged);
    const struct field_set owned = field_walk_with_ancestors(&write->walk, type, last);
    TRY(field_walk_remove(&write->walk, type, merged, &owned, &pruned));
    TRY(add_back(write, last_version, merged, &pruned));
    MAP_FOREACH (entry, &write->versions) {
        const struct managed_version *other = entry->value;
        if (other->is_served && !str_eq(map_key(entry), last_version))
            TRY(add_back(write, map_key(entry), merged, &pruned));
    }
    TRY(managed_write_at(write, last_version, pruned, &pruned));
    const struct field_set lost = field_set_without(arena, all, all_fields(write, type, pruned));
    const struct field_set taken = field_set_common(arena, lost, owned);
    TRY(field_walk_remove(&write->walk, type, merged, &taken, &pruned));
    return managed_write_at(write, write->request->api_version, pruned, ret_pruned);
}

/*
 * Conflicts that remain once those are allowed which kubectl recorded itself, in its annotation:
 * so the first server-side apply of a user who applied on the client's side before meets no
 * conflict with himself.
 */
static bool has_conflicts(struct managed_write *write, const struct json_value *live)
{
    bool any = false;
    if (!str_eq(write->request->manager, STR("kubectl")))
        return true;
    const struct field_set allowed = managed_last_applied_fields(write, live);
    for (size_t i = 0; i < write->entries.count; i++) {
        struct managed_entry *entry = &write->entries.items[i];
        const struct field_set left = field_set_without(&write->arena, entry->conflict, allowed);
        any |= !field_set_is_empty(&left);
    }
    for (size_t i = 0; any && i < write->entries.count; i++) {
        struct managed_entry *entry = &write->entries.items[i];
        entry->conflict = field_set_without(&write->arena, entry->conflict, allowed);
    }
    return any;
}

/* The applier's entry with its new fields; what it owned before comes back. */
static struct managed_entry *claim_fields(struct managed_write *write,
                                          const struct json_value *patch,
                                          struct managed_entry *ret_last)
{
    const struct managed_fields_write *request = write->request;
    struct managed_entry entry = {
        .manager = request->manager,
        .subresource = request->subresource,
        .is_apply = true,
    };
    const struct managed_entry *last = managed_entries_find(&write->entries, &entry);
    *ret_last = last ? *last : (struct managed_entry){.is_apply = true};
    entry.api_version = request->api_version;
    entry.has_time = ret_last->has_time;
    entry.time = ret_last->time;
    entry.set = field_set_without_below(
        &write->arena, field_walk_set(&write->walk, request->type, patch), write->reset);
    return managed_entries_put(&write->entries, entry);
}

/*
 * The core of apply: merge, claim, prune, conflicts, take. The order matters: pruning needs the
 * new claim, conflicts are looked for in the pruned object.
 */
static struct error *merge_applied(struct managed_write *write, bool force,
                                   const struct json_value *live, const struct json_value *patch,
                                   const struct json_value **ret_object)
{
    const struct json_value *object = NULL;
    struct managed_entry last;
    bool is_conflict = false;
    TRY(managed_write_reconcile(write, live));
    managed_write_version(write, write->request->api_version);
    TRY(field_walk_merge(&write->walk, write->request->type, live, patch, &object));
    struct managed_entry *entry = claim_fields(write, patch, &last);
    const struct field_set dropped = field_set_without(&write->arena, last.set, entry->set);
    if (!field_set_is_empty(&dropped))
        TRY(prune_dropped(write, last.api_version, last.set, object, &object));
    TRY(managed_write_find_conflicts(write, live, object, entry->id, &is_conflict));
    if (is_conflict && !force && has_conflicts(write, live))
        return managed_conflict_error(&write->entries);
    managed_write_take(write, entry->id);
    entry->set = field_set_without(&write->arena, entry->set, write->untracked);
    entry->gone = field_set_is_empty(&entry->set);
    *ret_object = json_equal(live, object) ? live : object;
    if (*ret_object != live) {
        entry->has_time = true;
        entry->time = write->request->now;
    }
    return NULL;
}

/*
 * Apply with everything around the merge: a live object without entries first gets one for all it
 * has, so that its fields belong to somebody ("before-first-apply").
 */
static struct error *apply_patch(struct managed_write *write, bool force,
                                 const struct json_value *live, const struct json_value *patch,
                                 struct json_doc **ret_doc)
{
    const struct json_value *before = NULL, *after = NULL;
    TRY(managed_entries_read(&write->entries, json_path(live, "metadata.managedFields")),
        "failed to decode managed fields");
    TRY(check_patch(write, patch));
    TRY(managed_write_bare(write, live, &before));
    TRY(check_live(write, before));
    if (live && managed_entries_is_empty(&write->entries))
        TRY(managed_write_update(write, write->walk.zeros[FIELD_ABSENT_OBJECT], before,
                                 STR("before-first-apply")),
            "failed to create manager for existing fields");
    TRY(merge_applied(write, force, before, patch, &after));
    managed_entries_cap(&write->entries, UPDATERS_MAX);
    TRY(managed_write_finish(write, after, ret_doc));
    return managed_last_applied_refresh(write, patch, ret_doc);
}

struct error *managed_fields_apply(const struct managed_fields_write *request, bool force,
                                   const struct json_value *live, const struct json_value *patch,
                                   struct json_doc **ret_doc)
{
    SCOPED(managed_write) write;
    OWNED(json_doc) doc = NULL;
    managed_write_init(&write, request);
    TRY(apply_patch(&write, force, live, patch, &doc));
    *ret_doc = TAKE(doc);
    return NULL;
}

/* An object without what may differ in objects that are the same: entries and resourceVersion. */
static struct error *core_of(const struct json_value *object, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_remove(&edit, JSON_PLACE("metadata.managedFields"));
    json_edit_remove(&edit, JSON_PLACE("metadata.resourceVersion"));
    return json_edit_finish(&edit, ret_doc);
}

/* By what tells entries apart. */
static int compare_entries(const void *a, const void *b)
{
    static const char *const parts[] = {"manager", "operation", "apiVersion", "subresource"};
    const struct json_value *left = *(const struct json_value *const *)a;
    const struct json_value *right = *(const struct json_value *const *)b;
    int order = 0;
    for (size_t i = 0; i < COUNT(parts) && order == 0; i++)
        order = str_cmp(json_path_str(left, parts[i]), json_path_str(right, parts[i]));
    return order;
}

/* Their times decide on the order of entries, so it is not that of the list. */
static const struct json_value **sorted_entries(struct arena *arena, const struct json_value *list)
{
    const struct json_value **entries =
        arena_alloc_array(arena, json_count(list), sizeof(*entries));
    const struct json_value *entry;
    size_t count = 0;
    JSON_FOREACH (key, entry, list)
        entries[count++] = entry;
    qsort(entries, count, sizeof(entries[0]), compare_entries);
    return entries;
}

static bool equal_but_for_time(const struct json_value *a, const struct json_value *b)
{
    const bool timed = json_get(a, STR("time")), other_timed = json_get(b, STR("time"));
    const struct json_value *value;
    if (json_count(a) - timed != json_count(b) - other_timed)
        return false;
    JSON_FOREACH (name, value, a)
        if (!str_eq(name, STR("time")) && !json_equal(value, json_get(b, name)))
            return false;
    return true;
}

/* Entries that are equal but for their times, of which one at least differs. */
static bool differ_in_time(const struct json_value *a, const struct json_value *b)
{
    SCOPED(arena) arena = {.limit = 0};
    if (json_count(a) != json_count(b) || json_equal(a, b))
        return false;
    const struct json_value **left = sorted_entries(&arena, a), **right = sorted_entries(&arena, b);
    const size_t count = json_count(a);
    for (size_t i = 0; i < count; i++)
        if (!equal_but_for_time(left[i], right[i]))
            return false;
    return true;
}

struct error *managed_fields_settle(const struct json_value *live, struct json_doc *doc,
                                    struct json_doc **ret_doc)
{
    const struct json_value *object = json_doc_root(doc);
    const struct json_value *old = json_path(live, "metadata.managedFields");
    if (!live || !differ_in_time(old, json_path(object, "metadata.managedFields"))) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    OWNED(json_doc) before = NULL;
    OWNED(json_doc) after = NULL;
    TRY(core_of(live, &before));
    TRY(core_of(object, &after));
    if (!json_equal(json_doc_root(before), json_doc_root(after))) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object);
    json_edit_set(&edit, JSON_PLACE("metadata.managedFields"), old);
    return json_edit_finish(&edit, ret_doc);
}
