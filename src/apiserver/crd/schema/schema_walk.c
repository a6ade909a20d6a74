/*
 * The iteration of schema_walk.h: a stack of open containers. A visit returns a container before
 * its members. Members and elements that the schema does not describe are skipped with all they
 * contain.
 */
#include "apiserver/crd/schema/schema_walk.h"

#include "base/array.h"
#include "base/memory.h"

struct schema_walk_frame {
    const struct schema_node *node;
    struct json_iter iter;
    size_t path_len;
};

void schema_walk_done(struct schema_walk *walk)
{
    mem_free(walk->frames);
    buf_done(&walk->path);
}

void schema_path_add(struct buf *path, const struct json_value *container, struct str key,
                     size_t index)
{
    if (json_type(container) == JSON_ARRAY) {
        buf_add_index(path, index);
        return;
    }
    buf_add(path, path->len ? STR(".") : STR(""));
    buf_add(path, key);
}

static bool enter_container(struct schema_walk *walk, const struct schema_node *node,
                            const struct json_value *value, struct schema_visit *ret_visit)
{
    const enum json_type type = json_type(value);
    if (!node || (type != JSON_ARRAY && type != JSON_OBJECT))
        return false;
    const struct schema_walk_frame frame = {
        .node = node, .iter.container = value, .path_len = walk->path.len};
    ARRAY_PUSH(walk->frames, walk->count, walk->capacity, frame);
    *ret_visit = (struct schema_visit){node, value, buf_str(&walk->path)};
    return true;
}

bool schema_walk_next(struct schema_walk *walk, struct schema_visit *ret_visit)
{
    if (!walk->started) {
        walk->started = true;
        return enter_container(walk, walk->first.node, walk->first.value, ret_visit);
    }
    while (walk->count) {
        struct schema_walk_frame *frame = &walk->frames[walk->count - 1];
        const struct json_value *value = NULL, *container = frame->iter.container;
        const size_t index = frame->iter.index;
        struct str key;
        buf_truncate(&walk->path, frame->path_len);
        if (!json_next(&frame->iter, &key, &value)) {
            walk->count--;
            continue;
        }
        const struct schema_node *node = json_type(container) == JSON_ARRAY
                                             ? frame->node->items
                                             : schema_member(frame->node, key);
        schema_path_add(&walk->path, container, key, index);
        if (enter_container(walk, node, value, ret_visit))
            return true;
    }
    return false;
}
