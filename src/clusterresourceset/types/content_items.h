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
    size_t bytes;    /* that the object takes; 0: content_items_add() counts them */
};

struct content_items {
    struct content_item *items;
    size_t count, capacity;
    size_t bytes; /* of all objects, with CONTENT_OBJECT_BYTES for each */
};

/* What an object takes beside its values and texts. */
#define CONTENT_OBJECT_BYTES (2 * KILOBYTE)

struct content_items_limits {
    size_t objects_max, bytes_max;
};

void content_items_done(struct content_items *items);

/* Takes the object. */
void content_items_add(struct content_items *items, struct content_item item);

/* More objects of one ConfigMap or Secret than this are refused. */
#define CONTENT_OBJECTS_MAX 10000

/* More objects of files on the computer of a user than this are refused. */
#define CONTENT_FILE_OBJECTS_MAX 100000

/* Lists in lists are expanded down to this depth. */
#define CONTENT_LIST_DEPTH_MAX 8

/*
 * Replaces every list from index `from` on by its items. A list is a List of v1, or an object whose
 * kind ends in "List" and that has no name; its items must be objects. Items of a typed list, say a
 * ConfigMapList, may lack apiVersion and kind: the kind of the list tells them. ERROR_TOO_LARGE
 * past a limit, before there is more; items from that index on are lost then.
 */
MUST_USE struct error *content_items_expand_within(struct content_items *items, size_t from,
                                                   const struct content_items_limits *limits);

/* The same for files, with no limit but CONTENT_FILE_OBJECTS_MAX. */
MUST_USE struct error *content_items_expand(struct content_items *items, size_t from);

/* ERROR_TOO_LARGE past a limit. */
MUST_USE struct error *content_items_check(const struct content_items *items,
                                           const struct content_items_limits *limits);

/* The place of a kind in the order in which objects are applied: a lower one comes earlier. */
size_t content_items_rank(struct str kind);

/* By the rank of the kind: Namespaces first, other kinds last. Equal ranks keep their order. */
void content_items_sort(struct content_items *items, size_t from);
