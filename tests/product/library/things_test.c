/* A controller that uses the rest of the public headers: things/things.c. */
#include "apimachinery/object_list.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/library_fixture.h"
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

static void begin(struct library_fixture *fixture)
{
    library_fixture_init(fixture, TEST_THINGS, NULL, str_from_c(crd), GVR_THINGS, THING);
    library_fixture_apply(fixture, GVR_THINGS, str_from_c(thing));
    library_fixture_wait(fixture, GVR_CONFIG_MAPS, PART("b"), "data.suffix", "b");
}

static void wait_counted(struct library_fixture *fixture, const char *text)
{
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (;;) {
        OWNED(object) owner = library_fixture_get(fixture, GVR_THINGS, THING);
        const struct str seen = library_fixture_condition(owner, "Counted", "message");
        TEST_CASE("%.*s, not %s", STR_ARG(seen), text);
        if (str_eq(seen, str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

static void approve(struct library_fixture *fixture)
{
    library_fixture_patch(fixture, GVR_CONFIG_MAPS, PART("approved"), "",
                          "{\"metadata\":{\"annotations\":{\"approved\":\"yes\"}}}");
}

/* The generation, not the version. */
static void check_marker(struct library_fixture *fixture)
{
    struct str marker = {0};
    OWNED(object) behind = library_fixture_get(fixture, GVR_CONFIG_MAPS, PART("behind"));
    CHECK(object_find_annotation(
        behind, STR("default.replicaset.checksum.test.corset.dev/t-thing-busy"), &marker));
    CHECK_EQ(marker, STR("1"));
}

LOOP_TEST(nodes_of_every_kind_run_in_their_order)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture);
    library_fixture_wait_status(&fixture, "True", "True");
    OWNED(object) waiting = library_fixture_get(&fixture, GVR_THINGS, THING);
    CHECK_EQ(library_fixture_condition(waiting, "Failed", "message"),
             STR("ConfigMap default/t-thing-approved: NotApproved: t-thing-approved needs the "
                 "annotation approved"));
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("after-hand"), "data.suffix",
                         "after-hand");
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("once"), "data.suffix", "once");
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("merged"), "data.suffix", "merged");
    approve(&fixture);
    library_fixture_wait_status(&fixture, "False", "False");
    check_marker(&fixture);
    wait_counted(&fixture, "1 secrets, 1 skipped, 0 failed"); /* what is optional is not there */
    library_fixture_check_steady(&fixture);
    library_fixture_apply(
        &fixture, GVR_CONFIG_MAPS,
        STR("{apiVersion: v1, kind: ConfigMap, metadata: {name: maybe, namespace: default,"
            " labels: {poke: t}}}"));
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("with-maybe"), "data.suffix",
                         "with-maybe");
    wait_counted(&fixture, "1 secrets, 0 skipped, 0 failed");
    CHECK_OK(child_stop(&fixture.controller));
}

LOOP_TEST(what_is_no_longer_wanted_is_pruned)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture);
    approve(&fixture);
    library_fixture_wait_status(&fixture, "False", "False");
    library_fixture_patch(&fixture, GVR_THINGS, THING, "",
                          "{\"spec\":{\"names\":[\"b\",\"c\"],\"skip\":true}}");
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("c"), "data.suffix", "c");
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, PART("a"), NULL, NULL);
    wait_counted(&fixture, "1 secrets, 2 skipped, 0 failed"); /* that behind the custom node, too */
    library_fixture_wait_status(&fixture, "False", "False");
    library_fixture_check_steady(&fixture);
    CHECK_OK(child_stop(&fixture.controller));
}

LOOP_TEST(a_broken_object_is_told_in_the_status)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture);
    library_fixture_patch(&fixture, GVR_THINGS, THING, "", "{\"spec\":{\"broken\":true}}");
    library_fixture_wait_status(&fixture, "False", "True");
    OWNED(object) broken = library_fixture_get(&fixture, GVR_THINGS, THING);
    CHECK_EQ(library_fixture_condition(broken, "Failed", "reason"), STR("operatorError"));
    CHECK_CONTAINS(library_fixture_condition(broken, "Failed", "message"),
                   STR("read a value for data"));
    wait_counted(&fixture, "1 secrets, 0 skipped, 0 failed"); /* no graph was run */
    CHECK(!object_path(broken, "status.operator"));
    library_fixture_patch(&fixture, GVR_THINGS, THING, "",
                          "{\"spec\":{\"paused\":true,\"names\":[\"d\"]}}");
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (bool is_paused = false; !is_paused;) {
        OWNED(object) paused = library_fixture_get(&fixture, GVR_THINGS, THING);
        is_paused = str_eq(library_fixture_condition(paused, "Paused", "reason"), STR("Asked"));
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
    CHECK_OK(child_stop(&fixture.controller));
}

static void check_event(struct library_fixture *fixture)
{
    SCOPED(arena) arena = {0};
    struct object_list list;
    CHECK_OK(client_list_page(fixture->client, GVR("events.k8s.io", "v1", "events"), STR("default"),
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
    SCOPED(library_fixture) fixture;
    begin(&fixture);
    library_fixture_apply(
        &fixture, GVR_CONFIG_MAPS,
        STR("{apiVersion: v1, kind: ConfigMap, metadata: {name: hold, namespace: default}}"));
    library_fixture_wait(&fixture, GVR("", "v1", "secrets"), PART("by-hand"), "data.seen", "eWVz");
    CHECK_OK(client_delete(fixture.client, GVR_THINGS, THING, NULL, NULL));
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    for (bool is_held = false; !is_held;) {
        OWNED(object) held = library_fixture_get(&fixture, GVR_THINGS, THING);
        CHECK(held);
        is_held = str_eq(library_fixture_condition(held, "Failed", "reason"), STR("held"));
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
    CHECK_OK(client_delete(fixture.client, GVR_CONFIG_MAPS, KEY("default", "hold"), NULL, NULL));
    library_fixture_wait(&fixture, GVR_THINGS, THING, NULL, NULL);
    library_fixture_wait(&fixture, GVR("", "v1", "secrets"), PART("by-hand"), NULL, NULL);
    CHECK_OK(child_stop(&fixture.controller)); /* which sends what is left to be told */
    check_event(&fixture);
}
