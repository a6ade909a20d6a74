/* Events, deletion, pruning: FW-91 to FW-95. */
#include "json/path.h"
#include "scenarios/framework/framework_fixture.h"

#define FINALIZER "web.corset.dev/cleanup"
#define READY     "False//"

static void start(struct framework_fixture *fixture, const struct framework_options *options)
{
    framework_fixture_init(fixture);
    framework_fixture_create_owner(fixture);
    framework_fixture_start(fixture, options);
    framework_fixture_plan(fixture);
    fixture->node_count = 1;
}

SIM_TEST(fw_91_an_owner_that_has_left_the_class_is_left_alone)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"annotations\":{\"corset.dev/class\":\"theirs\"}}}");
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(fixture.proxy.writes, 0);
}

SIM_TEST(fw_91_a_class_of_ones_own_is_looked_for)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.class_name = STR("a"), .domain = STR("x.dev")});
    framework_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.builds, 0);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"annotations\":{\"x.dev/class\":\"a\"}}}");
    framework_fixture_await_condition(&fixture, "Failed", READY);
    CHECK_EQ(framework_fixture_annotation(&fixture, FRAMEWORK_FIXTURE_MAP, "x.dev/class"),
             STR("a"));
    CHECK_EQ(framework_fixture_annotation(&fixture, FRAMEWORK_FIXTURE_MAP,
                                          "default.web.checksum.x.dev/w1"),
             STR("1"));
    /* What the controller owns carries the class, so its events pass too. */
    const size_t before = fixture.builds;
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_MAP, NULL);
    framework_fixture_await(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a", "1");
    CHECK(fixture.builds > before);
}

SIM_TEST(fw_92_managed_objects_say_whose_they_are)
{
    static const struct {
        const char *path, *value;
    } expected[] = {
        {"metadata.ownerReferences.0.apiVersion", FRAMEWORK_FIXTURE_GROUP "/v1"},
        {"metadata.ownerReferences.0.kind",       "Web"                        },
        {"metadata.ownerReferences.0.name",       "w1"                         },
        {"metadata.ownerReferences.1.name",       ""                           },
    };
    static const char *const objects[] = {FRAMEWORK_FIXTURE_MAP, FRAMEWORK_FIXTURE_DEPLOYMENT};
    SCOPED(framework_fixture) fixture;
    SCOPED(arena) arena = {0};
    start(&fixture, &(struct framework_options){.class_name = STR("a")});
    fixture.node_count = 2;
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"annotations\":{\"corset.dev/class\":\"a\"}}}");
    framework_fixture_loop(&fixture);
    const struct str uid =
        arena_str(&arena, framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.uid"));
    for (size_t i = 0; i < COUNT(objects); i++) {
        TEST_CASE("%s", objects[i]);
        CHECK_EQ(framework_fixture_annotation(&fixture, objects[i], "corset.dev/class"), STR("a"));
        CHECK_EQ(framework_fixture_annotation(&fixture, objects[i], "corset.dev/warning"),
                 STR("⚠️ This Resource is managed by *web* ⚠️"));
        const struct json_value *labels =
            json_path(json_doc_root(fixture.apiserver.doc), "metadata.labels");
        CHECK_EQ(json_to_str(json_get(labels, STR("corset.dev/operator-controller"))), STR("web"));
        CHECK_EQ(json_to_str(json_get(labels, STR("corset.dev/operator-version"))), STR("v1.0"));
        bool controller = false;
        CHECK(json_to_bool(json_path(json_doc_root(fixture.apiserver.doc),
                                     "metadata.ownerReferences.0.controller"),
                           &controller));
        CHECK(controller);
        for (size_t j = 0; j < COUNT(expected); j++)
            CHECK_EQ(framework_fixture_look(&fixture, objects[i], expected[j].path),
                     str_from_c(expected[j].value));
        CHECK_EQ(framework_fixture_look(&fixture, objects[i], "metadata.ownerReferences.0.uid"),
                 uid);
    }
}

static size_t deletions;
static bool deletion_fails;

static struct error *on_delete(struct framework_run *run)
{
    CHECK(object_is_deleting(framework_owner(run)));
    deletions++;
    return deletion_fails
               ? error_class_retry_later(NULL, STR("dependencyStatus"), STR("still there"), 0)
               : NULL;
}

SIM_TEST(fw_93_the_finalizer_comes_first_and_goes_last)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture,
          &(struct framework_options){.finalizer = STR(FINALIZER), .on_delete = on_delete});
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"finalizers\":[\"other.dev/f\"]}}");
    deletions = 0;
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(fixture.proxy.writes, 1);
    CHECK_EQ(fixture.builds, 0);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.finalizers.1"),
             STR(FINALIZER));
    framework_fixture_loop(&fixture); /* its event continues */
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_MAP, "data.a"), STR("1"));
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    deletion_fails = true;
    framework_fixture_loop(&fixture);
    CHECK(!fixture.err && fixture.result.requeue);
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"),
             STR("True/dependencyStatus/still there"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.finalizers.1"),
             STR(FINALIZER));
    deletion_fails = false;
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.finalizers.0"),
             STR("other.dev/f"));
    CHECK_EQ(framework_fixture_look(&fixture, FRAMEWORK_FIXTURE_WEB, "metadata.finalizers.1"),
             STR(""));
    CHECK_EQ(deletions, 2);
    CHECK_EQ(fixture.builds, 1);
    framework_fixture_loop(&fixture); /* not ours any more */
    CHECK_EQ(deletions, 2);
}

SIM_TEST(fw_93_the_whole_life_of_an_owner_by_events)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture,
          &(struct framework_options){.finalizer = STR(FINALIZER), .on_delete = on_delete});
    deletions = 0;
    deletion_fails = false;
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", READY);
    framework_fixture_do(&fixture, "DELETE", FRAMEWORK_FIXTURE_WEB, NULL);
    for (int i = 0; framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_WEB, NULL) != 404;
         i++) {
        CHECK(i < 600);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(deletions, 1);
}

#define LEFT_OVER(name, uid)                                             \
    "{\"metadata\":{\"name\":\"" name                                    \
    "\",\"ownerReferences\":[{\"apiVersion\":\"" FRAMEWORK_FIXTURE_GROUP \
    "/v1\",\"kind\":\"Web\",\"name\":\"w1\",\"uid\":\"" uid "\",\"controller\":true}]}}"

static void prune(struct framework_fixture *fixture)
{
    SCOPED(buf) ours = {.limit = 0};
    const struct str uid = framework_fixture_look(fixture, FRAMEWORK_FIXTURE_WEB, "metadata.uid");
    buf_print(&ours, LEFT_OVER("ours", "%.*s"), STR_ARG(uid));
    framework_fixture_do(fixture, "POST", FRAMEWORK_FIXTURE_MAPS, buf_c(&ours));
    framework_fixture_do(fixture, "POST", FRAMEWORK_FIXTURE_MAPS,
                         "{\"metadata\":{\"name\":\"free\"}}");
    /* A finalizer, for the collector does not keep what refers to an owner that is not there. */
    framework_fixture_do(
        fixture, "POST", FRAMEWORK_FIXTURE_MAPS,
        "{\"metadata\":{\"name\":\"namesake\",\"finalizers\":[\"test.dev/keep\"],"
        "\"ownerReferences\":[{\"apiVersion\":\"" FRAMEWORK_FIXTURE_GROUP
        "/v1\",\"kind\":\"Web\",\"name\":\"w1\",\"uid\":\"another\",\"controller\":true}]}}");
    proxy_forget(&fixture->proxy);
}

SIM_TEST(fw_94_what_is_owned_and_not_wanted_is_deleted)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    framework_fixture_loop(&fixture);
    prune(&fixture);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE"), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE " FRAMEWORK_FIXTURE_MAPS "/ours"), 1);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAPS "/ours", NULL), 404);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAPS "/namesake", NULL),
             200);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAPS "/free", NULL), 200);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 200);
    proxy_forget(&fixture.proxy);
    framework_fixture_loop(&fixture);
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR(""));
    /* And so is what the graph has named before. */
    fixture.node_count = 0;
    framework_fixture_loop(&fixture);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 404);
}

SIM_TEST(fw_94_before_there_is_a_cache_the_server_is_asked)
{
    SCOPED(framework_fixture) fixture;
    framework_fixture_init(&fixture);
    framework_fixture_create_owner(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){"GET", "/api/v1/configmaps?", SIZE_MAX, .status = 500});
    framework_fixture_start(&fixture, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    prune(&fixture);
    framework_fixture_loop_now(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE"), 1);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE " FRAMEWORK_FIXTURE_MAPS "/ours"), 1);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAPS "/namesake", NULL),
             200);
}

SIM_TEST(fw_94_what_is_going_already_is_not_deleted_again)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    framework_fixture_loop(&fixture);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_MAP,
                         "{\"metadata\":{\"finalizers\":[\"test.dev/keep\"]}}");
    fixture.node_count = 0;
    framework_fixture_loop(&fixture);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE"), 1);
    CHECK_EQ(framework_fixture_call(&fixture, "GET", FRAMEWORK_FIXTURE_MAP, NULL), 200);
}

SIM_TEST(fw_94_nothing_is_deleted_unless_it_was_asked_for)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_loop(&fixture);
    prune(&fixture);
    framework_fixture_loop(&fixture);
    framework_fixture_check_done(&fixture);
    CHECK_EQ(proxy_count(&fixture.proxy, "DELETE"), 0);
}

/* In the middle of a loop, ten events for its owner. */
static struct error *make_events(struct framework_fixture *fixture)
{
    static const char *const values[] = {
        "{\"data\":{\"x\":\"1\"}}",
        "{\"data\":{\"x\":\"2\"}}",
    };
    fixture->on_build = NULL;
    for (size_t i = 0; i < 10; i++)
        framework_fixture_do(fixture, "PATCH", FRAMEWORK_FIXTURE_MAP, values[i % 2]);
    return fiber_sleep(SECOND);
}

SIM_TEST(fw_95_many_events_make_one_more_loop)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", READY);
    CHECK_OK(fiber_sleep(MINUTE));
    const size_t before = fixture.builds;
    fixture.on_build = make_events;
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.builds - before, 2);
}

/* Neither its own status writes nor the answers to them lead to more loops. */
SIM_TEST(a_controller_does_not_wake_itself)
{
    SCOPED(framework_fixture) fixture;
    start(&fixture, NULL);
    fixture.node_count = 0;
    framework_fixture_run(&fixture);
    framework_fixture_await_condition(&fixture, "Failed", READY);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.builds, 1);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB "/status",
                         "{\"status\":{\"mine\":1}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.builds, 1);
    framework_fixture_do(&fixture, "PATCH", FRAMEWORK_FIXTURE_WEB,
                         "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(fixture.builds, 2);
}

/* An external object is watched as a mapped kind. */
static void map_to_owner(void *data, const struct cache_event *event, struct queue *queue,
                         int priority)
{
    (void)data;
    const struct object_text *text = event->now ? event->now : event->old;
    if (str_eq(object_text_key(text).name, STR("outer")))
        queue_add(queue, KEY("default", "w1"), priority);
}

SIM_TEST(events_of_mapped_kinds_lead_to_owners)
{
    static const struct framework_watch watches[] = {
        {.gvk = {STR_INIT(""), STR_INIT("v1"), STR_INIT("Secret")}, .map = map_to_owner},
    };
    SCOPED(framework_fixture) fixture;
    start(&fixture, &(struct framework_options){.watches = watches, .watch_count = 1});
    fixture.nodes[0] =
        (struct framework_fixture_node){.object = "{\"apiVersion\":\"v1\",\"kind\":\"Secret\","
                                                  "\"metadata\":{\"name\":\"outer\","
                                                  "\"namespace\":\"default\"}}",
                                        .options = {.kind = GRAPH_EXTERNAL}};
    framework_fixture_run(&fixture);
    CHECK_OK(fiber_sleep(400 * SECOND));
    framework_fixture_do(&fixture, "POST", FRAMEWORK_FIXTURE_SECRETS,
                         "{\"metadata\":{\"name\":\"outer\"}}");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(framework_fixture_condition(&fixture, "Failed"), STR(READY));
}
