/*
 * Frames of WebSockets (RFC 6455, 5) at a server that sends messages and expects none.
 *
 * The reader takes a client's bytes in any pieces. It reports pings and the close, skips pongs,
 * text and binary messages without keeping them, and finds what the protocol forbids. It holds one
 * head and one control frame at most, whatever a client sends.
 *
 *     while ((news = websocket_reader_next(&reader, &bytes)) != WEBSOCKET_NO_NEWS)
 *         act(news, &reader);
 *
 * The zero value has read nothing yet. Skipped text is not checked for UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define WEBSOCKET_CONTROL_MAX 125
#define WEBSOCKET_MESSAGE_MAX (32 * MEGABYTE) /* of a client; kube-apiserver's limit */

enum websocket_opcode {
    WEBSOCKET_CONTINUATION = 0,
    WEBSOCKET_TEXT = 1,
    WEBSOCKET_BINARY = 2,
    WEBSOCKET_CLOSE = 8,
    WEBSOCKET_PING = 9,
    WEBSOCKET_PONG = 10,
};

/* Why a connection is closed (RFC 6455, 7.4). */
enum websocket_status {
    WEBSOCKET_NORMAL = 1000,
    WEBSOCKET_PROTOCOL_ERROR = 1002,
    WEBSOCKET_TOO_LARGE = 1009,
};

enum websocket_news {
    WEBSOCKET_NO_NEWS,   /* all bytes are used */
    WEBSOCKET_HAS_PING,  /* its payload is to be sent back */
    WEBSOCKET_HAS_CLOSE, /* the client sends nothing more */
    WEBSOCKET_HAS_ERROR, /* status says which; the reader must not be used any more */
};

struct websocket_reader {
    uint8_t head[14];
    uint8_t head_len;
    uint8_t control[WEBSOCKET_CONTROL_MAX]; /* the payload of a control frame, unmasked */
    uint8_t control_len;
    bool is_in_payload;
    bool is_in_message;    /* the frame before was not the last of its message */
    uint64_t left;         /* bytes of the payload that have not come yet */
    uint64_t message_size; /* of all frames of the message so far */
    enum websocket_status status;
};

/* Takes bytes from the front, up to the next news. */
enum websocket_news websocket_reader_next(struct websocket_reader *reader, struct str *bytes);

/* The payload of the ping that was reported. Valid until the next call. */
struct str websocket_reader_ping(const struct websocket_reader *reader);

/* Appends the head of a frame that is a whole message; the payload follows it unmasked. */
void websocket_frame_head(struct buf *out, enum websocket_opcode opcode, size_t payload);

/* Appends a close frame. */
void websocket_frame_close(struct buf *out, enum websocket_status status);
