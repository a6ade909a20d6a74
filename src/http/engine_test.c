/* Both engines back to back, client against server, in memory. */
#include "http/engine.h"

#include "http/h1.h"
#include "http/h2.h"
#include "http/recorder_test.h"
#include "testing/test.h"

static const struct {
    const char *name;
    recorder_engine_fn engine_new;
} protocols[] = {
    {"HTTP/1.1", h1_new},
    {"HTTP/2",   h2_new},
};

static const struct pieces splits[] = {
    {0,    0   },
    {1,    0   },
    {5,    0   },
    {30,   1   },
    {30,   2   },
    {2000, 1234},
};

struct pair {
    struct recorder client, server;
};

static void pair_init(struct pair *pair, size_t protocol, const struct http_limits *limits)
{
    recorder_init(&pair->client, protocols[protocol].engine_new, HTTP_CLIENT, limits);
    recorder_init(&pair->server, protocols[protocol].engine_new, HTTP_SERVER, limits);
}

static void pair_done(struct pair *pair)
{
    recorder_done(&pair->client);
    recorder_done(&pair->server);
}

TEST(engines_exchange_messages_for_every_split)
{
    const struct {
        const char *name, *method, *target, *body, *answer;
    } cases[] = {
        {"get",             "GET",    "/",      NULL,      "GET / "        },
        {"query",           "GET",    "/a?b=c", NULL,      "GET /a?b=c "   },
        {"post",            "POST",   "/",      "payload", "POST / payload"},
        {"patch",           "PATCH",  "/x/y",   "{}",      "PATCH /x/y {}" },
        {"delete, no body", "DELETE", "/x",     NULL,      "DELETE /x "    },
        {"delete, body",    "DELETE", "/x",     "why",     "DELETE /x why" },
        {"head",            "HEAD",   "/",      NULL,      ""              },
    };
    for (size_t p = 0; p < COUNT(protocols); p++) {
        for (size_t i = 0; i < COUNT(splits); i++) {
            struct pair pair;
            pair_init(&pair, p, NULL);
            for (size_t j = 0; j < COUNT(cases); j++) {
                TEST_CASE("%s, split %zu, %s", protocols[p].name, i, cases[j].name);
                struct recorder_stream *stream =
                    recorder_request(&pair.client, cases[j].method, cases[j].target, cases[j].body);
                recorder_pump(&pair.client, &pair.server, splits[i]);
                CHECK_EQ(stream->head.status, 200);
                CHECK(stream->ended && stream->closed && !stream->err);
                CHECK_EQ(buf_str(&stream->body), str_from_c(cases[j].answer));
                struct recorder_stream *request = recorder_last(&pair.server);
                CHECK_EQ(request->head.authority, STR("host"));
                CHECK(request->closed && !request->err);
            }
            CHECK_EQ(pair.client.engine->exchange_count, (size_t)0);
            CHECK_EQ(pair.server.engine->exchange_count, (size_t)0);
            pair_done(&pair);
        }
    }
}

TEST(engines_carry_headers)
{
    for (size_t p = 0; p < COUNT(protocols); p++) {
        TEST_CASE("%s", protocols[p].name);
        struct pair pair;
        pair_init(&pair, p, NULL);
        pair.server.answer = false;
        struct recorder_stream *stream = recorder_stream_new(&pair.client);
        SCOPED(http_head)
        head = {.method = STR("GET"),
                .scheme = STR("https"),
                .authority = STR("[::1]:6443"),
                .target = STR("/")};
        CHECK_OK(http_headers_add(&head.headers, STR("Authorization"), STR("Bearer x")));
        CHECK_OK(http_headers_add(&head.headers, STR("Accept"), STR("a")));
        CHECK_OK(http_headers_add(&head.headers, STR("Accept"), STR("b")));
        /* These belong to the connection and stay behind. */
        CHECK_OK(http_headers_add(&head.headers, STR("Connection"), STR("keep-alive")));
        CHECK_OK(http_headers_add(&head.headers, STR("Keep-Alive"), STR("5")));
        CHECK_OK(http_headers_add(&head.headers, STR("Transfer-Encoding"), STR("chunked")));
        CHECK_OK(http_headers_add(&head.headers, STR("Upgrade"), STR("h2c")));
        CHECK_OK(http_headers_add(&head.headers, STR("Host"), STR("other")));
        CHECK_OK(http_headers_add(&head.headers, STR("TE"), STR("trailers")));
        CHECK_OK(http_engine_open(pair.client.engine, &stream->stream, &head, true));
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK_EQ(buf_str(&pair.server.log),
                 STR("head 1: GET [::1]:6443 / authorization=Bearer x accept=a accept=b\n"
                     "end 1: \n"));
        pair_done(&pair);
    }
}

/* A body larger than every window and queue, written and read as room allows. */
static void send_large(struct pair *pair, struct pieces split, size_t size)
{
    struct recorder_stream *stream = recorder_stream_new(&pair->client);
    const struct http_head head = {.method = STR("PUT"),
                                   .scheme = STR("https"),
                                   .authority = STR("host"),
                                   .target = STR("/large")};
    CHECK_OK(http_engine_open(pair->client.engine, &stream->stream, &head, false));
    SCOPED(buf) text = {0};
    for (size_t i = 0; text.len < size; i++)
        buf_print(&text, "%zu,", i);
    struct str left = buf_str(&text);
    while (left.len) {
        size_t taken;
        CHECK_OK(http_stream_write(&stream->stream, left, &taken));
        left = str_skip(left, taken);
        stream->writable = false;
        recorder_pump(&pair->client, &pair->server, split);
        CHECK(stream->writable || !left.len);
    }
    CHECK_OK(http_stream_end(&stream->stream));
    recorder_pump(&pair->client, &pair->server, split);
    CHECK(str_eq(buf_str(&recorder_last(&pair->server)->body), buf_str(&text)));
    CHECK(stream->closed && !stream->err);
}

TEST(engines_carry_large_bodies)
{
    const struct pieces pieces[] = {
        {0,    0},
        {1000, 0},
        {5000, 9}
    };
    for (size_t p = 0; p < COUNT(protocols); p++)
        for (size_t i = 0; i < COUNT(pieces); i++) {
            TEST_CASE("%s, split %zu", protocols[p].name, i);
            struct pair pair;
            pair_init(&pair, p, NULL);
            send_large(&pair, pieces[i], 3 * MEGABYTE);
            send_large(&pair, pieces[i], 100);
            pair_done(&pair);
        }
}

TEST(engines_hold_a_fast_sender_for_a_slow_reader)
{
    const struct http_limits limits = {.window = 70000, .queue = 5000};
    for (size_t p = 0; p < COUNT(protocols); p++) {
        TEST_CASE("%s", protocols[p].name);
        struct pair pair;
        pair_init(&pair, p, &limits);
        pair.client.hold = true;
        struct recorder_stream *stream = recorder_request(&pair.client, "GET", "/", NULL);
        pair.server.answer = false;
        recorder_pump(&pair.client, &pair.server, splits[0]);
        struct http_stream *response = &recorder_last(&pair.server)->stream;
        const struct http_head head = {.status = 200};
        CHECK_OK(http_stream_respond(response, &head, false));
        SCOPED(buf) block = {0};
        while (block.len < 5000)
            buf_add_char(&block, 'x');
        size_t sent = 0;
        for (size_t i = 0; i < 1000; i++) {
            size_t taken;
            CHECK_OK(http_stream_write(response, buf_str(&block), &taken));
            sent += taken;
            if (http_engine_wants_input(pair.client.engine))
                recorder_pump(&pair.client, &pair.server, splits[0]);
        }
        CHECK(stream->body.len >= 70000 && stream->body.len <= 75000);
        CHECK(sent <= 85000);

        /* It goes on as the reader does. */
        const size_t before = stream->body.len;
        http_stream_consume(&stream->stream, before);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK(stream->body.len > before);
        pair_done(&pair);
    }
}

TEST(engines_tell_a_server_that_its_client_left)
{
    for (size_t p = 0; p < COUNT(protocols); p++) {
        TEST_CASE("%s", protocols[p].name);
        struct pair pair;
        pair_init(&pair, p, NULL);
        pair.server.answer = false;
        recorder_request(&pair.client, "GET", "/watch", NULL);
        recorder_pump(&pair.client, &pair.server, splits[0]);
        CHECK_ERROR(http_engine_receive_end(pair.server.engine), ERROR_CONNECTION);
        CHECK(error_is(recorder_last(&pair.server)->err, ERROR_CONNECTION));
        CHECK(http_engine_is_finished(pair.server.engine));
        pair_done(&pair);
    }
}

TEST(engines_may_be_freed_at_any_time)
{
    for (size_t p = 0; p < COUNT(protocols); p++) {
        for (int stage = 0; stage < 4; stage++) {
            TEST_CASE("%s, stage %d", protocols[p].name, stage);
            struct pair pair;
            pair_init(&pair, p, NULL);
            pair.server.answer = stage == 3;
            struct recorder_stream *stream = recorder_stream_new(&pair.client);
            if (stage >= 1) {
                const struct http_head head = {
                    .method = STR("PUT"), .authority = STR("host"), .target = STR("/")};
                size_t taken;
                CHECK_OK(http_engine_open(pair.client.engine, &stream->stream, &head, false));
                CHECK_OK(http_stream_write(&stream->stream, STR("abc"), &taken));
            }
            if (stage >= 2)
                recorder_pump(&pair.client, &pair.server, splits[0]);
            http_engine_free(TAKE(pair.client.engine));
            http_engine_free(TAKE(pair.server.engine));
            CHECK(!stream->stream.engine);
            pair_done(&pair);
        }
    }
}

TEST(engines_ping)
{
    struct pair pair;
    pair_init(&pair, 0, NULL);
    CHECK(!http_engine_ping(pair.client.engine));
    pair_done(&pair);
    pair_init(&pair, 1, NULL);
    for (size_t i = 1; i <= 3; i++) {
        CHECK(http_engine_ping(pair.client.engine));
        CHECK(http_engine_ping(pair.server.engine));
        recorder_pump(&pair.client, &pair.server, splits[1]);
        CHECK_EQ(pair.client.pongs, i);
        CHECK_EQ(pair.server.pongs, i);
    }
    pair_done(&pair);
}
