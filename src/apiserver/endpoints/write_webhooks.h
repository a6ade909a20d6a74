/*
 * Admission webhooks, and the webhook that converts between versions of a kind.
 *
 * A write that admission webhooks may be asked about is drafted, on the object as it is, and shown
 * to them before the store is asked. write_draft() then stops before mutating webhooks, or goes on
 * with what they made. The store accepts the write only if the object is still the same; otherwise
 * all of it begins again, as GuaranteedUpdate() of kube-apiserver does it. So is a write of a kind
 * whose versions a webhook converts: write_draft() fails as long as a conversion is not known, and
 * make_draft() asks for it and repeats the draft.
 */
#pragma once

#include "apiserver/endpoints/write_draft.h"

/*
 * Shows the write to admission webhooks, and has its conversions made by the conversion webhook.
 * *ret_expected is what the object has to be when the store is asked; a create is shown without the
 * object that may be there. Suspends.
 */
MUST_USE struct error *write_ask_webhooks(struct write *write, int64_t *ret_expected);
