/*
 * A key of the tree is length and bytes of the value, then namespace, NUL and name. So the objects
 * of a value, and those of a value in one namespace, are neighbours with a common prefix.
 */
#include "controller/cache/cache_index.h"

#include "base/buf.h"

/* The length in front keeps a value from being the prefix of another one. */
static void add_value(struct buf *key, struct str value)
{
    const uint64_t len = value.len;
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(key, (char)(unsigned char)(len >> shift));
    buf_add(key, value);
}

static void add_part(struct buf *key, struct str part)
{
    buf_add(key, part);
    buf_add_char(key, '\0');
}

void cache_index_done(struct cache_index *index)
{
    tree_done(&index->texts);
}

/* An object that is being added to or removed from an index. */
struct indexing {
    struct cache_index *index;
    struct key key;
    struct object_text *text; /* NULL: remove */
};

static void on_value(void *data, struct str value)
{
    const struct indexing *indexing = data;
    SCOPED(buf) key = {0};
    add_value(&key, value);
    add_part(&key, indexing->key.namespace);
    buf_add(&key, indexing->key.name);
    if (indexing->text)
        tree_put(&indexing->index->texts, buf_str(&key), indexing->text);
    else
        tree_take(&indexing->index->texts, buf_str(&key));
}

void cache_index_put(struct cache_index *index, const struct object *object,
                     struct object_text *text)
{
    struct indexing indexing = {index, object_key(object), text};
    index->fn(index->data, object, on_value, &indexing);
}

void cache_index_remove(struct cache_index *index, const struct object *object)
{
    struct indexing indexing = {index, object_key(object), NULL};
    index->fn(index->data, object, on_value, &indexing);
}

bool cache_index_each(const struct cache_index *index, struct str namespace, struct str value,
                      cache_visit_fn *visit, void *data)
{
    SCOPED(buf) prefix = {0};
    add_value(&prefix, value);
    if (namespace.len)
        add_part(&prefix, namespace);
    for (const struct tree_node *node = tree_seek(&index->texts, buf_str(&prefix));
         node && str_starts_with(tree_key(node), buf_str(&prefix)); node = tree_next(node))
        if (!visit(data, node->value))
            return false;
    return true;
}
