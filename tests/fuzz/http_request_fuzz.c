/*
 * A server makes of any bytes the same requests, errors and answers, however they are cut into
 * pieces, and every request it began is closed in the end.
 */
#include "fuzz.h"
#include "http/h1.h"
#include "http/recorder_test.h"
#include "testing/test.h"

/* A small head limit, so that short inputs reach it. */
static const struct http_limits limits = {.head = 600, .headers = 8, .window = 64};

static void record_error(struct buf *log, struct error *err)
{
    if (err)
        buf_print(log, "error: %s\n", err->message);
    error_free(err);
}

static void run(struct str input, struct pieces pieces, struct buf *log, struct buf *out)
{
    struct recorder server;
    struct error *err = NULL;
    recorder_init(&server, h1_new, HTTP_SERVER, &limits);
    while (input.len && !err) {
        const struct str piece = str_slice(input, 0, pieces_next(&pieces));
        input = str_skip(input, piece.len);
        err = recorder_feed(&server, piece, &(struct pieces){0});
        if (!err)
            err = recorder_drain(&server, out);
    }
    const bool failed = err != NULL;
    record_error(&server.log, err);
    if (!failed)
        record_error(&server.log, http_engine_receive_end(server.engine));
    record_error(&server.log, recorder_drain(&server, out));
    LIST_FOREACH (struct recorder_stream, stream, &server.streams, stream.link)
        CHECK(stream->closed);
    buf_add(log, buf_str(&server.log));
    recorder_done(&server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pieces splits[] = {
        {1,  0},
        {13, 0},
        {40, 7},
    };
    const struct str input = {(const char *)data, size};
    SCOPED(buf) log = {.limit = 0};
    SCOPED(buf) out = {.limit = 0};
    run(input, (struct pieces){0}, &log, &out);
    for (size_t i = 0; i < COUNT(splits); i++) {
        SCOPED(buf) other_log = {.limit = 0};
        SCOPED(buf) other_out = {.limit = 0};
        run(input, splits[i], &other_log, &other_out);
        /* What a stranger speaks is guessed from its first piece. */
        if (!str_contains(buf_str(&log), STR("seems to speak")) &&
            !str_contains(buf_str(&other_log), STR("seems to speak")))
            CHECK_EQ(buf_str(&other_log), buf_str(&log));
        CHECK_EQ(buf_str(&other_out), buf_str(&out));
    }
    return 0;
}
