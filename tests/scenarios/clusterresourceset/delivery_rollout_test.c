/* FL-23 to FL-31: a change goes out in waves. */
#include "async/loop.h"
#include "json/path.h"
#include "scenarios/clusterresourceset/rollout_fixture.h"

#define CANARY(more) ROLLOUT_FIXTURE_WAVE("canary", more)
#define EARLY(more)  ROLLOUT_FIXTURE_WAVE("early", more)
#define LATE(more)   ROLLOUT_FIXTURE_WAVE("late", more)
#define SOAK         ",\"soak\":\"1h\""
#define SOAKING      ROLLOUT_FIXTURE_POLICY(CANARY(SOAK) "," EARLY(""), "")
#define CHANGE(text) rollout_fixture_change(&fixture, ROLLOUT_FIXTURE_TEXT(text))

static void patch_set(struct crs_fixture *fixture, const char *annotation, const char *value)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body, "{\"metadata\":{\"annotations\":{\"%s\":%s}}}", annotation, value);
    crs_fixture_do(fixture, "PATCH", CRS_FIXTURE_SET, buf_c(&body));
}

/* Events about the set with this reason. */
static size_t count_events(struct crs_fixture *fixture, const char *reason)
{
    const struct json_value *event;
    size_t count = 0;
    crs_fixture_do(fixture, "GET", "/apis/events.k8s.io/v1/namespaces/ns/events", NULL);
    JSON_FOREACH (key, event, json_path(json_doc_root(fixture->apiserver.doc), "items"))
        count += str_eq(json_path_str(event, "regarding.kind"), STR("ClusterResourceSet")) &&
                 str_eq(json_path_str(event, "reason"), str_from_c(reason));
    return count;
}

SIM_TEST(fl_23_a_change_goes_to_one_wave_after_the_other)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "ceeeeeeee-");
    rollout_fixture_turn_on(&fixture, SOAKING);
    CHANGE("2");
    rollout_fixture_await(&fixture, "canary/Soaking");
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 10, "Ready"), (size_t)1);
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 1, "Ready"), (size_t)1);
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut",
                                "False/Soaking/1 of 10 clusters have revision ");
    crs_fixture_await_condition(&fixture, "crs1", "ResourcesApplied",
                                "False/NotApplied/rolling out: wave canary (Soaking): 9 of 10 "
                                "clusters wait: c10: waits for wave (others); the rollout is in "
                                "wave canary (Soaking)");
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_rollout_wave{namespace=\"ns\",set=\"crs1\"}"),
             1.0);
    CHECK_OK(fiber_sleep(HOUR - 2 * SECOND - (loop_now(loop_current()) - begun)));
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 10, "Ready"), (size_t)1);
    CHECK_OK(fiber_sleep(4 * SECOND));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 9, "Ready"), (size_t)8);
    rollout_fixture_await(&fixture, "(others)/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 10, "Ready"), (size_t)10);
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "True/RolledOut/10 of 10 clusters");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(crs_fixture_metric(&fixture, "corset_rollout_wave{namespace=\"ns\",set=\"crs1\"}"),
             0.0);
    CHECK_EQ(count_events(&fixture, "WaveStarted"), (size_t)3);
    CHECK_EQ(count_events(&fixture, "WaveFinished"), (size_t)3);
    CHECK_EQ(count_events(&fixture, "RolledOut"), (size_t)2);
    crs_fixture_check_quiet(&fixture, HOUR);
}

/* The set itself is new: its clusters get it in waves, too. */
SIM_TEST(fl_23_a_new_set_goes_to_one_wave_after_the_other)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    rollout_fixture_add(&fixture, 1, 'c');
    rollout_fixture_add(&fixture, 2, 'e');
    rollout_fixture_add(&fixture, 3, '-');
    crs_fixture_map(&fixture, "cm1", ROLLOUT_FIXTURE_TEXT("1"));
    delivery_fixture_policy(&fixture, SOAKING);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(2 * SECOND));
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    rollout_fixture_await(&fixture, "canary/Soaking");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 3, "Ready"), (size_t)1);
    rollout_fixture_await(&fixture, "(others)/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 3, "Ready"), (size_t)3);
}

/* Applying takes two seconds everywhere. */
static void take_time(struct proxy *proxy, struct str method, struct str target)
{
    (void)proxy;
    if (str_eq(method, STR("PATCH")) && str_contains(target, STR("/configmaps/a")))
        error_free(fiber_sleep(2 * SECOND)); /* canceled when its client goes */
}

/* Clusters that have begun, and are neither done nor failed; never more than two. */
static void check_two_at_a_time(struct crs_fixture *fixture)
{
    CHECK(rollout_fixture_count(fixture, 1, 9, "Applying") <= 2);
}

SIM_TEST(fl_24_so_many_clusters_at_a_time_and_never_more)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "eeeeeeeee");
    rollout_fixture_turn_on(&fixture, ROLLOUT_FIXTURE_POLICY(EARLY(",\"atATime\":2"), ""));
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        fixture.workloads[i].on_request = take_time;
    CHANGE("2");
    const int64_t begun = loop_now(loop_current());
    for (size_t i = 0; i < 1000 && rollout_fixture_count(&fixture, 1, 9, "Ready") < 9; i++) {
        check_two_at_a_time(&fixture);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 9, "Ready"), (size_t)9);
    CHECK(crs_fixture_seconds_since(begun) >= 10 && crs_fixture_seconds_since(begun) < 14);
}

/* A process dies in the middle, again and again: what had begun goes on, before anything begins. */
SIM_TEST(fl_24_a_process_that_dies_does_not_change_how_many)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "eeeeeeeee");
    rollout_fixture_turn_on(&fixture, ROLLOUT_FIXTURE_POLICY(EARLY(",\"atATime\":2"), ""));
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        fixture.workloads[i].on_request = take_time;
    CHANGE("2");
    for (size_t i = 0; i < 200 && rollout_fixture_count(&fixture, 1, 9, "Ready") < 9; i++) {
        for (size_t j = 0; j < 5; j++) {
            check_two_at_a_time(&fixture);
            CHECK_OK(fiber_sleep(700 * MILLISECOND));
        }
        crs_fixture_stop(&fixture);
        check_two_at_a_time(&fixture);
        crs_fixture_start(&fixture, NULL);
    }
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 9, "Ready"), (size_t)9);
}

static void refuse_objects(struct proxy *proxy, bool refuses)
{
    if (refuses)
        proxy_fail(proxy, (struct proxy_fault){"PATCH", "/configmaps/a", SIZE_MAX, .status = 422});
    else
        proxy->faults[0].times = 0;
}

SIM_TEST(fl_25_a_wave_that_fails_halts_the_rollout)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cee-");
    rollout_fixture_turn_on(&fixture, SOAKING);
    refuse_objects(&fixture.workloads[0], true);
    CHANGE("2");
    rollout_fixture_await(&fixture, "canary/Halted");
    CHECK_EQ(rollout_fixture_record(&fixture, 1, "attempts"), STR("3"));
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut",
                                "False/Halted/0 of 4 clusters have revision ");
    CHECK_EQ(count_events(&fixture, "RolloutHalted"), (size_t)1);
    CHECK_OK(fiber_sleep(2 * HOUR));
    CHECK_EQ(rollout_fixture_state(&fixture, "state"), STR("Halted"));
    CHECK_EQ(proxy_count(&fixture.workloads[1], "PATCH "), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[2], "PATCH "), (size_t)0);

    TEST_CASE("another process finds it halted");
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(rollout_fixture_state(&fixture, "state"), STR("Halted"));
    CHECK_EQ(proxy_count(&fixture.workloads[1], "PATCH "), (size_t)0);

    TEST_CASE("old content put back");
    refuse_objects(&fixture.workloads[0], false);
    crs_fixture_forget(&fixture);
    CHANGE("1");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_EQ(proxy_count(&fixture.workloads[0], "PATCH "), (size_t)1);
    CHECK_EQ(proxy_count(&fixture.workloads[1], "PATCH "), (size_t)0);
    CHECK_EQ(proxy_count(&fixture.workloads[2], "PATCH "), (size_t)0);
    rollout_fixture_await(&fixture, "(others)/RolledOut");
}

/* The cause goes away: the cluster is tried again, and the rollout goes on. */
SIM_TEST(fl_25_a_halt_ends_when_the_failure_does)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cee-");
    rollout_fixture_turn_on(&fixture, SOAKING);
    refuse_objects(&fixture.workloads[0], true);
    CHANGE("2");
    rollout_fixture_await(&fixture, "canary/Halted");
    refuse_objects(&fixture.workloads[0], false);
    rollout_fixture_await(&fixture, "canary/Soaking");
    rollout_fixture_await(&fixture, "(others)/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 4, "Ready"), (size_t)4);
    CHECK_EQ(rollout_fixture_record(&fixture, 1, "attempts"), STR(""));
}

SIM_TEST(fl_26_some_failures_are_tolerated)
{
    for (size_t failing = 1; failing <= 2; failing++) {
        SCOPED(crs_fixture) fixture;
        TEST_CASE("%zu of 10", failing);
        rollout_fixture_begin(&fixture, failing == 1 ? "ceeeeeeee-" : "cceeeeeee-");
        rollout_fixture_turn_on(
            &fixture, ROLLOUT_FIXTURE_POLICY(CANARY("") "," EARLY(""), ",\"maxFailures\":\"10%\""));
        refuse_objects(&fixture.workloads[0], true);
        CHANGE("2");
        if (failing == 1) {
            rollout_fixture_await(&fixture, "(others)/RolledOut");
            CHECK_EQ(rollout_fixture_count(&fixture, 2, 10, "Ready"), (size_t)9);
            crs_fixture_await_condition(&fixture, "crs1", "RolledOut",
                                        "True/RolledOut/9 of 10 clusters have revision ");
        } else {
            rollout_fixture_await(&fixture, "canary/Halted");
            CHECK_EQ(rollout_fixture_count(&fixture, 3, 10, "Ready"), (size_t)0);
        }
    }
}

SIM_TEST(fl_27_a_cluster_that_joins_gets_the_revision_at_once)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cee");
    rollout_fixture_turn_on(&fixture, SOAKING);
    CHANGE("2");
    rollout_fixture_await(&fixture, "canary/Soaking");
    SCOPED(buf) since = {.limit = 0};
    buf_add(&since, rollout_fixture_state(&fixture, "since"));
    CHECK_OK(fiber_sleep(10 * MINUTE));
    rollout_fixture_add(&fixture, 4, 'e');
    rollout_fixture_await_count(&fixture, 4, 4, 1);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rollout_fixture_state(&fixture, "wave"), STR("canary"));
    CHECK_EQ(rollout_fixture_state(&fixture, "since"), buf_str(&since));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 3, "Ready"), (size_t)0);

    TEST_CASE("not while the rollout is halted");
    refuse_objects(&fixture.workloads[0], true);
    CHANGE("3");
    rollout_fixture_await(&fixture, "canary/Halted");
    rollout_fixture_add(&fixture, 5, 'e');
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(rollout_fixture_record(&fixture, 5, "revision"), STR(""));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c5: waits, because the rollout is halted in wave canary"));
}

SIM_TEST(fl_28_who_cannot_be_reached_holds_nobody_up)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "eel");
    rollout_fixture_turn_on(&fixture, ROLLOUT_FIXTURE_POLICY(EARLY("") "," LATE(""), ""));
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHANGE("2");
    rollout_fixture_await(&fixture, "late/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 3, "Ready"), (size_t)2);
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 1, "Ready"), (size_t)0);
    TEST_CASE("back later it gets the revision");
    crs_fixture_vanish(&fixture, false);
    rollout_fixture_await_count(&fixture, 1, 1, 1);

    TEST_CASE("a wave that nobody is left of is not finished");
    patch_set(&fixture, "corset.dev/x", "\"1\"");
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_OWNERS "/c2",
                   "{\"metadata\":{\"labels\":{\"ring\":\"late\"}}}");
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHANGE("3");
    rollout_fixture_await(&fixture, "early/Rolling");
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(rollout_fixture_state(&fixture, "wave"), STR("early"));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 3, "Ready"), (size_t)0);
    crs_fixture_vanish(&fixture, false);
    rollout_fixture_await(&fixture, "late/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 3, "Ready"), (size_t)3);
}

SIM_TEST(fl_29_a_wave_waits_for_its_approval)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) token = {.limit = 0};
    rollout_fixture_begin(&fixture, "ce");
    rollout_fixture_turn_on(&fixture,
                            ROLLOUT_FIXTURE_POLICY(CANARY("") "," EARLY(",\"approval\":true"), ""));
    CHANGE("2");
    rollout_fixture_await(&fixture, "early/WaitingForApproval");
    crs_fixture_await_condition(&fixture, "crs1", "RolledOut", "False/WaitingForApproval/");
    patch_set(&fixture, "corset.dev/approve", "\"0123456789ab/early\"");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 2, "Ready"), (size_t)0);
    const struct str revision = rollout_fixture_state(&fixture, "revision");
    buf_print(&token, "\"%.*s/early\"", STR_ARG(revision));
    patch_set(&fixture, "corset.dev/approve", buf_c(&token));
    rollout_fixture_await(&fixture, "early/RolledOut");
    TEST_CASE("the token of the last revision");
    CHANGE("3");
    rollout_fixture_await(&fixture, "early/WaitingForApproval");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 2, "Ready"), (size_t)0);
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 1, "Ready"), (size_t)1);
}

SIM_TEST(fl_30_newer_content_begins_at_wave_one)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "ceee");
    rollout_fixture_turn_on(&fixture,
                            ROLLOUT_FIXTURE_POLICY(CANARY("") "," EARLY(",\"atATime\":1"), ""));
    for (size_t i = 1; i < CRS_FIXTURE_CLUSTERS; i++)
        fixture.workloads[i].on_request = take_time;
    CHANGE("2");
    rollout_fixture_await_count(&fixture, 2, 2, 1);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(rollout_fixture_count(&fixture, 3, 3, "Applying"), (size_t)1);
    SCOPED(buf) before = {.limit = 0};
    buf_add(&before, rollout_fixture_state(&fixture, "revision"));
    CHANGE("3");
    rollout_fixture_await_count(&fixture, 1, 1, 1);
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 4, "Ready"), (size_t)0);
    CHECK_EQ(rollout_fixture_record(&fixture, 3, "revision"), buf_str(&before));
    rollout_fixture_await(&fixture, "early/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 4, "Ready"), (size_t)4);
}

SIM_TEST(fl_31_without_its_annotation_it_looks_at_wave_one_again)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cell");
    rollout_fixture_turn_on(
        &fixture,
        ROLLOUT_FIXTURE_POLICY(CANARY(SOAK) "," EARLY(SOAK) "," LATE(",\"atATime\":1"), ""));
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        fixture.workloads[i].on_request = take_time;
    CHANGE("2");
    CHECK_OK(fiber_sleep(2 * HOUR - 30 * SECOND));
    rollout_fixture_await(&fixture, "late/Rolling");
    rollout_fixture_await_count(&fixture, 3, 3, 1);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    CHECK_EQ(rollout_fixture_count(&fixture, 4, 4, "Applying"), (size_t)1);
    const int64_t lost = loop_now(loop_current());
    patch_set(&fixture, "corset.dev/rollout", "null");
    rollout_fixture_await(&fixture, "canary/Soaking");
    rollout_fixture_await(&fixture, "early/Soaking");
    rollout_fixture_await(&fixture, "late/RolledOut");
    CHECK(crs_fixture_seconds_since(lost) >= 7200 && crs_fixture_seconds_since(lost) < 7230);
    for (size_t i = 0, count = 0; i < CRS_FIXTURE_CLUSTERS; i++) {
        count += proxy_count(&fixture.workloads[i], "PATCH ");
        CHECK_EQ(i + 1 < CRS_FIXTURE_CLUSTERS ? 4 : count, (size_t)4);
    }
}

SIM_TEST(a_paused_set_goes_on_from_where_it_was)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cee");
    rollout_fixture_turn_on(&fixture, SOAKING);
    CHANGE("2");
    rollout_fixture_await(&fixture, "canary/Soaking");
    patch_set(&fixture, "cluster.x-k8s.io/paused", "\"true\"");
    CHECK_OK(fiber_sleep(2 * HOUR));
    CHECK_EQ(rollout_fixture_count(&fixture, 2, 3, "Ready"), (size_t)0);
    CHECK_EQ(rollout_fixture_state(&fixture, "wave"), STR("canary"));
    patch_set(&fixture, "cluster.x-k8s.io/paused", "null");
    rollout_fixture_await(&fixture, "early/RolledOut");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 3, "Ready"), (size_t)3);
}

SIM_TEST(no_wave_begins_while_a_resource_is_missing)
{
    SCOPED(crs_fixture) fixture;
    rollout_fixture_begin(&fixture, "cee");
    rollout_fixture_turn_on(&fixture, SOAKING);
    crs_fixture_do(&fixture, "PATCH", CRS_FIXTURE_SET,
                   "{\"spec\":{\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cm1\"},"
                   "{\"kind\":\"ConfigMap\",\"name\":\"cm2\"}]}}");
    CHECK_OK(fiber_sleep(10 * MINUTE));
    CHECK_EQ(crs_fixture_workload_requests(&fixture), (size_t)0);
    CHECK_EQ(rollout_fixture_state(&fixture, "state"), STR("RolledOut"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    rollout_fixture_await(&fixture, "canary/Soaking");
    CHECK_EQ(rollout_fixture_count(&fixture, 1, 3, "Ready"), (size_t)1);
}

/* c1 is canary, c2 early: everything was applied, drift is repaired, and c2 waits for hours. */
static void begin_repairing(struct crs_fixture *fixture)
{
    crs_fixture_init(fixture);
    for (size_t i = 1; i <= 2; i++)
        crs_fixture_cluster_as(fixture, "ns", i,
                               i == 1 ? CRS_FIXTURE_LABELS ",\"ring\":\"canary\""
                                      : CRS_FIXTURE_LABELS ",\"ring\":\"early\"",
                               "");
    crs_fixture_map(fixture, "cm1", ROLLOUT_FIXTURE_TEXT("1"));
    delivery_fixture_policy(fixture, "{\"drift\":\"Repair\",\"rollout\":{\"waves\":[" CANARY(
                                         ",\"soak\":\"10h\"") "," EARLY("") "]}}");
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    CHECK_OK(fiber_sleep(11 * HOUR));
    rollout_fixture_await(fixture, "early/RolledOut");
    rollout_fixture_change(fixture, ROLLOUT_FIXTURE_TEXT("2"));
    rollout_fixture_await(fixture, "canary/Soaking");
}

/* A cluster that waits has what it had: drift is put right by that content. */
SIM_TEST(what_waits_for_its_wave_is_repaired_by_the_content_it_has)
{
    SCOPED(crs_fixture) fixture;
    begin_repairing(&fixture);
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "{\"data\":{\"k\":\"x\"}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k"), STR("1"));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("1", "a"), "data.k"), STR("2"));
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c2: waits for wave early"));
}

/* A new process does not have the content that the cluster has: it sends nothing before its wave.
 */
SIM_TEST(what_waits_for_its_wave_is_left_alone_after_a_restart)
{
    SCOPED(crs_fixture) fixture;
    begin_repairing(&fixture);
    crs_fixture_stop(&fixture);
    delivery_fixture_edit(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "{\"data\":{\"k\":\"x\"}}");
    crs_fixture_forget(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k"), STR("x"));
    CHECK_EQ(fixture.workloads[1].writes, (size_t)0);
    CHECK_CONTAINS(crs_fixture_condition(&fixture, "crs1", "ResourcesApplied"),
                   STR("c2: waits for wave early"));

    TEST_CASE("what its cluster has is what the record says");
    SCOPED(buf) revision = {.limit = 0};
    buf_add(&revision, rollout_fixture_state(&fixture, "revision"));
    CHECK(!str_eq(rollout_fixture_record(&fixture, 2, "revision"), buf_str(&revision)));

    TEST_CASE("its wave puts it right");
    CHECK_OK(fiber_sleep(10 * HOUR));
    rollout_fixture_await(&fixture, "early/RolledOut");
    CHECK_EQ(crs_fixture_look(&fixture, CRS_FIXTURE_OBJECT("2", "a"), "data.k"), STR("2"));
}
