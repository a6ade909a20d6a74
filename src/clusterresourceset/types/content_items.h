/*
 * A list of objects between parsing and applying, each with the place it comes from.
 *
 * For content.c, which reads what clusters get, and content_resources.c, which reads ConfigMaps and
 * Secrets from files. Both expand lists; content.c also sorts.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct content_item {
    struct object *object;
    struct str key;  /* of the value; borrowed */
    size_t document; /* number of the document in the value, from 1 */
};

struct content_items {
    struct content_item *items;
    size_t count, capacity;
};

void content_items_done(struct content_items *items);

/* Takes the object. */
void content_items_add(struct content_items *items, struct content_item item);

/* More objects than this are refused. */
#define CONTENT_OBJECTS_MAX 100000

/* Lists in lists are expanded down to this depth. */
#define CONTENT_LIST_DEPTH_MAX 8

/*
 * Replaces every list from index `from` on by its items. A list is a List of v1, or an object whose
 * kind ends in "List" and that has no name; its items must be objects. Items of a typed list, say a
 * ConfigMapList, may lack apiVersion and kind: the kind of the list tells them. ERROR_TOO_LARGE
 * past CONTENT_OBJECTS_MAX.
 */
MUST_USE struct error *content_items_expand(struct content_items *items, size_t from);

/* The place of a kind in the order in which objects are applied: a lower one comes earlier. */
size_t content_items_rank(struct str kind);

/* By the rank of the kind: Namespaces first, other kinds last. Equal ranks keep their order. */
void content_items_sort(struct content_items *items, size_t from);
