/*
 * Delete, of one object or of a collection: at once, or as a wish that finalizers hold up.
 */
#pragma once

#include "apimachinery/key.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "base/error.h"

struct api;
struct kind;
struct store_object;

/* Serve a request whose kind is known and which is allowed. They suspend. */
MUST_USE struct error *removal_delete(struct request *request);
MUST_USE struct error *removal_delete_collection(struct request *request);

struct removal {
    bool is_gone;            /* nothing held it */
    struct json_doc *object; /* its last state, or its state now; the caller's */
};

void removal_done(struct removal *removal);

/* The deed itself, for those inside who delete: collector, namespaces, definitions. Suspends. */
MUST_USE struct error *removal_remove(struct api *api, const struct kind *kind, struct key key,
                                      const struct delete_options *options, timestamp now,
                                      struct removal *ret_removal);
