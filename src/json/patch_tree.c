/*
 * The tree of changed containers. Opening a container makes a node with a slot per child; slots of
 * untouched children point to the borrowed values. patch_tree_write() turns the tree into a
 * document.
 */
#include "json/patch_tree.h"

/* Spare slots of a node, for members that a change adds. */
#define ROOM 4

void patch_tree_init(struct patch_tree *tree, const yyjson_val *root)
{
    *tree = (struct patch_tree){.root.value = root, .arena.limit = JSON_BUILDER_LIMIT_DEFAULT};
}

void patch_tree_done(struct patch_tree *tree)
{
    arena_done(&tree->arena);
}

struct error *patch_tree_check(const struct patch_tree *tree)
{
    if (tree->work > PATCH_WORK_MAX)
        return error_new(ERROR_TOO_LARGE, "changes take too much work on so large a document");
    return arena_check(&tree->arena);
}

struct str patch_tree_str(struct patch_tree *tree, struct str s)
{
    return arena_str(&tree->arena, s);
}

yyjson_val *patch_tree_value(struct patch_tree *tree)
{
    return ARENA_NEW(&tree->arena, yyjson_val);
}

static struct patch_node *new_node(struct patch_tree *tree, struct patch_slot *slot, bool object)
{
    struct patch_node *node = ARENA_NEW(&tree->arena, struct patch_node);
    node->object = object;
    slot->node = node;
    slot->value = NULL;
    return node;
}

struct patch_node *patch_tree_open_new(struct patch_tree *tree, struct patch_slot *slot)
{
    return new_node(tree, slot, true);
}

/* Opening costs work in proportion to the number of children, so it is counted. */
struct patch_node *patch_tree_open(struct patch_tree *tree, struct patch_slot *slot)
{
    if (slot->node)
        return slot->node;
    const yyjson_val *value = slot->value;
    if (!val_is_container(value))
        return NULL;
    struct patch_node *node = new_node(tree, slot, val_is_object(value));
    const yyjson_val *child = value + 1;
    const size_t count = val_len(value);
    tree->work += count;
    node->capacity = count + ROOM;
    node->slots = arena_alloc_array(&tree->arena, node->capacity, sizeof(*node->slots));
    for (node->count = 0; node->count < count; node->count++) {
        struct patch_slot *part = &node->slots[node->count];
        if (node->object)
            part->key = val_str(child++);
        part->value = child;
        child = val_next(child);
    }
    return node;
}

/* Linear search; counted as work, since an operation may ask for any member. */
struct patch_slot *patch_tree_find(struct patch_tree *tree, struct patch_node *object,
                                   struct str key)
{
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->slots[i].key, key)) {
            tree->work += i;
            return &object->slots[i];
        }
    tree->work += object->count;
    return NULL;
}

/* A new member comes last. A replaced one keeps its place. */
struct patch_slot *patch_tree_put(struct patch_tree *tree, struct patch_node *object,
                                  struct str key, struct patch_slot content)
{
    struct patch_slot *slot = patch_tree_find(tree, object, key);
    if (!slot) {
        ARENA_ARRAY_PUSH(&tree->arena, object->slots, object->count, object->capacity,
                         (struct patch_slot){.key = patch_tree_str(tree, key)});
        slot = &object->slots[object->count - 1];
    }
    slot->value = content.value;
    slot->node = content.node;
    return slot;
}

/* Pushes first, to grow the array, then moves the elements behind the index. */
void patch_tree_insert(struct patch_tree *tree, struct patch_node *array, size_t index,
                       struct patch_slot content)
{
    content.key = (struct str){NULL, 0};
    ARENA_ARRAY_PUSH(&tree->arena, array->slots, array->count, array->capacity, content);
    const size_t behind = array->count - 1 - index;
    tree->work += behind;
    memmove(&array->slots[index + 1], &array->slots[index], behind * sizeof(*array->slots));
    array->slots[index] = content;
}

void patch_tree_remove(struct patch_tree *tree, struct patch_node *container,
                       struct patch_slot *slot)
{
    const size_t behind = container->count - 1 - (size_t)(slot - container->slots);
    tree->work += behind;
    memmove(slot, slot + 1, behind * sizeof(*slot));
    container->count--;
}

bool patch_slot_is_null(const struct patch_slot *slot)
{
    return !slot->node && val_type(slot->value) == YYJSON_TYPE_NULL;
}

/* A node that is being written. */
struct place {
    const struct patch_node *node;
    size_t index;
};

/* Writes a borrowed value, or opens a container for a node and returns true. */
static bool write_slot(const struct patch_slot *slot, struct json_builder *builder)
{
    if (!slot->node)
        builder_copy(builder, slot->value, BUILDER_COPY_ALL);
    else if (slot->node->object)
        json_builder_object(builder);
    else
        json_builder_array(builder);
    return slot->node != NULL;
}

/* Walks the nodes with a stack of places. Borrowed values are copied as a whole. */
void patch_tree_write(const struct patch_slot *slot, struct json_builder *builder)
{
    OWNED_PTR struct place *places = NULL;
    size_t depth = 0, capacity = 0;
    for (;;) {
        if (write_slot(slot, builder)) {
            ARRAY_PUSH(places, depth, capacity, (struct place){.node = slot->node});
        }
        for (; depth && places[depth - 1].index == places[depth - 1].node->count; depth--)
            json_builder_end(builder);
        if (depth == 0 || builder->err)
            return;
        struct place *place = &places[depth - 1];
        slot = &place->node->slots[place->index++];
        if (place->node->object)
            json_builder_key(builder, slot->key);
    }
}
