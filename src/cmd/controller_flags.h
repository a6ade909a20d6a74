/* Flags of the controllers, for corset controller and corset up. */
#pragma once

#include "app/controller_manager.h"
#include "cmd/command.h"
#include "cmd/flags.h"
#include "net/cidr.h"

#define CONTROLLER_DENIED_MAX 32

struct controller_settings {
    const char *watch_filter;
    const char *health, *diagnostics;
    size_t threshold;
    const char *reconcile_with;
    const char *drift_check; /* "5m" or "watch" */
    const char *denied;      /* text of --deny-cluster-addresses */
    struct cidr denied_ranges[CONTROLLER_DENIED_MAX];
    size_t denied_count;
    struct controller_manager_options options;
};

#define CONTROLLER_FLAGS 23
extern const struct flag controller_flags[CONTROLLER_FLAGS];

#define CONTROLLER_GROUP(settings)                                         \
    {                                                                      \
        controller_flags, CONTROLLER_FLAGS, offsetof(settings, controller) \
    }

/* The lines about these flags in a help text. */
#define CONTROLLER_HELP                                                                              \
    "  --watch-filter VALUE     only objects labelled cluster.x-k8s.io/watch-filter=VALUE\n"         \
    "  --sync-period DURATION   reconcile everything at this interval (default 10m)\n"               \
    "  --clusterresourceset-concurrency N\n"                                                         \
    "                           sets reconciled at a time (default 10)\n"                            \
    "  --apply-concurrency N    clusters applied to at a time (default 1024)\n"                      \
    "  --require-control-plane  skip clusters whose control plane is not initialized\n"              \
    "  --respect-topology-hooks\n"                                                                   \
    "                           keep bindings of topology clusters until they may be deleted\n"      \
    "  --reconcile-with server-side-apply|merge-patch\n"                                             \
    "                           how sets with strategy Reconcile are applied: so that fields\n"      \
    "                           of others stay (default), or as Cluster API does\n"                  \
    "  --drift-check DURATION|watch\n"                                                               \
    "                           look for drift of sets with a policy at this interval\n"             \
    "                           (default 5m), or keep a watch for each cluster and kind\n"           \
    "  --kube-api-qps N, --kube-api-burst N\n"                                                       \
    "                           requests per second to the management API, per kind\n"               \
    "                           (default: no limit; priority and fairness of the API decides)\n"     \
    "  --clustercache-concurrency N\n"                                                               \
    "                           clusters reconciled at a time (default 100)\n"                       \
    "  --clustercache-client-qps N, --clustercache-client-burst N\n"                                 \
    "                           requests per second to one cluster, per kind (default 20, 30)\n"     \
    "  --threads N              threads for TLS handshakes and credentials, of 1 to 4; 1: that of\n" \
    "                           everything else (default: as many as processors)\n"                  \
    "  --deny-cluster-addresses CIDR,...\n"                                                          \
    "                           never connect to clusters at these addresses\n"                      \
    "  --health-addr HOST:PORT  /healthz and /readyz (empty: none)\n"                                \
    "  --diagnostics-address HOST:PORT\n"                                                            \
    "                           /metrics and /debug over TLS, with authorization (empty: none)\n"    \
    "  --insecure-diagnostics   plain HTTP without authorization instead\n"                          \
    "  Probes: --clustercache-retry-interval, --clustercache-probe-interval,\n"                      \
    "  --clustercache-probe-timeout, --clustercache-probe-threshold,\n"                              \
    "  --clustercache-sync-timeout.\n"

/* Fills in the options of the controllers. Prints a wrong value and returns COMMAND_USAGE then. */
MUST_USE int controller_flags_use(struct controller_settings *settings,
                                  const struct command *command);

/* A network for connections to workload clusters, which honours --deny-cluster-addresses. */
struct network *controller_flags_network(const struct controller_settings *settings,
                                         struct loop *loop);
