#include "scenarios/framework/rig.h"

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
    "\"metadata\":{\"name\":\"webs." RIG_GROUP "\"},\"spec\":{\"group\":\"" RIG_GROUP "\","
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"webs\",\"singular\":\"web\","
    "\"kind\":\"Web\",\"listKind\":\"WebList\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
    "\"storage\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}";

static const char owner[] = "{\"apiVersion\":\"" RIG_GROUP "/v1\",\"kind\":\"Web\","
                            "\"metadata\":{\"name\":\"w1\",\"namespace\":\"default\"},"
                            "\"spec\":{\"text\":\"hello\"}}";

const char rig_map[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                       "\"w1-web\",\"namespace\":\"default\"},\"data\":{\"a\":\"1\"}}";

const char rig_deployment[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"w1-web\","
    "\"namespace\":\"default\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{"
    "\"app\":\"w1\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"w1\"}},\"spec\":{"
    "\"containers\":[{\"name\":\"web\",\"image\":\"web:1\"}]}}}}";

static void open_proxy(struct rig *rig)
{
    rig->proxy.behind = rig->desk.direct;
    proxy_open(&rig->proxy, rig->desk.network, PROXY);
    rig->config.server = (struct url){.scheme = URL_HTTP, .host = PROXY, .port = PROXY_PORT};
    rig->config.host = STR("http://proxy.test");
    rig->client = client_new(
        loop_current(),
        &(struct client_options){.config = &rig->config, .network = rig->desk.network, .qps = -1});
}

void rig_init(struct rig *rig)
{
    *rig = (struct rig){0};
    desk_init(&rig->desk, &(struct apiserver_options){.virtual_clusters = 1});
    rig_do(rig, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    while (rig_call(rig, "GET", RIG_WEBS, NULL) != 200)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    open_proxy(rig);
    rig->pool = discovery_pool_new();
    rig->discovery = discovery_new(rig->client, rig->pool, NULL);
    rig->caches = cache_set_new(loop_current(), rig->client);
}

void rig_done(struct rig *rig)
{
    rig_stop(rig);
    framework_free(rig->framework);
    cache_set_free(rig->caches);
    discovery_free(rig->discovery);
    discovery_pool_free(rig->pool);
    client_free(rig->client);
    proxy_done(&rig->proxy);
    desk_done(&rig->desk);
    error_free(rig->err);
}

static struct error *add_node(struct rig *rig, struct rig_node *node, struct graph *graph)
{
    struct graph_node_options options = node->options;
    struct graph_node *blockers[COUNT(node->blockers)] = {0};
    OWNED(object) object = NULL;
    if (node->object)
        TRY(object_read(str_from_c(node->object), &object));
    for (size_t i = 0; i < COUNT(blockers); i++)
        blockers[i] = node->blockers[i] ? rig->nodes[node->blockers[i] - 1].node : NULL;
    options.object = object;
    options.blockers = blockers;
    options.blocker_count = COUNT(blockers);
    return graph_add(graph, &options, &node->node);
}

static struct error *build(struct framework_run *run, struct graph *graph)
{
    struct rig *rig = framework_data(run);
    rig->builds++;
    if (rig->on_build)
        TRY(rig->on_build(rig));
    for (size_t i = 0; i < rig->node_count; i++)
        TRY(add_node(rig, &rig->nodes[i], graph));
    return NULL;
}

static void fill_in(struct rig *rig, struct framework_options *options)
{
    static const struct framework_watch watches[] = {
        {.gvk = {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")}},
        {.gvk = {STR_INIT("apps"), STR_INIT("v1"), STR_INIT("Deployment")}},
    };
    options->name = STR("web");
    options->version = STR("v1.0");
    options->commit = STR("abc");
    options->owner = (struct gvk){STR(RIG_GROUP), STR("v1"), STR("Web")};
    if (!options->watches) {
        options->watches = watches;
        options->watch_count = COUNT(watches);
    }
    options->build = build;
    options->data = rig;
    options->client = rig->client;
    options->discovery = rig->discovery;
    options->caches = rig->caches;
}

struct framework_options rig_options(struct rig *rig)
{
    struct framework_options options = {0};
    fill_in(rig, &options);
    return options;
}

void rig_start(struct rig *rig, const struct framework_options *options)
{
    struct framework_options all = options ? *options : (struct framework_options){0};
    fill_in(rig, &all);
    CHECK_OK(framework_new(loop_current(), &all, &rig->framework));
}

void rig_create_owner(struct rig *rig)
{
    rig_do(rig, "POST", RIG_WEBS, owner);
}

void rig_plan(struct rig *rig)
{
    rig->nodes[0] = (struct rig_node){.object = rig_map};
    rig->nodes[1] = (struct rig_node){.object = rig_deployment, .blockers = {1}};
    rig->node_count = 2;
}

void rig_settle(struct rig *rig)
{
    CHECK_OK(cache_set_wait_synced(rig->caches));
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
}

void rig_loop(struct rig *rig)
{
    rig_settle(rig);
    rig_loop_now(rig);
}

void rig_loop_now(struct rig *rig)
{
    error_free(TAKE(rig->err));
    rig->err = framework_reconcile(rig->framework, KEY("default", "w1"), &rig->result);
}

void rig_check_done(const struct rig *rig)
{
    if (rig->err)
        test_fail(TEST_PLACE("loop"), "%s", rig->err->message);
    CHECK(!rig->result.requeue);
    CHECK_EQ(rig->result.requeue_after, 0);
}

static struct error *run(void *data)
{
    struct rig *rig = data;
    return controller_run(rig->framework->controller);
}

void rig_run(struct rig *rig)
{
    scope_start(&rig->running, "controller", run, rig);
}

void rig_stop(struct rig *rig)
{
    scope_done(&rig->running);
}

int rig_call(struct rig *rig, const char *method, const char *target, const char *body)
{
    return desk_call(&rig->desk, method, target, body);
}

void rig_do(struct rig *rig, const char *method, const char *target, const char *body)
{
    desk_do(&rig->desk, method, target, body);
}

struct str rig_look(struct rig *rig, const char *target, const char *path)
{
    return desk_look(&rig->desk, target, path);
}

struct str rig_annotation(struct rig *rig, const char *target, const char *name)
{
    if (rig_call(rig, "GET", target, NULL) != 200)
        return STR("");
    const struct json_value *all = json_path(json_doc_root(rig->desk.doc), "metadata.annotations");
    return json_to_str(json_get(all, str_from_c(name)));
}

struct str rig_condition(struct rig *rig, const char *type)
{
    const struct json_value *condition;
    SCOPED(buf) text = {.limit = 0};
    CHECK_EQ(rig_call(rig, "GET", RIG_WEB, NULL), 200);
    JSON_FOREACH (key, condition, json_path(json_doc_root(rig->desk.doc), "status.conditions")) {
        if (!str_eq(json_path_str(condition, "type"), str_from_c(type)))
            continue;
        buf_print(&text, "%.*s/%.*s/%.*s", STR_ARG(json_path_str(condition, "status")),
                  STR_ARG(json_path_str(condition, "reason")),
                  STR_ARG(json_path_str(condition, "message")));
        return desk_keep(&rig->desk, buf_str(&text));
    }
    return STR("-");
}

void rig_make_ready(struct rig *rig, const char *target)
{
    SCOPED(buf) place = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    const struct str generation = rig_look(rig, target, "metadata.generation");
    buf_print(&body,
              "{\"status\":{\"observedGeneration\":%.*s,\"replicas\":1,\"updatedReplicas\":1,"
              "\"readyReplicas\":1,\"availableReplicas\":1,\"conditions\":[{\"type\":"
              "\"Progressing\",\"status\":\"True\",\"reason\":\"NewReplicaSetAvailable\"},"
              "{\"type\":\"Available\",\"status\":\"True\"}]}}",
              STR_ARG(generation));
    buf_print(&place, "%s/status", target);
    rig_do(rig, "PATCH", buf_c(&place), buf_c(&body));
}

void rig_await(struct rig *rig, const char *target, const char *path, const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(rig_look(rig, target, path), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(rig_look(rig, target, path), str_from_c(text));
}

void rig_await_condition(struct rig *rig, const char *type, const char *text)
{
    for (int i = 0; i < 3000; i++) {
        if (str_eq(rig_condition(rig, type), str_from_c(text)))
            return;
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
    CHECK_EQ(rig_condition(rig, type), str_from_c(text));
}
