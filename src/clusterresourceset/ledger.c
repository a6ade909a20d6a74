#include "clusterresourceset/ledger.h"

#include "apimachinery/guarded_patch.h"
#include "apimachinery/object_text.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/semaphore.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/cache.h"
#include "controller/cache/cache_version.h"

#define ATTEMPTS  5
#define PAUSE_MIN (10 * MILLISECOND)
#define SWEEP_MIN 64
#define FAREWELL  (8 * SECOND) /* a write that has begun is waited for, even by who must stop */

/* What is known of one binding beyond the cache. */
struct page {
    struct object_text *written; /* NULL: nothing that the cache may lack */
    struct semaphore turn;
    size_t users;
};

struct ledger {
    struct loop *loop;
    struct client *client;
    struct cache *cache;
    struct map pages; /* "namespace/name" -> struct page */
    size_t sweep_at;
};

static void release_page(void *value)
{
    struct page *page = value;
    object_text_free(page->written);
    mem_free(page);
}

struct ledger *ledger_new(struct loop *loop, struct client *client, struct cache *bindings)
{
    struct ledger *ledger = NEW(struct ledger);
    *ledger = (struct ledger){.loop = loop,
                              .client = client,
                              .cache = bindings,
                              .pages = {.release = release_page},
                              .sweep_at = SWEEP_MIN};
    return ledger;
}

void ledger_free(struct ledger *ledger)
{
    if (!ledger)
        return;
    map_done(&ledger->pages);
    mem_free(ledger);
}

/* The cache has caught up with what we wrote, be it by showing it or by showing it gone. */
static bool is_known(const struct ledger *ledger, const struct page *page)
{
    int order;
    return !page->written ||
           (cache_version_cmp(cache_resource_version(ledger->cache),
                              object_text_resource_version(page->written), &order) &&
            order >= 0);
}

static void sweep(struct ledger *ledger)
{
    if (map_count(&ledger->pages) < ledger->sweep_at)
        return;
    MAP_FOREACH (entry, &ledger->pages) {
        const struct page *page = entry->value;
        if (!page->users && is_known(ledger, page))
            map_remove(&ledger->pages, map_key(entry));
    }
    ledger->sweep_at = 2 * map_count(&ledger->pages) + SWEEP_MIN;
}

static struct page *find_page(struct ledger *ledger, struct key cluster)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, cluster);
    return map_find(&ledger->pages, buf_str(&text));
}

static struct page *open_page(struct ledger *ledger, struct key cluster)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, cluster);
    struct page *page = map_find(&ledger->pages, buf_str(&text));
    if (page)
        return page;
    sweep(ledger);
    page = NEW(struct page);
    page->turn.permits = 1;
    map_put(&ledger->pages, buf_str(&text), page);
    return page;
}

/* A new reference to the newest text, or NULL. */
static struct object_text *newest(struct ledger *ledger, struct key cluster)
{
    const struct page *page = find_page(ledger, cluster);
    if (page && !is_known(ledger, page))
        return object_text_ref(page->written);
    return cache_get_text(ledger->cache, cluster);
}

struct object *ledger_peek(struct ledger *ledger, struct key cluster)
{
    OWNED(object_text) text = newest(ledger, cluster);
    struct object *binding = NULL;
    if (text)
        error_free(object_text_read(text, &binding)); /* what a cache keeps can be read */
    return binding;
}

struct str ledger_version(struct ledger *ledger, struct key cluster, struct arena *arena)
{
    OWNED(object_text) text = newest(ledger, cluster);
    return text ? arena_str(arena, object_text_resource_version(text)) : (struct str){0};
}

static void note(struct ledger *ledger, struct key cluster, const struct object *binding)
{
    struct page *page = open_page(ledger, cluster);
    if (page->written && cache_version_is_older(object_resource_version(binding),
                                                object_text_resource_version(page->written)))
        return; /* an answer that was overtaken */
    object_text_free(page->written);
    page->written = object_text_new(binding);
}

static void note_gone(struct ledger *ledger, struct key cluster)
{
    struct page *page = find_page(ledger, cluster);
    if (page) {
        object_text_free(page->written);
        page->written = NULL;
    }
}

static struct error *fetch(struct ledger *ledger, struct key cluster, struct object **ret_binding)
{
    struct error *err =
        client_get(ledger->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster, NULL, ret_binding);
    if (error_is(err, ERROR_NOT_FOUND))
        note_gone(ledger, cluster);
    TRY(err);
    note(ledger, cluster, *ret_binding);
    return NULL;
}

void ledger_put(struct ledger *ledger, const struct object *binding)
{
    note(ledger, object_key(binding), binding);
}

struct error *ledger_read(struct ledger *ledger, struct key cluster, struct object **ret_binding)
{
    return fetch(ledger, cluster, ret_binding);
}

/* One who changes a binding; the others wait. */
struct turn {
    struct page *page;
    bool is_taken;
};

static void turn_done(struct turn *turn)
{
    if (turn->is_taken)
        semaphore_give(&turn->page->turn);
    turn->page->users--;
}

static struct error *turn_take(struct turn *turn, struct ledger *ledger, struct key cluster)
{
    turn->page = open_page(ledger, cluster);
    turn->page->users++;
    TRY(semaphore_take(&turn->page->turn));
    turn->is_taken = true;
    return NULL;
}

static struct error *create(struct ledger *ledger, struct key cluster, struct owner_reference owner,
                            struct object **ret_binding)
{
    OWNED(object) binding = NULL;
    FIBER_GRACE(FAREWELL);
    TRY(binding_new(cluster, owner, &binding));
    TRY(client_create(ledger->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, binding, NULL,
                      ret_binding));
    note(ledger, cluster, *ret_binding);
    return NULL;
}

/* What is known may be wrong both ways: gone meanwhile, or made by somebody else. */
static struct error *ensure_in_turn(struct ledger *ledger, struct key cluster,
                                    struct owner_reference owner, struct object **ret_binding)
{
    OWNED(object) known = ledger_peek(ledger, cluster);
    struct error *err =
        known ? fetch(ledger, cluster, ret_binding) : create(ledger, cluster, owner, ret_binding);
    if (!error_is(err, known ? ERROR_NOT_FOUND : ERROR_ALREADY_EXISTS))
        return err;
    error_free(err);
    return known ? create(ledger, cluster, owner, ret_binding)
                 : fetch(ledger, cluster, ret_binding);
}

struct error *ledger_ensure(struct ledger *ledger, struct key cluster, struct owner_reference owner,
                            struct object **ret_binding)
{
    struct turn turn = {0};
    struct error *err = turn_take(&turn, ledger, cluster);
    if (!err)
        err = ensure_in_turn(ledger, cluster, owner, ret_binding);
    turn_done(&turn);
    return err;
}

static struct error *patch(struct ledger *ledger, struct key cluster, const struct object *before,
                           const struct object *after)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    FIBER_GRACE(FAREWELL);
    TRY(guarded_patch_write(before, object_root(after), &text));
    if (!text.len)
        return NULL;
    struct error *err = client_patch(ledger->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster,
                                     CLIENT_PATCH_MERGE, buf_str(&text), NULL, &written);
    if (error_is(err, ERROR_NOT_FOUND))
        note_gone(ledger, cluster);
    TRY(err);
    note(ledger, cluster, written);
    return NULL;
}

static struct error *delete (struct ledger *ledger, struct key cluster, const struct object *before)
{
    const struct client_delete_options options = {
        .uid = object_uid(before), .resource_version = object_resource_version(before)};
    FIBER_GRACE(FAREWELL);
    struct error *err =
        client_delete(ledger->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster, &options, NULL);
    if (!err || err->code == ERROR_NOT_FOUND)
        note_gone(ledger, cluster);
    return error_ignore(err, ERROR_NOT_FOUND);
}

struct edit {
    ledger_edit_fn *fn;
    void *data;
    bool may_delete;
};

/* One attempt on a copy of the binding. */
static struct error *attempt(struct ledger *ledger, struct key cluster, const struct edit *edit,
                             struct object *binding)
{
    OWNED(object) after = NULL;
    TRY(edit->fn(edit->data, binding, &after));
    if (after == binding)
        return NULL; /* also one that others have just made and not written into yet */
    if (edit->may_delete && binding_is_empty(after))
        return delete (ledger, cluster, binding);
    return patch(ledger, cluster, binding, after);
}

/* Begins with what is known; from the second time on, and when nothing is, the server is asked. */
static struct error *edit_in_turn(struct ledger *ledger, struct key cluster,
                                  const struct edit *edit)
{
    struct error *err = NULL;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        OWNED(object) binding = i ? NULL : ledger_peek(ledger, cluster);
        error_free(err);
        if (i)
            TRY(fiber_sleep(PAUSE_MIN + random_below(loop_random(ledger->loop), PAUSE_MIN)));
        if (!binding)
            TRY(fetch(ledger, cluster, &binding));
        err = attempt(ledger, cluster, edit, binding);
        if (!error_is(err, ERROR_CONFLICT))
            return err;
    }
    return err;
}

static struct error *change(struct ledger *ledger, struct key cluster, const struct edit *edit)
{
    struct turn turn = {0};
    struct error *err = turn_take(&turn, ledger, cluster);
    if (!err)
        err = edit_in_turn(ledger, cluster, edit);
    turn_done(&turn);
    return err;
}

struct error *ledger_change(struct ledger *ledger, struct key cluster, ledger_edit_fn *edit,
                            void *data)
{
    return change(ledger, cluster, &(struct edit){edit, data, false});
}

struct error *ledger_withdraw(struct ledger *ledger, struct key cluster, ledger_edit_fn *edit,
                              void *data)
{
    struct error *err = change(ledger, cluster, &(struct edit){edit, data, true});
    return error_ignore(err, ERROR_NOT_FOUND);
}
