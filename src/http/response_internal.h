/* A response between the client that makes it and the functions that read it. */
#pragma once

#include "http/call.h"
#include "http/client.h"
#include "http/gzip.h"
#include "http/lines.h"

struct http_response {
    struct http_call *call;
    struct gzip_reader *gzip; /* NULL: the body comes as it is */
    struct buf plain;         /* decompressed, on its way out */
    struct str piece;         /* what http_response_read() has not handed out yet */
    size_t shown;             /* bytes of the call that the piece shows */
    struct lines lines;
};

/* Takes the call, whose head has arrived. */
struct http_response *http_response_new(struct http_call *call);
