#include "soak/controller/web.h"

#include "apimachinery/wellknown.h"
#include "json/path.h"

const char web_definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"webs." WEB_GROUP "\"},\"spec\":{\"group\":\"" WEB_GROUP "\","
    "\"scope\":\"Namespaced\",\"names\":{\"kind\":\"Web\",\"plural\":\"webs\",\"singular\":\"web\"},"
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{\"status\":{}"
    "},\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"required\":[\"spec\"],\"properties\":{"
    "\"spec\":{\"type\":\"object\",\"required\":[\"message\"],\"properties\":{"
    "\"message\":{\"type\":\"string\",\"maxLength\":1000},"
    "\"replicas\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100,\"default\":1},"
    "\"port\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":65535,\"default\":80},"
    "\"exposed\":{\"type\":\"boolean\",\"default\":true}}},"
    "\"status\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}";

static int64_t number_of(const struct object *web, const char *path, int64_t otherwise)
{
    int64_t number;
    return json_to_int64(object_path(web, path), &number) ? number : otherwise;
}

static struct error *make_config(struct framework_run *run, struct object **ret_object)
{
    const struct object *web = framework_owner(run);
    const struct str text =
        arena_print(framework_arena(run),
                    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                    "\"%.*s\",\"namespace\":\"default\"},\"data\":{\"message\":\"%.*s\"}}",
                    STR_ARG(framework_name(run, STR("config"))),
                    STR_ARG(json_path_str(object_spec(web), "message")));
    return object_read(text, ret_object);
}

static struct error *make_server(struct framework_run *run, struct object **ret_object)
{
    const struct object *web = framework_owner(run);
    const struct str name = object_name(web);
    const struct str text = arena_print(
        framework_arena(run),
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"%.*s\",\"namespace\":\"default\"},"
        "\"spec\":{\"replicas\":%lld,\"selector\":{\"matchLabels\":{\"web\":\"%.*s\"}},\"template\":"
        "{\"metadata\":{\"labels\":{\"web\":\"%.*s\"}},\"spec\":{\"containers\":[{\"name\":"
        "\"httpd\",\"image\":\"busybox:1.36\",\"ports\":[{\"name\":\"http\",\"protocol\":\"TCP\","
        "\"containerPort\":8080}]}],\"volumes\":[{\"name\":\"www\",\"configMap\":{\"name\":"
        "\"%.*s\"}}]}}}}",
        STR_ARG(framework_name(run, STR("server"))), (long long)number_of(web, "spec.replicas", 1),
        STR_ARG(name), STR_ARG(name), STR_ARG(framework_name(run, STR("config"))));
    return object_read(text, ret_object);
}

static struct error *make_service(struct framework_run *run, struct object **ret_object)
{
    const struct object *web = framework_owner(run);
    const struct str text = arena_print(
        framework_arena(run),
        "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"%.*s\",\"namespace\":\"default\"},\"spec\":{"
        "\"selector\":{\"web\":\"%.*s\"},\"ports\":[{\"name\":\"http\",\"protocol\":\"TCP\","
        "\"port\":%lld,\"targetPort\":\"http\"}]}}",
        STR_ARG(framework_name(run, STR(""))), STR_ARG(object_name(web)),
        (long long)number_of(web, "spec.port", 80));
    return object_read(text, ret_object);
}

static struct error *build(struct framework_run *run, struct graph *graph)
{
    static const char shared[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":"
        "\"" WEB_SHARED "\",\"namespace\":\"default\"}}";
    struct web_counters *counters = framework_data(run);
    struct graph_node *blockers[2];
    OWNED(object) config = NULL;
    OWNED(object) input = NULL;
    OWNED(object) server = NULL;
    OWNED(object) service = NULL;
    counters->builds++;
    TRY(make_config(run, &config));
    TRY(object_read(str_from_c(shared), &input));
    TRY(make_server(run, &server));
    TRY(make_service(run, &service));
    TRY(graph_add(graph, &(struct graph_node_options){.object = config}, &blockers[0]));
    const struct graph_node_options external = {.kind = GRAPH_EXTERNAL, .object = input};
    TRY(graph_add(graph, &external, &blockers[1]));
    const struct graph_node_options blocked = {
        .object = server, .blockers = blockers, .blocker_count = COUNT(blockers)};
    TRY(graph_add(graph, &blocked, NULL));
    /* Without an object it is no node. */
    bool exposed = true;
    (void)json_to_bool(object_path(framework_owner(run), "spec.exposed"), &exposed);
    const struct graph_node_options open = {.object = exposed ? service : NULL};
    return graph_add(graph, &open, NULL);
}

static struct error *on_delete(struct framework_run *run)
{
    struct web_counters *counters = framework_data(run);
    counters->deletions++;
    return NULL;
}

/* Whatever happens to the input concerns everybody. */
static void map_to_all(void *data, const struct cache_event *event, struct queue *queue,
                       int priority)
{
    (void)data;
    (void)event;
    queue_add(queue, KEY("default", "w0"), priority);
    queue_add(queue, KEY("default", "w1"), priority);
}

void web_describe(struct framework_options *options, const struct web_extras *extras,
                  struct web_counters *counters)
{
    static struct framework_watch watches[WEB_WATCHES - 1]; /* the owners are watched anyway */
    watches[0].gvk = GVK_CONFIG_MAP;
    watches[1].gvk = GVK("apps", "v1", "Deployment");
    watches[2].gvk = GVK_SERVICE;
    watches[3].gvk = GVK_SECRET;
    watches[3].map = map_to_all;
    *options = (struct framework_options){
        .name = STR("web"),
        .version = STR("1.0.0"),
        .owner = {STR(WEB_GROUP), STR("v1"), STR("Web")},
        .workers = WEB_WORKERS,
        .watches = watches,
        .watch_count = COUNT(watches),
        .finalizer = extras->finalizes ? STR(WEB_GROUP "/web") : STR(""),
        .flags = extras->prunes ? FRAMEWORK_PRUNE : 0,
        .build = build,
        .on_delete = extras->finalizes ? on_delete : NULL,
        .data = counters,
    };
}
