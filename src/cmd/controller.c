/* corset controller: runs the controllers against an existing API server, until a signal. */
#include "app/controller_manager.h"
#include "async/loop.h"
#include "async/signals.h"
#include "base/log.h"
#include "client/kubeconfig/kubeconfig.h"
#include "client/proxy_environment.h"
#include "cmd/address.h"
#include "cmd/controller_flags.h"
#include "cmd/fleet_flags.h"
#include "cmd/global_flags.h"
#include "cmd/until_signal.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

/* The defaults of lease duration and renew deadline are 15 s and 10 s; see serve_controllers(). */
#define DELIVERY_DEFAULT (5 * SECOND) /* the time between renewing and losing a lease */

struct settings {
    struct global_flags globals;
    struct controller_settings controller;
    const char *lease_namespace, *lease_name;
    const char *web, *web_cert_dir;
    struct fleet_settings fleet;
    const char *fleet_addr, *fleet_cert_dir, *fleet_secret;
};

/*
 * In this order: the kubeconfig that was asked for, the cluster this Pod runs in, the user's
 * kubeconfig.
 */
static struct error *find_cluster(const struct settings *settings, struct rest_config *ret_config)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    const struct kubeconfig_options choice = {.context = str_from_c(settings->globals.context)};
    paths.file = str_from_c(settings->globals.kubeconfig);
    if (paths.file.len || paths.list.len)
        return kubeconfig_load(&paths, &choice, ret_config);
    struct error *err = kubeconfig_in_cluster(NULL, ret_config);
    if (!error_is(err, ERROR_NOT_FOUND))
        return err;
    error_free(err);
    return kubeconfig_load(&paths, &choice, ret_config);
}

/* The function that until_signal() runs. */
static struct error *run_controllers(void *data)
{
    return address_explain(controller_manager_run(data),
                           "--health-addr, --diagnostics-address or --fleet-addr");
}

static void say_stopping(void)
{
    log_info("Stopping");
}

/*
 * Guarded writes have a network of their own. A write that the server has not received when the
 * Lease may be lost must not arrive later, so the network gives up on data that is not
 * acknowledged within the time between renew deadline and lease duration.
 */
static struct error *serve_controllers(void *data)
{
    struct settings *settings = data;
    struct loop *loop = loop_current();
    OWNED(signals) signals = NULL;
    SCOPED(rest_config) config = {0};
    TRY(signals_new(loop, &signals));
    TRY(find_cluster(settings, &config), "find the management cluster");
    OWNED(network) network = tcp_network_new(loop);
    OWNED(network) guarded = tcp_network_new(loop);
    OWNED(network) clusters = controller_flags_network(&settings->controller, loop);
    OWNED(tls_context) tls = tls_context_new();
    const struct proxy_environment proxies = proxy_environment_read();
    OWNED(controller_manager) controllers = NULL;
    struct controller_manager_options *options = &settings->controller.options;
    const duration lease = options->lease_duration, renew = options->renew_deadline;
    tcp_network_limit_delivery(guarded, lease && renew ? lease - renew : DELIVERY_DEFAULT);
    options->config = &config;
    options->network = network;
    options->guarded_network = guarded;
    options->cluster_network = clusters;
    options->tls = tls;
    options->proxies = &proxies;
    TRY(controller_manager_new(loop, options, &controllers));
    if (controller_manager_page(controllers).len)
        log_info("Serving the fleet's page",
                 LOG_STR("address", controller_manager_page(controllers)));
    return until_signal(signals, run_controllers, controllers, say_stopping);
}

#define AT(member)        offsetof(struct settings, member)
#define OPTION_AT(member) offsetof(struct settings, controller.options.member)

static const struct flag flags[] = {
    {"leader-elect",                 FLAG_BOOL, OPTION_AT(leader_elect),   FLAG_ANY   },
    {"leader-elect-lease-duration",  FLAG_SPAN, OPTION_AT(lease_duration), FLAG_ANY   },
    {"leader-elect-renew-deadline",  FLAG_SPAN, OPTION_AT(renew_deadline), FLAG_ANY   },
    {"leader-elect-retry-period",    FLAG_SPAN, OPTION_AT(retry_period),   FLAG_ANY   },
    {"leader-elect-lease-namespace", FLAG_TEXT, AT(lease_namespace),       FLAG_ANY   },
    {"leader-elect-lease-name",      FLAG_TEXT, AT(lease_name),            FLAG_ANY   },
    {"web-addr",                     FLAG_TEXT, AT(web),                   FLAG_ANY   },
    {"web-cert-dir",                 FLAG_TEXT, AT(web_cert_dir),          FLAG_FOLDER},
    {"fleet-addr",                   FLAG_TEXT, AT(fleet_addr),            FLAG_ANY   },
    {"fleet-cert-dir",               FLAG_TEXT, AT(fleet_cert_dir),        FLAG_FOLDER},
    {"fleet-secret",                 FLAG_TEXT, AT(fleet_secret),          FLAG_ANY   },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    CONTROLLER_GROUP(struct settings),
    FLEET_GROUP_OF(struct settings),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int complete_fleet(struct settings *settings)
{
    struct controller_manager_options *options = &settings->controller.options;
    struct address address;
    struct key secret = {.name = str_from_c(settings->fleet_secret)};
    if (!address_read_optional(settings->fleet_addr, &address))
        return command_misused(&command_controller, "--fleet-addr wants HOST:PORT, not '%s'",
                               settings->fleet_addr);
    if (secret.name.len && (!str_cut(&secret.name, '/', &secret.namespace) ||
                            !secret.namespace.len || !secret.name.len))
        return command_misused(&command_controller, "--fleet-secret wants NAMESPACE/NAME, not '%s'",
                               settings->fleet_secret);
    options->fleet_host = address.host;
    options->fleet_port = address.port;
    options->fleet_cert_dir = str_from_c(settings->fleet_cert_dir);
    options->fleet_secret = secret;
    const int misused = fleet_flags_use(&settings->fleet, &command_controller);
    options->fleet = settings->fleet.options;
    return misused;
}

/* Moves values that need a conversion into the options. */
static int complete_settings(struct settings *settings)
{
    struct controller_manager_options *options = &settings->controller.options;
    options->namespace = str_from_c(settings->globals.namespace);
    options->lease_namespace = str_from_c(settings->lease_namespace);
    options->lease_name = str_from_c(settings->lease_name);
    struct address web;
    if (!address_read_optional(settings->web, &web))
        return command_misused(&command_controller, "--web-addr wants HOST:PORT, not '%s'",
                               settings->web);
    options->web_host = web.host;
    options->web_port = web.port;
    options->web_has_tokens = true;
    options->web_cert_dir = str_from_c(settings->web_cert_dir);
    int misused = controller_flags_use(&settings->controller, &command_controller);
    if (!misused)
        misused = complete_fleet(settings);
    return misused ? misused : global_flags_use(&settings->globals, &command_controller);
}

/*
 * A controller in a Pod is the usual case: health and diagnostics are on, and the log is verbose.
 */
static int run_controller(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    settings.controller.health = ":9440";
    settings.controller.diagnostics = ":8443";
    settings.globals.verbosity = 2;
    if (!flags_read(&command_controller, argc, argv, &settings))
        return COMMAND_USAGE;
    const int misused = complete_settings(&settings);
    return misused ? misused : command_run(serve_controllers, &settings);
}

const struct command command_controller = {
    .name = "controller",
    .summary = "run the controllers against an API server",
    .help =
        "Runs the ClusterResourceSet controllers until SIGINT or SIGTERM, against the API server of\n"
        "--kubeconfig, $KUBECONFIG, the Pod it runs in, or ~/.kube/config.\n\n"
        "Usage: corset controller [FLAGS]\n\n"
        "  --kubeconfig FILE        kubeconfig of the management cluster\n"
        "  --context NAME           context of the kubeconfig\n"
        "  -n, --namespace NS       watch one namespace (default: all)\n" CONTROLLER_HELP
        "  --leader-elect           only one of several processes works; with\n"
        "                           --leader-elect-lease-duration (15s),\n"
        "                           --leader-elect-renew-deadline (10s),\n"
        "                           --leader-elect-retry-period (2s),\n"
        "                           --leader-elect-lease-namespace, --leader-elect-lease-name\n"
        "  --web-addr HOST:PORT     show the fleet on a page, over TLS, to users who show a token of\n"
        "                           the cluster and may list sets (default: none)\n"
        "  --web-cert-dir DIR       with tls.crt and tls.key of the page (default: one is made)\n"
        "  --fleet-addr HOST:PORT   serve the fleet API to kube-apiserver, which knows it as the\n"
        "                           APIService v1alpha1.fleet.corset.dev (default: none)\n"
        "  --fleet-cert-dir DIR     with tls.crt and tls.key of the fleet API (default: a certificate\n"
        "                           is issued)\n"
        "  --fleet-secret NS/NAME   keep the authority that issues it in this Secret, which must be\n"
        "                           there, and make it known in the APIService\n" FLEET_HELP
        "  --v N                    verbosity of the log (default 2)\n"
        "  --logging-format FORMAT  text or json\n\n"
        "By default --health-addr is :9440 and --diagnostics-address :8443.\n\n"
        "Try it:\n"
        "  corset apiserver --in-memory --virtual-clusters 3 --write-kubeconfig /tmp/kc &\n"
        "  corset controller --kubeconfig /tmp/kc --health-addr= --diagnostics-address=\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_controller,
};
