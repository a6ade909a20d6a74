/* Certificates of a server that runs for years. */
#include "apiserver/apiserver_fixture_test.h"
#include "base/duration.h"

#define NAMESPACES "/api/v1/namespaces"
#define DAY        (24 * HOUR)

SIM_TEST(the_certificate_of_the_admin_lives_for_a_year)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    sim_jump(loop_current(), 364 * DAY);
    CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
    sim_jump(loop_current(), 2 * DAY);
    CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 401);
}

static struct error *count_changes(void *data)
{
    ++*(int *)data;
    return NULL;
}

/* Calls are made with what the server has now, on a new connection. */
static void renew_client(struct apiserver_fixture *fixture)
{
    tls_identity_free(TAKE(fixture->admin));
    http_client_free(TAKE(fixture->client));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(fixture->server),
                               apiserver_admin_key(fixture->server), &fixture->admin));
    fixture->client = apiserver_fixture_client(fixture, fixture->admin);
}

/* Three years in steps of 100 days. The client verifies the server by the same clock. */
SIM_TEST(a_server_that_runs_for_years_renews_its_certificates)
{
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        SCOPED(apiserver_fixture) fixture;
        int changes = 0;
        TEST_CASE("%s", in_memory ? "in memory" : "in a folder");
        apiserver_fixture_init(&fixture);
        if (!in_memory)
            apiserver_fixture_keep(&fixture);
        CHECK_OK(apiserver_fixture_start(&fixture));
        apiserver_keep_credentials(fixture.server, count_changes, &changes);
        for (int day = 100; day <= 1100; day += 100) {
            sim_jump(loop_current(), 100 * DAY);
            CHECK_OK(fiber_sleep(2 * HOUR));
            renew_client(&fixture);
            CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
            CHECK_EQ(changes, day / 300);
        }
    }
}

/* What was issued while the clock was wrong is not valid yet when the clock is right again. */
SIM_TEST(a_server_outlives_a_clock_that_was_ahead)
{
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        SCOPED(apiserver_fixture) fixture;
        int changes = 0;
        TEST_CASE("%s", in_memory ? "in memory" : "in a folder");
        apiserver_fixture_init(&fixture);
        if (!in_memory)
            apiserver_fixture_keep(&fixture);
        CHECK_OK(apiserver_fixture_start(&fixture));
        apiserver_keep_credentials(fixture.server, count_changes, &changes);
        CHECK_OK(fiber_sleep(2 * HOUR));
        sim_jump(loop_current(), 300 * DAY);
        CHECK_OK(fiber_sleep(2 * HOUR));
        CHECK_EQ(changes, 1);
        sim_jump(loop_current(), -300 * DAY);
        CHECK_OK(fiber_sleep(2 * HOUR));
        CHECK_EQ(changes, 2);
        renew_client(&fixture);
        CHECK_EQ(apiserver_fixture_get(&fixture, NAMESPACES), 200);
    }
}

static struct error *fail_twice(void *data)
{
    int *calls = data;
    return ++*calls <= 2 ? error_new(ERROR_IO, "the disk is full") : NULL;
}

SIM_TEST(renewed_certificates_are_handed_out_until_it_works)
{
    SCOPED(apiserver_fixture) fixture;
    int calls = 0;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_keep_credentials(fixture.server, fail_twice, &calls);
    sim_jump(loop_current(), 300 * DAY);
    CHECK_OK(fiber_sleep(10 * HOUR));
    CHECK_EQ(calls, 3);
}
