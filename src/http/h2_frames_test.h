/* For tests: HTTP/2 frames by hand, for what a well-behaved peer would never send. */
#pragma once

#include "http/h2.h"
#include "http/recorder_test.h"
#include "testing/test.h"

enum {
    DATA = 0,
    HEADERS = 1,
    PRIORITY = 2,
    RST_STREAM = 3,
    SETTINGS = 4,
    PING = 6,
    WINDOW_UPDATE = 8,
    CONTINUATION = 9,
};
enum {
    ACK = 1,
    END_STREAM = 1,
    END_HEADERS = 4,
};

#define MAGIC "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

static inline void add_frame(struct buf *out, int type, int flags, uint32_t id, struct str payload)
{
    const char head[9] = {(char)(payload.len >> 16),
                          (char)(payload.len >> 8),
                          (char)payload.len,
                          (char)type,
                          (char)flags,
                          (char)(id >> 24),
                          (char)(id >> 16),
                          (char)(id >> 8),
                          (char)id};
    buf_add(out, str_from(head, sizeof(head)));
    buf_add(out, payload);
}

/* A field as HPACK's plainest literal: no table, no Huffman code; lengths below 127. */
static inline void add_literal(struct buf *out, const char *name, const char *value)
{
    buf_add_char(out, 0);
    buf_add_char(out, (char)strlen(name));
    buf_add(out, str_from_c(name));
    buf_add_char(out, (char)strlen(value));
    buf_add(out, str_from_c(value));
}

static inline void add_request_fields(struct buf *out)
{
    add_literal(out, ":method", "GET");
    add_literal(out, ":scheme", "https");
    add_literal(out, ":path", "/");
    add_literal(out, ":authority", "host");
}

static inline void add_request(struct buf *out, uint32_t id, int flags)
{
    SCOPED(buf) block = {0};
    add_request_fields(&block);
    add_frame(out, HEADERS, flags | END_HEADERS, id, buf_str(&block));
}

static inline void add_preface(struct buf *out)
{
    buf_add(out, STR(MAGIC));
    add_frame(out, SETTINGS, 0, 0, STR(""));
}

static const struct pieces splits[] = {
    {0,   0},
    {1,   0},
    {3,   0},
    {100, 5},
};

struct pair {
    struct recorder client, server;
};

static inline void pair_init(struct pair *pair, const struct http_limits *limits)
{
    recorder_init(&pair->client, h2_new, HTTP_CLIENT, NULL);
    recorder_init(&pair->server, h2_new, HTTP_SERVER, limits);
    recorder_pump(&pair->client, &pair->server, splits[0]);
}

static inline void pair_done(struct pair *pair)
{
    recorder_done(&pair->client);
    recorder_done(&pair->server);
}

/* Feeds everything and lets the engine answer; the first error of either. */
static inline struct error *feed_and_drain(struct recorder *recorder, struct str bytes,
                                           struct pieces pieces, struct buf *out)
{
    TRY(recorder_feed(recorder, bytes, &pieces));
    return recorder_drain(recorder, out);
}
