/*
 * Watches: a stream of events, one JSON object per line.
 *
 * What is stored stays in the store's history; a stream holds nothing but its place in it. One that
 * falls behind the history, or whose client does not read, is ended.
 */
#pragma once

#include "apiserver/endpoints/request.h"
#include "base/error.h"

/* Serves a watch until it times out or the client leaves. */
MUST_USE struct error *handle_watch(struct request *request);
