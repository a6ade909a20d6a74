/*
 * Lists of objects that are merged by a merge key, and "$setElementOrder".
 *
 * merge_objects() mirrors mergeSliceWithSpecialElements() and mergeSliceWithoutSpecialElements()
 * of k8s.io/apimachinery/pkg/util/strategicpatch. It reads the directives of the patch's elements
 * first (delete, replace), merges elements with the same key by new tasks, appends the rest, and
 * arranges the result.
 *
 * merge_set_order() checks that the patch names its elements in the order that it asks for, merges
 * the lists, and gives the result that order. Elements that the order does not name stay where the
 * old list had them.
 */
#include <assert.h>

#include "apiserver/strategicpatch/strategic_list.h"
#include "base/memory.h"

/* A list of objects that is being merged. */
struct objects {
    struct merge *merge;
    const char *merge_key;
    struct items old;   /* elements of the object, less those the patch deletes */
    struct items patch; /* elements of the patch that are no directives */
    bool is_replaced;
};

static void objects_done(struct objects *objects)
{
    items_done(&objects->old);
    items_done(&objects->patch);
}

/*
 * Takes the elements with the key of an unwanted one out of the old list. The key may be there
 * more than once.
 */
static void delete_matching(struct objects *objects, const struct item *unwanted)
{
    struct items *old = &objects->old;
    size_t kept = 0;
    for (size_t i = 0; i < old->count; i++) {
        const struct items one = {.list = &old->list[i], .count = 1};
        if (items_find(objects->merge, &one, unwanted) == STR_NONE)
            old->list[kept++] = old->list[i];
    }
    old->count = kept;
}

/* The API server's words for a "$patch" that is none of replace, merge and delete. */
static struct error *unknown_directive(const struct json_value *word, const struct json_value *map)
{
    SCOPED(buf) shown = {.limit = 2 * STRATEGIC_PRINT_MAX};
    strategic_print(&shown, word);
    buf_add(&shown, STR(" in map: "));
    strategic_print(&shown, map);
    return error_new(ERROR_INTERNAL, "unknown patch type: %.*s", STR_ARG(buf_str(&shown)));
}

/* An element with "$patch" deletes those with its key, or says that all others are replaced. */
static struct error *apply_element(struct objects *objects, const struct item *item,
                                   const struct json_value *directive)
{
    const struct str word = json_to_str(directive);
    if (str_eq(word, STR("replace"))) {
        objects->is_replaced = true;
        return NULL;
    }
    if (str_eq(word, STR("merge")))
        return error_new(ERROR_INTERNAL, "merging lists cannot yet be specified in the patch");
    if (!str_eq(word, STR("delete")))
        return unknown_directive(directive, item->value);
    if (!item->has_id)
        return merge_error_key(item, objects->merge_key);
    delete_matching(objects, item);
    return NULL;
}

/*
 * Sorts the patch's elements: directives take effect at once, all others are kept for
 * merge_elements().
 */
static struct error *read_patch(struct objects *objects, const struct json_value *patch)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, patch) {
        const struct item item = item_of_value(value, objects->merge_key);
        const struct json_value *directive = json_get(value, STR("$patch"));
        if (directive)
            TRY(apply_element(objects, &item, directive));
        else
            items_add(&objects->patch, item);
    }
    return NULL;
}

/*
 * A merge key that is an object or a list cannot be compared. The library of the API server panics
 * there; we refuse.
 */
static bool is_comparable(const struct item *item)
{
    const enum go_kind type = go_kind(item->id);
    return type != GO_KIND_MAP && type != GO_KIND_SLICE;
}

/* Merges elements with the keys of others, appends the rest. */
static struct error *merge_elements(struct objects *objects, struct items *merged,
                                    struct strategic_schema elements)
{
    for (size_t i = 0; i < objects->patch.count; i++) {
        struct item item = objects->patch.list[i];
        if (!item.has_id)
            return merge_error_key(&item, objects->merge_key);
        if (!is_comparable(&item))
            return error_new(ERROR_BAD_REQUEST, "merge key %s is neither a string nor a number",
                             objects->merge_key);
        const size_t at = items_find(objects->merge, merged, &item);
        if (at == STR_NONE) {
            item.node = merge_tree_new(&objects->merge->tree, item.value);
            items_add(merged, item);
        } else {
            assert(at < merged->count && merged->list);
            merge_push(objects->merge, merged->list[at].node, item.value, elements);
        }
        TRY(merge_tree_check(&objects->merge->tree));
    }
    return NULL;
}

/* Every element of a list with a merge key must have the key, those of the original included. */
static struct error *check_keys(const struct items *items, const char *merge_key)
{
    for (size_t i = 0; i < items->count; i++)
        if (!items->list[i].has_id)
            return merge_error_key(&items->list[i], merge_key);
    return NULL;
}

/* The patch's elements, instead of the old ones. */
static void take_patch(struct objects *objects)
{
    items_done(&objects->old);
    objects->old = objects->patch;
    objects->patch = (struct items){.count = 0};
    for (size_t i = 0; i < objects->old.count; i++)
        objects->old.list[i].node =
            merge_tree_new(&objects->merge->tree, objects->old.list[i].value);
}

struct error *merge_objects(struct merge *merge, struct merge_node *array,
                            const struct json_value *patch, struct strategic_schema elements)
{
    SCOPED(objects) objects = {.merge = merge, .merge_key = elements.field->merge_key};
    SCOPED(items) merged = {.count = 0};
    if (!objects.merge_key)
        return error_new(ERROR_INTERNAL, "cannot merge lists without merge key for struct");
    items_of_array(&objects.old, array, objects.merge_key);
    TRY(read_patch(&objects, patch));
    if (objects.is_replaced)
        take_patch(&objects);
    for (size_t i = 0; i < objects.old.count; i++)
        items_add(&merged, objects.old.list[i]);
    TRY(merge_elements(&objects, &merged, elements));
    TRY(check_keys(&merged, objects.merge_key));
    items_arrange(merge, array, &merged, &objects.patch, &objects.old);
    return merge_tree_check(&merge->tree);
}

/* Whether an element and one of the order are the same; both must have what it takes to tell. */
static struct error *same_element(const struct json_value *element, const struct json_value *other,
                                  const char *merge_key, bool *ret_same)
{
    const struct item a = item_of_value(element, merge_key), b = item_of_value(other, merge_key);
    if (merge_key && json_type(element) != JSON_OBJECT)
        return merge_error_type(GO_KIND_MAP, go_kind(element));
    if (merge_key && json_type(other) != JSON_OBJECT)
        return merge_error_type(GO_KIND_MAP, go_kind(other));
    if (!a.has_id)
        return merge_error_key(&a, merge_key);
    if (!b.has_id)
        return merge_error_key(&b, merge_key);
    *ret_same = go_equal(a.id, b.id);
    return NULL;
}

/*
 * The API server's words, line breaks included, for a patch whose elements are not in the order
 * that it sets.
 */
static struct error *order_mismatch(const struct json_value *patch, const struct json_value *order)
{
    SCOPED(buf) first = {.limit = STRATEGIC_PRINT_MAX};
    SCOPED(buf) second = {.limit = STRATEGIC_PRINT_MAX};
    strategic_print(&first, patch);
    strategic_print(&second, order);
    return error_new(
        ERROR_INTERNAL,
        "The order in patch list:\n%.*s\n doesn't match $setElementOrder list:\n%.*s\n",
        STR_ARG(buf_str(&first)), STR_ARG(buf_str(&second)));
}

/* What the patch brings, apart from directives, must be named by the order, in this order. */
static struct error *check_order(const struct json_value *patch, const struct json_value *order,
                                 const char *merge_key)
{
    struct json_iter rest = {.container = order};
    const struct json_value *element, *other;
    struct str unused;
    if (json_count(patch) == 0 || json_count(order) == 0)
        return NULL;
    JSON_FOREACH (key, element, patch)
        if (merge_key && json_type(element) != JSON_OBJECT)
            return merge_error_type(GO_KIND_MAP, go_kind(element));
    JSON_FOREACH (key, element, patch) {
        const struct json_value *directive = json_get(element, STR("$patch"));
        /* Of directives only deletions may come behind the end of the order. */
        if (directive &&
            (str_eq(json_to_str(directive), STR("delete")) || rest.index < json_count(order)))
            continue;
        bool same = false;
        while (!same && json_next(&rest, &unused, &other))
            TRY(same_element(element, other, merge_key, &same));
        if (!same)
            return order_mismatch(patch, order);
    }
    return NULL;
}

/* The two lists of one member, as the object and the patch have them. */
struct ordered {
    struct merge_node *array;
    const struct json_value *patch;
    struct strategic_schema elements;
};

/* The list of the object and that of the patch; either may be absent, and both must be lists. */
static struct error *find_lists(const struct merge_node *object, const struct json_value *patch,
                                struct str name, struct ordered *lists)
{
    lists->array = map_find(&object->members, name);
    lists->patch = json_get(patch, name);
    if (lists->array && lists->array->type != JSON_ARRAY)
        return merge_error_type(GO_KIND_SLICE, go_kind_of_node(lists->array));
    if (lists->patch && json_type(lists->patch) != JSON_ARRAY)
        return merge_error_type(GO_KIND_SLICE, go_kind(lists->patch));
    return NULL;
}

/* Merges the lists; the object has one afterwards. */
static struct error *merge_ordered(struct merge *merge, struct merge_node *object, struct str name,
                                   struct ordered *lists)
{
    const struct json_value *value = lists->patch;
    if (lists->array && !value)
        return NULL;
    if (lists->array && (lists->elements.field->flags & GO_MERGE))
        return merge_list(merge, lists->array, value, lists->elements);
    if (!lists->array)
        TRY(merge_clean(merge, value, CLEAN_DIRECTIVES, &value));
    lists->array = merge_tree_new(&merge->tree, value);
    merge_tree_open(&merge->tree, lists->array);
    map_put(&object->members, name, lists->array);
    return NULL;
}

/* Elements that an order can be given to: objects with the merge key, or scalars without one. */
static struct error *check_elements(const struct items *items, const struct items *order,
                                    const char *merge_key)
{
    for (size_t i = 0; i < items->count; i++) {
        const enum go_kind type = go_kind_of_node(items->list[i].node);
        if (merge_key && type != GO_KIND_MAP)
            return merge_error_type(GO_KIND_MAP, type);
        if (!merge_key && (type == GO_KIND_MAP || type == GO_KIND_SLICE))
            return error_new(ERROR_BAD_REQUEST, "invalid patch format of setElementOrder list");
    }
    for (size_t i = 0; merge_key && items->count > 0 && i < order->count; i++)
        if (json_type(order->list[i].value) != JSON_OBJECT)
            return error_new(ERROR_INTERNAL, "value for key %zu is not a map", i);
    if (!merge_key)
        return NULL;
    TRY(check_keys(items, merge_key));
    return check_keys(order, merge_key);
}

/*
 * Gives the merged list the wanted order. "old" is the order before the patch, for the elements
 * that the wanted one does not name.
 */
static struct error *arrange_list(struct merge *merge, struct merge_node *array,
                                  const struct json_value *order, const struct items *old,
                                  const char *merge_key)
{
    SCOPED(items) merged = {.count = 0};
    SCOPED(items) wanted = {.count = 0};
    items_of_array(&merged, array, merge_key);
    items_of_patch(&wanted, order, merge_key);
    TRY(check_elements(&merged, &wanted, merge_key));
    items_arrange(merge, array, &merged, &wanted, old);
    return merge_tree_check(&merge->tree);
}

/* Whether an element says that the patch replaces the whole list. */
static bool replaces_all(const struct json_value *patch)
{
    const struct json_value *element;
    JSON_FOREACH (key, element, patch)
        if (str_eq(json_to_str(json_get(element, STR("$patch"))), STR("replace")))
            return true;
    return false;
}

/*
 * The old order as upstream sees it after the merge: new elements have moved into the room that
 * deleted ones left at the end of the list, and so count as old.
 */
static void simulate_old_order(struct merge *merge, struct items *old, const struct ordered *lists,
                               const char *merge_key)
{
    SCOPED(items) now = {.count = 0};
    SCOPED(items) patch = {.count = 0};
    size_t kept = 0;
    if (!merge_key || replaces_all(lists->patch))
        return;
    items_of_array(&now, lists->array, merge_key);
    items_of_patch(&patch, lists->patch, merge_key);
    const size_t room = old->count;
    for (size_t i = 0; i < old->count; i++)
        if (items_find(merge, &now, &old->list[i]) != STR_NONE)
            old->list[kept++] = old->list[i];
    old->count = kept;
    for (size_t i = 0; i < patch.count && old->count < room; i++)
        if (items_find(merge, &now, &patch.list[i]) != STR_NONE &&
            items_find(merge, old, &patch.list[i]) == STR_NONE)
            items_add(old, patch.list[i]);
}

/* The steps of "$setElementOrder/<name>": find the lists, check the order, merge, arrange. */
struct error *merge_set_order(struct merge *merge, struct merge_node *object,
                              const struct json_value *patch, struct str name,
                              const struct json_value *order, struct strategic_schema schema)
{
    struct ordered lists = {.array = NULL};
    SCOPED(items) old = {.count = 0};
    enum go_kind type;
    TRY(find_lists(object, patch, name, &lists));
    TRY(strategic_schema_elements(schema, name, &lists.elements));
    const char *merge_key = lists.elements.field->merge_key;
    TRY(check_order(lists.patch, order, merge_key));
    if (!lists.array && !lists.patch)
        return NULL;
    if (lists.array)
        merge_tree_open(&merge->tree, lists.array);
    TRY(merge_element_type(lists.array, lists.patch, &type));
    if (lists.array)
        items_of_array(&old, lists.array, merge_key);
    TRY(merge_ordered(merge, object, name, &lists));
    simulate_old_order(merge, &old, &lists, merge_key);
    return arrange_list(merge, lists.array, order, &old, merge_key);
}
