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
