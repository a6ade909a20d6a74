#include "http/handshakes.h"

#include "http/http_fixture_test.h"
#include "testing/client_hello.h"

#define ANSWER_MAX (100 * MILLISECOND)

static struct error *answer_fine(void *data, struct http_request *request)
{
    (void)data;
    return http_request_answer(request, 200, STR("text/plain"), STR("fine\n"));
}

static struct error *connect_once(struct http_fixture *fixture, struct transport **ret_transport)
{
    return network_connect(fixture->network, HTTP_FIXTURE_HOST, http_server_port(fixture->server),
                           ret_transport);
}

/* Many clients that connect one after the other, say the same and then nothing more. */
struct crowd {
    struct http_fixture *fixture;
    struct str words;
    struct member {
        struct crowd *crowd;
        duration pause;
        struct transport *transport;
    } members[4000];
    size_t count;
    struct scope scope;
};

static void crowd_done(struct crowd *crowd)
{
    scope_done(&crowd->scope);
    for (size_t i = 0; i < crowd->count; i++)
        transport_free(crowd->members[i].transport);
    mem_free(crowd);
}

static struct error *join_crowd(void *data)
{
    struct member *member = data;
    TRY(fiber_sleep(member->pause));
    TRY(connect_once(member->crowd->fixture, &member->transport));
    return transport_write(member->transport, member->crowd->words);
}

static struct crowd *crowd_new(struct http_fixture *fixture, struct str words, size_t count)
{
    struct crowd *crowd = NEW(struct crowd);
    crowd->fixture = fixture;
    crowd->words = words;
    crowd->count = count;
    for (size_t i = 0; i < count; i++) {
        crowd->members[i] = (struct member){crowd, (duration)i * 20 * MICROSECOND, NULL};
        scope_start(&crowd->scope, "member", join_crowd, &crowd->members[i]);
    }
    return crowd;
}

/* A ClientHello that the server of the fixture understands. */
static void make_hello(const struct http_fixture *fixture, struct buf *hello)
{
    const struct tls_client_options options = {
        .server_name = HTTP_FIXTURE_HOST,
        .trust = fixture->certs.trust,
    };
    CHECK_OK(client_hello_write(loop_current(), fixture->tls, &options, hello));
}

static duration time_of_get(struct http_fixture *fixture)
{
    SCOPED(buf) body = {0};
    int status = 0;
    const int64_t began = loop_now(loop_current());
    CHECK_OK(http_fixture_get(fixture, STR("/a"), &status, &body));
    CHECK_EQ(status, 200);
    return loop_now(loop_current()) - began;
}

/* What a crowd says, and how long a client waits who comes in the middle of it. */
static void check_crowd(const char *name, struct str (*words)(struct str hello), size_t count,
                        duration most)
{
    TEST_CASE("%s", name);
    SCOPED(http_fixture) fixture;
    SCOPED(buf) hello = {0};
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    make_hello(&fixture, &hello);
    struct crowd *crowd = crowd_new(&fixture, words(buf_str(&hello)), count);
    CHECK_OK(fiber_sleep(22 * MILLISECOND));
    const duration took = time_of_get(&fixture);
    CHECK_OK(scope_wait(&crowd->scope));
    crowd_done(crowd);
    CHECK(took <= most);
}

static struct str say_nothing(struct str hello)
{
    return str_slice(hello, 0, 0);
}

static struct str say_one_byte(struct str hello)
{
    return str_slice(hello, 0, 1);
}

static struct str say_all_but_a_byte(struct str hello)
{
    return str_slice(hello, 0, hello.len - 1);
}

static struct str say_everything(struct str hello)
{
    return hello;
}

SIM_TEST(clients_that_do_not_begin_their_handshake_keep_nobody_waiting)
{
    check_crowd("nothing", say_nothing, 4000, ANSWER_MAX);
    check_crowd("a byte", say_one_byte, 4000, ANSWER_MAX);
    check_crowd("all but a byte", say_all_but_a_byte, 4000, ANSWER_MAX);
}

/* Those that were answered and say nothing more make room after 250 ms. */
SIM_TEST(handshakes_that_do_not_end_make_room)
{
    check_crowd("a ClientHello", say_everything, 1500, 400 * MILLISECOND);
}

SIM_TEST(a_client_that_says_nothing_is_let_go)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, answer_fine, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(transport) transport = NULL;
        CHECK_OK(connect_once(&fixture, &transport));
        CHECK_OK(fiber_sleep(kind == HTTP_FIXTURE_PLAIN ? 29 * SECOND : 9 * SECOND));
        CHECK_EQ(fixture.server->conn_count, (size_t)1);
        CHECK_OK(fiber_sleep(4 * SECOND));
        CHECK_EQ(fixture.server->conn_count, (size_t)0);
    }
}

/* Of clients that say nothing only so many are kept. */
SIM_TEST(clients_that_say_nothing_make_room)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    struct crowd *crowd = crowd_new(&fixture, STR(""), 1010);
    CHECK_OK(scope_wait(&crowd->scope));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.server->conn_count, (size_t)1000);
    CHECK(time_of_get(&fixture) < ANSWER_MAX);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(fixture.server->conn_count, (size_t)1); /* of the client that was answered */
    crowd_done(crowd);
}

/* A client that is as fast as its network allows is not the one who makes room. */
SIM_TEST(a_handshake_that_has_just_begun_is_not_cancelled)
{
    SCOPED(http_fixture) fixture;
    SCOPED(buf) hello = {0};
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    make_hello(&fixture, &hello);
    sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                           &(struct sim_faults){.latency = 20 * MILLISECOND});
    struct crowd *silent = crowd_new(&fixture, STR(""), 1500);
    struct crowd *answered = crowd_new(&fixture, buf_str(&hello), 1500);
    CHECK(time_of_get(&fixture) < SECOND);
    CHECK_OK(scope_wait(&silent->scope));
    CHECK_OK(scope_wait(&answered->scope));
    crowd_done(silent);
    crowd_done(answered);
}

SIM_TEST(a_first_record_in_pieces_begins_a_handshake)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                           &(struct sim_faults){.piece_max = 3, .spurious = true});
    CHECK(time_of_get(&fixture) < SECOND);
}

/* What is no handshake is refused at once; a first record may be long. */
SIM_TEST(first_bytes_that_are_no_handshake_end_the_connection)
{
    const struct {
        const char *name;
        struct str bytes;
        size_t padding;
        bool closes;
        duration kept;
    } cases[] = {
        {"a greeting of SSH",          STR("SSH-2.0-OpenSSH\r\n"),  0,    false, 0          },
        {"four bytes of a request",    STR("GET "),                 0,    false, 10 * SECOND},
        {"another type of record",     STR("\x17\x03\x01\x00\x05"), 0,    false, 0          },
        {"an empty record",            STR("\x16\x03\x01\x00\x00"), 0,    false, 10 * SECOND},
        {"a handshake of zero bytes",  STR("\x16\x03\x01\x01\x00"), 256,  false, 0          },
        {"half a record and the end",  STR("\x16\x03\x01\x01\x00"), 100,  true,  0          },
        {"half a record",              STR("\x16\x03\x01\x01\x00"), 100,  false, 10 * SECOND},
        {"half of a very long record", STR("\x16\x03\x01\x40\x00"), 6000, false, 10 * SECOND},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(transport) transport = NULL;
        SCOPED(buf) bytes = {0};
        buf_add(&bytes, cases[i].bytes);
        for (size_t at = 0; at < cases[i].padding; at++)
            buf_add_char(&bytes, '\0');
        CHECK_OK(connect_once(&fixture, &transport));
        CHECK_OK(transport_write(transport, buf_str(&bytes)));
        if (cases[i].closes)
            transport_free(TAKE(transport));
        if (cases[i].kept) {
            CHECK_OK(fiber_sleep(cases[i].kept - SECOND));
            CHECK_EQ(fixture.server->conn_count, (size_t)1);
            CHECK_OK(fiber_sleep(SECOND));
        }
        CHECK_OK(fiber_sleep(SECOND));
        CHECK_EQ(fixture.server->conn_count, (size_t)0);
    }
}

static void check_plain_request(struct network *network, uint16_t port, const char *request)
{
    TEST_CASE("%s", request);
    OWNED(transport) transport = NULL;
    SCOPED(buf) answer = {0};
    size_t len = 1;
    CHECK_OK(network_connect(network, STR("127.0.0.1"), port, &transport));
    CHECK_OK(transport_write(transport, str_from_c(request)));
    while (len) {
        char bytes[200];
        CHECK_OK(transport_read(transport, bytes, sizeof(bytes), &len));
        buf_add(&answer, str_from(bytes, len));
    }
    CHECK_EQ(buf_str(&answer), STR("HTTP/1.0 400 Bad Request\r\n\r\n"
                                   "Client sent an HTTP request to an HTTPS server.\n"));
}

LOOP_TEST(a_plain_client_on_a_tls_port_is_told)
{
    static const char *const requests[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "HEAD / HTTP/1.1\r\n\r\n",
        "POST /api HTTP/1.1\r\ncontent-length: 1\r\n\r\n{",
        "PUT / HTTP/1.1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\n\r\n",
    };
    SCOPED(test_certs) certs;
    test_certs_init(&certs, loop_wall(loop_current()));
    OWNED(tls_server) tls = NULL;
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = certs.server}, &tls));
    OWNED(network) network = tcp_network_new(loop_current());
    const struct http_server_options options = {
        .network = network,
        .host = STR("127.0.0.1"),
        .tls = tls,
        .handler = answer_fine,
    };
    OWNED(http_server) server = NULL;
    CHECK_OK(http_server_new(loop_current(), &options, &server));
    for (size_t i = 0; i < COUNT(requests); i++)
        check_plain_request(network, http_server_port(server), requests[i]);
}

/* A server that stops has connections in every state. */
SIM_TEST(stopping_ends_handshakes_in_every_state)
{
    for (int turns = 0; turns < 12; turns++) {
        TEST_CASE("%d", turns);
        SCOPED(http_fixture) fixture;
        SCOPED(buf) hello = {0};
        http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, answer_fine, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        make_hello(&fixture, &hello);
        struct crowd *silent = crowd_new(&fixture, STR(""), 5);
        struct crowd *answered = crowd_new(&fixture, buf_str(&hello), 40);
        CHECK_OK(scope_wait(&silent->scope));
        CHECK_OK(scope_wait(&answered->scope));
        CHECK_OK(fiber_sleep((duration)turns * 250 * MICROSECOND));
        http_server_free(TAKE(fixture.server));
        crowd_done(silent);
        crowd_done(answered);
    }
}
