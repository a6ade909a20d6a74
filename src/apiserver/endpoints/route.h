/*
 * From a request that is known and allowed to whoever serves it.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Answers, or gives the error to answer with. Suspends. */
MUST_USE struct error *route_serve(struct request *request);

/* Watches last; they are not counted among the requests that are under way. */
bool route_is_long(const struct request *request);
