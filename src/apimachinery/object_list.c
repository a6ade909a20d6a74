/*
 * A list of objects from the answer to a list request.
 */
#include "apimachinery/object_list.h"

#include "json/path.h"

/*
 * "ConfigMapList" lists "ConfigMap". A list without that suffix, such as "List", has typed items.
 */
static struct str item_kind(struct str list_kind)
{
    const struct str suffix = STR("List");
    return str_ends_with(list_kind, suffix) ? str_slice(list_kind, 0, list_kind.len - suffix.len)
                                            : STR("");
}

static struct error *read_items(struct arena *arena, struct json_doc *doc,
                                const struct json_value *items, struct object_list *list)
{
    const struct json_value *value;
    const struct str kind = item_kind(list->kind);
    list->items = arena_alloc_array(arena, json_count(items), sizeof(struct object *));
    JSON_FOREACH (key, value, items) {
        OWNED(object) object = NULL;
        TRY(object_from_part(doc, value, list->api_version, kind, &object), "items[%zu]",
            list->count);
        list->items[list->count++] = object_hold(arena, object);
    }
    return NULL;
}

/*
 * A Go server writes an empty list as null when its slice is nil, so null items are an empty list.
 */
struct error *object_list_from_doc(struct arena *arena, struct json_doc *doc,
                                   struct object_list *ret_list)
{
    const struct json_value *root = json_doc_root(doc), *items = json_get(root, STR("items"));
    if (json_type(items) != JSON_ARRAY && json_type(items) != JSON_NULL)
        return error_new(ERROR_INVALID, "expected a list with items, found %s",
                         json_type_name(json_type(items ? items : root)));
    struct object_list list = {
        .api_version = json_path_str(root, "apiVersion"),
        .kind = json_path_str(root, "kind"),
        .resource_version = json_path_str(root, "metadata.resourceVersion"),
        .continue_token = json_path_str(root, "metadata.continue"),
    };
    list.has_remaining_item_count =
        json_to_int64(json_path(root, "metadata.remainingItemCount"), &list.remaining_item_count);
    json_doc_hold(arena, json_doc_ref(doc));
    TRY(read_items(arena, doc, items, &list));
    TRY(arena_check(arena), "read list");
    *ret_list = list;
    return NULL;
}
