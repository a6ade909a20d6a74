/* The example controller as a process, against the API server as another. */
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/library_fixture.h"
#include "testing/sim.h"

#define GVR_WEBS        GVR("example.corset.dev", "v1", "webs")
#define GVR_DEPLOYMENTS GVR("apps", "v1", "deployments")
#define GVR_SERVICES    GVR("", "v1", "services")
#define WEB             KEY("default", "hello")
#define CONFIG          KEY("default", "hello-web-config")
#define SERVER          KEY("default", "hello-web-server")
#define SERVICE         KEY("default", "hello-web")

static void begin(struct library_fixture *fixture, const char *const *more)
{
    SCOPED(buf) crd = {.limit = 0};
    file_read(TEST_EXAMPLE "/crd.yaml", &crd);
    library_fixture_init(fixture, TEST_WEB, more, buf_str(&crd), GVR_WEBS, WEB);
}

static void make_web(struct library_fixture *fixture)
{
    SCOPED(buf) web = {.limit = 0};
    file_read(TEST_EXAMPLE "/web.yaml", &web);
    library_fixture_apply(fixture, GVR_WEBS, buf_str(&web));
    library_fixture_wait(fixture, GVR_SERVICES, SERVICE, "spec.selector.web", "hello");
    library_fixture_wait(fixture, GVR_DEPLOYMENTS, SERVER, "metadata.name", "hello-web-server");
    library_fixture_wait(fixture, GVR_CONFIG_MAPS, CONFIG, "metadata.ownerReferences.0.kind",
                         "Web");
}

/* What the Deployment controller would say, which does not run here. */
static void make_ready(struct library_fixture *fixture)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(object) server = library_fixture_get(fixture, GVR_DEPLOYMENTS, SERVER);
    CHECK(server);
    buf_print(
        &body,
        "{\"status\":{\"observedGeneration\":%lld,\"replicas\":2,\"updatedReplicas\":2,"
        "\"readyReplicas\":2,\"availableReplicas\":2,\"conditions\":["
        "{\"type\":\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
        "{\"type\":\"Available\",\"status\":\"True\"}]}}",
        (long long)object_generation(server));
    library_fixture_patch(fixture, GVR_DEPLOYMENTS, SERVER, "status", buf_c(&body));
}

static struct str page(const struct object *config)
{
    return json_to_str(json_get(object_path(config, "data"), STR("index.html")));
}

LOOP_TEST(a_web_becomes_objects_and_is_ready_when_they_are)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture, NULL);
    make_web(&fixture);
    library_fixture_wait_status(&fixture, "True", "True");
    OWNED(object) waiting = library_fixture_get(&fixture, GVR_WEBS, WEB);
    CHECK_EQ(library_fixture_condition(waiting, "Failed", "reason"), STR("dependencyStatus"));
    CHECK_CONTAINS(library_fixture_condition(waiting, "Failed", "message"),
                   STR("Deployment.apps default/hello-web-server"));
    library_fixture_check_steady(&fixture); /* waiting is no reason to write either */
    make_ready(&fixture);
    library_fixture_wait_status(&fixture, "False", "False");
    library_fixture_check_steady(&fixture);
    CHECK_OK(child_stop(&fixture.controller));
    library_fixture_run(&fixture, TEST_WEB, NULL); /* a new process finds nothing to do */
    library_fixture_check_steady(&fixture);
    CHECK_OK(child_stop(&fixture.controller));
    CHECK_OK(child_stop(&fixture.server));
}

LOOP_TEST(a_changed_message_reaches_the_pods)
{
    SCOPED(library_fixture) fixture;
    struct str marker;
    begin(&fixture, NULL);
    make_web(&fixture);
    make_ready(&fixture);
    library_fixture_wait_status(&fixture, "False", "False");
    library_fixture_patch(&fixture, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Changed\"}}");
    library_fixture_wait_status(&fixture, "True",
                                "True"); /* the Deployment's status is of what it was */
    OWNED(object) config = library_fixture_get(&fixture, GVR_CONFIG_MAPS, CONFIG);
    OWNED(object) server = library_fixture_get(&fixture, GVR_DEPLOYMENTS, SERVER);
    CHECK_CONTAINS(page(config), STR("<p>Changed</p>"));
    CHECK_EQ(object_generation(server), 2);
    CHECK(object_find_annotation(
        server, STR("default.configmap.checksum.corset.dev/hello-web-config"), &marker));
    CHECK_EQ(marker, object_resource_version(config));
    CHECK(object_find_annotation(server, STR("default.web.checksum.corset.dev/hello"), &marker));
    CHECK_EQ(marker, STR("2"));
    make_ready(&fixture);
    library_fixture_wait_status(&fixture, "False", "False");
    CHECK_OK(child_stop(&fixture.controller));
}

LOOP_TEST(a_deleted_web_takes_its_objects_along)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture, NULL);
    make_web(&fixture);
    CHECK_OK(client_delete(fixture.client, GVR_WEBS, WEB, NULL, NULL));
    library_fixture_wait(&fixture, GVR_WEBS, WEB, NULL, NULL);
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, CONFIG, NULL, NULL);
    library_fixture_wait(&fixture, GVR_DEPLOYMENTS, SERVER, NULL, NULL);
    library_fixture_wait(&fixture, GVR_SERVICES, SERVICE, NULL, NULL);
    library_fixture_check_steady(&fixture);
    CHECK_OK(child_stop(&fixture.controller));
}

LOOP_TEST(a_web_that_makes_no_sense_says_so_and_stops)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture, NULL);
    make_web(&fixture);
    library_fixture_patch(&fixture, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"<script>\"}}");
    library_fixture_wait_status(&fixture, "False", "True");
    OWNED(object) web = library_fixture_get(&fixture, GVR_WEBS, WEB);
    CHECK_EQ(library_fixture_condition(web, "Failed", "reason"), STR("invalidSpec"));
    CHECK_EQ(library_fixture_condition(web, "Failed", "message"),
             STR("spec.message is text, not HTML"));
    library_fixture_patch(&fixture, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Better\"}}");
    library_fixture_wait_status(&fixture, "True", "True");
    CHECK_OK(child_stop(&fixture.controller));
}

LOOP_TEST(a_paused_web_is_left_alone)
{
    SCOPED(library_fixture) fixture;
    begin(&fixture, NULL);
    make_web(&fixture);
    library_fixture_wait_status(&fixture, "True", "True");
    library_fixture_patch(&fixture, GVR_WEBS, WEB, "",
                          "{\"spec\":{\"paused\":true,\"message\":\"Later\"}}");
    library_fixture_check_steady(&fixture);
    OWNED(object) config = library_fixture_get(&fixture, GVR_CONFIG_MAPS, CONFIG);
    CHECK_CONTAINS(page(config), STR("Hello from C"));
    CHECK_OK(child_stop(&fixture.controller));
}
