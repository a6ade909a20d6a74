/*
 * A controller for Web objects: a message, served by a number of Pods behind a Service.
 *
 *     Web ──► ConfigMap <web>-web-config     the page, with the message in it
 *       ├───► Deployment <web>-web-server    blocked by the ConfigMap, and rolled when it changes
 *       └───► Service <web>-web              the port
 *
 * The library creates and changes the objects, and the garbage collector deletes them with their
 * Web. The status of the Web says whether it is InProgress or Failed. This file only describes the
 * objects.
 */
#include <corset/corset.h>
#include <string.h>

static struct corset_object *make_config(struct corset_run *run, const struct corset_object *web)
{
    struct corset_object *config = corset_object_from_yaml(run, "apiVersion: v1\n"
                                                                "kind: ConfigMap\n");
    corset_object_set_string(config, "metadata.name", corset_run_name(run, "config"));
    corset_object_set_format(config, "data.index\\.html", "<!doctype html>\n<p>%s</p>\n",
                             corset_object_string(web, "spec.message", ""));
    return config;
}

static struct corset_object *make_server(struct corset_run *run, const struct corset_object *web)
{
    struct corset_object *server =
        corset_object_from_yaml(run, "apiVersion: apps/v1\n"
                                     "kind: Deployment\n"
                                     "spec:\n"
                                     "  template:\n"
                                     "    spec:\n"
                                     "      containers:\n"
                                     "      - name: httpd\n"
                                     "        image: busybox:1.36\n"
                                     "        command: [httpd, -f, -p, \"8080\", -h, /www]\n"
                                     "        ports:\n"
                                     "        - {name: http, protocol: TCP, containerPort: 8080}\n"
                                     "        volumeMounts:\n"
                                     "        - {name: www, mountPath: /www}\n"
                                     "      volumes:\n"
                                     "      - name: www\n"
                                     "        configMap: {}\n");
    const char *name = corset_object_name(web);
    corset_object_set_string(server, "metadata.name", corset_run_name(run, "server"));
    corset_object_set_int(server, "spec.replicas", corset_object_int(web, "spec.replicas", 1));
    corset_object_set_string(server, "spec.selector.matchLabels.web", name);
    corset_object_set_string(server, "spec.template.metadata.labels.web", name);
    corset_object_set_string(server, "spec.template.spec.volumes.0.configMap.name",
                             corset_run_name(run, "config"));
    return server;
}

static struct corset_object *make_service(struct corset_run *run, const struct corset_object *web)
{
    struct corset_object *service =
        corset_object_from_yaml(run, "apiVersion: v1\n"
                                     "kind: Service\n"
                                     "spec:\n"
                                     "  ports:\n"
                                     "  - {name: http, protocol: TCP, targetPort: http}\n");
    corset_object_set_string(service, "metadata.name", corset_run_name(run, NULL));
    corset_object_set_string(service, "spec.selector.web", corset_object_name(web));
    corset_object_set_int(service, "spec.ports.0.port", corset_object_int(web, "spec.port", 80));
    return service;
}

/* Adds the objects that one Web needs to the graph. */
static struct corset_error *build(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_object *web = corset_run_owner(run);
    struct corset_node *config;
    if (strchr(corset_object_string(web, "spec.message", ""), '<'))
        return corset_unrecoverable(NULL, "invalidSpec", "spec.message is text, not HTML");
    CORSET_TRY(corset_graph_manage(graph, make_config(run, web), NULL, NULL, &config));
    CORSET_TRY(corset_graph_manage(graph, make_server(run, web), config, NULL, NULL));
    return corset_graph_manage(graph, make_service(run, web), NULL, NULL, NULL);
}

/* A paused Web is left as it is. */
static enum corset_precheck_result precheck(struct corset_run *run)
{
    return corset_object_bool(corset_run_owner(run), "spec.paused", false) ? CORSET_STOP
                                                                           : CORSET_CONTINUE;
}

static const struct corset_watch watches[] = {
    {.api_version = "v1",      .kind = "ConfigMap" },
    {.api_version = "apps/v1", .kind = "Deployment"},
    {.api_version = "v1",      .kind = "Service"   },
};

static const struct corset_controller controller = {
    .name = "web",
    .version = "1.0.0",
    .api_version = "example.corset.dev/v1",
    .kind = "Web",
    .watches = watches,
    .watch_count = sizeof(watches) / sizeof(watches[0]),
    .workers = 4,
    .build = build,
    .precheck = precheck,
};

int main(int argc, char **argv)
{
    const struct corset_controller *controllers[] = {&controller};
    return corset_main(argc, argv,
                       &(struct corset_manager_options){
                           .controllers = controllers,
                           .controller_count = 1,
                       });
}
