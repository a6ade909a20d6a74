/*
 * The answer to a list request: objects, and the metadata of the page.
 *
 *     TRY(object_list_from_doc(arena, doc, &list), "read list");
 *     for (size_t i = 0; i < list.count; i++)
 *         use(list.items[i]);
 *
 * Items share the document of the list. It lives as long as the arena, or longer while an item has
 * a reference. Items of typed lists have no apiVersion and kind of their own and take them from the
 * list ("ConfigMapList" lists "ConfigMap").
 */
#pragma once

#include "apimachinery/object.h"

struct object_list {
    struct str api_version, kind;
    struct str resource_version;
    struct str continue_token; /* empty on the last page */
    bool has_remaining_item_count;
    int64_t remaining_item_count;
    struct object **items; /* held by the arena */
    size_t count;
};

/* ERROR_INVALID when the document has no items or one of them is no object. */
MUST_USE struct error *object_list_from_doc(struct arena *arena, struct json_doc *doc,
                                            struct object_list *ret_list);
