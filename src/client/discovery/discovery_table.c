/*
 * Interning: tables and surfaces exist once per content. The pool maps the SHA-256 of a content to
 * its only copy; find_interned() returns the copy with one more reference, and give_back() removes
 * it from the pool with the last reference. A thousand clusters with equal APIs then share one
 * surface, and two surfaces can be compared as pointers.
 */
#include "client/discovery/discovery_table.h"

#include <assert.h>

#include "base/memory.h"
#include "client/discovery/discovery.h"

struct discovery_pool *discovery_pool_new(void)
{
    return NEW(struct discovery_pool);
}

/* Every discovery must have been freed, so no surface is left. */
void discovery_pool_free(struct discovery_pool *pool)
{
    if (!pool)
        return;
    assert(map_count(&pool->surfaces) == 0);
    /* Mappings in arenas may still refer to tables, which must not look for the pool later. */
    MAP_FOREACH (entry, &pool->tables)
        ((struct discovery_interned *)entry->value)->home = NULL;
    map_done(&pool->tables);
    map_done(&pool->surfaces);
    mem_free(pool);
}

static struct str digest_key(const uint8_t digest[static SHA256_LEN])
{
    return str_from((const char *)digest, SHA256_LEN);
}

/* A new reference to the table or surface with this digest, or NULL. */
static struct discovery_interned *find_interned(const struct map *home,
                                                const uint8_t digest[static SHA256_LEN])
{
    struct discovery_interned *interned = map_find(home, digest_key(digest));
    if (interned)
        interned->refs++;
    return interned;
}

static void intern(struct map *home, struct discovery_interned *interned,
                   const uint8_t digest[static SHA256_LEN])
{
    interned->home = home;
    interned->refs = 1;
    memcpy(interned->digest, digest, SHA256_LEN);
    map_put(home, digest_key(digest), interned);
}

/* Drops a reference. True if it was the last one; the caller must free the memory then. */
static bool give_back(struct discovery_interned *interned)
{
    assert(interned->refs > 0);
    if (--interned->refs > 0)
        return false;
    if (interned->home)
        map_take(interned->home, digest_key(interned->digest));
    return true;
}

/* Hashes the length in front of the text, so that different contents never give equal bytes. */
static void hash_text(struct sha256 *sha, struct str text)
{
    const uint32_t len = (uint32_t)text.len;
    sha256_add(sha, str_from((const char *)&len, sizeof(len)));
    sha256_add(sha, text);
}

static void hash_resource(struct sha256 *sha, const struct discovery_resource *resource)
{
    const char flags[] = {(char)resource->verbs, (char)resource->namespaced,
                          (char)resource->has_status, (char)resource->has_scale};
    hash_text(sha, resource->resource);
    hash_text(sha, resource->singular);
    hash_text(sha, resource->kind);
    hash_text(sha, str_from(flags, sizeof(flags)));
    for (size_t i = 0; i < resource->short_count; i++)
        hash_text(sha, resource->short_names[i]);
    hash_text(sha, STR("")); /* marks the end, as no short name is empty */
}

/* Everything in a version is hashed, so tables are shared only between equal APIs. */
static void hash_version(const struct discovery_version *version,
                         uint8_t ret_digest[static SHA256_LEN])
{
    SCOPED(sha256) sha = {0};
    const char state = (char)version->state;
    hash_text(&sha, version->group);
    hash_text(&sha, version->version);
    hash_text(&sha, str_from(&state, 1));
    for (size_t i = 0; i < version->count; i++)
        hash_resource(&sha, &version->resources[i]);
    sha256_finish(&sha, ret_digest);
}

/* The variable parts of a table: resources, then short names, then the characters of all texts. */
struct table_room {
    size_t shorts, text;
};

/* The sizes must match put_text() and put_resource() exactly. */
static struct table_room measure_table(const struct discovery_version *version)
{
    struct table_room room = {.text = version->group.len + version->version.len};
    for (size_t i = 0; i < version->count; i++) {
        const struct discovery_resource *from = &version->resources[i];
        room.text += from->resource.len + from->singular.len + from->kind.len;
        room.shorts += from->short_count;
        for (size_t j = 0; j < from->short_count; j++)
            room.text += from->short_names[j].len;
    }
    return room;
}

/* Copies a text to *next and moves *next behind it. */
static struct str put_text(char **next, struct str text)
{
    const struct str copy = str_from(*next, text.len);
    if (text.len > 0)
        memcpy(*next, text.ptr, text.len);
    *next += text.len;
    return copy;
}

static void put_resource(const struct discovery_resource *from, struct discovery_resource *to,
                         struct str **shorts, char **text)
{
    *to = *from;
    to->resource = put_text(text, from->resource);
    to->singular = put_text(text, from->singular);
    to->kind = put_text(text, from->kind);
    to->short_names = *shorts;
    for (size_t i = 0; i < from->short_count; i++)
        *(*shorts)++ = put_text(text, from->short_names[i]);
}

/* One allocation of the exact size for struct, arrays and texts: there may be thousands. */
static struct discovery_table *table_new(const struct discovery_version *version)
{
    const struct table_room room = measure_table(version);
    const size_t resources_size = version->count * sizeof(struct discovery_resource);
    const size_t shorts_size = room.shorts * sizeof(struct str);
    struct discovery_table *table =
        mem_alloc_zero(sizeof(*table) + resources_size + shorts_size + room.text);

    char *block = (char *)(table + 1);
    struct discovery_resource *resources = (void *)block;
    struct str *shorts = (void *)(block + resources_size);
    char *text = block + resources_size + shorts_size;
    table->is = (struct discovery_version){
        .group = put_text(&text, version->group),
        .state = version->state,
        .resources = resources,
        .count = version->count,
    };
    table->is.version = put_text(&text, version->version);
    for (size_t i = 0; i < version->count; i++)
        put_resource(&version->resources[i], &resources[i], &shorts, &text);
    return table;
}

struct discovery_table *discovery_table_of(struct discovery_pool *pool,
                                           const struct discovery_version *version)
{
    uint8_t digest[SHA256_LEN];
    hash_version(version, digest);
    struct discovery_interned *known = find_interned(&pool->tables, digest);
    if (known)
        return CONTAINER_OF(known, struct discovery_table, interned);
    struct discovery_table *table = table_new(version);
    intern(&pool->tables, &table->interned, digest);
    return table;
}

struct discovery_table *discovery_table_ref(struct discovery_table *table)
{
    table->interned.refs++;
    return table;
}

void discovery_table_free(struct discovery_table *table)
{
    if (table && give_back(&table->interned))
        mem_free(table);
}

static struct discovery_surface *surface_new(struct discovery_table *const *tables, size_t count)
{
    struct discovery_surface *surface =
        mem_alloc_zero(sizeof(*surface) + count * sizeof(struct discovery_table *));
    surface->count = count;
    for (size_t i = 0; i < count; i++)
        surface->tables[i] = discovery_table_ref(tables[i]);
    return surface;
}

/* The digests of the tables identify the surface; their contents need not be hashed again. */
struct discovery_surface *discovery_surface_of(struct discovery_pool *pool,
                                               struct discovery_table *const *tables, size_t count)
{
    SCOPED(sha256) sha = {0};
    uint8_t digest[SHA256_LEN];
    for (size_t i = 0; i < count; i++)
        sha256_add(&sha, digest_key(tables[i]->interned.digest));
    sha256_finish(&sha, digest);

    struct discovery_interned *known = find_interned(&pool->surfaces, digest);
    if (known)
        return CONTAINER_OF(known, struct discovery_surface, interned);
    struct discovery_surface *surface = surface_new(tables, count);
    intern(&pool->surfaces, &surface->interned, digest);
    return surface;
}

/* Gives the references to the tables back with the last reference to the surface. */
void discovery_surface_free(struct discovery_surface *surface)
{
    if (!surface || !give_back(&surface->interned))
        return;
    for (size_t i = 0; i < surface->count; i++)
        discovery_table_free(surface->tables[i]);
    mem_free(surface);
}

struct discovery_room discovery_surface_measure(const struct discovery_surface *surface)
{
    struct discovery_room sum = {0};
    for (size_t i = 0; i < surface->count; i++) {
        const struct table_room room = measure_table(&surface->tables[i]->is);
        sum.resources += surface->tables[i]->is.count;
        sum.names += room.text + room.shorts * sizeof(struct str);
    }
    return sum;
}

struct discovery_table *discovery_surface_find(const struct discovery_surface *surface,
                                               struct str group, struct str version)
{
    for (size_t i = 0; i < surface->count; i++) {
        const struct discovery_version *is = &surface->tables[i]->is;
        if (str_eq(is->group, group) && str_eq(is->version, version))
            return surface->tables[i];
    }
    return NULL;
}

const struct discovery_resource *discovery_version_find(const struct discovery_version *version,
                                                        struct str kind)
{
    for (size_t i = 0; i < version->count; i++)
        if (str_eq(version->resources[i].kind, kind))
            return &version->resources[i];
    return NULL;
}
