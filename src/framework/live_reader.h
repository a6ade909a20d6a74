/*
 * Reads live objects: from the framework's caches where possible, from an API server otherwise.
 *
 * A cache may be behind a write that the framework made itself. live_reader_note_write() records
 * such a write, and live_reader_read() asks the server until the cache has caught up with it.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/error.h"
#include "framework/graph.h"

struct cache;
struct framework;

/* One kind on one cluster. */
struct live_reader {
    struct graph_cluster cluster;
    struct gvr gvr;
    bool namespaced;
    struct cache *cache; /* NULL: every read asks the server */
};

/*
 * Looks up where a kind is served. cluster NULL means the management cluster, the only one with
 * caches. Texts of the result live in the arena. Suspends.
 */
MUST_USE struct error *live_reader_find(struct framework *framework, struct arena *arena,
                                        const struct graph_cluster *cluster, struct gvk gvk,
                                        struct live_reader *ret_reader);

/*
 * Reads an object; ERROR_NOT_FOUND. The cache answers if it is synced and has seen every write
 * that was noted for the object. Suspends.
 */
MUST_USE struct error *live_reader_read(struct framework *framework,
                                        const struct live_reader *reader, struct key key,
                                        struct object **ret_object);

/* Records the server's answer to a write: later reads return this version or a newer one. */
void live_reader_note_write(struct framework *framework, const struct live_reader *reader,
                            const struct object *written);
