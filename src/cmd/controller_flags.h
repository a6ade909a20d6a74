/*
 * Flags of the controllers, for "corset controller" and "corset up".
 */
#pragma once

#include "app/controller_manager.h"
#include "cmd/command.h"
#include "cmd/flags.h"

struct controller_settings {
    const char *watch_filter;
    const char *health, *diagnostics;
    size_t threshold;
    struct controller_manager_options options;
};

#define CONTROLLER_FLAGS 19
extern const struct flag controller_flags[CONTROLLER_FLAGS];

#define CONTROLLER_GROUP(settings)                                         \
    {                                                                      \
        controller_flags, CONTROLLER_FLAGS, offsetof(settings, controller) \
    }

/* The lines of them in a help text. */
#define CONTROLLER_HELP                                                                          \
    "  --watch-filter VALUE     only objects labelled cluster.x-k8s.io/watch-filter=VALUE\n"     \
    "  --sync-period DURATION   look at everything again that often (default 10m)\n"             \
    "  --clusterresourceset-concurrency N\n"                                                     \
    "                           sets at a time (default 10)\n"                                   \
    "  --apply-concurrency N    clusters at a time (default 1024)\n"                             \
    "  --require-control-plane  skip clusters whose control plane is not initialized\n"          \
    "  --respect-topology-hooks\n"                                                               \
    "                           keep bindings of topology clusters until they may be deleted\n"  \
    "  --kube-api-qps N, --kube-api-burst N\n"                                                   \
    "                           requests a second to the management API and one kind\n"          \
    "                           (default: no limit; its own fairness decides)\n"                 \
    "  --clustercache-concurrency N\n"                                                           \
    "                           clusters looked at at a time (default 100)\n"                    \
    "  --clustercache-client-qps N, --clustercache-client-burst N\n"                             \
    "                           requests to one cluster and kind (default 20, 30)\n"             \
    "  --health-addr HOST:PORT  /healthz and /readyz (empty: none)\n"                            \
    "  --diagnostics-address HOST:PORT\n"                                                        \
    "                           /metrics and /debug (empty: none), over TLS for those who may\n" \
    "  --insecure-diagnostics   plain HTTP instead, for everybody\n"                             \
    "  Of probes: --clustercache-retry-interval, --clustercache-probe-interval,\n"               \
    "  --clustercache-probe-timeout, --clustercache-probe-threshold,\n"                          \
    "  --clustercache-sync-timeout.\n"

/* Fills in the options of the controllers. COMMAND_USAGE when a value is wrong, which has been said
 * then. */
MUST_USE int controller_flags_use(struct controller_settings *settings,
                                  const struct command *command);
