/*
 * A hold stands in the list of its resource until the history drops a change behind its revision,
 * then in that of history->over until its items are released. That is done in pieces, each in a
 * turn of its own, because a long list has many items, and many lists may be over at once.
 */
#include "apiserver/storage/store_hold.h"

#include <assert.h>

#include "apiserver/storage/store_internal.h"
#include "base/memory.h"

#define PIECE       1024
#define PIECE_BYTES (8 * MEGABYTE)

/* Most stores never have one, and there may be many stores. */
struct store_holds_over {
    struct list holds; /* struct store_hold whose items are to be released */
    struct task release;
};

static void release_item(struct store_hold *hold, size_t *bytes)
{
    struct object_text *text = TAKE(hold->items[hold->released]);
    hold->released++;
    *bytes += text ? object_text_size(text) : 0;
    object_text_free(text);
}

/* Releases a piece, and comes back for the next one. */
static void on_release(void *data)
{
    struct store *store = data;
    struct list *over = &store->history.over->holds;
    size_t bytes = 0;
    for (size_t i = 0; i < PIECE && bytes < PIECE_BYTES && !list_is_empty(over); i++) {
        struct store_hold *hold = LIST_ENTRY(list_first(over), struct store_hold, link);
        if (hold->released < hold->count)
            release_item(hold, &bytes);
        else
            list_remove(&hold->link);
    }
    store_hold_release(store);
}

void store_hold_release(struct store *store)
{
    struct store_holds_over *over = store->history.over;
    if (!over || list_is_empty(&over->holds))
        return;
    over->release.run = on_release;
    over->release.name = "store hold release";
    over->release.data = store;
    loop_post(store->loop, &over->release);
}

void store_hold_forget(struct store_history *history)
{
    if (!history->over)
        return;
    assert(list_is_empty(&history->over->holds));
    loop_withdraw(&history->over->release);
    mem_free(TAKE(history->over));
}

static struct list *list_over(struct store_history *history)
{
    if (!history->over) {
        history->over = NEW(struct store_holds_over);
        list_init(&history->over->holds);
    }
    return &history->over->holds;
}

static void end_hold(struct store_history *history, struct store_hold *hold)
{
    list_remove(&hold->link);
    if (hold->keeps && hold->keeps(hold->data))
        return;
    hold->is_over = true;
    list_append(list_over(history), &hold->link);
}

void store_hold_dropped(struct store_history *history, struct store_resource *resource)
{
    LIST_FOREACH (struct store_hold, hold, &resource->holds, link)
        if (hold->revision < resource->events.dropped)
            end_hold(history, hold);
}

void store_hold_begin(struct store *store, struct str resource, struct store_hold *hold)
{
    struct store_resource *found = store_ensure_resource(store, resource);
    assert(!list_link_is_in(&hold->link));
    list_append(&found->holds, &hold->link);
    struct error *err = store_check_history(store, found, hold->revision);
    if (!err)
        return;
    error_free(err);
    end_hold(&store->history, hold);
    store_hold_release(store);
}

void store_hold_end(struct store_hold *hold)
{
    list_remove(&hold->link);
}

static struct error *check_hold(const struct store_hold *hold)
{
    return hold->is_over ? error_new(ERROR_EXPIRED, "too old resource version: %lld",
                                     (long long)hold->revision)
                         : NULL;
}

struct error *store_hold_take(struct store_hold *hold, size_t place, struct object_text **ret_text)
{
    TRY(check_hold(hold));
    *ret_text = TAKE(hold->items[place]);
    return NULL;
}

struct error *store_hold_ref(const struct store_hold *hold, size_t place,
                             struct object_text **ret_text)
{
    TRY(check_hold(hold));
    *ret_text = object_text_ref(hold->items[place]);
    return NULL;
}

struct error *store_hold_size(const struct store_hold *hold, size_t place, size_t *ret_size)
{
    TRY(check_hold(hold));
    *ret_size = object_text_size(hold->items[place]);
    return NULL;
}
