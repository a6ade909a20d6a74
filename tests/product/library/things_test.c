/* A controller that uses the rest of the public headers: things/things.c. */
#include "apimachinery/object_list.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/stage.h"
#include "testing/sim.h"

#define GVR_THINGS GVR("test.corset.dev", "v1", "things")
#define THING      KEY("default", "t")
#define PART(name) KEY("default", "t-thing-" name)

static const char crd[] =
    "apiVersion: apiextensions.k8s.io/v1\n"
    "kind: CustomResourceDefinition\n"
    "metadata: {name: things.test.corset.dev}\n"
    "spec:\n"
    "  group: test.corset.dev\n"
    "  scope: Namespaced\n"
    "  names: {kind: Thing, plural: things, singular: thing}\n"
    "  versions:\n"
    "  - name: v1\n"
    "    served: true\n"
    "    storage: true\n"
    "    subresources: {status: {}}\n"
    "    schema:\n"
    "      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";

static const char thing[] = "apiVersion: test.corset.dev/v1\n"
                            "kind: Thing\n"
                            "metadata:\n"
                            "  name: t\n"
                            "  namespace: default\n"
                            "  annotations: {test.corset.dev/class: tested}\n"
                            "spec: {names: [a, b]}\n";

static void begin(struct stage *stage)
{
    stage_init(stage, TEST_THINGS, NULL, str_from_c(crd), GVR_THINGS, THING);
    stage_apply(stage, GVR_THINGS, str_from_c(thing));
    stage_wait(stage, GVR_CONFIG_MAPS, PART("b"), "data.suffix", "b");
}

static void wait_counted(struct stage *stage, const char *text)
{
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (;;) {
        OWNED(object) owner = stage_get(stage, GVR_THINGS, THING);
        const struct str seen = stage_condition(owner, "Counted", "message");
        TEST_CASE("%.*s, not %s", STR_ARG(seen), text);
        if (str_eq(seen, str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
}

static void approve(struct stage *stage)
{
    stage_patch(stage, GVR_CONFIG_MAPS, PART("approved"), "",
                "{\"metadata\":{\"annotations\":{\"approved\":\"yes\"}}}");
}

/* The generation, not the version. */
static void check_marker(struct stage *stage)
{
    struct str marker = {0};
    OWNED(object) behind = stage_get(stage, GVR_CONFIG_MAPS, PART("behind"));
    CHECK(object_find_annotation(
        behind, STR("default.replicaset.checksum.test.corset.dev/t-thing-busy"), &marker));
    CHECK_EQ(marker, STR("1"));
}

LOOP_TEST(nodes_of_every_kind_run_in_their_order)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_wait_status(&stage, "True", "True");
    OWNED(object) waiting = stage_get(&stage, GVR_THINGS, THING);
    CHECK_EQ(stage_condition(waiting, "Failed", "message"),
             STR("ConfigMap default/t-thing-approved: NotApproved: t-thing-approved needs the "
                 "annotation approved"));
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("after-hand"), "data.suffix", "after-hand");
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("once"), "data.suffix", "once");
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("merged"), "data.suffix", "merged");
    approve(&stage);
    stage_wait_status(&stage, "False", "False");
    check_marker(&stage);
    wait_counted(&stage, "1 secrets, 1 skipped, 0 failed"); /* what is optional is not there */
    stage_check_steady(&stage);
    stage_apply(&stage, GVR_CONFIG_MAPS,
                STR("{apiVersion: v1, kind: ConfigMap, metadata: {name: maybe, namespace: default,"
                    " labels: {poke: t}}}"));
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("with-maybe"), "data.suffix", "with-maybe");
    wait_counted(&stage, "1 secrets, 0 skipped, 0 failed");
    CHECK_OK(child_stop(&stage.controller));
}

LOOP_TEST(what_is_no_longer_wanted_is_pruned)
{
    SCOPED(stage) stage;
    begin(&stage);
    approve(&stage);
    stage_wait_status(&stage, "False", "False");
    stage_patch(&stage, GVR_THINGS, THING, "",
                "{\"spec\":{\"names\":[\"b\",\"c\"],\"skip\":true}}");
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("c"), "data.suffix", "c");
    stage_wait(&stage, GVR_CONFIG_MAPS, PART("a"), NULL, NULL);
    wait_counted(&stage, "1 secrets, 2 skipped, 0 failed"); /* that behind the custom node, too */
    stage_wait_status(&stage, "False", "False");
    stage_check_steady(&stage);
    CHECK_OK(child_stop(&stage.controller));
}

LOOP_TEST(a_broken_object_is_told_in_the_status)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_patch(&stage, GVR_THINGS, THING, "", "{\"spec\":{\"broken\":true}}");
    stage_wait_status(&stage, "False", "True");
    OWNED(object) broken = stage_get(&stage, GVR_THINGS, THING);
    CHECK_EQ(stage_condition(broken, "Failed", "reason"), STR("operatorError"));
    CHECK_CONTAINS(stage_condition(broken, "Failed", "message"), STR("read a value for data"));
    wait_counted(&stage, "1 secrets, 0 skipped, 0 failed"); /* no graph was run */
    CHECK(!object_path(broken, "status.operator"));
    stage_patch(&stage, GVR_THINGS, THING, "", "{\"spec\":{\"paused\":true,\"names\":[\"d\"]}}");
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (bool is_paused = false; !is_paused;) {
        OWNED(object) paused = stage_get(&stage, GVR_THINGS, THING);
        is_paused = str_eq(stage_condition(paused, "Paused", "reason"), STR("Asked"));
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
    CHECK_OK(child_stop(&stage.controller));
}

static void check_event(struct stage *stage)
{
    SCOPED(arena) arena = {0};
    struct object_list list;
    CHECK_OK(client_list_page(stage->client, GVR("events.k8s.io", "v1", "events"), STR("default"),
                              NULL, &arena, &list));
    CHECK_EQ(list.count, 1);
    const struct json_value *event = object_root(list.items[0]);
    CHECK_EQ(json_path_str(event, "regarding.name"), STR("t"));
    CHECK_EQ(json_path_str(event, "reason"), STR("Deleting"));
    CHECK_EQ(json_path_str(event, "type"), STR("Warning"));
    CHECK_EQ(json_path_str(event, "note"), STR("t-thing-by-hand goes"));
    CHECK_EQ(json_path_str(event, "reportingController"), STR("test.corset.dev/thing"));
}

LOOP_TEST(a_finalizer_holds_until_the_cleaning_is_done)
{
    SCOPED(stage) stage;
    begin(&stage);
    stage_apply(
        &stage, GVR_CONFIG_MAPS,
        STR("{apiVersion: v1, kind: ConfigMap, metadata: {name: hold, namespace: default}}"));
    stage_wait(&stage, GVR("", "v1", "secrets"), PART("by-hand"), "data.seen", "eWVz");
    CHECK_OK(client_delete(stage.client, GVR_THINGS, THING, NULL, NULL));
    FIBER_TIMEOUT(STAGE_PATIENCE);
    for (bool is_held = false; !is_held;) {
        OWNED(object) held = stage_get(&stage, GVR_THINGS, THING);
        CHECK(held);
        is_held = str_eq(stage_condition(held, "Failed", "reason"), STR("held"));
        CHECK_OK(fiber_sleep(STAGE_POLL));
    }
    CHECK_OK(client_delete(stage.client, GVR_CONFIG_MAPS, KEY("default", "hold"), NULL, NULL));
    stage_wait(&stage, GVR_THINGS, THING, NULL, NULL);
    stage_wait(&stage, GVR("", "v1", "secrets"), PART("by-hand"), NULL, NULL);
    CHECK_OK(child_stop(&stage.controller)); /* which sends what is left to be told */
    check_event(&stage);
}
