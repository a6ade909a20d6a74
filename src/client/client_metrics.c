/*
 * Looking up a series by its labels costs more than counting, so the series of the last request
 * stay at hand.
 */
#include "client/client_metrics.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/metrics.h"
#include "client/kubeconfig/kubeconfig.h"

static const double seconds_buckets[] = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};

enum { FAMILY_REQUESTS, FAMILY_DURATION };

static const struct metrics_family families[] = {
    [FAMILY_REQUESTS] =
        METRICS_COUNTER("rest_client_requests_total",
                        "Number of HTTP requests, partitioned by status code, method, and host.",
                        "code", "host", "method"),
    [FAMILY_DURATION] =
        METRICS_HISTOGRAM("rest_client_request_duration_seconds",
                          "Request latency in seconds. Broken down by verb, and host.",
                          seconds_buckets, "verb", "host"),
};

void client_metrics_init(struct client_metrics *metrics, struct metrics *registry,
                         const struct rest_config *config, struct str host)
{
    *metrics = (struct client_metrics){.metrics = registry};
    if (!registry)
        return;
    metrics->host = host.len ? host : url_authority(&metrics->texts, &config->server);
    metrics_register(registry, families, COUNT(families));
}

static void forget_series(struct client_metrics *metrics)
{
    metrics_series_unref(metrics->requests);
    metrics_series_unref(metrics->duration);
    metrics->requests = metrics->duration = NULL;
}

void client_metrics_done(struct client_metrics *metrics)
{
    forget_series(metrics);
    arena_done(&metrics->texts);
}

/* Takes references: a series that is removed from the registry meanwhile stays removed. */
static void find_series(struct client_metrics *metrics, struct str method, int status)
{
    char digits[16];
    const int len = snprintf(digits, sizeof(digits), "%d", status);
    const struct str code = status ? str_from(digits, (size_t)len) : STR("<error>");
    forget_series(metrics);
    metrics->method = method;
    metrics->status = status;
    metrics->requests = metrics_series_ref(
        METRICS_SERIES(metrics->metrics, &families[FAMILY_REQUESTS], code, metrics->host, method));
    metrics->duration = metrics_series_ref(
        METRICS_SERIES(metrics->metrics, &families[FAMILY_DURATION], method, metrics->host));
}

/* The duration runs until the head of the response, as in client-go. */
void client_metrics_count(struct client_metrics *metrics, struct str method, int status,
                          duration took)
{
    if (!metrics->metrics)
        return;
    if (!metrics->requests || metrics->status != status || !str_eq(metrics->method, method))
        find_series(metrics, method, status);
    metrics_inc(metrics->requests);
    metrics_observe(metrics->duration, (double)took / (double)SECOND);
}
