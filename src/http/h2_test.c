#include "http/h2.h"

#include "http/h2_frames_test.h"

TEST(h2_many_streams_at_once)
{
    const struct http_limits limits = {.streams = 1000};
    struct pair pair;
    pair_init(&pair, &limits);
    CHECK_EQ(pair.client.settings, (size_t)1);
    CHECK_EQ(http_engine_capacity(pair.client.engine), (size_t)1000);
    pair.server.answer = false;
    for (size_t i = 0; i < 1000; i++)
        recorder_request(&pair.client, "GET", "/watch", NULL);
    CHECK_EQ(http_engine_capacity(pair.client.engine), (size_t)0);
    struct recorder_stream *extra = recorder_stream_new(&pair.client);
    const struct http_head head = {
        .method = STR("GET"), .authority = STR("host"), .target = STR("/")};
    CHECK_ERROR(http_engine_open(pair.client.engine, &extra->stream, &head, true),
                ERROR_CONNECTION);
    recorder_pump(&pair.client, &pair.server, splits[3]);
    CHECK_EQ(pair.server.engine->exchange_count, (size_t)1000);
    pair.server.answer = true;
    recorder_settle(&pair.server);
    recorder_pump(&pair.client, &pair.server, splits[3]);
    CHECK_EQ(http_engine_capacity(pair.client.engine), (size_t)1000);
    CHECK_EQ(pair.server.engine->exchange_count, (size_t)0);
    pair_done(&pair);
}

TEST(h2_server_window_covers_all_streams)
{
    /* Each stream may hold 60,000 bytes, all of them together 100,000. */
    const struct http_limits limits = {.window = 60000, .connection_window = 100000};
    struct pair pair;
    pair_init(&pair, &limits);
    pair.server.hold = true;
    SCOPED(buf) block = {0};
    while (block.len < 60000)
        buf_add_char(&block, 'x');
    for (int i = 0; i < 4; i++) {
        struct recorder_stream *stream = recorder_stream_new(&pair.client);
        const struct http_head head = {
            .method = STR("PUT"), .authority = STR("host"), .target = STR("/")};
        size_t taken;
        CHECK_OK(http_engine_open(pair.client.engine, &stream->stream, &head, false));
        CHECK_OK(http_stream_write(&stream->stream, buf_str(&block), &taken));
        CHECK_EQ(taken, block.len);
    }
    recorder_pump(&pair.client, &pair.server, splits[0]);
    size_t held = 0;
    LIST_FOREACH (struct recorder_stream, stream, &pair.server.streams, stream.link)
        held += stream->body.len;
    CHECK_EQ(held, (size_t)100000);
    pair.server.hold = false;
    recorder_settle(&pair.server);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    LIST_FOREACH (struct recorder_stream, stream, &pair.server.streams, stream.link)
        CHECK_EQ(stream->body.len, (size_t)60000);
    pair_done(&pair);
}

TEST(h2_unread_bytes_of_given_up_streams_are_credited)
{
    /* Forty bodies through a connection window that holds two: lost credit would stall it. */
    const struct http_limits limits = {.window = 60000, .connection_window = 100000};
    struct pair pair;
    pair_init(&pair, &limits);
    pair.server.hold = true;
    pair.server.answer = false;
    SCOPED(buf) block = {0};
    while (block.len < 50000)
        buf_add_char(&block, 'x');
    for (int i = 0; i < 40; i++) {
        TEST_CASE("stream %d", i);
        struct recorder_stream *stream = recorder_request(&pair.client, "PUT", "/", buf_c(&block));
        recorder_pump(&pair.client, &pair.server, splits[0]);
        struct recorder_stream *request = recorder_last(&pair.server);
        CHECK_EQ(request->body.len, (size_t)50000);
        if (i % 4 == 0)
            http_stream_reset(&request->stream, HTTP_RESET_INTERNAL);
        else if (i % 4 == 1)
            http_stream_reset(&stream->stream, HTTP_RESET_CANCEL);
        else if (i % 4 == 2)
            recorder_respond(request, 200, STR("ok"));
        else
            http_stream_release(&request->stream);
        recorder_pump(&pair.client, &pair.server, splits[0]);
    }
    pair_done(&pair);
}

TEST(h2_resets_reach_the_other_side)
{
    const struct {
        const char *name;
        enum http_reset reason;
        enum error_code code;
        const char *message;
        bool unprocessed;
    } cases[] = {
        {"cancelled", HTTP_RESET_CANCEL,    ERROR_CONNECTION, "CANCEL",            false},
        {"refused",   HTTP_RESET_REFUSED,   ERROR_CONNECTION, "REFUSED_STREAM",    true },
        {"internal",  HTTP_RESET_INTERNAL,  ERROR_PROTOCOL,   "INTERNAL_ERROR",    false},
        {"protocol",  HTTP_RESET_PROTOCOL,  ERROR_PROTOCOL,   "PROTOCOL_ERROR",    false},
        {"too large", HTTP_RESET_TOO_LARGE, ERROR_PROTOCOL,   "ENHANCE_YOUR_CALM", false},
    };
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/", NULL);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        http_stream_reset(&recorder_last(&pair.server)->stream, cases[i].reason);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK(stream->closed);
        CHECK_FAILS(TAKE(stream->err), cases[i].code, cases[i].message);
        CHECK_EQ(stream->stream.unprocessed, cases[i].unprocessed);
        CHECK_EQ(pair.server.engine->exchange_count, (size_t)0);

        stream = recorder_request(&pair.client, "GET", "/", NULL);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        http_stream_reset(&stream->stream, cases[i].reason);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK_FAILS(TAKE(recorder_last(&pair.server)->err), cases[i].code, cases[i].message);
        CHECK_EQ(pair.client.engine->exchange_count, (size_t)0);
    }
    pair.server.refuse = true;
    struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/", NULL);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK(stream->stream.unprocessed && stream->err);
    pair_done(&pair);
}

TEST(h2_request_taken_back_before_it_left)
{
    struct pair pair;
    pair_init(&pair, NULL);
    struct recorder_stream *stream = recorder_request(&pair.client, "PUT", "/", "body");
    http_stream_release(&stream->stream);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK_EQ(buf_str(&pair.server.log), STR(""));
    CHECK_EQ(pair.client.engine->exchange_count, (size_t)0);
    pair_done(&pair);
}

TEST(h2_reset_upload_does_not_look_complete)
{
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    struct recorder_stream *stream = recorder_stream_new(&pair.client);
    const struct http_head head = {
        .method = STR("PUT"), .authority = STR("host"), .target = STR("/")};
    size_t taken;
    CHECK_OK(http_engine_open(pair.client.engine, &stream->stream, &head, false));
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK_OK(http_stream_write(&stream->stream, STR("half"), &taken));
    CHECK_OK(http_stream_end(&stream->stream));
    http_stream_release(&stream->stream);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK(!recorder_last(&pair.server)->ended);
    CHECK(recorder_last(&pair.server)->err != NULL);
    pair_done(&pair);
}

TEST(h2_early_response_stops_the_upload)
{
    struct pair pair;
    pair_init(&pair, NULL);
    struct recorder_stream *stream = recorder_stream_new(&pair.client);
    const struct http_head head = {
        .method = STR("PUT"), .authority = STR("host"), .target = STR("/")};
    CHECK_OK(http_engine_open(pair.client.engine, &stream->stream, &head, false));
    recorder_pump(&pair.client, &pair.server, splits[0]);
    recorder_respond(recorder_last(&pair.server), 413, STR("no"));
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK_EQ(buf_str(&pair.client.log), STR("head 1: 413\nend 1: no\nclosed 1:\n"));
    CHECK_EQ(buf_str(&pair.server.log), STR("head 1: PUT host /\nclosed 1:\n"));
    pair_done(&pair);
}

TEST(h2_released_response_is_still_sent)
{
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/", NULL);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    recorder_respond(recorder_last(&pair.server), 200, STR("late"));
    recorder_stream_free(recorder_last(&pair.server));
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK_EQ(buf_str(&stream->body), STR("late"));
    CHECK(stream->closed && !stream->err);
    CHECK_EQ(pair.server.engine->exchange_count, (size_t)0);
    pair_done(&pair);
}

TEST(h2_server_continues_when_the_body_is_wanted)
{
    struct recorder server;
    SCOPED(buf) input = {0}, block = {0}, out = {0};
    recorder_init(&server, h2_new, HTTP_SERVER, NULL);
    add_preface(&input);
    add_literal(&block, ":method", "PUT");
    add_literal(&block, ":scheme", "https");
    add_literal(&block, ":path", "/");
    add_literal(&block, "host", "from-host");
    add_literal(&block, "expect", "100-continue");
    add_frame(&input, HEADERS, END_HEADERS, 1, buf_str(&block));
    CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[0], &out));
    CHECK_EQ(recorder_last(&server)->head.authority, STR("from-host"));
    buf_clear(&out);
    http_stream_want_body(&recorder_last(&server)->stream);
    http_stream_want_body(&recorder_last(&server)->stream);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(out.len > 9 && out.ptr[3] == HEADERS && out.len < 20);
    recorder_done(&server);
}

TEST(h2_shutdown_loses_no_request)
{
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    struct recorder_stream *first = recorder_request(&pair.client, "GET", "/1", NULL);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    http_engine_shutdown(pair.server.engine);
    /* This one crosses the announcement. */
    struct recorder_stream *second = recorder_request(&pair.client, "GET", "/2", NULL);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK_EQ(pair.client.goaways, (size_t)1);
    CHECK_EQ(http_engine_capacity(pair.client.engine), (size_t)0);
    CHECK(!http_engine_is_finished(pair.server.engine));
    pair.server.answer = true;
    recorder_settle(&pair.server);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK(first->closed && !first->err && second->closed && !second->err);
    CHECK(http_engine_is_finished(pair.server.engine));
    CHECK(http_engine_is_finished(pair.client.engine));
    pair_done(&pair);
}

TEST(h2_streams_beyond_goaway_are_unprocessed)
{
    struct recorder client;
    SCOPED(buf) input = {0}, out = {0};
    recorder_init(&client, h2_new, HTTP_CLIENT, NULL);
    struct recorder_stream *first = recorder_request(&client, "GET", "/1", NULL);
    struct recorder_stream *second = recorder_request(&client, "GET", "/2", NULL);
    CHECK_OK(recorder_drain(&client, &out));
    struct recorder_stream *third = recorder_request(&client, "GET", "/3", NULL);
    add_frame(&input, SETTINGS, 0, 0, STR(""));
    add_frame(&input, 7, 0, 0, STR("\0\0\0\x01\0\0\0\x0b")); /* last stream 1 */
    CHECK_OK(feed_and_drain(&client, buf_str(&input), splits[1], &out));
    CHECK_EQ(client.goaways, (size_t)1);
    CHECK(!first->closed);
    CHECK(second->closed && second->stream.unprocessed && second->err);
    CHECK(third->closed && third->stream.unprocessed && third->err);
    CHECK_FAILS(http_engine_receive_end(client.engine), ERROR_CONNECTION, "ENHANCE_YOUR_CALM");
    CHECK(first->closed && !first->stream.unprocessed);
    recorder_done(&client);
}

TEST(h2_client_shutdown_completes_its_streams)
{
    struct pair pair;
    pair_init(&pair, NULL);
    struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/", NULL);
    http_engine_shutdown(pair.client.engine);
    CHECK_EQ(http_engine_capacity(pair.client.engine), (size_t)0);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    CHECK(stream->closed && !stream->err);
    CHECK(http_engine_is_finished(pair.client.engine));
    pair_done(&pair);
}

TEST(h2_credentials_are_not_put_into_the_table)
{
    struct recorder client;
    SCOPED(buf) first = {0}, second = {0};
    recorder_init(&client, h2_new, HTTP_CLIENT, NULL);
    for (int i = 0; i < 2; i++) {
        struct recorder_stream *stream = recorder_stream_new(&client);
        SCOPED(http_head)
        head = {.method = STR("GET"), .authority = STR("host"), .target = STR("/")};
        CHECK_OK(http_headers_add(&head.headers, STR("authorization"),
                                  STR("Bearer 0123456789012345678901234567890123456789")));
        CHECK_OK(http_engine_open(client.engine, &stream->stream, &head, true));
        CHECK_OK(recorder_drain(&client, i ? &second : &first));
    }
    CHECK(second.len > 9 + 30); /* the token again, not a reference to it */
    recorder_done(&client);
}
