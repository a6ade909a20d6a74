/*
 * One create, update or patch while it is worked on, and the draft of what it stores.
 *
 * The draft is what takes time, for a large write on a worker thread (see store_draft.h). It uses
 * the request, its kind and the object alone, and must not suspend:
 *
 *     draft_new()      metadata -> managed fields -> prepare -> validate -> put
 *     draft_change()   make_changed(): wanted object -> place and preconditions -> metadata
 *                      -> managed fields -> prepare -> generation; then as above
 *
 * An apply has its managed fields merged first and is decoded afterwards. A write that changes
 * nothing does not reach the store: resourceVersion stays the same. A write that removes the last
 * finalizer of an object that is being deleted deletes the object.
 *
 * The scale subresource is an update of the object that goes in and out as a Scale.
 */
#pragma once

#include "apiserver/endpoints/negotiate.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/patch.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/storage/store.h"
#include "base/random.h"

struct write {
    struct request *request;
    const struct kind *kind;
    struct write_options options;
    struct response_format format;
    struct patch patch;    /* of a patch */
    struct json_doc *body; /* of create and update: decoded, with defaults */
    size_t size;           /* of the body, in bytes of JSON, with defaults or copies of a patch */
    struct str name;
    bool name_is_generated;
    char uid[RANDOM_UUID_LEN + 1];

    /* Of admission webhooks. */
    bool stops_at_webhooks;   /* the draft ends before them, with asked */
    struct json_doc *asked;   /* the object that mutating webhooks are shown */
    struct json_doc *mutated; /* what they made of it; NULL: they were not asked */

    /* Of the last draft. */
    struct json_doc *old, *doc; /* the object before and after; old is NULL when it is new */
    struct json_doc *result;    /* what the client gets; NULL: what is stored */
    bool created;
};

void write_done(struct write *write);

/* Whether what goes in and out is a Scale. */
bool write_is_scale(const struct write *write);

/* Name and namespace in the body must be those of the URL. */
MUST_USE struct error *write_check_place(const struct write *write,
                                         const struct json_value *object);

/* Whether this request may create an object that does not exist. */
bool write_may_create(const struct write *write);

/* Fills in the edit. It may be called several times, so it sets all results anew. */
MUST_USE struct error *write_draft(void *write, struct store_edit *edit);
