/* HTTP/2 peers that are hostile, or not peers at all. */
#include "http/h2_frames_test.h"

TEST(h2_large_heads_fail_their_stream_alone)
{
    const struct http_limits limits = {.head = 1000, .headers = 5};
    struct recorder server;
    SCOPED(buf) out = {0};
    for (int kind = 0; kind < 3; kind++) {
        TEST_CASE("kind %d", kind);
        SCOPED(buf) input = {0}, block = {0};
        recorder_init(&server, h2_new, HTTP_SERVER, &limits);
        add_preface(&input);
        add_request_fields(&block);
        for (int i = 0; i < 6 && kind == 0; i++)
            add_literal(&block, "a", "b");
        char long_value[121] = {0};
        memset(long_value, 'v', 120);
        for (int i = 0; i < 10 && kind == 1; i++)
            add_literal(&block, i % 2 ? "a" : "b", long_value);
        add_frame(&input, HEADERS, END_HEADERS | (kind < 2 ? END_STREAM : 0), 1, buf_str(&block));
        buf_clear(&block);
        for (int i = 0; i < 10 && kind == 2; i++)
            add_literal(&block, "trailer", long_value);
        if (kind == 2)
            add_frame(&input, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&block));
        add_request(&input, 3, END_STREAM);
        CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[0], &out));
        CHECK_CONTAINS(buf_str(&server.log), STR("head 3: GET host /\nend 3: \n"));
        CHECK_EQ(str_contains(buf_str(&server.log), STR("TooLarge")), kind == 2);
        recorder_done(&server);
    }
}

/* HEADERS and this many CONTINUATIONs of 12 KiB. */
static void add_large_response(struct buf *out, int continuations)
{
    char value[121] = {0};
    memset(value, 'v', 120);
    for (int i = 0; i <= continuations; i++) {
        SCOPED(buf) block = {0};
        if (i == 0)
            add_literal(&block, ":status", "200");
        while (block.len < 12 * KILOBYTE)
            add_literal(&block, "x", value);
        add_frame(out, i ? CONTINUATION : HEADERS, i == continuations ? END_HEADERS : 0, 1,
                  buf_str(&block));
    }
}

TEST(h2_header_of_a_megabyte_from_a_server)
{
    const struct {
        const char *name;
        int continuations;
        const char *message;
    } cases[] = {
        {"larger than the limit", 6,  "headers are larger than 65536 bytes"},
        {"a megabyte",            85, ""                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        const struct http_limits limits = {.headers = 10000};
        struct recorder client;
        SCOPED(buf) out = {0}, input = {0};
        recorder_init(&client, h2_new, HTTP_CLIENT, &limits);
        struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
        CHECK_OK(recorder_drain(&client, &out));
        add_frame(&input, SETTINGS, 0, 0, STR(""));
        add_large_response(&input, cases[i].continuations);
        OWNED(error) err = feed_and_drain(&client, buf_str(&input), splits[3], &out);
        CHECK_EQ(err != NULL, i == 1); /* so many frames end the connection */
        CHECK(stream->closed && stream->err);
        CHECK_CONTAINS(str_from_c(stream->err->message), str_from_c(cases[i].message));
        recorder_done(&client);
    }
}

/* As the HTTP/2 client of Go did until 2022, and so every kubectl before 1.26. */
TEST(h2_client_that_does_not_shrink_its_table_is_served)
{
    struct recorder server;
    SCOPED(buf) out = {0}, input = {0};
    recorder_init(&server, h2_new, HTTP_SERVER, NULL);
    add_preface(&input);
    CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[0], &out));
    buf_clear(&input);
    add_frame(&input, SETTINGS, ACK, 0, STR(""));
    add_request(&input, 1, END_STREAM);
    CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[0], &out));
    CHECK_EQ(buf_str(&server.log), STR("head 1: GET host /\nend 1: \nclosed 1:\n"));
    recorder_done(&server);
}

TEST(h2_continuation_may_arrive_byte_by_byte)
{
    for (size_t i = 0; i < COUNT(splits); i++) {
        TEST_CASE("split %zu", i);
        struct recorder client;
        SCOPED(buf) out = {0}, input = {0}, block = {0};
        recorder_init(&client, h2_new, HTTP_CLIENT, NULL);
        recorder_request(&client, "GET", "/", NULL);
        CHECK_OK(recorder_drain(&client, &out));
        add_frame(&input, SETTINGS, 0, 0, STR(""));
        add_literal(&block, ":status", "200");
        add_frame(&input, HEADERS, END_STREAM, 1, buf_str(&block));
        buf_clear(&block);
        add_literal(&block, "a", "b");
        add_frame(&input, CONTINUATION, END_HEADERS, 1, buf_str(&block));
        CHECK_OK(feed_and_drain(&client, buf_str(&input), splits[i], &out));
        CHECK_EQ(buf_str(&client.log), STR("head 1: 200 a=b\nend 1: \nclosed 1:\n"));
        recorder_done(&client);
    }
}

TEST(h2_heads_too_large_to_send)
{
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    recorder_request(&pair.client, "GET", "/", NULL);
    recorder_pump(&pair.client, &pair.server, splits[0]);
    SCOPED(buf) value = {0};
    while (value.len < 30000)
        buf_add_char(&value, 'v');
    SCOPED(http_head) head = {.status = 200};
    head.headers.limit = MEGABYTE;
    for (int i = 0; i < 3; i++)
        CHECK_OK(http_headers_add(&head.headers, STR("x"), buf_str(&value)));
    CHECK_ERROR(http_stream_respond(&recorder_last(&pair.server)->stream, &head, true),
                ERROR_TOO_LARGE);
    pair_done(&pair);
}

TEST(h2_malformed_requests_fail_their_stream_alone)
{
    const struct {
        const char *name, *field, *value;
    } cases[] = {
        {"connection header",    "connection",        "close"  },
        {"transfer-encoding",    "transfer-encoding", "chunked"},
        {"upper-case name",      "Accept",            "x"      },
        {"second path",          ":path",             "/x"     },
        {"unknown pseudo field", ":proto",            "x"      },
        {"line feed in a value", "x",                 "a\nb"   },
        {"return in a value",    "x",                 "a\rb"   },
        {"blank in a name",      "a b",               "x"      },
        {"length without body",  "content-length",    "5"      },
        {"length of garbage",    "content-length",    "x"      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t j = 0; j < COUNT(splits); j++) {
            TEST_CASE("%s, split %zu", cases[i].name, j);
            struct recorder server;
            SCOPED(buf) input = {0}, block = {0}, out = {0};
            recorder_init(&server, h2_new, HTTP_SERVER, NULL);
            add_preface(&input);
            add_request_fields(&block);
            add_literal(&block, cases[i].field, cases[i].value);
            add_frame(&input, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&block));
            add_request(&input, 3, END_STREAM);
            CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[j], &out));
            CHECK(!str_contains(buf_str(&server.log), STR("end 1")));
            CHECK_CONTAINS(buf_str(&server.log), STR("head 3: GET host /\nend 3: \n"));
            recorder_done(&server);
        }
    }
}

TEST(h2_requests_without_what_they_need)
{
    const struct {
        const char *name, *method, *path, *authority;
    } cases[] = {
        {"no method",        NULL,  "/",    "host"  },
        {"no path",          "GET", NULL,   "host"  },
        {"no host",          "GET", "/",    NULL    },
        {"path is no path",  "GET", "x",    "host"  },
        {"host with a user", "GET", "/",    "u@host"},
        {"fragment",         "GET", "/a#b", "host"  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct recorder server;
        SCOPED(buf) input = {0}, block = {0}, out = {0};
        recorder_init(&server, h2_new, HTTP_SERVER, NULL);
        add_preface(&input);
        if (cases[i].method)
            add_literal(&block, ":method", cases[i].method);
        add_literal(&block, ":scheme", "https");
        if (cases[i].path)
            add_literal(&block, ":path", cases[i].path);
        if (cases[i].authority)
            add_literal(&block, ":authority", cases[i].authority);
        add_frame(&input, HEADERS, END_HEADERS | END_STREAM, 1, buf_str(&block));
        CHECK_OK(feed_and_drain(&server, buf_str(&input), splits[0], &out));
        CHECK_EQ(buf_str(&server.log), STR(""));
        CHECK_EQ(server.engine->exchange_count, (size_t)0);
        recorder_done(&server);
    }
}

TEST(h2_peers_that_speak_something_else)
{
    const struct {
        const char *name;
        enum http_role role;
        struct str input;
        const char *message;
    } cases[] = {
        {"server is HTTP/1.1",   HTTP_CLIENT, STR("HTTP/1.1 400 No\r\n\r\n"),      "HTTP/1.1"  },
        {"server is plain text", HTTP_CLIENT, STR("hello, who is there?\r\n"),     "bad frames"},
        {"server is TLS",        HTTP_CLIENT, STR("\x15\x03\x01\0\x02\x02_____"),  "TLS"       },
        {"client is HTTP/1.1",   HTTP_SERVER, STR("GET / HTTP/1.1\r\n\r\n_____"),  "HTTP/1.1"  },
        {"client is TLS",        HTTP_SERVER, STR("\x16\x03\x01\x02\0\x01\0\x01"), "TLS"       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct recorder peer;
        SCOPED(buf) out = {0};
        recorder_init(&peer, h2_new, cases[i].role, NULL);
        if (cases[i].role == HTTP_CLIENT)
            recorder_request(&peer, "GET", "/", NULL);
        CHECK_OK(recorder_drain(&peer, &out));
        CHECK_FAILS(feed_and_drain(&peer, cases[i].input, splits[0], &out), ERROR_PROTOCOL,
                    cases[i].message);
        CHECK(http_engine_is_finished(peer.engine));
        if (cases[i].role == HTTP_CLIENT)
            CHECK(error_is(recorder_last(&peer)->err, ERROR_PROTOCOL));
        recorder_done(&peer);
    }
}

/* Repeats what add() writes until the server has had enough, without ever reading its answers. */
static void check_flood(const char *name, void (*add)(struct buf *out, uint32_t i), bool drain)
{
    TEST_CASE("%s", name);
    struct recorder server;
    SCOPED(buf) out = {.limit = 64 * MEGABYTE}, start = {0};
    struct error *err = NULL;
    recorder_init(&server, h2_new, HTTP_SERVER, NULL);
    server.answer = false;
    add_preface(&start);
    CHECK_OK(http_engine_receive(server.engine, buf_str(&start)));
    uint32_t i = 0;
    while (i < 100000 && !err) {
        SCOPED(buf) input = {0};
        while (input.len < 16 * KILOBYTE)
            add(&input, i++);
        err = recorder_feed(&server, buf_str(&input), &(struct pieces){0});
        if (!err && drain)
            err = recorder_drain(&server, &out);
    }
    CHECK_ERROR(err, ERROR_PROTOCOL);
    CHECK(http_engine_is_finished(server.engine));
    recorder_done(&server);
}

static void add_ping(struct buf *out, uint32_t i)
{
    (void)i;
    add_frame(out, PING, 0, 0, STR("12345678"));
}

static void add_settings(struct buf *out, uint32_t i)
{
    (void)i;
    add_frame(out, SETTINGS, 0, 0, STR(""));
}

static void add_empty_data(struct buf *out, uint32_t i)
{
    if (i == 0)
        add_request(out, 1, 0);
    add_frame(out, DATA, 0, 1, STR(""));
}

static void add_reset_request(struct buf *out, uint32_t i)
{
    add_request(out, 2 * i + 1, END_STREAM);
    add_frame(out, RST_STREAM, 0, 2 * i + 1, STR("\0\0\0\x08"));
}

/* Makes the server do the resetting: a window increment of zero is an error of the stream. */
static void add_provoked_reset(struct buf *out, uint32_t i)
{
    add_request(out, 2 * i + 1, END_STREAM);
    add_frame(out, WINDOW_UPDATE, 0, 2 * i + 1, STR("\0\0\0\0"));
}

static void add_continuation(struct buf *out, uint32_t i)
{
    if (i == 0)
        add_frame(out, HEADERS, 0, 1, STR("\x82"));
    add_frame(out, CONTINUATION, 0, 1, STR(""));
}

static void add_priority(struct buf *out, uint32_t i)
{
    add_frame(out, PRIORITY, 0, 2 * i + 1, STR("\0\0\0\0\x10"));
}

TEST(h2_floods_end_the_connection)
{
    for (int drain = 0; drain < 2; drain++) {
        check_flood("pings", add_ping, drain);
        check_flood("settings", add_settings, drain);
        check_flood("empty data", add_empty_data, drain);
        check_flood("requests reset at once", add_reset_request, drain);
        check_flood("continuations", add_continuation, drain);
        check_flood("priorities", add_priority, drain);
    }
    check_flood("provoked resets", add_provoked_reset, true);
}

TEST(h2_keepalive_pings_are_no_flood)
{
    struct recorder server;
    SCOPED(buf) start = {0}, out = {0}, ping = {0};
    recorder_init(&server, h2_new, HTTP_SERVER, NULL);
    add_preface(&start);
    add_ping(&ping, 0);
    CHECK_OK(http_engine_receive(server.engine, buf_str(&start)));
    for (int i = 0; i < 50000; i++) {
        buf_clear(&out);
        CHECK_OK(feed_and_drain(&server, buf_str(&ping), splits[0], &out));
    }
    recorder_done(&server);
}

TEST(h2_cancelled_watches_are_no_flood)
{
    struct pair pair;
    pair_init(&pair, NULL);
    pair.server.answer = false;
    const struct http_head head = {.status = 200};
    for (int i = 0; i < 900; i++) {
        struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/watch", NULL);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK_OK(http_stream_respond(&recorder_last(&pair.server)->stream, &head, false));
        recorder_pump(&pair.client, &pair.server, splits[0]);
        recorder_stream_free(stream);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        recorder_stream_free(recorder_last(&pair.server));
    }
    pair_done(&pair);
}

TEST(h2_endless_interim_answers_are_refused)
{
    struct recorder client;
    SCOPED(buf) out = {0}, input = {0};
    recorder_init(&client, h2_new, HTTP_CLIENT, NULL);
    struct recorder_stream *stream = recorder_request(&client, "GET", "/", NULL);
    CHECK_OK(recorder_drain(&client, &out));
    add_frame(&input, SETTINGS, 0, 0, STR(""));
    for (int i = 0; i < 3000; i++) {
        SCOPED(buf) block = {0};
        add_literal(&block, ":status", "103");
        add_frame(&input, HEADERS, END_HEADERS, 1, buf_str(&block));
    }
    CHECK_OK(feed_and_drain(&client, buf_str(&input), splits[0], &out));
    CHECK(error_is(stream->err, ERROR_TOO_LARGE));
    recorder_done(&client);
}
