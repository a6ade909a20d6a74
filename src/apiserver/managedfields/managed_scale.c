/*
 * Between the entries of an object and those of its Scale, after
 * k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go (ToSubresource, ToParent).
 *
 * One difference: upstream compares updaters by an identity that includes the version, which is
 * another one in the Scale, and so leaves two entries of one updater. Here they are the same.
 */
#include "apiserver/managedfields/managed_scale.h"

#include "apiserver/managedfields/managed_entries.h"
#include "base/arena.h"
#include "json/builder.h"
#include "json/path.h"

#define SCALE_VERSION STR("autoscaling/v1")

static struct field_set path_set(struct arena *arena, struct str path)
{
    const char *const paths[] = {arena_c(arena, path)};
    return field_set_of_paths(arena, paths, 1);
}

/* The replicas as a set of one field; empty when the version has none. False: not served. */
static bool replicas_in(const struct managed_scale *scale, struct arena *arena,
                        struct str api_version, struct field_set *ret_set)
{
    struct str path = {0};
    *ret_set = (struct field_set){0};
    if (!scale->find_path(scale->data, api_version, &path))
        return false;
    if (path.len)
        *ret_set = path_set(arena, path);
    return true;
}

static bool has_common(struct arena *arena, struct field_set a, struct field_set b)
{
    const struct field_set common = field_set_common(arena, a, b);
    return !field_set_is_empty(&common);
}

static struct error *finish_entries(const struct managed_entries *entries,
                                    struct json_doc **ret_entries)
{
    SCOPED(json_builder) builder = {.limit = 0};
    managed_entries_write(entries, &builder);
    return json_builder_finish(&builder, ret_entries);
}

/* The same manager in the Scale. */
static struct managed_entry entry_in_scale(const struct managed_entry *entry)
{
    struct managed_entry twin = *entry;
    twin.api_version = SCALE_VERSION;
    return twin;
}

struct error *managed_scale_from_object(const struct managed_scale *scale,
                                        const struct json_value *object,
                                        struct json_doc **ret_entries)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(managed_entries) owners = {.arena = &arena};
    SCOPED(managed_entries) made = {.arena = &arena};
    const struct field_set own = path_set(&arena, STR("spec.replicas"));
    TRY(managed_entries_read(&owners, json_path(object, "metadata.managedFields")),
        "failed to decode managed fields");
    for (size_t i = 0; i < owners.count; i++) {
        struct field_set replicas;
        if (!replicas_in(scale, &arena, owners.items[i].api_version, &replicas) ||
            !has_common(&arena, owners.items[i].set, replicas))
            continue;
        struct managed_entry entry = entry_in_scale(&owners.items[i]);
        entry.set = own;
        managed_entries_put(&made, entry);
    }
    return finish_entries(&made, ret_entries);
}

/*
 * What the entries of the object lose: the replicas of those who have none in the Scale. kept says
 * of each entry of the Scale whether the object has it already.
 */
static void take_lost(const struct managed_scale *scale, struct managed_entries *owners,
                      const struct managed_entries *changed, bool *kept)
{
    struct arena *arena = owners->arena;
    for (size_t i = 0; i < owners->count; i++) {
        struct managed_entry *owner = &owners->items[i];
        struct field_set replicas;
        if (!replicas_in(scale, arena, owner->api_version, &replicas)) {
            owner->gone = true;
            continue;
        }
        if (!has_common(arena, owner->set, replicas))
            continue;
        const struct managed_entry twin = entry_in_scale(owner);
        const struct managed_entry *found = managed_entries_find(changed, &twin);
        if (found) {
            kept[found - changed->items] = true;
            continue;
        }
        owner->set = field_set_without(arena, owner->set, replicas);
        owner->gone = field_set_is_empty(&owner->set);
    }
}

/*
 * What they win: the replicas of those who have them in the Scale alone. One who applies a Scale
 * without replicas has none.
 */
static void put_won(const struct managed_scale *scale, struct managed_entries *owners,
                    const struct managed_entries *changed, const bool *kept)
{
    const struct field_set own = path_set(owners->arena, STR("spec.replicas"));
    struct field_set replicas;
    if (!replicas_in(scale, owners->arena, scale->api_version, &replicas))
        return;
    for (size_t i = 0; i < changed->count; i++) {
        struct managed_entry entry = changed->items[i];
        if (kept[i] || !has_common(owners->arena, entry.set, own))
            continue;
        entry.api_version = scale->api_version;
        const struct managed_entry *same = managed_entries_find(owners, &entry);
        entry.set = same ? field_set_union(owners->arena, same->set, replicas) : replicas;
        managed_entries_put(owners, entry);
    }
}

struct error *managed_scale_to_object(const struct managed_scale *scale,
                                      const struct json_value *object,
                                      const struct json_value *entries,
                                      struct json_doc **ret_entries)
{
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(managed_entries) owners = {.arena = &arena};
    SCOPED(managed_entries) changed = {.arena = &arena};
    TRY(managed_entries_read(&owners, json_path(object, "metadata.managedFields")),
        "failed to decode managed fields");
    TRY(managed_entries_read(&changed, entries), "failed to decode managed fields of the scale");
    bool *kept = arena_alloc_array(&arena, changed.count + 1, sizeof(*kept));
    take_lost(scale, &owners, &changed, kept);
    put_won(scale, &owners, &changed, kept);
    return finish_entries(&owners, ret_entries);
}
