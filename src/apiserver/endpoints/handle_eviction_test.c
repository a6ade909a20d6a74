#include "apiserver/endpoints/handle_eviction.h"

#include "apiserver/apiserver_fixture_test.h"

#define PODS    "/api/v1/namespaces/default/pods"
#define BUDGETS "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVICT(name, more)                                                                \
    "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"" name \
    "\"}" more "}"
#define BIND(name, more) \
    "{\"metadata\":{\"name\":\"" name "\"" more "},\"target\":{\"name\":\"n1\"}}"
#define STATUS(allowed, healthy)                                            \
    "{\"status\":{\"observedGeneration\":1,\"disruptionsAllowed\":" allowed \
    ",\"currentHealthy\":" healthy ",\"desiredHealthy\":1,\"expectedPods\":2}}"

/* Pods that run, ready or not, and a budget for them that nobody has counted yet. */
static void begin(struct apiserver_fixture *fixture)
{
    static const char *const names[] = {"a", "b", "sick"};
    apiserver_fixture_init(fixture);
    CHECK_OK(apiserver_fixture_start(fixture));
    for (size_t i = 0; i < COUNT(names); i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_print(&text,
                  "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"app\":\"web\"}},\"spec\":{"
                  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
                  names[i]);
        apiserver_fixture_create(fixture, PODS, buf_c(&text));
        buf_clear(&text);
        buf_print(&text, PODS "/%s/status", names[i]);
        CHECK_EQ(apiserver_fixture_call(
                     fixture, "PATCH", buf_c(&text),
                     strcmp(names[i], "sick") == 0
                         ? "{\"status\":{\"phase\":\"Running\"}}"
                         : "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":"
                           "\"Ready\",\"status\":\"True\"}]}}"),
                 200);
    }
    apiserver_fixture_create(fixture, BUDGETS,
                             "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"minAvailable\":1,"
                             "\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}}");
}

SIM_TEST(a_budget_forbids_evictions)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/eviction", EVICT("a", "")), 429);
    CHECK_EQ(apiserver_fixture_text(&fixture, "details.causes.0.message"),
             STR("The disruption budget web is still being processed by the server."));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", BUDGETS "/web/status", STATUS("0", "1")),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/eviction", EVICT("a", "")), 429);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("TooManyRequests"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "details.causes.0.reason"), STR("DisruptionBudget"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "details.causes.0.message"),
             STR("The disruption budget web needs 1 healthy pods and has 1 currently"));
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/a"), 200);
    /* A Pod that is not ready does not count. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/sick/eviction", EVICT("sick", "")),
             201);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/sick"), 404);
}

SIM_TEST(an_eviction_takes_from_the_budget)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", BUDGETS "/web/status", STATUS("1", "2")),
             200);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "POST", PODS "/a/eviction?dryRun=All", EVICT("a", "")),
        201);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/eviction", EVICT("b", "")), 400);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/none/eviction", EVICT("none", "")),
             404);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/eviction", EVICT("a", "")), 201);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status"), STR("Success"));
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/a"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, BUDGETS "/web"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.conditions.0.reason"),
             STR("InsufficientPods"));
    CHECK(apiserver_fixture_text(&fixture, "status.disruptedPods.a").len > 0);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/b/eviction", EVICT("b", "")), 429);
    /* Two budgets are one too many. */
    apiserver_fixture_create(&fixture, BUDGETS,
                             "{\"metadata\":{\"name\":\"all\"},\"spec\":{\"selector\":{}}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/b/eviction", EVICT("b", "")), 500);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", BUDGETS, ""), 200);
    CHECK_EQ(apiserver_fixture_call(
                 &fixture, "POST", PODS "/b/eviction",
                 EVICT("b", ",\"deleteOptions\":{\"preconditions\":{\"uid\":\"x\"}}")),
             409);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/b/eviction", EVICT("b", "")), 201);
}

SIM_TEST(a_pod_is_bound_once)
{
    SCOPED(apiserver_fixture) fixture;
    begin(&fixture);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding", BIND("b", "")), 400);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/none/binding", BIND("none", "")), 404);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding",
                                    "{\"metadata\":{\"name\":\"a\"}}"),
             500);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding",
                                    BIND("a", ",\"uid\":\"other\"")),
             409);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding?dryRun=All", BIND("a", "")),
             201);
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding",
                                    BIND("a", ",\"annotations\":{\"k\":\"v\"}")),
             201);
    CHECK_EQ(apiserver_fixture_get(&fixture, PODS "/a"), 200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.nodeName"), STR("n1"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "metadata.annotations.k"), STR("v"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.conditions.1.type"), STR("PodScheduled"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", PODS "/a/binding", BIND("a", "")), 409);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("already assigned to node"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/default/bindings",
                                    BIND("b", "")),
             201);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/bindings"), 405);
    /* Its target is looked at first, then its name. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/default/bindings", "{}"),
             500);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("target.name"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/default/bindings",
                                    "{\"target\":{\"name\":\"n1\"}}"),
             400);
}
