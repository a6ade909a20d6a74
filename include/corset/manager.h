/*
 * The process around controllers: connection, caches, leader election, probes, metrics, signals.
 *
 *     return corset_main(argc, argv, &(struct corset_manager_options){
 *         .controllers = controllers, .controller_count = 1});
 *
 * The API server is that of the given kubeconfig, else of $KUBECONFIG, else of the cluster this
 * Pod runs in, else of ~/.kube/config. HTTPS_PROXY, HTTP_PROXY and NO_PROXY hold as they do for
 * kubectl; the proxy-url of a kubeconfig wins over them. The manager waits for kinds that the
 * server does not serve yet; controllers, probes and metrics start after that. SIGINT and SIGTERM
 * end the process in order: runs are cancelled and the Lease is released.
 */
#ifndef CORSET_MANAGER_H
#define CORSET_MANAGER_H

#include <corset/controller.h>
#include <corset/error.h>
#include <corset/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CORSET_BEGIN

struct corset_clusters_options;

struct corset_manager_options {
    const struct corset_controller *const *controllers;
    size_t controller_count;

    const char *kubeconfig; /* a file */
    const char *context;    /* NULL: the kubeconfig's current one */
    const char *user_agent; /* NULL: the first controller's name and version */
    double qps, burst;      /* requests per second and kind; 0: 20 and 30 */

    /* Of workload clusters; NULL: none, or with defaults if a controller watches clusters. */
    const struct corset_clusters_options *clusters;

    /*
     * Of several processes only the holder of the Lease works. A process that could not renew the
     * Lease in time stops and writes nothing any more.
     */
    bool leader_elect;
    const char *lease_name;      /* NULL: "<first controller>.corset.dev" */
    const char *lease_namespace; /* NULL: the kubeconfig's, or the Pod's */
    int64_t lease_duration_ms, renew_deadline_ms, retry_period_ms; /* 0: 15 s, 10 s, 2 s */

    const char *health_address;      /* "HOST:PORT" or ":PORT" for /healthz, /readyz; NULL: none */
    const char *diagnostics_address; /* the same for /metrics, over TLS and with TokenReview */
    bool insecure_diagnostics;       /* over plain HTTP, without authorization */

    int verbosity; /* of the log on standard error, from 0 */
    bool log_json;
};

/*
 * Runs until SIGINT or SIGTERM (NULL), until something ends it that cannot be helped, or until
 * leadership is lost. The log's settings are the process's.
 */
CORSET_EXPORT CORSET_MUST_USE struct corset_error *
corset_manager_run(const struct corset_manager_options *options);

/*
 * The whole of main(): reads the flags below over the given options, runs the manager, and prints
 * its error. The exit code is 0 after a signal, 2 for wrong flags, 3 for a failure.
 *
 *     --kubeconfig FILE, --context NAME, --kube-api-qps N, --kube-api-burst N
 *     --leader-elect, --leader-elect-lease-duration D, --leader-elect-renew-deadline D,
 *     --leader-elect-retry-period D, --leader-elect-resource-name NAME,
 *     --leader-elect-resource-namespace NAMESPACE
 *     --health-addr ADDRESS, --diagnostics-address ADDRESS, --insecure-diagnostics
 *     --v N, --logging-format text|json, --help
 */
CORSET_EXPORT int corset_main(int argc, char **argv, const struct corset_manager_options *options);

/*
 * Writes a line to the log: a constant message, then names and values in turn, then NULL.
 *
 *     corset_log("Certificate ordered", "host", host, NULL);
 *
 * During a run the line also names controller and owner.
 */
CORSET_EXPORT void corset_log(const char *message, ...) CORSET_ENDS_IN_NULL;

/* The library's version, "0.2.0". */
CORSET_EXPORT const char *corset_version(void);

CORSET_END

#endif
