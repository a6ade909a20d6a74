#include "clusterresourceset/binding_store.h"

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
struct stored_binding {
    struct object_text *written; /* NULL: nothing that the cache may lack */
    struct semaphore turn;
    size_t users;
};

struct binding_store {
    struct loop *loop;
    struct client *client;
    struct cache *cache;
    struct map stored_bindings; /* "namespace/name" -> struct stored_binding */
    size_t sweep_at;
};

static void release_stored_binding(void *value)
{
    struct stored_binding *stored_binding = value;
    object_text_free(stored_binding->written);
    mem_free(stored_binding);
}

struct binding_store *binding_store_new(struct loop *loop, struct client *client,
                                        struct cache *bindings)
{
    struct binding_store *binding_store = NEW(struct binding_store);
    *binding_store = (struct binding_store){.loop = loop,
                                            .client = client,
                                            .cache = bindings,
                                            .stored_bindings = {.release = release_stored_binding},
                                            .sweep_at = SWEEP_MIN};
    return binding_store;
}

void binding_store_free(struct binding_store *binding_store)
{
    if (!binding_store)
        return;
    map_done(&binding_store->stored_bindings);
    mem_free(binding_store);
}

/* The cache has caught up with what we wrote, be it by showing it or by showing it gone. */
static bool is_known(const struct binding_store *binding_store,
                     const struct stored_binding *stored_binding)
{
    int order;
    return !stored_binding->written ||
           (cache_version_cmp(cache_resource_version(binding_store->cache),
                              object_text_resource_version(stored_binding->written), &order) &&
            order >= 0);
}

static void sweep(struct binding_store *binding_store)
{
    if (map_count(&binding_store->stored_bindings) < binding_store->sweep_at)
        return;
    MAP_FOREACH (entry, &binding_store->stored_bindings) {
        const struct stored_binding *stored_binding = entry->value;
        if (!stored_binding->users && is_known(binding_store, stored_binding))
            map_remove(&binding_store->stored_bindings, map_key(entry));
    }
    binding_store->sweep_at = 2 * map_count(&binding_store->stored_bindings) + SWEEP_MIN;
}

static struct stored_binding *find_stored_binding(struct binding_store *binding_store,
                                                  struct key cluster)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, cluster);
    return map_find(&binding_store->stored_bindings, buf_str(&text));
}

static struct stored_binding *open_stored_binding(struct binding_store *binding_store,
                                                  struct key cluster)
{
    SCOPED(buf) text = {.limit = 0};
    key_write(&text, cluster);
    struct stored_binding *stored_binding =
        map_find(&binding_store->stored_bindings, buf_str(&text));
    if (stored_binding)
        return stored_binding;
    sweep(binding_store);
    stored_binding = NEW(struct stored_binding);
    stored_binding->turn.permits = 1;
    map_put(&binding_store->stored_bindings, buf_str(&text), stored_binding);
    return stored_binding;
}

/* A new reference to the newest text, or NULL. */
static struct object_text *newest(struct binding_store *binding_store, struct key cluster)
{
    const struct stored_binding *stored_binding = find_stored_binding(binding_store, cluster);
    if (stored_binding && !is_known(binding_store, stored_binding))
        return object_text_ref(stored_binding->written);
    return cache_get_text(binding_store->cache, cluster);
}

struct object *binding_store_find(struct binding_store *binding_store, struct key cluster)
{
    OWNED(object_text) text = newest(binding_store, cluster);
    struct object *binding = NULL;
    if (text)
        error_free(object_text_read(text, &binding)); /* what a cache keeps can be read */
    return binding;
}

struct str binding_store_version(struct binding_store *binding_store, struct key cluster,
                                 struct arena *arena)
{
    OWNED(object_text) text = newest(binding_store, cluster);
    return text ? arena_str(arena, object_text_resource_version(text)) : (struct str){0};
}

static void note(struct binding_store *binding_store, struct key cluster,
                 const struct object *binding)
{
    struct stored_binding *stored_binding = open_stored_binding(binding_store, cluster);
    if (stored_binding->written &&
        cache_version_is_older(object_resource_version(binding),
                               object_text_resource_version(stored_binding->written)))
        return; /* an answer that was overtaken */
    object_text_free(stored_binding->written);
    stored_binding->written = object_text_new(binding);
}

static void note_gone(struct binding_store *binding_store, struct key cluster)
{
    struct stored_binding *stored_binding = find_stored_binding(binding_store, cluster);
    if (stored_binding) {
        object_text_free(stored_binding->written);
        stored_binding->written = NULL;
    }
}

static struct error *fetch(struct binding_store *binding_store, struct key cluster,
                           struct object **ret_binding)
{
    struct error *err = client_get(binding_store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                                   cluster, NULL, ret_binding);
    if (error_is(err, ERROR_NOT_FOUND))
        note_gone(binding_store, cluster);
    TRY(err);
    note(binding_store, cluster, *ret_binding);
    return NULL;
}

void binding_store_put(struct binding_store *binding_store, const struct object *binding)
{
    note(binding_store, object_key(binding), binding);
}

struct error *binding_store_read(struct binding_store *binding_store, struct key cluster,
                                 struct object **ret_binding)
{
    return fetch(binding_store, cluster, ret_binding);
}

/* One who changes a binding; the others wait. */
struct turn {
    struct stored_binding *stored_binding;
    bool is_taken;
};

static void turn_done(struct turn *turn)
{
    if (turn->is_taken)
        semaphore_give(&turn->stored_binding->turn);
    turn->stored_binding->users--;
}

static struct error *turn_take(struct turn *turn, struct binding_store *binding_store,
                               struct key cluster)
{
    turn->stored_binding = open_stored_binding(binding_store, cluster);
    turn->stored_binding->users++;
    TRY(semaphore_take(&turn->stored_binding->turn));
    turn->is_taken = true;
    return NULL;
}

static struct error *create(struct binding_store *binding_store, struct key cluster,
                            struct owner_reference owner, struct object **ret_binding)
{
    OWNED(object) binding = NULL;
    FIBER_GRACE(FAREWELL);
    TRY(binding_new(cluster, owner, &binding));
    TRY(client_create(binding_store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, binding, NULL,
                      ret_binding));
    note(binding_store, cluster, *ret_binding);
    return NULL;
}

/* What is known may be wrong both ways: gone meanwhile, or made by somebody else. */
static struct error *ensure_in_turn(struct binding_store *binding_store, struct key cluster,
                                    struct owner_reference owner, struct object **ret_binding)
{
    OWNED(object) known = binding_store_find(binding_store, cluster);
    struct error *err = known ? fetch(binding_store, cluster, ret_binding)
                              : create(binding_store, cluster, owner, ret_binding);
    if (!error_is(err, known ? ERROR_NOT_FOUND : ERROR_ALREADY_EXISTS))
        return err;
    error_free(err);
    return known ? create(binding_store, cluster, owner, ret_binding)
                 : fetch(binding_store, cluster, ret_binding);
}

struct error *binding_store_ensure(struct binding_store *binding_store, struct key cluster,
                                   struct owner_reference owner, struct object **ret_binding)
{
    struct turn turn = {0};
    struct error *err = turn_take(&turn, binding_store, cluster);
    if (!err)
        err = ensure_in_turn(binding_store, cluster, owner, ret_binding);
    turn_done(&turn);
    return err;
}

static struct error *patch(struct binding_store *binding_store, struct key cluster,
                           const struct object *before, const struct object *after)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    FIBER_GRACE(FAREWELL);
    TRY(guarded_patch_write(before, object_root(after), &text));
    if (!text.len)
        return NULL;
    struct error *err = client_patch(binding_store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                                     cluster, CLIENT_PATCH_MERGE, buf_str(&text), NULL, &written);
    if (error_is(err, ERROR_NOT_FOUND))
        note_gone(binding_store, cluster);
    TRY(err);
    note(binding_store, cluster, written);
    return NULL;
}

static struct error *delete (struct binding_store *binding_store, struct key cluster,
                             const struct object *before)
{
    const struct client_delete_options options = {
        .uid = object_uid(before), .resource_version = object_resource_version(before)};
    FIBER_GRACE(FAREWELL);
    struct error *err = client_delete(binding_store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                                      cluster, &options, NULL);
    if (!err || err->code == ERROR_NOT_FOUND)
        note_gone(binding_store, cluster);
    return error_ignore(err, ERROR_NOT_FOUND);
}

struct edit {
    binding_store_edit_fn *fn;
    void *data;
    bool may_delete;
};

/* One attempt on a copy of the binding. */
static struct error *attempt(struct binding_store *binding_store, struct key cluster,
                             const struct edit *edit, struct object *binding)
{
    OWNED(object) after = NULL;
    TRY(edit->fn(edit->data, binding, &after));
    if (after == binding)
        return NULL; /* also one that others have just made and not written into yet */
    if (edit->may_delete && binding_is_empty(after))
        return delete (binding_store, cluster, binding);
    return patch(binding_store, cluster, binding, after);
}

/* Begins with what is known; from the second time on, and when nothing is, the server is asked. */
static struct error *edit_in_turn(struct binding_store *binding_store, struct key cluster,
                                  const struct edit *edit)
{
    struct error *err = NULL;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        OWNED(object) binding = i ? NULL : binding_store_find(binding_store, cluster);
        error_free(err);
        if (i)
            TRY(fiber_sleep(PAUSE_MIN + random_below(loop_random(binding_store->loop), PAUSE_MIN)));
        if (!binding)
            TRY(fetch(binding_store, cluster, &binding));
        err = attempt(binding_store, cluster, edit, binding);
        if (!error_is(err, ERROR_CONFLICT))
            return err;
    }
    return err;
}

static struct error *change(struct binding_store *binding_store, struct key cluster,
                            const struct edit *edit)
{
    struct turn turn = {0};
    struct error *err = turn_take(&turn, binding_store, cluster);
    if (!err)
        err = edit_in_turn(binding_store, cluster, edit);
    turn_done(&turn);
    return err;
}

struct error *binding_store_change(struct binding_store *binding_store, struct key cluster,
                                   binding_store_edit_fn *edit, void *data)
{
    return change(binding_store, cluster, &(struct edit){edit, data, false});
}

struct error *binding_store_change_or_delete(struct binding_store *binding_store,
                                             struct key cluster, binding_store_edit_fn *edit,
                                             void *data)
{
    struct error *err = change(binding_store, cluster, &(struct edit){edit, data, true});
    return error_ignore(err, ERROR_NOT_FOUND);
}
