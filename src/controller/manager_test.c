#include "controller/manager.h"

#include "async/fiber.h"
#include "async/scope.h"
#include "base/metrics.h"
#include "client/stage_test.h"
#include "controller/controller.h"
#include "controller/fake_cache_test.h"
#include "controller/leader.h"

struct rig {
    struct stage stage;
    struct cache cache;
    struct manager *manager;
    struct scope scope;
    struct buf story;
    struct error *err;
    bool has_ended;
    bool is_ready;
    bool runnable_fails;
};

static struct error *tell_and_wait(struct rig *rig, const char *name)
{
    buf_print(&rig->story, "+%s ", name);
    struct error *err = fiber_sleep(HOUR);
    FIBER_SHIELD(SECOND);
    error_free(fiber_sleep(100 * MILLISECOND)); /* takes a moment to stop */
    buf_print(&rig->story, "-%s ", name);
    return err;
}

static struct error *runnable(void *data)
{
    struct rig *rig = data;
    return rig->runnable_fails ? error_new(ERROR_INTERNAL, "is broken")
                               : tell_and_wait(rig, "runnable");
}

static struct error *reconcile(void *data, struct key key, struct reconcile_result *ret_result)
{
    (void)key;
    (void)ret_result;
    return tell_and_wait(data, "reconcile");
}

static struct error *ready(void *data)
{
    const struct rig *rig = data;
    return rig->is_ready ? NULL : error_new(ERROR_SERVICE_UNAVAILABLE, "secret reason");
}

#define LEASE                                                                                     \
    "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"l\"," \
    "\"namespace\":\"ns\",\"resourceVersion\":\"1\"},\"spec\":{\"holderIdentity\":\"me\"}}"

static void rig_init(struct rig *rig, struct manager_options options, bool elects)
{
    *rig = (struct rig){0};
    stage_init(&rig->stage, false);
    stage_start(&rig->stage);
    static const struct scripted lease = {200, NULL, NULL, LEASE};
    stage_script(&rig->stage, &lease, 1);
    fake_cache_init(&rig->cache);
    options.client = rig->stage.client;
    options.metrics = rig->stage.metrics;
    options.network = rig->stage.network;
    options.caches = (struct cache_set *)&rig->cache;
    if (elects)
        CHECK_OK(leader_new(loop_current(),
                            &(struct leader_options){.client = rig->stage.client,
                                                     .lease = KEY("ns", "l"),
                                                     .identity = STR("me"),
                                                     .release = true},
                            &options.leader));
    rig->manager = manager_new(loop_current(), &options);
    struct controller *controller =
        controller_new(loop_current(), &(struct controller_options){.name = STR("web"),
                                                                    .reconcile = reconcile,
                                                                    .data = rig,
                                                                    .deadline = 2 * HOUR,
                                                                    .metrics = rig->stage.metrics});
    controller_watch(controller, &rig->cache, NULL);
    manager_add_controller(rig->manager, controller);
    manager_add_runnable(rig->manager, "runnable", runnable, rig);
    manager_add_ready_check(rig->manager, "test", ready, rig);
}

static struct error *run(void *data)
{
    struct rig *rig = data;
    rig->err = manager_run(rig->manager);
    rig->has_ended = true;
    return NULL;
}

static void rig_start(struct rig *rig)
{
    scope_start(&rig->scope, "manager", run, rig);
    CHECK_OK(fiber_sleep(SECOND));
}

static void rig_done(struct rig *rig)
{
    scope_done(&rig->scope);
    error_free(rig->err);
    manager_free(rig->manager);
    fake_cache_done(&rig->cache);
    buf_done(&rig->story);
    stage_done(&rig->stage);
}

static void put(struct rig *rig)
{
    fake_cache_put(&rig->cache, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                                "\"name\":\"a\",\"resourceVersion\":\"1\"}}");
}

static void pass(duration span)
{
    CHECK_OK(fiber_sleep(span));
}

SIM_TEST(parts_start_in_order_and_stop_in_reverse)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct manager_options){0}, true);
    put(&rig);
    rig_start(&rig);
    CHECK_EQ(buf_str(&rig.story), STR("")); /* caches are not synced */
    fake_cache_set_synced(&rig.cache);
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.story), STR("+runnable +reconcile "));
    scope_cancel(&rig.scope);
    pass(SECOND);
    CHECK_EQ(buf_str(&rig.story), STR("+runnable +reconcile -reconcile -runnable "));
    CHECK(rig.has_ended);
    CHECK_OK(TAKE(rig.err));
    /* The lease was released between the two. */
    CHECK(!str_contains(buf_str(&rig.stage.last_body), STR("holderIdentity")));
}

SIM_TEST(controllers_wait_for_leadership_and_runnables_do_not)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct manager_options){0}, true);
    static const struct scripted down = {500, NULL, NULL, ""};
    static const struct scripted up = {200, NULL, NULL, LEASE};
    stage_script(&rig.stage, &down, 1);
    put(&rig);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    pass(MINUTE);
    CHECK_EQ(buf_str(&rig.story), STR("+runnable "));
    stage_script(&rig.stage, &up, 1);
    pass(5 * SECOND);
    CHECK_EQ(buf_str(&rig.story), STR("+runnable +reconcile "));

    stage_script(&rig.stage, &down, 1);
    pass(11 * SECOND);
    CHECK_EQ(buf_str(&rig.story), STR("+runnable +reconcile -reconcile -runnable "));
    CHECK(rig.has_ended);
    CHECK(rig.err != NULL);
    CHECK_EQ(str_from_c(rig.err->message), STR("leader election lost"));
}

SIM_TEST(a_part_that_fails_ends_everything)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct manager_options){0}, false);
    rig.runnable_fails = true;
    put(&rig);
    fake_cache_set_synced(&rig.cache);
    rig_start(&rig);
    CHECK(rig.has_ended);
    CHECK_FAILS(TAKE(rig.err), ERROR_INTERNAL, "runnable: is broken");
}

SIM_TEST(caches_that_do_not_sync_end_the_start)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct manager_options){0}, false);
    rig_start(&rig);
    pass(5 * MINUTE);
    CHECK(rig.has_ended);
    CHECK_FAILS(TAKE(rig.err), ERROR_DEADLINE, "wait for caches to sync");
}

/* Suspends. One request over plain HTTP. */
static int ask(struct rig *rig, const char *host, uint16_t port, const char *target,
               struct buf *body)
{
    OWNED(http_client)
    client = http_client_new(loop_current(), &(struct http_client_options){
                                                 .endpoint = {.network = rig->stage.network,
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
    SCOPED(rig) rig;
    SCOPED(buf) body = {0};
    rig_init(&rig,
             (struct manager_options){.health_host = STR("health.test"),
                                      .diagnostics_host = STR("metrics.test"),
                                      .insecure_diagnostics = true},
             false);
    rig_start(&rig);
    const uint16_t port = manager_health_port(rig.manager);
    CHECK(port > 0);
    CHECK_EQ(ask(&rig, "health.test", port, "/healthz", &body), 200);
    CHECK_EQ(buf_str(&body), STR("ok"));
    CHECK_EQ(ask(&rig, "health.test", port, "/readyz", &body), 500);
    CHECK_EQ(buf_str(&body), STR("[-]test failed: reason withheld\nreadyz check failed\n"));
    rig.is_ready = true;
    CHECK_EQ(ask(&rig, "health.test", port, "/readyz", &body), 200);
    CHECK_EQ(buf_str(&body), STR("ok"));
    CHECK_EQ(ask(&rig, "health.test", port, "/readyz?verbose", &body), 200);
    CHECK_EQ(buf_str(&body), STR("[+]test ok\nreadyz check passed\n"));
    CHECK_EQ(ask(&rig, "health.test", port, "/readyz/test", &body), 200);
    CHECK_EQ(ask(&rig, "health.test", port, "/readyz/other", &body), 404);
    CHECK_EQ(ask(&rig, "health.test", port, "/metrics", &body), 404);

    const uint16_t metrics = manager_diagnostics_port(rig.manager);
    CHECK_EQ(ask(&rig, "metrics.test", metrics, "/metrics", &body), 200);
    CHECK_CONTAINS(buf_str(&body), STR("controller_runtime_reconcile_total{controller=\"web\","
                                       "result=\"success\"} 0\n"));
    CHECK_EQ(ask(&rig, "metrics.test", metrics, "/debug/flags/v", &body), 200);
    CHECK_EQ(ask(&rig, "metrics.test", metrics, "/", &body), 404);
}

static struct error *managed_once(struct rig *rig)
{
    put(rig);
    fake_cache_set_synced(&rig->cache);
    scope_start(&rig->scope, "manager", run, rig);
    TRY(fiber_sleep(5 * SECOND));
    scope_cancel(&rig->scope);
    return scope_wait(&rig->scope);
}

TORTURE_TEST(a_manager_survives_every_interruption)
{
    SCOPED(rig) rig;
    rig_init(&rig, (struct manager_options){.health_host = STR("health.test")}, true);
    return managed_once(&rig);
}
