/* The state of a response, created by client.c and read by response.c. */
#pragma once

#include "base/gzip.h"
#include "http/call.h"
#include "http/client.h"
#include "http/lines.h"

struct http_response {
    struct http_call *call;
    struct gzip_reader *gzip; /* NULL: the body is not compressed */
    struct buf plain;         /* decompressed bytes of the current piece */
    struct str piece;         /* the rest of the piece that http_response_read() is copying */
    size_t shown;             /* bytes of the call to be consumed when the piece is done */
    struct lines lines;
};

/* Takes the call, whose head has arrived. */
struct http_response *http_response_new(struct http_call *call);
