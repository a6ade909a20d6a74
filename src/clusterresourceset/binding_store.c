/*
 * Reads are answered by own_writes: the cache, overlaid with what this process wrote. Every answer
 * of the server goes there through own_writes_put() or own_writes_forget().
 *
 * Writes go through change_binding(): take the lock of the binding, edit the newest copy, patch,
 * and on a conflict read and edit again. A lock exists only while a writer holds it or waits for
 * it.
 */
#include "clusterresourceset/binding_store.h"

#include "apimachinery/guarded_patch.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/semaphore.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/own_writes.h"

#define ATTEMPTS  5
#define PAUSE_MIN (10 * MILLISECOND)
#define GRACE     (8 * SECOND) /* a write that has begun may end although its fiber is cancelled */

struct binding_store {
    struct loop *loop;
    struct client *client;
    struct own_writes *bindings;
    struct map locks; /* "namespace/name" -> struct binding_lock */
};

/* Writers of one binding, one at a time. */
struct binding_lock {
    struct semaphore semaphore;
    size_t users; /* the holder and the waiting writers */
};

struct binding_store *binding_store_new(struct loop *loop, struct client *client,
                                        struct cache *bindings)
{
    struct binding_store *store = NEW(struct binding_store);
    *store = (struct binding_store){.loop = loop,
                                    .client = client,
                                    .bindings = own_writes_new(bindings, OWN_WRITES_OBJECTS),
                                    .locks = {.release = mem_free}};
    return store;
}

void binding_store_free(struct binding_store *store)
{
    if (!store)
        return;
    own_writes_free(store->bindings);
    map_done(&store->locks);
    mem_free(store);
}

/* A text that was stored can be read, so that the error is never set. */
struct object *binding_store_find(struct binding_store *store, struct key cluster)
{
    OWNED(object_text) text = own_writes_get_text(store->bindings, cluster);
    struct object *binding = NULL;
    if (text)
        error_free(object_text_read(text, &binding));
    return binding;
}

struct str binding_store_version(struct binding_store *store, struct key cluster,
                                 struct arena *arena)
{
    OWNED(object_text) text = own_writes_get_text(store->bindings, cluster);
    return text ? arena_str(arena, object_text_resource_version(text)) : (struct str){0};
}

void binding_store_put(struct binding_store *store, const struct object *binding)
{
    own_writes_put(store->bindings, binding);
}

struct error *binding_store_read(struct binding_store *store, struct key cluster,
                                 struct object **ret_binding)
{
    struct error *err =
        client_get(store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster, NULL, ret_binding);
    if (error_is(err, ERROR_NOT_FOUND))
        own_writes_forget(store->bindings, cluster);
    TRY(err);
    own_writes_put(store->bindings, *ret_binding);
    return NULL;
}

static void leave_lock(struct binding_store *store, struct str key, struct binding_lock *lock)
{
    if (!--lock->users)
        map_remove(&store->locks, key);
}

/* Suspends. After an error the lock is not held and must not be given back. */
static struct error *lock_binding(struct binding_store *store, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    struct binding_lock *lock = map_find(&store->locks, buf_str(&key));
    if (!lock) {
        lock = NEW(struct binding_lock);
        lock->semaphore.permits = 1;
        map_put(&store->locks, buf_str(&key), lock);
    }
    lock->users++;
    struct error *err = semaphore_take(&lock->semaphore);
    if (err)
        leave_lock(store, buf_str(&key), lock);
    return err;
}

static void unlock_binding(struct binding_store *store, struct key cluster)
{
    SCOPED(buf) key = {.limit = 0};
    key_write(&key, cluster);
    struct binding_lock *lock = map_find(&store->locks, buf_str(&key));
    semaphore_give(&lock->semaphore);
    leave_lock(store, buf_str(&key), lock);
}

static struct error *create_binding(struct binding_store *store, struct key cluster,
                                    struct owner_reference owner, struct object **ret_binding)
{
    OWNED(object) binding = NULL;
    FIBER_GRACE(GRACE);
    TRY(binding_new(cluster, owner, &binding));
    TRY(client_create(store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, binding, NULL,
                      ret_binding));
    own_writes_put(store->bindings, *ret_binding);
    return NULL;
}

/*
 * What is known may be wrong both ways: the binding was deleted meanwhile, or another process has
 * created it. The request that is likely to succeed comes first, and the other one follows.
 */
static struct error *ensure_locked_binding(struct binding_store *store, struct key cluster,
                                           struct owner_reference owner,
                                           struct object **ret_binding)
{
    OWNED(object) known = binding_store_find(store, cluster);
    struct error *err = known ? binding_store_read(store, cluster, ret_binding)
                              : create_binding(store, cluster, owner, ret_binding);
    if (!error_is(err, known ? ERROR_NOT_FOUND : ERROR_ALREADY_EXISTS))
        return err;
    error_free(err);
    return known ? create_binding(store, cluster, owner, ret_binding)
                 : binding_store_read(store, cluster, ret_binding);
}

struct error *binding_store_ensure(struct binding_store *store, struct key cluster,
                                   struct owner_reference owner, struct object **ret_binding)
{
    TRY(lock_binding(store, cluster));
    struct error *err = ensure_locked_binding(store, cluster, owner, ret_binding);
    unlock_binding(store, cluster);
    return err;
}

static struct error *patch_binding(struct binding_store *store, struct key cluster,
                                   const struct object *before, const struct object *after)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    FIBER_GRACE(GRACE);
    TRY(guarded_patch_write(before, object_root(after), &text));
    if (!text.len)
        return NULL;
    struct error *err = client_patch(store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster,
                                     CLIENT_PATCH_MERGE, buf_str(&text), NULL, &written);
    if (error_is(err, ERROR_NOT_FOUND))
        own_writes_forget(store->bindings, cluster);
    TRY(err);
    own_writes_put(store->bindings, written);
    return NULL;
}

/* The version protects an entry that another process has just added. */
static struct error *delete_binding(struct binding_store *store, struct key cluster,
                                    const struct object *before)
{
    const struct client_delete_options options = {
        .uid = object_uid(before), .resource_version = object_resource_version(before)};
    FIBER_GRACE(GRACE);
    struct error *err =
        client_delete(store->client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, cluster, &options, NULL);
    if (!err || err->code == ERROR_NOT_FOUND)
        own_writes_forget(store->bindings, cluster);
    return error_ignore(err, ERROR_NOT_FOUND);
}

struct binding_edit {
    binding_store_edit_fn *fn;
    void *data;
    bool may_delete;
};

/*
 * An edit that changes nothing makes no request, not even to delete a binding without entries:
 * another set may have created it just now and not written its entry yet.
 */
static struct error *write_edit(struct binding_store *store, struct key cluster,
                                const struct binding_edit *edit, struct object *binding)
{
    OWNED(object) after = NULL;
    TRY(edit->fn(edit->data, binding, &after));
    if (after == binding)
        return NULL;
    if (edit->may_delete && binding_is_empty(after))
        return delete_binding(store, cluster, binding);
    return patch_binding(store, cluster, binding, after);
}

/* Begins with the copy that is known. After a conflict, or if none is known, reads from the server.
 */
static struct error *edit_locked_binding(struct binding_store *store, struct key cluster,
                                         const struct binding_edit *edit)
{
    struct error *err = NULL;
    for (size_t i = 0; i < ATTEMPTS; i++) {
        OWNED(object) binding = i ? NULL : binding_store_find(store, cluster);
        error_free(err);
        if (i)
            TRY(fiber_sleep(PAUSE_MIN + random_below(loop_random(store->loop), PAUSE_MIN)));
        if (!binding)
            TRY(binding_store_read(store, cluster, &binding));
        err = write_edit(store, cluster, edit, binding);
        if (!error_is(err, ERROR_CONFLICT))
            return err;
    }
    return err;
}

static struct error *change_binding(struct binding_store *store, struct key cluster,
                                    const struct binding_edit *edit)
{
    TRY(lock_binding(store, cluster));
    struct error *err = edit_locked_binding(store, cluster, edit);
    unlock_binding(store, cluster);
    return err;
}

struct error *binding_store_change(struct binding_store *store, struct key cluster,
                                   binding_store_edit_fn *edit, void *data)
{
    return change_binding(store, cluster, &(struct binding_edit){edit, data, false});
}

struct error *binding_store_change_or_delete(struct binding_store *store, struct key cluster,
                                             binding_store_edit_fn *edit, void *data)
{
    struct error *err = change_binding(store, cluster, &(struct binding_edit){edit, data, true});
    return error_ignore(err, ERROR_NOT_FOUND);
}
