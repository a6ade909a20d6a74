/*
 * Keeps the status of ResourceQuotas: what they allow, and what is used. On other servers a
 * controller does that. It follows changes shortly after; what is enforced does not depend on it
 * (see quota_claim.h).
 *
 * There is no fiber while there is nothing to do.
 */
#pragma once

#include "apimachinery/object_text.h"
#include "apiserver/storage/store.h"
#include "base/owned.h"

struct api;
struct quota_status;

struct quota_status *quota_status_new(struct api *api);

/* Cancels and joins the work under way. Suspends. */
void quota_status_free(struct quota_status *status);
DEFINE_OWNED(quota_status)

/* All quotas that are stored are counted anew. */
void quota_status_load(struct quota_status *status);

/* An object was written (before may be NULL) or deleted (after is NULL). Called by api_change(). */
void quota_status_note(struct quota_status *status, struct store_id id,
                       const struct object_text *before, const struct object_text *after);
