#include "http/h1.h"

#include "http/recorder_test.h"
#include "testing/test.h"

/* Every way the bytes of a test are delivered. */
static const struct pieces splits[] = {
    {0,   0 },
    {1,   0 },
    {2,   0 },
    {7,   0 },
    {16,  3 },
    {100, 42},
};

/* Tables of these are ragged, which clang-format 14 cannot lay out (or survive). */
struct exchange_case {
    const char *name;
    struct str input;
    const char *events; /* the record, with an "error CODE: message" line at its end */
    const char *output; /* how the engine's own bytes begin; NULL: not looked at */
};

static void record_error(struct recorder *recorder, struct error *err)
{
    if (err)
        buf_print(&recorder->log, "error %.*s: %s\n", STR_ARG(error_code_name(err->code)),
                  err->message);
    error_free(err);
}

/* Runs a case with all splits, then closes the peer's side. */
static void run_server(const struct exchange_case *test, const struct http_limits *limits)
{
    for (size_t i = 0; i < COUNT(splits); i++) {
        TEST_CASE("%s, split %zu", test->name, i);
        struct recorder server;
        struct pieces pieces = splits[i];
        SCOPED(buf) out = {0};
        recorder_init(&server, h1_new, HTTP_SERVER, limits);
        struct str input = test->input;
        struct error *err = NULL;
        while (input.len && !err) {
            const struct str piece = str_slice(input, 0, pieces_next(&pieces));
            input = str_skip(input, piece.len);
            err = recorder_feed(&server, piece, &(struct pieces){0});
            if (!err)
                err = recorder_drain(&server, &out);
        }
        record_error(&server, err);
        if (!err)
            record_error(&server, http_engine_receive_end(server.engine));
        CHECK_OK(recorder_drain(&server, &out));
        CHECK_EQ(buf_str(&server.log), str_from_c(test->events));
        if (test->output)
            CHECK_EQ(str_slice(buf_str(&out), 0, strlen(test->output)), str_from_c(test->output));
        recorder_done(&server);
    }
}

static void run_client(const struct exchange_case *test, const char *method,
                       const struct http_limits *limits)
{
    for (size_t i = 0; i < COUNT(splits); i++) {
        TEST_CASE("%s, split %zu", test->name, i);
        struct recorder client;
        struct pieces pieces = splits[i];
        SCOPED(buf) out = {0};
        recorder_init(&client, h1_new, HTTP_CLIENT, limits);
        const bool tunnel = strcmp(method, "CONNECT") == 0;
        recorder_request(&client, method, tunnel ? "" : "/", NULL);
        CHECK_OK(recorder_drain(&client, &out));
        struct error *err = recorder_feed(&client, test->input, &pieces);
        record_error(&client, err);
        if (!err && !http_engine_is_finished(client.engine))
            record_error(&client, http_engine_receive_end(client.engine));
        CHECK_EQ(buf_str(&client.log), str_from_c(test->events));
        recorder_done(&client);
    }
}

#define GET     "GET / HTTP/1.1\r\nHost: h\r\n"
#define POST    "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define HELLO   "GET / HTTP/1.1\r\nHost: host\r\n\r\n"
#define HELLO1  "head 1: GET host /\nend 1: \nclosed 1:\n"
#define OK200   "HTTP/1.1 200 OK\r\n"

TEST(h1_server_reads_requests)
{
    /* clang-format off */
    const struct exchange_case cases[] = {
        {"simple", STR(HELLO), HELLO1,
         OK200 "transfer-encoding: chunked\r\n\r\n6\r\nGET / \r\n0\r\n\r\n"},
        {"blank lines in front", STR("\r\n\r\n" HELLO), HELLO1, NULL},
        {"headers are lower-cased and trimmed",
         STR("GET /a?b=c HTTP/1.1\r\nHost:  host:80 \r\nX-A:\t1 \r\nEmpty:\r\n\r\n"),
         "head 1: GET host:80 /a?b=c x-a=1 empty=\nend 1: \nclosed 1:\n", NULL},
        {"length", STR("PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
         "head 1: PUT h /x content-length=5\nend 1: hello\nclosed 1:\n", NULL},
        {"length of zero", STR(POST "Content-Length: 0\r\n\r\n"),
         "head 1: POST h / content-length=0\nend 1: \nclosed 1:\n", NULL},
        {"chunks",
         STR(CHUNKED "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n"),
         "head 1: POST h /\nend 1: abc0123456789\nclosed 1:\n", NULL},
        {"chunk extensions are ignored",
         STR(CHUNKED "3;a=b\r\nabc\r\n0;c\r\n\r\n"),
         "head 1: POST h /\nend 1: abc\nclosed 1:\n", NULL},
        {"trailers are dropped",
         STR(CHUNKED "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n"),
         "head 1: POST h /\nend 1: a\nclosed 1:\n", NULL},
        {"pipelined requests are answered in order",
         STR(HELLO "POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab" HELLO),
         HELLO1 "head 2: POST h /2 content-length=2\nend 2: ab\nclosed 2:\n"
                "head 3: GET host /\nend 3: \nclosed 3:\n",
         NULL},
        {"connection: close ends it",
         STR("GET / HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n" HELLO), HELLO1,
         OK200 "transfer-encoding: chunked\r\nconnection: close\r\n\r\n6\r\nGET / \r\n0\r\n\r\n"},
        {"HTTP/1.0 gets a body until the close", STR("GET / HTTP/1.0\r\nHost: host\r\n\r\n" HELLO),
         HELLO1, OK200 "connection: close\r\n\r\nGET / "},
        {"HTTP/1.0 without a host", STR("GET / HTTP/1.0\r\n\r\n"),
         "head 1: GET localhost /\nend 1: \nclosed 1:\n", NULL},
        {"head", STR("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"),
         "head 1: HEAD h /\nend 1: \nclosed 1:\n", OK200 "\r\n"},
        {"absolute form", STR("GET http://other:81/p?q HTTP/1.1\r\nHost: h\r\n\r\n"),
         "head 1: GET other:81 /p?q\nend 1: \nclosed 1:\n", NULL},
        {"options for the server", STR("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
         "head 1: OPTIONS h *\nend 1: \nclosed 1:\n", NULL},
        {"an upgrade is not taken up",
         STR("GET / HTTP/1.1\r\nHost: host\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" HELLO),
         HELLO1 "head 2: GET host /\nend 2: \nclosed 2:\n", OK200},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++)
        run_server(&cases[i], NULL);
}

#define CLOSED1(sent, what) \
    "closed 1: after " sent " bytes, Protocol: " what "\nerror Protocol: " what "\n"

TEST(h1_server_refuses_what_could_be_smuggled)
{
    /* clang-format off */
    const struct {
        const char *name;
        struct str input;
        const char *status;
    } cases[] = {
        {"both content-length and transfer-encoding",
         STR(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"),
         "400"},
        {"transfer-encoding and content-length",
         STR(POST "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
         "400"},
        {"two lengths that differ",
         STR(POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), "400"},
        {"two lengths that agree",
         STR(POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), "400"},
        {"list of lengths", STR(POST "Content-Length: 3, 3\r\n\r\nabc"),
         "400"},
        {"signed length", STR(POST "Content-Length: +3\r\n\r\nabc"), "400"},
        {"negative length", STR(POST "Content-Length: -3\r\n\r\n"), "400"},
        {"empty length", STR(POST "Content-Length: \r\n\r\n"), "400"},
        {"length that overflows",
         STR(POST "Content-Length: 99999999999999999999\r\n\r\n"), "400"},
        {"length beyond signed numbers",
         STR(POST "Content-Length: 9223372036854775808\r\n\r\n"), "400"},
        {"unknown transfer-encoding",
         STR(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"), "501"},
        {"chunked not last",
         STR(POST "Transfer-Encoding: chunked, gzip\r\n\r\n"), "4"},
        {"chunked twice",
         STR(POST "Transfer-Encoding: chunked\r\n"
             "Transfer-Encoding: chunked\r\n\r\n"),
         NULL},
        {"chunked in disguise",
         STR(POST "Transfer-Encoding: xchunked\r\n\r\n"), NULL},
        {"chunked with HTTP/1.0",
         STR("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"), "400"},
        {"folded header", STR(GET "A: b\r\n c\r\n\r\n"), "400"},
        {"bare line feed", STR("GET / HTTP/1.1\nHost: h\n\n"), NULL},
        {"bare line feed behind a header", STR("GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n"), "400"},
        {"bare carriage return", STR("GET / HTTP/1.1\r\nHost: h\rA: b\r\n\r\n"), "400"},
        {"blank before the colon", STR("GET / HTTP/1.1\r\nHost : h\r\n\r\n"), "400"},
        {"blank before the name", STR("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), "400"},
        {"no colon", STR("GET / HTTP/1.1\r\nHost\r\n\r\n"), "400"},
        {"empty name", STR("GET / HTTP/1.1\r\n: h\r\n\r\n"), "400"},
        {"NUL in a value", STR(GET "A: \0\r\n\r\n"), "400"},
        {"control character in a value", STR(GET "A: \x01\r\n\r\n"), "400"},
        {"delete in a value", STR(GET "A: \x7f\r\n\r\n"), "400"},
        {"no host", STR("GET / HTTP/1.1\r\nA: b\r\n\r\n"), "400"},
        {"two hosts", STR("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), "400"},
        {"host with a path", STR("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), "400"},
        {"host with a user", STR("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), "400"},
        {"unknown method", STR("BREW / HTTP/1.1\r\nHost: h\r\n\r\n"), "400"},
        {"method in lower case", STR("get / HTTP/1.1\r\nHost: h\r\n\r\n"), "400"},
        {"a streaming protocol", STR("SOURCE / ICE/1.0\r\nHost: h\r\n\r\n"), "400"},
        {"blank in the target", STR("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"), "400"},
        {"target that is no path", STR("GET a HTTP/1.1\r\nHost: h\r\n\r\n"), "400"},
        {"absolute target with garbage", STR("GET ftp://a/ HTTP/1.1\r\nHost: h\r\n\r\n"), "400"},
        {"no version", STR("GET /\r\nHost: h\r\n\r\n"), NULL},
        {"version 1.2", STR("GET / HTTP/1.2\r\nHost: h\r\n\r\n"), "505"},
        {"version 2", STR("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), "505"},
        {"preface of HTTP/2", STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), NULL},
        {"start of TLS", STR("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), "400"},
        {"chunk size that is no number",
         STR(CHUNKED "xyz\r\n"), "400"},
        {"chunk size in C's notation",
         STR(CHUNKED "0x3\r\nabc\r\n"), "400"},
        {"negative chunk size",
         STR(CHUNKED "-1\r\nabc\r\n"), "400"},
        {"empty chunk size",
         STR(CHUNKED "\r\nabc\r\n"), "400"},
        {"chunk size that overflows",
         STR(CHUNKED "fffffffffffffffff\r\nabc"),
         "400"},
        {"blank behind the chunk size",
         STR(CHUNKED "3 \r\nabc\r\n"), "400"},
        {"chunk with a bare line feed",
         STR(CHUNKED "3\nabc\r\n"), "400"},
        {"chunk longer than its size",
         STR(CHUNKED "3\r\nabcd\r\n"), "400"},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < COUNT(splits); j++) {
            TEST_CASE("%s, split %zu", cases[i].name, j);
            struct recorder server;
            struct pieces pieces = splits[j];
            SCOPED(buf) out = {0};
            recorder_init(&server, h1_new, HTTP_SERVER, NULL);
            CHECK_ERROR(recorder_feed(&server, cases[i].input, &pieces), ERROR_PROTOCOL);
            CHECK_OK(recorder_drain(&server, &out));
            CHECK(str_find(buf_str(&server.log), STR("end 1")) == STR_NONE);
            CHECK(http_engine_is_finished(server.engine));
            CHECK(!http_engine_wants_input(server.engine));
            CHECK_EQ(str_slice(buf_str(&out), 0, 9), STR("HTTP/1.1 "));
            if (cases[i].status)
                CHECK_EQ(str_slice(buf_str(&out), 9, 9 + strlen(cases[i].status)),
                         str_from_c(cases[i].status));
            CHECK(str_contains(buf_str(&out), STR("\r\nconnection: close\r\n")));
            recorder_done(&server);
        }
    }
}

TEST(h1_server_sees_truncated_requests)
{
    /* clang-format off */
    const struct exchange_case cases[] = {
        {"nothing at all", STR(""), "", ""},
        {"blank line only", STR("\r\n"), "", ""},
        {"request line", STR("GET / HT"), "error Protocol: truncated request head\n", ""},
        {"head", STR(GET), "error Protocol: truncated request head\n",
         ""},
        {"body", STR(POST "Content-Length: 5\r\n\r\nabc"),
         "head 1: POST h / content-length=5\n" CLOSED1("3", "truncated request body"), ""},
        {"chunked body",
         STR(CHUNKED "3\r\nabc\r\n"),
         "head 1: POST h /\n" CLOSED1("3", "truncated request body"), ""},
        {"chunked body before its last line",
         STR(CHUNKED "0\r\n"),
         "head 1: POST h /\n" CLOSED1("0", "truncated request body"), ""},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++)
        run_server(&cases[i], NULL);
}

TEST(h1_client_reads_responses)
{
    /* clang-format off */
    const struct exchange_case cases[] = {
        {"length", STR(OK200 "Content-Length: 2\r\nX: y\r\n\r\nok"),
         "head 1: 200 content-length=2 x=y\nend 1: ok\nclosed 1:\n", NULL},
        {"no body", STR("HTTP/1.1 204 No Content\r\n\r\n"), "head 1: 204\nend 1: \nclosed 1:\n",
         NULL},
        {"204 with a length", STR("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
         "head 1: 204 content-length=5\nend 1: \nclosed 1:\n", NULL},
        {"not modified", STR("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
         "head 1: 304 content-length=5\nend 1: \nclosed 1:\n", NULL},
        {"no reason", STR("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
         "head 1: 200 content-length=0\nend 1: \nclosed 1:\n", NULL},
        {"chunks", STR(OK200 "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
         "head 1: 200\nend 1: ok\nclosed 1:\n", NULL},
        {"until the close", STR(OK200 "\r\nall of it"),
         "head 1: 200\nend 1: all of it\nclosed 1:\n", NULL},
        {"until the close, empty", STR(OK200 "\r\n"), "head 1: 200\nend 1: \nclosed 1:\n", NULL},
        {"HTTP/1.0", STR("HTTP/1.0 200 OK\r\n\r\nold"),
         "head 1: 200\nend 1: old\nclosed 1:\n", NULL},
        {"interim answers are skipped",
         STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK200
             "Content-Length: 2\r\n\r\nok"),
         "head 1: 200 content-length=2\nend 1: ok\nclosed 1:\n", NULL},
        {"reset behind a complete response is not its problem",
         STR(OK200 "Content-Length: 2\r\nConnection: close\r\n\r\nokHTTP"),
         "head 1: 200 content-length=2\nend 1: ok\nclosed 1:\n", NULL},
        {"truncated body", STR(OK200 "Content-Length: 5\r\n\r\nabc"),
         "head 1: 200 content-length=5\n" CLOSED1("3", "truncated response body"), NULL},
        {"truncated chunks", STR(OK200 "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"),
         "head 1: 200\n" CLOSED1("3", "truncated response body"), NULL},
        {"truncated between chunks", STR(OK200 "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
         "head 1: 200\n" CLOSED1("3", "truncated response body"), NULL},
        {"truncated head", STR("HTTP/1.1 200 OK\r\nA: "), CLOSED1("0", "truncated response head"),
         NULL},
        {"nothing at all", STR(""),
         "closed 1: after 0 bytes, Connection: connection closed before the response\n"
         "error Connection: connection closed before the response\n",
         NULL},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++)
        run_client(&cases[i], "GET", NULL);
    const struct exchange_case head = {
        .name = "response to HEAD",
        .input = STR(OK200 "Content-Length: 5\r\n\r\n"),
        .events = "head 1: 200 content-length=5\nend 1: \nclosed 1:\n",
    };
    run_client(&head, "HEAD", NULL);
    const struct exchange_case tunnel = {
        .name = "tunnel",
        .input = STR(OK200 "\r\n"),
        .events = "head 1: 200\nend 1: \nclosed 1:\n",
    };
    run_client(&tunnel, "CONNECT", NULL);
    const struct exchange_case denied = {
        .name = "tunnel denied",
        .input = STR("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno"),
        .events = "head 1: 407 content-length=2\nend 1: no\nclosed 1:\n",
    };
    run_client(&denied, "CONNECT", NULL);
}

TEST(h1_client_refuses_bad_responses)
{
    /* clang-format off */
    const struct {
        const char *name;
        struct str input;
        const char *message;
    } cases[] = {
        {"plain text peer", STR("hello there\r\n"), "bad response head"},
        {"start of TLS", STR("\x15\x03\x01\x00\x02\x02\x46"), "peer seems to speak TLS"},
        {"secure shell", STR("SSH-2.0-OpenSSH\r\n"), "peer seems to speak SSH"},
        {"settings of HTTP/2", STR("\0\0\x12\x04\0\0\0\0\0"), "peer seems to speak HTTP/2"},
        {"both content-length and transfer-encoding",
         STR(OK200 "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), ""},
        {"wrong content length", STR(OK200 "Content-Length: two\r\n\r\n"), "Content-Length"},
        {"two lengths", STR(OK200 "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), ""},
        {"other transfer-encoding", STR(OK200 "Transfer-Encoding: gzip\r\n\r\n"),
         "transfer-encoding"},
        {"unasked upgrade",
         STR("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
         "switches protocols"},
        {"status too small", STR("HTTP/1.1 099 No\r\n\r\n"), ""},
        {"status too large", STR("HTTP/1.1 600 No\r\nContent-Length: 0\r\n\r\n"), "status 600"},
        {"folded header", STR(OK200 "A: b\r\n c\r\nContent-Length: 0\r\n\r\n"), ""},
        {"bare line feed", STR("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), ""},
        {"version 2", STR("HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"), "version"},
        {"a request", STR(HELLO), "bad response head"},
        {"more than was asked for",
         STR(OK200 "Content-Length: 0\r\n\r\n" OK200 "Content-Length: 0\r\n\r\n"),
         "response without a request"},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < COUNT(splits); j++) {
            TEST_CASE("%s, split %zu", cases[i].name, j);
            struct recorder client;
            struct pieces pieces = splits[j];
            SCOPED(buf) out = {0};
            recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
            recorder_request(&client, "GET", "/", NULL);
            CHECK_OK(recorder_drain(&client, &out));
            CHECK_FAILS(recorder_feed(&client, cases[i].input, &pieces), ERROR_PROTOCOL,
                        j == 0 ? cases[i].message : "");
            CHECK_EQ(http_engine_capacity(client.engine), (size_t)0);
            CHECK(http_engine_is_finished(client.engine));
            recorder_done(&client);
        }
    }
}

/* Limits. */

static void check_too_large(struct str input, const struct http_limits *limits, const char *message)
{
    for (size_t j = 0; j < COUNT(splits); j++) {
        struct recorder server;
        struct pieces pieces = splits[j];
        recorder_init(&server, h1_new, HTTP_SERVER, limits);
        struct error *err = recorder_feed(&server, input, &pieces);
        CHECK(err != NULL);
        CHECK_CONTAINS(str_from_c(err->message), str_from_c(message));
        error_free(err);
        recorder_done(&server);
    }
}

TEST(h1_header_of_a_megabyte_is_refused_before_it_is_buffered)
{
    struct recorder server;
    SCOPED(buf) out = {0}, filler = {0};
    while (filler.len < 4096)
        buf_add_char(&filler, 'a');
    recorder_init(&server, h1_new, HTTP_SERVER, NULL);
    CHECK_OK(http_engine_receive(server.engine, STR(GET "X: ")));
    struct error *err = NULL;
    size_t sent = 0;
    for (; sent < MEGABYTE && !err; sent += filler.len)
        err = http_engine_receive(server.engine, buf_str(&filler));
    CHECK(sent <= 68 * KILOBYTE);
    CHECK_FAILS(err, ERROR_TOO_LARGE, "head is larger than 65536 bytes");
    CHECK_OK(recorder_drain(&server, &out));
    CHECK_CONTAINS(buf_str(&out), STR("HTTP/1.1 431 "));
    recorder_done(&server);
}

TEST(h1_limits_hold_for_every_split)
{
    const struct http_limits small = {.head = 100, .headers = 3};
    SCOPED(buf) text = {0};

    TEST_CASE("blank lines without end");
    while (text.len < 101)
        buf_add(&text, STR("\r\n"));
    check_too_large(buf_str(&text), &small, "head is larger than 100");

    TEST_CASE("long target");
    buf_clear(&text);
    buf_add(&text, STR("GET /"));
    while (text.len < 101)
        buf_add_char(&text, 'x');
    check_too_large(buf_str(&text), &small, "head is larger than 100");

    TEST_CASE("many headers");
    check_too_large(STR(GET "a:b\r\na:b\r\na:b\r\n\r\n"), &small, "more than 3 headers");

    TEST_CASE("trailers");
    buf_clear(&text);
    buf_add(&text, STR(CHUNKED "0\r\nA: "));
    while (text.len < 300)
        buf_add_char(&text, 'x');
    check_too_large(buf_str(&text), &small, "trailers are larger than 100");

    TEST_CASE("chunk extensions");
    buf_clear(&text);
    buf_add(&text, STR(CHUNKED ""));
    while (text.len < 40 * KILOBYTE)
        buf_add(&text, STR("1;name=value\r\nx\r\n"));
    check_too_large(buf_str(&text), &small, "chunk extensions");

    TEST_CASE("just fits");
    const struct http_limits exact = {.head = strlen(HELLO)};
    const struct exchange_case fits = {"just fits", STR(HELLO), HELLO1, NULL};
    run_server(&fits, &exact);
    const struct http_limits tight = {.head = strlen(HELLO) - 1};
    check_too_large(STR(HELLO), &tight, "head is larger than");
}

TEST(h1_endless_interim_answers_are_refused)
{
    struct recorder client;
    recorder_init(&client, h1_new, HTTP_CLIENT, NULL);
    recorder_request(&client, "GET", "/", NULL);
    struct error *err = NULL;
    for (size_t i = 0; i < 10000 && !err; i++)
        err = http_engine_receive(client.engine, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    CHECK_FAILS(err, ERROR_TOO_LARGE, "head is larger");
    recorder_done(&client);
}
