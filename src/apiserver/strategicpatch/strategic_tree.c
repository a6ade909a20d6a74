/*
 * The document that a strategic merge changes.
 *
 * A node begins as a borrowed value and is opened when something below it changes; then its
 * members or elements are nodes of their own. So a patch of one label in a large object copies the
 * path to it and nothing else. The nodes live in the arena; what an opened node has on the heap
 * (its map, its array) is on the list "opened" and released with the tree.
 */
#include "apiserver/strategicpatch/strategic_tree.h"

#include "base/array.h"

void merge_tree_done(struct merge_tree *tree)
{
    for (struct merge_node *node = tree->opened; node; node = node->next) {
        map_done(&node->members);
        mem_free(node->items);
    }
    tree->opened = NULL;
    arena_done(&tree->arena);
}

struct error *merge_tree_check(const struct merge_tree *tree)
{
    if (tree->work > STRATEGIC_WORK_MAX)
        return error_new(ERROR_TOO_LARGE, "the patch takes too much work on so large an object");
    return arena_check(&tree->arena);
}

struct merge_node *merge_tree_new(struct merge_tree *tree, const struct json_value *value)
{
    struct merge_node *node = ARENA_NEW(&tree->arena, struct merge_node);
    node->value = value;
    node->type = json_type(value);
    return node;
}

static void append_item(struct merge_node *array, struct merge_node *item)
{
    ARRAY_PUSH(array->items, array->count, array->capacity, item);
}

/* Makes a node of every child of the value that a node has borrowed, and lets go of the value. */
static void fill_node(struct merge_tree *tree, struct merge_node *node)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, node->value) {
        struct merge_node *child = merge_tree_new(tree, value);
        if (node->type == JSON_OBJECT)
            map_put(&node->members, key, child);
        else
            append_item(node, child);
    }
    node->value = NULL;
}

/* Opening is remembered, since maps and arrays of opened nodes are freed by merge_tree_done(). */
void merge_tree_open(struct merge_tree *tree, struct merge_node *node)
{
    if (node->opened || (node->type != JSON_OBJECT && node->type != JSON_ARRAY))
        return;
    node->opened = true;
    node->next = tree->opened;
    tree->opened = node;
    fill_node(tree, node);
}

void merge_tree_replace(struct merge_tree *tree, struct merge_node *object,
                        const struct json_value *value)
{
    merge_tree_open(tree, object);
    map_clear(&object->members);
    object->value = value;
    fill_node(tree, object);
}

/*
 * NULL for a member that is itself open: its value is no longer in one piece. Merge keys are
 * scalars, which are never opened.
 */
const struct json_value *merge_tree_member(const struct merge_node *node, struct str name)
{
    if (!node->opened)
        return json_get(node->value, name);
    const struct merge_node *member = map_find(&node->members, name);
    return member ? member->value : NULL;
}

bool merge_tree_has(const struct merge_node *node, struct str name)
{
    return node->opened ? map_has(&node->members, name) : json_get(node->value, name) != NULL;
}

void merge_tree_set_items(struct merge_node *array, struct merge_node *const *items, size_t count)
{
    array->count = 0;
    for (size_t i = 0; i < count; i++)
        append_item(array, items[i]);
}

/* An opened node that is being written. */
struct place {
    const struct merge_node *node;
    const struct map_entry *entry; /* the next member */
    size_t index;                  /* the next element */
};

struct writer {
    struct json_builder *builder;
    struct place *places;
    size_t depth, capacity;
};

/* Writes a borrowed value; opens a node. */
static void write_node(struct writer *writer, const struct merge_node *node)
{
    if (!node->opened) {
        json_builder_value(writer->builder, node->value);
        return;
    }
    ARRAY_PUSH(writer->places, writer->depth, writer->capacity, (struct place){.node = node});
    struct place *place = &writer->places[writer->depth - 1];
    if (node->type == JSON_OBJECT) {
        place->entry = map_first(&node->members);
        json_builder_object(writer->builder);
    } else {
        json_builder_array(writer->builder);
    }
}

/* The next child to write, or NULL at the end of the innermost node. */
static const struct merge_node *next_child(struct writer *writer)
{
    struct place *place = &writer->places[writer->depth - 1];
    if (place->node->type == JSON_ARRAY)
        return place->index < place->node->count ? place->node->items[place->index++] : NULL;
    if (!place->entry)
        return NULL;
    const struct map_entry *entry = place->entry;
    place->entry = map_next(&place->node->members, entry);
    json_builder_key(writer->builder, map_key(entry));
    return entry->value;
}

/* Writes depth first with a stack on the heap. Values that were never opened are copied whole. */
void merge_tree_write(const struct merge_node *node, struct json_builder *builder)
{
    struct writer writer = {.builder = builder};
    write_node(&writer, node);
    while (writer.depth) {
        const struct merge_node *child = next_child(&writer);
        if (child) {
            write_node(&writer, child);
        } else {
            json_builder_end(builder);
            writer.depth--;
        }
    }
    mem_free(writer.places);
}
