#include "scenarios/framework/framework_fixture.h"

#include <string.h>

#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "framework/framework_internal.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/sim_network.h"

#define PROXY      STR("proxy.test")
#define PROXY_PORT 80

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"webs." FRAMEWORK_FIXTURE_GROUP
    "\"},\"spec\":{\"group\":\"" FRAMEWORK_FIXTURE_GROUP "\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"webs\",\"singular\":\"web\","
    "\"kind\":\"Web\",\"listKind\":\"WebList\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
    "\"storage\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static const char owner[] = "{\"apiVersion\":\"" FRAMEWORK_FIXTURE_GROUP "/v1\",\"kind\":\"Web\","
                            "\"metadata\":{\"name\":\"w1\",\"namespace\":\"default\"},"
                            "\"spec\":{\"text\":\"hello\"}}";

const char framework_fixture_map[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
    "\"w1-web\",\"namespace\":\"default\"},\"data\":{\"a\":\"1\"}}";

const char framework_fixture_deployment[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"w1-web\","
    "\"namespace\":\"default\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{"
    "\"app\":\"w1\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"w1\"}},\"spec\":{"
    "\"containers\":[{\"name\":\"web\",\"image\":\"web:1\"}]}}}}";

static void open_proxy(struct framework_fixture *fixture)
{
    fixture->proxy.behind = fixture->apiserver.direct;
    proxy_open(&fixture->proxy, fixture->apiserver.network, PROXY);
    fixture->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    fixture->config.host = STR("http://proxy.test");
    fixture->client =
        client_new(loop_current(), &(struct client_options){.config = &fixture->config,
                                                            .network = fixture->apiserver.network,
                                                            .qps = -1});
}

void framework_fixture_init(struct framework_fixture *fixture)
{
    *fixture = (struct framework_fixture){0};
    apiserver_fixture_init(&fixture->apiserver, &(struct apiserver_options){.virtual_clusters = 1});
    framework_fixture_do(fixture, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                         definition);
    while (framework_fixture_call(fixture, "GET", FRAMEWORK_FIXTURE_WEBS, NULL) != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    open_proxy(fixture);
    fixture->pool = discovery_pool_new();
    fixture->discovery = discovery_new(fixture->client, fixture->pool, NULL);
    fixture->caches = cache_set_new(loop_current(), fixture->client);
}

void framework_fixture_done(struct framework_fixture *fixture)
{
    framework_fixture_stop(fixture);
    framework_free(fixture->framework);
    cache_set_free(fixture->caches);
    discovery_free(fixture->discovery);
    discovery_pool_free(fixture->pool);
    client_free(fixture->client);
    proxy_done(&fixture->proxy);
    apiserver_fixture_done(&fixture->apiserver);
    error_free(fixture->err);
}

static struct error *add_node(struct framework_fixture *fixture,
                              struct framework_fixture_node *node, struct graph *graph)
{
    struct graph_node_options options = node->options;
    struct graph_node *blockers[COUNT(node->blockers)] = {0};
    OWNED(object) object = NULL;
    if (node->object)
        TRY(object_read(str_from_c(node->object), &object));
    for (size_t i = 0; i < COUNT(blockers); i++)
        blockers[i] = node->blockers[i] ? fixture->nodes[node->blockers[i] - 1].node : NULL;
    options.object = object;
    options.blockers = blockers;
    options.blocker_count = COUNT(blockers);
    return graph_add(graph, &options, &node->node);
}

static struct error *build(struct framework_run *run, struct graph *graph)
{
    struct framework_fixture *fixture = framework_data(run);
    fixture->builds++;
    if (fixture->on_build)
        TRY(fixture->on_build(fixture));
    for (size_t i = 0; i < fixture->node_count; i++)
        TRY(add_node(fixture, &fixture->nodes[i], graph));
    return NULL;
}

static void fill_in(struct framework_fixture *fixture, struct framework_options *options)
{
    static const struct framework_watch watches[] = {
        {.gvk = {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")}},
        {.gvk = {STR_INIT("apps"), STR_INIT("v1"), STR_INIT("Deployment")}},
    };
    options->name = STR("web");
    options->version = STR("v1.0");
    options->commit = STR("abc");
    options->owner = (struct gvk){STR(FRAMEWORK_FIXTURE_GROUP), STR("v1"), STR("Web")};
    if (!options->watches) {
        options->watches = watches;
        options->watch_count = COUNT(watches);
    }
    options->build = build;
    options->data = fixture;
    options->client = fixture->client;
    options->discovery = fixture->discovery;
    options->caches = fixture->caches;
}

struct framework_options framework_fixture_options(struct framework_fixture *fixture)
{
    struct framework_options options = {0};
    fill_in(fixture, &options);
    return options;
}

void framework_fixture_start(struct framework_fixture *fixture,
                             const struct framework_options *options)
{
    struct framework_options all = options ? *options : (struct framework_options){0};
    fill_in(fixture, &all);
    CHECK_OK(framework_new(loop_current(), &all, &fixture->framework));
}

void framework_fixture_create_owner(struct framework_fixture *fixture)
{
    framework_fixture_do(fixture, "POST", FRAMEWORK_FIXTURE_WEBS, owner);
}

void framework_fixture_plan(struct framework_fixture *fixture)
{
    fixture->nodes[0] = (struct framework_fixture_node){.object = framework_fixture_map};
    fixture->nodes[1] =
        (struct framework_fixture_node){.object = framework_fixture_deployment, .blockers = {1}};
    fixture->node_count = 2;
}

void framework_fixture_settle(struct framework_fixture *fixture)
{
    CHECK_OK(cache_set_wait_synced(fixture->caches));
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
}

void framework_fixture_loop(struct framework_fixture *fixture)
{
    framework_fixture_settle(fixture);
    framework_fixture_loop_now(fixture);
}

void framework_fixture_loop_now(struct framework_fixture *fixture)
{
    error_free(TAKE(fixture->err));
    fixture->err = framework_reconcile(fixture->framework, KEY("default", "w1"), &fixture->result);
}

void framework_fixture_check_done(const struct framework_fixture *fixture)
{
    if (fixture->err)
        test_fail(TEST_PLACE("loop"), "%s", fixture->err->message);
    CHECK(!fixture->result.requeue);
    CHECK_EQ(fixture->result.requeue_after, 0);
}

static struct error *run(void *data)
{
    struct framework_fixture *fixture = data;
    return controller_run(fixture->framework->controller);
}

void framework_fixture_run(struct framework_fixture *fixture)
{
    scope_start(&fixture->running, "controller", run, fixture);
}

void framework_fixture_stop(struct framework_fixture *fixture)
{
    scope_done(&fixture->running);
}

int framework_fixture_call(struct framework_fixture *fixture, const char *method,
                           const char *target, const char *body)
{
    return apiserver_fixture_call(&fixture->apiserver, method, target, body);
}

void framework_fixture_do(struct framework_fixture *fixture, const char *method, const char *target,
                          const char *body)
{
    apiserver_fixture_do(&fixture->apiserver, method, target, body);
}

struct str framework_fixture_look(struct framework_fixture *fixture, const char *target,
                                  const char *path)
{
    return apiserver_fixture_look(&fixture->apiserver, target, path);
}

struct str framework_fixture_annotation(struct framework_fixture *fixture, const char *target,
                                        const char *name)
{
    if (framework_fixture_call(fixture, "GET", target, NULL) != 200)
        return STR("");
    const struct json_value *all =
        json_path(json_doc_root(fixture->apiserver.doc), "metadata.annotations");
    return json_to_str(json_get(all, str_from_c(name)));
}

struct str framework_fixture_condition(struct framework_fixture *fixture, const char *type)
{
    const struct json_value *condition;
    SCOPED(buf) text = {.limit = 0};
    CHECK_EQ(framework_fixture_call(fixture, "GET", FRAMEWORK_FIXTURE_WEB, NULL), 200);
    JSON_FOREACH (key, condition,
                  json_path(json_doc_root(fixture->apiserver.doc), "status.conditions")) {
        if (!str_eq(json_path_str(condition, "type"), str_from_c(type)))
            continue;
        buf_print(&text, "%.*s/%.*s/%.*s", STR_ARG(json_path_str(condition, "status")),
                  STR_ARG(json_path_str(condition, "reason")),
                  STR_ARG(json_path_str(condition, "message")));
        return apiserver_fixture_keep(&fixture->apiserver, buf_str(&text));
    }
    return STR("-");
}

void framework_fixture_make_ready(struct framework_fixture *fixture, const char *target)
{
    SCOPED(buf) place = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    const struct str generation = framework_fixture_look(fixture, target, "metadata.generation");
    buf_print(&body,
              "{\"status\":{\"observedGeneration\":%.*s,\"replicas\":1,\"updatedReplicas\":1,"
              "\"readyReplicas\":1,\"availableReplicas\":1,\"conditions\":[{\"type\":"
              "\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
              "{\"type\":\"Available\",\"status\":\"True\"}]}}",
              STR_ARG(generation));
    buf_print(&place, "%s/status", target);
    framework_fixture_do(fixture, "PATCH", buf_c(&place), buf_c(&body));
}

void framework_fixture_await(struct framework_fixture *fixture, const char *target,
                             const char *path, const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(framework_fixture_look(fixture, target, path), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(framework_fixture_look(fixture, target, path), str_from_c(text));
}

void framework_fixture_await_condition(struct framework_fixture *fixture, const char *type,
                                       const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(framework_fixture_condition(fixture, type), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(framework_fixture_condition(fixture, type), str_from_c(text));
}
