/*
 * corset apiserver: runs the embedded API server alone, until a signal.
 *
 * After SIGINT or SIGTERM the server gets DRAIN_TIMEOUT to finish requests. Then it closes; writes
 * that were acknowledged are durable already.
 */
#include "app/standalone.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/signals.h"
#include "cmd/address.h"
#include "cmd/global_flags.h"
#include "cmd/server_flags.h"
#include "cmd/service_manager.h"
#include "net/network.h"
#include "net/tcp.h"

#define DRAIN_TIMEOUT (8 * SECOND)

/* in_memory and data_dir exclude each other. */
struct settings {
    struct server_settings server;
    bool in_memory;
    duration history_age;
    struct global_flags globals;
};

/* What the server's credentials are written to. */
struct handout {
    const struct server_files *files;
    const struct standalone *standalone;
};

static struct error *write_credentials(void *data)
{
    const struct handout *handout = data;
    return server_files_write(handout->files, handout->standalone);
}

/* "ready on" appears when all kubeconfigs are written: scripts wait for that line. */
static struct error *serve_apiserver(void *data)
{
    const struct settings *settings = data;
    struct loop *loop = loop_current();
    OWNED(signals) signals = NULL;
    OWNED(network) network = NULL;
    OWNED(network) webhooks = NULL;
    OWNED(network) cluster_webhooks = NULL;
    OWNED(standalone) standalone = NULL;
    SCOPED(scope) scope = {0};
    TRY(signals_new(loop, &signals));
    network = tcp_network_new(loop);
    webhooks = server_flags_webhook_network(&settings->server, loop, false);
    cluster_webhooks = server_flags_webhook_network(&settings->server, loop, true);
    struct apiserver_options options = server_flags_options(&settings->server);
    options.network = network;
    options.webhook_network = webhooks;
    options.cluster_webhook_network = cluster_webhooks;
    options.history_age = settings->history_age;
    options.history_events = settings->history_age ? 1 : 0;
    TRY(address_explain(standalone_new(loop, &options, &standalone), "--listen"));
    struct handout handout = {&settings->server.files, standalone};
    TRY(write_credentials(&handout));
    standalone_keep_credentials(standalone, write_credentials, &handout);
    const struct str url = standalone_url(standalone);
    command_say("ready on %.*s", STR_ARG(url));
    service_manager_serve(&scope);
    TRY(signals_wait(signals));
    service_manager_tell("STOPPING=1");
    command_say("stopping");
    FIBER_TIMEOUT(DRAIN_TIMEOUT);
    OWNED(error) late = apiserver_drain(standalone_server(standalone));
    return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"in-memory",   FLAG_BOOL, AT(in_memory),   FLAG_ANY},
    {"history-age", FLAG_SPAN, AT(history_age), FLAG_ANY},
};

static const struct flag_group groups[] = {
    SERVER_GROUP(struct settings),
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/*
 * Checks the combination of flags and converts their values. Not COMMAND_DONE: a mistake was
 * printed.
 */
static int complete_settings(struct settings *settings)
{
    if (settings->in_memory == (settings->server.files.data_dir != NULL))
        return command_misused(&command_apiserver, "give one of --data-dir and --in-memory");
    const int misused = global_flags_use(&settings->globals, &command_apiserver);
    return misused ? misused : server_flags_use(&settings->server, &command_apiserver);
}

static int run_apiserver(int argc, char **argv)
{
    struct settings settings = {.server = SERVER_DEFAULT, .globals = GLOBAL_FLAGS_DEFAULT};
    if (!flags_read(&command_apiserver, argc, argv, &settings))
        return COMMAND_USAGE;
    const int misused = complete_settings(&settings);
    return misused ? misused : command_run(serve_apiserver, &settings);
}

const struct command command_apiserver = {
    .name = "apiserver",
    .summary = "run the embedded API server alone",
    .help =
        "Runs the embedded API server until SIGINT or SIGTERM. kubectl and controllers can use it\n"
        "like Kubernetes; it runs no Pods. It serves ClusterResourceSets, their bindings and Clusters\n"
        "from the start.\n\n"
        "Usage: corset apiserver (--data-dir DIR | --in-memory) [FLAGS]\n\n"
        "  --data-dir DIR           folder for all data: corset.db, pki/, kubeconfig, lock\n"
        "  --in-memory              store nothing on disk\n"
        "  --accept-data-loss       start although acknowledged writes are missing from the folder,\n"
        "                           and go on without them\n"
        "  --listen HOST:PORT       where to listen (default 127.0.0.1:7443; port 0: any)\n"
        "  --write-kubeconfig FILE  where to write the admin's kubeconfig; DIR/kubeconfig is\n"
        "                           written anyway\n"
        "  --virtual-clusters N     N more APIs, in memory, below /clusters/vc-0001 and so on;\n"
        "                           DIR/clusters/vc-0001.kubeconfig reaches the first. Each is a\n"
        "                           Cluster in namespace default, with a kubeconfig Secret\n"
        "  --write-cluster-kubeconfigs DIR\n"
        "                           where else to write vc-0001.kubeconfig and so on\n" SERVER_LIMITS_HELP
        "  --inject FAULTS          how virtual clusters misbehave, for example\n"
        "                           latency=20ms,jitter=5ms,error=0.01,drop=0.001,hole=0.001,seed=7\n"
        "                           (changed later by PUT /debug/inject[?cluster=NAME]; see\n"
        "                           docs/virtual-clusters.md)\n"
        "  --history-age DURATION   how long changes can be watched and older states listed\n"
        "                           (default: 5m, and the last 1000 changes can be watched\n"
        "                           however old)\n\n"
        "Try it:\n"
        "  corset apiserver --in-memory --write-kubeconfig ~/corset.kubeconfig &\n"
        "  kubectl --kubeconfig ~/corset.kubeconfig get namespaces\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_apiserver,
};
