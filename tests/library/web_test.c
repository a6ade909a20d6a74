/* The example controller as a process, against the API server as another. */
#include <sys/stat.h>
#include <unistd.h>

#include "api/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/buf.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "interop/folder.h"
#include "json/manifest.h"
#include "json/path.h"
#include "library/child.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/sim.h"

#define PATIENCE    (30 * SECOND)
#define POLL_PERIOD (20 * MILLISECOND)
#define STEADY      (2 * SECOND)

#define GVR_WEBS        GVR("example.corset.dev", "v1", "webs")
#define GVR_DEPLOYMENTS GVR("apps", "v1", "deployments")
#define GVR_SERVICES    GVR("", "v1", "services")
#define WEB             KEY("default", "hello")
#define CONFIG          KEY("default", "hello-web-config")
#define SERVER          KEY("default", "hello-web-server")
#define SERVICE         KEY("default", "hello-web")

struct stage {
    struct folder folder;
    struct child server, web;
    struct rest_config config;
    struct network *network;
    struct tls_context *tls;
    struct client *client;
};

static void stage_done(struct stage *stage)
{
    client_free(stage->client);
    tls_context_free(stage->tls);
    network_free(stage->network);
    rest_config_done(&stage->config);
    child_done(&stage->web);
    child_done(&stage->server);
    folder_done(&stage->folder);
}

static void wait_for_file(const char *path)
{
    while (access(path, R_OK) != 0)
        CHECK_OK(fiber_sleep(POLL_PERIOD));
}

static void start_web(struct stage *stage)
{
    const char *kubeconfig = folder_file(&stage->folder, "kubeconfig");
    const char *const arguments[] = {TEST_WEB, "--kubeconfig", kubeconfig, NULL};
    CHECK_OK(child_start(&stage->web, arguments, folder_file(&stage->folder, "web.log")));
}

/* Applies every object of a file of the example's. */
static void apply_file(struct stage *stage, const char *path, struct gvr gvr)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(manifest_list) list = {0};
    const struct client_write_options options = {.field_manager = STR("test")};
    file_read(path, &text);
    CHECK_OK(manifest_read(buf_str(&text), NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        OWNED(object) object = NULL;
        CHECK_OK(object_from_doc(list.docs[i], &object));
        CHECK_OK(client_apply(stage->client, gvr, object, &options, NULL));
    }
}

static void stage_init(struct stage *stage)
{
    *stage = (struct stage){0};
    folder_init(&stage->folder);
    const char *kubeconfig = folder_file(&stage->folder, "kubeconfig");
    const char *const arguments[] = {TEST_CORSET,   "apiserver",          "--in-memory", "--listen",
                                     "127.0.0.1:0", "--write-kubeconfig", kubeconfig,    NULL};
    const struct kubeconfig_paths paths = {.file = str_from_c(kubeconfig)};
    CHECK_OK(child_start(&stage->server, arguments, folder_file(&stage->folder, "server.log")));
    wait_for_file(kubeconfig);
    CHECK_OK(kubeconfig_load(&paths, NULL, &stage->config));
    stage->network = tcp_network_new(loop_current());
    stage->tls = tls_context_new();
    const struct client_options options = {
        .config = &stage->config, .network = stage->network, .tls = stage->tls, .qps = -1};
    stage->client = client_new(loop_current(), &options);
    start_web(stage); /* before its kind exists: it waits for that */
    apply_file(stage, TEST_EXAMPLE "/crd.yaml",
               GVR("apiextensions.k8s.io", "v1", "customresourcedefinitions"));
    for (;;) { /* the kind is served a moment after its definition */
        OWNED(error) err = client_get(stage->client, GVR_WEBS, WEB, NULL, NULL);
        CHECK(error_is(err, ERROR_NOT_FOUND));
        if (strstr(err->message, "\"hello\""))
            break;
        CHECK_OK(fiber_sleep(POLL_PERIOD));
    }
}

static struct object *get(struct stage *stage, struct gvr gvr, struct key key)
{
    struct object *object = NULL;
    OWNED(error) err = client_get(stage->client, gvr, key, NULL, &object);
    CHECK(!err || error_is(err, ERROR_NOT_FOUND));
    return object;
}

/* Suspends until the text at a path is this one; NULL: until the object is gone. */
static void wait_for(struct stage *stage, struct gvr gvr, struct key key, const char *path,
                     const char *text)
{
    FIBER_TIMEOUT(PATIENCE);
    for (;;) {
        OWNED(object) object = get(stage, gvr, key);
        TEST_CASE("%.*s %s: %.*s", STR_ARG(key.name), path ? path : "",
                  STR_ARG(object ? json_path_str(object_root(object), path ? path : "kind")
                                 : STR("(none)")));
        if (text ? object && str_eq(json_path_str(object_root(object), path), str_from_c(text))
                 : !object)
            return;
        CHECK_OK(fiber_sleep(POLL_PERIOD));
    }
}

static struct str condition(const struct object *web, const char *type, const char *field)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, object_path(web, "status.conditions"))
        if (str_eq(json_path_str(item, "type"), str_from_c(type)))
            return json_path_str(item, field);
    return STR("");
}

/* Suspends until both conditions are these, for the generation that the Web has. */
static void wait_status(struct stage *stage, const char *in_progress, const char *failed)
{
    FIBER_TIMEOUT(PATIENCE);
    for (;;) {
        int64_t observed = 0;
        OWNED(object) web = get(stage, GVR_WEBS, WEB);
        CHECK(web);
        json_to_int64(object_path(web, "status.observedGeneration"), &observed);
        TEST_CASE("InProgress=%.*s Failed=%.*s", STR_ARG(condition(web, "InProgress", "status")),
                  STR_ARG(condition(web, "Failed", "status")));
        if (observed == object_generation(web) &&
            str_eq(condition(web, "InProgress", "status"), str_from_c(in_progress)) &&
            str_eq(condition(web, "Failed", "status"), str_from_c(failed)))
            return;
        CHECK_OK(fiber_sleep(POLL_PERIOD));
    }
}

static void patch(struct stage *stage, struct gvr gvr, struct key key, const char *subresource,
                  const char *body)
{
    const struct client_write_options options = {.subresource = str_from_c(subresource)};
    CHECK_OK(client_patch(stage->client, gvr, key, CLIENT_PATCH_MERGE, str_from_c(body), &options,
                          NULL));
}

/* What the Deployment controller would say, which does not run here. */
static void make_ready(struct stage *stage)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(object) server = get(stage, GVR_DEPLOYMENTS, SERVER);
    CHECK(server);
    buf_print(
        &body,
        "{\"status\":{\"observedGeneration\":%lld,\"replicas\":2,\"updatedReplicas\":2,"
        "\"readyReplicas\":2,\"availableReplicas\":2,\"conditions\":["
        "{\"type\":\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
        "{\"type\":\"Available\",\"status\":\"True\"}]}}",
        (long long)object_generation(server));
    patch(stage, GVR_DEPLOYMENTS, SERVER, "status", buf_c(&body));
}

/* The version of everything: it moves with every write, whoever makes it. */
static struct str newest(struct stage *stage, struct arena *arena)
{
    struct object_list list;
    CHECK_OK(client_list_page(stage->client, GVR_WEBS, STR(""), NULL, arena, &list));
    return arena_str(arena, list.resource_version);
}

static void check_steady(struct stage *stage)
{
    SCOPED(arena) arena = {0};
    CHECK_OK(fiber_sleep(STEADY / 4)); /* what was under way ends */
    const struct str before = newest(stage, &arena);
    CHECK_OK(fiber_sleep(STEADY));
    CHECK_EQ(newest(stage, &arena), before);
}

static void make_web(struct stage *stage)
{
    apply_file(stage, TEST_EXAMPLE "/web.yaml", GVR_WEBS);
    wait_for(stage, GVR_SERVICES, SERVICE, "spec.selector.web", "hello");
    wait_for(stage, GVR_DEPLOYMENTS, SERVER, "metadata.name", "hello-web-server");
    wait_for(stage, GVR_CONFIG_MAPS, CONFIG, "metadata.ownerReferences.0.kind", "Web");
}

LOOP_TEST(a_web_becomes_objects_and_is_ready_when_they_are)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    make_web(&stage);
    wait_status(&stage, "True", "True");
    OWNED(object) waiting = get(&stage, GVR_WEBS, WEB);
    CHECK_EQ(condition(waiting, "Failed", "reason"), STR("dependencyStatus"));
    CHECK_CONTAINS(condition(waiting, "Failed", "message"),
                   STR("Deployment.apps default/hello-web-server"));
    check_steady(&stage); /* waiting is no reason to write either */
    make_ready(&stage);
    wait_status(&stage, "False", "False");
    check_steady(&stage);
    CHECK_OK(child_stop(&stage.web));
    start_web(&stage); /* a new process finds nothing to do */
    check_steady(&stage);
    CHECK_OK(child_stop(&stage.web));
    CHECK_OK(child_stop(&stage.server));
}

LOOP_TEST(a_changed_message_reaches_the_pods)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    make_web(&stage);
    make_ready(&stage);
    wait_status(&stage, "False", "False");
    OWNED(object) before = get(&stage, GVR_DEPLOYMENTS, SERVER);
    patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Changed\"}}");
    FIBER_TIMEOUT(PATIENCE);
    for (;;) {
        OWNED(object) after = get(&stage, GVR_DEPLOYMENTS, SERVER);
        if (object_generation(after) > object_generation(before))
            break;
        CHECK_OK(fiber_sleep(POLL_PERIOD));
    }
    OWNED(object) config = get(&stage, GVR_CONFIG_MAPS, CONFIG);
    OWNED(object) after = get(&stage, GVR_DEPLOYMENTS, SERVER);
    CHECK_CONTAINS(json_to_str(json_get(object_path(config, "data"), STR("index.html"))),
                   STR("<p>Changed</p>"));
    struct str marker;
    CHECK(object_find_annotation(
        after, STR("default.configmap.checksum.corset.dev/hello-web-config"), &marker));
    CHECK_EQ(marker, object_resource_version(config));
    CHECK(object_find_annotation(after, STR("default.web.checksum.corset.dev/hello"), &marker));
    CHECK_EQ(marker, STR("2"));
    wait_status(&stage, "True", "True"); /* its status is of the generation before */
    make_ready(&stage);
    wait_status(&stage, "False", "False");
    CHECK_OK(child_stop(&stage.web));
}

LOOP_TEST(a_deleted_web_takes_its_objects_along)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    make_web(&stage);
    CHECK_OK(client_delete(stage.client, GVR_WEBS, WEB, NULL, NULL));
    wait_for(&stage, GVR_WEBS, WEB, NULL, NULL);
    wait_for(&stage, GVR_CONFIG_MAPS, CONFIG, NULL, NULL);
    wait_for(&stage, GVR_DEPLOYMENTS, SERVER, NULL, NULL);
    wait_for(&stage, GVR_SERVICES, SERVICE, NULL, NULL);
    check_steady(&stage);
    CHECK_OK(child_stop(&stage.web));
}

LOOP_TEST(a_web_that_makes_no_sense_says_so_and_stops)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    make_web(&stage);
    patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"<script>\"}}");
    wait_status(&stage, "False", "True");
    OWNED(object) web = get(&stage, GVR_WEBS, WEB);
    CHECK_EQ(condition(web, "Failed", "reason"), STR("invalidSpec"));
    CHECK_EQ(condition(web, "Failed", "message"), STR("spec.message is text, not HTML"));
    patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"message\":\"Better\"}}");
    wait_status(&stage, "True", "True");
    CHECK_OK(child_stop(&stage.web));
}

LOOP_TEST(a_paused_web_is_left_alone)
{
    SCOPED(stage) stage;
    stage_init(&stage);
    make_web(&stage);
    wait_status(&stage, "True", "True");
    patch(&stage, GVR_WEBS, WEB, "", "{\"spec\":{\"paused\":true,\"message\":\"Later\"}}");
    check_steady(&stage);
    OWNED(object) config = get(&stage, GVR_CONFIG_MAPS, CONFIG);
    CHECK_CONTAINS(json_to_str(json_get(object_path(config, "data"), STR("index.html"))),
                   STR("Hello from C"));
    CHECK_OK(child_stop(&stage.web));
}
