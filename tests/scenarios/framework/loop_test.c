/* Loop and status: FW-01 to FW-16, and what the specification says of the end of a loop. */
#include "async/loop.h"

#include "json/path.h"
#include "scenarios/framework/framework_fixture.h"

#define READY       "False//"
#define NEW         "True/newGeneration/New generation detected"
#define RECOVERABLE "True/recoverrableError/An error occurred and may be recovered"

static void start(struct framework_fixture *fixture, const struct framework_options *options)
{
    framework_fixture_init(fixture);
    framework_fixture_create_owner(fixture);
    framework_fixture_start(fixture, options);
    framework_fixture_plan(fixture);
}

/* Loops until everything is there and ready. */
static void make_ready(struct framework_fixture *fixture)
{
    framework_fixture_loop(fixture);
    framework_fixture_make_ready(fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    framework_fixture_loop(fixture);
    framework_fixture_check_done(fixture);
    proxy_forget(&fixture->proxy);
}

SIM_TEST(fw_01_no_owner_no_write)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_start(&fixture, NULL);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
    CHECK_EQ(fixture.builds, 0);
}

SIM_TEST(fw_02_an_owner_being_deleted_is_left_alone)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"finalizers\":[\"other.dev/f\"]}}");
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
    CHECK_EQ(fixture.builds, 0);
}

static struct error *look_at_begin(struct framework_fixture *fixture)
{
    CHECK_EQ(framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR("1"));
    CHECK_EQ(framework_fixture_condition(fixture, "InProgress"), STR(NEW));
    CHECK_EQ(
        framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB, "status.operator.controllerName"),
        STR("web"));
    CHECK_EQ(
        framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB, "status.operator.controllerVersion"),
        STR("v1.0"));
    CHECK_EQ(framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB,
                                    "status.operator.controllerGitCommit"),
             STR("abc"));
    return NULL;
}

SIM_TEST(fw_03_the_begin_is_stored_before_anything_is_computed)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    fixture.on_build = look_at_begin;
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.builds, 1);
}

SIM_TEST(fw_04_all_ready_is_success)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    make_ready(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR(READY));
}

SIM_TEST(fw_05_a_steady_state_asks_for_nothing)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    make_ready(&fixture);
    for (size_t i = 0; i < 10; i++) {
        framework_fixture_loop(&fixture);
        framework_fixture_check_done(&fixture);
    }
    CHECK_EQ(fixture.proxy.writes, 0);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("")); /* not even reads */
}

SIM_TEST(fw_05_nothing_is_asked_with_standard_conditions_either)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture,
          &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS |
                                               FRAMEWORK_NO_OPERATOR_STATUS | FRAMEWORK_PRUNE});
    make_ready(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("False/Succeeded/"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR("False/Succeeded/"));
    CHECK_EQ(
        framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.operator.controllerName"),
        STR(""));
    for (size_t i = 0; i < 3; i++) {
        framework_fixture_loop(&fixture);
        framework_fixture_check_done(&fixture);
    }
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR(""));
}

static struct error *look_at_second(struct framework_fixture *fixture)
{
    CHECK_EQ(framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR("2"));
    CHECK_EQ(framework_fixture_condition(fixture, "InProgress"), STR(NEW));
    CHECK_EQ(proxy_count(&fixture->proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 0);
    return NULL;
}

SIM_TEST(fw_06_a_new_generation_is_noted_before_the_first_apply)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    make_ready(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    fixture.on_build = look_at_second;
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(fixture.builds, 3);
}

static struct error *look_at_failed(struct framework_fixture *fixture)
{
    CHECK(str_starts_with(framework_fixture_condition(fixture, "Failed"),
                          STR("True/dependencyStatus/")));
    return NULL;
}

SIM_TEST(fw_07_failed_stays_until_there_is_a_new_result)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_loop(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    fixture.on_build = look_at_failed;
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.builds, 2);
}

SIM_TEST(fw_08_what_is_not_ready_is_waited_for)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_loop(&fixture);
    CHECK(str_starts_with(framework_fixture_condition(&fixture, "Failed"),
                          STR("True/dependencyStatus/Deployment.apps default/w1-web")));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    CHECK(!fixture.err);
    CHECK(fixture.result.requeue);
    CHECK_EQ(fixture.result.requeue_after, 0);
}

SIM_TEST(fw_09_the_event_of_a_dependency_is_enough)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(400 * SECOND)); /* the back-off is far beyond what follows */
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR(READY));
    proxy_forget(&fixture.proxy);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.proxy.writes, 0);
}

static struct error *fail_for_good(struct framework_fixture *fixture)
{
    (void)fixture;
    return error_class_unrecoverable(error_new(ERROR_INVALID, "text is too long"),
                                     STR("invalidSpec"), STR("check"));
}

SIM_TEST(fw_10_an_unrecoverable_build_stops)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    fixture.on_build = fail_for_good;
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/invalidSpec/text is too long"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR("1"));
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 404);
    CHECK(fixture.result.is_terminal && !fixture.result.requeue && !fixture.result.requeue_after);
    CHECK_EQ((const char *)fixture.err->message, "check: text is too long");
}

SIM_TEST(fw_10_standard_conditions_say_that_it_stopped)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS});
    fixture.on_build = fail_for_good;
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR("False/Stopped/"));
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/invalidSpec/text is too long"));
}

static struct error *fail_plainly(struct framework_fixture *fixture)
{
    (void)fixture;
    return error_new(ERROR_IO, "disk is on fire");
}

/* Owners of another controller: neither a good run nor a failed one writes to them. */
SIM_TEST(without_a_status_the_owner_is_never_written)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.flags = FRAMEWORK_NO_STATUS});
    make_ready(&fixture);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR(""));
    fixture.on_build = fail_plainly;
    framework_fixture_loop(&fixture);
    CHECK_EQ((const char *)fixture.err->message, "disk is on fire"); /* counted and tried again */
    CHECK(!fixture.result.is_terminal);
    CHECK_EQ(fixture.proxy.writes, 0);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR(""));
}

SIM_TEST(fw_11_a_plain_error_is_tried_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    fixture.on_build = fail_plainly;
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/operatorError/disk is on fire"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(RECOVERABLE));
    CHECK(fixture.err && !fixture.result.is_terminal);
}

SIM_TEST(fw_12_a_stale_begin_comes_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 409});
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err);
    CHECK_EQ(fixture.result.requeue_after, SECOND);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR("-"));
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.builds, 1);
}

SIM_TEST(fw_13_an_owner_without_generation_is_an_error_of_ours)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_create_owner(&fixture);
    proxy_fail(&fixture.proxy, (struct proxy_fault){"GET", "/webs?", SIZE_MAX, .status = 500});
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"GET", "/webs/w1", SIZE_MAX, .blank = "\"generation\":1,"});
    framework_fixture_start(&fixture, NULL);
    framework_fixture_loop_now(&fixture);
    CHECK(fixture.result.is_terminal);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/operatorError/no $.metadata.generation found"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(READY));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR(""));
}

SIM_TEST(fw_14_conditions_of_others_stay_in_place)
{
    static const char others[] =
        "{\"status\":{\"mine\":7,\"conditions\":[{\"type\":\"A\",\"status\":\"True\",\"x\":1},"
        "{\"type\":\"Failed\",\"status\":\"Unknown\"},{\"type\":\"B\",\"status\":\"False\"}]}}";
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB "/status", others);
    for (size_t i = 0; i < 2; i++) {
        framework_fixture_loop(&fixture);
        CHECK_EQ(
            framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.0.type"),
            STR("A"));
        CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.0.x"),
                 STR("1"));
        CHECK_EQ(
            framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.1.type"),
            STR("Failed"));
        CHECK_EQ(
            framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.2.type"),
            STR("B"));
        CHECK_EQ(
            framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.2.status"),
            STR("False"));
        CHECK_EQ(
            framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.conditions.3.type"),
            STR("InProgress"));
        CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.mine"), STR("7"));
        framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    }
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR(READY));
}

SIM_TEST(a_malformed_list_of_conditions_stops_without_a_loop)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB "/status",
                         "{\"status\":{\"conditions\":[1]}}");
    framework_fixture_loop(&fixture);
    CHECK(fixture.err && fixture.result.is_terminal);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(fixture.proxy.writes, 0);
}

/* Of a node that acts on the server. */
static struct framework_fixture *current_fixture;
static struct error *(*on_turn)(void);

static struct error *run_node(void *data, struct graph_node *node, enum graph_outcome *ret_outcome)
{
    (void)data;
    (void)node;
    *ret_outcome = GRAPH_DONE;
    return on_turn();
}

static struct error *delete_owner(void)
{
    framework_fixture_do(current_fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    return NULL;
}

static struct error *delete_owner_and_fail(void)
{
    framework_fixture_do(current_fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    return error_new(ERROR_IO, "broke");
}

static void custom(struct framework_fixture *fixture, struct error *(*act)(void))
{
    fixture->nodes[fixture->node_count++] = (struct framework_fixture_node){
        .options = {.kind = GRAPH_CUSTOM, .run = run_node}
    };
    current_fixture = fixture;
    on_turn = act;
}

SIM_TEST(fw_15_an_owner_that_disappears_is_no_error)
{
    struct error *(*const acts[])(void) = {delete_owner, delete_owner_and_fail};
    for (size_t i = 0; i < COUNT(acts); i++) {
        SCOPED(framework_fixture) fixture;
        TEST_CASE("%zu", i);
        framework_fixture_init(&fixture);
        framework_fixture_create_owner(&fixture);
        framework_fixture_start(&fixture, NULL);
        custom(&fixture, acts[i]);
        framework_fixture_loop(&fixture);
        framework_fixture_check_done(&fixture);
        CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_WEB, NULL), 404);
    }
}

static struct error *replace_owner_and_fail(void)
{
    framework_fixture_do(current_fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    framework_fixture_create_owner(current_fixture);
    return error_new(ERROR_IO, "broke");
}

SIM_TEST(fw_15_a_new_owner_of_the_same_name_hears_nothing_of_it)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_create_owner(&fixture);
    framework_fixture_start(&fixture, NULL);
    custom(&fixture, replace_owner_and_fail);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("-"));
}

static struct str transition(struct framework_fixture *fixture, struct arena *arena)
{
    const struct json_value *condition;
    CHECK_EQ(framework_fixture_call(fixture, "GET", FRAMEWORK_FIXTURE_WEB, NULL), 200);
    JSON_FOREACH (key, condition,
                  json_path(json_doc_root(fixture->apiserver.doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("Failed")))
            return arena_str(arena, json_path_str(condition, "lastTransitionTime"));
    return STR("");
}

SIM_TEST(fw_16_a_transition_is_timed_once)
{
    SCOPED(framework_fixture) fixture;
    SCOPED(arena) arena = {0};
    start(&fixture, &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS});
    framework_fixture_loop(&fixture);
    const struct str first = transition(&fixture, &arena);
    CHECK_EQ(first.len, strlen("2026-01-01T00:00:00Z"));
    CHECK_OK(fiber_sleep(MINUTE));
    framework_fixture_loop(&fixture);
    CHECK_EQ(transition(&fixture, &arena), first);
    CHECK_OK(fiber_sleep(MINUTE));
    framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    framework_fixture_loop(&fixture);
    CHECK(!str_eq(transition(&fixture, &arena), first));
}

static struct error *change_spec_and_fail(void)
{
    framework_fixture_do(current_fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"newer\"}}");
    return error_new(ERROR_IO, "broke");
}

SIM_TEST(an_error_is_told_to_an_owner_that_has_moved_on)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_create_owner(&fixture);
    framework_fixture_start(&fixture, NULL);
    custom(&fixture, change_spec_and_fail);
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("True/operatorError/broke"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.generation"),
             STR("2"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR("1"));
}

SIM_TEST(an_end_that_cannot_be_written_comes_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_loop(&fixture);
    fixture.on_build = fail_for_good;
    proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 500});
    framework_fixture_loop(&fixture);
    CHECK(fixture.err && !fixture.result.is_terminal);
    CHECK_CONTAINS(str_from_c(fixture.err->message), STR("check: text is too long; "));
    proxy_fail(&fixture.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 409});
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err);
    CHECK_EQ(fixture.result.requeue_after, SECOND);
    framework_fixture_loop(&fixture);
    CHECK(fixture.err && fixture.result.is_terminal);
}

static struct error *sleep_long(void)
{
    return fiber_sleep(HOUR);
}

static struct error *loop_apart(void *data)
{
    framework_fixture_loop(data);
    return NULL;
}

SIM_TEST(fw_27_a_cancelled_loop_writes_no_status)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_create_owner(&fixture);
    framework_fixture_start(&fixture, NULL);
    custom(&fixture, sleep_long);
    fixture.nodes[fixture.node_count++] =
        (struct framework_fixture_node){.object = framework_fixture_map, .blockers = {1}};
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "loop", loop_apart, &fixture);
        CHECK_OK(fiber_sleep(10 * SECOND));
        CHECK_EQ(fixture.proxy.writes, 1);
    }
    CHECK_EQ(fixture.proxy.writes, 1);
    CHECK(error_is(fixture.err, ERROR_CANCELED));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR(NEW));
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("-"));
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 404);
}

static enum precheck_result pause(struct framework_run *run)
{
    framework_set_condition(run, STR("Paused"), STR("True"), STR("Asked"), STR(""));
    return PRECHECK_STOP;
}

SIM_TEST(a_precheck_stops_and_may_say_why)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.precheck = pause});
    framework_fixture_loop(&fixture);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(fixture.proxy.writes, 1);
    CHECK_EQ(framework_fixture_condition(&fixture, "Paused"), STR("True/Asked/"));
    CHECK_EQ(framework_fixture_condition(&fixture, "InProgress"), STR("-"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "status.observedGeneration"),
             STR(""));
}

static void say_applied(struct framework_run *run, const struct graph *graph)
{
    const bool well = !framework_error(run);
    CHECK(graph || !well);
    framework_set_condition(run, STR("Applied"), well ? STR("True") : STR("False"),
                            graph ? STR("Ran") : STR("NotRun"), STR(""));
}

SIM_TEST(on_finish_adds_to_the_one_write)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.on_finish = say_applied});
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Applied"), STR("False/Ran/"));
    framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Applied"), STR("True/Ran/"));
    CHECK_EQ(fixture.proxy.writes, 1);
    fixture.on_build = fail_plainly;
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_condition(&fixture, "Applied"), STR("False/NotRun/"));
    CHECK_EQ(fixture.proxy.writes, 2);
}

SIM_TEST(options_that_make_no_controller_are_refused)
{
    SCOPED(framework_fixture) fixture;
    struct framework *framework = NULL;
    framework_fixture_init(&fixture);
    framework_fixture_start(&fixture, NULL);
    const struct framework_options good = framework_fixture_options(&fixture);
    struct framework_options bad = good;
    bad.name = STR("Web");
    CHECK_FAILS(framework_new(loop_current(), &bad, &framework), ERROR_INVALID, "lower case");
    bad = good;
    bad.build = NULL;
    CHECK_FAILS(framework_new(loop_current(), &bad, &framework), ERROR_INVALID, "build");
    bad = good;
    bad.owner = (struct gvk){STR(""), STR("v1"), STR("ConfigMap")};
    CHECK_FAILS(framework_new(loop_current(), &bad, &framework), ERROR_INVALID, "status");
    bad.owner.kind = STR("NoSuchKind");
    CHECK_ERROR(framework_new(loop_current(), &bad, &framework), ERROR_NOT_FOUND);
}
