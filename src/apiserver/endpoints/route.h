/* From a request that is known and allowed to the function that handles it. */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Sends the response, or returns the error to send. Suspends. */
MUST_USE struct error *route_serve(struct request *request);

/* Watches last. They are not counted among the requests in flight. */
bool route_is_long(const struct request *request);
