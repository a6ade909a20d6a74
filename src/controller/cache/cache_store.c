/*
 * Texts live in a tree under "namespace NUL name". Every put and take updates all indexes: the old
 * text is parsed to find the values under which it stands, since indexes do not remember them.
 */
#include "controller/cache/cache_store.h"

#include "base/buf.h"
#include "base/memory.h"
#include "controller/cache/cache_index.h"

static void release_text(void *value)
{
    object_text_free(value);
}

/* Index functions are copied, so that positions of indexes are the same in both stores. */
void cache_store_init_like(struct cache_store *store, const struct cache_store *other)
{
    *store = (struct cache_store){.texts = {.release = release_text}};
    for (size_t i = 0; i < other->index_count; i++)
        cache_store_add_index(store, other->indexes[i].fn, other->indexes[i].data);
}

void cache_store_done(struct cache_store *store)
{
    for (size_t i = 0; i < store->index_count; i++)
        cache_index_done(&store->indexes[i]);
    mem_free(store->indexes);
    tree_done(&store->texts);
    *store = (struct cache_store){0};
}

static bool has_zero(struct str text)
{
    return text.len && memchr(text.ptr, '\0', text.len);
}

bool cache_store_accepts(struct key key)
{
    return key.name.len && !has_zero(key.name) && !has_zero(key.namespace);
}

/* A NUL sorts before every other byte, so keys are sorted by namespace and then by name. */
static void write_place(struct buf *place, struct key key)
{
    buf_add(place, key.namespace);
    buf_add_char(place, '\0');
    buf_add(place, key.name);
}

struct object_text *cache_store_find(const struct cache_store *store, struct key key)
{
    SCOPED(buf) place = {0};
    write_place(&place, key);
    return tree_find(&store->texts, buf_str(&place));
}

/* Texts in a store were written from objects, so parsing them cannot fail. */
static struct object *read_text(const struct object_text *text)
{
    struct object *object = NULL;
    error_free(object_text_read(text, &object));
    return object;
}

static void index_text(struct cache_store *store, struct object_text *text,
                       const struct object *object)
{
    for (size_t i = 0; i < store->index_count && object; i++)
        cache_index_put(&store->indexes[i], object, text);
}

/* Index functions must give the same values for the same object, or entries would stay behind. */
static void unindex_text(struct cache_store *store, const struct object_text *text)
{
    OWNED(object) object = store->index_count ? read_text(text) : NULL;
    for (size_t i = 0; i < store->index_count && object; i++)
        cache_index_remove(&store->indexes[i], object);
}

/* The old text leaves the indexes before the new one enters: they may share values. */
void cache_store_put(struct cache_store *store, struct object_text *text,
                     const struct object *object, struct object_text **ret_old)
{
    SCOPED(buf) place = {0};
    OWNED(object) read = !object && store->index_count ? read_text(text) : NULL;
    write_place(&place, object_text_key(text));
    struct object_text *old = tree_put(&store->texts, buf_str(&place), object_text_ref(text));
    store->bytes += object_text_json(text).len;
    if (old) {
        store->bytes -= object_text_json(old).len;
        unindex_text(store, old);
    }
    index_text(store, text, object ? object : read);
    *ret_old = old;
}

/* The indexes are updated before the caller can free the text, which they borrow. */
struct object_text *cache_store_take(struct cache_store *store, struct key key)
{
    SCOPED(buf) place = {0};
    write_place(&place, key);
    struct object_text *old = tree_take(&store->texts, buf_str(&place));
    if (old) {
        store->bytes -= object_text_json(old).len;
        unindex_text(store, old);
    }
    return old;
}

/* Without a namespace the prefix is empty and matches every key. */
void cache_store_each(const struct cache_store *store, struct str namespace, cache_visit_fn *visit,
                      void *data)
{
    SCOPED(buf) prefix = {0};
    if (namespace.len)
        write_place(&prefix, (struct key){.namespace = namespace});
    for (const struct tree_node *node = tree_seek(&store->texts, buf_str(&prefix));
         node && str_starts_with(tree_key(node), buf_str(&prefix)); node = tree_next(node))
        if (!visit(data, node->value))
            return;
}

void cache_store_add_index(struct cache_store *store, cache_index_fn *fn, void *data)
{
    store->indexes =
        mem_realloc_array(store->indexes, store->index_count + 1, sizeof(struct cache_index));
    struct cache_index *index = &store->indexes[store->index_count++];
    *index = (struct cache_index){.fn = fn, .data = data};
    TREE_FOREACH (node, &store->texts) {
        OWNED(object) object = read_text(node->value);
        if (object)
            cache_index_put(index, object, node->value);
    }
}

/* A merge of two sorted trees: the smaller key first, equal keys together. */
bool cache_store_next_pair(struct cache_store_walk *walk, const struct cache_store *old,
                           const struct cache_store *now, struct cache_store_pair *ret_pair)
{
    if (!walk->begun)
        *walk = (struct cache_store_walk){tree_first(&old->texts), tree_first(&now->texts), true};
    if (!walk->old && !walk->now)
        return false;
    int order = 0;
    if (walk->old && walk->now)
        order = str_cmp(tree_key(walk->old), tree_key(walk->now));
    *ret_pair = (struct cache_store_pair){0};
    if (walk->old && order <= 0) {
        ret_pair->old = walk->old->value;
        walk->old = tree_next(walk->old);
    }
    if (walk->now && order >= 0) {
        ret_pair->now = walk->now->value;
        walk->now = tree_next(walk->now);
    }
    return true;
}
