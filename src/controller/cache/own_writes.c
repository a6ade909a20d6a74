/*
 * A map from keys to the answers of the server. Whether an entry is still needed depends on the
 * version of the cache alone, so entries are checked where they are used, and nothing has to be
 * called when the cache changes.
 */
#include "controller/cache/own_writes.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/memory.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_version.h"

#define SWEEP_MIN 64

struct own_write {
    struct object_text *text; /* NULL for OWN_WRITES_VERSIONS */
    size_t version_len;
    char version[];
};

struct own_writes {
    struct cache *cache;
    enum own_writes_kept kept;
    struct map entries; /* "namespace/name" -> struct own_write */
    size_t sweep_at;    /* number of entries at which the next sweep takes place */
};

static void release_write(void *value)
{
    struct own_write *write = value;
    object_text_free(write->text);
    mem_free(write);
}

struct own_writes *own_writes_new(struct cache *cache, enum own_writes_kept kept)
{
    struct own_writes *writes = NEW(struct own_writes);
    *writes = (struct own_writes){
        .cache = cache, .kept = kept, .entries = {.release = release_write}, .sweep_at = SWEEP_MIN};
    return writes;
}

void own_writes_free(struct own_writes *writes)
{
    if (!writes)
        return;
    map_done(&writes->entries);
    mem_free(writes);
}

static struct str version_of(const struct own_write *write)
{
    return str_from(write->version, write->version_len);
}

static bool has_caught_up(const struct own_writes *writes, const struct own_write *write)
{
    int order;
    return cache_version_cmp(cache_resource_version(writes->cache), version_of(write), &order) &&
           order >= 0;
}

/* Drops what the cache has caught up with. The doubling keeps the cost of a put constant. */
static void sweep_writes(struct own_writes *writes)
{
    if (map_count(&writes->entries) < writes->sweep_at)
        return;
    MAP_FOREACH (entry, &writes->entries)
        if (has_caught_up(writes, entry->value))
            map_remove(&writes->entries, map_key(entry));
    writes->sweep_at = 2 * map_count(&writes->entries) + SWEEP_MIN;
}

static struct own_write *write_new(enum own_writes_kept kept, const struct object *written)
{
    const struct str version = object_resource_version(written);
    struct own_write *write = mem_alloc_zero(sizeof(struct own_write) + version.len);
    write->text = kept == OWN_WRITES_OBJECTS ? object_text_new(written) : NULL;
    write->version_len = version.len;
    if (version.len)
        memcpy(write->version, version.ptr, version.len);
    return write;
}

/* Answers may be put in another order than the server gave them: the newest one wins. */
void own_writes_put(struct own_writes *writes, const struct object *written)
{
    SCOPED(buf) text = {0};
    key_write(&text, object_key(written));
    const struct own_write *known = map_find(&writes->entries, buf_str(&text));
    if (known && cache_version_is_older(object_resource_version(written), version_of(known)))
        return;
    if (known)
        map_remove(&writes->entries, buf_str(&text));
    else
        sweep_writes(writes);
    map_put(&writes->entries, buf_str(&text), write_new(writes->kept, written));
}

void own_writes_forget(struct own_writes *writes, struct key key)
{
    SCOPED(buf) text = {0};
    key_write(&text, key);
    map_remove(&writes->entries, buf_str(&text));
}

/* The write to this key that the cache lacks, or NULL. Borrowed. */
static const struct own_write *find_unseen(struct own_writes *writes, struct key key)
{
    SCOPED(buf) text = {0};
    key_write(&text, key);
    const struct own_write *write = map_find(&writes->entries, buf_str(&text));
    if (!write || !has_caught_up(writes, write))
        return write;
    map_remove(&writes->entries, buf_str(&text));
    return NULL;
}

/* For OWN_WRITES_VERSIONS: the caller then reads from the server. */
bool own_writes_is_behind(struct own_writes *writes, struct key key)
{
    return find_unseen(writes, key) != NULL;
}

/* Once the cache has caught up its object is at least as new as the written one, or it is gone. */
struct object_text *own_writes_get_text(struct own_writes *writes, struct key key)
{
    assert(writes->kept == OWN_WRITES_OBJECTS);
    const struct own_write *write = find_unseen(writes, key);
    return write ? object_text_ref(write->text) : cache_get_text(writes->cache, key);
}
