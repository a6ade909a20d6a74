#include "net/transport.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "base/random.h"
#include "net/cidr.h"
#include "net/network.h"
#include "net/tcp.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

struct echo {
    struct listener *listener;
};

static struct error *echoes(void *data)
{
    const struct echo *echo = data;
    OWNED(transport) peer = NULL;
    TRY(listener_accept(echo->listener, &peer));
    char bytes[1000];
    for (;;) {
        size_t len;
        TRY(transport_read(peer, bytes, sizeof(bytes), &len));
        if (len == 0)
            return NULL;
        TRY(transport_write(peer, str_from(bytes, len)));
    }
}

static struct error *sends_all(void *data)
{
    struct transport *transport = data;
    char bytes[997];
    for (int i = 0; i < 300; i++) {
        memset(bytes, 'a' + i % 26, sizeof(bytes));
        TRY(transport_write(transport, str_from(bytes, sizeof(bytes))));
    }
    transport_finish(transport);
    return NULL;
}

/* The writer waits whenever the echo is behind, so one side reads while the other writes. */
static struct error *converse(struct network *network, struct str host)
{
    OWNED(listener) listener = NULL;
    TRY(network_listen(network, host, 0, &listener));
    SCOPED(scope) scope = {0};
    struct echo echo = {.listener = listener};
    scope_start(&scope, "echo", echoes, &echo);
    OWNED(transport) transport = NULL;
    FIBER_TIMEOUT(MINUTE);
    TRY(network_connect(network, host, listener_port(listener), &transport));
    TRY(transport_write(transport, STR("hello")));
    char answer[6] = "";
    TRY(transport_read_exactly(transport, answer, 5));
    CHECK_EQ((const char *)answer, "hello");
    transport_finish(transport);
    size_t len;
    TRY(transport_read(transport, answer, sizeof(answer), &len));
    CHECK_EQ(len, (size_t)0);
    return scope_wait(&scope);
}

LOOP_TEST(tcp_carries_bytes_both_ways)
{
    OWNED(network) network = tcp_network_new(loop_current());
    CHECK_OK(converse(network, STR("127.0.0.1")));
    CHECK_OK(converse(network, STR("localhost")));
}

LOOP_TEST(tcp_knows_the_address_of_the_peer)
{
    const struct {
        struct str listens, connects;
        const char *address;
    } cases[] = {
        {STR("127.0.0.1"), STR("127.0.0.1"), "127.0.0.1"},
        {STR("::"),        STR("127.0.0.1"), "127.0.0.1"},
    };
    OWNED(network) network = tcp_network_new(loop_current());
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(listener) listener = NULL;
        OWNED(transport) client = NULL;
        OWNED(transport) server = NULL;
        char address[TRANSPORT_PEER_MAX];
        OWNED(error) err = network_listen(network, cases[i].listens, 0, &listener);
        TEST_CASE("%.*s", STR_ARG(cases[i].listens));
        if (err && i > 0)
            continue; /* a machine without IPv6 */
        CHECK_OK(TAKE(err));
        CHECK_OK(network_connect(network, cases[i].connects, listener_port(listener), &client));
        CHECK_OK(listener_accept(listener, &server));
        transport_peer(server, address);
        CHECK_EQ((const char *)address, cases[i].address);
    }
}

/* A peer that does not read: without the limit the system takes megabytes. */
LOOP_TEST(tcp_keeps_no_more_than_it_may_for_a_peer_that_does_not_read)
{
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(listener) listener = NULL;
    OWNED(transport) client = NULL;
    OWNED(transport) server = NULL;
    static const char bytes[16 * KILOBYTE];
    size_t sent[2];
    CHECK_OK(network_listen(network, STR("127.0.0.1"), 0, &listener));
    for (size_t i = 0; i < COUNT(sent); i++) {
        CHECK_OK(network_connect(network, STR("127.0.0.1"), listener_port(listener), &client));
        CHECK_OK(listener_accept(listener, &server));
        if (i > 0)
            transport_limit_unsent(server, 16 * KILOBYTE);
        size_t len = 0;
        for (sent[i] = 0;
             transport_send(server, str_from(bytes, sizeof(bytes)), &len) == TRANSPORT_OK;
             sent[i] += len)
            CHECK(sent[i] < 100 * MEGABYTE);
        transport_free(TAKE(client));
        transport_free(TAKE(server));
    }
    CHECK(sent[1] < sent[0]);
}

SIM_TEST(the_simulated_network_carries_bytes_both_ways)
{
    OWNED(network) network = sim_network_new(loop_current());
    CHECK_OK(converse(network, STR("a.test")));
    sim_network_set_faults(network, STR("a.test"),
                           &(struct sim_faults){.latency = 50 * MILLISECOND,
                                                .jitter = 30 * MILLISECOND,
                                                .loss = 0.2,
                                                .piece_max = 3,
                                                .spurious = true});
    CHECK_OK(converse(network, STR("a.test")));
    CHECK_EQ(sim_network_connections(network), (size_t)0);
}

/* What a peer sends is dropped to its last byte, and then its end is seen. */
static void check_discards(struct network *network, struct str host)
{
    OWNED(listener) listener = NULL;
    OWNED(transport) transport = NULL;
    OWNED(transport) peer = NULL;
    SCOPED(scope) scope = {0};
    size_t dropped = 0;
    FIBER_TIMEOUT(MINUTE);
    CHECK_OK(network_listen(network, host, 0, &listener));
    CHECK_OK(network_connect(network, host, listener_port(listener), &transport));
    scope_start(&scope, "sender", sends_all, transport);
    CHECK_OK(listener_accept(listener, &peer));
    for (;;) {
        size_t len = 0;
        const enum transport_result result = transport_discard(peer, 10000, &len);
        CHECK(len <= 10000);
        dropped += len;
        if (result == TRANSPORT_END)
            break;
        if (result == TRANSPORT_WAIT)
            CHECK_OK(transport_wait(peer, TRANSPORT_READABLE, "bytes"));
        else
            CHECK_EQ((int)result, (int)TRANSPORT_OK);
    }
    CHECK_EQ(dropped, (size_t)300 * 997);
    CHECK_OK(scope_wait(&scope));
}

LOOP_TEST(tcp_drops_what_nobody_reads)
{
    OWNED(network) network = tcp_network_new(loop_current());
    check_discards(network, STR("127.0.0.1"));
}

SIM_TEST(the_simulated_network_drops_what_nobody_reads)
{
    OWNED(network) network = sim_network_new(loop_current());
    check_discards(network, STR("a.test"));
}

static struct error *converse_in_simulation(void)
{
    OWNED(network) network = sim_network_new(loop_current());
    return converse(network, STR("a.test"));
}

TORTURE_TEST(a_conversation_survives_every_interruption)
{
    return converse_in_simulation();
}

LOOP_TEST(tcp_refusals_name_the_address)
{
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(network, STR("127.0.0.1"), 0, &listener));
    OWNED(listener) second = NULL;
    CHECK_FAILS(network_listen(network, STR("127.0.0.1"), listener_port(listener), &second),
                ERROR_ALREADY_EXISTS, "Address already in use");
    const uint16_t port = listener_port(listener);
    listener_free(TAKE(listener));
    OWNED(transport) transport = NULL;
    CHECK_FAILS(network_connect(network, STR("127.0.0.1"), port, &transport), ERROR_UNREACHABLE,
                "connect to 127.0.0.1:");
    CHECK_FAILS(network_connect(network, STR("no-such-host.invalid"), 1, &transport),
                ERROR_UNREACHABLE, "look up no-such-host.invalid");
    CHECK_ERROR(network_connect(network, STR("a b\0c"), 1, &transport), ERROR_INVALID);
}

/* A peer that takes nothing: what we wrote does not wait for it to come back. */
LOOP_TEST(tcp_gives_up_what_is_not_acknowledged_in_time)
{
    FIBER_TIMEOUT(20 * SECOND);
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(listener) listener = NULL;
    OWNED(transport) peer = NULL;
    OWNED(transport) transport = NULL;
    tcp_network_limit_delivery(network, 300 * MILLISECOND);
    CHECK_OK(network_listen(network, STR("127.0.0.1"), 0, &listener));
    CHECK_OK(network_connect(network, STR("127.0.0.1"), listener_port(listener), &transport));
    CHECK_OK(listener_accept(listener, &peer));
    static const char zeros[64 * 1024];
    struct error *err = NULL;
    while (!err)
        err = transport_write(transport, str_from(zeros, sizeof(zeros)));
    CHECK_ERROR(err, ERROR_CONNECTION);
}

SIM_TEST(a_black_hole_ends_at_the_deadline)
{
    OWNED(network) network = sim_network_new(loop_current());
    sim_network_set_faults(network, STR("hole.test"), &(struct sim_faults){.black_hole = true});
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(transport) transport = NULL;
    CHECK_ERROR(network_connect(network, STR("hole.test"), 1, &transport), ERROR_DEADLINE);
}

/* One byte every 50 ms, most of them while the black hole lets nothing arrive. */
SIM_TEST(bytes_leave_a_black_hole_in_order)
{
    OWNED(network) network = sim_network_new(loop_current());
    OWNED(listener) listener = NULL;
    OWNED(transport) transport = NULL;
    OWNED(transport) peer = NULL;
    char seen[11] = "";
    CHECK_OK(network_listen(network, STR("hole.test"), 0, &listener));
    CHECK_OK(network_connect(network, STR("hole.test"), listener_port(listener), &transport));
    CHECK_OK(listener_accept(listener, &peer));
    sim_network_set_faults(network, STR("hole.test"), &(struct sim_faults){.black_hole = true});
    for (size_t i = 0; i < 10; i++) {
        CHECK_OK(transport_write(transport, str_slice(STR("0123456789"), i, i + 1)));
        CHECK_OK(fiber_sleep(50 * MILLISECOND));
    }
    sim_network_set_faults(network, STR("hole.test"), &(struct sim_faults){0});
    CHECK_OK(transport_read_exactly(peer, seen, 10));
    CHECK_EQ((const char *)seen, "0123456789");
}

/* The writer waits when the window of the peer is full; it does not collect bytes in memory. */
SIM_TEST(a_peer_that_stops_reading_ends_at_the_deadline)
{
    OWNED(network) network = sim_network_new(loop_current());
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(network, STR("a.test"), 0, &listener));
    OWNED(transport) transport = NULL;
    CHECK_OK(network_connect(network, STR("a.test"), listener_port(listener), &transport));
    FIBER_TIMEOUT(10 * SECOND);
    CHECK_FAILS(sends_all(transport), ERROR_DEADLINE, "the peer to read");
}

SIM_TEST(a_reset_is_an_error)
{
    OWNED(network) network = sim_network_new(loop_current());
    sim_network_set_faults(network, STR("a.test"), &(struct sim_faults){.reset = 1});
    CHECK_FAILS(converse(network, STR("a.test")), ERROR_CONNECTION, "Connection reset");
}

SIM_TEST(a_cut_stream_ends_early)
{
    OWNED(network) network = sim_network_new(loop_current());
    sim_network_set_faults(network, STR("a.test"), &(struct sim_faults){.cut_after = 3});
    CHECK_FAILS(converse(network, STR("a.test")), ERROR_CONNECTION, "closed the connection early");
}

/* By its address, and by a name that stands for it. */
LOOP_TEST(tcp_does_not_connect_to_addresses_that_are_denied)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost", "::ffff:127.0.0.1"};
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(listener) listener = NULL;
    struct cidr denied[2];
    CHECK(cidr_read(STR("127.0.0.0/8"), &denied[0]) && cidr_read(STR("::1/128"), &denied[1]));
    CHECK_OK(network_listen(network, STR("127.0.0.1"), 0, &listener));
    OWNED(transport) before = NULL;
    CHECK_OK(network_connect(network, STR("127.0.0.1"), listener_port(listener), &before));
    tcp_network_deny(network, denied, COUNT(denied), "--deny-cluster-addresses");
    for (size_t i = 0; i < COUNT(hosts); i++) {
        OWNED(transport) transport = NULL;
        TEST_CASE("%s", hosts[i]);
        CHECK_FAILS(
            network_connect(network, str_from_c(hosts[i]), listener_port(listener), &transport),
            ERROR_UNREACHABLE, "--deny-cluster-addresses");
    }
}
