#include "apiserver/endpoints/handle_delete.h"

#include "apiserver/apiserver_fixture_test.h"

#define PODS "/api/v1/namespaces/default/pods"

static void begin(struct apiserver_fixture *fixture)
{
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
}

/* more is added to the spec. */
static void make_pod(struct apiserver_fixture *fixture, const char *target, const char *name,
                     const char *more)
{
    SCOPED(buf) body = {0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"},\"spec\":{"
              "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]%s}}",
              name, more);
    apiserver_fixture_create(fixture, target, buf_c(&body));
}

static void check_grace(struct apiserver_fixture *fixture, int64_t seconds)
{
    int64_t found = -1;
    (void)json_to_int64(
        json_path(json_doc_root(fixture->doc), "metadata.deletionGracePeriodSeconds"), &found);
    CHECK_EQ(found, seconds);
    CHECK(apiserver_fixture_text(fixture, "metadata.deletionTimestamp").len > 0);
}

/* How far the time of deletion is away. */
static duration time_left(struct apiserver_fixture *fixture)
{
    timestamp end = 0;
    CHECK(timestamp_read(apiserver_fixture_text(fixture, "metadata.deletionTimestamp"), &end));
    return end - loop_wall(loop_current());
}

SIM_TEST(a_pod_that_no_node_runs_is_deleted_at_once)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    make_pod(&fixture, PODS, "waiting", "");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/waiting", ""), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), STR("Pod"));
    check_grace(&fixture, 0);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/waiting"), 404);

    make_pod(&fixture, PODS, "ended", ",\"nodeName\":\"n\"");
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/ended/status",
                                    "{\"status\":{\"phase\":\"Failed\"}}"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/ended", ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/ended"), 404);
}

/* The kubelet deletes the Pod with a period of 0 when it has ended. */
SIM_TEST(a_pod_on_a_node_stays_for_its_grace_period)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    make_pod(&fixture, PODS, "p", ",\"nodeName\":\"n\",\"terminationGracePeriodSeconds\":50");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p", ""), 200);
    check_grace(&fixture, 50);
    CHECK(time_left(&fixture) > 48 * SECOND && time_left(&fixture) <= 50 * SECOND);
    SCOPED(buf) version = {0};
    buf_add(&version, apiserver_fixture_text(&fixture, "metadata.resourceVersion"));

    /* Neither the same request nor a longer period nor an update changes or ends that. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p", ""), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=60", ""), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.resourceVersion"), buf_str(&version));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/p",
                                    "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
             200);
    check_grace(&fixture, 50);
    CHECK_OK(fiber_sleep(2 * MINUTE));
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/p"), 200);

    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=0", ""), 200);
    check_grace(&fixture, 0);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/p"), 404);
}

SIM_TEST(a_grace_period_can_be_shortened)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    make_pod(&fixture, PODS, "p", ",\"nodeName\":\"n\"");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=600", ""), 200);
    check_grace(&fixture, 600);
    CHECK_OK(fiber_sleep(10 * SECOND));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=20", ""), 200);
    check_grace(&fixture, 20);
    CHECK(time_left(&fixture) > 8 * SECOND && time_left(&fixture) <= 10 * SECOND);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=-7", ""), 200);
    check_grace(&fixture, 1);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=0", ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/p"), 404);
}

/* A finalizer that is removed does not end the grace period, and the other way round. */
SIM_TEST(finalizers_and_a_grace_period_both_hold_a_pod)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    for (int i = 0; i < 2; i++) {
        make_pod(&fixture, PODS, "p", ",\"nodeName\":\"n\"");
        CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/p",
                                        "{\"metadata\":{\"finalizers\":[\"a.example.com/b\"]}}"),
                 200);
        CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p", ""), 200);
        check_grace(&fixture, 30);
        if (i)
            CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/p",
                                            "{\"metadata\":{\"finalizers\":null}}"),
                     200);
        else
            CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=0", ""),
                     200);
        CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/p"), 200);
        if (i)
            CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", PODS "/p?gracePeriodSeconds=0", ""),
                     200);
        else
            CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", PODS "/p",
                                            "{\"metadata\":{\"finalizers\":null}}"),
                     200);
        CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/p"), 404);
    }
}

/* A namespace waits for Pods whose node is there. Nothing would end the others. */
SIM_TEST(a_namespace_waits_for_pods_on_nodes)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"q\"}}");
    apiserver_fixture_create(
        &fixture, "/api/v1/nodes",
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}");
    make_pod(&fixture, "/api/v1/namespaces/q/pods", "held", ",\"nodeName\":\"n\"");
    make_pod(&fixture, "/api/v1/namespaces/q/pods", "lost", ",\"nodeName\":\"none\"");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/q", ""), 200);
    apiserver_fixture_await(&fixture, "/api/v1/namespaces/q/pods/lost", 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/q/pods/held"), 200);
    check_grace(&fixture, 30);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE",
                                    "/api/v1/namespaces/q/pods/held?gracePeriodSeconds=0", ""),
             200);
    apiserver_fixture_await(&fixture, "/api/v1/namespaces/q", 404);
}
