/*
 * For tests: plays the layer above an engine and writes down what happens, one line an event.
 *
 * Body bytes are joined before they are written down, so that the same bytes delivered in any
 * pieces give the same record.
 */
#pragma once

#include <stdio.h>

#include "base/memory.h"
#include "http/engine_internal.h"
#include "testing/test.h"

struct recorder {
    struct http_engine *engine;
    struct buf log;
    struct list streams; /* struct recorder_stream, oldest first */
    bool hold;           /* leave received bytes unconsumed */
    bool refuse;         /* refuse new streams */
    bool answer;         /* a server that answers each complete request with an echo */
    bool no_counts;      /* leave out how many bytes came before an error */
    size_t goaways, settings, pongs;
};

struct recorder_stream {
    struct http_stream stream; /* its link is the recorder's list */
    struct recorder *recorder;
    struct http_head head;
    struct buf body;
    struct error *err;
    size_t unconsumed, data_events;
    bool has_head, ended, closed, writable, responded;
};

static inline struct recorder_stream *recorder_stream_of(struct http_stream *stream)
{
    return CONTAINER_OF(stream, struct recorder_stream, stream);
}

static inline struct recorder_stream *recorder_stream_new(struct recorder *recorder)
{
    struct recorder_stream *stream = NEW(struct recorder_stream);
    stream->recorder = recorder;
    list_append(&recorder->streams, &stream->stream.link);
    return stream;
}

static inline void recorder_stream_free(struct recorder_stream *stream)
{
    http_stream_release(&stream->stream);
    list_remove(&stream->stream.link);
    http_head_done(&stream->head);
    buf_done(&stream->body);
    error_free(stream->err);
    mem_free(stream);
}

static inline struct http_stream *recorder_open(void *user)
{
    struct recorder *recorder = user;
    if (recorder->refuse)
        return NULL;
    return &recorder_stream_new(recorder)->stream;
}

static inline void recorder_head(struct http_stream *http, struct http_head *head)
{
    struct recorder_stream *stream = recorder_stream_of(http);
    struct buf *log = &stream->recorder->log;
    if (head->status)
        buf_print(log, "head %d: %d", http->id, head->status);
    else
        buf_print(log, "head %d: %.*s %.*s %.*s", http->id, STR_ARG(head->method),
                  STR_ARG(head->authority), STR_ARG(head->target));
    HTTP_HEADERS_FOREACH (header, &head->headers)
        buf_print(log, " %.*s=%.*s", STR_ARG(header.name), STR_ARG(header.value));
    buf_add_char(log, '\n');
    CHECK(!stream->has_head);
    stream->has_head = true;
    stream->head = http_head_take(head);
}

static inline void recorder_data(struct http_stream *http, struct str bytes)
{
    struct recorder_stream *stream = recorder_stream_of(http);
    CHECK(stream->has_head && !stream->ended && bytes.len > 0);
    buf_add(&stream->body, bytes);
    stream->unconsumed += bytes.len;
    stream->data_events++;
}

static inline void recorder_end(struct http_stream *http)
{
    struct recorder_stream *stream = recorder_stream_of(http);
    CHECK(stream->has_head && !stream->ended);
    stream->ended = true;
    buf_print(&stream->recorder->log, "end %d: ", http->id);
    if (stream->body.len > 200)
        buf_print(&stream->recorder->log, "%zu bytes", stream->body.len);
    else
        buf_add(&stream->recorder->log, buf_str(&stream->body));
    buf_add_char(&stream->recorder->log, '\n');
}

static inline void recorder_closed(struct http_stream *http, struct error *err)
{
    struct recorder_stream *stream = recorder_stream_of(http);
    CHECK(!stream->closed);
    stream->closed = true;
    stream->err = err;
    buf_print(&stream->recorder->log, "closed %d:", http->id);
    if (err && !stream->ended && !stream->recorder->no_counts)
        buf_print(&stream->recorder->log, " after %zu bytes,", stream->body.len);
    if (err)
        buf_print(&stream->recorder->log, " %.*s: %s%s", STR_ARG(error_code_name(err->code)),
                  err->message, http->unprocessed ? " (unprocessed)" : "");
    buf_add_char(&stream->recorder->log, '\n');
}

static inline void recorder_writable(struct http_stream *http)
{
    recorder_stream_of(http)->writable = true;
}

static inline void recorder_goaway(void *user)
{
    ((struct recorder *)user)->goaways++;
}

static inline void recorder_settings(void *user)
{
    ((struct recorder *)user)->settings++;
}

static inline void recorder_pong(void *user)
{
    ((struct recorder *)user)->pongs++;
}

static const struct http_events recorder_events = {
    .open = recorder_open,
    .head = recorder_head,
    .data = recorder_data,
    .end = recorder_end,
    .closed = recorder_closed,
    .writable = recorder_writable,
    .goaway = recorder_goaway,
    .settings = recorder_settings,
    .pong = recorder_pong,
};

typedef struct http_engine *(*recorder_engine_fn)(enum http_role role,
                                                  const struct http_limits *limits,
                                                  const struct http_events *events, void *user);

static inline void recorder_init(struct recorder *recorder, recorder_engine_fn engine_new,
                                 enum http_role role, const struct http_limits *limits)
{
    *recorder = (struct recorder){0};
    list_init(&recorder->streams);
    recorder->answer = role == HTTP_SERVER;
    recorder->engine = engine_new(role, limits, &recorder_events, recorder);
}

static inline void recorder_done(struct recorder *recorder)
{
    while (!list_is_empty(&recorder->streams))
        recorder_stream_free(recorder_stream_of(
            LIST_ENTRY(list_first(&recorder->streams), struct http_stream, link)));
    http_engine_free(recorder->engine);
    recorder->engine = NULL;
    buf_done(&recorder->log);
}

/* The latest stream. */
static inline struct recorder_stream *recorder_last(struct recorder *recorder)
{
    CHECK(!list_is_empty(&recorder->streams));
    return recorder_stream_of(LIST_ENTRY(recorder->streams.head.prev, struct http_stream, link));
}

/* "GET", "/path" and so on, without a body unless one is given. */
static inline struct recorder_stream *recorder_request(struct recorder *recorder,
                                                       const char *method, const char *target,
                                                       const char *body)
{
    struct recorder_stream *stream = recorder_stream_new(recorder);
    struct http_head head = {.method = str_from_c(method),
                             .scheme = STR("https"),
                             .authority = STR("host"),
                             .target = str_from_c(target)};
    CHECK_OK(http_engine_open(recorder->engine, &stream->stream, &head, body == NULL));
    if (body) {
        size_t taken;
        CHECK_OK(http_stream_write(&stream->stream, str_from_c(body), &taken));
        CHECK_EQ(taken, strlen(body));
        CHECK_OK(http_stream_end(&stream->stream));
    }
    return stream;
}

/* Answers with a status and a body; without a length, so HTTP/1.1 sends chunks. */
static inline void recorder_respond(struct recorder_stream *stream, int status, struct str body)
{
    struct http_head head = {.status = status};
    size_t taken = 0;
    stream->responded = true;
    CHECK_OK(http_stream_respond(&stream->stream, &head, body.len == 0));
    if (!body.len)
        return;
    CHECK_OK(http_stream_write(&stream->stream, body, &taken));
    CHECK_EQ(taken, body.len);
    CHECK_OK(http_stream_end(&stream->stream));
}

/* What the layer above would do after a call returned: consume, and answer as an echo server. */
static inline void recorder_settle(struct recorder *recorder)
{
    LIST_FOREACH (struct recorder_stream, stream, &recorder->streams, stream.link) {
        if (!recorder->hold && stream->unconsumed) {
            http_stream_consume(&stream->stream, stream->unconsumed);
            stream->unconsumed = 0;
        }
        if (recorder->answer && stream->ended && !stream->closed && !stream->responded) {
            SCOPED(buf) text = {0};
            buf_add(&text, stream->head.method);
            buf_add_char(&text, ' ');
            buf_add(&text, stream->head.target);
            buf_add_char(&text, ' ');
            buf_add(&text, str_slice(buf_str(&stream->body), 0, 1000));
            recorder_respond(stream, str_eq(stream->head.method, STR("CONNECT")) ? 405 : 200,
                             buf_str(&text));
        }
    }
}

/* Sizes of pieces: everything at once, a byte at a time, or drawn from a seed. */
struct pieces {
    size_t size;   /* 0 for everything */
    uint64_t seed; /* not 0: random sizes from 1 to size */
};

static inline size_t pieces_next(struct pieces *pieces)
{
    if (!pieces->seed)
        return pieces->size ? pieces->size : SIZE_MAX;
    pieces->seed = pieces->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return 1 + (size_t)(pieces->seed >> 33) % pieces->size;
}

/* Feeds bytes in pieces; stops at the first error and returns it. */
static inline struct error *recorder_feed(struct recorder *recorder, struct str bytes,
                                          struct pieces *pieces)
{
    while (bytes.len) {
        const size_t size = pieces_next(pieces);
        TRY(http_engine_receive(recorder->engine, str_slice(bytes, 0, size)));
        recorder_settle(recorder);
        bytes = str_skip(bytes, size);
    }
    return NULL;
}

/* Everything the engine has to send. */
static inline struct error *recorder_drain(struct recorder *recorder, struct buf *out)
{
    while (http_engine_has_output(recorder->engine)) {
        const size_t before = out->len;
        TRY(http_engine_output(recorder->engine, out, 16 * KILOBYTE));
        recorder_settle(recorder);
        if (out->len == before)
            break;
    }
    return NULL;
}

/* Carries bytes from one engine to the other; true when there were any. */
static inline bool recorder_carry(struct recorder *from, struct recorder *to, struct pieces *pieces,
                                  struct error **ret_err)
{
    SCOPED(buf) out = {0};
    struct error *err = recorder_drain(from, &out);
    if (!err)
        err = recorder_feed(to, buf_str(&out), pieces);
    *ret_err = err;
    return out.len > 0 && !err;
}

/* Runs both until nothing moves. */
static inline void recorder_pump(struct recorder *client, struct recorder *server,
                                 struct pieces pieces)
{
    bool moved = true;
    while (moved) {
        struct error *first = NULL, *second = NULL;
        moved = recorder_carry(client, server, &pieces, &first);
        moved |= recorder_carry(server, client, &pieces, &second);
        CHECK_OK(first);
        CHECK_OK(second);
    }
}
