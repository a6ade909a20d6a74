/*
 * A controller that keeps, on each Cluster, an annotation with the number of its ready Nodes:
 *
 *     kubectl get clusters -o custom-columns='NAME:.metadata.name,\
 *         READY:.metadata.annotations.example\.corset\.dev/ready-nodes'
 *
 * The library connects to every workload cluster, watches the Nodes of all of them, and starts a
 * run for a Cluster when one of its Nodes becomes ready or ceases to be, and when the cluster is
 * connected or disconnected. A run counts in memory: it sends no request unless the number changes.
 */
#include <corset/corset.h>
#include <string.h>

#define ANNOTATION "example.corset.dev/ready-nodes"

static bool is_ready(const struct corset_object *node)
{
    return node && strcmp(corset_object_condition(node, "Ready"), "True") == 0;
}

static struct corset_error *count_node(void *data, const struct corset_object *node)
{
    size_t *count = data;
    *count += is_ready(node);
    return NULL;
}

/* Text that is there already is not written again: the write would be an event, and a run. */
static struct corset_error *annotate(struct corset_run *run, const char *text)
{
    const struct corset_object *owner = corset_run_owner(run);
    const struct corset_id id = {corset_object_api_version(owner), corset_object_kind(owner),
                                 corset_object_namespace(owner), corset_object_name(owner)};
    if (strcmp(corset_object_annotation(owner, ANNOTATION), text) == 0)
        return NULL;
    const char *patch =
        corset_run_print(run, "metadata: {annotations: {" ANNOTATION ": \"%s\"}}", text);
    return corset_patch(run, &id, NULL, patch, NULL);
}

/* A cluster without a connection has an unknown number of Nodes until it is connected again. */
static struct corset_error *count_nodes(void *data, struct corset_run *run,
                                        enum corset_outcome *ret_outcome)
{
    const struct corset_object *owner = corset_run_owner(run);
    const struct corset_id nodes = {"v1", "Node", NULL, NULL};
    const struct corset_cluster *cluster;
    size_t ready = 0;
    (void)data;
    *ret_outcome = CORSET_DONE;
    struct corset_error *err = corset_cluster_reader(run, corset_object_namespace(owner),
                                                     corset_object_name(owner), &cluster);
    if (!err)
        err = corset_cluster_list(cluster, &nodes, count_node, &ready);
    if (corset_error_is(err, CORSET_NOT_CONNECTED)) {
        corset_error_free(err);
        return annotate(run, "unknown");
    }
    CORSET_TRY(err);
    return annotate(run, corset_run_print(run, "%zu", ready));
}

/* build itself must not write, so that the work is done by a node of the graph. */
static struct corset_error *build(struct corset_run *run, struct corset_graph *graph)
{
    const struct corset_node_options count = {.kind = CORSET_CUSTOM, .run = count_nodes};
    (void)run;
    return corset_graph_add(graph, &count, NULL);
}

/* A Node reports every few seconds that it is alive, which changes nothing here. */
static bool changes_count(void *data, const struct corset_object *old,
                          const struct corset_object *now)
{
    (void)data;
    return is_ready(old) != is_ready(now);
}

static const struct corset_cluster_watch watches[] = {
    {.name = "nodes", .api_version = "v1", .kind = "Node", .filter = changes_count},
};

/* The status of a Cluster belongs to Cluster API. */
static const struct corset_controller controller = {
    .name = "nodes",
    .version = "1.0.0",
    .api_version = "cluster.x-k8s.io/v1beta2",
    .kind = "Cluster",
    .flags = CORSET_NO_STATUS,
    .cluster_watches = watches,
    .cluster_watch_count = sizeof(watches) / sizeof(watches[0]),
    .workers = 10,
    .build = build,
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
