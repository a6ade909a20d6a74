/* What an HTTP/1.1 engine writes, and how exchanges follow each other; h1_test.c reads. */
#include "http/h1.h"
#include "http/recorder_test.h"
#include "testing/test.h"

static struct http_head request_head(const char *method, const char *target)
{
    return (struct http_head){
        .method = str_from_c(method), .authority = STR("host"), .target = str_from_c(target)};
}

TEST(h1_client_writes_requests)
{
    /* What follows the request line and the host. */
    /* clang-format off */
    const struct {
        const char *name, *method, *header, *value, *body, *output;
    } cases[] = {
        {"get", "GET", "accept", "*", NULL, "accept: *\r\n\r\n"},
        {"post without body", "POST", "a", "b", NULL, "a: b\r\ncontent-length: 0\r\n\r\n"},
        {"with length", "PUT", "Content-Length", "2", "ok", "content-length: 2\r\n\r\nok"},
        {"chunked", "PUT", "a", "b", "ok",
         "a: b\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"},
        {"the connection is not the caller's", "GET", "Connection", "close", NULL, "\r\n"},
        {"nor is the framing", "GET", "Transfer-Encoding", "chunked", NULL, "\r\n"},
        {"nor the host", "GET", "Host", "other", NULL, "\r\n"},
        {"nor is an expectation", "GET", "Expect", "100-continue", NULL, "\r\n"},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct recorder client;
        SCOPED(buf) out = {0};
        recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
        struct recorder_stream *stream = recorder_stream_new(&client);
        SCOPED(http_head) head = request_head(cases[i].method, "/");
        CHECK_OK(http_headers_add(&head.headers, str_from_c(cases[i].header),
                                  str_from_c(cases[i].value)));
        CHECK_OK(http_engine_open(client.engine, &stream->stream, &head, !cases[i].body));
        if (cases[i].body) {
            size_t taken;
            CHECK_OK(http_stream_write(&stream->stream, str_from_c(cases[i].body), &taken));
            CHECK_OK(http_stream_end(&stream->stream));
        }
        CHECK_OK(recorder_drain(&client, &out));
        SCOPED(buf) expected = {0};
        buf_print(&expected, "%s / HTTP/1.1\r\nhost: host\r\n%s", cases[i].method, cases[i].output);
        CHECK_EQ(buf_str(&out), buf_str(&expected));
        recorder_done(&client);
    }
}

TEST(h1_client_reuses_its_connection)
{
    struct recorder client;
    SCOPED(buf) out = {0};
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    for (int i = 1; i <= 3; i++) {
        CHECK_EQ(http_engine_capacity(client.engine), (size_t)1);
        struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
        CHECK_EQ(stream->stream.id, i);
        CHECK_EQ(http_engine_capacity(client.engine), (size_t)0);
        CHECK_OK(recorder_drain(&client, &out));
        CHECK_OK(http_engine_receive(client.engine,
                                     STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")));
        CHECK(stream->closed && !stream->err);
    }
    CHECK(!http_engine_is_finished(client.engine));

    recorder_request(&client, "GET", "/", NULL);
    CHECK_OK(recorder_drain(&client, &out));
    CHECK_OK(http_engine_receive(
        client.engine, STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")));
    CHECK_EQ(http_engine_capacity(client.engine), (size_t)0);
    CHECK_EQ(client.goaways, (size_t)1);
    CHECK(http_engine_is_finished(client.engine));
    struct http_stream extra = {0};
    const struct http_head head = request_head("GET", "/");
    CHECK_ERROR(http_engine_open(client.engine, &extra, &head, true), ERROR_CONNECTION);
    recorder_done(&client);
}

TEST(h1_length_and_body_must_agree)
{
    struct recorder client;
    size_t taken;
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    struct recorder_stream *stream = recorder_stream_new(&client);
    SCOPED(http_head) head = request_head("PUT", "/");
    CHECK_OK(http_headers_add(&head.headers, STR("content-length"), STR("3")));
    CHECK_ERROR(http_engine_open(client.engine, &stream->stream, &head, true), ERROR_INVALID);
    CHECK_OK(http_engine_open(client.engine, &stream->stream, &head, false));
    CHECK_ERROR(http_stream_write(&stream->stream, STR("abcd"), &taken), ERROR_INVALID);
    CHECK_OK(http_stream_write(&stream->stream, STR("ab"), &taken));
    CHECK_ERROR(http_stream_end(&stream->stream), ERROR_INVALID);
    CHECK_OK(http_stream_write(&stream->stream, STR("c"), &taken));
    CHECK_OK(http_stream_end(&stream->stream));
    recorder_done(&client);
}

TEST(h1_queue_is_bounded)
{
    const struct http_limits limits = {.queue = 10};
    struct recorder client;
    SCOPED(buf) out = {0};
    size_t taken;
    recorder_init(&client, h1_new, HTTP_CLIENT, &limits);
    struct recorder_stream *stream = recorder_stream_new(&client);
    const struct http_head head = request_head("PUT", "/");
    CHECK_OK(http_engine_open(client.engine, &stream->stream, &head, false));
    CHECK_EQ(http_stream_room(&stream->stream), (size_t)10);
    CHECK_OK(http_stream_write(&stream->stream, STR("0123456789ab"), &taken));
    CHECK_EQ(taken, (size_t)10);
    CHECK_EQ(http_stream_room(&stream->stream), (size_t)0);
    CHECK(!stream->writable);
    CHECK_OK(recorder_drain(&client, &out));
    CHECK(stream->writable);
    CHECK_EQ(http_stream_room(&stream->stream), (size_t)10);
    CHECK(str_ends_with(buf_str(&out), STR("\r\n\r\na\r\n0123456789\r\n")));
    recorder_done(&client);
}

TEST(h1_slow_reader_stops_the_input)
{
    const struct http_limits limits = {.window = 10};
    struct recorder client;
    recorder_init(&client, h1_new, HTTP_CLIENT, &limits);
    client.hold = true;
    struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
    CHECK_OK(http_engine_receive(client.engine, STR("HTTP/1.1 200 OK\r\n\r\n12345")));
    CHECK(http_engine_wants_input(client.engine));
    CHECK_OK(http_engine_receive(client.engine, STR("67890")));
    CHECK(!http_engine_wants_input(client.engine));
    http_stream_consume(&stream->stream, 1);
    CHECK(http_engine_wants_input(client.engine));
    recorder_done(&client);
}

TEST(h1_pipelined_bytes_wait_and_are_not_lost)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    server.answer = false;
    CHECK_OK(http_engine_receive(server.engine, STR("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
                                                    "PUT /2 HTTP/1.1\r\nHost: h\r\nContent-Le")));
    CHECK(!http_engine_wants_input(server.engine));
    CHECK_EQ(buf_str(&server.log), STR("head 1: GET h /1\nend 1: \n"));
    recorder_respond(recorder_last(&server), 200, STR("one"));
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(http_engine_wants_input(server.engine));
    CHECK_OK(http_engine_receive(server.engine, STR("ngth: 2\r\n\r\nab")));
    CHECK_EQ(buf_str(&server.log), STR("head 1: GET h /1\nend 1: \nclosed 1:\n"
                                       "head 2: PUT h /2 content-length=2\nend 2: ab\n"));
    recorder_done(&server);
}

TEST(h1_bad_pipelined_request_fails_the_output)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    server.answer = false;
    CHECK_OK(http_engine_receive(server.engine,
                                 STR("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGARBAGE\r\n\r\n")));
    recorder_respond(recorder_last(&server), 200, STR("one"));
    CHECK_ERROR(recorder_drain(&server, &out), ERROR_PROTOCOL);
    CHECK(http_engine_is_finished(server.engine));
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_CONTAINS(buf_str(&out), STR("one\r\n0\r\n\r\nHTTP/1.1 400 "));
    recorder_done(&server);
}

#define EXPECTING "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"

TEST(h1_server_continues_when_the_body_is_wanted)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(server.engine, STR(EXPECTING)));
    CHECK(!http_engine_has_output(server.engine));
    struct recorder_stream *stream = recorder_last(&server);
    http_stream_want_body(&stream->stream);
    http_stream_want_body(&stream->stream);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_EQ(buf_str(&out), STR("HTTP/1.1 100 Continue\r\n\r\n"));
    CHECK_OK(http_engine_receive(server.engine, STR("ab")));
    recorder_settle(&server);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(stream->closed && !stream->err);
    CHECK(!http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_server_closes_when_the_body_was_never_asked_for)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(server.engine, STR(EXPECTING)));
    recorder_respond(recorder_last(&server), 403, STR("no"));
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_CONTAINS(buf_str(&out), STR("connection: close\r\n"));
    CHECK(recorder_last(&server)->closed && http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_server_drains_a_body_its_handler_did_not_want)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(
        server.engine, STR("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n123")));
    recorder_respond(recorder_last(&server), 403, STR("no"));
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(recorder_last(&server)->closed && !http_engine_is_finished(server.engine));
    CHECK_OK(
        http_engine_receive(server.engine, STR("4567890GET /next HTTP/1.1\r\nHost: h\r\n\r\n")));
    recorder_settle(&server);
    CHECK_EQ(recorder_last(&server)->head.target, STR("/next"));

    /* But not without end. */
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_OK(http_engine_receive(
        server.engine, STR("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n")));
    recorder_respond(recorder_last(&server), 403, STR("no"));
    CHECK_OK(recorder_drain(&server, &out));
    SCOPED(buf) filler = {0};
    while (filler.len < 64 * KILOBYTE)
        buf_add(&filler, STR("0123456789abcdef"));
    for (size_t i = 0; i < 5; i++)
        CHECK_OK(http_engine_receive(server.engine, buf_str(&filler)));
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_early_response_ends_the_upload)
{
    struct recorder client;
    SCOPED(buf) out = {0};
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    struct recorder_stream *stream = recorder_stream_new(&client);
    const struct http_head head = request_head("PUT", "/");
    CHECK_OK(http_engine_open(client.engine, &stream->stream, &head, false));
    CHECK_OK(recorder_drain(&client, &out));
    CHECK_OK(
        http_engine_receive(client.engine, STR("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n")));
    CHECK_EQ(buf_str(&client.log), STR("head 1: 413 content-length=0\nend 1: \nclosed 1:\n"));
    CHECK(http_engine_is_finished(client.engine));
    size_t taken;
    CHECK_ERROR(http_stream_write(&stream->stream, STR("x"), &taken), ERROR_CONNECTION);
    recorder_done(&client);
}

TEST(h1_released_response_is_still_sent)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(server.engine, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n")));
    recorder_settle(&server);
    recorder_stream_free(recorder_last(&server));
    CHECK_EQ(server.engine->exchange_count, (size_t)1);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(str_ends_with(buf_str(&out), STR("GET / \r\n0\r\n\r\n")));
    CHECK_EQ(server.engine->exchange_count, (size_t)0);
    CHECK(!http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_given_up_exchange_costs_the_connection)
{
    struct recorder client, server;
    SCOPED(buf) out = {0};
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    /* A request that has not left is simply taken back. */
    recorder_stream_free(recorder_request(&client, "GET", "/", NULL));
    CHECK_EQ(http_engine_capacity(client.engine), (size_t)1);
    CHECK(!http_engine_has_output(client.engine));
    struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
    CHECK_OK(recorder_drain(&client, &out));
    recorder_stream_free(stream);
    CHECK(http_engine_is_finished(client.engine));
    recorder_done(&client);

    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    server.answer = false;
    CHECK_OK(http_engine_receive(server.engine, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n")));
    struct http_head head = {.status = 200};
    size_t taken;
    CHECK_OK(http_stream_respond(&recorder_last(&server)->stream, &head, false));
    CHECK_OK(http_stream_write(&recorder_last(&server)->stream, STR("half"), &taken));
    CHECK_OK(http_engine_output(server.engine, &out, 100));
    http_stream_reset(&recorder_last(&server)->stream, HTTP_RESET_INTERNAL);
    buf_clear(&out);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_EQ(buf_str(&out), STR("")); /* above all no last chunk */
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_server_resets_before_the_response_with_a_status)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    server.answer = false;
    CHECK_OK(http_engine_receive(server.engine, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n")));
    http_stream_reset(&recorder_last(&server)->stream, HTTP_RESET_TOO_LARGE);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(str_starts_with(buf_str(&out), STR("HTTP/1.1 413 ")));
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);

    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    server.refuse = true;
    buf_clear(&out);
    CHECK_ERROR(http_engine_receive(server.engine, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n")),
                ERROR_SERVICE_UNAVAILABLE);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK(str_starts_with(buf_str(&out), STR("HTTP/1.1 503 ")));
    recorder_done(&server);
}

TEST(h1_shutdown_lets_the_exchange_complete)
{
    struct recorder server;
    SCOPED(buf) out = {0};
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(server.engine, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n")));
    http_engine_shutdown(server.engine);
    CHECK(!http_engine_is_finished(server.engine));
    recorder_settle(&server);
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_CONTAINS(buf_str(&out), STR("connection: close\r\n"));
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);

    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    http_engine_shutdown(server.engine);
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);
}

TEST(h1_lost_connection_closes_the_stream)
{
    struct recorder client;
    SCOPED(buf) out = {0};
    OWNED(error) lost = error_new(ERROR_CONNECTION, "reset by peer");
    for (int sent = 0; sent < 2; sent++) {
        recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
        struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
        if (sent)
            CHECK_OK(recorder_drain(&client, &out));
        http_engine_fail(client.engine, lost);
        CHECK(stream->closed && error_is(stream->err, ERROR_CONNECTION));
        CHECK_EQ(stream->stream.unprocessed, !sent);
        CHECK(!stream->stream.answered);
        CHECK(!http_engine_has_output(client.engine) && http_engine_is_finished(client.engine));
        recorder_done(&client);
    }
}

TEST(h1_idle_engine_holds_nothing)
{
    struct recorder client, server;
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    const struct pieces splits[] = {
        {0,  0},
        {1,  0},
        {50, 7}
    };
    for (size_t i = 0; i < COUNT(splits); i++) {
        recorder_request(&client, "POST", "/x", "some body");
        recorder_pump(&client, &server, splits[i]);
        CHECK_EQ(buf_str(&recorder_last(&client)->body), STR("POST /x some body"));
    }
    CHECK_EQ(client.engine->exchange_count, (size_t)0);
    CHECK_EQ(server.engine->exchange_count, (size_t)0);
    CHECK_EQ(http_engine_capacity(client.engine), (size_t)1);
    recorder_done(&client);
    recorder_done(&server);
}
