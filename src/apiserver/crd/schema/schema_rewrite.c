/*
 * The walk behind pruning and defaulting; see schema_rewrite.h.
 *
 * Both walks are walk_all(): the first without a builder, the second with one. A stack of frames
 * holds the open containers. Each call of next_part() takes the next member or element of the
 * innermost one, asks decide(), and copies, opens or drops it. When a container has no more
 * members, missing() may add properties. Without a dropped() callback the first walk ends at the
 * first change.
 */
#include "apiserver/crd/schema/schema_rewrite.h"

#include "apiserver/crd/schema/schema_walk.h"
#include "base/array.h"
#include "base/memory.h"

#define REWRITE_MEMORY_MAX (64 * MEGABYTE)

/* Each of many elements may get a large default. An object may not become larger than a request. */
#define FILLED_MAX (3 * MEGABYTE)

/* One walk over a document. The path is only kept up if dropped() is set. */
struct walk {
    const struct rewrite *rewrite;
    struct json_builder *builder; /* NULL in the first walk */
    struct rewrite_frame *frames;
    size_t count, capacity;
    struct buf path;
    size_t filled; /* bytes of defaults; counted in the second walk */
    bool changed;
};

static void walk_done(struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        mem_free(walk->frames[i].present);
    mem_free(walk->frames);
    buf_done(&walk->path);
}

static bool is_container(const struct json_value *value)
{
    return json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY;
}

static void open_container(struct walk *walk, const struct schema_node *node,
                           const struct json_value *value, bool is_root)
{
    const struct rewrite_frame frame = {
        .node = node,
        .value = value,
        .iter.container = value,
        .path_len = walk->path.len,
        .is_root = is_root,
    };
    ARRAY_PUSH(walk->frames, walk->count, walk->capacity, frame);
    if (walk->builder && json_type(value) == JSON_OBJECT)
        json_builder_object(walk->builder);
    else if (walk->builder)
        json_builder_array(walk->builder);
}

/* Reports a dropped part in the first walk only, so that each is reported once. */
static void note_dropped(struct walk *walk, const struct rewrite_frame *frame, struct str key,
                         size_t index)
{
    walk->changed = true;
    if (walk->builder || !walk->rewrite->dropped)
        return;
    schema_path_add(&walk->path, frame->value, key, index);
    walk->rewrite->dropped(walk->rewrite->data, buf_str(&walk->path));
    buf_truncate(&walk->path, frame->path_len);
}

/* Carries out a decision: drops the part, opens it as a container, or copies it. */
static void add_part(struct walk *walk, struct str key, const struct json_value *value,
                     struct part part, size_t index)
{
    const struct rewrite_frame *frame = &walk->frames[walk->count - 1];
    if (part.action == PART_DROP) {
        note_dropped(walk, frame, key, index);
        return;
    }
    walk->changed |= part.value != value;
    if (walk->builder && json_type(frame->value) == JSON_OBJECT)
        json_builder_key(walk->builder, key);
    if (part.action == PART_DESCEND && is_container(part.value)) {
        if (walk->rewrite->dropped)
            schema_path_add(&walk->path, frame->value, key, index);
        open_container(walk, part.node, part.value, false);
    } else if (walk->builder) {
        json_builder_value(walk->builder, part.value);
    }
}

/*
 * Handles the next member, element or missing property of the innermost container; false when it
 * has no more.
 */
static bool next_part(struct walk *walk)
{
    struct rewrite_frame *frame = &walk->frames[walk->count - 1];
    const struct json_value *value = NULL;
    const size_t index = frame->iter.index;
    struct str key;
    buf_truncate(&walk->path, frame->path_len);
    if (json_next(&frame->iter, &key, &value)) {
        add_part(walk, key, value, walk->rewrite->decide(frame, key, value), index);
        return true;
    }
    if (!walk->rewrite->missing)
        return false;
    const struct schema_property *property = walk->rewrite->missing(frame);
    if (!property)
        return false;
    if (walk->builder)
        walk->filled += property->name.len + json_size(property->node->default_value);
    add_part(walk, property->name, NULL,
             (struct part){PART_DESCEND, property->node, property->node->default_value}, 0);
    return true;
}

/* The document has become too large: what follows is in vain. */
static bool is_full(const struct walk *walk)
{
    return walk->builder && (json_builder_is_full(walk->builder) || walk->filled > FILLED_MAX);
}

/* Walks a container and all that is described inside it. */
static void walk_all(struct walk *walk, const struct schema_node *node,
                     const struct json_value *value, bool is_root)
{
    const bool until_change = !walk->builder && !walk->rewrite->dropped;
    open_container(walk, node, value, is_root);
    while (walk->count && !(until_change && walk->changed) && !is_full(walk)) {
        if (next_part(walk))
            continue;
        if (walk->builder)
            json_builder_end(walk->builder);
        mem_free(walk->frames[--walk->count].present);
    }
}

bool rewrite_changes(const struct rewrite *rewrite, const struct schema_node *node,
                     const struct json_value *value, bool is_root)
{
    __attribute__((cleanup(walk_done))) struct walk walk = {.rewrite = rewrite};
    if (is_container(value))
        walk_all(&walk, node, value, is_root);
    return walk.changed;
}

struct error *rewrite_doc(const struct rewrite *rewrite, const struct schema_node *root,
                          struct json_doc *doc, struct json_doc **ret_doc)
{
    const struct json_value *value = json_doc_root(doc);
    if (!rewrite_changes(rewrite, root, value, true)) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    SCOPED(json_builder) builder = {.limit = REWRITE_MEMORY_MAX};
    __attribute__((cleanup(walk_done))) struct walk walk = {.rewrite = rewrite,
                                                            .builder = &builder};
    walk_all(&walk, root, value, true);
    if (walk.filled > FILLED_MAX)
        return error_new(ERROR_TOO_LARGE,
                         "the defaults of the schema would make the object too large: limit is %zu",
                         (size_t)FILLED_MAX);
    return json_builder_finish(&builder, ret_doc);
}
