/*
 * A recorded request, made ready to be sent: variables filled in, texts escaped, bodies decoded.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "http/headers.h"
#include "peers/conformance/binding.h"
#include "peers/conformance/exchange.h"

struct request {
    struct str as; /* "admin", "anonymous", "token:X" */
    struct str method;
    struct str path, query; /* escaped */
    struct http_headers headers;
    struct str body;
};

void request_done(struct request *request);

/* Texts live in the arena. ERROR_INVALID for a body or a header that cannot be sent. */
MUST_USE struct error *request_make(const struct exchange_list *list,
                                    const struct exchange *exchange, const struct binding *binding,
                                    struct arena *arena, struct request *ret_request);
