/*
 * The objects of one kind as an API server has them: listed, streamed, watched.
 *
 * There is a fixed number of them, and all that ever happens is that one changes. What an object
 * says is written whenever it is sent.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "async/event.h"
#include "base/buf.h"
#include "base/error.h"
#include "http/server.h"

struct shelf;

/* The object's members behind apiVersion and kind: `"metadata":{…},…`. */
typedef void shelf_write_fn(void *data, size_t index, uint64_t version, struct buf *out);

struct shelf {
    const char *api_version, *kind;
    shelf_write_fn *write;
    void *data;
    uint64_t *versions; /* of each object */
    size_t count;
    uint64_t revision; /* the newest of them */
    struct event changed;

    size_t lists;   /* answered, streaming ones included */
    size_t streams; /* open */
};

void shelf_init(struct shelf *shelf, size_t count);
void shelf_done(struct shelf *shelf); /* nothing is served any more */

void shelf_change(struct shelf *shelf, size_t index);

/* A GET of the collection or of one object in it, whose name ends in its number. Suspends. */
MUST_USE struct error *shelf_serve(struct shelf *shelf, struct http_request *request);
