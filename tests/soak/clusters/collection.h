/*
 * The collection of one resource as an API server serves it: get, list, streaming list, watch.
 *
 * The number of objects is fixed, and the only event is that one of them changes. The text of an
 * object is written each time it is sent.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "async/event.h"
#include "base/buf.h"
#include "base/error.h"
#include "http/server.h"

struct collection;

/* The object's members behind apiVersion and kind: `"metadata":{…},…`. */
typedef void collection_write_fn(void *data, size_t index, uint64_t version, struct buf *out);

struct collection {
    const char *api_version, *kind;
    collection_write_fn *write;
    void *data;
    uint64_t *versions; /* the resourceVersion of each object */
    size_t count;
    uint64_t revision; /* the newest resourceVersion */
    struct event changed;

    size_t lists;   /* lists that were answered, streaming lists included */
    size_t streams; /* open watches */
};

void collection_init(struct collection *collection, size_t count);
void collection_done(struct collection *collection); /* no request may be served any more */

void collection_change(struct collection *collection, size_t index);

/* A GET of the collection or of one object in it, whose name ends in its number. Suspends. */
MUST_USE struct error *collection_serve(struct collection *collection,
                                        struct http_request *request);
