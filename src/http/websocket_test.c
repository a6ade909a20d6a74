#include "http/websocket.h"

#include "http/http_fixture_test.h"

#define OFFER                                                                              \
    "GET / HTTP/1.1\r\nHost: server.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" \
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"         \
    "Origin: http://server.test\r\n\r\n"
#define ACCEPTED                                                                        \
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" \
    "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
#define MASK  "\0\0\0\0"
#define PING  "\x89\x82" MASK "hi"
#define PONG  "\x8a\x02hi"
#define CLOSE "\x88\x82" MASK "\x03\xe8"

/* What the handler of these tests does, and what became of it. */
struct sender {
    size_t size; /* of the message it sends; 0 for none */
    bool stays;  /* waits for ever afterwards */
    bool was_open, was_canceled, is_over;
};

static struct error *send_and_stay(struct sender *sender, struct websocket *socket)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < sender->size; i++)
        buf_add_char(&text, 'x');
    if (sender->size)
        TRY(websocket_send_text(socket, buf_str(&text)));
    return sender->stays ? fiber_sleep(HOUR) : NULL;
}

static struct error *handle(void *data, struct http_request *request)
{
    struct sender *sender = data;
    SCOPED(websocket) socket = {0};
    if (!http_request_wants_websocket(request))
        return http_request_answer(request, 200, STR("text/plain"),
                                   http_request_wants_upgrade(request) ? STR("offer")
                                                                       : STR("plain"));
    TRY(websocket_accept(&socket, request, STR("secret.")));
    sender->was_open = websocket_is_open(&socket);
    struct error *err = send_and_stay(sender, &socket);
    sender->is_over = true;
    sender->was_canceled = error_is(err, ERROR_CANCELED);
    if (!websocket_is_open(&socket)) {
        error_free(err);
        return NULL;
    }
    if (!err)
        websocket_close(&socket);
    return err;
}

static void begin(struct http_fixture *fixture, struct sender *sender)
{
    http_fixture_init(fixture, HTTP_FIXTURE_PLAIN, handle, sender);
    CHECK_OK(http_fixture_start(fixture));
}

static struct transport *offer(struct http_fixture *fixture, struct str bytes)
{
    struct transport *transport = NULL;
    CHECK_OK(network_connect(fixture->network, HTTP_FIXTURE_HOST, http_server_port(fixture->server),
                             &transport));
    CHECK_OK(transport_write(transport, bytes));
    return transport;
}

/* All that comes until nothing comes for a second, or until the server closes. */
static bool hear(struct transport *transport, struct buf *heard)
{
    for (;;) {
        char block[4000];
        size_t len = 0;
        FIBER_TIMEOUT(SECOND);
        OWNED(error) err = transport_read(transport, block, sizeof(block), &len);
        if (error_is(err, ERROR_DEADLINE))
            return false;
        if (err || len == 0)
            return true;
        buf_add(heard, str_from(block, len));
    }
}

SIM_TEST(websocket_frames_may_come_with_the_request)
{
    struct sender sender = {.stays = true};
    SCOPED(http_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0};
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER PING CLOSE));
    CHECK(hear(client, &heard));
    CHECK_EQ(buf_str(&heard), STR(ACCEPTED PONG "\x88\x02\x03\xe8"));
    CHECK(sender.was_open && sender.was_canceled);
}

SIM_TEST(websocket_frames_may_come_byte_by_byte)
{
    const struct str frames = STR(PING "\x81\x83" MASK "abc" PING CLOSE);
    struct sender sender = {.stays = true};
    SCOPED(http_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0};
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER));
    for (size_t i = 0; i < frames.len; i++) {
        CHECK_OK(transport_write(client, str_slice(frames, i, i + 1)));
        CHECK_OK(fiber_sleep(MILLISECOND));
    }
    CHECK(hear(client, &heard));
    CHECK_EQ(buf_str(&heard), STR(ACCEPTED PONG PONG "\x88\x02\x03\xe8"));
}

/* The message is larger than all queues: its fiber waits in the middle of it. */
SIM_TEST(a_websocket_message_is_not_interrupted_by_answers)
{
    struct sender sender = {.size = MEGABYTE, .stays = true};
    SCOPED(http_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0}, expected = {.limit = 0};
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_OK(transport_write(client, STR(PING CLOSE)));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!sender.is_over);
    CHECK(hear(client, &heard));
    buf_add(&expected, STR(ACCEPTED "\x81\x7f\0\0\0\0\0\x10\0\0"));
    for (size_t i = 0; i < MEGABYTE; i++)
        buf_add_char(&expected, 'x');
    buf_add(&expected, STR(PONG "\x88\x02\x03\xe8"));
    CHECK_EQ(heard.len, expected.len);
    CHECK(str_eq(buf_str(&heard), buf_str(&expected)));
    CHECK(sender.is_over && !sender.was_canceled);
}

SIM_TEST(a_websocket_ends_with_its_handler)
{
    struct sender sender = {.size = 3};
    SCOPED(http_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0};
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER));
    CHECK(hear(client, &heard));
    CHECK_EQ(buf_str(&heard), STR(ACCEPTED "\x81\x03xxx\x88\x02\x03\xe8"));
}

SIM_TEST(a_websocket_client_that_breaks_the_rules_is_told_and_left)
{
    const struct {
        const char *name;
        struct str frames;
        struct str close;
    } cases[] = {
        {"no mask",                     STR("\x89\x02hi"),                          STR("\x88\x02\x03\xea")     },
        {"a pong is due before",        STR(PING "\x89\x02hi"),                     STR(PONG "\x88\x02\x03\xea")},
        {"reserved bits",               STR("\xf1\x80" MASK),                       STR("\x88\x02\x03\xea")     },
        {"a message that is too large", STR("\x82\xff\0\0\0\1\0\0\0\0" MASK "abc"),
         STR("\x88\x02\x03\xf1")                                                                                },
        {"HTTP",                        STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),   STR("\x88\x02\x03\xea")     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sender sender = {.stays = true};
        SCOPED(http_fixture) fixture;
        SCOPED(buf) heard = {.limit = 0}, expected = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        begin(&fixture, &sender);
        OWNED(transport) client = offer(&fixture, STR(OFFER));
        CHECK_OK(transport_write(client, cases[i].frames));
        CHECK(hear(client, &heard));
        buf_add(&expected, STR(ACCEPTED));
        buf_add(&expected, cases[i].close);
        CHECK_EQ(buf_str(&heard), buf_str(&expected));
        CHECK(sender.was_canceled);
    }
}

/* Four megabytes of pings: one answer for those that came together, and memory has its limits. */
SIM_TEST(a_flood_of_pings_is_not_answered_by_a_flood)
{
    struct sender sender = {.stays = true};
    SCOPED(http_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0}, pings = {.limit = 0};
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER));
    for (int i = 0; i < 2000; i++)
        buf_add(&pings, STR(PING));
    for (int i = 0; i < 250; i++)
        CHECK_OK(transport_write(client, buf_str(&pings)));
    CHECK_OK(transport_write(client, STR(CLOSE)));
    CHECK(hear(client, &heard));
    CHECK(heard.len < pings.len);
    CHECK(str_ends_with(buf_str(&heard), STR(PONG "\x88\x02\x03\xe8")));
}

SIM_TEST(a_websocket_whose_client_is_gone_cancels_its_handler)
{
    struct sender sender = {.stays = true};
    SCOPED(http_fixture) fixture;
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER "\x89\x82" MASK "h"));
    CHECK_OK(fiber_sleep(SECOND));
    transport_free(TAKE(client));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(sender.was_canceled);
}

SIM_TEST(a_websocket_client_that_does_not_read_is_cut_off)
{
    struct sender sender = {.size = 4 * MEGABYTE, .stays = true};
    SCOPED(http_fixture) fixture;
    begin(&fixture, &sender);
    OWNED(transport) client = offer(&fixture, STR(OFFER));
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK(sender.was_open && sender.is_over);
}

#define OFFERING "HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
#define EMPTY    "Content-Length: 0\r\n\r\n"
#define CHUNKED  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"

SIM_TEST(only_a_request_for_a_websocket_is_upgraded)
{
    const struct {
        const char *name;
        bool is_offer; /* of another protocol, as the handler sees it */
        struct str request;
    } cases[] = {
        {"nothing",                    false, STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n")                                 },
        {"another method",             true,  STR("POST / " OFFERING "Upgrade: websocket\r\n" EMPTY)                   },
        {"a body",                     true,  STR("GET / " OFFERING "Upgrade: websocket\r\nContent-Length: 1\r\n\r\nx")},
        {"chunks",                     true,  STR("GET / " OFFERING "Upgrade: websocket\r\n" CHUNKED)                  },
        {"HTTP/1.0",                   false,
         STR("GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")                                    },
        {"two protocols",              true,  STR("GET / " OFFERING "Upgrade: websocket, h2c\r\n\r\n")                 },
        {"SPDY",                       true,  STR("POST / " OFFERING "Upgrade: SPDY/3.1\r\n" EMPTY)                    },
        {"HTTP/2",                     false, STR("GET / " OFFERING "Upgrade: h2c\r\n\r\n")                            },
        {"not said of the connection", false,
         STR("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: SPDY/3.1\r\n\r\n")                                                 },
    };
    struct sender sender = {0};
    SCOPED(http_fixture) fixture;
    begin(&fixture, &sender);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) heard = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        OWNED(transport) client = offer(&fixture, cases[i].request);
        hear(client, &heard);
        CHECK(str_starts_with(buf_str(&heard), STR("HTTP/1.1 200 OK\r\n")));
        CHECK_EQ(str_ends_with(buf_str(&heard), STR("offer")), cases[i].is_offer);
    }
}

static struct error *talk(struct http_fixture *fixture)
{
    OWNED(transport) client = NULL;
    char block[1000];
    size_t len = 1;
    TRY(network_connect(fixture->network, HTTP_FIXTURE_HOST, http_server_port(fixture->server),
                        &client));
    TRY(transport_write(client, STR(OFFER PING)));
    TRY(transport_read(client, block, sizeof(block), &len));
    TRY(transport_write(client, STR(CLOSE)));
    while (len)
        TRY(transport_read(client, block, sizeof(block), &len));
    return NULL;
}

TORTURE_TEST(websocket_survives_every_failure)
{
    struct sender sender = {.size = 70 * KILOBYTE, .stays = true};
    SCOPED(http_fixture) fixture;
    FIBER_TIMEOUT(10 * MINUTE);
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, handle, &sender);
    TRY(http_fixture_start(&fixture));
    return talk(&fixture);
}
