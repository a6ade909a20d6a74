/*
 * The process around controllers: connection, caches, leader election, probes, metrics, signals.
 *
 *     return corset_main(argc, argv, &(struct corset_manager_options){
 *         .controllers = controllers, .controller_count = 1});
 *
 * The API server is that of the kubeconfig that was given, else of $KUBECONFIG, else of the cluster
 * whose Pod this is, else of ~/.kube/config. Kinds that the server does not have yet are waited
 * for before anything else begins, probes included. SIGINT and SIGTERM end it in order: running
 * loops are cancelled, the lease is given up.
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

struct corset_manager_options {
    const struct corset_controller *const *controllers;
    size_t controller_count;

    const char *kubeconfig; /* a file */
    const char *context;    /* NULL: the kubeconfig's current one */
    const char *user_agent; /* NULL: the first controller's name and version */
    double qps, burst;      /* requests per second and kind; 0: 20 and 30 */

    /*
     * Of several processes only the one that holds the Lease works. One that could not renew it in
     * time stops, and writes nothing any more.
     */
    bool leader_elect;
    const char *lease_name;      /* NULL: "<first controller>.corset.dev" */
    const char *lease_namespace; /* NULL: the kubeconfig's, or the Pod's */
    int64_t lease_duration_ms, renew_deadline_ms, retry_period_ms; /* 0: 15 s, 10 s, 2 s */

    const char *health_address;      /* "HOST:PORT" or ":PORT" for /healthz, /readyz; NULL: none */
    const char *diagnostics_address; /* the same for /metrics, over TLS and with TokenReview */
    bool insecure_diagnostics;       /* over plain HTTP, for everybody */

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
 * The whole of main(): reads the flags below over what the options say, runs, prints what went
 * wrong. The exit code: 0 told to stop, 2 wrong flags, 3 failed.
 *
 *     --kubeconfig FILE, --context NAME, --kube-api-qps N, --kube-api-burst N
 *     --leader-elect, --leader-elect-lease-duration D, --leader-elect-renew-deadline D,
 *     --leader-elect-retry-period D, --leader-elect-resource-name,
 * --leader-elect-resource-namespace
 *     --health-addr ADDRESS, --diagnostics-address ADDRESS, --insecure-diagnostics
 *     --v N, --logging-format text|json, --help
 */
CORSET_EXPORT int corset_main(int argc, char **argv, const struct corset_manager_options *options);

/*
 * A line in the log: a constant message, then names and values in turn, then NULL.
 *
 *     corset_log("Certificate ordered", "host", host, NULL);
 *
 * Inside of a loop the line says whose loop it is.
 */
CORSET_EXPORT void corset_log(const char *message, ...) CORSET_ENDS_IN_NULL;

/* The library's version, "0.1.0". */
CORSET_EXPORT const char *corset_version(void);

CORSET_END

#endif
