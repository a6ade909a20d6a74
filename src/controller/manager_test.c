#include "controller/manager.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/metrics.h"
#include "client/client_fixture_test.h"
#include "controller/controller.h"
#include "controller/fake_cache_test.h"
#include "controller/leader.h"
#include "net/network.h"
#include "net/transport.h"

struct manager_fixture {
    struct client_fixture api;
    struct cache cache;
    struct manager *manager;
    struct scope scope;
    struct buf story;
    struct error *err;
    bool has_ended;
    bool runnable_fails;
};

static struct error *tell_and_wait(struct manager_fixture *fixture, const char *name)
{
    buf_print(&fixture->story, "+%s ", name);
    struct error *err = fiber_sleep(HOUR);
    FIBER_SHIELD(SECOND);
    error_free(fiber_sleep(100 * MILLISECOND)); /* takes a moment to stop */
    buf_print(&fixture->story, "-%s ", name);
    return err;
}

static struct error *runnable(void *data)
{
    struct manager_fixture *fixture = data;
    return fixture->runnable_fails ? error_new(ERROR_INTERNAL, "is broken")
                                   : tell_and_wait(fixture, "runnable");
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    (void)key;
    (void)ret_result;
    return tell_and_wait(data, "reconcile");
}

#define LEASE                                                                                     \
    "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"l\"," \
    "\"namespace\":\"ns\",\"resourceVersion\":\"1\"},\"spec\":{\"holderIdentity\":\"me\"}}"

static void manager_fixture_init(struct manager_fixture *fixture, struct manager_options options,
                                 bool elects)
{
    *fixture = (struct manager_fixture){0};
    client_fixture_init(&fixture->api, false);
    client_fixture_start(&fixture->api);
    static const struct scripted lease = {200, NULL, NULL, LEASE};
    client_fixture_script(&fixture->api, &lease, 1);
    fake_cache_init(&fixture->cache);
    options.client = fixture->api.client;
    options.metrics = fixture->api.metrics;
    options.network = fixture->api.network;
    options.caches = (struct cache_set *)&fixture->cache;
    if (elects)
        CHECK_OK(leader_new(loop_current(),
                            &(struct leader_options){.client = fixture->api.client,
                                                     .lease = KEY("ns", "l"),
                                                     .identity = STR("me"),
                                                     .release = true},
                            &options.leader));
    fixture->manager = manager_new(loop_current(), &options);
    struct controller *controller = controller_new(
        loop_current(), &(struct controller_options){.name = STR("web"),
                                                     .reconcile = reconcile,
                                                     .data = fixture,
                                                     .deadline = 2 * HOUR,
                                                     .metrics = fixture->api.metrics});
    controller_watch(controller, &fixture->cache, NULL);
    manager_add_controller(fixture->manager, controller);
    manager_add_runnable(fixture->manager, "runnable", runnable, fixture);
}

static struct error *run(void *data)
{
    struct manager_fixture *fixture = data;
    fixture->err = manager_run(fixture->manager);
    fixture->has_ended = true;
    return NULL;
}

static void manager_fixture_start(struct manager_fixture *fixture)
{
    scope_start(&fixture->scope, "manager", run, fixture);
    CHECK_OK(fiber_sleep(SECOND));
}

static void manager_fixture_done(struct manager_fixture *fixture)
{
    scope_done(&fixture->scope);
    error_free(fixture->err);
    manager_free(fixture->manager);
    fake_cache_done(&fixture->cache);
    buf_done(&fixture->story);
    client_fixture_done(&fixture->api);
}

static void put(struct manager_fixture *fixture)
{
    fake_cache_put(&fixture->cache, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                    "\"name\":\"a\",\"resourceVersion\":\"1\"}}");
}

static void pass(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

SIM_TEST(parts_start_in_order_and_stop_in_reverse)
{
    SCOPED(manager_fixture) fixture;
    manager_fixture_init(&fixture, (struct manager_options){0}, true);
    put(&fixture);
    manager_fixture_start(&fixture);
    CHECK_EQ(buf_str(&fixture.story), STR("")); /* caches are not synced */
    fake_cache_set_synced(&fixture.cache);
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.story), STR("+runnable +reconcile "));
    scope_cancel(&fixture.scope);
    pass(SECOND);
    CHECK_EQ(buf_str(&fixture.story), STR("+runnable +reconcile -reconcile -runnable "));
    CHECK(fixture.has_ended);
    CHECK_OK(TAKE(fixture.err));
    /* The lease was released between the two. */
    CHECK(!str_contains(buf_str(&fixture.api.last_body), STR("holderIdentity")));
}

SIM_TEST(controllers_wait_for_leadership_and_runnables_do_not)
{
    SCOPED(manager_fixture) fixture;
    manager_fixture_init(&fixture, (struct manager_options){0}, true);
    static const struct scripted down = {500, NULL, NULL, ""};
    static const struct scripted up = {200, NULL, NULL, LEASE};
    client_fixture_script(&fixture.api, &down, 1);
    put(&fixture);
    fake_cache_set_synced(&fixture.cache);
    manager_fixture_start(&fixture);
    pass(MINUTE);
    CHECK_EQ(buf_str(&fixture.story), STR("+runnable "));
    client_fixture_script(&fixture.api, &up, 1);
    pass(5 * SECOND);
    CHECK_EQ(buf_str(&fixture.story), STR("+runnable +reconcile "));

    client_fixture_script(&fixture.api, &down, 1);
    pass(11 * SECOND);
    CHECK_EQ(buf_str(&fixture.story), STR("+runnable +reconcile -reconcile -runnable "));
    CHECK(fixture.has_ended);
    CHECK(fixture.err != NULL);
    CHECK_EQ(str_from_c(fixture.err->message), STR("leader election lost"));
}

SIM_TEST(a_part_that_fails_ends_everything)
{
    SCOPED(manager_fixture) fixture;
    manager_fixture_init(&fixture, (struct manager_options){0}, false);
    fixture.runnable_fails = true;
    put(&fixture);
    fake_cache_set_synced(&fixture.cache);
    manager_fixture_start(&fixture);
    CHECK(fixture.has_ended);
    CHECK_FAILS(TAKE(fixture.err), ERROR_INTERNAL, "runnable: is broken");
}

SIM_TEST(caches_that_do_not_sync_end_the_start)
{
    SCOPED(manager_fixture) fixture;
    manager_fixture_init(&fixture, (struct manager_options){0}, false);
    manager_fixture_start(&fixture);
    pass(5 * MINUTE);
    CHECK(fixture.has_ended);
    CHECK_FAILS(TAKE(fixture.err), ERROR_DEADLINE, "wait for caches to sync");
}

/* Suspends. One request over plain HTTP. */
static int ask(struct manager_fixture *fixture, const char *host, uint16_t port, const char *target,
               struct buf *body)
{
    OWNED(http_client)
    client = http_client_new(loop_current(), &(struct http_client_options){
                                                 .endpoint = {.network = fixture->api.network,
                                                              .host = str_from_c(host),
                                                              .port = port,
                                                              .plain = true}
    });
    OWNED(http_response) response = NULL;
    buf_clear(body);
    CHECK_OK(http_client_send(client, &(struct http_client_request){.target = str_from_c(target)},
                              &response));
    CHECK_OK(http_response_read_all(response, body));
    return http_response_status(response);
}

SIM_TEST(health_and_metrics_are_served_before_caches_are_synced)
{
    SCOPED(manager_fixture) fixture;
    SCOPED(buf) body = {0};
    manager_fixture_init(&fixture,
                         (struct manager_options){.health_host = STR("health.test"),
                                                  .diagnostics_host = STR("metrics.test"),
                                                  .insecure_diagnostics = true},
                         false);
    manager_fixture_start(&fixture);
    const uint16_t port = manager_health_port(fixture.manager);
    CHECK(port > 0);
    CHECK_EQ(ask(&fixture, "health.test", port, "/healthz", &body), 200);
    CHECK_EQ(buf_str(&body), STR("ok"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz", &body), 200);
    CHECK_EQ(buf_str(&body), STR("ok"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz?verbose", &body), 200);
    CHECK_EQ(buf_str(&body),
             STR("[+]ping ok\n[+]informer-sync ok\n[+]api-server ok\nreadyz check passed\n"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/healthz?verbose", &body), 200);
    CHECK_EQ(buf_str(&body), STR("[+]ping ok\nhealthz check passed\n"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz/api-server", &body), 200);
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz/other", &body), 404);
    CHECK_EQ(ask(&fixture, "health.test", port, "/metrics", &body), 404);

    const uint16_t metrics = manager_diagnostics_port(fixture.manager);
    CHECK_EQ(ask(&fixture, "metrics.test", metrics, "/metrics", &body), 200);
    CHECK_CONTAINS(buf_str(&body), STR("controller_runtime_reconcile_total{controller=\"web\","
                                       "result=\"success\"} 0\n"));
    CHECK_EQ(ask(&fixture, "metrics.test", metrics, "/debug/flags/v", &body), 200);
    CHECK_EQ(ask(&fixture, "metrics.test", metrics, "/", &body), 404);
}

/* Connections that say nothing, more than the server has places for. */
static void crowd(struct manager_fixture *fixture, struct transport **guests, size_t count,
                  const char *host, uint16_t port)
{
    for (size_t i = 0; i < count; i++)
        CHECK_OK(network_connect(fixture->api.network, str_from_c(host), port, &guests[i]));
}

/* Who fills the ports that everybody may connect to does not make the probes of kubelet fail. */
SIM_TEST(idle_connections_do_not_keep_probes_out)
{
    struct transport *guests[300];
    SCOPED(manager_fixture) fixture;
    SCOPED(buf) body = {0};
    manager_fixture_init(&fixture,
                         (struct manager_options){.health_host = STR("health.test"),
                                                  .diagnostics_host = STR("metrics.test"),
                                                  .insecure_diagnostics = true},
                         false);
    manager_fixture_start(&fixture);
    const uint16_t health = manager_health_port(fixture.manager);
    const uint16_t metrics = manager_diagnostics_port(fixture.manager);
    crowd(&fixture, guests, 150, "health.test", health);
    crowd(&fixture, guests + 150, 150, "metrics.test", metrics);
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(ask(&fixture, "health.test", health, "/healthz", &body), 200);
    CHECK_EQ(ask(&fixture, "metrics.test", metrics, "/metrics", &body), 200);
    CHECK(loop_now(loop_current()) - begun < SECOND);
    for (size_t i = 0; i < COUNT(guests); i++)
        transport_free(guests[i]);
}

static const struct manager_options served = {.health_host = STR_INIT("health.test"),
                                              .diagnostics_host = STR_INIT("metrics.test"),
                                              .insecure_diagnostics = true};

/* Suspends. The answer of /readyz, and the metric must say the same of the check. */
static int ask_ready(struct manager_fixture *fixture, const char *check, struct buf *body)
{
    SCOPED(buf) metric = {0};
    const int status =
        ask(fixture, "health.test", manager_health_port(fixture->manager), "/readyz?verbose", body);
    CHECK_EQ(ask(fixture, "metrics.test", manager_diagnostics_port(fixture->manager), "/metrics",
                 &metric),
             200);
    SCOPED(buf) line = {0};
    buf_print(&line, "kubernetes_healthcheck{name=\"%s\",type=\"readyz\"} %d\n", check,
              status == 200);
    CHECK_CONTAINS(buf_str(&metric), buf_str(&line));
    return status;
}

static void note_line(void *data, struct str line)
{
    if (str_contains(line, STR("API server")))
        buf_add(data, line);
}

static size_t lines_of(const struct buf *log)
{
    size_t count = 0;
    for (size_t i = 0; i < log->len; i++)
        count += log->ptr[i] == '\n';
    return count;
}

SIM_TEST(a_server_that_is_away_at_the_start_makes_unready_after_15_seconds)
{
    SCOPED(manager_fixture) fixture;
    SCOPED(buf) body = {0};
    SCOPED(buf) log = {0};
    manager_fixture_init(&fixture, served, false);
    log_set_sink(note_line, &log);
    manager_fixture_start(&fixture);
    CHECK_EQ(lines_of(&log), (size_t)0);
    fake_cache_set_problem(&fixture.cache, "connect to api.test:6443: connection refused");
    pass(SECOND); /* an error line at once */
    CHECK_CONTAINS(buf_str(&log),
                   STR("\"API server is away: changes are not seen\" "
                       "err=\"connect to api.test:6443: connection refused\" resource=\"things\""));
    pass(12 * SECOND);
    CHECK_EQ(ask_ready(&fixture, "informer-sync", &body), 200);
    pass(2 * SECOND);
    CHECK_EQ(ask_ready(&fixture, "informer-sync", &body), 500);
    CHECK_EQ(buf_str(&body), STR("[+]ping ok\n[-]informer-sync failed: reason withheld\n"
                                 "[+]api-server ok\nreadyz check failed\n"));
    const uint16_t port = manager_health_port(fixture.manager);
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz/informer-sync", &body), 500);
    CHECK_CONTAINS(buf_str(&body), STR("internal server error: the cache of things has not been "
                                       "filled for 16 s: connect to api.test:6443: connection "
                                       "refused\n"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/readyz?verbose&exclude=informer-sync", &body),
             200);
    CHECK_CONTAINS(buf_str(&body), STR("[+]informer-sync excluded: ok\n"));
    CHECK_EQ(ask(&fixture, "health.test", port, "/healthz", &body), 200);
    CHECK_EQ(lines_of(&log), (size_t)1);
    pass(3 * MINUTE);
    CHECK_EQ(lines_of(&log), (size_t)4); /* and every minute */
    fake_cache_set_synced(&fixture.cache);
    pass(SECOND);
    CHECK_EQ(ask_ready(&fixture, "informer-sync", &body), 200);
    CHECK_CONTAINS(buf_str(&log), STR("\"API server is followed again\""));
    log_set_sink(NULL, NULL);
}

SIM_TEST(a_server_that_does_not_even_answer_is_told_of)
{
    SCOPED(manager_fixture) fixture;
    SCOPED(buf) log = {0};
    manager_fixture_init(&fixture, served, false);
    log_set_sink(note_line, &log);
    manager_fixture_start(&fixture);
    pass(10 * SECOND);
    CHECK_CONTAINS(buf_str(&log), STR("err=\"the server has not answered yet\""));
    log_set_sink(NULL, NULL);
}

SIM_TEST(a_server_that_is_lost_makes_unready_after_60_seconds)
{
    SCOPED(manager_fixture) fixture;
    SCOPED(buf) body = {0};
    SCOPED(buf) log = {0};
    manager_fixture_init(&fixture, served, false);
    fake_cache_set_synced(&fixture.cache);
    log_set_sink(note_line, &log);
    manager_fixture_start(&fixture);
    pass(HOUR / 2);
    CHECK_EQ(ask_ready(&fixture, "api-server", &body), 200);
    fake_cache_set_problem(&fixture.cache, "connection reset");
    pass(59 * SECOND);
    CHECK_EQ(ask_ready(&fixture, "api-server", &body), 200);
    CHECK_EQ(lines_of(&log), (size_t)1);
    pass(2 * SECOND);
    CHECK_EQ(ask_ready(&fixture, "api-server", &body), 500);
    CHECK_EQ(buf_str(&body), STR("[+]ping ok\n[+]informer-sync ok\n[-]api-server failed: reason "
                                 "withheld\nreadyz check failed\n"));
    fake_cache_set_problem(&fixture.cache, NULL);
    pass(SECOND);
    CHECK_EQ(ask_ready(&fixture, "api-server", &body), 200);
    log_set_sink(NULL, NULL);
}

static struct error *managed_once(struct manager_fixture *fixture)
{
    put(fixture);
    fake_cache_set_synced(&fixture->cache);
    scope_start(&fixture->scope, "manager", run, fixture);
    TRY(fiber_sleep(5 * SECOND));
    scope_cancel(&fixture->scope);
    return scope_wait(&fixture->scope);
}

TORTURE_TEST(a_manager_survives_every_interruption)
{
    SCOPED(manager_fixture) fixture;
    manager_fixture_init(&fixture, (struct manager_options){.health_host = STR("health.test")},
                         true);
    return managed_once(&fixture);
}
