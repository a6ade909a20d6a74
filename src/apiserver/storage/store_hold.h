/*
 * Texts that somebody reads slowly: the items of a list that is being sent, or an event.
 *
 * A hold keeps them for as long as the history knows all changes after their revision. What has
 * been replaced or deleted since is part of the history then, which has a limit of bytes, so that
 * holds take no memory of their own, however many there are and however slow their readers. When
 * the history drops a change, the holds of older revisions are over: their texts are released, and
 * the holder has to say that the revision is too old, as a watch from there would have to. A holder
 * who answers for the memory himself may keep them.
 */
#pragma once

#include "apiserver/storage/store.h"
#include "base/list.h"

struct store_hold {
    struct object_text **items; /* owned by the holder, together with what is left in it */
    size_t count;
    int64_t revision; /* at which the items were read */

    /* Asked once, on the loop, before the hold is over: whether it is not. NULL: it is. */
    bool (*keeps)(void *data);
    void *data;
    /* Private. */
    struct list_link link;
    size_t released;
    bool is_over;
};

/* Items, count and revision are set, and the items stay where they are until the end. */
void store_hold_begin(struct store *store, struct str resource, struct store_hold *hold);

/* Releases no item. A zeroed hold is a no-op, and so is one that has ended. */
void store_hold_end(struct store_hold *hold);
static inline void store_hold_done(struct store_hold *hold)
{
    store_hold_end(hold);
}

/* Hands over one item, which is NULL in the array from then on. ERROR_EXPIRED: the hold is over. */
MUST_USE struct error *store_hold_take(struct store_hold *hold, size_t place,
                                       struct object_text **ret_text);

/* The size of an item; ERROR_EXPIRED as above. */
MUST_USE struct error *store_hold_size(const struct store_hold *hold, size_t place,
                                       size_t *ret_size);

/* A further reference, for a holder that will take the item later. ERROR_EXPIRED as above. */
MUST_USE struct error *store_hold_ref(const struct store_hold *hold, size_t place,
                                      struct object_text **ret_text);
