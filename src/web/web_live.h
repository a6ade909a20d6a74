/*
 * Pages that stay current: server-sent events for open pages.
 *
 * Streams of equal pages share a channel, which renders the page once after a change, compares its
 * parts with those of the last time, and makes one message of what differs; at most one a second,
 * and at most 16 KiB. When more has changed the message is "reload". A stream whose reader is slow
 * gets "reload" instead of the messages that it missed, and is cut off when its buffer stays full.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "web/web_query.h"
#include "web/web_view.h"

struct http_headers;
struct http_request;
struct loop;
struct web_live;
struct web_source;

#define WEB_LIVE_STREAMS_MAX ((size_t)64)

struct web_live *web_live_new(struct loop *loop, struct web_source *source);
void web_live_free(struct web_live *live); /* Suspends. No stream may be served any more. */
DEFINE_OWNED(web_live)

/* False: there are as many streams as there may be. */
bool web_live_has_room(const struct web_live *live);

/*
 * Answers a request with the stream of a page. version is the one that the reader has; empty: it
 * begins with the page as it is now. Suspends until the stream ends: after an hour, or with an
 * error.
 */
MUST_USE struct error *web_live_serve(struct web_live *live, struct http_request *request,
                                      const struct http_headers *headers,
                                      const struct web_query *query, const struct web_scope *scope,
                                      struct str version);
