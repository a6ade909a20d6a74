/* Lists: the content of a collection at one revision, whole or in pages. */
#pragma once

#include "apimachinery/object_text.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "base/error.h"

struct store_hold;

/* Objects are held by reference, so a list costs little until it is written. */
struct list_result {
    struct object_text **items;
    size_t count, capacity;
    int64_t revision;
    struct str continue_token; /* empty: the list is complete; in the request's arena */
    bool has_remaining;
    size_t remaining;
};

void list_result_done(struct list_result *list);

/* Yields now and then, so that a long list does not keep other fibers waiting. Suspends. */
MUST_USE struct error *handle_list_collect(const struct request *request,
                                           const struct list_options *options,
                                           struct list_result *list);

/* Writes the list, in pieces when it is long. Suspends. */
MUST_USE struct error *handle_list_respond(const struct request *request,
                                           const struct response_format *format,
                                           const struct list_result *list);

/*
 * Asks for the conversion of the next items of a hold, behind the first *ready, by a webhook if the
 * kind has one. *ready becomes the number of items whose conversion is known. Suspends.
 */
MUST_USE struct error *handle_list_prepare(const struct kind *kind, const struct store_hold *hold,
                                           size_t *ready);

/* Serves GET of a collection. */
MUST_USE struct error *handle_list(struct request *request);

/* Whether the selectors of the options match an object. Its conversion has to be known. */
bool handle_list_selects(const struct kind *kind, const struct list_options *options,
                         const struct object_text *text);
