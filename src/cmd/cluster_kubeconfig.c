/*
 * corset cluster kubeconfig: a kubeconfig for a workload cluster whose server is the fleet API of
 * the management cluster, with the credentials that the caller has there. No credential of the
 * workload cluster is read or printed.
 */
#include "client/kubeconfig/kubeconfig.h"
#include "cmd/command.h"
#include "cmd/global_flags.h"
#include "fleet/fleet_path.h"
#include "http/url.h"

struct settings {
    struct flag_list names;
    struct global_flags globals;
};

static struct str proxy_address(struct rest_config *config, struct str name)
{
    SCOPED(buf) host = {0};
    buf_add(&host, config->host);
    if (str_ends_with(config->host, STR("/")))
        buf_truncate(&host, host.len - 1);
    buf_add(&host, STR(FLEET_PREFIX "/namespaces/"));
    url_escape_segment(&host, config->namespace);
    buf_add(&host, STR("/clusters/"));
    url_escape_segment(&host, name);
    buf_add(&host, STR("/proxy"));
    return arena_str(&config->arena, buf_str(&host));
}

static struct error *print_kubeconfig(const struct settings *settings, struct str name)
{
    SCOPED(rest_config) config = {0};
    SCOPED(buf) out = {.secret = true};
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    const struct kubeconfig_options choice = {
        .context = str_from_c(settings->globals.context),
        .namespace = str_from_c(settings->globals.namespace),
        .keep_pem = true,
    };
    paths.file = str_from_c(settings->globals.kubeconfig);
    TRY(kubeconfig_load(&paths, &choice, &config), "find the management cluster");
    config.host = proxy_address(&config, name);
    config.namespace = STR("");
    kubeconfig_write(&out, name, &config);
    TRY(buf_check(&out));
    return command_write(buf_str(&out));
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"", FLAG_LIST, AT(names), FLAG_CLUSTER},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_cluster_kubeconfig, argc, argv, settings))
        return COMMAND_USAGE;
    if (settings->names.count != 1)
        return command_misused(&command_cluster_kubeconfig, "give the name of one cluster");
    const int misused = global_flags_use(&settings->globals, &command_cluster_kubeconfig);
    if (misused)
        return misused;
    struct error *err = print_kubeconfig(settings, str_from_c(settings->names.items[0]));
    return err ? command_fail(err) : COMMAND_DONE;
}

static int run_cluster_kubeconfig(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.names);
    return code;
}

const struct command command_cluster_kubeconfig = {
    .name = "cluster kubeconfig",
    .summary = "print a kubeconfig for a workload cluster, through the fleet API",
    .help =
        "Prints a kubeconfig for a workload cluster. Its server is the fleet API of the management\n"
        "cluster ('corset up --fleet'), its credentials are those that you use there; the cluster's\n"
        "own credentials are not in it. kubectl, helm and client libraries work with it.\n\n"
        "Usage: corset cluster kubeconfig NAME [FLAGS]\n\n"
        "  -n, --namespace NS  namespace of the Cluster (default: that of the context)\n\n" GLOBAL_FLAGS_HELP
        "\n"
        "Try it:\n"
        "  corset cluster kubeconfig vc-0001 >vc-0001.kubeconfig\n"
        "  kubectl --kubeconfig vc-0001.kubeconfig get pods -A\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_cluster_kubeconfig,
};
