/* corset controller: the controllers, against an API server that is there already. */
#include <stdio.h>
#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "async/signals.h"
#include "base/log.h"
#include "client/kubeconfig.h"
#include "cmd/agent.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "fleet/fleet.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define DELIVERY_DEFAULT (5 * SECOND) /* the time between renewing and losing a lease */

struct settings {
    const char *kubeconfig, *context, *namespace, *watch_filter;
    const char *lease_namespace, *lease_name;
    const char *health, *diagnostics, *format;
    size_t verbosity, threshold;
    struct fleet_options fleet;
};

struct process {
    struct settings *settings;
    struct signals *signals;
    struct fleet *fleet;
    struct fiber *worker, *listener;
    bool is_told_to_stop;
};

/* The kubeconfig that was asked for, the Pod's own cluster, the user's kubeconfig. */
static struct error *find_cluster(const struct settings *settings, struct rest_config *ret_config)
{
    struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    const struct kubeconfig_options choice = {.context = str_from_c(settings->context)};
    paths.file = str_from_c(settings->kubeconfig);
    if (paths.file.len || paths.list.len)
        return kubeconfig_load(&paths, &choice, ret_config);
    struct error *err = kubeconfig_in_cluster(NULL, ret_config);
    if (!error_is(err, ERROR_NOT_FOUND))
        return err;
    error_free(err);
    return kubeconfig_load(&paths, &choice, ret_config);
}

static struct error *work(void *data)
{
    struct process *process = data;
    struct error *err = fleet_run(process->fleet);
    fiber_cancel(process->listener);
    return process->is_told_to_stop ? error_ignore(err, ERROR_CANCELED) : err;
}

static struct error *listen_for_signals(void *data)
{
    struct process *process = data;
    struct error *err = signals_wait(process->signals);
    if (!err) {
        log_info("Stopping");
        process->is_told_to_stop = true;
        fiber_cancel(process->worker);
    }
    return error_ignore(err, ERROR_CANCELED);
}

static struct error *serve(void *data)
{
    struct settings *settings = data;
    struct loop *loop = loop_current();
    struct process process = {.settings = settings};
    OWNED(signals) signals = NULL;
    SCOPED(rest_config) config = {0};
    TRY(signals_new(loop, &signals));
    TRY(find_cluster(settings, &config), "find the management cluster");
    OWNED(network) network = tcp_network_new(loop);
    OWNED(network) guarded = tcp_network_new(loop);
    OWNED(tls_context) tls = tls_context_new();
    OWNED(fleet) fleet = NULL;
    SCOPED(scope) scope = {0};
    const duration lease = settings->fleet.lease_duration, renew = settings->fleet.renew_deadline;
    tcp_network_limit_delivery(guarded, lease && renew ? lease - renew : DELIVERY_DEFAULT);
    settings->fleet.config = &config;
    settings->fleet.network = network;
    settings->fleet.guarded_network = guarded;
    settings->fleet.tls = tls;
    TRY(fleet_new(loop, &settings->fleet, &fleet));
    process.signals = signals;
    process.fleet = fleet;
    process.listener = scope_start(&scope, "signals", listen_for_signals, &process);
    process.worker = scope_start(&scope, "controllers", work, &process);
    return scope_wait(&scope);
}

/* "HOST:PORT" or ":PORT", which is every address of the machine; "" and "0" are none. */
static bool read_address(const char *text, struct str *ret_host, uint16_t *ret_port)
{
    const struct str whole = str_from_c(text);
    const size_t colon = str_find_last_char(whole, ':');
    uint64_t port;
    if (!whole.len || str_eq(whole, STR("0")))
        return true;
    if (colon == STR_NONE || !str_to_uint64(str_skip(whole, colon + 1), &port) || port > UINT16_MAX)
        return false;
    *ret_port = (uint16_t)port;
    *ret_host = colon ? str_slice(whole, 0, colon) : STR("0.0.0.0");
    if (ret_host->len > 2 && ret_host->ptr[0] == '[')
        *ret_host = str_slice(*ret_host, 1, ret_host->len - 1);
    return true;
}

static int complete(struct settings *settings)
{
    struct fleet_options *fleet = &settings->fleet;
    fleet->namespace = str_from_c(settings->namespace);
    fleet->watch_filter = str_from_c(settings->watch_filter);
    fleet->lease_namespace = str_from_c(settings->lease_namespace);
    fleet->lease_name = str_from_c(settings->lease_name);
    fleet->user_agent = agent_name();
    fleet->timing.threshold = (uint32_t)settings->threshold;
    if (!read_address(settings->health, &fleet->health_host, &fleet->health_port))
        return command_misused(&command_controller, "--health-addr wants HOST:PORT, not '%s'",
                               settings->health);
    if (!read_address(settings->diagnostics, &fleet->diagnostics_host, &fleet->diagnostics_port))
        return command_misused(&command_controller,
                               "--diagnostics-address wants HOST:PORT, not '%s'",
                               settings->diagnostics);
    if (strcmp(settings->format, "text") != 0 && strcmp(settings->format, "json") != 0)
        return command_misused(&command_controller, "--logging-format is text or json, not '%s'",
                               settings->format);
    log_set_level((int)settings->verbosity);
    log_set_format(strcmp(settings->format, "json") == 0 ? LOG_JSON : LOG_TEXT);
    return COMMAND_DONE;
}

static int run(int argc, char **argv)
{
    struct settings settings = {
        .health = ":9440", .diagnostics = ":8443", .format = "text", .verbosity = 2};
    struct fleet_options *fleet = &settings.fleet;
    const struct flag flags[] = {
        {"kubeconfig",                     FLAG_TEXT,  &settings.kubeconfig        },
        {"context",                        FLAG_TEXT,  &settings.context           },
        {"namespace|n",                    FLAG_TEXT,  &settings.namespace         },
        {"watch-filter",                   FLAG_TEXT,  &settings.watch_filter      },
        {"sync-period",                    FLAG_SPAN,  &fleet->sync_period         },
        {"kube-api-qps",                   FLAG_LEVEL, &fleet->qps                 },
        {"kube-api-burst",                 FLAG_LEVEL, &fleet->burst               },
        {"clusterresourceset-concurrency", FLAG_COUNT, &fleet->concurrency         },
        {"apply-concurrency",              FLAG_COUNT, &fleet->apply_concurrency   },
        {"require-control-plane",          FLAG_BOOL,  &fleet->needs_control_plane },
        {"respect-topology-hooks",         FLAG_BOOL,  &fleet->topology_may_hold   },
        {"clustercache-concurrency",       FLAG_COUNT, &fleet->cluster_concurrency },
        {"clustercache-client-qps",        FLAG_LEVEL, &fleet->cluster_qps         },
        {"clustercache-client-burst",      FLAG_LEVEL, &fleet->cluster_burst       },
        {"clustercache-retry-interval",    FLAG_SPAN,  &fleet->timing.retry        },
        {"clustercache-probe-interval",    FLAG_SPAN,  &fleet->timing.probe        },
        {"clustercache-probe-timeout",     FLAG_SPAN,  &fleet->timing.probe_timeout},
        {"clustercache-probe-threshold",   FLAG_COUNT, &settings.threshold         },
        {"clustercache-sync-timeout",      FLAG_SPAN,  &fleet->timing.sync_timeout },
        {"leader-elect",                   FLAG_BOOL,  &fleet->leader_elect        },
        {"leader-elect-lease-duration",    FLAG_SPAN,  &fleet->lease_duration      },
        {"leader-elect-renew-deadline",    FLAG_SPAN,  &fleet->renew_deadline      },
        {"leader-elect-retry-period",      FLAG_SPAN,  &fleet->retry_period        },
        {"leader-elect-lease-namespace",   FLAG_TEXT,  &settings.lease_namespace   },
        {"leader-elect-lease-name",        FLAG_TEXT,  &settings.lease_name        },
        {"health-addr",                    FLAG_TEXT,  &settings.health            },
        {"diagnostics-address",            FLAG_TEXT,  &settings.diagnostics       },
        {"insecure-diagnostics",           FLAG_BOOL,  &fleet->insecure_diagnostics},
        {"v",                              FLAG_COUNT, &settings.verbosity         },
        {"logging-format",                 FLAG_TEXT,  &settings.format            },
    };
    if (!flags_read(&command_controller, argc, argv, flags, COUNT(flags)))
        return COMMAND_USAGE;
    const int misused = complete(&settings);
    if (misused)
        return misused;
    OWNED(loop) loop = loop_new();
    struct error *err = loop_run(loop, serve, &settings);
    return err ? command_fail(err) : COMMAND_DONE;
}

const struct command command_controller = {
    .name = "controller",
    .summary = "run the controllers against an API server",
    .help =
        "Runs the ClusterResourceSet controllers until SIGINT or SIGTERM, against the API server of\n"
        "--kubeconfig, $KUBECONFIG, the Pod it runs in, or ~/.kube/config.\n\n"
        "Usage: corset controller [FLAGS]\n\n"
        "  --kubeconfig FILE        how to reach the management cluster\n"
        "  --context NAME           of the kubeconfig\n"
        "  -n, --namespace NS       watch one namespace (default: all)\n"
        "  --watch-filter VALUE     only objects labelled cluster.x-k8s.io/watch-filter=VALUE\n"
        "  --sync-period DURATION   look at everything again that often (default 10m)\n"
        "  --clusterresourceset-concurrency N  sets at a time (default 10)\n"
        "  --apply-concurrency N    clusters at a time (default 256)\n"
        "  --require-control-plane  skip clusters whose control plane is not initialized\n"
        "  --respect-topology-hooks keep bindings of topology clusters until they may be deleted\n"
        "  --kube-api-qps, --kube-api-burst N  requests to the management cluster and kind\n"
        "                           (default: no limit; its own fairness decides)\n"
        "  --clustercache-concurrency N        clusters looked at at a time (default 100)\n"
        "  --clustercache-client-qps, --clustercache-client-burst N\n"
        "                           requests to one cluster and kind (default 20, 30)\n"
        "  --leader-elect           of several processes only one works; with\n"
        "                           --leader-elect-lease-duration (15s), -renew-deadline (10s),\n"
        "                           -retry-period (2s), -lease-namespace and -lease-name\n"
        "  --health-addr HOST:PORT  /healthz and /readyz (default :9440; empty: none)\n"
        "  --diagnostics-address HOST:PORT\n"
        "                           /metrics and /debug (default :8443; empty: none), over TLS for\n"
        "                           those who may; with --insecure-diagnostics plain, for everybody\n"
        "  --v N                    how much to log (default 2)\n"
        "  --logging-format FORMAT  text or json\n\n"
        "Try it:\n"
        "  corset apiserver --in-memory --virtual-clusters 3 --write-kubeconfig /tmp/kc &\n"
        "  corset controller --kubeconfig /tmp/kc --diagnostics-address=\n",
    .run = run,
};
