/*
 * corset up: the embedded API server on disk and the controllers, in one process, until a signal.
 *
 * Order of start: server, kubeconfigs, removal of stale virtual clusters, controllers. Order of
 * stop: controllers, then the server, which gets DRAIN_TIMEOUT for open requests.
 */
#include "app/fleet_extension.h"
#include "app/standalone.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/signals.h"
#include "base/arena.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "cmd/address.h"
#include "cmd/controller_flags.h"
#include "cmd/fleet_flags.h"
#include "cmd/global_flags.h"
#include "cmd/server_flags.h"
#include "cmd/service_manager.h"
#include "cmd/stale_clusters.h"
#include "cmd/until_signal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define DRAIN_TIMEOUT (5 * SECOND)

/* The arena holds the name of the default folder. */
struct settings {
    struct server_settings server;
    struct controller_settings controller;
    struct fleet_settings fleet;
    struct global_flags globals;
    bool web, serves_fleet;

    struct arena arena; /* of the default folder's name */
};

/* The function that until_signal() runs. */
static struct error *run_controllers(void *data)
{
    return address_explain(controller_manager_run(data), "--health-addr or --diagnostics-address");
}

/* Called when a signal arrives. */
static void say_stopping(void)
{
    service_manager_tell("STOPPING=1");
    command_say("stopping");
}

/* The controllers connect to the server over HTTPS like any other client. */
static struct error *read_own_kubeconfig(const struct standalone *standalone,
                                         struct rest_config *ret_config)
{
    SCOPED(buf) text = {.secret = true};
    standalone_admin_kubeconfig(standalone, &text);
    return kubeconfig_read(buf_str(&text), STR(""), NULL, ret_config);
}

/* What uses the server's credentials: the files, and the controllers of this process. */
struct handout {
    const struct server_files *files;
    const struct standalone *standalone;
    struct rest_config *config;
};

static struct error *hand_out(void *data)
{
    const struct handout *handout = data;
    SCOPED(rest_config) newer = {0};
    TRY(read_own_kubeconfig(handout->standalone, &newer));
    rest_config_take_tls(handout->config, &newer);
    return server_files_write(handout->files, handout->standalone);
}

/*
 * The environment's, with the own API server in NO_PROXY: it and its virtual clusters are in this
 * process, wherever it listens.
 */
static struct proxy_environment proxies_beside(const struct rest_config *config,
                                               struct arena *arena)
{
    struct proxy_environment proxies = proxy_environment_read();
    const struct str own = str_skip(url_origin(arena, &config->server), STR("https://").len);
    proxies.no_proxy = arena_print(arena, "%.*s,%.*s", STR_ARG(proxies.no_proxy), STR_ARG(own));
    return proxies;
}

/* NULL without --fleet. */
static struct fleet_extension *extend_server(const struct settings *settings,
                                             struct controller_manager *controllers,
                                             struct apiserver *server)
{
    struct fleet_options options = settings->fleet.options;
    options.clusters = controller_manager_clusters(controllers);
    options.metrics = controller_manager_metrics(controllers);
    return settings->serves_fleet ? fleet_extension_new(loop_current(), server, &options) : NULL;
}

/* What the controllers are given by the rest of the process. */
struct surroundings {
    const struct rest_config *config;
    struct network *network;
    struct tls_context *tls;
    struct signals *signals;
    struct apiserver *server;
};

/* Scripts wait for the line "ready on". */
static struct error *serve_controllers(struct settings *settings,
                                       const struct surroundings *surroundings)
{
    SCOPED(scope) scope = {0};
    OWNED(controller_manager) controllers = NULL;
    OWNED(fleet_extension) extension = NULL; /* ends before the controllers */
    const struct rest_config *config = surroundings->config;
    struct controller_manager_options options = settings->controller.options;
    const struct proxy_environment proxies = proxies_beside(config, &settings->arena);
    options.config = config;
    options.network = surroundings->network;
    options.tls = surroundings->tls;
    options.proxies = &proxies;
    options.owns_clusters = true;
    if (settings->web)
        options.web_host = STR("127.0.0.1");
    TRY(controller_manager_new(loop_current(), &options, &controllers));
    extension = extend_server(settings, controllers, surroundings->server);
    command_say("ready on %.*s", STR_ARG(config->host));
    command_say("export KUBECONFIG=%s/kubeconfig", settings->server.files.data_dir);
    if (settings->web)
        command_say("the fleet's page: %.*s", STR_ARG(controller_manager_page(controllers)));
    service_manager_serve(&scope);
    return until_signal(surroundings->signals, run_controllers, controllers, say_stopping);
}

/* Errors of draining are dropped: the result of the controllers is the result of the command. */
static struct error *serve_up(void *data)
{
    struct settings *settings = data;
    struct loop *loop = loop_current();
    OWNED(signals) signals = NULL;
    OWNED(network) network = NULL;
    OWNED(network) webhooks = NULL;
    OWNED(network) cluster_webhooks = NULL;
    SCOPED(rest_config) config = {0};
    OWNED(standalone) standalone = NULL;
    OWNED(tls_context) tls = NULL;
    TRY(signals_new(loop, &signals));
    network = tcp_network_new(loop);
    webhooks = server_flags_webhook_network(&settings->server, loop, false);
    cluster_webhooks = server_flags_webhook_network(&settings->server, loop, true);
    tls = tls_context_new();
    struct apiserver_options options = server_flags_options(&settings->server);
    options.network = network;
    options.webhook_network = webhooks;
    options.cluster_webhook_network = cluster_webhooks;
    TRY(address_explain(standalone_new(loop, &options, &standalone), "--listen"));
    TRY(server_files_write(&settings->server.files, standalone));
    TRY(read_own_kubeconfig(standalone, &config));
    struct handout handout = {&settings->server.files, standalone, &config};
    standalone_keep_credentials(standalone, hand_out, &handout);
    TRY(stale_clusters_delete(&config, network, tls, settings->server.virtual_clusters),
        "remove virtual clusters of an earlier run");
    const struct surroundings surroundings = {&config, network, tls, signals,
                                              standalone_server(standalone)};
    struct error *err = serve_controllers(settings, &surroundings);
    FIBER_TIMEOUT(DRAIN_TIMEOUT);
    OWNED(error) late = apiserver_drain(standalone_server(standalone));
    return err;
}

static const struct flag flags[] = {
    {"web",   FLAG_BOOL, offsetof(struct settings, web),          FLAG_ANY},
    {"fleet", FLAG_BOOL, offsetof(struct settings, serves_fleet), FLAG_ANY},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    SERVER_GROUP(struct settings),
    CONTROLLER_GROUP(struct settings),
    FLEET_GROUP_OF(struct settings),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* Fills in defaults and converts values. Not COMMAND_DONE: a mistake was printed. */
static int complete_settings(struct settings *settings)
{
    struct controller_manager_options *options = &settings->controller.options;
    if (settings->globals.kubeconfig || settings->globals.context)
        return command_misused(&command_up, "--kubeconfig and --context are for 'corset "
                                            "controller'; 'corset up' has its own API server");
    if (!settings->server.files.data_dir)
        settings->server.files.data_dir = server_flags_default_folder(&settings->arena);
    if (!settings->server.files.data_dir)
        return command_misused(&command_up, "give --data-dir, since HOME is not set");
    int misused = global_flags_use(&settings->globals, &command_up);
    if (!misused)
        misused = server_flags_use(&settings->server, &command_up);
    options->namespace = str_from_c(settings->globals.namespace);
    if (!misused)
        misused = controller_flags_use(&settings->controller, &command_up);
    return misused ? misused : fleet_flags_use(&settings->fleet, &command_up);
}

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_up, argc, argv, settings))
        return COMMAND_USAGE;
    const int misused = complete_settings(settings);
    return misused ? misused : command_run(serve_up, settings);
}

static int run_up(int argc, char **argv)
{
    struct settings settings = {
        .server = SERVER_DEFAULT,
        .controller = {.health = "", .diagnostics = ""},
        .globals = GLOBAL_FLAGS_DEFAULT,
    };
    const int code = parse_and_run(&settings, argc, argv);
    arena_done(&settings.arena);
    return code;
}

const struct command command_up = {
    .name = "up",
    .summary = "run API server and controllers together, on disk",
    .help =
        "Runs everything in one process until SIGINT or SIGTERM: an API server that keeps its\n"
        "objects on disk, and the controllers. Clusters are added with 'corset cluster add'.\n\n"
        "Usage: corset up [FLAGS]\n\n"
        "  --data-dir DIR           folder for all data: corset.db, pki/, kubeconfig, lock\n"
        "                           (default: corset below $XDG_DATA_HOME or ~/.local/share)\n"
        "  --accept-data-loss       start although acknowledged writes are missing from the folder,\n"
        "                           and go on without them\n"
        "  --listen HOST:PORT       where to listen (default 127.0.0.1:7443; port 0: any)\n"
        "  --virtual-clusters N     N virtual workload clusters for trials, named vc-0001 and so\n"
        "                           on; they are empty after every start.\n"
        "                           DIR/clusters/vc-0001.kubeconfig is for the first\n"
        "  --write-kubeconfig FILE  where to write the admin's kubeconfig besides DIR/kubeconfig\n"
        "  --write-cluster-kubeconfigs DIR\n"
        "                           where to write those of virtual clusters besides DIR/clusters\n" SERVER_LIMITS_HELP
        "  --inject FAULTS          how virtual clusters misbehave, see 'corset apiserver --help'\n"
        "  --web                    show the fleet on a page, whose address is printed; it is for\n"
        "                           this machine alone and opens once, see 'corset web --help'\n"
        "  -n, --namespace NS       only sets and clusters of one namespace (default: all)\n" CONTROLLER_HELP
        "  --fleet                  serve all clusters below /apis/fleet.corset.dev/v1alpha1: each\n"
        "                           as it is, and questions to all of them (default: off)\n" FLEET_HELP
        "\nBy default there are no health and diagnostics servers.\n\n"
        "Try it:\n"
        "  corset up --data-dir ~/.local/share/corset --virtual-clusters 3 &\n"
        "  kubectl --kubeconfig ~/.local/share/corset/kubeconfig get clusters\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_up,
};
