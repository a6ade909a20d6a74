/*
 * Objects on their way from documents to clusters: in order of appearance, lists expanded, sorted.
 * Private to what reads manifests.
 */
#pragma once

#include <stddef.h>

#include "apimachinery/object.h"
#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"

struct content_item {
    struct object *object;
    struct str key;  /* borrowed: of the value it comes from */
    size_t document; /* place among the value's documents, from 1 */
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

/* Lists inside of lists are expanded so deep; what is deeper stays a list. */
#define CONTENT_LIST_DEPTH_MAX 8

/*
 * Puts in the place of every list from here on what it holds. A list is of v1 and kind List, or of
 * a kind that ends in "List", has no name, and has items that are objects; those of the latter kind
 * need not say what they are. ERROR_TOO_LARGE past CONTENT_OBJECTS_MAX.
 */
MUST_USE struct error *content_items_expand(struct content_items *items, size_t from);

/* By the rank of the kind: Namespaces first, unknown kinds last, the order kept among equals. */
void content_items_sort(struct content_items *items, size_t from);
