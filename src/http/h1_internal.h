/* The state of an HTTP/1.1 connection, shared by h1.c, h1_read.c and h1_write.c. */
#pragma once

#include <llhttp.h>

#include "http/engine_internal.h"

/* The part of the peer's message that the parser is in. */
enum h1_reading {
    H1_START, /* between messages */
    H1_HEAD,
    H1_BODY, /* trailers included */
};

/* How the end of our message is marked. */
enum h1_framing {
    H1_NO_BODY,
    H1_LENGTH,
    H1_CHUNKED,
    H1_UNTIL_CLOSE,
};

/* A head while it is read; freed when the head is complete. */
struct h1_head {
    struct http_head head;
    struct buf target, name, value;
};

struct h1 {
    struct http_engine engine;
    struct http_exchange exchange; /* valid while active */
    bool active;
    int32_t exchanges;
    /* Reading. */
    llhttp_t parser;
    enum h1_reading reading;
    struct h1_head *head;
    struct error *err;      /* set inside a parser's callback */
    int refusal;            /* the response status for err */
    size_t head_bytes;      /* of this head, interim answers before it included */
    size_t extension_bytes; /* of this message's chunks */
    size_t trailer_bytes;
    size_t drained;     /* bytes read of a body whose handler has ended */
    struct buf pending; /* server: bytes behind the current request, from pending_start on */
    size_t pending_start;
    bool message_done; /* set by the parser at the end of a message */
    bool is_interim;   /* the current message is a 1xx response */
    bool expects_continue;
    bool keep_alive;  /* neither side has asked to close */
    bool peer_is_old; /* HTTP/1.0 */
    /* Writing. */
    struct buf out; /* heads, ready to go */
    enum h1_framing framing;
    bool is_head, is_connect; /* the request's method */
    bool message_sent;
    bool is_upgraded; /* server: after 101, no bytes are HTTP any more */
    /* The connection. */
    bool closing;  /* no exchange after this one */
    bool finished; /* no byte after those in out */
};

static inline struct h1 *h1_of(const struct http_engine *engine)
{
    return CONTAINER_OF(engine, struct h1, engine);
}

/* h1_read.c */

/* Feeds the parser. May stop early, at the end of a message. */
MUST_USE struct error *h1_read(struct h1 *h1, struct str bytes, size_t *ret_used);
/* The peer closed: completes a body that lasts until the close, or fails as truncated. */
MUST_USE struct error *h1_read_eof(struct h1 *h1);
void h1_read_restart(struct h1 *h1);
void h1_head_free(struct h1_head *head);

/* h1_write.c */
MUST_USE struct error *h1_write_request(struct h1 *h1, const struct http_head *head, bool end);
MUST_USE struct error *h1_write_response(struct h1 *h1, const struct http_head *head, bool end);
void h1_write_refusal(struct h1 *h1, int status);
/* Appends ready bytes to out until its length is about end; sets message_sent. */
void h1_write_some(struct h1 *h1, struct buf *out, size_t end);
