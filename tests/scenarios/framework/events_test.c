/* Events, deletion, pruning: FW-91 to FW-95. */
#include "json/path.h"
#include "scenarios/framework/rig.h"

#define FINALIZER "web.corset.dev/cleanup"
#define READY     "False//"

static void start(struct rig *rig, const struct framework_options *options)
{
    rig_init(rig);
    rig_create_owner(rig);
    rig_start(rig, options);
    rig_plan(rig);
    rig->node_count = 1;
}

SIM_TEST(fw_91_an_owner_that_has_left_the_class_is_left_alone)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_do(&rig, "PATCH", RIG_WEB,
           "{\"metadata\":{\"annotations\":{\"corset.dev/class\":\"theirs\"}}}");
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig.proxy.writes, 0);
}

SIM_TEST(fw_91_a_class_of_ones_own_is_looked_for)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.class_name = STR("a"), .domain = STR("x.dev")});
    rig_run(&rig);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig.builds, 0);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"annotations\":{\"x.dev/class\":\"a\"}}}");
    rig_await_condition(&rig, "Failed", READY);
    CHECK_EQ(rig_annotation(&rig, RIG_MAP, "x.dev/class"), STR("a"));
    CHECK_EQ(rig_annotation(&rig, RIG_MAP, "default.web.checksum.x.dev/w1"), STR("1"));
    /* What the controller owns carries the class, so its events pass too. */
    const size_t before = rig.builds;
    rig_do(&rig, "DELETE", RIG_MAP, NULL);
    rig_await(&rig, RIG_MAP, "data.a", "1");
    CHECK(rig.builds > before);
}

SIM_TEST(fw_92_managed_objects_say_whose_they_are)
{
    static const struct {
        const char *path, *value;
    } expected[] = {
        {"metadata.ownerReferences.0.apiVersion", RIG_GROUP "/v1"},
        {"metadata.ownerReferences.0.kind",       "Web"          },
        {"metadata.ownerReferences.0.name",       "w1"           },
        {"metadata.ownerReferences.1.name",       ""             },
    };
    static const char *const objects[] = {RIG_MAP, RIG_DEPLOYMENT};
    SCOPED(rig) rig;
    SCOPED(arena) arena = {0};
    start(&rig, &(struct framework_options){.class_name = STR("a")});
    rig.node_count = 2;
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"annotations\":{\"corset.dev/class\":\"a\"}}}");
    rig_loop(&rig);
    const struct str uid = arena_str(&arena, rig_look(&rig, RIG_WEB, "metadata.uid"));
    for (size_t i = 0; i < COUNT(objects); i++) {
        TEST_CASE("%s", objects[i]);
        CHECK_EQ(rig_annotation(&rig, objects[i], "corset.dev/class"), STR("a"));
        CHECK_EQ(rig_annotation(&rig, objects[i], "corset.dev/warning"),
                 STR("⚠️ This Resource is managed by *web* ⚠️"));
        const struct json_value *labels = json_path(json_doc_root(rig.desk.doc), "metadata.labels");
        CHECK_EQ(json_to_str(json_get(labels, STR("corset.dev/operator-controller"))), STR("web"));
        CHECK_EQ(json_to_str(json_get(labels, STR("corset.dev/operator-version"))), STR("v1.0"));
        bool controller = false;
        CHECK(json_to_bool(
            json_path(json_doc_root(rig.desk.doc), "metadata.ownerReferences.0.controller"),
            &controller));
        CHECK(controller);
        for (size_t j = 0; j < COUNT(expected); j++)
            CHECK_EQ(rig_look(&rig, objects[i], expected[j].path), str_from_c(expected[j].value));
        CHECK_EQ(rig_look(&rig, objects[i], "metadata.ownerReferences.0.uid"), uid);
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
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.finalizer = STR(FINALIZER), .on_delete = on_delete});
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"finalizers\":[\"other.dev/f\"]}}");
    deletions = 0;
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig.proxy.writes, 1);
    CHECK_EQ(rig.builds, 0);
    CHECK_EQ(rig_look(&rig, RIG_WEB, "metadata.finalizers.1"), STR(FINALIZER));
    rig_loop(&rig); /* its event continues */
    CHECK_EQ(rig_look(&rig, RIG_MAP, "data.a"), STR("1"));
    rig_do(&rig, "DELETE", RIG_WEB, NULL);
    deletion_fails = true;
    rig_loop(&rig);
    CHECK(!rig.err && rig.result.requeue);
    CHECK_EQ(rig_condition(&rig, "Failed"), STR("True/dependencyStatus/still there"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "metadata.finalizers.1"), STR(FINALIZER));
    deletion_fails = false;
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(rig_look(&rig, RIG_WEB, "metadata.finalizers.0"), STR("other.dev/f"));
    CHECK_EQ(rig_look(&rig, RIG_WEB, "metadata.finalizers.1"), STR(""));
    CHECK_EQ(deletions, 2);
    CHECK_EQ(rig.builds, 1);
    rig_loop(&rig); /* not ours any more */
    CHECK_EQ(deletions, 2);
}

SIM_TEST(fw_93_the_whole_life_of_an_owner_by_events)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.finalizer = STR(FINALIZER), .on_delete = on_delete});
    deletions = 0;
    deletion_fails = false;
    rig_run(&rig);
    rig_await_condition(&rig, "Failed", READY);
    rig_do(&rig, "DELETE", RIG_WEB, NULL);
    for (int i = 0; rig_call(&rig, "GET", RIG_WEB, NULL) != 404; i++) {
        CHECK(i < 600);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(deletions, 1);
}

#define LEFT_OVER(name, uid)                                                                 \
    "{\"metadata\":{\"name\":\"" name "\",\"ownerReferences\":[{\"apiVersion\":\"" RIG_GROUP \
    "/v1\",\"kind\":\"Web\",\"name\":\"w1\",\"uid\":\"" uid "\",\"controller\":true}]}}"

static void prune(struct rig *rig)
{
    SCOPED(buf) ours = {.limit = 0};
    const struct str uid = rig_look(rig, RIG_WEB, "metadata.uid");
    buf_print(&ours, LEFT_OVER("ours", "%.*s"), STR_ARG(uid));
    rig_do(rig, "POST", RIG_MAPS, buf_c(&ours));
    rig_do(rig, "POST", RIG_MAPS, "{\"metadata\":{\"name\":\"free\"}}");
    /* A finalizer, for the collector does not keep what refers to an owner that is not there. */
    rig_do(rig, "POST", RIG_MAPS,
           "{\"metadata\":{\"name\":\"namesake\",\"finalizers\":[\"test.dev/keep\"],"
           "\"ownerReferences\":[{\"apiVersion\":\"" RIG_GROUP
           "/v1\",\"kind\":\"Web\",\"name\":\"w1\",\"uid\":\"another\",\"controller\":true}]}}");
    proxy_forget(&rig->proxy);
}

SIM_TEST(fw_94_what_is_owned_and_not_wanted_is_deleted)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    rig_loop(&rig);
    prune(&rig);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE"), 1);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE " RIG_MAPS "/ours"), 1);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAPS "/ours", NULL), 404);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAPS "/namesake", NULL), 200);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAPS "/free", NULL), 200);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 200);
    proxy_forget(&rig.proxy);
    rig_loop(&rig);
    CHECK_EQ(buf_str(&rig.proxy.asked), STR(""));
    /* And so is what the graph has named before. */
    rig.node_count = 0;
    rig_loop(&rig);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 404);
}

SIM_TEST(fw_94_before_there_is_a_cache_the_server_is_asked)
{
    SCOPED(rig) rig;
    rig_init(&rig);
    rig_create_owner(&rig);
    proxy_fail(&rig.proxy,
               (struct proxy_fault){"GET", "/api/v1/configmaps?", SIZE_MAX, .status = 500});
    rig_start(&rig, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    prune(&rig);
    rig_loop_now(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE"), 1);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE " RIG_MAPS "/ours"), 1);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAPS "/namesake", NULL), 200);
}

SIM_TEST(fw_94_what_is_going_already_is_not_deleted_again)
{
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.flags = FRAMEWORK_PRUNE});
    rig_loop(&rig);
    rig_do(&rig, "PATCH", RIG_MAP, "{\"metadata\":{\"finalizers\":[\"test.dev/keep\"]}}");
    rig.node_count = 0;
    rig_loop(&rig);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE"), 1);
    CHECK_EQ(rig_call(&rig, "GET", RIG_MAP, NULL), 200);
}

SIM_TEST(fw_94_nothing_is_deleted_unless_it_was_asked_for)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_loop(&rig);
    prune(&rig);
    rig_loop(&rig);
    rig_check_done(&rig);
    CHECK_EQ(proxy_count(&rig.proxy, "DELETE"), 0);
}

/* In the middle of a loop, ten events for its owner. */
static struct error *make_events(struct rig *rig)
{
    static const char *const values[] = {
        "{\"data\":{\"x\":\"1\"}}",
        "{\"data\":{\"x\":\"2\"}}",
    };
    rig->on_build = NULL;
    for (size_t i = 0; i < 10; i++)
        rig_do(rig, "PATCH", RIG_MAP, values[i % 2]);
    return fiber_sleep(SECOND);
}

SIM_TEST(fw_95_many_events_make_one_more_loop)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig_run(&rig);
    rig_await_condition(&rig, "Failed", READY);
    CHECK_OK(fiber_sleep(MINUTE));
    const size_t before = rig.builds;
    rig.on_build = make_events;
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig.builds - before, 2);
}

/* Neither its own status writes nor the answers to them lead to more loops. */
SIM_TEST(a_controller_does_not_wake_itself)
{
    SCOPED(rig) rig;
    start(&rig, NULL);
    rig.node_count = 0;
    rig_run(&rig);
    rig_await_condition(&rig, "Failed", READY);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig.builds, 1);
    rig_do(&rig, "PATCH", RIG_WEB "/status", "{\"status\":{\"mine\":1}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig.builds, 1);
    rig_do(&rig, "PATCH", RIG_WEB, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(rig.builds, 2);
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
    SCOPED(rig) rig;
    start(&rig, &(struct framework_options){.watches = watches, .watch_count = 1});
    rig.nodes[0] = (struct rig_node){.object = "{\"apiVersion\":\"v1\",\"kind\":\"Secret\","
                                               "\"metadata\":{\"name\":\"outer\","
                                               "\"namespace\":\"default\"}}",
                                     .options = {.kind = GRAPH_EXTERNAL}};
    rig_run(&rig);
    CHECK_OK(fiber_sleep(400 * SECOND));
    rig_do(&rig, "POST", RIG_SECRETS, "{\"metadata\":{\"name\":\"outer\"}}");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(rig_condition(&rig, "Failed"), STR(READY));
}
