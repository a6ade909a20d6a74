#include "client/client_transport.h"

#include "client/client_fixture_test.h"

struct call {
    struct client_transport *transport;
    struct error *err;
};

static struct error *call_server(void *data)
{
    struct call *call = data;
    OWNED(http_response) response = NULL;
    struct http_client *http = client_transport_hold(call->transport);
    call->err =
        http_client_send(http, &(struct http_client_request){.target = STR("/")}, &response);
    client_transport_release(call->transport);
    return NULL;
}

/* Credentials change while others still connect with those before. */
SIM_TEST(a_connection_that_is_being_made_is_in_use)
{
    SCOPED(client_fixture) fixture;
    client_fixture_init(&fixture, false);
    SCRIPT(&fixture, {200, NULL, NULL, "{}"});
    struct client_transports transports;
    client_transports_init(&transports, loop_current(), &fixture.options);
    struct call call = {0};
    CHECK_OK(client_transports_own(&transports, fixture.certs.client, fixture.certs.trust,
                                   &call.transport));
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "calls", call_server, &call);
        CHECK_OK(fiber_yield());
        struct call other = {0};
        CHECK_OK(client_transports_own(&transports, NULL, fixture.certs.trust, &other.transport));
        CHECK(other.transport != call.transport);
        CHECK_OK(call_server(&other));
        CHECK_OK(other.err);
        CHECK_OK(scope_wait(&scope));
    }
    CHECK_OK(call.err);
    CHECK_EQ(fixture.requests, (size_t)2);
    struct client_transport *last;
    CHECK_OK(client_transports_own(&transports, NULL, fixture.certs.trust, &last));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(sim_network_connections(fixture.network), (size_t)1);
    client_transports_done(&transports);
}

static struct error *tells_whether_known(void *data, struct http_request *request)
{
    struct tls_peer peer;
    (void)data;
    http_request_peer(request, &peer);
    CHECK(peer.shown);
    return http_request_answer(request, peer.verified ? 200 : 401, STR("application/json"),
                               STR("{}"));
}

static struct error *ask(const struct client_fixture *fixture)
{
    SCOPED(buf) body = {.limit = 0};
    SCOPED(arena) arena = {0};
    return client_raw(fixture->client, &(struct client_raw_request){.path = STR("/x")}, &arena,
                      &body, NULL);
}

/* Another authority on both sides, without a new server or client. */
SIM_TEST(a_client_takes_the_new_certificates_of_its_config)
{
    SCOPED(client_fixture) fixture;
    SCOPED(rest_config) newer = {0};
    struct test_certs other;
    struct tls_server *server = NULL;
    client_fixture_init(&fixture, false);
    test_certs_init(&other, loop_wall(loop_current()));
    fixture.handler = tells_whether_known;
    client_fixture_start(&fixture);
    CHECK_OK(ask(&fixture));
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = other.server,
                                                         .client_trust = other.trust,
                                                         .http2 = true},
                            &server));
    tls_server_become(fixture.tls_server, server);
    TEST_CASE("the open connection is known no more");
    CHECK_ERROR(ask(&fixture), ERROR_UNAUTHORIZED);
    CHECK_EQ(client_dial_count(fixture.client), (uint64_t)1);
    TEST_CASE("a new one is");
    newer.tls.trust = tls_trust_ref(other.trust);
    newer.tls.identity = tls_identity_ref(other.client);
    rest_config_take_tls(&fixture.config, &newer);
    CHECK_OK(ask(&fixture));
    test_certs_done(&other);
}
