/* Loop and status: FW-01 to FW-16, and what the specification says of the end of a loop. */
#include "async/loop.h"

#include "json/path.h"
#include "scenarios/framework/rig.h"

#define READY       "False//"
#define NEW         "True/newGeneration/New generation detected"
#define RECOVERABLE "True/recoverrableError/An error occurred and may be recovered"

static void start(struct rig *rig, const struct framework_options *options)
{
    rig_init(rig);
    rig_create_owner(rig);
    rig_start(rig, options);
    rig_plan(rig);
}

/* Loops until everything is there and ready. */
static void make_ready(struct rig *rig)
{
    rig_loop(rig);
    rig_make_ready(rig, RIG_DEPLOYMENT);
    rig_loop(rig);
    rig_check_done(rig);
    proxy_forget(&rig->proxy);
}

SIM_TEST(fw_01_no_owner_no_write)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_start(&rig, NULL);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
    CHECK_EQ(rig.builds, 0);
}

SIM_TEST(fw_02_an_owner_being_deleted_is_left_alone)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"finalizers\":[\"other.dev/f\"]}}");
    rig_do(&rig, "DELETE", RIG_WEB, NULL);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
    CHECK_EQ(rig.builds, 0);
}

static struct error *look_at_begin(struct rig *rig)
{
    CHECK_EQ(rig_look(rig, RIG_WEB, "status.observedGeneration"), STR("1"));
    CHECK_EQ(rig_condition(rig, "InProgress"), STR(NEW));
    CHECK_EQ(rig_look(rig, RIG_WEB, "status.operator.controllerName"), STR("web"));
    CHECK_EQ(rig_look(rig, RIG_WEB, "status.operator.controllerVersion"), STR("v1.0"));
    CHECK_EQ(rig_look(rig, RIG_WEB, "status.operator.controllerGitCommit"), STR("abc"));
    return NULL;
}

SIM_TEST(fw_03_the_begin_is_stored_before_anything_is_computed)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig.on_build = look_at_begin;
    rig_loop(&rig);
    CHECK_EQ(rig.builds, 1);
}

SIM_TEST(fw_04_all_ready_is_success)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    make_ready(&rig);
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(READY));
    CHECK_EQ(rig_condition(&rig, "Failed"), STR(READY));
}

SIM_TEST(fw_05_a_steady_state_asks_for_nothing)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    make_ready(&rig);
    for (size_t i = 0; i < 10; i++) {
        rig_loop(&rig);
        rig_check_done(&rig);
    }
    CHECK_EQ(rig.proxy.writes, 0);
    CHECK_EQ(buf_str(&rig.proxy.asked), STR("")); /* not even reads */
}

SIM_TEST(fw_05_nothing_is_asked_with_standard_conditions_either)
{
    SCOPED(rig) rig;
    start(&rig,
          &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS |
                                               FRAMEWORK_NO_OPERATOR_STATUS | FRAMEWORK_PRUNE});
    make_ready(&rig);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("False/Succeeded/"));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR("False/Succeeded/"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "status.operator.controllerName"), STR(""));
    for (size_t i = 0; i < 3; i++) {
        rig_loop(&rig);
        rig_check_done(&rig);
    }
    CHECK_EQ(buf_str(&rig.proxy.asked), STR(""));
}

static struct error *look_at_second(struct rig *rig)
{
    CHECK_EQ(rig_look(rig, RIG_WEB, "status.observedGeneration"), STR("2"));
    CHECK_EQ(rig_condition(rig, "InProgress"), STR(NEW));
    CHECK_EQ(proxy_count(&rig->proxy, "PATCH " RIG_MAP), 0);
    return NULL;
}

SIM_TEST(fw_06_a_new_generation_is_noted_before_the_first_apply)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    make_ready(&rig);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig.on_build = look_at_second;
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    CHECK_EQ(rig.builds, 3);
}

static struct error *look_at_failed(struct rig *rig)
{
    CHECK(str_starts_with(rig_condition(rig, "Failed"), STR("True/dependencyStatus/")));
    return NULL;
}

SIM_TEST(fw_07_failed_stays_until_there_is_a_new_result)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_loop(&rig);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig.on_build = look_at_failed;
    rig_loop(&rig);
    CHECK_EQ(rig.builds, 2);
}

SIM_TEST(fw_08_what_is_not_ready_is_waited_for)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_loop(&rig);
    CHECK(str_starts_with(rig_condition(&rig, "Failed"),
                          STR("True/dependencyStatus/Deployment.apps default/w1-web")));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(RECOVERABLE));
    CHECK(!rig.err);
    CHECK(rig.result.requeue);
    CHECK_EQ(rig.result.requeue_after, 0);
}

SIM_TEST(fw_09_the_event_of_a_dependency_is_enough)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_run(&rig);
    CHECK_OK(fiber_sleep(400 * SECOND)); /* the back-off is far beyond what follows */
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(RECOVERABLE));
    rig_make_ready(&rig, RIG_DEPLOYMENT);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(READY));
    CHECK_EQ(rig_condition(&rig, "Failed"), STR(READY));
    proxy_forget(&rig.proxy);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(rig.proxy.writes, 0);
}

static struct error *fail_for_good(struct rig *rig)
{
    (void)rig;
    return error_class_unrecoverable(error_new(ERROR_INVALID, "text is too long"),
                                     STR("invalidSpec"), STR("check"));
}

SIM_TEST(fw_10_an_unrecoverable_build_stops)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig.on_build = fail_for_good;
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("True/invalidSpec/text is too long"));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(READY));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "status.observedGeneration"), STR("1"));
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 404);
    CHECK(rig.result.is_terminal && !rig.result.requeue && !rig.result.requeue_after);
    CHECK_EQ((const char *)rig.err->message, "check: text is too long");
}

SIM_TEST(fw_10_standard_conditions_say_that_it_stopped)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS});
    rig.on_build = fail_for_good;
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR("False/Stopped/"));
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("True/invalidSpec/text is too long"));
}

static struct error *fail_plainly(struct rig *rig)
{
    (void)rig;
    return error_new(ERROR_IO, "disk is on fire");
}

SIM_TEST(fw_11_a_plain_error_is_tried_again)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig.on_build = fail_plainly;
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("True/operatorError/disk is on fire"));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(RECOVERABLE));
    CHECK(rig.err && !rig.result.is_terminal);
}

SIM_TEST(fw_12_a_stale_begin_comes_again)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    proxy_fail(&rig.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 409});
    rig_loop(&rig);
    CHECK(!rig.err);
    CHECK_EQ(rig.result.requeue_after, SECOND);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR("-"));
    rig_loop(&rig);
    CHECK_EQ(rig.builds, 1);
}

SIM_TEST(fw_13_an_owner_without_generation_is_an_error_of_ours)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_create_owner(&rig);
    proxy_fail(&rig.proxy, (struct proxy_fault){"GET", "/webs?", SIZE_MAX, .status = 500});
    proxy_fail(&rig.proxy,
               (struct proxy_fault){"GET", "/webs/w1", SIZE_MAX, .blank = "\"generation\":1,"});
    rig_start(&rig, NULL);
    rig_loop_now(&rig);
    CHECK(rig.result.is_terminal);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig_condition(&rig, "Failed"),
             STR("True/operatorError/no $.metadata.generation found"));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(READY));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "status.observedGeneration"), STR(""));
}

SIM_TEST(fw_14_conditions_of_others_stay_in_place)
{
    static const char others[] =
        "{\"status\":{\"mine\":7,\"conditions\":[{\"type\":\"A\",\"status\":\"True\",\"x\":1},"
        "{\"type\":\"Failed\",\"status\":\"Unknown\"},{\"type\":\"B\",\"status\":\"False\"}]}}";
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_do(&rig, "PATCH", RIG_WEB "/status", others);
    for (size_t i = 0; i < 2; i++) {
        rig_loop(&rig);
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.0.type"), STR("A"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.0.x"), STR("1"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.1.type"), STR("Failed"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.2.type"), STR("B"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.2.status"), STR("False"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.conditions.3.type"), STR("InProgress"));
        CHECK_EQ(rig_look(&rig, RIG_WEB, "status.mine"), STR("7"));
        rig_make_ready(&rig, RIG_DEPLOYMENT);
    }
    CHECK_EQ(rig_condition(&rig, "Failed"), STR(READY));
}

SIM_TEST(a_malformed_list_of_conditions_stops_without_a_loop)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_do(&rig, "PATCH", RIG_WEB "/status", "{\"status\":{\"conditions\":[1]}}");
    rig_loop(&rig);
    CHECK(rig.err && rig.result.is_terminal);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig.proxy.writes, 0);
}

/* Of a node that acts on the server. */
static struct rig *on_stage;
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
    rig_do(on_stage, "DELETE", RIG_WEB, NULL);
    return NULL;
}

static struct error *delete_owner_and_fail(void)
{
    rig_do(on_stage, "DELETE", RIG_WEB, NULL);
    return error_new(ERROR_IO, "broke");
}

static void custom(struct rig *rig, struct error *(*act)(void))
{
    rig->nodes[rig->node_count++] = (struct rig_node){
        .options = {.kind = GRAPH_CUSTOM, .run = run_node}
    };
    on_stage = rig;
    on_turn = act;
}

SIM_TEST(fw_15_an_owner_that_disappears_is_no_error)
{
    struct error *(*const acts[])(void) = {delete_owner, delete_owner_and_fail};
    for (size_t i = 0; i < COUNT(acts); i++) {
        SCOPED(rig) rig;
        TEST_CASE("%zu", i);
        rig_init(&rig);
        rig_create_owner(&rig);
        rig_start(&rig, NULL);
        custom(&rig, acts[i]);
        rig_loop(&rig);
        rig_check_done(&rig);
        CHECK_EQ(rig_call(&rig, "GET", RIG_WEB, NULL), 404);
    }
}

static struct error *replace_owner_and_fail(void)
{
    rig_do(on_stage, "DELETE", RIG_WEB, NULL);
    rig_create_owner(on_stage);
    return error_new(ERROR_IO, "broke");
}

SIM_TEST(fw_15_a_new_owner_of_the_same_name_hears_nothing_of_it)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_create_owner(&rig);
    rig_start(&rig, NULL);
    custom(&rig, replace_owner_and_fail);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("-"));
}

static struct str transition(struct rig *rig, struct arena *arena)
{
    const struct json_value *condition;
    CHECK_EQ(rig_call(rig, "GET", RIG_WEB, NULL), 200);
    JSON_FOREACH (key, condition, json_path(json_doc_root(rig->desk.doc), "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), STR("Failed")))
            return arena_str(arena, json_path_str(condition, "lastTransitionTime"));
    return STR("");
}

SIM_TEST(fw_16_a_transition_is_timed_once)
{
    SCOPED(rig) rig;
    SCOPED(arena) arena = {0};
    start(&rig, &(struct framework_options){.flags = FRAMEWORK_METAV1_CONDITIONS});
    rig_loop(&rig);
    const struct str first = transition(&rig, &arena);
    CHECK_EQ(first.len, strlen("2026-01-01T00:00:00Z"));
    CHECK_OK(fiber_sleep(MINUTE));
    rig_loop(&rig);
    CHECK_EQ(transition(&rig, &arena), first);
    CHECK_OK(fiber_sleep(MINUTE));
    rig_make_ready(&rig, RIG_DEPLOYMENT);
    rig_loop(&rig);
    CHECK(!str_eq(transition(&rig, &arena), first));
}

static struct error *change_spec_and_fail(void)
{
    rig_do(on_stage, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"newer\"}}");
    return error_new(ERROR_IO, "broke");
}

SIM_TEST(an_error_is_told_to_an_owner_that_has_moved_on)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_create_owner(&rig);
    rig_start(&rig, NULL);
    custom(&rig, change_spec_and_fail);
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("True/operatorError/broke"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "metadata.generation"), STR("2"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "status.observedGeneration"), STR("1"));
}

SIM_TEST(an_end_that_cannot_be_written_comes_again)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_loop(&rig);
    rig.on_build = fail_for_good;
    proxy_fail(&rig.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 500});
    rig_loop(&rig);
    CHECK(rig.err && !rig.result.is_terminal);
    CHECK_CONTAINS(str_from_c(rig.err->message), STR("check: text is too long; "));
    proxy_fail(&rig.proxy, (struct proxy_fault){"PATCH", "/webs/w1/status", 1, .status = 409});
    rig_loop(&rig);
    CHECK(!rig.err);
    CHECK_EQ(rig.result.requeue_after, SECOND);
    rig_loop(&rig);
    CHECK(rig.err && rig.result.is_terminal);
}

static struct error *sleep_long(void)
{
    return fiber_sleep(HOUR);
}

static struct error *loop_apart(void *data)
{
    rig_loop(data);
    return NULL;
}

SIM_TEST(fw_27_a_cancelled_loop_writes_no_status)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_create_owner(&rig);
    rig_start(&rig, NULL);
    custom(&rig, sleep_long);
    rig.nodes[rig.node_count++] = (struct rig_node){.object = rig_map, .blockers = {1}};
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "loop", loop_apart, &rig);
        CHECK_OK(fiber_sleep(10 * SECOND));
        CHECK_EQ(rig.proxy.writes, 1);
    }
    CHECK_EQ(rig.proxy.writes, 1);
    CHECK(error_is(rig.err, ERROR_CANCELED));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR(NEW));
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("-"));
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 404);
}

static enum precheck_result pause(struct framework_run *run)
{
    framework_set_condition(run, STR("Paused"), STR("True"), STR("Asked"), STR(""));
    return PRECHECK_STOP;
}

SIM_TEST(a_precheck_stops_and_may_say_why)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.precheck = pause});
    rig_loop(&rig);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig.proxy.writes, 1);
    CHECK_EQ(rig_condition(&rig, "Paused"), STR("True/Asked/"));
    CHECK_EQ(rig_condition(&rig, "InProgress"), STR("-"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "status.observedGeneration"), STR(""));
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
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.on_finish = say_applied});
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Applied"), STR("False/Ran/"));
    rig_make_ready(&rig, RIG_DEPLOYMENT);
    proxy_forget(&rig.proxy);
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Applied"), STR("True/Ran/"));
    CHECK_EQ(rig.proxy.writes, 1);
    rig.on_build = fail_plainly;
    rig_loop(&rig);
    CHECK_EQ(rig_condition(&rig, "Applied"), STR("False/NotRun/"));
    CHECK_EQ(rig.proxy.writes, 2);
}

SIM_TEST(options_that_make_no_controller_are_refused)
{
    SCOPED(rig) rig;
    struct framework *framework = NULL;
    rig_init(&rig);
    rig_start(&rig, NULL);
    const struct framework_options good = rig_options(&rig);
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
