/*
 * Watches: a stream of events, one JSON object per line.
 *
 * A stream holds a position in the store's history and no events. A stream that falls behind the
 * history gets an ERROR event and ends. A stream whose client does not read is cut off.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Serves a watch until it times out, the client leaves or the server stops. Suspends. */
MUST_USE struct error *handle_watch(struct request *request);
