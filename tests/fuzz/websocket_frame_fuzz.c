/*
 * Property: a client's frames are read alike in one piece and in pieces of any size (the first byte
 * of the input is that size), and no frame leaves the storage of the reader.
 */
#include "fuzz.h"
#include "http/websocket_frame.h"
#include "testing/test.h"

static void read_frames(struct str bytes, size_t piece, struct buf *log)
{
    struct websocket_reader reader = {0};
    enum websocket_news news = WEBSOCKET_NO_NEWS;
    while (bytes.len && news != WEBSOCKET_HAS_ERROR) {
        struct str part = str_slice(bytes, 0, piece);
        bytes = str_skip(bytes, part.len);
        do {
            news = websocket_reader_next(&reader, &part);
            buf_add_char(log, (char)('0' + news));
            if (news == WEBSOCKET_NO_NEWS)
                log->len--;
            else if (news == WEBSOCKET_HAS_PING)
                buf_add(log, websocket_reader_ping(&reader));
        } while (news != WEBSOCKET_NO_NEWS && news != WEBSOCKET_HAS_ERROR);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED(buf) whole = {.limit = 0}, pieces = {.limit = 0};
    if (size < 2 || data[0] == 0)
        return 0;
    const struct str bytes = str_from((const char *)data + 1, size - 1);
    read_frames(bytes, bytes.len, &whole);
    read_frames(bytes, data[0], &pieces);
    CHECK_EQ(buf_str(&pieces), buf_str(&whole));
    return 0;
}
