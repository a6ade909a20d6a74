/* Apply if necessary: FW-40 to FW-52. */
#include <string.h>

#include "json/path.h"
#include "scenarios/framework/rig.h"

#define OWNER_MARKER "default.web.checksum.corset.dev/w1"
#define MAP_MARKER   "default.configmap.checksum.corset.dev/w1-web"
#define OTHER_MAP                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-other\"," \
    "\"namespace\":\"default\"}}"
#define PLAIN_MAP(annotations, data)                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"w1-web\"," \
    "\"namespace\":\"default\",\"annotations\":{" annotations "}},\"data\":{" data "}}"

static void start(struct rig *rig)
{
    rig_init(rig);
    rig_create_owner(rig);
    rig_start(rig, NULL);
    rig_plan(rig);
}

static void make_ready(struct rig *rig)
{
    rig_loop(rig);
    rig_make_ready(rig, RIG_DEPLOYMENT);
    rig_loop(rig);
    rig_check_done(rig);
    proxy_forget(&rig->proxy);
}

/* One node alone: the ConfigMap. */
static void start_alone(struct rig *rig)
{
    start(rig);
    rig->node_count = 1;
    rig_loop(rig);
    rig_check_done(rig);
    proxy_forget(&rig->proxy);
}

static struct str map_version(struct rig *rig)
{
    return rig_look(rig, RIG_MAP, "metadata.resourceVersion");
}

static void check_marker(struct rig *rig, const char *target, const char *name, struct str expected)
{
    SCOPED(arena) arena = {0};
    const struct str copy = arena_str(&arena, expected);
    CHECK_EQ(rig_annotation(rig, target, name), copy);
}

SIM_TEST(fw_40_what_is_absent_is_created_with_its_marker)
{
    SCOPED(rig) rig;
    start(&rig);
    rig_loop(&rig);
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR("1"));
    check_marker(&rig, RIG_DEPLOYMENT, OWNER_MARKER, STR("1"));
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("1"));
}

SIM_TEST(fw_41_current_markers_mean_no_patch)
{
    SCOPED(rig) rig;
    start(&rig);
    rig_loop(&rig);
    proxy_forget(&rig.proxy);
    rig_loop(&rig); /* not ready: that is still looked at */
    CHECK(rig.result.requeue);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH"), 0);
    rig_make_ready(&rig, RIG_DEPLOYMENT);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 0);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_DEPLOYMENT), 0);
}

SIM_TEST(fw_42_labels_and_status_of_the_owner_do_not_matter)
{
    SCOPED(rig) rig;
    start(&rig);
    make_ready(&rig);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    rig_do(&rig, "PATCH", RIG_WEB "/status", "{\"status\":{\"mine\":1}}");
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.builds, 3);
    CHECK_EQ(rig.proxy.writes, 0);
}

SIM_TEST(fw_43_a_new_generation_applies_everything_once)
{
    SCOPED(rig) rig;
    start(&rig);
    make_ready(&rig);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig_loop(&rig);
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_DEPLOYMENT), 1);
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR("2"));
    check_marker(&rig, RIG_DEPLOYMENT, OWNER_MARKER, STR("2"));
}

/* The version of the ConfigMap, as the template of the Deployment has it. */
static struct str template_version(struct rig *rig)
{
    CHECK_EQ(rig_call(rig, "GET", RIG_DEPLOYMENT, NULL), 200);
    return json_to_str(
        json_get(json_path(json_doc_root(rig->desk.doc), "spec.template.metadata.annotations"),
                 STR("w1-web.default.configmap.web.corset.dev/version")));
}

static void check_map_version(struct rig *rig)
{
    SCOPED(arena) arena = {0};
    const struct str version = arena_str(&arena, map_version(rig));
    check_marker(rig, RIG_DEPLOYMENT, MAP_MARKER, version);
    CHECK_EQ(template_version(rig), version);
}

SIM_TEST(fw_44_a_changed_blocker_applies_what_depends_on_it)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.nodes[rig.node_count++] = (struct rig_node){.object = OTHER_MAP};
    make_ready(&rig);
    check_map_version(&rig);
    rig_do(&rig, "PATCH", RIG_MAP, "{\"data\":{\"b\":\"2\"}}");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_DEPLOYMENT), 1);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAPS), 0);
    check_map_version(&rig);
}

SIM_TEST(fw_45_a_blocker_applied_in_this_loop_counts_as_it_is_now)
{
    SCOPED(rig) rig;
    start(&rig);
    make_ready(&rig);
    SCOPED(arena) arena = {0};
    const struct str before = arena_str(&arena, map_version(&rig));
    rig.nodes[0].object = PLAIN_MAP("", "\"a\":\"2\"");
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig_loop(&rig);
    CHECK(!str_eq(map_version(&rig), before));
    check_map_version(&rig);
}

#define SECRET                                                                     \
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"outer\"," \
    "\"namespace\":\"default\"}}"

SIM_TEST(fw_46_a_changed_external_secret_applies_its_dependents)
{
    SCOPED(rig) rig;
    start(&rig);
    rig_do(&rig, "POST", RIG_SECRETS, SECRET);
    rig.nodes[0] = (struct rig_node){.object = SECRET, .options = {.kind = GRAPH_EXTERNAL}};
    rig.nodes[1] = (struct rig_node){.object = rig_map, .blockers = {1}};
    rig_loop(&rig);
    rig_check_done(&rig);
    check_marker(&rig, RIG_MAP, "default.secret.checksum.corset.dev/outer",
                 rig_look(&rig, RIG_SECRETS "/outer", "metadata.resourceVersion"));
    proxy_forget(&rig.proxy);
    rig_loop(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
    rig_do(&rig, "PATCH", RIG_SECRETS "/outer", "{\"stringData\":{\"a\":\"b\"}}");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    CHECK_EQ(rig.proxy.writes, 1);
    check_marker(&rig, RIG_MAP, "default.secret.checksum.corset.dev/outer",
                 rig_look(&rig, RIG_SECRETS "/outer", "metadata.resourceVersion"));
}

SIM_TEST(fw_46_a_missing_external_object_is_waited_for_unless_optional)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.nodes[0] = (struct rig_node){.object = SECRET, .options = {.kind = GRAPH_EXTERNAL}};
    rig.nodes[1] = (struct rig_node){.object = rig_map, .blockers = {1}};
    rig_loop(&rig);
    CHECK(rig.result.requeue);
    CHECK_EQ(rig_condition(&rig, "Failed"),
             STR("True/dependencyStatus/Secret default/outer: NotFound"));
    rig.nodes[0].options.flags = GRAPH_OPTIONAL;
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 404);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("False//"));
}

SIM_TEST(fw_47_what_is_immutable_is_never_patched)
{
    SCOPED(rig) rig;
    start(&rig);
    make_ready(&rig);
    rig_do(&rig, "PATCH", RIG_MAP,
           "{\"metadata\":{\"annotations\":{\"corset.dev/immutable\":\"true\"}}}");
    rig_loop(&rig);
    rig_make_ready(&rig, RIG_DEPLOYMENT);
    rig_loop(&rig);
    proxy_forget(&rig.proxy);
    rig_loop(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 0);
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR("1"));
    /* The Deployment follows the owner, and the version of the ConfigMap is what it was. */
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_DEPLOYMENT), 1);
    check_map_version(&rig);
}

SIM_TEST(fw_48_a_static_marker_that_differs_applies)
{
    SCOPED(rig) rig;
    start_alone(&rig);
    rig.nodes[0].object = PLAIN_MAP("\"static.checksum.corset.dev/template\":\"one\"", "");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    rig.nodes[0].object = PLAIN_MAP("\"static.checksum.corset.dev/template\":\"two\"", "");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 2);
}

SIM_TEST(fw_49_a_version_that_differs_applies)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.node_count = 1;
    rig.nodes[0].object = PLAIN_MAP("\"corset.dev/version\":\"v1\"", "");
    rig_loop(&rig);
    check_marker(&rig, RIG_MAP, "version.checksum.corset.dev/applied", STR("v1"));
    proxy_forget(&rig.proxy);
    rig.nodes[0].object = PLAIN_MAP("\"corset.dev/version\":\"v2\"", "");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    check_marker(&rig, RIG_MAP, "version.checksum.corset.dev/applied", STR("v2"));
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
}

SIM_TEST(fw_50_edits_by_hand_are_left_alone)
{
    SCOPED(rig) rig;
    start_alone(&rig);
    rig_do(&rig, "PATCH", RIG_MAP, "{\"data\":{\"a\":\"by hand\"}}");
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("by hand"));
}

SIM_TEST(fw_51_a_marker_removed_by_hand_applies)
{
    SCOPED(rig) rig;
    start_alone(&rig);
    rig_do(&rig, "PATCH", RIG_MAP,
           "{\"data\":{\"a\":\"by hand\"},\"metadata\":{\"annotations\":{\"" OWNER_MARKER
           "\":null}}}");
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("1"));
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR("1"));
}

SIM_TEST(fw_52_a_cluster_scoped_parent_has_no_namespace_in_its_key)
{
    static const char class[] =
        "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":{\"name\":"
        "\"big\"},\"provisioner\":\"none.dev/none\"}";
    SCOPED(rig) rig;
    start(&rig);
    rig_do(&rig, "POST", "/apis/storage.k8s.io/v1/storageclasses", class);
    rig.nodes[0] = (struct rig_node){.object = class, .options = {.kind = GRAPH_EXTERNAL}};
    rig.nodes[1] = (struct rig_node){.object = rig_map, .blockers = {1}};
    rig_loop(&rig);
    rig_check_done(&rig);
    check_marker(
        &rig, RIG_MAP, "unknown.storageclass.checksum.corset.dev/big",
        rig_look(&rig, "/apis/storage.k8s.io/v1/storageclasses/big", "metadata.resourceVersion"));
}

SIM_TEST(markers_of_former_parents_go_with_the_next_apply)
{
    SCOPED(rig) rig;
    start(&rig);
    make_ready(&rig);
    rig.nodes[1].blockers[0] = 0;
    rig_loop(&rig); /* not a reason of its own */
    CHECK_EQ(rig.proxy.writes, 0);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig_loop(&rig);
    check_marker(&rig, RIG_DEPLOYMENT, MAP_MARKER, STR(""));
    check_marker(&rig, RIG_DEPLOYMENT, OWNER_MARKER, STR("2"));
}

SIM_TEST(a_blocker_may_count_by_its_spec_alone)
{
    static const enum graph_checksum by_spec[4] = {GRAPH_BY_SPEC};
    SCOPED(rig) rig;
    start(&rig);
    rig.nodes[0] = (struct rig_node){.object = rig_deployment};
    rig.nodes[1] =
        (struct rig_node){.object = rig_map, .options = {.checksums = by_spec}, .blockers = {1}};
    make_ready(&rig);
    check_marker(&rig, RIG_MAP, "default.deployment.checksum.corset.dev/w1-web", STR("1"));
    rig_do(&rig, "PATCH", RIG_DEPLOYMENT, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    rig_loop(&rig);
    CHECK_EQ(rig.proxy.writes, 0);
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
    SCOPED(rig) rig;
    start(&rig);
    rig.node_count = 1;
    rig.nodes[0].options.needs_apply = ask_store;
    rig.nodes[0].options.applied = record;
    refused = true;
    recorded = 0;
    rig_loop(&rig);
    CHECK_EQ(recorded, 1); /* what is absent is applied whatever the store says */
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR(""));
    rig_loop(&rig);
    CHECK_EQ(recorded, 1);
    refused = false;
    rig_loop(&rig);
    CHECK_EQ(recorded, 2);
}

SIM_TEST(what_is_only_created_is_not_changed)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.node_count = 1;
    rig.nodes[0].options.apply = GRAPH_CREATE_ONLY;
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "POST " RIG_MAPS), 1);
    rig.nodes[0].object = PLAIN_MAP("", "\"a\":\"2\"");
    rig_do(&rig, "PATCH", RIG_WEB, "{\"spec\":{\"text\":\"changed\"}}");
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("1"));
    CHECK_EQ(proxy_count(&rig.proxy, "POST " RIG_MAPS), 1);
}

SIM_TEST(what_another_was_quicker_to_create_is_fine)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.node_count = 1;
    rig.nodes[0].options.apply = GRAPH_CREATE_ONLY;
    rig_loop(&rig);
    rig_do(&rig, "DELETE", RIG_MAP, NULL);
    rig_settle(&rig);
    rig_do(&rig, "POST", RIG_MAPS, rig_map);
    rig_loop_now(&rig);
    rig_check_done(&rig);
}

SIM_TEST(what_is_merged_keeps_what_others_put_there)
{
    SCOPED(rig) rig;
    start(&rig);
    rig.node_count = 1;
    rig.nodes[0].options.apply = GRAPH_CREATE_OR_MERGE;
    rig.nodes[0].options.flags = GRAPH_NO_DECORATION | GRAPH_NO_CHECKSUMS;
    rig_do(&rig, "POST", RIG_MAPS, PLAIN_MAP("", "\"b\":\"theirs\""));
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(buf_str(&rig.proxy.asked).len > 0, true);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1);
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.b"), STR("theirs"));
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("1"));
    check_marker(&rig, RIG_MAP, OWNER_MARKER, STR(""));
    CHECK_EQ(rig_look(&rig, RIG_MAP, "metadata.ownerReferences.0.name"), STR(""));
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "PATCH " RIG_MAP), 1); /* no difference, no request */
    rig_do(&rig, "DELETE", RIG_MAP, NULL);
    rig_loop(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "POST " RIG_MAPS), 1);
}
