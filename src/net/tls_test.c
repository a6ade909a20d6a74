#include "net/tls.h"

#include "async/cpu_turn.h"
#include "async/fiber.h"
#include "async/scope.h"
#include "base/memory.h"
#include "net/network.h"
#include "net/pki.h"
#include "net/tcp.h"
#include "net/tls_internal.h"
#include "net/transport.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/sim_network.h"

/* A server that accepts TLS, notes who came, and echoes one message. */
struct host {
    struct listener *listener;
    struct tls_server *server;
    struct arena arena;
    struct tls_peer peer;
    bool resumed;
    struct error *err;
    int served;
};

static struct error *serve_one(struct host *host)
{
    struct transport *lower;
    TRY(listener_accept(host->listener, &lower));
    OWNED(transport) transport = NULL;
    TRY(tls_accept(host->server, lower, STR(""), &transport));
    tls_peer(transport, &host->arena, &host->peer);
    host->resumed = SSL_session_reused(tls_ssl(transport));
    char byte;
    size_t len;
    TRY(transport_read(transport, &byte, 1, &len));
    TRY(transport_write(transport, str_from(&byte, len)));
    host->served++;
    TRY(transport_read(transport, &byte, 1, &len)); /* the client's good-bye */
    return NULL;
}

static struct error *serves(void *data)
{
    struct host *host = data;
    for (;;) {
        error_free(host->err);
        host->err = serve_one(host);
        if (error_is(host->err, ERROR_CANCELED))
            return NULL;
    }
}

struct tls_fixture {
    struct test_certs certs;
    struct network *network;
    struct tls_context *context;
    struct host host;
};

static void tls_fixture_init(struct tls_fixture *fixture)
{
    *fixture = (struct tls_fixture){0};
    test_certs_init(&fixture->certs, loop_wall(loop_current()));
    fixture->network = sim_network_new(loop_current());
    fixture->context = tls_context_new();
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = fixture->certs.server,
                                                         .client_trust = fixture->certs.trust,
                                                         .http2 = true},
                            &fixture->host.server));
}

static void tls_fixture_done(struct tls_fixture *fixture)
{
    listener_free(fixture->host.listener);
    tls_server_free(fixture->host.server);
    arena_done(&fixture->host.arena);
    error_free(fixture->host.err);
    tls_context_free(fixture->context);
    network_free(fixture->network);
    test_certs_done(&fixture->certs);
}

static struct error *visit_with(struct tls_fixture *fixture,
                                const struct tls_client_options *options, struct str *ret_protocol)
{
    struct transport *lower;
    FIBER_TIMEOUT(MINUTE);
    TRY(network_connect(fixture->network, STR("server.test"), 443, &lower));
    OWNED(transport) transport = NULL;
    TRY(tls_connect(fixture->context, lower, options, &transport));
    *ret_protocol = str_eq(tls_protocol(transport), STR("h2")) ? STR("h2") : STR("other");
    TRY(transport_write(transport, STR("x")));
    char byte;
    TRY(transport_read_exactly(transport, &byte, 1));
    CHECK_EQ(byte, 'x');
    transport_finish(transport);
    return NULL;
}

static struct error *visit(struct tls_fixture *fixture, const struct tls_client_options *options)
{
    struct str protocol;
    SCOPED(scope) scope = {0};
    TRY(network_listen(fixture->network, STR("server.test"), 443, &fixture->host.listener));
    scope_start(&scope, "serves", serves, &fixture->host);
    struct error *err = visit_with(fixture, options, &protocol);
    if (!err && options->http2)
        CHECK_EQ(protocol, STR("h2"));
    scope_done(&scope);
    listener_free(TAKE(fixture->host.listener));
    return err;
}

static struct tls_client_options usual(const struct tls_fixture *fixture)
{
    return (struct tls_client_options){
        .server_name = STR("server.test"),
        .trust = fixture->certs.trust,
        .identity = fixture->certs.client,
        .http2 = true,
    };
}

SIM_TEST(tls_tells_the_server_who_its_client_is)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    const struct tls_client_options options = usual(&fixture);
    CHECK_OK(visit(&fixture, &options));
    CHECK(fixture.host.peer.verified);
    CHECK_EQ(fixture.host.peer.common_name, STR("test-client"));
    CHECK_EQ(fixture.host.peer.organization_count, (size_t)1);
    CHECK_EQ(fixture.host.peer.organizations[0], STR("test-group"));
}

SIM_TEST(tls_lets_clients_in_without_a_certificate_but_unverified)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    struct tls_client_options options = usual(&fixture);
    options.identity = NULL;
    options.http2 = false;
    CHECK_OK(visit(&fixture, &options));
    CHECK(!fixture.host.peer.verified);

    struct test_certs strangers;
    test_certs_init(&strangers, loop_wall(loop_current()));
    options.identity = strangers.client;
    CHECK_OK(visit(&fixture, &options));
    CHECK(!fixture.host.peer.verified);
    test_certs_done(&strangers);
}

SIM_TEST(tls_refuses_a_certificate_for_another_name)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    struct tls_client_options options = usual(&fixture);
    options.server_name = STR("other.test");
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS,
                "the server's certificate is for server.test, localhost, 127.0.0.1, not for "
                "other.test");
    options.server_name = STR("127.0.0.2");
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS, "not for 127.0.0.2");
    options.server_name = STR("127.0.0.1");
    CHECK_OK(visit(&fixture, &options));
}

SIM_TEST(tls_refuses_an_expired_certificate)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    const struct tls_client_options options = usual(&fixture);
    CHECK_OK(fiber_sleep(25 * HOUR));
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS,
                "the server's certificate has expired on 2026-01-02T01:00:00Z");
}

SIM_TEST(tls_refuses_an_unknown_authority_unless_told_otherwise)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    struct test_certs strangers;
    test_certs_init(&strangers, loop_wall(loop_current()));
    struct tls_client_options options = usual(&fixture);
    options.trust = strangers.trust;
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS, "is not to be trusted");
    options.trust = NULL;
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS, "is not to be trusted");
    options.skip_verify = true;
    CHECK_OK(visit(&fixture, &options));
    test_certs_done(&strangers);
}

SIM_TEST(tls_trusts_a_certificate_that_is_named_itself)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    OWNED(tls_trust) pinned = NULL;
    CHECK_OK(tls_trust_read(buf_str(&fixture.certs.server_pem), &pinned));
    struct tls_client_options options = usual(&fixture);
    options.trust = pinned;
    CHECK_OK(visit(&fixture, &options));
}

SIM_TEST(trusts_are_the_same_when_their_certificates_are)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    OWNED(tls_trust) again = NULL;
    OWNED(tls_trust) other = NULL;
    CHECK_OK(tls_trust_read(buf_str(&fixture.certs.authority_pem), &again));
    CHECK_OK(tls_trust_read(buf_str(&fixture.certs.server_pem), &other));
    CHECK(tls_trust_eq(fixture.certs.trust, again));
    CHECK(!tls_trust_eq(fixture.certs.trust, other));
    CHECK(!tls_trust_eq(fixture.certs.trust, NULL));
    CHECK(tls_trust_eq(NULL, NULL));
}

TEST(an_rsa_key_is_made_as_pem)
{
    SCOPED(buf) pem = {.secret = true};
    CHECK_OK(pki_rsa_key(&pem));
    CHECK(str_starts_with(buf_str(&pem), STR("-----BEGIN PRIVATE KEY-----\n")));
}

SIM_TEST(tls_resumes_a_session_and_keeps_the_client_known)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    OWNED(tls_resumption) resumption = tls_resumption_new();
    struct tls_client_options options = usual(&fixture);
    options.resumption = resumption;
    CHECK_OK(visit(&fixture, &options));
    CHECK(!fixture.host.resumed);
    CHECK_OK(visit(&fixture, &options));
    CHECK(fixture.host.resumed);
    CHECK(fixture.host.peer.verified);
    CHECK_EQ(fixture.host.peer.common_name, STR("test-client"));
}

static struct error *speaks_plainly(void *data)
{
    OWNED(transport) peer = NULL;
    TRY(listener_accept(data, &peer));
    TRY(transport_write(peer, STR("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")));
    return fiber_sleep(SECOND);
}

static struct error *visit_plain(struct tls_fixture *fixture, fiber_fn server)
{
    OWNED(listener) listener = NULL;
    TRY(network_listen(fixture->network, STR("server.test"), 443, &listener));
    SCOPED(scope) scope = {0};
    scope_start(&scope, "plain", server, listener);
    const struct tls_client_options options = usual(fixture);
    struct str protocol;
    return visit_with(fixture, &options, &protocol);
}

SIM_TEST(tls_says_so_when_the_peer_speaks_plain_text)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    CHECK_FAILS(visit_plain(&fixture, speaks_plainly), ERROR_TLS, "the peer does not speak TLS");
}

static struct error *says_nothing(void *data)
{
    OWNED(transport) peer = NULL;
    TRY(listener_accept(data, &peer));
    return fiber_sleep(HOUR);
}

SIM_TEST(tls_handshake_with_a_silent_peer_ends_at_the_deadline)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    CHECK_FAILS(visit_plain(&fixture, says_nothing), ERROR_DEADLINE, "the TLS handshake");
}

static struct error *hangs_up(void *data)
{
    OWNED(transport) peer = NULL;
    TRY(listener_accept(data, &peer));
    return NULL;
}

SIM_TEST(tls_says_so_when_the_peer_hangs_up)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    CHECK_ERROR(visit_plain(&fixture, hangs_up), ERROR_CONNECTION);
}

TORTURE_TEST(tls_survives_every_interruption)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    const struct tls_client_options options = usual(&fixture);
    return visit(&fixture, &options);
}

TEST(tls_credentials_that_do_not_parse)
{
    struct test_certs certs, others;
    test_certs_init(&certs, SIM_EPOCH);
    test_certs_init(&others, SIM_EPOCH);
    OWNED(tls_trust) trust = NULL;
    OWNED(tls_identity) identity = NULL;
    const struct str client = buf_str(&certs.client_pem), key = buf_str(&certs.client_key);
    CHECK_FAILS(tls_trust_read(STR(""), &trust), ERROR_PARSE, "no certificate in it");
    CHECK_FAILS(tls_trust_read(STR("rubbish"), &trust), ERROR_PARSE, "no certificate in it");
    CHECK_FAILS(tls_trust_read(str_slice(client, 0, client.len / 2), &trust), ERROR_PARSE,
                "read certificate authorities");
    CHECK_FAILS(tls_identity_read(STR("rubbish"), key, &identity), ERROR_PARSE, "read certificate");
    CHECK_FAILS(tls_identity_read(client, client, &identity), ERROR_PARSE, "read private key");
    CHECK_FAILS(tls_identity_read(client, buf_str(&others.client_key), &identity), ERROR_INVALID,
                "does not belong to the certificate");
    test_certs_done(&certs);
    test_certs_done(&others);
}

#define CROWD 24

struct visitor {
    struct tls_fixture *fixture;
    uint16_t port;
    struct tls_client_options options;
};

static struct error *visit_once(void *data)
{
    struct visitor *visitor = data;
    OWNED(transport) transport = NULL;
    struct transport *lower;
    FIBER_TIMEOUT(MINUTE);
    TRY(network_connect(visitor->fixture->network, STR("127.0.0.1"), visitor->port, &lower));
    TRY(tls_connect(visitor->fixture->context, lower, &visitor->options, &transport));
    TRY(transport_write(transport, STR("x")));
    char byte;
    TRY(transport_read_exactly(transport, &byte, 1));
    transport_finish(transport);
    return NULL;
}

static struct error *serve_crowd(void *data)
{
    for (;;) {
        OWNED(error) err = serve_one(data);
        if (error_is(err, ERROR_CANCELED))
            return NULL;
    }
}

/* All of them show the same identity, and every other one keeps its session in the same place. */
LOOP_TEST(tls_handshakes_of_many_clients_run_on_threads)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    network_free(fixture.network);
    fixture.network = tcp_network_new(loop_current());
    OWNED(tls_resumption) resumption = tls_resumption_new();
    SCOPED(scope) servers = {0};
    SCOPED(scope) clients = {0};
    struct visitor visitors[2] = {{.fixture = &fixture}, {.fixture = &fixture}};
    CHECK_OK(network_listen(fixture.network, STR("127.0.0.1"), 0, &fixture.host.listener));
    for (size_t i = 0; i < COUNT(visitors); i++) {
        visitors[i].port = listener_port(fixture.host.listener);
        visitors[i].options = usual(&fixture);
        visitors[i].options.resumption = i ? resumption : NULL;
    }
    cpu_turn_use_threads(loop_current(), 3);
    for (size_t i = 0; i < 4; i++)
        scope_start(&servers, "serves", serve_crowd, &fixture.host);
    /* The second crowd finds the credentials as bytes. */
    for (int crowd = 1; crowd <= 2; crowd++) {
        for (size_t i = 0; i < CROWD; i++)
            scope_start(&clients, "visits", visit_once, &visitors[i % 2]);
        CHECK_OK(scope_wait(&clients));
        CHECK_EQ((int64_t)fixture.host.served, (int64_t)crowd * CROWD);
    }
}

SIM_TEST(tls_on_threads_is_refused_with_the_same_words)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    cpu_turn_use_threads(loop_current(), 1);
    struct tls_client_options options = usual(&fixture);
    CHECK_OK(visit(&fixture, &options));
    options.server_name = STR("other.test");
    CHECK_FAILS(visit(&fixture, &options), ERROR_TLS, "not for other.test");
    CHECK_OK(visit(&fixture, &(struct tls_client_options){.server_name = STR("server.test"),
                                                          .trust = fixture.certs.trust}));
}

/* The first handshake uses what was parsed when it was read, later ones the bytes. */
SIM_TEST(tls_credentials_serve_more_than_one_full_handshake)
{
    SCOPED(tls_fixture) fixture;
    tls_fixture_init(&fixture);
    const struct tls_client_options options = usual(&fixture);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(visit(&fixture, &options));
        CHECK_EQ(fixture.host.served, i + 1);
        CHECK(!fixture.host.resumed);
        CHECK(fixture.host.peer.verified);
    }
}

/* A key that cannot be read leaves nothing behind for the next one. */
SIM_TEST(tls_reads_keys_of_every_form_in_turn)
{
    SCOPED(test_certs) certs;
    SCOPED(buf) combined = {0};
    SCOPED(buf) rsa = {0};
    test_certs_init(&certs, loop_wall(loop_current()));
    const struct str certificate = buf_str(&certs.client_pem);
    buf_add(&combined, certificate);
    buf_add(&combined, buf_str(&certs.client_key));
    CHECK_OK(pki_rsa_key(&rsa));
    for (int i = 0; i < 2; i++) {
        OWNED(tls_identity) alone = NULL;
        OWNED(tls_identity) behind_certificate = NULL;
        struct tls_identity *none;
        CHECK_OK(tls_identity_read(certificate, buf_str(&certs.client_key), &alone));
        CHECK_OK(tls_identity_read(certificate, buf_str(&combined), &behind_certificate));
        CHECK_FAILS(tls_identity_read(certificate, STR("rubbish"), &none), ERROR_PARSE,
                    "read private key");
        CHECK_FAILS(tls_identity_read(certificate, buf_str(&rsa), &none), ERROR_INVALID,
                    "does not belong");
    }
}

TEST(pki_authorities_survive_being_written)
{
    OWNED(pki_authority) first = NULL;
    OWNED(pki_authority) second = NULL;
    SCOPED(buf) certificate = {0}, key = {.secret = true}, again = {0};
    CHECK_OK(pki_authority_new(STR("me"), SIM_EPOCH, SIM_EPOCH + HOUR, &first));
    CHECK_OK(pki_authority_write(first, &certificate, &key));
    CHECK_OK(pki_authority_read(buf_str(&certificate), buf_str(&key), &second));
    buf_clear(&key);
    CHECK_OK(pki_authority_write(second, &again, &key));
    CHECK_EQ(buf_str(&again), buf_str(&certificate));
}

/* Bytes that have arrived are received after each write, without waiting for readiness. */
LOOP_TEST(tls_is_looked_at_again_after_a_write)
{
    SCOPED(tls_fixture) fixture;
    SCOPED(scope) scope = {0};
    struct transport *lower;
    enum transport_result result = TRANSPORT_WAIT;
    char byte = 0;
    size_t len = 0;
    tls_fixture_init(&fixture);
    network_free(fixture.network);
    fixture.network = tcp_network_new(loop_current());
    CHECK_OK(network_listen(fixture.network, STR("127.0.0.1"), 0, &fixture.host.listener));
    scope_start(&scope, "serves", serves, &fixture.host);
    CHECK_OK(network_connect(fixture.network, STR("127.0.0.1"),
                             listener_port(fixture.host.listener), &lower));
    OWNED(transport) transport = NULL;
    const struct tls_client_options options = usual(&fixture);
    CHECK_OK(tls_connect(fixture.context, lower, &options, &transport));
    for (int i = 0; i < 500 && result == TRANSPORT_WAIT; i++) {
        CHECK_OK(transport_write(transport, STR("x")));
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
        result = transport_receive(transport, &byte, 1, &len);
    }
    CHECK_EQ((int)result, (int)TRANSPORT_OK);
    CHECK_EQ(byte, 'x');
    transport_finish(transport);
}

/* One byte comes back in a record of its own. The whole record is dropped, without a look at it. */
SIM_TEST(tls_drops_records_without_decrypting_them)
{
    SCOPED(tls_fixture) fixture;
    SCOPED(scope) scope = {0};
    struct transport *lower;
    char rest[100];
    size_t len = 0;
    FIBER_TIMEOUT(MINUTE);
    tls_fixture_init(&fixture);
    CHECK_OK(network_listen(fixture.network, STR("server.test"), 443, &fixture.host.listener));
    scope_start(&scope, "serves", serves, &fixture.host);
    CHECK_OK(network_connect(fixture.network, STR("server.test"), 443, &lower));
    OWNED(transport) transport = NULL;
    const struct tls_client_options options = usual(&fixture);
    CHECK_OK(tls_connect(fixture.context, lower, &options, &transport));
    CHECK_OK(transport_write(transport, STR("x")));
    CHECK_OK(fiber_sleep(SECOND));
    transport_finish(transport);
    CHECK_EQ((int)transport_discard(transport, sizeof(rest), &len), (int)TRANSPORT_OK);
    CHECK(len > 1);
}
