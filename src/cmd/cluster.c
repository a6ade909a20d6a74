/* corset cluster: the parent of cluster add, cluster list and cluster remove. */
#include "cmd/command.h"

static const struct command *const children[] = {
    &command_cluster_add,
    &command_cluster_kubeconfig,
    &command_cluster_list,
    &command_cluster_remove,
};

const struct command command_cluster = {
    .name = "cluster",
    .summary = "register, list and forget workload clusters",
    .help = "Registers, lists and forgets workload clusters.\n\n"
            "Usage: corset cluster COMMAND [ARGUMENTS]\n\n"
            "  add         register a workload cluster by its kubeconfig\n"
            "  kubeconfig  print a kubeconfig for a workload cluster, through the fleet API\n"
            "  list        show the registered clusters\n"
            "  remove      forget a workload cluster\n\n"
            "See 'corset cluster add --help'.\n\n"
            "Try it:\n"
            "  corset cluster list -A\n",
    .children = children,
    .child_count = COUNT(children),
};
