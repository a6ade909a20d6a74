/* Apply if necessary: FW-40 to FW-52. */
#include <string.h>

#include "json/path.h"
#include "scenarios/framework/framework_fixture.h"

#define OWNER_MARKER "default.web.checksum.corset.dev/w1"
#define MAP_MARKER   "default.configmap.checksum.corset.dev/w1-web"
#define OTHER_MAP                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-other\"," \
    "\"namespace\":\"default\"}}"
#define PLAIN_MAP(annotations, data)                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-web\"," \
    "\"namespace\":\"default\",\"annotations\":{" annotations "}},\"data\":{" data "}}"

static void start(struct framework_fixture *fixture)
{
    framework_fixture_init(fixture);
    framework_fixture_create_owner(fixture);
    framework_fixture_start(fixture, NULL);
    framework_fixture_plan(fixture);
}

static void make_ready(struct framework_fixture *fixture)
{
    framework_fixture_loop(fixture);
    framework_fixture_make_ready(fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    framework_fixture_loop(fixture);
    framework_fixture_check_done(fixture);
    proxy_forget(&fixture->proxy);
}

/* One node alone: the ConfigMap. */
static void start_alone(struct framework_fixture *fixture)
{
    start(fixture);
    fixture->node_count = 1;
    framework_fixture_loop(fixture);
    framework_fixture_check_done(fixture);
    proxy_forget(&fixture->proxy);
}

static struct str map_version(struct framework_fixture *fixture)
{
    return framework_fixture_look(fixture, FRAMEWORK_FIXTURE_MAP, "metadata.resourceVersion");
}

static void check_marker(struct framework_fixture *fixture, const char *target, const char *name,
                         struct str expected)
{
    SCOPED(arena) arena = {0};
    const struct str copy = arena_str(&arena, expected);
    CHECK_EQ(framework_fixture_annotation(fixture, target, name), copy);
}

SIM_TEST(fw_40_what_is_absent_is_created_with_its_marker)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_loop(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR("1"));
    check_marker(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT, OWNER_MARKER, STR("1"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
}

SIM_TEST(fw_41_current_markers_mean_no_patch)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_loop(&fixture);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture); /* not ready: that is still looked at */
    CHECK(fixture.result.requeue);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH"), 0);
    framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 0);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_DEPLOYMENT), 0);
}

SIM_TEST(fw_42_labels_and_status_of_the_owner_do_not_matter)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    make_ready(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB "/status",
                         "{\"status\":{\"mine\":1}}");
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.builds, 3);
    CHECK_EQ(fixture.proxy.writes, 0);
}

SIM_TEST(fw_43_a_new_generation_applies_everything_once)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    make_ready(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_DEPLOYMENT), 1);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR("2"));
    check_marker(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT, OWNER_MARKER, STR("2"));
}

/* The version of the ConfigMap, as the template of the Deployment has it. */
static struct str template_version(struct framework_fixture *fixture)
{
    CHECK_EQ(framework_fixture_call(fixture, "GET", FRAMEWORK_FIXTURE_DEPLOYMENT, NULL), 200);
    return json_to_str(json_get(
        json_path(json_doc_root(fixture->apiserver.doc), "spec.template.metadata.annotations"),
        STR("w1-web.default.configmap.web.corset.dev/version")));
}

static void check_map_version(struct framework_fixture *fixture)
{
    SCOPED(arena) arena = {0};
    const struct str version = arena_str(&arena, map_version(fixture));
    check_marker(fixture, FRAMEWORK_FIXTURE_DEPLOYMENT, MAP_MARKER, version);
    CHECK_EQ(template_version(fixture), version);
}

SIM_TEST(fw_44_a_changed_blocker_applies_what_depends_on_it)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[fixture.node_count++] = (struct framework_fixture_node){.object = OTHER_MAP};
    make_ready(&fixture);
    check_map_version(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP, "{\"data\":{\"b\":\"2\"}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_DEPLOYMENT), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAPS), 0);
    check_map_version(&fixture);
}

SIM_TEST(fw_45_a_blocker_applied_in_this_loop_counts_as_it_is_now)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    make_ready(&fixture);
    SCOPED(arena) arena = {0};
    const struct str before = arena_str(&arena, map_version(&fixture));
    fixture.nodes[0].object = PLAIN_MAP("", "\"a\":\"2\"");
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    CHECK(!str_eq(map_version(&fixture), before));
    check_map_version(&fixture);
}

#define SECRET                                                                     \
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"outer\"," \
    "\"namespace\":\"default\"}}"

SIM_TEST(fw_46_a_changed_external_secret_applies_its_dependents)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_do(&fixture, "POST", FRAMEWORK_FIXTURE_SECRETS, SECRET);
    fixture.nodes[0] =
        (struct framework_fixture_node){.object = SECRET, .options = {.kind = GRAPH_EXTERNAL}};
    fixture.nodes[1] =
        (struct framework_fixture_node){.object = framework_fixture_map, .blockers = {1}};
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "default.secret.checksum.corset.dev/outer",
                 framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_SECRETS "/outer",
                                        "metadata.resourceVersion"));
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_SECRETS "/outer",
                         "{\"stringData\":{\"a\":\"b\"}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(fixture.proxy.writes, 1);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "default.secret.checksum.corset.dev/outer",
                 framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_SECRETS "/outer",
                                        "metadata.resourceVersion"));
}

SIM_TEST(fw_46_a_missing_external_object_is_waited_for_unless_optional)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0] =
        (struct framework_fixture_node){.object = SECRET, .options = {.kind = GRAPH_EXTERNAL}};
    fixture.nodes[1] =
        (struct framework_fixture_node){.object = framework_fixture_map, .blockers = {1}};
    framework_fixture_loop(&fixture);
    CHECK(fixture.result.requeue);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/dependencyStatus/Secret default/outer: NotFound"));
    fixture.nodes[0].options.flags = GRAPH_OPTIONAL;
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 404);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR("False//"));
}

SIM_TEST(fw_47_what_is_immutable_is_never_patched)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    make_ready(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
                         "{\"metadata\":{\"annotations\":{\"corset.dev/immutable\":\"true\"}}}");
    framework_fixture_loop(&fixture);
    framework_fixture_make_ready(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT);
    framework_fixture_loop(&fixture);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 0);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR("1"));
    /* The Deployment follows the owner, and the version of the ConfigMap is what it was. */
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_DEPLOYMENT), 1);
    check_map_version(&fixture);
}

SIM_TEST(fw_48_a_static_marker_that_differs_applies)
{
    SCOPED(framework_fixture) fixture;
    start_alone(&fixture);
    fixture.nodes[0].object = PLAIN_MAP("\"static.checksum.corset.dev/template\":\"one\"", "");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    fixture.nodes[0].object = PLAIN_MAP("\"static.checksum.corset.dev/template\":\"two\"", "");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 2);
}

SIM_TEST(fw_49_a_version_that_differs_applies)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.node_count = 1;
    fixture.nodes[0].object = PLAIN_MAP("\"corset.dev/version\":\"v1\"", "");
    framework_fixture_loop(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "version.checksum.corset.dev/applied", STR("v1"));
    proxy_forget(&fixture.proxy);
    fixture.nodes[0].object = PLAIN_MAP("\"corset.dev/version\":\"v2\"", "");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "version.checksum.corset.dev/applied", STR("v2"));
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
}

SIM_TEST(fw_50_edits_by_hand_are_left_alone)
{
    SCOPED(framework_fixture) fixture;
    start_alone(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
                         "{\"data\":{\"a\":\"by hand\"}}");
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("by hand"));
}

SIM_TEST(fw_51_a_marker_removed_by_hand_applies)
{
    SCOPED(framework_fixture) fixture;
    start_alone(&fixture);
    framework_fixture_do(
        &fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
        "{\"data\":{\"a\":\"by hand\"},\"metadata\":{\"annotations\":{\"" OWNER_MARKER
        "\":null}}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR("1"));
}

SIM_TEST(fw_52_a_cluster_scoped_parent_has_no_namespace_in_its_key)
{
    static const char class[] =
        "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":{\"name\":"
        "\"big\"},\"provisioner\":\"none.dev/none\"}";
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    framework_fixture_do(&fixture, "POST", "/apis/storage.k8s.io/v1/storageclasses", class);
    fixture.nodes[0] =
        (struct framework_fixture_node){.object = class, .options = {.kind = GRAPH_EXTERNAL}};
    fixture.nodes[1] =
        (struct framework_fixture_node){.object = framework_fixture_map, .blockers = {1}};
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "unknown.storageclass.checksum.corset.dev/big",
                 framework_fixture_look(&fixture, "/apis/storage.k8s.io/v1/storageclasses/big",
                                        "metadata.resourceVersion"));
}

SIM_TEST(markers_of_former_parents_go_with_the_next_apply)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    make_ready(&fixture);
    fixture.nodes[1].blockers[0] = 0;
    framework_fixture_loop(&fixture); /* not a reason of its own */
    CHECK_EQ(fixture.proxy.writes, 0);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT, MAP_MARKER, STR(""));
    check_marker(&fixture, FRAMEWORK_FIXTURE_DEPLOYMENT, OWNER_MARKER, STR("2"));
}

SIM_TEST(a_blocker_may_count_by_its_spec_alone)
{
    static const enum graph_checksum by_spec[4] = {GRAPH_BY_SPEC};
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.nodes[0] = (struct framework_fixture_node){.object = framework_fixture_deployment};
    fixture.nodes[1] = (struct framework_fixture_node){
        .object = framework_fixture_map, .options = {.checksums = by_spec}, .blockers = {1}};
    make_ready(&fixture);
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, "default.deployment.checksum.corset.dev/w1-web",
                 STR("1"));
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_DEPLOYMENT,
                         "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    framework_fixture_loop(&fixture);
    CHECK_EQ(fixture.proxy.writes, 0);
}

static bool refused;
static size_t recorded;

static bool ask_store(void *data, struct graph_node *node, const struct object *live)
{
    (void)data;
    (void)node;
    (void)live;
    return !refused;
}

static struct error *record(void *data, struct graph_node *node, const struct object *live)
{
    (void)data;
    CHECK(graph_node_live(node) == live);
    recorded++;
    return NULL;
}

SIM_TEST(another_store_takes_the_place_of_markers)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.node_count = 1;
    fixture.nodes[0].options.needs_apply = ask_store;
    fixture.nodes[0].options.applied = record;
    refused = true;
    recorded = 0;
    framework_fixture_loop(&fixture);
    CHECK_EQ(recorded, 1); /* what is absent is applied whatever the store says */
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR(""));
    framework_fixture_loop(&fixture);
    CHECK_EQ(recorded, 1);
    refused = false;
    framework_fixture_loop(&fixture);
    CHECK_EQ(recorded, 2);
}

SIM_TEST(what_is_only_created_is_not_changed)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.node_count = 1;
    fixture.nodes[0].options.apply = GRAPH_CREATE_ONLY;
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "POST " FRAMEWORK_FIXTURE_MAPS), 1);
    fixture.nodes[0].object = PLAIN_MAP("", "\"a\":\"2\"");
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"spec\":{\"text\":\"changed\"}}");
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
    CHECK_EQ(proxy_count(&fixture.proxy, "POST " FRAMEWORK_FIXTURE_MAPS), 1);
}

SIM_TEST(what_another_was_quicker_to_create_is_fine)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.node_count = 1;
    fixture.nodes[0].options.apply = GRAPH_CREATE_ONLY;
    framework_fixture_loop(&fixture);
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_MAP, NULL);
    framework_fixture_settle(&fixture);
    framework_fixture_do(&fixture, "POST", FRAMEWORK_FIXTURE_MAPS, framework_fixture_map);
    framework_fixture_loop_now(&fixture);
    framework_fixture_check_done(&fixture);
}

SIM_TEST(what_is_merged_keeps_what_others_put_there)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture);
    fixture.node_count = 1;
    fixture.nodes[0].options.apply = GRAPH_CREATE_OR_MERGE;
    fixture.nodes[0].options.flags = GRAPH_NO_DECORATION | GRAPH_NO_CHECKSUMS;
    framework_fixture_do(&fixture, "POST", FRAMEWORK_FIXTURE_MAPS,
                         PLAIN_MAP("", "\"b\":\"theirs\""));
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(buf_str(&fixture.proxy.asked).len > 0, true);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP), 1);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.b"), STR("theirs"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
    check_marker(&fixture, FRAMEWORK_FIXTURE_MAP, OWNER_MARKER, STR(""));
    CHECK_EQ(
        framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "metadata.ownerReferences.0.name"),
        STR(""));
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "PATCH " FRAMEWORK_FIXTURE_MAP),
             1); /* no difference, no request */
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_MAP, NULL);
    framework_fixture_loop(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "POST " FRAMEWORK_FIXTURE_MAPS), 1);
}
