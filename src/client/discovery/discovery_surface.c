/*
 * A new surface is built as a list of table references (struct table_list) and then interned with
 * discovery_surface_of(). Tables that do not change are shared with the old surface.
 */
#include "client/discovery/discovery_surface.h"

#include "apimachinery/gvk.h"
#include "base/array.h"
#include "base/memory.h"

/* The tables of a surface that is being built. The list owns a reference to each. */
struct table_list {
    struct discovery_table **tables;
    size_t count, capacity;
};

static void table_list_done(struct table_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        discovery_table_free(list->tables[i]);
    mem_free(list->tables);
}

/* Takes the caller's reference. */
static void add_table(struct table_list *list, struct discovery_table *table)
{
    ARRAY_PUSH(list->tables, list->count, list->capacity, table);
}

static void keep_table(struct table_list *list, struct discovery_table *table)
{
    add_table(list, discovery_table_ref(table));
}

/* If "whole" is false only the names are kept. */
static void add_versions(struct table_list *list, struct discovery_pool *pool,
                         const struct discovery_versions *versions, bool whole)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct discovery_version *version = &versions->items[i];
        const struct discovery_version name = {.group = version->group,
                                               .version = version->version};
        add_table(list, discovery_table_of(pool, whole ? version : &name));
    }
}

struct discovery_surface *discovery_surface_from_lists(struct discovery_pool *pool,
                                                       const struct discovery_versions *core,
                                                       const struct discovery_versions *groups,
                                                       bool whole)
{
    SCOPED(table_list) list = {0};
    add_versions(&list, pool, core, whole);
    add_versions(&list, pool, groups, whole);
    return discovery_surface_of(pool, list.tables, list.count);
}

/*
 * The index of a version in a surface. A version that is there already (*ret_known) keeps its
 * place. A new version goes in front of the first version of its group that version_cmp() prefers
 * less, or behind the group. A new group goes to the end; the core group to the front.
 */
static size_t place_of(const struct discovery_surface *surface,
                       const struct discovery_version *version, bool *ret_known)
{
    size_t place = version->group.len == 0 ? 0 : surface->count;
    bool placed = false;
    *ret_known = false;
    for (size_t i = 0; i < surface->count; i++) {
        const struct discovery_version *other = &surface->tables[i]->is;
        if (!str_eq(other->group, version->group))
            continue;
        const int order = version_cmp(version->version, other->version);
        if (str_eq(version->version, other->version)) {
            *ret_known = true;
            return i;
        }
        if (!placed)
            place = order < 0 ? i : i + 1;
        placed = placed || order < 0;
    }
    return place;
}

struct discovery_surface *discovery_surface_with(struct discovery_pool *pool,
                                                 const struct discovery_surface *surface,
                                                 const struct discovery_version *version)
{
    SCOPED(table_list) list = {0};
    bool known;
    const size_t place = place_of(surface, version, &known);
    for (size_t i = 0; i <= surface->count; i++) {
        if (i == place)
            add_table(&list, discovery_table_of(pool, version));
        if (i < surface->count && !(known && i == place))
            keep_table(&list, surface->tables[i]);
    }
    return discovery_surface_of(pool, list.tables, list.count);
}

/*
 * Without a group (version NULL), or without one version. In the latter case the other
 * versions of the group become DISCOVERY_LISTED: a group that lost a version has probably changed
 * as a whole.
 */
static struct discovery_surface *copy_without(struct discovery_pool *pool,
                                              const struct discovery_surface *surface,
                                              struct str group, const struct str *version)
{
    SCOPED(table_list) list = {0};
    for (size_t i = 0; i < surface->count; i++) {
        const struct discovery_version *is = &surface->tables[i]->is;
        const struct discovery_version name = {.group = is->group, .version = is->version};
        if (!str_eq(is->group, group))
            keep_table(&list, surface->tables[i]);
        else if (version && !str_eq(is->version, *version))
            add_table(&list, discovery_table_of(pool, &name));
    }
    return discovery_surface_of(pool, list.tables, list.count);
}

struct discovery_surface *discovery_surface_without(struct discovery_pool *pool,
                                                    const struct discovery_surface *surface,
                                                    struct str group)
{
    return copy_without(pool, surface, group, NULL);
}

struct discovery_surface *discovery_surface_without_version(struct discovery_pool *pool,
                                                            const struct discovery_surface *surface,
                                                            struct str group, struct str version)
{
    return copy_without(pool, surface, group, &version);
}

/* Versions that are known keep their tables. */
static void add_relisted(struct table_list *list, struct discovery_pool *pool,
                         const struct discovery_surface *surface,
                         const struct discovery_versions *versions)
{
    for (size_t i = 0; i < versions->count; i++) {
        const struct discovery_version *version = &versions->items[i];
        struct discovery_table *known =
            discovery_surface_find(surface, version->group, version->version);
        add_table(list, known ? discovery_table_ref(known) : discovery_table_of(pool, version));
    }
}

struct discovery_surface *discovery_surface_relist(struct discovery_pool *pool,
                                                   const struct discovery_surface *surface,
                                                   struct str group,
                                                   const struct discovery_versions *versions)
{
    SCOPED(table_list) list = {0};
    bool placed = false;
    for (size_t i = 0; i < surface->count; i++) {
        if (!str_eq(surface->tables[i]->is.group, group)) {
            keep_table(&list, surface->tables[i]);
            continue;
        }
        if (!placed)
            add_relisted(&list, pool, surface, versions);
        placed = true;
    }
    if (!placed)
        add_relisted(&list, pool, surface, versions);
    return discovery_surface_of(pool, list.tables, list.count);
}
