/*
 * Delete, of one object or of a collection. An object without finalizers is deleted at once;
 * otherwise deletionTimestamp is set and the object stays until its finalizers are removed.
 */
#pragma once

#include "apimachinery/key.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "base/error.h"

struct api;
struct kind;
struct store_object;

/* These serve a request whose kind is known and which is authorized. They suspend. */
MUST_USE struct error *handle_delete(struct request *request);
MUST_USE struct error *handle_delete_collection(struct request *request);

/* What became of an object. */
struct delete_result {
    bool is_gone;            /* deleted; false: finalizers or a grace period hold it */
    struct json_doc *object; /* its last or its current state; owned by the caller */
};

void delete_result_done(struct delete_result *result);

/*
 * Deletes one object on behalf of a request, the garbage collector, a namespace or a
 * CustomResourceDefinition. Suspends.
 */
MUST_USE struct error *handle_delete_object(struct api *api, const struct kind *kind,
                                            struct key key, const struct delete_options *options,
                                            timestamp now, struct delete_result *ret_result);
