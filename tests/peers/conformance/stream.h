/*
 * A watch: a fiber reads events as they come, the replay asks for them when it wants to.
 */
#pragma once

#include <stdbool.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/owned.h"
#include "http/client.h"
#include "peers/conformance/answer.h"

struct stream;

/* Takes the response. */
struct stream *stream_new(struct http_response *response);
void stream_free(struct stream *stream); /* Suspends while the fiber is joined */
DEFINE_OWNED(stream)

struct stream_want {
    bool to_the_end; /* else this many events, and then silence */
    size_t events;
    duration timeout; /* for all of it */
    duration silence; /* behind the last one */
};

/*
 * Suspends until what is wanted has come, or the time is over; events that came in spite of the
 * silence are among the result. Time that ran out is no error: what is missing shows.
 */
MUST_USE struct error *stream_collect(struct stream *stream, const struct stream_want *want,
                                      struct answer_events *events);
