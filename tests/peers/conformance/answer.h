/*
 * What a server answered, in the form of a recorded response.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/owned.h"
#include "base/str.h"
#include "json/json.h"
#include "peers/conformance/exchange.h"

struct http_headers;

struct answer {
    struct json_doc *response; /* what was recorded of such an answer, no more */
    struct json_doc *document; /* the whole body, or of a stream the same as response */
};

void answer_done(struct answer *answer);

/* The head of an answer; a read of a stream opened earlier has none (status 0, headers NULL). */
struct answer_head {
    int status;
    const struct http_headers *headers;
};

/* A body is JSON where the content type or its first letter says so, and text otherwise. */
MUST_USE struct error *answer_from_body(const struct exchange *exchange,
                                        const struct answer_head *head, struct str body,
                                        struct answer *ret_answer);

struct answer_events {
    struct json_doc **items;
    size_t count, capacity;
    size_t bookmarks; /* plain ones, which are not among the items */
    bool ended;
};

void answer_events_done(struct answer_events *events);
void answer_events_add(struct answer_events *events, struct json_doc *event); /* takes it */

/* want is the watch or read of the exchange; events are NULL when the stream stays open. */
MUST_USE struct error *answer_from_events(const struct exchange *exchange,
                                          const struct answer_head *head,
                                          const struct answer_events *events,
                                          struct answer *ret_answer);
