/*
 * A list is expanded level by level: each pass replaces the lists by their items, in place, until
 * none is left or the depth is reached. So there is no recursion that a manifest controls.
 */
#include "clusterresourceset/types/content_items.h"

#include "base/array.h"
#include "base/memory.h"
#include "json/edit.h"

/*
 * The order in which Cluster API creates kinds. Groups do not count. The last one is "Endpoint"
 * there, too: objects of kind Endpoints come with the others.
 */
static const struct str ranks[] = {
    STR_INIT("Namespace"),
    STR_INIT("CustomResourceDefinition"),
    STR_INIT("StorageClass"),
    STR_INIT("PersistentVolume"),
    STR_INIT("PersistentVolumeClaim"),
    STR_INIT("Secret"),
    STR_INIT("ConfigMap"),
    STR_INIT("ServiceAccount"),
    STR_INIT("LimitRange"),
    STR_INIT("Pod"),
    STR_INIT("ReplicaSet"),
    STR_INIT("Endpoint"),
};

#define RANK_OTHER COUNT(ranks)

void content_items_done(struct content_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        object_free(items->items[i].object);
    mem_free(items->items);
    *items = (struct content_items){0};
}

void content_items_add(struct content_items *items, struct content_item item)
{
    if (!item.bytes)
        item.bytes = CONTENT_OBJECT_BYTES + json_size(object_root(item.object));
    items->bytes += item.bytes;
    ARRAY_PUSH(items->items, items->count, items->capacity, item);
}

static bool are_objects(const struct json_value *array)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, array)
        if (json_type(value) != JSON_OBJECT)
            return false;
    return json_type(array) == JSON_ARRAY;
}

/* A kind may be called AllowList and be no list: an object of that kind has a name. */
static bool is_list(const struct object *object)
{
    const struct str kind = object_kind(object);
    if (!str_ends_with(kind, STR("List")))
        return false;
    const bool fits = str_eq(kind, STR("List"))
                          ? str_eq(object_api_version(object), STR("v1"))
                          : object_name(object).len == 0 && object_generate_name(object).len == 0;
    return fits && are_objects(json_get(object_root(object), STR("items")));
}

static void set_missing(struct json_edit *edit, const struct json_value *item,
                        struct json_place place, struct str value)
{
    if (value.len && !json_get(item, str_from_c(place.path)))
        json_edit_set_str(edit, place, value);
}

/* The item as an object. kind is empty for an item of a v1 List, which must say what it is. */
static struct error *make_item(const struct object *list, const struct json_value *value,
                               struct object **ret_object)
{
    const struct str kind = str_slice(object_kind(list), 0, object_kind(list).len - 4);
    SCOPED(json_edit) edit;
    OWNED(json_doc) doc = NULL;
    json_edit_init(&edit, value);
    if (kind.len) {
        set_missing(&edit, value, JSON_PLACE("apiVersion"), object_api_version(list));
        set_missing(&edit, value, JSON_PLACE("kind"), kind);
    }
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

/*
 * A list of a few kilobytes may hold many empty items, and the long kind of a list is copied into
 * each item: both the number and the bytes are limited.
 */
struct error *content_items_check(const struct content_items *items,
                                  const struct content_items_limits *limits)
{
    if (items->count > limits->objects_max)
        return error_new(ERROR_TOO_LARGE, "more than %zu objects", limits->objects_max);
    if (items->bytes > limits->bytes_max)
        return error_new(ERROR_TOO_LARGE, "the objects take more than %zu bytes",
                         limits->bytes_max);
    return NULL;
}

static struct error *add_list(struct content_items *out, const struct content_item *list,
                              const struct content_items_limits *limits)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_get(object_root(list->object), STR("items"))) {
        struct content_item item = *list;
        item.bytes = 0;
        TRY(make_item(list->object, value, &item.object));
        content_items_add(out, item);
        TRY(content_items_check(out, limits));
    }
    return NULL;
}

/* Moves the items from this index on to another list, which is empty. */
static void cut_items(struct content_items *items, size_t from, struct content_items *out)
{
    for (size_t i = from; i < items->count; i++) {
        items->bytes -= items->items[i].bytes;
        content_items_add(out, items->items[i]);
    }
    items->count = from;
}

/* Expands one level of lists. What comes before them is not looked at again. */
static struct error *expand_once(struct content_items *items, size_t from,
                                 const struct content_items_limits *limits)
{
    SCOPED(content_items) before = {0};
    cut_items(items, from, &before);
    for (size_t i = 0; i < before.count; i++) {
        struct content_item item = before.items[i];
        if (is_list(item.object)) {
            TRY(add_list(items, &item, limits));
            continue;
        }
        object_ref(item.object);
        content_items_add(items, item);
    }
    return NULL;
}

static bool has_list(const struct content_items *items, size_t from)
{
    for (size_t i = from; i < items->count; i++)
        if (is_list(items->items[i].object))
            return true;
    return false;
}

struct error *content_items_expand_within(struct content_items *items, size_t from,
                                          const struct content_items_limits *limits)
{
    for (size_t depth = 0; depth < CONTENT_LIST_DEPTH_MAX && has_list(items, from); depth++)
        TRY(expand_once(items, from, limits));
    return content_items_check(items, limits);
}

struct error *content_items_expand(struct content_items *items, size_t from)
{
    static const struct content_items_limits of_files = {CONTENT_FILE_OBJECTS_MAX, SIZE_MAX};
    return content_items_expand_within(items, from, &of_files);
}

/* Kinds that are not in the table have the last rank. */
size_t content_items_rank(struct str kind)
{
    size_t rank = 0;
    while (rank < RANK_OTHER && !str_eq(kind, ranks[rank]))
        rank++;
    return rank;
}

/* One pass for each rank: the sort has to be stable, and there are few ranks. */
void content_items_sort(struct content_items *items, size_t from)
{
    struct content_item *sorted = NULL;
    const size_t count = items->count - from;
    size_t done = 0;
    if (count < 2)
        return;
    sorted = mem_realloc_array(NULL, count, sizeof(*sorted));
    for (size_t rank = 0; rank <= RANK_OTHER && done < count; rank++)
        for (size_t i = from; i < items->count; i++)
            if (content_items_rank(object_kind(items->items[i].object)) == rank)
                sorted[done++] = items->items[i];
    memcpy(items->items + from, sorted, count * sizeof(*sorted));
    mem_free(sorted);
}
