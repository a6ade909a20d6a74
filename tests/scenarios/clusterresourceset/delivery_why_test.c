/*
 * corset why of one set on one cluster: what is wrong, where, since when and what to do, on one
 * screen.
 */
#include "scenarios/clusterresourceset/delivery_fixture.h"
#include "status/why_render.h"

#define LINES   24
#define COLUMNS 80

#define CLUSTERS(state) "corset_set_clusters{namespace=\"ns\",set=\"crs1\",state=\"" state "\"}"
#define WEB             CRS_FIXTURE_WORKLOAD("1") "/apis/apps/v1/namespaces/default/deployments/web"
#define DEPLOYMENT                                                                        \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"  \
    "spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: " \
    "{a: b}}, spec: {containers: [{name: c, image: i}]}}}\n"

#define CHANGE                                            \
    "  1 object: spec.replicas changed by kubectl-edit\n" \
    "    apps/v1 Deployment default/web (ConfigMap cm1, key data, document 1)\n"
#define REFUSED                                                                     \
    "  1 object: namespaces \"nowhere\" not found\n"                                \
    "    v1 ConfigMap nowhere/a (ConfigMap cm1, key data, document 1)\n"            \
    "  to do: mend the manifest, or what the cluster refuses it for. It is tried\n" \
    "         again by itself, and at once when set, resources or policy change.\n"

/* Ages depend on when a cluster is checked: "failed for 5m, 0 of" becomes "failed for AGE, 0 of".
 */
static void hide_ages(struct str text, struct buf *out)
{
    static const struct str word = STR_INIT(" for ");
    struct str line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        const size_t at = str_starts_with(line, STR("set ")) ? str_find(line, word) : STR_NONE;
        if (at != STR_NONE) {
            buf_add(out, str_slice(line, 0, at + word.len));
            line = str_skip(line, at + word.len);
            const size_t end = str_find_char(line, ',');
            const struct str age = str_slice(line, 0, end);
            CHECK(age.len > 1 && age.len < 8);
            buf_add(out, STR("AGE"));
            line = str_skip(line, age.len);
        }
        buf_add(out, line);
        buf_add_char(out, '\n');
    }
}

/* Lines of a terminal that a text takes. */
static size_t count_screen_lines(struct str text)
{
    size_t count = 0;
    struct str line;
    while (text.len) {
        str_cut(&text, '\n', &line);
        count += line.len ? (line.len + COLUMNS - 1) / COLUMNS : 1;
    }
    return count;
}

/* What corset why cluster/c1 set/NAME prints. */
static void check_screen(struct crs_fixture *fixture, const char *set, const char *screen)
{
    SCOPED(status_model) model = {.only_cluster = STR("c1")};
    SCOPED(buf) out = {.limit = 0};
    SCOPED(buf) shown = {.limit = 0};
    delivery_fixture_read_status(fixture, &model);
    const struct status_cluster *cluster = status_model_find_cluster(&model, STR("c1"));
    const struct status_cell *cell = NULL;
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (str_eq(cluster->cells[i].set->key.name, str_from_c(set)))
            cell = &cluster->cells[i];
    why_render_chain(&model, cluster, cell, loop_wall(loop_current()), &out);
    hide_ages(buf_str(&out), &shown);
    CHECK_EQ(buf_str(&shown), str_from_c(screen));
    CHECK(count_screen_lines(buf_str(&out)) <= LINES);
}

SIM_TEST(why_tells_what_a_set_waits_for)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1"));
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_start(&fixture, NULL);
    crs_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_set_as(
        &fixture, "crs2", "Reconcile", "ConfigMap/cm2", CRS_FIXTURE_SELECTOR,
        ",\"annotations\":{\"corset.dev/depends-on\":\"crs1\",\"corset.dev/policy\":\"p\"}");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    check_screen(&fixture, "crs2",
                 "set crs2 on cluster c1: waiting for AGE\n"
                 "  by DeliveryPolicy p\n"
                 "  waits for ClusterResourceSet crs1, which failed there\n"
                 "  to do: nothing here. It begins by itself when that changes.\n"
                 "\n"
                 "set crs1 on cluster c1: failed for AGE, 0 of 1 objects applied\n" REFUSED);
}

SIM_TEST(why_tells_what_has_drifted)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{}", DEPLOYMENT);
    delivery_fixture_edit(&fixture, WEB, "{\"spec\":{\"replicas\":7}}");
    CHECK_OK(fiber_sleep(DELIVERY_FIXTURE_CHECKS));
    CHECK_EQ(crs_fixture_metric(&fixture, CLUSTERS("drifted")), 1);
    CHECK_EQ(crs_fixture_metric(&fixture, CLUSTERS("applied")), 0);
    check_screen(&fixture, "crs1",
                 "set crs1 on cluster c1: drifted for AGE, 1 of 1 objects changed\n"
                 "  by DeliveryPolicy p, revision ff5c69771e98\n" CHANGE
                 "  to do: undo the change in the cluster, put it into the manifest, or let the\n"
                 "         policy say drift: Repair.\n");
}

SIM_TEST(why_tells_what_is_contested)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{\"drift\":\"Repair\"}", DEPLOYMENT);
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, &(struct controller_manager_options){.drift_check = 10 * SECOND});
    for (size_t i = 0; i < 8; i++) {
        delivery_fixture_edit(&fixture, WEB, "{\"spec\":{\"replicas\":7}}");
        CHECK_OK(fiber_sleep(30 * SECOND));
    }
    CHECK_EQ(crs_fixture_metric(&fixture, CLUSTERS("contested")), 1);
    check_screen(&fixture, "crs1",
                 "set crs1 on cluster c1: contested for AGE, 1 of 1 objects changed\n"
                 "  by DeliveryPolicy p, revision ff5c69771e98\n" CHANGE
                 "  to do: stop whoever changes it, or let the policy ignore these fields. It is\n"
                 "         put back once after each pause: 10 minutes, 20, up to a day.\n");
}

SIM_TEST(why_tells_what_cannot_be_reached)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    crs_fixture_cluster(&fixture, 1);
    crs_fixture_map(&fixture, "cm1", DEPLOYMENT);
    delivery_fixture_policy(&fixture, "{}");
    crs_fixture_start_as_owner(&fixture);
    delivery_fixture_set(&fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(&fixture, "crs1");
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(10 * MINUTE));
    check_screen(
        &fixture, "crs1",
        "set crs1 on cluster c1: unreachable for AGE\n"
        "  by DeliveryPolicy p, revision ff5c69771e98\n"
        "  " CRS_FIXTURE_DOWN(
            "1") "\n"
                 "  to do: see to the cluster, its address, and the Secret with its kubeconfig.\n"
                 "         What it lacks is applied once it answers.\n");
}

SIM_TEST(why_tells_what_was_refused)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin(&fixture, "{}",
                           CRS_FIXTURE_MANIFEST_IN("nowhere", "a", "1") "---\n" DEPLOYMENT);
    CHECK_OK(fiber_sleep(5 * MINUTE));
    check_screen(&fixture, "crs1",
                 "set crs1 on cluster c1: failed for AGE, 1 of 2 objects applied\n"
                 "  by DeliveryPolicy p, revision c1eeae9b5494\n" REFUSED);
}

#define UNREADY                             \
    "  1 object: not ready: LessReplicas\n" \
    "    apps/v1 Deployment default/web (ConfigMap cm1, key data, document 1)\n"
#define LATE                                                                         \
    "  to do: look in the cluster why the objects do not become ready. The set is\n" \
    "         ready there as soon as they are.\n"

/* crs2 depends on crs1, which does not become ready. */
SIM_TEST(why_tells_what_is_not_ready_and_who_waits_for_it)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(status_model) model = {.only_cluster = STR("c1")};
    SCOPED(buf) revision = {.limit = 0};
    SCOPED(buf) screen = {.limit = 0};
    delivery_fixture_begin(&fixture, "{\"health\":{\"timeout\":\"5m\"}}", DEPLOYMENT);
    crs_fixture_map(&fixture, "cm2", CRS_FIXTURE_MANIFEST("b", "1"));
    crs_fixture_set_as(&fixture, "crs2", "ApplyOnce", "ConfigMap/cm2", CRS_FIXTURE_SELECTOR,
                       ",\"annotations\":{\"corset.dev/depends-on\":\"crs1\"}");
    crs_fixture_await_applied(&fixture, "crs1");
    CHECK_OK(fiber_sleep(MINUTE));
    buf_print(&revision, "  by DeliveryPolicy p, revision %.*s\n",
              STR_ARG(delivery_fixture_record(&fixture, "crs1", "revision")));
    buf_print(&screen,
              "set crs2 on cluster c1: waiting for AGE\n"
              "  waits for ClusterResourceSet crs1, which is not ready there yet\n"
              "  to do: nothing here. It begins by itself when that changes.\n\n"
              "set crs1 on cluster c1: settling for AGE, 0 of 1 objects ready\n%s" UNREADY
              "  to do: nothing yet. It has failed if that takes longer than the policy says.\n",
              buf_c(&revision));
    check_screen(&fixture, "crs2", buf_c(&screen));

    TEST_CASE("not in time");
    CHECK_OK(fiber_sleep(5 * MINUTE));
    buf_clear(&screen);
    buf_print(&screen,
              "set crs1 on cluster c1: failed for AGE, 0 of 1 objects ready\n%s" UNREADY LATE,
              buf_c(&revision));
    check_screen(&fixture, "crs1", buf_c(&screen));
    delivery_fixture_read_status(&fixture, &model);
    const struct status_set *set = status_model_find_set(&model, STR("crs1"));
    CHECK(set->has_health && model.has_health);
    CHECK_EQ(set->ready, (size_t)0);
    CHECK_EQ(set->why, STR("1 of 1 clusters is not ready, 1 of them not in time: c1: apps/v1 "
                           "Deployment default/web: not ready: LessReplicas"));

    TEST_CASE("the cluster does not answer any more");
    proxy_fail(&fixture.workloads[0], (struct proxy_fault){.method = "GET",
                                                           .part = "/apis/apps/v1/deployments?",
                                                           .times = 100000,
                                                           .status = 500});
    CHECK_OK(fiber_sleep(5 * MINUTE));
    const struct str told = delivery_fixture_record(&fixture, "crs1", "why.0.message");
    buf_clear(&screen);
    buf_print(
        &screen,
        "set crs1 on cluster c1: failed for AGE, 0 of 1 objects ready\n%s  %.*s\n" UNREADY LATE,
        buf_c(&revision), STR_ARG(told));
    check_screen(&fixture, "crs1", buf_c(&screen));
}

#define UNCHECKED "drift not checked since "

/* What corset why says below the headline and the policy, the time left out. */
static void check_unchecked(struct crs_fixture *fixture, const char *revision, const char *headline,
                            const char *rest)
{
    SCOPED(buf) screen = {.limit = 0};
    CHECK_EQ(delivery_fixture_record(fixture, "crs1", "why.0.reason"), STR("DriftNotChecked"));
    const struct str told = delivery_fixture_record(fixture, "crs1", "why.0.message");
    CHECK(str_starts_with(told, STR(UNCHECKED)));
    buf_print(&screen, "set crs1 on cluster c1: %s\n%s  %.*s\n%s", headline, revision,
              STR_ARG(told), rest);
    check_screen(fixture, "crs1", buf_c(&screen));
}

SIM_TEST(why_tells_since_when_drift_could_not_be_checked)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) revision = {.limit = 0};
    delivery_fixture_begin_checked(&fixture, "{}", DEPLOYMENT);
    buf_print(&revision, "  by DeliveryPolicy p, revision %.*s\n",
              STR_ARG(delivery_fixture_record(&fixture, "crs1", "revision")));

    TEST_CASE("one failure is not told");
    proxy_fail(&fixture.workloads[0],
               (struct proxy_fault){
                   .method = "GET", .part = "/apis/apps/v1/", .times = 100000, .status = 403});
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why"), STR(""));

    TEST_CASE("neither lists nor single reads are allowed");
    CHECK_OK(fiber_sleep(40 * MINUTE));
    delivery_fixture_check_state(&fixture, "Ready",
                                 "Unknown/NotChecked/1 of 1 clusters not checked: c1: " UNCHECKED);
    check_unchecked(&fixture, buf_c(&revision), "applied for AGE", "");

    TEST_CASE("told once, also by a new process");
    crs_fixture_forget(&fixture);
    CHECK_OK(fiber_sleep(HOUR));
    crs_fixture_stop(&fixture);
    crs_fixture_start(&fixture, NULL);
    CHECK_OK(fiber_sleep(HOUR));
    CHECK_EQ(fixture.management.writes, (size_t)0);

    TEST_CASE("checked again, and then not any more");
    fixture.workloads[0].faults[0].times = 0;
    delivery_fixture_edit(&fixture, WEB, "{\"spec\":{\"replicas\":7}}");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("Drifted"));
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)1);
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(30 * MINUTE));
    delivery_fixture_check_state(&fixture, "Drifted", "False/Drifted");
    check_unchecked(
        &fixture, buf_c(&revision), "drifted for AGE, 1 of 1 objects changed",
        CHANGE "  to do: undo the change in the cluster, put it into the manifest, or let the\n"
               "         policy say drift: Repair.\n");
    CHECK_EQ(delivery_fixture_events(&fixture, "DriftDetected"), (size_t)1);

    TEST_CASE("nobody minds");
    delivery_fixture_policy(&fixture, "{\"drift\":\"Ignore\"}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why"), STR(""));
}

SIM_TEST(what_is_not_checked_for_drift_and_not_for_health_is_told_of_both)
{
    SCOPED(crs_fixture) fixture;
    delivery_fixture_begin_checked(&fixture, "{\"health\":{\"timeout\":\"5m\"}}", DEPLOYMENT);
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    crs_fixture_vanish(&fixture, true);
    CHECK_OK(fiber_sleep(30 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "state"), STR("Failed"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("NotChecked"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.1.reason"), STR("DriftNotChecked"));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.2.reason"), STR("LessReplicas"));
    crs_fixture_vanish(&fixture, false);
    CHECK_OK(fiber_sleep(20 * MINUTE));
    CHECK_EQ(delivery_fixture_record(&fixture, "crs1", "why.0.reason"), STR("LessReplicas"));
}
