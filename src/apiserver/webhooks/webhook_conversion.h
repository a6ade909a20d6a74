/*
 * Conversion webhooks: a request asks for the conversions that it needs.
 *
 * What converts objects must not suspend: it runs inside of changes of the store, in scans and on
 * worker threads. Such work fails when it needs a conversion that is not known yet.
 * webhook_conversion_run() then asks the webhook and does the work again. Work therefore has to
 * bear being repeated.
 *
 * Only the kind of a request that comes from webhook_conversion_kind() is converted so. Kinds
 * without a conversion webhook are not concerned: everything here is free of cost for them.
 *
 * The error of a conversion is that of kube-apiserver: 500, "conversion webhook for ... failed".
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object_text.h"
#include "apiserver/registry/kind.h"
#include "async/compute.h"
#include "base/error.h"

struct request;

/* Events of an API's watches that are converted at a time. */
#define WEBHOOK_CONVERSION_STREAMS 8

/* The kind as the request sees it, which lives as long as the request. NULL stays NULL. */
const struct kind *webhook_conversion_kind(struct request *request, const struct kind *kind);

/*
 * compute_sized(), with all conversions that the work needs. They stay known for the rest of the
 * request, until they are forgotten. Suspends, not inside of a change of the store.
 */
MUST_USE struct error *webhook_conversion_run(const struct kind *kind, size_t size,
                                              compute_fn *work, void *data);

/*
 * Makes the conversions of several stored objects known in one call: those from begin on, as many
 * as are worth a call. *ret_end is the one behind them. Suspends.
 */
MUST_USE struct error *webhook_conversion_prepare(const struct kind *kind,
                                                  struct object_text *const *items, size_t count,
                                                  size_t begin, size_t *ret_end);

/* What is known is not needed any more. */
void webhook_conversion_forget(const struct kind *kind);

/* Whether the last error was that of a conversion. */
bool webhook_conversion_has_failed(const struct kind *kind);
