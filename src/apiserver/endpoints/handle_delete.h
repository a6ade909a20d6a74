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
MUST_USE struct error *handle_delete(struct request *request);
MUST_USE struct error *handle_delete_collection(struct request *request);

struct delete_result {
    bool is_gone;            /* nothing held it */
    struct json_doc *object; /* its last state, or its state now; the caller's */
};

void delete_result_done(struct delete_result *result);

/* The deed itself, for those inside who delete: collector, namespaces, definitions. Suspends. */
MUST_USE struct error *handle_delete_object(struct api *api, const struct kind *kind,
                                            struct key key, const struct delete_options *options,
                                            timestamp now, struct delete_result *ret_result);
