/*
 * Lists that are merged: which elements belong together, and the order in which they end up.
 *
 * Elements are told apart by an identity: the value of their merge key, or a scalar itself. What a
 * patch names comes in the patch's order, all else in the order it had; where the two meet, the
 * old order decides if it knows both.
 */
#include "apiserver/strategicpatch/strategic_list.h"

#include "base/array.h"

void items_done(struct items *items)
{
    mem_free(items->list);
}

void items_add(struct items *items, struct item item)
{
    ARRAY_PUSH(items->list, items->count, items->capacity, item);
}

/*
 * The identity of an element of the original. An element that was opened has no value, so that a
 * scalar key is looked up among its members.
 */
struct item item_of_node(struct merge_node *node, const char *merge_key)
{
    struct item item = {.node = node, .id = node->value, .has_id = true};
    if (merge_key) {
        item.id = merge_tree_member(node, str_from_c(merge_key));
        item.has_id = merge_tree_has(node, str_from_c(merge_key));
    }
    return item;
}

/* The identity of an element of the patch, or of "$setElementOrder". */
struct item item_of_value(const struct json_value *value, const char *merge_key)
{
    struct item item = {.value = value, .id = value, .has_id = true};
    if (merge_key) {
        item.id = json_get(value, str_from_c(merge_key));
        item.has_id = item.id != NULL;
    }
    return item;
}

void items_of_array(struct items *items, const struct merge_node *array, const char *merge_key)
{
    for (size_t i = 0; i < array->count; i++)
        items_add(items, item_of_node(array->items[i], merge_key));
}

void items_of_patch(struct items *items, const struct json_value *patch, const char *merge_key)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, patch)
        items_add(items, item_of_value(value, merge_key));
}

/*
 * A linear search, since the identity may be any scalar and lists are short. The counted work
 * bounds hostile lists.
 */
size_t items_find(struct merge *merge, const struct items *items, const struct item *item)
{
    for (size_t i = 0; i < items->count && merge->tree.work <= STRATEGIC_WORK_MAX; i++) {
        merge->tree.work++;
        if (items->list[i].has_id && item->has_id && go_equal(items->list[i].id, item->id))
            return i;
    }
    return STR_NONE;
}

/* The API server's words for an element without its merge key. */
struct error *merge_error_key(const struct item *item, const char *merge_key)
{
    SCOPED(buf) shown = {.limit = STRATEGIC_PRINT_MAX};
    if (item->node)
        strategic_print_node(&shown, item->node);
    else
        strategic_print(&shown, item->value);
    return error_new(ERROR_INTERNAL, "map: %.*s does not contain declared merge key: %s",
                     STR_ARG(buf_str(&shown)), merge_key);
}

/* Two places that are both known are in order; otherwise the later one goes first, as upstream. */
static bool goes_before(const struct item *item, const struct item *other)
{
    if (item->place == STR_NONE || other->place == STR_NONE)
        return true;
    return item->place < other->place;
}

/* Insertion, because its outcome is defined even for that comparison. */
static void sort_items(struct merge *merge, struct items *items, const struct items *order)
{
    for (size_t i = 0; i < items->count; i++)
        items->list[i].place = items_find(merge, order, &items->list[i]);
    for (size_t i = 1; i < items->count && merge->tree.work <= STRATEGIC_WORK_MAX; i++)
        for (size_t j = i; j > 0 && goes_before(&items->list[j], &items->list[j - 1]); j--) {
            const struct item item = items->list[j];
            items->list[j] = items->list[j - 1];
            items->list[j - 1] = item;
            merge->tree.work++;
        }
}

/*
 * Whether the element that only the old order knows comes before the one that the patch names.
 * Unknown places let the named one go first.
 */
static bool left_is_next(const struct item *left, const struct item *right)
{
    return left->place != STR_NONE && right->place != STR_NONE && left->place < right->place;
}

/* Both are sorted; places are those in the old order. */
static void interleave_items(struct merge_node *array, const struct items *left,
                             const struct items *right)
{
    const size_t count = left->count + right->count;
    OWNED_PTR struct merge_node **nodes = mem_realloc_array(NULL, count + 1, sizeof(*nodes));
    size_t i = 0, j = 0;
    while (i + j < count) {
        const bool take_left =
            j == right->count || (i < left->count && left_is_next(&left->list[i], &right->list[j]));
        nodes[i + j] = take_left ? left->list[i].node : right->list[j].node;
        i += take_left;
        j += !take_left;
    }
    merge_tree_set_items(array, nodes, count);
}

/*
 * Splits the merged elements into those that the order names and the others, sorts each by its own
 * order, and interleaves the two by the places that both have in the old list. This is
 * normalizeElementOrder() upstream.
 */
void items_arrange(struct merge *merge, struct merge_node *array, const struct items *merged,
                   const struct items *order, const struct items *old)
{
    SCOPED(items) named = {.count = 0};
    SCOPED(items) others = {.count = 0};
    for (size_t i = 0; i < merged->count; i++)
        items_add(items_find(merge, order, &merged->list[i]) == STR_NONE ? &others : &named,
                  merged->list[i]);
    sort_items(merge, &named, order);
    sort_items(merge, &others, old);
    for (size_t i = 0; i < named.count; i++)
        named.list[i].place = items_find(merge, old, &named.list[i]);
    interleave_items(array, &others, &named);
}

/* Both lists as the error about different types shows them. */
static void print_lists(struct buf *out, const struct merge_node *array,
                        const struct json_value *patch)
{
    if (array)
        strategic_print_node(out, array);
    else
        buf_add(out, STR("[]"));
    buf_add_char(out, ' ');
    if (patch)
        strategic_print(out, patch);
    else
        buf_add(out, STR("[]"));
}

/*
 * Notes the type of one more element. A list holds elements of one type; null has none and is
 * refused.
 */
static struct error *check_type(enum go_kind type, enum go_kind *first, bool *ret_differs)
{
    if (type == GO_KIND_NIL)
        return error_new(ERROR_BAD_REQUEST, "null in a list that is merged");
    if (*first == GO_KIND_NIL && type == GO_KIND_SLICE)
        return error_new(ERROR_INVALID, "lists of lists are not supported");
    *ret_differs |= *first != GO_KIND_NIL && *first != type;
    *first = *first == GO_KIND_NIL ? type : *first;
    return NULL;
}

struct error *merge_element_type(const struct merge_node *array, const struct json_value *patch,
                                 enum go_kind *ret_type)
{
    const struct json_value *value;
    bool differs = false;
    *ret_type = GO_KIND_NIL;
    for (size_t i = 0; array && i < array->count && !differs; i++)
        TRY(check_type(go_kind_of_node(array->items[i]), ret_type, &differs));
    JSON_FOREACH (key, value, patch)
        if (!differs)
            TRY(check_type(go_kind(value), ret_type, &differs));
    SCOPED(buf) shown = {.limit = 2 * STRATEGIC_PRINT_MAX};
    if (differs) {
        print_lists(&shown, array, patch);
        return error_new(ERROR_INTERNAL, "list element types are not identical: [%.*s]",
                         STR_ARG(buf_str(&shown)));
    }
    if (*ret_type == GO_KIND_NIL)
        return error_new(ERROR_INTERNAL, "no elements in any of the given slices");
    return NULL;
}

static void add_unique(struct merge *merge, struct items *items, struct item item)
{
    if (items_find(merge, items, &item) == STR_NONE)
        items_add(items, item);
}

/* A set: what both have is there once. */
static void merge_scalars(struct merge *merge, struct merge_node *array,
                          const struct json_value *patch)
{
    SCOPED(items) old = {.count = 0};
    SCOPED(items) order = {.count = 0};
    SCOPED(items) merged = {.count = 0};
    items_of_array(&old, array, NULL);
    items_of_patch(&order, patch, NULL);
    for (size_t i = 0; i < old.count; i++)
        add_unique(merge, &merged, old.list[i]);
    for (size_t i = 0; i < order.count; i++) {
        struct item item = order.list[i];
        item.node = merge_tree_new(&merge->tree, item.value);
        add_unique(merge, &merged, item);
    }
    items_arrange(merge, array, &merged, &order, &old);
}

/* A list whose field is merged: objects by their key, scalars as a set. */
struct error *merge_list(struct merge *merge, struct merge_node *array,
                         const struct json_value *patch, struct strategic_schema elements)
{
    enum go_kind type;
    merge_tree_open(&merge->tree, array);
    if (array->count == 0 && json_count(patch) == 0)
        return NULL;
    TRY(merge_element_type(array, patch, &type));
    if (type == GO_KIND_MAP)
        return merge_objects(merge, array, patch, elements);
    if (elements.field->merge_key)
        return merge_error_type(GO_KIND_MAP, type);
    merge_scalars(merge, array, patch);
    return merge_tree_check(&merge->tree);
}

/*
 * "$deleteFromPrimitiveList": every occurrence of the scalars that the patch names goes. A list of
 * objects is merged instead, as upstream does.
 */
struct error *merge_list_delete(struct merge *merge, struct merge_node *array,
                                const struct json_value *patch, struct strategic_schema elements)
{
    enum go_kind type;
    SCOPED(items) unwanted = {.count = 0};
    merge_tree_open(&merge->tree, array);
    if (array->count == 0 && json_count(patch) == 0)
        return NULL;
    TRY(merge_element_type(array, patch, &type));
    if (type == GO_KIND_MAP)
        return merge_objects(merge, array, patch, elements);
    items_of_patch(&unwanted, patch, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < array->count; i++) {
        const struct item item = item_of_node(array->items[i], NULL);
        if (items_find(merge, &unwanted, &item) == STR_NONE)
            array->items[kept++] = array->items[i];
    }
    array->count = kept;
    return merge_tree_check(&merge->tree);
}
