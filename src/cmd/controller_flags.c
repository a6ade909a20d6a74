/*
 * The table of the controllers' flags. Most values go directly into struct
 * controller_manager_options; addresses and texts are converted by controller_flags_use().
 */
#include "cmd/controller_flags.h"

#include <sched.h>
#include <string.h>

#include "base/duration.h"
#include "cmd/address.h"
#include "cmd/reconcile_with.h"
#include "cmd/user_agent.h"
#include "net/tcp.h"

#define THREADS_MAX 4 /* more would wait for the loop */

#define AT(member)        offsetof(struct controller_settings, member)
#define OPTION_AT(member) offsetof(struct controller_settings, options.member)

const struct flag controller_flags[CONTROLLER_FLAGS] = {
    {"watch-filter",                   FLAG_TEXT,  AT(watch_filter),                FLAG_ANY},
    {"sync-period",                    FLAG_SPAN,  OPTION_AT(sync_period),          FLAG_ANY},
    {"kube-api-qps",                   FLAG_LEVEL, OPTION_AT(qps),                  FLAG_ANY},
    {"kube-api-burst",                 FLAG_LEVEL, OPTION_AT(burst),                FLAG_ANY},
    {"clusterresourceset-concurrency", FLAG_COUNT, OPTION_AT(concurrency),          FLAG_ANY},
    {"apply-concurrency",              FLAG_COUNT, OPTION_AT(apply_concurrency),    FLAG_ANY},
    {"require-control-plane",          FLAG_BOOL,  OPTION_AT(needs_control_plane),  FLAG_ANY},
    {"respect-topology-hooks",         FLAG_BOOL,  OPTION_AT(topology_may_hold),    FLAG_ANY},
    {"reconcile-with",                 FLAG_TEXT,  AT(reconcile_with),              FLAG_ANY},
    {"drift-check",                    FLAG_TEXT,  AT(drift_check),                 FLAG_ANY},
    {"clustercache-concurrency",       FLAG_COUNT, OPTION_AT(cluster_concurrency),  FLAG_ANY},
    {"clustercache-client-qps",        FLAG_LEVEL, OPTION_AT(cluster_qps),          FLAG_ANY},
    {"clustercache-client-burst",      FLAG_LEVEL, OPTION_AT(cluster_burst),        FLAG_ANY},
    {"clustercache-retry-interval",    FLAG_SPAN,  OPTION_AT(timing.retry),         FLAG_ANY},
    {"clustercache-probe-interval",    FLAG_SPAN,  OPTION_AT(timing.probe),         FLAG_ANY},
    {"clustercache-probe-timeout",     FLAG_SPAN,  OPTION_AT(timing.probe_timeout), FLAG_ANY},
    {"clustercache-probe-threshold",   FLAG_COUNT, AT(threshold),                   FLAG_ANY},
    {"clustercache-sync-timeout",      FLAG_SPAN,  OPTION_AT(timing.sync_timeout),  FLAG_ANY},
    {"threads",                        FLAG_COUNT, OPTION_AT(threads),              FLAG_ANY},
    {"deny-cluster-addresses",         FLAG_TEXT,  AT(denied),                      FLAG_ANY},
    {"health-addr",                    FLAG_TEXT,  AT(health),                      FLAG_ANY},
    {"diagnostics-address",            FLAG_TEXT,  AT(diagnostics),                 FLAG_ANY},
    {"insecure-diagnostics",           FLAG_BOOL,  OPTION_AT(insecure_diagnostics), FLAG_ANY},
};

/* An interval, or "watch". Without the flag the controllers choose. */
static bool read_drift_check(const char *text, struct controller_manager_options *options)
{
    options->drift_watch = text && strcmp(text, "watch") == 0;
    return !text || options->drift_watch ||
           (duration_read(str_from_c(text), &options->drift_check) && options->drift_check >= 0);
}

/* Those that this process may use. */
static size_t count_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static bool choose_threads(struct controller_manager_options *options)
{
    const size_t processors = count_processors();
    if (!options->threads)
        options->threads = processors < THREADS_MAX ? processors : THREADS_MAX;
    return options->threads <= THREADS_MAX;
}

struct network *controller_flags_network(const struct controller_settings *settings,
                                         struct loop *loop)
{
    struct network *network = tcp_network_new(loop);
    tcp_network_deny(network, settings->denied_ranges, settings->denied_count,
                     "--deny-cluster-addresses");
    return network;
}

int controller_flags_use(struct controller_settings *settings, const struct command *command)
{
    struct controller_manager_options *options = &settings->options;
    struct address health, diagnostics;
    if (!address_read_optional(settings->health, &health))
        return command_misused(command, "--health-addr wants HOST:PORT, not '%s'",
                               settings->health);
    if (!address_read_optional(settings->diagnostics, &diagnostics))
        return command_misused(command, "--diagnostics-address wants HOST:PORT, not '%s'",
                               settings->diagnostics);
    if (!reconcile_with_read(settings->reconcile_with, &options->reconcile_with))
        return command_misused(command, RECONCILE_WITH_MISTAKE, settings->reconcile_with);
    if (!read_drift_check(settings->drift_check, options))
        return command_misused(command,
                               "--drift-check wants watch or a duration such as 5m, not '%s'",
                               settings->drift_check);
    if (!cidr_read_list(str_from_c(settings->denied), settings->denied_ranges,
                        CONTROLLER_DENIED_MAX, &settings->denied_count))
        return command_misused(command,
                               "--deny-cluster-addresses wants at most %d ranges such as "
                               "169.254.0.0/16, with commas between them, not '%s'",
                               CONTROLLER_DENIED_MAX, settings->denied);
    if (!choose_threads(options))
        return command_misused(command, "--threads wants 1 to %d", THREADS_MAX);
    options->health_host = health.host;
    options->health_port = health.port;
    options->diagnostics_host = diagnostics.host;
    options->diagnostics_port = diagnostics.port;
    options->watch_filter = str_from_c(settings->watch_filter);
    options->timing.threshold = (uint32_t)settings->threshold;
    options->user_agent = user_agent_name();
    return COMMAND_DONE;
}
