/*
 * Watches over WebSockets, byte by byte. The expected answers were recorded from kube-apiserver
 * v1.36.4.
 */
#include "apiserver/apiserver_fixture_test.h"
#include "base/base64.h"
#include "http/dial.h"
#include "net/transport.h"

#define MAPS   "/api/v1/namespaces/default/configmaps"
#define WATCH  MAPS "?watch=true&fieldSelector=metadata.name%3Da"
#define OFFER  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
#define KEY    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define ORIGIN "Origin: https://server.test\r\n"
#define BEARER "base64url.bearer.authorization.k8s.io."

#define ACCEPTED                                                                        \
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n" \
    "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

/* A connection that says HTTP/1.1. Without an identity its user is anonymous. */
static struct transport *connect_plainly(const struct apiserver_fixture *fixture,
                                         struct tls_identity *identity)
{
    const struct http_endpoint endpoint = {
        .network = fixture->network,
        .host = APISERVER_FIXTURE_HOST,
        .port = apiserver_port(fixture->server),
        .tls = fixture->tls,
        .identity = identity,
        .trust = fixture->trust,
        .no_http2 = true,
    };
    struct transport *transport = NULL;
    CHECK_OK(http_dial(&endpoint, NULL, &transport));
    return transport;
}

static void say(struct transport *transport, const char *target, const char *headers)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "GET %s HTTP/1.1\r\nHost: server.test\r\n%s\r\n", target, headers);
    CHECK_OK(transport_write(transport, buf_str(&text)));
}

/* What comes within a second, or until the server closes: then "<end>" is behind it. */
static struct str hear(struct transport *transport, struct buf *heard)
{
    FIBER_TIMEOUT(SECOND);
    for (;;) {
        char block[1000];
        size_t len = 0;
        OWNED(error) err = transport_read(transport, block, sizeof(block), &len);
        if (error_is(err, ERROR_DEADLINE))
            return buf_str(heard);
        CHECK_OK(TAKE(err));
        if (len == 0) {
            buf_add(heard, STR("<end>"));
            return buf_str(heard);
        }
        buf_add(heard, str_from(block, len));
    }
}

/* A frame of a client, masked with zeros. */
static void send_frame(struct transport *transport, unsigned char first, struct str payload)
{
    SCOPED(buf) frame = {.limit = 0};
    CHECK(payload.len < 126);
    buf_add_char(&frame, (char)first);
    buf_add_char(&frame, (char)(0x80U | payload.len));
    buf_add(&frame, str_from("\0\0\0\0", 4));
    buf_add(&frame, payload);
    CHECK_OK(transport_write(transport, buf_str(&frame)));
}

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
    apiserver_fixture_create(
        fixture, MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
}

/* The event of the object that the last answer showed, as a frame. */
static void add_event(struct buf *out, const struct apiserver_fixture *fixture, const char *type)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "{\"type\":\"%s\",\"object\":%.*s}\n", type,
              STR_ARG(str_trim(buf_str(&fixture->answer))));
    CHECK(text.len >= 126 && text.len < 65536);
    buf_add(out, str_from("\x81\x7e", 2));
    buf_add_char(out, (char)(text.len >> 8));
    buf_add_char(out, (char)(text.len & 0xff));
    buf_add(out, buf_str(&text));
}

SIM_TEST(a_websocket_watch_gets_a_text_frame_per_event)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) expected = {.limit = 0}, heard = {.limit = 0};
    begin(&fixture);
    OWNED(transport) client = connect_plainly(&fixture, fixture.admin);
    say(client, WATCH, OFFER KEY ORIGIN);
    buf_add(&expected, STR(ACCEPTED "\r\n"));
    add_event(&expected, &fixture, "ADDED");
    CHECK_EQ(hear(client, &heard), buf_str(&expected));

    buf_clear(&heard);
    buf_clear(&expected);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"), 200);
    add_event(&expected, &fixture, "MODIFIED");
    CHECK_EQ(hear(client, &heard), buf_str(&expected));
}

SIM_TEST(a_websocket_watch_answers_pings_and_closes)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0};
    begin(&fixture);
    OWNED(transport) client = connect_plainly(&fixture, fixture.admin);
    say(client, WATCH, OFFER KEY ORIGIN);
    hear(client, &heard);
    buf_clear(&heard);
    send_frame(client, 0x81, STR("text of clients is ignored"));
    send_frame(client, 0x8a, STR("unasked pong"));
    send_frame(client, 0x89, STR("hi"));
    CHECK_EQ(hear(client, &heard), STR("\x8a\x02hi"));
    buf_clear(&heard);
    send_frame(client, 0x88,
               STR("\x03\xe8"
                   "bye"));
    CHECK_EQ(hear(client, &heard), STR("\x88\x02\x03\xe8<end>"));
}

SIM_TEST(a_websocket_watch_ends_with_a_close_frame)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) heard = {.limit = 0};
    begin(&fixture);
    OWNED(transport) client = connect_plainly(&fixture, fixture.admin);
    say(client, WATCH "&timeoutSeconds=20", OFFER KEY ORIGIN);
    hear(client, &heard);
    buf_clear(&heard);
    CHECK_EQ(hear(client, &heard), STR(""));
    CHECK_OK(fiber_sleep(20 * SECOND));
    CHECK_EQ(hear(client, &heard), STR("\x88\x02\x03\xe8<end>"));
}

/* The answers that differ from an ordinary watch, and those that do not. */
SIM_TEST(a_websocket_watch_is_refused_as_kubernetes_does)
{
    const struct {
        const char *name, *target, *headers, *start;
    } cases[] = {
        {"no origin",                    WATCH,                                           OFFER KEY,                                                           "HTTP/1.1 403 Forbidden\r\n"  },
        {"null origin",                  WATCH,                                           OFFER KEY "Origin: null\r\n",                                        "HTTP/1.1 403 Forbidden\r\n"  },
        {"an origin that is no URL",     WATCH,                                           OFFER KEY "Origin: abc\r\n",
         "HTTP/1.1 403 Forbidden\r\n"                                                                                                                                                        },
        {"an origin that is a path",     WATCH,                                           OFFER KEY "Origin: /abc\r\n",                                        ACCEPTED                      },
        {"no key",                       WATCH,                                           OFFER ORIGIN,                                                        "HTTP/1.1 400 Bad Request\r\n"},
        {"no version",                   WATCH,                                           "Connection: Upgrade\r\nUpgrade: websocket\r\n" KEY ORIGIN,
         "HTTP/1.1 400 Bad Request\r\nsec-websocket-version: 13\r\n"                                                                                                                         },
        {"one protocol",                 WATCH,                                           OFFER KEY ORIGIN "Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n",
         ACCEPTED "sec-websocket-protocol: base64.binary.k8s.io\r\n"                                                                                                                         },
        {"two protocols",                WATCH,                                           OFFER KEY ORIGIN "Sec-WebSocket-Protocol: a, b\r\n",
         "HTTP/1.1 400 Bad Request\r\n"                                                                                                                                                      },
        {"a list of connection options", WATCH,
         "Connection: keep-alive, upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n" KEY
             ORIGIN,                                                                                                                                           ACCEPTED                      },
        {"no connection option",         WATCH,                                           "Upgrade: websocket\r\n" KEY ORIGIN,                                 "HTTP/1.1 200 OK\r\n"         },
        {"another protocol",             WATCH,                                           "Connection: Upgrade\r\nUpgrade: h2c\r\n" KEY ORIGIN,
         "HTTP/1.1 200 OK\r\n"                                                                                                                                                               },
        {"a list",                       MAPS "?limit=1",                                 OFFER KEY ORIGIN,                                                    "HTTP/1.1 200 OK\r\n"         },
        {"an object",                    MAPS "/a",                                       OFFER KEY ORIGIN,                                                    "HTTP/1.1 200 OK\r\n"         },
        {"the watch paths of old",       "/api/v1/watch/namespaces/default/configmaps/a",
         OFFER KEY ORIGIN,                                                                                                                                     ACCEPTED                      },
        {"no such kind",                 "/api/v1/namespaces/default/nothings?watch=1",   OFFER KEY ORIGIN,
         "HTTP/1.1 404 Not Found\r\n"                                                                                                                                                        },
        {"options are checked first",    MAPS "?watch=1&labelSelector=,,",                OFFER KEY,
         "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"                                                                                                                    },
        {"discovery",                    "/api",                                          OFFER KEY ORIGIN,                                                    "HTTP/1.1 200 OK\r\n"         },
    };
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) heard = {.limit = 0};
        OWNED(transport) client = connect_plainly(&fixture, fixture.admin);
        TEST_CASE("%s", cases[i].name);
        say(client, cases[i].target, cases[i].headers);
        hear(client, &heard);
        CHECK_EQ(str_slice(buf_str(&heard), 0, strlen(cases[i].start)), str_from_c(cases[i].start));
    }
}

/* Browsers cannot set other headers: the token is in the list of protocols. */
SIM_TEST(a_websocket_watch_takes_its_token_from_the_protocols)
{
    SCOPED(apiserver_fixture) fixture;
    SCOPED(buf) encoded = {.secret = true};
    begin(&fixture);
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/serviceaccounts",
                             "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\","
                             "\"metadata\":{\"name\":\"reader\"}}");
    apiserver_fixture_create(
        &fixture, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\","
        "\"metadata\":{\"name\":\"reader\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io\","
        "\"kind\":\"ClusterRole\",\"name\":\"view\"},\"subjects\":[{\"kind\":\"ServiceAccount\","
        "\"name\":\"reader\",\"namespace\":\"default\"}]}");
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces/default/serviceaccounts/reader/token",
        "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{}}");
    base64_encode_url(&encoded, apiserver_fixture_text(&fixture, "status.token"));
    const struct {
        const char *name, *format, *start;
    } cases[] = {
        {"beside another protocol",
         OFFER KEY ORIGIN "Sec-WebSocket-Protocol: " BEARER "%.*s, x\r\n",
         ACCEPTED "sec-websocket-protocol: x\r\n"},
        {"in a header of its own",
         OFFER KEY ORIGIN "Sec-WebSocket-Protocol: x\r\nSec-WebSocket-Protocol: " BEARER "%.*s\r\n",
         ACCEPTED "sec-websocket-protocol: x\r\n"},
        {"alone",                   OFFER KEY ORIGIN "Sec-WebSocket-Protocol: " BEARER "%.*s\r\n",
         "HTTP/1.1 401 Unauthorized\r\n"         },
        {"two more protocols",      OFFER KEY ORIGIN "Sec-WebSocket-Protocol: x, " BEARER "%.*s, y\r\n",
         "HTTP/1.1 400 Bad Request\r\n"          },
        {"twice",                   OFFER KEY ORIGIN "Sec-WebSocket-Protocol: x, " BEARER "%.*s, " BEARER "YQ\r\n",
         "HTTP/1.1 401 Unauthorized\r\n"         },
        {"not base64",              OFFER KEY ORIGIN "Sec-WebSocket-Protocol: x, " BEARER "Y*%.0s\r\n",
         "HTTP/1.1 401 Unauthorized\r\n"         },
        {"without an upgrade",      "Sec-WebSocket-Protocol: " BEARER "%.*s, x\r\n",
         "HTTP/1.1 403 Forbidden\r\n"            },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) heard = {.limit = 0}, headers = {.secret = true};
        OWNED(transport) client = connect_plainly(&fixture, NULL);
        const struct str format = str_from_c(cases[i].format);
        const size_t at = str_find(format, STR("%"));
        TEST_CASE("%s", cases[i].name);
        buf_add(&headers, str_slice(format, 0, at));
        if (format.ptr[at + 2] == '*')
            buf_add(&headers, buf_str(&encoded));
        buf_add(&headers, str_skip(format, at + 4));
        say(client, WATCH, buf_c(&headers));
        hear(client, &heard);
        CHECK_EQ(str_slice(buf_str(&heard), 0, strlen(cases[i].start)), str_from_c(cases[i].start));
        CHECK(!str_contains(buf_str(&heard), STR(BEARER)));
    }
}
