/* corset cluster remove: unregisters workload clusters. What was applied to them stays there. */
#include <stdio.h>

#include "cmd/cluster_objects.h"
#include "cmd/management_client.h"

struct settings {
    struct flag_list names;
    struct global_flags globals;
};

/* Stops at the first cluster that cannot be removed. */
static struct error *remove_all(void *data)
{
    const struct settings *settings = data;
    SCOPED(management_client) management = {0};
    TRY(management_client_open(&management, &settings->globals));
    for (size_t i = 0; i < settings->names.count; i++) {
        const struct key key = {management.config.namespace, str_from_c(settings->names.items[i])};
        TRY(cluster_objects_remove(management.client, key));
        printf("cluster %.*s/%.*s removed; what was applied there stays\n", STR_ARG(key.namespace),
               STR_ARG(key.name));
    }
    return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"", FLAG_LIST, AT(names), FLAG_CLUSTER},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* At least one name is required. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_cluster_remove, argc, argv, settings))
        return COMMAND_USAGE;
    if (!settings->names.count)
        return command_misused(&command_cluster_remove, "give the name of a cluster");
    const int misused = global_flags_use(&settings->globals, &command_cluster_remove);
    return misused ? misused : command_run(remove_all, settings);
}

static int run_cluster_remove(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.names);
    return code;
}

const struct command command_cluster_remove = {
    .name = "cluster remove",
    .summary = "forget a workload cluster",
    .help =
        "Deletes the Cluster and the Secret with its kubeconfig from the management cluster.\n"
        "What sets have applied to the cluster stays there. Clusters that Cluster API made are\n"
        "refused, because deleting those takes down machines.\n\n"
        "Usage: corset cluster remove NAME... [FLAGS]\n\n" GLOBAL_FLAGS_HELP "\n"
        "Try it:\n"
        "  corset cluster remove prod -n default\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_cluster_remove,
};
