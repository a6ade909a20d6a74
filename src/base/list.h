/*
 * Intrusive doubly linked lists: the link is a member of the element, so adding and removing
 * neither allocates nor searches. A list head must be initialised. A link of zero bytes is in no
 * list.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/owned.h"

struct list_link {
    struct list_link *next, *prev;
};

struct list {
    struct list_link head;
};

static inline void list_init(struct list *list)
{
    list->head.next = list->head.prev = &list->head;
}

static inline bool list_is_empty(const struct list *list)
{
    return list->head.next == &list->head;
}

static inline bool list_link_is_in(const struct list_link *link)
{
    return link->next != NULL;
}

static inline void list_link_after(struct list_link *place, struct list_link *link)
{
    link->prev = place;
    link->next = place->next;
    place->next->prev = link;
    place->next = link;
}

static inline void list_append(struct list *list, struct list_link *link)
{
    list_link_after(list->head.prev, link);
}

static inline void list_prepend(struct list *list, struct list_link *link)
{
    list_link_after(&list->head, link);
}

/* Does nothing to a link that is in no list. */
static inline void list_remove(struct list_link *link)
{
    if (!link->next)
        return;
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->next = link->prev = NULL;
}

/* The first link, or NULL. */
static inline struct list_link *list_first(const struct list *list)
{
    return list_is_empty(list) ? NULL : list->head.next;
}

/* Removes and returns the first link, or NULL. */
static inline struct list_link *list_take_first(struct list *list)
{
    struct list_link *link = list_first(list);
    if (link)
        list_remove(link);
    return link;
}

/* Moves every element of other to the end of list; other is empty afterwards. */
static inline void list_append_all(struct list *list, struct list *other)
{
    if (list_is_empty(other))
        return;
    other->head.next->prev = list->head.prev;
    list->head.prev->next = other->head.next;
    other->head.prev->next = &list->head;
    list->head.prev = other->head.prev;
    list_init(other);
}

#define LIST_ENTRY(link, type, member) CONTAINER_OF(link, type, member)

/*
 * The state of a LIST_FOREACH. The next link is read before the body runs, so the body may free its
 * element.
 */
struct list_walk {
    const struct list_link *head;
    struct list_link *link, *next;
    bool in_body; /* still set behind the body when that was left by break */
};

static inline struct list_walk list_walk(const struct list *list)
{
    struct list_link *first = list->head.next;
    return (struct list_walk){&list->head, first, first->next, false};
}

static inline bool list_walk_has_more(const struct list_walk *walk)
{
    return !walk->in_body && walk->link != walk->head;
}

static inline void list_walk_advance(struct list_walk *walk)
{
    if (walk->in_body)
        return;
    walk->link = walk->next;
    walk->next = walk->link->next;
}

/*
 * Visits every element. The body may remove or free the current element, and no other:
 *     LIST_FOREACH(struct item, item, &list, link) use(item);
 */
#define LIST_FOREACH(type, var, list_ptr, member)                                                  \
    for (struct list_walk var##_walk_ = list_walk(list_ptr); list_walk_has_more(&var##_walk_);     \
         list_walk_advance(&var##_walk_))                                                          \
        for (type *var = (var##_walk_.in_body = true, LIST_ENTRY(var##_walk_.link, type, member)); \
             var##_walk_.in_body; var##_walk_.in_body = false)
