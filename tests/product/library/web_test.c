/* The example controller as a process, against the API server as another. */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/stage.h"
#include "testing/sim.h"

#define GVR_WEBS        GVR("example.corset.dev", "v1", "webs")
#define GVR_DEPLOYMENTS GVR("apps", "v1", "deployments")
#define GVR_SERVICES    GVR("", "v1", "services")
#define WEB             KEY("default", "hello")
#define CONFIG          KEY("default", "hello-web-config")
#define SERVER          KEY("default", "hello-web-server")
#define SERVICE         KEY("default", "hello-web")

static void begin(struct stage *stage, const char *const *more)
{
    SCOPED(buf) crd = {.limit = 0};
    file_read(TEST_EXAMPLE "/crd.yaml", &crd);
    stage_init(stage, TEST_WEB, more, buf_str(&crd), GVR_WEBS, WEB);
}

static void make_web(struct stage *stage)
{
    SCOPED(buf) web = {.limit = 0};
    file_read(TEST_EXAMPLE "/web.yaml", &web);
    stage_apply(stage, GVR_WEBS, buf_str(&web));
    stage_wait(stage, GVR_SERVICES, SERVICE, "spec.selector.web", "hello");
    stage_wait(stage, GVR_DEPLOYMENTS, SERVER, "metadata.name", "hello-web-server");
    stage_wait(stage, GVR_CONFIG_MAPS, CONFIG, "metadata.ownerReferences.0.kind", "Web");
}

/* What the Deployment controller would say, which does not run here. */
static void make_ready(struct stage *stage)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(object) server = stage_get(stage, GVR_DEPLOYMENTS, SERVER);
    CHECK(server);
    buf_print(
        &body,
        "{\"status\":{\"observedGeneration\":%lld,\"replicas\":2,\"updatedReplicas\":2,"
        "\"readyReplicas\":2,\"availableReplicas\":2,\"conditions\":["
        "{\"type\":\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
        "{\"type\":\"Available\",\"status\":\"True\"}]}}",
        (long long)object_generation(server));
    stage_patch(stage, GVR_DEPLOYMENTS, SERVER, "status", buf_c(&body));
}

static struct str page(const struct object *config)
{
    return json_to_str(json_get(object_path(config, "data"), STR("index.html")));
}

LOOP_TEST(a_web_becomes_objects_and_is_ready_when_they_are)
{
    SCOPED(stage) stage;
    begin(&stage, NULL);
    make_web(&stage);
    stage_wait_status(&stage, "True", "True");
    OWNED(object) waiting = stage_get(&stage, GVR_WEBS, WEB);
    CHECK_EQ(stage_condition(waiting, "Failed", "reason"), STR("dependencyStatus"));
    CHECK_CONTAINS(stage_condition(waiting, "Failed", "message"),
                   STR("Deployment.apps default/hello-web-server"));
    stage_check_steady(&stage); /* waiting is no reason to write either */
    make_ready(&stage);
    stage_wait_status(&stage, "False", "False");
    stage_check_steady(&stage);
    CHECK_OK(child_stop(&stage.controller));
    stage_run(&stage, TEST_WEB, NULL); /* a new process finds nothing to do */
    stage_check_steady(&stage);
    CHECK_OK(child_stop(&stage.controller));
    CHECK_OK(child_stop(&stage.server));
}

LOOP_TEST(a_changed_message_reaches_the_pods)
{
    SCOPED(stage) stage;
    struct str marker;
    begin(&stage, NULL);
    make_web(&stage);
    make_ready(&stage);
    stage_wait_status(&stage, "False", "False");
    stage_patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Changed\"}}");
    stage_wait_status(&stage, "True", "True"); /* the Deployment's status is of what it was */
    OWNED(object) config = stage_get(&stage, GVR_CONFIG_MAPS, CONFIG);
    OWNED(object) server = stage_get(&stage, GVR_DEPLOYMENTS, SERVER);
    CHECK_CONTAINS(page(config), STR("<p>Changed</p>"));
    CHECK_EQ(object_generation(server), 2);
    CHECK(object_find_annotation(
        server, STR("default.configmap.checksum.corset.dev/hello-web-config"), &marker));
    CHECK_EQ(marker, object_resource_version(config));
    CHECK(object_find_annotation(server, STR("default.web.checksum.corset.dev/hello"), &marker));
    CHECK_EQ(marker, STR("2"));
    make_ready(&stage);
    stage_wait_status(&stage, "False", "False");
    CHECK_OK(child_stop(&stage.controller));
}

LOOP_TEST(a_deleted_web_takes_its_objects_along)
{
    SCOPED(stage) stage;
    begin(&stage, NULL);
    make_web(&stage);
    CHECK_OK(client_delete(stage.client, GVR_WEBS, WEB, NULL, NULL));
    stage_wait(&stage, GVR_WEBS, WEB, NULL, NULL);
    stage_wait(&stage, GVR_CONFIG_MAPS, CONFIG, NULL, NULL);
    stage_wait(&stage, GVR_DEPLOYMENTS, SERVER, NULL, NULL);
    stage_wait(&stage, GVR_SERVICES, SERVICE, NULL, NULL);
    stage_check_steady(&stage);
    CHECK_OK(child_stop(&stage.controller));
}

LOOP_TEST(a_web_that_makes_no_sense_says_so_and_stops)
{
    SCOPED(stage) stage;
    begin(&stage, NULL);
    make_web(&stage);
    stage_patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"<script>\"}}");
    stage_wait_status(&stage, "False", "True");
    OWNED(object) web = stage_get(&stage, GVR_WEBS, WEB);
    CHECK_EQ(stage_condition(web, "Failed", "reason"), STR("invalidSpec"));
    CHECK_EQ(stage_condition(web, "Failed", "message"), STR("spec.message is text, not HTML"));
    stage_patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Better\"}}");
    stage_wait_status(&stage, "True", "True");
    CHECK_OK(child_stop(&stage.controller));
}

LOOP_TEST(a_paused_web_is_left_alone)
{
    SCOPED(stage) stage;
    begin(&stage, NULL);
    make_web(&stage);
    stage_wait_status(&stage, "True", "True");
    stage_patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"paused\":true,\"message\":\"Later\"}}");
    stage_check_steady(&stage);
    OWNED(object) config = stage_get(&stage, GVR_CONFIG_MAPS, CONFIG);
    CHECK_CONTAINS(page(config), STR("Hello from C"));
    CHECK_OK(child_stop(&stage.controller));
}
