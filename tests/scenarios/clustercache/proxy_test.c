/* Workload clusters behind an HTTP proxy that the environment asks for. */
#include "client/proxy_environment.h"
#include "scenarios/clustercache/cc_fixture.h"
#include "support/proxy/connect_proxy.h"

#define PROXIED "connect to workload.test:80 through proxy proxy.test:3128 (HTTP_PROXY): "

/* The text that names Cluster and error stands in one line of the log. */
static bool is_told(const struct cc_fixture *fixture, const char *message)
{
    struct str rest = buf_str(&fixture->log), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (str_contains(line, str_from_c(message)) && str_contains(line, STR("default/c")))
            return true;
    }
    return false;
}

SIM_TEST(a_workload_cluster_is_reached_through_a_proxy)
{
    const struct proxy_environment proxies = {.http_proxy =
                                                  STR("http://me:hunter2@proxy.test:3128")};
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    SCOPED(connect_proxy)
    proxy = {.network = fixture.apiserver.network, .wants = "me:hunter2"};
    CHECK_OK(connect_proxy_open(&proxy, STR("proxy.test"), 3128));
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.proxies = &proxies;
    cc_fixture_start(&fixture, &options);
    cc_fixture_ready(&fixture);
    cc_fixture_reconcile(&fixture);
    CHECK(cc_fixture_is_connected(&fixture));
    CHECK(connect_proxy_count(&proxy, "workload.test:80") > 0);
    CHECK(!cc_fixture_logged(&fixture, "hunter2"));
    clustercache_free(TAKE(fixture.cache));
}

SIM_TEST(a_proxy_that_opens_no_tunnel_is_told_with_the_cluster)
{
    const struct {
        enum connect_proxy_mode mode;
        const char *wants, *message;
    } cases[] = {
        {CONNECT_PROXY_REFUSE,  NULL,
         PROXIED
         "the proxy answers 403 Forbidden; let it CONNECT to workload.test:80, or add the server to NO_PROXY"},
        {CONNECT_PROXY_HANG,    NULL,      PROXIED "no answer of the proxy: timed out"                       },
        {CONNECT_PROXY_GARBAGE, NULL,
         PROXIED
         "the proxy does not answer with HTTP; check that an HTTP proxy is at that address"                  },
        {CONNECT_PROXY_HUGE,    NULL,
         PROXIED "the headers of the proxy's answer are longer than 16384 bytes"                             },
        {CONNECT_PROXY_PASS,    "another",
         PROXIED
         "the proxy answers 407 Proxy Authentication Required; it does not accept the user"                  },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct proxy_environment proxies = {.http_proxy = STR("me:hunter2@proxy.test:3128")};
        SCOPED(cc_fixture) fixture;
        TEST_CASE("%s", cases[i].message);
        cc_fixture_init(&fixture, 1);
        SCOPED(connect_proxy)
        proxy = {
            .network = fixture.apiserver.network, .mode = cases[i].mode, .wants = cases[i].wants};
        CHECK_OK(connect_proxy_open(&proxy, STR("proxy.test"), 3128));
        struct clustercache_options options = cc_fixture_options(&fixture);
        options.proxies = &proxies;
        cc_fixture_start(&fixture, &options);
        cc_fixture_ready(&fixture);
        const int64_t begun = loop_now(loop_current());
        cc_fixture_check_delay(cc_fixture_reconcile(&fixture), 30 * SECOND);
        CHECK(loop_now(loop_current()) - begun <= 15 * SECOND);
        CHECK(!cc_fixture_is_connected(&fixture));
        CHECK(is_told(&fixture, cases[i].message));
        CHECK(!cc_fixture_logged(&fixture, "hunter2"));
        clustercache_free(TAKE(fixture.cache));
    }
}

/* A connection past the proxy would be one that the environment forbids. */
SIM_TEST(a_new_cluster_behind_a_proxy_is_not_asked_directly)
{
    const struct proxy_environment proxies = {.http_proxy = STR("http://proxy.test:3128")};
    SCOPED(cc_fixture) fixture;
    cc_fixture_init(&fixture, 1);
    struct clustercache_options options = cc_fixture_options(&fixture);
    options.proxies = &proxies;
    cc_fixture_start(&fixture, &options);
    cc_fixture_run(&fixture);
    cc_fixture_cluster(&fixture, "c", true);
    cc_fixture_credentials(&fixture, CC_FIXTURE_HOST, "one");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK(is_told(&fixture, PROXIED));
    CHECK(!cc_fixture_logged(&fixture, "Somebody listens"));
}
