/*
 * A client makes of any bytes the same responses and errors, however they are cut into pieces, and
 * every request it sent is closed in the end. The first byte chooses protocol and method; the rest
 * comes from the server.
 */
#include "fuzz.h"
#include "http/h1.h"
#include "http/h2.h"
#include "http/recorder_test.h"
#include "testing/test.h"

static const struct http_limits limits = {.head = 600, .headers = 8};

/*
 * Of HTTP/2 only the streams' own errors are compared: nghttp2 looks at bytes behind the last frame
 * that matters when they come in the same piece, and not otherwise.
 */
static void record_error(struct recorder *client, unsigned choice, struct error *err)
{
    if (err && !(choice & 1))
        buf_print(&client->log, "error: %s\n", err->message);
    error_free(err);
}

static void open_requests(struct recorder *client, unsigned choice, struct buf *out)
{
    static const char *const methods[] = {"GET", "HEAD", "CONNECT", "PUT"};
    const char *method = methods[(choice >> 1) & 3];
    const bool tunnel = strcmp(method, "CONNECT") == 0;
    recorder_request(client, method, tunnel ? "" : "/", (choice & 8) ? "body" : NULL);
    if (choice & 1)
        recorder_request(client, "GET", "/second", NULL);
    if (choice & 16)
        CHECK_OK(recorder_drain(client, out));
}

/*
 * Output is taken before and after, never between two pieces: what HTTP/2 still makes of a stream
 * depends on whether its reset has left.
 */
static void run(unsigned choice, struct str input, struct pieces pieces, struct buf *log)
{
    struct recorder client;
    SCOPED(buf) out = {.limit = 0};
    recorder_init(&client, (choice & 1) ? h2_new : h1_new, HTTP_CLIENT, &limits);
    client.no_counts = choice & 1; /* a DATA frame that goes too far may be dropped in part */
    open_requests(&client, choice, &out);
    struct error *err = recorder_feed(&client, input, &pieces);
    const bool failed = err != NULL;
    record_error(&client, choice, err);
    err = recorder_drain(&client, &out);
    if (!err && !failed)
        err = http_engine_receive_end(client.engine);
    record_error(&client, choice, err);
    record_error(&client, choice, recorder_drain(&client, &out));
    LIST_FOREACH (struct recorder_stream, stream, &client.streams, stream.link)
        CHECK(stream->closed);
    buf_add(log, buf_str(&client.log));
    recorder_done(&client);
}

/*
 * Which protocol a stranger speaks is guessed from the first piece, and nghttp2 counts the pieces
 * of CONTINUATION frames.
 */
static bool depends_on_split(struct str log)
{
    return str_contains(log, STR("seems to speak")) || str_contains(log, STR("CONTINUATION"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pieces splits[] = {
        {1,  0},
        {13, 0},
        {40, 7},
    };
    if (size == 0)
        return 0;
    const struct str input = {(const char *)data + 1, size - 1};
    SCOPED(buf) log = {.limit = 0};
    run(data[0], input, (struct pieces){0}, &log);
    for (size_t i = 0; i < COUNT(splits); i++) {
        SCOPED(buf) other = {.limit = 0};
        run(data[0], input, splits[i], &other);
        if (!depends_on_split(buf_str(&log)) && !depends_on_split(buf_str(&other)))
            CHECK_EQ(buf_str(&other), buf_str(&log));
    }
    return 0;
}
