/*
 * A frame is a head of 2 to 14 bytes and a payload. The reader collects the head until its length
 * is known and reached, judges it, and then takes the payload: control frames are collected and
 * unmasked, all else is skipped.
 */
#include "http/websocket_frame.h"

#include <string.h>

#define FIN        0x80U
#define RESERVED   0x70U /* bits for extensions; none is negotiated */
#define OPCODE     0x0fU
#define MASKED     0x80U
#define LENGTH     0x7fU
#define LENGTH_16  126 /* the length is in the next two bytes */
#define LENGTH_64  127 /* the length is in the next eight bytes */
#define MASK_BYTES 4

/* The bytes between the first two of the head and its mask. */
static size_t length_bytes(const struct websocket_reader *reader)
{
    const unsigned length = reader->head[1] & LENGTH;
    return length == LENGTH_64 ? 8 : length == LENGTH_16 ? 2 : 0;
}

static size_t head_size(const struct websocket_reader *reader)
{
    return reader->head_len < 2 ? 2 : 2 + length_bytes(reader) + MASK_BYTES;
}

static uint64_t payload_size(const struct websocket_reader *reader)
{
    const size_t count = length_bytes(reader);
    uint64_t size = count ? 0 : reader->head[1] & LENGTH;
    for (size_t i = 0; i < count; i++)
        size = size << 8 | reader->head[2 + i];
    return size;
}

static bool is_control(const struct websocket_reader *reader)
{
    return (reader->head[0] & 8U) != 0;
}

static bool is_known(unsigned opcode)
{
    return opcode <= WEBSOCKET_BINARY || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG);
}

/* The first two bytes say whether the frame is allowed at all. */
static bool is_start_allowed(const struct websocket_reader *reader)
{
    const unsigned opcode = reader->head[0] & OPCODE;
    if ((reader->head[0] & RESERVED) || !(reader->head[1] & MASKED) || !is_known(opcode))
        return false;
    if (is_control(reader))
        return (reader->head[0] & FIN) && (reader->head[1] & LENGTH) <= WEBSOCKET_CONTROL_MAX;
    return (opcode == WEBSOCKET_CONTINUATION) == reader->is_in_message;
}

/* Each length has one form only: the shortest. */
static bool is_length_shortest(const struct websocket_reader *reader, uint64_t size)
{
    switch (reader->head[1] & LENGTH) {
    case LENGTH_64:
        return size > UINT16_MAX && size <= INT64_MAX;
    case LENGTH_16:
        return size >= LENGTH_16;
    default:
        return true;
    }
}

static enum websocket_news refuse_frame(struct websocket_reader *reader,
                                        enum websocket_status status)
{
    reader->status = status;
    return WEBSOCKET_HAS_ERROR;
}

/* The head is complete. A client that sends more than a message may have is not heard to its end.
 */
static enum websocket_news begin_payload(struct websocket_reader *reader)
{
    const uint64_t size = payload_size(reader);
    if (!is_length_shortest(reader, size))
        return refuse_frame(reader, WEBSOCKET_PROTOCOL_ERROR);
    if (!is_control(reader)) {
        reader->message_size = reader->is_in_message ? reader->message_size : 0;
        if (size > WEBSOCKET_MESSAGE_MAX - reader->message_size)
            return refuse_frame(reader, WEBSOCKET_TOO_LARGE);
        reader->message_size += size;
        reader->is_in_message = !(reader->head[0] & FIN);
    }
    reader->left = size;
    reader->control_len = 0;
    reader->is_in_payload = true;
    return WEBSOCKET_NO_NEWS;
}

/* Codes that a close frame may carry (RFC 6455, 7.4.1 and 7.4.2). */
static bool is_status_allowed(unsigned status)
{
    const bool is_reserved = status == 1004 || status == 1005 || status == 1006;
    return (status >= 1000 && status <= 1014 && !is_reserved) || (status >= 3000 && status <= 4999);
}

static bool is_close_allowed(const struct websocket_reader *reader)
{
    if (reader->control_len == 0)
        return true;
    return reader->control_len >= 2 &&
           is_status_allowed((unsigned)reader->control[0] << 8 | reader->control[1]);
}

static enum websocket_news end_payload(struct websocket_reader *reader)
{
    const unsigned opcode = reader->head[0] & OPCODE;
    reader->is_in_payload = false;
    reader->head_len = 0;
    if (opcode == WEBSOCKET_PING)
        return WEBSOCKET_HAS_PING;
    if (opcode != WEBSOCKET_CLOSE)
        return WEBSOCKET_NO_NEWS;
    return is_close_allowed(reader) ? WEBSOCKET_HAS_CLOSE
                                    : refuse_frame(reader, WEBSOCKET_PROTOCOL_ERROR);
}

/* Collects bytes of the head; the second one tells how many there will be. */
static enum websocket_news take_head(struct websocket_reader *reader, struct str *bytes)
{
    const size_t wanted = head_size(reader) - reader->head_len;
    const size_t len = bytes->len < wanted ? bytes->len : wanted;
    memcpy(reader->head + reader->head_len, bytes->ptr, len);
    reader->head_len = (uint8_t)(reader->head_len + len);
    *bytes = str_skip(*bytes, len);
    if (reader->head_len == 2 && !is_start_allowed(reader))
        return refuse_frame(reader, WEBSOCKET_PROTOCOL_ERROR);
    return reader->head_len < 2 || reader->head_len < head_size(reader) ? WEBSOCKET_NO_NEWS
                                                                        : begin_payload(reader);
}

static void take_payload(struct websocket_reader *reader, struct str *bytes)
{
    const size_t len = bytes->len < reader->left ? bytes->len : (size_t)reader->left;
    const uint8_t *mask = reader->head + head_size(reader) - MASK_BYTES;
    for (size_t i = 0; i < len && is_control(reader); i++) {
        const uint8_t position = reader->control_len++;
        reader->control[position] = (uint8_t)bytes->ptr[i] ^ mask[position % MASK_BYTES];
    }
    reader->left -= len;
    *bytes = str_skip(*bytes, len);
}

enum websocket_news websocket_reader_next(struct websocket_reader *reader, struct str *bytes)
{
    enum websocket_news news = WEBSOCKET_NO_NEWS;
    while (bytes->len && news == WEBSOCKET_NO_NEWS) {
        if (reader->is_in_payload)
            take_payload(reader, bytes);
        else
            news = take_head(reader, bytes);
        if (news == WEBSOCKET_NO_NEWS && reader->is_in_payload && reader->left == 0)
            news = end_payload(reader);
    }
    return news;
}

struct str websocket_reader_ping(const struct websocket_reader *reader)
{
    return str_from((const char *)reader->control, reader->control_len);
}

/* Appends a number of count bytes, the highest first. */
static void add_number(struct buf *out, uint64_t number, unsigned count)
{
    while (count--)
        buf_add_char(out, (char)(number >> 8 * count & 0xff));
}

void websocket_frame_head(struct buf *out, enum websocket_opcode opcode, size_t payload)
{
    buf_add_char(out, (char)(FIN | opcode));
    if (payload > UINT16_MAX) {
        buf_add_char(out, LENGTH_64);
        add_number(out, payload, 8);
    } else if (payload >= LENGTH_16) {
        buf_add_char(out, LENGTH_16);
        add_number(out, payload, 2);
    } else {
        buf_add_char(out, (char)payload);
    }
}

void websocket_frame_close(struct buf *out, enum websocket_status status)
{
    websocket_frame_head(out, WEBSOCKET_CLOSE, 2);
    add_number(out, status, 2);
}
