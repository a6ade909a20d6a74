/* Server-side apply and its answers: FW-60 to FW-67. */
#include <string.h>

#include "json/path.h"
#include "scenarios/framework/framework_fixture.h"

#define READY       "False//"
#define RECOVERABLE "True/recoverrableError/An error occurred and may be recovered"

#define FIELD_CONFLICT                                                                         \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"taken\"," \
    "\"reason\":\"Conflict\",\"code\":409,\"details\":{\"causes\":[{\"reason\":"               \
    "\"FieldManagerConflict\",\"message\":\"conflict\",\"field\":\".data.a\"}]}}"

/* One node alone: the ConfigMap. */
static void start(struct framework_fixture *fixture)
{
    framework_fixture_init(fixture);
    framework_fixture_create_owner(fixture);
    framework_fixture_start(fixture, NULL);
    framework_fixture_plan(fixture);
    fixture->node_count = 1;
}

static const struct json_value *read_sent(struct framework_fixture *fixture, struct json_doc **doc)
{
    json_doc_free(TAKE(*doc));
    CHECK_OK(json_read(buf_str(&fixture->proxy.sent), doc));
    return json_doc_root(*doc);
}

SIM_TEST(fw_60_the_request_is_an_apply_patch)
{
    static const char full[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-web\","
        "\"namespace\":\"default\",\"managedFields\":[{}],\"resourceVersion\":\"5\",\"uid\":\"u\","
        "\"generation\":3,\"creationTimestamp\":null,\"selfLink\":\"x\",\"labels\":{\"a\":null}},"
        "\"data\":{\"a\":\"1\",\"b\":null},\"status\":{\"x\":1}}";
    static const char *const absent[] = {
        "metadata.managedFields",
        "metadata.resourceVersion",
        "metadata.uid",
        "metadata.generation",
        "metadata.selfLink",
        "metadata.creationTimestamp",
        "metadata.labels.a",
        "data.b",
        "status",
    };
    SCOPED(framework_fixture) fixture;
    OWNED(json_doc) doc = NULL;
    start(&fixture);
    fixture.nodes[0].object = full;
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(
        proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP "?fieldManager=web&force=true"),
        1);
    CHECK_EQ(buf_str(&fixture.proxy.type), STR("application/apply-patch+yaml"));
    const struct json_value *sent = read_sent(&fixture, &doc);
    CHECK_EQ(json_path_str(sent, "apiVersion"), STR("v1"));
    CHECK_EQ(json_path_str(sent, "kind"), STR("ConfigMap"));
    CHECK_EQ(json_path_str(sent, "metadata.name"), STR("w1-web"));
    CHECK_EQ(json_path_str(sent, "metadata.namespace"), STR("default"));
    for (size_t i = 0; i < COUNT(absent); i++) {
        TEST_CASE("%s", absent[i]);
        CHECK(!json_path(sent, absent[i]));
    }
}

SIM_TEST(fw_61_what_is_forbidden_is_tried_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 403});
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("True/dependencyStatus/said no"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    CHECK(!fixture.err && fixture.result.requeue);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
}

SIM_TEST(fw_62_what_is_rejected_is_not)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 100, .status = 422});
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", "True/dependencySpec/said no");
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    fixture.proxy.faults[0].times = 0;
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_await_condition(&fixture, "Failed", READY);
}

SIM_TEST(fw_62_a_real_server_rejects_too)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0].object =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
        "\"w1-web\",\"namespace\":\"default\"},\"data\":{\"no good\":\"1\"}}";
    framework_fixture_loop(&fixture);
    CHECK(fixture.result.is_terminal);
    CHECK(str_starts_with(framework_fixture_condition(&fixture, "Failed"),
                          STR("True/dependencySpec/")));
}

SIM_TEST(fw_62_unless_the_node_wants_it_tried_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0].options.flags = GRAPH_RETRY_REJECTED;
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 422});
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("True/dependencySpec/said no"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    CHECK(!fixture.err && fixture.result.requeue);
}

SIM_TEST(fw_63_a_conflict_over_fields_is_a_rejection)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 409,
                                                    .body = FIELD_CONFLICT});
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("True/dependencySpec/taken"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK(fixture.result.is_terminal);
}

SIM_TEST(fw_63_a_stale_write_changes_nothing_and_comes_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 409});
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err);
    CHECK_EQ(fixture.result.requeue_after, SECOND);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("-"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"),
             STR("True/newGeneration/New generation detected"));
}

SIM_TEST(fw_63_a_stale_write_beside_a_failure)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[1].blockers[0] = 0;
    fixture.node_count = 2;
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 409});
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err);
    CHECK_EQ(fixture.result.requeue_after, SECOND);
    CHECK(str_starts_with(framework_fixture_condition(&fixture, "Failed"),
                          STR("True/dependencyStatus/Deployment.apps default/w1-web")));
}

SIM_TEST(fw_64_a_busy_server_says_when_to_come_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    const int64_t begun = loop_now(loop_current());
    proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .status = 503,
                                                    .retry_after = "7"});
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", "True/apiTemporaryError/said no");
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    CHECK(loop_now(loop_current()) - begun < 3 * SECOND);
    framework_fixture_await_condition(&fixture, "Failed", READY);
    CHECK(loop_now(loop_current()) - begun >= 7 * SECOND);
    CHECK(loop_now(loop_current()) - begun < 10 * SECOND);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 2);
}

SIM_TEST(fw_65_a_field_that_is_not_wanted_any_more_goes)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0].object =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
        "\"w1-web\",\"namespace\":\"default\"},\"data\":{\"a\":\"1\","
        "\"b\":\"2\"}}";
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.b"), STR("2"));
    fixture.nodes[0].object = framework_fixture_map;
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.b"), STR(""));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
}

SIM_TEST(fw_66_what_another_controls_is_never_touched)
{
    SCOPED(framework_fixture) fixture;
    SCOPED(buf) foreign = {.limit = 0};
    start(&fixture);
    framework_fixture_do(&fixture, "POST", "/api/v1/namespaces/default/serviceaccounts",
                         "{\"metadata\":{\"name\":\"other\"}}");
    const struct str uid = framework_fixture_look(
        &fixture, "/api/v1/namespaces/default/serviceaccounts/other", "metadata.uid");
    buf_print(&foreign,
              "{\"metadata\":{\"name\":\"w1-web\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
              "\"kind\":\"ServiceAccount\",\"name\":\"other\",\"uid\":\"%.*s\","
              "\"controller\":true}]}}",
              STR_ARG(uid));
    framework_fixture_do(&fixture, "POST", FRAMEWORK_FIXTURE_MAPS, buf_c(&foreign));
    framework_fixture_loop(&fixture);
    CHECK(fixture.result.is_terminal);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/dependencySpec/ConfigMap default/w1-web is "
                 "controlled by ServiceAccount other"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 0);
}

SIM_TEST(fw_66_what_wants_another_controller_is_not_applied)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0].object =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-web\","
        "\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
        "\"name\":\"p\",\"uid\":\"u\",\"controller\":true}]}}";
    framework_fixture_loop(&fixture);
    CHECK(fixture.result.is_terminal);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/operatorError/another controller owns it: Pod p"));
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 404);
}

SIM_TEST(fw_67_a_child_of_an_earlier_owner_has_to_go_first)
{
    SCOPED(framework_fixture) fixture;
    SCOPED(arena) arena = {0};
    start(&fixture);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
                         "{\"metadata\":{\"finalizers\":[\"test.dev/keep\"]}}");
    const struct str old =
        arena_str(&arena, framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "metadata.uid"));
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    framework_fixture_create_owner(&fixture);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err && fixture.result.requeue);
    CHECK(str_starts_with(framework_fixture_condition(&fixture, "Failed"),
                          STR("True/dependencyStatus/ConfigMap default/w1-web belongs to")));
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 0);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
                         "{\"metadata\":{\"finalizers\":null}}");
    for (int i = 0; framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL) != 404;
         i++) {
        CHECK(i < 600);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK(!str_eq(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "metadata.uid"), old));
}

SIM_TEST(the_answers_of_a_server_have_their_classes)
{
    const struct {
        const char *name;
        int status;
        const char *failed, *progress;
        bool is_error, is_terminal, is_stale;
    } cases[] = {
        {"bad request",  400, "True/dependencySpec/said no",    READY,       true,  true,  false},
        {"unauthorised", 401, "True/apiTemporaryError/said no", RECOVERABLE, true,  false, false},
        {"no namespace", 404, "True/dependencyStatus/said no",  RECOVERABLE, false, false, false},
        {"too large",    413, "True/dependencySpec/said no",    READY,       true,  true,  false},
        {"no apply",     415, "True/operatorError/said no",     READY,       true,  true,  false},
        {"slow down",    429, "True/apiTemporaryError/said no", RECOVERABLE, false, false, false},
        {"broken",       500, "True/apiTemporaryError/said no", RECOVERABLE, true,  false, false},
        {"late",         504, "True/apiTemporaryError/said no", RECOVERABLE, true,  false, false},
    };
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1,
                                                        .status = cases[i].status});
        framework_fixture_loop(&fixture);
        CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), str_from_c(cases[i].failed));
        CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"),
                 str_from_c(cases[i].progress));
        CHECK_EQ(fixture.err != NULL, cases[i].is_error);
        CHECK_EQ(fixture.result.is_terminal, cases[i].is_terminal);
        CHECK_EQ(fixture.result.requeue, !cases[i].is_error);
    }
}

SIM_TEST(an_answer_that_is_lost_is_asked_for_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"PATCH", "/configmaps/w1-web", 1, .after = true});
    framework_fixture_loop(&fixture);
    CHECK(fixture.err && !fixture.result.is_terminal);
    CHECK(str_starts_with(framework_fixture_condition(&fixture, "Failed"),
                          STR("True/apiTemporaryError/")));
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 200);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
}
