/*
 * Own writes: what this process wrote and a cache may not have seen yet.
 *
 * A cache follows its server with a delay. A reconcile that reads from the cache right after a
 * write would see the state before the write and do its work twice. An own_writes remembers the
 * answer to each write, by key, until the cache has caught up with it:
 *
 *     struct own_writes *writes = own_writes_new(cache, OWN_WRITES_OBJECTS);
 *     TRY(client_patch(client, gvr, key, CLIENT_PATCH_MERGE, patch, NULL, &answer));
 *     own_writes_put(writes, answer);
 *     OWNED(object_text) newest = own_writes_get_text(writes, key);
 *
 * The cache has caught up with a write as soon as cache_resource_version() is not older than the
 * resourceVersion of the answer. This also covers an object that another client has deleted since:
 * the cache then knows a newer version and no object, and that is the answer. Versions that cannot
 * be compared (see cache_version.h) never count as caught up with.
 *
 * There are two ways to use it:
 * - OWN_WRITES_OBJECTS keeps the written objects. own_writes_get_text() answers reads with the
 *   newer of the written object and the cached one, without a request.
 * - OWN_WRITES_VERSIONS keeps nothing but the versions. The caller asks own_writes_is_behind()
 *   before it reads from the cache, and reads from the server instead if that is true.
 *
 * Every answer of the server may be put, that of a GET too: own_writes_put() ignores an object that
 * is older than the one it remembers. A deletion has no version to wait for. When the server says
 * that the object is gone, call own_writes_forget(); reads are then answered by the cache alone.
 *
 * An entry is dropped when a read finds that the cache has caught up with it. Entries that no one
 * reads are dropped when their number has doubled since the last time. The caller needs no timer
 * and no handler, and may put as many keys as it likes.
 *
 * Nothing suspends. All calls are made on the loop's thread. The cache must outlive the own_writes.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "apimachinery/object_text.h"
#include "base/owned.h"

struct cache;
struct own_writes;

enum own_writes_kept {
    OWN_WRITES_VERSIONS,
    OWN_WRITES_OBJECTS,
};

struct own_writes *own_writes_new(struct cache *cache, enum own_writes_kept kept);
void own_writes_free(struct own_writes *writes);
DEFINE_OWNED(own_writes)

/* Remembers an object as the server returned it, under the object's key. */
void own_writes_put(struct own_writes *writes, const struct object *written);

/* The server says that the object does not exist. A key that is not remembered is fine. */
void own_writes_forget(struct own_writes *writes, struct key key);

/* True if the cache has not yet seen the last write to this key. */
bool own_writes_is_behind(struct own_writes *writes, struct key key);

/*
 * A new reference to the newest object that is known without asking the server; NULL if there is
 * none. For OWN_WRITES_OBJECTS only.
 */
struct object_text *own_writes_get_text(struct own_writes *writes, struct key key);
