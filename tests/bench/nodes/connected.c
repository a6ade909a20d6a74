/* examples/nodes without its watch and its reads: what connections alone take. For
 * tests/bench/nodes. */
int nodes_main(int argc, char **argv);
#define main nodes_main
#include "../../../examples/nodes/nodes.c" /* NOLINT(bugprone-suspicious-include): the example */
#undef main

static struct corset_error *build_nothing(struct corset_run *run, struct corset_graph *graph)
{
    (void)run, (void)graph;
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct corset_cluster_source source = {0};
    struct corset_controller connected = controller;
    const struct corset_controller *controllers[] = {&connected};
    connected.cluster_watches = NULL;
    connected.cluster_watch_count = 0;
    connected.cluster_source = &source;
    connected.build = build_nothing;
    return corset_main(argc, argv,
                       &(struct corset_manager_options){
                           .controllers = controllers,
                           .controller_count = 1,
                       });
}
